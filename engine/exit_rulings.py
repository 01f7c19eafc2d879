"""Out of the event and in again: pure decisions for the way of all rulings (R1.4, R7, R8)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.championship import Championship
from engine.errors import BadInput, Conflict, NotFound
from engine.exits import TWO_FORFEITS
from engine.facts import Draft, EntrantLeft, EntrantReturned, Exit, ForfeitLifted
from engine.model import Stage
from engine.rulings import Ruling, undo
from engine.seat_rulings import take_back

_CLAUSES: Mapping[str, str] = {
    "engine": "R7.3",
    "booster": "R7.3",
    "guilty": "R7.2",
    "ineligible": "R2.8",
    "second_account": "R2.6",
    "public_accusation": "R7.1",
    "two_forfeits": "R6.5",
}
_LEAVING: Mapping[Stage | None, str] = {
    Stage.CANDIDATES: "R8.3",
    Stage.SEMIFINALS: "R8.4",
    Stage.FINALS: "R8.5",
}
"""The clause of a withdrawal by the stage whose pairings are the newest; R8.1 before."""


def disqualify(event: Championship, entrant_id: int, ground: str) -> Ruling:
    """R7.2, R7.3: on a ground of the ruleset; what it does to results follows from it and the stage (R8).

    NotFound("entrant"); BadInput("unknown_ground"); Conflict("already_out").
    """
    _known(event, entrant_id)
    grounds = event.rules.leaving.grounds
    if ground not in grounds:
        raise BadInput("unknown_ground", given=ground, grounds=grounds)
    _still_in(event, entrant_id)
    clause = _CLAUSES.get(ground, "R1.4")
    return Ruling("disqualify", (Draft(EntrantLeft(entrant_id, Exit.DISQUALIFIED, ground), clause),))


def withdraw(event: Championship, entrant_id: int) -> Ruling:
    """R8.1-R8.5: at any time, by the player or for one who is gone; what it does to results follows from the stage.

    NotFound("entrant"); Conflict("already_out").
    """
    _known(event, entrant_id)
    _still_in(event, entrant_id)
    newest = event.tournament.rounds[-1].stage if event.tournament.rounds else None
    clause = _LEAVING.get(newest, "R8.1")
    return Ruling("withdraw", (Draft(EntrantLeft(entrant_id, Exit.WITHDRAWN), clause),))


def reinstate(event: Championship, entrant_id: int) -> Ruling:
    """R8: a TD lets somebody in again who is out.

    A disqualification is taken back with what it did to results (Q44d); one for two forfeits falls with the forfeits
    that are lifted (Q44e). So is a withdrawal while no pairings have come out since: the open match is open again.
    After that what was lost by it stays lost, and missed rounds are absent (Q29).
    Of somebody who is in, a seat that was declined is taken back (Q46). NotFound("entrant"); Conflict("not_out").
    """
    _known(event, entrant_id)
    left = event.tournament.left.get(entrant_id)
    if left is None:
        if (given_back := take_back(event, entrant_id)) is not None:
            return given_back
        raise Conflict("not_out", name=event.name_of(entrant_id))
    if left.ground == TWO_FORFEITS:
        too_many = event.tournament.forfeits.get(entrant_id, ())[event.rules.forfeits.to_disqualify - 1 :]
        return Ruling("reinstate", tuple(Draft(ForfeitLifted(match, entrant_id), "Q44e") for match in too_many))
    paired_since = any(published.fact_id > left.fact_id for published in event.tournament.rounds)
    if left.exit is Exit.WITHDRAWN and paired_since:
        return Ruling("reinstate", (Draft(EntrantReturned(entrant_id), "Q29"),))
    return Ruling("reinstate", undo(event, left.fact_id).drafts)


def _known(event: Championship, entrant_id: int) -> None:
    if entrant_id not in event.entrants:
        raise NotFound("entrant", id=entrant_id)


def _still_in(event: Championship, entrant_id: int) -> None:
    if not event.tournament.is_in(entrant_id):
        raise Conflict("already_out", name=event.name_of(entrant_id))

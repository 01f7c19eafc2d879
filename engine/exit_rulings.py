"""A TD takes somebody out of the event: a pure decision for the way of all rulings (R1.4, R7, R8)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.championship import Championship
from engine.errors import BadInput, Conflict, NotFound
from engine.facts import Draft, EntrantLeft, Exit
from engine.rulings import Ruling

_CLAUSES: Mapping[str, str] = {
    "engine": "R7.3",
    "booster": "R7.3",
    "guilty": "R7.2",
    "ineligible": "R2.8",
    "second_account": "R2.6",
    "public_accusation": "R7.1",
    "two_forfeits": "R6.5",
}


def disqualify(event: Championship, entrant_id: int, ground: str) -> Ruling:
    """R7.2, R7.3: on a ground of the ruleset; what it does to results follows from it and the stage (R8).

    NotFound("entrant"); BadInput("unknown_ground"); Conflict("already_out").
    """
    if entrant_id not in event.entrants:
        raise NotFound("entrant", id=entrant_id)
    grounds = event.rules.leaving.grounds
    if ground not in grounds:
        raise BadInput("unknown_ground", given=ground, grounds=grounds)
    if not event.tournament.is_in(entrant_id):
        raise Conflict("already_out", name=event.name_of(entrant_id))
    clause = _CLAUSES.get(ground, "R1.4")
    return Ruling("disqualify", (Draft(EntrantLeft(entrant_id, Exit.DISQUALIFIED, ground), clause),))

"""A seat that somebody does not want, and the way back: pure decisions for the way of all rulings (Q46, Q52)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.chain import chain
from engine.championship import Championship
from engine.errors import AcwcError, Conflict, NotFound
from engine.facts import Draft, Reverted, SeatDeclined
from engine.model import Stage
from engine.rulings import Ruling
from engine.seating import GRAND_FINAL, THIRD_PLACE, decided, has_begun_in, may_sit, seating
from engine.stages import pool_rounds


def decline(event: Championship, stage: Stage, entrant_id: int) -> Ruling:
    """Q46, Q52: this player does not want the seat in that stage.

    NotFound("no_seat") for somebody who has none; Conflict("seat_in_play") once their match has begun, which settles
    what becomes of it (Q51).
    """
    if entrant_id not in seats(event, stage):
        raise NotFound("no_seat", name=event.name_of(entrant_id), stage=stage)
    if has_begun_in(event, stage, entrant_id):
        raise Conflict("seat_in_play", clause="Q51", name=event.name_of(entrant_id))
    return Ruling("seat_declined", (Draft(SeatDeclined(stage, entrant_id), "Q46"),))


def take_back(event: Championship, entrant_id: int) -> Ruling | None:
    """What undoes the declines of somebody who is in the event; None where there are none. A seat that others have by
    then stays theirs."""
    declined = chain(event.facts).of(SeatDeclined)
    drafts = [Draft(Reverted(), "Q46", reverts_id=e.fact.id) for e, said in declined if said.entrant_id == entrant_id]
    return Ruling("reinstate", tuple(reversed(drafts))) if drafts else None


def seats(event: Championship, stage: Stage) -> frozenset[int]:
    """Who sits in that stage, or would by the rules as it is now; nobody where they can't be seated."""
    return frozenset(entrant for group in _groups(event, stage).values() for entrant in group)


def group_in(event: Championship, stage: Stage, entrant_id: int) -> str | None:
    """The pool or match of that stage in which the player has that seat."""
    return next((name for name, group in _groups(event, stage).items() if entrant_id in group), None)


@dataclass(frozen=True, slots=True)
class Moves:
    """What a ruling changes in who sits in a stage: (entrant, group) of everybody who gets a seat by it, in the order
    of the groups; `empty`: the groups that have one player less."""

    into: tuple[tuple[int, str], ...] = ()
    empty: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.into or self.empty)


def moves(before: Championship, after: Championship, stage: Stage) -> Moves:
    """R3.8, R8.4, R8.5: who gets which seat by what happened between the two. In the Candidates only who is new there:
    all places below move up by one, and the pools follow from the places."""
    was, is_ = _groups(before, stage), _groups(after, stage)
    sat = frozenset(entrant for group in was.values() for entrant in group)
    into = tuple(
        (entrant, name)
        for name, group in is_.items()
        for entrant in group
        if entrant not in (sat if stage is Stage.CANDIDATES else was.get(name, ()))
    )
    return Moves(into, tuple(name for name, group in was.items() if len(group) > len(is_.get(name, ()))))


def _groups(event: Championship, stage: Stage) -> dict[str, tuple[int, ...]]:
    try:
        return {group.name: group.entrants for group in seating(event, stage).groups}
    except AcwcError:
        return {}


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A seat that somebody loses before its stage begins, and who gets one there instead."""

    stage: Stage
    group: str
    heirs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Earned:
    """A seat in a final that a decided semifinal gives. `heir`: who moves up for the one who has it, where that does
    not rest on a semifinal that is still open (R8.5, Q52)."""

    group: str
    heir: int | None = None


def earned_final(event: Championship, entrant_id: int) -> Earned | None:
    """R3.13: of somebody whose own semifinal is decided, before the Finals have begun, also while the other semifinal
    is open and nobody can be seated there yet."""
    if event.tournament.has_begun(Stage.FINALS) or not event.tournament.is_in(entrant_id):
        return None
    groups = event.tournament.seated.get(Stage.SEMIFINALS, ())
    own = next((group for group in groups if entrant_id in group.entrants), None)
    try:
        winner, loser = decided(event, own) if own is not None else (None, None)
    except AcwcError:
        return None
    if entrant_id == winner:
        return Earned(GRAND_FINAL, loser if loser is not None and may_sit(event, Stage.FINALS, loser) else None)
    playoff = entrant_id == loser and event.rules.knockout.third_place_playoff
    return Earned(THIRD_PLACE) if playoff else None


def given_up(before: Championship, after: Championship, entrant_id: int) -> GivenUp | None:
    """R8.4, R8.5: what an exit between two stages does to the seat of the next one; None where there is none, as while
    the pools have rounds to come (R8.3)."""
    for stage in (Stage.SEMIFINALS, Stage.FINALS):
        if stage is Stage.SEMIFINALS and len(before.tournament.stage_rounds(Stage.CANDIDATES)) < pool_rounds(before):
            continue
        try:
            was, is_ = seating(before, stage), seating(after, stage)
        except AcwcError:
            continue
        seat = next((group for group in was.groups if entrant_id in group.entrants), None)
        if seat is None or before.tournament.has_begun(stage) or entrant_id in seats(after, stage):
            continue
        now = next((group.entrants for group in is_.groups if group.name == seat.name), ())
        return GivenUp(stage, seat.name, tuple(e for e in now if e not in seat.entrants))
    return None

"""The final placing of everybody (R3.13, R3.14, Q52), and who has none.

1 to 4 by the Finals. Then semifinalists without a final, then the Candidates by their place in the pool, those with the
same place in different pools together; then the Qualification table, from the first who did not play the Candidates.
No place: who is unranked in the table of the last stage played, and who was disqualified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.championship import Championship
from engine.errors import Conflict
from engine.facts import Exit, Pair
from engine.model import Stage
from engine.points import WIN
from engine.seating import GRAND_FINAL, THIRD_PLACE, pair_of

_EXIT_NAMES = {Exit.WITHDRAWN: "withdrawal", Exit.DISQUALIFIED: "disqualification"}


@dataclass(frozen=True, slots=True)
class Placing:
    """`first` to `last`: the places that an entrant shares, the same for one who shares it with nobody; None for who
    has no place. `stage`: the last stage the entrant took part in."""

    entrant_id: int
    first: int | None
    last: int | None
    stage: Stage


def placing(event: Championship) -> tuple[Placing, ...]:
    """Everybody, best first; at the end by seed those without a place.

    A place in the Finals whose player lost it by a disqualification stays empty. Conflict("finals_open") before both
    finals are decided.
    """
    shelves = list(_shelves(event))
    placed: list[Placing] = []
    place = 1
    for stage, width, entrants in shelves:
        keep = [e for e in entrants if not _lost_place(event, e, stage)]
        last = place + max(width or len(keep), 1) - 1
        placed.extend(Placing(e, place, last, stage) for e in keep)
        place += width or len(keep)
    named = {line.entrant_id for line in placed}
    seeds = event.seeds
    rest = sorted((e for e in event.entrants if e not in named), key=seeds.__getitem__)
    return (*placed, *(Placing(e, None, None, _last_stage(event, e)) for e in rest))


def podium(event: Championship) -> Mapping[int, int]:
    """The places 1 to 4 that are known, each with its entrant; those of the playoff follow once it is decided.
    Conflict("finals_open") before the Grand Final is."""
    known = [*enumerate(_final_order(event, GRAND_FINAL), start=1)]
    if playoff_open(event) is None:
        known += enumerate(_final_order(event, THIRD_PLACE), start=3)
    return {place: e for place, e in known if e is not None and not _lost_place(event, e, Stage.FINALS)}


def playoff_open(event: Championship) -> Pair | None:
    """The Third Place Playoff that has no winner yet (R3.13); None where it has one, or is not played."""
    pair = pair_of(event, Stage.FINALS, THIRD_PLACE)
    try:
        _final_order(event, THIRD_PLACE)
    except Conflict:
        return pair
    return None


def champion_known(event: Championship) -> bool:
    """R3.13: the Grand Final is decided, whatever becomes of the playoff."""
    try:
        _final_order(event, GRAND_FINAL)
    except Conflict:
        return False
    return True


def _shelves(event: Championship) -> Iterator[tuple[Stage, int, Sequence[int]]]:
    """Who stands together, best first: the stage, how many places that is (0: as many as players), the players."""
    done: set[int] = set()

    def fresh(entrants: Sequence[int]) -> list[int]:
        new = [e for e in entrants if e not in done]
        done.update(new)
        return new

    for name in (GRAND_FINAL, THIRD_PLACE):
        for entrant in _final_order(event, name):
            yield Stage.FINALS, 1, fresh([] if entrant is None else [entrant])
    yield Stage.SEMIFINALS, 0, fresh([e for g in event.tournament.seated.get(Stage.SEMIFINALS, ()) for e in g.entrants])
    tables = list(event.pools().values())
    for rank in range(1, 1 + max((len(table) for table in tables), default=0)):
        yield Stage.CANDIDATES, 0, fresh([line.entrant_id for table in tables for line in table if line.rank == rank])
    out = event.tournament.unranked(Stage.CANDIDATES)
    for line in event.qualification():
        if line.rank is not None and line.entrant_id not in out:
            yield Stage.QUALIFICATION, 0, fresh([line.entrant_id])


def _final_order(event: Championship, name: str) -> tuple[int | None, ...]:
    """Winner and loser of a final; where one side had nobody left, the other one without play (Q52)."""
    group = next((g for g in event.tournament.seated.get(Stage.FINALS, ()) if g.name == name), None)
    if group is None:
        if name == GRAND_FINAL:
            raise Conflict("finals_open", group=name)
        return ()
    if len(group.entrants) < 2:
        return (*group.entrants, None, None)[:2]
    pair = pair_of(event, Stage.FINALS, name)
    result = event.tournament.results.get(pair.match_id) if pair else None
    if pair is None or result is None or WIN not in (result.a, result.b):
        raise Conflict("finals_open", group=name)
    return (pair.a_id, pair.b_id) if result.a == WIN else (pair.b_id, pair.a_id)


def _lost_place(event: Championship, entrant: int, stage: Stage) -> bool:
    """In the Finals as `leaving.keeps_place` says; elsewhere who is disqualified from the event has no place in it,
    while who withdrew keeps what the tables still show (Q49)."""
    left = event.tournament.left.get(entrant)
    if left is None:
        return False
    if stage is Stage.FINALS:
        return _EXIT_NAMES[left.exit] not in event.rules.leaving.keeps_place
    return left.exit is Exit.DISQUALIFIED


def _last_stage(event: Championship, entrant: int) -> Stage:
    seated = [stage for stage, groups in event.tournament.seated.items() for g in groups if entrant in g.entrants]
    return max(seated, key=list(Stage).index, default=Stage.QUALIFICATION)

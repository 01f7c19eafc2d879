"""Who sits where in Candidates, Semifinals and Finals (R3.5, R3.8, R3.11, R3.13), and who moves up when somebody is
gone (R8.4, R8.5, Q45-Q47, Q50-Q52).

A seating is proposed from the present state; a TD confirms it, and a fact records it. After an exit the same function
proposes the seating that should stand now: matches that have begun keep their players, everything else is seated anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.chain import chain
from engine.championship import Championship, championship
from engine.errors import Conflict
from engine.facts import Group, Pair, RoundClosed
from engine.model import Stage
from engine.points import WIN
from engine.rules.schema import Pool
from engine.rules.values import DIRECT, Seat
from engine.standings import Standing
from engine.tournament import ResultKind

GRAND_FINAL = "grand_final"
THIRD_PLACE = "third_place"


class Remark(StrEnum):
    """What a TD should see before confirming.

    SEED_ONLY: only the seed separates the last who qualifies from the next (Q52b). SHORT: fewer players than places
    (Q52c). MOVED_UP: is in the stage because somebody else is not, and must accept (Q46, Q52). EMPTY: nobody is left
    for a seat, the other side goes on without play.
    """

    SEED_ONLY = "seed_only"
    SHORT = "short"
    MOVED_UP = "moved_up"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class SeatingNote:
    """A remark, the group it belongs to ("" for all) and the entrants it is about."""

    remark: Remark
    group: str = ""
    entrants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Seating:
    """The groups of a stage in order. A knock-out group of one player has no opponent left (Q52)."""

    stage: Stage
    groups: tuple[Group, ...]
    notes: tuple[SeatingNote, ...] = ()


def seating(event: Championship, stage: Stage) -> Seating:
    """The seating that should stand now, as far as the results so far say; final once the next stage has begun.

    Raises Conflict: `no_seating` for the Qualification, which has none; `stage_not_over` while the stage before has not
    begun (R3.2), `semifinal_open` while a semifinal has no winner; `too_few_candidates` with `players` and `least`
    (Q52c). Whether all matches of the stage before are over is for the caller to see.
    """
    if stage is Stage.QUALIFICATION:
        raise Conflict("no_seating", stage=stage)
    order = list(Stage)
    before, after = order[order.index(stage) - 1], order[order.index(stage) + 1 :]
    if not event.tournament.has_begun(before):
        raise Conflict("stage_not_over", clause="R3.2", stage=before)
    if any(event.tournament.has_begun(later) for later in after):
        return _recorded(event, stage)
    return {Stage.CANDIDATES: _candidates, Stage.SEMIFINALS: _semifinals, Stage.FINALS: _finals}[stage](event)


def _recorded(event: Championship, stage: Stage) -> Seating:
    return Seating(stage, event.tournament.seated.get(stage, ()))


# --- Candidates -------------------------------------------------------------------------------------------------


def qualified(event: Championship) -> tuple[Standing, ...]:
    """Everybody who may enter the Candidates from the Qualification, best first: place 1 is the first of them.

    Who left, is unranked (R3.5, Q45), and who declined is passed over, so the next moves up (Q46).
    """
    declined = event.tournament.declined.get(Stage.CANDIDATES, frozenset())
    return tuple(line for line in event.qualification() if line.rank is not None and line.entrant_id not in declined)


def _candidates(event: Championship) -> Seating:
    """R3.8. Once the Candidates have begun nobody moves up any more (Q48, R8.3)."""
    if event.tournament.has_begun(Stage.CANDIDATES):
        return _recorded(event, Stage.CANDIDATES)
    rules, direct = event.rules.candidates, event.direct
    plan = rules.seating_for(len(direct))
    through = [line.entrant_id for line in qualified(event)[: plan.qualifiers]]
    players = len(through) + len(direct)
    if players < rules.min_players:
        raise Conflict("too_few_candidates", clause="Q52c", players=players, least=rules.min_players)
    groups = tuple(_pool(pool, through, direct) for pool in plan.pools)
    return Seating(Stage.CANDIDATES, groups, tuple(_candidates_notes(event, through, plan.qualifiers)))


def _pool(pool: Pool, through: Sequence[int], direct: Sequence[int]) -> Group:
    """Numbered for the Berger rounds: direct entrants first, then by Qualification place."""
    places = [through[place - 1] for place in sorted(pool.places) if place <= len(through)]
    return Group(pool.name, (*(direct[number - 1] for number in sorted(pool.direct)), *places))


def _candidates_notes(event: Championship, through: Sequence[int], places: int) -> Iterator[SeatingNote]:
    at_first = _through_at_first(event)
    moved = tuple(entrant for entrant in through if entrant not in at_first)
    if moved:
        yield SeatingNote(Remark.MOVED_UP, entrants=moved)
    following = [line.entrant_id for line in qualified(event)[places:]]
    if len(through) < places:
        yield SeatingNote(Remark.SHORT, entrants=tuple(through))
    elif following and _seed_alone_separates(event, through[-1], following[0]):
        yield SeatingNote(Remark.SEED_ONLY, entrants=(through[-1], following[0]))


def _through_at_first(event: Championship) -> frozenset[int]:
    """Who was through when the last round of the Qualification was closed, and need not be asked (Q46)."""
    swiss = {published.round_id for published in event.tournament.stage_rounds(Stage.QUALIFICATION)}
    closings = [entry.fact.id for entry, closed in chain(event.facts).of(RoundClosed) if closed.round_id in swiss]
    until = closings[-1] if closings else 0
    then = championship(event.key, event.rules, event.entrants.values(), event.facts, until_fact=until or None)
    places = then.rules.candidates.seating_for(len(then.direct)).qualifiers
    return frozenset(line.entrant_id for line in qualified(then)[:places])


def _seed_alone_separates(event: Championship, above: int, below: int) -> bool:
    """Q52b: no criterion before the seed tells them apart, nor anybody between them who has declined."""
    table = [line for line in event.qualification() if line.rank is not None]
    places = {line.entrant_id: place for place, line in enumerate(table)}
    return all(line.separated_by == "seed" for line in table[places[above] + 1 : places[below] + 1])


# --- Semifinals -------------------------------------------------------------------------------------------------

Seats = tuple[int | None, ...]
"""Who sits in the seats of one knock-out match; None where nobody is left for it."""


def _semifinals(event: Championship) -> Seating:
    """R3.11, R8.4, Q50, Q51."""
    order = _pool_order(event, Stage.SEMIFINALS)
    pairs = {f"semifinal_{n}": pair for n, pair in enumerate(event.rules.knockout.semifinals, start=1)}
    wanted: dict[str, Seats] = {name: tuple(_seat(order, seat) for seat in pair) for name, pair in pairs.items()}
    begun = _begun(event, Stage.SEMIFINALS)
    if any(group.entrants != _present(wanted[group.name]) for group in begun):
        wanted = _kept_and_filled(event, pairs, order)
    tables = {name: [line.entrant_id for line in table] for name, table in event.pools().items()}
    earned = [seat for pair in pairs.values() for seat in pair]
    entitled = {e for seat in earned for e in tables.get(seat.pool, ())[seat.place - 1 : seat.place]}
    moved = {name: [e for e in row if e not in entitled] for name, row in wanted.items()}
    return _knockout(Stage.SEMIFINALS, wanted, moved)


def _pool_order(event: Championship, stage: Stage) -> dict[str, list[int]]:
    """Each pool, best first, without who is gone or has declined; "direct" are the direct entrants to the knock-out.

    Whoever has begun a match of the stage keeps the place: that match settles what the exit does (Q51). Whoever sits in
    the stage comes before the others: who has lost a seat and is in the event again throws nobody out (R8.4).
    """
    playing = {e for group in _begun(event, stage) for e in group.entrants}
    sitting = _all(group.entrants for group in event.tournament.seated.get(stage, ()))
    order = {name: [row.entrant_id for row in table if row.rank is not None] for name, table in event.pools().items()}
    order[DIRECT] = list(event.direct_to_knockout())
    return {
        name: sorted((e for e in players if e in playing or may_sit(event, stage, e)), key=lambda e: e not in sitting)
        for name, players in order.items()
    }


def may_sit(event: Championship, stage: Stage, entrant: int) -> bool:
    """Is in the event and has not declined a seat of that stage (Q52)."""
    declined = event.tournament.declined.get(stage, frozenset())
    return event.tournament.is_in(entrant) and entrant not in declined


def _seat(order: Mapping[str, Sequence[int]], seat: Seat) -> int | None:
    players = order.get(seat.pool, ())
    return players[seat.place - 1] if seat.place <= len(players) else None


def _kept_and_filled(
    event: Championship, pairs: Mapping[str, tuple[Seat, Seat]], order: Mapping[str, Sequence[int]]
) -> dict[str, Seats]:
    """Q51, with a semifinal begun: everybody stays where he sits, and the next of the pool takes a vacant seat."""
    sitting = {group.name: group.entrants for group in event.tournament.seated.get(Stage.SEMIFINALS, ())}
    free = {name: [e for e in players if e not in _all(sitting.values())] for name, players in order.items()}
    seats: dict[str, Seats] = {}
    for name, pair in pairs.items():
        here = list(sitting.get(name, ()))
        row: list[int | None] = []
        for seat in pair:
            stays = next((e for e in here if e in order.get(seat.pool, ())), None)
            if stays is not None:
                here.remove(stays)
            elif free.get(seat.pool):
                stays = free[seat.pool].pop(0)
            row.append(stays)
        seats[name] = tuple(row)
    return seats


# --- Finals -----------------------------------------------------------------------------------------------------


def _finals(event: Championship) -> Seating:
    """R3.13, R8.5, Q52: a vacant seat in the Grand Final goes to the losers of the Semifinals, one in the playoff to
    the next of the pool of the one who is gone."""
    semifinals = tuple(decided(event, group) for group in event.tournament.seated.get(Stage.SEMIFINALS, ()))
    seats: dict[str, Seats] = {group.name: group.entrants for group in _begun(event, Stage.FINALS)}
    filling = _Filling(event, semifinals, seats)
    if GRAND_FINAL not in seats:
        seats[GRAND_FINAL] = filling.grand_final()
    if event.rules.knockout.third_place_playoff and THIRD_PLACE not in seats:
        seats[THIRD_PLACE] = filling.playoff()
    entitled = {GRAND_FINAL: _all([[w for w, _ in semifinals]]), THIRD_PLACE: _all([[x for _, x in semifinals]])}
    wanted = {name: seats[name] for name in (GRAND_FINAL, THIRD_PLACE) if name in seats}
    moved = {name: [e for e in row if e not in entitled[name]] for name, row in wanted.items()}
    return _knockout(Stage.FINALS, wanted, moved)


Decided = tuple[int | None, int | None]
"""Winner and loser of a semifinal; None where nobody sat."""


class _Filling:
    """Fills the seats of the Finals one after the other. `begun`: the seats of the matches that keep their players."""

    def __init__(self, event: Championship, semifinals: Sequence[Decided], begun: Mapping[str, Seats]) -> None:
        self._event = event
        self._semifinals = semifinals
        self._taken = _all(begun.values())
        self._sitting = {g.name: frozenset(g.entrants) for g in event.tournament.seated.get(Stage.FINALS, ())}
        final = zip(begun.get(GRAND_FINAL, ()), semifinals, strict=False)
        self._promoted_for = {entrant: winner for entrant, (winner, _) in final if entrant and entrant != winner}
        self._order = _pool_order(event, Stage.FINALS)
        pools = event.tournament.seated.get(Stage.CANDIDATES, ())
        self._pool_of = {entrant: pool.name for pool in pools for entrant in pool.entrants}

    def grand_final(self) -> Seats:
        """The winners; for one who is gone the loser of that semifinal, else of the other, else the pool."""
        row = [self._keep(winner, GRAND_FINAL) for winner, _ in self._semifinals]
        vacant = [n for n, entrant in enumerate(row) if entrant is None]
        for n in vacant:
            winner, loser = self._semifinals[n]
            row[n] = self._promote([loser], winner)
        for n in vacant:
            winner, _ = self._semifinals[n]
            if row[n] is None:
                pool = self._pool_of.get(winner or 0)
                row[n] = self._promote([*(loser for _, loser in self._semifinals), *self._pools_from(pool)], winner)
        return tuple(row)

    def playoff(self) -> Seats:
        """The losers; for one who is gone or was promoted the next of the pool where somebody is missing."""
        row = [self._keep(loser, *self._sitting) for _, loser in self._semifinals]
        for n, (_, loser) in enumerate(self._semifinals):
            if row[n] is None:
                gone = loser if loser is None else self._promoted_for.get(loser, loser)
                pool = self._pool_without_loser(n) if gone is None else self._pool_of.get(gone)
                row[n] = self._promote(self._pools_from(pool), gone)
        return tuple(row)

    def _keep(self, entrant: int | None, *finals: str) -> int | None:
        """The seat of a semifinal result. Who has declined to move up keeps it; who has left does not, and who sits in
        none of these finals, once the seats are given, has lost it."""
        if entrant is None or entrant in self._taken or not self._event.tournament.is_in(entrant):
            return None
        if self._sitting and not any(entrant in self._sitting.get(name, ()) for name in finals):
            return None
        self._taken.add(entrant)
        return entrant

    def _promote(self, following: Sequence[int | None], gone: int | None) -> int | None:
        """The first of them who is free and has not declined moves up for the one who is gone."""
        found = next((e for e in following if e and e not in self._taken and self._accepts(e)), None)
        if found is not None:
            self._taken.add(found)
            self._promoted_for[found] = gone
        return found

    def _accepts(self, entrant: int) -> bool:
        return may_sit(self._event, Stage.FINALS, entrant)

    def _pools_from(self, own: str | None) -> list[int]:
        """The pool of the one who is gone, then the other one."""
        return [entrant for name in sorted(self._order, key=lambda name: name != own) for entrant in self._order[name]]

    def _pool_without_loser(self, n: int) -> str | None:
        """The pool whose seat stayed empty in a semifinal: not the one its winner came from."""
        winners = self._pool_of.get(self._semifinals[n][0] or 0, DIRECT)
        return next((seat.pool for seat in self._event.rules.knockout.semifinals[n] if seat.pool != winners), None)


def decided(event: Championship, group: Group) -> Decided:
    """R3.13; a semifinal that nobody else is left for has its winner without play."""
    if len(group.entrants) < 2:
        return (group.entrants[0] if group.entrants else None), None
    pair = pair_of(event, Stage.SEMIFINALS, group.name)
    result = event.tournament.results.get(pair.match_id) if pair else None
    if pair is None or result is None or WIN not in (result.a, result.b):
        raise Conflict("semifinal_open", clause="R3.13", group=group.name, entrants=group.entrants)
    return (pair.a_id, pair.b_id) if result.a == WIN else (pair.b_id, pair.a_id)


# --- Shared -----------------------------------------------------------------------------------------------------


def pair_of(event: Championship, stage: Stage, group: str) -> Pair | None:
    """The published match of a knock-out group."""
    pairs = (pair for r in event.tournament.stage_rounds(stage) for pair in r.pairs)
    return next((pair for pair in pairs if pair.group == group), None)


def lost_seat(event: Championship, entrant_id: int) -> Stage | None:
    """The knock-out stage that runs, in which that player sat and others have the seats now (R8.4, R8.5)."""
    seated = [entry for entry in event.facts if entry.kind == "stage_seated"]
    stage = Stage(seated[-1].payload["stage"]) if seated else Stage.QUALIFICATION
    sits = any(entrant_id in group.entrants for group in event.tournament.seated.get(stage, ()))
    if stage not in (Stage.SEMIFINALS, Stage.FINALS) or sits:
        return None
    groups = (group for fact in seated if fact.payload["stage"] == stage for group in fact.payload["groups"])
    return stage if any(entrant_id in group["entrants"] for group in groups) else None


def _begun(event: Championship, stage: Stage) -> tuple[Group, ...]:
    """The groups of a knock-out stage whose match has a game or a result: their players stay (Q51, Q52)."""
    return tuple(group for group in event.tournament.seated.get(stage, ()) if _has_begun(event, stage, group))


def has_begun_in(event: Championship, stage: Stage, entrant_id: int) -> bool:
    """Whether the knock-out match of that player has begun: then the player has the seat for good (Q51)."""
    return any(entrant_id in group.entrants for group in _begun(event, stage))


def _has_begun(event: Championship, stage: Stage, group: Group) -> bool:
    pair = pair_of(event, stage, group.name)
    if pair is None:
        return False
    result = event.tournament.results.get(pair.match_id)
    if result is None:
        return bool(event.tournament.begun.get(pair.match_id))
    return result.kind is not ResultKind.VOIDED


def _knockout(stage: Stage, wanted: Mapping[str, Seats], moved: Mapping[str, Sequence[int | None]]) -> Seating:
    notes: list[SeatingNote] = []
    for name, row in wanted.items():
        up = _present(moved[name])
        if up:
            notes.append(SeatingNote(Remark.MOVED_UP, name, up))
        if None in row:
            notes.append(SeatingNote(Remark.EMPTY, name, _present(row)))
    return Seating(stage, tuple(Group(name, _present(row)) for name, row in wanted.items()), tuple(notes))


def _present(row: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(e for e in row if e is not None)


def _all(rows: Iterable[Iterable[int | None]]) -> set[int]:
    return {e for row in rows for e in row if e is not None}

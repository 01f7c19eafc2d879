"""The ledger folded into the state of the tournament: what stands, and what follows from it.

Nothing here is stored. An undo, an appeal or an earlier date is another fold of the same facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from engine.errors import NotFound
from engine.facts import (
    CountedGame,
    EntrantLeft,
    Event,
    Exit,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    Pair,
    RoundClosed,
    RoundPublished,
    decode,
)
from engine.model import Fact, Stage
from engine.points import DRAW, LOSS, WIN


@dataclass(frozen=True, slots=True)
class LeavingRules:
    """R8 in the Qualification. `reaching_back`: grounds of a disqualification that give the played matches to the
    opponents (R8.2); `both_left_points`: half-points of each when both sides of a match are out (Q44)."""

    reaching_back: frozenset[str] = frozenset({"engine"})
    both_left_points: int = LOSS


class ResultKind(StrEnum):
    """How a result came about. WALKOVER and ADJUDICATED are derived here, the others are facts of their own."""

    PLAYED = "played"
    RULED = "ruled"
    FORFEIT = "forfeit"
    WALKOVER = "walkover"
    ADJUDICATED = "adjudicated"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match: half-points of the match (`a`, `b`) and of its games (`game_a`, `game_b`).

    `played`: at least one counted game was started (Q29). `fact_id` is the fact it rests on.
    """

    a: int
    b: int
    kind: ResultKind
    played: bool
    game_a: int
    game_b: int
    games: tuple[CountedGame, ...]
    extra: tuple[str, ...]
    forfeited_by: tuple[int, ...]
    fact_id: int


@dataclass(frozen=True, slots=True)
class PublishedRound:
    """A round as its pairings stand now (a repair replaces them); `fact_id` is the publication that stands."""

    round_id: int
    stage: Stage
    number: int
    pairs: tuple[Pair, ...]
    bye: int | None
    closed: bool
    fact_id: int


@dataclass(frozen=True, slots=True)
class Departure:
    """Who left, on the latest fact about it (a withdrawal can become a disqualification); `at`: when first.

    `stage` is the stage whose pairings were the newest then; None before the first round.
    """

    entrant_id: int
    exit: Exit
    ground: str | None
    at: datetime
    stage: Stage | None
    fact_id: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """The state of an edition after a prefix of its ledger.

    `rounds` in the order of publication, `results` by match id, `extended` (match id -> until) only while no result
    stands, `left` by entrant id, `forfeits` entrant id -> the matches forfeited (Q24: two in one match are one).
    """

    rounds: tuple[PublishedRound, ...]
    results: Mapping[int, Result]
    extended: Mapping[int, datetime]
    left: Mapping[int, Departure]
    forfeits: Mapping[int, tuple[int, ...]]
    last_fact_id: int

    def round(self, round_id: int) -> PublishedRound:
        """Raises NotFound("round") when no pairing of that round stands."""
        for published in self.rounds:
            if published.round_id == round_id:
                return published
        raise NotFound("round", id=round_id)

    def stage_rounds(self, stage: Stage) -> tuple[PublishedRound, ...]:
        """The published rounds of a stage, by number."""
        return tuple(sorted((r for r in self.rounds if r.stage is stage), key=lambda r: r.number))

    def match(self, match_id: int) -> tuple[PublishedRound, Pair]:
        """Raises NotFound("match") when the pair is in no published round (never paired, or voided)."""
        for published in self.rounds:
            for pair in published.pairs:
                if pair.match_id == match_id:
                    return published, pair
        raise NotFound("match", id=match_id)

    def open_matches(self, round_id: int) -> tuple[Pair, ...]:
        """The pairs of a round without a result, extended ones included, in board order."""
        return tuple(pair for pair in self.round(round_id).pairs if pair.match_id not in self.results)

    def is_in(self, entrant_id: int) -> bool:
        return entrant_id not in self.left

    def met(self, stage: Stage = Stage.QUALIFICATION) -> frozenset[frozenset[int]]:
        """Every pair that was published in a stage, whatever became of the match, unless voided (Q42)."""
        return frozenset(frozenset((p.a_id, p.b_id)) for r in self.rounds if r.stage is stage for p in r.pairs)

    def bye_receivers(self, stage: Stage = Stage.QUALIFICATION) -> frozenset[int]:
        """Who has had a bye in a stage (R3.7)."""
        return frozenset(r.bye for r in self.rounds if r.stage is stage and r.bye is not None)

    def walkover_winners(self, stage: Stage = Stage.QUALIFICATION) -> frozenset[int]:
        """Who has had a full point from a match without a game, which bars from the bye (R3.7, Q42)."""
        winners: set[int] = set()
        for published in self.stage_rounds(stage):
            for pair in published.pairs:
                result = self.results.get(pair.match_id)
                if result is not None and not result.played:
                    winners.update(e for e, won in ((pair.a_id, result.a), (pair.b_id, result.b)) if won == WIN)
        return frozenset(winners)


def fold(
    facts: Iterable[Fact],
    *,
    until_fact: int | None = None,
    until: datetime | None = None,
    leaving: LeavingRules | None = None,
) -> Tournament:
    """The state after the ledger, or after the part of it up to a fact id or up to a recording time (inclusive).

    Facts count in the order of their ids; a fact not stored yet (id 0, a preview) comes last. Derived here:
    R8.1 (who leaves loses the open match), R8.2 (a mark gives the played Qualification matches to the
    opponents), Q24 (forfeits by match), Q44, Q44b. A result that is recorded after an
    exit stands in spite of it: so does a TD's ruling after a mark.

    Raises NotFound("fact") when a fact reverts or replaces one that is not before it.
    """
    ledger = sorted(
        (f for f in facts if _within(f, until_fact, until)),
        key=lambda f: (f.id == 0, f.id),
    )
    entries = _standing(ledger)
    rounds = _rounds(entries)
    recorded = _recorded_results(entries)
    exits = _exits(entries)
    results = _with_exits(rounds, recorded, exits, leaving or LeavingRules())
    return Tournament(
        rounds=tuple(r.published for r in rounds),
        results=MappingProxyType(results),
        extended=MappingProxyType(_extended(entries, results)),
        left=MappingProxyType(_departures(exits, rounds)),
        forfeits=MappingProxyType(_forfeits(recorded)),
        last_fact_id=max((f.id for f in ledger), default=0),
    )


# --- What stands ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Entry:
    """A fact that stands. `turn`: its place in the ledger; `since`: that of the first fact it replaces."""

    turn: int
    since: int
    fact: Fact
    event: Event


@dataclass(frozen=True, slots=True)
class _Round:
    since: int
    published: PublishedRound


@dataclass(frozen=True, slots=True)
class _Recorded:
    turn: int
    result: Result


@dataclass(frozen=True, slots=True)
class _Exit:
    since: int
    fact: Fact
    event: EntrantLeft


def _within(fact: Fact, until_fact: int | None, until: datetime | None) -> bool:
    if until_fact is not None and (fact.id == 0 or fact.id > until_fact):
        return False
    return until is None or fact.recorded_at <= until


def _standing(ledger: Sequence[Fact]) -> list[_Entry]:
    """Newest first, because only a fact that itself stands can take another away: so a revert can be reverted."""
    turns = {fact.id: turn for turn, fact in enumerate(ledger) if fact.id}
    since: list[int] = []
    for turn, fact in enumerate(ledger):
        _check_target(fact.reverts_id, turns, turn)
        replaced = _check_target(fact.replaces_id, turns, turn)
        since.append(turn if replaced is None else since[replaced])
    gone: set[int] = set()
    entries: list[_Entry] = []
    for turn in range(len(ledger) - 1, -1, -1):
        fact = ledger[turn]
        if turn in gone:
            continue
        gone.update(turns[target] for target in (fact.reverts_id, fact.replaces_id) if target is not None)
        entries.append(_Entry(turn, since[turn], fact, decode(fact)))
    entries.reverse()
    return entries


def _check_target(target: int | None, turns: Mapping[int, int], turn: int) -> int | None:
    if target is None:
        return None
    found = turns.get(target)
    if found is None or found >= turn:
        raise NotFound("fact", id=target)
    return found


def _rounds(entries: Sequence[_Entry]) -> list[_Round]:
    closed = {e.event.round_id for e in entries if isinstance(e.event, RoundClosed)}
    rounds: dict[int, _Round] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, RoundPublished):
            first = rounds.get(event.round_id)
            since = entry.since if first is None else min(first.since, entry.since)
            rounds[event.round_id] = _Round(
                since,
                PublishedRound(
                    event.round_id,
                    event.stage,
                    event.number,
                    event.pairs,
                    event.bye,
                    event.round_id in closed,
                    entry.fact.id,
                ),
            )
    return sorted(rounds.values(), key=lambda r: r.since)


def _recorded_results(entries: Sequence[_Entry]) -> dict[int, _Recorded]:
    """By match id the latest result that stands."""
    recorded: dict[int, _Recorded] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, MatchPlayed):
            recorded[event.match_id] = _Recorded(entry.turn, _played(event, entry.fact.id))
        elif isinstance(event, MatchRuled):
            recorded[event.match_id] = _Recorded(entry.turn, _ruled(event, entry.fact.id))
    return recorded


def _game_points(games: Sequence[CountedGame]) -> tuple[int, int]:
    a = sum(game.a for game in games)
    return a, WIN * len(games) - a


def _played(event: MatchPlayed, fact_id: int) -> Result:
    """R3.3: the won match is a point, the tied one half a point."""
    game_a, game_b = _game_points(event.games)
    a = DRAW if game_a == game_b else WIN if game_a > game_b else LOSS
    kind = ResultKind.PLAYED
    return Result(a, WIN - a, kind, bool(event.games), game_a, game_b, event.games, event.extra, (), fact_id)


def _ruled(event: MatchRuled, fact_id: int) -> Result:
    game_a, game_b = _game_points(event.games)
    kind = ResultKind.FORFEIT if event.forfeited_by else ResultKind.RULED
    return Result(event.a, event.b, kind, event.played, game_a, game_b, event.games, (), event.forfeited_by, fact_id)


def _forfeits(recorded: Mapping[int, _Recorded]) -> dict[int, tuple[int, ...]]:
    """Conduct is read from the recorded result, so it survives R8.2 (Q44e) and goes with a later result (Q2)."""
    forfeits: dict[int, tuple[int, ...]] = {}
    for match_id, entry in sorted(recorded.items()):
        for entrant_id in dict.fromkeys(entry.result.forfeited_by):
            forfeits[entrant_id] = (*forfeits.get(entrant_id, ()), match_id)
    return forfeits


def _extended(entries: Sequence[_Entry], results: Mapping[int, Result]) -> dict[int, datetime]:
    return {
        e.event.match_id: e.event.until
        for e in entries
        if isinstance(e.event, MatchExtended) and e.event.match_id not in results
    }


# --- Exits (R8) -----------------------------------------------------------------------------------------------


def _exits(entries: Sequence[_Entry]) -> dict[int, list[_Exit]]:
    """By entrant every exit that stands, oldest first."""
    exits: dict[int, list[_Exit]] = {}
    for entry in sorted(entries, key=lambda e: (e.since, e.turn)):
        if isinstance(entry.event, EntrantLeft):
            exits.setdefault(entry.event.entrant_id, []).append(_Exit(entry.since, entry.fact, entry.event))
    return exits


def _departures(exits: Mapping[int, Sequence[_Exit]], rounds: Sequence[_Round]) -> dict[int, Departure]:
    departures: dict[int, Departure] = {}
    for entrant_id, own in exits.items():
        first, last = own[0], own[-1]
        stages = [r.published.stage for r in rounds if r.since < first.since]
        departures[entrant_id] = Departure(
            entrant_id,
            last.event.exit,
            last.event.ground,
            first.fact.occurred_at,
            stages[-1] if stages else None,
            last.fact.id,
        )
    return departures


def _with_exits(
    rounds: Sequence[_Round],
    recorded: Mapping[int, _Recorded],
    exits: Mapping[int, Sequence[_Exit]],
    rules: LeavingRules,
) -> dict[int, Result]:
    """The results by match id after R8.1 and R8.2."""
    results = {match_id: entry.result for match_id, entry in recorded.items()}
    marked = dict(_marked(rounds, exits, rules.reaching_back))
    for published in rounds:
        if published.published.stage is not Stage.QUALIFICATION:
            continue
        for pair in published.published.pairs:
            entry = recorded.get(pair.match_id)
            if entry is None:
                walkover = _walkover(pair, published.since, exits, rules)
                if walkover is not None:
                    results[pair.match_id] = walkover
            elif entry.result.played:
                results[pair.match_id] = _adjudicated(pair, entry, marked, rules)
    return results


def _walkover(pair: Pair, published: int, exits: Mapping[int, Sequence[_Exit]], rules: LeavingRules) -> Result | None:
    """R8.1 for a match without a result. Q44: out by one ruling both lose, else the second keeps the win."""
    leavers = [own[0] for e in (pair.a_id, pair.b_id) for own in (exits.get(e),) if own and own[0].since > published]
    if not leavers:
        return None
    first = min(leavers, key=lambda e: e.since)
    together = len(leavers) == 2 and _one_ruling(leavers[0].fact, leavers[1].fact)
    a = LOSS if first.event.entrant_id == pair.a_id else WIN
    b = WIN - a
    if together:
        a = b = rules.both_left_points
    return Result(a, b, ResultKind.WALKOVER, False, 0, 0, (), (), (), first.fact.id)


def _one_ruling(one: Fact, other: Fact) -> bool:
    return one.command_id is not None and one.command_id == other.command_id


def _marked(
    rounds: Sequence[_Round], exits: Mapping[int, Sequence[_Exit]], grounds: frozenset[str]
) -> Iterator[tuple[int, _Exit]]:
    """R8.2: entrant id -> the mark, if it came before the first pairings after the Qualification (Q47, Q48)."""
    final = min((r.since for r in rounds if r.published.stage is not Stage.QUALIFICATION), default=None)
    for entrant_id, own in exits.items():
        for left in own:
            on_ground = left.event.exit is Exit.DISQUALIFIED and left.event.ground in grounds
            if on_ground and (final is None or left.since < final):
                yield entrant_id, left
                break


def _adjudicated(pair: Pair, entry: _Recorded, marked: Mapping[int, _Exit], rules: LeavingRules) -> Result:
    """R8.2, Q44b: a match with a game played goes to the other side with all its games; or to nobody."""
    result = entry.result
    applying = {
        e: marked[e]
        for e in (pair.a_id, pair.b_id)
        if e in marked and not (result.kind is not ResultKind.PLAYED and entry.turn > marked[e].since)
    }
    if not applying:
        return result
    games = WIN * len(result.games)
    a_wins, b_wins = pair.a_id not in applying, pair.b_id not in applying
    lost = LOSS if a_wins or b_wins else rules.both_left_points
    return replace(
        result,
        a=WIN if a_wins else lost,
        b=WIN if b_wins else lost,
        kind=ResultKind.ADJUDICATED,
        game_a=games if a_wins else 0,
        game_b=games if b_wins else 0,
        fact_id=min(left.fact.id for left in applying.values()),
    )

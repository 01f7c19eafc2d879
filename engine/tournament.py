"""What an edition is after a prefix of its ledger: results, pairings, who is out. `ledger.fold` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from engine.errors import NotFound
from engine.facts import ColoursSettled, CountedGame, Exit, GameDecision, Group, Pair
from engine.model import Stage
from engine.points import WIN
from engine.terms import Terms


class ResultKind(StrEnum):
    """How a result came about. WALKOVER, ADJUDICATED and DISREGARDED follow from an exit, the others are facts.

    VOIDED: the pairing was taken back. DISREGARDED: a pool match of somebody who left, in no count at all (R8.3).
    """

    PLAYED = "played"
    RULED = "ruled"
    FORFEIT = "forfeit"
    WALKOVER = "walkover"
    ADJUDICATED = "adjudicated"
    VOIDED = "voided"
    DISREGARDED = "disregarded"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match: half-points of the match (`a`, `b`) and of its games (`game_a`, `game_b`).

    `played`: at least one counted game was started (Q29). The game points hold the regular games, those that were
    given without play too (Q31), but no tiebreak games and no armageddon. `fact_id` is the fact it rests on.
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
    tiebreak_games: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None
    forfeit: str | None = None


@dataclass(frozen=True, slots=True)
class OnRecord:
    """The colours of an armageddon game, and since when they are recorded."""

    said: ColoursSettled
    at: datetime


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
class AccountTaken:
    """An account that an entrant has played with since `at`, in place of the one before (Q55)."""

    lichess_id: str
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Departure:
    """Who is out, on the latest fact about it (a withdrawal can become a disqualification); `at`: since when.

    `stage` is the stage whose pairings were the newest then; None before the first round.
    """

    entrant_id: int
    exit: Exit
    ground: str | None
    at: datetime
    stage: Stage | None
    fact_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """The state of an edition after a prefix of its ledger.

    `rounds` in the order of publication. By match id: `results`, `extended` (until when, only while no result
    stands), `begun` (the games so far, until there is a result). `left`: by entrant id who is out now. `forfeits`:
    entrant id -> the matches forfeited, those that count (Q24; two in one match are one). `seated`: the seating of the
    stages that have begun; `declined`: who did not want to move up into a stage. `out_of`: who stands unranked in the
    table of a stage (R8.1, R8.3, Q45). `seed_moves`: corrections of seeds in order (Q44g). `terms`: by match id what
    was decided about its time (R5). `allowed`: matches that may be played in spite of their result (Q2). `accounts`: by
    entrant id the accounts after the one of the entry, in order (Q55). `ruled_games`: by match id what TDs have said of
    single games. `reopened`: by match id the fact by which a result from games no longer decides the match (Q35). Of
    knock-out matches without a result: `begun_tiebreaks`, the tiebreak games so far; `games_known_at`, since when the
    games so far are on record; `colours` of the armageddon game (R3.16).
    """

    rounds: tuple[PublishedRound, ...]
    results: Mapping[int, Result]
    extended: Mapping[int, datetime]
    begun: Mapping[int, tuple[CountedGame, ...]]
    left: Mapping[int, Departure]
    forfeits: Mapping[int, tuple[int, ...]]
    seated: Mapping[Stage, tuple[Group, ...]]
    declined: Mapping[Stage, frozenset[int]]
    out_of: Mapping[Stage, frozenset[int]]
    seed_moves: tuple[tuple[int, int], ...]
    last_fact_id: int
    terms: Mapping[int, Terms] = field(default_factory=dict[int, Terms])
    allowed: frozenset[int] = frozenset()
    accounts: Mapping[int, tuple[AccountTaken, ...]] = field(default_factory=dict[int, tuple[AccountTaken, ...]])
    begun_tiebreaks: Mapping[int, tuple[CountedGame, ...]] = field(default_factory=dict[int, tuple[CountedGame, ...]])
    games_known_at: Mapping[int, datetime] = field(default_factory=dict[int, datetime])
    colours: Mapping[int, OnRecord] = field(default_factory=dict[int, OnRecord])
    ruled_games: Mapping[int, Mapping[str, GameDecision]] = field(default_factory=dict[int, Mapping[str, GameDecision]])
    reopened: Mapping[int, int] = field(default_factory=dict[int, int])

    def is_settled(self, match_id: int) -> bool:
        """It has a result that stands and is not to be played any more."""
        return match_id in self.results and match_id not in self.allowed

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

    def unranked(self, stage: Stage) -> frozenset[int]:
        """Who is listed without a place in the table of a stage (Q45, R8.3)."""
        return self.out_of.get(stage, frozenset())

    def has_begun(self, stage: Stage) -> bool:
        """Its first pairings are published: the results of the stage before it are final."""
        return any(r.stage is stage for r in self.rounds)

    def met(self, stage: Stage = Stage.QUALIFICATION) -> frozenset[frozenset[int]]:
        """Every pair that was published in a stage, whatever became of the match, unless voided (Q42)."""
        return frozenset(
            frozenset((p.a_id, p.b_id))
            for r in self.rounds
            if r.stage is stage
            for p in r.pairs
            if not self._is_voided(p.match_id)
        )

    def _is_voided(self, match_id: int) -> bool:
        result = self.results.get(match_id)
        return result is not None and result.kind is ResultKind.VOIDED

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

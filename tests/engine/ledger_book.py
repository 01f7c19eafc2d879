"""A ledger written by hand, for the tests of its fold, and whole editions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from types import MappingProxyType

from engine.championship import Championship, championship
from engine.facts import (
    CountedGame,
    EntrantLeft,
    EntrantReturned,
    Event,
    Exit,
    MatchBegun,
    MatchPlayed,
    MatchRuled,
    MatchVoided,
    Pair,
    Reverted,
    RoundClosed,
    RoundPublished,
    encode,
    kind_of,
)
from engine.ledger import fold
from engine.model import Authority, Entrant, Fact, Stage
from engine.round_robin import berger
from engine.rules import Ruleset, load, shipped_text
from engine.seating import Remark, seating
from engine.stages import Proposal, ProposedPair, propose, repair
from engine.tournament import Result, Tournament

START = datetime(2023, 3, 19, 12, tzinfo=UTC)
A, B, C, D, E = 1, 2, 3, 4, 5
RULES_2023 = load(shipped_text("2023"))
RULES_2022 = load(shipped_text("2022"))
NO_NAMES: Mapping[int, str] = MappingProxyType({})


class Ledger:
    """Facts with ids 1, 2, 3, …, one recorded each hour."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def add(
        self, event: Event, *, reverts: int | None = None, replaces: int | None = None, command: str | None = None
    ) -> int:
        id = len(self.facts) + 1
        when = START + timedelta(hours=id)
        self.facts.append(
            Fact(
                id=id,
                edition_id=1,
                kind=kind_of(event),
                payload=encode(event),
                authority=Authority.TD,
                command_id=command,
                reverts_id=reverts,
                replaces_id=replaces,
                occurred_at=when,
                recorded_at=when,
            )
        )
        return id

    def revert(self, id: int) -> int:
        return self.add(Reverted(), reverts=id)

    def publish(
        self,
        number: int,
        *pairs: tuple[int, int],
        bye: int | None = None,
        stage: Stage = Stage.QUALIFICATION,
        replaces: int | None = None,
    ) -> int:
        """Round `number` with id = number; its matches have the ids 10 * number + 1, …"""
        made = tuple(Pair(10 * number + n, a, b) for n, (a, b) in enumerate(pairs, start=1))
        return self.add(RoundPublished(number, stage, number, made, bye), replaces=replaces)

    def play(self, match_id: int, a_wins: int, b_wins: int, *, replaces: int | None = None) -> int:
        games = [2] * a_wins + [0] * b_wins
        counted = tuple(CountedGame(f"{match_id}-{n}", a) for n, a in enumerate(games))
        return self.add(MatchPlayed(match_id, counted), replaces=replaces)

    def leave(
        self, entrant: int, exit: Exit = Exit.WITHDRAWN, ground: str | None = None, command: str | None = None
    ) -> int:
        return self.add(EntrantLeft(entrant, exit, ground), command=command)

    def mark(self, entrant: int) -> int:
        return self.leave(entrant, Exit.DISQUALIFIED, "engine")

    def fold(self) -> Tournament:
        return fold(self.facts)


def score(tournament: Tournament, match_id: int) -> tuple[int, int] | None:
    result = tournament.results.get(match_id)
    return None if result is None else (result.a, result.b)


class Book(Ledger):
    """A whole edition, written step by step. Entrant n has seed n; round ids count up, so do match ids.

    Where nothing else is said the better seed wins, so the Qualification ends in the order of the seeds, the upper pool
    as 1, 4, 6, 7, 9, 12 and the lower pool as 2, 3, 5, 8, 10, 11: the Semifinals are 1 v 3 and 2 v 4.
    """

    def __init__(self, players: int = 14, rules: Ruleset = RULES_2023, names: Mapping[int, str] = NO_NAMES) -> None:
        super().__init__()
        self.rules = rules
        self._event: Championship | None = None
        self.entrants = [
            Entrant(id=n, edition_id=1, person_id=n, lichess_id=names.get(n, f"p{n}"), name=f"P{n}", seed=n)
            for n in range(1, players + 1)
        ]

    def copy(self) -> Book:
        made = Book(rules=self.rules)
        made.entrants, made.facts, made._event = list(self.entrants), list(self.facts), self.event
        return made

    # --- Reading

    @property
    def event(self) -> Championship:
        if self._event is None or tuple(self._event.facts) != tuple(self.facts):
            self._event = self.at()
        return self._event

    def at(self, fact: int | None = None, *, until: datetime | None = None) -> Championship:
        return championship("cup", self.rules, self.entrants, self.facts, until_fact=fact, until=until)

    @property
    def tournament(self) -> Tournament:
        return self.event.tournament

    def ranks(self) -> dict[int, int | None]:
        return {line.entrant_id: line.rank for line in self.event.qualification()}

    def pool(self, name: str) -> list[tuple[int | None, int, int]]:
        """(rank, entrant, half-points) of each line."""
        return [(line.rank, line.entrant_id, line.points) for line in self.event.pools()[name]]

    def seats(self, stage: Stage) -> dict[str, tuple[int, ...]]:
        """The seating that should stand now."""
        return {group.name: group.entrants for group in seating(self.event, stage).groups}

    def notes(self, stage: Stage) -> set[tuple[Remark, str, tuple[int, ...]]]:
        return {(note.remark, note.group, note.entrants) for note in seating(self.event, stage).notes}

    def mended(self, stage: Stage) -> dict[str, tuple[int, ...]] | None:
        """The seating that a TD is asked to confirm; None when nothing is amiss."""
        proposal = repair(self.event, stage)
        if proposal is None:
            return None
        assert proposal.seated is not None
        return {group.name: group.entrants for group in proposal.seated.groups}

    def match(self, a: int, b: int) -> Pair:
        """The newest match of these two."""
        both = {a, b}
        pairs = [pair for r in self.tournament.rounds for pair in r.pairs if {pair.a_id, pair.b_id} == both]
        return pairs[-1]

    def result(self, a: int, b: int) -> Result | None:
        return self.tournament.results.get(self.match(a, b).match_id)

    def score(self, a: int, b: int) -> tuple[int, int] | None:
        """Match half-points of a and of b."""
        result, pair = self.result(a, b), self.match(a, b)
        if result is None:
            return None
        return (result.a, result.b) if pair.a_id == a else (result.b, result.a)

    # --- Matches

    def wins(self, a: int, b: int, games: int = 6, lost: int = 4) -> int:
        """a beats b in the newest match of both, by so many won and lost games."""
        return self.add(MatchPlayed(self.match(a, b).match_id, self._games(a, b, games, lost)))

    def begins(self, a: int, b: int, won: int = 1, lost: int = 0) -> int:
        """The match is going on, a has won and lost so many games."""
        return self.add(MatchBegun(self.match(a, b).match_id, self._games(a, b, won, lost)))

    def forfeits(self, entrant: int, opponent: int, kind: str | None = None, *, played: bool = False) -> int:
        pair = self.match(entrant, opponent)
        a = 0 if pair.a_id == entrant else 2
        return self.add(MatchRuled(pair.match_id, a, 2 - a, (entrant,), played, forfeit=kind))

    def voids(self, a: int, b: int) -> int:
        return self.add(MatchVoided(self.match(a, b).match_id))

    def returns(self, entrant: int) -> int:
        return self.add(EntrantReturned(entrant))

    def _games(self, a: int, b: int, won: int, lost: int) -> tuple[CountedGame, ...]:
        pair = self.match(a, b)
        points = [2] * won + [0] * lost
        of_a = points if pair.a_id == a else [2 - point for point in points]
        return tuple(CountedGame(f"{pair.match_id}-{n}", point) for n, point in enumerate(of_a))

    # --- Rounds

    def round(self, *pairs: tuple[int, int], bye: int | None = None) -> int:
        """The next round of the Qualification with these pairs; gives its id."""
        number = len(self.tournament.stage_rounds(Stage.QUALIFICATION)) + 1
        made = tuple(ProposedPair(a, b) for a, b in pairs)
        return self.publish_proposal(Proposal(stage=Stage.QUALIFICATION, number=number, pairs=made, bye=bye))

    def publish_proposal(self, proposal: Proposal) -> int:
        """Records a proposal: a pair that is published already in a group of that name keeps its match."""
        known = self.tournament.rounds
        round_id = next((r.round_id for r in known if (r.stage, r.number) == (proposal.stage, proposal.number)), None)
        old = {(p.a_id, p.b_id, p.group): p for r in known for p in r.pairs if r.round_id == round_id}
        ids = count(1 + sum(len(fact.payload.get("pairs", ())) for fact in self.facts))
        pairs = tuple(
            old.get((p.a_id, p.b_id, p.group)) or Pair(next(ids), p.a_id, p.b_id, p.group) for p in proposal.pairs
        )
        if proposal.seated is not None:
            self.add(proposal.seated)
        round_id = round_id or len(known) + 1
        self.add(RoundPublished(round_id, proposal.stage, proposal.number, pairs, proposal.bye))
        return round_id

    def next_round(self, stage: Stage) -> int:
        """Publishes the next round of a stage as the engine proposes it."""
        number = len(self.tournament.stage_rounds(stage)) + 1
        return self.publish_proposal(propose(self.event, stage, number))

    def mend(self, stage: Stage) -> None:
        """A TD confirms the seating that should stand."""
        proposal = repair(self.event, stage)
        assert proposal is not None
        self.publish_proposal(proposal)

    def finish(self, round_id: int) -> None:
        """The better seed wins what is open; the round is closed. A few games stand for all."""
        tournament = self.tournament
        won, lost = (1, 0) if tournament.round(round_id).stage is Stage.QUALIFICATION else (2, 1)
        for pair in tournament.open_matches(round_id):
            points = 2 if pair.a_id < pair.b_id else 0
            games = [points] * won + [2 - points] * lost
            counted = tuple(CountedGame(f"{pair.match_id}-{n}", point) for n, point in enumerate(games))
            self.add(MatchPlayed(pair.match_id, counted))
        self.add(RoundClosed(round_id))

    # --- Stages

    def qualification(self) -> Book:
        """Everybody meets everybody, so that only points decide: place n for seed n."""
        swiss = list(self.event.swiss_seeds)
        for pairs in berger(swiss):
            byes = set(swiss) - {entrant for pair in pairs for entrant in pair}
            self.finish(self.round(*pairs, bye=min(byes, default=None)))
        return self

    def candidates(self, rounds: int = 5, *, open_round: bool = False) -> Book:
        """So many rounds of the pools; `open_round`: one more is published and nothing of it played."""
        for _ in range(rounds):
            self.finish(self.next_round(Stage.CANDIDATES))
        if open_round:
            self.next_round(Stage.CANDIDATES)
        return self

    def semifinals(self) -> Book:
        self.next_round(Stage.SEMIFINALS)
        return self

    def finals(self) -> Book:
        """Semifinals won by the better seeds: Grand Final 1 v 2, playoff 3 v 4."""
        self.finish(self.next_round(Stage.SEMIFINALS))
        self.next_round(Stage.FINALS)
        return self


@cache
def _written(stage: Stage, rounds: int, players: int) -> Book:
    """The edition with so many rounds of that stage, the last of the Semifinals and of the Finals not played."""
    if stage is Stage.QUALIFICATION:
        return Book(players).qualification()
    if stage is Stage.CANDIDATES:
        if rounds == 0:
            return _written(Stage.QUALIFICATION, 0, players)
        return _written(Stage.CANDIDATES, rounds - 1, players).copy().candidates(1)
    book = _written(Stage.CANDIDATES, 5, players).copy()
    return book.semifinals() if stage is Stage.SEMIFINALS else book.finals()


def before(stage: Stage, players: int = 14) -> Book:
    """An edition up to the moment before the first pairings of the Candidates or of the Semifinals."""
    return _written(Stage.QUALIFICATION, 0, players).copy() if stage is Stage.CANDIDATES else after(5, players=players)


def after(rounds: int, *, open_round: bool = False, players: int = 14) -> Book:
    """An edition after so many rounds of the pools; `open_round`: one more is published, nothing of it played."""
    return _written(Stage.CANDIDATES, rounds, players).copy().candidates(0, open_round=open_round)


def published(stage: Stage) -> Book:
    """The Semifinals 1 v 3 and 2 v 4, or the Finals 1 v 2 and 3 v 4, are published, nothing of them is played."""
    return _written(stage, 1, 14).copy()

"""A ledger written by hand, for the tests of its fold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.facts import (
    CountedGame,
    EntrantLeft,
    Event,
    Exit,
    MatchPlayed,
    Pair,
    Reverted,
    RoundPublished,
    encode,
    kind_of,
)
from engine.ledger import Tournament, fold
from engine.model import Authority, Fact, Stage

START = datetime(2023, 3, 19, 12, tzinfo=UTC)
A, B, C, D, E = 1, 2, 3, 4, 5


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

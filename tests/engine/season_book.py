"""A season written by hand, for the tests of the standings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from engine.facts import (
    CountedGame,
    EntrantLeft,
    Event,
    Exit,
    MatchPlayed,
    MatchRuled,
    Pair,
    RoundClosed,
    RoundPublished,
    encode,
    kind_of,
)
from engine.ledger import fold
from engine.model import Authority, Fact, Stage
from engine.standings import Standing, standings
from engine.tiebreaks import Readings

START = datetime(2023, 3, 19, 12, tzinfo=UTC)
R3_6 = ("cumulative", "wins_against_tied", "median_buchholz")
A, B, C, D, E, F = range(1, 7)
SEEDS = {e: e for e in (A, B, C, D, E, F)}


class Season:
    """A ledger written round by round. A pairing is (a, b, outcome); match ids are 10 * round + board."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def add(self, event: Event, *, reverts: int | None = None, replaces: int | None = None) -> int:
        id = len(self.facts) + 1
        when = START + timedelta(hours=id)
        self.facts.append(
            Fact(
                id=id,
                edition_id=1,
                kind=kind_of(event),
                payload=encode(event),
                authority=Authority.SYSTEM,
                reverts_id=reverts,
                replaces_id=replaces,
                occurred_at=when,
                recorded_at=when,
            )
        )
        return id

    def publish(self, number: int, pairs: Sequence[tuple[int, int]], bye: int | None = None) -> int:
        made = tuple(Pair(10 * number + n, a, b) for n, (a, b) in enumerate(pairs, start=1))
        return self.add(RoundPublished(number, Stage.QUALIFICATION, number, made, bye))

    def result(self, match_id: int, outcome: str) -> None:
        """ "1-0", "0-1", "=": played; "+-", "-+": walkover; "r=": a ruled draw; "?": nothing yet."""
        played = {"1-0": (6, 0), "0-1": (0, 6), "=": (5, 5)}
        if outcome in played:
            a, b = played[outcome]
            games = tuple(CountedGame(f"{match_id}-{n}", 2 if n < a else 0) for n in range(a + b))
            self.add(MatchPlayed(match_id, games))
        elif outcome != "?":
            a, b = {"+-": (2, 0), "-+": (0, 2), "r=": (1, 1)}[outcome]
            self.add(MatchRuled(match_id, a, b))

    def round(self, number: int, *pairs: tuple[int, int, str], bye: int | None = None, close: bool = True) -> None:
        self.publish(number, [(a, b) for a, b, _ in pairs], bye)
        for n, (_, _, outcome) in enumerate(pairs, start=1):
            self.result(10 * number + n, outcome)
        if close:
            self.add(RoundClosed(number))

    def leave(self, entrant: int, exit: Exit = Exit.WITHDRAWN, ground: str | None = None) -> int:
        return self.add(EntrantLeft(entrant, exit, ground))

    def table(
        self, *, until: int | None = None, seeds: dict[int, int] | None = None, readings: Readings | None = None
    ) -> tuple[Standing, ...]:
        return standings(fold(self.facts), seeds or SEEDS, R3_6, until=until, readings=readings)


def brief(table: Sequence[Standing]) -> list[tuple[object, ...]]:
    return [(line.rank, line.entrant_id, *(line.values[name] for name in ("points", *R3_6))) for line in table]


def line_of(table: Sequence[Standing], entrant: int) -> Standing:
    return next(line for line in table if line.entrant_id == entrant)

"""A Candidates pool written by hand, without a ledger: games are the points of the first player in whole points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.facts import Group, Pair
from engine.model import Stage
from engine.pools import pool_standings
from engine.standings import PointValues, Standing
from engine.tournament import PublishedRound, Result, ResultKind, Tournament

R3_12 = ("mutual_match", "mutual_game", "overall_game", "last_finals", "qualification_place")
Match = tuple[int, int, Result | None]


def result(a: int, b: int, game_a: float, game_b: float, kind: ResultKind, *, played: bool = True) -> Result:
    return Result(a, b, kind, played, round(2 * game_a), round(2 * game_b), (), (), (), 1)


def played(games: float) -> Result:
    a = 2 if games > 5 else 1 if games == 5 else 0
    return result(a, 2 - a, games, 10 - games, ResultKind.PLAYED)


def ruled(a: int, b: int, game_a: float, game_b: float, *, begun: bool = False) -> Result:
    """Match points and game points as ruled, awarded games among them (Q31, Q32b)."""
    kind = ResultKind.RULED if a == b else ResultKind.FORFEIT
    return result(a, b, game_a, game_b, kind, played=begun)


VOIDED = result(0, 0, 0, 0, ResultKind.VOIDED, played=False)
DISREGARDED = result(0, 0, 0, 0, ResultKind.DISREGARDED, played=True)


def candidates(
    *rounds: Sequence[Match], out: Iterable[int] = (), name: str = "upper", closed: bool = True
) -> Tournament:
    """Match ids are 100 * round + board."""
    published: list[PublishedRound] = []
    results: dict[int, Result] = {}
    for number, matches in enumerate(rounds, start=1):
        pairs: list[Pair] = []
        for board, (a, b, found) in enumerate(matches, start=1):
            pairs.append(Pair(100 * number + board, a, b, name))
            if found is not None:
                results[100 * number + board] = found
        published.append(PublishedRound(number, Stage.CANDIDATES, number, tuple(pairs), None, closed, number))
    return Tournament(
        rounds=tuple(published),
        results=results,
        extended={},
        begun={},
        left={},
        forfeits={},
        seated={},
        declined={},
        out_of={Stage.CANDIDATES: frozenset(out)},
        seed_moves=(),
        last_fact_id=1,
    )


def table(
    tournament: Tournament,
    places: Mapping[int, int],
    *,
    seeds: Mapping[int, int] | None = None,
    last_finals: Mapping[int, int] | None = None,
    tiebreaks: Sequence[str] = R3_12,
    splitting: str = "restart",
    values: PointValues | None = None,
) -> tuple[Standing, ...]:
    """The pool of everybody in `seeds`, who are those with a place unless given."""
    numbers = seeds or places
    return pool_standings(
        tournament,
        Group("upper", tuple(numbers)),
        numbers,
        tiebreaks,
        values=values or PointValues(),
        places=places,
        last_finals=last_finals or {},
        splitting=splitting,
    )


def order(lines: Iterable[Standing]) -> list[int]:
    return [line.entrant_id for line in lines]

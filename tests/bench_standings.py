"""`python -m tests.bench_standings`: how long a table takes, by the number of players. No test fails by the clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from types import MappingProxyType

from rich.console import Console
from rich.table import Table

from engine.facts import Group, Pair
from engine.model import Stage
from engine.pools import pool_standings
from engine.rules.registry import POOL_TIEBREAKS, SWISS_TIEBREAKS
from engine.standings import PointValues, pairing_scores, standings
from engine.tournament import PublishedRound, Result, ResultKind, Tournament

SIZES = (32, 128, 200, 500)
R3_6 = ("cumulative", "wins_against_tied", "median_buchholz", "seed")
R3_12 = ("mutual_match", "mutual_game", "overall_game", "last_finals", "qualification_place")
AIMS = {128: "10 ms"}


def rounds_for(players: int) -> int:
    """R3.4."""
    return players.bit_length() + 1


def event(players: int, stage: Stage = Stage.QUALIFICATION) -> Tournament:
    """Random pairings inside the order of points, random results, now and then a walkover; the same every time."""
    chance = random.Random(players)
    points = dict.fromkeys(range(1, players + 1), 0)
    results: dict[int, Result] = {}
    rounds: list[PublishedRound] = []
    for number in range(1, rounds_for(players) + 1):
        order = sorted(points, key=lambda entrant: (-points[entrant], chance.random()))
        pairs = tuple(
            Pair(1000 * number + board, a, b, "pool" if stage is Stage.CANDIDATES else "")
            for board, (a, b) in enumerate(zip(order[::2], order[1::2], strict=False))
        )
        for pair in pairs:
            a = chance.choice((0, 1, 2))
            played = chance.random() < 0.95
            kind = ResultKind.PLAYED if played else ResultKind.WALKOVER
            results[pair.match_id] = Result(a, 2 - a, kind, played, 4 + 6 * a, 16 - 6 * a, (), (), (), 1)
            points[pair.a_id] += a
            points[pair.b_id] += 2 - a
        bye = order[-1] if players % 2 else None
        rounds.append(PublishedRound(number, stage, number, pairs, bye, True, number))
    return Tournament(
        rounds=tuple(rounds),
        results=MappingProxyType(results),
        extended={},
        begun={},
        left={},
        forfeits={},
        seated={},
        declined={},
        out_of={},
        seed_moves=(),
        last_fact_id=1,
    )


def seconds(work: Callable[[], object], repeat: int = 9) -> float:
    """Median."""
    taken: list[float] = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return sorted(taken)[len(taken) // 2]


def standings_rows() -> list[tuple[str, str, str]]:
    """(what, measured, aim)"""
    rows: list[tuple[str, str, str]] = []

    def row(name: str, aim: str, work: Callable[[], object]) -> None:
        rows.append((name, f"{seconds(work) * 1000:.1f} ms", aim))

    everything = sorted(SWISS_TIEBREAKS)
    for players in SIZES:
        seeds = {entrant: entrant for entrant in range(1, players + 1)}
        played, size = event(players), f"{players} players, {rounds_for(players)} rounds"
        aim = AIMS.get(players, "-")
        row(f"standings by R3.6, {size}", aim, partial(standings, played, seeds, R3_6))
        row(f"standings by every tiebreak, {size}", aim, partial(standings, played, seeds, everything))
        row(f"scores for the pairing, {size}", "-", partial(pairing_scores, played, seeds))
    group = Group("pool", tuple(range(1, 7)))
    places = {entrant: entrant for entrant in group.entrants}
    pool = partial(pool_standings, event(6, Stage.CANDIDATES), group, places)
    for name, names in (("R3.12", R3_12), ("every tiebreak", sorted(POOL_TIEBREAKS))):
        table = partial(pool, names, values=PointValues(), places=places, last_finals={})
        row(f"table of a pool of 6 by {name}", "-", table)
    return rows


def main() -> None:
    table = Table("what", "measured", "aim")
    for row in standings_rows():
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()

"""The table against an independent reading of R3.6."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.season_book import R3_6, Season

# --- Against an independent reading of R3.6 -------------------------------------------------------------------

Cell = tuple[Fraction, int | None, bool, bool]  # points, opponent, a game was played, present


def random_season(random: Random) -> tuple[Season, dict[int, list[Cell]], dict[int, int], set[int]]:
    """Any pairings, outcomes, byes, absences and exits; and the same as cells, kept apart from the ledger."""
    size = random.randint(2, 16)
    seeds = dict(zip(range(1, size + 1), random.sample(range(1, 50), size), strict=True))
    cells: dict[int, list[Cell]] = {e: [] for e in seeds}
    season, gone = Season(), set[int]()
    for number in range(1, random.randint(0, 8) + 1):
        active = [e for e in seeds if e not in gone]
        random.shuffle(active)
        absent = active.pop() if len(active) > 3 and random.random() < 0.2 else None
        bye = active.pop() if len(active) % 2 else None
        row: dict[int, Cell] = {e: (Fraction(0), None, False, False) for e in seeds}
        if bye is not None:
            row[bye] = (Fraction(1), None, False, True)
        pairs: list[tuple[int, int, str]] = []
        for a, b in zip(active[::2], active[1::2], strict=True):
            outcome = random.choice(["1-0", "0-1", "=", "1-0", "0-1", "+-", "-+", "r="])
            pairs.append((a, b, outcome))
            points = Fraction({"1": 2, "+": 2, "=": 1, "r": 1, "0": 0, "-": 0}[outcome[0]], 2)
            played = outcome in ("1-0", "0-1", "=")
            row[a], row[b] = (points, b, played, True), (1 - points, a, played, True)
        assert absent is None or row[absent] == (0, None, False, False)
        season.round(number, *pairs, bye=bye)
        for entrant, cell in row.items():
            cells[entrant].append(cell)
        if len(active) > 4 and random.random() < 0.3:
            gone.add(active[0])
            season.leave(active[0])
    return season, cells, seeds, gone


def by_the_words(cells: dict[int, list[Cell]], seeds: dict[int, int], gone: set[int]) -> list[tuple[object, ...]]:
    """R3.6 as written, with whole points and no shared code: (entrant, points, cumulative, wins, Buchholz) in order."""
    total = {e: sum((c[0] for c in row), Fraction(0)) for e, row in cells.items()}
    running = {e: sum((sum((c[0] for c in row[: k + 1]), Fraction(0)) for k in range(len(row))), Fraction(0))
               for e, row in cells.items()}  # fmt: skip
    wins: dict[int, int] = {}
    buchholz: dict[int, Fraction] = {}
    for e, row in cells.items():
        group = {q for q in cells if q not in gone and (total[q], running[q]) == (total[e], running[e])}
        wins[e] = 0 if e in gone else len([1 for points, q, _, _ in row if q in group and points == 1])
        values = [
            total[q] if played and q is not None else total[e] if present else Fraction(0)
            for _, q, played, present in row
        ]
        buchholz[e] = sum(values, Fraction(0)) - max(values) - min(values) if len(values) > 2 else Fraction(0)
    order = sorted((e for e in cells if e not in gone), key=lambda e: seeds[e])
    for key in (buchholz, wins, running, total):
        order.sort(key=lambda e, key=key: -key[e])
    return [(e, total[e], running[e], wins[e], buchholz[e]) for e in order]


@given(st.integers(0, 10**9))
def test_r3_6_any_season_as_the_words_say(number: int) -> None:
    season, cells, seeds, gone = random_season(Random(number))
    table = season.table(seeds=seeds)
    ranked = [
        (line.entrant_id, *(Fraction(line.values[n], 2) for n in ("points", "cumulative")),
         line.values["wins_against_tied"], Fraction(line.values["median_buchholz"], 2))
        for line in table if line.rank is not None
    ]  # fmt: skip
    assert ranked == by_the_words(cells, seeds, gone)
    assert {line.entrant_id for line in table if line.rank is None} == gone


@given(st.integers(0, 10**9))
def test_r3_6_the_order_is_strict_and_total(number: int) -> None:
    season, _, seeds, _ = random_season(Random(number))
    table = season.table(seeds=seeds)
    assert sorted(line.entrant_id for line in table) == sorted(seeds)
    ranked = [line for line in table if line.rank is not None]
    assert [line.rank for line in ranked] == list(range(1, len(ranked) + 1))
    keys = [(*(-line.values[n] for n in ("points", *R3_6)), line.seed) for line in ranked]
    assert all(above < below for above, below in pairwise(keys))
    names = ("points", *R3_6, "seed")
    for above, below in pairwise(ranked):
        assert below.separated_by == next(n for n in names if above.values[n] != below.values[n])
    shuffled = dict(sorted(seeds.items(), key=lambda item: -item[1]))
    assert [line.entrant_id for line in season.table(seeds=shuffled)] == [line.entrant_id for line in table]

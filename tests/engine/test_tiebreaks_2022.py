"""The published tables of the 2022 edition: points, Median-Buchholz, cumulative, Kashdan, seed."""

from __future__ import annotations

import tomllib
from itertools import pairwise, product
from pathlib import Path
from random import Random

import pytest

from engine.tiebreaks import CRITERIA, Criterion, Kind, Placed, RoundScore, Table, Unit, criteria, rank, ranking

ORDER_2022 = ("median_buchholz", "cumulative", "kashdan", "seed")
COLUMNS = ("seed", "points", "median_buchholz", "cumulative", "kashdan")
TABLES: dict[str, dict[str, list[int]]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "standings_2022.toml").read_text(encoding="utf-8")
)


def values_of(table: str) -> dict[int, dict[str, int]]:
    """Published place -> its values."""
    return {place: dict(zip(COLUMNS, row, strict=True)) for place, row in enumerate(TABLES[table].values(), start=1)}


def ranked(values: dict[int, dict[str, int]], monkeypatch: pytest.MonkeyPatch, splitting: str) -> tuple[Placed, ...]:
    """The fold with given values in the place of those that it would work out."""
    given = {
        name: Criterion(lambda e, table, tied, name=name: values[e][name], Unit.COUNT, lower_first=name == "seed")
        for name in criteria(ORDER_2022)
    }
    monkeypatch.setattr(ranking, "CRITERIA", given)
    entrants = list(values)
    Random(2022).shuffle(entrants)
    table = Table(dict.fromkeys(entrants, ()), {e: values[e]["seed"] for e in entrants}, frozenset(entrants))
    return rank(table, ORDER_2022, splitting)


@pytest.mark.parametrize("splitting", ["formed_once", "restart"])
@pytest.mark.parametrize("table", TABLES)
def test_the_2022_tables_have_the_order_of_their_values(
    table: str, splitting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = values_of(table)
    order = ranked(values, monkeypatch, splitting)
    assert [placed.entrant_id for placed in order] == list(values)
    for above, below in pairwise(order):
        assert below.separation is not None
        name = below.separation.criterion
        assert (below.separation.above, below.separation.below) == (
            values[above.entrant_id][name], values[below.entrant_id][name],
        )  # fmt: skip


def test_the_2022_cut_after_round_8_has_the_right_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    order = ranked(values_of("after_8"), monkeypatch, "formed_once")
    names = list(TABLES["after_8"])
    numbers = (18, 12, 2, 4, 5, 1, 7, 9, 31, 8)
    assert [names[placed.entrant_id - 1] for placed in order[:10]] == [f"entrant_{n:03d}" for n in numbers]
    cut = order[10].separation
    assert cut is not None and (cut.criterion, cut.above, cut.below) == ("median_buchholz", 59, 58)


# --- What can be derived without the pairings -------------------------------------------------------------------

ME, OTHER = 1, 2
PLAYED = {outcome: RoundScore(outcome, Kind.PLAYED, outcome, OTHER, True) for outcome in (2, 1, 0)}


def derived(results: tuple[int, ...], *names: str) -> tuple[int | None, ...]:
    nobody: frozenset[int] = frozenset()
    table = Table({ME: tuple(PLAYED[r] for r in results), OTHER: ()}, {ME: 1, OTHER: 2}, frozenset({ME, OTHER}))
    return tuple(CRITERIA[name].value(ME, table, nobody) for name in names)


@pytest.mark.parametrize("rounds", [1, 2, 4, 5, 8])
def test_the_2022_values_follow_from_results_that_could_have_been(rounds: int) -> None:
    """Each row has a history that gives all three values. A perfect score has only one: there they are derived."""
    names = ("points", "cumulative", "kashdan")
    possible = {derived(results, *names) for results in product((2, 1, 0), repeat=rounds)}
    for row in values_of(f"after_{rounds}").values():
        published = tuple(row[name] for name in names)
        assert published in possible
        if row["points"] == 2 * rounds:
            assert published == derived((2,) * rounds, *names)


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_2022_median_buchholz_is_nothing_before_round_3(rounds: int) -> None:
    assert {row["median_buchholz"] for row in values_of(f"after_{rounds}").values()} == {0}
    for results in product((2, 1, 0), repeat=rounds):
        assert derived(results, "median_buchholz") == (0,)

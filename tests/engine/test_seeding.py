"""The seed order: examples, the known field of 2022, and that nothing but the values decides."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import load, shipped_text
from engine.rules.schema import Seeding
from engine.seeding import Rated, seed_order

AT_CLOSE = load(shipped_text("2023")).seeding
WITH_PEAK = load(shipped_text("2022")).seeding
FIELD_2022 = tomllib.loads((Path(__file__).parents[1] / "data" / "field_2022.toml").read_text("utf-8"))["ratings"]


def rated(name: str, rating: int, rated_games: int = 1000, peak: int | None = None) -> Rated:
    return Rated(lichess_id=name, rating=rating, rated_games=rated_games, peak=peak)


def seeds(found: list[Rated], seeding: Seeding) -> list[tuple[str, int, int]]:
    return [(s.entry.lichess_id, s.seed, s.half_rating) for s in seed_order(found, seeding)]


def test_r2_8_by_rating_then_rated_games_then_id() -> None:
    field = [
        rated("zoe", 2000, 1500),
        rated("ben", 2000, 1000),
        rated("ann", 2000, 1000),
        rated("top", 2001, 1000, peak=1),
        rated("low", 1999, 9000, peak=3000),
    ]
    assert seeds(field, AT_CLOSE) == [
        ("top", 1, 4002),
        ("zoe", 2, 4000),
        ("ann", 3, 4000),
        ("ben", 4, 4000),
        ("low", 5, 3998),
    ]


def test_r2_8_2022_the_average_with_the_peak_of_the_period_is_exact() -> None:
    field = [
        rated("steady", 2200, peak=2200),
        rated("once_higher", 2150, peak=2251),  # 2200.5
        rated("fallen", 2000, peak=2399),  # 2199.5
    ]
    assert seeds(field, WITH_PEAK) == [("once_higher", 1, 4401), ("steady", 2, 4400), ("fallen", 3, 4399)]


def test_r2_8_2022_without_a_game_in_the_period_the_rating_is_the_peak() -> None:
    assert seeds([rated("away", 2100), rated("here", 2099, peak=2101)], WITH_PEAK) == [
        ("away", 1, 4200),
        ("here", 2, 4200),
    ]


def test_r2_8_the_list_of_the_ruleset_breaks_equal_ratings() -> None:
    field = [rated("zoe", 2000, 1500), rated("ann", 2000, 1000)]
    by_name = Seeding(method="rating_at_close", then=("lichess_id", "rated_games"))
    assert [s.entry.lichess_id for s in seed_order(field, by_name)] == ["ann", "zoe"]


def test_r2_8_an_account_cannot_be_seeded_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        seed_order([rated("ann", 2000), rated("ann", 2001)], AT_CLOSE)


def test_r2_8_the_published_seeds_of_2022_are_in_this_order() -> None:
    # The published rating is the seeding rating, the number in the name the published seed.
    published = [rated(name, rating) for name, rating in FIELD_2022.items()]
    order = seed_order(published[::-1], AT_CLOSE)
    assert len(order) == 45
    numbers = [int(s.entry.lichess_id.removeprefix("entrant_")) for s in order]
    assert numbers == sorted(numbers)


entries = st.builds(
    Rated,
    lichess_id=st.text("abc_1", min_size=2, max_size=6),
    rating=st.integers(1500, 1504),
    rated_games=st.integers(100, 102),
    peak=st.none() | st.integers(1500, 1504),
)


@given(st.lists(entries, unique_by=lambda c: c.lichess_id), st.randoms(), st.sampled_from([AT_CLOSE, WITH_PEAK]))
def test_r2_8_the_order_of_entry_does_not_matter_and_nobody_is_equal(field, rng, seeding) -> None:
    order = seed_order(field, seeding)
    shuffled = list(field)
    rng.shuffle(shuffled)
    assert seed_order(shuffled, seeding) == order
    assert [s.seed for s in order] == list(range(1, len(field) + 1))
    for above, below in pairwise(order):
        a, b = above.entry, below.entry
        assert above.half_rating >= below.half_rating
        if above.half_rating == below.half_rating:
            assert a.rated_games > b.rated_games or (a.rated_games == b.rated_games and a.lichess_id < b.lichess_id)

"""From a profile and a rating history to the seeding rating, and what of it is kept as evidence."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ports import RatingDay
from engine.rules import load, shipped_text
from engine.seeding import Rated, RatingRead, Source, needs_history, seed_evidence, seed_order

AT_CLOSE = load(shipped_text("2023")).seeding
WITH_PEAK = load(shipped_text("2022")).seeding
CLOSES = date(2022, 11, 1)
MIDNIGHT = datetime(2022, 11, 1, tzinfo=UTC)
LATER = MIDNIGHT + timedelta(days=2)
SECOND = timedelta(seconds=1)


def days(**ratings: int) -> tuple[RatingDay, ...]:
    """`days(d20221031=2100)`."""
    return tuple(
        RatingDay(day=datetime.strptime(name, "d%Y%m%d").replace(tzinfo=UTC).date(), rating=rating)
        for name, rating in ratings.items()
    )


def ann(rating: int, rated_games: int = 1000) -> Rated:
    return Rated(lichess_id="ann", rating=rating, rated_games=rated_games)


def test_r2_8_the_rating_at_a_moment_is_the_last_before_it() -> None:
    history = days(d20221030=2100, d20221031=2105, d20221101=2200, d20221102=2300)
    found = seed_evidence(AT_CLOSE, ann(2300), moment=CLOSES, read_at=LATER, history=history)
    assert found.rating == RatingRead(rating=2105, source=Source.HISTORY, day=date(2022, 10, 31))
    assert (found.half_rating, found.peak, found.read_at, found.moment) == (4210, None, LATER, CLOSES)
    assert found.rated == ann(2105)


@pytest.mark.parametrize(
    ("read_at", "needed"), [(MIDNIGHT - SECOND, False), (MIDNIGHT, False), (MIDNIGHT + SECOND, True)]
)
def test_r2_8_a_profile_read_by_the_moment_is_enough(read_at: datetime, needed: bool) -> None:
    assert needs_history(AT_CLOSE, CLOSES, read_at) is needed
    assert needs_history(WITH_PEAK, CLOSES, read_at)
    if needed:
        with pytest.raises(ValueError, match="history"):
            seed_evidence(AT_CLOSE, ann(2300), moment=CLOSES, read_at=read_at)
    else:
        found = seed_evidence(AT_CLOSE, ann(2300), moment=CLOSES, read_at=read_at)
        assert (found.rating, found.half_rating) == (RatingRead(rating=2300, source=Source.PROFILE), 4600)


def test_r2_8_without_a_moment_the_rating_is_that_of_the_reading() -> None:
    assert not needs_history(AT_CLOSE, None, LATER)
    found = seed_evidence(AT_CLOSE, ann(2300), moment=None, read_at=LATER, history=days(d20221031=2100))
    assert found.rating == RatingRead(rating=2300, source=Source.PROFILE)


def test_r2_8_who_had_no_game_before_the_moment_is_seen_by_the_profile_only() -> None:
    found = seed_evidence(AT_CLOSE, ann(1700), moment=CLOSES, read_at=LATER, history=days(d20221101=1600))
    assert found.rating == RatingRead(rating=1700, source=Source.PROFILE)


@pytest.mark.parametrize(
    ("history", "peak", "day"),
    [
        # The period is 2022-05-01 (inclusive) to 2022-11-01 (exclusive).
        (days(d20220501=2400, d20221031=2100), 2400, date(2022, 5, 1)),
        (days(d20220601=2150, d20221031=2400), 2400, date(2022, 10, 31)),
        (days(d20220601=2150, d20221031=2100, d20221101=2500), 2150, date(2022, 6, 1)),
        # Held on the first day, though reached before; what was higher still earlier is not.
        (days(d20220301=2600, d20220430=2400, d20220601=2150), 2400, date(2022, 4, 30)),
        (days(d20220101=2600, d20220430=2000, d20220601=2150), 2150, date(2022, 6, 1)),
        (days(d20210101=2050), 2050, date(2021, 1, 1)),
    ],
)
def test_r2_8_2022_the_peak_is_the_highest_rating_held_in_the_period(
    history: tuple[RatingDay, ...], peak: int, day: date
) -> None:
    found = seed_evidence(WITH_PEAK, ann(9), moment=CLOSES, read_at=LATER, history=history[::-1])
    assert found.peak == RatingRead(rating=peak, source=Source.HISTORY, day=day)
    assert (found.peak_from, found.peak_until) == (date(2022, 5, 1), CLOSES)
    assert found.half_rating == found.rating.rating + peak


def test_r2_8_2022_without_any_history_the_rating_is_the_peak() -> None:
    found = seed_evidence(WITH_PEAK, ann(1500), moment=CLOSES, read_at=LATER, history=())
    assert (found.peak, found.half_rating) == (None, 3000)


def test_r2_8_2022_halves_are_kept_and_equal_ratings_are_ordered_by_the_list() -> None:
    def entry(name: str, rated_games: int, *ratings: int) -> Rated:
        history = days(d20220601=ratings[0], d20221031=ratings[1])
        profile = Rated(lichess_id=name, rating=1, rated_games=rated_games)
        return seed_evidence(WITH_PEAK, profile, moment=CLOSES, read_at=LATER, history=history).rated

    field = [entry("zoe", 900, 2301, 2100), entry("ann", 800, 2300, 2101), entry("top", 100, 2302, 2100)]
    seeds = [(s.entry.lichess_id, s.half_rating) for s in seed_order(field, WITH_PEAK)]
    assert seeds == [("top", 4402), ("zoe", 4401), ("ann", 4401)]


points = st.lists(
    st.tuples(st.integers(-400, 40), st.integers(1900, 2100)), max_size=12, unique_by=lambda point: point[0]
)


@given(points, st.integers(1900, 2100))
def test_r2_8_2022_day_by_day_the_history_says_the_same(found: list[tuple[int, int]], profile: int) -> None:
    """The oracle walks the calendar and asks for the rating held at each midnight and at each day's end."""
    history = [RatingDay(day=CLOSES + timedelta(days=offset), rating=rating) for offset, rating in sorted(found)]
    by_day = {point.day: point.rating for point in history}
    held, seen = None, []
    day = CLOSES - timedelta(days=500)
    while day < CLOSES:
        if day == date(2022, 5, 1) and held is not None:
            seen.append(held)
        held = by_day.get(day, held)
        if day >= date(2022, 5, 1) and held is not None:
            seen.append(held)
        day += timedelta(days=1)
    rating = profile if held is None else held
    peak = max(seen, default=rating)
    evidence = seed_evidence(WITH_PEAK, ann(profile), moment=CLOSES, read_at=LATER, history=history)
    assert evidence.half_rating == rating + peak
    assert evidence.rated.rating == rating

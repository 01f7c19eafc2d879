"""The arithmetic of one week: from a publication to its deadlines, the next publication and the offers that fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from engine.rules import load
from engine.rules.values import WeekTime
from engine.rules.week import Window, most_offers, next_publication
from tests.rules.ruleset_text import TEXT

RULES = load(TEXT)
TUESDAY = datetime(2023, 3, 28, tzinfo=UTC)


def _span(hours: int) -> Window:
    """A window of that many hours from Tuesday noon; the offer deadline plays no part."""
    noon = TUESDAY + timedelta(hours=12)
    return Window(noon, noon, noon + timedelta(hours=hours))


@pytest.mark.parametrize(
    ("hours", "fitting"),
    [(1, 0), (2, 1), (4, 1), (5, 2), (12, 2), (13, 3), (200, 3)],
    ids=["no notice", "the last minute", "too close", "two", "a third on one date", "midnight", "no more than asked"],
)
def test_r5_4_q4_offers_that_fit_into_a_window(hours: int, fitting: int) -> None:
    # Starts count from 13:00 (60 min notice) to 60 min before the end, three hours apart, two on one date.
    assert most_offers(RULES.offers, _span(hours)) == fitting


def test_r5_4_with_one_offer_per_date_a_week_has_seven() -> None:
    offers = replace(RULES.offers, count=20, max_per_date=1)
    assert most_offers(offers, _span(156)) == 7


def test_r4_3_a_round_may_be_published_at_the_very_end_of_the_last() -> None:
    week = replace(RULES.week, publish=WeekTime(1, time(0)))
    assert next_publication(week, TUESDAY) == TUESDAY
    assert next_publication(week, TUESDAY, free_weeks=2) == TUESDAY + timedelta(weeks=2)

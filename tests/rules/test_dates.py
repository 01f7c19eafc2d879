"""The dates of an edition move with its start by whole weeks, and can be changed singly."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from engine.errors import BadInput, NotFound
from engine.rules import RulesetError, dates_for, load, shipped_text

RULES = load(shipped_text("2023"))


def test_r4_3_the_own_start_moves_nothing() -> None:
    dates = dates_for(RULES, date(2023, 3, 19))
    assert dates.weeks == 0
    assert dates.ruleset == RULES
    assert all(item.day == item.own for item in dates.dates)


def test_all_dates_are_listed_with_label_and_clause_for_confirmation() -> None:
    assert [(item.key, item.label, item.clauses) for item in dates_for(RULES, RULES.starts).dates] == [
        ("starts", "first pairings published", ("R4.3",)),
        ("entry.account_created_before", "account created before", ("R2.1",)),
        ("entry.min_games_before", "rated games counted before", ("R2.2",)),
        ("entry.engine_mark_after", "engine marks disqualify after", ("R2.3",)),
        ("entry.boost_mark_after", "booster marks disqualify after", ("R2.4",)),
        ("entry.cheat_games.1.since", "cheat-detected games count since", ("R2.5",)),
        ("entry.cheat_games.2.since", "cheat-detected games count since", ("R2.5",)),
        ("registration.closes", "registration closes, seeds are made", ("R2.8",)),
    ]


@pytest.mark.parametrize("starts", [date(2027, 3, 21), date(2024, 2, 25), date(2025, 1, 5), date(2020, 3, 1)])
def test_every_date_moves_by_the_same_whole_weeks(starts: date) -> None:
    dates = dates_for(RULES, starts)
    shift = starts - RULES.starts
    assert shift == timedelta(weeks=dates.weeks)
    assert {item.day - item.own for item in dates.dates} == {shift}
    moved = dates.ruleset
    assert moved.starts == starts
    assert moved.entry.min_games_before == date(2023, 3, 12) + shift
    assert [rule.since for rule in moved.entry.cheat_games] == [date(2022, 1, 1) + shift, date(2020, 1, 1) + shift]


def test_r2_1_2027_the_account_age_of_an_edition_four_years_later() -> None:
    dates = dates_for(RULES, date(2027, 3, 21))
    assert dates["entry.account_created_before"].moment == datetime(2027, 1, 3, tzinfo=UTC)
    assert dates["entry.min_games_before"].day == date(2027, 3, 14)


def test_a_leap_day_lies_between_the_dates_of_2024() -> None:
    # 2024-03-03 is 50 weeks later; 2024-02-25 is a week before it, on the other side of the leap day.
    dates = dates_for(RULES, date(2024, 3, 3))
    assert dates["registration.closes"].day == date(2024, 2, 25)
    assert dates["entry.account_created_before"].day == date(2023, 12, 17)


@pytest.mark.parametrize("days", range(1, 7))
def test_r4_3_another_weekday_is_refused_with_the_nearest_days(days: int) -> None:
    with pytest.raises(BadInput) as caught:
        dates_for(RULES, date(2027, 3, 21) + timedelta(days=days))
    assert caught.value.code == "start_weekday"
    assert caught.value.clause == "R4.3"
    assert caught.value.params["expected"] == 6
    assert caught.value.params["weekday"] == "sunday"
    assert caught.value.params["nearest"] == (date(2027, 3, 21), date(2027, 3, 28))


def test_r4_3_another_weekday_before_the_own_start_too() -> None:
    with pytest.raises(BadInput) as caught:
        dates_for(RULES, date(2023, 3, 14))
    assert caught.value.params["nearest"] == (date(2023, 3, 12), date(2023, 3, 19))


def test_a_start_beyond_all_calendars_is_refused() -> None:
    with pytest.raises(BadInput) as caught:
        dates_for(RULES, date(9999, 12, 26))
    assert caught.value.code == "start_year"


def test_a_single_date_can_be_changed() -> None:
    changed = {"entry.account_created_before": date(2027, 1, 1), "entry.cheat_games.2.since": date(2024, 1, 1)}
    dates = dates_for(RULES, date(2027, 3, 21), changed)
    assert dates["entry.account_created_before"].day == date(2027, 1, 1)
    assert dates.ruleset.entry.account_created_before == date(2027, 1, 1)
    assert dates.ruleset.entry.cheat_games[1].since == date(2024, 1, 1)
    assert dates["entry.engine_mark_after"].day == date(2024, 1, 3)


def test_a_changed_date_must_not_contradict_another() -> None:
    with pytest.raises(RulesetError, match=r"registration\.closes: 2027-03-22 lies after the first publication"):
        dates_for(RULES, date(2027, 3, 21), {"registration.closes": date(2027, 3, 22)})


@pytest.mark.parametrize("key", ["starts", "entry.min_games", "entry.cheat_games.3.since", "nothing"])
def test_what_is_no_date_cannot_be_changed(key: str) -> None:
    with pytest.raises(NotFound):
        dates_for(RULES, date(2027, 3, 21), {key: date(2027, 1, 1)})

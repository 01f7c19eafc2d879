"""The calendar of a whole edition (R4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

import pytest

from engine.calendar import (
    LateRound,
    Reminder,
    ReminderKind,
    RoundSlot,
    choose_by,
    edition_calendar,
    ends_at,
    extension_limit,
    late_round,
    reminders,
    rounds,
    rounds_of,
    slot,
)
from engine.errors import BadInput, NotFound
from engine.model import Round, Stage
from engine.rules import load, shipped_text
from engine.rules.values import Deadline, WeekTime

RULES = load(shipped_text("2023"))
OWN_START = date(2023, 3, 19)
FRIDAY, SATURDAY = 4, 5


def at(month: int, day: int, hour: int = 0, year: int = 2023) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def published(calendar: tuple[RoundSlot, ...], stage: Stage) -> list[tuple[int, int]]:
    return [(s.publish_at.month, s.publish_at.day) for s in calendar if s.stage is stage]


@pytest.mark.parametrize(
    ("entrants", "expected"),
    [(2, 3), (3, 3), (4, 4), (31, 6), (32, 7), (45, 7), (63, 7), (64, 8), (106, 8), (127, 8), (128, 9), (256, 10)],
)
def test_r3_4_rounds_are_the_whole_logarithm_plus_two(entrants: int, expected: int) -> None:
    assert rounds(RULES, entrants) == expected


@pytest.mark.parametrize(("entrants", "expected"), [(2, 3), (3, 4), (32, 7), (33, 8), (64, 8), (65, 9)])
def test_r3_4_another_edition_may_round_up(entrants: int, expected: int) -> None:
    up = replace(RULES, swiss=replace(RULES.swiss, rounds_log2="ceil"))
    assert rounds(up, entrants) == expected


@pytest.mark.parametrize("entrants", [1, 0, -3])
def test_r3_4_one_entrant_is_no_tournament(entrants: int) -> None:
    with pytest.raises(BadInput) as caught:
        edition_calendar(RULES, OWN_START, entrants)
    assert caught.value.code == "too_few_entrants"


@pytest.mark.parametrize("entrants", [64, 100, 127])
def test_r4_the_published_dates_of_2023(entrants: int) -> None:
    calendar = edition_calendar(RULES, OWN_START, entrants)
    assert published(calendar, Stage.QUALIFICATION) == [
        (3, 19), (3, 28), (4, 4), (4, 11), (4, 18), (4, 25), (5, 2), (5, 9),
    ]  # fmt: skip
    assert published(calendar, Stage.CANDIDATES) == [(5, 23), (5, 30), (6, 6), (6, 13), (6, 20)]
    assert published(calendar, Stage.SEMIFINALS) == [(7, 4)]
    assert published(calendar, Stage.FINALS) == [(7, 11)]
    assert ends_at(RULES, OWN_START, entrants) == at(7, 18)


def test_r4_with_45_entrants_everything_after_the_qualification_is_a_week_earlier() -> None:
    calendar = edition_calendar(RULES, OWN_START, 45)
    assert published(calendar, Stage.QUALIFICATION)[-1] == (5, 2)
    assert published(calendar, Stage.CANDIDATES) == [(5, 16), (5, 23), (5, 30), (6, 6), (6, 13)]
    assert published(calendar, Stage.SEMIFINALS) == [(6, 27)]
    assert published(calendar, Stage.FINALS) == [(7, 4)]


def test_r4_3_r4_4_the_first_round_has_its_own_dates() -> None:
    assert slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 1) == RoundSlot(
        Stage.QUALIFICATION, 1, publish_at=at(3, 19, 12), offers_by=at(3, 25), matches_by=at(3, 28)
    )


def test_r4_4_a_later_round_runs_from_tuesday_noon_to_the_end_of_monday() -> None:
    assert slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 2) == RoundSlot(
        Stage.QUALIFICATION, 2, publish_at=at(3, 28, 12), offers_by=at(4, 1), matches_by=at(4, 4)
    )


def test_r4_4_every_round_ends_before_the_next_is_published() -> None:
    calendar = edition_calendar(RULES, OWN_START, 127)
    for this, following in pairwise(calendar):
        assert this.publish_at < this.offers_by < this.matches_by < following.publish_at


def test_r4_2_one_free_week_before_candidates_and_semifinals_and_none_before_the_finals() -> None:
    calendar = edition_calendar(RULES, OWN_START, 64)
    pauses = {
        following.stage: following.publish_at - this.matches_by
        for this, following in pairwise(calendar)
        if following.stage is not this.stage
    }
    noon = timedelta(hours=12)
    assert pauses == {
        Stage.CANDIDATES: noon + timedelta(weeks=1),
        Stage.SEMIFINALS: noon + timedelta(weeks=1),
        Stage.FINALS: noon,
    }


def test_r4_2_free_weeks_are_data() -> None:
    packed = replace(RULES, week=replace(RULES.week, free_weeks_before_candidates=0, free_weeks_before_finals=2))
    calendar = edition_calendar(packed, OWN_START, 64)
    assert published(calendar, Stage.CANDIDATES)[0] == (5, 16)
    assert published(calendar, Stage.SEMIFINALS) == [(6, 27)]
    assert published(calendar, Stage.FINALS) == [(7, 18)]


def test_r4_1_one_match_a_week_is_data() -> None:
    slow = replace(RULES, week=replace(RULES.week, weeks_per_round=2))
    calendar = edition_calendar(slow, OWN_START, 64)
    assert published(calendar, Stage.QUALIFICATION)[:3] == [(3, 19), (4, 4), (4, 18)]
    assert (calendar[1].offers_by, calendar[1].matches_by) == (at(4, 8), at(4, 18))


def test_r4_4_the_deadlines_are_data() -> None:
    sunday = Deadline(WeekTime(6, time(21, 59)))
    early = replace(RULES, week=replace(RULES.week, match_deadline=sunday, first_publish=time(9)))
    first = edition_calendar(early, OWN_START, 64)[0]
    assert (first.publish_at, first.offers_by, first.matches_by) == (at(3, 19, 9), at(3, 25), at(3, 26, 22))


def test_r3_9_a_pool_of_six_meets_in_five_rounds() -> None:
    assert rounds_of(RULES, Stage.CANDIDATES, 64) == 5


@pytest.mark.parametrize(("size", "encounters", "expected"), [(5, 1, 5), (4, 1, 3), (6, 2, 10)])
def test_r3_9_other_pools_take_their_berger_rounds(size: int, encounters: int, expected: int) -> None:
    seating = RULES.candidates.seating_for(0)
    pools = tuple(replace(pool, places=pool.places[:size]) for pool in seating.pools)
    candidates = replace(RULES.candidates, seating=(replace(seating, pools=pools),), encounters=encounters)
    assert rounds_of(replace(RULES, candidates=candidates), Stage.CANDIDATES, 64) == expected


@pytest.mark.parametrize("starts", [date(2027, 3, 21), date(2024, 1, 28), date(2023, 11, 26), date(2028, 2, 20)])
def test_r4_3_another_start_moves_the_whole_calendar(starts: date) -> None:
    shift = starts - OWN_START
    own = edition_calendar(RULES, OWN_START, 100)
    assert edition_calendar(RULES, starts, 100) == tuple(
        RoundSlot(s.stage, s.number, s.publish_at + shift, s.offers_by + shift, s.matches_by + shift) for s in own
    )


def test_r4_3_2027_begins_on_the_sunday_and_goes_on_on_tuesdays() -> None:
    calendar = edition_calendar(RULES, date(2027, 3, 21), 64)
    assert published(calendar, Stage.QUALIFICATION)[:3] == [(3, 21), (3, 30), (4, 6)]


def test_r4_4_a_round_over_the_leap_day() -> None:
    found = slot(RULES, date(2024, 2, 18), 64, Stage.QUALIFICATION, 2)
    assert found.publish_at == at(2, 27, 12, year=2024)
    assert (found.offers_by, found.matches_by) == (at(3, 2, year=2024), at(3, 5, year=2024))


def test_r4_4_a_round_over_new_year() -> None:
    found = slot(RULES, date(2023, 12, 17), 64, Stage.QUALIFICATION, 2)
    assert found.publish_at == at(12, 26, 12)
    assert (found.offers_by, found.matches_by) == (at(12, 30), at(1, 2, year=2024))


def test_r4_3_a_start_on_another_weekday_is_refused() -> None:
    with pytest.raises(BadInput) as caught:
        edition_calendar(RULES, date(2027, 3, 23), 64)
    assert caught.value.params["nearest"] == (date(2027, 3, 21), date(2027, 3, 28))


def test_a_round_that_is_not_played_is_not_found() -> None:
    with pytest.raises(NotFound) as caught:
        slot(RULES, OWN_START, 63, Stage.QUALIFICATION, 8)
    assert caught.value.params["last"] == 7


# --- Reminders --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "thursday"), [(1, 23), (2, 30)])
def test_r5_1_reminders_on_thursday_evening_and_twice_on_friday(number: int, thursday: int) -> None:
    found = reminders(RULES, slot(RULES, OWN_START, 64, Stage.QUALIFICATION, number))
    key = f"qualification:r{number}:remind"
    assert found == (
        Reminder(f"{key}:no_offer", at(3, thursday, 18), ReminderKind.NO_OFFER),
        Reminder(f"{key}:too_few", at(3, thursday + 1, 12), ReminderKind.TOO_FEW),
        Reminder(f"{key}:last_call", at(3, thursday + 1, 21), ReminderKind.LAST_CALL),
    )


def test_r5_1_the_moments_of_reminders_are_data() -> None:
    part = replace(RULES.reminders, last_call=WeekTime(FRIDAY, time(23)))
    found = reminders(replace(RULES, reminders=part), slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 1))
    assert found[2].at == at(3, 24, 23)


def _late(published_at: datetime) -> Round:
    planned = slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 2)
    return Round(
        edition_id=1,
        stage=planned.stage,
        number=planned.number,
        published_at=published_at,
        offers_by=planned.offers_by,
        matches_by=planned.matches_by,
    )


def test_r5_1_a_published_round_has_the_reminders_of_its_own_deadline() -> None:
    assert reminders(RULES, _late(at(3, 29, 20)))[0].at == at(3, 30, 18)


# --- The other moments of a round -------------------------------------------------------------------------------


def test_q5_the_time_is_chosen_by_sunday_noon() -> None:
    assert choose_by(RULES, slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 1)) == at(3, 26, 12)


@pytest.mark.parametrize(
    ("stage", "number", "limit"),
    [
        (Stage.QUALIFICATION, 1, at(4, 4)),
        (Stage.QUALIFICATION, 7, at(5, 16)),
        (Stage.QUALIFICATION, 8, at(5, 23)),
        (Stage.CANDIDATES, 4, at(6, 27)),
        (Stage.CANDIDATES, 5, at(7, 4)),
        (Stage.SEMIFINALS, 1, at(7, 11)),
        (Stage.FINALS, 1, None),
    ],
)
def test_q10_the_latest_end_of_an_extended_match(stage: Stage, number: int, limit: datetime | None) -> None:
    assert extension_limit(RULES, OWN_START, 64, stage, number) == limit


def test_q14_a_round_on_time_needs_no_extension() -> None:
    assert late_round(RULES, slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 2), at(3, 28, 12)) is None


def test_q14_exactly_72_hours_are_enough_and_a_second_less_is_not() -> None:
    planned = slot(RULES, OWN_START, 64, Stage.QUALIFICATION, 2)
    assert late_round(RULES, planned, at(3, 29)) is None
    assert late_round(RULES, planned, at(3, 29) + timedelta(seconds=1)) == LateRound(
        left=timedelta(hours=72) - timedelta(seconds=1), extend_by=timedelta(days=1)
    )


@pytest.mark.parametrize(("published_at", "days"), [(at(3, 29, 12), 1), (at(3, 30, 12), 2), (at(4, 1, 12), 4)])
def test_q14_the_proposal_leaves_72_hours_again(published_at: datetime, days: int) -> None:
    round = _late(published_at)
    proposal = late_round(RULES, round, published_at)
    assert proposal is not None
    assert proposal.extend_by == timedelta(days=days)
    assert round.offers_by + proposal.extend_by - published_at >= timedelta(hours=72)


# --- Weekly moments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "following", "before"),
    [
        (at(3, 24, 11), at(3, 24, 12), at(3, 17, 12)),
        (at(3, 24, 12), at(3, 31, 12), at(3, 17, 12)),
        (at(3, 24, 13), at(3, 31, 12), at(3, 24, 12)),
    ],
)
def test_a_weekly_moment_is_found_strictly_before_and_after(
    moment: datetime, following: datetime, before: datetime
) -> None:
    friday_noon = WeekTime(FRIDAY, time(12))
    assert friday_noon.next_after(moment) == following
    assert friday_noon.last_before(moment) == before


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        (at(3, 24, 23), at(3, 25)),
        (at(3, 25) - timedelta(seconds=30), at(3, 25)),
        (at(3, 25), at(4, 1)),
    ],
)
def test_a_deadline_ends_after_its_last_minute(moment: datetime, end: datetime) -> None:
    assert Deadline(WeekTime(FRIDAY, time(23, 59))).end_after(moment) == end

"""What may be claimed on a match evening: R6.1, R6.3, R6.4, Q11, Q16-Q19, Q37, Q38d."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engine.errors import RuleViolation
from engine.match_flow import (
    Outcome,
    Verdict,
    absence_report,
    break_ends,
    break_overrun,
    left_claim,
    no_show_claim,
    rescheduled,
    suggested_white,
)
from engine.rules import load, shipped_text
from engine.sides import Side

EVENING = load(shipped_text("2023")).evening
AGREED = datetime(2023, 4, 8, 18, tzinfo=UTC)
DEADLINE = datetime(2023, 4, 11, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
A, B = Side.A, Side.B


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (-SECOND, Outcome.TOO_EARLY),
        (timedelta(0), Outcome.REPORT_OPEN),
        (60 * MINUTE, Outcome.REPORT_OPEN),
        (60 * MINUTE + SECOND, Outcome.TOO_LATE),
    ],
)
def test_q38d_a_no_show_is_reported_from_the_agreed_minute_to_an_hour_after(after: timedelta, outcome: Outcome) -> None:
    assert absence_report(EVENING, AGREED, AGREED + after).outcome is outcome


def test_r6_3_the_ten_minutes_run_from_the_report() -> None:
    reported = AGREED + 25 * MINUTE
    until = reported + 10 * MINUTE
    assert no_show_claim(EVENING, {A: reported}, [], until - SECOND) == Verdict(Outcome.WAIT_UNTIL, until)
    assert no_show_claim(EVENING, {A: reported}, [], until) == Verdict(Outcome.CLAIM_OPEN, until)


def test_q38d_a_game_started_before_the_claim_is_pressed_ends_the_right() -> None:
    eleven = AGREED + 11 * MINUTE
    assert no_show_claim(EVENING, {A: AGREED}, [], eleven).outcome is Outcome.CLAIM_OPEN
    assert no_show_claim(EVENING, {A: AGREED}, [eleven], eleven) == Verdict(Outcome.WAIVED_BY_PLAYING)


def test_q38d_reports_that_cross_go_to_a_td() -> None:
    reports = {A: AGREED, B: AGREED + 4 * MINUTE}
    assert no_show_claim(EVENING, reports, [], AGREED + 20 * MINUTE) == Verdict(Outcome.NEEDS_TD)
    assert no_show_claim(EVENING, reports, [AGREED + MINUTE], AGREED + 20 * MINUTE).outcome is Outcome.WAIVED_BY_PLAYING


def test_q11_a_rescheduled_match_fails_at_the_match_deadline() -> None:
    assert rescheduled(DEADLINE, [], DEADLINE - SECOND) == Verdict(Outcome.WAIT_UNTIL, DEADLINE)
    assert rescheduled(DEADLINE, [], DEADLINE) == Verdict(Outcome.CLAIM_OPEN, DEADLINE)
    assert rescheduled(DEADLINE, [DEADLINE], DEADLINE).outcome is Outcome.CLAIM_OPEN
    assert rescheduled(DEADLINE, [DEADLINE - SECOND], DEADLINE) == Verdict(Outcome.WAIVED_BY_PLAYING)


def test_q11b_a_no_show_reported_five_minutes_before_the_deadline_ends_after_it() -> None:
    reported = DEADLINE - 5 * MINUTE
    assert no_show_claim(EVENING, {A: reported}, [], DEADLINE + 5 * MINUTE).outcome is Outcome.CLAIM_OPEN


def test_r6_4_ten_minutes_to_return_then_a_claim() -> None:
    back_by = AGREED + 10 * MINUTE
    assert left_claim(EVENING, AGREED, 0, [], back_by - SECOND) == Verdict(Outcome.WAIT_UNTIL, back_by)
    assert left_claim(EVENING, AGREED, 0, [], back_by) == Verdict(Outcome.CLAIM_OPEN, back_by)
    played_on = left_claim(EVENING, AGREED, 0, [AGREED + 9 * MINUTE], back_by)
    assert played_on == Verdict(Outcome.WAIVED_BY_PLAYING)
    assert left_claim(EVENING, AGREED, 0, [AGREED - MINUTE], back_by).outcome is Outcome.CLAIM_OPEN


def test_q17_with_the_break_used_up_no_claim_but_a_td() -> None:
    back_by = AGREED + 10 * MINUTE
    assert left_claim(EVENING, AGREED, 1, [], back_by - SECOND).outcome is Outcome.WAIT_UNTIL
    assert left_claim(EVENING, AGREED, 1, [], back_by) == Verdict(Outcome.NEEDS_TD, back_by)
    not_counted = replace(EVENING, leaving_uses_break=False)
    assert left_claim(not_counted, AGREED, 1, [], back_by).outcome is Outcome.CLAIM_OPEN


def test_q18_nothing_to_claim_when_the_match_is_over() -> None:
    late = AGREED + timedelta(hours=1)
    assert left_claim(EVENING, AGREED, 0, [], late, match_over=True) == Verdict(Outcome.MATCH_OVER)


def test_r6_1_one_break_of_ten_minutes() -> None:
    assert break_ends(EVENING, AGREED, 0) == AGREED + 10 * MINUTE
    with pytest.raises(RuleViolation, match="break_used"):
        break_ends(EVENING, AGREED, 1)


def test_q16_a_break_called_during_a_game_begins_at_its_end() -> None:
    assert break_ends(EVENING, AGREED, 0, game_ends=AGREED + 3 * MINUTE) == AGREED + 13 * MINUTE


def test_q16_no_break_after_the_last_game() -> None:
    with pytest.raises(RuleViolation, match="match_over"):
        break_ends(EVENING, AGREED, 0, match_over=True)


def test_q16_a_break_that_lasts_longer_goes_to_a_td() -> None:
    ends = AGREED + 10 * MINUTE
    assert break_overrun(ends, [], ends - SECOND) == Verdict(Outcome.WAIT_UNTIL, ends)
    assert break_overrun(ends, [], ends) == Verdict(Outcome.NEEDS_TD, ends)
    assert break_overrun(ends, [ends - SECOND], ends) == Verdict(Outcome.WAIVED_BY_PLAYING)


def test_q37_the_better_seed_has_white_first_then_in_turns() -> None:
    assert [suggested_white(A, played) for played in range(4)] == [A, B, A, B]
    assert suggested_white(B, 0) is B

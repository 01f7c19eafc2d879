"""The ten minutes of an evening, and what counts as a break (R6.1, R6.3, R6.4, R5.10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engine.rules import loader
from engine.terms import Terms
from engine.timers import Timer, TimerEnd, TimerKind, breaks_used, ends_at, is_stopped

RULES = loader.load(loader.shipped_text("2023")).evening
AT = datetime(2023, 3, 25, 18, 0, tzinfo=UTC)
ANN, BEN = 1, 2
TEN = timedelta(minutes=10)


def timer(kind: TimerKind, by: int = ANN, id: int = 1, outcome: TimerEnd | None = TimerEnd.PLAYED) -> Timer:
    return Timer(
        id=id,
        match_id=7,
        entrant_id=by,
        kind=kind,
        agreed_at=AT,
        called_at=AT,
        runs_from=AT,
        evidence={},
        outcome=outcome,
    )


@pytest.mark.parametrize("kind", TimerKind)
def test_r6_1_r6_3_r6_4_ten_minutes_run(kind: TimerKind) -> None:
    assert ends_at(RULES, Terms(), timer(kind)) == AT + TEN


def test_q16_q18_they_do_not_run_before_the_game_in_progress_has_ended() -> None:
    waiting = replace(timer(TimerKind.LEFT), runs_from=None)
    assert ends_at(RULES, Terms(), waiting) is None and not is_stopped(Terms(), waiting)


def test_r5_10_a_td_extends_or_stops_them() -> None:
    one = timer(TimerKind.ABSENT)
    assert ends_at(RULES, Terms(timers={1: AT + 3 * TEN}), one) == AT + 3 * TEN
    assert ends_at(RULES, Terms(timers={1: None}), one) is None and is_stopped(Terms(timers={1: None}), one)
    assert ends_at(RULES, Terms(timers={2: None}), one) == AT + TEN, "another timer"


def test_r6_1_r6_4_the_own_break_and_the_own_leaving_are_breaks() -> None:
    taken, left = timer(TimerKind.BREAK, by=ANN), timer(TimerKind.LEFT, by=BEN, id=2)
    assert breaks_used(RULES, Terms(), [taken, left], ANN) == 2, "ben says that ann has left"
    assert breaks_used(RULES, Terms(), [taken, left], BEN) == 0
    assert breaks_used(RULES, Terms(), [taken, left], ANN, before=left) == 1
    assert breaks_used(replace(RULES, leaving_uses_break=False), Terms(), [taken, left], ANN) == 1


def test_r6_1_what_never_ran_or_was_stopped_is_no_break() -> None:
    taken = timer(TimerKind.BREAK)
    assert breaks_used(RULES, Terms(timers={1: None}), [taken], ANN) == 0
    assert breaks_used(RULES, Terms(), [replace(taken, outcome=TimerEnd.OVER)], ANN) == 0
    given_up = replace(taken, outcome=TimerEnd.BACK, runs_from=None)
    assert breaks_used(RULES, Terms(), [given_up], ANN) == 0
    assert breaks_used(RULES, Terms(), [replace(taken, outcome=TimerEnd.BACK)], ANN) == 1
    assert breaks_used(RULES, Terms(), [timer(TimerKind.LEFT, by=BEN, outcome=TimerEnd.TD)], ANN) == 0
    assert breaks_used(RULES, Terms(), [timer(TimerKind.ABSENT, by=BEN)], ANN) == 0

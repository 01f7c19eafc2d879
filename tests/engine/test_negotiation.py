"""Offers: R5.1, R5.4, Q3, Q4."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Match, Offer, OfferState
from engine.negotiation import Duty, DutyRules, Reason, Unhelpful, Window, can_accept, duty, why_not
from engine.reading import duty_rules
from engine.rules import load, shipped_text

TUESDAY = datetime(2023, 4, 4, 12, tzinfo=UTC)
SATURDAY = datetime(2023, 4, 8, tzinfo=UTC)
NEXT_TUESDAY = datetime(2023, 4, 11, tzinfo=UTC)
WINDOW = Window(TUESDAY, NEXT_TUESDAY)
HOUR = timedelta(hours=1)
RULES = duty_rules(load(shipped_text("2023")))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2023, 4, day, hour, minute, tzinfo=UTC)


def offer(id: int, starts_at: datetime, **changes: object) -> Offer:
    values: dict[str, object] = {"match_id": 1, "entrant_id": 10, "made_at": TUESDAY + HOUR, **changes}
    return Offer(id=id, starts_at=starts_at, **values)  # type: ignore[arg-type]


def judge(*offers: Offer, rules: DutyRules = RULES) -> Duty:
    return duty(offers, SATURDAY, WINDOW, rules)


# --- Which offers count (Q4) ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "made", "reason"),
    [
        (at(6, 18), at(5, 10), None),
        (at(4, 12), at(4, 10), None),
        (at(4, 11, 59), at(4, 10), Reason.BEFORE_PUBLICATION),
        (at(5, 10), at(5, 10), Reason.IN_THE_PAST),
        (at(5, 9), at(5, 10), Reason.IN_THE_PAST),
        (at(5, 10, 59), at(5, 10), Reason.TOO_SHORT_NOTICE),
        (at(5, 11), at(5, 10), None),
        (at(10, 23), at(5, 10), None),
        (at(10, 23, 1), at(5, 10), Reason.TOO_LATE),
        (at(12, 10), at(5, 10), Reason.TOO_LATE),
    ],
)
def test_q4_when_an_offer_counts(start: datetime, made: datetime, reason: Reason | None) -> None:
    assert why_not(start, None, made, WINDOW, RULES) is reason


def test_q4_a_range_counts_by_its_start() -> None:
    assert why_not(at(10, 22), at(10, 23, 59), at(5, 10), WINDOW, RULES) is None
    assert why_not(at(10, 23, 1), at(10, 23, 30), at(5, 10), WINDOW, RULES) is Reason.TOO_LATE
    assert why_not(at(8, 20), at(8, 14), at(5, 10), WINDOW, RULES) is Reason.ENDS_BEFORE_START


def test_q4_notice_and_latest_start_are_values_of_the_rules() -> None:
    strict = DutyRules(
        count=3, min_gap=HOUR, max_per_date=2, min_notice=12 * HOUR, latest_before_deadline=timedelta(hours=2)
    )
    assert why_not(at(5, 21), None, at(5, 10), WINDOW, strict) is Reason.TOO_SHORT_NOTICE
    assert why_not(at(10, 23), None, at(5, 10), WINDOW, strict) is Reason.TOO_LATE


# --- The duty (R5.1, R5.4) ------------------------------------------------------------------------------------


def test_r5_1_three_separate_offers_meet_the_duty() -> None:
    result = judge(offer(1, at(6, 18)), offer(2, at(7, 18)), offer(3, at(8, 10)))
    assert result == Duty(counted=(1, 2, 3), met=True, missing=0, unhelpful=())


def test_r5_1_two_offers_leave_one_missing() -> None:
    assert judge(offer(1, at(6, 18)), offer(2, at(7, 18))) == Duty((1, 2), False, 1, ())
    assert judge() == Duty((), False, 3, ())


def test_r5_4_three_hours_apart_exactly_is_enough() -> None:
    assert judge(offer(1, at(6, 12)), offer(2, at(6, 15)), offer(3, at(7, 12))).met
    close = judge(offer(1, at(6, 12)), offer(2, at(6, 14, 59)), offer(3, at(7, 12)))
    assert close == Duty((1, 3), False, 1, (Unhelpful(2, Reason.TOO_CLOSE, 1),))


def test_r5_4_the_gap_holds_across_midnight() -> None:
    result = judge(offer(1, at(6, 23)), offer(2, at(7, 1)), offer(3, at(8, 12)))
    assert result.unhelpful == (Unhelpful(2, Reason.TOO_CLOSE, 1),)


def test_r5_4_no_more_than_two_on_one_date() -> None:
    result = judge(offer(1, at(6, 6)), offer(2, at(6, 12)), offer(3, at(6, 18)))
    assert result == Duty((1, 2), False, 1, (Unhelpful(3, Reason.DATE_FULL, 2),))


def test_r5_4_some_three_are_enough_although_others_do_not_help() -> None:
    result = judge(*(offer(n, at(6, 12, n)) for n in range(1, 5)), offer(5, at(7, 12)), offer(6, at(8, 12)))
    assert result.met
    assert result.counted == (1, 5, 6)
    assert [u.offer_id for u in result.unhelpful] == [2, 3, 4]


def test_r5_4_the_same_time_twice_is_one_offer() -> None:
    assert judge(offer(1, at(6, 12)), offer(2, at(6, 12))).unhelpful == (Unhelpful(2, Reason.TOO_CLOSE, 1),)


def test_r5_1_the_deadline_is_strict() -> None:
    late = offer(3, at(9, 12), made_at=SATURDAY)
    in_time = offer(3, at(9, 12), made_at=SATURDAY - timedelta(seconds=1))
    others = (offer(1, at(6, 12)), offer(2, at(7, 12)))
    assert judge(*others, late).unhelpful == (Unhelpful(3, Reason.MADE_AFTER_DEADLINE),)
    assert judge(*others, in_time).met


def test_q3_retracted_before_the_deadline_does_not_count_afterwards_does() -> None:
    others = (offer(1, at(6, 12)), offer(2, at(7, 12)))
    before = offer(3, at(9, 12), state=OfferState.RETRACTED, changed_at=SATURDAY - HOUR)
    after = offer(3, at(9, 12), state=OfferState.RETRACTED, changed_at=SATURDAY)
    assert judge(*others, before) == Duty((1, 2), False, 1, (Unhelpful(3, Reason.RETRACTED),))
    assert judge(*others, after).met


def test_q3_a_time_that_has_passed_and_an_accepted_offer_count() -> None:
    passed = offer(1, at(4, 15))
    accepted = offer(2, at(6, 12), state=OfferState.ACCEPTED, changed_at=at(5, 12))
    assert judge(passed, accepted, offer(3, at(7, 12))).met


def test_q4_an_offer_outside_the_window_does_not_help() -> None:
    result = judge(offer(1, at(6, 12)), offer(2, at(12, 12)), offer(3, at(4, 13, 30)))
    assert result.counted == (1,)
    assert result.unhelpful == (Unhelpful(2, Reason.TOO_LATE), Unhelpful(3, Reason.TOO_SHORT_NOTICE))


STARTS = st.lists(st.integers(min_value=0, max_value=4 * 24), max_size=9)


def brute_force(hours: list[int], gap: int, per_date: int) -> int:
    """The size of the largest compatible set, by trying all."""
    for size in range(len(hours), 0, -1):
        for chosen in combinations(hours, size):
            dates = [(12 + h) // 24 for h in chosen]
            apart = all(abs(x - y) >= gap for x, y in combinations(chosen, 2))
            if apart and all(dates.count(d) <= per_date for d in dates):
                return size
    return 0


@settings(derandomize=True, deadline=None, max_examples=400)
@given(hours=STARTS, gap=st.integers(1, 9), per_date=st.integers(1, 3))
def test_r5_4_the_counted_set_is_a_largest_one(hours: list[int], gap: int, per_date: int) -> None:
    rules = DutyRules(
        count=3, min_gap=gap * HOUR, max_per_date=per_date, min_notice=timedelta(0), latest_before_deadline=timedelta(0)
    )
    offers = [offer(n, TUESDAY + h * HOUR, made_at=TUESDAY - HOUR) for n, h in enumerate(hours, start=1)]
    result = duty(offers, SATURDAY, WINDOW, rules)
    chosen = [hours[n - 1] for n in result.counted]
    assert len(chosen) == brute_force(hours, gap, per_date)
    assert brute_force(chosen, gap, per_date) == len(chosen), "the chosen ones fit together"
    assert sorted([*result.counted, *(u.offer_id for u in result.unhelpful)]) == [o.id for o in offers]
    assert duty(reversed(offers), SATURDAY, WINDOW, rules) == result


def test_r5_4_sixty_offers_are_no_burden() -> None:
    offers = [offer(n, TUESDAY + 2 * HOUR + timedelta(minutes=75 * n)) for n in range(1, 61)]
    result = judge(*offers)
    dates = [o.starts_at.date() for o in offers if o.id in result.counted]
    assert len(result.counted) == 8
    assert [dates.count(d) for d in sorted(set(dates))] == [2, 2, 2, 2]


# --- Accepting ------------------------------------------------------------------------------------------------

MATCH = Match(id=1, edition_id=1, round_id=1, board=1, a_id=10, b_id=20)
AGREED = Match(id=1, edition_id=1, round_id=1, board=1, a_id=10, b_id=20, agreed_at=at(7, 12), agreed_offer_id=9)


NOW = at(5, 12)


def accept(
    one: Offer, *, by: int = 20, now: datetime = NOW, chosen: datetime | None = None, match: Match = MATCH
) -> Reason | None:
    return can_accept(one, match, by, now, WINDOW, RULES, at=chosen)


def test_r5_1_the_opponent_accepts_until_the_time_has_come() -> None:
    assert accept(offer(1, at(6, 18))) is None
    assert accept(offer(1, at(6, 18)), now=at(6, 17, 59)) is None
    assert accept(offer(1, at(6, 18)), now=at(6, 18)) is Reason.PASSED


def test_r5_1_who_may_accept() -> None:
    assert accept(offer(1, at(6, 18)), by=10) is Reason.OWN_OFFER
    assert accept(offer(1, at(6, 18)), by=30) is Reason.NOT_A_PLAYER


def test_r5_1_an_agreed_match_or_a_retracted_offer_is_not_accepted() -> None:
    assert accept(offer(1, at(6, 18)), match=AGREED) is Reason.ALREADY_AGREED
    assert accept(offer(1, at(6, 18), state=OfferState.RETRACTED, changed_at=at(5, 1))) is Reason.RETRACTED


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        (None, Reason.CHOOSE_MINUTE),
        (at(8, 14), None),
        (at(8, 17, 23), None),
        (at(8, 20), None),
        (at(8, 13, 59), Reason.NOT_IN_RANGE),
        (at(8, 20, 1), Reason.NOT_IN_RANGE),
        (at(8, 17) + timedelta(seconds=30), Reason.NOT_IN_RANGE),
    ],
)
def test_q4_any_minute_of_a_range(chosen: datetime | None, reason: Reason | None) -> None:
    assert accept(offer(1, at(8, 14), ends_at=at(8, 20)), chosen=chosen) is reason


def test_q4_a_running_range_offers_only_what_is_left() -> None:
    ranged = offer(1, at(8, 14), ends_at=at(8, 20))
    assert accept(ranged, now=at(8, 16), chosen=at(8, 15)) is Reason.PASSED
    assert accept(ranged, now=at(8, 16), chosen=at(8, 17)) is None
    assert accept(ranged, now=at(8, 20), chosen=at(8, 20)) is Reason.PASSED
    assert accept(ranged, now=at(8, 20)) is Reason.PASSED


def test_q4_a_range_into_the_last_hour_cannot_be_accepted_there() -> None:
    ranged = offer(1, at(10, 20), ends_at=at(10, 23, 59))
    assert accept(ranged, chosen=at(10, 23)) is None
    assert accept(ranged, chosen=at(10, 23, 1)) is Reason.TOO_LATE


def test_q4_a_single_time_is_not_moved() -> None:
    assert accept(offer(1, at(6, 18)), chosen=at(6, 19)) is Reason.NOT_IN_RANGE
    assert accept(offer(1, at(6, 18)), chosen=at(6, 18)) is None

"""Reminders about one match: when each comes, until when it is of use, and to whom (R5.7, Q13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Match, Offer, OfferState
from engine.reminders import Kind, Moment, addressed, answer_due, around_the_match, fixed_at, unanswered
from engine.terms import NO_TERMS, Setting, Terms

NOON = datetime(2026, 3, 22, 12, tzinfo=UTC)
PLAY = datetime(2026, 3, 28, 18, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
A, B = 1, 2


def offer(id: int, by: int, made_at: datetime = NOON, **fields: object) -> Offer:
    return Offer(id=id, match_id=7, entrant_id=by, starts_at=PLAY, made_at=made_at, **fields)  # type: ignore[arg-type]


def match(agreed_at: datetime | None = PLAY, offer_id: int | None = None) -> Match:
    return Match(id=7, edition_id=1, round_id=1, board=1, a_id=A, b_id=B, agreed_at=agreed_at, agreed_offer_id=offer_id)


# --- Before and after the agreed time ---------------------------------------------------------------------------


def test_a_match_agreed_long_ago_is_reminded_of_three_times_and_asked_after_once() -> None:
    assert around_the_match(PLAY, NOON) == (
        Moment(Kind.DAY_BEFORE, PLAY - 24 * HOUR, PLAY - HOUR),
        Moment(Kind.HOUR_BEFORE, PLAY - HOUR, PLAY - 10 * MINUTE),
        Moment(Kind.MINUTES_BEFORE, PLAY - 10 * MINUTE, PLAY),
        Moment(Kind.NOT_STARTED, PLAY + 15 * MINUTE, PLAY + 75 * MINUTE),
    )


@pytest.mark.parametrize(
    ("ahead", "kinds"),
    [
        (24 * HOUR + SECOND, [Kind.DAY_BEFORE, Kind.HOUR_BEFORE, Kind.MINUTES_BEFORE, Kind.NOT_STARTED]),
        (24 * HOUR, [Kind.HOUR_BEFORE, Kind.MINUTES_BEFORE, Kind.NOT_STARTED]),
        (HOUR + SECOND, [Kind.HOUR_BEFORE, Kind.MINUTES_BEFORE, Kind.NOT_STARTED]),
        (HOUR, [Kind.MINUTES_BEFORE, Kind.NOT_STARTED]),
        (30 * MINUTE, [Kind.MINUTES_BEFORE, Kind.NOT_STARTED]),
        (10 * MINUTE, [Kind.NOT_STARTED]),
        (SECOND, [Kind.NOT_STARTED]),
    ],
)
def test_only_what_comes_after_the_agreement_reminds_of_it(ahead: timedelta, kinds: list[Kind]) -> None:
    assert [moment.kind for moment in around_the_match(PLAY, PLAY - ahead)] == kinds


def test_the_time_was_fixed_when_its_offer_was_accepted_or_when_it_was_set() -> None:
    offers = [offer(1, A), offer(2, B, state=OfferState.ACCEPTED, changed_at=NOON + HOUR)]
    was_set = Terms(times=(Setting(at=PLAY, by=A, set_at=NOON + 3 * HOUR, fact_id=9),))
    assert fixed_at(match(offer_id=2), offers, was_set) == NOON + HOUR
    assert fixed_at(match(), offers, was_set) == NOON + 3 * HOUR
    assert fixed_at(match(agreed_at=None), offers, was_set) is None
    assert fixed_at(match(), [], NO_TERMS) is None


# --- R5.7: an answer ----------------------------------------------------------------------------------------------


def ids(*offers: Offer) -> list[int]:
    return [offer.id for offer in unanswered(offers)]


def test_r5_7_an_offer_is_answered_by_an_offer_or_an_acceptance_and_by_nothing_else() -> None:
    first, second = offer(1, A), offer(2, A, NOON + HOUR)
    assert ids() == []
    assert ids(first) == [1]
    assert ids(first, second) == [1, 2], "the silence goes on from the first"
    assert ids(first, offer(2, B)) == [2], "also in the same second: now the other waits"
    assert ids(first, offer(2, B), offer(3, A)) == [3]
    assert ids(first, second, offer(3, B, state=OfferState.RETRACTED)) == [3], "it was an answer"


def test_r5_7_what_was_accepted_was_answered_even_if_the_time_fell_through() -> None:
    accepted = offer(1, A, state=OfferState.ACCEPTED, changed_at=NOON + HOUR)
    assert ids(accepted, offer(2, A)) == []
    assert ids(accepted, offer(2, A, NOON + 2 * HOUR)) == [2]


def test_r5_7_taking_back_ones_own_offer_keeps_the_silence_one() -> None:
    """So that there is one reminder in a row of offers, whatever becomes of the first."""
    assert ids(offer(1, A, state=OfferState.RETRACTED, changed_at=NOON), offer(2, A, NOON + HOUR)) == [1, 2]


@settings(derandomize=True, max_examples=200)
@given(st.lists(st.sampled_from([A, B]), max_size=12), st.randoms(use_true_random=False))
def test_r5_7_the_unanswered_are_all_of_one_side_and_after_every_word_of_the_other(sides: list[int], dice) -> None:
    offers = [offer(n, by, NOON + n * MINUTE) for n, by in enumerate(sides, start=1)]
    shuffled = dice.sample(offers, len(offers))
    found = unanswered(shuffled)
    assert [o.id for o in found] == sorted(o.id for o in found)
    for one in offers:
        later_words = [other for other in offers if other.entrant_id != one.entrant_id and other.id > one.id]
        assert (one in found) == (not later_words)


def test_r5_7_the_reminder_comes_after_a_day_and_is_of_use_for_another() -> None:
    day, closes = 24 * HOUR, NOON + 9 * 24 * HOUR
    assert answer_due(offer(1, A), day, closes) == Moment(Kind.ANSWER, NOON + day, NOON + 2 * day)
    assert answer_due(offer(1, A), day, NOON + 30 * HOUR).expires == NOON + 30 * HOUR


def test_who_has_switched_a_reminder_off_is_not_addressed() -> None:
    assert addressed(Kind.ANSWER, {A: (), B: ()}) == (A, B)
    assert addressed(Kind.ANSWER, {A: ("answer", "day_before"), B: ("hour_before",)}) == (B,)
    assert addressed(Kind.HOUR_BEFORE, {B: ("hour_before",)}) == ()

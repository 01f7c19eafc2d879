"""Offers of a start time: which count, whether the duty is met, who may accept (R5.1, R5.4, Q3, Q4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from engine.model import Match, Offer, OfferState
from engine.terms import Terms

_MINUTE = timedelta(minutes=1)


class Reason(StrEnum):
    """Why an offer does not count, does not help, or cannot be accepted."""

    IN_THE_PAST = "in_the_past"
    BEFORE_PUBLICATION = "before_publication"
    TOO_SHORT_NOTICE = "too_short_notice"
    TOO_LATE = "too_late"
    ENDS_BEFORE_START = "ends_before_start"
    MADE_AFTER_DEADLINE = "made_after_deadline"
    RETRACTED = "retracted"
    LAPSED = "lapsed"
    TOO_CLOSE = "too_close"
    DATE_FULL = "date_full"
    NOT_A_PLAYER = "not_a_player"
    OWN_OFFER = "own_offer"
    ALREADY_AGREED = "already_agreed"
    PASSED = "passed"
    CHOOSE_MINUTE = "choose_minute"
    NOT_IN_RANGE = "not_in_range"
    OUTSIDE_WINDOW = "outside_window"


@dataclass(frozen=True, slots=True)
class Window:
    """When a match may be played: from the publication (inclusive) to the match deadline (exclusive)."""

    opens: datetime
    closes: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DutyRules:
    """R5.1 and R5.4 as numbers: `count` offers, `min_gap` between starts, `max_per_date` starts on one UTC date.

    `min_notice`: between making an offer and its start; `latest_before_deadline`: from the latest start to the match
    deadline (Q4).
    """

    count: int
    min_gap: timedelta
    max_per_date: int
    min_notice: timedelta
    latest_before_deadline: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRules:
    """R5.5 and Q5 for a time that is chosen by one side: at least `min_notice` ahead, the start no later than
    `latest_before_deadline` before the match deadline."""

    min_notice: timedelta
    latest_before_deadline: timedelta


@dataclass(frozen=True, slots=True)
class Right:
    """The right to set the time of a match (R5.5, R5.9): whose it is, and until when (exclusive)."""

    entrant_id: int
    until: datetime


@dataclass(frozen=True, slots=True)
class Unhelpful:
    """An offer that adds nothing to the duty, and the counted offer it stands against, if any."""

    offer_id: int
    reason: Reason
    against_id: int | None = None


@dataclass(frozen=True, slots=True)
class Duty:
    """`counted`: a largest set of offers that satisfies R5.4 together, by start. `missing` to the duty."""

    counted: tuple[int, ...]
    met: bool
    missing: int
    unhelpful: tuple[Unhelpful, ...]


def why_not(
    offer_start: datetime, offer_end: datetime | None, made_at: datetime, window: Window, rules: DutyRules
) -> Reason | None:
    """Why an offer does not count, None if it does (Q4). A range counts by its start."""
    if offer_end is not None and offer_end < offer_start:
        return Reason.ENDS_BEFORE_START
    if offer_start < window.opens:
        return Reason.BEFORE_PUBLICATION
    if offer_start <= made_at:
        return Reason.IN_THE_PAST
    if offer_start - made_at < rules.min_notice:
        return Reason.TOO_SHORT_NOTICE
    if offer_start > window.closes - rules.latest_before_deadline:
        return Reason.TOO_LATE
    return None


def duty(offers: Iterable[Offer], deadline: datetime, window: Window, rules: DutyRules) -> Duty:
    """The duty of one player, from all the offers that player made for the match (R5.1, R5.4, Q3).

    Counted are offers made before `deadline` and not retracted before it, whether or not their time has passed.
    That an accepted offer ends the duty is for the caller. Before the deadline this is the state so far. A proposal to
    move an agreed match is no offer in the sense of the duty.
    """
    unhelpful: list[Unhelpful] = []
    eligible: list[Offer] = []
    for offer in (offer for offer in offers if not offer.moves):
        reason = _not_eligible(offer, deadline, window, rules)
        if reason is None:
            eligible.append(offer)
        else:
            unhelpful.append(Unhelpful(offer.id, reason))
    counted, rest = _largest(eligible, rules)
    unhelpful.extend(rest)
    return Duty(
        counted=tuple(offer.id for offer in counted),
        met=len(counted) >= rules.count,
        missing=max(0, rules.count - len(counted)),
        unhelpful=tuple(sorted(unhelpful, key=lambda u: u.offer_id)),
    )


def can_accept(
    offer: Offer,
    match: Match,
    by: int,
    now: datetime,
    window: Window,
    rules: DutyRules,
    *,
    at: datetime | None = None,
) -> Reason | None:
    """Why entrant `by` cannot accept `offer` now, None if it can (R5.1, Q4).

    `at` is the minute chosen from a range; it may be left out for a single time. No notice is asked of an acceptance.
    """
    if not match.has(by):
        return Reason.NOT_A_PLAYER
    if offer.entrant_id == by:
        return Reason.OWN_OFFER
    if offer.state is OfferState.ACCEPTED or (match.agreed_at is not None and not offer.moves):
        return Reason.ALREADY_AGREED
    if offer.state is OfferState.RETRACTED:
        return Reason.RETRACTED
    if offer.state is OfferState.LAPSED:
        return Reason.LAPSED
    last = offer.ends_at or offer.starts_at
    if last <= now:
        return Reason.PASSED
    if at is None and offer.ends_at is not None and offer.ends_at != offer.starts_at:
        return Reason.CHOOSE_MINUTE
    chosen = at or offer.starts_at
    whole_minute = chosen == offer.starts_at or (chosen.second, chosen.microsecond) == (0, 0)
    if not offer.starts_at <= chosen <= last or not whole_minute:
        return Reason.NOT_IN_RANGE
    if chosen <= now:
        return Reason.PASSED
    if chosen > window.closes - rules.latest_before_deadline:
        return Reason.TOO_LATE
    return None


def right_to_choose(
    match: Match, terms: Terms, usual_end: datetime, window: Window, rules: ChoiceRules
) -> Right | None:
    """Who may set the time, found at fault is exactly the other (R5.5, R5.9, Q5); None when nobody may.

    `usual_end`: Sunday 12:00. A right that came late, by a TD's ruling or after an outage, lasts as long as the notice
    that a chosen time needs; but none lasts longer than there is a time that may be chosen.
    """
    fault, guilty = terms.fault, terms.at_fault
    if fault is None or len(guilty) != 1 or match.agreed_at is not None:
        return None
    last = window.closes - rules.latest_before_deadline - rules.min_notice + _MINUTE
    return Right(match.opponent_of(guilty[0]), min(last, max(usual_end, fault.found_at + rules.min_notice)))


def cannot_start(at: datetime, now: datetime, window: Window, rules: ChoiceRules) -> Reason | None:
    """Why a time that one side sets, or a TD, is not possible: the window, the notice, the time to play (Q5)."""
    if at <= now:
        return Reason.IN_THE_PAST
    if not window.opens <= at < window.closes:
        return Reason.OUTSIDE_WINDOW
    if at > window.closes - rules.latest_before_deadline:
        return Reason.TOO_LATE
    if at - now < rules.min_notice:
        return Reason.TOO_SHORT_NOTICE
    return None


def agreed_in_time(offers: Iterable[Offer], deadline: datetime) -> bool:
    """R5.1: an offer that was accepted before the offer deadline ends the duty, whatever becomes of the match (Q3)."""
    return any(
        offer.state is OfferState.ACCEPTED and offer.changed_at is not None and offer.changed_at < deadline
        for offer in offers
    )


def _not_eligible(offer: Offer, deadline: datetime, window: Window, rules: DutyRules) -> Reason | None:
    if offer.made_at >= deadline:
        return Reason.MADE_AFTER_DEADLINE
    if offer.state is OfferState.RETRACTED and (offer.changed_at is None or offer.changed_at < deadline):
        return Reason.RETRACTED
    return why_not(offer.starts_at, offer.ends_at, offer.made_at, window, rules)


def _largest(eligible: Sequence[Offer], rules: DutyRules) -> tuple[list[Offer], list[Unhelpful]]:
    """A largest set with R5.4's gap and number per date: the earliest offer that still fits, again and again.

    This is exact. Let g be this choice and o any other valid choice, both by start: g_k <= o_k for every k. Suppose so
    up to k. Then g_k leaves at least the gap before o_{k+1}. And if g_k lies on the date of o_{k+1}, so does o_k; g
    has then no more on that date than o, because otherwise some g_j on it would face an o_j on an earlier date. So
    o_{k+1} fits after g_k, and g takes it or an earlier one; g never ends before o.
    """
    counted: list[Offer] = []
    unhelpful: list[Unhelpful] = []
    for offer in sorted(eligible, key=lambda o: (o.starts_at, o.id)):
        same_date = [o for o in counted if o.starts_at.date() == offer.starts_at.date()]
        if counted and offer.starts_at - counted[-1].starts_at < rules.min_gap:
            unhelpful.append(Unhelpful(offer.id, Reason.TOO_CLOSE, counted[-1].id))
        elif len(same_date) >= rules.max_per_date:
            against = same_date[-1].id if same_date else None
            unhelpful.append(Unhelpful(offer.id, Reason.DATE_FULL, against))
        else:
            counted.append(offer)
    return counted, unhelpful

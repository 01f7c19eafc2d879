"""Reminders about one match that a player may switch off: what they are, when they come, and to whom (R5.7).

The three about the duty of offers (R5.1) carry a rule and are in `calendar`: nobody switches those off.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import takewhile

from engine.model import Match, Offer, OfferState
from engine.terms import Terms


class Kind(StrEnum):
    """ANSWER: to an offer that nothing was said to; three before the match; NOT_STARTED: no game after its time."""

    ANSWER = "answer"
    DAY_BEFORE = "day_before"
    HOUR_BEFORE = "hour_before"
    MINUTES_BEFORE = "minutes_before"
    NOT_STARTED = "not_started"


BEFORE: Mapping[Kind, timedelta] = {
    Kind.DAY_BEFORE: timedelta(hours=24),
    Kind.HOUR_BEFORE: timedelta(hours=1),
    Kind.MINUTES_BEFORE: timedelta(minutes=10),
}
NOT_STARTED_AFTER = timedelta(minutes=15)
"""More than the ten minutes of grace (R6.3). To be late is no fault in itself (Q13)."""
NOT_STARTED_FOR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a reminder comes, and from when on (exclusive) it would come too late to be of use."""

    kind: Kind
    at: datetime
    expires: datetime


def around_the_match(agreed_at: datetime, fixed_at: datetime) -> tuple[Moment, ...]:
    """The reminders of a match that is to start at `agreed_at`, in order of time.

    `fixed_at`: when that time was fixed. Only moments after it remind of anything. Before the match each is of use
    until the next one, or the match itself, says more.
    """
    before = [(kind, agreed_at - ahead) for kind, ahead in BEFORE.items()]
    ends = [*(at for _, at in before[1:]), agreed_at]
    late = agreed_at + NOT_STARTED_AFTER
    moments = [Moment(kind, at, end) for (kind, at), end in zip(before, ends, strict=True)]
    moments.append(Moment(Kind.NOT_STARTED, late, late + NOT_STARTED_FOR))
    return tuple(moment for moment in moments if fixed_at < moment.at)


def fixed_at(match: Match, offers: Sequence[Offer], terms: Terms) -> datetime | None:
    """When the time of a match was fixed: by accepting one of its `offers`, or set (R5.5, R5.9); None without one."""
    if match.agreed_at is None:
        return None
    accepted = next((offer for offer in offers if offer.id == match.agreed_offer_id), None)
    if accepted is not None:
        return accepted.changed_at
    return terms.set.set_at if terms.set is not None else None


def unanswered(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """What one side has offered since the other last said anything, in order; whatever became of these offers.

    `offers`: all of a match. To offer another time or to accept is to answer (R5.7); to take back one's own is not.
    """
    in_order = sorted(offers, key=lambda offer: offer.id)
    if not in_order:
        return ()
    last = in_order[-1].entrant_id
    row = list(takewhile(lambda offer: offer.entrant_id == last, reversed(in_order)))
    answers = [o.changed_at for o in offers if o.state is OfferState.ACCEPTED and o.changed_at is not None]
    return tuple(offer for offer in reversed(row) if all(offer.made_at > at for at in answers))


def answer_due(first_open: Offer, within: timedelta, closes: datetime) -> Moment:
    """R5.7: the reminder to answer, from the first offer that still can be accepted. It is of use as long again, while
    the match may be played."""
    at = first_open.made_at + within
    return Moment(Kind.ANSWER, at, min(at + within, closes))


def addressed(kind: Kind, muted: Mapping[int, Collection[str]]) -> tuple[int, ...]:
    """Who of these entrants is pinged; `muted`: what each has switched off."""
    return tuple(entrant_id for entrant_id, kinds in muted.items() if kind not in kinds)

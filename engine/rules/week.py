"""The arithmetic of one week (R4.3, R4.4, R5.1): from the moment of a publication to its deadlines and the next one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from engine.rules.schema import Offers, Week


@dataclass(frozen=True, slots=True)
class Window:
    """A round's moments, aware UTC; both deadlines are exclusive ends."""

    publish_at: datetime
    offers_by: datetime
    matches_by: datetime


def window(week: Week, publish_at: datetime) -> Window:
    """The offer deadline after the publication, and the match deadline after that (R4.1, the reading of R4.4)."""
    offers_by = week.offer_deadline.end_after(publish_at)
    matches_by = week.match_deadline.end_after(offers_by) + timedelta(weeks=week.weeks_per_round - 1)
    return Window(publish_at, offers_by, matches_by)


def first_publication(week: Week, starts: date) -> datetime:
    """R4.3: the start day at the hour of the first publication."""
    return datetime.combine(starts, week.first_publish, tzinfo=UTC)


def next_publication(week: Week, matches_by: datetime, free_weeks: int = 0) -> datetime:
    """R4.2, R4.3: the publication that follows a match deadline, after so many free weeks."""
    return week.publish.next_after(matches_by - timedelta(microseconds=1)) + timedelta(weeks=free_weeks)


def most_offers(offers: Offers, span: Window) -> int:
    """How many starts fit between a publication and the match deadline by R5.4 and Q4, counted up to the duty.

    Taking the earliest start each time is best: it leaves the most room for the rest.
    """
    latest = span.matches_by - offers.latest_before_deadline
    moment = span.publish_at + offers.min_notice
    fitted = on_this_date = 0
    while moment <= latest and fitted < offers.count:
        fitted += 1
        on_this_date += 1
        following = moment + offers.min_gap
        if on_this_date == offers.max_per_date:
            midnight = datetime.combine(moment.date() + timedelta(days=1), datetime.min.time(), tzinfo=UTC)
            following = max(following, midnight)
        if following.date() != moment.date():
            on_this_date = 0
        moment = following
    return fitted

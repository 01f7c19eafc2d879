"""From a way to understand a text (`cogs.times_spec.Spec`) to moments, judged by the present and the match window.

Everything that a text leaves open (day or month first, which year, which of two Sundays, which half of a doubled hour)
is tried, and what falls into the window and not into the past is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

from cogs.times_spec import DAY, Clock, Spec

_FURTHEST_WINDOW = 120  # days looked through; a match window has about seven
Span = tuple[datetime, datetime | None]


class Reason(StrEnum):
    """Why a text was refused."""

    UNREADABLE = "unreadable"
    NO_TIME = "no_time"
    NO_DATE = "no_date"
    NO_SUCH_DATE = "no_such_date"
    WEEKDAY_CONTRADICTS = "weekday_contradicts"
    NONEXISTENT = "nonexistent_local_time"
    PAST = "past"
    OUTSIDE_WINDOW = "outside_window"
    UNKNOWN_ZONE = "unknown_zone"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class Frame:
    """The context of a text: the present and the window [first, last) in UTC, and the zone of a bare time."""

    now: datetime
    first: datetime
    last: datetime
    zone: tzinfo

    def holds(self, moment: datetime) -> bool:
        return self.first <= moment < self.last

    def days(self, zone: tzinfo) -> list[date]:
        """The local days from today or the window's beginning, whichever is later, to the window's end."""
        first = max(self.first, self.now).astimezone(zone).date()
        count = (self.last.astimezone(zone).date() - first).days + 1
        return [first + timedelta(days=i) for i in range(min(count, _FURTHEST_WINDOW))]

    def today(self, zone: tzinfo) -> date:
        return self.now.astimezone(zone).date()


@dataclass(slots=True)
class Verdict:
    """What became of all understandings of one text. `spans` are the moments that stand."""

    spans: set[Span] = field(default_factory=set[Span])
    refused_inside: set[Reason] = field(default_factory=set[Reason])
    nearest: tuple[timedelta, Reason] | None = None
    contradicted: bool = False

    def reason(self) -> Reason:
        """The refusal that helps most: what is wrong with the reading nearest to what was meant."""
        for inside in (Reason.NONEXISTENT, Reason.WEEKDAY_CONTRADICTS):
            if inside in self.refused_inside:
                return inside
        if self.nearest:
            return self.nearest[1]
        return Reason.WEEKDAY_CONTRADICTS if self.contradicted else Reason.NO_SUCH_DATE

    def refuse(self, distance: timedelta, reason: Reason) -> None:
        if self.nearest is None or (distance, reason) < self.nearest:
            self.nearest = (distance, reason)


def judge(spec: Spec, zone: tzinfo, frame: Frame, verdict: Verdict) -> None:
    """Adds to `verdict` what a complete `spec` comes to when its clock is read in `zone`."""
    if spec.is_moment:
        _place(_moment(spec, frame), None, frame, verdict)
        return
    assert spec.start is not None
    for day in _days(spec, zone, frame):
        agrees = _agrees(day, spec, zone, frame)
        for extra in (0, 1) if spec.next_too else (0,):
            spans = _spans(day + timedelta(days=extra), spec.start, spec.end, zone)
            _weigh(spans, agrees, frame, verdict, _at(day, spec.start.minutes, zone, fold=0))


def names_a_day_inside(spec: Spec, zone: tzinfo, frame: Frame) -> bool:
    """Whether a spec without a clock names a day of the window that is not over ("Sat 8" when Saturday is the 8th)."""
    inside = set(frame.days(zone))
    return any(day in inside and _agrees(day, spec, zone, frame) for day in _days(spec, zone, frame))


def _moment(spec: Spec, frame: Frame) -> datetime:
    if spec.moment is not None:
        return spec.moment
    assert spec.delay is not None
    # up to the full minute: "in 1 hour" must not fall short of an hour's notice (Q4)
    return _next_minute(frame.now + spec.delay)


def _next_minute(moment: datetime) -> datetime:
    whole = moment.replace(second=0, microsecond=0)
    return whole if whole == moment else whole + timedelta(minutes=1)


# --- Days --------------------------------------------------------------------------------------------------------


def _days(spec: Spec, zone: tzinfo, frame: Frame) -> list[date]:
    """The days that a spec may mean, before its weekday is checked."""
    if spec.date is not None:
        return list(_dates(spec.date, zone, frame))
    if spec.dom is not None:
        return list(_days_of_month(spec.dom, zone, frame))
    if spec.ahead is not None:
        # "tomorrow" is said where the player lives, or where the named zone is: two answers around midnight
        return sorted({frame.today(z) + timedelta(days=spec.ahead) for z in (zone, frame.zone)})
    if spec.weekday is None:
        return frame.days(zone) or [frame.today(zone)]
    today = frame.today(zone)
    coming = [today + timedelta(days=i) for i in range(8)]
    if spec.soonest:
        return [day for day in coming if day.weekday() == spec.weekday][:1]
    return sorted(day for day in {*coming, *frame.days(zone)} if day.weekday() == spec.weekday)


def _dates(named: tuple[int | None, int, int], zone: tzinfo, frame: Frame) -> Iterator[date]:
    year, month, day = named
    if year is not None:
        years = {year}
    else:
        years = {d.year for d in frame.days(zone)} | {_nearest_year(month, day, frame.today(zone))}
    for candidate in sorted(years):
        if found := _date(candidate, month, day):
            yield found


def _nearest_year(month: int, day: int, today: date) -> int:
    found = [d for year in (-1, 0, 1) if (d := _date(today.year + year, month, day))]
    return min(found, key=lambda d: abs(d - today)).year if found else today.year


def _days_of_month(dom: int, zone: tzinfo, frame: Frame) -> Iterator[date]:
    months = {(d.year, d.month) for d in (frame.today(zone), *frame.days(zone))}
    for year, month in sorted(months):
        if found := _date(year, month, dom):
            yield found


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _agrees(day: date, spec: Spec, zone: tzinfo, frame: Frame) -> bool:
    if spec.weekday is not None and day.weekday() != spec.weekday:
        return False
    if spec.dom is not None and day.day != spec.dom:
        return False
    return spec.ahead is None or any((day - frame.today(z)).days == spec.ahead for z in (zone, frame.zone))


# --- Moments -----------------------------------------------------------------------------------------------------


def _spans(day: date, start: Clock, end: Clock | None, zone: tzinfo) -> list[Span]:
    starts = _instants(day, start.minutes, zone)
    if end is None:
        return [(moment, None) for moment in starts]
    over_midnight = DAY if end.minutes <= start.minutes else 0
    ends = _instants(day, end.minutes + over_midnight, zone)
    return [(first, last) for first in starts for last in ends if first < last]


def _instants(day: date, minutes: int, zone: tzinfo) -> list[datetime]:
    """The moments at which the wall clock shows that time: none in the hour that is skipped, two in a doubled one."""
    # A wall clock has no zone yet.
    wall = datetime(day.year, day.month, day.day) + timedelta(minutes=minutes)  # noqa: DTZ001
    moments = {wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return sorted(m for m in moments if m.astimezone(zone).replace(tzinfo=None) == wall)


def _at(day: date, minutes: int, zone: tzinfo, *, fold: int) -> datetime:
    wall = datetime(day.year, day.month, day.day, tzinfo=zone, fold=fold) + timedelta(minutes=minutes)
    return wall.astimezone(UTC)


def _weigh(spans: list[Span], agrees: bool, frame: Frame, verdict: Verdict, about: datetime) -> None:
    """`about` stands for the moment where the wall clock never shows it."""
    inside = frame.holds(about) and about >= frame.now
    if not agrees:
        verdict.contradicted = True
        if inside:
            verdict.refused_inside.add(Reason.WEEKDAY_CONTRADICTS)
    elif not spans:
        if inside:
            verdict.refused_inside.add(Reason.NONEXISTENT)
        verdict.refuse(abs(about - frame.now), Reason.NONEXISTENT)
    else:
        for start, end in spans:
            _place(start, end, frame, verdict)


def _place(start: datetime, end: datetime | None, frame: Frame, verdict: Verdict) -> None:
    if start < frame.now:
        verdict.refuse(frame.now - start, Reason.PAST)
    elif not frame.holds(start):
        verdict.refuse(start - frame.now, Reason.OUTSIDE_WINDOW)
    else:
        verdict.spans.add((start, end))

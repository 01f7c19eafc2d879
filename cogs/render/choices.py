"""Times while they are typed: one short line each, without markdown, at most 100 characters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from cogs.render import times
from cogs.times import Reading as TimeRead
from cogs.times import Reason, Unreadable

LIMIT = 100
_WHY = {
    Reason.UNREADABLE: "not a time I can read",
    Reason.NO_TIME: "which hour?",
    Reason.NO_DATE: "which day?",
    Reason.NO_SUCH_DATE: "there is no such date",
    Reason.WEEKDAY_CONTRADICTS: "weekday and date do not go together",
    Reason.NONEXISTENT: "daylight saving skips that hour on that day",
    Reason.PAST: "has passed",
    Reason.OUTSIDE_WINDOW: "outside the window of this match",
    Reason.UNKNOWN_ZONE: "unknown time zone",
    Reason.TOO_LONG: "too long",
    Reason.TOO_MANY: "too many times at once",
}


def understood(reads: Sequence[TimeRead], now: datetime, zone: tzinfo) -> str:
    """`Sat 25 Mar 18:00 UTC, in 3 days, 19:00 for you`; several times in UTC only."""
    if len(reads) > 1:
        listed = ", ".join(_utc(read).removesuffix(" UTC") for read in reads)
        return _cut(f"{len(reads)} times, UTC: {listed}")
    (read,) = reads
    parts = [_utc(read), ahead(read.start - now)]
    if read.start.astimezone(zone).utcoffset() != timedelta(0):
        parts.append(_on_the_clock(read, zone))
    return _cut(", ".join(parts))


def refused(item: Unreadable) -> str:
    text = item.text if len(item.text) <= 40 else item.text[:39] + "…"
    return _cut(f"“{text}”: {_WHY[Reason(item.reason)]}")


def too_open() -> str:
    """More ways to read it than a list can hold."""
    return "This can be read in many ways: write date, 24-hour time and zone"


def typed(read: TimeRead) -> str:
    """The time so that it has one reading only: `25 Mar 2023 18:00 UTC`."""
    text = f"{read.start.astimezone(UTC):%d %b %Y %H:%M}"
    if read.end is not None:
        text += f"-{read.end.astimezone(UTC):%H:%M}"
    return f"{text} UTC"


def ahead(left: timedelta) -> str:
    """How far away a moment is, in the largest unit that says something."""
    minutes = int(left.total_seconds() // 60)
    for size, unit in ((24 * 60, "day"), (60, "hour")):
        if minutes >= 2 * size:
            return f"in {(minutes + size // 2) // size} {unit}s"
    return f"in {minutes} min"


def _utc(read: TimeRead) -> str:
    if read.end is None:
        return times.utc(read.start)
    over = "" if read.end.date() == read.start.date() else f"{read.end:%a} "
    return f"{times.short(read.start)}–{over}{read.end.astimezone(UTC):%H:%M} UTC"


def _on_the_clock(read: TimeRead, zone: tzinfo) -> str:
    local = read.start.astimezone(zone)
    day = "" if local.date() == read.start.astimezone(UTC).date() else f"{local:%a} "
    return f"{day}{local:%H:%M} for you"


def _cut(text: str) -> str:
    return text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"

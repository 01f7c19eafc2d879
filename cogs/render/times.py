"""Moments as people read them: UTC in words, and Discord's timestamp for the reader's own clock (R5.3)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_MINUTE = timedelta(minutes=1)


def utc(moment: datetime) -> str:
    """`Sat 25 Mar 18:00 UTC`."""
    moment = moment.astimezone(UTC)
    return f"{moment:%a} {moment.day} {moment:%b %H:%M} UTC"


def short(moment: datetime) -> str:
    """`Sat 25 Mar 18:00`, for buttons and tables where UTC is said once."""
    return utc(moment).removesuffix(" UTC")


def both(moment: datetime) -> str:
    """`Sat 25 Mar 18:00 UTC (your clock: <t:…:f>)`."""
    return f"{utc(moment)} (for you {stamp(moment, 'f')})"


def soon(moment: datetime) -> str:
    """`Sat 25 Mar 18:00 UTC, <t:…:R>`."""
    return f"{utc(moment)}, {stamp(moment, 'R')}"


def stamp(moment: datetime, style: str) -> str:
    return f"<t:{int(moment.timestamp())}:{style}>"


def deadline(end: datetime) -> str:
    """An exclusive end as the rules say it: Saturday 00:00 is `Fri 24 Mar 23:59 UTC`, with a countdown."""
    return f"{utc(end - _MINUTE)} ({stamp(end, 'R')})"


def span(start: datetime, end: datetime | None) -> str:
    """An offered time or range (Q4)."""
    if end is None:
        return both(start)
    return f"{short(start)}–{_until(start, end)} UTC (from {stamp(start, 'f')} for you)"


def span_short(start: datetime, end: datetime | None) -> str:
    """The same for a list of many: `Sat 25 Mar 18:00 UTC <t:…:f>`."""
    if end is None:
        return f"{utc(start)} {stamp(start, 'f')}"
    return f"{short(start)}–{_until(start, end)} UTC {stamp(start, 'f')}"


def _until(start: datetime, end: datetime) -> str:
    return f"{end.astimezone(UTC):%H:%M}" if end.date() == start.date() else short(end)


def day(value: date) -> str:
    return f"{value:%a} {value.day} {value:%b %Y}"

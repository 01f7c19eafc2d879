"""Words about times that could not be read, or in two ways (R5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cogs.render import times
from cogs.render.message import Button, Message, escape
from cogs.times import MAX_TIMES, Ambiguous, Reason, Unreadable

_WHY = {
    Reason.UNREADABLE: "I cannot read that as a time",
    Reason.NO_TIME: "it names no time of day",
    Reason.NO_DATE: "it names no day",
    Reason.NO_SUCH_DATE: "there is no such date",
    Reason.WEEKDAY_CONTRADICTS: "the weekday and the date do not go together",
    Reason.NONEXISTENT: "that hour is skipped by daylight saving on that day",
    Reason.PAST: "that has passed",
    Reason.UNKNOWN_ZONE: "I do not know that time zone; write UTC, or an offset such as +02:00",
    Reason.TOO_LONG: "that is too long for a time",
    Reason.TOO_MANY: f"those are too many times at once; {MAX_TIMES} is the most",
}


def unreadable_line(item: Unreadable, opens: datetime, closes: datetime) -> str:
    text = item.text if len(item.text) <= 60 else item.text[:59] + "…"
    if item.reason == Reason.OUTSIDE_WINDOW:
        why = f"that is outside this match's window, {times.utc(opens)} to {times.deadline(closes)} (§4.4)"
    else:
        why = _WHY[Reason(item.reason)]
    return f"“{escape(text)}”: {why}."


def ask(items: Sequence[Ambiguous], buttons: tuple[Button, ...], done: str) -> Message:
    """Both readings; `done`: what has not happened yet."""
    lines = [f"That can be read in more than one way; nothing is {done} yet."]
    for item in items:
        readings = " or ".join(times.span(reading.start, reading.end) for reading in item.readings)
        lines.append(f"• “{escape(item.text)}”: {readings}")
    lines.append(
        "Press the one you mean." if buttons else "Type it again with date, 24-hour time and zone: `4 Mar 18:00 UTC`."
    )
    return Message("\n".join(lines), buttons)

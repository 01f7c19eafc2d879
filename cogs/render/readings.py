"""Words about times that could not be read, or in two ways (R5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cogs.render import times
from cogs.render.message import Button, Message, escape
from cogs.times import Ambiguous, Unreadable

_WHY = {
    "unreadable": "I cannot read that as a time",
    "weekday_contradicts": "the weekday and the date do not go together",
    "past": "that has passed",
    "no_time": "it names a day but no time of day",
    "unknown_zone": "I do not know that time zone; write UTC, or an offset such as +02:00",
    "ambiguous_zone": "that zone name means more than one zone; write UTC, or an offset such as +02:00",
    "nonexistent_local_time": "that hour is skipped by daylight saving on that day",
    "too_long": "that is too long for a time",
    "too_many": "those are too many times at once",
}


def unreadable_line(item: Unreadable, opens: datetime, closes: datetime) -> str:
    text = item.text if len(item.text) <= 60 else item.text[:59] + "…"
    if item.reason == "outside_window":
        why = f"that is outside this match's window, {times.utc(opens)} to {times.deadline(closes)} (§4.4)"
    else:
        why = _WHY.get(item.reason, _WHY["unreadable"])
    return f"“{escape(text)}”: {why}."


def ask(items: Sequence[Ambiguous], buttons: tuple[Button, ...]) -> Message:
    """Both readings, and nothing offered yet."""
    lines = ["That can be read in more than one way; nothing is offered yet."]
    for item in items:
        readings = " or ".join(times.span(reading.start, reading.end) for reading in item.readings)
        lines.append(f"- “{escape(item.text)}”: {readings}")
    lines.append(
        "Press the one you mean." if buttons else "Type it again with the month in words, such as `4 Mar 18:00`."
    )
    return Message("\n".join(lines), buttons)

"""Times of day and ranges: "18:00", "18.30", "1830", "6pm", "9", "14-20", "between 2 and 8pm", "in the evening".

A bare number is an hour on the 24-hour clock (R5.3 is UTC, and so do players write it): "Sat 8" is 08:00.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cogs.times_spec import DAY, HALF_DAY, NUMBER_END, WORD_END, Clock, Rule, Spec, Step, compiled

PARTS = {
    "morning": (0, 720),
    "afternoon": (720, 1110),
    "evening": (960, 1440),
    "night": (1080, 1440),
    "tonight": (1080, 1440),
}


_CLOCK = compiled(
    rf"""(?:(?P<h>\d{{1,2}})[:.](?P<m>\d\d)(?::00)?
    |(?P<hh>\d{{1,2}})h(?:(?P<mm>\d\d)|(?![a-z]))|(?P<hhmm>\d{{3,4}})|(?P<bare>\d{{1,2}}))
    {NUMBER_END}(?:\s*(?P<half>[ap])(?:m(?:(?![a-z])|(?=utc|gmt))|\.\s?m\.?{WORD_END})
    |(?P<oclock>\s*o'?\s?clock){WORD_END}
    |(?:(?<=\d\d\d)|(?<=\d:\d\d))\s*(?:hrs|hours|h){WORD_END}
    |\s+h{WORD_END})?"""
)
_NAMED_CLOCK = compiled(rf"(?:12\s+)?(?P<word>noon|midday|midnight){WORD_END}")
_FROM = compiled(rf"(?P<word>from|between){WORD_END}\s*")
_UNTIL = compiled(rf"\s*(?:-|(?:to|till?|until){WORD_END})\s*")
_AND = compiled(rf"\s*(?:and{WORD_END}|-)\s*")
_PART = compiled(rf"(?:(?:in\s+the|at)\s+)?(?P<word>morning|afternoon|evening|night){WORD_END}")


def _clocks_at(text: str, at: int) -> Iterator[tuple[int, Clock]]:
    if match := _NAMED_CLOCK.match(text, at):
        # midnight of a day is its beginning to some and its end to others
        for minutes in (0, DAY) if match["word"] == "midnight" else (HALF_DAY,):
            yield match.end(), Clock(minutes, half=True)
    match = _CLOCK.match(text, at)
    if not match:
        return
    figures = match["hhmm"] or ""
    hour_text = match["h"] or match["hh"] or match["bare"] or figures[:-2]
    hour, minute = int(hour_text), int(match["m"] or match["mm"] or figures[-2:] or 0)
    clock = read_clock(hour_text, hour, minute, match["half"])
    if clock is None:
        return
    yield match.end(), clock
    if match["oclock"] and clock.loose:
        yield match.end(), clock.other_half()


def read_clock(hour_text: str, hour: int, minute: int, half: str | None) -> Clock | None:
    if minute > 59 or hour > 24 or (hour == 24 and minute):
        return None
    if half is None:
        loose = 1 <= hour <= 12 and not hour_text.startswith("0")
        return Clock(hour * 60 + minute, loose=loose)
    if hour > 12:
        return Clock(hour * 60 + minute, half=True) if half == "p" and hour < 24 else None
    if hour == 0 and half == "p":
        return None
    return Clock(hour % 12 * 60 + minute + (HALF_DAY if half == "p" else 0), half=True)


def _clock_rule(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    if spec.start is not None:
        return
    for end, clock in _clocks_at(text, at):
        if text[at:end] != "24":  # alone it is a day, never an hour
            seconds = text.count(":", at, end) > 1
            yield end, replace(spec, start=clock), "seconds" if seconds else "minutes" if end - at > 2 else "clock"


def _range_rule(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    """ "14-20", "14:00 to 20:00", "between 2 and 8pm"."""
    if spec.start is not None:
        return
    opening = _FROM.match(text, at)
    joint = _AND if opening and opening["word"] == "between" else _UNTIL
    for middle, start in _clocks_at(text, opening.end() if opening else at):
        if text.count(":", at, middle) > 1 or not (match := joint.match(text, middle)):
            continue  # "18:00:00-05:00" is a computer's offset
        for end, stop in _clocks_at(text, match.end()):
            for first, last in _range_halves(start, stop):
                yield end, replace(spec, start=first, end=last), "minutes"


def _range_halves(start: Clock, stop: Clock) -> Iterator[tuple[Clock, Clock]]:
    """Settles "2-8pm" and "10am-2": the end that names no half of the day is the one that makes at most 12 hours."""

    def fits(first: Clock, last: Clock) -> bool:
        return 0 < (last.minutes - first.minutes) % DAY <= HALF_DAY

    firsts, lasts = [start], [stop]
    if stop.half and start.loose:
        firsts = [replace(c, loose=False) for c in (start, start.other_half()) if fits(c, stop)]
    elif start.half and stop.loose:
        lasts = [replace(c, loose=False) for c in (stop, stop.other_half()) if fits(start, c)]
    elif start.loose and stop.loose and stop.minutes < start.minutes:
        lasts = [stop, stop.other_half()]  # "10-2" is until the next morning or until 14:00
    for first in firsts:
        for last in lasts:
            if first.minutes != last.minutes and first.minutes < DAY:
                yield first, last


def _part_of_day(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _PART.match(text, at)
    if match and spec.part is None:
        yield match.end(), replace(spec, part=PARTS[match["word"]]), ""


RULES: tuple[Rule, ...] = (_range_rule, _clock_rule, _part_of_day)

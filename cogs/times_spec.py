"""What a match time says, before anybody knows which moment it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from cogs.times_zones import Zones

HALF_DAY = 12 * 60
DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes after midnight, 0..1440.

    `half`: am, pm or a word settles the half of the day; `loose`: hour 1-12 without that and without a leading zero.
    """

    minutes: int
    half: bool = False
    loose: bool = False

    def other_half(self) -> Clock:
        return replace(self, minutes=(self.minutes + HALF_DAY) % DAY)


@dataclass(frozen=True, slots=True)
class Spec:
    """One way to understand a piece of text. Slots that it does not mention are None.

    `date` is (year or None, month, day), `dom` a day of the month, `ahead` days from today, `part` a part of the day in
    minutes, `delay` from now; `day_last` says that the day was named after the clock, `next_too` that the following
    day is just as possible.
    """

    weekday: int | None = None
    soonest: bool = False
    date: tuple[int | None, int, int] | None = None
    year: int | None = None
    dom: int | None = None
    ahead: int | None = None
    start: Clock | None = None
    end: Clock | None = None
    part: tuple[int, int] | None = None
    zones: Zones | None = None
    unknown_zone: bool = False
    moment: datetime | None = None
    delay: timedelta | None = None
    day_last: bool = False
    next_too: bool = False

    @property
    def has_day(self) -> bool:
        return self.weekday is not None or self.date is not None or self.dom is not None or self.ahead is not None

    @property
    def is_moment(self) -> bool:
        return self.moment is not None or self.delay is not None

    @property
    def is_full(self) -> bool:
        return self.is_moment or (self.has_day and self.start is not None)

    @property
    def is_day(self) -> bool:
        return self.has_day and self.start is None

    @property
    def is_clock(self) -> bool:
        return self.start is not None and not self.has_day

    @property
    def is_zone(self) -> bool:
        return self.zones is not None and not self.has_day and self.start is None and not self.is_moment


# a rule looks at the text at an index: (text, index, what is known, what stood just before) -> the same after it
Step = tuple[int, Spec, str]
Rule = Callable[[str, int, Spec, str], Iterator[Step]]

WORD_END = r"(?![a-z])"
NUMBER_END = r"(?!\d|[:./]\d)"


def compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: digits of other scripts are not ours to guess; VERBOSE so that a pattern can be read
    return re.compile(pattern, re.ASCII | re.VERBOSE)


def settled(spec: Spec) -> Iterator[Spec]:
    """The spec with its part of the day applied ("Sat evening 6" is 18:00); nothing when its slots contradict."""
    if spec == Spec() or (spec.is_moment and (spec.has_day or spec.start or spec.zones or spec.part)):
        return
    if spec.year is not None:
        if spec.date is None or spec.date[0] is not None:
            return
        spec = replace(spec, date=(spec.year, *spec.date[1:]), year=None)
    if spec.part is None or spec.start is None:
        yield spec
        return
    low, high = spec.part
    shifts = (0, HALF_DAY) if spec.start.loose else (0,)
    for shift in shifts:
        if low <= spec.start.minutes % (HALF_DAY if shift else DAY) + shift < high:
            yield _shifted(spec, shift)


def _shifted(spec: Spec, shift: int) -> Spec:
    def moved(clock: Clock | None) -> Clock | None:
        if clock is None or not shift or not clock.loose:
            return clock and replace(clock, half=True, loose=False)
        return Clock(clock.minutes % HALF_DAY + shift, half=True)

    return replace(spec, start=moved(spec.start), end=moved(spec.end))

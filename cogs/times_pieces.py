"""A line of several times, cut into pieces: "Thu 18:00, Sat 9 or 12, 26 Mar 20:30".

A comma also stands inside one time ("April 14, 20:00"), a later piece may lean on an earlier one for its day ("Sat 9
or 12") and an earlier one on a later one for its clock ("Sat and Sun 18:00"). What leans keeps every reading that the
wording allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cogs.times_grammar import understand
from cogs.times_spec import Spec, settled

_WEEKDAY_START = "mon|tue|wed|thu|fri|sat|sun"
_SEPARATOR = re.compile(
    rf"""(?:\s*(?:[;|&\n,]|(?<![a-z])(?:or|and)(?![a-z])|(?<=\s)/(?=\s)
    |(?<={_WEEKDAY_START}|day)/(?={_WEEKDAY_START})|(?<=:\d\d)/(?=\d\d?:))\s*)+""",
    re.ASCII | re.VERBOSE,
)
_BULLET = re.compile(r"\s*(?:[-•]\s+|\d{1,2}\)\s+)", re.ASCII)
_LONGEST_JOIN = 3


@dataclass(frozen=True, slots=True)
class Atom:
    """A slice [start, end) of the text; `soft` when nothing but a comma stands before it."""

    start: int
    end: int
    soft: bool
    specs: tuple[Spec, ...]

    def some(self, what: str) -> bool:
        return any(getattr(spec, what) for spec in self.specs)


@dataclass(frozen=True, slots=True)
class Piece:
    """One time: its slice of the text and all understandings. Pieces of one `group` share day and zone."""

    start: int
    end: int
    group: int
    specs: tuple[Spec, ...]


@dataclass(slots=True)
class Pieces:
    found: list[Piece] = field(default_factory=list[Piece])
    general_zones: list[Spec] = field(default_factory=list[Spec])


def cut(text: str) -> list[tuple[int, int, bool]]:
    """The slices between separators of the lower-case `text`, with whether nothing but a comma stands before each."""
    slices: list[tuple[int, int, bool]] = []
    start, soft = 0, False
    for match in _SEPARATOR.finditer(text):
        if match[0].strip() == "and" and "between" in text[start : match.start()]:
            continue
        if text[start : match.start()].strip():
            slices.append((_past_bullet(text, start), match.start(), soft))
            soft = False
        start, soft = match.end(), match[0].strip() == ","
    if text[start:].strip():
        slices.append((_past_bullet(text, start), len(text), soft))
    return slices


def _past_bullet(text: str, start: int) -> int:
    match = _BULLET.match(text, start)
    return match.end() if match else start


def pieces(text: str, slices: Sequence[tuple[int, int, bool]], years: range) -> Pieces:
    """Understands each slice and lets the incomplete ones lean on their neighbours.

    `years` are those around the match window: before a comma, "25 March 2023" is then a date and not 20:23.
    """
    atoms = [Atom(start, end, soft, understand(text[start:end].strip())) for start, end, soft in slices]
    return _Assembly(_joined(text, atoms, years)).run()


class _Assembly:
    def __init__(self, atoms: list[Atom]) -> None:
        self.atoms = atoms
        self.result = Pieces()
        self.group = 0
        self.context: list[Spec] = []  # what the last full piece said of its day, with the latest clock of its group
        self.waiting: list[Atom] = []  # days that wait for a clock, or clocks that wait for a day

    def run(self) -> Pieces:
        for index, atom in enumerate(self.atoms):
            following = self.atoms[index + 1] if index + 1 < len(self.atoms) else None
            if atom.specs and all(spec.is_zone for spec in atom.specs):
                self.result.general_zones.extend(atom.specs)
            elif atom.some("is_full"):
                self._full(atom)
            elif atom.some("is_clock") and self.context and not self.waiting:
                self._lean_on_day(atom, following)
            elif atom.some("is_clock") or atom.some("is_day"):
                self._wait(atom)
            else:
                self._give_up_waiting()
                self._emit(atom, atom.specs)
        self._give_up_waiting()
        return self.result

    def _emit(self, atom: Atom, specs: Sequence[Spec], *, new_group: bool = True) -> None:
        self.group += new_group
        self.result.found.append(Piece(atom.start, atom.end, self.group, tuple(dict.fromkeys(specs))))

    def _full(self, atom: Atom) -> None:
        full = [spec for spec in atom.specs if spec.is_full and not spec.is_moment]
        self.group += 1
        for earlier in self.waiting:
            self._emit(earlier, list(_completed(earlier.specs, full)), new_group=False)
        self.waiting = []
        self._emit(atom, atom.specs, new_group=False)
        self.context = [spec for spec in atom.specs if spec.has_day]

    def _lean_on_day(self, atom: Atom, following: Atom | None) -> None:
        """ "Sat 9 or 12": the day goes on; in "Thu 9, 12, 15 Sat" it may as well be the next one's."""
        specs = [with_clock(day, clock) for day in self.context for clock in atom.specs if clock.is_clock]
        if following and following.some("is_full"):
            later = [spec for spec in following.specs if spec.is_full and spec.day_last]
            specs += [
                with_clock(replace(day, start=None), clock) for day in later for clock in atom.specs if clock.is_clock
            ]
        days = [spec for spec in atom.specs if spec.is_day]
        self._emit(atom, [*specs, *days], new_group=False)
        self.context = [*(_latest(day, specs) for day in self.context), *days]

    def _wait(self, atom: Atom) -> None:
        if self.waiting and self.waiting[-1].some("is_day") != atom.some("is_day"):
            if self.waiting[-1].some("is_day") and atom.some("is_clock"):
                return self._days_before_clock(atom)
            self._give_up_waiting()
        self.waiting.append(atom)
        return None

    def _days_before_clock(self, atom: Atom) -> None:
        """ "Sat or Sun; 18:00": the clock belongs to the days before it."""
        clocks = [spec for spec in atom.specs if spec.is_clock]
        self.group += 1
        days = [spec for earlier in self.waiting for spec in earlier.specs if spec.is_day]
        for earlier in self.waiting[:-1]:
            self._emit(earlier, list(_completed(earlier.specs, clocks)), new_group=False)
        last = self.waiting[-1]
        whole = Atom(last.start, atom.end, last.soft, ())
        self.waiting = []
        self._emit(whole, list(_completed(last.specs, clocks)), new_group=False)
        self.context = [with_clock(day, clock) for day in days[-1:] for clock in clocks]

    def _give_up_waiting(self) -> None:
        for atom in self.waiting:
            self._emit(atom, atom.specs)
        self.waiting = []


def _joined(text: str, atoms: list[Atom], years: range) -> list[Atom]:
    """Takes the comma out of "April 14, 20:00" and "Saturday, March 25, 2023, 18:00"."""
    result: list[Atom] = []
    index = 0
    while index < len(atoms):
        atom, used = atoms[index], 1
        for count in range(2, _LONGEST_JOIN + 2):
            run = atoms[index : index + count]
            wanting = _is_part(atom, years) or (atom.some("is_full") and _goes_on(atoms[index + count - 1 :]))
            if not wanting or len(run) < count or not run[-1].soft or not _may_join(result, run):
                break
            specs = understand(text[atom.start : run[-1].end].strip())
            if any(spec.is_full and not spec.unknown_zone for spec in specs):
                atom, used = Atom(atom.start, run[-1].end, atom.soft, specs), count
        result.append(atom)
        index += used
    return result


def _is_part(atom: Atom, years: range) -> bool:
    if atom.some("is_full"):
        return any(spec.is_day and spec.date is not None and spec.date[0] in years for spec in atom.specs)
    return atom.some("is_day") or atom.some("is_clock")


def _goes_on(following: Sequence[Atom]) -> bool:
    """ "18:00 on Saturday" goes on with "March 25", but not when that has a clock of its own after the next comma."""
    if not following or (len(following) > 1 and following[1].soft and following[1].some("is_clock")):
        return False
    specs = following[0].specs
    return bool(specs) and all(spec.is_day and spec.weekday is None for spec in specs)


def _may_join(before: Sequence[Atom], run: Sequence[Atom]) -> bool:
    """A clock leans on the day before it ("Sat 9, 12, Sun 15") rather than on what follows."""
    starts_with_clock = run[0].some("is_clock") and not run[0].some("is_day")
    if not starts_with_clock:
        return True
    return not (before and before[-1].some("has_day")) and not run[1].some("is_full")


def _completed(specs: Sequence[Spec], full: Sequence[Spec]) -> Iterator[Spec]:
    """The days among `specs` with the clocks of `full`, the clocks with their days when those came last."""
    found = False
    for spec in specs:
        for other in full:
            if spec.is_day and other.start is not None:
                found = True
                yield with_clock(spec, other)
            elif spec.is_clock and other.day_last:
                found = True
                yield with_clock(replace(other, start=None), spec)
    if not found:
        yield from specs


def with_clock(day: Spec, clock: Spec) -> Spec:
    """The day of one spec with the clock and zone of another.

    A clock earlier than the last one of that day ("Sat 22:00 or 01:00") may also be meant for the night after it.
    """
    merged = replace(
        day,
        start=clock.start,
        end=clock.end,
        zones=clock.zones,
        unknown_zone=clock.unknown_zone,
        part=clock.part or day.part,
    )
    merged = next(settled(merged), replace(merged, part=None))
    earlier = day.start is not None and merged.start is not None and merged.start.minutes < day.start.minutes
    return replace(merged, next_too=earlier)


def _latest(day: Spec, specs: Sequence[Spec]) -> Spec:
    clocks = [spec.start for spec in (day, *specs) if spec.start is not None]
    return replace(day, start=max(clocks, key=lambda clock: clock.minutes)) if clocks else day

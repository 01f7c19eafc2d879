"""Match times as people write them (R5.3): text in, moments out, or the reason why not.

Pure text work, with a grammar of its own: a general date parser takes "4/16 @ 0900" for the year 900 and "Sat 8" for
a day of August, passes over a weekday that contradicts its date, and knows nothing of a match window. Here nothing is
guessed: whatever a text can mean is tried, and what the window and the present leave over decides. One meaning is a
`Reading`, several are asked as `Ambiguous`, none is `Unreadable` with the reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from string import ascii_lowercase, ascii_uppercase

from cogs.times_calendar import Frame, Reason, Span, Verdict, judge, names_a_day_inside
from cogs.times_pieces import Piece, Pieces, cut, pieces
from cogs.times_spec import Spec

__all__ = ["MAX_LENGTH", "MAX_TIMES", "Ambiguous", "Reading", "Reason", "Unreadable", "read_time", "read_times"]

MAX_LENGTH = 500
MAX_TIMES = 20
_MOST_READINGS = 10  # more than these are no question that anybody wants to answer
_SHOWN = 100

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_IGNORED = dict.fromkeys(map(ord, "*`\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"), None)
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_TYPOGRAPHY: dict[int, str | None] = {**_DASHES, **_IGNORED, ord("\u2019"): "'", ord("\t"): " ", ord("\r"): "\n"}
_HALVES = re.compile(r"\d\s*[ap]\.?\s?m\b|(?<![a-z])(?:morning|afternoon|evening|night|tonight)(?![a-z])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` means this start, aware UTC; `end` when it is a range (Q4), the last minute offered."""

    start: datetime
    end: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """`text` has to be asked. `readings` by start; a single one where the text may also name a day without a time
    ("Sat 8" when Saturday is the 8th)."""

    text: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """`text` is refused; `reason` is one of `Reason`."""

    text: str
    reason: str


Result = Reading | Ambiguous | Unreadable


def read_times(text: str, *, now: datetime, window: tuple[datetime, datetime], zone: tzinfo = UTC) -> list[Result]:
    """Reads one or several times, separated by comma, semicolon, line break, "or", "and".

    now, window: aware; the window's start is included, its end is not. zone: what a time without a zone means (R5.3:
    UTC, or the player's own `/timezone`). One result for each time, in the order of the text; never empty, never
    raises on any text. A caller that acts on some of the results while others are unread acts on half a sentence
    ("Sat 18:00 or later").
    """
    if len(text) > MAX_LENGTH:
        return [Unreadable(text[:_SHOWN], Reason.TOO_LONG)]
    plain = _plain(text)
    lower = plain.translate(_LOWER)
    slices = cut(lower) if len(plain) <= 2 * MAX_LENGTH else []
    if not slices:
        return [Unreadable(text[:_SHOWN], Reason.UNREADABLE if plain else Reason.NO_TIME)]
    if len(slices) > MAX_TIMES:
        return [Unreadable(plain[:_SHOWN], Reason.TOO_MANY)]
    first, last = (moment.astimezone(UTC) for moment in window)
    frame = Frame(now.astimezone(UTC), first, last, zone)
    found = pieces(lower, slices, range(first.year - 1, last.year + 2))
    if not found.found:
        return [Unreadable(plain[:_SHOWN], Reason.NO_TIME)]
    halves = _HALVES.search(lower) is not None
    return [_result(piece, plain, frame, _Zones(piece, found, zone), halves=halves) for piece in found.found]


def read_time(text: str, *, now: datetime, window: tuple[datetime, datetime], zone: tzinfo = UTC) -> Result:
    """Reads exactly one time; several are refused as `too_many`. Otherwise as `read_times`."""
    results = read_times(text, now=now, window=window, zone=zone)
    return results[0] if len(results) == 1 else Unreadable(text[:_SHOWN], Reason.TOO_MANY)


def _plain(text: str) -> str:
    """The text with one kind of dash, quote and space, without invisible characters and bold marks."""
    text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)
    return re.sub(r"[^\S\n]+", " ", text).strip()


class _Zones:
    """In which zones a piece is to be read: its own, its group's, one named for all, else the player's zone.

    When another time of the same text names a zone and this one doesn't, that zone is just as possible: "Thu 18:00,
    Sat 9 CET".
    """

    def __init__(self, piece: Piece, all_pieces: Pieces, default: tzinfo) -> None:
        group = [
            spec
            for other in all_pieces.found
            if other.group == piece.group and all(spec.zones for spec in other.specs)
            for spec in other.specs
        ]
        elsewhere = [spec for other in all_pieces.found if other is not piece for spec in other.specs]
        self._fallback = (
            _named(group) or _named(all_pieces.general_zones) or tuple(dict.fromkeys((default, *_named(elsewhere))))
        )

    def of(self, spec: Spec) -> tuple[tzinfo, ...]:
        return spec.zones or self._fallback


def _named(specs: Sequence[Spec]) -> tuple[tzinfo, ...]:
    return tuple(dict.fromkeys(zone for spec in specs for zone in spec.zones or ()))


def _result(piece: Piece, plain: str, frame: Frame, zones: _Zones, *, halves: bool) -> Result:
    text = plain[piece.start : piece.end].strip()
    known = [spec for spec in piece.specs if not spec.unknown_zone]
    full = [spec for spec in known if spec.is_full]
    days = [spec for spec in known if spec.is_day]
    if not piece.specs:
        return Unreadable(text, Reason.UNREADABLE)
    if not known:
        return Unreadable(text, Reason.UNKNOWN_ZONE)
    day_alone = any(names_a_day_inside(spec, zone, frame) for spec in days for zone in zones.of(spec))
    clocks = [spec for spec in known if spec.is_clock]
    if not full and (day_alone or not clocks):
        return Unreadable(text, Reason.NO_TIME)
    verdict = Verdict()
    for spec in full or clocks:
        for variant in _both_halves(spec) if halves else (spec,):
            for zone in zones.of(spec):
                judge(variant, zone, frame, verdict)
    if not full and len(verdict.spans) > _MOST_READINGS:
        return Unreadable(text, Reason.NO_DATE)
    return _answer(text, verdict, certain=not day_alone)


def _both_halves(spec: Spec) -> Iterator[Spec]:
    """Who writes am and pm in a text may mean either by a bare "8" elsewhere in it."""
    yield spec
    if spec.start is not None and spec.start.loose:
        end = spec.end.other_half() if spec.end is not None and spec.end.loose else spec.end
        yield replace(spec, start=spec.start.other_half(), end=end)


def _answer(text: str, verdict: Verdict, *, certain: bool) -> Result:
    if not verdict.spans:
        return Unreadable(text, verdict.reason())
    readings = tuple(Reading(start, end, text) for start, end in sorted(verdict.spans, key=_span_order))
    if len(readings) == 1 and certain:
        return readings[0]
    return Ambiguous(text, readings) if len(readings) <= _MOST_READINGS else Unreadable(text, Reason.UNREADABLE)


def _span_order(span: Span) -> tuple[datetime, datetime]:
    start, end = span
    return start, end or start

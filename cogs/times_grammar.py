"""The words and figures of a match time: one piece of text in, every way to understand it out.

`understand` tries all rules at every position and keeps the combinations that use up the whole text and fill each
slot (weekday, date, clock, zone …) at most once. "Sat 8" is thus both "Saturday at 08:00" and "Saturday the 8th, no
time"; "4/3" is both 4 March and April 3. Which of them is meant is not decided here but by the match window, in
`cogs.times_calendar`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from cogs.times_clocks import PARTS, read_clock
from cogs.times_clocks import RULES as CLOCK_RULES
from cogs.times_spec import NUMBER_END, WORD_END, Rule, Spec, Step, compiled, settled
from cogs.times_zones import zones_at

MAX_PIECE = 100
_MAX_STEPS = 4000

_WEEKDAYS = {name: day for day, name in enumerate(("mo", "tu", "we", "th", "fr", "sa", "su"))}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: month for month, name in enumerate(_MONTH_NAMES, start=1)}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NOISE = compiled(rf"[\s,()\[\]!?@]+ | (?:at|on|the|of|all|times?){WORD_END} | [:.](?=\s|$)")
_NOISE_DASH = compiled(r"-(?=\s)")
_STAMP = compiled(r"<t:(?P<seconds>-?\d{1,12})(?::[tdfrs])?>")
_WEEKDAY = compiled(
    rf"""(?:(?P<how>this|next|coming)\s+)?
    (?P<day>mo(?:n(?:day)?)?|tu(?:e(?:s(?:day)?)?)?|we(?:d(?:s|nesday)?)?|th(?:u(?:r(?:s(?:day)?)?)?)?
    |fr(?:i(?:day)?)?|sa(?:t(?:urday)?)?|su(?:n(?:day)?)?){WORD_END}\.?"""
)
_AHEAD = compiled(rf"(?P<word>today|tonight|tomorrow|tmrw|tmr|tomorow|tommorow|day\s+after\s+tomorrow){WORD_END}")
_COUNT = rf"(?P<count>\d{{1,3}}(?:\.\d)?|{'|'.join(_COUNTS)}|half\s+an)"
_UNIT = r"(?P<unit>m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?)"
_MORE = r"(?:(?:\s*(?:and\s+)?(?P<more>\d{1,2})\s*m(?:in(?:ute)?s?)?)|(?P<tail>\d\d))?"
_IN = compiled(rf"in\s+{_COUNT}\s*{_UNIT}{_MORE}(?![a-z\d])")
_FROM_NOW = compiled(rf"{_COUNT}\s*{_UNIT}{_MORE}\s+from\s+now{WORD_END}")
_ISO = compiled(
    rf"""(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)t(?P<hour>\d\d):(?P<minute>\d\d)(?::00(?:\.0+)?)?
    (?P<zone>z|[+-]\d\d:?\d\d)?{NUMBER_END}(?![a-z])"""
)
_YEAR_FIRST = compiled(r"(?P<year>(?:19|20)\d\d)(?P<sep>[-./])(?P<a>\d{1,2})(?P=sep)(?P<b>\d{1,2})(?!\d)")
_THREE = compiled(rf"(?P<a>\d{{1,2}})(?P<sep>[-./])(?P<b>\d{{1,2}})(?P=sep)(?P<c>(?:19|20)?\d\d){NUMBER_END}")
_TWO = compiled(rf"(?P<a>\d{{1,2}})(?P<sep>[-./])(?P<b>\d{{1,2}})(?:(?P<dot>\.)(?!\d)|{NUMBER_END})")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    rf"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?){WORD_END}\.?"
)
_DAY_MONTH = compiled(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s/-]*(?:of\s+)?{_MONTH}")
_MONTH_DAY = compiled(rf"{_MONTH}[\s/-]*(?:the\s+)?(?P<day>\d{{1,2}})(?:(?:st|nd|rd|th){WORD_END}|{NUMBER_END})")
_YEAR = compiled(rf"(?P<dash>-)?'?(?P<century>20)?(?P<year>\d\d){NUMBER_END}")
_ORDINAL = compiled(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th){WORD_END}")
_BARE_DAY = compiled(rf"(?P<day>\d{{1,2}})\.?(?=\s|$|,|@){NUMBER_END}")
_UNKNOWN_ZONE = compiled(r"[a-z]{2,5}(?![a-z/]) | [a-z]+(?:/[a-z_-]+)+")


def understand(text: str) -> tuple[Spec, ...]:
    """Every way to read the lower-case `text`, without order; empty when there is none or the text is too long."""
    if len(text) > MAX_PIECE:
        return ()
    found: dict[Spec, None] = {}
    todo: list[Step] = [(0, Spec(), "")]
    for _ in range(_MAX_STEPS):
        if not todo:
            return _sensible(found)
        at, spec, tail = todo.pop()
        at, tail = _skip_noise(text, at, spec, tail)
        if at == len(text):
            found[spec] = None
            continue
        for rule in _RULES:
            todo.extend(rule(text, at, spec, tail))
    return ()  # so tangled that no reading is safe


def _sensible(found: dict[Spec, None]) -> tuple[Spec, ...]:
    whole = [done for spec in found for done in settled(spec)]
    known = [spec for spec in whole if not spec.unknown_zone]
    return tuple(known or whole)


def _skip_noise(text: str, at: int, spec: Spec, tail: str) -> tuple[int, str]:
    while match := _NOISE.match(text, at) or (_NOISE_DASH.match(text, at) if _dash_is_noise(text, at, spec) else None):
        if not match[0].isspace():
            tail = ""
        at = match.end()
    return at, tail


def _dash_is_noise(text: str, at: int, spec: Spec) -> bool:
    """ "Sat - 18:00" and "18:00 - Sat", but never the dash of "14:00 - 20:00"."""
    return spec.start is None or text[at + 1 :].lstrip()[:1].isalpha()


# --- Days --------------------------------------------------------------------------------------------------------


def _with_day(spec: Spec, **slots: object) -> Spec:
    return replace(spec, day_last=spec.day_last or spec.start is not None, **slots)  # type: ignore[arg-type]


def _weekday(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _WEEKDAY.match(text, at)
    if match and spec.weekday is None:
        soonest = match["how"] in ("this", "coming")
        yield match.end(), _with_day(spec, weekday=_WEEKDAYS[match["day"][:2]], soonest=soonest), "weekday"


def _ahead(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _AHEAD.match(text, at)
    if not match or spec.ahead is not None:
        return
    word = match["word"]
    days = 0 if word in ("today", "tonight") else 2 if word.startswith("day") else 1
    part = PARTS["tonight"] if word == "tonight" else spec.part
    if word != "tonight" or spec.part is None:
        yield match.end(), _with_day(spec, ahead=days, part=part), ""


def _year_first(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _YEAR_FIRST.match(text, at)
    if match and spec.date is None:
        yield match.end(), _with_day(spec, date=(int(match["year"]), int(match["a"]), int(match["b"]))), "date"


def _three_numbers(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _THREE.match(text, at)
    if not match or spec.date is not None:
        return
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    orders = {(c if c > 99 else 2000 + c, b, a), (c if c > 99 else 2000 + c, a, b)}
    if c < 100:
        orders.add((2000 + a, b, c))
    for date in sorted(orders):
        yield match.end(), _with_day(spec, date=date), "date"


def _two_numbers(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _TWO.match(text, at)
    if not match or spec.date is not None:
        return
    a, b = int(match["a"]), int(match["b"])
    # "4.3." with its second dot is the continental form, day first
    orders = {(b, a)} if match["sep"] == "." and match["dot"] else {(b, a), (a, b)}
    for month, day in sorted(orders):
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield match.end(), _with_day(spec, date=(None, month, day)), "date"


def _named_month(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    if spec.date is not None:
        return
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        if match := pattern.match(text, at):
            date = (None, _MONTHS[match["month"][:3]], int(match["day"]))
            yield match.end(), _with_day(spec, date=date), "named date"


def _year(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    """ "2023"; "23" only after the name of a month, where "25 Mar 23" may be a date without a time."""
    match = _YEAR.match(text, at)
    if not match or spec.year is not None or (match["dash"] and not tail.endswith("date")):
        return
    if match["century"] or tail == "named date":
        yield match.end(), replace(spec, year=2000 + int(match["year"])), ""


def _day_of_month(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _ORDINAL.match(text, at) or (_BARE_DAY.match(text, at) if tail == "weekday" else None)
    if match and spec.dom is None and spec.date is None:
        yield match.end(), _with_day(spec, dom=int(match["day"])), ""


# --- Whole moments and zones ---------------------------------------------------------------------------------------


def _stamp(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    """Discord's own timestamp; people paste it twice, as date and as countdown."""
    match = _STAMP.match(text, at)
    if not match:
        return
    try:
        moment = datetime.fromtimestamp(int(match["seconds"]), UTC)
    except (OverflowError, ValueError, OSError):
        return
    if spec.moment in (None, moment) and spec.delay is None:
        yield match.end(), replace(spec, moment=moment), ""


def _iso(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    match = _ISO.match(text, at)
    if not match or spec.date is not None or spec.start is not None:
        return
    clock = read_clock(match["hour"], int(match["hour"]), int(match["minute"]), None)
    date = (int(match["year"]), int(match["month"]), int(match["day"]))
    if clock is None:
        return
    spec = _with_day(replace(spec, start=replace(clock, loose=False)), date=date)
    if match["zone"] is None:
        yield match.end(), spec, ""
    elif spec.zones is None:
        for end, zones in zones_at(text, match.start("zone"), spaced=False, glued=True):
            yield end, replace(spec, zones=zones), ""


def _delay(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    """ "in 2 hours", "in 1h30" are moments; "in 2 days" names a day and leaves the clock open."""
    match = _IN.match(text, at) or _FROM_NOW.match(text, at)
    if not match or spec.delay is not None or spec.ahead is not None:
        return
    count = _count(match["count"])
    minutes = int(match["more"] or match["tail"] or 0)
    unit = match["unit"][0]
    if unit in "hm":
        if minutes >= 60 or (minutes and (unit == "m" or count % 1)):
            return
        delay = timedelta(hours=count, minutes=minutes) if unit == "h" else timedelta(minutes=count)
        yield match.end(), replace(spec, delay=delay), ""
    elif not minutes and count == int(count):
        yield match.end(), _with_day(spec, ahead=int(count) * (7 if unit == "w" else 1)), ""


def _count(text: str) -> float:
    if text.startswith("half"):
        return 0.5
    return _COUNTS[text] if text in _COUNTS else float(text)


def _zone(text: str, at: int, spec: Spec, tail: str) -> Iterator[Step]:
    if spec.unknown_zone:
        return
    known = False
    # "2023-03-25 18:00-05:00" and "18:00:00-05:00" come from computers
    glued = tail == "seconds" or (tail == "minutes" and _YEAR_FIRST.search(text) is not None)
    for end, zones in zones_at(text, at, spaced=tail in ("minutes", "seconds"), glued=glued):
        known = True
        if spec.zones in (None, zones):
            yield end, replace(spec, zones=zones), ""
    match = _UNKNOWN_ZONE.match(text, at)
    if match and not known and spec.zones is None and (tail in ("clock", "minutes", "seconds") or "/" in match[0]):
        yield match.end(), replace(spec, unknown_zone=True), ""


_RULES: tuple[Rule, ...] = (
    _stamp,
    _iso,
    _delay,
    _weekday,
    _ahead,
    _year_first,
    _three_numbers,
    _two_numbers,
    _named_month,
    _year,
    _day_of_month,
    *CLOCK_RULES,
    _zone,
)

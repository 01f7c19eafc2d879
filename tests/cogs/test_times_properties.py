"""R5.3: times written by code that knows nothing of the parser are read right, asked or refused; never read wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from datetime import time as clock_time
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.times import Ambiguous, Reading, Reason, Unreadable, read_times

SETTINGS = settings(derandomize=True, deadline=None, max_examples=400)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def ordinal(day: int) -> str:
    return f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def twelve(t: datetime) -> str:
    half = "am" if t.hour < 12 else "pm"
    minutes = f":{t.minute:02}" if t.minute else ""
    return f"{(t.hour - 1) % 12 + 1}{minutes}{half}"


DAYS = {
    "weekday": lambda t: WEEKDAYS[t.weekday()],
    "short weekday": lambda t: WEEKDAYS[t.weekday()][:3].lower(),
    "day/month": lambda t: f"{t.day}/{t.month}",
    "month/day": lambda t: f"{t.month}/{t.day:02}",
    "dotted": lambda t: f"{t.day:02}.{t.month:02}.",
    "dashed": lambda t: f"{t.day:02}-{t.month:02}",
    "iso": lambda t: f"{t.year}-{t.month:02}-{t.day:02}",
    "full": lambda t: f"{t.day}/{t.month}/{t.year}",
    "full us": lambda t: f"{t.month}/{t.day}/{t.year}",
    "short year": lambda t: f"{t.day}.{t.month}.{t.year % 100:02}",
    "named": lambda t: f"{t.day} {MONTHS[t.month - 1]}",
    "named us": lambda t: f"{MONTHS[t.month - 1]} {ordinal(t.day)}",
    "named short": lambda t: f"{MONTHS[t.month - 1][:3]} {t.day}",
    "named of": lambda t: f"the {ordinal(t.day)} of {MONTHS[t.month - 1]}",
    "named year": lambda t: f"{t.day} {MONTHS[t.month - 1][:3]} {t.year}",
    "weekday and date": lambda t: f"{WEEKDAYS[t.weekday()]}, {MONTHS[t.month - 1]} {t.day}",
    "weekday and numbers": lambda t: f"{WEEKDAYS[t.weekday()][:3]} {t.day}/{t.month}",
    "weekday and day": lambda t: f"{WEEKDAYS[t.weekday()][:3]} {ordinal(t.day)}",
}
FULL = {"iso", "named", "named us", "named short", "named of", "weekday and date"}  # these say one day of the year
CLOCKS = {
    "colon": lambda t: f"{t.hour}:{t.minute:02}",
    "two digits": lambda t: f"{t.hour:02}:{t.minute:02}",
    "dot": lambda t: f"{t.hour}.{t.minute:02}",
    "four digits": lambda t: f"{t.hour:02}{t.minute:02}",
    "h": lambda t: f"{t.hour}h{t.minute:02}",
    "half": twelve,
}
ORDERS = {
    "day clock": "{day} {clock}{zone}",
    "day @ clock": "{day} @ {clock}{zone}",
    "day at clock": "{day} at {clock}{zone}",
    "clock zone day": "{clock}{zone} {day}",
    "clock on day": "{clock}{zone} on {day}",
    "comma": "{day}, {clock}{zone}",
    "brackets": "{day} ({clock}{zone})",
}
ZONES: dict[str, tuple[str, tzinfo]] = {
    "none": ("", UTC),
    "UTC": (" UTC", UTC),
    "GMT": (" GMT", UTC),
    "glued": ("utc", UTC),
    "offset": (" +05:30", timezone(timedelta(hours=5, minutes=30))),
    "UTC offset": (" UTC-3", timezone(timedelta(hours=-3))),
    "IANA": (" Europe/Berlin", ZoneInfo("Europe/Berlin")),
    "city": (" Auckland time", ZoneInfo("Pacific/Auckland")),
    "MSK": (" MSK", timezone(timedelta(hours=3))),
    "ET": (" ET", ZoneInfo("America/New_York")),
}


def written(t: datetime, day: str, clock: str, order: str, zone: str) -> str:
    name, tz = ZONES[zone]
    local = t.astimezone(tz)
    return ORDERS[order].format(day=DAYS[day](local), clock=CLOCKS[clock](local), zone=name)


def agrees(result: Reading | Ambiguous | Unreadable, moment: datetime) -> bool:
    """Read right, or asked with the right one among the answers."""
    if isinstance(result, Reading):
        return result.start == moment and result.end is None
    return isinstance(result, Ambiguous) and any(reading.start == moment for reading in result.readings)


def never_wrong(result: Reading | Ambiguous | Unreadable, moment: datetime) -> bool:
    return isinstance(result, Unreadable) or agrees(result, moment)


def week(now: datetime) -> tuple[datetime, datetime]:
    return now, now + timedelta(days=6, hours=12)


moments = st.datetimes(datetime(2016, 1, 1), datetime(2031, 12, 31)).map(  # noqa: DTZ001 - Hypothesis wants them naive
    lambda t: t.replace(minute=t.minute // 5 * 5, second=0, microsecond=0, tzinfo=UTC)
)
inside = st.integers(0, (6 * 24 + 12) * 12 - 1).map(lambda steps: timedelta(minutes=5 * steps))
forms = st.tuples(*(st.sampled_from(sorted(table)) for table in (DAYS, CLOCKS, ORDERS, ZONES)))


@pytest.mark.parametrize("day,clock", list(product(DAYS, CLOCKS)))
def test_r5_3_every_form_in_every_order_and_zone(day: str, clock: str) -> None:
    """7560 forms at the beginning, middle and end of a window over the change of the year and of the clocks."""
    for start in (datetime(2022, 12, 27, 12, tzinfo=UTC), datetime(2023, 3, 21, 12, tzinfo=UTC)):
        window = (start, start + timedelta(days=6, hours=12))
        for order, zone, ahead in product(ORDERS, ZONES, (5, 3 * 24 * 60 + 35, 6 * 24 * 60 + 700)):
            moment = start + timedelta(minutes=ahead)
            text = written(moment, day, clock, order, zone)
            (result, *rest) = read_times(text, now=start, window=window)
            assert not rest, text
            assert agrees(result, moment), (text, moment, result)
            # "8.05" beside numbers may be a date too; every other form leaves nothing to ask
            assert isinstance(result, Reading) or clock == "dot", (text, moment, result)


@SETTINGS
@given(moments, inside, forms)
def test_r5_3_round_trip(now: datetime, ahead: timedelta, form: tuple[str, str, str, str]) -> None:
    moment = now + ahead
    text = written(moment, *form)
    results = read_times(text, now=now, window=week(now))
    assert len(results) == 1, text
    assert agrees(results[0], moment), (text, moment, results)


@SETTINGS
@given(moments, inside, forms, st.integers(-20, 20))
def test_r5_3_never_read_wrong_wherever_the_window_lies(
    now: datetime, ahead: timedelta, form: tuple[str, str, str, str], shift: int
) -> None:
    """A time of another week is refused, or is what its words also say inside this one; a full date is never bent."""
    moment = now + ahead
    text = written(moment, *form)
    first, last = week(now + timedelta(days=shift))
    (result,) = read_times(text, now=now, window=(first, last))
    if first <= moment < last:
        assert agrees(result, moment), (text, moment, result)
    elif form[0] in FULL:
        assert isinstance(result, Unreadable), (text, moment, result)
    if isinstance(result, Reading):
        assert first <= result.start < last
        assert result.start >= now


@SETTINGS
@given(
    moments,
    inside,
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Australia/Lord_Howe"]),
)
def test_r5_3_the_players_own_zone(now: datetime, ahead: timedelta, key: str) -> None:
    zone = ZoneInfo(key)
    moment = now + ahead
    local = moment.astimezone(zone)
    (result,) = read_times(f"{local:%d %B %H:%M}", now=now, window=week(now), zone=zone)
    assert agrees(result, moment), (local, result)


@SETTINGS
@given(moments, inside, st.integers(1, 6))
def test_r5_3_a_weekday_that_contradicts_its_date_is_refused(now: datetime, ahead: timedelta, off: int) -> None:
    moment = now + ahead
    text = f"{WEEKDAYS[(moment.weekday() + off) % 7]} {moment:%d %B %H:%M}"
    assert read_times(text, now=now, window=week(now)) == [Unreadable(text, Reason.WEEKDAY_CONTRADICTS)]


@SETTINGS
@given(moments, inside, st.integers(5, 23 * 60))
def test_q4_ranges(now: datetime, ahead: timedelta, minutes: int) -> None:
    start = now + ahead
    end = start + timedelta(minutes=minutes)
    text = f"{start:%a %d %b %H:%M}-{end:%H:%M}"
    (result,) = read_times(text, now=now, window=week(now))
    # "11:30-10:00" is asked: until the next morning, or until 22:00
    readings = result.readings if isinstance(result, Ambiguous) and minutes > 12 * 60 else (result,)
    assert Reading(start, end, text) in readings


@SETTINGS
@given(
    moments,
    st.lists(st.tuples(inside, forms), min_size=2, max_size=4),
    st.sampled_from([", ", "; ", "\n", " or ", " and "]),
)
def test_r5_3_several_in_one_text(
    now: datetime, parts: list[tuple[timedelta, tuple[str, str, str, str]]], separator: str
) -> None:
    wanted = [now + ahead for ahead, _ in parts]
    text = separator.join(written(t, *form) for t, (_, form) in zip(wanted, parts, strict=True))
    results = read_times(text, now=now, window=week(now))
    if len(results) != len(wanted):  # commas inside and between the times may tangle; then it is not all read
        assert separator == ", "
        assert not all(isinstance(result, Reading) for result in results), (text, results)
        return
    assert all(never_wrong(result, t) for result, t in zip(results, wanted, strict=True)), (text, wanted, results)


@SETTINGS
@given(moments, inside)
def test_discord_timestamps(now: datetime, ahead: timedelta) -> None:
    moment = now + ahead
    text = f"<t:{int(moment.timestamp())}:F>"
    assert read_times(text, now=now, window=week(now)) == [Reading(moment, None, text)]


def test_daylight_saving_every_local_hour_of_both_days() -> None:
    """Each quarter of an hour on the wall: none in the skipped hour, two in the doubled one, else the one moment."""
    zone = ZoneInfo("Europe/Berlin")
    for day, skipped, doubled in ((date(2023, 3, 26), 4, 0), (date(2023, 10, 29), 0, 4)):
        midnight = datetime.combine(day, clock_time())
        now = (midnight - timedelta(days=3)).replace(tzinfo=UTC)
        counts = {Unreadable: 0, Reading: 0, Ambiguous: 0}
        for quarter in range(96):
            wall = midnight + timedelta(minutes=15 * quarter)
            (result,) = read_times(f"{wall:%d %b %H:%M}", now=now, window=week(now), zone=zone)
            counts[type(result)] += 1
            starts = [r.start for r in result.readings] if isinstance(result, Ambiguous) else []
            starts += [result.start] if isinstance(result, Reading) else []
            assert all(start.astimezone(zone).replace(tzinfo=None) == wall for start in starts)
        assert counts == {Unreadable: skipped, Ambiguous: doubled, Reading: 96 - skipped - doubled}


PIECES = st.sampled_from(
    [
        "Sat",
        "sun",
        "18:00",
        "6pm",
        "14-20",
        "26/3",
        "3.4.",
        "2023",
        "25",
        "9",
        "at",
        "@",
        "or",
        "and",
        ",",
        ";",
        "-",
        ":",
        "to",
        "between",
        "from",
        "in",
        "2",
        "hours",
        "UTC",
        "CET",
        "IST",
        "+02:00",
        "-5",
        "Z",
        "Mar",
        "march",
        "1st",
        "tomorrow",
        "tonight",
        "evening",
        "<t:1679850000>",
        "<t:",
        "Europe/Berlin",
        "New",
        "York",
        "next",
        "this",
        "noon",
        "midnight",
        "24:00",
        "2400",
        "(",
        ")",
        ".",
        "/",
        "0",
        "00",
        "99",
        "\n",
        "h",
        "am",
    ]
)


@SETTINGS
@given(
    st.one_of(
        st.text(max_size=120), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=12).map("".join)
    ),
    st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Apia")]),
)
def test_any_text_is_answered(text: str, zone: tzinfo) -> None:
    now = datetime(2023, 3, 21, 12, tzinfo=UTC)
    first, last = now, datetime(2023, 3, 28, tzinfo=UTC)
    results = read_times(text, now=now, window=(first, last), zone=zone)
    assert results
    for result in results:
        if isinstance(result, Unreadable):
            assert result.reason in set(Reason)
            continue
        readings = result.readings if isinstance(result, Ambiguous) else (result,)
        assert readings
        for reading in readings:
            assert now <= reading.start < last
            assert reading.start.tzinfo is UTC
            assert reading.end is None or reading.start < reading.end

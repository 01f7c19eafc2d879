"""Time zones as people name them in a match time (R5.3).

A name stands for every zone it may mean. "IST" is India, Israel and Ireland; "CET" is literally UTC+1, yet in summer
people write it for the clock on their wall, which then shows CEST. All meanings are given back, and the caller asks the
player when they lead to different moments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

Zones = tuple[tzinfo, ...]

# abbreviation -> what it may mean: hours from UTC, or an IANA zone whose wall clock people mean by it
_ABBREVIATIONS: dict[str, tuple[float | str, ...]] = {
    "wet": (0, "Europe/Lisbon"),
    "west": (1, "Europe/Lisbon"),
    "bst": (1, "Europe/London", 6),
    "cet": (1, "Europe/Paris"),
    "cest": (2, "Europe/Paris"),
    "mez": (1, "Europe/Berlin"),
    "mesz": (2, "Europe/Berlin"),
    "eet": (2, "Europe/Kyiv"),
    "eest": (3, "Europe/Kyiv"),
    "msk": (3,),
    "trt": (3,),
    "sast": (2,),
    "cat": (2,),
    "eat": (3,),
    "wat": (1,),
    "ist": (5.5, "Asia/Jerusalem", "Europe/Dublin"),
    "idt": (3, "Asia/Jerusalem"),
    "pkt": (5,),
    "npt": (5.75,),
    "ict": (7,),
    "wib": (7,),
    "wita": (8,),
    "wit": (9,),
    "sgt": (8,),
    "hkt": (8,),
    "pht": (8,),
    "awst": (8,),
    "jst": (9,),
    "kst": (9,),
    "acst": (9.5, "Australia/Adelaide"),
    "acdt": (10.5, "Australia/Adelaide"),
    "aest": (10, "Australia/Sydney"),
    "aedt": (11, "Australia/Sydney"),
    "nzst": (12, "Pacific/Auckland"),
    "nzdt": (13, "Pacific/Auckland"),
    "brt": (-3,),
    "art": (-3,),
    "ast": (-4, "America/Halifax", 3),
    "adt": (-3, "America/Halifax"),
    "et": ("America/New_York",),
    "est": (-5, "America/New_York"),
    "edt": (-4, "America/New_York"),
    "ct": ("America/Chicago",),
    "cst": (-6, "America/Chicago", 8, "America/Havana"),
    "cdt": (-5, "America/Chicago", "America/Havana"),
    "mt": ("America/Denver",),
    "mst": (-7, "America/Denver", 8),
    "mdt": (-6, "America/Denver"),
    "pt": ("America/Los_Angeles",),
    "pst": (-8, "America/Los_Angeles", 8),
    "pdt": (-7, "America/Los_Angeles"),
    "akst": (-9, "America/Anchorage"),
    "akdt": (-8, "America/Anchorage"),
    "hst": (-10,),
    "gst": (4, -2),
    "eastern": ("America/New_York", "Australia/Sydney"),
    "central": ("America/Chicago", "Europe/Paris"),
    "mountain": ("America/Denver",),
    "pacific": ("America/Los_Angeles",),
}
_UTC_NAMES = frozenset({"utc", "gmt", "ut", "z", "zulu"})
# legacy keys whose last part is no city ("Brazil/West", "US/Pacific")
_NO_CITIES = ("us/", "canada/", "brazil/", "chile/", "mexico/")
_NO_CITY = frozenset({"west", "north", "south", "act", "nsw", "lhi", "wake", "general"})
_WIDEST_OFFSET = timedelta(hours=14)

_FROM_UTC = re.compile(r"(?:utc|gmt)\s?(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?(?![\d:.])", re.ASCII)
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?(?![\d:.])", re.ASCII)
_NAME = re.compile(r"[a-z]+(?![a-z])(?!/)", re.ASCII)
_IANA = re.compile(r"[a-z]+(?:/[a-z_-]*[a-z])+(?![a-z])", re.ASCII)
_CITY = re.compile(r"(?:in\s+)?(?P<name>[a-z]{3,}(?:[ _-][a-z]{3,})?)(?P<time>\s+time)?(?![a-z/])", re.ASCII)
_ONE_WORD_CITY = re.compile(r"(?:in\s+)?(?P<name>[a-z]{3,})(?P<time>\s+time)?(?![a-z/])", re.ASCII)
_TIME_SUFFIX = re.compile(r"\s+time(?![a-z])", re.ASCII)


def zones_at(text: str, at: int, *, spaced: bool, glued: bool) -> Iterator[tuple[int, Zones]]:
    """The zones named in the lower-case `text` at index `at`: (index after the name, what it may mean).

    A bare offset such as "+2" is one too. A negative one looks like the end of a range ("08:00-12:00"): it is taken
    only after a space where `spaced`, or with its minutes where `glued`.
    """
    if match := _FROM_UTC.match(text, at):
        if zone := _offset_zone(match):
            yield match.end(), (zone,)
            return
    elif match := _OFFSET.match(text, at):
        minus_is_meant = (spaced and text[at - 1 : at].isspace()) or (glued and match["minutes"] is not None)
        if (match["sign"] == "+" or minus_is_meant) and (zone := _offset_zone(match)):
            yield match.end(), (zone,)
        return
    if (match := _IANA.match(text, at)) and (zones := iana_zones(match[0])):
        yield match.end(), zones
    elif (match := _NAME.match(text, at)) and (zones := _abbreviated(match[0])):
        suffix = _TIME_SUFFIX.match(text, match.end())
        yield suffix.end() if suffix else match.end(), zones
    else:
        yield from _cities_at(text, at)


def iana_zones(name: str) -> Zones:
    """The zone of an IANA name such as "europe/berlin" in any case; empty when there is none."""
    keys = _iana_names().get(name.casefold(), ())
    return tuple(ZoneInfo(key) for key in keys)


def _offset_zone(match: re.Match[str]) -> timezone | None:
    minutes = int(match["minutes"] or 0)
    offset = timedelta(hours=int(match["hours"]), minutes=minutes)
    if minutes >= 60 or offset > _WIDEST_OFFSET:
        return None
    return timezone(-offset if match["sign"] == "-" else offset)


@cache
def _abbreviated(name: str) -> Zones:
    if name in _UTC_NAMES:
        return (UTC,)
    return tuple(
        ZoneInfo(meaning) if isinstance(meaning, str) else timezone(timedelta(hours=meaning))
        for meaning in _ABBREVIATIONS.get(name, ())
        if not isinstance(meaning, str) or _known(meaning)
    )


def _known(key: str) -> bool:
    try:
        ZoneInfo(key)
    except ZoneInfoNotFoundError:
        return False
    return True


def _cities_at(text: str, at: int) -> Iterator[tuple[int, Zones]]:
    """ "berlin", "New York time": the last part of an IANA name."""
    for pattern in (_CITY, _ONE_WORD_CITY):
        match = pattern.match(text, at)
        if match and (keys := _cities().get(re.sub(r"[ -]", "_", match["name"]))):
            yield match.end(), tuple(ZoneInfo(key) for key in keys)
            return


@cache
def _iana_names() -> dict[str, tuple[str, ...]]:
    # Etc/GMT+5 is five hours *behind* UTC: nobody who types it means that
    return {key.casefold(): (key,) for key in available_timezones() if "/" in key and not key.startswith("Etc/")}


@cache
def _cities() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, (key,) in _iana_names().items():
        city = name.rsplit("/", 1)[1].replace("-", "_")
        if name.startswith(_NO_CITIES) or city in _NO_CITY:
            continue
        found[city] = (*found.get(city, ()), key)
    return found

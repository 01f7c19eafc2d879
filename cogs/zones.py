"""The time zone of a player: what people type -> an IANA name, and an IANA name -> a clock (R5.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cogs.times_zones import zones_at
from engine.errors import BadInput

COMMON = (
    "Europe/London", "Europe/Lisbon", "Europe/Paris", "Europe/Berlin", "Europe/Madrid", "Europe/Rome", "Europe/Warsaw",
    "Europe/Athens", "Europe/Kyiv", "Europe/Istanbul", "Europe/Moscow", "Asia/Jerusalem", "Asia/Tehran", "Asia/Kolkata",
    "Asia/Jakarta", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "America/New_York", "America/Chicago",
    "America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "America/Argentina/Buenos_Aires",
)  # fmt: skip
"""Offered before anything is typed."""
_RESET = frozenset({"none", "utc", "gmt", "z", "zulu", "reset", "default", "off", "etc/utc", "utc+0", "utc+00:00"})
_NO_ZONE = frozenset({"Factory", "localtime"})
_FIXED = re.compile(r"Etc/GMT([+-])(\d{1,2})")
_HOUR = timedelta(hours=1)
_PARTS_OF_HOURS = {
    timedelta(hours=hours): key
    for hours, key in {
        -9.5: "Pacific/Marquesas", 3.5: "Asia/Tehran", 4.5: "Asia/Kabul", 5.5: "Asia/Kolkata", 5.75: "Asia/Kathmandu",
        6.5: "Asia/Yangon", 8.75: "Australia/Eucla", 9.5: "Australia/Darwin",
    }.items()
}  # fmt: skip
"""Offsets for which there is no fixed zone, and the one place that keeps them all year round."""


def zone_of(name: str | None) -> tzinfo:
    """The clock of a stored name; UTC for none, and for one that the time zone data has no more."""
    return UTC if name is None or is_lost(name) else ZoneInfo(name)


def is_lost(name: str | None) -> bool:
    """Whether a stored name means nothing any more: zones are renamed and dropped."""
    if name is None:
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return True
    return False


def shown(name: str | None) -> str:
    """As people read it: a fixed zone is called by its offset, as its IANA name has the sign the other way round."""
    if name is None or is_lost(name):
        return "UTC"
    fixed = _FIXED.fullmatch(name)
    return f"UTC{'-' if fixed[1] == '+' else '+'}{fixed[2]}" if fixed else name


def is_fixed(name: str | None) -> bool:
    """The same distance from UTC all year round, as it was typed."""
    return name is not None and _FIXED.fullmatch(name) is not None


def iana_name(text: str) -> str | None:
    """The IANA name that a text means; None for UTC, which is what nobody has to choose.

    BadInput("zone_unknown"), BadInput("zone_ambiguous", options=…), BadInput("zone_offset") for an offset that no
    zone keeps all year round.
    """
    plain = _folded(text)
    if plain in _RESET:
        return None
    if (key := _by_name().get(plain.replace(" ", "_"))) is not None:
        return key
    meanings = _meanings(plain)
    if not meanings:
        raise BadInput("zone_unknown", text=text.strip()[:60])
    names = [_name_of(zone) for zone in _at_one_place(meanings)]
    if len(names) > 1:
        options = [shown(name) for name in names if name is not None]
        raise BadInput("zone_ambiguous", text=text.strip()[:60], options=options)
    if names[0] is None and meanings[0] is not UTC:
        raise BadInput("zone_offset", text=text.strip()[:60])
    return names[0]


def search(text: str, most: int) -> list[str]:
    """IANA names in which the words of a text stand, in any part and any case; those that begin with it first."""
    words = re.split(r"[\s_/-]+", _folded(text))
    scored: list[tuple[int, str]] = []
    for folded, key in _searchable():
        if all(word in folded for word in words):
            parts = re.split(r"[/_-]", folded)
            starts = sum(any(part.startswith(word) for part in parts) for word in words)
            scored.append((-starts, key))
    scored.sort(key=lambda found: (found[0], found[1] not in COMMON, found[1]))
    return [key for _, key in scored[:most]]


def meant(text: str) -> list[str]:
    """The IANA names that a text may mean as it stands, for a list to choose from."""
    return [name for zone in _at_one_place(_meanings(_folded(text))) if (name := _name_of(zone)) is not None]


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold().replace("−", "-"))
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def _meanings(plain: str) -> list[tzinfo]:
    """Every zone that the whole text names."""
    padded = f" {plain}"
    found = [
        zone for end, zones in zones_at(padded, 1, spaced=True, glued=True) if end == len(padded) for zone in zones
    ]
    return list(dict.fromkeys(found))


def _at_one_place(meanings: Iterable[tzinfo]) -> list[tzinfo]:
    """Each clock once: without another name of the same one, and without the fixed offsets that a named zone has in
    winter or summer. Who says CET lives where it changes."""
    zones = sorted(meanings, key=lambda zone: str(zone) not in COMMON)
    named = {_clock(zone): zone for zone in reversed(zones) if isinstance(zone, ZoneInfo)}
    covered = {offset for clock in named for offset in clock}
    fixed = [zone for zone in zones if not isinstance(zone, ZoneInfo) and zone.utcoffset(None) not in covered]
    return [*reversed(named.values()), *fixed]


def _clock(zone: tzinfo) -> tuple[timedelta | None, timedelta | None]:
    """Its distance from UTC in winter and in summer."""
    return zone.utcoffset(datetime(2026, 1, 1)), zone.utcoffset(datetime(2026, 7, 1))  # noqa: DTZ001 - wall clocks


def _name_of(zone: tzinfo) -> str | None:
    """None for UTC, and for a fixed offset that no zone keeps all year round."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    offset = zone.utcoffset(None) or timedelta(0)
    if offset in _PARTS_OF_HOURS:
        return _PARTS_OF_HOURS[offset]
    hours, rest = divmod(offset, _HOUR)
    # POSIX counts the other way round; Etc/GMT+12 is the furthest west.
    return None if rest or not hours or hours < -12 else f"Etc/GMT{-hours:+d}"


@cache
def _by_name() -> dict[str, str]:
    """Every IANA name but those whose sign people take for the opposite, and the short ones that are abbreviations."""
    names = {key for key in available_timezones() - _NO_ZONE if not key.startswith("Etc/")}
    return {_folded(key): key for key in names if "/" in key or not re.fullmatch(r"[A-Z]{3}\d?.*|GMT.*", key)}


@cache
def _searchable() -> tuple[tuple[str, str], ...]:
    return tuple(sorted((folded, key) for folded, key in _by_name().items() if "/" in key))

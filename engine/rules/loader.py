"""From TOML to a `Ruleset`, strictly: what is unknown, missing, misshapen or contradictory is refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, cast

from engine.errors import AcwcError, NotFound
from engine.rules.contradictions import contradictions
from engine.rules.fields import Field, fields_of
from engine.rules.schema import Ruleset
from engine.rules.values import (
    Deadline,
    HalfPoints,
    Player,
    Seat,
    Team,
    WeekTime,
    half_points,
    parse_deadline,
    parse_duration,
    parse_player,
    parse_seat,
    parse_team,
    parse_week_time,
    sensible_date,
)

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with which dotted key; "" when the file as a whole is."""

    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}" if self.key else self.reason


class RulesetError(AcwcError):
    """A ruleset that the loader refuses: the file and all its faults. Code `ruleset_invalid`."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        super().__init__("ruleset_invalid", file=file, faults=faults)
        self.file = file
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(f"{self.file}: {fault}" for fault in self.faults)


def load(text: str, name: str = "ruleset.toml") -> Ruleset:
    """The ruleset that a TOML text says. `name` is the file as errors call it.

    Raises RulesetError with all faults that could be found in one go; contradictions are looked for once every value
    by itself is in order.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    unreasonable = _unreasonable(text)
    if unreasonable:
        raise RulesetError(name, (Fault("", unreasonable),))
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deep, or a number too large"
        raise RulesetError(name, (Fault("", f"not TOML: {reason}"),)) from error
    faults: list[Fault] = []
    ruleset = _section(Ruleset, raw, "", faults)
    if ruleset is not None:
        faults.extend(Fault(key, reason) for key, reason in contradictions(ruleset))
    if ruleset is None or faults:
        raise RulesetError(name, tuple(faults))
    return ruleset


BYTE_ORDER_MARK = "\ufeff"
"""Some editors write it in front of the first line."""
LONGEST_TEXT = 50_000
LONGEST_LINE = 1_000
MOST = 10_000
"""The largest whole number that a key without a limit of its own may have; no rule of an event needs more."""
LONGEST_DURATION = timedelta(days=366)
LONGEST_NAME = 100


def _unreasonable(text: str) -> str | None:
    """What no ruleset needs, and what costs a TOML reader minutes (very long lines are very deep keys)."""
    if len(text) > LONGEST_TEXT:
        return f"longer than {LONGEST_TEXT} characters"
    if any(len(line) > LONGEST_LINE for line in text.splitlines()):
        return f"a line is longer than {LONGEST_LINE} characters"
    return None


def read_text(file: Path) -> str:
    """The text of a ruleset file, read no further than a ruleset can be long. OSError; RulesetError when it is none."""
    with file.open("rb") as opened:
        raw = opened.read(4 * LONGEST_TEXT + 1)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        reason = f"longer than {LONGEST_TEXT} characters" if len(raw) > 4 * LONGEST_TEXT else "not a text file in UTF-8"
        raise RulesetError(str(file), (Fault("", reason),)) from None


def shipped() -> list[str]:
    """The keys of the rulesets that come with the bot, the latest last (`["2022", "2023"]`)."""
    data = resources.files("engine.rules") / "data"
    return sorted(item.name.removesuffix(".toml") for item in data.iterdir() if item.name.endswith(".toml"))


def shipped_text(key: str) -> str:
    """The TOML text of a shipped ruleset; NotFound(code="ruleset") when there is none of that key."""
    if key not in shipped():
        raise NotFound("ruleset", key=key, known=shipped())
    return (resources.files("engine.rules") / "data" / f"{key}.toml").read_text(encoding="utf-8")


def _section(kind: type[S], raw: Mapping[str, Any], at: str, faults: list[Fault]) -> S | None:
    before = len(faults)
    by_name = {field.name: field for field in fields_of(kind)}
    for name in raw:
        if name not in by_name:
            close = get_close_matches(name, by_name, n=1)
            hint = f', perhaps "{close[0]}"' if close else ""
            faults.append(Fault(_join(at, name), f"unknown key{hint}"))
    values: dict[str, Any] = {}
    for name, field in by_name.items():
        if name in raw:
            values[name] = _value(field, raw[name], _join(at, name), faults)
        elif field.required:
            faults.append(Fault(_join(at, name), "missing"))
    return kind(**values) if len(faults) == before else None


def _join(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _value(field: Field, raw: Any, key: str, faults: list[Fault]) -> Any:
    if not field.many:
        return _single(field, raw, key, faults)
    if not isinstance(raw, list):
        faults.append(Fault(key, f"expected a list, not {_shown(raw)}"))
        return None
    items = cast("list[Any]", raw)
    # Tables of the same name are told apart by their number, as among the dates of an edition.
    keys = [f"{key}.{n}" if field.is_section and len(items) > 1 else key for n in range(1, len(items) + 1)]
    return tuple(_single(field, item, at, faults) for item, at in zip(items, keys, strict=True))


def _single(field: Field, raw: Any, key: str, faults: list[Fault]) -> Any:
    if field.is_section:
        if isinstance(raw, dict):
            return _section(field.type, cast("dict[str, Any]", raw), key, faults)
        faults.append(Fault(key, f"expected a table, not {_shown(raw)}"))
        return None
    try:
        return _bounded(field, _scalar(field.type, raw))
    except ValueError as error:
        faults.append(Fault(key, str(error)))
        return None


def _scalar(kind: Any, raw: Any) -> Any:
    """`raw` as `kind`; ValueError with what is expected. bool is no int, and a datetime no date."""
    if kind == tuple[Seat, Seat]:
        pair = cast("list[Any]", raw) if isinstance(raw, list) else []
        if len(pair) != 2:
            raise ValueError('expected a pair of seats such as ["upper 1", "lower 2"]')
        return tuple(_scalar(Seat, item) for item in pair)
    wanted, expected, convert = _SCALARS[kind]
    if type(raw) not in wanted:
        raise ValueError(f"expected {expected}, not {_shown(raw)}")
    return convert(raw) if convert else raw


def _bounded(field: Field, value: Any) -> Any:
    rule = field.rule
    if rule.names is not None and value not in rule.names:
        raise ValueError(f'unknown name "{value}", known are {", ".join(sorted(rule.names))}')
    if isinstance(value, timedelta):
        if value < timedelta(minutes=rule.least or 0):
            raise ValueError(f"must be at least {rule.least} min")
        if value > LONGEST_DURATION:
            raise ValueError(f"must be at most {LONGEST_DURATION.days} d")
        return value
    unit = 2 if field.type is HalfPoints else 1
    most = MOST if rule.most is None and type(value) is int else rule.most
    if rule.least is not None and value < rule.least:
        raise ValueError(f"must be at least {_written(rule.least, unit)}, not {_written(value, unit)}")
    if most is not None and value > most:
        raise ValueError(f"must be at most {_written(most, unit)}, not {_written(value, unit)}")
    return value


def _written(value: int, unit: int) -> str:
    """A number as it stands in the file: points are kept as half-points."""
    return f"{value / unit:g}"


def _text(raw: str) -> str:
    if not raw.strip():
        raise ValueError("must not be empty")
    if len(raw) > LONGEST_NAME or not raw.isprintable():
        raise ValueError(f"must be at most {LONGEST_NAME} characters that can be printed on one line")
    return raw


def _clock(raw: time) -> time:
    if raw.second or raw.microsecond:
        raise ValueError(f"expected whole minutes, not {raw}")
    return raw


def _shown(raw: object) -> str:
    if isinstance(raw, str):
        return f'"{raw}"'
    if isinstance(raw, dict):
        return "a table"
    if isinstance(raw, list):
        return "a list"
    return str(raw).lower() if isinstance(raw, bool) else str(raw)


# What each kind of value looks like in TOML: the Python types that tomllib gives, in words, and the conversion.
_SCALARS: dict[Any, tuple[tuple[type, ...], str, Callable[[Any], Any] | None]] = {
    bool: ((bool,), "true or false", None),
    int: ((int,), "a whole number", None),
    str: ((str,), "a text", _text),
    date: ((date,), "a date such as 2023-03-19", sensible_date),
    time: ((time,), "a time such as 12:00:00", _clock),
    timedelta: ((str,), 'a duration such as "60 min"', parse_duration),
    WeekTime: ((str,), 'a weekday and a UTC time such as "tuesday 12:00"', parse_week_time),
    Deadline: ((str,), 'a last minute such as "friday 23:59"', parse_deadline),
    Player: ((str,), "a Lichess name", parse_player),
    Team: ((str,), "the id of a Lichess team", parse_team),
    Seat: ((str,), 'a seat such as "upper 1"', parse_seat),
    HalfPoints: ((int, float), "whole or half points", half_points),
}

"""The dates of an edition that starts on another day: all move by the same whole weeks (design: rules as data)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, cast

from engine.errors import BadInput, NotFound
from engine.rules.contradictions import contradictions
from engine.rules.fields import fields_of
from engine.rules.loader import Fault, RulesetError
from engine.rules.schema import Ruleset
from engine.rules.values import WEEKDAYS, YEARS, midnight


@dataclass(frozen=True, slots=True)
class EditionDate:
    """One date of an edition.

    `key` is the dotted ruleset key, in lists with a 1-based index (`entry.cheat_games.2.since`). `own` is the date as
    the ruleset has it, `day` the one that holds in this edition.
    """

    key: str
    label: str
    clauses: tuple[str, ...]
    own: date
    day: date

    @property
    def moment(self) -> datetime:
        """00:00 UTC of the day: the rules mean their dates so."""
        return midnight(self.day)


@dataclass(frozen=True, slots=True)
class EditionDates:
    """All dates of an edition in the order of the ruleset, for confirmation, and the ruleset with these dates in it."""

    starts: date
    weeks: int
    dates: tuple[EditionDate, ...]
    ruleset: Ruleset

    def __getitem__(self, key: str) -> EditionDate:
        """The date under a dotted key; NotFound(code="date") when there is none."""
        for item in self.dates:
            if item.key == key:
                return item
        raise NotFound("date", key=key, known=[item.key for item in self.dates])


def weeks_between(ruleset: Ruleset, starts: date) -> int:
    """By how many whole weeks an edition starting then is moved.

    A start on another weekday raises BadInput(code="start_weekday") with `expected` (0 is Monday, as `weekday`),
    its name and the two `nearest` days that would do, (earlier, later). A start outside the years 2000 to 2100 raises
    BadInput(code="start_year").
    """
    if starts.year not in YEARS:
        raise BadInput("start_year", given=starts, earliest=YEARS[0], latest=YEARS[-1])
    weeks, days = divmod((starts - ruleset.starts).days, 7)
    if days:
        earlier = starts - timedelta(days=days)
        expected = ruleset.starts.weekday()
        raise BadInput(
            "start_weekday",
            clause="R4.3",
            given=starts,
            expected=expected,
            weekday=WEEKDAYS[expected],
            nearest=(earlier, earlier + timedelta(weeks=1)),
        )
    return weeks


def dates_for(ruleset: Ruleset, starts: date, changed: Mapping[str, date] | None = None) -> EditionDates:
    """The dates of an edition whose first pairings come out on `starts`.

    `changed` sets single dates by key after the move (a TD may do so before registration opens). Raises BadInput
    (`start_weekday`, `start_year`), NotFound (`date`) for a key that is no date (`starts` is not changed this way) and
    RulesetError when a changed date contradicts another value.
    """
    weeks = weeks_between(ruleset, starts)
    own = {key: (day, label, clauses) for key, day, label, clauses in _walk(ruleset, "")}
    days = {key: day + timedelta(weeks=weeks) for key, (day, _, _) in own.items()}
    for key, day in (changed or {}).items():
        if key not in days or key == "starts":
            raise NotFound("date", key=key, known=[known for known in days if known != "starts"])
        days[key] = day
    dates = tuple(EditionDate(key, label, clauses, day, days[key]) for key, (day, label, clauses) in own.items())
    moved: Ruleset = _with(ruleset, days, "")
    faults = tuple(Fault(key, reason) for key, reason in contradictions(moved))
    if faults:
        raise RulesetError(ruleset.name, faults)
    return EditionDates(starts, weeks, dates, moved)


def _walk(section: object, at: str) -> list[tuple[str, date, str, tuple[str, ...]]]:
    found: list[tuple[str, date, str, tuple[str, ...]]] = []
    for field in fields_of(type(section)):
        value = getattr(section, field.name)
        key = f"{at}{field.name}"
        if field.is_section:
            parts = [(key, value)] if not field.many else [(f"{key}.{n}", part) for n, part in enumerate(value, 1)]
            for place, part in parts:
                found += _walk(part, f"{place}.")
        elif field.type is date and value is not None:
            found.append((key, value, field.rule.label or key, field.rule.clauses))
    return found


def _with(section: object, days: Mapping[str, date], at: str) -> Any:
    """The section with these days in place of its own."""
    changes: dict[str, Any] = {}
    for field in fields_of(type(section)):
        value: Any = getattr(section, field.name)
        key = f"{at}{field.name}"
        if field.is_section and field.many:
            changes[field.name] = tuple(_with(part, days, f"{key}.{n}.") for n, part in enumerate(value, 1))
        elif field.is_section:
            changes[field.name] = _with(value, days, f"{key}.")
        elif key in days:
            changes[field.name] = days[key]
    return replace(cast("Any", section), **changes)

"""The kinds of value a ruleset is made of, and how each is written in TOML.

| in TOML              | in the ruleset                                              |
|----------------------|-------------------------------------------------------------|
| `"60 min"`, `"3 h"`  | `timedelta`                                                 |
| `1`, `0.5`           | `HalfPoints`: 2, 1                                          |
| `"tuesday 12:00"`    | `WeekTime`: a moment of every week, UTC                     |
| `"friday 23:59"`     | `Deadline`: the last minute that is still in time, UTC      |
| `2023-03-19`         | `date`; 00:00 UTC where a moment is meant                   |
| `"upper 1"`          | `Seat`: a place in a pool                                   |
| `"Some_Name"`        | `Player`: a Lichess name                                    |
| `"some-team"`        | `Team`: a Lichess team, as in lichess.org/team/some-team    |
| `"<last champion>"`  | `Player`: somebody who is still to be named                 |
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NewType

HalfPoints = NewType("HalfPoints", int)
Player = NewType("Player", str)
Team = NewType("Team", str)

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DIRECT = "direct"
YEARS = range(2000, 2101)
_UNITS = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}
_ONE_WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class WeekTime:
    """A moment of every week, UTC. `weekday` counts from Monday = 0."""

    weekday: int
    at: time

    def next_after(self, moment: datetime) -> datetime:
        """The first such moment strictly after an aware UTC moment."""
        days = (self.weekday - moment.weekday()) % 7
        found = moment.replace(
            hour=self.at.hour, minute=self.at.minute, second=self.at.second, microsecond=0
        ) + timedelta(days=days)
        return found if found > moment else found + _ONE_WEEK

    def last_before(self, moment: datetime) -> datetime:
        """The last such moment strictly before an aware UTC moment."""
        following = self.next_after(moment) - _ONE_WEEK
        return following if following < moment else following - _ONE_WEEK


@dataclass(frozen=True, slots=True)
class Deadline:
    """A weekly deadline by the last minute that is in time: "Friday 23:59" ends at Saturday 00:00:00 (exclusive)."""

    last_minute: WeekTime

    def end_after(self, moment: datetime) -> datetime:
        """The first exclusive end of this deadline strictly after an aware UTC moment."""
        minute = timedelta(minutes=1)
        return self.last_minute.next_after(moment - minute) + minute


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits down: place `place` of the pool `pool`; of the pool "direct", the direct entrant number `place`."""

    pool: str
    place: int

    def __str__(self) -> str:
        return f'"{self.pool} {self.place}"'


def parse_duration(text: str) -> timedelta:
    """A span of time: "60 min" -> 1:00:00. Units s, min, h, d. ValueError with what is expected."""
    found = re.fullmatch(r"(\d{1,5}) (s|min|h|d)", text)
    if not found:
        raise ValueError(f'expected a duration such as "60 min" or "3 h", not "{text}"')
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def parse_week_time(text: str) -> WeekTime:
    """A weekly moment: "tuesday 12:00" -> WeekTime(1, 12:00). ValueError with what is expected."""
    found = re.fullmatch(r"([a-z]+) ([01]\d|2[0-3]):([0-5]\d)", text)
    if not found or found[1] not in WEEKDAYS:
        raise ValueError(f'expected a weekday and a UTC time such as "tuesday 12:00", not "{text}"')
    return WeekTime(WEEKDAYS.index(found[1]), time(int(found[2]), int(found[3])))


def parse_deadline(text: str) -> Deadline:
    """A last minute: "friday 23:59" -> the deadline ending at Saturday 00:00:00. ValueError with what is expected."""
    return Deadline(parse_week_time(text))


def parse_seat(text: str) -> Seat:
    """A place: "upper 1" -> Seat("upper", 1). ValueError with what is expected."""
    found = re.fullmatch(r"([a-z][a-z0-9_]*) ([1-9]\d?)", text)
    if not found:
        raise ValueError(f'expected a pool and a place such as "upper 1", not "{text}"')
    return Seat(found[1], int(found[2]))


def parse_player(text: str) -> Player:
    """A Lichess name, or who it will be in angle brackets, which no account can be called. ValueError otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{1,29}|<[^<>]{1,60}>", text) or not text.isprintable():
        raise ValueError(f'expected a Lichess name, or who it will be such as "<last champion>", not "{text}"')
    return Player(text)


def parse_team(text: str) -> Team:
    """A Lichess team by its id: "some-team". ValueError with what is expected."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", text):
        raise ValueError(f'expected the id of a Lichess team such as "some-team", not "{text}"')
    return Team(text)


def midnight(day: date) -> datetime:
    """00:00 UTC of a day: the rules mean their dates so."""
    return datetime.combine(day, time(), tzinfo=UTC)


def is_unnamed(player: Player) -> bool:
    """Whether this is no account yet: "<last champion>"."""
    return player.startswith("<")


def half_points(points: int | float) -> HalfPoints:
    """Points as people write them -> half-points: 0.5 -> 1. ValueError for anything but whole and half points."""
    doubled = points * 2
    if not math.isfinite(doubled) or doubled < 0 or doubled != int(doubled):
        raise ValueError(f"expected whole or half points, not {points}")
    return HalfPoints(int(doubled))


def sensible_date(day: date) -> date:
    """The date itself; ValueError outside the years 2000 to 2100, where calendars would run out of dates."""
    if day.year not in YEARS:
        raise ValueError(f"expected a date from {YEARS[0]} to {YEARS[-1]}, not {day}")
    return day

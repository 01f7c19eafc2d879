"""Agreed times as files for the players' own calendars (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from icalendar import Calendar, Event, vText

from cogs.render.message import File
from engine.usecases.matches import MatchView
from engine.usecases.timetable import CalendarView, Fixture

EXPECTED = timedelta(hours=2)
"""How long a match is entered for: eleven games with breaks, and some minutes to find each other."""
_MAKER = "-//LiAntichess//World Cup bot//EN"
_PROFILE = "https://lichess.org/@/"


def match_file(view: MatchView) -> File:
    """One match that has a time. The name of the file is of the round and the board, whatever letters the players'
    names have."""
    name = f"world-cup-{view.round.code.lower()}-board-{view.match.board}.ics"
    return File(name, _file(view.title, [Fixture.of(view)], view.now))


def calendar_file(view: CalendarView) -> File:
    name = "world-cup.ics" if view.of is None else "my-world-cup.ics"
    return File(name, _file(view.event.edition.title, view.fixtures, view.now))


def _file(title: str, fixtures: Iterable[Fixture], now: datetime) -> bytes:
    calendar = Calendar()
    calendar.add("prodid", _MAKER)
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _Text(title))
    for fixture in fixtures:
        calendar.add_component(_event(fixture, now.astimezone(UTC)))
    return calendar.to_ical()


def _event(fixture: Fixture, now: datetime) -> Event:
    """A calendar that knows the UID moves its event, because a file that is made later has a higher SEQUENCE."""
    match, published = fixture.match, fixture.round.published_at
    assert match.agreed_at is not None
    start = match.agreed_at.astimezone(UTC)
    event = Event()
    event.add("uid", f"match-{match.id}-{int(published.timestamp())}@antichess-world-cup")
    event.add("sequence", max(0, int((now - published).total_seconds())))
    event.add("dtstamp", now)
    event.add("last-modified", now)
    event.add("dtstart", start)
    event.add("dtend", start + EXPECTED)
    event.add("summary", _Text(f"{fixture.a} – {fixture.b} (World Cup {fixture.round.code})"))
    event.add("description", _Text(f"{_PROFILE}{fixture.a}\n{_PROFILE}{fixture.b}"))
    return event


class _Text(vText):
    """A text that arrives as it is. icalendar takes a backslash before a capital N for a line break."""

    def to_ical(self) -> bytes:
        escaped = str(self).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
        return escaped.encode()

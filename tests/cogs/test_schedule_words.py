"""The schedule posts in the worst case, and calendar files with any names; nothing runs here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from icalendar import Calendar

from cogs.render.calendar import EXPECTED, calendar_file, match_file
from cogs.render.message import TEXT_LIMIT, split
from cogs.render.schedule import calendar, schedule, schedule_post
from engine.ledger import fold
from engine.model import Edition, Entrant, Match, Round, Stage
from engine.negotiation import Duty
from engine.rules import load, shipped_text
from engine.terms import NO_TERMS
from engine.tournament import Result, ResultKind
from engine.usecases.context import Event, Ledger
from engine.usecases.matches import MatchView, Side
from engine.usecases.posts import SCHEDULE_PER_POST
from engine.usecases.timetable import CalendarView, Fixture, SchedulePart, ScheduleView

NOW = datetime(2026, 9, 22, 12, tzinfo=UTC)
LATE_IN_SEPTEMBER = datetime(2026, 9, 23, 23, 59, tzinfo=UTC)
RULES = load(shipped_text("2023"))
ROUND = Round(
    id=1,
    edition_id=1,
    stage=Stage.QUALIFICATION,
    number=10,
    published_at=NOW,
    offers_by=NOW + timedelta(days=3),
    matches_by=NOW + timedelta(days=90),
)
EVENT = Event(
    edition=Edition(
        guild_id=1,
        key="2026",
        title="LiAntichess World Cup 2026",
        ruleset="",
        starts=date(2026, 3, 22),
        created_at=NOW,
    ),
    rules=RULES,
    ledger=Ledger((), fold(())),
    entered={},
    people={},
    rounds=(ROUND,),
)
RULED = Result(
    a=1,
    b=1,
    kind=ResultKind.RULED,
    played=False,
    game_a=0,
    game_b=0,
    games=(),
    extra=(),
    forfeited_by=(),
    fact_id=1,
)
PLAYED = replace(RULED, kind=ResultKind.PLAYED, played=True, game_a=11, game_b=9)


def side(n: int, name: str) -> Side:
    entrant = Entrant(id=n, edition_id=1, person_id=n, lichess_id=str(n), name=name, seed=n)
    return Side(entrant=entrant, discord_id=n, duty=Duty((), False, 3, ()), offers=())


def view(n: int, at: datetime | None, *, name: str = "anna", result: Result | None = None) -> MatchView:
    return MatchView(
        match=Match(id=n, edition_id=1, round_id=1, board=n, a_id=1, b_id=2, agreed_at=at),
        round=ROUND,
        rules=RULES,
        title=EVENT.edition.title,
        a=side(1, name),
        b=side(2, name[::-1]),
        offers=(),
        reports=(),
        result=result,
        extended_until=None,
        now=NOW,
        offers_by=ROUND.offers_by,
        terms=NO_TERMS,
    )


def part(matches: list[MatchView], number: int = 0, waiting: int = 0) -> SchedulePart:
    return SchedulePart(event=EVENT, round=ROUND, part=number, matches=tuple(matches), is_last=True, waiting=waiting)


# --- Posts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [None, RULED, PLAYED])
@pytest.mark.parametrize("name", ["a_cdefghijklmnopqrs_", "_" * 20])
def test_every_post_fits_with_a_day_of_its_own_for_each_match(name: str, result: Result | None) -> None:
    at = [LATE_IN_SEPTEMBER + timedelta(days=n) for n in range(SCHEDULE_PER_POST)]
    matches = [view(n, moment, name=name, result=result) for n, moment in enumerate(at)]
    post = schedule_post(part(matches, waiting=64), is_there=False)
    assert post is not None and len(post.text) <= TEXT_LIMIT and post.text.endswith("64 matches have no time yet.")
    assert post.text.count(" UTC <t:") == SCHEDULE_PER_POST


def test_64_matches_in_a_private_answer_are_all_there_after_the_cut() -> None:
    matches = [view(n, LATE_IN_SEPTEMBER + timedelta(hours=n), name="_" * 20) for n in range(64)]
    shown = schedule(ScheduleView(event=EVENT, asked=10, matches=tuple(matches), waiting=0, now=NOW))
    pieces = split(shown.text)
    assert len(pieces) > 1 and all(len(piece) <= TEXT_LIMIT for piece in pieces)
    assert sum(piece.count(" UTC <t:") for piece in pieces) == 64


def test_a_part_that_holds_nothing_is_not_posted_and_one_that_held_something_says_so() -> None:
    assert schedule_post(part([], 1), is_there=False) is None
    emptied = schedule_post(part([], 1), is_there=True)
    assert emptied is not None and emptied.text == "Round 10, schedule part 2: now empty."
    first = schedule_post(part([], 0, waiting=1), is_there=False)
    assert first is not None and first.text.endswith("\n1 match has no time yet.")


def test_what_was_decided_without_a_time_comes_last_under_a_heading_of_its_own() -> None:
    post = schedule_post(part([view(1, LATE_IN_SEPTEMBER), view(2, None, result=RULED)]), is_there=False)
    assert post is not None
    assert post.text.split("\n")[3:] == ["**Decided without a time**", "**anna ½–½ anna (ruled by a TD)**"]


def test_matches_of_two_rounds_are_told_apart() -> None:
    other = replace(view(2, LATE_IN_SEPTEMBER), round=replace(ROUND, id=2, number=11))
    both = (view(1, LATE_IN_SEPTEMBER), other)
    text = schedule(ScheduleView(event=EVENT, asked=None, matches=both, waiting=0, now=NOW)).text
    assert "> R10 anna – anna" in text and "> R11 anna – anna" in text


# --- Files --------------------------------------------------------------------------------------------------------


def events(content: bytes) -> list[Any]:
    return list(Calendar.from_ical(content).walk("VEVENT"))


def test_a_later_file_moves_the_event() -> None:
    first = view(1, LATE_IN_SEPTEMBER)
    later = replace(view(1, LATE_IN_SEPTEMBER + timedelta(days=1)), now=NOW + timedelta(seconds=1))
    (before,), (after,) = events(match_file(first).content), events(match_file(later).content)
    assert after["uid"] == before["uid"] and after["dtstart"].dt - before["dtstart"].dt == timedelta(days=1)
    assert after["sequence"] > before["sequence"]
    assert after["last-modified"].dt > before["last-modified"].dt and after["dtstamp"].dt > before["dtstamp"].dt


def test_a_match_has_the_same_uid_in_every_file_and_no_other_has_it() -> None:
    fixtures = tuple(Fixture.of(view(n, LATE_IN_SEPTEMBER)) for n in (1, 2))
    together = calendar(CalendarView(event=EVENT, fixtures=fixtures, of=None, now=NOW))
    one, two = events(together.files[0].content)
    (alone,) = events(match_file(view(1, LATE_IN_SEPTEMBER)).content)
    assert alone["uid"] == one["uid"] != two["uid"]


def test_times_are_utc_and_two_hours_are_kept_free() -> None:
    lines = match_file(view(1, LATE_IN_SEPTEMBER)).content.split(b"\r\n")
    assert b"DTSTART:20260923T235900Z" in lines and b"DTEND:20260924T015900Z" in lines
    assert timedelta(hours=2) == EXPECTED
    assert b"X-WR-CALNAME:LiAntichess World Cup 2026" in lines


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60))
@example("a,b;c\\d")
@example("\\n and \\N")
@example("😀 " * 30)
@example("line\nEND:VEVENT\nBEGIN:VALARM")
def test_any_name_arrives_as_it_is(name: str) -> None:
    fixtures = tuple(Fixture.of(view(n, LATE_IN_SEPTEMBER, name=name)) for n in (1, 2))
    content = calendar_file(CalendarView(event=EVENT, fixtures=fixtures, of=None, now=NOW)).content
    assert all(len(line) <= 75 for line in content.split(b"\r\n")), "RFC 5545, 3.1: 75 octets"
    both = events(content)
    assert len(both) == 2
    for found in both:
        assert found["summary"] == f"{name} – {name[::-1]} (World Cup R10)"
        assert found["description"] == f"https://lichess.org/@/{name}\nhttps://lichess.org/@/{name[::-1]}"

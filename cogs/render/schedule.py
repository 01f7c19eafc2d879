"""When the matches are played, by day: the schedule posts, `/schedule`, `/calendar`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cogs.render import times
from cogs.render.calendar import calendar_file
from cogs.render.matches import result_line, score_line
from cogs.render.message import Message, escape
from cogs.render.titles import round_title, round_words
from engine.usecases.matches import MatchView, Phase
from engine.usecases.timetable import CalendarView, SchedulePart, ScheduleView

DECIDED = "Decided without a time"


def schedule_post(view: SchedulePart, *, is_there: bool) -> Message | None:
    """A part of the schedule of a round. It stands for days, so it says only what a change of a match edits. None for a
    part without a match, unless `is_there`: it was posted when it had one."""
    name = round_title(view.round)
    if view.part and not view.matches:
        return Message(f"{name}, schedule part {view.part + 1}: now empty.") if is_there else None
    title = f"## {escape(view.event.edition.title)}: schedule of {round_words(view.round.stage, view.round.number)}"
    lines = [title if view.part == 0 else f"**{name}, schedule part {view.part + 1}**"]
    lines += _by_day(view.matches)
    if view.is_last and view.waiting:
        lines.append(_waiting(view.waiting))
    return Message("\n".join(lines))


def schedule(view: ScheduleView) -> Message:
    """What is being played, with its score, then what is still to come, then what is over or should have begun."""
    title = f"**{escape(view.event.edition.title)}: schedule" + (f" of round {view.asked}**" if view.asked else "**")
    live = [match for match in view.matches if match.match.id in view.live]
    others = [match for match in view.matches if match.match.id not in view.live]
    coming = [match for match in others if _is_coming(match)]
    earlier = [match for match in others if not _is_coming(match)]
    several = len({match.round.id for match in view.matches}) > 1
    lines = [title]
    if live:
        lines += ["__Now__", *(f"🔴 {_line(match, with_round=several, scored=True)}" for match in live)]
        lines += ["__Coming__"] if coming else []
    lines += _by_day(coming, with_round=several)
    if earlier:
        lines += ["__Earlier__", *_by_day(earlier, with_round=several, scored=True)]
    if not view.matches:
        lines.append(_nothing(view))
    elif view.waiting:
        lines.append(_waiting(view.waiting))
    return Message("\n".join(lines))


def _is_coming(match: MatchView) -> bool:
    return match.phase is not Phase.FINISHED and match.match.agreed_at is not None and match.match.agreed_at > match.now


def _nothing(view: ScheduleView) -> str:
    if not view.event.rounds:
        return f"No pairings yet; the first come on {times.day(view.event.edition.starts)}. Times appear here then."
    if view.waiting:
        return f"{_waiting(view.waiting)} Each appears here as soon as its two players agree."
    return "No match has a time now. `/pairings` has the results."


def _by_day(matches: Iterable[MatchView], *, with_round: bool = False, scored: bool = False) -> list[str]:
    """A heading for each day in UTC, a line for each match."""
    lines: list[str] = []
    heading = ""
    for view in matches:
        day, hour = _day_and_hour(view.match.agreed_at)
        if day != heading:
            heading = day
            lines.append(f"**{day}**")
        lines.append(hour + _line(view, with_round=with_round, scored=scored))
    return lines


def _day_and_hour(at: datetime | None) -> tuple[str, str]:
    """`Sat 25 Mar` and `18:00 UTC <t:…:t> `."""
    if at is None:
        return DECIDED, ""
    day, _, hour = times.short(at).rpartition(" ")
    return day, f"{hour} UTC {times.stamp(at, 't')} "


def _line(view: MatchView, *, with_round: bool, scored: bool = False) -> str:
    """`alice – bob, <t:…:R>`, or the result. How soon it is, or how long ago, Discord counts. `scored`: with the
    running score, which no post of the schedule follows."""
    number = f"{view.round.code} " if with_round else ""
    if view.phase is Phase.FINISHED:
        return f"{number}**{result_line(view)}**"
    pair = f"{number}{escape(view.a.entrant.name)} – {escape(view.b.entrant.name)}"
    if scored and view.begun:
        tied = ", one armageddon game decides" if view.tied_at is not None else ""
        pair = f"{number}**{score_line(view)}**{tied}"
    return pair + (f", {times.stamp(view.match.agreed_at, 'R')}" if view.match.agreed_at else "")


def _waiting(count: int) -> str:
    return "1 match has no time yet." if count == 1 else f"{count} matches have no time yet."


def calendar(view: CalendarView) -> Message:
    """The file, or why there is none."""
    count = len(view.fixtures)
    of = f" of {escape(view.of)}" if view.of else ""
    if not count:
        return Message(f"No match{of} has a time yet, so there is no file. `/schedule` shows what is agreed.")
    matches = "1 match" if count == 1 else f"{count} matches"
    return Message(
        f"{matches}{of} for your own calendar: open the file there. Your calendar shows your local times. When a time "
        "has changed, import a new file: the match moves, nothing is doubled.",
        files=(calendar_file(view),),
    )

"""What is due after somebody has told the bot: the ten minutes end (R6.3), and a match that was put off has not been
played by its deadline (Q11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engine.match_flow import Outcome, rescheduled
from engine.model import Match
from engine.timers import Timer, TimerEnd, TimerKind, ends_at
from engine.usecases.context import Event
from engine.usecases.crossing import played
from engine.usecases.evening_looks import board_of, seen_again, starts_since
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task
from engine.usecases.rulings import Signature
from engine.usecases.timer_posts import TimerPosts, forfeited

NOT_PLAYED = "The match was put off after a no-show, and no game of the two was begun by its deadline."


def due(agenda: Agenda) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    for match, timers in _open(agenda):
        for timer in timers:
            over = _over_at(event, match, timer)
            if over is not None and over <= now:
                key = f"timer:{timer.id}:over:{over:%Y-%m-%dT%H:%M:%S}"
                yield Due(key, Kind.TIMER_OVER, over, str(timer.id), match_id=match.id, sees=match.id)
        closes, put_off = event.window(match).closes, _put_off(timers)
        if put_off is not None and closes <= now:
            key = f"timer:{put_off.id}:failed:{closes:%Y-%m-%dT%H:%M}"
            yield Due(key, Kind.PUT_OFF_ENDS, closes, str(put_off.id), match_id=match.id, games_of=match.id)


def moments(agenda: Agenda) -> Iterator[datetime]:
    for match, timers in _open(agenda):
        yield agenda.event.window(match).closes
        ends = (_over_at(agenda.event, match, timer) for timer in timers)
        yield from (at for at in ends if at is not None)


def _open(agenda: Agenda) -> Iterator[tuple[Match, Sequence[Timer]]]:
    for match in agenda.event.open_matches():
        timers = agenda.timers.get(match.id, ())
        if timers and not agenda.event.has_result(match):
            yield match, timers


def _over_at(event: Event, match: Match, timer: Timer) -> datetime | None:
    """None where something has come of it, or the match has another time since."""
    if timer.outcome is not None or timer.agreed_at != match.agreed_at:
        return None
    return ends_at(event.rules.evening, event.terms(match), timer)


def _put_off(timers: Sequence[Timer]) -> Timer | None:
    """Q11: the choice to play at another time that fails at the deadline; None where the one who appeared then has
    been reported absent since: that is a no-show of its own, and if it is not claimed a TD decides."""
    absences = [one for one in timers if one.kind is TimerKind.ABSENT]
    put_off = next((one for one in reversed(absences) if one.outcome is TimerEnd.RESCHEDULED), None)
    if put_off is None:
        return None
    since = [one for one in absences if one.id > put_off.id or one.outcome is TimerEnd.RESCHEDULED]
    return put_off if all(one.entrant_id == put_off.entrant_id for one in since) else None


def _timer_over(task: Task) -> None:
    """Whoever has told the bot chooses now; where they play, it is told that nothing can be claimed (Q13)."""
    event, timer = task.event, task.store.get(Timer, int(task.due.name))
    looked = task.asked.looked
    posts = TimerPosts(task.store, event.edition.guild_id, task.now)
    games = looked.games or ()
    if starts_since(event, timer, games):
        played(task.store, event, timer, games, task.now)
        return
    if timer.kind is not TimerKind.ABSENT and board_of(event, task.match, games).over:
        posts.end(event, timer, TimerEnd.OVER)
        return
    timer = task.store.save(replace(timer, evidence=seen_again(timer, looked, task.now)))
    posts.follow(event, timer)
    posts.told(timer, "over", ended=task.due.at)


def _put_off_ends(task: Task) -> None:
    """Q11: without a game it is forfeited to whoever appeared the first time."""
    event, match, timer = task.event, task.match, task.store.get(Timer, int(task.due.name))
    posts = TimerPosts(task.store, event.edition.guild_id, task.now)
    starts = starts_since(event, timer, task.games)
    if rescheduled(task.due.at, starts, task.now).outcome is Outcome.WAIVED_BY_PLAYING:
        played(task.store, event, timer, task.games, task.now)
        return
    signed = Signature(author=None, reason=NOT_PLAYED, at=task.now, command_id=None, since=task.due.at)
    by = match.opponent_of(timer.entrant_id)
    forfeited(task.store, event, match, task.games, by, "failed_reschedule", signed)
    posts.follow(event, timer)
    posts.told(timer, "failed")


HANDLERS: Mapping[Kind, Handler] = {Kind.TIMER_OVER: _timer_over, Kind.PUT_OFF_ENDS: _put_off_ends}

"""What is due after a reported absence: the ten minutes end (R6.3), and a match that was put off has not been played
by its deadline (Q11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engine.match_flow import Outcome, no_show_claim, rescheduled
from engine.model import Absence, AbsenceEnd, Match
from engine.sides import Side
from engine.usecases.absence_forfeits import AbsencePosts, forfeited, game_starts
from engine.usecases.context import Event
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task
from engine.usecases.rulings import Signature

NOT_PLAYED = "The match was put off after a no-show, and no game of the two was begun by its deadline."


def due(agenda: Agenda) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    for match, absences in _open(agenda):
        for absence in absences:
            over = _over_at(event, absence)
            if _waits(match, absence) and over <= now:
                key = f"absence:{absence.id}:over"
                yield Due(key, Kind.GRACE_OVER, over, str(absence.id), None, match.id, match.id, needs_games=False)
        closes, put_off = event.window(match).closes, _put_off(absences)
        if put_off is not None and closes <= now:
            key = f"absence:{put_off.id}:failed:{closes:%Y-%m-%dT%H:%M}"
            yield Due(key, Kind.PUT_OFF_ENDS, closes, str(put_off.id), match_id=match.id, games_of=match.id)


def moments(agenda: Agenda) -> Iterator[datetime]:
    for match, absences in _open(agenda):
        yield agenda.event.window(match).closes
        yield from (_over_at(agenda.event, absence) for absence in absences if _waits(match, absence))


def _open(agenda: Agenda) -> Iterator[tuple[Match, Sequence[Absence]]]:
    for match in agenda.event.open_matches():
        absences = agenda.absences.get(match.id, ())
        if absences and not agenda.event.has_result(match):
            yield match, absences


def _over_at(event: Event, absence: Absence) -> datetime:
    return absence.reported_at + event.rules.evening.grace


def _waits(match: Match, absence: Absence) -> bool:
    """Nothing has come of it, and the match has no other time since."""
    return absence.outcome is None and absence.agreed_at == match.agreed_at


def _put_off(absences: Sequence[Absence]) -> Absence | None:
    """Q11: the choice to play at another time that fails at the deadline; None where the one who appeared then has
    been reported absent since: that is a no-show of its own, and if it is not claimed a TD decides."""
    put_off = next((one for one in reversed(absences) if one.outcome is AbsenceEnd.RESCHEDULED), None)
    if put_off is None:
        return None
    since = [one for one in absences if one.id > put_off.id or one.outcome is AbsenceEnd.RESCHEDULED]
    return put_off if all(one.entrant_id == put_off.entrant_id for one in since) else None


def _absence(task: Task) -> Absence:
    return task.store.get(Absence, int(task.due.name))


def _grace_over(task: Task) -> None:
    """R6.3: whoever has appeared chooses now; where they play, it is told that nothing can be claimed (Q13)."""
    event, absence = task.event, _absence(task)
    starts = game_starts(event, task.match, absence.agreed_at, task.games)
    verdict = no_show_claim(event.rules.evening, {Side.A: absence.reported_at}, starts, task.now)
    posts = AbsencePosts(task.store, event.edition.guild_id, task.now)
    if verdict.outcome is Outcome.WAIVED_BY_PLAYING:
        _end(task, posts, absence, AbsenceEnd.WAIVED)
    else:
        posts.told(absence, "over", games_read=task.asked.answered)


def _put_off_ends(task: Task) -> None:
    """Q11: without a game it is forfeited to whoever appeared the first time."""
    event, match, absence = task.event, task.match, _absence(task)
    starts = game_starts(event, match, absence.agreed_at, task.games)
    posts = AbsencePosts(task.store, event.edition.guild_id, task.now)
    if rescheduled(task.due.at, starts, task.now).outcome is Outcome.WAIVED_BY_PLAYING:
        _end(task, posts, absence, AbsenceEnd.WAIVED)
        return
    signed = Signature(author=None, reason=NOT_PLAYED, at=task.now, command_id=None, since=task.due.at)
    forfeited(task.store, event, match, match.opponent_of(absence.entrant_id), "failed_reschedule", signed)
    posts.follow(event, absence)
    posts.told(absence, "failed")


def _end(task: Task, posts: AbsencePosts, absence: Absence, outcome: AbsenceEnd) -> None:
    posts.follow(task.event, task.store.save(replace(absence, outcome=outcome, decided_at=task.now)))


HANDLERS: Mapping[Kind, Handler] = {Kind.GRACE_OVER: _grace_over, Kind.PUT_OFF_ENDS: _put_off_ends}

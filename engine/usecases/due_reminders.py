"""Reminders that are due: each once, and none that comes too late to make sense (R5.1, R5.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from engine.calendar import Reminder, ReminderKind, reminders
from engine.model import Match, Round
from engine.negotiation import Duty, agreed_in_time
from engine.reminders import Kind as Optional
from engine.reminders import Moment, addressed, answer_due, around_the_match, fixed_at, unanswered
from engine.timers import TimerKind
from engine.usecases.context import Event
from engine.usecases.evening_looks import games_before
from engine.usecases.matches import on_the_table, side_duty
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task, base_of
from engine.usecases.posts import Outbox


def due(agenda: Agenda) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    for round in event.rounds:
        if not event.tournament.round(round.id).closed:
            yield from _of_the_duty(agenda, round, now)
    for match in event.open_matches():
        yield from _of_an_own_duty(event, match, now)
        yield from (found for found in _of_the_match(agenda, match) if found.at <= now)


def _of_the_duty(agenda: Agenda, round: Round, now: datetime) -> Iterator[Due]:
    """A reminder is worth sending until the next one, or the deadline, says more. Skipped too when the round was
    published after its moment."""
    base = base_of(agenda.event, round.stage, round.number)
    for reminder, ends in _until_each_ends(agenda.event, round):
        if round.published_at < reminder.at <= now:
            yield Due(f"{base}:remind:{reminder.kind}", Kind.REMIND, reminder.at, reminder.kind, ends)


def _of_an_own_duty(event: Event, match: Match, now: datetime) -> Iterator[Due]:
    """Of a match whose offer deadline a TD has moved; its round may be closed by then."""
    if event.offers_by(match) == event.round_of(match).offers_by:
        return
    for reminder, ends in _until_each_ends(event, own_round(event, match)):
        if reminder.at <= now:
            key = f"match:{match.id}:remind:{reminder.kind}:{reminder.at:%Y-%m-%d}"
            yield Due(key, Kind.REMIND, reminder.at, reminder.kind, ends, match.id)


def _until_each_ends(event: Event, round: Round) -> Iterator[tuple[Reminder, datetime]]:
    coming = reminders(event.rules, round)
    return zip(coming, [*(r.at for r in coming[1:]), round.offers_by], strict=True)


def _with_own_deadline(event: Event, round: Round) -> list[Match]:
    """The matches whose offer deadline a TD has moved: they are reminded by their own."""
    return [m for m in event.matches_of(round.id) if not event.is_settled(m) and event.offers_by(m) != round.offers_by]


def own_round(event: Event, match: Match) -> Round:
    """The round of a match with the offer deadline that this match has."""
    return replace(event.round_of(match), offers_by=event.offers_by(match))


def _of_the_match(agenda: Agenda, match: Match) -> Iterator[Due]:
    """What is coming for a match that waits for a result and in which no game was counted yet."""
    event, offers = agenda.event, agenda.offers.get(match.id, ())
    if match.id in event.tournament.begun:
        return
    if match.agreed_at is None:
        row = unanswered(offers)
        open_now = on_the_table(match, row, agenda.now)
        if open_now:
            moment = answer_due(open_now[0], event.rules.offers.answer_within, event.window(match).closes)
            yield _due(f"match:{match.id}:answer:{row[0].id}", Kind.ANSWER, moment, match)
        return
    fixed = fixed_at(match, offers, event.terms(match))
    for moment in around_the_match(match.agreed_at, fixed) if fixed is not None else ():
        # A match that is moved is reminded of anew.
        key = f"match:{match.id}:{moment.kind}:{match.agreed_at:%Y-%m-%dT%H:%M:%S}"
        if moment.kind is Optional.NOT_STARTED:
            yield _due(key, Kind.NOT_STARTED, moment, match, games_of=match.id)
        else:
            yield _due(key, Kind.BEFORE_MATCH, moment, match)


def _due(key: str, kind: Kind, moment: Moment, match: Match, games_of: int | None = None) -> Due:
    return Due(key, kind, moment.at, moment.kind, moment.expires, match.id, games_of)


def moments(agenda: Agenda) -> Iterator[datetime]:
    if agenda.event.current_round is not None:
        yield from (reminder.at for reminder in reminders(agenda.event.rules, agenda.event.current_round))
    for match in agenda.event.open_matches():
        yield from (coming.at for coming in _of_the_match(agenda, match))
        if agenda.event.terms(match).offers_by is not None:
            own = own_round(agenda.event, match)
            yield from (reminder.at for reminder in reminders(agenda.event.rules, own))


# --- The duty of offers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Owed:
    """An entrant who owes offers, and how many of them count so far."""

    entrant_id: int
    counted: int


def owed_in(agenda: Agenda, round: Round) -> tuple[Owed, ...]:
    """R5.1: who of a round still owes offers, in board order: those who have neither made them nor agreed."""
    moved = {match.id for match in _with_own_deadline(agenda.event, round)}
    matches = [match for match in agenda.event.matches_of(round.id) if match.id not in moved]
    return tuple(owed for match in matches for owed in _owed(agenda, match))


def _owed(agenda: Agenda, match: Match) -> Iterator[Owed]:
    event = agenda.event
    in_time = agreed_in_time(agenda.offers.get(match.id, ()), event.offers_by(match))
    if event.has_result(match) or match.agreed_at is not None or in_time:
        return
    for entrant_id in (match.a_id, match.b_id):
        duty = side_duty(event, match, agenda.offers_of(match, entrant_id))
        if _owes(event, match, entrant_id, duty):
            yield Owed(entrant_id, len(duty.counted))


def _owes(event: Event, match: Match, entrant_id: int, duty: Duty) -> bool:
    return not duty.met and entrant_id not in event.terms(match).waived


def _remind(task: Task) -> None:
    """R5.1: a ping in the thread of every match in which a player still owes offers; on Friday all of them are named
    in the channel as well."""
    event, name = task.event, task.due.name
    if task.due.match_id is not None:
        _remind_in_thread(task, own_round(event, task.match), task.match)
        return
    round = next(r for r in event.rounds if task.due.key.startswith(base_of(event, r.stage, r.number) + ":"))
    moved = _with_own_deadline(event, round)
    outbox = _outbox(task)
    for match in event.matches_of(round.id):
        if match not in moved:
            _remind_in_thread(task, round, match)
    if name == ReminderKind.TOO_FEW and owed_in(task.agenda, round):
        outbox.owing(round)


def _remind_in_thread(task: Task, round: Round, match: Match) -> None:
    name = task.due.name
    owed = _owed(task.agenda, match)
    late = [o.entrant_id for o in owed if not o.counted or name != ReminderKind.NO_OFFER]
    if late:
        _outbox(task).reminder(round, match, name, late)


# --- One match -----------------------------------------------------------------------------------------------------


def _remind_to_answer(task: Task) -> None:
    """R5.7: the side that has said nothing to the other's offers."""
    match = task.match
    row = unanswered(task.agenda.offers[match.id])
    for silent in _listening(task, match.opponent_of(row[0].entrant_id)):
        offer_ids = [offer.id for offer in on_the_table(match, row, task.now)]
        _outbox(task).unanswered(match, task.due.key, silent, offer_ids)


def _remind_of_the_match(task: Task) -> None:
    due, match = task.due, task.match
    to = _listening(task, match.a_id, match.b_id)
    if to:
        assert due.expires is not None
        _outbox(task).match_reminder(match, due.key, due.name, to, due.expires)


def _remind_to_play(task: Task) -> None:
    """When Lichess shows no game of theirs from when on games count (Q12). Not once an absence is reported: what they
    do then stands there (R6.3), whatever has become of it. Nor where games from before excuse everybody: a report of
    absence would be refused, and what they can do they have been told."""
    assert task.match.agreed_at is not None
    timers = task.agenda.timers.get(task.match.id, ())
    if any(one.kind is TimerKind.ABSENT and one.agreed_at == task.match.agreed_at for one in timers):
        return
    first = task.match.agreed_at - task.event.rules.games.before_start
    if any(game.created_at >= first for game in task.games):
        return
    if not games_before(task.event, task.match, task.games).excuses:
        _remind_of_the_match(task)


def _listening(task: Task, *entrants: int) -> tuple[int, ...]:
    """Those who have not switched this reminder off; when all have, it is settled without a post."""
    event = task.event
    muted = {id: event.people[event.entrants[id].person_id].muted for id in entrants}
    return addressed(Optional(task.due.name), muted)


def _outbox(task: Task) -> Outbox:
    return Outbox(task.store, task.event.edition.guild_id, task.now)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.REMIND: _remind,
    Kind.ANSWER: _remind_to_answer,
    Kind.BEFORE_MATCH: _remind_of_the_match,
    Kind.NOT_STARTED: _remind_to_play,
}

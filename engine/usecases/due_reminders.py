"""Reminders that are due: each once, and none that comes too late to make sense (R5.1, R5.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.calendar import ReminderKind, reminders
from engine.model import Match, Round
from engine.usecases.matches import side_duty
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task, base_of
from engine.usecases.posts import Outbox


def due(agenda: Agenda) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    for round in event.rounds:
        if not event.tournament.round(round.id).closed:
            yield from _of_the_duty(agenda, round, now)


def _of_the_duty(agenda: Agenda, round: Round, now: datetime) -> Iterator[Due]:
    """A reminder is worth sending until the next one, or the deadline, says more. Skipped too when the round was
    published after its moment."""
    base = base_of(agenda.event, round.stage, round.number)
    coming = reminders(agenda.event.rules, round)
    for reminder, ends in zip(coming, [*(r.at for r in coming[1:]), round.offers_by], strict=True):
        if round.published_at < reminder.at <= now:
            yield Due(f"{base}:remind:{reminder.kind}", Kind.REMIND, reminder.at, reminder.kind, ends)


def moments(agenda: Agenda) -> Iterator[datetime]:
    if agenda.event.current_round is not None:
        yield from (reminder.at for reminder in reminders(agenda.event.rules, agenda.event.current_round))


# --- Doing it ----------------------------------------------------------------------------------------------------


def _remind(task: Task) -> None:
    """R5.1: a ping in the thread of every match in which a player still owes offers."""
    event, name = task.event, task.due.name
    round = next(r for r in event.rounds if task.due.key.startswith(base_of(event, r.stage, r.number) + ":"))
    outbox = Outbox(task.store, event.edition.guild_id, task.now)
    for match in event.matches_of(round.id):
        if event.has_result(match) or match.agreed_at is not None:
            continue
        late = [e for e in (match.a_id, match.b_id) if _owes(task.agenda, match, e, name)]
        if late:
            outbox.reminder(round, match, name, late)


def _owes(agenda: Agenda, match: Match, entrant_id: int, name: str) -> bool:
    if entrant_id in agenda.event.terms(match).waived:
        return False
    duty = side_duty(agenda.event, match, agenda.offers_of(match, entrant_id))
    return not duty.counted if name == ReminderKind.NO_OFFER else not duty.met


HANDLERS: Mapping[Kind, Handler] = {Kind.REMIND: _remind}

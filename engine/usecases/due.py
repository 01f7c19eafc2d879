"""What is due now, and doing it exactly once (design section 4).

The database says what is due; whoever calls `reconcile` is only a wake-up. A key is recorded in the transaction
that does the work: a crash before the commit did nothing, after it the key is there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.errors import LichessUnavailable
from engine.model import Edition, EditionState, Occurrence, Server
from engine.ports import Reader, Store
from engine.usecases import due_deciders, due_evening, due_reminders, due_rounds, due_terms, due_timers, due_unfinished
from engine.usecases.context import Desk
from engine.usecases.due_evening import open_armageddon, open_match
from engine.usecases.editions import drafts, open_due
from engine.usecases.evening_looks import look, whole_games
from engine.usecases.occurrences import Agenda, Asked, Due, Handler, Kind, Task, load_agenda

log = logging.getLogger(__name__)

HANDLERS: Mapping[Kind, Handler] = {
    **due_rounds.HANDLERS,
    **due_reminders.HANDLERS,
    **due_terms.HANDLERS,
    **due_evening.HANDLERS,
    **due_deciders.HANDLERS,
    **due_timers.HANDLERS,
    **due_unfinished.HANDLERS,
}


class DueDesk:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def reconcile(self) -> int:
        """Settles everything that is due, each in its own transaction; returns how many were settled."""
        settled = await self._open()
        for edition_id in await self._desk.db.read(running_editions):
            try:
                settled += await self._settle(edition_id)
            except Exception:
                # Rolled back: the next tick tries again, and one edition's trouble must not stop the others.
                log.exception("edition %d: what is due could not be settled", edition_id)
        return settled

    async def _open(self) -> int:
        """Registrations whose day has come; a read first, as nearly always there is none."""
        now = self._desk.clock.now()
        try:
            if await self._desk.db.read(lambda reader: any(at <= now for _, at in drafts(reader))):
                return await self._desk.db.write(lambda store: open_due(store, now))
        except Exception:
            log.exception("registrations that are due could not be opened")
        return 0

    async def _settle(self, edition_id: int) -> int:
        settled, waiting = 0, set[str]()
        while True:
            now = self._desk.clock.now()
            # A read first: nearly always nothing is due, and then no write transaction is opened.
            agenda, due = await self._desk.db.read(lambda r, now=now: self._first(r, edition_id, now, waiting))
            if due is None:
                return settled
            asked = await self._ask(agenda, due)
            if asked is None:
                waiting.add(due.key)
                continue
            if await self._desk.db.write(lambda s, w=(now, due, asked): self._work(s, edition_id, *w)):
                settled += 1

    def _work(self, store: Store, edition_id: int, now: datetime, due: Due, asked: Asked) -> bool:
        """What is due is looked up anew: it may have been settled, or have lost its sense, since it was read."""
        agenda = load_agenda(store, self._desk.folds, edition_id, now, keep=False)
        found = next((d for d in _unsettled(store, agenda) if d.key == due.key), None)
        if found is None:
            return False
        skipped = found.expires is not None and now >= found.expires
        if not skipped:
            HANDLERS[found.kind](Task(store, agenda, found, asked))
        store.settle(Occurrence(edition_id=edition_id, key=found.key, due_at=found.at, settled_at=now, skipped=skipped))
        return True

    def _first(self, reader: Reader, edition_id: int, now: datetime, waiting: set[str]) -> tuple[Agenda, Due | None]:
        agenda = load_agenda(reader, self._desk.folds, edition_id, now)
        return agenda, next((due for due in _unsettled(reader, agenda) if due.key not in waiting), None)

    async def _ask(self, agenda: Agenda, due: Due) -> Asked | None:
        """What Lichess has to be asked first; None while something has to be known and it does not answer."""
        if due.expires is not None and agenda.now >= due.expires:
            return Asked()
        if due.opens is not None:
            match = agenda.event.matches[due.opens]
            if due.kind is Kind.ARMAGEDDON:
                return await open_armageddon(self._desk.lichess, agenda.event, match)
            return await open_match(self._desk.lichess, agenda.event, match)
        event = agenda.event
        if due.sees is not None:
            return Asked(looked=await look(self._desk.lichess, event, event.matches[due.sees], agenda.now))
        if due.games_of is None:
            return Asked()
        match = event.matches[due.games_of]
        try:
            return Asked(games=tuple(await whole_games(self._desk.lichess, event, match, agenda.now)))
        except LichessUnavailable as refusal:
            log.warning("%s waits for Lichess: %s", due.key, refusal.code)
            return None

    async def next_moment(self) -> datetime | None:
        """The next moment, after now, at which something may become due."""

        def work(reader: Reader) -> datetime | None:
            now = self._desk.clock.now()
            agendas = [load_agenda(reader, self._desk.folds, id, now) for id in running_editions(reader)]
            opening = [at for _, at in drafts(reader)]
            coming = [*opening, *(at for agenda in agendas for at in moments(agenda))]
            return min((at for at in coming if at > now), default=None)

        return await self._desk.db.read(work)


def running_editions(reader: Reader) -> list[int]:
    """Editions of servers that are set up; only the newest of a server is running."""
    newest: dict[int, int] = {}
    for edition in reader.find(Edition):
        if edition.state is not EditionState.DRAFT:
            newest[edition.guild_id] = edition.id
    return [id for guild, id in sorted(newest.items()) if reader.one(Server, guild_id=guild) is not None]


def _unsettled(reader: Reader, agenda: Agenda) -> list[Due]:
    found = list(due_now(agenda))
    known = reader.find(Occurrence, edition_id=agenda.event.edition.id, key=[due.key for due in found])
    settled = {occurrence.key for occurrence in known}
    return [due for due in found if due.key not in settled]


# --- Pure -------------------------------------------------------------------------------------------------------


def due_now(agenda: Agenda) -> Iterator[Due]:
    """Everything due, in the order in which it has to be settled. Keys that are settled already are the caller's."""
    yield from due_terms.due(agenda)
    yield from due_timers.due(agenda)
    yield from due_unfinished.due(agenda)
    yield from due_reminders.due(agenda)
    yield from due_rounds.due(agenda)
    yield from due_evening.due(agenda)
    yield from due_deciders.due(agenda)


def moments(agenda: Agenda) -> Iterator[datetime]:
    """Every moment at which something may become due."""
    for part in (due_terms, due_timers, due_unfinished, due_reminders, due_rounds, due_evening, due_deciders):
        yield from part.moments(agenda)

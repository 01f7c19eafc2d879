"""What is due now, and doing it exactly once (design section 4).

The database says what is due; whoever calls `reconcile` is only a wake-up. A key is recorded in the transaction
that does the work: a crash before the commit did nothing, after it the key is there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.calendar import ReminderKind, reminders
from engine.errors import CannotPair
from engine.model import Edition, EditionState, Match, Occurrence, Offer, Round, Server
from engine.ports import Reader, Store
from engine.usecases.context import Desk, Event, load_event
from engine.usecases.matches import side_duty
from engine.usecases.posts import Outbox
from engine.usecases.rounds import PLAYABLE, close_round, publish
from engine.usecases.schedule import may_close, next_slot, overdue, registration_ends, slots, unsettled

log = logging.getLogger(__name__)


class Kind(StrEnum):
    PUBLISH = "publish"
    BLOCKED = "blocked"
    REMIND = "remind"
    CLOSE = "close"
    UNPLAYED = "unplayed"
    EXTENSION_OVER = "extension_over"
    REGISTRATION_DUE = "registration_due"


@dataclass(frozen=True, slots=True)
class Due:
    """Something to settle. `expires`: from then on it is recorded as skipped instead of done."""

    key: str
    kind: Kind
    at: datetime
    name: str = ""
    expires: datetime | None = None


class DueDesk:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def reconcile(self) -> int:
        """Settles everything that is due, each in its own transaction; returns how many were settled."""
        settled = 0
        for edition_id in await self._desk.db.read(_running_editions):
            try:
                while await self._settle_next(edition_id):
                    settled += 1
            except Exception:
                # Rolled back: the next tick tries again, and one edition's trouble must not stop the others.
                log.exception("edition %d: what is due could not be settled", edition_id)
        return settled

    async def _settle_next(self, edition_id: int) -> bool:
        now = self._desk.clock.now()
        # A read first: nearly always nothing is due, and then no write transaction is opened.
        if await self._desk.db.read(lambda reader: self._first_due(reader, edition_id, now, keep=True)) is None:
            return False

        def work(store: Store) -> bool:
            due = self._first_due(store, edition_id, now, keep=False)
            if due is None:
                return False
            skipped = due.expires is not None and now >= due.expires
            if not skipped:
                _HANDLERS[due.kind](store, load_event(store, self._desk.folds, edition_id, keep=False), due, now)
            store.settle(Occurrence(edition_id=edition_id, key=due.key, due_at=due.at, settled_at=now, skipped=skipped))
            return True

        return await self._desk.db.write(work)

    def _first_due(self, reader: Reader, edition_id: int, now: datetime, *, keep: bool) -> Due | None:
        event = load_event(reader, self._desk.folds, edition_id, keep=keep)
        settled = {occurrence.key for occurrence in reader.find(Occurrence, edition_id=edition_id)}
        return next((due for due in due_now(event, now) if due.key not in settled), None)

    async def next_moment(self) -> datetime | None:
        """The next moment, after now, at which something may become due."""

        def work(reader: Reader) -> datetime | None:
            now = self._desk.clock.now()
            events = [load_event(reader, self._desk.folds, id) for id in _running_editions(reader)]
            return min((at for event in events for at in moments(event) if at > now), default=None)

        return await self._desk.db.read(work)


def _running_editions(reader: Reader) -> list[int]:
    """Editions of servers that are set up; only the newest of a server is running."""
    newest: dict[int, int] = {}
    for edition in reader.find(Edition):
        if edition.state is not EditionState.DRAFT:
            newest[edition.guild_id] = edition.id
    return [id for guild, id in sorted(newest.items()) if reader.one(Server, guild_id=guild) is not None]


# --- Pure: what is due -------------------------------------------------------------------------------------------


def due_now(event: Event, now: datetime) -> Iterator[Due]:
    """Everything due at `now`, in the order in which it has to be settled. Keys already settled are the caller's."""
    for round in event.rounds:
        yield from _due_in_round(event, round, now)
    closes = registration_ends(event)
    if event.edition.state is EditionState.OPEN and closes <= now:
        yield Due(f"{event.edition.guild_id}:{event.edition.key}:registration:closes", Kind.REGISTRATION_DUE, closes)
    for match in overdue(event, now):
        until = event.tournament.extended[match.id]
        yield Due(f"match:{match.id}:extension:{until:%Y-%m-%d}", Kind.EXTENSION_OVER, until, str(match.id))
    yield from _due_publication(event, now)


def _due_in_round(event: Event, round: Round, now: datetime) -> Iterator[Due]:
    base = _base(event, round.stage, round.number)
    if not event.tournament.round(round.id).closed:
        yield from _due_reminders(event, round, base, now)
    if round.id != (event.current_round.id if event.current_round else None):
        return
    open_matches = unsettled(event)
    if may_close(event, round, now):
        yield Due(f"{base}:close", Kind.CLOSE, min(now, round.matches_by))
    elif open_matches and now >= round.matches_by:
        yield Due(f"{base}:unplayed", Kind.UNPLAYED, round.matches_by)


def _due_reminders(event: Event, round: Round, base: str, now: datetime) -> Iterator[Due]:
    """A reminder is worth sending until the next one, or the deadline, says more. Skipped too when the round was
    published after its moment."""
    coming = reminders(event.rules, round)
    for reminder, ends in zip(coming, [*(r.at for r in coming[1:]), round.offers_by], strict=True):
        if round.published_at < reminder.at <= now:
            yield Due(f"{base}:remind:{reminder.kind}", Kind.REMIND, reminder.at, reminder.kind, ends)


def _due_publication(event: Event, now: datetime) -> Iterator[Due]:
    slot = next_slot(event)
    if slot is None:
        return
    base = _base(event, slot.stage, slot.number)
    if slot.publish_at > now:
        return
    if event.edition.state is EditionState.OPEN or unsettled(event):
        yield Due(f"{base}:blocked", Kind.BLOCKED, slot.publish_at)
    elif slot.stage not in PLAYABLE:
        if not event.tournament.extended:
            yield Due(f"{base}:handed-over", Kind.BLOCKED, slot.publish_at)
    else:
        yield Due(f"{base}:publish", Kind.PUBLISH, slot.publish_at)


def _base(event: Event, stage: str, number: int) -> str:
    return f"{event.edition.guild_id}:{event.edition.key}:{stage}:r{number}"


def moments(event: Event) -> Iterator[datetime]:
    """Every moment of the calendar and of the running round at which something may become due."""
    for slot in slots(event):
        yield slot.publish_at
    yield from event.tournament.extended.values()
    yield registration_ends(event)
    if event.current_round is not None:
        yield from (reminder.at for reminder in reminders(event.rules, event.current_round))
        yield from (event.current_round.offers_by, event.current_round.matches_by)


# --- Doing it ----------------------------------------------------------------------------------------------------


def _publish(store: Store, event: Event, due: Due, now: datetime) -> None:
    slot = next_slot(event)
    assert slot is not None
    try:
        publish(store, event, slot, now)
    except CannotPair as refusal:
        log.warning("round %d cannot be paired: %s", slot.number, refusal)
        outbox = Outbox(store, event.edition.guild_id, now)
        outbox.td(due.key, "cannot_pair", edition_id=event.edition.id, number=slot.number, **_plain(refusal.params))


def _plain(params: dict[str, object]) -> dict[str, object]:
    return {"reason": str(params.get("reason", ""))}


def _blocked(store: Store, event: Event, due: Due, now: datetime) -> None:
    """The round waits; the TDs hear of it once, with the ways out (Q9)."""
    slot = next_slot(event)
    assert slot is not None
    outbox = Outbox(store, event.edition.guild_id, now)
    if event.edition.state is EditionState.OPEN:
        outbox.td(due.key, "registration_still_open", edition_id=event.edition.id)
    elif not unsettled(event):
        outbox.td(due.key, "stage_not_here", edition_id=event.edition.id, stage=slot.stage)
    else:
        assert event.current_round is not None
        match_ids = [m.id for m in unsettled(event)]
        outbox.td(
            due.key,
            "round_waits",
            edition_id=event.edition.id,
            stage=slot.stage,
            number=slot.number,
            round_id=event.current_round.id,
            match_ids=match_ids,
        )
        outbox.round_waits(event.current_round, slot.stage, slot.number)


def _close(store: Store, event: Event, due: Due, now: datetime) -> None:
    assert event.current_round is not None
    close_round(store, event, event.current_round, now)


def _unplayed(store: Store, event: Event, due: Due, now: datetime) -> None:
    """Monday has passed: nothing is decided by silence (Q7), the TDs get the list."""
    assert event.current_round is not None
    matches = unsettled(event)
    outbox = Outbox(store, event.edition.guild_id, now)
    outbox.td(
        due.key,
        "unplayed",
        edition_id=event.edition.id,
        round_id=event.current_round.id,
        match_ids=[m.id for m in matches],
    )
    for match in matches:
        outbox.overdue(match, due.at)


def _registration_due(store: Store, event: Event, due: Due, now: datetime) -> None:
    """A TD closes the registration (R2.8); the bot only says that its day has come."""
    Outbox(store, event.edition.guild_id, now).td(due.key, "registration_due", edition_id=event.edition.id)


def _extension_over(store: Store, event: Event, due: Due, now: datetime) -> None:
    """Q10: the extended match is open still; a TD extends it again or rules."""
    outbox = Outbox(store, event.edition.guild_id, now)
    outbox.td(due.key, "extension_over", edition_id=event.edition.id, match_ids=[int(due.name)])
    outbox.overdue(event.matches[int(due.name)], due.at)


def _remind(store: Store, event: Event, due: Due, now: datetime) -> None:
    """R5.1: a ping in the thread of every match in which a player still owes offers."""
    round = next(r for r in event.rounds if due.key.startswith(_base(event, r.stage, r.number) + ":"))
    outbox = Outbox(store, event.edition.guild_id, now)
    for match in event.matches_of(round.id):
        if event.has_result(match) or match.agreed_at is not None:
            continue
        late = [e for e in (match.a_id, match.b_id) if _owes(store, event, round, match, e, due.name)]
        if late:
            outbox.reminder(round, match, due.name, late)


def _owes(reader: Reader, event: Event, round: Round, match: Match, entrant_id: int, name: str) -> bool:
    offers = reader.find(Offer, match_id=match.id, entrant_id=entrant_id)
    duty = side_duty(event, round, offers)
    return not duty.counted if name == ReminderKind.NO_OFFER else not duty.met


_HANDLERS = {
    Kind.PUBLISH: _publish,
    Kind.BLOCKED: _blocked,
    Kind.CLOSE: _close,
    Kind.UNPLAYED: _unplayed,
    Kind.EXTENSION_OVER: _extension_over,
    Kind.REGISTRATION_DUE: _registration_due,
    Kind.REMIND: _remind,
}

"""R7.3: what becomes of the players' Lichess accounts during the event; the TDs are told what has changed, once."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from engine.accounts import Held
from engine.errors import LichessUnavailable
from engine.facts import AccountChanged
from engine.model import AccountChange, AccountCheck, AccountSeen, EditionState, Entrant, Registration
from engine.ports import Account, Reader, Store
from engine.usecases.asking import look_up
from engine.usecases.context import Desk, Event, load_event, record
from engine.usecases.due import running_editions
from engine.usecases.entries import TOS_VIOLATION, is_marked
from engine.usecases.posts import Outbox
from engine.usecases.schedule import is_over

log = logging.getLogger(__name__)

AGAIN_AFTER = timedelta(minutes=5)
"""How soon Lichess is asked again when it has not answered."""


class Change(StrEnum):
    """What has become of an account since it was last seen."""

    MARKED = "marked"
    UNMARKED = "unmarked"
    CLOSED = "closed"
    REOPENED = "reopened"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class _Asked:
    """An account of an entrant that is due to be looked at."""

    entrant_id: int
    account: Held


class Watch:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._not_before: datetime | None = None
        self._gone: frozenset[str] = frozenset()

    async def look(self) -> int:
        """Asks Lichess about every account that was not looked at for as long as the rules say; how many were new in
        something. Without an answer nothing is told and nothing is lost: it is asked again soon."""
        now, found = self._desk.clock.now(), 0
        if self._not_before is not None and now < self._not_before:
            return 0
        for edition_id in await self._desk.db.read(running_editions):
            asked = await self._desk.db.read(lambda reader, id=edition_id: self._due(reader, id, now))
            if not asked:
                continue
            ids = sorted({one.account.lichess_id for one in asked})
            try:
                seen = await self._ask(ids)
            except LichessUnavailable as refusal:
                log.warning("the accounts of edition %d could not be looked at: %s", edition_id, refusal.code)
                self._not_before = now + AGAIN_AFTER
                continue
            if len(seen) < len(ids):
                self._not_before = now + AGAIN_AFTER
            work = (edition_id, [one for one in asked if one.account.lichess_id in seen], seen)
            found += await self._desk.db.write(lambda store, work=work: self._compare(store, *work))
        return found

    def _due(self, reader: Reader, edition_id: int, now: datetime) -> list[_Asked]:
        event = load_event(reader, self._desk.folds, edition_id)
        if event.edition.state is not EditionState.CLOSED or is_over(event, now):
            return []
        return list(_due(event, _rows(reader, event), now))

    async def _ask(self, ids: Sequence[str]) -> Mapping[str, Account | None]:
        """By id. None: Lichess has no such account, and had none at the look before either.

        Whoever it says so of for the first time is left out, like whoever could not be read: asked for again soon.
        """
        looked = await look_up(self._desk.lichess, ids)
        for id, refusal in looked.unread.items():
            log.warning("the account %s could not be looked at: %s", id, refusal.code)
        before, gone = self._gone, frozenset(id for id, account in looked.seen.items() if account is None)
        self._gone = (before - looked.seen.keys()) | gone
        return {id: account for id, account in looked.seen.items() if account is not None or id in before}

    def _compare(
        self, store: Store, edition_id: int, asked: Sequence[_Asked], seen: Mapping[str, Account | None]
    ) -> int:
        now = self._desk.clock.now()
        event = load_event(store, self._desk.folds, edition_id, keep=False)
        rows, told = _rows(store, event), 0
        due = {(one.entrant_id, one.account.lichess_id) for one in _due(event, rows, now)}
        for one in asked:
            key = (one.entrant_id, one.account.lichess_id)
            if key not in due:
                continue
            row = rows.get(key)
            before = row or _as_entered(store, event, one)
            after = _as_seen(before, seen[one.account.lichess_id], now)
            changes = tuple(_changes(before, after))
            store.save(after) if row else store.add(after)
            if changes:
                self._tell(store, event, before, after, changes)
                told += 1
        return told

    def _tell(
        self, store: Store, event: Event, before: AccountSeen, after: AccountSeen, changes: Sequence[Change]
    ) -> None:
        now, entrant = after.seen_at, event.entrants[after.entrant_id]
        outbox = Outbox(store, event.edition.guild_id, now)
        outbox.td(
            f"entrant:{entrant.id}:account:{after.lichess_id}:{now:%Y%m%dT%H%M%S}",
            "account_looks_different",
            edition_id=event.edition.id,
            entrant_id=entrant.id,
            lichess_id=after.lichess_id,
            name=after.name,
            was=before.name,
            changes=list(changes),
            at=now.isoformat(),
        )
        if Change.RENAMED in changes and entrant.lichess_id == after.lichess_id:
            renamed = AccountChanged(entrant.id, after.lichess_id, after.name)
            record(store, event.edition.id, renamed, now, clause="Q55")
            for match in event.open_matches():
                if match.has(entrant.id):
                    outbox.match_changed(match, event.round_of(match))


# --- Pure -------------------------------------------------------------------------------------------------------


def _due(event: Event, rows: Mapping[tuple[int, str], AccountSeen], now: datetime) -> Iterator[_Asked]:
    """Every account, earlier ones too, of everybody who is still in: a mark on either counts (Q55)."""
    every = event.rules.reporting.marks_checked_every
    for entrant_id in event.entrants:
        if not event.tournament.is_in(entrant_id):
            continue
        for account in event.accounts(entrant_id):
            row = rows.get((entrant_id, account.lichess_id))
            if row is None or now - row.seen_at >= every:
                yield _Asked(entrant_id, account)


def _as_seen(before: AccountSeen, account: Account | None, now: datetime) -> AccountSeen:
    """A closed account is no mark (Q44f), and since it shows none, no sign that a mark was lifted."""
    if account is None or account.closed:
        marked = before.marked or (account is not None and account.tos_violation)
        return replace(before, marked=marked, closed=True, seen_at=now)
    return replace(before, name=account.name, marked=account.tos_violation, closed=False, seen_at=now)


def _changes(before: AccountSeen, after: AccountSeen) -> Iterator[Change]:
    if after.marked != before.marked:
        yield Change.MARKED if after.marked else Change.UNMARKED
    if after.closed != before.closed:
        yield Change.CLOSED if after.closed else Change.REOPENED
    if after.name != before.name:
        yield Change.RENAMED


# --- What is stored -----------------------------------------------------------------------------------------------


def _rows(reader: Reader, event: Event) -> dict[tuple[int, str], AccountSeen]:
    rows = reader.find(AccountSeen, entrant_id=list(event.entrants)) if event.entrants else []
    return {(row.entrant_id, row.lichess_id): row for row in rows}


def _as_entered(reader: Reader, event: Event, asked: _Asked) -> AccountSeen:
    """How the account was when the TDs took it: what they saw then is nothing new."""
    entrant, account = event.entrants[asked.entrant_id], asked.account
    return AccountSeen(
        entrant_id=entrant.id,
        lichess_id=account.lichess_id,
        name=account.name,
        marked=_was_marked(reader, event, entrant, account.lichess_id),
        closed=False,
        seen_at=event.edition.created_at,
    )


def _was_marked(reader: Reader, event: Event, entrant: Entrant, lichess_id: str) -> bool:
    change = reader.one(AccountChange, entrant_id=entrant.id, lichess_id=lichess_id)
    if change is not None:
        return is_marked(change.progress)
    for entry in reader.find(
        Registration, edition_id=event.edition.id, person_id=entrant.person_id, lichess_id=lichess_id
    ):
        check = reader.one(AccountCheck, registration_id=entry.id)
        if TOS_VIOLATION in entry.flags or (check is not None and is_marked(check.progress)):
            return True
    return False

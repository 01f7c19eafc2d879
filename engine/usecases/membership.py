"""Who of the players is in the Discord server: whoever leaves is flagged to the TDs and stays in the event
(Q44f).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from engine.model import Edition, EditionState, Entrant, MemberSeen, Person
from engine.ports import Members, Reader, Store
from engine.usecases.context import Desk, Event, current_edition, load_event
from engine.usecases.due import running_editions
from engine.usecases.posts import Outbox
from engine.usecases.schedule import is_over

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)


class Membership:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def look(self, members: Members) -> None:
        """Asks Discord about every player who is still in and was not looked at for an hour. Whom it says nothing clear
        about is asked for again the next time."""
        now = self._desk.clock.now()
        for edition_id in await self._desk.db.read(running_editions):
            asked = await self._desk.db.read(lambda reader, id=edition_id: self._due(reader, id, now))
            if asked is None:
                continue
            guild_id, players = asked
            there = await members.present(guild_id, list(players.values()))
            seen = {entrant: there[discord_id] for entrant, discord_id in players.items() if discord_id in there}
            if seen:
                await self._desk.db.write(lambda store, work=(edition_id, seen): self._saw(store, *work))

    async def is_here(self, guild_id: int, discord_id: int) -> None:
        """Somebody does something in the server: a player who was flagged is back."""

        def find(reader: Reader) -> tuple[Edition, Entrant] | None:
            person = reader.one(Person, discord_id=discord_id)
            if person is None or not reader.find(Edition, guild_id=guild_id):
                return None
            edition = current_edition(reader, guild_id)
            entrant = reader.one(Entrant, edition_id=edition.id, person_id=person.id)
            row = reader.one(MemberSeen, entrant_id=entrant.id) if entrant else None
            return (edition, entrant) if entrant and row and row.gone_since is not None else None

        found = await self._desk.db.read(find)
        if found is not None:
            edition, entrant = found
            await self._desk.db.write(lambda store: self._saw(store, edition.id, {entrant.id: True}))

    def _due(self, reader: Reader, edition_id: int, now: datetime) -> tuple[int, Mapping[int, int]] | None:
        """The server, and the Discord ids of the players to ask for by entrant."""
        event = load_event(reader, self._desk.folds, edition_id)
        if event.edition.state is not EditionState.CLOSED or is_over(event, now):
            return None
        rows = _rows(reader, event)
        found: dict[int, int] = {}
        for entrant_id in event.entrants:
            discord_id, row = event.discord_id(entrant_id), rows.get(entrant_id)
            due = row is None or now - row.seen_at >= EVERY
            if due and discord_id is not None and event.tournament.is_in(entrant_id):
                found[entrant_id] = discord_id
        return (event.edition.guild_id, found) if found else None

    def _saw(self, store: Store, edition_id: int, seen: Mapping[int, bool]) -> None:
        now = self._desk.clock.now()
        event = load_event(store, self._desk.folds, edition_id, keep=False)
        rows, outbox = _rows(store, event), Outbox(store, event.edition.guild_id, now)
        for entrant_id, is_there in seen.items():
            row = rows.get(entrant_id)
            before = row.gone_since if row else None
            since = None if is_there else before or now
            kept = replace(row, gone_since=since, seen_at=now) if row else None
            store.save(kept) if kept else store.add(MemberSeen(entrant_id=entrant_id, gone_since=since, seen_at=now))
            if (before is None) == (since is None):
                continue
            flag = since or before
            assert flag is not None
            outbox.td(
                f"entrant:{entrant_id}:gone:{flag:%Y%m%dT%H%M%S}",
                "player_left_server",
                edition_id=event.edition.id,
                entrant_id=entrant_id,
                since=flag.isoformat(),
                back=is_there,
            )
            if is_there:
                outbox.welcome_back(event.edition.id, event.entrants[entrant_id], flag)


def _rows(reader: Reader, event: Event) -> dict[int, MemberSeen]:
    rows = reader.find(MemberSeen, entrant_id=list(event.entrants)) if event.entrants else []
    return {row.entrant_id: row for row in rows}

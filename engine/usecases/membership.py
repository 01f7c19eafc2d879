"""Who of the players is in the Discord server and has the role of the players.

Whoever leaves is flagged to the TDs and stays in the event (Q44f); whoever comes back gets the role again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.model import Edition, EditionState, Entrant, MemberSeen, Person, Server
from engine.ports import Members, Reader, Store
from engine.usecases.context import Desk, Event, current_edition, load_event
from engine.usecases.due import running_editions
from engine.usecases.posts import Outbox
from engine.usecases.schedule import is_over

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Asked:
    """An entrant to ask Discord about. `plays`: they are still in the event, so they should have the role."""

    discord_id: int
    plays: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """What Discord has said. `has_role`: after what was changed."""

    is_there: bool
    has_role: bool


class Membership:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def look(self, members: Members) -> None:
        """Asks Discord about every player who was not looked at for an hour, and gives or takes the role. Whom it says
        nothing clear about is asked for again the next time."""
        now = self._desk.clock.now()
        for edition_id in await self._desk.db.read(running_editions):
            due = await self._desk.db.read(lambda reader, id=edition_id: self._due(reader, id, now))
            if due is None:
                continue
            server, asked = due
            seen = await _ask(members, server, asked)
            if seen:
                erased = await self._desk.db.write(lambda store, work=(edition_id, seen): self._saw(store, *work))
                await _take_back(members, server, [asked[id] for id in erased if seen[id].has_role])

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
            back = {entrant.id: _Seen(is_there=True, has_role=False)}
            await self._desk.db.write(lambda store: self._saw(store, edition.id, back, look_again=True))

    def _due(self, reader: Reader, edition_id: int, now: datetime) -> tuple[Server, Mapping[int, _Asked]] | None:
        """The server, and whom to ask for by entrant: those who play, and those who do not and still have the role."""
        event = load_event(reader, self._desk.folds, edition_id)
        if event.edition.state is not EditionState.CLOSED or is_over(event, now):
            return None
        rows = _rows(reader, event)
        found: dict[int, _Asked] = {}
        for entrant_id in event.entrants:
            discord_id, row = event.discord_id(entrant_id), rows.get(entrant_id)
            plays = event.tournament.is_in(entrant_id)
            concerned = plays or (row is not None and row.has_role)
            if discord_id is not None and concerned and (row is None or now - row.seen_at >= EVERY):
                found[entrant_id] = _Asked(discord_id, plays)
        server = reader.one(Server, guild_id=event.edition.guild_id)
        return (server, found) if server and found else None

    def _saw(self, store: Store, edition_id: int, seen: Mapping[int, _Seen], *, look_again: bool = False) -> list[int]:
        """Who has been erased meanwhile: nothing is written about them. `look_again`: at the next tick, to give the
        role back."""
        now = self._desk.clock.now()
        event = load_event(store, self._desk.folds, edition_id, keep=False)
        rows, outbox = _rows(store, event), Outbox(store, event.edition.guild_id, now)
        erased = [entrant_id for entrant_id in seen if event.discord_id(entrant_id) is None]
        for entrant_id, found in seen.items():
            if entrant_id in erased:
                continue
            row = rows.get(entrant_id)
            before = row.gone_since if row else None
            since = None if found.is_there else before or now
            at = now - EVERY if look_again else now
            after = MemberSeen(
                id=row.id if row else 0, entrant_id=entrant_id, gone_since=since, has_role=found.has_role, seen_at=at
            )
            store.save(after) if row else store.add(after)
            if (before is None) == (since is None) or not event.tournament.is_in(entrant_id):
                continue
            flag = since or before
            assert flag is not None
            outbox.td(
                f"entrant:{entrant_id}:gone:{flag:%Y%m%dT%H%M%S}",
                "player_left_server",
                edition_id=event.edition.id,
                entrant_id=entrant_id,
                since=flag.isoformat(),
                back=found.is_there,
            )
            if found.is_there:
                outbox.welcome_back(event.edition.id, event.entrants[entrant_id], flag)
        return erased


async def _ask(members: Members, server: Server, asked: Mapping[int, _Asked]) -> dict[int, _Seen]:
    there = await members.present(server.guild_id, [one.discord_id for one in asked.values()])
    seen: dict[int, _Seen] = {}
    for entrant_id, one in asked.items():
        if one.discord_id not in there:
            continue
        roles, role_id = there[one.discord_id], server.player_role_id
        has_role = roles is not None and role_id in roles
        if roles is not None and role_id is not None and has_role != one.plays:
            changed = await members.set_role(server.guild_id, one.discord_id, role_id, has=one.plays)
            has_role = one.plays if changed else has_role
        seen[entrant_id] = _Seen(is_there=roles is not None, has_role=has_role)
    return seen


async def _take_back(members: Members, server: Server, erased: list[_Asked]) -> None:
    """The role that they have got, or kept, while they were erased."""
    for one in erased:
        if server.player_role_id is not None:
            await members.set_role(server.guild_id, one.discord_id, server.player_role_id, has=False)


def _rows(reader: Reader, event: Event) -> dict[int, MemberSeen]:
    rows = reader.find(MemberSeen, entrant_id=list(event.entrants)) if event.entrants else []
    return {row.entrant_id: row for row in rows}

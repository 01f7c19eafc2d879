"""What `/td setup` leaves behind: which channel is which, and who the TDs are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.model import Post, PostState, Server
from engine.ports import Reader, Store
from engine.usecases.context import Actor, Desk, person_of, require_td

CHANNELS = ("announcements", "pairings", "matches", "results", "standings", "td")
"""The roles a channel can have. `matches` holds the match threads, `td` is for the TDs only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    server: Server
    revived: int


class Setup:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def server(self, guild_id: int) -> Server | None:
        def work(reader: Reader) -> Server | None:
            return reader.one(Server, guild_id=guild_id)

        return await self._desk.db.read(work)

    async def require_td(self, actor: Actor) -> None:
        """NotAllowed("td_only") unless the actor has the TD role; NotFound("no_setup")."""
        await self._desk.db.read(lambda reader: require_td(reader, actor))

    async def save(self, actor: Actor, td_role_id: int, channels: Mapping[str, int]) -> SetUp:
        """Names the TD role and the channels; safe to run again. Messages that were stuck are owed again."""

        def work(store: Store) -> SetUp:
            person_of(store, actor)
            server = store.one(Server, guild_id=actor.guild_id)
            if server is None:
                server = store.add(Server(guild_id=actor.guild_id, td_role_id=td_role_id, channels=dict(channels)))
            else:
                server = store.save(replace(server, td_role_id=td_role_id, channels=dict(channels)))
            stuck = store.find(Post, guild_id=actor.guild_id, state=PostState.STUCK)
            for post in stuck:
                store.save(replace(post, state=PostState.WAITING, attempts=0, not_before=None, problem=None))
            return SetUp(server=server, revived=len(stuck))

        return await self._desk.db.write(work)

"""What `/td setup` leaves behind: which channel is which, and who the TDs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.model import Edition, Post, PostState, Server
from engine.ports import Reader, Store
from engine.usecases.context import Actor, Desk, current_event, person_of, require_td
from engine.usecases.posts import Outbox

CHANNELS = ("announcements", "pairings", "schedule", "matches", "results", "standings", "td")
"""The roles a channel can have. `matches` holds the match threads, `td` is for the TDs only. A server that was set up
before there was a `schedule` has none until `/td setup` runs again."""


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

    async def save(
        self, actor: Actor, td_role_id: int, channels: Mapping[str, int], player_role_id: int | None = None
    ) -> SetUp:
        """Names the roles and the channels; safe to run again. Messages that were stuck are owed again, and a
        schedule channel that is new gets the posts of the matches now played."""

        named: dict[str, Any] = {
            "td_role_id": td_role_id,
            "player_role_id": player_role_id,
            "channels": dict(channels),
        }

        def work(store: Store) -> SetUp:
            person_of(store, actor)
            before = store.one(Server, guild_id=actor.guild_id)
            if before is None:
                server = store.add(Server(guild_id=actor.guild_id, **named))
            else:
                server = store.save(replace(before, **named))
            revived = _revive(store, actor.guild_id)
            if before is not None and before.channels.get("schedule") != server.channels.get("schedule"):
                self._owe_schedule(store, actor.guild_id)
            return SetUp(server=server, revived=revived)

        return await self._desk.db.write(work)

    def _owe_schedule(self, store: Store, guild_id: int) -> None:
        if not store.find(Edition, guild_id=guild_id):
            return
        event = current_event(store, self._desk.folds, guild_id, keep=False)
        outbox = Outbox(store, guild_id, self._desk.clock.now())
        running = {match.round_id for match in event.open_matches()}
        for round in event.rounds:
            if round.id in running or round is event.current_round:
                outbox.schedule(round)

    async def revive(self, guild_id: int) -> None:
        """What was stuck in a server is owed again, for the bot is back in it."""
        await self._desk.db.write(lambda store: _revive(store, guild_id))

    async def directors_cut_off(self, guild_id: int) -> bool:
        """Whether notices for the TDs wait for a channel that cannot be written to."""
        stuck = await self._desk.db.read(
            lambda reader: reader.one(Post, guild_id=guild_id, target="channel:td", state=PostState.STUCK)
        )
        return stuck is not None

    async def troubles(self, guild_id: int, lacking: Mapping[str, Sequence[str]]) -> None:
        """What the bot lacks in its channels right now, by role of the channel; empty when all is well.

        The TDs get one notice for what they have not been told; it is brought up to date when something is repaired,
        and then what was stuck is owed again. Nothing before `/td setup`.
        """
        present = {name: tuple(what) for name, what in lacking.items()}

        def changed(reader: Reader) -> bool:
            set_up = reader.one(Server, guild_id=guild_id) is not None
            return set_up and _lacking_in(_notices(reader, guild_id)) != present

        def work(store: Store) -> None:
            notices = _notices(store, guild_id)
            known = _lacking_in(notices)
            outbox = Outbox(store, guild_id, self._desk.clock.now())
            news = bool(_pairs(present) - _pairs(known))
            outbox.place_troubles(len(notices) + news or 1, present)
            if news and known:
                outbox.troubles_superseded(notices[-1])
            if _pairs(known) - _pairs(present):
                _revive(store, guild_id)

        # A read first: nearly always nothing has changed, and then no write transaction is opened.
        if await self._desk.db.read(changed):
            await self._desk.db.write(work)


Troubles = Mapping[str, Sequence[str]]


def _notices(reader: Reader, guild_id: int) -> list[Post]:
    return reader.find(Post, guild_id=guild_id, kind="place_troubles")


def _lacking_in(notices: Sequence[Post]) -> Troubles:
    """What the newest notice names."""
    return {name: tuple(what) for name, what in notices[-1].payload["lacking"].items()} if notices else {}


def _pairs(troubles: Troubles) -> set[tuple[str, str]]:
    return {(name, what) for name, whats in troubles.items() for what in whats}


def _revive(store: Store, guild_id: int) -> int:
    """Owes again what was stuck; gives how many posts that are."""
    stuck = store.find(Post, guild_id=guild_id, state=PostState.STUCK)
    for post in stuck:
        store.save(replace(post, state=PostState.WAITING, attempts=0, not_before=None, problem=None))
    return len(stuck)

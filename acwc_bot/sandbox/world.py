"""The real bot inside simcord's offline Discord, beside an offline Lichess, on a clock that is moved by hand.

simcord runs one operation at a time and must not see timers. So everything goes through one lock, the scheduler is
never started, and the bot's tick follows each act and each step of the clock (design sections 4 and 8).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import discord
import simcord
from simcord.actors import MemberActor
from simcord.backend.access import can_access_channel
from simcord.backend.models import Channel, Message
from simcord.builders import ChannelHandle, GuildHandle

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.sandbox.plain import plain
from acwc_bot.wiring import Parts, make_lichess, wire
from cogs.directors.channels import NEEDED
from db.migrations import upgrade
from db.worker import SqlDatabase

log = logging.getLogger(__name__)
T = TypeVar("T")

SERVER_NAME = "Antichess World Cup"
BOT_NAME = "World Cup Bot"
LOBBY = "lobby"
OWNER, DIRECTOR = "owner", "director"
#: Where simcord's clock begins.
DAY_ONE = datetime(2026, 1, 1, tzinfo=UTC)
_BOT_PERMISSIONS = NEEDED | discord.Permissions(manage_channels=True, manage_roles=True)


class SandboxError(Exception):
    """Something the visitor asked for cannot be done; the text is a sentence for the page."""


class SandboxClock:
    """The clock port on simcord's clock."""

    env: simcord.Env | None = None

    def now(self) -> datetime:
        return self.env.now() if self.env is not None else DAY_ONE


class Sandbox:
    """The server, its people by name, and the one way to do anything in it."""

    def __init__(self, env: simcord.Env, parts: Parts, lichess: LichessWorld, guild: GuildHandle) -> None:
        self.env = env
        self.parts = parts
        self.lichess = lichess
        self.guild = guild
        self.people: dict[str, MemberActor] = {}
        #: simcord's one operation at a time: people, the clock and the visitor's page queue here.
        self.lock = asyncio.Lock()
        #: Shows the visitor's page what is new; called with the lock held.
        self.republish: Callable[[], Awaitable[None]] | None = None

    def now(self) -> datetime:
        return self.env.now()

    def join(self, name: str, *roles: Any) -> MemberActor:
        """A new member of the server."""
        self.people[name] = self.guild.add_member(self.env.create_user(name), roles=list(roles))
        return self.people[name]

    # --- Acting ------------------------------------------------------------------------------------------------

    async def act(self, work: Callable[[], Awaitable[T]]) -> T:
        """One operation of simcord, then the bot's tick. TimeoutError when the bot does not come to rest."""
        async with self.lock:
            try:
                return await work()
            finally:
                await self.settle()

    async def settle(self) -> None:
        """With the lock held: what the act made due is done, delivered and shown."""
        try:
            await self.parts.runtime.tick()
            await self.env.settle()
        except Exception:
            log.exception("the tick after an act failed")
        if self.republish is not None:
            await self.republish()

    async def slash(self, who: MemberActor, channel: ChannelHandle, name: str, /, **options: Any) -> str:
        """A slash command; gives the private answer as plain text."""
        return self._answer(await self.act(lambda: who.slash(channel, name, **options)))

    async def click(self, who: MemberActor, channel_id: int, custom_id: str) -> str:
        """Presses the newest button with that custom_id in a channel; gives the private answer as plain text."""
        message = self._message_with(channel_id, custom_id)
        return self._answer(await self.act(lambda: who.click(message, custom_id=custom_id)))

    def _message_with(self, channel_id: int, custom_id: str) -> discord.Message:
        for message in reversed(self.place(channel_id).history()):
            for row in message.components:
                if any(getattr(child, "custom_id", None) == custom_id for child in getattr(row, "children", [])):
                    return message
        raise SandboxError(f"There is no button {custom_id} in #{self.place(channel_id).name}.")

    def _answer(self, result: simcord.InteractionResult) -> str:
        texts = [part.content for part in (result.response, *result.followups) if part is not None]
        return self.plain("\n".join(texts))

    # --- The clock ---------------------------------------------------------------------------------------------

    async def move_to(self, moment: datetime) -> None:
        """Moves the clock from due moment to due moment, with a tick at each."""
        while self.now() < moment:
            due = await self.parts.runtime.next_due()
            target = min(moment, due) if due is not None else moment
            await self.act(lambda target=target: self._advance(target))

    async def _advance(self, target: datetime) -> None:
        """simcord limits the real time of one step, so one that made some way is taken up again."""
        while (before := self.now()) < target:
            try:
                await self.env.advance_time((target - before).total_seconds())
            except TimeoutError:
                if self.now() <= before:
                    raise

    # --- Looking -----------------------------------------------------------------------------------------------

    def channel(self, name: str) -> ChannelHandle:
        """A channel by the name that people see, such as `lobby`."""
        return self.guild.channels[name]

    def place(self, channel_id: int) -> ChannelHandle:
        """A channel or thread by id; SandboxError when there is none in this server."""
        found = self.env.backend.channels.get(channel_id)
        if found is None or found.guild_id != self.guild.id:
            raise SandboxError("That channel does not exist.")
        return ChannelHandle(self.env, self.guild, found)

    def visible_places(self, viewer: MemberActor) -> list[Channel]:
        """Channels and threads that a member can read, in the server's order."""
        places = [place for place in self.env.backend.channels.values() if place.guild_id == self.guild.id]
        return [place for place in places if can_access_channel(self.env, place.id, viewer, history=True)]

    def messages(self, channel_id: int, viewer: MemberActor) -> list[Message]:
        """What a member sees there, oldest first."""
        found = self.env.backend.messages.get(channel_id, {}).values()
        return sorted((m for m in found if m.visible_to(viewer.id)), key=lambda m: m.id)

    def plain(self, text: str) -> str:
        """Discord's markup as plain text with the names of this server."""
        users = {member.id: name for name, member in self.people.items()}
        return plain(text, users, {id: place.name or "" for id, place in self.env.backend.channels.items()})


@asynccontextmanager
async def open_sandbox(folder: Path) -> AsyncIterator[Sandbox]:
    """A running bot with a fresh database in `folder`, in a server that has a lobby and an owner, nothing else."""
    clock = SandboxClock()
    lichess = LichessWorld(clock.now)
    url = f"sqlite:///{folder / 'sandbox.db'}"
    upgrade(url, folder, DAY_ONE)
    with ThreadedLichessServer(lichess) as server, SqlDatabase(url) as database:
        client = make_lichess(server.url)
        try:
            parts = wire(database, client, clock)
            async with simcord.run(parts.bot, check_errors=False) as env:
                clock.env = env
                yield _furnish(Sandbox(env, parts, lichess, env.create_guild(SERVER_NAME)))
        finally:
            await client.close()


def _furnish(sandbox: Sandbox) -> Sandbox:
    """The server as it is when the bot has just been invited with the permissions it asks for."""
    guild = sandbox.guild
    sandbox.env.backend.edit_bot_profile(BOT_NAME)
    bot_role = guild.create_role(BOT_NAME, permissions=_BOT_PERMISSIONS)
    guild._guild.members[sandbox.env.backend.bot_user.id].role_ids.append(bot_role.id)
    guild.create_text_channel(LOBBY, topic="Talk, and the place to type commands")
    owners = guild.create_role("Owner", permissions=discord.Permissions(manage_guild=True, manage_threads=True))
    sandbox.join(OWNER, owners)
    return sandbox

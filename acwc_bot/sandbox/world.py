"""The real bot inside simcord's offline Discord, beside an offline Lichess, on a clock that is moved by hand.

simcord runs one operation at a time and must not see timers. So everything goes through one lock, the scheduler is
never started, and the bot's tick follows each act and each step of the clock (design sections 4 and 8).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import discord
import simcord
from discord import app_commands
from simcord.actors import MemberActor
from simcord.backend import Backend
from simcord.backend.access import can_access_channel
from simcord.backend.models import Channel, Message
from simcord.builders import ChannelHandle, GuildHandle, UserHandle

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.sandbox.patient import PatientEnv
from acwc_bot.sandbox.plain import plain
from acwc_bot.wiring import Parts, make_lichess, wire
from cogs.directors.channels import COMMUNITY, NEEDED
from db.migrations import upgrade
from db.worker import SqlDatabase
from engine.errors import AcwcError
from engine.model import EntryState, Registration, Server

log = logging.getLogger(__name__)
T = TypeVar("T")

SERVER_NAME = "Antichess World Cup"
BOT_NAME = "World Cup Bot"
LOBBY = "lobby"
OWNER, DIRECTOR, FOLLOWER = "owner", "director", "follower"
#: They never play.
SPECIAL = frozenset({OWNER, DIRECTOR, FOLLOWER})
DISCORD_DOWN = "Discord is down: what people type and press there does not arrive. Switch it on again first."
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


class _Env(PatientEnv):
    """A refusal that the bot has answered is no failure: else Discord's page would call the outcome uncertain."""

    def _record_error(self, error: BaseException) -> None:
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if not isinstance(cause, AcwcError):
            super()._record_error(error)


class Machine:
    """The bot's own process: what a restart makes anew. Only the database outlasts it."""

    def __init__(self, database_url: str, lichess_url: str, clock: SandboxClock) -> None:
        self.database_url = database_url
        self._lichess_url = lichess_url
        self._clock = clock
        self._start()

    def _start(self) -> None:
        # Nobody waits for the pauses between two tries: inside simcord a timer would hold up everything.
        self.client = make_lichess(self._lichess_url, sleep=lambda _: asyncio.sleep(0))
        self.parts = wire(SqlDatabase(self.database_url), self.client, self._clock)

    async def stop(self) -> None:
        await self.client.close()
        self.parts.db.close()

    async def restart(self) -> None:
        await self.stop()
        self._start()


class Sandbox:
    """The server, its people by name, and the one way to do anything in it."""

    def __init__(self, env: simcord.Env, machine: Machine, lichess: LichessWorld, guild: GuildHandle) -> None:
        self.env = env
        self.machine = machine
        self.lichess = lichess
        self.guild = guild
        self.people: dict[str, MemberActor] = {}
        #: simcord's one operation at a time: people, the clock and the visitor's page queue here.
        self.lock = asyncio.Lock()
        #: Shows the visitor's page what is new; called with the lock held.
        self.republish: Callable[[], Awaitable[None]] | None = None
        #: Grows with whatever may have changed something worth saving.
        self.changes = 0

    @property
    def parts(self) -> Parts:
        return self.machine.parts

    def now(self) -> datetime:
        return self.env.now()

    def join(self, name: str, *roles: Any) -> MemberActor:
        """A new member of the server."""
        self.people[name] = self.guild.add_member(self.env.create_user(name), roles=list(roles))
        return self.people[name]

    async def give_td_role(self, name: str) -> None:
        """What the server's owner does in Discord's own settings. SandboxError before `/td setup`."""
        server = await self._server()
        if server is None or server.td_role_id is None:
            raise SandboxError("There is no TD role yet. Type /td setup in Discord first.")
        user_id, role_id = self.people[name].id, server.td_role_id

        async def give() -> None:
            self.env.backend.add_member_role(self.guild.id, user_id, role_id)

        await self.act(give)

    async def is_td(self, name: str) -> bool:
        server = await self._server()
        member = self.guild._guild.members[self.people[name].id]
        return server is not None and server.td_role_id in member.role_ids

    async def home(self, name: str) -> ChannelHandle | None:
        """The channel that `/td setup` chose: `td`, `pairings`, `matches` …; None before it or when it is gone."""
        server = await self._server()
        channel_id = server.channels.get(name) if server else None
        return self.place(channel_id) if channel_id in self.env.backend.channels else None

    async def _server(self) -> Server | None:
        return await self.parts.db.read(lambda reader: reader.one(Server, guild_id=self.guild.id))

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
        # Its records of every request and event, for tests: here they would only grow.
        self.env.backend.transcript.clear()
        self.env.backend.http_requests.clear()
        self.changes += 1
        if self.republish is not None:
            await self.republish()

    async def slash(self, who: MemberActor, channel: ChannelHandle, name: str, /, **options: Any) -> str:
        """A slash command; gives the private answer as plain text. SandboxError while Discord is down."""
        self._require_discord()
        return self._answer(await self.act(lambda: who.slash(channel, name, **options)))

    async def enter(self, who: MemberActor, account: str) -> str:
        """/register, the code into the bio of the account, and *Check*; what the bot answers to the last of these."""
        self._require_discord()
        asked = await self.act(lambda: who.slash(self.channel(LOBBY), "register", account=account))
        message = asked.followups[-1] if asked.followups else asked.response
        begun = await self.parts.db.read(
            lambda r: r.one(Registration, lichess_id=account.lower(), state=EntryState.UNPROVEN)
        )
        if begun is None or message is None:
            return self._answer(asked)
        self.lichess.change(account, bio=begun.code)
        return self._answer(await self.act(lambda: who.click(message, custom_id=f"acwc:1:prove:{begun.id}")))

    async def click(self, who: MemberActor, channel_id: int, custom_id: str) -> str:
        """Presses the newest button with that custom_id in a channel; gives the private answer as plain text."""
        self._require_discord()
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

    # --- What goes wrong ---------------------------------------------------------------------------------------

    @property
    def discord_down(self) -> bool:
        return bool(self.env.backend.faults)

    def _require_discord(self) -> None:
        if self.discord_down:
            raise SandboxError(DISCORD_DOWN)

    async def set_discord(self, *, down: bool) -> None:
        """Down: every request of the bot is answered 503. Up again: the bot hears of it as from its gateway."""
        async with self.lock:
            self.env.backend.faults.clear()
            if down:
                self.env.inject_error("*", "*", status=503, message="Service Unavailable", times=None)
            else:
                await self.parts.runtime.relay.discord_is_back()
            await self.settle()

    async def set_lichess(self, *, down: bool) -> None:
        """Down: every request is answered 502."""
        async with self.lock:
            self.lichess.down = down
            await self.settle()

    async def restart(self) -> None:
        """The process of the bot ends and starts again on the same database."""
        if self.discord_down:
            raise SandboxError("Discord is down: a new bot could not log in. Switch it on again first.")
        async with self.lock:
            await self.machine.restart()
            await self.env.restart_bot(self.parts.bot)
            self.make_community()
            await self.settle()

    def make_community(self) -> None:
        """simcord says of every server that it has no features; this one is a Community, so it may have a forum."""
        guild = self.parts.bot.get_guild(self.guild.id)
        assert guild is not None
        if COMMUNITY not in guild.features:
            guild.features.append(COMMUNITY)

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
        channels = {id: place.name or "" for id, place in self.env.backend.channels.items()}
        return plain(text, users, channels, {role.id: name for name, role in self.guild.roles.items()})


@dataclass(frozen=True, slots=True)
class World:
    """What a sandbox is made of besides the bot and its database."""

    backend: Backend
    lichess: LichessWorld


@asynccontextmanager
async def open_sandbox(database: Path, saved: World | None = None) -> AsyncIterator[Sandbox]:
    """A running bot on the database, in the saved world; without one in a new server that has a lobby, its owner, the
    later director and a follower, and with a database that is made if it does not exist."""
    clock = SandboxClock()
    lichess = saved.lichess if saved else LichessWorld()
    lichess.clock = clock.now
    url = f"sqlite:///{database}"
    upgrade(url, database.parent, DAY_ONE)
    with ThreadedLichessServer(lichess) as server:
        machine = Machine(url, server.url, clock)
        env = _Env(machine.parts.bot, check_errors=False)
        if saved is not None:
            env.backend = saved.backend
        clock.env = env
        try:
            # It logs in as it did before Discord went down.
            faults, env.backend.faults = env.backend.faults, []
            await env.start()
            env.backend.faults = faults
            with env.time_context():
                sandbox = _furnished(env, machine, lichess) if saved is None else _found(env, machine, lichess)
                sandbox.make_community()
                yield sandbox
        finally:
            await env.shutdown()
            await machine.stop()


def _found(env: simcord.Env, machine: Machine, lichess: LichessWorld) -> Sandbox:
    """The one server of a saved world, and everybody in it."""
    guild = GuildHandle(env, next(iter(env.backend.guilds.values())))
    sandbox = Sandbox(env, machine, lichess, guild)
    for user_id in guild._guild.members:
        user = env.backend.users[user_id]
        if not user.bot:
            sandbox.people[user.name] = MemberActor(env, guild, UserHandle(env, user))
    return sandbox


def _furnished(env: simcord.Env, machine: Machine, lichess: LichessWorld) -> Sandbox:
    """The server as it is when the bot has just been invited with the permissions it asks for."""
    env.backend.edit_bot_profile(BOT_NAME)
    owner = env.create_user(OWNER)
    guild = env.create_guild(SERVER_NAME, owner=owner)
    bot_role = guild.create_role(BOT_NAME, permissions=_BOT_PERMISSIONS)
    guild._guild.members[env.backend.bot_user.id].role_ids.append(bot_role.id)
    guild.create_text_channel(LOBBY, topic="Talk, and the place to type commands")
    sandbox = Sandbox(env, machine, lichess, guild)
    sandbox.people[OWNER] = MemberActor(env, guild, owner)
    sandbox.join(DIRECTOR)
    sandbox.join(FOLLOWER)
    return sandbox

"""The real bot, a server, people, an offline Lichess, and a clock that is moved, on one of two offline Discords.

`BaseWorld` is what tests see of both. `World` is the thin adapter over simcord, `tests/standin/world.py` the one over
the stand-in. The scheduler does not run: every act is followed by a tick, as in the sandbox. Nothing else in the tests
touches simcord's own types.
"""

from __future__ import annotations

import pickle
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord.actors import MemberActor
from simcord.builders import GuildHandle, UserHandle

from acwc_bot.runtime import FOLLOWING
from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.sandbox.patient import PatientEnv
from acwc_bot.sandbox.snapshot import without_listeners
from acwc_bot.wiring import Parts, make_lichess, wire
from db.backup import backup
from db.migrations import upgrade
from db.worker import SqlDatabase
from engine.errors import AcwcError
from engine.model import Edition
from engine.ports import Clock
from tests.discord_limits import TEXT_INPUT, walk
from tests.support_lichess import HandMovedTime

DAY_ONE = datetime(2026, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
OWNER = discord.Permissions(manage_guild=True, manage_threads=True)
COMMUNITY = "COMMUNITY"
_template: list[Path] = []


class EnvClock:
    """The clock port on simcord's clock."""

    env: simcord.Env | None = None

    def now(self) -> datetime:
        return self.env.now() if self.env is not None else DAY_ONE


def migrated(path: Path, scratch: Path) -> str:
    """The URL of a fresh database, copied from one that this process migrates once."""
    if not _template:
        template = scratch / "template.db"
        upgrade(f"sqlite:///{template}", scratch, DAY_ONE)
        _template.append(template)
    shutil.copy(_template[0], path)
    return f"sqlite:///{path}"


@dataclass(kw_only=True)
class BaseWorld(ABC):
    """A server with the bot in it. `people` by name; `td` is one with the TD role after `set_up`."""

    parts: Parts
    clock: Clock
    lichess: LichessWorld
    lichess_url: str
    url: str
    guild: Any
    owner: Any
    people: dict[str, Any] = field(default_factory=dict)
    #: Whether the bot follows matches by itself. Where it does not, as when Lichess is slow, players report.
    follows: bool = False

    # What the two Discords do differently ----------------------------------------------------------------------------

    @abstractmethod
    async def settle(self) -> None:
        """Until the bot has nothing left to do."""

    @abstractmethod
    async def pass_time(self, seconds: float) -> None:
        """Moves the clock, and nothing ticks."""

    @abstractmethod
    def new_member(self, name: str, roles: list[Any]) -> Any: ...

    @abstractmethod
    def direct_messages(self, who: Any) -> list[str]:
        """What the bot has written to that person alone, oldest first."""

    @abstractmethod
    def become_community(self) -> None:
        """From now on the server can have forums."""

    @abstractmethod
    async def replace_bot(self, parts: Parts) -> None:
        """Another process of the bot takes over."""

    # What is there ---------------------------------------------------------------------------------------------------

    @property
    def lobby(self) -> Any:
        return self.guild.channels["lobby"]

    def channel(self, name: str) -> Any:
        return self.guild.channels[f"wc-{name}"]

    @property
    def threads(self) -> dict[str, Any]:
        return {thread.name: thread for thread in self.channel("matches").threads}

    def person(self, name: str, *roles: Any) -> Any:
        if name not in self.people:
            self.people[name] = self.new_member(name, list(roles))
        return self.people[name]

    # Acting: each act is followed by a tick --------------------------------------------------------------------------

    async def tick(self) -> None:
        await self.parts.runtime.tick(without=() if self.follows else (FOLLOWING,))
        await self.settle()

    async def _acted(self, result: Any) -> Any:
        await self.tick()
        return result

    async def slash(self, who: Any, name: str, /, channel: Any = None, **options: Any) -> Any:
        """The result has `response` and `followups` with `content` and `components`, and `modal`."""
        return await self._acted(await who.slash(channel or self.lobby, name, **options))

    async def click(self, who: Any, message: Any, custom_id: str) -> Any:
        return await self._acted(await who.click(message, custom_id=custom_id))

    async def submit(self, who: Any, shown: Any, *values: str) -> Any:
        """Fills the fields of a form in order."""
        ids = field_ids(shown.modal)
        return await self._acted(await who.submit_modal(shown, dict(zip(ids, values, strict=False))))

    async def move_to(self, moment: datetime) -> None:
        """Moves the clock to a moment, from due moment to due moment, with a tick at each."""
        while self.clock.now() < moment:
            due = await self.parts.runtime.next_due()
            await self.jump_to(min(moment, due) if due is not None else moment)
            await self.tick()

    async def move(self, **delta: float) -> None:
        await self.move_to(self.clock.now() + timedelta(**delta))

    async def jump_to(self, moment: datetime) -> None:
        """Moves the clock with the bot down: nothing ticks on the way."""
        await self.pass_time((moment - self.clock.now()).total_seconds())

    # Shortcuts for what many tests need ------------------------------------------------------------------------------

    async def set_up(self) -> None:
        """`/td setup` by the owner, and a TD."""
        await self.slash(self.owner, "td setup")
        self.person("td", self.guild.roles["World Cup TD"])

    async def start_edition(self, names: Iterable[str], starts: str, *, ratings: dict[str, int] | None = None) -> None:
        """Edition created and opened, everybody registered with an account of the same name and approved, closed."""
        td = self.people["td"]
        await self.slash(td, "td edition create", starts=starts, ruleset="2023")
        await self.slash(td, "td edition open")
        for place, name in enumerate(names):
            rating = ratings[name] if ratings else 2400 - 10 * place
            self.lichess.add_account(name, rating=rating, games=5000, created_at=LONG_AGO)
            await self.enters(name)
            card = self.channel("directors").last_message
            await self.click(td, card, next(id for id in custom_ids(card) if ":approve:" in id))
        await self.slash(td, "td edition close")

    async def enters(self, name: str, account: str | None = None) -> Any:
        """`/register`, the code into the bio, *Check*: the answer to that."""
        who = self.person(name)
        asked = await self.slash(who, "register", account=account or name)
        code = re.search(r"`(acwc-\w+)`", text_of(asked))
        assert code, text_of(asked)
        self.lichess.change(account or name, bio=f"I play in the World Cup. {code[1]}")
        message = asked.followups[-1] if asked.followups else asked.response
        return await self.click(who, message, next(id for id in custom_ids(message) if ":prove:" in id))

    def edition(self) -> Edition:
        return self.parts.db.read_sync(lambda reader: reader.find(Edition)[-1])

    async def restart(self) -> None:
        """A new process on the same database: new connections, a new bot, nothing remembered."""
        before = self.parts
        self.parts = wired(self.url, self.lichess_url, self.clock)
        await self.replace_bot(self.parts)
        before.db.close()


@dataclass(kw_only=True)
class World(BaseWorld):
    """On simcord, which runs one operation at a time and must not see timers."""

    env: simcord.Env
    users: dict[int, Any] = field(default_factory=dict)

    async def settle(self) -> None:
        await self.env.settle()

    async def pass_time(self, seconds: float) -> None:
        await self.env.advance_time(seconds)

    def new_member(self, name: str, roles: list[Any]) -> Any:
        user = self.env.create_user(name)
        self.users[user.id] = user
        return self.guild.add_member(user, roles=roles)

    def knows(self, name: str) -> None:
        """Finds somebody who is in the server already."""
        user = next(user for user in self.env.backend.users.values() if user.name == name)
        self.users[user.id] = UserHandle(self.env, user)
        self.people[name] = MemberActor(self.env, self.guild, self.users[user.id])

    def direct_messages(self, who: Any) -> list[str]:
        return [message.content for message in self.users[who.id].dm_channel.history()]

    def become_community(self) -> None:
        """simcord says of every server that it has no features."""
        guild = self.parts.bot.get_guild(self.guild.id)
        assert guild is not None
        guild.features.append(COMMUNITY)

    async def replace_bot(self, parts: Parts) -> None:
        await self.env.restart_bot(parts.bot)


def custom_ids(message: Any) -> list[str]:
    """Of every button of a message, in order."""
    rows = [one if isinstance(one, dict) else one.to_dict() for one in message.components]
    return [one["custom_id"] for one in walk(rows) if one.get("custom_id")]


def field_ids(modal: Any) -> list[str]:
    """Of every text field of a form, in order."""
    return [one["custom_id"] for one in walk(modal["components"]) if one["type"] == TEXT_INPUT]


def text_of(result: Any) -> str:
    """Everything a private answer said."""
    parts = [result.response, *result.followups]
    return "\n".join(part.content for part in parts if part is not None)


def wired(url: str, lichess_url: str, clock: Clock, **options: Any) -> Parts:
    """`options` of `wire`. Nothing is waited for before Lichess is asked again: the time of its queue passes when it
    waits."""
    time = HandMovedTime()
    return wire(
        SqlDatabase(url), make_lichess(lichess_url, monotonic=time.monotonic, sleep=time.sleep), clock, **options
    )


@asynccontextmanager
async def open_world(folder: Path, kept: Kept | None = None) -> AsyncIterator[World]:
    """A running bot in a fresh server, or in one that was kept."""
    clock = EnvClock()
    lichess: LichessWorld = pickle.loads(kept.lichess) if kept else LichessWorld()
    lichess.clock = clock.now
    url = migrated(folder / "acwc.db", folder)
    if kept:
        (folder / "acwc.db").write_bytes(kept.database)
    with ThreadedLichessServer(lichess) as server:
        parts = wired(url, server.url, clock)
        env = PatientEnv(parts.bot)
        if kept:
            env.backend = pickle.loads(kept.discord)
        clock.env = env
        await env.start()
        guild, owner = _known_server(env) if kept else _server(env)
        world = World(
            env=env,
            parts=parts,
            clock=clock,
            lichess=lichess,
            lichess_url=server.url,
            url=url,
            guild=guild,
            owner=owner,
        )
        for name in kept.people if kept else ():
            world.knows(name)
        try:
            yield world
            assert not (unexpected := [e for e in env.errors if not _expected(e)]), unexpected
        finally:
            await env.shutdown()
            world.parts.db.close()


@dataclass(frozen=True)
class Kept:
    """A world between two acts, as bytes. `people`: who is in it, in the order in which they came."""

    database: bytes
    discord: bytes
    lichess: bytes
    people: tuple[str, ...]


def keep(world: World, folder: Path) -> Kept:
    return Kept(
        backup(world.url, folder, world.clock.now()).read_bytes(),
        pickle.dumps(without_listeners(world.env.backend)),
        pickle.dumps(world.lichess),
        tuple(world.people),
    )


_kept: dict[Callable[[World], Awaitable[None]], Kept] = {}


@asynccontextmanager
async def open_prepared(folder: Path, prepare: Callable[[World], Awaitable[None]]) -> AsyncIterator[World]:
    """A world that `prepare` has brought to where many tests begin: done once in this process. Each test has a copy of
    its own, with a bot that has just started."""
    if prepare not in _kept:
        first = folder / "prepared"
        first.mkdir()
        async with open_world(first) as world:
            await prepare(world)
            _kept[prepare] = keep(world, first)
    async with open_world(folder, _kept[prepare]) as world:
        yield world


def _expected(error: BaseException | None) -> bool:
    """Refusals are the bot's answers; simcord lists every error that reached the seam."""
    return error is not None and (isinstance(error, AcwcError) or _expected(getattr(error, "original", None)))


def _known_server(env: simcord.Env) -> tuple[Any, Any]:
    guild = GuildHandle(env, next(iter(env.backend.guilds.values())))
    owner = next(user for user in env.backend.users.values() if user.name == "owner")
    return guild, MemberActor(env, guild, UserHandle(env, owner))


def _server(env: simcord.Env) -> tuple[Any, Any]:
    guild = env.create_guild("Antichess")
    admin = guild.create_role("Bot", permissions=discord.Permissions(administrator=True))
    guild._guild.members[env.backend.bot_user.id].role_ids.append(admin.id)
    guild.create_text_channel("lobby")
    owner = guild.add_member(env.create_user("owner"), roles=[guild.create_role("Owner", permissions=OWNER)])
    return guild, owner

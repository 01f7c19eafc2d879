"""The thin adapter over simcord: the real bot, a server, people, an offline Lichess, and a clock that is moved.

simcord runs one operation at a time and must not see timers, so every act here is followed by a tick, as in the
sandbox. Nothing else in the tests touches simcord's own types.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import simcord

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.wiring import Parts, make_lichess, wire
from db.migrations import upgrade
from db.worker import SqlDatabase
from engine.errors import AcwcError
from engine.model import Edition

DAY_ONE = datetime(2026, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
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


@dataclass
class World:
    """A server with the bot in it. `people` by name; `td` is one with the TD role after `set_up`."""

    env: simcord.Env
    parts: Parts
    clock: EnvClock
    lichess: LichessWorld
    lichess_url: str
    url: str
    guild: Any
    owner: Any
    people: dict[str, Any] = field(default_factory=dict)

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
            self.people[name] = self.guild.add_member(self.env.create_user(name), roles=list(roles))
        return self.people[name]

    # Acting: each act is followed by a tick --------------------------------------------------------------------------

    async def tick(self) -> None:
        await self.parts.runtime.tick()
        await self.env.settle()

    async def slash(self, who: Any, name: str, /, channel: Any = None, **options: Any) -> simcord.InteractionResult:
        result = await who.slash(channel or self.lobby, name, **options)
        await self.tick()
        return result

    async def click(self, who: Any, message: Any, custom_id: str) -> simcord.InteractionResult:
        result = await who.click(message, custom_id=custom_id)
        await self.tick()
        return result

    async def submit(self, who: Any, shown: simcord.InteractionResult, *values: str) -> simcord.InteractionResult:
        """Fills the fields of a form in order."""
        ids = field_ids(shown.modal)
        result = await who.submit_modal(shown, dict(zip(ids, values, strict=False)))
        await self.tick()
        return result

    async def move_to(self, moment: datetime) -> None:
        """Moves the clock to a moment, from due moment to due moment, with a tick at each."""
        while self.env.now() < moment:
            due = await self.parts.runtime.next_due()
            target = min(moment, due) if due is not None else moment
            await self.env.advance_time((target - self.env.now()).total_seconds())
            await self.tick()

    async def move(self, **delta: float) -> None:
        await self.move_to(self.env.now() + timedelta(**delta))

    async def jump_to(self, moment: datetime) -> None:
        """Moves the clock with the bot down: nothing ticks on the way."""
        await self.env.advance_time((moment - self.env.now()).total_seconds())

    # Shortcuts for what many tests need ------------------------------------------------------------------------------

    async def set_up(self) -> None:
        """`/td setup` by the owner, and a TD."""
        await self.slash(self.owner, "td setup")
        role = self.guild.roles["World Cup TD"]
        self.people["td"] = self.guild.add_member(self.env.create_user("td"), roles=[role])

    async def start_edition(self, names: Iterable[str], starts: str, *, ratings: dict[str, int] | None = None) -> None:
        """Edition created and opened, everybody registered with an account of the same name and approved, closed."""
        td = self.people["td"]
        await self.slash(td, "td edition create", starts=starts, ruleset="2023")
        await self.slash(td, "td edition open")
        for place, name in enumerate(names):
            rating = ratings[name] if ratings else 2400 - 10 * place
            self.lichess.add_account(name, rating=rating, games=5000, created_at=LONG_AGO)
            await self.slash(self.person(name), "register", account=name)
            card = self.channel("directors").last_message
            await self.click(td, card, next(id for id in custom_ids(card) if ":approve:" in id))
        await self.slash(td, "td edition close")

    def edition(self) -> Edition:
        return self.parts.db.read_sync(lambda reader: reader.find(Edition)[-1])

    async def restart(self) -> None:
        """A new process on the same database: new connections, a new bot, nothing remembered."""
        self.parts.db.close()
        self.parts = _parts(self.url, self.lichess_url, self.clock)
        await self.env.restart_bot(self.parts.bot)


def custom_ids(message: Any) -> list[str]:
    """Of every button of a message, in order."""
    found: list[str] = []

    def walk(components: Iterable[Any]) -> None:
        for component in components:
            raw = component if isinstance(component, dict) else component.to_dict()
            if raw.get("custom_id"):
                found.append(raw["custom_id"])
            walk(raw.get("components", []))

    walk(message.components)
    return found


def field_ids(modal: Any) -> list[str]:
    found: list[str] = []

    def walk(components: Iterable[dict[str, Any]]) -> None:
        for component in components:
            if component.get("type") == 4:
                found.append(component["custom_id"])
            walk(component.get("components") or [])
            if component.get("component"):
                walk([component["component"]])

    walk(modal["components"])
    return found


def text_of(result: simcord.InteractionResult) -> str:
    """Everything a private answer said."""
    parts = [result.response, *result.followups]
    return "\n".join(part.content for part in parts if part is not None)


def _parts(url: str, lichess_url: str, clock: EnvClock) -> Parts:
    return wire(SqlDatabase(url), make_lichess(lichess_url), clock)


@asynccontextmanager
async def open_world(folder: Path) -> AsyncIterator[World]:
    """A running bot in a fresh server."""
    clock = EnvClock()
    lichess = LichessWorld(clock.now)
    url = migrated(folder / "acwc.db", folder)
    with ThreadedLichessServer(lichess) as server:
        parts = _parts(url, server.url, clock)
        env = simcord.Env(parts.bot)
        clock.env = env
        await env.start()
        world = World(env, parts, clock, lichess, server.url, url, *_server(env))
        try:
            yield world
            assert not (unexpected := [e for e in env.errors if not _expected(e)]), unexpected
        finally:
            await env.shutdown()
            world.parts.db.close()


def _expected(error: BaseException | None) -> bool:
    """Refusals are the bot's answers; simcord lists every error that reached the seam."""
    return error is not None and (isinstance(error, AcwcError) or _expected(getattr(error, "original", None)))


def _server(env: simcord.Env) -> tuple[Any, Any]:
    guild = env.create_guild("Antichess")
    admin = guild.create_role("Bot", permissions=discord.Permissions(administrator=True))
    guild._guild.members[env.backend.bot_user.id].role_ids.append(admin.id)
    guild.create_text_channel("lobby")
    powers = discord.Permissions(manage_guild=True, manage_threads=True)
    owner = guild.add_member(env.create_user("owner"), roles=[guild.create_role("Owner", permissions=powers)])
    return guild, owner

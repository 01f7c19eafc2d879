"""The world of `tests/world.py` on the stand-in: the real bot over real HTTP and WebSocket, in this process."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
import pytest

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.wiring import Parts
from tests.standin import ManualClock, Standin
from tests.standin.client import quiet, running
from tests.standin.permissions import ALL
from tests.world import COMMUNITY, DAY_ONE, OWNER, BaseWorld, migrated, wired


@dataclass(kw_only=True)
class StandinWorld(BaseWorld):
    standin: Standin
    clock: ManualClock
    process: AsyncExitStack
    """What ends when the bot does."""

    async def settle(self) -> None:
        await quiet(self.standin, self.parts.bot)

    async def _acted(self, result: Any) -> Any:
        # A person has the answer before the bot has ended its work; simcord's acts return after it.
        await self.settle()
        return await super()._acted(result)

    async def pass_time(self, seconds: float) -> None:
        self.clock.move(seconds=seconds)
        self.standin.core.look_at_clock()

    def new_member(self, name: str, roles: list[Any]) -> Any:
        return self.guild.add_member(name, roles)

    def direct_messages(self, who: Any) -> list[str]:
        channel = self.standin.dm(who)
        return [message.content for message in channel.history()] if channel is not None else []

    def become_community(self) -> None:
        self.guild.set_features(COMMUNITY)

    async def replace_bot(self, parts: Parts) -> None:
        await self.process.aclose()
        await self.process.enter_async_context(running(self.standin, parts.bot))
        await self.settle()


class _Failures(logging.Handler):
    """What the bot says went wrong without being foreseen."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(f"{record.name}: {self.format(record)}")


@asynccontextmanager
async def open_standin_world(
    folder: Path, patch: pytest.MonkeyPatch, *, bot: discord.Permissions = ALL
) -> AsyncIterator[StandinWorld]:
    """A running bot in a fresh server, where it may what `bot` says."""
    clock = ManualClock(DAY_ONE)
    lichess = LichessWorld(clock.now)
    url = migrated(folder / "acwc.db", folder)
    failures = _Failures()
    logging.getLogger().addHandler(failures)
    try:
        with ThreadedLichessServer(lichess) as lichess_server:
            async with Standin(clock) as standin, AsyncExitStack() as process:
                standin.point_discord_py_here(patch)
                guild = standin.create_guild("Antichess", bot=bot)
                guild.create_text_channel("lobby")
                owner = guild.add_member("owner", [guild.create_role("Owner", permissions=OWNER)])
                parts = wired(url, lichess_server.url, clock)
                world = StandinWorld(
                    parts=parts, clock=clock, lichess=lichess, lichess_url=lichess_server.url, url=url, guild=guild,
                    owner=owner, standin=standin, process=process,
                )  # fmt: skip
                await process.enter_async_context(running(standin, parts.bot))
                try:
                    yield world
                    await world.settle()
                finally:
                    await process.aclose()
                    world.parts.db.close()
                assert not standin.rejected, standin.rejected
        assert not failures.seen, "\n".join(failures.seen)
    finally:
        logging.getLogger().removeHandler(failures)

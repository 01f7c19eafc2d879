"""A real discord.py client in this process: run it against the stand-in, and know when it has nothing left to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord.backoff
import discord.http

from tests.standin import TOKEN, ManualClock, Standin

MOMENT = 0.001
LONGEST = 60.0
READY_PAUSE = 0.02
"""Seconds that discord.py waits for another server before it is ready; two of its own by default."""
WORK = ("CommandTree-invoker", "discord-ui-", "discord.py: ")
"""How discord.py names the tasks that run commands, buttons, forms and listeners."""


@asynccontextmanager
async def running(standin: Standin, bot: discord.Client) -> AsyncIterator[None]:
    """The bot logged in, connected and ready; closed at the end."""
    await bot.login(TOKEN)
    bot._connection.guild_ready_timeout = READY_PAUSE  # type: ignore[attr-defined]
    connection = asyncio.create_task(bot.connect(), name="gateway")
    try:
        await quiet(standin, bot)
        yield
    finally:
        await bot.close()
        await asyncio.gather(connection, return_exceptions=True)


async def quiet(standin: Standin, bot: discord.Client) -> None:
    """Until the bot has handled every event it was sent, and nothing of its work is still running."""
    async with asyncio.timeout(LONGEST):
        while True:
            if work := _work():
                await asyncio.wait(work)
            elif bot.is_ready() and bot.ws.sequence == standin.gateway.last_seq():
                return
            else:
                await asyncio.sleep(MOMENT)


def _work() -> list[asyncio.Task[Any]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith(WORK)]


class _MovingAsyncio:
    """`asyncio` whose `sleep` moves a clock instead of waiting."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.slept: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        if seconds:
            self.slept.append(seconds)
            self._clock.move(seconds=seconds)
        await asyncio.sleep(0)


def patience(patch: Any, clock: ManualClock) -> list[float]:
    """discord.py waits for rate limits and between its tries by moving the clock; returns how long, in seconds."""
    moving = _MovingAsyncio(clock)
    patch.setattr(discord.http, "asyncio", moving)
    patch.setattr(discord.backoff.ExponentialBackoff, "delay", lambda _: MOMENT)
    return moving.slept

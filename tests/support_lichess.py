"""An offline Lichess with the real adapter in front of it, and time that tests move by hand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from acwc_bot.lichess import BerserkLichess
from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld

#: The present of every test's world: the first Tuesday of an invented season.
NOW = datetime(2023, 4, 4, 20, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MS = timedelta(milliseconds=1)
#: A request that waits for a time nobody moves fails its test instead of hanging it (seconds).
LONGEST_TEST = 20


@dataclass
class HandMovedTime:
    """Seconds that pass only when somebody sleeps (`auto`) or a test calls `advance`."""

    auto: bool = True
    seconds: float = 1000.0
    slept: list[float] = field(default_factory=list)
    _sleepers: list[tuple[float, asyncio.Future[None]]] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self.auto:
            self.seconds += seconds
            await asyncio.sleep(0)
            return
        wake = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.seconds + seconds, wake))
        await wake

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
        for due, wake in self._sleepers:
            if due <= self.seconds and not wake.done():
                wake.set_result(None)


@dataclass
class Calendar:
    """The clock of the offline Lichess."""

    moment: datetime = NOW

    def now(self) -> datetime:
        return self.moment


@dataclass
class Rig:
    """A world, its server and the adapter that reads it."""

    world: LichessWorld
    server: ThreadedLichessServer
    lichess: BerserkLichess
    time: HandMovedTime
    calendar: Calendar

    def paths(self) -> list[str]:
        """The paths asked for so far, in order."""
        return [asked.path for asked in self.world.asked]


@asynccontextmanager
async def offline_lichess(*, auto: bool = True, **options: Any) -> AsyncIterator[Rig]:
    """`options` go to BerserkLichess; `auto`: sleeping moves the time by itself."""
    calendar, time = Calendar(), HandMovedTime(auto)
    world = LichessWorld(calendar.now)
    with ThreadedLichessServer(world) as server:
        settings: dict[str, Any] = {"token": None, "timeouts": (2.0, 2.0)} | options
        lichess = BerserkLichess(
            base_url=server.url,
            monotonic=time.monotonic,
            sleep=time.sleep,
            logger=logging.getLogger("tests.lichess"),
            **settings,
        )
        try:
            async with asyncio.timeout(LONGEST_TEST):
                yield Rig(world, server, lichess, time, calendar)
        finally:
            await lichess.close()


async def until_asked(rig: Rig, count: int) -> None:
    """Waits until the server has seen `count` requests."""
    while len(rig.world.asked) < count:
        await asyncio.sleep(0.001)


async def until_sleeping(time: HandMovedTime) -> None:
    """Waits until somebody sleeps."""
    while not time.slept:
        await asyncio.sleep(0.001)

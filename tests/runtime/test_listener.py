"""The stream is opened for whoever plays, opened again when it breaks off, given up when Lichess does not want it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from acwc_bot.lichess_stream import PATH, GamesStream
from acwc_bot.listener import AFTER_REFUSAL, Listener
from acwc_bot.scheduler import Wakeups
from engine.errors import LichessUnavailable
from engine.listening import GameNews
from tests.runtime.test_scheduler import FakeRuntime
from tests.support_lichess import MINUTE, NOW, Rig, offline_lichess

PAIR = frozenset({"ant", "bee"})
OTHERS = frozenset({"cat", "dog"})


@dataclass
class Wanted:
    """In the place of `Following`: whom it wants to hear of, and what it was told."""

    now: frozenset[str] = PAIR
    listened: list[frozenset[str]] = field(default_factory=list)
    heard: list[GameNews] = field(default_factory=list)

    async def players(self) -> frozenset[str]:
        return self.now

    def listens_to(self, players: frozenset[str]) -> None:
        self.listened.append(players)

    def hears(self, news: GameNews) -> bool:
        self.heard.append(news)
        return True

    @property
    def hearing(self) -> frozenset[str]:
        return self.listened[-1] if self.listened else frozenset()


@dataclass
class Ears:
    rig: Rig
    wanted: Wanted
    opened: int = 0
    woken: int = 0
    listener: Listener = field(init=False)

    def connect(self, players: frozenset[str], **told: Any) -> GamesStream:
        self.opened += 1
        return GamesStream(self.rig.lichess.http, players, timeouts=(2.0, 60.0), **told)

    def wake(self) -> None:
        self.woken += 1

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            await asyncio.sleep(0.001)

    async def open(self) -> None:
        """Tended, and Lichess has agreed."""
        await self.listener.tend()
        await self.until(lambda: self.wanted.hearing >= self.wanted.now)

    async def deaf(self) -> None:
        """The stream has ended and everybody knows."""
        await self.until(lambda: not self.wanted.hearing and self.wanted.listened != [])

    @property
    def asked(self) -> list[str]:
        """The players of each stream that was asked for."""
        return [asked.body for asked in self.rig.world.asked if asked.path == PATH]

    async def tends_for(self, seconds: int, *, breaks: bool = False) -> int:
        """The clock goes on, tended every ten seconds; how often Lichess was asked for a stream. `breaks`: each that is
        opened breaks off at once."""
        before = self.opened
        for _ in range(seconds // 10):
            self.rig.time.advance(10)
            opened, told = self.opened, len(self.wanted.listened)
            await self.listener.tend()
            if self.opened > opened:
                await self.until(lambda told=told: len(self.wanted.listened) > told)
                await self.until(lambda: not (breaks and self.wanted.hearing))
        return self.opened - before


@asynccontextmanager
async def ears() -> AsyncIterator[Ears]:
    async with offline_lichess(auto=False) as rig:
        for name in ("Ant", "Bee", "Cat", "Dog"):
            rig.world.add_account(name)
        found = Ears(rig, Wanted())
        monotonic = rig.time.monotonic
        listener = Listener(found.wanted, found.connect, rig.lichess.http, monotonic=monotonic)  # type: ignore[arg-type]
        listener.on_news = found.wake
        found.listener = listener
        try:
            yield found
        finally:
            await listener.stop()


async def test_nobody_plays_and_lichess_is_not_asked():
    async with ears() as bot:
        bot.wanted.now = frozenset()
        await bot.listener.tend()
        assert bot.asked == []


async def test_design_6_news_wakes_within_the_minute():
    async with ears() as bot:
        await bot.open()
        game = bot.rig.world.add_game("Ant", "Bee", created_at=NOW, winner="white")
        await bot.until(lambda: bot.woken == 1)
        bot.rig.calendar.moment += 10 * MINUTE
        await bot.until(lambda: bot.woken == 2)
        assert bot.wanted.heard == [GameNews(game, PAIR, True), GameNews(game, PAIR, False)]


async def test_design_6_it_is_opened_again_when_somebody_is_missing_and_only_then():
    async with ears() as bot:
        await bot.open()
        await bot.listener.tend()
        assert bot.asked == ["ant,bee"]
        bot.wanted.now = PAIR | OTHERS
        await bot.open()
        assert bot.asked == ["ant,bee", "ant,bee,cat,dog"]
        bot.wanted.now = OTHERS  # the others have finished
        await bot.listener.tend()
        assert len(bot.asked) == 2 and bot.wanted.hearing == PAIR | OTHERS
        bot.wanted.now = frozenset()
        await bot.listener.tend()
        assert bot.wanted.hearing == frozenset()
        bot.wanted.now = PAIR
        await bot.open()
        assert bot.asked[2:] == ["ant,bee"]


async def test_design_6_a_cut_stream_is_opened_again_and_meanwhile_nobody_thinks_that_it_hears():
    async with ears() as bot:
        await bot.open()
        bot.rig.world.cut_streams()
        await bot.deaf()
        await bot.listener.tend()
        assert len(bot.asked) == 1, "not at once"
        assert await bot.tends_for(10) == 1
        assert bot.wanted.hearing == PAIR
        game = bot.rig.world.add_game("Ant", "Bee", created_at=NOW)
        await bot.until(lambda: bot.wanted.heard == [GameNews(game, PAIR, True)])


@pytest.mark.parametrize("fault", ["502", "down", "html", "truncated", "cut"])
async def test_a_stream_that_goes_on_breaking_is_asked_for_less_and_less(fault: str):
    async with ears() as bot:
        bot.rig.world.add_game("Ant", "Bee", created_at=NOW, winner="white")
        bot.rig.world.fail_next(fault, 1000, on=PATH)
        assert (
            7 <= await bot.tends_for(1200, breaks=True) <= 10
        )  # after 5, 10, 20, 40, 80, 160 and then every 300 seconds


async def test_what_went_wrong_before_an_hour_of_stream_is_forgotten():
    async with ears() as bot:
        bot.rig.world.fail_next("502", 5, on=PATH)
        await bot.tends_for(400)
        assert bot.wanted.hearing == PAIR
        bot.rig.time.advance(3600)
        bot.rig.world.cut_streams()
        await bot.deaf()
        assert await bot.tends_for(10) == 1


async def test_design_6_answered_with_429_everything_waits_a_minute_and_then_it_is_polled():
    async with ears() as bot:
        bot.rig.world.fail_next("429", on=PATH)
        await bot.listener.tend()
        await bot.until(lambda: bot.wanted.listened == [frozenset()])
        with pytest.raises(LichessUnavailable, match="lichess_busy"):
            await bot.rig.lichess.account("ant")
        bot.rig.time.advance(49)
        with pytest.raises(LichessUnavailable, match="lichess_busy"):
            await bot.rig.lichess.account("ant")
        bot.rig.time.advance(11)
        assert await bot.rig.lichess.account("ant") is not None
        assert await bot.tends_for(780) == 0, "polling has the next quarter of an hour for itself"
        assert await bot.tends_for(120) == 1
        assert bot.wanted.hearing == PAIR


async def test_while_lichess_wants_silence_no_stream_is_opened():
    async with ears() as bot:
        bot.rig.world.fail_next("429")
        with pytest.raises(LichessUnavailable, match="lichess_busy"):
            await bot.rig.lichess.account("ant")
        assert await bot.tends_for(50) == 0
        assert await bot.tends_for(20) == 1


@pytest.mark.parametrize("fault", ["404", "401"])
async def test_a_lichess_without_the_stream_is_asked_once_an_hour(fault: str):
    async with ears() as bot:
        bot.rig.world.fail_next(fault, on=PATH)
        await bot.listener.tend()
        await bot.deaf()
        assert await bot.rig.lichess.account("ant") is not None, "nothing else is paused"
        assert await bot.tends_for(int(AFTER_REFUSAL) - 20) == 0
        assert await bot.tends_for(30) == 1


async def test_stopping_ends_a_read_in_progress_and_opens_nothing_any_more():
    async with ears() as bot:
        await bot.open()
        await asyncio.wait_for(bot.listener.stop(), 2)
        assert bot.wanted.hearing == frozenset()
        await bot.listener.tend()
        assert len(bot.asked) == 1


async def test_stopping_does_not_wait_for_a_lichess_that_does_not_answer():
    async with ears() as bot:
        bot.rig.world.fail_next("held", on=PATH)
        await bot.listener.tend()
        await bot.until(lambda: len(bot.asked) == 1)
        await asyncio.wait_for(bot.listener.stop(), 4)
        bot.rig.world.let_go()


async def test_the_scheduler_tends_it_and_looks_when_it_hears_and_ends_it_with_itself():
    async with ears() as bot:
        runtime, looked = FakeRuntime([]), asyncio.Event()

        async def look() -> None:
            looked.set()

        wakeups = Wakeups(runtime, listener=bot.listener)  # type: ignore[arg-type]
        wakeups.start()
        runtime.looks["matches"] = look  # only now: the clock looks for the first time in a minute
        await bot.until(lambda: bot.wanted.hearing == PAIR)
        looked.clear()
        bot.rig.world.add_game("Ant", "Bee", created_at=NOW)
        await looked.wait()
        await wakeups.stop()
        assert bot.wanted.hearing == frozenset()

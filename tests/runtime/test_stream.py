"""From the line on the wire to the fact: the real stream, the real export, real threads, and no Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from acwc_bot.lichess_stream import PATH
from acwc_bot.scheduler import Wakeups
from acwc_bot.wiring import Parts, listener_of, wire
from db.worker import SqlDatabase
from engine.listening import GameNews
from engine.model import Edition, Fact
from tests.clauses.stage import agree, games
from tests.cogs.first_round import round_1_is_out
from tests.runtime.test_scheduler import FakeRuntime
from tests.support_lichess import Rig, offline_lichess
from tests.world import keep, open_prepared

SECONDS = timedelta(seconds=3)
EXPORT = "/api/games/user"
PAIR = frozenset({"anna", "carl"})


@dataclass
class Evening:
    """anna and carl are about to play. The bot's own scheduler runs; by the clock it looks once a minute."""

    rig: Rig
    parts: Parts
    at: datetime
    edition_id: int

    def facts(self, kind: str) -> list[Fact]:
        return [fact for fact in self.parts.db.read_sync(lambda r: r.facts(self.edition_id)) if fact.kind == kind]

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            await asyncio.sleep(0.01)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Wakeups]:
        listener = listener_of(self.parts, self.rig.lichess, monotonic=self.rig.time.monotonic)
        runtime = FakeRuntime([])

        async def look() -> None:
            await self.parts.app.following.look()

        runtime.looks = {"matches": look}
        wakeups = Wakeups(runtime, listener=listener)  # type: ignore[arg-type]
        wakeups.start()
        await runtime.ticks.get()  # the first look is over
        try:
            yield wakeups
        finally:
            self.parts.app.following.stop()
            await asyncio.wait_for(wakeups.stop(), 5)


@asynccontextmanager
async def evening(folder: Path) -> AsyncIterator[Evening]:
    (folder / "before").mkdir()
    async with open_prepared(folder / "before", round_1_is_out) as world:
        at = await agree(world, "anna", "carl", "Sat 28 18:00")
        await world.move_to(at - timedelta(minutes=5))
        kept = keep(world, folder)
    (folder / "evening.db").write_bytes(kept.database)
    async with offline_lichess() as rig:
        for name in ("anna", "carl"):
            rig.world.add_account(name)
        rig.calendar.moment = at
        with SqlDatabase(f"sqlite:///{folder / 'evening.db'}") as db:
            parts = wire(db, rig.lichess, rig.calendar)
            yield Evening(rig, parts, at, db.read_sync(lambda r: r.find(Edition)[-1].id))


async def test_design_6_what_lichess_tells_is_recorded_within_seconds(tmp_path: Path) -> None:
    async with evening(tmp_path) as bot, bot.running():
        world = bot.rig.world
        await bot.until(lambda: PATH in bot.rig.paths())
        ids = world.play_match("anna", "carl", bot.at, games("111111"))
        for n, id in enumerate(ids, start=1):
            bot.rig.calendar.moment = world.laid_out(id).last_move_at + SECONDS
            kind, count = ("match_played", 1) if n == 6 else ("match_begun", n)
            await bot.until(lambda kind=kind, count=count: len(bot.facts(kind)) >= count)
        (stream,) = [asked for asked in world.asked if asked.path == PATH]
        assert stream.body == "anna,carl"


async def test_without_the_stream_the_look_of_the_minute_records_the_same(tmp_path: Path) -> None:
    async with evening(tmp_path) as bot:
        bot.rig.world.fail_next("404", on=PATH)
        async with bot.running():
            await bot.until(lambda: PATH in bot.rig.paths())
            bot.rig.world.play_match("anna", "carl", bot.at, games("111111"))
            bot.rig.calendar.moment += timedelta(hours=1)
            await bot.parts.app.following.look()  # the minute is over
            assert len(bot.facts("match_played")) == 1


async def test_news_in_the_middle_of_a_look_is_looked_at_after_it(tmp_path: Path) -> None:
    async with evening(tmp_path) as bot:
        following, world = bot.parts.app.following, bot.rig.world
        await following.players()
        world.fail_next("held", on=EXPORT)
        first = asyncio.create_task(following.look())
        await bot.until(lambda: len(world.asked) == 1)
        assert following.hears(GameNews("aaaaaaaa", PAIR, running=True))
        assert await following.look() == 0
        world.let_go()
        assert await first == 1
        assert len(world.asked) == 2


@pytest.mark.parametrize("moment", ["open", "asking"])
async def test_it_stops_cleanly_in_the_middle(tmp_path: Path, moment: str) -> None:
    async with evening(tmp_path) as bot:
        if moment == "asking":
            bot.rig.world.fail_next("held", on=PATH)
        async with bot.running() as wakeups:
            await bot.until(lambda: PATH in bot.rig.paths())
            await asyncio.wait_for(wakeups.stop(), 5)
        bot.rig.world.let_go()

"""APScheduler on a real loop: it only wakes, and a late or missed wake-up still comes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from acwc_bot.scheduler import Wakeups

LONGEST = 30


class FakeRelay:
    def __init__(self) -> None:
        self.runs = asyncio.Event()
        self.back = asyncio.Event()
        self.hold: asyncio.Event | None = None
        self.nudged = self.begun = 0

    async def discord_is_back(self) -> None:
        self.back.set()

    def nudge(self) -> None:
        self.nudged += 1

    async def run(self) -> int:
        self.begun += 1
        self.runs.set()
        if self.hold is not None:
            await self.hold.wait()
        return 0


class FakeRuntime:
    """Counts ticks; `due` are the moments that come next."""

    def __init__(self, due: list[datetime]) -> None:
        self.relay = FakeRelay()
        self.looks: dict[str, object] = {}
        self.due = due
        self.ticks: asyncio.Queue[datetime | None] = asyncio.Queue()
        self.hold: asyncio.Event | None = None
        self.ended = False

    async def reconcile(self) -> None:
        self.ticks.put_nowait(None)
        if self.hold is not None:
            await self.hold.wait()
            self.ended = True

    async def next_due(self) -> datetime | None:
        return self.due.pop(0) if self.due else None


async def test_it_ticks_at_the_start_and_at_the_next_due_moment_even_when_that_has_passed() -> None:
    runtime = FakeRuntime([datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)])
    wakeups = Wakeups(runtime)  # type: ignore[arg-type]
    wakeups.start()
    for _ in range(2):
        await asyncio.wait_for(runtime.ticks.get(), LONGEST)
    await wakeups.stop()
    assert runtime.ticks.empty()


async def test_a_commit_wakes_the_relay_from_another_thread() -> None:
    runtime = FakeRuntime([])
    wakeups = Wakeups(runtime)  # type: ignore[arg-type]
    wakeups.start()
    await asyncio.wait_for(runtime.ticks.get(), LONGEST)
    await asyncio.wait_for(runtime.relay.runs.wait(), LONGEST)  # a tick delivers as well
    nudged = runtime.relay.nudged
    runtime.relay.runs.clear()
    await asyncio.to_thread(wakeups.after_commit)
    await asyncio.wait_for(runtime.relay.runs.wait(), LONGEST)
    assert runtime.relay.nudged == nudged + 1
    await wakeups.stop()
    wakeups.after_commit()  # after the stop nothing is begun
    await asyncio.sleep(0)
    assert runtime.relay.nudged == nudged + 1


async def test_a_delivery_that_waits_for_discord_keeps_no_other_from_beginning() -> None:
    runtime = FakeRuntime([])
    runtime.relay.hold = asyncio.Event()
    wakeups = Wakeups(runtime)  # type: ignore[arg-type]
    wakeups.start()
    await asyncio.wait_for(runtime.ticks.get(), LONGEST)
    for _ in range(3):
        wakeups.after_commit()
    while runtime.relay.begun < 4:
        await asyncio.sleep(0)
    runtime.relay.hold.set()
    await wakeups.stop()


async def test_the_gateway_s_return_is_told_to_the_relay() -> None:
    runtime = FakeRuntime([])
    wakeups = Wakeups(runtime)  # type: ignore[arg-type]
    wakeups.start()
    wakeups.discord_is_back()
    await asyncio.wait_for(runtime.relay.back.wait(), LONGEST)
    await wakeups.stop()


async def test_stopping_waits_for_the_tick_in_progress() -> None:
    runtime = FakeRuntime([])
    runtime.hold = asyncio.Event()
    wakeups = Wakeups(runtime)  # type: ignore[arg-type]
    wakeups.start()
    await asyncio.wait_for(runtime.ticks.get(), LONGEST)
    stopping = asyncio.create_task(wakeups.stop())
    await asyncio.sleep(0)
    assert not stopping.done()
    runtime.hold.set()
    await asyncio.wait_for(stopping, LONGEST)
    assert runtime.ended


async def test_the_interval_ticks_again() -> None:
    runtime = FakeRuntime([])
    wakeups = Wakeups(runtime, reconcile_seconds=timedelta(milliseconds=10).total_seconds())  # type: ignore[arg-type]
    wakeups.start()
    for _ in range(3):
        await asyncio.wait_for(runtime.ticks.get(), LONGEST)
    await wakeups.stop()

"""APScheduler wakes the runtime; no rule lives here (design section 4). Never started inside simcord."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC
from typing import Any

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from acwc_bot.listener import Listener
from acwc_bot.runtime import FOLLOWING, Runtime

RECONCILE_SECONDS = 30
RELAY_SECONDS = 60
LOOK_SECONDS = 60
"""How soon a look at Lichess or Discord that was cut short is taken up; a stop does not wait for it."""
TEND_SECONDS = 10
"""How soon the stream of the live matches follows what has changed."""


class Wakeups:
    """Wake-ups: every 30 s, at the next due moment, after each commit that owes a message, every minute for what is
    asked of Lichess at length, and when `listener` hears of a game."""

    def __init__(
        self, runtime: Runtime, *, listener: Listener | None = None, reconcile_seconds: float = RECONCILE_SECONDS
    ) -> None:
        self._runtime = runtime
        self._listener = listener
        self._reconcile_seconds = reconcile_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._busy: set[asyncio.Task[Any]] = set()
        self._woken: set[asyncio.Future[None]] = set()
        # In memory, late jobs still run, several missed runs are one, never two of a kind at once.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )

    def start(self) -> None:
        """Must be called on the running loop, after login."""
        self._loop = asyncio.get_running_loop()
        add = self._scheduler.add_job
        add(self._run, "interval", [self._tick], seconds=self._reconcile_seconds, id="reconcile")
        add(self._run, "interval", [self._deliver], seconds=RELAY_SECONDS, id="relay")
        for name, look in self._runtime.looks.items():
            add(look, "interval", seconds=LOOK_SECONDS, id=name)
        if self._listener is not None:
            self._listener.on_news = self._look_soon
            add(self._listener.tend, id="begin to listen")
            add(self._listener.tend, "interval", seconds=TEND_SECONDS, id="listen")
        add(self._run, args=[self._first], id="start")
        self._scheduler.start()

    def after_commit(self) -> None:
        """Called after a commit with posts, on whatever thread committed."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver_soon)

    def discord_is_back(self) -> None:
        """Called on the loop when the gateway is connected again."""
        if self._loop is not None:
            self._begin(self._take_up())

    def _deliver_soon(self) -> None:
        if self._loop is not None:
            self._runtime.relay.nudge()
            self._begin(self._runtime.relay.run())

    def _look_soon(self) -> None:
        """Not among what a stop waits for, like every look."""
        if self._loop is not None:
            look = asyncio.ensure_future(self._runtime.looks[FOLLOWING]())
            self._woken.add(look)
            look.add_done_callback(self._woken.discard)

    def _begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Not as a job: one delivery that waits for Discord must not keep the others from beginning."""
        task = asyncio.ensure_future(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Remembers what is running, so that a stop can wait for it instead of cancelling it."""
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            await work()
        finally:
            self._busy.discard(task)

    async def _deliver(self) -> None:
        self._deliver_soon()

    async def _take_up(self) -> None:
        await self._runtime.relay.discord_is_back()
        await self._runtime.relay.run()

    async def _first(self) -> None:
        """What was played while nobody looked is seen before the calendar calls anything overdue."""
        if FOLLOWING in self._runtime.looks:
            await self._runtime.looks[FOLLOWING]()
        await self._tick()

    async def _tick(self) -> None:
        await self._runtime.reconcile()
        self._deliver_soon()
        moment = await self._runtime.next_due()
        if moment is not None and self._loop is not None:
            self._scheduler.add_job(self._run, "date", [self._tick], run_date=moment, id="due", replace_existing=True)

    async def stop(self) -> None:
        """Nothing new is begun; what runs is waited for."""
        self._loop = None
        if self._listener is not None:
            await self._listener.stop()
        if self._scheduler.running:
            self._scheduler.remove_all_jobs()
            if self._busy:
                await asyncio.wait(self._busy)
            self._scheduler.shutdown(wait=False)

"""APScheduler wakes the runtime; no rule lives here (design section 4). Never started inside simcord."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from acwc_bot.runtime import Runtime

RECONCILE_SECONDS = 30
RELAY_SECONDS = 60


class Wakeups:
    """Three wake-ups: every 30 s, at the next due moment, and after each commit that owes a message."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._loop: asyncio.AbstractEventLoop | None = None
        # In memory, late jobs still run, several missed runs are one, never two at once.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )

    def start(self) -> None:
        """Must be called on the running loop, after login."""
        self._loop = asyncio.get_running_loop()
        self._scheduler.add_job(self._tick, "interval", seconds=RECONCILE_SECONDS, id="reconcile")
        self._scheduler.add_job(self._runtime.relay.run, "interval", seconds=RELAY_SECONDS, id="relay")
        self._scheduler.add_job(self._tick, id="start")
        self._scheduler.start()

    def after_commit(self) -> None:
        """Called on the writing thread after a commit with posts."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver_soon)

    def _deliver_soon(self) -> None:
        self._runtime.relay.nudge()
        if self._scheduler.running:
            self._scheduler.add_job(self._runtime.relay.run, id="deliver", replace_existing=True)

    async def _tick(self) -> None:
        await self._runtime.tick()
        moment = await self._runtime.next_due()
        if moment is not None and self._scheduler.running:
            self._schedule_at(moment)

    def _schedule_at(self, moment: datetime) -> None:
        self._scheduler.add_job(self._tick, "date", run_date=moment, id="due", replace_existing=True)

    def stop(self) -> None:
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        self._loop = None

"""One request to Lichess at a time: turns with two priorities, the pause after a 429, back-off and retries.

Nothing here waits in the background. The callers themselves wait for their turn, and the synchronous work runs on one
thread through `loop.run_in_executor`.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import math
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import Any, TypeVar

from engine.errors import LichessUnavailable

T = TypeVar("T")

#: Lichess asks for a full minute of silence after a 429 (seconds).
SHORTEST_PAUSE = 60.0
#: A longer `Retry-After` is obeyed up to here (seconds).
LONGEST_PAUSE = 3600.0
#: Pauses that a single bulk request sits out before it gives up.
PATIENT_PAUSES = 5
#: Seconds before the second and the third attempt when Lichess does not answer.
BACK_OFF = (1.0, 3.0)


class Priority(IntEnum):
    """LIVE goes before BULK: somebody waits for the answer."""

    LIVE = 0
    BULK = 1


class RateLimited(Exception):
    """Lichess answered 429: no request at all for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"429, pause of {seconds:.0f} s")
        self.seconds = seconds


class NoAnswer(Exception):
    """A 5xx, a timeout or a refused connection: the same request may succeed in a moment."""


class Turns:
    """A lock that hands itself to the waiter with the highest priority, first come first served within one."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    async def take(self, priority: Priority) -> None:
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()  # it had just become ours
            raise

    def give_back(self) -> None:
        while self._waiting:
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False


class RequestQueue:
    """Runs synchronous requests one after the other.

    `monotonic` gives seconds, `sleep` waits for seconds; `patience` is the longest a LIVE request sits out a pause (s).
    """

    def __init__(
        self,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[Any]],
        logger: logging.Logger,
        patience: float,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._log = logger
        self._patience = patience
        self._turns = Turns()
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lichess")
        self._paused_until = monotonic()
        self._closed = False

    async def run(self, work: Callable[[], T], priority: Priority) -> T:
        """What `work` returns. It may raise RateLimited and NoAnswer (handled here) and LichessUnavailable (passed on).

        Raises LichessUnavailable: `lichess_busy` (retry_in: whole seconds) while a pause lasts, `lichess_down` when
        Lichess did not answer three times or after `close`.
        """
        failures = pauses = 0
        while True:
            try:
                return await self._attempt(work, priority)
            except RateLimited as limited:
                pauses += 1
                if pauses > PATIENT_PAUSES:
                    raise LichessUnavailable("lichess_busy", retry_in=self.pause_left()) from limited
            except NoAnswer as silence:
                if failures == len(BACK_OFF):
                    raise LichessUnavailable("lichess_down") from silence
                self._log.warning("Lichess: %s; trying again in %.0f s", silence, BACK_OFF[failures])
                await self._sleep(BACK_OFF[failures])
                failures += 1

    async def close(self, last: Callable[[], None]) -> None:
        """Refuses new requests, runs `last` on the thread behind the one in flight, and ends the thread."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._executor, last)
        self._executor.shutdown(wait=False)

    async def _attempt(self, work: Callable[[], T], priority: Priority) -> T:
        await self._my_turn(priority)
        request = asyncio.get_running_loop().run_in_executor(self._executor, work)
        request.add_done_callback(self._finished)
        # Whoever is cancelled here leaves a request running: the turn ends with the request, not with its caller.
        return await asyncio.shield(request)

    async def _my_turn(self, priority: Priority) -> None:
        while True:
            await self._sit_out_pause(priority)
            await self._turns.take(priority)
            if self._closed:
                self._turns.give_back()
                raise LichessUnavailable("lichess_down")
            if self.pause_left() == 0:
                return
            self._turns.give_back()  # the request before this one was answered with 429

    async def _sit_out_pause(self, priority: Priority) -> None:
        while left := self.pause_left():
            if priority is Priority.LIVE and left > self._patience:
                raise LichessUnavailable("lichess_busy", retry_in=left)
            await self._sleep(left)

    def pause(self, seconds: float) -> None:
        """After a 429: no request for so long, at least a minute and at most an hour."""
        pause = min(max(seconds, SHORTEST_PAUSE), LONGEST_PAUSE)
        self._paused_until = max(self._paused_until, self._monotonic() + pause)
        self._log.warning("Lichess: 429, no request for %.0f s", pause)

    def pause_left(self) -> int:
        """Whole seconds until requests are allowed again, rounded up; 0 when they are."""
        return max(0, math.ceil(self._paused_until - self._monotonic()))

    def _finished(self, request: asyncio.Future[Any]) -> None:
        error = None if request.cancelled() else request.exception()
        if isinstance(error, RateLimited):
            self.pause(error.seconds)
        self._turns.give_back()

"""Keeps one stream of Lichess open for whoever plays right now, and wakes the look at the matches with what it tells.

Nothing here waits: `tend` is called every few seconds, looks what should be, and begins it. Without a stream, whatever
the reason, the matches are asked about every minute (`engine.usecases.following`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from acwc_bot.lichess_queue import RateLimited
from engine.errors import LichessUnavailable
from engine.listening import GameNews
from engine.usecases.following import Following

log = logging.getLogger(__name__)

BACK_OFF = (5.0, 300.0)
"""Seconds before a stream that broke off is opened again: the first time, and at most; each time twice as long."""
AFTER_429 = (900.0, 3600.0)
"""The same after a 429: each costs a minute in which Lichess is asked nothing at all, not even about the matches."""
AFTER_REFUSAL = 3600.0
"""Seconds after an answer that does not change by asking again, such as 404."""
STEADY = 60.0
"""A stream that was open so long (seconds) was a good one: what went wrong before does not count any more."""
FAREWELL = 2.0
"""Seconds that a connection has to end before the next one is opened."""


class Connection(Protocol):
    """What `acwc_bot.lichess_stream.GamesStream` is."""

    def close(self) -> None: ...

    def wait(self, seconds: float) -> bool: ...


class Connect(Protocol):
    """Opens a stream about these players; the functions may be called on any thread, after this has returned."""

    def __call__(
        self,
        players: frozenset[str],
        *,
        opened: Callable[[], None],
        heard: Callable[[GameNews], None],
        ended: Callable[[Exception], None],
    ) -> Connection: ...


class Pauses(Protocol):
    """The request queue, as far as it concerns a stream."""

    @property
    def pause_left(self) -> int: ...

    def pause(self, seconds: float) -> None: ...


@dataclass(slots=True, eq=False)
class _Line:
    """One stream. `opened_at`: by the monotonic clock, once Lichess has agreed."""

    players: frozenset[str]
    connection: Connection | None = None
    opened_at: float | None = None


class Listener:
    """`on_news` is called on the loop when a match should be looked at."""

    def __init__(
        self, following: Following, connect: Connect, queue: Pauses, *, monotonic: Callable[[], float]
    ) -> None:
        self._following = following
        self._connect = connect
        self._queue = queue
        self._monotonic = monotonic
        self.on_news: Callable[[], None] | None = None
        self._line: _Line | None = None
        self._failures = 0
        self._not_before = monotonic()
        self._stopped = False
        self._tending = asyncio.Lock()

    async def tend(self) -> None:
        """Opens, widens or ends the stream, as the matches of this moment want it.

        Somebody who has finished stays listed until the next opening: every opening is a request, and a moment in which
        nothing is heard of all the others.
        """
        async with self._tending:
            players = await self._following.players()
            line = self._line
            if self._stopped or (line is not None and players and players <= line.players):
                return
            if line is not None:
                await self._hang_up()
            if players and not self._stopped and self._monotonic() >= self._not_before and not self._queue.pause_left:
                self._open(players)

    async def stop(self) -> None:
        """Ends the stream; none is opened any more."""
        self._stopped = True
        await self._hang_up()

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is None or line.connection is None:
            return
        self._following.listens_to(frozenset())
        line.connection.close()
        if not await asyncio.to_thread(line.connection.wait, FAREWELL):
            log.warning("the stream of Lichess has not ended yet; it ends with its timeout")

    def _open(self, players: frozenset[str]) -> None:
        line = self._line = _Line(players)
        loop = asyncio.get_running_loop()

        def told(work: Callable[..., None], *args: Any) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
                loop.call_soon_threadsafe(work, line, *args)

        line.connection = self._connect(
            players,
            opened=partial(told, self._opened),
            heard=partial(told, self._heard),
            ended=partial(told, self._ended),
        )

    def _opened(self, line: _Line) -> None:
        if line is self._line:
            line.opened_at = self._monotonic()
            self._following.listens_to(line.players)
            log.info("listening to the games of %d players", len(line.players))

    def _heard(self, line: _Line, news: GameNews) -> None:
        if line is self._line and self._following.hears(news) and self.on_news is not None:
            self.on_news()

    def _ended(self, line: _Line, failure: Exception) -> None:
        if line is not self._line:
            return
        self._line = None
        self._following.listens_to(frozenset())
        now = self._monotonic()
        if line.opened_at is not None and now - line.opened_at >= STEADY:
            self._failures = 0
        pause = self._pause_after(failure)
        self._failures += 1
        self._not_before = now + pause
        log.warning("the stream of Lichess ended (%s); polling, and trying again in %.0f s", failure, pause)

    def _pause_after(self, failure: Exception) -> float:
        if isinstance(failure, RateLimited):
            self._queue.pause(failure.seconds)
            return max(failure.seconds, _doubled(AFTER_429, self._failures))
        if isinstance(failure, LichessUnavailable) and failure.code == "lichess_refused":
            return AFTER_REFUSAL
        return _doubled(BACK_OFF, self._failures)


def _doubled(pauses: tuple[float, float], times: int) -> float:
    first, most = pauses
    return min(first * 2 ** min(times, 16), most)

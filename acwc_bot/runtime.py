"""tick(): do what is due, then deliver what is owed. Everything that wakes the bot ends up here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from functools import partial

from acwc_bot.relay import Relay
from engine.ports import Members
from engine.usecases import UseCases

log = logging.getLogger(__name__)

FOLLOWING = "matches"
"""The look at the matches that are being played."""


class Runtime:
    """What is due is done by one at a time, and delivery never delays it (see `relay`)."""

    def __init__(self, app: UseCases, relay: Relay, members: Members) -> None:
        self._app = app
        self.relay = relay
        self._members = members
        self._reconciling = asyncio.Lock()
        self._stopping = False

    async def reconcile(self) -> None:
        """Settles every occurrence that is due, each in a transaction of its own (design section 4)."""
        async with self._reconciling:
            if self._stopping:
                return
            try:
                await self._app.due.reconcile()
            except Exception:
                # The next one tries again: nothing was committed, and one bad edition must not stop delivery.
                log.exception("reconcile failed")

    @property
    def looks(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """By name what is tried again and again: what is still to be wiped, what Lichess and Discord are asked. Each
        may wait long, and none for another: a check of 20,000 games must not keep the hourly look from the accounts."""
        works: dict[str, Callable[[], Awaitable[object]]] = {
            "wipe": self._app.erasure.wipe,
            FOLLOWING: self._app.following.look,
            "watch": self._app.watch.look,
            "members": lambda: self._app.membership.look(self._members),
            "checks": self._app.checks.advance,
            "account changes": self._app.account_changes.advance,
        }
        return {name: partial(self._look, name, work) for name, work in works.items()}

    async def _look(self, name: str, work: Callable[[], Awaitable[object]]) -> None:
        if self._stopping:
            return
        try:
            await work()
        except Exception:
            # The next one tries again: what was not stored is still due.
            log.exception("this look failed: %s", name)

    async def tick(self, *, without: Collection[str] = ()) -> None:
        """What is due, the looks and checks, and then everything that is owed: for the sandbox and the tests, which
        wait for all of it. `without`: names of looks that are not taken."""
        looks = {name: look for name, look in self.looks.items() if name not in without}
        if FOLLOWING in looks:
            await looks.pop(FOLLOWING)()  # before anything is decided by the calendar, as it has been all the time
        await self.reconcile()
        for look in looks.values():
            await look()
        await self.relay.run()

    async def next_due(self) -> datetime | None:
        """The next moment at which something will be due, for the scheduler's date job and the sandbox."""
        return await self._app.due.next_moment()

    async def stop(self) -> None:
        """Begins nothing new and lets the step in progress end, so that a stop never cuts a message in half."""
        self._stopping = True
        self._app.checks.stop()
        self._app.following.stop()
        self._app.account_changes.stop()
        await self.relay.stop()
        async with self._reconciling:
            pass

"""tick(): do what is due, then deliver what is owed. Everything that wakes the bot ends up here."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime

from acwc_bot.relay import Relay
from engine.ports import Members
from engine.usecases import UseCases

log = logging.getLogger(__name__)


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

    async def check(self) -> None:
        """Wipes what is still to be wiped, looks at the players' accounts and at who is in the server, and goes on with
        the checks of entries and accounts; all of it may wait long, so nothing waits for it."""
        works = (
            self._app.erasure.wipe,
            self._app.watch.look,
            lambda: self._app.membership.look(self._members),
            self._app.checks.advance,
            self._app.account_changes.advance,
        )
        for work in works:
            if self._stopping:
                return
            try:
                await work()
            except Exception:
                # The next one tries again: what was not stored is still due.
                log.exception("a look at Lichess or Discord failed")

    async def tick(self) -> None:
        """What is due, the looks and checks, and then everything that is owed: for the sandbox and the tests, which
        wait for all of it."""
        await self.reconcile()
        await self.check()
        await self.relay.run()

    async def next_due(self) -> datetime | None:
        """The next moment at which something will be due, for the scheduler's date job and the sandbox."""
        return await self._app.due.next_moment()

    async def stop(self) -> None:
        """Begins nothing new and lets the step in progress end, so that a stop never cuts a message in half."""
        self._stopping = True
        self._app.checks.stop()
        self._app.account_changes.stop()
        await self.relay.stop()
        async with self._reconciling:
            pass

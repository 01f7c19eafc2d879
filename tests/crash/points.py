"""The named points at which a life of the bot can end: around every commit and every request to Discord."""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import discord

from acwc_bot.gate import DiscordGate
from db import worker
from db.worker import SqlDatabase

_COMMITS = {
    "Relay._deliver.": "the try is marked",
    "Relay._delivered.": "the id is stored",
    "DueDesk._settle_next.": "what is due is done",
    "Reporting.": "the report",
    "SqlDatabase.set_setting.": "the setting",
    "Setup.": "the channels are looked at",
    "Relay.discord_is_back.": "Discord is back",
}
"""Which commit it is, by whose work it is."""

_REQUESTS = {
    "send": "a message is sent",
    "edit": "a message is edited",
    "open_thread": "a thread is opened",
    "retag": "a thread is tagged",
    "find_message": "a message is looked for",
    "find_thread": "a thread is looked for",
    "dm_channel": "a DM is opened",
}


class Points:
    """Tells of each hit; at the chosen one, by number or name, the process dies as in a power cut."""

    def __init__(self, die_at: int | str | None, tell: Callable[[str], None]) -> None:
        self._die_at = die_at
        self._tell = tell
        self._hits = 0
        self._lock = threading.Lock()

    def hit(self, name: str) -> None:
        with self._lock:
            self._hits += 1
            self._tell(name)
            if self._die_at in (self._hits, name):
                os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points) -> None:
    """Once per process; the code under test knows nothing of it."""
    _around_commits(points)
    for method, name in _REQUESTS.items():
        _around(points, DiscordGate, method, name)
    _around(points, discord.InteractionResponse, "defer", "a command is deferred")
    _around(points, discord.Interaction, "edit_original_response", "a command is answered")


def _around(points: Points, owner: type, method: str, name: str) -> None:
    original: Callable[..., Any] = getattr(owner, method)

    @functools.wraps(original)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        points.hit(f"before {name}")
        result = await original(*args, **kwargs)
        points.hit(f"after {name}")
        return result

    setattr(owner, method, wrapped)


def _around_commits(points: Points) -> None:
    """There is one writing thread, so what it works on is one name."""
    transact = SqlDatabase._transact
    working_on = ["?"]

    def named(self: SqlDatabase, work: Any) -> Any:
        name = getattr(work, "__qualname__", "?")
        working_on[0] = next((known for start, known in _COMMITS.items() if name.startswith(start)), name)
        return transact(self, work)

    class Watched(worker.Session):
        def commit(self) -> None:
            points.hit(f"before the commit: {working_on[0]}")
            super().commit()
            points.hit(f"after the commit: {working_on[0]}")

    SqlDatabase._transact = named  # type: ignore[method-assign]
    worker.Session = Watched  # type: ignore[misc]

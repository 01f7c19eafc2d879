"""One life of the real process: from the lock to the kill, or to the moment at which nothing is left to do."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import discord.gateway
import discord.http
import yarl

from acwc_bot import bot, outbox, service, wiring
from acwc_bot.relay import Relay
from acwc_bot.runtime import Runtime
from acwc_bot.settings import Settings
from engine.model import Post, PostState
from engine.ports import Store
from tests.crash.points import Points, install

IDLE = "idle"
"""Told when everything that is due is done and nothing waits for Discord."""


@dataclass(frozen=True, slots=True)
class Life:
    """`begins`: what the clock of this life shows at its start. `die_at`: at which hit it is killed, by number
    or by the name of the point, None for never."""

    discord: str
    lichess: str
    folder: Path
    begins: datetime
    die_at: int | str | None
    forgetful: bool = False
    """A fault on purpose: what an earlier life tried is forgotten. The harness has to notice."""


def live(life: Life, tell: Connection) -> None:
    """The target of the child process. Sends the name of every point it hits, and IDLE."""

    def say(text: str) -> None:
        tell.send_bytes(text.encode())

    logging.disable(logging.CRITICAL)
    discord.http.Route.BASE = f"http://{life.discord}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://{life.discord}/gateway/")
    _move_clock(life.begins)
    _know_the_server_at_once()
    _say_when_idle(say)
    install(Points(life.die_at, say))
    if life.forgetful:
        _forget_tries()
    settings: dict[str, Any] = {
        "discord_token": "good",
        "database_url": f"sqlite:///{life.folder / 'acwc.db'}",
        "lichess_url": life.lichess,
        "backup_dir": life.folder,
    }
    service.run_service(Settings(**settings))


def _move_clock(begins: datetime) -> None:
    started = time.monotonic()

    def now(self: wiring.SystemClock) -> datetime:
        return begins + timedelta(seconds=time.monotonic() - started)

    wiring.SystemClock.now = now  # type: ignore[method-assign]


def _know_the_server_at_once() -> None:
    """discord.py waits two seconds for further servers before it is ready."""
    made = bot.AcwcBot.__init__

    def init(self: bot.AcwcBot, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        self._connection.guild_ready_timeout = 0.05  # type: ignore[attr-defined]

    bot.AcwcBot.__init__ = init  # type: ignore[method-assign]


def _forget_tries() -> None:
    mark = outbox.mark_try

    def forget(store: Store, post: Post, text: str, now: datetime) -> Post:
        return store.save(replace(mark(store, post, text, now), uncertain_since=None, tried=()))

    outbox.mark_try = forget


def _say_when_idle(say: Any) -> None:
    """After each run of the relay, once what was due at the start is done."""
    reconcile, run = Runtime.reconcile, Relay.run
    done: list[bool] = []

    async def reconciled(self: Runtime) -> None:
        await reconcile(self)
        done.append(True)

    async def ran(self: Relay) -> int:
        delivered = await run(self)
        if done and not self._runs and await self._db.read(lambda r: r.one(Post, state=PostState.WAITING)) is None:
            say(IDLE)
        return delivered

    Runtime.reconcile = reconciled  # type: ignore[method-assign]
    Relay.run = ran  # type: ignore[method-assign]

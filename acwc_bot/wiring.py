"""Where the parts are made and put together; the only place that knows the real clock (design section 1)."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from acwc_bot.bot import AcwcBot
from acwc_bot.gate import DiscordGate
from acwc_bot.lichess import BerserkLichess
from acwc_bot.lichess_login import OAuthLogin
from acwc_bot.lichess_stream import GamesStream
from acwc_bot.listener import Listener
from acwc_bot.login_page import PATH
from acwc_bot.relay import Relay
from acwc_bot.runtime import Runtime
from acwc_bot.settings import Settings
from cogs.render.posts import PostRenderer
from db.worker import SqlDatabase
from engine.ports import Clock, LichessPort
from engine.usecases import UseCases
from engine.usecases.context import Door


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def chance(seed: int) -> random.Random:
    """Lots for a simulation: the same seed, the same lots."""
    return random.Random(seed)


@dataclass(frozen=True, slots=True)
class Parts:
    """A wired bot: what `run`, the sandbox and the tests start from."""

    db: SqlDatabase
    app: UseCases
    bot: AcwcBot
    runtime: Runtime


def wire(
    db: SqlDatabase, lichess: LichessPort, clock: Clock, *, guild_id: int | None = None, door: Door | None = None
) -> Parts:
    """Puts the parts together around a database, Lichess and a clock. Starts nothing."""
    app = UseCases(db, lichess, clock, secrets.token_bytes, door)
    bot = AcwcBot(app, db, guild_id=guild_id)
    relay = Relay(db, DiscordGate(bot), clock, PostRenderer(app.desk.folds, clock))
    return Parts(db, app, bot, Runtime(app, relay, bot.members))


def real_lichess(settings: Settings) -> BerserkLichess:
    token = settings.lichess_token
    return make_lichess(str(settings.lichess_url), token.get_secret_value() if token else None)


def listener_of(parts: Parts, lichess: BerserkLichess, *, monotonic: Callable[[], float] = time.monotonic) -> Listener:
    """What hears of the games of live matches. Opens nothing before it is tended."""
    return Listener(parts.app.following, partial(GamesStream, lichess.http), lichess.http, monotonic=monotonic)


def door_of(settings: Settings, lichess: BerserkLichess) -> Door | None:
    """The login with Lichess, where the bot has a public address."""
    if settings.public_url is None:
        return None
    return Door(OAuthLogin(lichess.http), str(settings.public_url).rstrip("/") + PATH)


def make_lichess(
    url: str,
    token: str | None = None,
    *,
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
) -> BerserkLichess:
    return BerserkLichess(
        base_url=url, token=token, monotonic=monotonic, sleep=sleep, logger=logging.getLogger("acwc_bot.lichess")
    )

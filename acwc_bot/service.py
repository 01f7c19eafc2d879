"""The bot on Discord, from the lock to the clean stop."""

from __future__ import annotations

import asyncio
import logging
import signal

import discord

from acwc_bot.scheduler import Wakeups
from acwc_bot.settings import Settings
from acwc_bot.wiring import Parts, SystemClock, real_lichess, wire
from db.lock import ProcessLock
from db.migrations import upgrade
from db.worker import SqlDatabase

log = logging.getLogger(__name__)
STOP_SECONDS = 20


class CannotStart(Exception):
    """Discord refuses the bot; the text says what to do."""


def run_service(settings: Settings, *, standby: bool = False) -> None:
    """Runs until SIGTERM or SIGINT.

    Conflict("second_process") when the database is in use, CannotStart when Discord does not accept the token.
    """
    with ProcessLock(settings.database_url, wait=standby):
        upgrade(settings.database_url, settings.backup_dir, SystemClock().now())
        asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    lichess = real_lichess(settings)
    db = SqlDatabase(settings.database_url)
    parts = wire(db, lichess, SystemClock(), guild_id=settings.discord_guild_id)
    wakeups = Wakeups(parts.runtime)
    db.on_commit = wakeups.after_commit
    try:
        await _connect_until(stop, parts, wakeups, settings)
    finally:
        wakeups.stop()
        await _stop(parts)
        await lichess.close()
        await asyncio.to_thread(db.close)
        log.info("stopped")


async def _connect_until(stop: asyncio.Event, parts: Parts, wakeups: Wakeups, settings: Settings) -> None:
    assert settings.discord_token is not None
    try:
        await parts.bot.login(settings.discord_token.get_secret_value())
    except discord.LoginFailure:
        raise CannotStart(
            "Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal into .env, then start."
        ) from None
    wakeups.start()
    log.info("logged in as %s", parts.bot.user)
    connection = asyncio.create_task(parts.bot.connect(), name="gateway")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if connection.done():
        connection.result()
    else:
        await parts.bot.close()
        await asyncio.gather(connection, return_exceptions=True)


async def _stop(parts: Parts) -> None:
    """The message in flight ends and is recorded; after STOP_SECONDS the outbox takes care of the rest."""
    try:
        await asyncio.wait_for(parts.runtime.stop(), STOP_SECONDS)
    except TimeoutError:
        log.warning("stopped in the middle of a step; it is taken up again at the next start")
    if not parts.bot.is_closed():
        await parts.bot.close()

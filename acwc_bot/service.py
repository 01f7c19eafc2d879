"""The bot on Discord, from the lock to the clean stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal

import aiohttp
import discord

from acwc_bot.login_page import LoginPage, serve
from acwc_bot.scheduler import Wakeups
from acwc_bot.settings import Settings
from acwc_bot.wiring import Parts, SystemClock, door_of, listener_of, real_lichess, wire
from cogs.directors.channels import NEEDED
from db.lock import ProcessLock
from db.migrations import upgrade
from db.worker import SqlDatabase

log = logging.getLogger(__name__)
STOP_SECONDS = 20
LICHESS_SECONDS = 5  # a request in flight may take longer; its thread ends with its own limit
FIRST_LOGIN_PAUSE = 2
LONGEST_LOGIN_PAUSE = 120


BAD_TOKEN = "Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal into .env, then start."
INVITED = NEEDED | discord.Permissions(manage_channels=True, manage_roles=True)
"""What `/td setup` and the posts need; the README lists them in words."""


class CannotStart(Exception):
    """Discord refuses the bot; the text says what to do."""


def run_service(settings: Settings, *, standby: bool = False) -> None:
    """Runs until SIGTERM or SIGINT.

    Conflict("second_process") when the database is in use, CannotStart when Discord does not accept the token.
    """
    with ProcessLock(settings.database_url, wait=standby):
        upgrade(settings.database_url, settings.backup_dir, SystemClock().now())
        asyncio.run(_serve(settings))


async def invite_link(settings: Settings) -> str:
    """The link that invites the bot with the scopes and permissions it needs. CannotStart on a bad token."""
    assert settings.discord_token is not None
    client = discord.Client(intents=discord.Intents.none())
    try:
        await client.login(settings.discord_token.get_secret_value())
        assert client.application_id is not None
        return discord.utils.oauth_url(
            client.application_id, permissions=INVITED, scopes=("bot", "applications.commands")
        )
    except discord.LoginFailure:
        raise CannotStart(BAD_TOKEN) from None
    finally:
        await client.close()


async def register_commands(settings: Settings, guild_id: int | None) -> None:
    """Registers the commands with Discord, changed or not; with `guild_id` in that server only, where it shows at once.

    CannotStart on a bad token.
    """
    assert settings.discord_token is not None
    lichess = real_lichess(settings)
    db = SqlDatabase(settings.database_url)
    parts = wire(db, lichess, SystemClock(), guild_id=guild_id or settings.discord_guild_id)
    try:
        await parts.bot.login(settings.discord_token.get_secret_value())
        await parts.bot.sync_if_changed(force=True)
    except discord.LoginFailure:
        raise CannotStart(BAD_TOKEN) from None
    finally:
        await parts.bot.close()
        await lichess.close()
        db.close()


async def _serve(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    lichess = real_lichess(settings)
    db = SqlDatabase(settings.database_url)
    door = door_of(settings, lichess)
    parts = wire(db, lichess, SystemClock(), guild_id=settings.discord_guild_id, door=door)
    page = await serve(LoginPage(parts.app, door.login, door.redirect_uri), "", settings.login_port) if door else None
    await db.wipe()
    wakeups = Wakeups(parts.runtime, listener=listener_of(parts, lichess))
    db.on_commit = wakeups.after_commit
    parts.bot.connected = wakeups.discord_is_back
    try:
        await _connect_until(stop, parts, wakeups, settings)
    finally:
        if page is not None:
            await page.cleanup()
        await _stop(parts, wakeups)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(lichess.close(), LICHESS_SECONDS)
        await asyncio.to_thread(db.close)
        log.info("stopped")


async def _connect_until(stop: asyncio.Event, parts: Parts, wakeups: Wakeups, settings: Settings) -> None:
    assert settings.discord_token is not None
    if not await _log_in(stop, parts, settings.discord_token.get_secret_value()):
        return
    wakeups.start()
    log.info("logged in as %s", parts.bot.user)
    connection = asyncio.create_task(parts.bot.connect(), name="gateway")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if connection.done():
        connection.result()
    await _stop(parts, wakeups)
    await asyncio.gather(connection, return_exceptions=True)


async def _log_in(stop: asyncio.Event, parts: Parts, token: str) -> bool:
    """Tries until Discord answers; False when the process is to stop before that."""
    pause = FIRST_LOGIN_PAUSE
    while not stop.is_set():
        try:
            await parts.bot.login(token)
            return True
        except discord.LoginFailure:
            raise CannotStart(BAD_TOKEN) from None
        except (discord.HTTPException, aiohttp.ClientError, OSError) as failure:
            log.warning("Discord does not answer (%s); trying again in %d s", type(failure).__name__, pause)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause)
        pause = min(2 * pause, LONGEST_LOGIN_PAUSE)
    return False


async def _stop(parts: Parts, wakeups: Wakeups) -> None:
    """The message in flight ends and is recorded; after STOP_SECONDS the outbox takes care of the rest."""
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await parts.runtime.stop()
            await wakeups.stop()
    except TimeoutError:
        log.warning("stopped in the middle of a step; it is taken up again at the next start")
    if not parts.bot.is_closed():
        await parts.bot.close()

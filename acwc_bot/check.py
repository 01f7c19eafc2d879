"""`acwc-bot check`: is everything there that the bot needs? A line each, in words an operator can act on."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import discord
from sqlalchemy.exc import SQLAlchemyError

from acwc_bot.settings import Settings
from acwc_bot.wiring import real_lichess
from db.connect import shown, sqlite_path
from db.migrations import pending
from engine.errors import AcwcError


@dataclass(frozen=True, slots=True)
class Line:
    good: bool
    text: str


def run_checks(settings: Settings) -> Iterator[Line]:
    """Configuration, database, Lichess, Discord. Nothing is changed."""
    yield Line(True, "configuration: every value can be used")
    yield _database(settings)
    yield _folder("backups", settings.backup_dir)
    yield asyncio.run(_lichess(settings))
    yield asyncio.run(_discord(settings))


def _database(settings: Settings) -> Line:
    name = shown(settings.database_url)
    try:
        waiting = pending(settings.database_url)
    except AcwcError:
        return Line(False, f"database {name}: made by a newer version of the bot")
    except (SQLAlchemyError, OSError):
        return Line(False, f"database {name}: cannot be reached; check DATABASE_URL")
    path = sqlite_path(settings.database_url)
    if path is not None and not _writable(path.parent):
        return Line(False, f"database {name}: its folder cannot be written to")
    state = "will be brought up to date at the next start" if waiting else "up to date"
    return Line(True, f"database {name}: {state}")


def _folder(what: str, folder: Path) -> Line:
    good = _writable(folder)
    return Line(good, f"{what} {folder}: " + ("can be written" if good else "cannot be written to"))


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or in the nearest one that exists, where it would be made."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            return True
    except OSError:
        return False


async def _lichess(settings: Settings) -> Line:
    lichess = real_lichess(settings)
    try:
        account = await lichess.account("lichess")
    except AcwcError:
        return Line(False, f"Lichess at {settings.lichess_url}: no usable answer; check the network")
    finally:
        await lichess.close()
    return Line(True, f"Lichess: answers{'' if account else ', but does not know the account lichess'}")


async def _discord(settings: Settings) -> Line:
    if settings.discord_token is None:
        return Line(True, "Discord: no DISCORD_TOKEN, so `run --or-sandbox` starts the sandbox")
    client = discord.Client(intents=discord.Intents.none())
    try:
        await client.login(settings.discord_token.get_secret_value())
    except discord.LoginFailure:
        return Line(False, "Discord: does not accept DISCORD_TOKEN; copy it again from the developer portal")
    except (discord.HTTPException, OSError):
        return Line(False, "Discord: no answer; check the network")
    finally:
        await client.close()
    return Line(True, f"Discord: logged in as {client.user}")

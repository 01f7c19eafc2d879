"""The command line: `acwc-bot run`, `sandbox`, `check`, `db`, `rules`, and the commands of the other modules here."""

from __future__ import annotations

import asyncio
import io
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from sqlalchemy.exc import DBAPIError

from acwc_bot import commands_accounts, commands_export, commands_simulate, commands_trf
from acwc_bot.log import configure
from acwc_bot.settings import Settings, WrongSettings, load_settings
from engine.errors import AcwcError

app = typer.Typer(help="The bot of the Antichess World Cup.", no_args_is_help=True, pretty_exceptions_enable=False)
database = typer.Typer(help="The database: upgrade, backup, restore.", no_args_is_help=True)
rules = typer.Typer(help="Rulesets: list, show, check.", no_args_is_help=True)
app.add_typer(database, name="db")
app.add_typer(rules, name="rules")
commands_trf.register(app)
commands_simulate.register(app)
commands_export.register(app)
commands_accounts.register(app)

out = Console()
err = Console(stderr=True, soft_wrap=True)
SANDBOX_PORT = 8800


def _settings() -> Settings:
    """The settings, or exit status 2 with a line for each key that is wrong."""
    try:
        return load_settings()
    except WrongSettings as wrong:
        err.print("[bold]The configuration cannot be used[/] (environment or .env):")
        for line in wrong.lines:
            err.print(f"  {line}", markup=False)
        raise typer.Exit(2) from None


def _fail(text: str, status: int = 1) -> typer.Exit:
    err.print(text, markup=False)
    return typer.Exit(status)


_REFUSALS = {
    "second_process": "Another process already runs the bot on this database. Stop it first, or start `acwc-bot run "
    "--standby`, which waits for its end.",
    "newer_database": "The database was made by a newer version of the bot. Install that version, or restore a copy "
    "with `acwc-bot db restore`.",
    "backup_exists": "A copy with this name exists already. Try again in a second.",
    "not_a_backup": "That file is not a copy of this bot's database. Give one from BACKUP_DIR.",
    "use_pg_dump": "For PostgreSQL use its own tools, pg_dump and pg_restore.",
    "database": "There is no database yet. It is made at the first start.",
    "backup": "There is no such copy. Give a file from BACKUP_DIR.",
}


@contextmanager
def _refusals() -> Iterator[None]:
    """Expected failures as a sentence and exit status 1."""
    try:
        yield
    except AcwcError as refusal:
        raise _fail(_REFUSALS.get(refusal.code, str(refusal))) from None
    except (OSError, DBAPIError, sqlite3.DatabaseError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else getattr(failure, "orig", failure)
        raise _fail(f"The database cannot be used: {reason}. Check DATABASE_URL and BACKUP_DIR.") from None


@app.command()
def run(
    standby: Annotated[bool, typer.Option(help="Wait until the running process has ended, then take over.")] = False,
    or_sandbox: Annotated[bool, typer.Option(help="Without DISCORD_TOKEN start the sandbox instead.")] = False,
    port: Annotated[int, typer.Option(help="Of the sandbox's page.")] = SANDBOX_PORT,
) -> None:
    """The bot on Discord."""
    settings = _settings()
    configure(settings.log_level)
    if settings.discord_token is None:
        if or_sandbox:
            _run_sandbox(port)
            return
        raise _fail("DISCORD_TOKEN is not set. Put it into .env, or start the sandbox: acwc-bot sandbox", 2)
    from acwc_bot.service import CannotStart, run_service

    if standby:
        err.print("Standing by: the bot starts when the process that runs it now has ended.")
    try:
        with _refusals():
            run_service(settings, standby=standby)
    except CannotStart as refusal:
        raise _fail(str(refusal)) from None


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(help="Of the page on the loopback; the next one shows Discord.")] = SANDBOX_PORT,
    at: Annotated[
        str | None, typer.Option(help="Begin anew, at: start (an empty server), registration, round-1, round-2 …")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Begin anew, with other players: the same seed, the same season.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew instead of where you stopped.")] = False,
    folder: Annotated[Path, typer.Option(help="Where the sandbox is saved.")] = Path(".sandbox"),
) -> None:
    """The same bot in an offline Discord in your browser, with an offline Lichess and a clock you can move."""
    settings = _settings()
    configure(settings.log_level)
    _run_sandbox(port, at=at, seed=seed, fresh=fresh, folder=folder)


def _run_sandbox(port: int, **options: Any) -> None:
    # simcord is only needed here; with a token nothing imports it.
    from acwc_bot.sandbox.app import PortTaken, Wanted, run_sandbox

    try:
        run_sandbox(Wanted(port, **options))
    except PortTaken as taken:
        other = 'make run ARGS="--port 8900"'
        raise _fail(f"Port {taken.port} is in use. Stop what uses it, or choose another: {other}") from None


@app.command()
def check() -> None:
    """Configuration, database and Lichess, a line each; exit status 1 if something is wrong."""
    from acwc_bot.check import run_checks

    settings = _settings()
    bad = 0
    for line in run_checks(settings):
        out.print(("ok    " if line.good else "WRONG ") + line.text, markup=False, highlight=False)
        bad += not line.good
    raise typer.Exit(1 if bad else 0)


@app.command()
def invite() -> None:
    """The link that invites the bot to a server, with the scopes and permissions it needs."""
    from acwc_bot.service import CannotStart, invite_link

    settings = _settings_with_token()
    try:
        out.print(asyncio.run(invite_link(settings)), soft_wrap=True, highlight=False, markup=False)
    except (CannotStart, OSError) as failure:
        raise _fail(str(failure) or "Discord does not answer; check the network.") from None


@app.command()
def sync(
    guild: Annotated[int | None, typer.Option(help="Only in this server, where it shows at once.")] = None,
) -> None:
    """Registers the slash commands with Discord; normally the start does it when they have changed."""
    from acwc_bot.service import CannotStart, register_commands
    from db.migrations import pending

    settings = _settings_with_token()
    configure(settings.log_level)
    try:
        with _refusals():
            if pending(settings.database_url):
                raise _fail("The database is not up to date. Run `acwc-bot db upgrade`, or start the bot once.")
            asyncio.run(register_commands(settings, guild))
    except CannotStart as failure:
        raise _fail(str(failure)) from None


def _settings_with_token() -> Settings:
    settings = _settings()
    if settings.discord_token is None:
        raise _fail("DISCORD_TOKEN is not set. Put it into .env first.", 2)
    return settings


# --- Database ---------------------------------------------------------------------------------------------------


@database.command()
def upgrade() -> None:
    """Brings the tables up to date, after a copy."""
    from acwc_bot.wiring import SystemClock
    from db.lock import ProcessLock
    from db.migrations import upgrade as run_upgrade

    settings = _settings()
    with _refusals(), ProcessLock(settings.database_url):
        copy = run_upgrade(settings.database_url, settings.backup_dir, SystemClock().now())
    out.print(f"Up to date. Copy before it: {copy}" if copy else "Up to date.")


@database.command()
def backup() -> None:
    """Copies the database into BACKUP_DIR; safe while the bot runs."""
    from acwc_bot.wiring import SystemClock
    from db.backup import backup as run_backup

    settings = _settings()
    with _refusals():
        copy = run_backup(settings.database_url, settings.backup_dir, SystemClock().now())
    out.print(f"Copied to {copy}")


@database.command()
def restore(copy: Path) -> None:
    """Puts a copy in place of the database; the bot must be stopped."""
    from db.backup import restore as run_restore

    settings = _settings()
    with _refusals():
        run_restore(settings.database_url, copy)
    out.print(f"Restored from {copy}.")


# --- Rules ------------------------------------------------------------------------------------------------------


@rules.command("list")
def rules_list() -> None:
    """The rulesets that come with the bot."""
    from engine.rules import load, shipped, shipped_text

    for key in shipped():
        out.print(f"{key}  {load(shipped_text(key), name=key).title}", markup=False, highlight=False)


@rules.command("show")
def rules_show(key: str) -> None:
    """The text of a ruleset, with the clause of every value."""
    from engine.rules import shipped, shipped_text

    if key not in shipped():
        raise _fail(f"There is no ruleset {key}. Known: {', '.join(shipped())}")
    typer.echo(shipped_text(key), nl=False)


@rules.command("check")
def rules_check(file: Path) -> None:
    """Validates a ruleset file; names file, key and reason of every fault, and who is still to be named."""
    from engine.rules import RulesetError, load, read_text

    try:
        ruleset = load(read_text(file), name=str(file))
    except OSError as error:
        raise _fail(f"{file}: {error.strerror}") from None
    except RulesetError as refusal:
        raise _fail(str(refusal)) from None
    typer.echo(f"{file}: in order ({ruleset.title})")
    for who in ruleset.unnamed:
        typer.echo(f"{file}: {who} needs a Lichess name before an edition can be created")


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no ½ shows a question mark
    try:
        app(prog_name="acwc-bot")
    except OSError as failure:
        raise SystemExit(f"The output could not be written: {failure.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())

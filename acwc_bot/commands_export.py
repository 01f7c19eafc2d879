"""`acwc-bot export`: an edition of the database in the format of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acwc_bot.settings import WrongSettings, load_settings
from engine.errors import AcwcError, NotFound

FORMATS = ("trf",)


def register(app: typer.Typer) -> None:
    app.command("export")(export)


def export(
    format: Annotated[str, typer.Argument(metavar="FORMAT", help=f"{', '.join(FORMATS)}; see docs/trf.md.")],
    edition: Annotated[str | None, typer.Option(metavar="KEY", help="Its year; otherwise the newest one.")] = None,
    guild: Annotated[
        int | None, typer.Option(metavar="ID", help="The Discord server, if the bot serves several.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; otherwise it is printed.")
    ] = None,
) -> None:
    """An edition as a file for other programs; safe while the bot runs. TRF holds the Qualification."""
    if format not in FORMATS:
        raise _fail(f"{format} is no format I can write. Known: {', '.join(FORMATS)}", 2)
    text = _text(edition, guild)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8", newline="")
    except OSError as failure:
        raise _fail(f"{out}: {failure.strerror}") from None
    typer.echo(f"Written to {out}.")


def _text(edition: str | None, guild: int | None) -> str:
    from sqlalchemy.exc import DBAPIError

    from db.migrations import pending
    from db.worker import SqlDatabase
    from engine.usecases.exports import find_edition, report

    try:
        url = load_settings().database_url
        if pending(url):
            raise _fail("There is no database yet, or it is not up to date. Run `acwc-bot db upgrade`.")
        with SqlDatabase(url) as database:
            return database.read_sync(lambda reader: report(reader, find_edition(reader, edition, guild)))
    except WrongSettings as wrong:
        raise _fail("The configuration cannot be used:\n" + "\n".join(f"  {line}" for line in wrong.lines), 2) from None
    except NotFound as refusal:
        known = ", ".join(refusal.params.get("known", ())) or "none yet"
        raise _fail(f"There is no such edition. Known: {known}") from None
    except AcwcError as refusal:
        raise _fail(f"It cannot be written as {FORMATS[0].upper()}: {refusal}") from None
    except DBAPIError as failure:
        raise _fail(f"The database cannot be used: {failure.orig}. Check DATABASE_URL.") from None


def _fail(text: str, status: int = 1) -> typer.Exit:
    typer.echo(text, err=True)
    return typer.Exit(status)

"""Copies of a SQLite database, made while it is in use, and the way back. PostgreSQL has its own tools."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from db.connect import sqlite_path
from db.lock import ProcessLock
from db.types import as_utc
from engine.errors import BadInput, Conflict, NotFound

_SIDE_FILES = ("", "-wal", "-shm")
"""What one SQLite database in WAL mode consists of."""


def backup(url: str, directory: Path, now: datetime) -> Path:
    """A complete, checked copy `directory/<name>-<moment>.db`, made without stopping the bot.

    NotFound("database") when there is none yet, Conflict("backup_exists") when that moment has its copy already,
    BadInput("use_pg_dump") on PostgreSQL.
    """
    source = _file(url)
    if not source.exists():
        raise NotFound("database", path=str(source))
    directory.mkdir(parents=True, exist_ok=True)
    copy = directory / f"{source.stem}-{as_utc(now, 'now'):%Y%m%dT%H%M%SZ}.db"
    if copy.exists():
        raise Conflict("backup_exists", path=str(copy))
    unfinished = copy.with_suffix(".unfinished")  # a copy has its name only when it is whole
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
    _check(unfinished)
    _settle(unfinished, copy)
    return copy


def restore(url: str, copy: Path) -> None:
    """Puts a copy in the place of the database; the next `upgrade` brings it to the present schema.

    Takes the `ProcessLock`, so a running bot makes it Conflict("second_process"). What was there before is kept beside
    it as `<name>.replaced`. NotFound("backup") or BadInput("not_a_backup") leave everything as it was,
    BadInput("use_pg_dump") on PostgreSQL.
    """
    target = _file(url)
    if not copy.is_file():
        raise NotFound("backup", path=str(copy))
    _check(copy)
    with ProcessLock(url):
        incoming = target.with_name(f"{target.name}.incoming")
        shutil.copyfile(copy, incoming)
        _check(incoming)
        for suffix in _SIDE_FILES:  # a log left behind would be played into the restored database
            _set_aside(Path(f"{target}{suffix}"), Path(f"{target}.replaced{suffix}"))
        _settle(incoming, target)


def _file(url: str) -> Path:
    path = sqlite_path(url)
    if path is None:
        raise BadInput("use_pg_dump", tools="pg_dump and pg_restore")
    return path


def _check(path: Path) -> None:
    """BadInput("not_a_backup") unless the file is a whole SQLite database of ours."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
            connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadInput("not_a_backup", path=str(path), problem=str(error)) from error
    if verdict != "ok":
        raise BadInput("not_a_backup", path=str(path), problem=verdict)


def _set_aside(path: Path, kept: Path) -> None:
    kept.unlink(missing_ok=True)
    if path.exists():
        path.rename(kept)


def _settle(unfinished: Path, final: Path) -> None:
    """Gives a finished file its name once its bytes are on the disk (VACUUM INTO does not wait for that)."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(final)
    directory = os.open(final.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)

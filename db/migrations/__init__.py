"""Bringing a database to the present schema (Alembic, no ini file), with a copy first.

A landed migration is never edited. A new one is drafted from the difference to `db.tables`:

    python -c "from alembic import command; from db.migrations import config; \\
               command.revision(config('sqlite:///an-upgraded.db'), 'what changes', rev_id='0002', autogenerate=True)"

then read and corrected. A migration that rebuilds `fact` on SQLite (batch mode) must create its triggers again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from db.backup import backup
from db.connect import migration_engine, reader_engine, shown, sqlite_path
from engine.errors import Conflict

_log = logging.getLogger(__name__)


def config(url: str) -> Config:
    """The Alembic configuration for one database."""
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    made.attributes["url"] = url  # not an option: those treat the % of an escaped password as their own
    return made


def pending(url: str) -> bool:
    """Whether `upgrade` would change anything; Conflict("newer_database") when the database is ahead of this code."""
    path = sqlite_path(url)
    if path is not None and not path.exists():
        return True
    with _looking(url) as connection:
        return _revision(connection, url) != _scripts(url).get_current_head()


def upgrade(url: str, backup_dir: Path, now: datetime) -> Path | None:
    """Migrates to the newest schema; a second time it does nothing.

    A SQLite database that has tables and needs a migration is copied to `backup_dir` first; the copy is named in the
    log and returned (None when none was made). PostgreSQL is not copied. All migrations are one transaction in
    both. The caller holds the `ProcessLock`. Conflict("newer_database") when the database is ahead of this program.
    """
    path = sqlite_path(url)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    if not pending(url):
        return None
    copy = _copy_first(url, backup_dir, now) if path is not None and path.exists() else None
    with migration_engine(url).connect() as connection:
        made = config(url)
        made.attributes["connection"] = connection
        command.upgrade(made, "head")
    _log.info("database %s is now at schema %s", shown(url), _scripts(url).get_current_head())
    return copy


@contextmanager
def _looking(url: str) -> Iterator[Connection]:
    """A connection that cannot change anything and waits for nobody."""
    engine = reader_engine(url)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _copy_first(url: str, backup_dir: Path, now: datetime) -> Path | None:
    with _looking(url) as connection:
        if not inspect(connection).get_table_names():
            return None
    copy = backup(url, backup_dir, now)
    _log.warning("before migrating, the database was copied to %s", copy)
    return copy


def _revision(connection: Connection, url: str) -> str | None:
    revision = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in _scripts(url).walk_revisions()}
    if revision is not None and revision not in known:
        raise Conflict("newer_database", database=shown(url), revision=revision)
    return revision


def _scripts(url: str) -> ScriptDirectory:
    return ScriptDirectory.from_config(config(url))

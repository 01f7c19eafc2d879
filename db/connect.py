"""SQLAlchemy engines for both dialects, set up so that nothing committed is lost and readers never write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import NullPool

READERS = 3
BUSY_MS = 10_000
"""How long a write waits for another process (a command line beside the bot) before it fails."""

_WRITE_LOCK = 0x41435743_0001
"""Key of the PostgreSQL advisory lock that lets one writer in at a time; any constant of ours will do."""

_WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",  # an erased note leaves no text behind in free pages
)
_MIGRATION_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=OFF")
"""Batch mode rebuilds tables, which foreign keys would stand against; they are checked afterwards."""

_READER_PRAGMAS = ("query_only=ON",)


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite URL, None for PostgreSQL; ValueError for anything that is not kept in a file or server."""
    parsed = make_url(url)
    dialect = parsed.get_backend_name()
    if dialect == "postgresql":
        return None
    if dialect != "sqlite":
        raise ValueError(f"the database must be SQLite or PostgreSQL, not {dialect!r}")
    if not parsed.database or parsed.database == ":memory:" or parsed.database.startswith("file:"):
        raise ValueError("a SQLite database must be a plain file: sqlite:///path")
    return Path(parsed.database).resolve()


def shown(url: str) -> str:
    """The URL without its password, for messages and logs."""
    return make_url(url).render_as_string(hide_password=True)


def writer_engine(url: str) -> Engine:
    """One connection; each transaction has the whole database for itself from its first moment."""
    if sqlite_path(url) is not None:
        return _sqlite_engine(url, _WRITER_PRAGMAS, "BEGIN IMMEDIATE", pool_size=1, max_overflow=0)
    engine = create_engine(url, hide_parameters=True, pool_size=1, max_overflow=0, pool_pre_ping=True)

    @event.listens_for(engine, "begin")
    def one_writer(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})")

    return engine


def reader_engine(url: str) -> Engine:
    """Connections that refuse to write; each transaction sees one committed state throughout."""
    if sqlite_path(url) is not None:
        return _sqlite_engine(url, _READER_PRAGMAS, "BEGIN", pool_size=READERS)
    return create_engine(
        url,
        hide_parameters=True,
        pool_size=READERS,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        execution_options={"postgresql_readonly": True},
    )


def migration_engine(url: str) -> Engine:
    """For schema changes: foreign keys off on SQLite, no connection kept."""
    if sqlite_path(url) is not None:
        return _sqlite_engine(url, _MIGRATION_PRAGMAS, "BEGIN IMMEDIATE", poolclass=NullPool)
    return create_engine(url, hide_parameters=True, poolclass=NullPool)


def _sqlite_engine(url: str, pragmas: tuple[str, ...], begin: str, **options: Any) -> Engine:
    engine = create_engine(url, hide_parameters=True, **options)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver would begin late and on its own terms
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

"""Alembic runs this file. `db.migrations.upgrade` gives the connection; drafting a migration gives only the URL."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection

from db.connect import migration_engine
from db.tables import metadata
from db.types import UtcDateTime


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        render_item=_render,
        transactional_ddl=True,  # SQLite can, and a migration that dies half-way then leaves nothing
    )
    with context.begin_transaction():
        context.run_migrations()
        if connection.dialect.name == "sqlite":
            _check_foreign_keys(connection)


def _render(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """A migration must not depend on our own column type, which may change after it has landed."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, UtcDateTime) else False


def _check_foreign_keys(connection: Connection) -> None:
    """They were off while tables were rebuilt: nothing may point nowhere now. Raising undoes the migration."""
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if lost:
        raise RuntimeError(f"the migration would break {len(lost)} foreign keys, first in table {lost[0][0]!r}")


def _main() -> None:
    given = context.config.attributes.get("connection")
    if given is not None:
        _run(given)
        return
    with migration_engine(context.config.attributes["url"]).connect() as connection:
        _run(connection)


_main()

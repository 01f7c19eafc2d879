"""Which unique rule an IntegrityError broke; each dialect says it in its own way."""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import Table
from sqlalchemy.exc import IntegrityError

from db.tables import Row

_UNIQUE_VIOLATION = "23505"
"""SQLSTATE unique_violation (PostgreSQL manual, appendix A)."""


def broken_unique_rule(error: IntegrityError, row: type[Row]) -> tuple[str, ...] | None:
    """The columns that must be unique together, or None when the error is about something else (a foreign key)."""
    cause: Any = error.orig
    if isinstance(cause, sqlite3.Error):
        if cause.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            return None
        _, _, named = str(cause).partition(": ")  # "UNIQUE constraint failed: round.edition_id, round.stage"
        return tuple(part.rpartition(".")[2] for part in named.split(", "))
    if getattr(cause, "sqlstate", None) != _UNIQUE_VIOLATION:
        return None
    return _columns_of(row.__table__, cause.diag.constraint_name)  # type: ignore[attr-defined]


def _columns_of(table: Table, name: str) -> tuple[str, ...]:
    for rule in (*table.constraints, *table.indexes):
        if rule.name == name:
            return tuple(column.name for column in rule.columns)  # type: ignore[union-attr]
    return ()

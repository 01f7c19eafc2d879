"""The one column type for moments: aware UTC in, aware UTC out, and nothing naive in between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator


class NaiveDatetime(DontWrapMixin, ValueError):
    """A datetime without a time zone was about to be stored or compared. A programming error."""


def as_utc(moment: datetime, where: str = "a moment") -> datetime:
    """The same moment in UTC; NaiveDatetime when it has no time zone. `where` names it in the error."""
    if moment.utcoffset() is None:
        raise NaiveDatetime(f"{where} is naive ({moment.isoformat()}); give it a time zone, e.g. tzinfo=UTC")
    return moment.astimezone(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """TIMESTAMP WITH TIME ZONE on PostgreSQL; UTC text of fixed width on SQLite, whose order is the order in time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = as_utc(value)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)

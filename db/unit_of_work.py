"""One transaction: `SqlReader` reads values, `SqlStore` also writes them (`engine.ports.Reader` and `Store`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, func, or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from db import mapping
from db.conflicts import broken_unique_rule
from db.tables import FactRow, SettingRow
from engine.errors import Conflict, NotFound
from engine.model import Fact, Occurrence, Post, PostState

T = TypeVar("T")


class SqlReader:
    """Reads columns, not row objects: every call sees what the transaction sees now."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, kind: type[T], id: int, /) -> T:
        found = self.one(kind, id=id)
        if found is None:
            raise NotFound(_name(kind), id=id)
        return found

    def find(self, kind: type[T], /, **equal: Any) -> list[T]:
        rows = self._session.execute(_query(kind, equal)).all()
        return [mapping.to_value(kind, row) for row in rows]

    def one(self, kind: type[T], /, **equal: Any) -> T | None:
        row = self._session.execute(_query(kind, equal).limit(1)).first()
        return None if row is None else mapping.to_value(kind, row)

    def facts(self, edition_id: int) -> list[Fact]:
        return self.find(Fact, edition_id=edition_id)

    def last_fact_id(self, edition_id: int) -> int:
        newest = select(func.max(FactRow.id)).where(FactRow.edition_id == edition_id)
        return self._session.exec(newest).one() or 0

    def setting(self, name: str) -> str | None:
        """What the bot last remembered under that name, None when nothing."""
        row = self._session.get(SettingRow, name)
        return None if row is None else row.value


class SqlStore(SqlReader):
    """Writes are flushed at once inside a savepoint, so that work may catch a Conflict and go on in any dialect."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.posted = False
        """Whether this transaction owes Discord something new."""

    def add(self, value: T) -> T:
        if isinstance(value, Fact):
            return self.append(value)  # type: ignore[return-value]
        if isinstance(value, Post):
            self.posted = True
        return self._insert(value)

    def save(self, value: T) -> T:
        kind = type(value)
        if kind in (Fact, Occurrence):
            raise TypeError(f"a stored {_name(kind)} never changes")
        id = value.id  # type: ignore[attr-defined]
        row = self._session.get(mapping.row_class(kind), id)
        if row is None:
            raise NotFound(_name(kind), id=id)
        changed = mapping.to_columns(value)
        with self._guarded(kind):
            for name, item in changed.items():
                setattr(row, name, item)
        return self.get(kind, id)

    def append(self, fact: Fact) -> Fact:
        """NotFound("fact") when the fact that it reverts or replaces is not in the ledger of its edition."""
        for earlier in (fact.reverts_id, fact.replaces_id):
            if earlier is not None and self.one(Fact, id=earlier, edition_id=fact.edition_id) is None:
                raise NotFound("fact", id=earlier, edition_id=fact.edition_id)
        return self._insert(fact)

    def settle(self, occurrence: Occurrence) -> bool:
        if self.one(Occurrence, edition_id=occurrence.edition_id, key=occurrence.key) is not None:
            return False
        self._insert(occurrence)
        return True

    def post(self, post: Post) -> Post:
        """ValueError when the key already belongs to another server: its message must not be edited from here."""
        self.posted = True
        known = self.one(Post, key=post.key)
        if known is None:
            return self._insert(post)
        if known.guild_id != post.guild_id:
            raise ValueError(f"the post {post.key!r} belongs to server {known.guild_id}")
        return self.save(_next_version(known, post))

    def set_setting(self, name: str, value: str) -> None:
        self._session.merge(SettingRow(name=name, value=value))
        self._session.flush()

    def _insert(self, value: T) -> T:
        kind = type(value)
        if value.id != 0:  # type: ignore[attr-defined]
            raise ValueError(f"this {_name(kind)} is already stored: {value!r}")
        row = mapping.row_class(kind)(**mapping.to_columns(value))
        with self._guarded(kind):
            self._session.add(row)
        return self.get(kind, row.id or 0)

    @contextmanager
    def _guarded(self, kind: type) -> Iterator[None]:
        """A savepoint; a broken unique rule becomes Conflict("already_there", what=…, fields=…)."""
        try:
            with self._session.begin_nested():
                yield
        except IntegrityError as error:
            fields = broken_unique_rule(error, mapping.row_class(kind))
            if fields is None:
                raise
            raise Conflict("already_there", what=_name(kind), fields=fields) from error


def _next_version(known: Post, asked: Post) -> Post:
    """The stored row once one more version of its message is wanted.

    Always one more, even with the same payload: what it shows may have changed. A row that was done with starts
    afresh; one that is still being retried keeps its back-off. A lease, ids and the moment of the first attempt
    stay in any case: they are how the relay finds a message it may have sent. A message that exists stays where it is.
    """
    waiting = known.state is PostState.WAITING
    return replace(
        known,
        kind=asked.kind,
        payload=asked.payload,
        target=asked.target if known.message_id is None else known.target,
        state=PostState.WAITING,
        wanted=known.wanted + 1,
        attempts=known.attempts if waiting else 0,
        not_before=asked.not_before or (known.not_before if waiting else None),
        problem=known.problem if waiting else None,
    )


def _name(kind: type) -> str:
    return kind.__name__.lower()


def _query(kind: type, equal: dict[str, Any]) -> Any:
    rules = [_rule(kind, name, value) for name, value in equal.items()]
    return select(*mapping.columns(kind)).where(and_(True, *rules)).order_by(mapping.row_class(kind).id)


def _rule(kind: type, name: str, value: Any) -> ColumnElement[bool]:
    """`name = value`, `name IS NULL` for None, "one of" for a list or tuple (which may hold None)."""
    column = mapping.column(kind, name)
    if value is None:
        return column.is_(None)
    if not isinstance(value, (list, tuple)):
        return column == mapping.to_parameter(kind, name, value)
    members = [mapping.to_parameter(kind, name, item) for item in value if item is not None]
    return or_(column.in_(members), column.is_(None)) if None in value else column.in_(members)

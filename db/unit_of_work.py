"""One transaction: `SqlReader` reads values, `SqlStore` also writes them (`engine.ports.Reader` and `Store`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, bindparam, func, insert, or_, update
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
        self._connection = session.connection()

    def get(self, kind: type[T], id: int, /) -> T:
        found = self.one(kind, id=id)
        if found is None:
            raise NotFound(_name(kind), id=id)
        return found

    def find(self, kind: type[T], /, **equal: Any) -> list[T]:
        statement, parameters = _query(kind, equal)
        return [mapping.to_value(kind, row) for row in self._connection.execute(statement, parameters)]

    def one(self, kind: type[T], /, **equal: Any) -> T | None:
        statement, parameters = _query(kind, equal, only_first=True)
        row = self._connection.execute(statement, parameters).first()
        return None if row is None else mapping.to_value(kind, row)

    def facts(self, edition_id: int) -> list[Fact]:
        return self.find(Fact, edition_id=edition_id)

    def last_fact_id(self, edition_id: int) -> int:
        return self._connection.execute(_LAST_FACT, {"edition_id": edition_id}).scalar() or 0

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
        changed = mapping.to_columns(value)
        with self._guarded(kind):
            done = self._connection.execute(_update(kind), {**changed, _ROW: id})
        if done.rowcount == 0:
            raise NotFound(_name(kind), id=id)
        return mapping.kept(kind, id, changed)

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
        new = mapping.to_columns(value)
        with self._guarded(kind):
            key = self._connection.execute(_insert(kind), new).inserted_primary_key
        assert key is not None
        return mapping.kept(kind, key[0], new)

    @contextmanager
    def _guarded(self, kind: type) -> Iterator[None]:
        """A savepoint; a broken unique rule becomes Conflict("already_there", what=…, fields=…)."""
        try:
            with self._connection.begin_nested():
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


# --- Statements: each is built once -------------------------------------------------------------------------------

_ROW = "_row"
_LAST_FACT: Any = select(func.max(FactRow.id)).where(mapping.column(Fact, "edition_id") == bindparam("edition_id"))


@cache
def _insert(kind: type) -> Any:
    return insert(mapping.row_class(kind).__table__)  # type: ignore[attr-defined]


@cache
def _update(kind: type) -> Any:
    table = mapping.row_class(kind).__table__  # type: ignore[attr-defined]
    return update(table).where(table.c.id == bindparam(_ROW))


def _query(kind: type, equal: dict[str, Any], *, only_first: bool = False) -> tuple[Any, dict[str, Any]]:
    """The statement for rows with these values, by id, and its parameters."""
    shape = tuple((name, _shape(value)) for name, value in equal.items())
    parameters = {name: _parameter(kind, name, value) for name, value in equal.items() if value is not None}
    return _select(kind, shape, only_first), parameters


def _shape(value: Any) -> str:
    """`name = value`, `name IS NULL` for None, "one of" for a list or tuple (which may hold None)."""
    if value is None:
        return "null"
    if not isinstance(value, (list, tuple)):
        return "equal"
    return "in or null" if None in value else "in"


def _parameter(kind: type, name: str, value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return mapping.to_parameter(kind, name, value)
    return [mapping.to_parameter(kind, name, item) for item in value if item is not None]


@cache
def _select(kind: type, shape: tuple[tuple[str, str], ...], only_first: bool) -> Any:
    rules = [_rule(kind, name, how) for name, how in shape]
    found = select(*mapping.columns(kind)).where(and_(True, *rules)).order_by(mapping.column(kind, "id"))
    return found.limit(1) if only_first else found


def _rule(kind: type, name: str, how: str) -> ColumnElement[bool]:
    column = mapping.column(kind, name)
    if how == "null":
        return column.is_(None)
    if how == "equal":
        return column == bindparam(name, type_=column.type)
    members = column.in_(bindparam(name, type_=column.type, expanding=True))
    return or_(members, column.is_(None)) if how == "in or null" else members

"""Whatever goes in comes out the same: every kind, every field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sqlalchemy import BigInteger, select, text

from db import mapping
from db.types import NaiveDatetime
from db.unit_of_work import SqlReader, SqlStore
from db.worker import SqlDatabase
from engine import model, sealed
from engine.errors import Conflict
from engine.timers import Timer
from tests.db.world import NOW, World, build, one_more_of_each, post

KINDS: list[Any] = [*(kind for part in (model, sealed) for kind in vars(part).values() if is_dataclass(kind)), Timer]

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
_JSON = st.recursive(st.none() | st.booleans() | st.integers() | _TEXT, lambda inner: st.lists(inner, max_size=3))
_ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-3))])
_MOMENTS = st.datetimes(datetime(1900, 1, 2), datetime(2199, 12, 30), timezones=_ZONES)  # noqa: DTZ001


def parts(value: Any) -> list[Any]:
    return [getattr(value, field.name) for field in fields(value)]


@pytest.fixture
def world(database: SqlDatabase) -> World:
    return database.write_sync(build)


class Undo(Exception):
    pass


def values_for(hint: Any, wide: bool) -> st.SearchStrategy[Any]:
    """Values of a field; `wide` for the columns that hold Discord ids."""
    if get_origin(hint) is Mapping:
        return st.dictionaries(_TEXT, st.integers() if get_args(hint)[1] is int else _JSON, max_size=4)
    if get_origin(hint) is tuple:
        return st.lists(_TEXT, max_size=4).map(tuple)
    known: dict[Any, st.SearchStrategy[Any]] = {
        str: _TEXT,
        bool: st.booleans(),
        datetime: _MOMENTS,
        date: st.dates(),
        type(None): st.none(),
    }
    known |= {part: st.sampled_from(part) for part in (*get_args(hint), hint) if _is_enum(part)}
    known[int] = st.integers(0, 2**63 - 1) if wide else st.integers(-(2**31), 2**31 - 1)
    return st.one_of(*(known[part] for part in (get_args(hint) or (hint,))))


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def variations(kind: type) -> st.SearchStrategy[dict[str, Any]]:
    """Changes to every field that is no reference to another row."""
    hints = get_type_hints(kind)
    columns = {name: mapping.row_class(kind).__table__.columns[name] for name in hints}
    free = {name: column for name, column in columns.items() if name != "id" and not column.foreign_keys}
    return st.fixed_dictionaries(
        {name: values_for(hints[name], isinstance(column.type, BigInteger)) for name, column in free.items()}
    )


def test_every_kind_of_the_model_is_stored_with_every_field() -> None:
    assert set(mapping.ROWS) == set(KINDS)
    for kind, row in mapping.ROWS.items():
        assert {field.name for field in fields(kind)} == set(row.__table__.columns.keys())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_comes_back_equal_and_in_utc(
    database: SqlDatabase, world: World, kind: type, data: st.DataObject
) -> None:
    changes = data.draw(variations(kind))

    def work(store: SqlStore) -> None:
        sample = next(value for value in one_more_of_each(world) if type(value) is kind)
        asked = replace(sample, **changes)  # type: ignore[type-var]
        try:
            stored = store.add(asked)
        except Conflict:  # drawn by chance: a seed or board that the world has
            reject()
        assert stored == store.get(kind, stored.id)
        assert replace(stored, id=0) == asked
        moments = [item for item in parts(stored) if isinstance(item, datetime)]
        assert all(moment.tzinfo is UTC for moment in moments)
        raise Undo

    with pytest.raises(Undo):
        database.write_sync(work)


def test_committed_values_are_read_back_from_another_connection(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> list[object]:
        return [store.add(value) for value in one_more_of_each(build(store))]

    stored = database.write_sync(work)
    assert {type(value) for value in stored} == set(KINDS)
    for value in stored:
        read = database.read_sync(lambda reader, value=value: reader.get(type(value), value.id))
        assert read == value
        assert [type(item) for item in parts(read)] == [type(item) for item in parts(value)]


def test_saving_changes_exactly_the_value(database: SqlDatabase) -> None:
    world = database.write_sync(build)
    agreed = replace(world.match, agreed_at=NOW + timedelta(days=2), thread_id=5)
    assert database.write_sync(lambda store: store.save(agreed)) == agreed
    assert database.read_sync(lambda reader: reader.find(model.Match)) == [agreed]


def test_moments_sort_by_time_whatever_zone_they_were_given_in(database: SqlDatabase) -> None:
    east, west = timezone(timedelta(hours=9)), timezone(timedelta(hours=-8))
    moments = [
        datetime(2023, 3, 21, 8, 0, tzinfo=east),
        datetime(2023, 3, 20, 23, 30, tzinfo=UTC),
        datetime(2023, 3, 20, 15, 30, 0, 1, tzinfo=west),
    ]
    database.write_sync(lambda s: [s.add(post(f"k{n}", created_at=moment)) for n, moment in enumerate(moments)])
    by_time = text("SELECT key FROM post ORDER BY created_at")
    keys = database.read_sync(lambda reader: reader._session.execute(by_time).scalars().all())
    assert keys == ["k0", "k1", "k2"]


@pytest.mark.parametrize("field", ["created_at", "not_before"])
def test_naive_datetimes_are_refused_by_name(database: SqlDatabase, field: str) -> None:
    with pytest.raises(NaiveDatetime, match=rf"Post\.{field} is naive"):
        database.write_sync(lambda store: store.add(post(**{field: NOW.replace(tzinfo=None)})))
    assert database.read_sync(lambda reader: reader.find(model.Post)) == []


def test_naive_datetimes_are_refused_in_a_question_and_by_the_column_itself(database: SqlDatabase) -> None:
    naive = NOW.replace(tzinfo=None)
    with pytest.raises(NaiveDatetime, match="created_at"):
        database.read_sync(lambda reader: reader.find(model.Post, created_at=naive))
    column = mapping.column(model.Post, "created_at")
    with pytest.raises(NaiveDatetime):
        database.read_sync(lambda reader: reader._session.execute(select(column).where(column < naive)))


def test_what_json_or_an_enum_cannot_say_is_refused(database: SqlDatabase) -> None:
    with pytest.raises(ValueError, match=r"Post\.payload cannot be kept as JSON"):
        database.write_sync(lambda store: store.add(post(payload={"at": NOW})))
    with pytest.raises(ValueError, match=r"Post\.payload cannot be kept as JSON"):
        database.write_sync(lambda store: store.add(post(payload={"at": float("nan")})))
    with pytest.raises(ValueError, match="'lost' is not a valid PostState"):
        database.write_sync(lambda store: store.add(post(state="lost")))


def test_find_compares_with_one_several_and_nothing(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> World:
        for n, (state, problem) in enumerate([("waiting", None), ("sent", None), ("stuck", "403"), ("dropped", "404")]):
            store.add(post(f"k{n}", state=model.PostState(state), problem=problem))
        return build(store)

    database.write_sync(work)

    def keys(**equal: Any) -> str:
        found = database.read_sync(lambda reader: reader.find(model.Post, **equal))
        return "".join(item.key[1:] for item in found)

    assert keys() == "0123"
    assert keys(state=model.PostState.SENT) == "1"
    assert keys(state=[model.PostState.STUCK, model.PostState.WAITING]) == "02"
    assert keys(problem=None) == "01"
    assert keys(problem=("403", None)) == "012"
    assert keys(state=[]) == ""
    assert keys(created_at=NOW.astimezone(timezone(timedelta(hours=2)))) == "0123"
    assert keys(state=model.PostState.SENT, problem="403") == ""
    with pytest.raises(TypeError, match="Post has no field 'colour'"):
        keys(colour="red")


def test_one_gives_the_first_by_id_or_none(database: SqlDatabase) -> None:
    first = database.write_sync(lambda store: [store.add(post("b")), store.add(post("a"))][0])
    assert database.read_sync(lambda reader: reader.one(model.Post, guild_id=first.guild_id)) == first
    assert database.read_sync(lambda reader: reader.one(model.Post, key="c")) is None


def test_a_reader_gives_only_what_the_model_has(database: SqlDatabase) -> None:
    def work(reader: SqlReader) -> None:
        reader.find(int)

    with pytest.raises(TypeError, match="int is not stored"):
        database.read_sync(work)

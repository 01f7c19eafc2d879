"""Transactions and threads: all or nothing, one after another, readers undisturbed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db.connect import writer_engine
from db.unit_of_work import SqlReader, SqlStore
from db.worker import SqlDatabase
from engine.model import Person, Post
from engine.ports import Database, Reader, Store
from tests.db.world import post

SHORT = 0.05
LONG = 20.0


def people(reader: Reader) -> list[str]:
    return [person.name for person in reader.find(Person)]


def add_person(name: str) -> Callable[[SqlStore], Person]:
    return lambda store: store.add(Person(discord_id=None, name=name))


def test_it_is_the_port_that_the_engine_asks_for(database: SqlDatabase) -> None:
    port: Database = database
    store: type[Store] = SqlStore
    assert port is database and issubclass(store, SqlReader)


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_write_that_fails_leaves_nothing(database: SqlDatabase, failure: type[BaseException]) -> None:
    def work(store: SqlStore) -> None:
        add_person("ghost")(store)
        store.post(post())
        raise failure("half-way")

    called: list[int] = []
    database.on_commit = lambda: called.append(1)
    with pytest.raises(failure):
        database.write_sync(work)
    assert database.read_sync(people) == []
    assert database.read_sync(lambda reader: reader.find(Post)) == []
    assert called == []


async def test_a_stop_iteration_never_leaves_anybody_waiting(database: SqlDatabase) -> None:
    def work(_: object) -> None:
        next(iter(()))

    for call in (database.write, database.read):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(call(work), 30)


async def test_many_writes_at_once_come_one_after_another(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> int:
        here = len(store.find(Person))
        add_person(f"p{here}")(store)
        return here

    numbers = await asyncio.gather(*(database.write(work) for _ in range(20)))
    assert sorted(numbers) == list(range(20))
    assert sorted(await database.read(people)) == sorted(f"p{n}" for n in range(20))


class Held:
    """A write that stands in the middle of its transaction until it is let go."""

    def __init__(self, database: SqlDatabase) -> None:
        self._inside, self._go = threading.Event(), threading.Event()
        self._pool = ThreadPoolExecutor(1)
        self._done = self._pool.submit(database.write_sync, self._work)
        assert self._inside.wait(LONG)

    def _work(self, store: SqlStore) -> None:
        add_person("first")(store)
        self._inside.set()
        assert self._go.wait(LONG)

    def let_go(self) -> None:
        self._go.set()
        self._done.result(LONG)
        self._pool.shutdown()


def test_two_processes_that_write_at_once_see_each_others_result(url: str, database: SqlDatabase) -> None:
    """The bot and a command line beside it: the second begins only when the first is through."""
    held = Held(database)
    began = threading.Event()

    def work(store: SqlStore) -> list[str]:
        began.set()
        return people(store)

    with SqlDatabase(url) as beside, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(beside.write_sync, work)
        assert not began.wait(SHORT)
        held.let_go()
        assert waiting.result(LONG) == ["first"]


def test_a_reader_does_not_wait_for_a_writer_and_sees_only_what_is_committed(database: SqlDatabase) -> None:
    held = Held(database)
    assert database.read_sync(people) == []
    held.let_go()
    assert database.read_sync(people) == ["first"]


def test_a_writer_does_not_wait_for_a_reader_whose_view_stays_one(database: SqlDatabase) -> None:
    def work(reader: SqlReader) -> tuple[list[str], list[str]]:
        before = people(reader)
        database.write_sync(add_person("new"))
        return before, people(reader)

    assert database.read_sync(work) == ([], [])
    assert database.read_sync(people) == ["new"]


async def test_reads_go_on_beside_each_other(database: SqlDatabase) -> None:
    meeting = threading.Barrier(3)
    names = await asyncio.gather(*(database.read(lambda _: meeting.wait(LONG) >= 0) for _ in range(3)))
    assert names == [True, True, True]


def test_a_read_connection_refuses_to_write(database: SqlDatabase) -> None:
    def work(reader: SqlReader) -> None:
        reader._session.execute(text("INSERT INTO setting (name, value) VALUES ('a', 'b')"))
        reader._session.commit()

    with pytest.raises(DBAPIError, match=r"readonly|read-only"):
        database.read_sync(work)


async def test_a_commit_that_owes_a_message_wakes_the_relay_in_the_event_loop(database: SqlDatabase) -> None:
    woken: list[Any] = []
    database.on_commit = lambda: woken.append(threading.current_thread())
    await database.write(add_person("quiet"))
    assert woken == []
    await database.write(lambda store: store.post(post()))
    assert woken == [threading.current_thread()]
    await database.write(lambda store: store.add(post("another")))
    assert len(woken) == 2
    await database.write(lambda store: store.save(store.find(Post)[0]))
    assert len(woken) == 2, "the relay's own bookkeeping does not wake it"


async def test_a_caller_that_goes_away_does_not_undo_a_write_that_runs(database: SqlDatabase) -> None:
    inside, go = threading.Event(), threading.Event()

    def work(store: SqlStore) -> None:
        inside.set()
        assert go.wait(LONG)
        add_person("kept")(store)

    writing = asyncio.create_task(database.write(work))
    await asyncio.to_thread(inside.wait, LONG)
    writing.cancel()
    with suppress(asyncio.CancelledError):
        await writing
    go.set()
    database.close()
    with SqlDatabase(database.url) as reopened:
        assert reopened.read_sync(people) == ["kept"]


async def test_close_waits_for_what_was_handed_in(url: str) -> None:
    database = SqlDatabase(url)
    inside, go = threading.Event(), threading.Event()

    def slow(store: SqlStore) -> None:
        inside.set()
        assert go.wait(LONG)
        add_person("first")(store)

    handed_in = [asyncio.create_task(database.write(work)) for work in (slow, add_person("second"))]
    await asyncio.to_thread(inside.wait, LONG)
    closing = asyncio.create_task(asyncio.to_thread(database.close))
    assert await asyncio.wait([closing], timeout=SHORT) == (set(), {closing})
    go.set()
    await asyncio.gather(*handed_in, closing)
    with pytest.raises(RuntimeError, match="shutdown"):
        await database.write(add_person("late"))
    with SqlDatabase(url) as reopened:
        assert reopened.read_sync(people) == ["first", "second"]


def test_sqlite_is_set_so_that_no_commit_can_be_lost(sqlite_template: Any) -> None:
    engine = writer_engine(f"sqlite:///{sqlite_template}")
    with engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    engine.dispose()
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize("bad", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_database_in_memory_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="must be a plain file"):
        SqlDatabase(bad)


def test_other_databases_are_refused() -> None:
    with pytest.raises(ValueError, match="SQLite or PostgreSQL, not 'mysql'"):
        SqlDatabase("mysql://x/y")

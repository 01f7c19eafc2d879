"""After an erasure no file of an SQLite database holds the old text, whoever reads it meanwhile and whoever dies."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from db.unit_of_work import SqlStore
from db.worker import SqlDatabase
from engine.model import Person

SECRET = "the grandmother in Ghent " * 20
LONG = 20.0


@pytest.fixture
def path(sqlite_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sqlite_template, tmp_path / "acwc.db"))


@pytest.fixture
def opened(path: Path) -> Iterator[SqlDatabase]:
    with SqlDatabase(f"sqlite:///{path}") as database:
        database.write_sync(lambda store: store.add(Person(discord_id=1, name=SECRET)))
        yield database


def forgets(store: SqlStore) -> None:
    (person,) = store.find(Person)
    store.save(Person(id=person.id, discord_id=None, name="anna"))


def is_on_disk(path: Path) -> bool:
    return any(SECRET.encode() in file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


@contextmanager
def another_reader(path: Path) -> Iterator[None]:
    """Somebody in the middle of a transaction, such as a backup."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM person").fetchone()
        yield


async def test_an_erasure_owes_a_wipe_that_is_done_once(opened: SqlDatabase, path: Path) -> None:
    await opened.erase(forgets)
    assert is_on_disk(path)
    assert await opened.wipe() and not is_on_disk(path)
    assert await opened.wipe()


async def test_while_somebody_reads_it_is_still_owed_and_says_so(opened: SqlDatabase, path: Path) -> None:
    assert await opened.wipe()
    with another_reader(path):
        await opened.erase(forgets)
        for _ in range(3):
            assert not await opened.wipe() and is_on_disk(path)
    assert await opened.wipe() and not is_on_disk(path)


async def test_neither_who_writes_nor_the_event_loop_waits_long_for_it(opened: SqlDatabase, path: Path) -> None:
    with another_reader(path):
        await opened.erase(forgets)
        loop = asyncio.get_running_loop()
        began = loop.time()
        wiping = asyncio.create_task(opened.wipe())
        await asyncio.sleep(0)
        await opened.write(lambda store: store.add(Person(discord_id=2, name="bob")))
        assert loop.time() - began < 5, "not the ten seconds for which a write waits for another process"
        assert not await wiping


async def test_while_another_process_writes_it_is_still_owed(opened: SqlDatabase, path: Path) -> None:
    await opened.erase(forgets)
    with closing(sqlite3.connect(path, isolation_level=None)) as beside:
        beside.execute("BEGIN IMMEDIATE")
        assert not await opened.wipe()
        beside.execute("ROLLBACK")
    assert await opened.wipe() and not is_on_disk(path)


async def test_a_new_process_does_what_one_that_died_owed(opened: SqlDatabase, path: Path, tmp_path: Path) -> None:
    await opened.erase(forgets)
    left = tmp_path / "left"
    left.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, left)
    assert is_on_disk(left / path.name)
    with SqlDatabase(f"sqlite:///{left / path.name}") as again:
        assert await again.wipe() and not is_on_disk(left / path.name)
        assert [person.name for person in again.read_sync(lambda reader: reader.find(Person))] == ["anna"]


async def test_whoever_goes_away_in_the_middle_leaves_it_owed(opened: SqlDatabase, path: Path) -> None:
    assert await opened.wipe()
    inside, go = threading.Event(), threading.Event()

    def slowly(store: SqlStore) -> None:
        inside.set()
        assert go.wait(LONG)
        forgets(store)

    erasing = asyncio.create_task(opened.erase(slowly))
    await asyncio.to_thread(inside.wait, LONG)
    erasing.cancel()
    await asyncio.gather(erasing, return_exceptions=True)
    go.set()
    await opened.write(lambda store: None)
    assert is_on_disk(path)
    assert await opened.wipe() and not is_on_disk(path)


def pragma(name: str) -> Callable[[SqlStore], object]:
    return lambda store: store._connection.exec_driver_sql(f"PRAGMA {name}").scalar()


async def test_afterwards_a_write_waits_as_long_as_before(opened: SqlDatabase) -> None:
    before = await opened.write(pragma("busy_timeout"))
    await opened.wipe()
    assert await opened.write(pragma("busy_timeout")) == before == 10_000


async def test_elsewhere_there_is_nothing_to_do(database: SqlDatabase) -> None:
    await database.erase(lambda store: None)
    assert await database.wipe()

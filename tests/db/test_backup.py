"""Copies while the bot runs, and the way back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from db.backup import backup, restore
from db.lock import ProcessLock
from db.migrations import upgrade
from db.types import NaiveDatetime
from db.unit_of_work import SqlStore
from db.worker import SqlDatabase
from engine.errors import BadInput, Conflict, NotFound
from engine.model import Person
from tests.db.world import NOW


@pytest.fixture
def path(sqlite_template: Path, tmp_path: Path) -> Path:
    made = tmp_path / "data" / "acwc.db"
    made.parent.mkdir()
    made.write_bytes(sqlite_template.read_bytes())
    return made


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def add(path: Path, name: str) -> None:
    with SqlDatabase(url(path)) as database:
        database.write_sync(lambda store: store.add(Person(discord_id=None, name=name)))


def names(path: Path) -> list[str]:
    with SqlDatabase(url(path)) as database:
        return [person.name for person in database.read_sync(lambda reader: reader.find(Person))]


def test_a_copy_holds_what_is_committed_and_can_be_made_while_a_write_runs(path: Path, tmp_path: Path) -> None:
    add(path, "kept")

    def work(store: SqlStore) -> Path:
        store.add(Person(discord_id=None, name="not yet"))
        return backup(url(path), tmp_path / "copies", NOW)

    with SqlDatabase(url(path)) as database:
        copy = database.write_sync(work)
    assert copy == tmp_path / "copies" / "acwc-20230321T120000Z.db"
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]
    assert names(copy) == ["kept"]
    assert names(path) == ["kept", "not yet"]


def test_a_copy_is_never_overwritten(path: Path, tmp_path: Path) -> None:
    backup(url(path), tmp_path, NOW)
    with pytest.raises(Conflict, match="backup_exists"):
        backup(url(path), tmp_path, NOW)
    assert backup(url(path), tmp_path, NOW + timedelta(seconds=1)).exists()
    with pytest.raises(NaiveDatetime):
        backup(url(path), tmp_path, NOW.replace(tzinfo=None))


def test_what_is_not_there_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="database"):
        backup(url(tmp_path / "none.db"), tmp_path, NOW)
    assert list(tmp_path.iterdir()) == []


def test_restoring_goes_back_to_the_copy_and_keeps_what_was_there(path: Path, tmp_path: Path) -> None:
    add(path, "old")
    copy = backup(url(path), tmp_path, NOW)
    add(path, "new")
    restore(url(path), copy)
    assert names(path) == ["old"]
    assert names(path.with_name("acwc.db.replaced")) == ["old", "new"]
    assert upgrade(url(path), tmp_path, NOW) is None
    assert copy.exists()


def test_a_log_that_a_crash_left_behind_goes_aside_with_its_database(path: Path, tmp_path: Path) -> None:
    """After a crash the last commits are only in the -wal file; played into the restored file it would ruin it."""
    add(path, "old")
    copy = backup(url(path), tmp_path, NOW)
    database = SqlDatabase(url(path))
    database.write_sync(lambda store: store.add(Person(discord_id=None, name="in the log")))
    log = path.with_name("acwc.db-wal").read_bytes()
    main = path.read_bytes()
    database.close()
    path.write_bytes(main)
    path.with_name("acwc.db-wal").write_bytes(log)
    restore(url(path), copy)
    assert names(path) == ["old"]
    assert names(path.with_name("acwc.db.replaced")) == ["old", "in the log"]


def test_a_ruined_database_can_be_restored(path: Path, tmp_path: Path) -> None:
    add(path, "old")
    copy = backup(url(path), tmp_path, NOW)
    path.write_bytes(b"ruined" * 1000)
    restore(url(path), copy)
    assert names(path) == ["old"]


def test_a_lost_database_can_be_restored(path: Path, tmp_path: Path) -> None:
    add(path, "old")
    copy = backup(url(path), tmp_path, NOW)
    restore(url(tmp_path / "elsewhere" / "acwc.db"), copy)
    assert names(tmp_path / "elsewhere" / "acwc.db") == ["old"]


def test_what_is_no_copy_of_ours_changes_nothing(path: Path, tmp_path: Path) -> None:
    add(path, "kept")
    garbage, foreign, torn = tmp_path / "garbage.db", tmp_path / "foreign.db", tmp_path / "torn.db"
    garbage.write_bytes(b"not a database" * 500)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE other (x)")
    whole = backup(url(path), tmp_path, NOW).read_bytes()
    torn.write_bytes(whole[: len(whole) // 2])
    for bad in (garbage, foreign, torn):
        with pytest.raises(BadInput, match="not_a_backup"):
            restore(url(path), bad)
    with pytest.raises(NotFound, match="backup"):
        restore(url(path), tmp_path / "none.db")
    assert names(path) == ["kept"]
    assert not path.with_name("acwc.db.replaced").exists()


def test_a_running_bot_is_not_restored_under(path: Path, tmp_path: Path) -> None:
    copy = backup(url(path), tmp_path, NOW)
    with ProcessLock(url(path)), pytest.raises(Conflict, match="second_process"):
        restore(url(path), copy)
    assert not path.with_name("acwc.db.replaced").exists()


def test_postgresql_is_told_to_use_its_own_tools(tmp_path: Path) -> None:
    for call in (
        lambda: backup("postgresql://host/cup", tmp_path, NOW),
        lambda: restore("postgresql://host/cup", tmp_path / "copy.db"),
    ):
        with pytest.raises(BadInput, match="pg_dump"):
            call()

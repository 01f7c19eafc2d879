"""The schema that migrations make, and what happens to a database on the way there."""

from __future__ import annotations

import logging
import runpy
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect, text

from db.migrations import config, pending, upgrade
from db.tables import metadata
from db.worker import SqlDatabase
from engine.errors import Conflict
from tests.db.world import NOW, build


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = create_engine(url)
    yield made
    made.dispose()


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def old_database(path: Path, *statements: str) -> str:
    """A database with tables that no migration of ours has touched yet."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE keepsake (word TEXT)")
        connection.execute("INSERT INTO keepsake VALUES ('precious')")
        for statement in statements:
            connection.execute(statement)
    return f"sqlite:///{path}"


def test_migrations_and_tables_say_the_same(engine: Engine) -> None:
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_indexes_are_the_same_down_to_their_conditions(sqlite_template: Path, tmp_path: Path) -> None:
    """`compare_metadata` does not look at the WHERE of a partial index."""
    fresh = create_engine(f"sqlite:///{tmp_path / 'fresh.db'}")
    metadata.create_all(fresh)
    found = []
    for path in (sqlite_template, tmp_path / "fresh.db"):
        with closing(sqlite3.connect(path)) as connection:
            found.append(set(connection.execute("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql <> ''")))
    assert found[0] == found[1]
    assert sum("WHERE state IN ('pending', 'approved')" in sql for (sql,) in found[0]) == 2


def test_a_new_database_is_made_without_a_copy_and_the_second_time_nothing_happens(
    empty_url: str, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    assert pending(empty_url)
    assert upgrade(empty_url, copies, NOW) is None
    assert not pending(empty_url)
    with SqlDatabase(empty_url) as database:
        database.write_sync(build)
    assert upgrade(empty_url, copies, NOW) is None
    assert not copies.exists()
    with SqlDatabase(empty_url) as database:
        assert len(database.read_sync(lambda reader: reader.facts(1))) == 1


def test_a_database_with_tables_is_copied_before_it_is_migrated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = old_database(tmp_path / "acwc.db", "CREATE TABLE alembic_version (version_num TEXT)")
    with caplog.at_level(logging.INFO, "db.migrations"):
        copy = upgrade(url, tmp_path / "copies", NOW)
    assert copy == tmp_path / "copies" / "acwc-20230321T120000Z.db"
    assert copy is not None and str(copy) in caplog.text
    assert tables(copy) == {"keepsake", "alembic_version"}
    assert "fact" in tables(tmp_path / "acwc.db")
    assert upgrade(url, tmp_path / "copies", NOW) is None


OBSTACLES = {
    "already exists": ["CREATE TABLE round (x)"],
    "would break 1 foreign keys, first in table 'orphan'": [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
        "CREATE TABLE orphan (parent INTEGER REFERENCES parent (id))",
        "INSERT INTO orphan VALUES (5)",
    ],
}


@pytest.mark.parametrize("problem", OBSTACLES)
def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path, problem: str) -> None:
    path = tmp_path / "acwc.db"
    url = old_database(path, "CREATE TABLE alembic_version (version_num TEXT)", *OBSTACLES[problem])
    before = tables(path)
    with pytest.raises(Exception, match=problem):
        upgrade(url, tmp_path / "copies", NOW)
    assert tables(path) == before
    assert len(list((tmp_path / "copies").iterdir())) == 1


def test_a_database_of_a_newer_program_is_refused(url: str, engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Conflict, match="newer_database") as caught:
        upgrade(url, tmp_path, NOW)
    assert caught.value.params["revision"] == "9999"


def test_a_drafted_migration_is_a_program_with_nothing_to_do(url: str, engine: Engine, tmp_path: Path) -> None:
    """The template works, and a draft from the present tables finds no difference."""
    made = config(url)
    scripts = tmp_path / "scripts"
    shutil.copytree(str(made.get_main_option("script_location")), scripts)
    made.set_main_option("script_location", str(scripts))
    before = set(inspect(engine).get_table_names())
    command.revision(made, "what changes", rev_id="0005", autogenerate=True)
    draft = runpy.run_path(str(scripts / "versions" / "0005_what_changes.py"))
    assert (draft["revision"], draft["down_revision"]) == ("0005", "0004")
    draft["upgrade"]()
    assert set(inspect(engine).get_table_names()) == before

"""A migrated database for every test: copied from one that each worker migrates once.

ACWC_TEST_POSTGRES is the URL of a PostgreSQL server on which databases may be created, for example
`postgresql+psycopg://postgres@127.0.0.1:5432/postgres`; with it, every test runs on both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from db.migrations import upgrade
from db.worker import SqlDatabase
from tests.db.world import NOW

POSTGRES = os.environ.get("ACWC_TEST_POSTGRES", "")
DIALECTS = ["sqlite", "postgresql"] if POSTGRES else ["sqlite"]

_numbers = count(1)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "template.db"
    upgrade(f"sqlite:///{path}", path.parent, NOW)
    return path


@pytest.fixture(scope="session")
def worker_name() -> str:
    return f"acwc_test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"


@pytest.fixture(scope="session")
def postgres_template(worker_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"{worker_name}_template"
    url = create_postgres(name)
    upgrade(url, tmp_path_factory.mktemp("unused"), NOW)
    yield name
    drop_postgres(name)


@pytest.fixture(params=DIALECTS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated, empty database."""
    if request.param == "sqlite":
        path = tmp_path / "acwc.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    name = f"{request.getfixturevalue('worker_name')}_{next(_numbers)}"
    yield create_postgres(name, request.getfixturevalue("postgres_template"))
    drop_postgres(name)


@pytest.fixture(params=DIALECTS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path, worker_name: str) -> Iterator[str]:
    """The URL of a database without any table; on SQLite there is no file yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'acwc.db'}"
        return
    name = f"{worker_name}_{next(_numbers)}"
    yield create_postgres(name)
    drop_postgres(name)


@pytest.fixture
def database(url: str) -> Iterator[SqlDatabase]:
    with SqlDatabase(url) as opened:
        yield opened


@pytest.fixture
def raw(url: str, database: SqlDatabase) -> Iterator[Callable[[str], None]]:
    """Runs one SQL statement around all of our code and commits it."""
    engine = create_engine(url)

    def run(statement: str) -> None:
        with engine.begin() as connection:
            connection.execute(text(statement))

    yield run
    engine.dispose()


def create_postgres(name: str, template: str | None = None) -> str:
    drop_postgres(name)
    _administer(f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else ""))
    return make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)


def drop_postgres(name: str) -> None:
    _administer(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _administer(statement: str) -> None:
    engine = create_engine(POSTGRES, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()

"""`acwc-bot export trf`: the Qualification of a stored edition, and that it reads back to the same table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acwc_bot.__main__ import app
from db.worker import SqlDatabase
from engine.championship import Championship
from engine.facts import Exit
from engine.model import Edition, EditionState, Person
from engine.ports import Store
from engine.rules import shipped_text
from tests.engine.ledger_book import START, Book
from tests.world import migrated


def acwc_bot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def played() -> Book:
    """Seven players, a bye, a walkover, a mark that reaches back, a ruled draw."""
    book = Book(7)
    book.finish(book.round((1, 2), (3, 4), (5, 6), bye=7))
    number = book.round((1, 3), (2, 5), (4, 7), bye=6)
    book.leave(5)
    book.leave(3, Exit.DISQUALIFIED, "engine")
    book.finish(number)
    return book


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Championship:
    book = played()
    url = migrated(tmp_path / "acwc.db", tmp_path)
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.chdir(tmp_path)

    def work(store: Store) -> None:
        edition = store.add(
            Edition(
                guild_id=1, key="2023", title="Cup 2023", ruleset=shipped_text("2023"), starts=START.date(),
                state=EditionState.CLOSED, created_at=START,
            )
        )  # fmt: skip
        for entrant in book.entrants:
            person = store.add(Person(discord_id=100 + entrant.id, name=entrant.name))
            store.add(replace(entrant, id=0, edition_id=edition.id, person_id=person.id))
        for fact in book.facts:
            store.append(replace(fact, id=0, edition_id=edition.id))

    with SqlDatabase(url) as database:
        database.write_sync(work)
    return book.event


def test_what_is_exported_reads_back_to_the_same_table(stored: Championship, tmp_path: Path) -> None:
    file = tmp_path / "cup.trf"
    result = acwc_bot("export", "trf", "--out", file)
    assert result.exit_code == 0 and str(file) in result.stdout
    shown = json.loads(acwc_bot("standings", file, "--json").stdout)
    table = stored.qualification()
    assert [(line["number"], line["rank"], line["points"]) for line in shown] == [
        (line.seed, line.rank, line.points / 2) for line in table
    ]
    assert [line["tiebreaks"]["cumulative"] for line in shown] == [line.values["cumulative"] / 2 for line in table]
    assert acwc_bot("export", "trf", "--edition", "2023", "--guild", "1").stdout == file.read_text("utf-8")


def test_what_cannot_be_exported_is_said_in_a_sentence(stored: Championship, tmp_path: Path) -> None:
    assert "no format" in acwc_bot("export", "pgn").stderr
    assert "Known: 2023" in acwc_bot("export", "trf", "--edition", "1999").stderr
    assert acwc_bot("export", "trf", "--out", tmp_path).exit_code == 1


def test_without_a_database_the_export_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    result = acwc_bot("export", "trf")
    assert result.exit_code == 1 and "acwc-bot db upgrade" in result.stderr
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_database_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acwc.db").write_text("garbage " * 1000)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'acwc.db'}")
    for command in (["export", "trf"], ["db", "upgrade"], ["db", "backup"]):
        result = acwc_bot(*command)
        assert result.exit_code == 1 and isinstance(result.exception, SystemExit), command
        assert "Check DATABASE_URL" in result.stderr

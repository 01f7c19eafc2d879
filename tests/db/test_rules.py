"""What the database itself insists on: unique rules, references, and a ledger that only grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError

from db.unit_of_work import SqlStore
from db.worker import SqlDatabase
from engine.errors import Conflict, NotFound
from engine.model import (
    Edition,
    Entrant,
    EntryState,
    Fact,
    GameLine,
    Match,
    Note,
    Person,
    Registration,
    Report,
    Round,
    Server,
    Stage,
)
from tests.db.world import NOW, World, build, edition, entrant, fact, occurrence, post, registration

Values = Callable[[World], tuple[object, object]]

UNIQUE: dict[str, tuple[Values, tuple[str, ...]]] = {
    "server": (lambda w: (Server(guild_id=1), Server(guild_id=1, td_role_id=2)), ("guild_id",)),
    "person": (lambda w: (Person(discord_id=1, name="x"), Person(discord_id=1, name="y")), ("discord_id",)),
    "edition": (lambda w: (edition("2025"), edition("2025")), ("guild_id", "key")),
    "registration by account": (
        lambda w: (
            registration(w.edition.id, w.people[0].id, "dave", EntryState.PENDING),
            registration(w.edition.id, w.people[1].id, "dave", EntryState.APPROVED),
        ),
        ("edition_id", "lichess_id"),
    ),
    "registration by person": (
        lambda w: (
            registration(w.edition.id, w.people[0].id, "dave", EntryState.APPROVED),
            registration(w.edition.id, w.people[0].id, "erin", EntryState.PENDING),
        ),
        ("edition_id", "person_id"),
    ),
    "entrant by person": (
        lambda w: (entrant(w.edition.id, w.people[2], 3), _renamed(w, lichess_id="dave", seed=4)),
        ("edition_id", "person_id"),
    ),
    "entrant by account": (
        lambda w: (w.entrants[0], _renamed(w, lichess_id="alice")),
        ("edition_id", "lichess_id"),
    ),
    "entrant by seed": (lambda w: (w.entrants[0], _renamed(w, seed=1)), ("edition_id", "seed")),
    "round": (lambda w: (w.round, replace(w.round, id=0)), ("edition_id", "stage", "number")),
    "match": (lambda w: (w.match, replace(w.match, id=0)), ("round_id", "board")),
    "report": (lambda w: (_report(w, "aaaaaaaa"), _report(w, "bbbbbbbb")), ("match_id", "entrant_id")),
    "gameline": (lambda w: (_line(w, "{}"), _line(w, "{ }")), ("match_id", "game_id")),
    "post": (lambda w: (post("k"), post("k", target="dm:5")), ("key",)),
    "occurrence": (lambda w: (occurrence(w.edition.id), occurrence(w.edition.id)), ("edition_id", "key")),
}


def _renamed(world: World, **changes: Any) -> Entrant:
    return replace(entrant(world.edition.id, world.people[2], 3), **changes)


def _report(world: World, game: str) -> Report:
    return Report(match_id=world.match.id, entrant_id=world.match.a_id, first_game_id=game, made_at=NOW)


def _line(world: World, line: str) -> GameLine:
    return GameLine(match_id=world.match.id, game_id="abcdefgh", line=line, received_at=NOW)


@pytest.mark.parametrize("rule", UNIQUE)
def test_a_second_of_the_same_is_a_conflict_that_names_the_rule(database: SqlDatabase, rule: str) -> None:
    make, fields = UNIQUE[rule]

    def work(store: SqlStore) -> tuple[Conflict, list[Any], list[Any]]:
        world = build(store)
        first, second = make(world)
        if not first.id:  # type: ignore[attr-defined]
            store.add(first)
        before = store.find(type(second))
        with pytest.raises(Conflict) as caught:
            store.add(second)
        return caught.value, before, store.find(type(second))

    conflict, before, after = database.write_sync(work)
    assert conflict.code == "already_there"
    assert conflict.params == {"what": rule.split()[0], "fields": fields}
    assert before == after, "work may go on after a conflict, in any dialect"


def test_saving_into_a_conflict_leaves_the_value_as_it_was(database: SqlDatabase) -> None:
    world = database.write_sync(build)

    def work(store: SqlStore) -> None:
        with pytest.raises(Conflict, match="already_there"):
            store.save(replace(world.entrants[1], seed=1))
        store.save(replace(world.people[1], name="Robert"))

    database.write_sync(work)
    assert database.read_sync(lambda reader: reader.get(Entrant, world.entrants[1].id)) == world.entrants[1]
    assert database.read_sync(lambda reader: reader.get(Person, world.people[1].id)).name == "Robert"


@pytest.mark.parametrize("over", [EntryState.REJECTED, EntryState.WITHDRAWN])
def test_a_rejected_or_withdrawn_registration_does_not_bar_the_next(database: SqlDatabase, over: EntryState) -> None:
    def work(store: SqlStore) -> list[Registration]:
        world = build(store)
        for state in (over, over, EntryState.PENDING):
            store.add(registration(world.edition.id, world.people[2].id, "carol", state))
        return store.find(Registration, lichess_id="carol")

    assert [entry.state for entry in database.write_sync(work)] == [over, over, EntryState.PENDING]


def test_two_servers_may_run_the_same_edition_and_settle_the_same_moments(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> list[bool]:
        editions = [store.add(edition("2023", guild)) for guild in (1, 2)]
        return [store.settle(occurrence(event.id)) for event in editions]

    assert database.write_sync(work) == [True, True]


def test_several_people_may_be_without_a_discord_id(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> None:
        for name in ("erased", "erased"):
            store.add(Person(discord_id=None, name=name))

    database.write_sync(work)
    assert len(database.read_sync(lambda reader: reader.find(Person, discord_id=None))) == 2


def test_references_must_exist(database: SqlDatabase) -> None:
    with pytest.raises(IntegrityError):
        database.write_sync(lambda store: store.append(fact(edition_id=99)))
    with pytest.raises(IntegrityError):
        database.write_sync(lambda store: store.add(Note(edition_id=99, author_id=None, text="", made_at=NOW)))

    def agree_on_nothing(store: SqlStore) -> None:
        store.save(replace(build(store).match, agreed_offer_id=99))

    with pytest.raises(IntegrityError):
        database.write_sync(agree_on_nothing)


def test_what_is_not_there_is_named(database: SqlDatabase) -> None:
    with pytest.raises(NotFound, match=r"^match\(id=17\)$"):
        database.read_sync(lambda reader: reader.get(Match, 17))
    with pytest.raises(NotFound, match=r"^person\(id=17\)$"):
        database.write_sync(lambda store: store.save(Person(id=17, discord_id=1, name="nobody")))


def test_a_stored_value_is_not_added_again(database: SqlDatabase) -> None:
    world = database.write_sync(build)
    with pytest.raises(ValueError, match="already stored"):
        database.write_sync(lambda store: store.add(world.people[0]))


# --- the ledger ------------------------------------------------------------------------------------------------


def test_the_ledger_is_read_by_id_and_per_edition(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> tuple[list[Fact], Edition]:
        world, other = build(store), store.add(edition("2024"))
        assert store.last_fact_id(other.id) == 0
        mine = [world.fact, *(store.append(fact(world.edition.id, payload={"round_id": n})) for n in (3, 2))]
        store.append(fact(other.id))
        return mine, other

    mine, other = database.write_sync(work)
    event = mine[0].edition_id
    assert database.read_sync(lambda reader: reader.facts(event)) == mine
    assert database.read_sync(lambda reader: reader.last_fact_id(event)) == mine[-1].id
    assert database.read_sync(lambda reader: reader.last_fact_id(other.id)) == mine[-1].id + 1


@pytest.mark.parametrize("link", ["reverts_id", "replaces_id"])
def test_a_fact_reverts_and_replaces_only_facts_of_its_edition(database: SqlDatabase, link: str) -> None:
    world = database.write_sync(build)
    event, earlier = world.edition.id, world.fact.id
    assert getattr(database.write_sync(lambda s: s.append(fact(event, **{link: earlier}))), link) == earlier

    def elsewhere(store: SqlStore) -> None:
        store.append(fact(store.add(edition("2024")).id, **{link: earlier}))

    with pytest.raises(NotFound, match=rf"^fact\(id={earlier}, edition_id="):
        database.write_sync(elsewhere)
    with pytest.raises(NotFound, match=r"^fact\(id=99, "):
        database.write_sync(lambda store: store.add(fact(event, **{link: 99})))
    assert len(database.read_sync(lambda reader: reader.facts(event))) == 2


def test_facts_and_occurrences_refuse_to_be_saved(database: SqlDatabase) -> None:
    world = database.write_sync(build)
    with pytest.raises(TypeError, match="a stored fact never changes"):
        database.write_sync(lambda store: store.save(world.fact))
    with pytest.raises(TypeError, match="a stored occurrence never changes"):
        database.write_sync(lambda store: store.save(occurrence(world.edition.id)))


@pytest.mark.parametrize(
    "statement",
    ["UPDATE fact SET kind = 'other'", "UPDATE fact SET id = id + 1", "DELETE FROM fact", "TRUNCATE fact CASCADE"],
)
def test_even_raw_sql_cannot_change_the_ledger(
    database: SqlDatabase, raw: Callable[[str], None], url: str, statement: str
) -> None:
    if statement.startswith("TRUNCATE") and url.startswith("sqlite"):
        statement = "REPLACE INTO fact SELECT * FROM fact"  # SQLite has no TRUNCATE, but this other way round a trigger
    world = database.write_sync(build)
    with pytest.raises(DBAPIError, match="facts are never"):
        raw(statement)
    assert database.read_sync(lambda reader: reader.facts(world.edition.id)) == [world.fact]


def test_an_erasure_blanks_names_and_notes_and_leaves_the_ledger(database: SqlDatabase) -> None:
    world = database.write_sync(build)
    told = database.write_sync(lambda store: store.append(fact(world.edition.id, reason_note_id=world.note.id)))

    def erase(store: SqlStore) -> None:
        store.save(replace(world.people[0], discord_id=None, name="erased"))
        store.save(replace(world.note, text=""))

    database.write_sync(erase)
    assert database.read_sync(lambda reader: reader.facts(world.edition.id)) == [world.fact, told]
    assert database.read_sync(lambda reader: reader.get(Note, world.note.id)).text == ""


def test_erased_text_is_gone_from_the_file_too(sqlite_template: Path, tmp_path: Path) -> None:
    path = tmp_path / "acwc.db"
    path.write_bytes(sqlite_template.read_bytes())
    secret = "said in confidence " * 3
    with SqlDatabase(f"sqlite:///{path}") as database:
        note = database.write_sync(lambda store: store.save(replace(build(store).note, text=secret)))
    assert secret.encode() in path.read_bytes()
    with SqlDatabase(f"sqlite:///{path}") as database:
        database.write_sync(lambda store: store.save(replace(note, text="")))
    assert b"confidence" not in path.read_bytes()


def test_rounds_of_different_stages_may_have_the_same_number(database: SqlDatabase) -> None:
    def work(store: SqlStore) -> None:
        store.add(replace(build(store).round, id=0, stage=Stage.FINALS))

    database.write_sync(work)
    assert len(database.read_sync(lambda reader: reader.find(Round, number=1))) == 2

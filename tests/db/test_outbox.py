"""Messages owed to Discord, moments that were due, commands that were seen: each exactly once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from db.unit_of_work import SqlStore
from db.worker import SqlDatabase
from engine.model import Occurrence, Post, PostState
from tests.db.world import GUILD, NOW, build, occurrence, post

LATER = NOW + timedelta(hours=1)


def again(database: SqlDatabase, stored: Post, asked: Post) -> Post:
    """What the row becomes when it was `stored` and `asked` is posted."""

    def work(store: SqlStore) -> Post:
        store.save(replace(stored, id=store.post(post()).id))
        return store.post(asked)

    database.write_sync(work)
    (row,) = database.read_sync(lambda reader: reader.find(Post))
    return row


def test_a_new_key_is_owed_once(database: SqlDatabase) -> None:
    owed = database.write_sync(lambda store: store.post(post()))
    assert (owed.state, owed.wanted, owed.sent) == (PostState.WAITING, 1, 0)
    assert database.read_sync(lambda reader: reader.find(Post)) == [owed]


def test_a_sent_message_is_owed_an_edit(database: SqlDatabase) -> None:
    sent = post(state=PostState.SENT, sent=1, attempts=2, message_id=7, channel_id=8, uncertain_since=NOW)
    row = again(database, sent, post(payload={"match": 17, "score": 3}, kind="result_card", created_at=LATER))
    assert row == replace(
        sent,
        id=row.id,
        kind="result_card",
        payload={"match": 17, "score": 3},
        state=PostState.WAITING,
        wanted=2,
        attempts=0,
    )


def test_the_same_payload_is_one_more_version_too(database: SqlDatabase) -> None:
    assert again(database, post(state=PostState.SENT, sent=1, message_id=7), post()).wanted == 2


@pytest.mark.parametrize("state", [PostState.STUCK, PostState.DROPPED])
def test_what_was_given_up_is_owed_again_and_remembers_that_it_may_be_out(
    database: SqlDatabase, state: PostState
) -> None:
    row = again(database, post(state=state, attempts=9, problem="403", not_before=LATER, uncertain_since=NOW), post())
    assert (row.state, row.wanted, row.attempts, row.problem, row.not_before) == (PostState.WAITING, 2, 0, None, None)
    assert row.uncertain_since == NOW


def test_a_row_in_retry_keeps_its_back_off_and_its_lease(database: SqlDatabase) -> None:
    trying = post(attempts=3, problem="502", not_before=LATER, uncertain_since=NOW)
    row = again(database, trying, post(payload={"match": 18}))
    assert row == replace(trying, id=row.id, payload={"match": 18}, wanted=2)


def test_a_message_that_exists_stays_in_its_channel(database: SqlDatabase) -> None:
    assert again(database, post(), post(target="channel:results")).target == "channel:results"


def test_a_sent_message_is_not_moved(database: SqlDatabase) -> None:
    assert again(database, post(message_id=7, sent=1), post(target="channel:results")).target == "thread:17"


def test_a_key_of_another_server_is_refused(database: SqlDatabase) -> None:
    database.write_sync(lambda store: store.post(post()))
    with pytest.raises(ValueError, match=f"'match:17:card' belongs to server {GUILD}"):
        database.write_sync(lambda store: store.post(post(guild_id=GUILD + 1)))


def test_a_moment_is_settled_once(database: SqlDatabase) -> None:
    event = database.write_sync(build).edition.id
    first = replace(occurrence(event), skipped=True)
    assert database.write_sync(lambda store: store.settle(first)) is True
    assert database.write_sync(lambda store: store.settle(occurrence(event))) is False
    (kept,) = database.read_sync(lambda reader: reader.find(Occurrence))
    assert replace(kept, id=0) == first


def test_a_moment_whose_work_failed_is_still_due(database: SqlDatabase) -> None:
    event = database.write_sync(build).edition.id

    def crash(store: SqlStore) -> None:
        store.settle(occurrence(event))
        raise RuntimeError("crash before the commit")

    with pytest.raises(RuntimeError, match="crash"):
        database.write_sync(crash)
    assert database.write_sync(lambda store: store.settle(occurrence(event))) is True


async def test_settings_are_remembered_and_replaced(database: SqlDatabase) -> None:
    assert await database.setting("command-tree") is None
    await database.set_setting("command-tree", "a1")
    await database.set_setting("other", "x")
    await database.set_setting("command-tree", "b2")
    assert await database.setting("command-tree") == "b2"

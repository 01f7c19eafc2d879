"""The relay and match threads: found before one is opened, tagged, opened again when somebody deletes one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from acwc_bot.gate import Opened, Refused, Unsure
from acwc_bot.relay import Relay
from cogs.render.message import Message, Thread
from engine.model import PostState
from engine.usecases.rounds import REOPENINGS, thread_lost
from tests.runtime.relay_rig import MatchRig, Rig


@pytest.mark.parametrize("forum", [False, True])
async def test_a_thread_whose_opening_had_no_answer_is_found_not_opened_again(rig: Rig, forum: bool) -> None:
    match = MatchRig(rig)
    rig.gate.forum = forum
    rig.gate.answers = [("after", Unsure("cut"))]
    await match.relay.run()
    assert match.card.state is PostState.WAITING  # its thread is not known yet
    rig.clock.moment += timedelta(minutes=1)
    match.change("card, changed", "Time agreed")
    await match.relay.run()
    assert rig.gate.threads == ["R1 · 01 · a – b"]
    assert match.thread_id == 101 and rig.gate.tags == {101: "Time agreed"}
    assert rig.gate.texts(101) == ["card, changed"] and match.card.state is PostState.SENT


async def test_a_forum_thread_opens_with_its_card_which_is_then_edited_never_sent(rig: Rig) -> None:
    match = MatchRig(rig)
    rig.gate.forum = True
    await match.relay.run()
    assert rig.gate.texts(101) == ["card"]
    assert (match.card.state, match.card.sent, match.card.message_id) == (PostState.SENT, 1, 101)
    match.change("finished", "Finished")
    await match.relay.run()
    assert rig.gate.texts(101) == ["finished"] and rig.gate.tags == {101: "Finished"}


async def test_a_card_that_changes_while_its_thread_opens_is_edited_afterwards(rig: Rig) -> None:
    match = MatchRig(rig)
    rig.gate.forum = True
    open_thread = rig.gate.open_thread

    async def slow(channel_id: int, thread: Thread) -> Opened:
        match.change("agreed meanwhile", "Time agreed")
        return await open_thread(channel_id, thread)

    rig.gate.open_thread = slow  # type: ignore[method-assign]
    await match.relay.run()
    assert rig.gate.texts(101) == ["agreed meanwhile"] and rig.gate.tags == {101: "Time agreed"}


async def test_a_deleted_thread_is_opened_again_when_its_tag_is_due(rig: Rig) -> None:
    match = MatchRig(rig)
    rig.gate.forum = True
    await match.relay.run()
    rig.gate.broken[101] = Refused("missing_channel")
    del rig.gate.channels[101]
    rig.gate.threads[0] = "(deleted)"
    match.owe("match_thread")
    await match.relay.run()
    rig.clock.moment += timedelta(minutes=1)
    await match.relay.run()
    assert match.thread_id == 102 and rig.gate.texts(102) == ["card"]


async def test_a_thread_that_is_deleted_after_many_tries_without_an_answer_is_opened_again(rig: Rig) -> None:
    match = MatchRig(rig)
    rig.gate.forum = True
    await match.relay.run()
    rig.gate.broken[101] = Unsure("503")
    match.owe("match_thread")
    for _ in range(5):
        await match.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    rig.gate.broken[101] = Refused("missing_channel")
    del rig.gate.channels[101]
    rig.gate.threads[0] = "(deleted)"
    for _ in range(2):
        await match.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    assert match.thread_id == 102 and rig.gate.texts(102) == ["card"]


async def test_a_thread_that_is_deleted_again_and_again_is_left_to_the_tds(rig: Rig) -> None:
    match = MatchRig(rig)
    for n in range(REOPENINGS + 1):
        rig.gate.broken[101 + n] = Refused("missing_channel")
    for _ in range(12):
        await match.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    assert len(rig.gate.threads) == REOPENINGS + 1
    assert len(rig.gate.texts(7)) == 1


async def test_a_thread_that_was_replaced_meanwhile_is_not_replaced_again(rig: Rig) -> None:
    """The gateway tells of the deletion while a post to the old thread is on its way."""
    match = MatchRig(rig)
    await match.relay.run()
    match.owe("match_card")
    edit = rig.gate.edit

    async def deleted(channel_id: int, message_id: int, message: Message) -> None:
        rig.gate.edit = edit  # type: ignore[method-assign]
        rig.gate.threads[0] = "(deleted)"
        rig.db.write_sync(lambda store: thread_lost(store, match.match.id, 101, rig.clock.now()))
        await Relay(rig.db, rig.gate, rig.clock, match.render).run()
        raise Refused("missing_channel")

    rig.gate.edit = deleted  # type: ignore[method-assign]
    rig.gate.broken[101] = Refused("missing_channel")
    for _ in range(3):
        await match.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    assert rig.gate.threads == ["(deleted)", "R1 · 01 · a – b"]
    assert match.thread_id == 102 and rig.gate.texts(102) == ["card"]

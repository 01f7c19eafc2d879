"""The relay against a ten-line Discord that remembers what arrived: nothing lost, nothing twice, order kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from acwc_bot.gate import Later, Refused, Unsure
from acwc_bot.outbox import PATIENCE
from acwc_bot.relay import OUTAGE, Relay
from cogs.render.message import Message
from engine.model import Post, PostState
from engine.ports import Reader
from tests.runtime.relay_rig import NOW, Rig


async def test_posts_arrive_once_and_in_order(rig: Rig) -> None:
    for n in range(5):
        rig.owe(f"p{n}")
    assert await rig.relay.run() == 5
    assert await rig.relay.run() == 0
    assert rig.gate.texts(5) == ["p0", "p1", "p2", "p3", "p4"]
    assert rig.gate.searches == 0
    assert rig.row("p0").state is PostState.SENT


async def test_the_same_key_again_edits_the_message(rig: Rig) -> None:
    rig.owe("p", text="first")
    await rig.relay.run()
    rig.owe("p", text="second")
    await rig.relay.run()
    assert rig.gate.texts(5) == ["second"]


async def test_a_deleted_message_is_sent_again(rig: Rig) -> None:
    rig.owe("p", text="first")
    await rig.relay.run()
    rig.gate.channels[5].clear()
    rig.owe("p", text="second")
    await rig.relay.run()
    assert rig.gate.texts(5) == ["second"]


async def test_an_answer_lost_after_the_effect_is_found_not_repeated(rig: Rig) -> None:
    rig.owe("p")
    rig.owe("q")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    assert rig.gate.texts(5) == ["p"]  # q waits behind it
    rig.clock.moment += timedelta(minutes=1)
    await rig.start().run()
    assert rig.gate.texts(5) == ["p", "q"]
    assert rig.gate.searches == 1


async def test_an_answer_lost_before_the_effect_is_sent_again(rig: Rig) -> None:
    rig.owe("p")
    rig.gate.answers = [("before", Unsure("502"))]
    await rig.relay.run()
    assert rig.gate.texts(5) == []
    await rig.relay.run()  # its pause is not over
    assert rig.gate.texts(5) == []
    await rig.later(minutes=1)
    assert rig.gate.texts(5) == ["p"]


async def test_a_process_killed_between_sending_and_recording_repeats_nothing(rig: Rig) -> None:
    class Killed(BaseException):
        pass

    rig.owe("p")
    rig.gate.answers = [("after", Killed())]  # type: ignore[list-item]
    with pytest.raises(Killed):
        await rig.relay.run()
    assert rig.row("p").uncertain_since == NOW
    await rig.start().run()
    assert rig.gate.texts(5) == ["p"]
    assert rig.row("p").state is PostState.SENT


async def test_two_equal_texts_are_two_messages_even_after_a_lost_answer(rig: Rig) -> None:
    rig.owe("p", text="same")
    await rig.relay.run()
    rig.owe("q", text="same")
    rig.gate.answers = [("before", Unsure("502"))]
    await rig.relay.run()
    await rig.later(minutes=1)
    assert rig.gate.texts(5) == ["same", "same"]


async def test_one_bad_channel_does_not_hold_up_the_others_and_is_told_once(rig: Rig) -> None:
    rig.gate.broken[5] = Refused("missing_channel")
    for n in range(3):
        rig.owe(f"p{n}")
    rig.owe("r", target="channel:results")
    await rig.relay.run()
    assert rig.gate.texts(6) == ["r"]
    assert len(rig.gate.texts(7)) == 1
    assert [rig.row(f"p{n}").state for n in range(3)] == [PostState.STUCK, PostState.WAITING, PostState.WAITING]


async def test_a_repaired_place_gets_everything_in_order_within_the_hour_and_the_notice_says_so(rig: Rig) -> None:
    rig.gate.broken[5] = Refused("missing_permission")
    for n in range(3):
        rig.owe(f"p{n}")
    await rig.relay.run()
    rig.owe("p0", text="p0, changed")  # a new version of the stuck row is no reason to tell the TDs again
    await rig.relay.run()
    await rig.later(minutes=61)
    assert len(rig.gate.texts(7)) == 1
    del rig.gate.broken[5]
    await rig.relay.run()
    assert rig.gate.texts(5) == []  # its hour is not over
    rig.owe("p3")
    await rig.later(minutes=61)
    assert rig.gate.texts(5) == ["p0, changed", "p1", "p2", "p3"]
    assert [post.payload["healed"] for post in rig.db.read_sync(lambda r: r.find(Post, kind="stuck"))] == [True]
    rig.gate.broken[5] = Refused("missing_permission")
    rig.owe("p4")
    await rig.relay.run()
    assert len(rig.gate.texts(7)) == 2  # a new trouble is told anew


async def test_a_restart_tries_what_is_stuck(rig: Rig) -> None:
    rig.gate.broken[5] = Refused("missing_permission")
    rig.owe("p")
    await rig.relay.run()
    del rig.gate.broken[5]
    await rig.start().run()
    assert rig.gate.texts(5) == ["p"]


async def test_a_post_that_discord_refuses_lets_the_others_pass(rig: Rig) -> None:
    rig.owe("bad")
    rig.owe("good")
    rig.gate.answers = [("before", Refused("refused"))]
    await rig.relay.run()
    assert rig.gate.texts(5) == ["good"]
    assert rig.row("bad").state is PostState.STUCK


async def test_a_rate_limit_holds_one_lane_for_its_time_and_is_no_failed_try(rig: Rig) -> None:
    rig.owe("p")
    rig.owe("r", target="channel:results")
    rig.gate.answers = [("before", Later(timedelta(minutes=3)))]
    await rig.relay.run()
    assert rig.gate.texts(5) == [] and rig.gate.texts(6) == ["r"]
    assert (rig.row("p").attempts, rig.row("p").uncertain_since) == (0, None)
    await rig.later(minutes=2)
    assert rig.gate.texts(5) == []
    await rig.later(minutes=2)
    assert rig.gate.texts(5) == ["p"] and rig.gate.searches == 0


async def test_in_an_outage_few_are_asked_and_all_arrive_at_once_when_it_is_over(rig: Rig) -> None:
    places = range(20, 30)
    rig.name_channels({f"c{n}": n for n in places})
    for n in places:
        rig.gate.broken[n] = Unsure("503")
        rig.owe(f"p{n}", target=f"channel:c{n}")
    await rig.relay.run()
    assert sum(rig.row(f"p{n}").attempts for n in places) == OUTAGE
    for _ in range(30):
        await rig.later(minutes=2)
    rig.gate.broken.clear()
    await rig.later(minutes=10)
    assert all(rig.gate.texts(n) == [f"p{n}"] for n in places)
    assert not rig.gate.texts(7)


async def test_the_gateway_is_back_and_nobody_waits_for_the_end_of_a_pause(rig: Rig) -> None:
    rig.gate.broken[5] = Unsure("503")
    rig.owe("p")
    for _ in range(8):
        await rig.relay.run()
        await rig.later(minutes=11)
    rig.gate.broken.clear()
    await rig.relay.run()
    assert rig.gate.texts(5) == []
    await rig.relay.discord_is_back()
    await rig.relay.run()
    assert rig.gate.texts(5) == ["p"]


async def test_no_answer_for_hours_while_others_arrive_is_stuck(rig: Rig) -> None:
    rig.gate.broken[5] = Unsure("timeout")
    rig.owe("p")
    for n in range(PATIENCE):
        rig.owe(f"other{n}", target="channel:results")
        await rig.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    assert rig.row("p").state is PostState.STUCK
    assert len(rig.gate.texts(7)) == 1


async def test_an_outage_is_waited_out_however_long_and_order_is_kept(rig: Rig) -> None:
    for channel in (5, 6, 7):
        rig.gate.broken[channel] = Unsure("502")
    for n in range(3):
        rig.owe(f"p{n}")
    for _ in range(2 * PATIENCE):
        await rig.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    rig.gate.broken.clear()
    await rig.relay.run()
    assert rig.gate.texts(5) == ["p0", "p1", "p2"]
    assert rig.gate.texts(7) == []


async def test_a_message_changed_while_it_is_being_sent_is_edited_afterwards(rig: Rig) -> None:
    rig.owe("p", text="old")
    send = rig.gate.send

    async def slow(channel_id: int, message: Message, nonce: str) -> int:
        rig.owe("p", text="new")
        return await send(channel_id, message, nonce)

    rig.gate.send = slow  # type: ignore[method-assign]
    await rig.relay.run()
    assert rig.gate.texts(5) == ["new"]


async def test_a_text_that_changed_between_a_lost_answer_and_the_retry_is_edited_not_repeated(rig: Rig) -> None:
    rig.owe("p", text="two times offered")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    rig.owe("p", text="one retracted")
    await rig.later(minutes=1)
    assert rig.gate.texts(5) == ["one retracted"]


async def test_two_lost_answers_and_two_texts_end_with_the_newest(rig: Rig) -> None:
    rig.owe("p", text="A")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    rig.owe("p", text="B")
    rig.gate.edits = [Unsure("the edit did not arrive")]
    await rig.later(minutes=1)
    await rig.later(minutes=11)
    assert rig.gate.texts(5) == ["B"]


async def test_a_change_between_rendering_and_marking_is_delivered(rig: Rig) -> None:
    rig.owe("p", text="A")
    changed = False

    def render(_: Reader, post: Post) -> Message:
        nonlocal changed
        text = Message(str(post.payload["text"]))
        if not changed:
            changed = True
            rig.owe("p", text="B")
        return text

    await Relay(rig.db, rig.gate, rig.clock, render).run()
    assert rig.gate.texts(5) == ["B"]


async def test_a_deleted_message_is_not_sent_twice_after_a_lost_answer(rig: Rig) -> None:
    rig.owe("p", text="A")
    await rig.relay.run()
    rig.gate.channels[5].clear()
    rig.owe("p", text="B")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    await rig.later(minutes=11)
    assert rig.gate.texts(5) == ["B"]


async def test_a_refusal_does_not_forget_an_earlier_try_without_an_answer(rig: Rig) -> None:
    rig.owe("p", text="A")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    rig.gate.lost = [Refused("missing_permission")]
    await rig.later(minutes=1)
    stuck = rig.row("p")
    assert stuck.state is PostState.STUCK
    rig.db.write_sync(lambda store: store.save(replace(stuck, state=PostState.WAITING, attempts=0, not_before=None)))
    await rig.relay.run()
    assert rig.gate.texts(5) == ["A"]


async def test_a_post_whose_old_channel_is_closed_to_us_goes_to_the_new_one(rig: Rig) -> None:
    rig.owe("p", text="A")
    await rig.relay.run()
    rig.name_channels({"pairings": 9})
    rig.owe("p", text="B")
    rig.gate.edits = [Refused("missing_permission")]
    await rig.relay.run()
    assert rig.gate.texts(9) == ["B"] and rig.row("p").state is PostState.SENT


async def test_an_unknown_failure_holds_up_one_lane_and_backs_off(rig: Rig) -> None:
    rig.gate.broken[5] = ValueError("a body that is no JSON")
    rig.owe("p")
    rig.owe("r", target="channel:results")
    await rig.relay.run()
    assert rig.gate.texts(6) == ["r"]
    assert rig.row("p").attempts == 1 and rig.row("p").not_before is not None


async def test_a_clock_that_was_set_back_holds_nothing(rig: Rig) -> None:
    post = rig.owe("p")
    rig.db.write_sync(lambda store: store.save(replace(post, not_before=NOW + timedelta(days=1))))
    await rig.relay.run()
    assert rig.gate.texts(5) == ["p"]


async def test_a_message_is_edited_where_it_was_sent_although_setup_moved_the_channel(rig: Rig) -> None:
    rig.owe("p", text="first")
    await rig.relay.run()
    rig.name_channels({"pairings": 8})
    rig.owe("p", text="second")
    rig.owe("q")
    await rig.relay.run()
    assert (rig.gate.texts(5), rig.gate.texts(8)) == (["second"], ["q"])


async def test_what_cannot_be_rendered_is_stuck_and_blocks_nobody(rig: Rig) -> None:
    def render(_: Reader, post: Post) -> Message:
        if post.key == "bad":
            raise KeyError("nothing like it")
        return Message(post.key)

    rig.owe("bad")
    rig.owe("good")
    await Relay(rig.db, rig.gate, rig.clock, render).run()
    assert rig.gate.texts(5) == ["good"]
    assert rig.row("bad").state is PostState.STUCK


async def test_before_setup_everything_waits(rig: Rig) -> None:
    rig.owe("p", target="channel:announcements")
    await rig.relay.run()
    assert rig.row("p").state is PostState.WAITING and rig.row("p").attempts == 0


async def test_one_place_that_gives_no_answer_stops_no_other_and_the_tds_hear_of_it(rig: Rig) -> None:
    """However quiet it is otherwise: three tries at one place are no outage."""
    rig.gate.broken[5] = Unsure("500")
    rig.owe("p")
    for _ in range(10):
        await rig.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    rig.owe("r", target="channel:results")
    await rig.relay.run()
    assert rig.gate.texts(6) == ["r"]
    for n in range(PATIENCE):
        await rig.relay.discord_is_back()  # the gateway reconnects now and then; that is no excuse for the place
        rig.owe(f"r{n}", target="channel:results")
        await rig.relay.run()
        rig.clock.moment += timedelta(minutes=11)
    assert rig.row("p").state is PostState.STUCK and len(rig.gate.texts(7)) == 1


async def test_an_outage_ends_although_the_oldest_row_is_held_for_other_reasons(rig: Rig) -> None:
    rig.gate.broken[5] = Refused("missing_permission")
    rig.owe("closed")
    await rig.relay.run()
    rig.name_channels({f"c{n}": n for n in (20, 21, 22)})
    for n in (20, 21, 22):
        rig.gate.broken[n] = Unsure("503")
        rig.owe(f"p{n}", target=f"channel:c{n}")
    await rig.relay.run()
    for n in (20, 21, 22):
        del rig.gate.broken[n]
    rig.clock.moment += timedelta(minutes=1)
    rig.owe("r", target="channel:results")
    await rig.relay.run()
    await rig.relay.run()
    assert rig.gate.texts(6) == ["r"] and all(rig.gate.texts(n) == [f"p{n}"] for n in (20, 21, 22))


async def test_what_has_nothing_to_say_any_more_is_dropped(rig: Rig) -> None:
    def render(_: Reader, post: Post) -> Message | None:
        return None if post.key == "late" else Message(post.key)

    rig.owe("late")
    rig.owe("good")
    await Relay(rig.db, rig.gate, rig.clock, render).run()
    assert rig.gate.texts(5) == ["good"] and rig.row("late").state is PostState.DROPPED

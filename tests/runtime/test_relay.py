"""The relay against a ten-line Discord that remembers what arrived: nothing lost, nothing twice, order kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acwc_bot.gate import Refused, Unsure, digest
from acwc_bot.relay import PATIENCE, Relay
from cogs.render.message import Message, Thread
from db.worker import SqlDatabase
from engine.model import Match, Post, PostState, Server
from engine.ports import Reader
from tests.db.world import build
from tests.world import migrated

GUILD = 1
NOW = datetime(2026, 3, 24, 12, tzinfo=UTC)


class Clock:
    moment = NOW

    def now(self) -> datetime:
        return self.moment


class FakeGate:
    """Channels are lists of texts; `answers` are failures to give next: ("before" or "after" the effect, error)."""

    def __init__(self) -> None:
        self.channels: dict[int, list[tuple[int, str]]] = {}
        self.answers: list[tuple[str, Exception]] = []
        self.broken: dict[int, Exception] = {}
        self.threads: list[str] = []
        self.edits: list[Exception] = []
        self.lost: list[Exception] = []
        self.searches = 0

    def texts(self, channel: int) -> list[str]:
        return [text for _, text in self.channels.get(channel, [])]

    async def send(self, channel_id: int, message: Message, nonce: str) -> int:
        when, error = self.answers.pop(0) if self.answers else ("never", Exception())
        if channel_id in self.broken:
            raise self.broken[channel_id]
        if when == "before":
            raise error
        place = self.channels.setdefault(channel_id, [])
        place.append((100 * channel_id + len(place), message.text))
        if when == "after":
            raise error
        return place[-1][0]

    async def edit(self, channel_id: int, message_id: int, message: Message) -> None:
        if self.edits:
            raise self.edits.pop(0)
        place = self.channels[channel_id]
        if message_id not in dict(place):
            raise Refused("missing_message")
        place[[id for id, _ in place].index(message_id)] = (message_id, message.text)

    async def find_message(
        self, channel_id: int, tried: Collection[str], since: datetime, known: Collection[int]
    ) -> int | None:
        self.searches += 1
        if self.lost:
            raise self.lost.pop(0)
        place = self.channels.get(channel_id, [])
        found = [id for id, text in place if digest(Message(text)) in tried and id not in known]
        return found[0] if found else None

    async def open_thread(self, channel_id: int, name: str) -> int:
        self.threads.append(name)
        if self.answers:
            raise self.answers.pop(0)[1]
        return 100 + len(self.threads)

    async def find_thread(self, channel_id: int, name: str) -> int | None:
        return 101 + self.threads.index(name) if name in self.threads else None

    async def dm_channel(self, discord_id: int) -> int:
        return discord_id


class Rig:
    def __init__(self, folder: Path) -> None:
        self.db = SqlDatabase(migrated(folder / "acwc.db", folder))
        self.clock = Clock()
        self.gate = FakeGate()
        self.relay = self.start()
        channels = {"pairings": 5, "results": 6, "td": 7}
        self.db.write_sync(lambda store: store.add(Server(guild_id=GUILD, td_role_id=2, channels=channels)))

    def start(self) -> Relay:
        def render(_: Reader, post: Post) -> Message:
            return Message(f"{post.payload.get('text', post.kind)}")

        self.relay = Relay(self.db, self.gate, self.clock, render)
        return self.relay

    def owe(self, key: str, target: str = "channel:pairings", text: str | None = None) -> Post:
        post = Post(
            guild_id=GUILD, key=key, kind="k", target=target, payload={"text": text or key}, created_at=self.clock.now()
        )
        return self.db.write_sync(lambda store: store.post(post))

    def row(self, key: str) -> Post:
        found = self.db.read_sync(lambda reader: reader.one(Post, key=key))
        assert found is not None
        return found


@pytest.fixture
def rig(tmp_path: Path):
    made = Rig(tmp_path)
    yield made
    made.db.close()


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
    rig.clock.moment += timedelta(minutes=1)
    await rig.relay.run()
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
    rig.clock.moment += timedelta(minutes=1)
    await rig.relay.run()
    assert rig.gate.texts(5) == ["same", "same"]


async def test_one_bad_channel_does_not_hold_up_the_others_and_is_told_once(rig: Rig) -> None:
    rig.gate.broken[5] = Refused("missing_channel")
    for n in range(3):
        rig.owe(f"p{n}")
    rig.owe("r", target="channel:results")
    await rig.relay.run()
    assert rig.gate.texts(6) == ["r"]
    assert len(rig.gate.texts(7)) == 1
    assert [rig.row(f"p{n}").state for n in range(3)] == [PostState.STUCK] * 3


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
    rig.clock.moment += timedelta(minutes=1)
    await rig.relay.run()
    assert rig.gate.texts(5) == ["one retracted"]


async def test_two_lost_answers_and_two_texts_end_with_the_newest(rig: Rig) -> None:
    rig.owe("p", text="A")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    rig.owe("p", text="B")
    rig.gate.edits = [Unsure("the edit did not arrive")]
    rig.clock.moment += timedelta(minutes=1)
    await rig.relay.run()
    rig.clock.moment += timedelta(minutes=11)
    await rig.relay.run()
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
    rig.clock.moment += timedelta(minutes=11)
    await rig.relay.run()
    assert rig.gate.texts(5) == ["B"]


async def test_a_refusal_does_not_forget_an_earlier_try_without_an_answer(rig: Rig) -> None:
    rig.owe("p", text="A")
    rig.gate.answers = [("after", Unsure("cut"))]
    await rig.relay.run()
    rig.gate.lost = [Refused("missing_permission")]
    rig.clock.moment += timedelta(minutes=1)
    await rig.relay.run()
    stuck = rig.row("p")
    assert stuck.state is PostState.STUCK
    rig.db.write_sync(lambda store: store.save(replace(stuck, state=PostState.WAITING, attempts=0, not_before=None)))
    await rig.relay.run()
    assert rig.gate.texts(5) == ["A"]


async def test_a_post_whose_old_channel_is_closed_to_us_goes_to_the_new_one(rig: Rig) -> None:
    rig.owe("p", text="A")
    await rig.relay.run()
    server = rig.db.read_sync(lambda reader: reader.find(Server)[0])
    rig.db.write_sync(lambda store: store.save(replace(server, channels={**server.channels, "pairings": 9})))
    rig.owe("p", text="B")
    rig.gate.edits = [Refused("missing_permission")]
    await rig.relay.run()
    assert rig.gate.texts(9) == ["B"] and rig.row("p").state is PostState.SENT


async def test_a_thread_whose_opening_had_no_answer_is_found_not_opened_again(rig: Rig) -> None:
    match = rig.db.write_sync(build).match
    server = rig.db.read_sync(lambda reader: reader.one(Server, guild_id=GUILD))
    assert server is not None
    rig.db.write_sync(lambda store: store.save(replace(server, channels={**server.channels, "matches": 4})))

    def render(_: Reader, post: Post) -> Message | Thread:
        return Thread("R1 · 01 · a – b") if post.kind == "match_thread" else Message(post.key)

    for key, kind, target in (("t", "match_thread", "channel:matches"), ("card", "k", f"thread:{match.id}")):
        payload = {"match_id": match.id}
        post = Post(guild_id=GUILD, key=key, kind=kind, target=target, payload=payload, created_at=NOW)
        rig.db.write_sync(lambda store, post=post: store.post(post))
    relay = Relay(rig.db, rig.gate, rig.clock, render)
    rig.gate.answers = [("after", Unsure("cut"))]
    await relay.run()
    assert rig.row("card").state is PostState.WAITING  # its thread is not known yet
    rig.clock.moment += timedelta(minutes=1)
    await relay.run()
    assert rig.gate.threads == ["R1 · 01 · a – b"]
    assert rig.db.read_sync(lambda reader: reader.get(Match, match.id)).thread_id == 101
    assert rig.gate.texts(101) == ["card"]


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
    server = rig.db.read_sync(lambda reader: reader.find(Server)[0])
    moved = replace(server, channels={**server.channels, "pairings": 8})
    rig.db.write_sync(lambda store: store.save(moved))
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

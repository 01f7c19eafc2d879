"""The relay and the real discord.py against a Discord on the loopback: rate limits, lost answers, an hour away.

Time is moved for all at once: our clock, Discord's, and the event loop's, by which discord.py waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from acwc_bot.relay import Relay
from acwc_bot.wiring import Parts, make_lichess, wire
from cogs.directors.channels import ensure_tags
from cogs.render.message import Message, Thread
from db.unit_of_work import SqlStore
from db.worker import SqlDatabase
from engine.model import Match, Post, PostState, Server
from engine.ports import Reader
from engine.usecases.posts import Outbox, card_key
from tests.db.world import build
from tests.standin import Fault, Guild, ManualClock, Rate, Standin
from tests.world import migrated

NOW = datetime(2026, 3, 24, 12, tzinfo=ManualClock().at.tzinfo)
FEW, MANY = 8, 64
LOOK, QUIET = 0.05, 10
"""Real seconds without a request, a few times over, after which nothing goes on before the time is moved."""


@dataclass
class Rig:
    """`matches` matches of one round whose threads and cards are owed, in a forum or a text channel."""

    standin: Standin
    guild: Guild
    clock: ManualClock
    parts: Parts
    relay: Relay
    matches: list[Match]
    moved: float = 0.0
    runs: list[asyncio.Task[int]] = field(default_factory=list)

    def move(self, **delta: float) -> None:
        self.clock.move(**delta)
        self.moved += timedelta(**delta).total_seconds()

    async def wait(self, *, minutes: int) -> None:
        """As the scheduler does it: a look each minute, while an earlier one may still wait for Discord."""
        for _ in range(minutes):
            self.move(minutes=1)
            await self.begin()

    async def begin(self) -> None:
        """Begins a run; returns when it is over, or all that goes on waits for the time to move."""
        self.runs.append(asyncio.create_task(self.relay.run()))
        quiet = 0
        while quiet < QUIET and not all(run.done() for run in self.runs):
            before = len(self.standin.asked)
            await asyncio.wait(self.runs, timeout=LOOK)
            quiet = quiet + 1 if len(self.standin.asked) == before else 0

    def owe(self, text: str, target: str = "channel:results") -> None:
        post = Post(
            guild_id=self.guild.id, key=text, kind="k", target=target, payload={}, created_at=self.clock.now()
        )  # fmt: skip
        self.parts.db.write_sync(lambda store: store.post(post))

    def texts(self, channel: str) -> list[str]:
        return [arrival.content for arrival in self.standin.arrived(self.guild.channels[channel].id)]

    @property
    def threads(self) -> list[str]:
        return [thread.name for thread in self.guild.channels["wc-matches"].threads]

    def assert_each_thread_once_in_order(self) -> None:
        assert all(run.done() for run in self.runs)
        assert self.threads == [thread_name(match) for match in self.matches]
        cards = [a for a in self.standin.arrived() if a.content.startswith("card")]
        assert sorted(a.content for a in cards) == sorted(f"card {match.id}" for match in self.matches)
        assert not self.parts.db.read_sync(lambda r: r.find(Post, state=(PostState.WAITING, PostState.STUCK)))


def thread_name(match: Match) -> str:
    return f"R1 · {match.board:02d} · a – b"


def render(reader: Reader, post: Post) -> Message | Thread:
    if post.kind == "match_thread":
        match = reader.get(Match, post.payload["match_id"])
        card = reader.one(Post, key=card_key(match.id))
        assert card is not None
        return Thread(thread_name(match), "Finding a time", Message(f"card {match.id}"), card.key, card.wanted)
    return Message(f"card {post.payload['match_id']}" if post.kind == "match_card" else post.key)


def prepared(store: SqlStore, guild: Guild, count: int) -> list[Match]:
    built = build(store)
    store.save(replace(built.edition, guild_id=guild.id))
    channels = {name.removeprefix("wc-"): place.id for name, place in guild.channels.items()}
    store.add(Server(guild_id=guild.id, td_role_id=2, channels=channels))
    outbox = Outbox(store, guild.id, NOW)
    matches = [built.match]
    for board in range(built.match.board + 1, built.match.board + count):
        matches.append(store.add(replace(built.match, id=0, board=board)))
    for match in matches:
        outbox.match_thread(match)
    return matches


@pytest.fixture(params=[("forum", FEW), ("text", FEW)])
async def rig(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    kind, matches = request.param
    clock, loop = ManualClock(NOW), asyncio.get_running_loop()
    async with Standin(clock) as standin:
        standin.point_discord_py_here(monkeypatch)
        guild = standin.create_guild("Antichess", community=kind == "forum")
        for name in ("pairings", "results", "td"):
            guild.create_text_channel(f"wc-{name}")
        if kind == "forum":
            forum = guild.create_forum_channel("wc-matches")
        else:
            guild.create_text_channel("wc-matches")
        with SqlDatabase(migrated(tmp_path / "acwc.db", tmp_path)) as db:
            parts = wire(db, make_lichess("http://127.0.0.1:9"), clock)
            await parts.bot.login("good")
            if kind == "forum":
                await ensure_tags(await parts.bot.fetch_channel(forum.id))  # type: ignore[arg-type]
            relay = Relay(db, parts.runtime.relay._gate, clock, render)
            made = Rig(standin, guild, clock, parts, relay, db.write_sync(lambda s: prepared(s, guild, matches)))
            real = loop.time
            monkeypatch.setattr(loop, "time", lambda: real() + made.moved)
            yield made
            assert not standin.rejected
            await parts.bot.close()


many = pytest.mark.parametrize("rig", [("forum", MANY), ("text", MANY)], indirect=True)


@many
async def test_64_threads_under_rate_limits_hold_up_no_other_channel(rig: Rig) -> None:
    rig.standin.rates.rules = [
        Rate("POST", r"/channels/(\d+)/threads", 10, 60),
        Rate("POST", r"/channels/(\d+)/messages", 5, 5),
    ]
    await rig.begin()
    rig.owe("a result")
    await rig.begin()
    assert len(rig.threads) == 10 and rig.texts("wc-results") == ["a result"]
    await rig.wait(minutes=6)
    rig.assert_each_thread_once_in_order()
    assert not any(a.edits for a in rig.standin.arrived() if a.content.startswith("card"))
    assert not [one for one in rig.standin.asked if one.status == 429]  # limits that are announced are kept


@many
async def test_discord_is_away_for_an_hour_in_the_middle(rig: Rig) -> None:
    rig.standin.rates.rules = [Rate("POST", r"/channels/(\d+)/threads", 20, 60)]
    await rig.begin()
    assert len(rig.threads) == 20
    await rig.standin.down()
    for n in range(5):
        rig.owe(f"result {n}")
    asked = len(rig.standin.asked)
    await rig.wait(minutes=60)
    assert len(rig.threads) == 20 and len(rig.standin.asked) == asked
    rig.standin.up()
    rig.move(minutes=10)
    await rig.begin()
    await rig.begin()
    assert rig.texts("wc-results") == [f"result {n}" for n in range(5)]
    await rig.wait(minutes=5)
    rig.assert_each_thread_once_in_order()
    assert not rig.texts("wc-td")


@pytest.mark.parametrize("fault", [Fault.ERROR_AFTER, Fault.CUT_AFTER, Fault.ERROR_BEFORE, Fault.CUT_BEFORE])
async def test_an_answer_is_lost_again_and_again(rig: Rig, fault: Fault) -> None:
    """Every kind of request that makes something, with and without the effect."""
    for path in (r"/channels/\d+/threads", r"/channels/\d+/messages"):
        rig.standin.fail("POST", path, fault, times=3, status=502)
    for n in range(3):
        rig.owe(f"result {n}")
    await rig.begin()
    await rig.wait(minutes=15)
    rig.assert_each_thread_once_in_order()
    assert rig.texts("wc-results") == [f"result {n}" for n in range(3)]


async def test_an_answer_lost_long_ago_is_found_after_the_window_of_the_nonce(rig: Rig) -> None:
    rig.owe("result")
    lost = rig.standin.fail("POST", r"/channels/\d+/messages", Fault.CUT_AFTER)
    while not lost.hits:
        await rig.begin()
    await rig.standin.down()
    await rig.wait(minutes=90)
    rig.standin.up()
    await rig.wait(minutes=11)
    assert rig.texts("wc-results") == ["result"]
    rig.assert_each_thread_once_in_order()


async def test_a_limit_that_no_header_announces_is_sat_out_in_its_channel_alone(rig: Rig) -> None:
    results = rig.guild.channels["wc-results"].id
    rig.standin.fail("POST", rf"/channels/{results}/messages", Fault.LIMITED, retry_after=400)
    rig.owe("result 0")
    await rig.begin()
    rig.owe("result 1")
    await rig.begin()
    assert len(rig.threads) == FEW and rig.texts("wc-results") == []
    await rig.wait(minutes=7)
    assert rig.texts("wc-results") == ["result 0", "result 1"]
    rig.assert_each_thread_once_in_order()


async def test_an_answer_that_never_comes_is_given_up_and_looked_for(rig: Rig) -> None:
    rig.owe("result")
    results = rig.guild.channels["wc-results"].id
    held = rig.standin.fail("POST", rf"/channels/{results}/messages", Fault.HELD_AFTER)
    await rig.begin()
    assert held.hits == 1 and len(rig.threads) == FEW
    await rig.wait(minutes=8)  # aiohttp's own patience is five
    held.release()
    assert rig.texts("wc-results") == ["result"]
    rig.assert_each_thread_once_in_order()


async def test_a_thread_that_was_archived_is_opened_for_an_edit(rig: Rig) -> None:
    await rig.begin()
    thread = rig.guild.channels["wc-matches"].threads[0]
    rig.guild.archive(thread)
    match = rig.matches[0]
    rig.parts.db.write_sync(lambda store: Outbox(store, rig.guild.id, rig.clock.now()).match_thread(match))
    await rig.begin()
    card = next(a for a in rig.standin.arrived() if a.content == f"card {match.id}")
    assert len(card.edits) == 1
    assert not rig.parts.db.read_sync(lambda r: r.find(Post, state=(PostState.WAITING, PostState.STUCK)))


async def test_a_flood_of_chat_hides_no_message(rig: Rig) -> None:
    results = rig.guild.channels["wc-results"]
    player = rig.guild.add_member("anna")
    for n in range(520):
        player.say(results, f"chat {n}")
    rig.owe("result")
    lost = rig.standin.fail("POST", rf"/channels/{results.id}/messages", Fault.CUT_AFTER)
    await rig.begin()
    assert lost.hits == 1
    await rig.wait(minutes=12)
    assert rig.texts("wc-results") == ["result"]

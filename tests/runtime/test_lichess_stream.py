"""The stream of games through berserk's requestor and real HTTP: what is told, and every way in which it ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from acwc_bot.lichess_payloads import read_news
from acwc_bot.lichess_queue import NoAnswer, RateLimited
from acwc_bot.lichess_stream import PATH, GamesStream
from engine.errors import LichessUnavailable
from engine.listening import GameNews
from tests.support_lichess import MINUTE, NOW, Rig, offline_lichess

FOUR = frozenset({"ant", "bee", "cat", "dog"})
PAIR = frozenset({"ant", "bee"})
BEGINS, ENDS = True, False


@dataclass
class Told:
    """What the stream's own thread has said, read on the loop."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Queue[GameNews] = field(default_factory=asyncio.Queue)
    ended: asyncio.Queue[Exception] = field(default_factory=asyncio.Queue)

    async def next(self) -> tuple[str, bool]:
        news = await self.news.get()
        return news.game_id, news.running


@asynccontextmanager
async def stream(rig: Rig, players: frozenset[str] = FOUR, **options: Any) -> AsyncIterator[tuple[GamesStream, Told]]:
    told, loop = Told(), asyncio.get_running_loop()

    def on_loop(work: Callable[..., Any]) -> Callable[..., None]:
        return lambda *args: loop.call_soon_threadsafe(work, *args) and None

    options = {"timeouts": (2.0, 2.0)} | options
    open = GamesStream(
        rig.lichess.http,
        players,
        opened=on_loop(told.opened.set),
        heard=on_loop(told.news.put_nowait),
        ended=on_loop(told.ended.put_nowait),
        **options,
    )
    try:
        yield open, told
    finally:
        open.close()
        await asyncio.to_thread(open.wait, 5)


def populate(rig: Rig) -> None:
    for name in ("Ant", "Bee", "Cat", "Dog", "Eel"):
        rig.world.add_account(name)


async def test_design_6_a_game_is_told_when_it_begins_and_when_it_ends():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig) as (_, told):
            await told.opened.wait()
            game = rig.world.add_game("Ant", "Bee", created_at=NOW, winner="white")
            assert await told.news.get() == GameNews(game, PAIR, running=True)
            rig.calendar.moment += 10 * MINUTE
            assert await told.news.get() == GameNews(game, PAIR, running=False)
            (asked,) = rig.world.asked
        assert (asked.method, asked.path, asked.body) == ("POST", PATH, "ant,bee,cat,dog")
        assert asked.query == {"withCurrentGames": "true"}
        assert asked.headers["Accept"] == "application/x-ndjson" and "acwc-bot" in asked.headers["User-Agent"]


async def test_design_6_only_games_of_which_both_players_are_listed():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig) as (_, told):
            await told.opened.wait()
            rig.world.add_game("Ant", "Eel", created_at=NOW)
            rig.world.add_game("Ant", None, created_at=NOW)
            game = rig.world.add_game("Cat", "Dog", created_at=NOW)
            assert await told.next() == (game, BEGINS)


async def test_the_games_that_are_being_played_come_first():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.add_game("Ant", "Bee", created_at=NOW - 10 * MINUTE)
        running = rig.world.add_game("Ant", "Bee", created_at=NOW - MINUTE)
        async with stream(rig) as (_, told):
            assert await told.next() == (running, BEGINS)
            rig.calendar.moment += 10 * MINUTE
            assert await told.next() == (running, ENDS)


async def test_requests_are_served_while_the_stream_is_open():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig) as (_, told):
            await told.opened.wait()
            assert await rig.lichess.account("ant") is not None
            assert told.ended.empty()


@pytest.mark.parametrize(("count", "status"), [(300, None), (301, 400)])
async def test_300_players_are_taken_and_one_more_refuses_all(count: int, status: int | None):
    async with offline_lichess() as rig:
        async with stream(rig, frozenset(f"player{n}" for n in range(count))) as (_, told):
            if status is None:
                await told.opened.wait()
                return
            failure = await told.ended.get()
        assert isinstance(failure, LichessUnavailable)
        assert (failure.code, failure.params) == ("lichess_refused", {"status": status})


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [
        ("429", RateLimited, None),
        ("404", LichessUnavailable, "lichess_refused"),
        ("401", LichessUnavailable, "lichess_refused"),
        ("502", NoAnswer, None),
        ("down", NoAnswer, None),
        ("html", LichessUnavailable, "lichess_incomplete"),
    ],
)
async def test_a_stream_that_is_not_given_ends_with_the_reason(fault: str, kind: type[Exception], code: str | None):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next(fault, on=PATH)
        async with stream(rig) as (_, told):
            failure = await told.ended.get()
            assert not told.opened.is_set()
        assert isinstance(failure, kind)
        assert code is None or (isinstance(failure, LichessUnavailable) and failure.code == code)


async def test_the_pause_that_lichess_asks_for_is_passed_on():
    async with offline_lichess() as rig:
        rig.world.retry_after = "120"
        rig.world.fail_next("429", on=PATH)
        async with stream(rig) as (_, told):
            failure = await told.ended.get()
        assert isinstance(failure, RateLimited) and failure.seconds == 120


@pytest.mark.parametrize("fault", ["cut", "truncated"])
async def test_half_a_line_is_nobodys_news(fault: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.add_game("Ant", "Bee", created_at=NOW - MINUTE)
        rig.world.fail_next(fault, on=PATH)
        async with stream(rig) as (_, told):
            failure = await told.ended.get()
            assert told.opened.is_set() and told.news.empty()
        assert isinstance(failure, LichessUnavailable) and failure.code == "lichess_incomplete"


async def test_a_stream_that_is_cut_in_the_middle_ends_after_what_it_has_told():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig) as (_, told):
            await told.opened.wait()
            rig.world.add_game("Ant", "Bee", created_at=NOW)
            assert (await told.news.get()).running
            rig.world.cut_streams()
            assert isinstance(await told.ended.get(), LichessUnavailable)


async def test_of_one_player_alone_lichess_ends_at_once():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig, frozenset({"ant"})) as (_, told):
            assert isinstance(await told.ended.get(), NoAnswer)


LINES = [
    "{",
    "[]",
    "null",
    '"text"',
    '{"id":"aaaaaaaa"}',
    '{"id":"aaaaaaaa","status":20,"players":{}}',
    '{"id":7,"statusName":"started","players":{"white":{},"black":{}}}',
    '{"id":"aaaaaaaa","statusName":"started","players":[]}',
    "x" * 100_000,
]


@pytest.mark.parametrize("line", LINES)
async def test_a_line_that_is_no_game_ends_the_stream_and_nothing_is_guessed(line: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.add_game("Ant", "Bee", created_at=NOW - MINUTE, line=line)
        async with stream(rig) as (_, told):
            failure = await told.ended.get()
            assert told.news.empty()
        assert isinstance(failure, LichessUnavailable) and failure.code == "lichess_incomplete"


def test_a_game_against_nobodys_account_is_news_of_no_pair():
    line = '{"id":"aaaaaaaa","status":20,"statusName":"started","players":{"white":{"userId":"ant"},"black":{"ai":3}}}'
    assert read_news(line) == GameNews("aaaaaaaa", frozenset({"ant"}), running=True)


async def test_empty_lines_keep_it_open_and_silence_ends_it():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.keep_alive = 0.05
        async with stream(rig, timeouts=(2.0, 0.3)) as (_, told):
            await told.opened.wait()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(told.ended.get(), 0.8)
            game = rig.world.add_game("Ant", "Bee", created_at=NOW)
            assert await told.next() == (game, BEGINS)
        rig.world.fail_next("nothing", on=PATH)
        async with stream(rig, timeouts=(2.0, 0.3)) as (_, told):
            failure = await told.ended.get()
            assert told.opened.is_set()
        assert isinstance(failure, LichessUnavailable) and failure.code == "lichess_incomplete"


async def test_closing_ends_a_read_in_progress_at_once_and_nothing_more_is_told():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig, timeouts=(2.0, 60.0)) as (open, told):
            await told.opened.wait()
            open.close()
            assert await asyncio.to_thread(open.wait, 2)
            rig.world.add_game("Ant", "Bee", created_at=NOW)
            await asyncio.sleep(0.05)
            assert told.ended.empty() and told.news.empty()
            open.close()  # again, and nothing happens


async def test_closing_before_lichess_has_answered_ends_with_its_answer():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next("held", on=PATH)
        async with stream(rig, timeouts=(2.0, 60.0)) as (open, told):
            while not rig.world.asked:
                await asyncio.sleep(0.001)
            open.close()
            assert not await asyncio.to_thread(open.wait, 0.05)
            rig.world.let_go()
            assert await asyncio.to_thread(open.wait, 2)
            assert not told.opened.is_set() and told.ended.empty()
        assert not [thread for thread in threading.enumerate() if thread.name == "lichess-stream"]


async def test_a_game_that_was_over_before_anybody_looked_is_told_twice():
    async with offline_lichess() as rig:
        populate(rig)
        async with stream(rig) as (_, told):
            await told.opened.wait()
            rig.calendar.moment += timedelta(hours=1)
            game = rig.world.add_game("Ant", "Bee", created_at=NOW, winner="black")
            assert [await told.next(), await told.next()] == [(game, BEGINS), (game, ENDS)]

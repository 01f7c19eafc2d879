"""The stream of Lichess wakes the bot (design section 6): news within seconds, and nothing decided by it.

anna plays carl, bob plays dora. The stream is in the test's hand here, since no thread may run beside simcord;
`tests/runtime/test_stream.py` has the real one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from acwc_bot.lichess_queue import RateLimited
from acwc_bot.listener import Listener
from engine.listening import GameNews
from tests.clauses.stage import agree, games, says
from tests.cogs.test_clause_following import MINUTE, PLAYED, facts, minutes, results, said
from tests.support_lichess import HandMovedTime
from tests.world import World

PAIR = frozenset({"anna", "carl"})
SECONDS = timedelta(seconds=3)


@dataclass
class HandStream:
    """In the place of `GamesStream` and of the queue: what Lichess says is said by the test."""

    world: World
    time: HandMovedTime = field(default_factory=HandMovedTime)
    players: list[frozenset[str]] = field(default_factory=list)
    opened: Callable[[], None] = lambda: None
    heard: Callable[[GameNews], None] = lambda news: None
    ended: Callable[[Exception], None] = lambda failure: None
    pause_left: int = 0
    woken: int = 0
    listener: Listener = field(init=False)

    def __call__(self, players: frozenset[str], **told: Any) -> HandStream:
        self.players.append(players)
        self.opened, self.heard, self.ended = told["opened"], told["heard"], told["ended"]
        return self

    def close(self) -> None: ...

    def wait(self, seconds: float) -> bool:
        return True

    def pause(self, seconds: float) -> None: ...

    def listens(self) -> HandStream:
        """In front of the bot that runs now."""
        following = self.world.parts.app.following
        self.listener = Listener(following, self, self, monotonic=self.time.monotonic)
        self.listener.on_news = self.wake
        return self

    def wake(self) -> None:
        self.woken += 1

    async def opens(self) -> None:
        await self.listener.tend()
        self.opened()
        await self.world.settle()

    async def says(self, game_id: str, *, running: bool, players: frozenset[str] = PAIR) -> None:
        """A line of the stream; the bot does what it is woken for."""
        before = self.woken
        self.heard(GameNews(game_id, players, running))
        await self.world.settle()
        if self.woken > before:
            await self.world.tick()

    async def breaks(self, failure: Exception) -> None:
        self.ended(failure)
        await self.world.settle()


@pytest.fixture
def event(event: World) -> World:
    event.follows = True
    return event


def asked(world: World) -> int:
    return sum(one.path.startswith("/api/games/user") for one in world.lichess.asked)


async def listening(world: World) -> tuple[HandStream, datetime]:
    """anna and carl are at the board, and the stream is open."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - 5 * MINUTE)
    stream = HandStream(world).listens()
    await stream.opens()
    assert stream.players == [PAIR]
    await minutes(world, 1)  # from now on silence means that nothing happens
    return stream, at


async def test_design_6_a_start_and_a_result_are_shown_within_seconds(event: World) -> None:
    stream, at = await listening(event)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + SECONDS)
    await stream.says(ids[0], running=True)
    assert results(event)[0].startswith("🔴 **Live · Round 1: anna 0–0 carl**")
    for id in ids:
        await event.jump_to(event.lichess.laid_out(id).last_move_at + SECONDS)
        await stream.says(id, running=False)
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**") and facts(event, PLAYED)


async def test_design_6_nothing_is_decided_by_what_the_stream_says(event: World) -> None:
    stream, at = await listening(event)
    await event.jump_to(at + SECONDS)
    await stream.says("nowhere1", running=True)
    await stream.says("nowhere1", running=False)
    assert stream.woken == 2 and results(event) == [] and not said(event, "Live")


async def test_news_of_others_and_news_told_twice_ask_lichess_nothing(event: World) -> None:
    stream, at = await listening(event)
    (id,) = event.lichess.play_match("anna", "carl", at, games("1"))
    await event.jump_to(at + SECONDS)
    await stream.says("other001", running=True, players=frozenset({"anna", "dora"}))
    await stream.says("other002", running=True, players=frozenset({"anna"}))
    assert stream.woken == 0
    await stream.says(id, running=True)
    before = asked(event)
    await stream.says(id, running=True)  # as the current games at the beginning of every stream
    assert stream.woken == 1 and asked(event) == before


async def test_while_the_stream_is_silent_lichess_is_asked_every_five_minutes(event: World) -> None:
    stream, _ = await listening(event)
    before = asked(event)
    await minutes(event, 14)
    assert asked(event) - before == 2
    await stream.breaks(RateLimited(60))
    before = asked(event)
    await minutes(event, 4)
    assert asked(event) - before == 4, "without it every minute, as before"


async def test_design_6_a_stream_that_is_refused_leaves_the_result_to_polling(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - 5 * MINUTE)
    stream = HandStream(event).listens()
    await stream.listener.tend()
    await stream.breaks(RateLimited(60))
    event.lichess.play_match("anna", "carl", at, games("111111"))
    while not facts(event, PLAYED):
        await minutes(event, 1)
        await stream.listener.tend()
        assert event.clock.now() < at + 40 * MINUTE
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**") and stream.woken == 0


async def test_a_game_that_the_stream_leaves_out_is_found_in_five_minutes(event: World) -> None:
    _, at = await listening(event)
    event.lichess.play_match("anna", "carl", at, games("1"), lasts=20 * MINUTE)
    await event.move_to(at)
    await minutes(event, 5)
    assert results(event)[0].startswith("🔴")


async def test_what_was_played_while_the_stream_was_cut_is_found_within_the_minute(event: World) -> None:
    stream, at = await listening(event)
    await event.move_to(at)
    await stream.breaks(ConnectionError())
    event.lichess.play_match("anna", "carl", at, games("1"))
    await event.jump_to(at + 4 * MINUTE)
    stream.time.seconds += 60
    await stream.opens()  # it knows only games that are being played
    await minutes(event, 1)
    assert results(event)[0].startswith("🔴 **Live · Round 1: anna 1–0 carl**")


async def test_an_export_that_is_behind_the_stream_is_read_again_in_a_minute(event: World) -> None:
    stream, at = await listening(event)
    (id,) = event.lichess.play_match("anna", "carl", at + 20 * timedelta(seconds=1), games("1"))
    await event.jump_to(at)
    await stream.says(id, running=True)
    assert results(event) == []
    await minutes(event, 1)
    assert results(event)[0].startswith("🔴")


async def test_news_at_which_lichess_could_not_be_asked_stays_news(event: World) -> None:
    stream, at = await listening(event)
    (id,) = event.lichess.play_match("anna", "carl", at, games("1"))
    await event.jump_to(at + SECONDS)
    event.lichess.fail_next("502", 3, on="/api/games/user")
    await stream.says(id, running=True)
    assert results(event) == []
    await event.tick()
    assert results(event)[0].startswith("🔴")


async def test_design_6_down_in_the_middle_the_export_tells_what_nobody_heard(event: World) -> None:
    stream, at = await listening(event)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + SECONDS)
    await stream.says(ids[0], running=True)
    await event.jump_to(at + timedelta(hours=2))
    await event.restart()
    await event.tick()
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**")


async def test_the_stream_is_about_whoever_is_likely_to_play_now(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await agree(event, "bob", "dora", "Sat 28 19:00")
    stream = HandStream(event).listens()
    await event.move_to(at - 11 * MINUTE)
    await stream.listener.tend()
    assert stream.players == []
    await event.move_to(at - 10 * MINUTE)
    await stream.opens()
    await event.move_to(at + 50 * MINUTE)
    await stream.opens()
    assert stream.players == [PAIR, PAIR | {"bob", "dora"}]
    event.lichess.play_match("anna", "carl", at + 50 * MINUTE, games("111111"))
    await minutes(event, 30)
    assert facts(event, PLAYED)
    await stream.listener.tend()
    assert len(stream.players) == 2, "who has finished does not cost an opening"
    await event.move_to(at + timedelta(hours=4, minutes=1))
    await stream.listener.tend()
    assert await event.parts.app.following.players() == frozenset()
    assert len(stream.players) == 2


async def test_a_report_needs_no_stream_and_ends_the_listening(event: World) -> None:
    stream, at = await listening(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + 40 * MINUTE)
    assert "anna 6–0 carl" in await says(event, "anna", "report")
    await stream.listener.tend()
    assert await event.parts.app.following.players() == frozenset()

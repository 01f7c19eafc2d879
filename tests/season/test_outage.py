"""Discord is down while the Tuesday post goes out (design section 5): nothing lost, nothing twice."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.season.play import FIRST_PAIRINGS, agree, at, boards, card, report, said, undelivered, wait
from tests.world import World, open_prepared

NAMES = ["anna", "boris", "chen", "dora", "emil", "fay", "goran", "hana", "ivo"]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Nine players, round 1 over; one second before round 2 is due."""
    async with open_prepared(tmp_path, round_1_is_over) as opened:
        yield opened


async def round_1_is_over(world: World) -> None:
    await world.set_up()
    await world.start_edition(NAMES, FIRST_PAIRINGS.isoformat())
    await world.move_to(at(3, 22))
    for board in boards(world, 1):
        await agree(world, board, at(3, 28, 18))
        world.lichess.play_match(board.a, board.b, at(3, 28, 18), ["a"] * 6)
    await world.move_to(at(3, 28, 20))
    for board in boards(world, 1):
        assert "Recorded" in await report(world, board, board.a)
    await world.move_to(at(3, 31) - timedelta(seconds=1))


def _down(world: World) -> None:
    for method in ("POST", "PATCH", "GET"):
        world.env.inject_error(method, "/channels/*", status=503, message="Service Unavailable", times=None)
        world.env.inject_error(method, "/guilds/*", status=503, message="Service Unavailable", times=None)


def _up(world: World) -> None:
    world.env.backend.faults.clear()


def _everything_once(world: World) -> None:
    paired = boards(world, 2)
    assert [board.number for board in paired] == [1, 2, 3, 4]
    assert all(len(board.thread.history()) == 1 and card(board) for board in paired)
    assert len(said(world.channel("pairings"), "round 2$")) == 1
    assert not undelivered(world)
    assert not said(world.channel("directors"), "Messages are stuck")


async def test_tuesday_post_waits_for_discord(world: World) -> None:
    _down(world)
    await wait(world, 5)
    assert not boards(world, 2) and not said(world.channel("pairings"), "round 2$")
    _up(world)
    await wait(world, 15)
    _everything_once(world)


async def test_a_tuesday_missed_by_hours_says_so(world: World) -> None:
    """Design section 4: published at the next tick after the bot was down, and it says so."""
    await world.jump_to(at(3, 31, 17))
    await world.restart()
    await world.tick()
    _everything_once(world)
    assert said(world.channel("pairings"), "came out late .due Tue 31 Mar 12:00 UTC.")


async def test_tuesday_post_survives_an_outage_and_a_restart(world: World) -> None:
    _down(world)
    await wait(world, 3)
    await world.restart()
    await wait(world, 3)
    _up(world)
    await wait(world, 15)
    _everything_once(world)


@pytest.mark.parametrize("hours", [2, 9])
async def test_tuesday_post_survives_a_long_outage(world: World, hours: int) -> None:
    """However long Discord is away, what is owed is delivered when it is back, without a human."""
    _down(world)
    await wait(world, 60 * hours, step=5)
    _up(world)
    await wait(world, 30)
    _everything_once(world)


@pytest.mark.parametrize("every", [2, 3])
async def test_answers_that_get_lost_make_nothing_twice(world: World, every: int) -> None:
    """Discord does it and the line is cut, again and again: the message is found before it is sent again."""
    with _lost_answers(world, lambda write: write % every == 0):
        await wait(world, 60)
    _everything_once(world)


@contextmanager
def _lost_answers(world: World, loses: Callable[[int], bool]) -> Iterator[None]:
    http = world.parts.bot.http
    original = http.request
    writes = 0

    async def request(route: Any, **options: Any) -> Any:
        nonlocal writes
        answer = await original(route, **options)
        if route.method == "POST" and re.search(r"/(messages|threads)$", route.url):
            writes += 1
            if loses(writes):
                raise aiohttp.ServerDisconnectedError
        return answer

    http.request = request  # type: ignore[method-assign]
    try:
        yield
    finally:
        http.request = original  # type: ignore[method-assign]


async def test_reminders_that_waited_past_their_sense_are_left_out(world: World) -> None:
    """R5.1: away from Thursday to Tuesday, nobody is pinged for offers that can no longer be made; R5.6 is told."""
    await world.move_to(at(3, 31))
    await world.move_to(at(4, 2, 17))
    _down(world)
    await world.move_to(at(4, 7) - timedelta(minutes=5))
    _up(world)
    await wait(world, 15)
    for board in boards(world, 2):
        assert not said(board.thread, "are due by")
        assert len(said(board.thread, "each of you has forfeited a game")) == 1
    assert not undelivered(world)

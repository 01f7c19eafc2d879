"""What goes wrong between here and Lichess, and what the adapter makes of it: never half an answer, never a hang."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from acwc_bot.lichess import BerserkLichess
from engine.errors import LichessUnavailable
from tests.support_lichess import MINUTE, NOW, Rig, offline_lichess, until_asked, until_sleeping

Call = Callable[[BerserkLichess], Awaitable[Any]]
DAY = timedelta(days=1)
GAME_ID = "Ab3dEf7h"

CALLS: dict[str, Call] = {
    "account": lambda lichess: lichess.account("ant"),
    "accounts": lambda lichess: lichess.accounts(["ant"]),
    "presence": lambda lichess: lichess.presence(["ant"]),
    "games": lambda lichess: lichess.games([GAME_ID]),
    "games_between": lambda lichess: lichess.games_between("ant", "bee", NOW - DAY, NOW + DAY),
    "player_games": lambda lichess: lichess.player_games("ant", since=NOW - DAY, until=NOW + DAY),
    "oldest_games": lambda lichess: lichess.oldest_games("ant", since=NOW - DAY, until=NOW + DAY),
    "rating_history": lambda lichess: lichess.rating_history("ant"),
    "teams_of": lambda lichess: lichess.teams_of("ant"),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def populate(rig: Rig) -> None:
    for name in ("Ant", "Bee"):
        rig.world.add_account(name)
    for minute in range(20):
        rig.world.add_game("ant", "bee", created_at=NOW - DAY / 2 + minute * MINUTE)


async def refused(rig: Rig, call: Call) -> LichessUnavailable:
    with pytest.raises(LichessUnavailable) as caught:
        await call(rig.lichess)
    return caught.value


@every_call
@pytest.mark.parametrize("fault", ["cut", "truncated", "html"])
async def test_q38_a_stream_that_breaks_off_is_incomplete_never_zero_games(call: Call, fault: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next(fault)
        error = await refused(rig, call)
        assert (error.code, error.params) == ("lichess_incomplete", {})
        await call(rig.lichess)  # and the next request is served
        assert len(rig.world.asked) == 2


async def test_a_second_piece_that_breaks_off_spoils_the_first():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.play_match("ant", "bee", NOW - 4 * DAY, ["a"] * 400)
        rig.world.fail_next("cut", after=1)
        error = await refused(rig, lambda lichess: lichess.games_between("ant", "bee", NOW - 9 * DAY, NOW))
        assert error.code == "lichess_incomplete"
        assert len(rig.world.asked) == 2


@every_call
@pytest.mark.parametrize("fault", ["502", "down"])
async def test_q38_two_failures_are_retried_after_a_short_wait(call: Call, fault: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next(fault, 2)
        await call(rig.lichess)
        assert rig.time.slept == [1.0, 3.0]
        assert len(rig.world.asked) == 3


@every_call
@pytest.mark.parametrize("fault", ["502", "down"])
async def test_q38_a_third_failure_is_lichess_down(call: Call, fault: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next(fault, 3)
        error = await refused(rig, call)
        assert (error.code, error.params) == ("lichess_down", {})
        assert len(rig.world.asked) == 3
        await call(rig.lichess)


@every_call
async def test_q38_a_server_that_is_gone_is_lichess_down(call: Call):
    async with offline_lichess() as rig:
        rig.server.stop()
        error = await refused(rig, call)
        assert error.code == "lichess_down"
        assert rig.time.slept == [1.0, 3.0]


async def test_a_server_that_keeps_silent_times_out():
    async with offline_lichess(timeouts=(2.0, 0.2)) as rig:
        populate(rig)
        rig.world.slow_for = 30.0
        rig.world.fail_next("slow", 3)
        error = await refused(rig, CALLS["account"])
        assert error.code == "lichess_down"
        assert len(rig.world.asked) == 3
        assert await rig.lichess.account("ant") is not None


@every_call
async def test_another_refusal_is_passed_on_with_its_status(call: Call):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next("401")
        error = await refused(rig, call)
        assert (error.code, error.params) == ("lichess_refused", {"status": 401})
        assert len(rig.world.asked) == 1


# --- 429 -------------------------------------------------------------------------------------------------------


async def test_a_429_pauses_everything_for_a_minute_and_live_requests_fail_fast():
    async with offline_lichess(auto=False) as rig:
        populate(rig)
        rig.world.fail_next("429")
        error = await refused(rig, CALLS["account"])
        assert (error.code, error.params) == ("lichess_busy", {"retry_in": 60})
        rig.time.advance(20)
        for name in ("account", "presence", "games", "games_between"):
            error = await refused(rig, CALLS[name])
            assert (error.code, error.params) == ("lichess_busy", {"retry_in": 40})
        assert len(rig.world.asked) == 1
        rig.time.advance(40)
        assert await rig.lichess.account("ant") is not None
        assert rig.time.slept == []


async def test_a_live_request_waits_out_the_rest_of_a_pause_within_its_patience():
    async with offline_lichess(auto=False, patience=10) as rig:
        populate(rig)
        rig.world.fail_next("429")
        await refused(rig, CALLS["account"])
        rig.time.advance(51)
        waiting = asyncio.create_task(rig.lichess.account("ant"))
        await asyncio.sleep(0)
        assert rig.time.slept == [9]
        assert len(rig.world.asked) == 1
        rig.time.advance(9)
        assert await waiting is not None


@pytest.mark.parametrize("name", ["player_games", "oldest_games", "rating_history", "teams_of"])
async def test_what_a_check_asks_waits_for_the_end_of_a_pause(name: str):
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next("429")
        await CALLS[name](rig.lichess)
        assert rig.time.slept == [60]
        assert len(rig.world.asked) == 2


async def test_bulk_waits_for_the_end_of_the_pause_and_goes_on_where_it_was():
    async with offline_lichess(auto=False) as rig:
        ids = [rig.world.add_account(f"Player-{n}") for n in range(650)]
        rig.world.fail_next("429", after=1)
        bulk = asyncio.create_task(rig.lichess.accounts(ids))
        await until_asked(rig, 2)
        await until_sleeping(rig.time)
        assert (await refused(rig, CALLS["account"])).code == "lichess_busy"
        assert not bulk.done()
        rig.time.advance(60)
        assert [account.id for account in await bulk] == ids
        assert [len(asked.body.split(",")) for asked in rig.world.asked] == [300, 300, 300, 50]


async def test_bulk_gives_up_after_one_429_too_many():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next("429", 99)
        error = await refused(rig, CALLS["accounts"])
        assert (error.code, error.params) == ("lichess_busy", {"retry_in": 60})
        assert rig.time.slept == [60] * 5
        assert len(rig.world.asked) == 6


@pytest.mark.parametrize(("asked_for", "pause"), [("5", 60), ("120", 120), ("86398", 3600), ("soon", 60)])
async def test_a_longer_retry_after_is_obeyed_within_reason(asked_for: str, pause: int):
    async with offline_lichess() as rig:
        rig.world.retry_after = asked_for
        rig.world.fail_next("429")
        error = await refused(rig, CALLS["account"])
        assert error.params == {"retry_in": pause}


# --- One at a time, live first ---------------------------------------------------------------------------------


async def test_requests_go_one_at_a_time_and_live_ones_before_the_rest_of_a_bulk():
    async with offline_lichess() as rig:
        ids = [rig.world.add_account(f"Player-{n}") for n in range(900)]
        rig.world.fail_next("held")
        bulk = asyncio.create_task(rig.lichess.accounts(ids))
        second = asyncio.create_task(rig.lichess.accounts(ids[:1]))
        await until_asked(rig, 1)
        live = [asyncio.create_task(rig.lichess.account(f"player-{n}")) for n in range(3)]
        await asyncio.sleep(0)
        rig.world.let_go()
        await asyncio.gather(bulk, second, *live)
        expected = ["/api/users", "/api/user/player-0", "/api/user/player-1", "/api/user/player-2"]
        assert rig.paths() == expected + ["/api/users"] * 3
        assert rig.world.most_at_once == 1


async def test_a_back_off_lets_other_requests_through():
    async with offline_lichess(auto=False) as rig:
        populate(rig)
        rig.world.fail_next("502", on="/api/games")
        stuck = asyncio.create_task(rig.lichess.games_between("ant", "bee", NOW - DAY, NOW))
        await until_sleeping(rig.time)
        assert await rig.lichess.account("ant") is not None
        rig.time.advance(1)
        assert len(await stuck) == 20


async def test_a_cancelled_caller_neither_blocks_the_queue_nor_lets_two_requests_out():
    async with offline_lichess() as rig:
        populate(rig)
        rig.world.fail_next("held")
        first = asyncio.create_task(rig.lichess.account("ant"))
        await until_asked(rig, 1)
        waiting = asyncio.create_task(rig.lichess.account("bee"))
        await asyncio.sleep(0)
        first.cancel()
        waiting.cancel()
        last = asyncio.create_task(rig.lichess.account("ant"))
        await asyncio.wait([first, waiting])
        assert first.cancelled()
        assert waiting.cancelled()
        assert len(rig.world.asked) == 1
        rig.world.let_go()
        assert await last is not None
        assert rig.paths() == ["/api/user/ant", "/api/user/ant"]
        assert rig.world.most_at_once == 1


async def test_after_close_every_method_says_so_and_closing_twice_is_harmless():
    async with offline_lichess() as rig:
        populate(rig)
        await rig.lichess.close()
        await rig.lichess.close()
        for call in CALLS.values():
            assert (await refused(rig, call)).code == "lichess_down"
        assert rig.paths() == []

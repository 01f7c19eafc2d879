"""All games of one player, in pieces: none lost and none twice, whatever falls on the edge of a piece."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from acwc_bot.lichess_exports import Slice, cut
from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.wiring import make_lichess
from engine.eligibility import Verdict
from engine.errors import LichessUnavailable, NotFound
from engine.ports import GamesPiece, LichessPort, OldestGames, PlayedGame
from engine.rules import load
from engine.usecases.eligibility import Checked, Eligibility
from tests.engine.lichess_book import SetClock
from tests.lichess_reading import read_apart, veteran
from tests.rules.ruleset_text import TEXT
from tests.support_lichess import MINUTE, MS, NOW, Rig, offline_lichess, until_asked

DAY = timedelta(days=1)
EVER = datetime(2020, 1, 1, tzinfo=NOW.tzinfo)
MANY = 20_000


async def pieces(lichess: LichessPort, **options: Any) -> AsyncIterator[GamesPiece]:
    """From the newest until nothing new comes."""
    until: datetime | None = NOW
    leave_out: tuple[str, ...] = ()
    while until is not None:
        piece = await lichess.player_games("ant", since=EVER, until=until, leave_out=leave_out, **options)
        yield piece
        until, leave_out = piece.next_until, piece.leave_out


async def all_ids(lichess: LichessPort, **options: Any) -> list[str]:
    return [game.id async for piece in pieces(lichess, **options) for game in piece.games]


async def check_of_ant(rig: Rig) -> Checked:
    """A whole check, taken up again whenever Lichess did not answer or only in part."""
    rig.world.change("ant", games={"antichess": 10**6}, created_at=EVER)
    eligibility = Eligibility(rig.lichess, SetClock(NOW))
    checked = await eligibility.check(load(TEXT), "ant")
    for _ in range(3):
        if checked.unavailable is not None:
            assert checked.judgement.verdict is Verdict.INCOMPLETE
            checked = await eligibility.resume(load(TEXT), checked.progress)
    return checked


# --- What a piece is ------------------------------------------------------------------------------------------------


async def test_r2_5_a_game_tells_its_perf_its_status_and_whether_this_player_lost():
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee"):
            rig.world.add_account(name)
        start = NOW - 60 * MINUTE
        lost = rig.world.add_game("bee", "ant", created_at=start, winner="white", status="cheat")
        won = rig.world.add_game("bee", "ant", created_at=start + MINUTE, winner="black", status="cheat", rated=False)
        drawn = rig.world.add_game("ant", None, created_at=start + 2 * MINUTE, variant="standard", clock=(180, 2))
        rig.world.add_game("ant", "bee", created_at=NOW - MINUTE, winner="black")  # still running
        piece = await rig.lichess.player_games("ANT", since=EVER, until=NOW)
        common: dict[str, Any] = {"variant": "antichess", "perf": "antichess", "status": "cheat"}
        blitz: dict[str, Any] = {"variant": "standard", "perf": "blitz", "status": "draw"}
        assert piece == GamesPiece(
            games=(
                PlayedGame(id=drawn, created_at=start + 2 * MINUTE, rated=True, lost=False, moved_rating=True, **blitz),
                PlayedGame(id=won, created_at=start + MINUTE, rated=False, lost=False, moved_rating=False, **common),
                PlayedGame(id=lost, created_at=start, rated=True, lost=True, moved_rating=True, **common),
            ),
            next_until=start + MS,
            leave_out=(lost,),
        )


async def test_r2_2_a_game_against_a_marked_player_is_rated_and_moves_no_rating():
    """Nor does one that nobody began."""
    async with offline_lichess() as rig:
        for name, marked in (("Ant", False), ("Bee", False), ("Cheat", True)):
            rig.world.add_account(name, tos_violation=marked)
        start = NOW - 60 * MINUTE
        counted = rig.world.add_game("bee", "ant", created_at=start)
        rig.world.add_game("ant", "cheat", created_at=start + MINUTE, winner="white")
        rig.world.add_game("ant", "bee", created_at=start + 2 * MINUTE, status="noStart")
        piece = await rig.lichess.player_games("ant", since=EVER, until=NOW)
        assert [game.rated for game in piece.games] == [True] * 3
        assert [game.id for game in piece.games if game.moved_rating] == [counted]


async def test_since_is_inclusive_and_until_exclusive():
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee"):
            rig.world.add_account(name)
        start, end = NOW - 60 * MINUTE, NOW - 10 * MINUTE
        for moment in (start - MS, start, end - MS, end):
            rig.world.add_game("ant", "bee", created_at=moment)
        piece = await rig.lichess.player_games("ant", since=start, until=end)
        assert [game.created_at for game in piece.games] == [end - MS, start]
        asked = len(rig.world.asked)
        assert (await rig.lichess.player_games("ant", since=end, until=end)).games == ()
        assert len(rig.world.asked) == asked


@pytest.mark.parametrize(
    ("games", "requests"), [(0, 2), (1, 2), (299, 2), (300, 2), (301, 3), (599, 3), (600, 3), (601, 4), (901, 5)]
)
async def test_a_check_asks_once_for_every_300_games_and_once_where_they_must_end(games: int, requests: int):
    async with offline_lichess() as rig:
        ids = veteran(rig.world, games)
        checked = await check_of_ant(rig)
        assert (checked.judgement.verdict, checked.progress.games) == (Verdict.PASS, games)
        assert sum(path.startswith("/api/games") for path in rig.paths()) == requests
        assert await all_ids(rig.lichess) == ids


async def test_games_are_chosen_here_and_lichess_is_asked_for_no_moves_and_no_filter():
    async with offline_lichess() as rig:
        veteran(rig.world, 400)
        old = [rig.world.add_game("ant", "bee", created_at=NOW - 9 * DAY - n * MINUTE, rated=False) for n in range(3)]
        blitz = rig.world.add_game("ant", "bee", created_at=NOW - 10 * DAY, variant="standard", clock=(180, 2))
        found = [[game.id for game in piece.games] async for piece in pieces(rig.lichess, perf="blitz")]
        assert found == [[], [blitz], []]
        rated = await all_ids(rig.lichess, rated_only=True, perf="antichess")
        assert len(rated) == 400
        assert not set(rated) & {*old, blitz}
        for asked in rig.world.asked:
            assert not {"rated", "perfType", "color", "vs"} & asked.query.keys()
            unwanted = {asked.query[key] for key in ("moves", "clocks", "evals", "opening", "ongoing")}
            assert unwanted == {"false"}


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("fault", ["short", "nothing"])
@pytest.mark.parametrize("games", [0, 1, 700])
async def test_an_export_that_ends_early_without_a_word_loses_no_game(after: int, fault: str, games: int):
    async with offline_lichess() as rig:
        veteran(rig.world, games)
        rig.world.fail_next(fault, on="/api/games", after=after)
        checked = await check_of_ant(rig)
        assert (checked.unavailable, checked.judgement.verdict) == (None, Verdict.PASS)
        assert checked.progress.games == games


async def test_the_oldest_games_are_those_of_the_first_millisecond():
    async with offline_lichess() as rig:
        veteran(rig.world, 0)
        start = NOW - DAY
        options: dict[str, Any] = {"since": start, "until": NOW - MINUTE}
        assert await rig.lichess.oldest_games("ant", **options) == OldestGames(at=None)
        for outside in (start - MS, NOW - MINUTE):
            rig.world.add_game("ant", "bee", created_at=outside, lasts=timedelta())
        assert await rig.lichess.oldest_games("ant", **options) == OldestGames(at=None)
        ids = sorted(rig.world.add_game("ant", "bee", created_at=start, rated=False) for _ in range(9))
        expected = OldestGames(at=start, ids=tuple(ids))
        assert await rig.lichess.oldest_games("ANT", **options) == expected
        rig.world.add_game("ant", "bee", created_at=start + MS)
        assert await rig.lichess.oldest_games("ant", **options) == replace(expected, whole=True, full=True)
        rig.world.add_game("ant", "bee", created_at=start)
        found = await rig.lichess.oldest_games("ant", **options)
        assert (found.at, len(found.ids), found.whole, found.full) == (start, 10, False, True)
        assert {(asked.query["sort"], asked.query["max"]) for asked in rig.world.asked} == {("dateAsc", "10")}
        asked = len(rig.world.asked)
        assert await rig.lichess.oldest_games("ant", since=NOW, until=NOW) == OldestGames(at=None)
        assert len(rig.world.asked) == asked


# --- The edges ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
async def test_games_that_share_the_millisecond_of_an_edge_are_neither_lost_nor_read_twice(
    seed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("acwc_bot.lichess_exports.GAMES_AT_ONCE", 3)
    lots = random.Random(seed)
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee"):
            rig.world.add_account(name)
        moments = [NOW - DAY - lots.randrange(6) * MS for _ in range(lots.randrange(2, 40))]
        for moment in moments:
            rig.world.add_game("ant", "bee", created_at=moment)
        read = [game async for piece in pieces(rig.lichess) for game in piece.games]
        assert len({game.id for game in read}) == len(read)
        assert sorted(game.created_at for game in read) == sorted(moments)


async def test_a_simul_of_700_games_that_began_in_one_millisecond_is_read_whole():
    async with offline_lichess() as rig:
        older = veteran(rig.world, 50)
        at_once = {rig.world.add_game("ant", "bee", created_at=NOW - MS, lasts=timedelta()) for _ in range(700)}
        read = await all_ids(rig.lichess)
        assert set(read[:700]) == at_once
        assert read[700:] == older


async def test_a_check_goes_on_after_a_restart_from_a_cursor_that_was_written_down():
    async with offline_lichess() as rig:
        ids = veteran(rig.world, 700)
        first = await rig.lichess.player_games("ant", since=EVER, until=NOW)
        assert first.next_until is not None
        row = json.dumps([first.next_until.isoformat(), first.leave_out])
        until, leave_out = json.loads(row)
        again = make_lichess(rig.server.url)
        try:
            second = await again.player_games(
                "ant", since=EVER, until=datetime.fromisoformat(until), leave_out=leave_out
            )
        finally:
            await again.close()
        assert [game.id for game in (*first.games, *second.games)] == ids[:600]


async def test_a_piece_that_broke_off_is_read_again_from_the_same_cursor():
    async with offline_lichess() as rig:
        ids = veteran(rig.world, 700)
        rig.world.fail_next("cut", after=1)
        first = await rig.lichess.player_games("ant", since=EVER, until=NOW)
        cursor: dict[str, Any] = {"since": EVER, "until": first.next_until, "leave_out": first.leave_out}
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await rig.lichess.player_games("ant", **cursor)
        second = await rig.lichess.player_games("ant", **cursor)
        assert [game.id for game in (*first.games, *second.games)] == ids[:600]


async def test_exports_that_end_silently_after_so_many_games_hide_none():
    async with offline_lichess() as rig:
        ids = veteran(rig.world, 1000)
        rig.world.longest_export = 400
        assert await all_ids(rig.lichess) == ids


def test_a_full_piece_with_nothing_new_is_no_end():
    about: dict[str, Any] = {"variant": "antichess", "perf": "antichess", "rated": True, "status": "draw"}
    one = PlayedGame(id="aaaaaaaa", created_at=NOW, lost=False, moved_rating=True, **about)
    part = Slice(0, int(NOW.timestamp() * 1000) + 1, frozenset({"aaaaaaaa"}))
    assert cut([one], part, rated_only=False, perf=None) == GamesPiece(games=(), next_until=None)
    with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
        cut([one] * part.most, part, rated_only=False, perf=None)


@pytest.mark.parametrize("line", ['{"id":"aaaaaaaa"}', "[]", "null", "{", '"aaaaaaaa"'])
async def test_a_line_that_is_no_game_of_this_player_is_never_skipped(line: str):
    async with offline_lichess() as rig:
        veteran(rig.world, 3)
        rig.world.add_game("ant", "bee", created_at=NOW - MINUTE, lasts=timedelta(), line=line)
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await rig.lichess.player_games("ant", since=EVER, until=NOW)


# --- Accounts that show nothing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nobody", "../etc", ""])
async def test_an_unknown_account_is_told_apart_from_one_without_games(name: str):
    async with offline_lichess() as rig:
        for ask in (
            rig.lichess.player_games(name, since=EVER, until=NOW),
            rig.lichess.oldest_games(name, since=EVER, until=NOW),
            rig.lichess.rating_history(name),
            rig.lichess.teams_of(name),
        ):
            with pytest.raises(NotFound) as refusal:
                await ask
            assert (refusal.value.code, refusal.value.params) == ("no_account", {"name": name})


async def test_a_closed_account_is_told_apart_from_an_unknown_one():
    async with offline_lichess() as rig:
        rig.world.add_account("Gone", closed=True)
        for ask in (rig.lichess.player_games("gone", since=EVER, until=NOW), rig.lichess.rating_history("gone")):
            with pytest.raises(NotFound) as refusal:
                await ask
            assert (refusal.value.code, refusal.value.params) == ("account_closed", {"name": "Gone"})


async def test_a_404_about_an_open_account_decides_nothing():
    async with offline_lichess() as rig:
        veteran(rig.world, 3)
        rig.world.fail_next("404", on="/api/games")
        with pytest.raises(LichessUnavailable) as refusal:
            await rig.lichess.player_games("ant", since=EVER, until=NOW)
        assert (refusal.value.code, refusal.value.params) == ("lichess_refused", {"status": 404})


# --- 20,000 games ---------------------------------------------------------------------------------------------------


async def test_a_live_request_waits_for_one_piece_of_a_check_of_20_000_games():
    async with offline_lichess() as rig:
        ids = veteran(rig.world, MANY)
        rig.world.fail_next("held", on="/api/games", after=5)
        check = asyncio.create_task(all_ids(rig.lichess))
        await until_asked(rig, 6)
        other = asyncio.create_task(
            rig.lichess.player_games("ant", since=EVER, until=NOW)
        )  # another check, first in line
        await asyncio.sleep(0)
        live = [asyncio.create_task(rig.lichess.account(name)) for name in ("ant", "bee")]
        await asyncio.sleep(0)
        rig.world.let_go()
        await asyncio.gather(*live)
        assert rig.paths()[6:8] == ["/api/user/ant", "/api/user/bee"]
        assert await check == ids
        assert len((await other).games) == 300
        assert len(rig.world.asked) == 2 + 1 + 1 + -(-MANY // 300)
        assert rig.world.most_at_once == 1


def test_reading_20_000_games_holds_no_more_than_a_piece():
    world = LichessWorld(lambda: NOW)
    veteran(world, MANY)
    with ThreadedLichessServer(world) as server:
        reading = read_apart(server.url, "adapter")
    assert reading.games == MANY
    assert reading.growth < 5_000  # kB, without the offline Lichess; read at once they take 16,000

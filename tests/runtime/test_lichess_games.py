"""Games through real berserk and real HTTP: lines kept, pieces joined, nothing lost and nothing twice."""

from __future__ import annotations

import urllib.request
from datetime import datetime, timedelta, timezone

import pytest

from acwc_bot.lichess_payloads import read_game
from engine.errors import LichessUnavailable
from engine.ports import LichessGame
from tests.support_lichess import MINUTE, MS, NOW, Rig, offline_lichess

DAY = timedelta(days=1)


def two_players(rig: Rig) -> None:
    rig.world.add_account("Ant", rating=1900)
    rig.world.add_account("Bee_B", rating=1800, title="LM")


async def between(rig: Rig, since: datetime = NOW - DAY, until: datetime = NOW + DAY) -> list[LichessGame]:
    return await rig.lichess.games_between("Ant", "bee_b", since, until)


async def test_r3_3_a_game_is_read_with_players_clock_times_and_winner():
    async with offline_lichess() as rig:
        two_players(rig)
        start = NOW - timedelta(minutes=10, milliseconds=-7)
        game_id = rig.world.add_game("ant", "bee_b", created_at=start, winner="black", clock=(180, 2))
        (game,) = await between(rig)
        assert game == LichessGame(
            id=game_id,
            white="ant",
            black="bee_b",
            variant="antichess",
            rated=True,
            status="variantEnd",
            winner="black",
            created_at=start,
            last_move_at=start + 3 * MINUTE,
            clock_initial=180,
            clock_increment=2,
            source="friend",
            tournament_id=None,
            swiss_id=None,
            line=game.line,
        )


async def test_the_line_is_kept_byte_for_byte():
    async with offline_lichess() as rig:
        two_players(rig)
        plain = rig.world.add_game("ant", "bee_b", created_at=NOW - 9 * MINUTE)
        strange = rig.world.add_game("bee_b", "ant", created_at=NOW - 5 * MINUTE, winner="white")
        line = (
            f'{{ "id":"{strange}", "variant":"antichess","rated":true, "createdAt":1680638100000,'
            '\t"lastMoveAt":1.5e3,"status":"resign","winner":"white","players":{"white":{"user":{"name":"Bee_B","id":"bee_b"}},'
            '"black":{"user":{"name":"Ant","id":"ant"}}},"note":"caf\\u00e9 \u2028 é ♟","x":1.0}'
        )
        rig.world.change_game(strange, line=line)
        address = f"{rig.server.url}/api/games/user/ant?ongoing=true"
        request = urllib.request.Request(address, headers={"Accept": "application/x-ndjson"})
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request) as answer:
            sent = answer.read().split(b"\n")[:2]
        for games in (await between(rig), await rig.lichess.games([strange, plain])):
            assert [game.id for game in games] == [plain, strange]
            assert [game.line.encode() for game in games] == [sent[1], sent[0]]
        assert sent[0] == line.encode()


async def test_q38b_every_state_of_a_game_is_reported_and_none_interpreted():
    async with offline_lichess() as rig:
        two_players(rig)
        states = ["created", "started", "aborted", "noStart", "mate", "resign", "stalemate", "timeout", "draw"]
        states += ["outoftime", "cheat", "unknownFinish", "insufficientMaterialClaim", "variantEnd"]
        for minute, status in enumerate(states):
            winner = "black" if status == "cheat" else None
            start = NOW - DAY / 2 + minute * MINUTE
            rig.world.add_game("ant", "bee_b", created_at=start, status=status, winner=winner)
        games = await between(rig)
        assert [game.status for game in games] == states
        assert {game.status: game.winner for game in games if game.winner} == {"cheat": "black"}


async def test_q12_source_tournament_and_rating_mode_are_told():
    async with offline_lichess() as rig:
        two_players(rig)
        add = rig.world.add_game
        add("ant", "bee_b", created_at=NOW - 50 * MINUTE, source="arena", tournament="may23mta")
        add("ant", "bee_b", created_at=NOW - 40 * MINUTE, source="swiss", swiss="j8rtJ5GL")
        add("ant", "bee_b", created_at=NOW - 30 * MINUTE, source="lobby", rated=False, variant="standard", clock=None)
        arena, swiss, casual = await between(rig)
        assert (arena.source, arena.tournament_id, arena.swiss_id) == ("arena", "may23mta", None)
        assert (swiss.source, swiss.tournament_id, swiss.swiss_id) == ("swiss", None, "j8rtJ5GL")
        assert (casual.rated, casual.variant, casual.clock_initial, casual.clock_increment) == (
            False,
            "standard",
            None,
            None,
        )


def test_older_lines_name_their_tournament_directly_and_a_missing_player_is_none():
    line = (
        '{"id":"aaaaaaaa","rated":false,"variant":"antichess","createdAt":1680638100000,"status":"draw",'
        '"players":{"white":{"aiLevel":3},"black":{"user":{"name":"Ant","id":"ant"}}},'
        '"tournament":"oldarena","swiss":"oldswiss"}'
    )
    game = read_game(line)
    assert (game.tournament_id, game.swiss_id) == ("oldarena", "oldswiss")
    assert (game.white, game.black) == (None, "ant")
    assert (game.last_move_at, game.source, game.winner) == (None, None, None)


async def test_games_with_others_are_left_out():
    async with offline_lichess() as rig:
        two_players(rig)
        rig.world.add_account("Cat")
        rig.world.add_game("ant", "cat", created_at=NOW - 9 * MINUTE)
        rig.world.add_game("cat", "bee_b", created_at=NOW - 8 * MINUTE)
        wanted = rig.world.add_game("bee_b", "ant", created_at=NOW - 7 * MINUTE)
        assert [game.id for game in await between(rig)] == [wanted]


async def test_r1_since_is_inclusive_and_until_exclusive_to_the_millisecond():
    async with offline_lichess() as rig:
        two_players(rig)
        start, end = NOW - 60 * MINUTE, NOW - 10 * MINUTE
        moments = [start - MS, start, start + MS, end - MS, end, end + MS]
        for moment in moments:
            rig.world.add_game("ant", "bee_b", created_at=moment)
        assert [game.created_at for game in await between(rig, start, end)] == moments[1:4]
        halfway = timedelta(microseconds=500)
        found = await between(rig, start + halfway, end + halfway)
        assert [game.created_at for game in found] == moments[2:5]
        elsewhere = timezone(timedelta(hours=-7))
        found = await between(rig, start.astimezone(elsewhere), end.astimezone(elsewhere))
        assert [game.created_at for game in found] == moments[1:4]
        assert await between(rig, end, start) == []


async def test_r1_a_game_outside_the_window_is_left_out_whatever_lichess_sends():
    async with offline_lichess() as rig:
        two_players(rig)
        game_id = rig.world.add_game("ant", "bee_b", created_at=NOW - 2 * MINUTE)
        (game,) = await between(rig)
        moved = game.line.replace(str(_millis(NOW - 2 * MINUTE)), str(_millis(NOW - MINUTE)))
        rig.world.change_game(game_id, line=moved)
        assert await between(rig, until=NOW - MINUTE) == []
        assert [game.id for game in await between(rig, until=NOW - MINUTE + MS)] == [game_id]


def _millis(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


async def test_an_empty_window_is_no_games():
    async with offline_lichess() as rig:
        two_players(rig)
        assert await between(rig) == []


async def test_a_window_from_long_ago_asks_no_earlier_than_the_api_allows():
    async with offline_lichess() as rig:
        two_players(rig)
        rig.world.add_game("ant", "bee_b", created_at=NOW - MINUTE)
        assert len(await between(rig, NOW.replace(year=1999))) == 1
        assert rig.world.asked[0].query["since"] == "1356998400070"


async def test_700_games_come_in_pieces_oldest_first():
    async with offline_lichess() as rig:
        two_players(rig)
        ids = rig.world.play_match("ant", "bee_b", NOW - 3 * DAY, ["a", "draw", "b", "b"] * 175)
        games = await between(rig, NOW - 4 * DAY)
        assert [game.id for game in games] == ids
        assert [asked.query["max"] for asked in rig.world.asked] == ["300"] * 3
        assert rig.world.most_at_once == 1


@pytest.mark.parametrize("count", [299, 300, 301, 599, 600])
async def test_a_full_last_piece_is_not_taken_for_the_end(count: int):
    async with offline_lichess() as rig:
        two_players(rig)
        ids = [rig.world.add_game("ant", "bee_b", created_at=NOW - DAY / 2 + n * MS) for n in range(count)]
        assert [game.id for game in await between(rig)] == ids
        assert len(rig.world.asked) == (1 if count < 300 else 2 if count < 599 else 3)


@pytest.mark.parametrize("before", [295, 299, 300])
async def test_games_that_share_a_millisecond_across_pieces_are_neither_lost_nor_doubled(before: int):
    async with offline_lichess() as rig:
        two_players(rig)
        moment = NOW - DAY / 2
        same = {rig.world.add_game("ant", "bee_b", created_at=moment) for _ in range(8)}
        older = {rig.world.add_game("ant", "bee_b", created_at=moment - (n + 1) * MS) for n in range(400)}
        newer = {rig.world.add_game("ant", "bee_b", created_at=moment + (n + 1) * MS) for n in range(before)}
        games = await between(rig)
        assert len(games) == 408 + before
        assert {game.id for game in games} == same | older | newer
        assert games == sorted(games, key=lambda game: (game.created_at, game.id))


async def test_more_games_in_one_millisecond_than_a_piece_holds_are_reported_not_dropped():
    async with offline_lichess() as rig:
        two_players(rig)
        for _ in range(301):
            rig.world.add_game("ant", "bee_b", created_at=NOW - MINUTE)
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await between(rig)


async def test_a_piece_asks_for_running_games_and_never_for_lichess_s_search_index():
    async with offline_lichess() as rig:
        two_players(rig)
        running = rig.world.add_game("ant", "bee_b", created_at=NOW - MINUTE, winner="white", lasts=2 * MINUTE)
        (game,) = await between(rig)
        assert (game.id, game.status, game.winner) == (running, "started", None)
        query = rig.world.asked[0].query
        assert (query["ongoing"], query["finished"], query["sort"]) == ("true", "true", "dateDesc")
        assert not {"rated", "perfType", "color"} & query.keys()
        assert rig.world.asked[0].headers["Accept"] == "application/x-ndjson"
        rig.calendar.moment += MINUTE
        (game,) = await between(rig)
        assert (game.status, game.winner) == ("variantEnd", "white")


async def test_games_of_a_closed_account_are_found_with_its_opponent():
    async with offline_lichess() as rig:
        two_players(rig)
        game_id = rig.world.add_game("ant", "bee_b", created_at=NOW - 9 * MINUTE, winner="white")
        for closed in ("ant", "bee_b"):
            rig.world.change(closed, closed=True)
            assert [game.id for game in await between(rig)] == [game_id]
            rig.world.change(closed, closed=False)
        rig.world.change("ant", closed=True)
        rig.world.change("bee_b", closed=True)
        with pytest.raises(LichessUnavailable) as refusal:
            await between(rig)
        assert refusal.value.code == "lichess_refused"
        assert refusal.value.params == {"status": 404}


@pytest.mark.parametrize("stranger", ["nobody", "..", "a,b"])
async def test_games_with_an_unknown_account_are_an_error_not_zero_games(stranger: str):
    async with offline_lichess() as rig:
        two_players(rig)
        for pair in (("ant", stranger), (stranger, "ant")):
            with pytest.raises(LichessUnavailable, match="lichess_refused"):
                await rig.lichess.games_between(*pair, NOW - DAY, NOW)


async def test_games_by_id_in_pieces_of_300_unknown_ids_left_out():
    async with offline_lichess() as rig:
        two_players(rig)
        ids = rig.world.play_match("ant", "bee_b", NOW - 3 * DAY, ["a", "b"] * 325)
        games = await rig.lichess.games([*reversed(ids), "zzzzzzzz", "not,an,id", "../etc", ids[3]])
        assert [game.id for game in games] == ids
        assert [len(asked.body.split(",")) for asked in rig.world.asked] == [300, 300, 51]


async def test_a_game_by_id_is_seen_while_it_runs():
    async with offline_lichess() as rig:
        two_players(rig)
        game_id = rig.world.add_game("ant", "bee_b", created_at=NOW - MINUTE, winner="white", lasts=2 * MINUTE)
        (game,) = await rig.lichess.games([game_id])
        assert (game.status, game.winner) == ("started", None)


@pytest.mark.parametrize("line", ['{"id":"aaaaaaaa"}', "[]", "null", '{"id":"aaaaaaaa","createdAt":"today"}', "{"])
async def test_a_line_that_is_no_game_is_never_skipped(line: str):
    async with offline_lichess() as rig:
        two_players(rig)
        rig.world.add_game("ant", "bee_b", created_at=NOW - 9 * MINUTE)
        rig.world.add_game("ant", "bee_b", created_at=NOW - 5 * MINUTE, line=line)
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await between(rig)

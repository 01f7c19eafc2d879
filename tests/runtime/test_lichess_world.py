"""The offline Lichess itself: what the sandbox and other tests rely on."""

from __future__ import annotations

import asyncio
import itertools
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from acwc_bot.sandbox.lichess_server import LichessServer, ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld, Result
from tests.support_lichess import MINUTE, NOW, Calendar

LINES = {"Accept": "application/x-ndjson"}
#: Past any proxy of the environment.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def world(calendar: Calendar) -> LichessWorld:
    world = LichessWorld(calendar.now)
    world.add_account("Ant", rating=1900)
    world.add_account("Bee", rating=1800, title="LM")
    return world


@pytest.fixture
def url(world: LichessWorld) -> Iterator[str]:
    with ThreadedLichessServer(world) as server:
        yield server.url


def ask(address: str, body: str | None = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Status and JSON; a list of lines for NDJSON."""
    request = urllib.request.Request(address, data=body.encode() if body else None, headers=headers or {})
    try:
        with DIRECT.open(request) as answer:
            text = answer.read().decode()
            lines = answer.headers["Content-Type"] == "application/x-ndjson"
            return answer.status, [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def games(url: str, **query: object) -> list[str]:
    """The ids of Ant's games, in the order of the answer."""
    status, found = ask(f"{url}/api/games/user/ant?{urllib.parse.urlencode(query)}", headers=LINES)
    assert status == 200
    return [game["id"] for game in found]


def test_a_match_alternates_colours_and_takes_two_to_four_minutes_a_game(world: LichessWorld):
    results: Sequence[Result] = ["a", "b", "draw", "a", "b", "draw", "a"]
    ids = world.play_match("Ant", "bee", NOW - 60 * MINUTE, results)
    played = [world.game(game_id) for game_id in ids]
    assert all(game is not None for game in played)
    whites = [game.white for game in played if game]
    assert whites == ["ant", "bee", "ant", "bee", "ant", "bee", "ant"]
    winners = [{"white": game.white, "black": game.black, None: "draw"}[game.winner] for game in played if game]
    assert winners == [{"a": "ant", "b": "bee", "draw": "draw"}[result] for result in results]
    for game, following in itertools.pairwise(played):
        assert game is not None
        assert following is not None
        assert 2 * MINUTE <= game.last_move_at - game.created_at <= 4 * MINUTE
        assert timedelta(0) < following.created_at - game.last_move_at <= MINUTE / 2
        assert (game.status == "draw") == (game.winner is None)


def test_black_may_begin_with_the_other_colour(world: LichessWorld):
    first, second = world.play_match("ant", "bee", NOW - 60 * MINUTE, ["a", "a"], first_white="b")
    found = [world.game(first), world.game(second)]
    assert [(game.white, game.winner) for game in found if game] == [("bee", "black"), ("ant", "white")]


def test_ids_have_eight_characters_and_are_the_same_in_every_run(world: LichessWorld, calendar: Calendar):
    other = LichessWorld(calendar.now)
    other.add_account("ant")
    ids = [world.add_game("ant", None, created_at=NOW) for _ in range(500)]
    assert ids == [other.add_game("ant", None, created_at=NOW) for _ in range(500)]
    assert len(set(ids)) == 500
    assert all(len(game_id) == 8 and game_id.isalnum() and game_id.isascii() for game_id in ids)


def test_a_game_appears_runs_and_ends_as_the_clock_moves(world: LichessWorld, calendar: Calendar, url: str):
    game_id = world.add_game("ant", "bee", created_at=NOW + MINUTE, winner="black", lasts=3 * MINUTE)
    assert games(url, ongoing="true") == []
    assert ask(f"{url}/game/export/{game_id}")[0] == 404
    assert ask(f"{url}/api/games/export/_ids", game_id, LINES) == (200, [])
    calendar.moment = NOW + 2 * MINUTE
    assert games(url, ongoing="true") == [game_id]
    assert games(url) == []
    _, game = ask(f"{url}/game/export/{game_id}")
    assert game["status"] == "started"
    assert "winner" not in game
    _, (status,) = ask(f"{url}/api/users/status?ids=bee&withGameIds=true")
    assert status == {
        "name": "Bee",
        "title": "LM",
        "id": "bee",
        "online": True,
        "playing": True,
        "playingId": game_id,
    }
    calendar.moment = NOW + 4 * MINUTE
    assert games(url) == [game_id]
    assert ask(f"{url}/game/export/{game_id}")[1]["winner"] == "black"


def test_a_game_line_has_lichess_s_shape(world: LichessWorld, url: str):
    start = NOW - 9 * MINUTE
    game_id = world.add_game("bee", "ant", created_at=start, winner="white", clock=(60, 2))
    _, (game,) = ask(f"{url}/api/games/user/ant", headers=LINES)
    millis = 1680637860000
    assert game == {
        "id": game_id,
        "rated": True,
        "variant": "antichess",
        "speed": "bullet",
        "perf": "antichess",
        "createdAt": millis,
        "lastMoveAt": millis + 180_000,
        "status": "variantEnd",
        "source": "friend",
        "players": {
            "white": {"user": {"name": "Bee", "id": "bee", "title": "LM"}, "rating": 1800, "ratingDiff": 5},
            "black": {"user": {"name": "Ant", "id": "ant"}, "rating": 1900, "ratingDiff": -5},
        },
        "winner": "white",
        "moves": game["moves"],
        "clock": {"initial": 60, "increment": 2, "totalTime": 140},
    }


def test_the_filters_of_an_export(world: LichessWorld, url: str):
    world.add_account("Cat")
    at = [NOW - (9 - n) * MINUTE for n in range(5)]
    rated = world.add_game("ant", "bee", created_at=at[0], lasts=MINUTE)
    casual = world.add_game("bee", "ant", created_at=at[1], lasts=MINUTE, rated=False)
    blitz = world.add_game("ant", "cat", created_at=at[2], lasts=MINUTE, variant="standard", clock=(180, 2))
    aborted = world.add_game("ant", "cat", created_at=at[3], lasts=MINUTE, status="aborted")
    running = world.add_game("ant", "cat", created_at=at[4], lasts=30 * MINUTE)
    millis = [int(moment.timestamp()) * 1000 for moment in at]
    assert games(url) == [blitz, casual, rated]
    assert games(url, ongoing="true") == [running, aborted, blitz, casual, rated]
    assert games(url, finished="false") == [running]
    assert games(url, sort="dateAsc") == [rated, casual, blitz]
    assert games(url, max=2) == [blitz, casual]
    assert games(url, since=millis[1]) == [blitz, casual]
    assert games(url, until=millis[2]) == [casual, rated]
    assert games(url, vs="CAT") == [blitz]
    assert games(url, rated="true") == [blitz, rated]
    assert games(url, rated="true", ongoing="true") == [blitz, rated]
    assert games(url, rated="false") == [casual]
    assert games(url, perfType="antichess") == [casual, rated]
    assert games(url, perfType="blitz,atomic") == [blitz]
    assert games(url, color="black") == [casual]
    _, found = ask(f"{url}/api/games/user/ant?moves=false", headers=LINES)
    assert not any("moves" in game for game in found)


def test_a_capitalised_true_is_not_true(world: LichessWorld, url: str):
    rated = world.add_game("ant", "bee", created_at=NOW - 9 * MINUTE)
    assert games(url, rated="true") == [rated]
    assert games(url, rated="True") == []


def test_too_many_ids_and_other_refusals(url: str):
    many = [f"player{n}" for n in range(301)]
    assert ask(f"{url}/api/users", ",".join(many))[0] == 400
    assert ask(f"{url}/api/users", ",".join(many[:300])) == (200, [])
    assert ask(f"{url}/api/users/status?ids={','.join(many[:101])}")[0] == 400
    assert ask(f"{url}/api/users/status?ids={','.join(many[:100])}") == (200, [])
    assert ask(f"{url}/api/users/status?ids=")[0] == 400
    assert ask(f"{url}/api/games/export/_ids", ",".join(many), LINES)[0] == 400
    assert ask(f"{url}/api/games/export/_ids", "abcdefgh")[0] == 406
    assert ask(f"{url}/api/games/user/ant")[0] == 406
    assert ask(f"{url}/api/games/user/nobody", headers=LINES) == (404, {"error": "Not found."})
    assert ask(f"{url}/api/games/user/ant?vs=nobody", headers=LINES)[0] == 404
    assert ask(f"{url}/api/user/nobody") == (404, {"error": "Not found."})
    assert ask(f"{url}/elsewhere") == (404, {"error": "Not found."})


def test_a_closed_account_exports_no_games(world: LichessWorld, url: str):
    world.change("ant", closed=True)
    assert ask(f"{url}/api/games/user/ant", headers=LINES)[0] == 404
    assert ask(f"{url}/api/user/ant") == (200, {"id": "ant", "username": "Ant", "disabled": True})


def test_faults_come_in_order_and_only_where_they_were_planned(world: LichessWorld, url: str):
    world.fail_next("429", 2, on="/api/user/")
    world.fail_next("502")
    with pytest.raises(urllib.error.HTTPError, match="502"):
        DIRECT.open(f"{url}/api/users/status?ids=ant")
    assert ask(f"{url}/api/user/ant") == (429, {"error": "Please only run 1 request(s) at a time"})
    world.heal()
    assert ask(f"{url}/api/user/ant")[0] == 200
    with pytest.raises(ValueError, match="418"):
        world.fail_next("418")


def test_an_account_exists_once_in_any_case(world: LichessWorld):
    with pytest.raises(ValueError, match="ANT"):
        world.add_account("ANT")
    with pytest.raises(KeyError):
        world.add_game("ant", "nobody", created_at=NOW)


async def test_the_server_also_runs_on_the_loop_it_is_given(world: LichessWorld):
    server = LichessServer(world)
    url = await server.start()
    try:
        status, account = await asyncio.to_thread(ask, f"{url}/api/user/ANT")
    finally:
        await server.stop()
    assert (status, account["username"]) == (200, "Ant")


def test_a_taken_port_is_an_error_and_a_stopped_server_frees_it(world: LichessWorld):
    server = ThreadedLichessServer(world)
    port = int(server.start().rsplit(":", 1)[1])
    with pytest.raises(OSError, match="in use"):
        ThreadedLichessServer(world, port=port).start()
    server.stop()
    with ThreadedLichessServer(world, port=port) as again:
        assert again.url.endswith(f":{port}")

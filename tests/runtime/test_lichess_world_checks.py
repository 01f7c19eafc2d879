"""What the offline Lichess has for a check of an account and for a login, seen from outside."""

from __future__ import annotations

import hashlib
import json
import pickle
import urllib.error
import urllib.parse
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from acwc_bot.sandbox.lichess_selection import MOST_INDEXED
from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from tests.support_lichess import MINUTE, NOW

LINES = {"Accept": "application/x-ndjson"}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def world() -> LichessWorld:
    world = LichessWorld(lambda: NOW)
    world.add_account("Ant")
    world.add_account("Bee")
    return world


@pytest.fixture
def url(world: LichessWorld) -> Iterator[str]:
    with ThreadedLichessServer(world) as server:
        yield server.url


def ask(
    address: str, method: str = "GET", *, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    try:
        with DIRECT.open(urllib.request.Request(address, body, headers or {}, method=method)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def ids(url: str, **query: object) -> list[str]:
    status, body = ask(f"{url}/api/games/user/ant?{urllib.parse.urlencode(query)}", headers=LINES)
    assert status == 200
    return [json.loads(line)["id"] for line in body.splitlines()]


# --- Profiles, and what half an answer leaves ------------------------------------------------------------------------


def test_an_open_account_has_a_part_for_each_speed_and_for_what_it_played(world: LichessWorld, url: str):
    """As `JsonView` of Lichess has it; a closed one has none."""
    world.add_account("New", games=0)
    world.add_account("Gone", closed=True)
    shown = {name: json.loads(ask(f"{url}/api/user/{name}")[1]) for name in ("ant", "new", "gone")}
    speeds = {"bullet", "blitz", "rapid", "classical", "correspondence"}
    assert shown["ant"]["perfs"].keys() == speeds | {"antichess"}
    assert shown["new"]["perfs"].keys() == speeds
    assert {perf["games"] for perf in shown["new"]["perfs"].values()} == {0}
    assert shown["gone"] == {"id": "gone", "username": "Gone", "disabled": True}


@pytest.mark.parametrize(("fault", "left"), [("short", 1), ("nothing", 0)])
def test_half_a_list_of_accounts_and_of_teams(world: LichessWorld, url: str, fault: str, left: int):
    world.set_teams("ant", "one", "two", "three")
    world.fail_next(fault, 2)
    request = urllib.request.Request(f"{url}/api/users", b"ant,bee", {}, method="POST")
    with DIRECT.open(request) as answer:
        assert [account["id"] for account in json.load(answer)] == ["ant"][:left]
    assert [team["id"] for team in json.loads(ask(f"{url}/api/team/of/ant")[1])] == ["one"][:left]
    assert len(json.loads(ask(f"{url}/api/team/of/ant")[1])) == 3


# --- Histories, teams ----------------------------------------------------------------------------------------------


def test_a_rating_history_has_every_part_and_counts_months_from_0(world: LichessWorld, url: str):
    world.set_history("ant", "antichess", [(date(2022, 1, 31), 1500), (date(2022, 12, 1), 1600)])
    status, body = ask(f"{url}/api/user/ANT/rating-history")
    parts = {part["name"]: part["points"] for part in json.loads(body)}
    assert status == 200
    assert len(parts) == 15
    assert parts.pop("Antichess") == [[2022, 0, 31, 1500], [2022, 11, 1, 1600]]
    assert set(map(str, parts.values())) == {"[]"}
    world.change("ant", closed=True)
    assert ask(f"{url}/api/user/ant/rating-history")[0] == 404
    assert ask(f"{url}/api/user/nobody/rating-history")[0] == 404


def test_teams_are_listed_and_a_stranger_is_not_found(world: LichessWorld, url: str):
    world.set_teams("Ant", "lichess-swiss")
    status, body = ask(f"{url}/api/team/of/ant")
    assert status == 200
    assert [(team["id"], team["name"], team["open"]) for team in json.loads(body)] == [
        ("lichess-swiss", "Lichess Swiss", True)
    ]
    assert ask(f"{url}/api/team/of/bee") == (200, b"[]")
    assert ask(f"{url}/api/team/of/nobody")[0] == 404


def test_histories_and_teams_are_saved_with_the_world(world: LichessWorld):
    world.set_history("ant", "antichess", [(date(2022, 1, 31), 1500)])
    world.set_teams("ant", "lichess-swiss")
    game = world.add_game("ant", "bee", created_at=NOW - MINUTE)
    again: LichessWorld = pickle.loads(pickle.dumps(world))
    again.clock = lambda: NOW
    assert again.histories("ant") == {"antichess": ((date(2022, 1, 31), 1500),)}
    assert again.teams("ant") == ("lichess-swiss",)
    assert [found.id for found in again.games_of("ant")] == [game]


# --- Exports --------------------------------------------------------------------------------------------------------


def test_a_filtered_export_goes_by_the_last_move_and_another_by_the_first(world: LichessWorld, url: str):
    slow = world.add_game("ant", "bee", created_at=NOW - 90 * MINUTE, lasts=80 * MINUTE)
    quick = world.add_game("ant", "bee", created_at=NOW - 60 * MINUTE, lasts=5 * MINUTE)
    until = int((NOW - 30 * MINUTE).timestamp() * 1000)
    assert ids(url) == [quick, slow]
    assert ids(url, rated="true") == [slow, quick]
    assert ids(url, until=until) == [quick, slow]
    assert ids(url, until=until, perfType="antichess") == [quick]


def test_a_filtered_export_ends_silently(world: LichessWorld, url: str):
    for n in range(MOST_INDEXED + 5):
        world.add_game("ant", "bee", created_at=NOW - MINUTE - n * timedelta(seconds=1), lasts=timedelta())
    assert len(ids(url)) == MOST_INDEXED + 5
    assert len(ids(url, rated="true")) == MOST_INDEXED
    assert len(ids(url, rated="true", max=MOST_INDEXED + 3)) == MOST_INDEXED


def test_a_game_added_or_changed_later_is_in_the_next_export(world: LichessWorld, url: str):
    first = world.add_game("ant", "bee", created_at=NOW - 9 * MINUTE)
    assert ids(url) == [first]
    second = world.add_game("ant", "bee", created_at=NOW - 20 * MINUTE)
    assert ids(url) == [first, second]
    world.change_game(first, created_at=NOW - 30 * MINUTE)
    assert ids(url) == [second, first]


def test_an_export_ends_early_as_it_is_told(world: LichessWorld, url: str):
    games = [world.add_game("ant", "bee", created_at=NOW - (5 + n) * MINUTE) for n in range(6)]
    world.fail_next("short")
    assert ids(url) == games[:3]
    assert ids(url) == games
    world.longest_export = 4
    assert ids(url) == games[:4]


@pytest.mark.parametrize("path", ["/api/games/user/ant", "/api/user/ant/rating-history", "/api/team/of/ant"])
def test_faults_of_every_endpoint_of_a_check(world: LichessWorld, url: str, path: str):
    for fault, status in (("404", 404), ("429", 429), ("502", 502), ("401", 401)):
        world.fail_next(fault, on=path)
        assert ask(url + path, headers=LINES)[0] == status
    world.fail_next("html", on=path)
    assert ask(url + path, headers=LINES)[1].startswith(b"<html>")
    assert ask(url + path, headers=LINES)[0] == 200


# --- Logins ---------------------------------------------------------------------------------------------------------

VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
ASKED = {
    "response_type": "code",
    "client_id": "somebody",
    "redirect_uri": "http://localhost/back",
    "code_challenge_method": "S256",
    "code_challenge": CHALLENGE,
}


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def authorize(url: str, **changed: str) -> tuple[int, str]:
    """Status and where to."""
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay)
    try:
        with browser.open(f"{url}/oauth?{urllib.parse.urlencode(ASKED | changed)}") as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("Location", "")


def exchange(url: str, code: str, **changed: str) -> tuple[int, dict[str, Any]]:
    form = {key: ASKED[key] for key in ("client_id", "redirect_uri")}
    form |= {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER}
    status, body = ask(f"{url}/api/token", "POST", form=form | changed)
    return status, json.loads(body)


def code_of(world: LichessWorld, url: str) -> str:
    world.logins.account = "ant"
    status, location = authorize(url, state="s")
    assert status == 303
    address, _, query = location.partition("?")
    assert address == "http://localhost/back"
    back = dict(urllib.parse.parse_qsl(query))
    assert back.pop("state") == "s"
    return back["code"]


def test_a_token_reads_its_account_until_it_is_given_back(world: LichessWorld, url: str):
    status, answer = exchange(url, code_of(world, url))
    assert (status, answer["token_type"], answer["expires_in"]) == (200, "Bearer", 31_536_000)
    bearer = {"Authorization": f"Bearer {answer['access_token']}"}
    status, body = ask(f"{url}/api/account", headers=bearer)
    assert (status, json.loads(body)["username"]) == (200, "Ant")
    assert ask(f"{url}/api/token", "DELETE", headers=bearer) == (204, b"")
    for method, path in (("GET", "/api/account"), ("DELETE", "/api/token")):
        assert ask(url + path, method, headers=bearer) == (401, b'{"error": "No such token"}')


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"client_id": "else"}, "invalid_grant"),
        ({"redirect_uri": "http://localhost/else"}, "invalid_grant"),
        ({"code": "liu_unknown"}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_an_exchange_that_does_not_fit_is_refused(world: LichessWorld, url: str, changed: dict[str, str], error: str):
    status, answer = exchange(url, **({"code": code_of(world, url)} | changed))
    assert (status, answer["error"]) == (400, error)
    assert world.logins.tokens == 0


def test_a_code_is_spent_by_a_try_that_failed(world: LichessWorld, url: str):
    code = code_of(world, url)
    assert exchange(url, code, code_verifier="w" * 43)[1] == {
        "error": "invalid_grant",
        "error_description": "hash of code_verifier does not match code_challenge",
    }
    assert exchange(url, code)[0] == 400


def test_the_page_wants_a_whole_request_and_somebody_at_the_browser(world: LichessWorld, url: str):
    assert authorize(url)[0] == 400
    world.logins.account = "ant"
    for changed in ({"code_challenge": ""}, {"code_challenge_method": "plain"}, {"response_type": "token"}):
        assert authorize(url, **changed)[0] == 400
    world.logins.declines = True
    status, location = authorize(url)
    assert status == 303
    assert "error=access_denied" in location
    assert "code=" not in location

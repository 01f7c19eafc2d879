"""Accounts and presence through real berserk and real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.errors import LichessUnavailable
from engine.ports import Account, Presence
from tests.support_lichess import MINUTE, NOW, Rig, offline_lichess

BORN = datetime(2021, 5, 6, 7, 8, 9, 123000, tzinfo=UTC)


async def test_r2_1_an_account_is_read_with_rating_games_birth_and_bio():
    async with offline_lichess() as rig:
        rig.world.add_account("Quick_Hare", rating=2101, games=345, created_at=BORN, bio="code 7314")
        assert await rig.lichess.account("Quick_Hare") == Account(
            id="quick_hare",
            name="Quick_Hare",
            created_at=BORN,
            bio="code 7314",
            ratings={"antichess": 2101},
            games={"antichess": 345},
            all_games=345,
        )


@pytest.mark.parametrize("name", ["quick_hare", "QUICK_HARE", " Quick_Hare "])
async def test_names_are_case_insensitive(name: str):
    async with offline_lichess() as rig:
        rig.world.add_account("Quick_Hare")
        account = await rig.lichess.account(name)
        assert account is not None
        assert account.name == "Quick_Hare"
        assert rig.paths() == ["/api/user/quick_hare"]


async def test_an_unknown_account_is_none():
    async with offline_lichess() as rig:
        assert await rig.lichess.account("Nobody") is None
        assert rig.paths() == ["/api/user/nobody"]


@pytest.mark.parametrize("name", ["", "..", "../users/status", "a/b", "a?b", "x" * 31, "naïve"])
async def test_a_text_that_is_no_name_asks_nothing(name: str):
    async with offline_lichess() as rig:
        assert await rig.lichess.account(name) is None
        assert await rig.lichess.accounts([name]) == []
        assert await rig.lichess.presence([name]) == []
        assert rig.paths() == []


async def test_a_closed_account_is_shown_as_closed():
    async with offline_lichess() as rig:
        rig.world.add_account("Gone-Fox", closed=True)
        expected = Account(id="gone-fox", name="Gone-Fox", closed=True, ratings={}, games={})
        assert await rig.lichess.account("gone-fox") == expected
        assert await rig.lichess.accounts(["gone-fox"]) == [expected]


async def test_r2_3_r2_7_an_engine_mark_and_a_bot_are_seen_in_both_answers():
    async with offline_lichess() as rig:
        rig.world.add_account("Marked", tos_violation=True)
        rig.world.add_account("Machine", title="BOT")
        marked, machine = await rig.lichess.accounts(["marked", "machine"])
        assert (marked.tos_violation, marked.is_bot) == (True, False)
        assert (machine.tos_violation, machine.is_bot) == (False, True)
        for known in (marked, machine):
            alone = await rig.lichess.account(known.id)
            # Only the answer about one account says how many games there are.
            assert alone is not None and alone.all_games is not None
            assert replace(alone, all_games=None) == known


async def test_an_account_that_never_played_the_variant_has_no_rating_in_it():
    async with offline_lichess() as rig:
        rig.world.add_account("Fresh", rating=None)
        account = await rig.lichess.account("fresh")
        assert account is not None
        assert account.ratings == {}
        assert account.games == {}


async def test_650_accounts_are_asked_in_pieces_of_300():
    async with offline_lichess() as rig:
        ids = [rig.world.add_account(f"Player-{n}", rating=1000 + n) for n in range(650)]
        accounts = await rig.lichess.accounts([*ids, "unknown", ids[0].upper()])
        assert [account.id for account in accounts] == ids
        assert accounts[649].ratings == {"antichess": 1649}
        assert [len(asked.body.split(",")) for asked in rig.world.asked] == [300, 300, 51]


async def test_650_presences_are_asked_in_pieces_of_100():
    async with offline_lichess() as rig:
        ids = [rig.world.add_account(f"Player-{n}") for n in range(650)]
        rig.world.set_presence("player-3", online=True)
        rig.world.set_presence("PLAYER-649", online=True, playing=True)
        presences = await rig.lichess.presence([*ids, "unknown"])
        assert [presence.id for presence in presences] == ids
        assert [(p.name, p.playing) for p in presences if p.online] == [("Player-3", False), ("Player-649", True)]
        assert [len(asked.query["ids"].split(",")) for asked in rig.world.asked] == [100] * 6 + [51]


async def test_nothing_asked_for_is_no_request():
    async with offline_lichess() as rig:
        assert await rig.lichess.accounts([]) == []
        assert await rig.lichess.presence([]) == []
        assert await rig.lichess.games([]) == []
        assert rig.paths() == []


async def test_r6_3_whoever_is_in_a_running_game_is_online_and_playing():
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee"):
            rig.world.add_account(name)
        rig.world.add_game("ant", "bee", created_at=NOW - MINUTE, lasts=2 * MINUTE)
        assert await rig.lichess.presence(["ant"]) == [Presence(id="ant", name="Ant", online=True, playing=True)]
        rig.calendar.moment += MINUTE
        assert await rig.lichess.presence(["ant"]) == [Presence(id="ant", name="Ant", online=False, playing=False)]


async def test_every_request_names_the_project_and_needs_no_token():
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        await rig.lichess.account("ant")
        await rig.lichess.accounts(["ant"])
        await rig.lichess.presence(["ant"])
        await rig.lichess.games(["abcdefgh"])
        headers = [asked.headers for asked in rig.world.asked]
        assert len(headers) == 4
        assert all(header["User-Agent"].startswith("acwc-bot/") for header in headers)
        assert not any("Authorization" in header for header in headers)


async def test_a_token_is_sent_beside_the_user_agent():
    async with offline_lichess(token="lip_example") as rig:
        await rig.lichess.account("ant")
        (asked,) = rig.world.asked
        assert asked.headers["Authorization"] == "Bearer lip_example"
        assert asked.headers["User-Agent"].startswith("acwc-bot/")


async def test_the_environment_s_proxy_does_not_stand_before_the_loopback(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        assert await rig.lichess.account("ant") is not None


async def test_an_answer_without_the_name_is_no_account():
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        rig.world.fail_next("truncated")
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await rig.lichess.account("ant")


# --- Half an answer ------------------------------------------------------------------------------------------------


def with_entry(rig: Rig, path: str, change: Callable[[Any], object]) -> None:
    """From now on what Lichess says under this path is changed."""
    http = rig.lichess.http
    for verb in ("get", "post"):
        real = getattr(http, verb)

        def changed(asked: str, *rest: Any, real: Callable[..., Any] = real) -> Any:
            answer = real(asked, *rest)
            return change(answer) if asked == path else answer

        setattr(http, verb, changed)


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: {key: value for key, value in raw.items() if key != "perfs"},
        lambda raw: raw | {"perfs": {}},
        lambda raw: {key: value for key, value in raw.items() if key != "createdAt"},
        lambda raw: raw | {"perfs": {"antichess": {"games": None, "rating": 1500}}},
        lambda raw: raw | {"id": "bee"},
        lambda raw: [raw],
        lambda raw: None,
    ],
)
async def test_r2_2_a_profile_without_what_each_has_is_no_account_without_games(change: Callable[[Any], object]):
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        with_entry(rig, "/api/user/ant", change)
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await rig.lichess.account("ant")


@pytest.mark.parametrize("answer", [{}, {"error": "no"}, None, "ant"])
async def test_r2_3_an_answer_that_is_no_list_is_no_answer(answer: Any):
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        with_entry(rig, "/api/users", lambda raw: answer)
        with pytest.raises(LichessUnavailable, match="lichess_incomplete"):
            await rig.lichess.accounts(["ant"])


@pytest.mark.parametrize(
    "entry", [{}, None, [], "bee", {"id": "bee"}, {"id": "bee", "username": "Bee"}, {"id": "x", "username": "X"}]
)
async def test_r2_3_one_odd_entry_spoils_no_other(entry: Any):
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee", "Cat"):
            rig.world.add_account(name)
        with_entry(rig, "/api/users", lambda raw: [raw[0], entry, raw[2]])
        assert [account.id for account in await rig.lichess.accounts(["ant", "bee", "cat"])] == ["ant", "cat"]


async def test_an_account_that_nobody_asked_for_is_none_of_the_answer():
    async with offline_lichess() as rig:
        for name in ("Ant", "Bee"):
            rig.world.add_account(name)
        with_entry(rig, "/api/users", lambda raw: [{**raw[0], "id": "bee"}, raw[0], raw[0]])
        assert [account.id for account in await rig.lichess.accounts(["ant"])] == ["ant"]

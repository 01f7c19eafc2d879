"""The sandbox without a browser: how it is built, its clock, the other players, one thing at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.field import field_2022, open_accounts
from acwc_bot.sandbox.html import render
from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.sandbox.opening import Start, play_opening, start_day
from acwc_bot.sandbox.plain import plain
from acwc_bot.sandbox.players import Players, results_of
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.shown import Shown
from acwc_bot.sandbox.world import LOBBY, Sandbox, SandboxError, open_sandbox
from engine.model import Entrant, Occurrence, Offer, OfferState
from engine.usecases.matches import MatchView, Phase

FIRST_PAIRINGS = datetime(2026, 1, 11, 12, tzinfo=UTC)
SMALL = field_2022()[:5]
ROUND_1 = Start(1)
RELIABLE = 5
"""With this seed the five answer at once, make all their offers and come to the board in round 1."""


@asynccontextmanager
async def rehearsal(folder: Path, seed: int = RELIABLE, start: Start = ROUND_1) -> AsyncIterator[Rehearsal]:
    """Five players; by default round 1 is published: two matches and a bye. The visitor is entrant_001 then."""
    async with open_sandbox(folder / "sandbox.db") as sandbox:
        players = Players(sandbox, seed)
        await play_opening(players, SMALL, start)
        rehearsal = Rehearsal(players, 0)
        await rehearsal.begin()
        async with rehearsal:
            yield rehearsal
            assert sandbox.env.errors == []


async def page(it: Rehearsal) -> str:
    return render(await Shown.of(it), "token")


async def comes_next(it: Rehearsal) -> str:
    found = re.search(r'<p class="next"><strong>Next:</strong> (.*?)</p>', await page(it))
    return re.sub("<[^>]+>", "", found[1]) if found else ""


async def own_match(it: Rehearsal) -> MatchView:
    view = (await it.seat()).view
    assert view is not None
    return view


def texts(sandbox: Sandbox, channel: str, reader: str = "director") -> list[str]:
    messages = sandbox.messages(sandbox.channel(channel).id, sandbox.people[reader])
    return [sandbox.plain(message.content) for message in messages]


# --- Building it --------------------------------------------------------------------------------------------------


def test_the_field_is_the_45_known_entrants_of_2022() -> None:
    field = field_2022()
    assert len(field) == len({e.lichess_id for e in field}) == 45
    assert (field[0].lichess_id, field[0].rating, field[0].seed) == ("entrant_001", 2402, 1)
    assert (field[-1].lichess_id, field[-1].rating, field[-1].seed) == ("entrant_078", 1953, 78)
    assert [e.rating for e in field] == sorted((e.rating for e in field), reverse=True)


def test_every_account_of_the_field_may_enter() -> None:
    lichess = LichessWorld(lambda: FIRST_PAIRINGS)
    open_accounts(lichess, field_2022())
    accounts = [lichess.account(entry.lichess_id) for entry in field_2022()]
    assert all(a and a.games["antichess"] >= 1000 and a.created_at.year < 2023 for a in accounts)


def test_r4_3_the_first_pairings_leave_a_week_to_enter_and_fall_on_the_rulesets_weekday() -> None:
    new_year = datetime(2026, 1, 1, tzinfo=UTC).date()
    assert start_day(new_year, 6) == datetime(2026, 1, 11, tzinfo=UTC).date()
    assert start_day(new_year + timedelta(days=3), 6) == datetime(2026, 1, 11, tzinfo=UTC).date()
    assert start_day(new_year, 1) == datetime(2026, 1, 13, tzinfo=UTC).date()


async def test_the_opening_ends_with_round_1_and_a_thread_for_every_match(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        sandbox = it.sandbox
        assert sandbox.now() == FIRST_PAIRINGS
        entrants = sandbox.parts.db.read_sync(lambda reader: reader.find(Entrant))
        assert [e.name for e in sorted(entrants, key=lambda e: e.seed)] == [e.lichess_id for e in SMALL]
        assert len(sandbox.channel("wc-matches").threads) == 2
        assert sum("Approved by director" in text for text in texts(sandbox, "wc-directors")) == 5
        assert "Round 1" in texts(sandbox, "wc-pairings")[0].replace("round 1", "Round 1")
        view = await own_match(it)
        assert it.viewer == it.home == view.a.entrant.name == "entrant_001"
        assert it.discord.showing == (view.match.thread_id, "entrant_001")


async def test_the_opening_says_what_the_bot_answered_when_somebody_cannot_enter(tmp_path: Path) -> None:
    async with open_sandbox(tmp_path / "sandbox.db") as sandbox:
        sandbox.lichess.fail_next("401", on="/api/user/")
        with pytest.raises(SandboxError, match=r"entrant_001 could not enter: .*Lichess"):
            await play_opening(Players(sandbox, RELIABLE), SMALL, Start(1))


# --- The clock ------------------------------------------------------------------------------------------------------


async def test_the_clock_moves_from_due_moment_to_due_moment_with_a_tick_at_each(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await it.sandbox.move_to(FIRST_PAIRINGS + timedelta(days=7))
        settled = it.sandbox.parts.db.read_sync(lambda reader: reader.find(Occurrence))
        reminders = [occurrence for occurrence in settled if ":remind:" in occurrence.key]
        assert len(reminders) == 3
        assert all(o.settled_at == o.due_at and not o.skipped for o in reminders)


async def test_next_deadline_stops_at_the_own_match_too(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "next")
        assert it.lines[-1].text == "It is Thu 15 Jan 18:00 UTC: reminder to whoever has made no offer."
        view = await own_match(it)
        thread = it.sandbox.place(view.match.thread_id or 0)
        me = it.sandbox.people["entrant_001"]
        await it.sandbox.slash(me, thread, "offer", times="16 Jan 07:00")
        await do(it, "opponent")
        assert "accepts Fri 16 Jan 07:00 UTC" in it.lines[-1].text
        await do(it, "next")
        assert it.lines[-1].text == "It is Fri 16 Jan 07:00 UTC: your match begins."
        await do(it, "day")
        assert it.sandbox.now() == datetime(2026, 1, 17, 7, tzinfo=UTC)
        assert "last call for offers" in it.lines[-1].text and "end of the time for offers" in it.lines[-1].text


# --- Other players ----------------------------------------------------------------------------------------------------


async def test_from_the_opponents_offer_to_the_report(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "play")
        assert it.lines[-1].bad and "Agree on a time first" in it.lines[-1].text
        await do(it, "opponent")
        offers = (await own_match(it)).offers
        assert len(offers) == 3 and (await own_match(it)).side(offers[0].entrant_id).duty.met
        await do(it, "opponent")
        assert "has made all offers and waits" in it.lines[-1].text
        view = await own_match(it)
        await it.sandbox.click(
            it.sandbox.people["entrant_001"], view.match.thread_id or 0, f"acwc:1:accept:{offers[1].id}"
        )
        assert (await own_match(it)).match.agreed_at == offers[1].starts_at

        await do(it, "opponent")
        assert it.lines[-1].text.endswith("Press “Play my match”.")
        assert it.sandbox.lichess.games() == []
        await do(it, "play")
        games = [game for game in it.sandbox.lichess.games() if "entrant_001" in (game.white, game.black)]
        assert len(games) == len(results_of(RELIABLE, view)) >= 6
        assert not any(game.running for game in games) and games[-1].created_at > offers[1].starts_at
        await do(it, "opponent")
        view = await own_match(it)
        assert view.phase is Phase.FINISHED and "has a result already" in it.lines[-1].text
        assert texts(it.sandbox, "wc-results")[-1].startswith("Round 1: entrant_001")
        await do(it, "play")
        assert it.lines[-1].bad and "played and reported" in it.lines[-1].text


async def test_an_opponent_accepts_a_minute_of_a_range(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        view = await own_match(it)
        thread = it.sandbox.place(view.match.thread_id or 0)
        await it.sandbox.slash(it.sandbox.people["entrant_001"], thread, "offer", times="Tue 18:00-20:00")
        await do(it, "opponent")
        assert (await own_match(it)).match.agreed_at == datetime(2026, 1, 13, 18, tzinfo=UTC)


async def test_the_others_act_but_leave_the_visitors_match_alone(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "others")
        assert it.lines[-1].text.startswith(
            "1 player has offered times and 1 match has got its time. 1 match is still to be played"
        )
        own = await own_match(it)
        assert own.phase is Phase.NEGOTIATING and not own.offers
        accepted = it.sandbox.parts.db.read_sync(lambda reader: reader.find(Offer, state=OfferState.ACCEPTED))
        assert len(accepted) == 1
        await do(it, "finish")
        assert it.lines[-1].bad and "Finish your own match first" in it.lines[-1].text


async def test_a_td_lets_everybody_finish_the_round_and_the_next_one_comes(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        it.be("director")
        await do(it, "opponent")
        assert it.lines[-1].bad and "director has no opponent" in it.lines[-1].text
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."
        assert FIRST_PAIRINGS < it.sandbox.now() < FIRST_PAIRINGS + timedelta(days=9)
        assert "standings after round 1" in texts(it.sandbox, "wc-standings")[0]
        await it.sandbox.move_to(FIRST_PAIRINGS + timedelta(days=9))
        event = await it.players.event()
        assert event.current_round is not None and event.current_round.number == 2
        it.be("entrant_001")
        assert (await own_match(it)).round.number == 2


# --- One thing at a time ----------------------------------------------------------------------------------------------


async def test_people_who_act_at_the_same_moment_queue(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        lobby, people = it.sandbox.channel(LOBBY), it.sandbox.people
        answers = await asyncio.gather(
            *(it.sandbox.slash(people[e.lichess_id], lobby, "hub") for e in SMALL),
            it.sandbox.move_to(FIRST_PAIRINGS + timedelta(hours=2)),
        )
        assert all(isinstance(answer, str) and answer for answer in answers[:-1])


async def test_a_second_button_waits_for_no_one_and_says_what_goes_on(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        first = asyncio.ensure_future(do(it, "others"))
        while it.doing is None:
            await asyncio.sleep(0)
        await do(it, "day")
        assert it.lines[-1].bad and it.lines[-1].text.startswith("One thing at a time")
        await first
        assert it.sandbox.now() == FIRST_PAIRINGS


async def test_what_fails_unexpectedly_is_a_line_and_the_sandbox_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("boom")

    async with rehearsal(tmp_path) as it:
        with monkeypatch.context() as patch:
            patch.setattr(it.players, "act_both", broken)
            await do(it, "others")
        assert it.lines[-1].bad and "boom" not in it.lines[-1].text
        await do(it, "others")
        assert not it.lines[-1].bad
        await do(it, "nonsense")
        assert it.lines[-1].bad


def _controls(value: Any, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every dict in a snapshot that carries a control key."""
    if isinstance(value, dict):
        if value.get("control_key"):
            found.append(value)
        for part in value.values():
            _controls(part, found)
    elif isinstance(value, list):
        for part in value:
            _controls(part, found)
    return found


def _is_button(verb: str) -> Callable[[dict[str, Any]], bool]:
    return lambda control: str(control.get("custom_id", "")).startswith(f"acwc:1:{verb}:")


async def test_a_click_in_discord_waits_for_the_clock_and_the_page_stays_alive(tmp_path: Path) -> None:
    """The click names the state of before the clock moved; simcord alone would refuse it or call it uncertain."""
    async with rehearsal(tmp_path) as it, aiohttp.ClientSession() as client:
        url, _, secret = (await it.open(await it.place_of_interest())).partition("#")
        headers = {"X-Simcord-Capability": secret}
        page = await (await client.post(f"{url}api/pages", json={}, headers=headers)).json()
        message_id = page["timeline"][0]
        button = next(filter(_is_button("offer-form"), _controls(page["messages"][message_id], [])))
        click = {
            "protocol_version": 3,
            "sequence": 1,
            "request_id": "one",
            "generation": page["context"]["generation"],
            "bot_generation": page["botGeneration"],
            "published_revision": page["publishedRevision"],
            "kind": "click",
            "target_id": message_id,
            "control_key": button["control_key"],
        }
        headers["X-Simcord-Context"] = page["context"]["id"]
        moving = asyncio.ensure_future(do(it, "next"))
        while not it.sandbox.lock.locked():
            await asyncio.sleep(0)
        answer = await (await client.post(f"{url}api/action", json=click, headers=headers)).json()
        await moving
        assert (answer["rejected"], answer["settlement"]) == (False, "settled"), answer["diagnostics"]
        state = await (await client.get(f"{url}api/state", headers=headers)).json()
        assert state["modal"]["payload"]["title"] == "Offer times to entrant_003"


# --- Words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ("## Round 1: **a\\_b** – *c*", "Round 1: a_b – c"),
        ("<@7> in <#9>, <@8>, <@&5>", "@ann in #results, @somebody, @World Cup TD"),
        ("**Tue 13 Jan 18:00 UTC (for you <t:1768327200:f>)**, <t:1768327200:R>.", "Tue 13 Jan 18:00 UTC."),
        ("by <t:1768327200:F>", "by Tue 13 Jan 18:00 UTC"),
        ("Games: [1](<https://lichess.org/abc>) [2](<https://lichess.org/def>)", "Games: 1 2"),
        ("- ~~18:00~~ retracted\n- `x`", "18:00 retracted\nx"),
    ],
)  # fmt: skip
def test_discords_markup_as_plain_text(marked: str, shown: str) -> None:
    assert plain(marked, {7: "ann"}, {9: "results"}, {5: "World Cup TD"}) == shown

"""The switches of the sandbox: Lichess down, Discord down, a new bot on the same database."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.html import render
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.shown import Shown
from acwc_bot.sandbox.world import LOBBY
from tests.runtime.test_sandbox import own_match, rehearsal, texts
from tests.runtime.test_sandbox_players import agree, press


async def page(it: Rehearsal) -> str:
    return render(await Shown.of(it), "token")


async def test_while_discord_is_down_nobody_acts_and_afterwards_everything_is_posted_once(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        it.be("director")
        await do(it, "finish")
        await do(it, "discord")
        text = await page(it)
        assert 'aria-pressed="true">Discord back up</button>' in text and "Discord is down</span>" in text
        before = texts(it.sandbox, "wc-pairings")
        await do(it, "tuesday")
        assert texts(it.sandbox, "wc-pairings") == before
        await do(it, "others")
        assert it.lines[-1].text == "Nobody had anything to do."
        await do(it, "day")

        await do(it, "discord")
        assert "Discord is back" in it.lines[-1].text
        assert 'aria-pressed="false">Discord down</button>' in await page(it)
        after = texts(it.sandbox, "wc-pairings")
        assert len(after) == len(before) + 1 and "round 2" in after[-1].lower()
        names = [thread.name for thread in it.sandbox.channel("wc-matches").threads]
        assert sum(name.startswith("R2") for name in names) == 2 and len(set(names)) == len(names)
        await do(it, "others")
        assert not it.lines[-1].bad


async def test_a_person_who_types_while_discord_is_down_gets_a_sentence(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "discord")
        await do(it, "opponent")
        assert it.lines[-1].bad and it.lines[-1].text.startswith("Discord is down")
        assert (await own_match(it)).offers == ()
        await do(it, "restart")
        assert it.lines[-1].bad and "could not log in" in it.lines[-1].text
        await do(it, "discord")
        await do(it, "opponent")
        assert len((await own_match(it)).offers) == 3


async def test_a_report_while_lichess_is_down_is_refused_and_the_bot_catches_up(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await agree(it)
        await do(it, "lichess")
        await do(it, "play")
        assert "Lichess is down</span>" in await page(it)
        await do(it, "opponent")
        assert "presses Report" in it.lines[-1].text and "Lichess" in it.lines[-1].text
        assert (await own_match(it)).result is None
        await do(it, "lichess")
        assert (await own_match(it)).result is not None, "as soon as Lichess answers, and nobody has to ask"


async def test_a_round_is_played_although_the_bot_restarts_in_the_middle(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "opponent")
        bot = it.sandbox.parts.bot
        await do(it, "restart")
        assert not it.lines[-1].bad and it.sandbox.parts.bot is not bot
        view = await own_match(it)
        await press(it, f"accept:{view.offers[0].id}")
        assert (await own_match(it)).match.agreed_at == view.offers[0].starts_at
        await do(it, "play")
        await do(it, "restart")
        assert (await own_match(it)).result is not None
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."


async def test_the_clock_moves_on_with_both_down(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        before = it.sandbox.now()
        await do(it, "discord")
        await do(it, "lichess")
        await do(it, "day")
        assert it.sandbox.now() == before + timedelta(days=1) and not it.lines[-1].bad
        await do(it, "discord")
        await do(it, "lichess")
        answer = await it.sandbox.slash(it.sandbox.people["entrant_001"], it.sandbox.channel(LOBBY), "hub")
        assert "entrant_003" in answer


async def test_the_others_give_up_reporting_while_lichess_is_down_and_do_it_later(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        it.be("director")
        await do(it, "lichess")
        await do(it, "finish")
        assert it.lines[-1].text.count("(not reported)") == 2
        await do(it, "lichess")
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."


async def test_whoever_is_refused_a_report_tries_once_more_later(tmp_path: Path) -> None:
    """Two players press Report twice each, and the bot asks three times each time."""
    async with rehearsal(tmp_path) as it:
        it.be("director")
        it.sandbox.lichess.fail_next("502", times=2 * 2 * 3, on="/api/games/user")
        await do(it, "finish")
        assert it.lines[-1].text == "The round is played."

"""What the sandbox's page says comes next, in the moments in which that is easily said wrong."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.opening import Start, newest_rules
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.world import LOBBY
from engine.calendar import rounds
from engine.usecases.matches import Phase
from tests.runtime.test_sandbox import SMALL, comes_next, own_match, page, rehearsal
from tests.runtime.test_sandbox_players import OPPONENT, OTHERS, agree, extend, never_comes, one_is, press


async def clock(it: Rehearsal) -> str:
    found = re.search(r'<section id="clock">(.*?)</section>', await page(it), re.DOTALL)
    assert found is not None
    return found[1]


async def test_a_round_that_waits_says_who_acts_to_everybody(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OTHERS[1], never_comes)) as it:
        await agree(it)
        await do(it, "play")
        assert (await comes_next(it)).startswith("your match has its result. Let the others finish the round")
        await do(it, "finish")
        await do(it, "tuesday")
        waits = "Round 2 waits for matches without a result. Be the TD and press “Extend these matches…”"
        assert it.lines[-1].text.startswith("It is Tue 20 Jan 12:00 UTC: ") and waits in it.lines[-1].text
        assert (await comes_next(it)).startswith(f"your match has its result. {waits}")
        assert waits in await clock(it) and "Nothing is due" not in await page(it)
        await do(it, "next")
        assert it.lines[-1].bad and it.lines[-1].text.startswith(waits)
        it.be("director")
        assert "a result. Press “Extend these matches…” in wc-directors" in await comes_next(it)


async def test_after_the_last_round_the_page_says_that_it_is_over_and_how_to_begin_anew(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=Start(rounds(newest_rules(), len(SMALL)))) as it:
        it.be("director")
        over = "The Candidates cannot begin by the rules"
        assert over not in await page(it)
        await do(it, "others")
        await do(it, "tuesday")
        assert "The Candidates wait for matches without a result. Press" in it.lines[-1].text
        await extend(it)
        assert over not in await page(it), "nobody has played, and all is still to be played"
        await do(it, "finish")
        assert it.lines[-1].text.startswith(f"The round is played. {over}") and "--fresh" in it.lines[-1].text
        for name in ("director", "follower", "entrant_001"):
            it.be(name)
            assert over in await comes_next(it)


async def test_who_waits_for_an_absent_opponent_hears_what_a_td_does(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, never_comes)) as it:
        await agree(it)
        await do(it, "play")
        await it.sandbox.move_to(it.sandbox.now() + timedelta(minutes=61))
        assert "it is too late to report that" in await comes_next(it)
        await do(it, "play")
        for said in (it.lines[-1].text, await comes_next(it)):
            assert "move the clock to the match deadline" in said.lower() and "Extend these matches…" in said
        await do(it, "tuesday")
        assert (await comes_next(it)).startswith(
            "be the TD and press Extend these matches… in wc-directors, then play."
        )


async def test_an_extended_match_of_an_earlier_round_stands_beside_the_new_one(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, never_comes)) as it:
        await agree(it)
        await do(it, "play")
        await do(it, "tuesday")
        assert "You also have" not in await page(it)
        await extend(it)
        first, text = (await it.seat()).others[0], await page(it)
        assert (await own_match(it)).round.number == 2 and first.round.number == 1
        assert "You also have an extended match of round 1 against <strong>entrant_003</strong>" in text
        assert f'value="{first.match.thread_id}">Open the thread with entrant_003</button>' in text
        assert f'name="match" value="{first.match.id}"><button>Play against entrant_003</button>' in text

        await do(it, "opponent", first.match.id)
        assert it.lines[-1].text == "entrant_003 is ready to play. Press “Play my match”."
        await do(it, "play", first.match.id)
        assert "entrant_001 and entrant_003 have played" in it.lines[-1].text
        it.be("follower")
        await do(it, "play", first.match.id)
        assert it.lines[-1].bad and "follower does not play that match" in it.lines[-1].text


async def test_an_agreed_time_in_the_past_is_no_time_to_come(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, one_is(OPPONENT, never_comes)) as it:
        await agree(it)
        await do(it, "play")
        await do(it, "tuesday")
        await extend(it)
        while not (view := await own_match(it)).offers:
            await do(it, "next")
            await do(it, "opponent")
        await press(it, f"accept:{view.offers[0].id}")
        assert (await comes_next(it)).startswith("you play on ")
        await do(it, "play")
        assert (await own_match(it)).phase is Phase.AGREED
        assert (await comes_next(it)).startswith("press Play my match: the agreed time, ")


async def test_while_discord_or_lichess_is_down_the_next_step_is_possible(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        await do(it, "discord")
        assert "in Discord press" not in await comes_next(it) and "Discord back up" in await comes_next(it)
        await do(it, "discord")
        await agree(it)
        await do(it, "lichess")
        await do(it, "play")
        assert (await comes_next(it)).endswith("Before there can be a result, press Lichess back up.")
        it.be("director")
        await do(it, "finish")
        assert it.lines[-1].text.endswith(
            "Nobody can report while Lichess is down: press “Lichess back up”, then finish the round again."
        )


async def test_pairings_that_discord_did_not_take_are_not_out(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        it.be("director")
        await do(it, "finish")
        await do(it, "discord")
        await do(it, "tuesday")
        assert it.lines[-1].text.endswith("the pairings of round 2 are made but cannot be posted.")


async def test_a_refusal_that_was_answered_is_no_failure(tmp_path: Path) -> None:
    """The fixture holds that nothing else failed either."""
    async with rehearsal(tmp_path) as it:
        answer = await it.sandbox.slash(
            it.sandbox.people["follower"], it.sandbox.channel(LOBBY), "offer", times="Tue 18:00"
        )
        assert "You are not in" in answer and it.sandbox.env.errors == []
        it.sandbox.env._record_error(RuntimeError("a real one"))
        assert [str(error) for error in it.sandbox.env.errors] == ["a real one"]
        it.sandbox.env._errors.clear()

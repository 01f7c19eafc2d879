"""A break between two games, and an opponent who leaves during the match (R6.1, R6.2, R6.4; Q16, Q17, Q18, Q24).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from acwc_bot.sandbox.lichess_world import WorldGame
from engine.model import GameLine
from engine.timers import TimerEnd, TimerKind
from tests.clauses.evening import MINUTE, directors, forfeits, minutes, ruled, said, timers
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.entering import actor
from tests.world import World, custom_ids, text_of

pytestmark = pytest.mark.usefixtures("followed")

SECOND = timedelta(seconds=1)


def laid_out(world: World, game_id: str) -> WorldGame:
    """A game as it will have been, at whatever moment."""
    return world.lichess._games[game_id]


async def playing(world: World, score: str = "1") -> datetime:
    """So many games are played one after the other; the clock stands a minute after the last of them. Its end."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - MINUTE)
    ids = world.lichess.play_match("anna", "carl", at, games(score))
    end = laid_out(world, ids[-1]).last_move_at
    await minutes(world, (end + MINUTE - world.clock.now()) / MINUTE)
    return end


def buttons(world: World, verb: str) -> list[tuple[Any, str]]:
    found = [(m, id) for m in thread(world, "anna", "carl").history() for id in custom_ids(m) if f":{verb}:" in id]
    return found


async def presses(world: World, who: str, verb: str) -> str:
    return text_of(await world.click(world.people[who], *buttons(world, verb)[-1]))


async def plays_on(world: World, score: str = "1") -> None:
    world.lichess.play_match("anna", "carl", world.clock.now() + 5 * SECOND, games(score))
    await minutes(world, 1)


# --- The break ------------------------------------------------------------------------------------------------------


async def test_r6_1_a_break_of_ten_minutes_between_two_games(event: World) -> None:
    await playing(event)
    now = event.clock.now()
    answer = await says(event, "anna", "match break")
    over = now + 10 * MINUTE
    assert f"{over:%H:%M} UTC" in answer
    (told,) = said(event, "### Break")
    assert f"<@{event.people['carl'].id}>" in told and f"{over:%H:%M} UTC" in told
    await event.restart()
    await minutes(event, 9.9)
    assert not buttons(event, "call-td")
    await event.move_to(over)
    assert said(event, "break is over")


async def test_r6_1_there_is_one_break_for_each_in_a_match(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match break")
    assert "the next game begins by" in await says(event, "anna", "match break"), "asked again it is the same"
    await plays_on(event)
    await minutes(event, 4)
    assert said(event, "### Break", "You have begun a game since")
    assert "You have used your break" in await says(event, "anna", "match break")
    assert "the next game begins by" in await says(event, "carl", "match break"), "carl has one of his own"
    assert len(timers(event)) == 2


async def test_r6_1_two_calls_at_once_are_one_break(event: World) -> None:
    await playing(event)
    app = event.parts.app
    await asyncio.gather(*(app.breaks.call(actor(event, "anna"), None) for _ in range(2)))
    await event.tick()
    assert len(timers(event)) == 1 and len(said(event, "### Break")) == 1


async def test_r6_1_there_is_no_break_before_the_first_game(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    assert "has not begun" in await says(event, "anna", "match break") and not timers(event)


async def test_q16_asked_during_a_game_it_begins_at_the_end_of_that_game(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    ids = event.lichess.play_match("anna", "carl", at, games("11"))
    await minutes(event, 4)
    end = laid_out(event, ids[1]).last_move_at
    assert end > event.clock.now()
    assert "after the end of the game" in await says(event, "anna", "match break")
    (timer,) = timers(event)
    assert timer.runs_from is None
    await minutes(event, 3)
    (timer,) = timers(event)
    assert timer.runs_from == end
    assert said(event, "anna’s break runs until")
    await event.move_to(end + 10 * MINUTE - SECOND)
    assert not buttons(event, "call-td")
    await event.move_to(end + 10 * MINUTE)
    assert len(buttons(event, "call-td")) == 1


async def test_q16_there_is_no_break_after_the_deciding_game(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    last = laid_out(event, ids[-1])
    await minutes(event, (last.created_at + 30 * SECOND - event.clock.now()) / MINUTE)
    assert "after the end of the game" in await says(event, "carl", "match break")
    await minutes(event, 5)
    assert not said(event, "break runs") and not said(event, "break is over")
    assert "no open match" in await says(event, "carl", "match break")
    await minutes(event, 15)
    assert not buttons(event, "call-td")


async def test_q16_without_the_bot_having_looked_the_last_game_is_the_last(event: World) -> None:
    event.follows = False
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + 40 * MINUTE)
    for command in ("match break", "match opponent-left"):
        assert "over" in await says(event, "carl", command)
    assert not timers(event)


async def test_r6_1_who_comes_back_early_ends_the_break(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match break")
    await minutes(event, 3)
    assert "You have no break" in await says(event, "carl", "match resume")
    assert "Your break is over" in await says(event, "anna", "match resume")
    assert said(event, "### Break", "anna is back") and timers(event)[0].outcome is TimerEnd.BACK
    await minutes(event, 10)
    assert not buttons(event, "call-td") and not said(event, "break is over")
    assert "You have used your break" in await says(event, "anna", "match break")


async def test_r6_2_q16_at_ten_minutes_without_a_game_a_td_may_be_called(event: World) -> None:
    await playing(event, "110")
    await says(event, "anna", "match break")
    await minutes(event, 5)
    assert "has called a break" in await says(event, "carl", "match opponent-left")
    await minutes(event, 5)
    assert "was over" in await says(event, "anna", "match resume")
    assert "waited for" in await presses(event, "anna", "call-td") and not directors(event, "calls you")
    assert "break is over" in await says(event, "carl", "match opponent-left")
    assert "A TD is called" in await presses(event, "carl", "call-td")
    (notice,) = directors(event, "**A player calls you:**")
    assert "carl says that anna has not ended a break in time" in notice
    assert "Between the games on Lichess: 0:05, 0:16; since the last one 11:" in notice
    assert not ruled(event), "nothing follows by itself"
    assert not buttons(event, "call-td") and not buttons(event, "claim-win")


async def test_r6_1_whose_own_break_runs_reports_nobody_until_it_is_over(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match break")
    assert "Your own break runs" in await says(event, "anna", "match opponent-left")
    assert [timer.kind for timer in timers(event)] == [TimerKind.BREAK]


async def test_q38d_who_has_overrun_the_own_break_cannot_claim_that_the_other_left(event: World) -> None:
    await playing(event, "110")
    await says(event, "anna", "match break")
    await minutes(event, 10)
    answer = await says(event, "anna", "match opponent-left")
    assert "your own break is over without a game" in answer and "a TD decides" in answer
    assert said(event, "### Are you still there?", "anna’s own break is over too")
    (notice,) = directors(event, "**Who left whom?**")
    assert "anna, whose own break is over without a game, says that carl has left. anna cannot claim" in notice
    assert "A TD is called" in await presses(event, "carl", "call-td"), "he still may"
    await minutes(event, 12)
    assert not buttons(event, "claim-win") and not ruled(event)
    assert "a TD decides" in await says(event, "anna", "match claim", choice="win") and not ruled(event)
    await plays_on(event)
    await minutes(event, 4)
    assert "the next game begins by" in await says(event, "carl", "match break"), "carl’s break is not used by it"


async def test_q38d_nor_when_a_td_was_called_about_that_break_before(event: World) -> None:
    await playing(event, "110")
    await says(event, "anna", "match break")
    await minutes(event, 10)
    await presses(event, "carl", "call-td")
    assert "you cannot claim" in await says(event, "anna", "match opponent-left")
    await minutes(event, 12)
    assert not buttons(event, "claim-win") and not ruled(event)


async def test_q38d_a_break_after_which_they_played_on_stands_against_nobody(event: World) -> None:
    await playing(event, "110")
    await says(event, "anna", "match break")
    await minutes(event, 2)
    await plays_on(event)
    await minutes(event, 11)
    assert "Told" in await says(event, "anna", "match opponent-left")
    await minutes(event, 11)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


@pytest.mark.parametrize("after", [2, 11])
async def test_q38d_who_takes_a_break_after_saying_that_the_other_left_has_no_claim(event: World, after: int) -> None:
    await playing(event, "110")
    await says(event, "anna", "match opponent-left")
    await minutes(event, after)
    assert "the next game begins by" in await says(event, "anna", "match break")
    assert [timer.outcome for timer in timers(event)] == [TimerEnd.TD, None]
    assert said(event, "### Are you still there?", "anna has taken a break since")
    assert directors(event, "**Who left whom?**", "anna, who has taken a break since, says that carl has left")
    await minutes(event, 11)
    assert not buttons(event, "claim-win")
    assert "you have taken a break since" in await says(event, "anna", "match claim", choice="win")
    assert "A TD is called" in await presses(event, "carl", "call-td")
    assert not ruled(event) and forfeits(event) == {}


async def test_q38b_while_a_game_waits_for_a_td_nobody_takes_a_break_or_is_gone(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, games("1"))
    event.lichess.play_match("anna", "carl", at + 3 * MINUTE, games("1"), status="cheat")
    await event.move_to(at - MINUTE)
    await minutes(event, 8)
    for command in ("match break", "match opponent-left"):
        assert "The TDs decide" in await says(event, "anna", command)
    assert not timers(event)


async def test_r6_1_a_break_is_taken_though_lichess_is_down(event: World) -> None:
    end = await playing(event)
    event.lichess.fail_next("down", 3, on="/api/games/user")
    assert "after the end of the game" in await says(event, "anna", "match break")
    await minutes(event, 1)
    (timer,) = timers(event)
    assert timer.runs_from is not None and timer.runs_from == end + MINUTE, "from when it was called"


# --- Leaving --------------------------------------------------------------------------------------------------------


async def test_r6_4_who_left_has_ten_minutes_and_then_the_win_may_be_claimed(event: World) -> None:
    await playing(event, "110")
    over = event.clock.now() + 10 * MINUTE
    answer = await says(event, "anna", "match opponent-left")
    assert f"{over:%H:%M} UTC" in answer and "claim the win" in answer
    (call,) = said(event, "### Are you still there?")
    assert f"<@{event.people['carl'].id}>" in call and "It counts as your break" in call
    assert directors(event, "**Opponent left:**", "anna says that carl has left")
    await event.restart()
    await minutes(event, 9.9)
    assert not buttons(event, "claim-win")
    assert "has time until" in await says(event, "anna", "match claim", choice="win")
    await event.move_to(over)
    assert "Only anna" in await presses(event, "carl", "claim-win")
    assert "no other time" in await says(event, "anna", "match claim", choice="reschedule")
    assert "the match is yours" in await presses(event, "anna", "claim-win")
    (fact,) = ruled(event)
    assert (fact.clause, fact.payload["forfeit"], len(fact.payload["games"])) == ("R6.4", "left", 3)
    assert forfeits(event) == {"carl": 1}, "Q24: it counts"
    assert len(event.parts.db.read_sync(lambda r: r.find(GameLine, match_id=1))) == 3
    assert directors(event, "**Opponent left:**", "Between the games on Lichess: 0:05, 0:16")
    assert directors(event, "**Claim of a match that was left** by anna") and said(event, "were not back in time")
    assert not buttons(event, "claim-win")


async def test_r6_4_who_comes_back_plays_on_and_has_used_the_break(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match opponent-left")
    await minutes(event, 4)
    await plays_on(event)
    assert said(event, "### Are you still there?", "You have begun a game since")
    await minutes(event, 12)
    assert not buttons(event, "claim-win")
    assert "You have used your break" in await says(event, "carl", "match break")


async def test_r6_4_told_twice_is_one(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match opponent-left")
    await minutes(event, 3)
    await says(event, "anna", "match opponent-left")
    assert len(timers(event)) == 1 and len(said(event, "### Are you still there?")) == 1


async def test_r6_4_nobody_leaves_a_match_that_has_not_begun(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    assert "`/match opponent-absent`" in await says(event, "anna", "match opponent-left") and not timers(event)


async def test_q17_with_the_break_used_up_there_is_no_claim_but_a_td(event: World) -> None:
    await playing(event)
    await says(event, "carl", "match break")
    await plays_on(event)
    await minutes(event, 4)
    assert "call a TD" in await says(event, "anna", "match opponent-left")
    await minutes(event, 10)
    assert not buttons(event, "claim-win")
    assert "nothing can be claimed" in await says(event, "anna", "match claim", choice="win")
    assert "A TD is called" in await presses(event, "anna", "call-td")
    (notice,) = directors(event, "**A player calls you:**")
    assert "carl has left, with no break left" in notice and "since the last one" in notice
    assert not ruled(event)


async def test_q17_who_leaves_again_has_used_the_break_by_leaving(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match opponent-left")
    await plays_on(event)
    await minutes(event, 4)
    assert "call a TD" in await says(event, "anna", "match opponent-left")
    await minutes(event, 10)
    assert not buttons(event, "claim-win") and len(buttons(event, "call-td")) == 1


async def test_q18_during_a_game_the_ten_minutes_run_from_its_end(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    ids = event.lichess.play_match("anna", "carl", at, games("11"))
    await minutes(event, 4)
    end = laid_out(event, ids[1]).last_move_at
    await says(event, "anna", "match opponent-left")
    assert "A game is in progress" in await says(event, "anna", "match claim", choice="win")
    await minutes(event, 4)
    assert said(event, "carl’s ten minutes run until") and timers(event)[0].runs_from == end
    await event.move_to(end + 10 * MINUTE)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_q18_a_match_that_is_over_by_that_game_is_no_forfeit(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    last = laid_out(event, ids[-1])
    await minutes(event, (last.created_at + 30 * SECOND - event.clock.now()) / MINUTE)
    await says(event, "anna", "match opponent-left")
    await minutes(event, 20)
    assert not buttons(event, "claim-win") and not ruled(event) and forfeits(event) == {}
    assert timers(event)[0].outcome is TimerEnd.OVER
    assert said(event, "### Are you still there?", "The match was over with that game")


async def test_r6_4_reports_that_cross_go_to_a_td(event: World) -> None:
    await playing(event)
    await says(event, "anna", "match opponent-left")
    assert "a TD decides" in await says(event, "carl", "match opponent-left")
    assert directors(event, "**Each reports the other absent:**")
    await minutes(event, 12)
    assert not buttons(event, "claim-win") and not ruled(event)


@pytest.mark.parametrize("fault", ["down", "502", "html"])
async def test_r6_4_nothing_is_claimed_while_lichess_is_down(event: World, fault: str) -> None:
    await playing(event)
    await says(event, "anna", "match opponent-left")
    await minutes(event, 11)
    event.lichess.fail_next(fault, 3 if fault in ("down", "502") else 1, on="/api/games/user")
    assert "Nothing was changed" in await presses(event, "anna", "claim-win") and not ruled(event)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_r6_4_a_game_after_the_ten_minutes_ends_the_right_to_claim(event: World) -> None:
    event.follows = False
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, games("1"))
    await event.move_to(at + 5 * MINUTE)
    await says(event, "anna", "match opponent-left")
    await event.move_to(at + 16 * MINUTE)
    event.lichess.play_match("anna", "carl", at + 17 * MINUTE, games("1"))
    await event.move_to(at + 18 * MINUTE)
    assert "begun a game since" in await presses(event, "anna", "claim-win") and not ruled(event)


async def test_r5_10_a_td_extends_and_stops_the_ten_minutes_of_who_left(event: World) -> None:
    await playing(event)
    now = event.clock.now()
    await says(event, "anna", "match opponent-left")
    await says(event, "td", "td-match timer", match=1, reason="A power cut.", minutes=20)
    await minutes(event, 11)
    assert not buttons(event, "claim-win")
    assert f"{now + 30 * MINUTE:%H:%M} UTC" in await says(event, "anna", "match claim", choice="win")
    await says(event, "td", "td-match timer", match=1, reason="They will play tomorrow.")
    await minutes(event, 25)
    assert not buttons(event, "claim-win") and not ruled(event)
    assert "the next game begins by" in await says(event, "carl", "match break"), "stopped, it is no break"


async def test_the_buttons_stand_under_the_running_score(event: World) -> None:
    await playing(event)
    assert "the next game begins by" in await presses(event, "anna", "break")
    assert "Your break is over" in await presses(event, "anna", "back")
    assert "Told" in await presses(event, "carl", "left")
    assert [timer.kind for timer in timers(event)] == [TimerKind.BREAK, TimerKind.LEFT]
    assert "bob" not in await presses(event, "carl", "left")
    stranger = text_of(await event.click(event.people["bob"], *buttons(event, "break")[-1]))
    assert "anna" in stranger and len(timers(event)) == 2

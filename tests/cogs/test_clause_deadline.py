"""Monday midnight on the evening of a match: in play, not finished in time, a claim that is open (R4.4, R6.3; Q7-Q10).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00 and its matches end on Monday 30 March. The bot follows
the games.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.facts import MatchPlayed
from tests.clauses.evening import DEADLINE, MINUTE, directors, forfeits, minutes, presses, reported, ruled, said
from tests.clauses.stage import agree, card, games, pairs_of, says, settle
from tests.cogs.test_clause_accounts import loaded
from tests.cogs.test_clause_terms import facts
from tests.world import World

IN_PLAY = "**Your match is in play: finish it by Tue 31 Mar 02:00 UTC"
OVER = "**The time for this match is over: no more game counts, so a TD decides**"
LIST = "the match deadline has passed"


@pytest.fixture
async def event(event: World) -> World:
    event.follows = True
    return event


async def at_midnight(world: World, score: str, before: timedelta = 8 * MINUTE) -> None:
    """The match goes on over its deadline; the clock stands two minutes after it."""
    at = await agree(world, "anna", "carl", "Mon 30 22:50")
    await world.move_to(at)
    world.lichess.play_match("anna", "carl", DEADLINE - before, games(score))
    await world.move_to(DEADLINE + 2 * MINUTE)


# --- In play at the deadline (Q8) -----------------------------------------------------------------------------------


async def test_q8_a_match_in_play_at_the_deadline_is_told_to_be_finished(event: World) -> None:
    await at_midnight(event, "1111111")
    told = next(text for text in said(event, IN_PLAY) if text.startswith("<@"))
    assert said(event, IN_PLAY, "### Live") and told.count("<@") == 2 and "games that begin until then count" in told
    assert "So far" in card(event, "anna", "carl").content and IN_PLAY in card(event, "anna", "carl").content
    assert IN_PLAY in await says(event, "anna", "hub")
    assert not said(event, "The time for this match is over")
    (listed,) = directors(event, LIST)
    assert "in play, to be finished by Tue 31 Mar 02:00 UTC" in listed
    assert "if nobody came" not in listed.split("anna")[1].splitlines()[0]
    await event.move_to(DEADLINE + 40 * MINUTE)
    (result,) = facts(event, MatchPlayed)
    assert len(result.games) == 6 and not directors(event, "Not finished in time")


async def test_q8_when_the_first_game_runs_at_the_deadline_it_is_in_play(event: World) -> None:
    await at_midnight(event, "1", MINUTE)
    assert said(event, IN_PLAY)


async def test_q8_what_was_begun_on_another_evening_may_be_finished_too(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at)
    event.lichess.play_match("anna", "carl", at, games("11"))
    await event.move_to(DEADLINE + 2 * MINUTE)
    assert said(event, IN_PLAY)


async def test_q8_not_finished_by_two_a_td_decides_and_all_say_so(event: World) -> None:
    await at_midnight(event, "101010")
    await event.move_to(DEADLINE + 120 * MINUTE - timedelta(seconds=1))
    assert not directors(event, "Not finished in time")
    await event.move_to(DEADLINE + 120 * MINUTE)
    (notice,) = directors(event, "**Not finished in time:**")
    assert "anna 3–3 carl" in notice and "finished by Tue 31 Mar 02:00 UTC" in notice
    await event.restart()
    answer = await says(event, "anna", "report")
    assert answer.startswith(f"{OVER[:-2]}.** So far you 3–3")
    assert "Play on" not in answer
    assert OVER in card(event, "anna", "carl").content and OVER in await says(event, "carl", "hub")
    assert said(event, OVER) and not said(event, "I follow the games"), "nowhere another word"
    assert not said(event, IN_PLAY)
    await event.move_to(DEADLINE + 10 * 60 * MINUTE)
    assert len(directors(event, "Not finished in time")) == 1 and not ruled(event)


async def test_q8_extended_after_that_they_play_on(event: World) -> None:
    await at_midnight(event, "101010")
    await event.move_to(DEADLINE + 125 * MINUTE)
    await says(event, "td", "td-match extend", match=1, reason="Three games each.")
    assert "So far: anna 3–3 carl" in card(event, "anna", "carl").content and not said(event, IN_PLAY)
    at = DEADLINE + timedelta(hours=18)
    event.lichess.play_match("anna", "carl", at, games("111"))
    await event.move_to(at + 60 * MINUTE)
    assert facts(event, MatchPlayed)
    assert directors(event, "✓ **Not finished in time:**")


async def test_q8_while_lichess_is_down_the_tds_are_not_told_what_nobody_knows(event: World) -> None:
    await at_midnight(event, "101010")
    await event.move_to(DEADLINE + 119 * MINUTE)
    event.lichess.fail_next("down", 12, on="/api/games/user")
    await event.move_to(DEADLINE + 120 * MINUTE)
    assert not directors(event, "Not finished in time")
    await minutes(event, 30)
    assert directors(event, "Not finished in time")


async def test_q7_a_match_that_nobody_has_begun_is_over_at_midnight(event: World) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 22:50")
    await event.move_to(at)
    await event.move_to(DEADLINE + 121 * MINUTE)
    assert said(event, "**The time for this match is over.** If you have played it") and not said(event, IN_PLAY)
    assert "if nobody came" in directors(event, LIST)[0] and not directors(event, "Not finished in time")


# --- A claim that is open at the deadline (R6.3) --------------------------------------------------------------------


async def test_r6_3_the_deadline_forgets_no_claim(event: World) -> None:
    await reported(event)
    await event.move_to(DEADLINE + MINUTE)
    words = "**The time for this match is over. anna may still claim the win**, because carl was not there"
    assert said(event, words) and words in card(event, "anna", "carl").content
    assert words in await says(event, "anna", "hub")
    (listed,) = directors(event, LIST)
    assert "anna has reported carl as not there and may still claim the win" in listed
    assert "the match is yours" in await presses(event, "anna", "claim-win")
    assert forfeits(event) == {"carl": 1}


async def test_r5_10_a_claim_that_a_td_has_stopped_is_none_at_the_deadline(event: World) -> None:
    await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(DEADLINE + MINUTE)
    assert not said(event, "may still claim the win") and "may still claim" not in directors(event, LIST)[0]


# --- Two open matches: what is asked about is the one that it fits --------------------------------------------------


async def two_open(world: World) -> str:
    """anna's claim of round 1 is open in a match that a TD has extended; round 2 is out. Her new opponent."""
    await reported(world)
    await settle(world, 1, "bob", but="anna")
    await world.move_to(DEADLINE + MINUTE)
    await says(world, "td", "td-match extend", match=1, reason="A storm.")
    await world.move_to(DEADLINE + timedelta(hours=13))
    (pair,) = [pair for pair in pairs_of(world, 2) if "anna" in pair]
    return next(name for name in pair if name != "anna")


async def test_r6_3_a_claim_is_about_the_match_in_which_one_is_open(event: World) -> None:
    await two_open(event)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")
    assert forfeits(event).get("carl") == 1


async def test_r6_3_an_absence_is_about_the_match_whose_time_it_is(event: World) -> None:
    opponent = await two_open(event)
    at = await agree(event, "anna", opponent, "Sat 4 Apr 18:00", match=match_of(event, "anna", opponent))
    await event.move_to(at + MINUTE)
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    await event.move_to(at + 2 * 60 * MINUTE)
    assert "more than one open match" in await says(event, "anna", "match opponent-absent"), "none has its time now"


def match_of(world: World, a: str, b: str) -> int:
    event = loaded(world)
    return max(m.id for m in event.matches.values() if {event.name(m.a_id), event.name(m.b_id)} == {a, b})

"""R3.13, R3.15, R3.16, Q39-Q41: a tied knock-out match goes on to tiebreak games, and to one armageddon game.

The Semifinals begin on Tuesday 24 March 2026 with anna–bob and carl–dora, without the weeks before them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.facts import ColoursSettled, MatchPlayed
from engine.model import Stage
from engine.sealed import SealedBid, SealedThrow
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_terms import facts
from tests.cogs.tying import (
    BLACK_WINS,
    MINUTE,
    WHITE_WINS,
    anna_has_white,
    armageddon,
    bids,
    clicks,
    minutes,
    open_matches,
    said,
    throws,
    tied,
)
from tests.world import World

# --- The tie --------------------------------------------------------------------------------------------------------


async def test_r3_13_a_semifinal_that_is_tied_asks_both_for_bids(semifinal: World) -> None:
    await tied(semifinal)
    (call,) = said(semifinal, "### Armageddon")
    assert "Black has 3:00 and wins a drawn game" in call and "lower bid plays White" in call
    assert call.count("<@") == 2 and "anna – · bob –" in call
    assert not facts(semifinal, MatchPlayed), "the match is not over"
    assert "1:45" not in call
    answer = await says(semifinal, "anna", "report")
    assert "nobody leads" in answer and "§3.16" in answer and "both bid for White, by" in answer


async def test_r3_13_a_semifinal_ends_with_more_than_half(semifinal: World) -> None:
    match = open_matches(semifinal)[0]
    at = await agree(semifinal, "anna", "bob", "Sat 28 18:00", match=match.id)
    semifinal.lichess.play_match("anna", "bob", at, games("111111"))
    await semifinal.move_to(at + 50 * MINUTE)
    (result,) = [m.content for m in semifinal.channel("results").history() if "anna" in m.content]
    assert result.startswith("**Semifinal 1: anna 6–0 bob**") and "Match point" not in result


# --- Bids -----------------------------------------------------------------------------------------------------------


async def test_r3_16_bids_are_sealed_until_both_are_in(semifinal: World) -> None:
    await tied(semifinal)
    answer = await bids(semifinal, "anna", "1:45")
    assert "sealed" in answer
    (call,) = said(semifinal, "### Armageddon")
    assert "anna has bid ✓ · bob –" in call
    everywhere = [
        m.content for t in (*semifinal.threads.values(), *semifinal.guild.channels.values()) for m in t.history()
    ]
    assert not [text for text in everywhere if "1:45" in text or "105" in text], "nobody sees it, not even a TD"
    assert not facts(semifinal, ColoursSettled)
    (row,) = semifinal.parts.db.read_sync(lambda r: r.find(SealedBid))
    assert row.seconds == 105 and "105" not in repr(row)

    answer = await bids(semifinal, "bob", "130")
    assert "Both are in" in answer
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert "Bids: anna 1:45, bob 2:10. **anna has White with 1:45.**" in post
    (settled,) = facts(semifinal, ColoursSettled)
    assert (settled.bid, settled.bids) == (105, (105, 130))


async def test_r3_16_the_lower_bid_has_white_whoever_bids_first(semifinal: World) -> None:
    await tied(semifinal)
    await bids(semifinal, "anna", "3:00")
    await bids(semifinal, "bob", "1")
    assert said(semifinal, "### Armageddon: bob has White", "bob 0:01", "3+0", "Black, 3:00")


@pytest.mark.parametrize("text", ["0", "181", "3:01"])
async def test_r3_16_a_bid_is_from_1_to_180_seconds(semifinal: World, text: str) -> None:
    await tied(semifinal)
    answer = await bids(semifinal, "anna", text)
    assert "from 1 to 180" in answer and "§3.16" in answer
    assert not semifinal.parts.db.read_sync(lambda r: r.find(SealedBid))


@pytest.mark.parametrize("text", ["-5", "two", "1:75", "1:5", " ", "1.5", "٣"])
async def test_a_bid_that_is_no_time_says_what_one_is(semifinal: World, text: str) -> None:
    await tied(semifinal)
    answer = await bids(semifinal, "anna", text)
    assert "is no time" in answer and "`1:45`" in answer
    assert not semifinal.parts.db.read_sync(lambda r: r.find(SealedBid))


async def test_r3_16_a_bid_is_made_once(semifinal: World) -> None:
    await tied(semifinal)
    await bids(semifinal, "anna", "1:45")
    assert "You have made your bid" in await bids(semifinal, "anna", "1:00")
    (row,) = semifinal.parts.db.read_sync(lambda r: r.find(SealedBid))
    assert row.seconds == 105


async def test_a_stranger_at_the_bid_form_is_refused(semifinal: World) -> None:
    await tied(semifinal)
    for who in ("carl", "td"):
        answer = await clicks(semifinal, who, "### Armageddon", "bid-form")
        assert "only these two can do that" in answer or "you have no match" in answer, answer
    assert "No armageddon game is due" in await says(semifinal, "carl", "armageddon bid")
    assert not semifinal.parts.db.read_sync(lambda r: r.find(SealedBid))


async def test_q40_without_a_bid_in_time_it_is_three_minutes(semifinal: World) -> None:
    at = await tied(semifinal)
    await bids(semifinal, "bob", "2:59")
    await semifinal.move_to(at + timedelta(hours=24))
    assert said(semifinal, "### Armageddon: bob has White", "Bids: anna 3:00, bob 2:59")


async def test_q40_no_bids_at_all_are_equal_bids(semifinal: World) -> None:
    at = await tied(semifinal)
    await semifinal.move_to(at + timedelta(hours=24))
    assert said(semifinal, "### Rock, paper, scissors", "equal bids, 3:00 each")


async def test_a_restart_between_the_bids_loses_nothing(semifinal: World) -> None:
    await tied(semifinal)
    await bids(semifinal, "anna", "1:45")
    await semifinal.restart()
    await bids(semifinal, "bob", "1:50")
    assert said(semifinal, "### Armageddon: anna has White")
    await semifinal.restart()
    await semifinal.tick()
    assert len(said(semifinal, "### Armageddon: anna has White")) == 1 and len(facts(semifinal, ColoursSettled)) == 1


# --- Rock, paper, scissors ------------------------------------------------------------------------------------------


async def equal(world: World) -> None:
    await tied(world)
    await bids(world, "anna", "1:30")
    await bids(world, "bob", "90")


async def test_q41_equal_bids_are_thrown_for_and_repeated_on_a_draw(semifinal: World) -> None:
    await equal(semifinal)
    assert "sealed" in await throws(semifinal, "anna", "paper")
    (call,) = said(semifinal, "### Rock, paper, scissors")
    assert "anna has thrown ✓ · bob –" in call and "anna paper" not in call
    assert "equal" in await throws(semifinal, "bob", "paper")
    assert said(semifinal, "Throw 1: anna paper ✋, bob paper ✋.")
    await throws(semifinal, "bob", "scissors")
    await throws(semifinal, "anna", "paper")
    assert said(semifinal, "### Armageddon: bob has White", "Throw 2: anna paper ✋, bob scissors ✌️.")
    (settled,) = facts(semifinal, ColoursSettled)
    assert settled.throws == (("paper", "paper"), ("paper", "scissors"))


async def test_q41_who_does_not_throw_within_five_minutes_loses_that_throw(semifinal: World) -> None:
    await equal(semifinal)
    await throws(semifinal, "bob", "rock")
    await minutes(semifinal, 4)
    assert not facts(semifinal, ColoursSettled)
    await minutes(semifinal, 1)
    assert said(semifinal, "### Armageddon: bob has White", "anna did not throw")


async def test_q41_while_both_are_silent_nobody_is_pinged_again(semifinal: World) -> None:
    await equal(semifinal)
    await minutes(semifinal, 31)
    assert len(said(semifinal, "### Rock, paper, scissors")) == 1
    await throws(semifinal, "anna", "rock")
    await throws(semifinal, "bob", "scissors")
    assert said(semifinal, "### Armageddon: anna has White")


async def test_q41_a_throw_is_made_once_and_by_the_two(semifinal: World) -> None:
    await equal(semifinal)
    await throws(semifinal, "anna", "paper")
    assert "You have thrown" in await throws(semifinal, "anna", "rock")
    assert "only these two can do that" in await throws(semifinal, "carl", "rock")
    assert len(semifinal.parts.db.read_sync(lambda r: r.find(SealedThrow))) == 1


# --- The game -------------------------------------------------------------------------------------------------------


async def test_q39_the_post_says_how_it_is_played_and_has_the_challenge(semifinal: World) -> None:
    await anna_has_white(semifinal)
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert "3+0 antichess, anna White" in post and "**1:30 or less**" in post
    assert "a game of 1:30 without increment, in which anna at once gives bob “more time” 6 times" in post
    made = semifinal.lichess.challenges[-1]
    assert (made.users, made.clock, made.rated, made.variant) == (("anna", "bob"), (180, 0), False, "antichess")
    assert f"lichess.org/{made.id}" in post


async def test_r3_16_a_drawn_armageddon_game_is_blacks_win(semifinal: World) -> None:
    await anna_has_white(semifinal)
    armageddon(semifinal, "anna", "bob", None)
    await minutes(semifinal, 5)
    (result,) = [m.content for m in semifinal.channel("results").history() if "anna" in m.content]
    assert result.startswith("**Semifinal 1: anna 5–5 bob, armageddon won by bob**") and "Armageddon: [1](" in result
    (played,) = facts(semifinal, MatchPlayed)
    assert played.armageddon is not None and played.armageddon.a == 0


async def test_r3_16_white_can_win_it(semifinal: World) -> None:
    await anna_has_white(semifinal)
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 5)
    assert said(semifinal, "**Finished: anna 5–5 bob, armageddon won by anna**")


async def test_r3_16_a_game_that_a_td_counts_during_the_bidding_decides_nothing(semifinal: World) -> None:
    await tied(semifinal)
    game = armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    match = next(one for one in open_matches(semifinal) if one.has(entrant(semifinal, "anna")))
    ruling = {"match": match.id, "game": game, "decision": "accepted"}
    answer = await says(semifinal, "td", "td-match games", **ruling, reason="Both want it.")
    assert (
        "Then: anna 5–5 bob, open: one armageddon game decides (§3.16)." in answer
        and "stays an **extra game** and decides nothing" in answer
    )
    (told,) = said(semifinal, "a TD has looked at")
    assert "stays an **extra game** and decides nothing" in told and "counts" not in told
    assert "Bid for White; the thread says how." in told and "lay on" not in told
    assert said(semifinal, "A TD has decided:", "stays an **extra game**"), "what was said of it before follows"
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    await minutes(semifinal, 6)
    assert facts(semifinal, ColoursSettled) and not facts(semifinal, MatchPlayed)
    armageddon(semifinal, "anna", "bob", BLACK_WINS)
    await minutes(semifinal, 6)
    (played,) = facts(semifinal, MatchPlayed)
    assert played.extra == (game,) and said(semifinal, "armageddon won by bob")
    assert said(semifinal, "a TD has looked at", "stays an **extra game**")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"second": 91}, "above the bid"),
        ({"white": "bob"}, "other colours"),
        ({"clock": (60, 2), "rated": True}, "clock"),
    ],
    ids=["above the bid", "colours", "clock"],
)
async def test_q39_a_game_against_the_bids_does_not_count(semifinal: World, fields: dict[str, Any], why: str) -> None:
    await anna_has_white(semifinal)
    white = fields.pop("white", "anna")
    armageddon(semifinal, white, "bob" if white == "anna" else "anna", WHITE_WINS, **fields)
    await minutes(semifinal, 5)
    assert not facts(semifinal, MatchPlayed)
    assert said(semifinal, "play", "again", why)
    armageddon(semifinal, "anna", "bob", BLACK_WINS)
    await minutes(semifinal, 5)
    assert said(semifinal, "**Finished: anna 5–5 bob, armageddon won by bob**")


async def test_q41_an_aborted_armageddon_game_is_played_again_with_the_same_colours(semifinal: World) -> None:
    await anna_has_white(semifinal)
    armageddon(semifinal, "anna", "bob", None, status="aborted")
    await minutes(semifinal, 5)
    assert not facts(semifinal, MatchPlayed)
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 5)
    assert facts(semifinal, MatchPlayed) and len(facts(semifinal, ColoursSettled)) == 1


async def test_q39_without_a_challenge_the_words_are_enough(semifinal: World) -> None:
    await tied(semifinal)
    await bids(semifinal, "anna", "1:30")
    semifinal.lichess.fail_next("down", times=20, on="/api/challenge/open")
    await bids(semifinal, "bob", "2:00")
    await semifinal.tick()
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert "anna challenges [bob](" in post


# --- The Finals -----------------------------------------------------------------------------------------------------


async def plays(world: World, a: str, b: str, score: str) -> datetime:
    finals = [match for match in open_matches(world) if loaded(world).round_of(match).stage is Stage.FINALS]
    match = next(match for match in finals if match.has(entrant(world, a)))
    at = await agree(world, a, b, "Sat 28 18:00", match=match.id)
    world.lichess.play_match(a, b, at, games(score))
    await world.move_to(at + timedelta(minutes=4 * len(score)))
    return at


def result_of(world: World, *names: str) -> str:
    return next(m.content for m in world.channel("results").history() if all(name in m.content for name in names))


async def test_r3_14_the_finals_have_twelve_games(final: World) -> None:
    await plays(final, "anna", "bob", "1111110")
    assert result_of(final, "anna").startswith("🔴 **Live · Grand Final: anna 6–1 bob**")
    await plays_on(final, "anna", "bob", "1")
    assert result_of(final, "anna").startswith("**Grand Final: anna 7–1 bob**")


async def test_r3_15_a_tied_grand_final_has_four_tiebreak_games(final: World) -> None:
    await plays(final, "anna", "bob", "10" * 6 + "110")
    assert result_of(final, "anna").startswith("🔴 **Live · Grand Final: anna 6–6 bob, tiebreak 2–1**")
    await plays_on(final, "anna", "bob", "1")
    assert result_of(final, "anna").startswith("**Grand Final: anna 6–6 bob, tiebreak 3–1**")


async def test_r3_15_a_tied_playoff_has_two_tiebreak_games_and_then_armageddon(final: World) -> None:
    await plays(final, "carl", "dora", "10" * 6 + "10")
    (call,) = [m.content for m in thread(final, "F ·", "carl", "dora").history() if "### Armageddon" in m.content]
    assert "carl 6–6 dora, tiebreak 1–1" in call


async def plays_on(world: World, a: str, b: str, score: str) -> None:
    world.lichess.play_match(a, b, world.clock.now(), games(score))
    await world.move(minutes=4 * len(score) + 2)

"""R3.13, R3.16, Q39-Q41: what may come in between in a tied knock-out match."""

from __future__ import annotations

from datetime import datetime, timedelta

import discord

from engine.facts import ColoursSettled, MatchPlayed
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_terms import facts
from tests.cogs.tying import (
    BLACK_WINS,
    MINUTE,
    TIED,
    WHITE_WINS,
    anna_has_white,
    armageddon,
    bids,
    minutes,
    open_matches,
    said,
    throws,
    tied,
)
from tests.world import World, custom_ids, text_of


async def tied_at_the_deadline(world: World) -> datetime:
    """They begin twenty minutes before it, and nobody leads half an hour after it (Q8)."""
    match = open_matches(world)[0]
    closes = loaded(world).window(match).closes
    at = closes - 20 * MINUTE
    await agree(world, "anna", "bob", f"{at - 40 * MINUTE:%d %b %H:%M}", match=match.id)
    world.lichess.play_match("anna", "bob", at, games(TIED))
    await world.move_to(at + 60 * MINUTE)
    return closes


# --- The game comes after the bids ----------------------------------------------------------------------------------


async def test_r3_16_a_game_before_the_colours_are_known_is_no_armageddon_game(semifinal: World) -> None:
    await tied(semifinal)
    await bids(semifinal, "anna", "1:30")
    armageddon(semifinal, "anna", "bob", BLACK_WINS, second=60)
    await minutes(semifinal, 6)
    (told,) = said(semifinal, "does not count")
    assert "first bid for White" in told and "1+2" not in told
    await bids(semifinal, "bob", "2:00")
    await minutes(semifinal, 6)
    assert facts(semifinal, ColoursSettled) and not facts(semifinal, MatchPlayed)
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    assert facts(semifinal, MatchPlayed) and said(semifinal, "armageddon won by anna")


async def test_r3_13_games_played_on_after_a_tie_are_told_not_to_count(semifinal: World) -> None:
    await tied(semifinal)
    semifinal.lichess.play_match("anna", "bob", semifinal.clock.now(), games("1"))
    await minutes(semifinal, 6)
    (told,) = said(semifinal, "does not count")
    assert "Nobody leads after all games" in told and not facts(semifinal, MatchPlayed)


async def test_q41_a_replayed_armageddon_game_keeps_bids_and_colours(semifinal: World) -> None:
    await anna_has_white(semifinal)
    first = armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    match = next(m for m in loaded(semifinal).matches.values() if {m.a_id, m.b_id} == anna_and_bob(semifinal))
    ruled = {"match": match.id, "game": first, "decision": "replay", "reason": "lag"}
    assert "Recorded" in await says(semifinal, "td", "td-match games", **ruled)
    await minutes(semifinal, 3)
    assert len(facts(semifinal, ColoursSettled)) == 1
    assert not said(semifinal, "void") and len(said(semifinal, "### Armageddon")) == 2
    armageddon(semifinal, "anna", "bob", BLACK_WINS)
    await minutes(semifinal, 6)
    assert said(semifinal, "armageddon won by bob")


def anna_and_bob(world: World) -> set[int]:
    return {entrant(world, "anna"), entrant(world, "bob")}


# --- Ties that come about otherwise ---------------------------------------------------------------------------------


async def test_r3_13_a_tie_without_an_agreed_time_is_called_by_the_report(semifinal: World) -> None:
    at = semifinal.clock.now() + timedelta(days=1)
    semifinal.lichess.play_match("anna", "bob", at, games(TIED))
    await semifinal.move_to(at + 60 * MINUTE)
    await says(semifinal, "anna", "report")
    asked = [m for m in thread(semifinal, "SF", "anna", "bob").history() if "confirm" in str(custom_ids(m))][-1]
    yes = next(id for id in custom_ids(asked) if "confirm" in id)
    answer = text_of(await semifinal.click(semifinal.people["bob"], asked, yes))
    assert answer.startswith("anna 5–5 bob: nobody leads") and "both bid for White, by" in answer
    await minutes(semifinal, 1)
    assert said(semifinal, "### Armageddon: anna 5–5 bob")
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    assert "armageddon won by anna" in await says(semifinal, "anna", "report")


async def test_q40_a_tie_after_the_deadline_leaves_time_for_the_bids(semifinal: World) -> None:
    closes = await tied_at_the_deadline(semifinal)
    (call,) = said(semifinal, "### Armageddon: anna 5–5 bob")
    assert "Bid by" in call and "did not throw" not in call
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert f"Play it by {closes + timedelta(hours=2):%a %d %b %H:%M}" in post
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    assert said(semifinal, "armageddon won by anna")


async def test_q41_once_somebody_has_thrown_an_extension_opens_no_bidding(semifinal: World) -> None:
    await tied_at_the_deadline(semifinal)
    await bids(semifinal, "anna", "60")
    await bids(semifinal, "bob", "60")
    assert "sealed" in await throws(semifinal, "anna", "rock")
    await says(semifinal, "td", "td-match extend", match=open_matches(semifinal)[0].id, reason="more time")
    await minutes(semifinal, 1)
    assert "sealed" not in await throws(semifinal, "bob", "scissors")
    assert said(semifinal, "### Armageddon: anna has White")
    assert not [text for text in said(semifinal, "Rock, paper, scissors") if "### Rock" in text], (
        "no throw is called any more"
    )


async def test_q41_after_hours_of_silence_the_post_still_says_all_of_it(semifinal: World) -> None:
    at = await tied(semifinal)
    await semifinal.move_to(at + timedelta(hours=33))
    await throws(semifinal, "anna", "rock")
    await throws(semifinal, "bob", "scissors")
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert "bob has Black" in post and "1. " in post and "Play it by" in post and "did not throw" not in post


# --- Where it is shown ----------------------------------------------------------------------------------------------


async def test_r3_16_card_hub_and_history_know_of_the_tie(semifinal: World) -> None:
    await tied(semifinal)
    card = thread(semifinal, "SF", "anna", "bob").history()[0]
    assert "So far: anna 5–5 bob" in card.content and "one armageddon game decides" in card.content
    assert any("bid-form" in id for id in custom_ids(card))
    hub = await says(semifinal, "anna", "hub")
    assert "anna 5–5 bob" in hub and "Bid for White" in hub
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    card = thread(semifinal, "SF", "anna", "bob").history()[0]
    assert "anna has White with 1:30" in card.content and not any("bid-form" in id for id in custom_ids(card))
    assert "anna has White with 1:30" in await says(semifinal, "bob", "hub")
    armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    shown = await says(semifinal, "anna", "match show")
    assert "armageddon: anna has White with 1:30 (bids 1:30 and 2:00)" in shown
    assert "result: anna 5–5 bob, armageddon won by anna" in shown


async def test_q41_where_bids_are_equal_every_place_says_throw(semifinal: World) -> None:
    await tied(semifinal)
    await equal_bids(semifinal)
    hub, shown = [await says(semifinal, "anna", command) for command in ("hub", "match show")]
    card, live = board(semifinal).content, score_post(semifinal)
    for text in (hub, shown, card):
        assert "rock, paper, scissors decides who has it" in text and "Throw for White" in text
    assert "rock, paper, scissors decides who has it" in live
    (call,) = said(semifinal, "### So far")
    assert "Throw for White" in call
    for text in (hub, shown, card, live, call):
        assert "Bid for White" not in text and "Nobody leads" not in text and "lay on" not in text
    buttons = custom_ids(board(semifinal))
    assert any(".rock" in id for id in buttons) and not any("bid-form" in id for id in buttons)
    rock = next(id for id in buttons if ".rock" in id)
    assert "sealed" in text_of(await semifinal.click(semifinal.people["anna"], board(semifinal), rock))
    await throws(semifinal, "bob", "scissors")
    for text in (board(semifinal).content, score_post(semifinal), *said(semifinal, "### So far")):
        assert "anna has White with 1:30" in text
    assert not any("throw" in id for id in custom_ids(board(semifinal)))


async def test_q41_what_is_refused_or_told_at_equal_bids_says_throw(semifinal: World) -> None:
    await tied(semifinal)
    await equal_bids(semifinal)
    for command in ("match opponent-absent", "match opponent-left", "match break"):
        assert "**throw first**" in await says(semifinal, "anna", command), command
    assert "throw for White in the match thread" in await says(semifinal, "anna", "report")
    armageddon(semifinal, "anna", "bob", BLACK_WINS)
    await minutes(semifinal, 3)
    (told,) = said(semifinal, "does not count")
    assert "first throw for White" in told


async def test_q41_an_extension_that_opens_the_bidding_again_is_shown(semifinal: World) -> None:
    closes = await tied_at_the_deadline(semifinal)
    await semifinal.move_to(closes + 60 * MINUTE)
    assert "Throw for White" in board(semifinal).content
    await says(semifinal, "td", "td-match extend", match=open_matches(semifinal)[0].id, reason="more time")
    for text in (board(semifinal).content, await says(semifinal, "anna", "hub")):
        assert "Bid for White" in text and "Throw" not in text
    assert "Nobody leads" in score_post(semifinal)


async def test_q40_after_the_deadline_the_tie_says_what_is_due(semifinal: World) -> None:
    await tied_at_the_deadline(semifinal)
    hub, shown = [await says(semifinal, "anna", command) for command in ("hub", "match show")]
    for text in (hub, shown, board(semifinal).content, *said(semifinal, "### So far")):
        assert "finish it by" in text and "Bid for White" in text and "lay on" not in text
    assert "one armageddon game decides" in score_post(semifinal) and "5–5" in hub
    assert any("bid-form" in id for id in custom_ids(board(semifinal)))
    await equal_bids(semifinal)
    card = board(semifinal).content
    assert "finish it by" in card and "Throw for White" in card and "Bid for White" not in card


async def test_q40_bids_that_are_called_when_the_time_is_over_are_not_hidden(semifinal: World) -> None:
    match = open_matches(semifinal)[0]
    closes = loaded(semifinal).window(match).closes
    at = closes - 20 * MINUTE
    await agree(semifinal, "anna", "bob", f"{at - 40 * MINUTE:%d %b %H:%M}", match=match.id)
    semifinal.lichess.play_match("anna", "bob", at, games(TIED[:-1]))
    semifinal.lichess.play_match("anna", "bob", closes + 114 * MINUTE, games(TIED[-1]))
    await semifinal.move_to(closes + 118 * MINUTE)
    assert said(semifinal, "### Armageddon: anna 5–5 bob", "Bid by")
    await semifinal.move_to(closes + 122 * MINUTE)
    for text in (board(semifinal).content, *said(semifinal, "### So far"), *said(semifinal, "a TD decides when")):
        assert "Bid for White" in text and "a TD decides when you play" in text and "no more game" not in text
    assert any("bid-form" in id for id in custom_ids(board(semifinal)))
    await equal_bids(semifinal)
    assert "Throw for White" in board(semifinal).content and "no more game" not in board(semifinal).content
    await throws(semifinal, "anna", "rock")
    await throws(semifinal, "bob", "scissors")
    (post,) = said(semifinal, "### Armageddon: anna has White")
    assert "a TD decides when you play it" in post and "Play it by" not in post
    assert "no more game counts, so a TD decides" in board(semifinal).content


async def equal_bids(world: World) -> None:
    await bids(world, "anna", "1:30")
    await bids(world, "bob", "90")
    await world.tick()


def board(world: World) -> discord.Message:
    """The card of the match."""
    return thread(world, "SF", "anna", "bob").history()[0]


def score_post(world: World) -> str:
    (found,) = [m.content for m in world.channel("results").history() if "anna 5–5 bob" in m.content]
    return found


async def test_r3_16_at_a_tie_nobody_is_absent_or_has_left(semifinal: World) -> None:
    await tied(semifinal)
    for command in ("match opponent-absent", "match opponent-left", "match break"):
        assert "bid first" in await says(semifinal, "anna", command), command


async def test_q39_a_game_without_clocks_asks_the_tds_to_look_at_the_clock(semifinal: World) -> None:
    await anna_has_white(semifinal)
    armageddon(semifinal, "anna", "bob", WHITE_WINS, clocks=None)
    await minutes(semifinal, 6)
    (notice,) = [m.content for m in semifinal.channel("directors").history() if "needs your look" in m.content]
    assert "White's clock must be at or below the bid" in notice and "`cheat`" not in notice

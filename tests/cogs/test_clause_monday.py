"""Let play all the same, absent, unplayed on Monday night, and times on the own clock: Q2, Q6, Q7, Q9, R5.3.

With the players and the week of `test_clause_terms`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.facts import MatchExtended, MatchRuled, PlayAllowed
from engine.model import Match
from tests.clauses.stage import agree, card, said, says, thread
from tests.cogs.test_clause_terms import (
    BOB_DORA,
    MATCHES_END,
    OFFERS_END,
    SECOND,
    both_offer,
    desk,
    facts,
    one_fails,
    posts_with,
)
from tests.cogs.test_clause_terms_later import HOUR, newest, pinged
from tests.world import World, custom_ids

# --- Allowed to play all the same (Q2) --------------------------------------------------------------------------------


async def allowed(world: World) -> None:
    """anna and carl have agreed; bob and dora may play in spite of §5.6."""
    await agree(world, "anna", "carl", "Sun 29 18:00")
    await world.move_to(OFFERS_END)
    await says(world, "td", "td-match waive", match=BOB_DORA, reason="Both were ill.")


async def test_q2_allowed_and_not_played_the_draw_stands_and_both_are_told(event: World) -> None:
    await allowed(event)
    told = newest(event, "bob").content
    assert "without a game they stand" in told
    await event.move_to(MATCHES_END + 2 * HOUR - SECOND)
    assert "If not, the draw and the forfeits of §5.6 stand." in card(event, "bob").content
    await event.move_to(MATCHES_END + 2 * HOUR)
    told = newest(event, "bob")
    assert "The time to play all the same is over, and Lichess shows no game of yours that counts." in told.content
    assert "It stands: bob ½–½ dora (forfeit)." in told.content or "It stands: dora ½–½ bob" in told.content
    assert pinged(told) == ["bob", "dora"]
    assert "**Finished:" in card(event, "bob").content
    assert "already has its result" in await says(event, "bob", "report")
    assert "They were let play all the same, and no game that counts was found" in desk(event)


async def test_q2_allowed_played_and_not_reported_nothing_is_lost(event: World) -> None:
    await allowed(event)
    at = await agree(event, "bob", "dora", "Mon 20:00")
    event.lichess.play_match("bob", "dora", at, "aaaaaa")
    await event.move_to(MATCHES_END + 2 * HOUR)
    assert "**Played but not reported**" in desk(event)
    assert "The time for this match is over" in newest(event, "bob").content
    assert "bob 6–0 dora" in await says(event, "bob", "report")


async def test_q2_let_play_after_the_deadline_means_time_to_play(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await event.move_to(MATCHES_END + HOUR)
    await says(event, "td", "td-match waive", match=BOB_DORA, reason="Both were ill.")
    assert len(facts(event, PlayAllowed)) == len(facts(event, MatchExtended)) == 1
    assert "play by Mon 6 Apr 23:59 UTC" in card(event, "bob").content
    assert "Offered to dora" in await says(event, "bob", "offer", times="Sun 5 Apr 18:00", match=BOB_DORA)


# --- Two forfeits (R6.5, Q25) beside R5.6 ---------------------------------------------------------------------------


async def two_rounds_without_offers(world: World) -> None:
    """anna and carl have played round 1; bob and dora have offered nothing in either round, nor anybody in round 2."""
    at = await agree(world, "anna", "carl", "Sat 18:00")
    world.lichess.play_match("anna", "carl", at, "aaaaaa")
    await world.move_to(at + HOUR)
    await says(world, "anna", "report")
    await world.move_to(datetime.fromisoformat("2026-04-04T00:00:00+00:00"))


def of_round_2(world: World, name: str) -> Any:
    return next(t for title, t in world.threads.items() if title.startswith("R2 ") and name in title)


async def test_q25_a_second_forfeit_says_what_follows_and_the_player_is_told_when_it_does(event: World) -> None:
    await two_rounds_without_offers(event)
    assert "⚠ bob has forfeited in two matches now and is out of the event with the next pairings (§6.5)" in desk(event)
    told = said(of_round_2(event, "bob"))
    assert "**bob, you have forfeited in two matches: by §6.5 you are out of the event" in told
    assert "anna, you have forfeited in two matches" not in said(of_round_2(event, "anna"))
    await event.move_to(datetime.fromisoformat("2026-04-07T12:00:00+00:00"))
    messages = event.direct_messages(event.people["bob"])
    assert "disqualified (a forfeit in two matches, §6.5)" in messages[-1]
    assert "disqualified (a forfeit in two matches" in await says(event, "bob", "hub")
    assert all("disqualified" not in message for message in event.direct_messages(event.people["anna"]))


async def test_q2_q25_a_forfeit_in_a_match_that_may_be_played_disqualifies_nobody_yet(event: World) -> None:
    await two_rounds_without_offers(event)
    for who in ("bob", "dora"):
        thread_of = of_round_2(event, who)
        stored = event.parts.db.read_sync(lambda r, id=thread_of.id: r.one(Match, thread_id=id))
        await says(event, "td", "td-match waive", match=stored.id, reason="Both were ill.")
    await event.move_to(datetime.fromisoformat("2026-04-06T20:00:00+00:00"))
    assert "is disqualified" not in desk(event).split("Both were ill.")[-1]
    # Not played: the permission ends on Tuesday 02:00, and then the forfeits count.
    await event.move_to(datetime.fromisoformat("2026-04-07T12:00:00+00:00"))
    assert "bob is disqualified (two forfeits)" in desk(event)


# --- Absent, unplayed, open on Tuesday (Q6, Q7, Q9) -------------------------------------------------------------------


async def test_q6_at_the_set_time_nobody_is_there_both_are_asked_and_nothing_is_decided(event: World) -> None:
    await one_fails(event)
    await says(event, "anna", "set-time", time="Sun 29 15:00")
    await event.move_to(datetime.fromisoformat("2026-03-29T15:15:00+00:00"))
    assert "no game" in newest(event, "anna").content and pinged(newest(event, "anna")) == ["anna", "carl"]
    await event.move_to(MATCHES_END - SECOND)
    assert facts(event, MatchRuled) == [] and "match deadline has passed" not in desk(event)


async def test_q7_nobody_played_by_monday_is_no_result_but_a_list_with_what_the_rules_suggest(event: World) -> None:
    await one_fails(event)
    await says(event, "anna", "set-time", time="Sun 29 15:00")
    await event.move_to(MATCHES_END)
    assert facts(event, MatchRuled) == []
    told = posts_with(event.channel("directors"), "extend:")[-1].content
    assert "the match deadline has passed" in told and "Nothing is decided by silence" in told
    for a, b in (("anna", "carl"), ("bob", "dora")):
        line = next(line for line in told.splitlines() if a in line and b in line)
        assert "if nobody came, ½–½ and a forfeit each; if one proves to have been there, a" in line
    assert "nothing is decided by silence" in newest(event, "anna").content


@pytest.mark.parametrize(
    ("prepare", "suggests"),
    [
        (both_offer, "if nobody is at fault, a draw; else the other sets the time after an extension"),
        (one_fails, "carl is at fault: extend and set a time (§5.5, §5.10)"),
    ],
)
async def test_q7_what_the_rules_suggest_depends_on_the_case(
    event: World, prepare: Callable[[World], Any], suggests: str
) -> None:
    await prepare(event)
    await event.move_to(MATCHES_END)
    told = posts_with(event.channel("directors"), "extend:")[-1].content
    assert suggests in next(line for line in told.splitlines() if "anna" in line)


async def test_q9_the_notice_about_unplayed_matches_follows_what_happens_to_them(event: World) -> None:
    await both_offer(event)
    event.lichess.play_match("bob", "dora", datetime.fromisoformat("2026-03-29T18:00:00+00:00"), "aaaaaa")
    await event.move_to(MATCHES_END)
    notice = posts_with(event.channel("directors"), "extend:")[-1]
    assert "bob" in notice.content and "anna" in notice.content
    await says(event, "bob", "report")
    notice = posts_with(event.channel("directors"), "extend:")[-1]
    assert "bob – dora" not in notice.content and "anna" in notice.content


# --- A thread that was deleted ----------------------------------------------------------------------------------------


async def test_a_thread_deleted_after_the_judgement_comes_back_without_what_stood_in_it(event: World) -> None:
    await one_fails(event)
    gone = thread(event, "anna")
    event.env.backend.delete_channel(gone.id)
    await event.tick()
    await event.settle()
    await event.tick()
    await says(event, "carl", "offer", times="Mon 20:00")
    new = thread(event, "anna")
    assert new.id != gone.id
    texts = [message.content for message in new.history()]
    assert "**anna sets the time**" in texts[0] and any("set-time" in id for id in custom_ids(new.history()[0]))
    assert len(texts) == 2 and "carl offers a time" in texts[1], texts


# --- Times on the player's own clock ----------------------------------------------------------------------------------


async def test_r5_3_a_player_with_a_zone_reads_and_writes_on_the_own_clock(event: World) -> None:
    await says(event, "carl", "timezone", zone="Asia/Tokyo")
    refused_text = await says(event, "carl", "offer", times="some day")
    assert "in Asia/Tokyo" in refused_text and "UTC" not in refused_text
    await says(event, "anna", "offer", times="Sat 28 Mar 14:00-20:00 UTC")
    answer = await says(event, "carl", "accept", offer=1, time="Sun 00:30")
    assert "Agreed: Sat 28 Mar 15:30 UTC" in answer
    again = await says(event, "carl", "accept", offer=1, time="Sun 01:00")
    assert "has its time" in again, "one acceptance, one minute"
    assert "Agreed: Sat 28 Mar 15:30 UTC" in card(event, "anna").content


async def test_r5_5_what_is_refused_says_what_was_not_done_with_examples_that_would_do(event: World) -> None:
    await one_fails(event)
    refused_text = await says(event, "anna", "set-time", time="soon")
    assert "Nothing was set." in refused_text
    example = refused_text.split("`")[1]
    assert "is set for" in await says(event, "anna", "set-time", time=example)


async def test_r5_1_examples_on_the_last_day_are_inside_the_window(event: World) -> None:
    await both_offer(event)
    await event.move_to(MATCHES_END - timedelta(hours=4))
    example = (await says(event, "anna", "offer", times="later")).split("`")[1]
    assert "Offered to carl" in await says(event, "anna", "offer", times=example), example

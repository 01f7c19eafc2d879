"""What holds after a decision was taken back (R1.3, R5.6, R5.10, R8; Q12, Q29, Q38d, Q44e).

Nobody is judged by what nobody owed, and nothing that rested on the decision goes on counting. anna plays carl, bob
plays dora; round 1 is out on Sunday 22 March 2026 at 12:00, offers count until Friday midnight.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from engine.facts import EntrantLeft, FaultFound
from tests.clauses.evening import (
    MINUTE,
    choices,
    directors,
    forfeits,
    minutes,
    misses_two,
    presses,
    reported,
    ruled,
    said,
)
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs import tying
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_early import played_early
from tests.cogs.test_clause_terms import facts
from tests.cogs.test_clause_undo import offered
from tests.cogs.test_clause_vanished import vanish
from tests.world import World, custom_ids

SATURDAY = datetime(2026, 3, 28, 10, tzinfo=UTC)


async def undoes(world: World, *words: str, reason: str | None = "A mistake.") -> str:
    """The newest decision in whose line these words are."""
    found = [id for id, name in (await offered(world)).items() if all(word in name for word in words)]
    return await says(world, "td", "td undo", ref=found[0], **({"reason": reason} if reason else {}))


def at_fault(world: World, name: str) -> bool:
    return any(entrant(world, name) in found.at_fault for found in facts(world, FaultFound))


# --- The time for offers (R5.1, R5.6) -------------------------------------------------------------------------------


async def withdrawn(world: World) -> str:
    asked = await world.slash(world.people["carl"], "withdraw")
    await world.click(world.people["carl"], asked.response, custom_ids(asked.response)[0])
    await world.tick()
    return "carl has withdrawn"


async def time_set(world: World) -> str:
    await says(world, "td", "td-match time", match=1, time="Sun 29 20:00", reason="Both asked.")
    return "time set"


async def extended(world: World) -> str:
    await says(world, "td", "td-match extend", match=1, reason="Holidays.")
    return "may be played until"


@pytest.mark.parametrize("decides", [withdrawn, time_set, extended])
async def test_r5_6_nobody_is_at_fault_for_offers_that_nobody_owed_until_it_was_taken_back(
    event: World, decides: Any
) -> None:
    await event.move(days=2)
    words = await decides(event)
    await event.move_to(SATURDAY)
    assert (await undoes(event, words)).startswith("Recorded")
    await minutes(event, 3)
    assert not at_fault(event, "anna") and "anna" not in forfeits(event) and "carl" not in forfeits(event)
    assert "**With the TDs:**" in thread(event, "anna", "carl").history()[0].content
    assert said(event, "Nobody is at fault so far, but there was no agreement")
    at = await agree(event, "anna", "carl", "Sun 29 18:00")
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + 40 * MINUTE)
    assert "Recorded" in await says(event, "anna", "report")


async def test_r5_6_so_it_is_when_a_td_lets_somebody_in_again(event: World) -> None:
    await event.move(days=2)
    await withdrawn(event)
    await event.move_to(SATURDAY)
    await says(event, "td", "td-player reinstate", player=entrant(event, "carl"), reason="He was ill.")
    await minutes(event, 3)
    assert not at_fault(event, "anna") and "anna" not in forfeits(event)


async def test_r5_6_what_was_taken_back_before_the_deadline_leaves_the_duty(event: World) -> None:
    await event.move(days=2)
    await time_set(event)
    assert (await undoes(event, "time set")).startswith("Recorded")
    await event.move_to(SATURDAY)
    assert at_fault(event, "anna") and at_fault(event, "carl")


async def test_q10_a_match_of_an_older_round_is_extended_to_the_deadline_of_the_next(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    await presses(event, "anna", "claim-win")
    await event.move_to(datetime(2026, 3, 31, 12, tzinfo=UTC))
    assert any(title.startswith("R2 ") for title in event.threads)
    await undoes(event, "no show")
    answer = await says(event, "td", "td-match extend", match=1, reason="He had a power cut.")
    assert "Mon 6 Apr 23:59 UTC" in answer


# --- Games (Q12, Q35) -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("followed")
async def test_q12_with_the_word_that_counts_early_games_goes_what_had_begun_by_it(event: World) -> None:
    _, ids = await played_early(event, "0000")
    await says(event, "td", "td-match games", match=1, game=ids[0], decision="accepted", reason="They meant it.")
    await minutes(event, 2)
    assert said(event, "anna 0–4 carl")
    preview = await undoes(event, "a game", "counts", reason=None)
    assert "now anna 0–4 carl, open; then anna 0–0 carl, open" in preview and "lichess.org" in preview
    await undoes(event, "a game", "counts")
    await minutes(event, 12)
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("111111"))
    await minutes(event, 30)
    assert said(event, "### Finished: anna 6–0 carl")


async def test_r5_10_without_its_result_a_match_is_not_called_over(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + 40 * MINUTE)
    await says(event, "anna", "report")
    assert "then open until somebody reports or a TD rules" in await undoes(event, "6–0", reason=None)
    await undoes(event, "6–0")
    for command in ("match break", "match opponent-left"):
        assert "The TDs have taken the result of this match back" in await says(event, "anna", command)


async def test_r3_16_without_its_result_a_tied_match_waits_for_no_armageddon_game(semifinal: World) -> None:
    await tying.tied(semifinal)
    await tying.bids(semifinal, "anna", "1:30")
    await tying.bids(semifinal, "bob", "2:00")
    tying.armageddon(semifinal, "anna", "bob", tying.WHITE_WINS)
    await tying.minutes(semifinal, 6)
    assert "Recorded" in await undoes(semifinal, "decided by armageddon")
    await tying.minutes(semifinal, 3)
    card = thread(semifinal, "SF", "anna", "bob").history()[0].content
    assert "The TDs have taken the result back" in card and "armageddon game decides" not in card
    assert "armageddon" not in await says(semifinal, "carl", "standings")


@pytest.mark.usefixtures("followed")
async def test_q35_both_read_that_a_game_is_gone_and_that_the_tds_decide(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + 10 * MINUTE)
    vanish(event, ids[0])
    await minutes(event, 3)
    (told,) = said(event, "Lichess does not show", ids[0])
    assert "**wait for the TDs**" in told and f"<@{event.people['carl'].id}>" in told
    answer = await says(event, "anna", "report")
    assert "does not show a game any more that has counted" in answer and ids[0] in answer


# --- The ten minutes (R5.10, Q38d) ----------------------------------------------------------------------------------


async def test_q38d_a_stop_is_not_taken_back_once_the_other_has_reported(event: World) -> None:
    await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="He wrote to us.")
    await says(event, "carl", "match opponent-absent")
    assert "Something was reported after these ten minutes" in await undoes(event, "ten minutes", reason=None)
    assert "Something was reported after these ten minutes" in await undoes(event, "ten minutes")
    await minutes(event, 12)
    assert len(choices(event)) == 1


async def test_r5_10_both_read_how_the_ten_minutes_go_on(event: World) -> None:
    at = await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="He wrote to us.")
    await undoes(event, "ten minutes")
    assert said(event, "The TDs have taken this back", "They run until Sat 28 Mar 18:12 UTC")
    await says(event, "td", "td-match timer", match=1, reason="He wrote again.")
    await event.move_to(at + 20 * MINUTE)
    await undoes(event, "ten minutes")
    assert said(event, "The TDs have taken this back", "They were over at Sat 28 Mar 18:12 UTC.")


# --- Who is out (Q29, Q44e) -----------------------------------------------------------------------------------------


async def test_q44e_an_exit_for_two_forfeits_is_taken_back_by_lifting_one(event: World) -> None:
    await misses_two(event)
    answer = await says(
        event, "td", "td-player disqualify", player=entrant(event, "carl"), ground="two_forfeits", reason="§6.5"
    )
    assert "disqualified (two forfeits)" in answer
    assert "`/td-player reinstate` lifts the second forfeit" in await undoes(event, "disqualified", reason=None)
    assert entrant(event, "carl") in loaded(event).tournament.left
    assert "no show" in await undoes(event, "no show")
    assert not loaded(event).tournament.left, "with a forfeit goes the exit that rests on it"


async def test_q29_an_exit_before_the_newest_pairings_is_for_reinstate(event: World) -> None:
    await event.move(days=2)
    await withdrawn(event)
    await settle(event, 1, "bob", but="anna")
    await event.move_to(datetime(2026, 3, 31, 12, tzinfo=UTC))
    assert any(title.startswith("R2 ") for title in event.threads)
    assert "`/td-player reinstate` lets them play on" in await undoes(event, "carl has withdrawn", reason=None)
    assert len(facts(event, EntrantLeft)) == 1 and not directors(event, "**Ruling** by td", "Taken back")


async def test_the_list_is_plain_text(event: World) -> None:
    await event.move(days=2)
    await extended(event)
    assert ruled(event) == []
    (line, *_) = (await offered(event)).values()
    assert "may be played until" in line and "<t:" not in line and "\\" not in line

"""The opponent is not there at the agreed time (R6.3, R6.5; Q11, Q11b, Q11c, Q13, Q19, Q24, Q25, Q38d).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from engine.model import Authority
from engine.timers import TimerEnd
from engine.usecases.claims import Choice
from tests.clauses.evening import (
    MINUTE,
    choices,
    directors,
    forfeits,
    presses,
    reported,
    ruled,
    said,
    timers,
)
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs.entering import actor
from tests.world import World, custom_ids, text_of

# --- The report -----------------------------------------------------------------------------------------------------


async def test_r6_3_an_absence_is_reported_from_the_agreed_minute_to_an_hour_after_it(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - timedelta(seconds=1))
    assert "not before" in await says(event, "anna", "match opponent-absent") and not timers(event)
    await event.move_to(at + 60 * MINUTE)
    answer = await says(event, "anna", "match opponent-absent")
    assert answer.startswith("Reported") and "Sat 28 Mar 19:10 UTC" in answer


async def test_r6_3_after_an_hour_the_tds_decide(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + 61 * MINUTE)
    answer = await says(event, "anna", "match opponent-absent")
    assert "until Sat 28 Mar 19:00 UTC" in answer and "TDs" in answer and not timers(event)


async def test_r6_3_without_a_time_nobody_is_absent(event: World) -> None:
    assert "No time is agreed" in await says(event, "anna", "match opponent-absent")


async def test_r6_3_the_button_of_the_call_does_the_same(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    call = next(m for m in thread(event, "anna", "carl").history() if "### Play now" in m.content)
    button = next(id for id in custom_ids(call) if ":absent:" in id)
    assert text_of(await event.click(event.people["anna"], call, button)).startswith("Reported")
    stranger = text_of(await event.click(event.people["bob"], call, button))
    assert "anna" in stranger and len(timers(event)) == 1


async def test_r6_3_the_absent_one_is_called_and_the_tds_read_it(event: World) -> None:
    event.lichess.change("anna", online=True)
    await reported(event)
    (call,) = said(event, "### Are you there?")
    assert f"<@{event.people['carl'].id}>" in call and "Sat 28 Mar 18:12 UTC" in call and "challenge anna" in call
    assert "Lichess at 18:02 UTC: no game of yours; online: anna ✓, carl –" in call
    assert "anna reported carl absent (online: anna)" in await says(event, "dora", "match show", match=1)
    (notice,) = directors(event, "**Opponent absent:**")
    assert "anna reports carl absent at Sat 28 Mar 18:00 UTC" in notice


async def test_r6_3_told_twice_is_one(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 5 * MINUTE)
    answer = await says(event, "anna", "match opponent-absent")
    assert "18:12 UTC" in answer, "the ten minutes do not begin anew"
    assert len(timers(event)) == 1 and len(said(event, "### Are you there?")) == 1


async def test_r6_3_two_reports_at_once_are_one(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    app = event.parts.app
    await asyncio.gather(*(app.absences.report(actor(event, "anna"), None) for _ in range(2)))
    assert len(timers(event)) == 1


async def test_r6_3_what_lichess_shows_is_stored_at_both_ends(event: World) -> None:
    event.lichess.change("anna", online=True)
    at = await reported(event)
    event.lichess.change("carl", online=True)
    await event.move_to(at + 12 * MINUTE)
    (timer,) = timers(event)
    anna = timer.entrant_id
    assert timer.evidence["games_read"] and timer.evidence["online"] == [anna]
    assert len(timer.evidence["after"]["online"]) == 2, "online without starting is absent"
    (call,) = said(event, "### Are you there?")
    assert "At 18:12 UTC: no game of yours; online: anna ✓, carl ✓" in call


@pytest.mark.parametrize("fault", ["down", "429", "502", "html", "cut"])
async def test_r6_3_the_report_counts_when_lichess_is_down(event: World, fault: str) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    event.lichess.fail_next(fault, 4, on="/api/games/user")
    answer = await says(event, "anna", "match opponent-absent")
    assert answer.startswith("Reported") and "no answer, so nothing could be checked" in answer


async def test_q13_who_has_begun_a_game_is_not_absent(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at + MINUTE, games("1"))
    await event.move_to(at + 3 * MINUTE)
    assert "shows a game of yours" in await says(event, "anna", "match opponent-absent") and not timers(event)


async def test_q38d_reports_that_cross_go_to_a_td(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 4 * MINUTE)
    answer = await says(event, "carl", "match opponent-absent")
    assert "a TD decides" in answer and {timer.outcome for timer in timers(event)} == {TimerEnd.TD}
    (notice,) = directors(event, "**Each reports the other absent:**")
    assert "R1 · anna – carl" in notice
    await event.move_to(at + 20 * MINUTE)
    assert choices(event) == []
    assert "a TD decides" in await says(event, "anna", "match claim", choice="win") and not ruled(event)


async def test_r5_10_a_report_that_a_td_has_stopped_crosses_nothing(event: World) -> None:
    at = await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(at + 15 * MINUTE)
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported")
    await says(event, "td", "td-match timer", match=1, reason="anna is on the phone.", minutes=5)
    await event.move_to(at + 31 * MINUTE)
    assert "the match is yours" in await says(event, "carl", "match claim", choice="win")
    assert forfeits(event) == {"anna": 1}
    first, second = timers(event)
    assert (first.outcome, second.outcome) == (None, TimerEnd.CLAIMED), "the stopped one stays stopped"


async def test_r5_10_a_stopped_report_does_not_come_back_when_later_ones_cross(event: World) -> None:
    at = await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(at + 15 * MINUTE)
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported")
    assert "a TD decides" in await says(event, "anna", "match opponent-absent")
    answer = await says(event, "td", "td-match timer", match=1, reason="Play now.", minutes=5)
    assert answer.startswith("No ten minutes wait in this match now")
    await event.move_to(at + 40 * MINUTE)
    assert choices(event) == []
    assert "a TD decides" in await says(event, "anna", "match claim", choice="win") and not ruled(event)


async def test_r5_10_of_two_stopped_reports_only_the_later_one_runs_on(event: World) -> None:
    at = await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(at + 15 * MINUTE)
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported")
    await says(event, "td", "td-match timer", match=1, reason="A phone call.")
    await says(event, "td", "td-match timer", match=1, reason="She is here.", minutes=5)
    await event.move_to(at + 21 * MINUTE)
    assert len(choices(event)) == 1, "only carl may choose"
    assert "the match is yours" in await says(event, "carl", "match claim", choice="win")
    assert forfeits(event) == {"anna": 1}


async def test_r5_10_after_a_stopped_report_there_can_be_another(event: World) -> None:
    at = await reported(event)
    await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(at + 30 * MINUTE)
    answer = await says(event, "anna", "match opponent-absent")
    assert answer.startswith("Reported") and "18:40 UTC" in answer
    await event.move_to(at + 41 * MINUTE)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_r5_10_where_nothing_waits_a_td_reads_what_can_be_done(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 28 18:00")
    answer = await says(event, "td", "td-match timer", match=1, reason="Nothing runs.", minutes=5)
    assert answer.startswith("No ten minutes wait in this match now") and "/hub" not in answer


async def test_r6_3_what_was_seen_keeps_its_time_when_a_td_extends(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    await says(event, "td", "td-match timer", match=1, reason="He phones.", minutes=15)
    (call,) = said(event, "### Are you there?")
    assert "At 18:12 UTC: no game of yours" in call and "At 18:28" not in call
    await event.move_to(at + 29 * MINUTE)
    assert said(event, "### Are you there?", "At 18:28 UTC: no game of yours")


async def test_r5_10_after_an_extension_the_choice_stands_in_one_place(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    (before, _) = choices(event)[0]
    await says(event, "td", "td-match timer", match=1, reason="He phones.", minutes=15)
    await event.move_to(at + 29 * MINUTE)
    ((now, _),) = choices(event)
    assert now.id != before.id and "You choose (§6.3)" in now.content
    assert said(event, "A TD gave more time after this", "in the newer message below")
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_r5_10_an_extension_leaves_a_claim_open_and_says_so(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    answer = await says(event, "td", "td-match extend", match=1, reason="Flu.")
    assert "anna may still claim the win" in answer and "`/td-match timer` stops the claim" in answer
    assert said(event, "A TD has extended this match", "anna may still claim the win until you begin a game")
    await says(event, "td", "td-match timer", match=1, reason="Flu: they play next week.")
    assert "stopped" in await says(event, "anna", "match claim", choice="win") and not ruled(event)
    answer = await says(event, "td", "td-match extend", match=1, reason="Flu, for longer.")
    assert "may still claim" not in answer


@pytest.mark.parametrize("stopped", [False, True])
async def test_r6_3_who_has_reported_an_absence_is_not_told_to(event: World, stopped: bool) -> None:
    at = await reported(event)
    if stopped:
        await says(event, "td", "td-match timer", match=1, reason="A power cut.")
    await event.move_to(at + 40 * MINUTE)
    assert not said(event, "Lichess shows no game of yours yet")


async def test_r6_3_who_is_reported_cannot_claim(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    for choose in ("win", "reschedule"):
        assert "Only anna" in await says(event, "carl", "match claim", choice=choose)
    assert "Only anna" in await presses(event, "carl", "claim-win") and not ruled(event)


async def test_a_stranger_who_presses_changes_nothing(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    assert "carl" in await presses(event, "bob", "claim-win") and not ruled(event)


# --- The ten minutes ------------------------------------------------------------------------------------------------


async def test_r6_3_the_ten_minutes_end_on_the_minute_after_a_restart(event: World) -> None:
    at = await reported(event)
    await event.restart()
    await event.move_to(at + 12 * MINUTE - timedelta(seconds=1))
    assert choices(event) == []
    assert "18:12 UTC" in await says(event, "anna", "match claim", choice="win") and not ruled(event)
    await event.move_to(at + 12 * MINUTE)
    (asked,) = choices(event)
    assert f"<@{event.people['anna'].id}>" in asked[0].content and "Lichess shows no game" in asked[0].content


async def test_r6_3_down_at_the_end_the_choice_comes_with_the_start(event: World) -> None:
    at = await reported(event)
    await event.jump_to(at + timedelta(hours=3))
    await event.restart()
    await event.tick()
    assert len(choices(event)) == 1


async def test_r6_3_the_choice_is_offered_though_lichess_is_down(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 11 * MINUTE)
    event.lichess.fail_next("down", 6, on="/api/games/user")
    await event.move_to(at + 12 * MINUTE)
    (asked,) = choices(event)
    assert "Lichess does not answer" in asked[0].content


async def test_q13_who_plays_in_the_ten_minutes_is_told_that_nothing_can_be_claimed(event: World) -> None:
    at = await reported(event)
    event.lichess.play_match("anna", "carl", at + 8 * MINUTE, games("1"))
    await event.move_to(at + 12 * MINUTE)
    assert choices(event) == [] and said(event, "### Are you there?", "You have begun a game since")
    assert "nothing to claim" in await says(event, "anna", "match claim", choice="win") and not ruled(event)


async def test_q19_an_aborted_game_stops_no_timer(event: World) -> None:
    at = await reported(event)
    event.lichess.play_match("anna", "carl", at + 8 * MINUTE, games("1"), status="aborted")
    await event.move_to(at + 12 * MINUTE)
    assert len(choices(event)) == 1
    assert "the match is yours" in await presses(event, "anna", "claim-win")


# --- The claim ------------------------------------------------------------------------------------------------------


async def test_r6_3_the_win_is_claimed(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    assert "carl has forfeited it" in await presses(event, "anna", "claim-win")
    (fact,) = ruled(event)
    assert (fact.authority, fact.clause, fact.payload["forfeit"]) == (Authority.PLAYER, "R6.3", "no_show")
    assert [m.content for m in event.channel("results").history() if "anna 1–0 carl (forfeit)" in m.content]
    (told,) = said(event, "you have forfeited the match")
    assert f"<@{event.people['carl'].id}>" in told
    assert directors(event, "**Claim of a no-show** by anna", "carl")
    assert forfeits(event) == {"carl": 1} and not said(event, "second forfeit")
    assert choices(event) == []
    assert "is yours" in await says(event, "anna", "match claim", choice="win") and len(ruled(event)) == 1


async def test_r6_3_the_command_claims_too(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")
    assert len(ruled(event)) == 1


async def test_r6_3_nothing_is_claimed_that_nobody_reported(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + 30 * MINUTE)
    assert "`/match opponent-absent` first" in await says(event, "anna", "match claim", choice="win")


async def test_q38d_a_game_at_minute_eleven_ends_the_right_to_claim(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 12 * MINUTE)
    event.lichess.play_match("anna", "carl", at + 13 * MINUTE, games("1"))
    await event.move_to(at + 14 * MINUTE)
    assert "nothing to claim" in await presses(event, "anna", "claim-win")
    assert not ruled(event) and choices(event) == []


@pytest.mark.parametrize("fault", ["down", "502", "html", "429"])
async def test_r6_3_nothing_is_claimed_while_lichess_is_down(event: World, fault: str) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    event.lichess.fail_next(fault, 6 if fault in ("down", "502") else 1, on="/api/games/user")
    assert "Nothing was changed" in await presses(event, "anna", "claim-win") and not ruled(event)


async def test_q38d_an_answer_without_the_game_that_was_begun_takes_no_match(event: World) -> None:
    """One answer that ends too soon looks whole."""
    at = await reported(event)
    await event.move_to(at + 12 * MINUTE)
    event.lichess.play_match("anna", "carl", at + 13 * MINUTE, games("1"))
    await event.move_to(at + 14 * MINUTE)
    event.lichess.fail_next("short", 1, on="/api/games/user")
    assert "nothing to claim" in await presses(event, "anna", "claim-win") and not ruled(event)


async def test_r6_3_two_claims_at_once_are_one_forfeit(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    app = event.parts.app
    await asyncio.gather(*(app.claims.claim(actor(event, "anna"), None, Choice.WIN) for _ in range(2)))
    await event.tick()
    assert len(ruled(event)) == 1


async def test_a_match_that_is_ruled_meanwhile_is_claimed_no_more(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    message, ids = choices(event)[0]
    await settle(event, 1, "carl", but="bob")
    answer = text_of(await event.click(event.people["anna"], message, ids[0]))
    assert "already has a result" in answer and len(ruled(event)) == 1


async def test_q38_a_second_sitting_can_be_missed_although_the_first_was_played(event: World) -> None:
    event.follows = True
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, games("110"))
    await event.move_to(at + 40 * MINUTE)
    await says(event, "anna", "reschedule", time="Sun 29 18:00")
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["carl"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))
    later = at + timedelta(days=1)
    await event.move_to(later + 5 * MINUTE)
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    await event.move_to(later + 16 * MINUTE)
    assert "the match is yours" in await presses(event, "anna", "claim-win")
    (fact,) = ruled(event)
    assert len(fact.payload["games"]) == 3 and fact.payload["played"]

"""The opponent is not there at the agreed time (R6.3, R6.5; Q11, Q11b, Q11c, Q13, Q19, Q24, Q25, Q38d).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.model import Authority, Fact
from engine.timers import Timer, TimerEnd
from engine.usecases.claims import Choice
from engine.usecases.context import load_event
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs.entering import actor
from tests.world import World, custom_ids, text_of

MINUTE = timedelta(minutes=1)
DEADLINE = datetime(2026, 3, 31, tzinfo=UTC)


def said(world: World, *words: str, who: tuple[str, str] = ("anna", "carl")) -> list[str]:
    contents = [message.content for message in thread(world, *who).history()]
    return [text for text in contents if all(word in text for word in words)]


def directors(world: World, *words: str) -> list[str]:
    contents = [message.content for message in world.channel("directors").history()]
    return [text for text in contents if all(word in text for word in words)]


def ruled(world: World) -> list[Fact]:
    facts = world.parts.db.read_sync(lambda r: r.facts(world.edition().id))
    return [fact for fact in facts if fact.kind == "match_ruled" and fact.payload["match_id"] == 1]


def timers(world: World) -> list[Timer]:
    return world.parts.db.read_sync(lambda r: r.find(Timer))


def forfeits(world: World) -> dict[str, int]:
    """By name, in how many matches; bob and dora do not even offer."""
    event = world.parts.db.read_sync(lambda r: load_event(r, world.parts.app.desk.folds, world.edition().id))
    return {
        event.name(id): len(matches)
        for id, matches in event.tournament.forfeits.items()
        if event.name(id) in ("anna", "carl")
    }


def choices(world: World) -> list[tuple[Any, list[str]]]:
    """The posts with buttons to choose by."""
    found = [(m, [id for id in custom_ids(m) if "claim" in id]) for m in thread(world, "anna", "carl").history()]
    return [(message, ids) for message, ids in found if ids]


async def presses(world: World, who: str, verb: str) -> str:
    message, ids = choices(world)[-1]
    button = next(id for id in ids if verb in id)
    return text_of(await world.click(world.people[who], message, button))


async def reported(world: World, when: str = "Sat 28 18:00", after: int = 2) -> datetime:
    """Agreed, and anna has reported carl absent some minutes later; when it was agreed for."""
    at = await agree(world, "anna", "carl", when)
    await world.move_to(at + after * MINUTE)
    answer = await says(world, "anna", "match opponent-absent")
    assert answer.startswith("Reported"), answer
    return at


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


# --- Reschedule -----------------------------------------------------------------------------------------------------


async def rescheduled(world: World, when: str = "Sat 28 18:00") -> datetime:
    at = await reported(world, when)
    await world.move_to(at + 13 * MINUTE)
    answer = await presses(world, "anna", "claim-move")
    assert answer.startswith("You reschedule"), answer
    return at


async def test_q11_reschedule_without_a_game_is_forfeited_at_the_deadline(event: World) -> None:
    await rescheduled(event)
    (told,) = said(event, "anna has chosen to reschedule", "carl forfeits the match to anna")
    assert "Mon 30 Mar 23:59 UTC" in told
    await event.restart()
    await event.move_to(DEADLINE - timedelta(seconds=1))
    assert not ruled(event)
    await event.move_to(DEADLINE)
    (fact,) = [fact for fact in ruled(event) if fact.payload["forfeit"] == "failed_reschedule"]
    assert (fact.authority, fact.clause, fact.occurred_at) == (Authority.SYSTEM, "Q11", DEADLINE)
    assert said(event, "carl>: the match was put off", "you have forfeited the match") or said(event, "put off")
    assert forfeits(event)["carl"] == 1 and "anna" not in forfeits(event)


async def test_q11_a_game_before_the_deadline_saves_it(event: World) -> None:
    await rescheduled(event)
    event.lichess.play_match("anna", "carl", DEADLINE - 5 * MINUTE, games("111111"))
    await event.move_to(DEADLINE)
    assert not [fact for fact in ruled(event) if fact.payload["forfeit"] == "failed_reschedule"]


async def test_q11_the_forfeit_waits_for_lichess(event: World) -> None:
    await rescheduled(event)
    await event.move_to(DEADLINE - MINUTE)
    event.lichess.fail_next("down", 3, on="/api/games/user")
    await event.move_to(DEADLINE)
    assert "carl" not in forfeits(event)
    await event.move_to(DEADLINE + 5 * MINUTE)
    await event.tick()
    assert forfeits(event)["carl"] == 1


async def test_q11_an_extension_moves_the_end(event: World) -> None:
    await rescheduled(event)
    await says(event, "td", "td-match extend", match=1, reason="Both asked.")
    await event.move_to(DEADLINE)
    assert "carl" not in forfeits(event)


async def test_q11_the_other_way_round_it_is_an_ordinary_no_show(event: World) -> None:
    at = await rescheduled(event)
    await says(event, "carl", "reschedule", time="Sun 29 18:00")
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["anna"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))
    await event.move_to(at + timedelta(days=1, minutes=1))
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported")
    await event.move_to(at + timedelta(days=1, minutes=12))
    assert "the match is yours" in await presses(event, "carl", "claim-win")
    await event.move_to(DEADLINE)
    assert forfeits(event)["anna"] == 1 and "carl" not in forfeits(event)


async def test_q11_who_was_reported_at_a_missed_time_cannot_report_the_other_for_it(event: World) -> None:
    at = await rescheduled(event)
    await event.move_to(at + 20 * MINUTE)
    assert "anna was there" in await says(event, "carl", "match opponent-absent")


async def test_q11b_an_hour_before_the_deadline_it_is_offered_with_a_warning(event: World) -> None:
    at = await reported(event, "Mon 30 22:50", after=20)
    await event.move_to(at + 31 * MINUTE)
    (asked, ids) = choices(event)[0]
    assert "play at once" in asked.content and any("claim-move" in id for id in ids)


async def test_q11b_after_the_deadline_it_is_not_offered(event: World) -> None:
    at = await reported(event, "Mon 30 23:00", after=55)
    await event.move_to(at + 66 * MINUTE)
    ((_, ids),) = choices(event)
    assert all("claim-win" in id for id in ids)
    result = await event.slash(event.people["anna"], "match claim", choice="reschedule")
    assert "no time left" in text_of(result)
    assert any("ask-extend" in id for part in [result.response, *result.followups] if part for id in custom_ids(part))
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_q11c_beyond_monday_is_refused_with_the_way_to_ask(event: World) -> None:
    await rescheduled(event)
    result = await event.slash(event.people["anna"], "reschedule", time="Wed 1 Apr 18:00")
    assert any("ask-extend" in id for part in [result.response, *result.followups] if part for id in custom_ids(part))


# --- What follows ---------------------------------------------------------------------------------------------------


async def test_q25_a_second_forfeit_is_proposed_to_the_tds_at_once(event: World) -> None:
    """carl does not come in round 1 and not in round 2."""
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    await presses(event, "anna", "claim-win")
    await settle(event, 1, "bob", but="anna")
    await event.move_to(datetime(2026, 3, 31, 12, tzinfo=UTC))
    (title,) = [title for title in event.threads if title.startswith("R2 ") and "carl" in title]
    other = next(name for name in ("bob", "dora", "anna") if name in title)
    second = await agree(event, other, "carl", "Sat 4 Apr 18:00")
    await event.move_to(second + MINUTE)
    await says(event, other, "match opponent-absent")
    await event.move_to(second + 12 * MINUTE)
    assert "the match is yours" in await says(event, other, "match claim", choice="win")
    (notice,) = directors(event, "**Claim of a no-show**", "carl has forfeited in two matches now")
    assert "§6.5" in notice and forfeits(event)["carl"] == 2
    assert said(event, "It is your second forfeit", who=(other, "carl"))
    assert event.parts.db.read_sync(
        lambda r: load_event(r, event.parts.app.desk.folds, event.edition().id).tournament.left == {}
    ), "a button alone removes nobody"


async def test_r6_5_a_claim_that_is_taken_back_counts_no_more(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    await presses(event, "anna", "claim-win")
    (fact,) = ruled(event)
    await event.parts.app.rulings.undo(actor(event, "td"), fact.id, "He had a power cut.")
    await event.tick()
    assert forfeits(event) == {} and said(event, "A forfeit of carl that stood here was taken back")


# --- The TDs --------------------------------------------------------------------------------------------------------


async def test_r5_10_a_td_stops_the_ten_minutes_and_takes_it_back(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 5 * MINUTE)
    answer = await says(event, "td", "td-match timer", match=1, reason="He wrote to us.")
    assert "the ten minutes are stopped" in answer and directors(event, "**Ruling** by td", "He wrote to us.")
    assert said(event, "A TD has stopped the ten minutes")
    await event.move_to(at + 13 * MINUTE)
    assert choices(event) == []
    assert "A TD has stopped" in await says(event, "anna", "match claim", choice="win") and not ruled(event)
    facts = event.parts.db.read_sync(lambda r: r.facts(event.edition().id))
    stop = next(fact for fact in facts if fact.kind == "timer_ruled")
    await event.parts.app.rulings.undo(actor(event, "td"), stop.id, "A mistake.")
    await event.tick()
    assert len(choices(event)) == 1 and said(event, "The TDs have taken this back")


async def test_r5_10_a_td_extends_the_ten_minutes(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 13 * MINUTE)
    assert len(choices(event)) == 1
    await says(event, "td", "td-match timer", match=1, reason="He is on his way.", minutes=15)
    assert choices(event) == [] and said(event, "they end", "18:28")
    assert "18:28 UTC" in await says(event, "anna", "match claim", choice="win") and not ruled(event)
    await event.move_to(at + 28 * MINUTE)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


async def test_a_td_is_told_when_nothing_runs(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 28 18:00")
    assert "Nobody waits" in await says(event, "td", "td-match timer", match=1, reason="x")

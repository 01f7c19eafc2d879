"""No agreement by Friday, as players and TDs meet it: R5.5-R5.10, R6.3's rescheduling, Q1-Q5, Q11, Q15.

anna plays carl, bob plays dora; offers are due by Saturday 28 March 2026 00:00, matches by Tuesday 31 March 00:00.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.facts import FaultFound, MatchRuled, decode
from engine.model import Fact
from engine.usecases.context import Actor
from tests.clauses.stage import agree, card, said, says, thread
from tests.world import World, custom_ids, text_of

OFFERS_END = datetime(2026, 3, 28, tzinfo=UTC)
MATCHES_END = datetime(2026, 3, 31, tzinfo=UTC)
SUNDAY_NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
THREE = "Sat 9:00, Sat 18:00, Sun 29 9:00"
ANNA_CARL, BOB_DORA = 1, 2


def recorded(world: World) -> list[Fact]:
    return world.parts.db.read_sync(lambda reader: reader.facts(world.edition().id))


def facts(world: World, kind: type) -> list[Any]:
    return [event for fact in recorded(world) if isinstance(event := decode(fact), kind)]


def director(world: World) -> Actor:
    role = world.guild.roles["World Cup TD"].id
    who = world.people["td"]
    return Actor(discord_id=who.id, name="td", guild_id=world.guild.id, command_id="9", role_ids=frozenset({role}))


def desk(world: World) -> str:
    return said(world.channel("directors"))


def posts_with(place: Any, button: str) -> list[Any]:
    return [message for message in place.history() if any(button in id for id in custom_ids(message))]


async def press(world: World, who: str, place: Any, button: str, *values: str) -> str:
    """Presses the newest button with that in its id; fills the form if one opens."""
    message = posts_with(place, button)[-1]
    id = next(id for id in custom_ids(message) if button in id)
    shown = await world.click(world.people[who], message, id)
    return text_of(await world.submit(world.people[who], shown, *values) if values else shown)


async def one_fails(world: World) -> None:
    """anna has offered, carl has not; bob and dora have agreed."""
    await says(world, "anna", "offer", times=THREE)
    await agree(world, "bob", "dora", "Sun 29 18:00")
    await world.move_to(OFFERS_END)


async def both_offer(world: World) -> None:
    await says(world, "anna", "offer", times=THREE)
    await says(world, "carl", "offer", times="Sat 12:00, Sat 21:00, Sun 29 12:00")
    await agree(world, "bob", "dora", "Sun 29 18:00")
    await world.move_to(OFFERS_END)


# --- R5.1: judged once, at the second -------------------------------------------------------------------------------


async def test_r5_1_the_duty_is_judged_at_saturday_midnight_and_not_a_second_before(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await event.move_to(OFFERS_END - SECOND)
    assert facts(event, FaultFound) == []
    await event.move_to(OFFERS_END)
    found = {fault.match_id: fault.at_fault for fault in facts(event, FaultFound)}
    assert len(found) == 2 and len(found[ANNA_CARL]) == 1 and len(found[BOB_DORA]) == 2
    await event.restart()
    await event.move_to(SUNDAY_NOON)
    assert len(facts(event, FaultFound)) == 2, "once, whatever restarts"


async def test_r5_1_offers_of_the_last_second_count_and_those_at_midnight_do_not(event: World) -> None:
    await event.jump_to(OFFERS_END - SECOND)
    await says(event, "anna", "offer", times=THREE)
    await event.jump_to(OFFERS_END)
    await event.slash(event.people["carl"], "offer", times="Sat 12:00, Sat 21:00, Sun 29 12:00")
    (fault,) = [f for f in facts(event, FaultFound) if f.match_id == ANNA_CARL]
    assert len(fault.at_fault) == 1
    assert "**anna sets the time**" in card(event, "anna").content


async def test_r5_1_an_agreement_before_the_deadline_ends_the_duty_even_if_it_is_moved(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await event.move_to(OFFERS_END)
    assert [f.match_id for f in facts(event, FaultFound)] == [BOB_DORA]


async def test_q3_an_offer_retracted_before_midnight_does_not_count_and_one_after_does(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await says(event, "carl", "offer", times="Sat 12:00, Sat 21:00, Sun 29 12:00")
    await event.move_to(OFFERS_END - SECOND)
    await event.slash(event.people["carl"], "retract", offer=4)
    await event.move_to(OFFERS_END)
    await says(event, "anna", "retract", offer=1)
    (fault,) = [f for f in facts(event, FaultFound) if f.match_id == ANNA_CARL]
    assert "**anna sets the time**" in card(event, "anna").content and len(fault.at_fault) == 1


# --- R5.5: the innocent side sets the time --------------------------------------------------------------------------


async def test_r5_5_who_has_offered_sets_the_time(event: World) -> None:
    await one_fails(event)
    told = thread(event, "anna").last_message.content
    assert "carl has made too few offers by the deadline (§5.5)" in told
    assert "**anna, set the time** by Sun 29 Mar 11:59 UTC" in told
    assert "at least 12 h ahead and no later than Mon 30 Mar 23:00 UTC" in told
    answer = await press(event, "anna", thread(event, "anna"), "set-time", "Sun 29 15:00")
    assert answer.startswith("The match is set for Sun 29 Mar 15:00 UTC")
    assert "anna has set the time: **Sun 29 Mar 15:00 UTC" in thread(event, "anna").last_message.content
    assert "Set by anna: Sun 29 Mar 15:00 UTC" in card(event, "anna").content
    assert "anna – carl · Sun 29 Mar 15:00" in said(event.channel("pairings"))
    assert "has its time" in await says(event, "anna", "set-time", time="Sun 29 16:00")


async def test_r5_5_nobody_else_sets_it(event: World) -> None:
    await one_fails(event)
    assert "You have no right to set the time" in await says(event, "carl", "set-time", time="Sun 29 15:00")
    message = posts_with(thread(event, "anna"), "set-time")[-1]
    assert "You have no right" in text_of(await event.click(event.people["carl"], message, "acwc:1:set-time:1"))
    assert "only these two" in text_of(await event.click(event.people["bob"], message, "acwc:1:set-time:1"))
    assert "Agreed" not in card(event, "anna").content


async def test_q5_the_chosen_time_is_twelve_hours_ahead_and_leaves_an_hour(event: World) -> None:
    await one_fails(event)
    for written, why in (
        ("Sat 11:59", "is too soon for your opponent"),
        ("Mon 23:01", "leaves too little time"),
        ("Sun 29 12-14", "exactly one time"),
        ("Sun 29 12:00, Mon 12:00", "exactly one time"),
    ):
        assert why in await says(event, "anna", "set-time", time=written), written
    assert "Agreed" not in card(event, "anna").content
    assert "is set for Sat 28 Mar 12:00 UTC" in await says(event, "anna", "set-time", time="Sat 12:00")


async def test_q5_the_right_ends_on_sunday_noon_then_a_td_sets_the_time(event: World) -> None:
    await one_fails(event)
    await event.move_to(SUNDAY_NOON - SECOND)
    assert "**anna sets the time**" in card(event, "anna").content
    await event.move_to(SUNDAY_NOON)
    assert "a TD sets it" in card(event, "anna").content
    assert "The time to choose is over" in await says(event, "anna", "set-time", time="Mon 18:00")
    assert "A TD sets the time** of R1 · anna – carl" in desk(event)
    answer = await press(event, "td", event.channel("directors"), "rule-time", "Mon 18:00", "She was ill.")
    assert "time set by the TDs: Mon 30 Mar 18:00 UTC" in answer
    assert "Set by a TD: Mon 30 Mar 18:00 UTC" in card(event, "anna").content
    assert "A TD has set the time: **Mon 30 Mar 18:00 UTC" in thread(event, "anna").last_message.content


async def test_r5_5_they_may_still_agree(event: World) -> None:
    await one_fails(event)
    await event.slash(event.people["carl"], "accept", offer=2)
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content
    await event.move_to(SUNDAY_NOON)
    assert "A TD sets the time" not in desk(event)


async def test_r5_5_down_over_friday_the_rule_counts_as_of_friday_and_the_right_lasts_long_enough(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await event.jump_to(SUNDAY_NOON + timedelta(hours=5))
    await event.tick()
    told = thread(event, "anna").last_message.content
    assert "I was away then; it counts as of Sat 28 Mar 00:00 UTC" in told
    assert "set the time** by Mon 30 Mar 04:59 UTC" in told
    assert "is set for Mon 30 Mar 18:00 UTC" in await says(event, "anna", "set-time", time="Mon 18:00")


# --- R5.6: both fail ------------------------------------------------------------------------------------------------


async def test_r5_6_both_fail_a_draw_and_a_forfeit_of_each(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await event.move_to(OFFERS_END - SECOND)
    assert facts(event, MatchRuled) == []
    await event.move_to(OFFERS_END)
    (ruled,) = facts(event, MatchRuled)
    assert (ruled.a, ruled.b, ruled.forfeit, len(ruled.forfeited_by)) == (1, 1, "both_failed", 2)
    assert "bob ½–½ dora (forfeit)" in said(event.channel("results"))
    assert "each of you has forfeited a game (§5.6)" in said(thread(event, "bob"))
    assert "Neither made the offers" in desk(event)


async def test_q1_games_on_lichess_go_to_a_td_who_allows_them(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    event.lichess.play_match("bob", "dora", OFFERS_END - timedelta(hours=3), "aaaaaa")
    await event.move_to(OFFERS_END)
    assert facts(event, MatchRuled) == []
    assert "Both made too few offers**, but games of the two are on Lichess" in desk(event)
    answer = await press(event, "td", event.channel("directors"), "rule-waive", "They played on Friday.")
    assert "are forgiven" in answer
    assert facts(event, MatchRuled) == []
    assert "forgives that" in said(thread(event, "bob"))


async def test_q1_a_td_may_let_r5_6_stand(event: World) -> None:
    event.lichess.play_match("bob", "dora", OFFERS_END - timedelta(hours=3), "aaaaaa")
    await event.move_to(OFFERS_END)
    answer = await press(event, "td", event.channel("directors"), ".both", "Those were training games.")
    assert "½–½" in answer and "both failed" in answer
    assert "bob ½–½ dora (forfeit)" in said(event.channel("results"))


async def test_q1_lichess_is_asked_before_and_while_it_is_away_nothing_is_decided(event: World) -> None:
    event.lichess.down = True
    await event.move_to(OFFERS_END)
    await event.move(minutes=5)
    assert facts(event, MatchRuled) == [] and len(facts(event, FaultFound)) == 2
    event.lichess.down = False
    await event.move(minutes=5)
    assert len(facts(event, MatchRuled)) == 2


async def test_q2_they_may_play_after_a_td_allows_it_and_the_forfeits_go_with_the_result(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await event.move_to(OFFERS_END)
    assert "already has its result" in await says(event, "bob", "report")
    assert "match" in await says(event, "bob", "offer", times="Sun 29 18:00", match=BOB_DORA)
    answer = await press(event, "bob", thread(event, "bob"), "ask-allow")
    assert "The TDs are asked" in answer
    assert "bob asks to play all the same" in desk(event)
    assert "may be played all the same" in await press(event, "td", event.channel("directors"), "rule-waive", "Fine.")
    assert "A TD lets you play all the same" in card(event, "bob").content
    assert "bob ½–½ dora" in said(event.channel("results")), "until they have played"
    await agree(event, "bob", "dora", "Sun 29 18:00")
    event.lichess.play_match("bob", "dora", datetime(2026, 3, 29, 18, 0, tzinfo=UTC), "aaaaaa")
    await event.move_to(datetime(2026, 3, 29, 19, 0, tzinfo=UTC))
    assert "bob 6–0 dora" in await says(event, "bob", "report")
    assert "bob 6–0 dora" in said(event.channel("results"))
    loaded = event.parts.app.desk.folds
    tournament = event.parts.db.read_sync(lambda r: loaded.of(r, event.edition(), keep=False)).tournament
    assert dict(tournament.forfeits) == {}


async def test_q2_a_match_that_may_be_played_all_the_same_can_be_extended(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await event.move_to(OFFERS_END)
    await says(event, "td", "td-match waive", match=BOB_DORA, reason="Both were ill.")
    await event.move_to(MATCHES_END)
    answer = await says(event, "td", "td-match extend", match=BOB_DORA, reason="Still ill.")
    assert "Extended until Mon 6 Apr 23:59 UTC" in answer
    assert "play by Mon 6 Apr 23:59 UTC" in card(event, "bob").content
    assert "Offered to dora" in await says(event, "bob", "offer", times="Sun 5 Apr 18:00", match=BOB_DORA)


async def test_r5_6_taken_back_by_a_td_the_match_is_open_again(event: World) -> None:
    await event.move_to(OFFERS_END)
    ruling = next(f for f in recorded(event) if f.kind == "match_ruled" and f.payload["match_id"] == BOB_DORA)
    await event.parts.app.rulings.undo(director(event), ruling.id, "The clock of the server was wrong.")
    await event.tick()
    assert "a result that stood here was taken back" in said(event.channel("results"))
    assert "Agree on a time" in card(event, "bob").content


# --- R5.8, R5.9: no agreement ---------------------------------------------------------------------------------------


async def test_r5_8_both_have_offered_and_a_dispute_opens_by_itself(event: World) -> None:
    await both_offer(event)
    assert "The TDs decide whether one of you is at fault (§5.8)" in thread(event, "anna").last_message.content
    assert "**With the TDs:**" in card(event, "anna").content
    assert "**Dispute 1: no agreement** · Round 1: anna – carl" in desk(event)
    assert "#1 R1 · anna – carl: no agreement" in await says(event, "td", "td-dispute list")


async def test_r5_9_one_at_fault_the_other_decides_the_time(event: World) -> None:
    await both_offer(event)
    answer = await press(event, "td", event.channel("directors"), ".b", "Offered only the middle of her night.")
    assert "carl at fault" in answer
    assert "carl is at fault by a TD’s ruling (§5.9)" in thread(event, "anna").last_message.content
    assert "✓ **Ruled**" in desk(event)
    assert "is set for Sun 29 Mar 15:00 UTC" in await says(event, "anna", "set-time", time="Sun 29 15:00")


async def test_r5_9_a_late_ruling_leaves_the_time_to_choose(event: World) -> None:
    await both_offer(event)
    await event.move_to(SUNDAY_NOON)
    await says(event, "td", "td-dispute rule", dispute=1, fault="a", reason="Refused every evening.")
    assert "**carl sets the time** by Sun 29 Mar 23:59 UTC" in card(event, "anna").content


async def test_r5_9_nobody_at_fault_is_a_draw_and_no_forfeit(event: World) -> None:
    await both_offer(event)
    answer = await press(event, "td", event.channel("directors"), ".nobody", "Both tried.")
    assert "½–½" in answer
    (ruled,) = facts(event, MatchRuled)
    assert (ruled.a, ruled.b, ruled.forfeited_by) == (1, 1, ())
    assert "anna ½–½ carl (ruled by a TD)" in said(event.channel("results"))
    assert "✓ **Ruled**" in desk(event) and "No dispute waits" in await says(event, "td", "td-dispute list")


async def test_q15_a_later_agreement_closes_the_dispute(event: World) -> None:
    await both_offer(event)
    await event.move_to(MATCHES_END - timedelta(hours=12))
    await says(event, "anna", "offer", times="Mon 20:00")
    await press(event, "carl", thread(event, "anna"), ":accept:")
    assert "✓ **Settled by the players**: they agreed" in desk(event)
    assert "No dispute waits" in await says(event, "td", "td-dispute list")


async def test_r5_10_an_undone_ruling_reopens_the_dispute(event: World) -> None:
    await both_offer(event)
    await press(event, "td", event.channel("directors"), ".nobody", "Both tried.")
    ruling = next(fact for fact in recorded(event) if fact.kind == "match_ruled")
    await event.parts.app.rulings.undo(director(event), ruling.id, "Wrong match.")
    await event.tick()
    assert "#1 R1 · anna – carl" in await says(event, "td", "td-dispute list")
    assert "**With the TDs:**" in card(event, "anna").content


# --- R5.10 ----------------------------------------------------------------------------------------------------------


async def test_r5_10_a_waived_duty_is_no_fault(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    carl = event.people["carl"]
    answer = await says(event, "td", "td-match waive", match=ANNA_CARL, player=carl, reason="In hospital.")
    assert "the missing offers of carl are forgiven" in answer
    await event.move_to(OFFERS_END)
    (fault,) = [f for f in facts(event, FaultFound) if f.match_id == ANNA_CARL]
    assert fault.at_fault == ()


async def test_r5_10_an_extension_before_friday_moves_the_offer_deadline_along(event: World) -> None:
    await says(event, "td", "td-match extend", match=ANNA_CARL, reason="Power cut.")
    assert "Offers that count are due by Fri 3 Apr 23:59 UTC" in thread(event, "anna").last_message.content
    assert "by Fri 3 Apr 23:59 UTC" in card(event, "anna").content
    await event.move_to(OFFERS_END)
    assert [f.match_id for f in facts(event, FaultFound)] == [BOB_DORA]
    await event.move_to(OFFERS_END + timedelta(weeks=1))
    assert ANNA_CARL in [f.match_id for f in facts(event, FaultFound)]


async def test_r5_10_a_td_sets_a_time_only_inside_the_window_and_with_a_reason(event: World) -> None:
    answer = await says(event, "td", "td-match time", match=ANNA_CARL, time="Tue 31 Mar 12:00", reason="Both asked.")
    assert "cannot read" in answer
    assert "may be Mon 23 Mar 18:00 UTC or Mon 30 Mar 18:00 UTC" in await says(
        event, "td", "td-match time", match=ANNA_CARL, time="Mon 18:00", reason="Both asked."
    )
    assert "reason" in await says(event, "td", "td-match time", match=ANNA_CARL, time="30 Mar 18:00", reason=" ")
    assert "Agreed" not in card(event, "anna").content


# --- R6.3: another time for an agreed match -------------------------------------------------------------------------


async def test_r6_3_the_agreed_time_stands_until_the_other_accepts(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    answer = await says(event, "anna", "reschedule", time="Sun 29 18:00", reason="Train *late*")
    assert "Proposed to carl" in answer and "Until it is accepted, Sat 28 Mar 18:00 UTC stands." in answer
    told = thread(event, "anna").last_message.content
    assert "anna proposes to move the match" in told and r"Train \*late\*" in told
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content
    await press(event, "carl", thread(event, "anna"), ":accept:")
    assert "Moved to: **Sun 29 Mar 18:00 UTC" in thread(event, "anna").last_message.content
    assert "Agreed: Sun 29 Mar 18:00 UTC" in card(event, "anna").content
    assert "anna – carl · Sun 29 Mar 18:00" in said(event.channel("pairings"))


async def test_r6_3_a_proposal_can_be_taken_back_and_nothing_has_changed(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await says(event, "anna", "reschedule", time="Sun 29 18:00")
    await says(event, "anna", "retract", offer=2)
    assert "retracted" in await says(event, "carl", "accept", offer=2)
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content


async def test_r6_3_after_a_move_no_older_proposal_is_open(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await says(event, "anna", "reschedule", time="Sun 29 9:00, Sun 29 18:00")
    await event.slash(event.people["carl"], "accept", offer=2)
    assert "closed when the match got another time" in await says(event, "carl", "accept", offer=3)
    assert "closed when the match got another time" in await says(event, "anna", "retract", offer=3)
    assert "retracted" not in said(thread(event, "anna")), "nobody took anything back"
    assert "Agreed: Sun 29 Mar 09:00 UTC" in card(event, "anna").content


async def test_r6_3_without_an_agreement_there_is_nothing_to_move(event: World) -> None:
    assert "No time is agreed yet" in await says(event, "anna", "reschedule", time="Sun 29 18:00")


async def test_q11c_beyond_monday_is_refused_with_a_way_to_ask(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    anna = event.people["anna"]
    refused = await event.slash(anna, "reschedule", time="Mon 30 Mar 23:30")
    assert "too close to the match deadline" in text_of(refused)
    asked = await event.click(anna, refused.response, "acwc:1:ask-extend:1")
    assert "The TDs are asked" in text_of(asked)
    assert "anna asks for more time" in desk(event)
    await press(event, "td", event.channel("directors"), "extend:m1", "Both agree.")
    assert "Extended: it may be played until Mon 6 Apr 23:59 UTC" in card(event, "anna").content

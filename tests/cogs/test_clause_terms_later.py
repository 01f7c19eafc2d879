"""What becomes later of what was judged or ruled about a match's time: taken back, forgiven, allowed, overdue.

R5.5-R5.10, Q1-Q10 and Q15 as in `test_clause_terms`, with its players and its week.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.errors import AcwcError
from engine.facts import DutyWaived, FaultFound, MatchExtended, MatchPlayed, MatchRuled, TimeSet
from engine.model import Dispute
from engine.usecases.choosing import Wish
from engine.usecases.context import Actor
from engine.usecases.match_rulings import Blame
from tests.clauses.stage import agree, card, offer_enough, said, says, thread
from tests.cogs.test_clause_terms import (
    ANNA_CARL,
    BOB_DORA,
    MATCHES_END,
    OFFERS_END,
    SECOND,
    SUNDAY_NOON,
    THREE,
    both_offer,
    desk,
    director,
    facts,
    one_fails,
    posts_with,
    press,
    recorded,
)
from tests.world import World, custom_ids, text_of

HOUR = timedelta(hours=1)


async def take_back(world: World, kind: str, match: int, *, last: bool = False) -> None:
    """A TD takes back the only, or the last, fact of that kind about a match."""
    found = [f for f in recorded(world) if f.kind == kind and f.payload["match_id"] == match]
    await world.parts.app.rulings.undo(director(world), found[-1 if last else 0].id, "It was wrong.")
    await world.tick()


async def give_back(world: World) -> None:
    """The last taking back is itself taken back."""
    last = [f for f in recorded(world) if f.reverts_id is not None][-1]
    await world.parts.app.rulings.undo(director(world), last.id, "It was right.")
    await world.tick()


def newest(world: World, *names: str) -> Any:
    return thread(world, *names).last_message


def pinged(message: Any) -> list[str]:
    return sorted(user.name for user in message.mentions)


def disputes(world: World) -> list[Dispute]:
    return world.parts.db.read_sync(lambda reader: reader.find(Dispute))


async def refused(work: Any) -> str:
    with pytest.raises(AcwcError) as caught:
        await work
    return caught.value.code


def playing_director(world: World, who: str) -> Actor:
    role = world.guild.roles["World Cup TD"].id
    id = world.people[who].id
    return Actor(discord_id=id, name=who, guild_id=world.guild.id, command_id="8", role_ids=frozenset({role}))


# --- Taken back, and given back ---------------------------------------------------------------------------------------


async def test_r5_10_a_time_taken_back_is_told_with_a_ping_and_what_was_agreed_stands_again(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await says(event, "td", "td-match time", match=ANNA_CARL, time="Sun 29 15:00", reason="The server was down.")
    assert "Set by a TD: Sun 29 Mar 15:00 UTC" in card(event, "anna").content
    await take_back(event, "time_set", ANNA_CARL)
    told = newest(event, "anna")
    assert "taken this back: the time Sun 29 Mar 15:00 UTC." in told.content
    assert "The time is Sat 28 Mar 18:00 UTC" in told.content and pinged(told) == ["anna", "carl"]
    assert "A TD has set the time" not in said(thread(event, "anna")), "the old message no longer says so"
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content


async def test_r5_10_what_is_given_back_stands_again(event: World) -> None:
    await says(event, "td", "td-match time", match=ANNA_CARL, time="Sun 29 15:00", reason="Both asked for it.")
    await take_back(event, "time_set", ANNA_CARL)
    assert "Agree on a time here." in newest(event, "anna").content and "Set by" not in card(event, "anna").content
    await give_back(event)
    told = newest(event, "anna")
    assert "put this in force again: the time Sun 29 Mar 15:00 UTC." in told.content
    assert pinged(told) == ["anna", "carl"]
    assert "Set by a TD: Sun 29 Mar 15:00 UTC" in card(event, "anna").content
    assert "A TD has set the time: **Sun 29 Mar 15:00 UTC" in said(thread(event, "anna"))
    assert "taken this back" not in said(thread(event, "anna"))


async def test_r5_9_a_finding_taken_back_with_its_draw_is_told_once_and_the_dispute_waits_again(event: World) -> None:
    await both_offer(event)
    await press(event, "td", event.channel("directors"), ".nobody", "Both tried.")
    before = len(thread(event, "anna").history())
    await take_back(event, "match_ruled", ANNA_CARL)
    told = newest(event, "anna")
    assert len(thread(event, "anna").history()) == before + 1
    assert "taken this back: the result; whose fault it is that there is no time (nobody’s)." in told.content
    assert "The TDs decide whether one of you is at fault (§5.8)" in told.content
    assert [dispute.outcome for dispute in disputes(event)] == [None]


async def test_r5_9_a_finding_taken_back_after_they_agreed_leaves_no_dispute(event: World) -> None:
    await both_offer(event)
    await press(event, "td", event.channel("directors"), ".b", "Offered only nights.")
    await says(event, "carl", "accept", offer=2)
    await take_back(event, "fault_found", ANNA_CARL, last=True)
    assert "The time is Sat 28 Mar 18:00 UTC" in newest(event, "anna").content
    assert "No dispute waits" in await says(event, "td", "td-dispute list")


async def test_r5_6_taken_back_is_not_applied_again_and_they_can_agree(event: World) -> None:
    await event.move_to(OFFERS_END)
    await take_back(event, "match_ruled", BOB_DORA)
    told = newest(event, "bob")
    assert "taken this back: the result." in told.content and "Agree on a time here." in told.content
    await event.move(minutes=30)
    assert "By §5.6" not in card(event, "bob").content and "(forfeit)" not in card(event, "bob").content
    await agree(event, "bob", "dora", "Sun 29 18:00")
    assert "a TD still decides" not in card(event, "bob").content
    await give_back(event)
    assert "½–½" in newest(event, "bob").content, "in force again although they have agreed since, and both hear it"


async def test_a_played_result_taken_back_is_told(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 18:00")
    event.lichess.play_match("anna", "carl", at, "aaaaaa")
    await event.move_to(at + HOUR)
    await says(event, "anna", "report")
    await take_back(event, "match_played", ANNA_CARL)
    assert "taken this back: the result." in newest(event, "anna").content
    assert pinged(newest(event, "anna")) == ["anna", "carl"]


async def test_what_is_taken_back_before_it_was_told_is_never_told(event: World) -> None:
    work = event.parts.app.match_rulings.set_time(director(event), ANNA_CARL, SUNDAY_NOON, "Both asked.")
    fact = (await work).facts[0]
    await event.parts.app.rulings.undo(director(event), fact.id, "The wrong match.")
    await event.tick()
    assert "What stood here" not in said(thread(event, "anna"))


# --- Forgiven ---------------------------------------------------------------------------------------------------------


async def test_r5_10_of_two_at_fault_one_is_forgiven_and_sets_the_time(event: World) -> None:
    event.lichess.down = True  # §5.6 waits for Lichess
    await event.move_to(OFFERS_END)
    assert "**Neither of you had made the offers in time.** By §5.6" in card(event, "bob").content
    dora = event.people["dora"]
    await says(event, "td", "td-match waive", match=BOB_DORA, player=dora, reason="She was ill.")
    told = newest(event, "dora")
    assert "A TD forgives that dora made too few offers (§5.10)." in told.content
    assert "**dora, set the time** by" in told.content and "at least 12 h ahead" in told.content
    assert any("set-time" in id for id in custom_ids(told))
    assert "By §5.6" not in said(thread(event, "bob")), "the first message no longer says that it is a draw"
    event.lichess.down = False
    await event.move(minutes=30)
    assert BOB_DORA not in [f.match_id for f in facts(event, MatchRuled)]
    assert "is set for" in await says(event, "dora", "set-time", time="Sun 29 15:00")


async def test_r5_8_the_only_one_at_fault_is_forgiven_and_a_dispute_opens(event: World) -> None:
    await one_fails(event)
    carl = event.people["carl"]
    await says(event, "td", "td-match waive", match=ANNA_CARL, player=carl, reason="In hospital.")
    assert len(disputes(event)) == 1 and "**With the TDs:**" in card(event, "anna").content
    assert "The TDs decide whether one of you is at fault" in newest(event, "anna").content
    assert "You have no right" in await says(event, "anna", "set-time", time="Sun 29 15:00")


async def test_r5_8_forgiven_before_friday_the_players_read_why_nobody_is_at_fault(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    carl = event.people["carl"]
    await says(event, "td", "td-match waive", match=ANNA_CARL, player=carl, reason="In hospital.")
    await event.move_to(OFFERS_END)
    told = newest(event, "anna").content
    assert "Nobody is at fault so far, but there was no agreement" in told and "Both of you have made" not in told


async def test_q1_let_them_play_at_the_time_they_agreed_on(event: World) -> None:
    await event.jump_to(OFFERS_END)
    # Agreed at midnight, before the bot has looked.
    await event.slash(event.people["bob"], "offer", times="Sun 29 18:00")
    told = newest(event, "bob")
    assert "Neither of you had made the offers by the deadline." in said(thread(event, "bob")), told.content


async def test_q1_who_agrees_after_midnight_hears_that_a_td_decides(event: World) -> None:
    event.lichess.down = True
    await event.move_to(OFFERS_END)
    await agree(event, "bob", "dora", "Sun 29 18:00")
    assert "a TD still decides whether you may play then (§5.6, §5.10)" in card(event, "bob").content
    event.lichess.down = False
    await event.move(minutes=10)
    assert "Both made too few offers**, but agreed on Sun 29 Mar 18:00 UTC" in desk(event)
    await press(event, "td", event.channel("directors"), "rule-waive", "Fine with us.")
    told = newest(event, "bob").content
    assert "forgives that bob and dora made too few offers" in told or "forgives that dora and bob" in told
    assert "The time is Sun 29 Mar 18:00 UTC" in told and "Agree on a time" not in told
    assert "still decides" not in card(event, "bob").content


async def test_q1_where_a_td_decides_first_no_report_goes_before(event: World) -> None:
    event.lichess.play_match("bob", "dora", OFFERS_END - 3 * HOUR, "aaaaaa")
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await event.move_to(OFFERS_END)
    for who in ("bob", "dora"):
        assert "a TD decides first whether your match counts" in await says(event, who, "report", match=BOB_DORA)
    assert facts(event, MatchPlayed) == []
    await says(event, "td", "td-match waive", match=BOB_DORA, reason="They played on Friday.")
    await says(event, "bob", "report")
    message = posts_with(thread(event, "bob"), ":confirm:")[-1]
    confirm = next(id for id in custom_ids(message) if ":confirm:" in id)
    assert "bob 6–0 dora" in text_of(await event.click(event.people["dora"], message, confirm))
    told = said(thread(event, "bob"))
    assert "each of you has forfeited" not in told and "Ask a TD" not in told
    assert not posts_with(thread(event, "bob"), "ask-allow"), "what was played is no draw"


async def test_q5_a_right_that_never_was_is_not_told_as_lapsed(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await event.jump_to(MATCHES_END + 13 * HOUR)
    await event.tick()
    assert "has set none" not in desk(event)


async def test_r5_8_a_dispute_after_a_waiver_does_not_say_that_both_have_offered(event: World) -> None:
    await one_fails(event)
    await says(event, "td", "td-match waive", match=ANNA_CARL, player=event.people["carl"], reason="In hospital.")
    assert "Nobody is at fault by the offers, and they did not agree" in desk(event)
    assert "oth made their offers" not in desk(event)


async def test_r5_10_a_time_that_rested_on_a_finding_is_named_when_that_is_taken_back(event: World) -> None:
    await both_offer(event)
    await press(event, "td", event.channel("directors"), ".b", "Offered only nights.")
    await says(event, "anna", "set-time", time="Sun 29 15:00")
    assert "Set by anna: Sun 29 Mar 15:00 UTC" in card(event, "anna").content
    await take_back(event, "fault_found", ANNA_CARL, last=True)
    assert "The time that anna has set by the fault, Sun 29 Mar 15:00 UTC, still stands" in desk(event)


async def test_the_same_time_offered_by_both_can_be_accepted_at_once(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 18:00-20:00")
    shown = await event.slash(event.people["carl"], "offer", times="Sat 19:00")
    assert "anna offers that too: accept it, and the time is fixed." in text_of(shown)
    assert any(":accept-range:1" in id for id in custom_ids(shown.response))


async def test_two_open_matches_the_thread_says_which(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await says(event, "td", "td-match extend", match=ANNA_CARL, reason="Both are ill.")
    await offer_enough(event, "bob", "dora")
    await says(event, "td", "td-match extend", match=BOB_DORA, reason="All are ill.")
    await event.move_to(MATCHES_END + 12 * HOUR)
    anna = event.people["anna"]
    assert "more than one open match" in text_of(await event.slash(anna, "reschedule", time="Sun 5 Apr 18:00"))
    shown = await event.slash(anna, "reschedule", channel=thread(event, "R1", "anna"), time="Sun 5 Apr 18:00")
    assert "Proposed to carl" in text_of(shown)


async def test_the_hub_says_what_there_is_to_do_in_every_state(event: World) -> None:
    await one_fails(event)
    anna, carl = event.people["anna"], event.people["carl"]
    shown = await event.slash(anna, "hub")
    assert "**anna sets the time** by Sun 29 Mar 11:59 UTC" in text_of(shown)
    assert any("set-time" in id for id in custom_ids(shown.response))
    assert not any("set-time" in id for id in custom_ids((await event.slash(carl, "hub")).response))
    await says(event, "anna", "set-time", time="Sun 29 15:00")
    await says(event, "carl", "reschedule", time="Sun 29 18:00")
    shown = await event.slash(anna, "hub")
    assert "Set by anna: Sun 29 Mar 15:00 UTC" in text_of(shown)
    assert "they propose Sun 29 Mar 18:00 UTC" in text_of(shown)
    ids = custom_ids(shown.response)
    assert any(":accept:" in id for id in ids) and any("move-form" in id for id in ids)
    assert any(":retract:" in id for id in custom_ids((await event.slash(carl, "hub")).response))


# --- What refuses what ------------------------------------------------------------------------------------------------


async def test_r5_9_no_finding_before_the_deadline_and_none_over_an_agreement(event: World) -> None:
    rulings = event.parts.app.match_rulings
    await event.move_to(OFFERS_END - SECOND)
    for blame in Blame:
        assert await refused(rulings.blame(director(event), ANNA_CARL, blame, "Too slow.")) == "not_judged_yet"
    await offer_enough(event, "anna", "carl")
    await agree(event, "bob", "dora", "Sun 29 18:00")
    await event.move_to(OFFERS_END)
    await says(event, "carl", "accept", offer=1)
    for blame in (Blame.NOBODY, Blame.A, Blame.BOTH):
        assert await refused(rulings.blame(director(event), ANNA_CARL, blame, "Too slow.")) == "already_agreed"
    assert facts(event, MatchRuled) == []


async def test_r5_9_a_second_finding_only_when_nobody_is_at_fault_any_more(event: World) -> None:
    await both_offer(event)
    rulings = event.parts.app.match_rulings
    await rulings.blame(director(event), ANNA_CARL, Blame.A, "Refused every evening.")
    assert await refused(rulings.blame(director(event), ANNA_CARL, Blame.B, "Or was it carl?")) == "fault_ruled"
    assert await refused(rulings.blame(director(event), ANNA_CARL, Blame.NOBODY, "A draw.")) == "fault_ruled"
    await take_back(event, "fault_found", ANNA_CARL, last=True)
    await rulings.blame(director(event), ANNA_CARL, Blame.B, "It was carl.")
    await event.tick()
    assert "carl is at fault by a TD’s ruling" in newest(event, "anna").content


async def test_td_dispute_rule_takes_the_number_of_a_dispute_and_not_of_a_match(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await offer_enough(event, "bob", "dora")
    await event.move_to(OFFERS_END)
    assert [(d.id, d.match_id) for d in disputes(event)] == [(1, BOB_DORA)]
    assert "There is no dispute 2" in await says(event, "td", "td-dispute rule", dispute=2, fault="a", reason="Slow.")
    answer = await says(event, "td", "td-dispute rule", dispute=1, fault="nobody", reason="Both tried.")
    assert "bob – dora: ½–½" in answer or "dora – bob: ½–½" in answer
    again = await says(event, "td", "td-dispute rule", dispute=1, fault="a", reason="Slow.")
    assert "Dispute 1 does not wait any more" in again


async def test_q54_a_playing_td_decides_nothing_about_the_own_match(event: World) -> None:
    await offer_enough(event, "anna", "carl", "bob", "dora")
    await event.move_to(OFFERS_END)
    app, anna = event.parts.app, playing_director(event, "anna")
    for work in (
        app.rounds.extend(anna, "We need more time.", match_id=ANNA_CARL),
        app.match_rulings.set_time(anna, ANNA_CARL, SUNDAY_NOON, "It suits me."),
        app.match_rulings.waive(anna, ANNA_CARL, "I was busy."),
        app.match_rulings.blame(anna, ANNA_CARL, Blame.B, "He was slow."),
        app.match_rulings.rule(anna, 1, Blame.B, "He was slow."),
    ):
        assert await refused(work) == "recused"
    assert facts(event, MatchExtended) == facts(event, TimeSet) == facts(event, DutyWaived) == []
    assert [f.at_fault for f in facts(event, FaultFound)] == [(), ()]
    assert len(disputes(event)) == 2 and all(d.outcome is None for d in disputes(event))


async def test_r5_10_more_time_or_a_forgiven_duty_answers_no_dispute(event: World) -> None:
    await both_offer(event)
    await says(event, "td", "td-match extend", match=ANNA_CARL, reason="Both are busy.")
    assert [d.outcome for d in disputes(event)] == [None]
    assert "stands already" in await says(event, "td", "td-match extend", match=ANNA_CARL, reason="Again.")
    assert len(facts(event, MatchExtended)) == 1


async def test_r5_1_a_match_that_was_passed_over_is_judged_when_its_result_is_taken_back(event: World) -> None:
    await offer_enough(event, "bob", "dora")
    at = await agree(event, "anna", "carl", "Tue 24 Mar 18:00")
    await says(event, "td", "td-match time", match=BOB_DORA, time="Wed 25 Mar 18:00", reason="Both asked for it.")
    await event.move_to(at + timedelta(days=4))
    assert facts(event, FaultFound) == []
    await take_back(event, "time_set", BOB_DORA)
    assert [f.match_id for f in facts(event, FaultFound)] == [BOB_DORA]
    assert "**Dispute 1: no agreement**" in desk(event)


# --- Asked again ------------------------------------------------------------------------------------------------------


async def test_q11c_more_time_can_be_asked_for_again_after_a_decision(event: World) -> None:
    await both_offer(event)
    ask = event.parts.app.choosing.ask
    anna = event.people["anna"]
    actor = Actor(discord_id=anna.id, name="anna", guild_id=event.guild.id, command_id="5")
    await ask(actor, ANNA_CARL, Wish.EXTEND)
    await ask(actor, ANNA_CARL, Wish.EXTEND)
    await event.tick()
    assert desk(event).count("anna asks for more time") == 1, "once until something is decided"
    await says(event, "td", "td-match extend", match=ANNA_CARL, reason="Granted.")
    await ask(actor, ANNA_CARL, Wish.EXTEND)
    await event.tick()
    assert desk(event).count("anna asks for more time") == 2


async def test_q11c_a_time_beyond_the_window_and_one_after_monday_come_with_the_button(event: World) -> None:
    anna = event.people["anna"]
    await agree(event, "anna", "carl", "Sat 18:00")
    for moment, time in ((None, "Wed 1 Apr 18:00"), (MATCHES_END + HOUR, "Sun 5 Apr 18:00")):
        if moment is not None:
            await event.move_to(moment)
        shown = await event.slash(anna, "reschedule", time=time)
        assert any("ask-extend" in id for id in custom_ids(shown.response)), time

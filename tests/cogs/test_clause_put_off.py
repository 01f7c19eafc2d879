"""After a no-show: another time, or the forfeit and what follows (R6.3, R6.5, R5.10; Q11, Q11b, Q11c, Q24, Q25).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import timedelta

from engine.model import Authority
from engine.usecases.context import load_event
from tests.clauses.evening import (
    DEADLINE,
    MINUTE,
    choices,
    directors,
    forfeits,
    misses_two,
    presses,
    reported,
    rescheduled,
    ruled,
    said,
)
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.entering import actor
from tests.world import World, custom_ids, text_of

# --- Reschedule -----------------------------------------------------------------------------------------------------


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
    other = await misses_two(event)
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
    assert "No ten minutes wait" in await says(event, "td", "td-match timer", match=1, reason="x")


async def test_the_hub_of_both_shows_what_waits_and_the_buttons_that_are_theirs(event: World) -> None:
    at = await reported(event)

    async def hub(who: str) -> tuple[str, list[str]]:
        shown = await event.slash(event.people[who], "hub")
        parts = [part for part in [shown.response, *shown.followups] if part is not None]
        return text_of(shown), [id for part in parts for id in custom_ids(part) if "claim" in id]

    text, ids = await hub("carl")
    assert "anna has waited for you" in text and "18:12 UTC" in text and ids == []
    await event.move_to(at + 13 * MINUTE)
    text, ids = await hub("anna")
    assert "You choose" in text and len(ids) == 2
    assert (await hub("carl"))[1] == []
    await presses(event, "anna", "claim-move")
    for who in ("anna", "carl"):
        assert "carl forfeits the match to anna" in (await hub(who))[0]

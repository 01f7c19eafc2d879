"""A forfeit of the evening that the TDs have taken back: what the thread, the hub and the notices say then (R6.3, R6.5;
Q11).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import timedelta

from engine.model import Fact
from tests.clauses.evening import DEADLINE, MINUTE, directors, forfeits, presses, reported, rescheduled, ruled, said
from tests.clauses.stage import games, says, thread
from tests.world import World, custom_ids, text_of


async def lifted(world: World) -> Fact:
    """anna has claimed the match, and the TDs have taken that back; it is 18:13."""
    at = await reported(world)
    await world.move_to(at + 13 * MINUTE)
    await presses(world, "anna", "claim-win")
    (fact,) = ruled(world)
    await says(world, "td", "td undo", ref=fact.id, reason="He had a power cut.")
    await world.tick()
    assert forfeits(world) == {}
    return fact


async def failed(world: World) -> None:
    """anna has put the match off, and the TDs have taken back what came of it, after the deadline."""
    await rescheduled(world)
    await world.move_to(DEADLINE + 5 * MINUTE)
    (fact,) = ruled(world)
    await says(world, "td", "td undo", ref=fact.id, reason="We give you time.")
    await world.move_to(DEADLINE + 15 * MINUTE)


def buttons(world: World, words: str) -> list[str]:
    """The verbs below the message of the thread with these words."""
    (found,) = [m for m in thread(world, "anna", "carl").history() if words in m.content]
    return [id.split(":")[2] for id in custom_ids(found)]


async def hub(world: World, who: str) -> tuple[str, list[str]]:
    shown = await world.slash(world.people[who], "hub")
    parts = [part for part in [shown.response, *shown.followups] if part is not None]
    return text_of(shown), [id.split(":")[2] for part in parts for id in custom_ids(part)]


# --- A claim ----------------------------------------------------------------------------------------------------------


async def test_r6_5_the_thread_says_that_nothing_more_is_claimed_and_what_to_do(event: World) -> None:
    await lifted(event)
    words = (
        "The TDs have taken the forfeit back, so nothing more is claimed for that time: play, or *Propose another time*"
    )
    for head in ("### Are you there?", "### Play now"):
        (text,) = said(event, head)
        assert words in text and "Opponent absent" not in text
        assert "move-form" in buttons(event, head) and "absent" not in buttons(event, head)
    assert not said(event, "has claimed the win")


async def test_r6_5_the_hub_of_both_says_so_and_has_no_button_for_it(event: World) -> None:
    await lifted(event)
    for who in ("anna", "carl"):
        text, verbs = await hub(event, who)
        assert "The TDs have taken the forfeit back" in text and "*Propose another time*" in text
        assert "absent" not in verbs and verbs.count("move-form") == 1


async def test_r6_5_whoever_asks_again_reads_what_to_do(event: World) -> None:
    await lifted(event)
    for command, options in (("match opponent-absent", {}), ("match claim", {"choice": "win"})):
        answer = await says(event, "anna", command, **options)
        assert answer.startswith("The TDs have taken the forfeit back, so nothing more is claimed")
    assert "The TDs have taken the forfeit back" in await says(event, "carl", "match opponent-absent")
    assert not ruled(event)[1:]


async def test_r6_5_the_notice_to_the_tds_says_that_it_was_taken_back(event: World) -> None:
    await lifted(event)
    assert directors(event, "**Opponent absent:**", "the win was claimed, and you have taken that back")


async def test_r6_5_when_the_match_is_played_after_all_nobody_has_forfeited_it(event: World) -> None:
    await lifted(event)
    event.lichess.play_match("anna", "carl", event.clock.now(), games("111111"))
    await event.move(minutes=30)
    await says(event, "anna", "report")
    await event.tick()
    assert said(event, "anna 6–0 carl") and not said(event, "So you have forfeited the match")
    assert not said(event, "the match is open again", "forfeit of carl")
    (call,) = said(event, "### Are you there?")
    assert "what stands now is on the card" in call
    assert directors(event, "**Opponent absent:**", "you have taken that back")


async def test_r6_5_an_undo_that_is_taken_back_shows_the_claim_again(event: World) -> None:
    await lifted(event)
    facts = event.parts.db.read_sync(lambda r: r.facts(event.edition().id))
    undone = next(fact for fact in facts if fact.kind == "reverted")
    await says(event, "td", "td undo", ref=undone.id, reason="He had none.")
    await event.tick()
    assert said(event, "### Are you there?", "anna has claimed the win") and said(event, "So you have forfeited")
    (notice,) = directors(event, "**Opponent absent:**", "the win was claimed")
    assert "taken that back" not in notice


async def test_r6_3_at_a_new_time_an_absence_is_reported_anew(event: World) -> None:
    await lifted(event)
    await says(event, "anna", "reschedule", time="Sun 29 18:00")
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["carl"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))
    await event.move(days=1)
    assert "absent" in (await hub(event, "anna"))[1]
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    await event.move(minutes=11)
    assert "the match is yours" in await presses(event, "anna", "claim-win")


# --- A match that was put off -----------------------------------------------------------------------------------------


async def test_q11_who_reschedules_is_offered_no_other_report_for_that_time(event: World) -> None:
    await rescheduled(event)
    (call,) = said(event, "### Play now")
    assert "anna has chosen to reschedule" in call and "Opponent absent" not in call
    assert "absent" not in buttons(event, "### Play now")
    for who in ("anna", "carl"):
        assert "absent" not in (await hub(event, who))[1]


async def test_q11_when_its_time_is_over_the_call_says_what_the_card_says(event: World) -> None:
    await failed(event)
    assert not said(event, "### Play now")
    (card,) = said(event, "## Round 1: anna – carl")
    over = card.splitlines()[-1]
    assert over.startswith("**The time for this match is over.**")
    assert over in said(event, over)[1]
    assert not [m for m in thread(event, "anna", "carl").history() if ":absent:" in str(custom_ids(m))]
    assert directors(event, "**Opponent absent:**", "put off and not played", "you have taken the forfeit back")


def pings(world: World) -> list[str]:
    """Those that say that the time is over; the card does, too."""
    found = said(world, f"<@{world.people['anna'].id}>", "The time for this match is over")
    return [text for text in found if not text.startswith("## ")]


async def test_q7_that_the_time_is_over_is_told_once(event: World) -> None:
    await failed(event)
    (told,) = pings(event)
    assert "The TDs have taken this back" in told and "write to the TDs" in told


async def test_q7_nobody_plays_now_when_the_time_is_over(event: World) -> None:
    """Without anything that was taken back: the call goes, the ping comes."""
    await reported(event, "Mon 30 22:50")
    await event.move_to(DEADLINE + timedelta(minutes=2))
    assert not said(event, "### Play now") and len(pings(event)) == 1

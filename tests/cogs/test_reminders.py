"""The reminders about one match, on both sides of their moments: R5.7, the Friday post, before and after the match."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.model import Occurrence
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.first_round import PUBLISHED
from tests.world import World, custom_ids, text_of

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FRIDAY = datetime(2026, 3, 27, 12, tzinfo=UTC)
OFFERS_END = datetime(2026, 3, 28, tzinfo=UTC)
PLAY = datetime(2026, 3, 28, 18, tzinfo=UTC)
SWITCH = "`/reminders` switches these pings off."


def pings(world: World, *names: str) -> list[str]:
    """The reminders that can be switched off, in the thread of anna and carl unless other names are given."""
    history = thread(world, *(names or ("anna", "carl"))).history()
    return [message.content for message in history if SWITCH in message.content]


def skipped(world: World) -> list[str]:
    """What was recorded as too late."""
    found = world.parts.db.read_sync(lambda reader: reader.find(Occurrence, skipped=True))
    return [occurrence.key for occurrence in found]


def owing(world: World) -> list[str]:
    return [m.content for m in world.channel("pairings").history() if "offers are due by" in m.content]


async def mute(world: World, who: str, kind: str) -> None:
    shown = await world.slash(world.people[who], "reminders")
    button = next(id for id in custom_ids(shown.response) if id.endswith(f":{kind}.off"))
    await world.click(world.people[who], shown.response, button)


# --- R5.7: an answer within 24 hours ------------------------------------------------------------------------------


async def test_r5_7_the_silent_side_is_asked_for_an_answer_after_a_day(event: World) -> None:
    """bob offers a range at the same moment, and dora has switched this reminder off."""
    await says(event, "anna", "offer", times="Sat 18:00, Sun 29 9:00")
    await says(event, "bob", "offer", times="Mon 23 11:00-13:00")
    await mute(event, "dora", "answer")
    await event.move_to(PUBLISHED + DAY - SECOND)
    assert pings(event) == []
    await event.move_to(PUBLISHED + DAY)
    (ping,) = pings(event)
    assert ping.startswith(f"{event.people['carl'].mention}: anna made you 2 offers")
    assert "waits for your answer: accept, or offer other times (§5.7)" in ping
    assert event.people["anna"].mention not in ping and pings(event, "bob", "dora") == []
    message = thread(event, "anna", "carl").last_message
    accept = [id for id in custom_ids(message) if ":accept:" in id]
    assert len(accept) == 2
    assert text_of(await event.click(event.people["carl"], message, accept[1])).startswith("Agreed: Sun 29 Mar 09:00")
    message = next(m for m in thread(event, "anna", "carl").history() if m.id == message.id)
    assert message.content == "anna’s offers here are not open any more." and not custom_ids(message)
    assert not skipped(event), "what nobody wants to hear is settled, not late"


async def test_r5_7_once_in_a_silence_whatever_restarts(event: World) -> None:
    """dora answers in the last second; then it is bob's turn for a day, and he answers too."""
    await says(event, "anna", "offer", times="Sat 18:00")
    await says(event, "bob", "offer", times="Sat 18:00")
    await event.move_to(PUBLISHED + 12 * HOUR)
    await says(event, "anna", "offer", times="Sun 29 9:00")
    await event.restart()
    await event.move_to(PUBLISHED + DAY - SECOND)
    await says(event, "dora", "offer", times="Mon 23 12:00-20:00")
    await event.move_to(PUBLISHED + DAY)
    await event.restart()
    await event.move_to(PUBLISHED + 3 * DAY)
    assert len(pings(event)) == 1
    assert pings(event, "bob", "dora") == [], "dora has answered, and the end of her range has passed"
    await says(event, "carl", "offer", times="Sat 12:00")
    await event.move_to(PUBLISHED + 4 * DAY)
    assert len(pings(event)) == 2, "now it is anna who is silent"
    assert pings(event)[1].startswith(f"{event.people['anna'].mention}: carl made you an offer")


async def test_r5_7_late_passed_and_taken_back(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 18:00")
    await says(event, "bob", "offer", times="Mon 23 11:59, Sat 18:00")
    await says(event, "bob", "retract", offer=3)
    await event.jump_to(PUBLISHED + 2 * DAY - SECOND)
    await event.tick()
    assert len(pings(event)) == 1, "a little late is of use"
    assert pings(event, "bob", "dora") == [] and skipped(event) == []
    await says(event, "carl", "offer", times="Sun 29 9:00")
    await event.jump_to(event.env.now() + 2 * DAY)
    await event.tick()
    assert len(pings(event)) == 1
    assert [key for key in skipped(event) if "answer" in key] == ["match:1:answer:4"]
    await event.jump_to(OFFERS_END)
    await event.tick()
    assert owing(event) == [], "with the Friday ping, the Friday post"
    assert sum(":remind:" in key for key in skipped(event)) == 3


# --- R5.1: the Friday post in the channel ----------------------------------------------------------------------------


async def test_r5_1_on_friday_who_owes_offers_is_named_once_without_a_ping_and_brought_up_to_date(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    await says(event, "dora", "offer", times="Sat 9:00")
    await event.move_to(FRIDAY - SECOND)
    assert owing(event) == []
    await event.move_to(FRIDAY)
    (post,) = owing(event)
    assert post.splitlines() == [
        "**Round 1: offers are due by Fri 27 Mar 23:59 UTC (<t:1774656000:R>).**",
        "Still owe offers, unless they agree on a time before (§5.1):",
        "• 0 of 3 made: carl, bob",
        "• 1 of 3 made: dora",
    ]
    message = event.channel("pairings").last_message
    await event.restart()
    await says(event, "bob", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    (post,) = owing(event)
    assert "• 0 of 3 made: carl\n• 1 of 3 made: dora" in post and "bob" not in post
    await says(event, "carl", "accept", offer=1)
    await says(event, "bob", "retract", offer=5)
    assert owing(event)[0].endswith("• 1 of 3 made: dora\n• 2 of 3 made: bob")
    await says(event, "dora", "accept", offer=6)
    assert owing(event) == [
        "**Round 1: offers are due by Fri 27 Mar 23:59 UTC (<t:1774656000:R>).**\n"
        "Nobody owes any now: all have made theirs or agreed on a time."
    ]
    assert event.channel("pairings").history()[-1].id == message.id


async def test_r5_1_after_the_deadline_the_post_says_what_was_owed_then(event: World) -> None:
    await says(event, "bob", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    await says(event, "dora", "offer", times="Sat 10:00, Sat 19:00, Sun 29 10:00")
    await says(event, "anna", "offer", times="Sat 9:00")
    await event.move_to(OFFERS_END - SECOND)
    before = owing(event)
    assert "• 0 of 3 made: carl\n• 1 of 3 made: anna" in before[0]
    await event.move_to(OFFERS_END)
    await says(event, "dora", "accept", offer=2)
    assert owing(event) == before


# --- Before the match -------------------------------------------------------------------------------------------------


async def test_before_the_match_a_day_an_hour_and_ten_minutes(event: World) -> None:
    """Of the other match everybody hears only what is not switched off, and the channel nothing on Friday."""
    assert await agree(event, "anna", "carl", "Sat 18:00") == PLAY
    assert await agree(event, "bob", "dora", "Sat 18:00") == PLAY
    for who, kind in (("dora", "day_before"), ("bob", "hour_before"), ("dora", "hour_before")):
        await mute(event, who, kind)
    counts: list[int] = []
    for ahead in (DAY, HOUR, 10 * MINUTE):
        for early in (SECOND, 0 * SECOND):
            await event.move_to(PLAY - ahead - early)
            await event.restart()
            counts.append(len(pings(event)))
    assert counts == [0, 1, 1, 2, 2, 3]
    anna, bob, carl, dora = (event.people[name].mention for name in ("anna", "bob", "carl", "dora"))
    for ping in pings(event):
        assert ping.startswith(f"{anna} {carl}: your match starts at **Sat 28 Mar 18:00 UTC")
    first, last = pings(event, "bob", "dora")
    assert first.startswith(f"{bob}, against dora: your match starts") and dora not in first
    assert last.startswith(f"{bob} {dora}: ") and "Challenge each other" in last
    assert owing(event) == [] and skipped(event) == []


async def test_what_was_agreed_at_short_notice_is_reminded_of_only_afterwards(event: World) -> None:
    await event.move_to(FRIDAY)
    await agree(event, "anna", "carl", "Fri 12:30")
    await agree(event, "bob", "dora", "Fri 13:00")
    await event.move_to(FRIDAY + 20 * MINUTE - SECOND)
    assert (pings(event), pings(event, "bob", "dora")) == ([], [])
    await event.move_to(FRIDAY + HOUR)
    assert len(pings(event, "bob", "dora")) == 1, "that of an hour before was not after the agreement"
    assert sum("starts at" in ping for ping in pings(event)) == 1
    assert skipped(event) == []


async def test_before_the_match_too_late_is_skipped_and_recorded_and_nothing_is_said_when_it_is_over(
    event: World,
) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await agree(event, "bob", "dora", "Fri 19:00")
    event.lichess.play_match("bob", "dora", PLAY - 23 * HOUR, games("111111"))
    await event.move_to(PLAY - DAY - HOUR)
    await event.jump_to(PLAY - 22 * HOUR)
    await says(event, "bob", "report")
    before = len(pings(event, "bob", "dora"))
    await event.jump_to(PLAY - 11 * MINUTE)
    await event.tick()
    late = [key for key in skipped(event) if "before" in key and "match:1:" in key]
    assert len(pings(event)) == 2 and late == []
    await event.jump_to(PLAY)
    await event.tick()
    assert len(pings(event)) == 2
    late = [key for key in skipped(event) if "match:1:" in key]
    assert late == ["match:1:minutes_before:2026-03-28T18:00:00"]
    assert len(pings(event, "bob", "dora")) == before


async def test_a_moved_match_is_reminded_of_anew(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await event.move_to(PLAY - HOUR)
    assert len(pings(event)) == 2
    await says(event, "anna", "reschedule", time="Sun 29 20:00")
    await says(event, "carl", "accept", offer=2)
    await event.move_to(PLAY + 30 * MINUTE)
    assert len(pings(event)) == 2, "nothing about the old time"
    await event.move_to(PLAY + DAY + 2 * HOUR)
    assert sum("Sun 29 Mar 20:00 UTC" in ping for ping in pings(event)) == 3


async def test_a_reminder_of_a_match_that_is_over_asks_for_nothing(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await event.move_to(PLAY - 30 * MINUTE)
    reminders = [m for m in thread(event, "anna", "carl").history() if "your match starts" in m.content]
    assert reminders and all(custom_ids(m) == ["acwc:1:move-form:1"] for m in reminders)
    event.lichess.play_match("anna", "carl", PLAY, ["a"] * 6)
    await event.move_to(PLAY + HOUR)
    await says(event, "anna", "report")
    reminders = [m for m in thread(event, "anna", "carl").history() if "your match starts" in m.content]
    assert reminders and not any(custom_ids(m) for m in reminders)


# --- No game after its time -----------------------------------------------------------------------------------------


async def test_q12_q13_without_a_game_both_are_asked_after_a_quarter_of_an_hour(event: World) -> None:
    """A game counts from ten minutes before on: one a second earlier is none of this match."""
    await agree(event, "anna", "carl", "Sat 18:00")
    await agree(event, "bob", "dora", "Sat 18:00")
    event.lichess.add_game("anna", "carl", created_at=PLAY - 10 * MINUTE - SECOND)
    event.lichess.add_game("bob", "dora", created_at=PLAY - 10 * MINUTE)
    await event.move_to(PLAY + 15 * MINUTE - SECOND)
    assert not any("no game" in ping for ping in pings(event))
    await event.move_to(PLAY + 15 * MINUTE)
    await event.restart()
    await event.move_to(PLAY + 2 * HOUR)
    (ping,) = (ping for ping in pings(event) if "no game" in ping)
    assert event.people["anna"].mention in ping and event.people["carl"].mention in ping
    assert "to start late is fine" in ping and "tell the TDs" in ping
    assert custom_ids(thread(event, "anna", "carl").last_message) == ["acwc:1:move-form:1"]
    assert not any("no game" in ping for ping in pings(event, "bob", "dora"))
    assert not skipped(event)


async def test_while_lichess_is_silent_nothing_is_claimed_and_after_an_hour_it_is_too_late(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await agree(event, "bob", "dora", "Sat 19:00")
    await event.move_to(PLAY + 15 * MINUTE - SECOND)
    event.lichess.down = True
    await event.move_to(PLAY + 75 * MINUTE - SECOND)
    await event.tick()
    assert not any("no game" in ping for ping in pings(event)) and not skipped(event)
    await event.move_to(PLAY + 75 * MINUTE)
    await event.tick()
    assert skipped(event) == ["match:1:not_started:2026-03-28T18:00:00"]
    event.lichess.down = False
    await event.move_to(PLAY + 80 * MINUTE)
    assert not any("no game" in ping for ping in pings(event))
    assert sum("no game" in ping for ping in pings(event, "bob", "dora")) == 1, "late, but of use"

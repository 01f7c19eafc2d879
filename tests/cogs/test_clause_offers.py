"""Agreeing on a time, as the two players see it: R5.1-R5.4, R4.4, Q3, Q4. The round runs from Sunday 22 March 2026."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from tests.clauses.stage import agree, card, everything, games, said, says, thread
from tests.cogs.first_round import PUBLISHED
from tests.world import World, custom_ids, text_of

THURSDAY = datetime(2026, 3, 26, 18, 0, tzinfo=UTC)
FRIDAY = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
LAST_CALL = datetime(2026, 3, 27, 21, 0, tzinfo=UTC)
OFFERS_END = datetime(2026, 3, 28, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def pings(world: World, *names: str) -> list[str]:
    """The reminders in a thread: the names that are counted up in each."""
    texts = [m.content for m in thread(world, *names).history() if "are due by" in m.content]
    return [" ".join(name for name in names if f"{name} " in text.partition("UTC")[2]) for text in texts]


def duty(world: World, name: str, *names: str) -> str:
    """`2 of 3 offers`, from the card."""
    found = re.search(rf"^\W+{name}: (\d of \d) offers", card(world, name, *names).content, re.MULTILINE)
    assert found, card(world, name, *names).content
    return found[1]


# --- R5.1: three offers by Friday --------------------------------------------------------------------------------


async def test_r5_1_three_offers_are_the_duty(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00")
    assert "2 of 3 offers count; 1 more by Fri 27 Mar 23:59 UTC" in answer and "(§5.1)" in answer
    answer = await says(event, "anna", "offer", times="Sun 29 9:00")
    assert "You have made your 3 offers" in answer
    assert (duty(event, "anna"), duty(event, "carl")) == ("3 of 3", "0 of 3")


async def test_r5_1_the_reminders_go_to_who_still_owes_offers(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    await says(event, "dora", "offer", times="Sat 9:00")
    for moment, first, second in (
        (THURSDAY - MINUTE, [], []),
        (THURSDAY, ["carl"], ["bob"]),
        (FRIDAY - MINUTE, ["carl"], ["bob"]),
        (FRIDAY, ["carl", "carl"], ["bob", "bob dora"]),
        (LAST_CALL - MINUTE, ["carl", "carl"], ["bob", "bob dora"]),
        (LAST_CALL, ["carl", "carl", "carl"], ["bob", "bob dora", "bob dora"]),
        (OFFERS_END + MINUTE, ["carl", "carl", "carl"], ["bob", "bob dora", "bob dora"]),
    ):
        await event.move_to(moment)
        assert (pings(event, "anna", "carl"), pings(event, "bob", "dora")) == (first, second), moment


async def test_r5_1_an_accepted_offer_ends_the_duty(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 18:00")
    await event.move_to(OFFERS_END)
    assert pings(event, "anna", "carl") == []
    assert pings(event, "bob", "dora") == ["bob dora"] * 3


async def test_r5_1_what_is_offered_after_friday_does_not_count(event: World) -> None:
    await says(event, "anna", "offer", times="Sun 29 9:00, Sun 29 18:00, 30 Mar 12:00")
    await event.move_to(OFFERS_END - MINUTE)
    await says(event, "carl", "offer", times="Sun 29 12:00")
    assert duty(event, "carl") == "1 of 3"
    await event.move_to(OFFERS_END)
    assert "The time for offers that count is over" in await says(event, "carl", "offer", times="Mon 9:00")
    assert duty(event, "carl") == "1 of 3"


# --- R5.2: at once, and shared ------------------------------------------------------------------------------------


async def test_r5_2_negotiation_starts_with_the_pairing(event: World) -> None:
    assert event.env.now() == PUBLISHED
    assert "Offered to carl" in await says(event, "anna", "offer", times="Sun 22 14:00")


async def test_r5_2_an_agreed_time_is_shared_in_the_thread_and_in_the_pairings(event: World) -> None:
    before = event.channel("pairings").history()
    await agree(event, "anna", "carl", "Sat 18:00")
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content
    assert "Agreed: **Sat 28 Mar 18:00 UTC" in thread(event, "anna").last_message.content
    posts = event.channel("pairings").history()
    assert re.search(r"anna – carl · Sat 28 Mar 18:00\b.*<t:1774720800:", posts[0].content)
    assert "bob – dora" in posts[0].content and "bob – dora ·" not in posts[0].content
    assert [post.id for post in posts] == [post.id for post in before], "the post is edited, not repeated"


# --- R5.3: UTC ------------------------------------------------------------------------------------------------


async def test_r5_3_a_time_without_a_zone_is_utc(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sat 18:00")
    assert "Sat 28 Mar 18:00 UTC" in answer and "<t:1774720800:f>" in answer


async def test_r5_3_every_time_is_utc_text_and_a_discord_timestamp(event: World) -> None:
    answers = [
        await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00, Sun 29 14-20"),
        await says(event, "bob", "offer", times="Sat 9:00, Sat 10:00"),
        await says(event, "anna", "retract", offer=1),
        await says(event, "carl", "accept", offer=2),
        await says(event, "anna", "hub"),
        await says(event, "bob", "hub"),
    ]
    await event.move_to(LAST_CALL)
    answers += [await says(event, "td", "pairings"), await says(event, "td", "td edition show")]
    shown = [*everything(event), *answers]
    lines = [(line, text) for text in shown for line in text.splitlines() if re.search(r"\d \w{3} \d\d:\d\d", line)]
    assert len(lines) > 20
    for line, text in lines:
        if "does not help" in line:
            continue  # names the offers of the lines above
        assert "UTC" in text, text
        assert "<t:" in line, line


# --- R5.4: apart, and not all on one day ---------------------------------------------------------------------------


async def test_r5_4_three_hours_apart_and_the_bot_says_at_once_what_does_not_help(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sat 9:00, Sat 11:59")
    assert "1 of 3 offers count" in answer
    assert "Sat 28 Mar 11:59 can be accepted, but does not help your 3: it is less than 3 h from Sat 28 Mar" in answer
    assert "(§5.4)" in answer
    assert "2 of 3 offers count" in await says(event, "anna", "offer", times="Sat 12:00")


async def test_r5_4_two_on_one_date_at_most(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sat 9:00, Sat 12:00, Sat 15:00")
    assert "2 of 3 offers count" in answer
    assert "it is one more than 2 on that date (§5.4)" in answer
    assert "You have made your 3 offers" in await says(event, "anna", "offer", times="Sun 29 9:00")


# --- R4.4: the window ---------------------------------------------------------------------------------------------


async def test_r4_4_no_time_after_the_monday(event: World) -> None:
    answer = await says(event, "anna", "offer", times="31 Mar 10:00")
    assert "outside this match's window" in answer and "Mon 30 Mar 23:59 UTC" in answer and "(§4.4)" in answer
    assert "Offered to carl" in await says(event, "anna", "offer", times="30 Mar 22:00")


# --- Q3, Q4 ----------------------------------------------------------------------------------------------------


async def test_q3_what_is_taken_back_by_friday_does_not_count(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    answer = await says(event, "anna", "retract", offer=2)
    assert "2 of 3 offers count" in answer
    assert duty(event, "anna") == "2 of 3"
    await event.move_to(FRIDAY)
    assert pings(event, "anna", "carl") == ["carl", "anna carl"]


async def test_q3_after_friday_taking_back_changes_nothing(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 9:00, Sat 18:00, Sun 29 9:00")
    await event.move_to(OFFERS_END)
    await says(event, "anna", "retract", offer=2)
    assert duty(event, "anna") == "3 of 3"


async def test_q3_an_offer_whose_time_has_passed_still_counts(event: World) -> None:
    await says(event, "anna", "offer", times="Mon 23 18:00, Tue 18:00, Wed 18:00")
    await event.move_to(LAST_CALL)
    assert pings(event, "anna", "carl") == ["carl"] * 3
    assert "has passed" in await says(event, "carl", "accept", offer=1)


async def test_q4_less_than_an_hour_ahead_does_not_help_but_may_be_accepted(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sun 22 12:59, Sun 22 16:00")
    assert "1 of 3 offers count" in answer and "12:59 can be accepted" in answer and "60 minutes' notice" in answer
    await event.move_to(PUBLISHED + timedelta(hours=1))
    assert "2 of 3 offers count" in await says(event, "anna", "offer", times="Mon 23 14:00")
    answer = await says(event, "bob", "offer", times="Sun 22 14:00")
    assert "1 of 3 offers count" in answer, "sixty minutes are enough"


async def test_q4_the_last_hour_before_the_deadline_cannot_be_offered(event: World) -> None:
    assert "1 of 3 offers count" in await says(event, "anna", "offer", times="30 Mar 23:00")
    answer = await says(event, "bob", "offer", times="30 Mar 23:01")
    assert "too close to the match deadline" in answer and "Start by Mon 30 Mar 23:00 UTC" in answer
    assert duty(event, "bob") == "0 of 3"


async def test_q4_a_range_is_one_offer_of_any_minute_in_it(event: World) -> None:
    answer = await says(event, "anna", "offer", times="Sat 14-20")
    assert "1 of 3 offers count" in answer and "Sat 28 Mar 14:00–20:00 UTC" in answer
    assert "Agreed" not in await says(event, "carl", "accept", offer=1, time="Sat 20:01")
    answer = await says(event, "carl", "accept", offer=1, time="Sat 17:25")
    assert answer.startswith("Agreed: Sat 28 Mar 17:25 UTC")


# --- R6.6: the result ------------------------------------------------------------------------------------------


async def test_r6_6_either_player_reports_and_everybody_sees_it(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 18:00")
    event.lichess.play_match("anna", "carl", at, games("101111 1".replace(" ", "")))
    other = await agree(event, "bob", "dora", "Sat 18:30")
    event.lichess.play_match("bob", "dora", other, games("000000"))
    await event.move_to(at + timedelta(hours=2))
    assert "Recorded: **anna 6–1 carl**" in await says(event, "anna", "report")
    assert "Recorded: **bob 0–6 dora**" in await says(event, "dora", "report")
    for a, b, score in (("anna", "carl", "anna 6–1 carl"), ("bob", "dora", "bob 0–6 dora")):
        assert score in said(event.channel("results"))
        assert score in thread(event, a, b).last_message.content
        assert score in card(event, a, b).content


async def test_r6_6_a_second_report_is_the_same_result(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 18:00")
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + timedelta(hours=2))
    report = next(id for id in custom_ids(card(event, "anna")) if ":report:" in id)
    first = text_of(await event.click(event.people["carl"], card(event, "anna"), report))
    assert "Recorded: **anna 6–0 carl**" in first
    assert "already has its result: **anna 6–0 carl**" in await says(event, "anna", "report")
    assert said(event.channel("results")).count("anna 6–0 carl") == 1


async def test_r6_6_nobody_else_reports_and_a_score_must_agree_with_the_games(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 18:00")
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + timedelta(hours=2))
    assert "only these two can do that" in await says(event, "bob", "report", match=1)
    answer = await says(event, "carl", "report", score="6-0")
    assert "You reported 6–0" in answer and "you 0–6 anna" in answer and "(§6.6)" in answer
    assert "anna" not in said(event.channel("results"))

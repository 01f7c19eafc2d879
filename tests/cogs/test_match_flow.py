"""From the pairing to the result, as the two players type and click it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.cogs.first_round import PUBLISHED
from tests.world import World, custom_ids, text_of

SATURDAY = datetime(2026, 3, 28, 18, 0, tzinfo=UTC)


def thread(world: World, *names: str):
    return next(t for name, t in world.threads.items() if all(n in name for n in names))


def card(world: World, *names: str):
    return thread(world, *names).history()[0]


async def agree(world: World, a: str, b: str, when: str = "Sat 18:00") -> None:
    await world.slash(world.people[a], "offer", times=when)
    message = thread(world, a).last_message
    await world.click(world.people[b], message, next(i for i in custom_ids(message) if ":accept:" in i))


async def test_offer_accept_play_report(event: World) -> None:
    anna, carl = event.people["anna"], event.people["carl"]
    answer = text_of(await event.slash(anna, "offer", times="Sat 18:00, Sun 29 9:00; 30 Mar 20:30"))
    assert "Sat 28 Mar 18:00 UTC" in answer and "<t:1774720800:f>" in answer
    assert "You have made your 3 offers" in answer
    posted = thread(event, "anna").last_message
    assert carl.mention in posted.content and "Sun 29 Mar 09:00 UTC" in posted.content
    accept = [i for i in custom_ids(posted) if ":accept:" in i]
    assert len(accept) == 3
    answer = text_of(await event.click(carl, posted, accept[0]))
    assert answer.startswith("Agreed: Sat 28 Mar 18:00 UTC")
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(event, "anna").content
    pairings = event.channel("pairings").history()[0].content
    assert "anna – carl · Sat 28 Mar 18:00" in pairings  # R5.2
    await event.move_to(SATURDAY)
    event.lichess.play_match("anna", "carl", SATURDAY, ["a", "a", "b", "a", "a", "draw", "a", "a"])
    await event.move(hours=1)
    answer = text_of(await event.click(carl, card(event, "anna"), "acwc:1:report:1"))
    assert "anna 5½–1½ carl" in answer
    result = event.channel("results").last_message.content
    assert "anna 5½–1½ carl" in result and "Match point: anna." in result
    assert result.count("https://lichess.org/") == 8  # seven games, one played after the decision
    assert "anna 5½–1½ carl" in thread(event, "anna").last_message.content
    assert "anna 5½–1½ carl" in card(event, "anna").content
    assert "anna 5½–1½ carl" in event.channel("pairings").history()[0].content


async def test_form_offers_the_same(event: World) -> None:
    anna = event.people["anna"]
    shown = await event.click(anna, card(event, "anna"), "acwc:1:offer-form:1")
    assert shown.modal is not None and shown.modal["title"] == "Offer times to carl"
    answer = text_of(await event.submit(anna, shown, "Sat 18:00", "Sat 19:00", ""))
    assert "1 of 3 offers count; 2 more by Fri 27 Mar 23:59 UTC" in answer
    assert (
        "Sat 28 Mar 19:00 can be accepted, but does not help your 3: it is less than 3 h from Sat 28 Mar 18:00"
        in answer
    )


async def test_buttons_survive_a_restart(event: World) -> None:
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    message = thread(event, "anna").last_message
    await event.restart()
    message = thread(event, "anna").last_message
    answer = text_of(
        await event.click(event.people["carl"], message, next(i for i in custom_ids(message) if "accept" in i))
    )
    assert answer.startswith("Agreed: Sat 28 Mar 18:00 UTC")


async def test_accepting_twice_says_already_agreed(event: World) -> None:
    await agree(event, "anna", "carl")
    answer = text_of(await event.slash(event.people["carl"], "accept", offer=1))
    assert answer.startswith("Already agreed: Sat 28 Mar 18:00 UTC")
    assert sum("Agreed:" in m.content for m in thread(event, "anna").history()[1:]) == 1


async def test_report_twice_is_one_result(event: World) -> None:
    await agree(event, "anna", "carl")
    await event.move_to(SATURDAY)
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move(hours=1)
    first = text_of(await event.slash(event.people["anna"], "report"))
    second = text_of(await event.slash(event.people["carl"], "report", score="0-6"))
    assert first.startswith("Recorded: **anna 6–0 carl**")
    assert second.startswith("This match already has its result: **anna 6–0 carl**")
    assert sum("anna 6–0 carl" in m.content for m in event.channel("results").history()) == 1


async def test_report_checks_a_typed_score_from_the_reporters_side(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "bbbbbb")
    await event.move_to(SATURDAY + timedelta(hours=1))
    answer = text_of(await event.slash(event.people["anna"], "report", score="6-0"))
    assert "You reported 6–0, but the games on Lichess say you 0–6 carl" in answer
    assert not any("anna" in post.content for post in event.channel("results").history())
    answer = text_of(await event.slash(event.people["anna"], "report", score="0-6"))
    assert "anna 0–6 carl" in answer


async def test_unfinished_match_names_the_score_and_what_is_missing(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "aab")
    event.lichess.add_game("anna", "carl", created_at=SATURDAY + timedelta(minutes=30), winner="white", rated=False)
    await event.move_to(SATURDAY + timedelta(hours=1))
    answer = text_of(await event.slash(event.people["carl"], "report"))
    assert "The match is not over: you 1–2 anna, 7 games to go at most" in answer
    assert "not rated" in answer  # Q20


async def test_q12_without_an_agreed_time_both_name_the_first_game(event: World) -> None:
    thursday = SATURDAY - timedelta(days=2)
    event.lichess.play_match("anna", "carl", thursday, "aaaaaa")
    await event.move_to(thursday + timedelta(hours=1))
    answer = text_of(await event.slash(event.people["anna"], "report"))
    assert "both of you must name the same first game" in answer
    asked = thread(event, "anna").last_message
    assert event.people["carl"].mention in asked.content
    own = text_of(await event.click(event.people["anna"], asked, custom_ids(asked)[0]))
    assert "Your opponent has to confirm it" in own
    answer = text_of(await event.click(event.people["carl"], asked, custom_ids(asked)[0]))
    assert answer.startswith("Recorded: **anna 6–0 carl**")
    asked = next(m for m in thread(event, "anna").history() if m.id == asked.id)
    assert custom_ids(asked) == []  # answered, so it has no button any more


async def test_q22_a_score_without_games_goes_to_the_tds_once(event: World) -> None:
    await agree(event, "anna", "carl")
    await event.move_to(SATURDAY)
    for _ in range(2):
        answer = text_of(await event.slash(event.people["anna"], "report", score="6-2"))
        assert "A score alone is not a result" in answer
    notices = [m for m in event.channel("directors").history() if "A score without games" in m.content]
    assert len(notices) == 1 and "R1 · anna – carl" in notices[0].content
    assert not any("anna" in post.content for post in event.channel("results").history())


async def test_q38b_a_cheat_game_waits_for_a_td(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaa")
    event.lichess.add_game("anna", "carl", created_at=SATURDAY + timedelta(minutes=40), winner="white", status="cheat")
    await event.move_to(SATURDAY + timedelta(hours=2))
    assert "Only a TD can judge these games" in text_of(await event.slash(event.people["anna"], "report"))
    assert "A game needs your look" in event.channel("directors").last_message.content


async def test_report_by_links(event: World) -> None:
    await agree(event, "anna", "carl")
    ids = event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    links = " ".join(f"https://lichess.org/{i}/black" for i in ids)
    assert "anna 6–0 carl" in text_of(await event.slash(event.people["anna"], "report", games=links))


async def test_hub_says_what_to_do_now(event: World) -> None:
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    result = await event.slash(event.people["carl"], "hub")
    answer = text_of(result)
    assert "Round 1 against anna" in answer and "they offer Sat 28 Mar 18:00 UTC" in answer
    assert "• anna: 1 of 3 offers" in answer and "• carl: 0 of 3 offers" in answer
    assert [i.split(":")[2] for i in custom_ids(result.response)] == ["offer-form", "report", "accept"]


async def test_a_range_is_accepted_at_a_minute_in_it(event: World) -> None:
    """Q4."""
    await event.slash(event.people["anna"], "offer", times="Sat 14:00-20:00")
    message = thread(event, "anna").last_message
    button = next(i for i in custom_ids(message) if ":accept-range:" in i)
    shown = await event.click(event.people["carl"], message, button)
    answer = text_of(await event.submit(event.people["carl"], shown, "21:00"))
    assert "“21:00” is not a minute of the offer Sat 28 Mar 14:00–20:00 UTC" in answer
    shown = await event.click(event.people["carl"], message, button)
    answer = text_of(await event.submit(event.people["carl"], shown, "18:30"))
    assert answer.startswith("Agreed: Sat 28 Mar 18:30 UTC")


async def test_two_players_accepting_at_once_end_in_one_time(event: World) -> None:
    import asyncio

    from engine.usecases.context import Actor

    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    await event.slash(event.people["carl"], "offer", times="Sun 29 Mar 18:00")

    def actor(name: str) -> Actor:
        person = event.people[name]
        return Actor(discord_id=person.id, name=name, guild_id=event.guild.id, command_id=name)

    app = event.parts.app
    done = await asyncio.gather(
        app.scheduling.accept(actor("carl"), 1), app.scheduling.accept(actor("anna"), 2), return_exceptions=True
    )
    assert sum(isinstance(outcome, Exception) for outcome in done) == 1
    await event.tick()
    assert event.env.now() == PUBLISHED

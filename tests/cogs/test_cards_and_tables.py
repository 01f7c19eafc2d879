"""The card of a match in every state, and tables on a phone."""

from __future__ import annotations

from datetime import timedelta

from cogs.render import tables
from cogs.render.tables import WIDTH
from tests.cogs.test_match_flow import SATURDAY, agree, card, thread
from tests.season.play import play_all_but
from tests.world import World, custom_ids, text_of


def verbs(message) -> list[str]:
    return [id.split(":")[2] for id in custom_ids(message)]


async def test_the_card_has_every_action_that_its_state_allows(event: World) -> None:
    """Negotiating: offer, accept each open offer, report; agreed: report, move; finished: nothing."""
    assert verbs(card(event, "anna")) == ["offer-form", "report"]
    await event.slash(event.people["anna"], "offer", times="Sat 18:00, Fri 27 Mar 9:00-12:00")
    await event.slash(event.people["carl"], "offer", times="Sun 29 Mar 20:00")
    assert verbs(card(event, "anna")) == ["offer-form", "accept-range", "accept", "accept", "report"]
    await event.slash(event.people["carl"], "retract", offer=3)
    assert verbs(card(event, "anna")) == ["offer-form", "accept-range", "accept", "report"]
    await event.slash(event.people["carl"], "accept", offer=1)
    assert verbs(card(event, "anna")) == ["report", "move-form"]
    await event.slash(event.people["carl"], "reschedule", time="Sat 20:00")
    assert verbs(card(event, "anna")) == ["report", "accept", "move-form"]
    await event.slash(event.people["carl"], "retract", offer=4)
    assert [verbs(message) for message in thread(event, "anna").history()[1:4]] == [[], [], []]
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    await event.slash(event.people["anna"], "report")
    assert verbs(card(event, "anna")) == []


async def test_every_accept_button_on_a_card_is_refused_only_for_a_reason_that_is_said(event: World) -> None:
    """Whoever presses it: the own offer, a stranger; never silence."""
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    message = card(event, "anna")
    button = next(id for id in custom_ids(message) if ":accept:" in id)
    for name in ("anna", "bob"):
        answer = text_of(await event.click(event.people[name], message, button))
        assert "own offer" in answer or "only these two" in answer


async def test_tables_fit_forty_columns_and_page(event: World) -> None:
    await play_all_but(event, 1, SATURDAY)
    await event.tick()
    shown = await event.slash(event.people["anna"], "standings")
    table = text_of(shown).split("```")[1].strip("\n").split("\n")
    assert len(table) == 5 and all(len(line) <= WIDTH for line in table)
    posted = event.channel("standings").last_message.content.split("```")[1].strip("\n").split("\n")
    assert posted == table
    details = await event.click(event.people["anna"], shown.response, custom_ids(shown.response)[-1])
    assert "Cum 1" in text_of(details) and "MBuch 0" in text_of(details)
    assert "(behind by seed only)" in text_of(details)
    missing = text_of(await event.slash(event.people["anna"], "standings", round=3))
    assert "nothing to show for round 3. You can see: 1" in missing


async def test_standings_and_pairings_before_there_are_any(world: World) -> None:
    td = world.people["td"]
    assert "no World Cup" in text_of(await world.slash(td, "standings"))
    await world.slash(td, "td edition create", starts="2026-03-22")
    assert "no entrants yet" in text_of(await world.slash(td, "standings"))
    assert "No round of LiAntichess World Cup 2026 has been published" in text_of(await world.slash(td, "pairings"))
    assert "registration is not open yet" in text_of(await world.slash(td, "hub"))


async def test_hub_between_rounds_says_when_the_next_pairings_come(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    await event.slash(event.people["anna"], "report")
    assert "The next pairings come Tue 31 Mar 12:00 UTC" in text_of(await event.slash(event.people["anna"], "hub"))


def test_a_stage_that_waits_is_called_by_its_name() -> None:
    assert "Round 3 is due but waits" in tables.round_waits("qualification", 3).text
    candidates = tables.round_waits("candidates", 1).text
    assert candidates.startswith("The Candidates are due but wait:") and "comes out here" not in candidates

"""One set of flows for both offline Discords (`world` is each of them in turn)."""

from __future__ import annotations

from pathlib import Path

import discord
import pytest

from acwc_bot.service import INVITED
from tests.flows.conftest import DISCORDS, Opened
from tests.flows.story import (
    PLAYERS,
    SATURDAY,
    agree,
    button,
    card,
    decide,
    open_registration,
    play,
    register,
    start,
    thread,
    told,
)
from tests.standin.world import open_standin_world
from tests.world import BaseWorld, custom_ids, text_of


async def test_setup_makes_the_channels_and_the_role_once(world: BaseWorld) -> None:
    answer = text_of(await world.slash(world.owner, "td setup"))
    assert "Set up" in answer and "wc-" not in answer  # channels are mentioned
    before = {name: place.id for name, place in world.guild.channels.items()}
    assert {"wc-pairings", "wc-matches", "wc-directors"} <= set(before) and "World Cup TD" in world.guild.roles
    await world.slash(world.owner, "td setup")
    assert {name: place.id for name, place in world.guild.channels.items()} == before


async def test_register_approve_and_a_message_to_the_player(world: BaseWorld) -> None:
    await open_registration(world)
    assert "is with the TDs" in await register(world, "anna")
    assert world.direct_messages(world.people["anna"]) == []
    await decide(world, "approve")
    (message,) = world.direct_messages(world.people["anna"])
    assert "You are in" in message
    assert "anna" in world.channel("directors").last_message.content
    assert button_gone(world)


def button_gone(world: BaseWorld) -> bool:
    return not any(":approve:" in id for id in custom_ids(world.channel("directors").last_message))


async def test_a_round_is_published_with_a_thread_for_each_match(world: BaseWorld) -> None:
    await start(world)
    assert sorted(world.threads) == ["R1 · 01 · anna – carl", "R1 · 02 · bob – dora"]
    pairings = world.channel("pairings").last_message.content
    for first, second in (("anna", "carl"), ("bob", "dora")):
        assert f"{first} – {second}" in pairings
        assert world.people[first].mention in card(world, first).content


async def test_a_community_has_its_matches_in_a_forum(world: BaseWorld) -> None:
    world.become_community()
    await world.settle()
    await start(world)
    assert sorted(world.threads) == ["R1 · 01 · anna – carl", "R1 · 02 · bob – dora"]
    assert [len(place.history()) for place in world.threads.values()] == [1, 1]
    assert (await agree(world)).startswith("Agreed: Sat 28 Mar 18:00 UTC")
    assert "Agreed" in card(world, "anna").content


async def test_offer_by_command_and_accept_by_button(world: BaseWorld) -> None:
    await start(world)
    assert (await agree(world)).startswith("Agreed: Sat 28 Mar 18:00 UTC")
    assert "Agreed: Sat 28 Mar 18:00 UTC" in card(world, "anna").content
    assert "anna – carl · Sat 28 Mar 18:00" in world.channel("pairings").last_message.content


async def test_offer_by_form_and_accept_by_command(world: BaseWorld) -> None:
    await start(world)
    message = card(world, "anna")
    shown = await world.click(world.people["anna"], message, button(message, "offer-form"))
    assert shown.modal["title"] == "Offer times to carl"
    answer = text_of(await world.submit(world.people["anna"], shown, "Sat 18:00", "Sun 29 Mar 9:00", ""))
    assert "2 of 3 offers count" in answer
    (first, _) = await world.people["carl"].autocomplete(world.lobby, "accept", "offer", "")
    answer = text_of(await world.slash(world.people["carl"], "accept", offer=first["value"]))
    assert answer.startswith("Agreed: Sat 28 Mar 18:00 UTC")


async def test_autocomplete_offers_what_is_ones_own(world: BaseWorld) -> None:
    await start(world)
    await world.slash(world.people["anna"], "offer", times="Sat 18:00, Sun 29 9:00")
    carl = world.people["carl"]
    every = [choice["name"] for choice in await carl.autocomplete(world.lobby, "accept", "offer", "")]
    assert every == ["Sat 28 Mar 18:00 UTC, R1 anna – carl", "Sun 29 Mar 09:00 UTC, R1 anna – carl"]
    typed = [choice["name"] for choice in await carl.autocomplete(world.lobby, "accept", "offer", "sun")]
    assert typed == every[1:]
    assert await world.people["bob"].autocomplete(world.lobby, "accept", "offer", "") == []


async def test_report_by_button_is_public_everywhere(world: BaseWorld) -> None:
    await start(world)
    await agree(world)
    assert (await play(world)).startswith("Recorded: **anna 6–0 carl**")
    for place in (world.channel("results"), thread(world, "anna")):
        assert "anna 6–0 carl" in place.last_message.content
    assert "anna 6–0 carl" in card(world, "anna").content
    assert "anna 6–0 carl" in world.channel("pairings").history()[0].content
    assert "anna" in text_of(await world.slash(world.people["dora"], "standings"))


async def test_a_refusal_is_private_and_says_why(world: BaseWorld) -> None:
    await start(world)
    await world.slash(world.people["anna"], "offer", times="Sat 18:00")
    message = thread(world, "anna").last_message
    result = await world.click(world.people["bob"], message, button(message, "accept"))
    said = result.response or result.followups[0]
    assert said.ephemeral and "only these two can do that" in said.content
    assert thread(world, "anna").last_message.id == message.id
    refusal = text_of(await world.slash(world.people["td"], "td edition create", starts="never", ruleset="2023"))
    assert "never" in refusal


async def test_a_restart_in_the_middle_forgets_nothing(world: BaseWorld) -> None:
    await start(world)
    await world.slash(world.people["anna"], "offer", times="Sat 18:00")
    await world.restart()
    message = thread(world, "anna").last_message
    answer = text_of(await world.click(world.people["carl"], message, button(message, "accept")))
    assert answer.startswith("Agreed: Sat 28 Mar 18:00 UTC")
    await world.restart()
    await world.move_to(SATURDAY)
    assert (await play(world)).startswith("Recorded: **anna 6–0 carl**")


@pytest.mark.parametrize("community", [False, True], ids=["threads", "forum"])
async def test_both_tell_the_same_story(opened: Opened, community: bool) -> None:
    """Everything that was said, word for word, with the buttons below it; only the ids differ."""
    stories = {}
    for name in DISCORDS:
        async with opened(name) as world:
            if community:
                world.become_community()
                await world.settle()
            stories[name] = await told(world)
    assert stories["simcord"] == stories["standin"]
    assert len(stories["standin"]) > 4 * len(PLAYERS)


# --- What only the stand-in can tell -----------------------------------------------------------------------------


async def test_the_permissions_of_the_invitation_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same story as with a bot that may everything."""
    stories = []
    for number, bot in enumerate((discord.Permissions.all(), INVITED)):
        (folder := tmp_path / str(number)).mkdir()
        async with open_standin_world(folder, monkeypatch, bot=bot) as world:
            world.become_community()
            await world.settle()
            stories.append(await told(world))
            assert not [asked for asked in world.standin.asked if asked.status in (403, 404)]
    assert stories[0] == stories[1]


async def test_a_closed_direct_message_is_told_to_the_tds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_standin_world(tmp_path, monkeypatch) as world:
        await open_registration(world)
        await register(world, "anna")
        world.guild.close_dms(world.people["anna"])
        await decide(world, "approve")
        assert world.direct_messages(world.people["anna"]) == []
        assert "anna takes no direct messages" in world.channel("directors").last_message.content

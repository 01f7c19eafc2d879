"""Autocomplete answers with one read, offers only one's own things, and says nothing rather than fail."""

from __future__ import annotations

from tests.world import World


async def choices(who, world: World, command: str, option: str, typed: str = "") -> list[str]:
    return [choice["name"] for choice in await who.autocomplete(world.lobby, command, option, typed)]


async def test_matches_and_offers_are_ones_own(event: World) -> None:
    anna, carl, stranger = event.people["anna"], event.people["carl"], event.person("stranger")
    await event.slash(anna, "offer", times="Sat 18:00, Sun 29 9:00")
    assert await choices(anna, event, "report", "match") == ["R1 · anna – carl"]
    assert await choices(carl, event, "accept", "offer") == [
        "Sat 28 Mar 18:00 UTC, R1 anna – carl",
        "Sun 29 Mar 09:00 UTC, R1 anna – carl",
    ]
    assert await choices(carl, event, "accept", "offer", "sun") == ["Sun 29 Mar 09:00 UTC, R1 anna – carl"]
    assert await choices(anna, event, "accept", "offer") == []
    assert len(await choices(anna, event, "retract", "offer")) == 2
    assert await choices(stranger, event, "report", "match") == []


async def test_before_setup_there_is_nothing_to_choose(empty: World) -> None:
    assert await choices(empty.person("x"), empty, "accept", "offer") == []

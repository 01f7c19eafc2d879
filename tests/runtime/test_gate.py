"""The gate on a real discord.py client in the offline Discord: what each failure means."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from acwc_bot.gate import DiscordGate, Refused, Unsure
from cogs.render.message import Message, Thread
from tests.season.play import said
from tests.world import LONG_AGO, World, custom_ids, open_world, text_of

THREAD = Thread("R1 · 01 · a – b", "Finding a time", Message("card"), "match:1:card", 1)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as opened:
        await opened.set_up()
        yield opened


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (403, 50013, "missing_permission"),
        (404, 10003, "missing_channel"),
        (404, 10008, "missing_message"),
        (404, 0, None),
        (400, 50035, "refused"),
        (500, 0, None),
        (502, 0, None),
    ],
)
async def test_failures_are_certain_or_not(world: World, status: int, code: int, outcome: str | None) -> None:
    gate = DiscordGate(world.parts.bot)
    world.env.inject_error("POST", "/channels/*/messages", status=status, code=code, times=None)
    with pytest.raises(Refused if outcome else Unsure) as failure:
        await gate.send(world.channel("results").id, Message("x"), nonce="1")
    if outcome:
        assert isinstance(failure.value, Refused) and failure.value.problem == outcome


async def test_a_message_in_an_archived_thread_is_edited_after_opening_it(world: World) -> None:
    gate = DiscordGate(world.parts.bot)
    thread_id = (await gate.open_thread(world.channel("matches").id, THREAD)).thread_id
    message_id = await gate.send(thread_id, Message("old"), nonce="1")
    world.env.inject_error("PATCH", f"/channels/{thread_id}/messages/*", status=400, code=50083, times=1)
    await gate.edit(thread_id, message_id, Message("new"))
    assert [message.content for message in world.threads["R1 · 01 · a – b"].history()] == ["new"]


async def test_only_the_own_thread_of_that_name_since_then_is_found(world: World) -> None:
    gate, now = DiscordGate(world.parts.bot), world.env.now()
    matches = world.channel("matches").id
    made = await gate.open_thread(matches, THREAD)
    assert await gate.find_thread(matches, THREAD.name, now) == made
    assert await gate.find_thread(matches, "R1 · 02 · c – d", now) is None
    assert await gate.find_thread(world.channel("results").id, THREAD.name, now) is None
    assert await gate.find_thread(matches, THREAD.name, now + timedelta(days=364)) is None  # the same pair next year


@pytest.mark.parametrize(("status", "code"), [(403, 50007), (403, 50278), (404, 10013)])
async def test_closed_direct_messages_are_told_to_the_directors_and_the_hub_has_the_news(
    world: World, status: int, code: int
) -> None:
    td = world.people["td"]
    await world.slash(td, "td edition create", starts="2026-03-22")
    await world.slash(td, "td edition open")
    world.lichess.add_account("anna", rating=2100, games=3000, created_at=LONG_AGO)
    await world.enters("anna")
    world.env.inject_error("POST", "/users/@me/channels", status=status, code=code, times=None)
    card = world.channel("directors").last_message
    await world.click(td, card, custom_ids(card)[0])
    assert len(said(world.channel("directors"), "anna takes no direct messages")) == 1
    assert "you are in as anna" in text_of(await world.slash(world.people["anna"], "hub"))

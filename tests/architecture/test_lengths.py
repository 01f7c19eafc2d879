"""Everything the relay posts fits into one Discord message, with the longest names and the most offers there can be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cogs.render.message import BUTTON_LIMIT, TEXT_LIMIT, Message, split
from cogs.render.posts import PostRenderer
from engine.model import Post
from engine.usecases.context import Actor
from engine.usecases.scheduling import MAX_OPEN_OFFERS, Span
from tests.world import World, open_world

START = datetime(2026, 3, 22, 12, tzinfo=UTC)
LONG = [f"{letter}_{'x_' * 13}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"]  # 28 letters, each escaped


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as opened:
        await opened.set_up()
        yield opened


def actor(world: World, name: str) -> Actor:
    td = world.guild.roles["World Cup TD"].id if name == "td" else 0
    who = world.people[name]
    return Actor(discord_id=who.id, name=name, guild_id=world.guild.id, command_id=name, role_ids=frozenset({td}))


async def enter(world: World, names: list[str]) -> None:
    registration = world.parts.app.registration
    await world.parts.app.editions.create(actor(world, "td"), "2023", START.date())
    await world.parts.app.editions.open(actor(world, "td"))
    for name in names:
        world.lichess.add_account(name, rating=2000, games=2000, created_at=datetime(2015, 1, 1, tzinfo=UTC))
        world.person(name)
        begun = await registration.register(actor(world, name), name, others=[f"{name[:26]}_{n}" for n in range(10)])
        world.lichess.change(name, bio=begun.entry.code)
        await registration.prove(actor(world, name), begun.entry.id)
        await world.parts.app.checks.advance()
        await world.parts.app.entries.decide(actor(world, "td"), begun.entry.id, approve=True, reason="x" * 500)
    await world.parts.app.editions.close(actor(world, "td"))


async def test_every_post_fits_with_the_longest_names_and_the_most_offers(world: World) -> None:
    names = list(dict.fromkeys(name.lower() for name in LONG))
    assert all(len(name) == 28 for name in names)
    await enter(world, names)
    await world.move_to(START)
    spans = [Span(START + timedelta(days=6, hours=2 * n), START + timedelta(days=8)) for n in range(MAX_OPEN_OFFERS)]
    hub = await world.parts.app.tables.hub(actor(world, names[0]))
    both = [side.entrant.name for side in hub.matches[0].sides]
    for name in both:
        await world.parts.app.scheduling.offer(actor(world, name), None, spans)
    await world.move_to(START + timedelta(days=5))
    render = PostRenderer(world.parts.app.desk.folds, world.clock)
    posts = world.parts.db.read_sync(lambda reader: reader.find(Post))
    longest = {}
    for post in posts:
        made = await asyncio.to_thread(world.parts.db.read_sync, lambda reader, post=post: render(reader, post))
        if made is None:
            continue
        if isinstance(made, Message):
            longest[post.kind] = max(longest.get(post.kind, 0), len(made.text))
            assert len(made.text) <= TEXT_LIMIT, (post.kind, len(made.text))
            assert len(made.buttons) <= BUTTON_LIMIT
            assert all(len(getattr(button, "custom_id", "")) <= 100 for button in made.buttons)
        else:
            assert len(made.name) <= 100
    assert {"pairings", "match_card", "offers_made", "reminder", "entry_card"} <= longest.keys()
    assert longest["match_card"] > 1200, "the test must really fill the card"


def test_a_long_private_answer_is_cut_at_line_ends_and_code_blocks_are_closed() -> None:
    text = "head\n```\n" + "\n".join(f"row {n} {'x' * 60}" for n in range(100)) + "\n```\ntail"
    parts = split(text)
    assert len(parts) > 1 and all(len(part) <= TEXT_LIMIT for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)
    rows = [line for part in parts for line in part.split("\n") if line.startswith("row")]
    assert rows == [line for line in text.split("\n") if line.startswith("row")]
    assert split("x" * 5000)[0].startswith("x") and all(len(part) <= TEXT_LIMIT for part in split("x" * 5000))

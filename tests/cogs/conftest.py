"""A small running event: four players, round 1 published on Sunday 22 March 2026 at 12:00."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.clauses.stage import AGREED, agree
from tests.world import World, open_prepared, open_world

PLAYERS = ("anna", "bob", "carl", "dora")
PUBLISHED = datetime(2026, 3, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[World]:
    """A server with the bot, not set up."""
    async with open_world(tmp_path) as world:
        yield world


async def set_up(world: World) -> None:
    await world.set_up()


async def round_1_is_out(world: World) -> None:
    await world.set_up()
    await world.start_edition(PLAYERS, "2026-03-22")
    await world.move_to(PUBLISHED)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Set up, no edition."""
    async with open_prepared(tmp_path, set_up) as world:
        yield world


@pytest.fixture
async def event(tmp_path: Path) -> AsyncIterator[World]:
    """anna–carl and bob–dora are paired; anna is seed 1."""
    async with open_prepared(tmp_path, round_1_is_out) as world:
        yield world


@pytest.fixture
def followed(event: World) -> None:
    """The bot follows the games of the event by itself; for a whole file by `pytest.mark.usefixtures`."""
    event.follows = True


@pytest.fixture
async def agreed(event: World) -> World:
    """anna and carl play on Saturday 28 March at 18:00."""
    assert await agree(event, "anna", "carl", "Sat 18:00") == AGREED
    return event

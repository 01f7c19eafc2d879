"""The servers that the tests begin with: empty, set up, with round 1 out, with the Semifinals begun."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.clauses.stage import AGREED, agree
from tests.cogs.first_round import round_1_is_out
from tests.cogs.tying import finals_begin, semifinals_begin
from tests.world import World, open_prepared, open_world


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[World]:
    """A server with the bot, not set up."""
    async with open_world(tmp_path) as world:
        yield world


async def set_up(world: World) -> None:
    await world.set_up()


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


@pytest.fixture
async def semifinal(tmp_path: Path) -> AsyncIterator[World]:
    """anna–bob and carl–dora, from Tuesday 24 March 2026 on; their games are followed."""
    async with open_prepared(tmp_path, semifinals_begin) as world:
        world.follows = True
        yield world


@pytest.fixture
async def final(tmp_path: Path) -> AsyncIterator[World]:
    """The Grand Final anna–bob and the Third Place Playoff carl–dora, from then on; their games are followed."""
    async with open_prepared(tmp_path, finals_begin) as world:
        world.follows = True
        yield world

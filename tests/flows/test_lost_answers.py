"""What only the stand-in can do: two at once, and an acknowledgement that is lost on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.season.play import FIRST_PAIRINGS, at, boards, match_id, said, typed
from tests.standin import Fault
from tests.standin.world import StandinWorld, open_standin_world
from tests.world import text_of


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandinWorld]:
    async with open_standin_world(tmp_path, monkeypatch) as made:
        yield made


async def test_setup_twice_at_once_makes_nothing_twice(world: StandinWorld) -> None:
    world.become_community()
    await world.settle()
    await asyncio.gather(*(world.owner.slash(world.lobby, "td setup") for _ in range(3)))
    await world.settle()
    names = [channel["name"] for channel in world.standin.state.channels.values() if "name" in channel]
    assert len(names) == len(set(names))
    roles = [role["name"] for role in world.standin.state.guild(world.guild.id)["roles"]]
    assert roles.count("World Cup TD") == 1


async def test_a_lost_acknowledgement_loses_no_command(world: StandinWorld) -> None:
    await world.set_up()
    await world.start_edition(("anna", "bob", "carl", "dora"), FIRST_PAIRINGS.isoformat())
    await world.move_to(at(3, 22))
    board = boards(world, 1)[0]
    world.standin.fail("POST", r"/interactions/.*/callback", Fault.CUT_AFTER)
    options = {"times": typed(at(3, 28, 18)), "match": match_id(world, board)}
    answer = await world.slash(world.person(board.a), "offer", channel=board.thread, **options)
    assert "Offered to" in text_of(answer)
    assert said(board.thread, "offers a time")

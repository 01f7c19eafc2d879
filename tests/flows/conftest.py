"""Each flow is played on both offline Discords: simcord, and the stand-in over real HTTP and WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.standin.world import open_standin_world
from tests.world import BaseWorld, open_world

DISCORDS = ("simcord", "standin")
Opened = Callable[[str], AbstractAsyncContextManager[BaseWorld]]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens a world by the name of its Discord."""

    def by_name(name: str) -> AbstractAsyncContextManager[BaseWorld]:
        folder = tmp_path / name
        folder.mkdir()
        return open_world(folder) if name == "simcord" else open_standin_world(folder, monkeypatch)

    return by_name


@pytest.fixture(params=DISCORDS)
async def world(request: pytest.FixtureRequest, opened: Opened) -> AsyncIterator[BaseWorld]:
    async with opened(request.param) as made:
        yield made

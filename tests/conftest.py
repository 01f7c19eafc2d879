"""What holds for every test: nothing leaks in from the developer's machine, Hypothesis repeats itself, and nothing is
sent to Discord that Discord would refuse."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from simcord.http import router

from tests.discord_limits import problems

for _name in (
    "DISCORD_TOKEN",
    "DATABASE_URL",
    "LICHESS_TOKEN",
    "PUBLIC_URL",
    "DISCORD_GUILD_ID",
    "BACKUP_DIR",
    "LOG_LEVEL",
):
    os.environ.pop(_name, None)

# The same examples on every run and no limit by the clock: a loaded machine must not turn a green suite red.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

# Every request of discord.py inside simcord passes here, the answers to interactions as well; the stand-in of
# `tests/standin` checks the same by itself.
_dispatch = router.dispatch
_refused: list[str] = []


def _checked(backend: Any, method: str, path: str, **more: Any) -> Any:
    for problem in problems(method, path, more.get("json"), reason=more.get("reason")):
        _refused.append(f"{method} {path}: {problem}")
    return _dispatch(backend, method, path, **more)


router.dispatch = _checked


@pytest.fixture(autouse=True)
def nothing_that_discord_refuses() -> Iterator[list[str]]:
    """What was sent against Discord's limits; a test fails that leaves something in it."""
    _refused.clear()
    yield _refused
    assert not _refused, "Discord would refuse:\n" + "\n".join(_refused)

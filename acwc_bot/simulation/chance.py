"""Chance as the simulation uses it. `acwc_bot.wiring.chance` makes it from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chance(Protocol):
    """What is used of `random.Random`."""

    def random(self) -> float: ...
    def randint(self, a: int, b: int, /) -> int: ...
    def choice(self, seq: Sequence[T], /) -> T: ...


def happens(chance: Chance, rate: float) -> bool:
    return chance.random() < rate


def moment(chance: Chance, earliest: datetime, latest: datetime) -> datetime:
    """A whole minute between the two, both included; the earliest where the latest is before it."""
    minutes = max(int((latest - earliest) / timedelta(minutes=1)), 0)
    return earliest + timedelta(minutes=chance.randint(0, minutes))

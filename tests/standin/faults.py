"""What goes wrong by plan: the next requests to a path are answered badly, late, or not at all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto


class Fault(Enum):
    ERROR_BEFORE = auto()
    """An answer of 5xx, and nothing has happened."""
    ERROR_AFTER = auto()
    """An answer of 5xx, but it has happened."""
    CUT_BEFORE = auto()
    """The connection is closed without an answer, and nothing has happened."""
    CUT_AFTER = auto()
    """The connection is closed without an answer, but it has happened."""
    HELD_BEFORE = auto()
    """Nothing happens until `Plan.release()`."""
    HELD_AFTER = auto()
    """It happens at once; the answer waits for `Plan.release()`."""
    LIMITED = auto()
    """429 with `retry_after`."""


@dataclass
class Plan:
    """`path` is a regular expression for the whole path after `/api/v10`; the next `times` requests fall under it."""

    method: str
    path: str
    fault: Fault
    times: int = 1
    status: int = 500
    retry_after: float = 1.0
    hits: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request falls under it."""
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    def takes(self, method: str, path: str) -> bool:
        return self.hits < self.times and self.method in ("*", method) and re.fullmatch(self.path, path) is not None

    def hit(self) -> None:
        self.hits += 1
        self.reached.set()

    def release(self) -> None:
        self._released.set()

    async def wait(self) -> None:
        await self._released.wait()


class Faults:
    """The plans in the order they were made; the first that takes a request has it."""

    def __init__(self) -> None:
        self._plans: list[Plan] = []

    def plan(
        self,
        method: str,
        path: str,
        fault: Fault,
        *,
        times: int = 1,
        status: int = 500,
        retry_after: float = 1.0,
    ) -> Plan:
        made = Plan(method, path, fault, times, status, retry_after)
        self._plans.append(made)
        return made

    def take(self, method: str, path: str) -> Plan | None:
        found = next((plan for plan in self._plans if plan.takes(method, path)), None)
        if found is not None:
            found.hit()
        return found

    def clear(self) -> None:
        """Nothing goes wrong any more; what is held goes on."""
        for plan in self:
            plan.release()
        self._plans.clear()

    def __iter__(self) -> Iterator[Plan]:
        return iter(list(self._plans))

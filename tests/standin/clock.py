"""The stand-in reads one clock that it is given; a test moves its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

EPOCH_MS = 1_420_070_400_000
"""The first millisecond of Discord's ids: 2015-01-01 (https://discord.com/developers/docs/reference#snowflakes)."""


class Clock(Protocol):
    def now(self) -> datetime: ...


@dataclass
class ManualClock:
    """Stands still until it is moved. Any object with `now()` does as well, such as `acwc_bot.wiring.SystemClock`."""

    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def move(self, **delta: float) -> None:
        """`move(minutes=5)`: as `timedelta` takes it."""
        self.at += timedelta(**delta)


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def first_id_at(moment: datetime) -> int:
    """The smallest id of that millisecond."""
    return max(milliseconds(moment) - EPOCH_MS, 0) << 22

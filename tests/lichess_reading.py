"""`python -m tests.lichess_reading URL adapter|berserk`: reads all games of Ant in a process of its own.

It prints how many there were, how long that took (s) and how much memory it needed for them (kB). For a test and the
bench.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import berserk

from acwc_bot.sandbox.lichess_world import LichessWorld
from acwc_bot.wiring import make_lichess

ROOT = Path(__file__).parents[1]
SINCE, UNTIL = datetime(2020, 1, 1, tzinfo=UTC), datetime(2023, 4, 4, 20, tzinfo=UTC)


@dataclass(frozen=True)
class Reading:
    games: int
    seconds: float
    growth: int


def veteran(world: LichessWorld, games: int) -> list[str]:
    """Ant's games, one every ten minutes up to `UNTIL`; their ids, newest first."""
    for name in ("Ant", "Bee"):
        world.add_account(name)
    starts = (UNTIL - timedelta(minutes=10) * (games - n) for n in range(games))
    return [world.add_game("ant", "bee", created_at=start, winner="white") for start in starts][::-1]


def read_apart(url: str, how: str) -> Reading:
    """Runs this module."""
    command = [sys.executable, "-m", "tests.lichess_reading", url, how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Reading(**json.loads(done.stdout))


def with_adapter(url: str, since: datetime) -> int:
    async def read() -> int:
        lichess = make_lichess(url)
        count, until, leave_out = 0, UNTIL, ()
        while until is not None:
            piece = await lichess.player_games("ant", since=since, until=until, leave_out=leave_out)
            count, until, leave_out = count + len(piece.games), piece.next_until, piece.leave_out
        await lichess.close()
        return count

    return asyncio.run(read())


def with_berserk(url: str, since: datetime) -> int:
    games = berserk.Client(base_url=url).games.export_by_player(
        "ant", since=int(since.timestamp() * 1000), until=int(UNTIL.timestamp() * 1000), moves=False
    )
    return sum(1 for _ in games)


WAYS: dict[str, Callable[[str, datetime], int]] = {"adapter": with_adapter, "berserk": with_berserk}


def _peak() -> int:
    """The most memory of this process so far (kB). Linux counts that of the process it was forked from into
    `ru_maxrss`."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def main(url: str, how: str) -> None:
    WAYS[how](url, UNTIL - timedelta(minutes=5))  # whatever is loaded on first use
    before, began = _peak(), time.perf_counter()
    games = WAYS[how](url, SINCE)
    seconds = time.perf_counter() - began
    print(json.dumps({"games": games, "seconds": seconds, "growth": _peak() - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])

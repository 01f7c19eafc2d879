"""`python -m tests.bench_lichess`: reading 20,000 games of one player with the adapter and with bare berserk."""

from __future__ import annotations

import statistics

from rich.console import Console
from rich.table import Table

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from tests.lichess_reading import UNTIL, WAYS, Reading, read_apart, veteran

GAMES = 20_000
AIMS = {"adapter": "20 MB"}


def lichess_rows() -> list[tuple[str, str, str]]:
    """(what, measured, aim): the median of three, each in a process of its own; the offline Lichess is not in it."""
    world = LichessWorld(lambda: UNTIL)
    veteran(world, GAMES)
    with ThreadedLichessServer(world) as server:
        return [_row(how, [read_apart(server.url, how) for _ in range(3)]) for how in WAYS]


def _row(how: str, readings: list[Reading]) -> tuple[str, str, str]:
    assert all(reading.games == GAMES for reading in readings)
    pace = statistics.median(GAMES / reading.seconds for reading in readings)
    growth = max(reading.growth for reading in readings) / 1024
    what = f"reading {GAMES:,} games of a player from the offline Lichess, {how}; memory for it"
    return what, f"{pace:,.0f} games/s; {growth:.1f} MB", AIMS.get(how, "-")


if __name__ == "__main__":
    table = Table("what", "measured", "aim")
    for row in lichess_rows():
        table.add_row(*row)
    Console().print(table)

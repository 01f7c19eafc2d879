"""How long one Swiss pairing takes, beside py4swiss and networkx; `make bench` prints it. No test fails by the clock.

py4swiss (FIDE Dutch with colours) is installed by `make bench` only and gets the same history as our pairer, with
colours added. networkx gets what the largest graph of our pairer would be: all pairs that may meet, with our weights.
"""

from __future__ import annotations

import importlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from rich.console import Console
from rich.table import Table

from engine import swiss
from engine.pairing_types import Pairing, Player
from engine.swiss import pair

SIZES = (32, 64, 128, 200, 256, 500, 512)
DOUBLINGS = ((32, 64), (64, 128), (128, 256), (256, 512))
GOALS = {128: "50 ms", 500: "1 s"}
MOST_FOR_ALL_ROUNDS = 128  # beyond that a round takes py4swiss many seconds
MOST_FOR_NETWORKX = 200
ASKED = (200, 500)
Row = tuple[str, str, str]


@dataclass
class History:
    """A tournament so far: what our pairer asks, and each player's rounds as (opponent, colour, result) of a TRF."""

    players: list[Player]
    rounds: dict[int, list[tuple[int, str, str]]] = field(default_factory=dict)
    white: dict[int, int] = field(default_factory=dict)

    def play(self, made: Pairing, chance: random.Random) -> History:
        """With the results of a round: the better seed wins somewhat more often; white is who had it less often."""
        by_id = {player.id: player for player in self.players}
        rounds = {id: list(row) for id, row in self.rounds.items()}
        white = dict(self.white)
        for a, b in made.pairs:
            won = chance.choices((2, 1, 0), weights=(5, 1, 4))[0]
            a_is_white = (white.get(a, 0), a) < (white.get(b, 0), b)
            crossing = by_id[a].score != by_id[b].score
            for me, other, points, is_white in ((a, b, won, a_is_white), (b, a, 2 - won, not a_is_white)):
                old = by_id[me]
                by_id[me] = replace(old, score=old.score + points, met=old.met | {other}, floats=old.floats + crossing)
                rounds.setdefault(me, []).append((other, "w" if is_white else "b", "0=1"[points]))
                white[me] = white.get(me, 0) + (1 if is_white else -1)
        return History(list(by_id.values()), rounds, white)


def histories(players: int) -> Iterator[History]:
    """A tournament before each of its rounds but the first: as many as R3.4 gives."""
    chance = random.Random(7)
    history = History([Player(id=n, seed=n, score=0) for n in range(1, players + 1)])
    for number in range(1, players.bit_length() + 1):
        history = history.play(pair(history.players, key=f"bench:{number}"), chance)
        yield history


def seconds(work: Callable[[], object]) -> float:
    """Of computing: nothing here waits, and what else runs on the machine counts less."""
    began = time.process_time()
    work()
    return time.process_time() - began


def shown(taken: float) -> str:
    return f"{taken:.1f} s" if taken >= 1 else f"{taken * 1000:.0f} ms"


def median_and_slowest(taken: list[float]) -> str:
    if len(taken) == 1:
        return shown(taken[0])
    return f"{shown(statistics.median(taken))}, slowest {shown(max(taken))}"


def py4swiss_trf(history: History) -> Any:
    """The history as py4swiss reads it from a TRF; None when it is not installed."""
    try:
        trf = importlib.import_module("py4swiss.trf")
        sections = importlib.import_module("py4swiss.trf.sections")
    except ImportError:
        return None
    number = len(next(iter(history.rounds.values())))
    lines = [
        f"001 {p.id:4}".ljust(80)
        + f"{p.score / 2:4.1f} {p.seed:4}"
        + "".join(f"  {other:4} {colour} {result}" for other, colour, result in history.rounds[p.id])
        for p in history.players
    ]
    return trf.ParsedTrf(
        player_sections=[sections.PlayerSection.from_string(line) for line in lines],
        x_section=sections.XSection(number_of_rounds=number + 1),
    )


def by_py4swiss(before: list[History]) -> str:
    if py4swiss_trf(before[0]) is None:
        return "not installed"
    engine = importlib.import_module("py4swiss.engines").DutchEngine
    trfs = [py4swiss_trf(history) for history in before]
    return median_and_slowest([seconds(lambda trf=trf: engine.generate_pairings(trf)) for trf in trfs])


def by_networkx(history: History) -> str:
    asked = swiss._Field.of(history.players, (), (), None)
    edges = swiss._edges(asked, "bench", swiss._places(asked.players), swiss._bands(asked, None), (inf,))
    weights = swiss._weights(edges, 0)
    return shown(seconds(lambda: swiss._match_any_size(list(edges), weights)))


def pairing_rows() -> list[Row]:
    """What, measured, goal: one pairing at each size, then how ours grows when the field doubles."""
    rows: list[Row] = []
    medians: dict[int, float] = {}
    for size in SIZES:
        before = list(histories(size))
        middle = before[len(before) // 2]
        taken = [seconds(lambda each=each: pair(each.players, key="bench")) for each in before]
        medians[size] = statistics.median(taken)
        rows.append((f"one pairing of {size}: ours, median", median_and_slowest(taken), GOALS.get(size, "-")))
        if size <= MOST_FOR_ALL_ROUNDS:
            rows.append((f"one pairing of {size}: py4swiss, median", by_py4swiss(before), "-"))
        elif size in ASKED:
            rows.append((f"one pairing of {size}: py4swiss, the middle round", by_py4swiss([middle]), "-"))
        if size <= MOST_FOR_NETWORKX:
            rows.append((f"one pairing of {size}: networkx, the middle round", by_networkx(middle), "-"))
    growth = ", ".join(f"{small} to {large}: {medians[large] / medians[small]:.1f}" for small, large in DOUBLINGS)
    return [*rows, ("growth of our median as the field doubles", growth, "-")]


def main() -> None:
    table = Table("what", "measured", "goal")
    for row in pairing_rows():
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()

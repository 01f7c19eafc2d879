"""`make crash`: kills the real process thousands of times and prints, for each point, how often and what came of it."""

from __future__ import annotations

import argparse
import sys
import time

from tests.crash.many import Tally, crash
from tests.crash.scenes import SCENES


def table(tally: Tally) -> str:
    """Markdown, as it stands in `docs/figures.md`: kills at each point by scene, and what came of them."""
    outcomes = {"Lost": tally.lost, "Doubled": tally.doubled, "Wrong": tally.wrong}
    points = sorted({point for _, point in tally.kills})
    rows = [
        [point, *(tally.kills[scene, point] for scene in SCENES)]
        + [sum(counter[scene, point] for scene in SCENES) for counter in outcomes.values()]
        for point in points
    ]
    sums = [sum(int(row[column]) for row in rows) for column in range(1, len(rows[0]))]
    lines = [["Killed", *SCENES, *outcomes], ["---", *["---:"] * len(sums)], *rows, ["all", *sums]]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    chosen = parser.parse_args()
    began = time.perf_counter()
    tally = crash(chosen.kills, chosen.jobs, chosen.seed, chosen.scenes)
    print(table(tally))
    print(f"{sum(tally.kills.values())} kills in {tally.runs} runs, {time.perf_counter() - began:.0f} s")
    for example in tally.examples[:20]:
        print("!", example)
    sys.exit(bool(tally.examples))


if __name__ == "__main__":
    main()

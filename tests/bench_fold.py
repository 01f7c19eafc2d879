"""`python -m tests.bench_fold`: what a whole edition costs: playing it, folding its ledger, weighing a ruling."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from rich.console import Console
from rich.table import Table

from acwc_bot.simulation import simulate
from acwc_bot.wiring import chance
from engine.championship import Championship, championship
from engine.facts import Draft, EntrantLeft, Exit
from engine.ledger import fold
from engine.model import Stage
from engine.reading import leaving_rules
from engine.rules import load, shipped_text
from engine.rulings import Ruling, preview
from engine.stages import swiss_players

SIZES = (32, 64, 128, 256)
AIMS = {128: "100 ms"}


def fold_rows() -> list[tuple[str, str, str]]:
    """(what, measured, aim): the median of five, CPU time."""
    rows: list[tuple[str, str, str]] = []
    for players in SIZES:
        began = time.process_time()
        event = simulate(load(shipped_text("2023")), players, chance(1)).event
        played = time.process_time() - began
        rows.append(_folding(event, players))
        if players == 128:
            rows += _decisions(event)
            rows.append((f"simulating it, {players} players, all games", f"{played:.1f} s", "-"))
    return rows


def _folding(event: Championship, players: int) -> tuple[str, str, str]:
    """Facts as they come from the database, and the same facts once more."""
    rules = leaving_rules(event.rules)
    read = [tuple(replace(fact) for fact in event.facts) for _ in range(5)]
    first = _median(lambda: fold(read.pop(), leaving=rules))
    again = _median(lambda: fold(event.facts, leaving=rules))
    what = f"fold of a whole edition, {players} players, {len(event.facts)} facts; again"
    return what, f"{_ms(first)}; {_ms(again)}", AIMS.get(players, "-")


def _decisions(event: Championship) -> list[tuple[str, str, str]]:
    """At the end of the Qualification, where most is at stake."""
    begins = next(r.fact_id for r in event.tournament.rounds if r.stage is Stage.CANDIDATES)
    facts = [fact for fact in event.facts if fact.id < begins]
    table = championship(event.key, event.rules, event.entrants.values(), facts)
    entrant = table.qualification()[0].entrant_id
    mark = Ruling("disqualified", (Draft(EntrantLeft(entrant, Exit.DISQUALIFIED, "engine"), "R8.2"),))
    now = facts[-1].recorded_at + timedelta(hours=1)
    return [
        (
            "preview of an engine mark after the last round, 128 players",
            _ms(_median(lambda: preview(table, mark, now))),
            "-",
        ),
        ("what the pairer asks, after the last round, 128 players", _ms(_median(lambda: swiss_players(table))), "-"),
    ]


def _median(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(5):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def main() -> None:
    table = Table("what", "measured", "goal")
    for row in fold_rows():
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()

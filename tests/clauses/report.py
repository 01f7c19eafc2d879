"""Breaks every covered rule once and prints clause -> keys -> functions -> tests -> what noticed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from engine.rules import clauses
from tests.clauses import scan
from tests.clauses.breaks import BREAKS, COVERED, NOT_COVERED, Break
from tests.clauses.change import Value
from tests.clauses.runner import PASSED, Ran, preload, run

PROCESSES = 2
WIDTH, SHOWN = 180, 8  # columns of the table at least; functions and tests shown of a clause
SLOW = re.compile(r"tests/season/(?!test_rulings\.py)|_(properties|by_the_words)\.py::")
"""Whole seasons and searches for counterexamples are listed, but an example has to notice."""
ENGINE = "tests/engine/"
"""Tried before the whole bot."""


def main(asked: Sequence[str]) -> int:
    """The exit status: 0 when every break of the clauses asked for (or of all) was noticed."""
    console = Console()
    console.width = max(console.width, WIDTH)
    if unknown := set(asked) - set(COVERED):
        console.print(f"Not covered: {', '.join(sorted(unknown))}. Covered: {', '.join(COVERED)}")
        return 2
    chosen = [clause for clause in COVERED if not asked or clause in asked]
    tests, breaks = scan.tests(), [broken for broken in BREAKS.values() if broken.clause in chosen]
    console.print(f"{len(breaks)} breaks of {len(chosen)} clauses, then what noticed them without any break ...")
    preload()
    with ThreadPoolExecutor(PROCESSES) as pool:
        ran = dict(zip(breaks, pool.map(lambda b: try_break(b, tests.get(b.clause, [])), breaks), strict=True))
        noticed = sorted({found.first.partition("[")[0] for found in ran.values() if found.first})
        unbroken = list(pool.map(lambda half: run(None, half), (noticed[0::2], noticed[1::2])))
    if failed := [found for found in unbroken if found.status != PASSED]:
        for found in failed:
            console.print(f"Fails without any break: {found.first or found.output}", style="red", markup=False)
        return 1
    console.print(table(chosen, ran))
    return verdict(console, chosen, ran)


def verdict(console: Console, chosen: Sequence[str], ran: Mapping[Break, Ran]) -> int:
    console.print("Not covered by this version: " + ", ".join(c for c in clauses() if c not in COVERED))
    for clause, why in NOT_COVERED.items():
        console.print(f"{clause} has a test but no break: {why}")
    unnoticed = [f"{broken.name} ({broken.change}): {ran[broken].trouble}" for broken in ran if ran[broken].trouble]
    unnoticed += [f"{clause}: no break" for clause in chosen if clause not in {broken.clause for broken in ran}]
    for line in unnoticed:
        console.print(f"NOT NOTICED  {line}", style="red", markup=False, highlight=False)
    if not unnoticed:
        console.print(f"All {len(ran)} breaks were noticed.", style="green")
    return 1 if unnoticed else 0


def try_break(broken: Break, tests: Sequence[str]) -> Ran:
    """Runs the tests of the clause with its rule broken, those of the engine first: one of them has to fail."""
    tests = quick(tests)
    if isinstance(broken.change, Value):
        # tests/rules reads the file itself and would notice any value; what counts is what the bot does.
        tests = [test for test in tests if not test.startswith("tests/rules/")]
    engine = [test for test in tests if test.startswith(ENGINE)]
    return run(broken.name, engine, [test for test in tests if test not in engine])


def quick(tests: Sequence[str]) -> list[str]:
    """The tests that have to notice."""
    return [test for test in tests if not SLOW.search(test)]


def table(chosen: Sequence[str], ran: Mapping[Break, Ran]) -> Table:
    keys, functions, tests = clauses(), scan.functions(), scan.tests()
    shown = Table("Clause", "Ruleset keys", "Functions", "Tests", "Broken: what the bot then does", show_lines=True)
    for clause in chosen:
        tried = [f"{broken.says}\n  {_result(found)}" for broken, found in ran.items() if broken.clause == clause]
        shown.add_row(
            clause,
            "\n".join(keys.get(clause, ["–"])),
            _some(functions.get(clause, ["–"])),
            _some([_name(test) for test in tests.get(clause, ["–"])]),
            "\n".join(tried) or "–",
        )
    return shown


def _result(ran: Ran) -> str:
    return "[red]NOT NOTICED[/red]" if ran.trouble else f"[green]✓ {_name(ran.first)}[/green]"


def _some(lines: Sequence[str]) -> str:
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join([*lines[:SHOWN], *more])


def _name(test: str) -> str:
    """The test function, without its file and its parameters."""
    return test.rpartition("::")[2].partition("[")[0]

"""The second program against the worked example of R3.6, whose values were computed by hand."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.season.oracle import Line, Met, Round, table

SEEDS = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6}
ROUNDS = [
    Round([Met("A", "B", 0.5, 0.5), Met("C", "F", 1, 0), Met("D", "E", 0.5, 0.5)]),
    Round([Met("A", "E", 1, 0), Met("B", "F", 1, 0), Met("C", "D", 0, 1, played=False)]),
    Round([Met("A", "C", 0, 1), Met("B", "D", 0.5, 0.5, played=False)], bye="E"),
    Round([Met("A", "D", 0, 1), Met("B", "E", 1, 0)], bye="C"),
]


def test_r3_6_oracle_gives_the_worked_example() -> None:
    assert table(ROUNDS, SEEDS, left={"F"}) == [
        Line(1, "D", 3, 7, 1, 4.5),
        Line(2, "C", 3, 7, 0, 4.5),
        Line(3, "B", 3, 7, 0, 3),
        Line(4, "A", 1.5, 5, 0, 6),
        Line(5, "E", 1.5, 4, 0, 4.5),
        Line(None, "F", 0, 0, 0, 3),
    ]


def test_r3_6_oracle_counts_nobody_in_a_tie_who_left() -> None:
    """With F back in, F alone has no points, so nothing else moves; with D gone, C and B are tied without D."""
    assert [line.place for line in table(ROUNDS, SEEDS)] == [1, 2, 3, 4, 5, 6]
    assert table(ROUNDS, SEEDS, left={"D", "F"})[:2] == [Line(1, "C", 3, 7, 0, 4.5), Line(2, "B", 3, 7, 0, 3)]


def test_r3_6_oracle_has_no_buchholz_before_three_rounds() -> None:
    assert {line.median_buchholz for line in table(ROUNDS[:2], SEEDS)} == {0}


def test_the_oracle_is_a_program_of_its_own() -> None:
    """At most 80 lines, and no import from the bot."""
    source = Path(__file__).with_name("oracle.py").read_text(encoding="utf-8")
    imported = {n.module for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)}
    assert len(source.splitlines()) <= 80
    assert imported <= {"__future__", "collections.abc", "typing"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(ast.parse(source)))

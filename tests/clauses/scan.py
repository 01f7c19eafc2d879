"""Where a clause is: the code whose docstrings or refusals name it, and the tests that carry its id in their name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("engine", "cogs", "acwc_bot", "db")

_ID = r"(?:R\d+\.\d+|Q\d+[a-g]?)"
_MENTION = re.compile(rf"\b({_ID})(?:\s?[-–]\s?({_ID}))?(?![\d.])")
_IN_NAME = re.compile(r"(r\d+_\d+|q\d+[a-g]?)(?:_|$)")


def clauses_in(text: str) -> set[str]:
    """Every id in a text; a range such as `R5.1-R5.4` or `Q19-Q21` stands for all between."""
    found: set[str] = set()
    for mention in _MENTION.finditer(text):
        first, last = mention[1], mention[2]
        found.add(first)
        if last:
            found.update(_between(first, last))
    return found


def _between(first: str, last: str) -> Iterator[str]:
    stem, start = re.fullmatch(r"(.*?)(\d+)[a-g]?", first).groups()  # type: ignore[union-attr]
    other, end = re.fullmatch(r"(.*?)(\d+)[a-g]?", last).groups()  # type: ignore[union-attr]
    yield last
    if stem == other:
        yield from (f"{stem}{number}" for number in range(int(start) + 1, int(end)))


def clauses_of_test(name: str) -> list[str]:
    """`test_r3_1_q20_a_casual_game` -> R3.1, Q20: the ids that lead a test's name."""
    rest, found = name.removeprefix("test_"), list[str]()
    while name.startswith("test_") and (mark := _IN_NAME.match(rest)):
        id = mark[1]
        found.append(f"R{id[1:].replace('_', '.')}" if id[0] == "r" else f"Q{id[1:]}")
        rest = rest[mark.end() :]
    return found


@cache
def functions() -> dict[str, list[str]]:
    """Clause -> dotted names of the code that names it, in the order of the files."""
    found: dict[str, list[str]] = {}
    for top in CODE:
        for path in sorted((ROOT / top).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for name, clauses in _named(ast.parse(path.read_text(encoding="utf-8")), module):
                for clause in sorted(clauses):
                    found.setdefault(clause, []).append(name)
    return found


def _named(node: ast.AST, name: str) -> Iterator[tuple[str, set[str]]]:
    """A module, class or function and what its docstring and its own `clause="…"` say; then what is inside it."""
    said = clauses_in(ast.get_docstring(node) or "") if isinstance(node, _DOCUMENTED) else set[str]()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        constants = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant))
        said |= {value for value in constants if isinstance(value, str) and re.fullmatch(_ID, value)}
    if said:
        yield name, said
    for inner in ast.iter_child_nodes(node) if isinstance(node, ast.Module | ast.ClassDef) else ():
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _named(inner, f"{name}.{inner.name}")


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def tests() -> dict[str, list[str]]:
    """Clause -> pytest ids (`tests/engine/test_swiss.py::test_r3_7_…`) in the order of the files."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for clause in clauses_of_test(node.name):
                    found.setdefault(clause, []).append(f"{path.relative_to(ROOT).as_posix()}::{node.name}")
    return found

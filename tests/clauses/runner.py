"""Runs some tests in a process of their own, with one rule broken in it.

The processes are forked from one that has the libraries loaded, which takes seconds; the project's own modules are
not loaded in it, so that a break is there before anything uses what it breaks.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "aiohttp.web", "alembic.command", "alembic.autogenerate", "berserk", "dateparser", "discord.ext.commands",
    "filelock", "hypothesis", "networkx", "pydantic_settings", "pytest", "pytest_asyncio", "rich.logging", "rustworkx",
    "simcord", "sqlalchemy.dialects.sqlite", "sqlmodel", "typer", "unittest.mock",
)  # fmt: skip
LONGEST = 300  # seconds; a break that hangs has not been noticed
PASSED, FAILED = 0, 1  # pytest's exit status; 2 and above are other troubles
CRASHES = re.compile(r"\b(TypeError|AttributeError|NameError|ImportError|UnboundLocalError|KeyError|IndexError)\b")
"""Exceptions by which a badly written break gives itself away, in the test or in the bot."""


@dataclass(frozen=True, slots=True)
class Ran:
    """`first` failing test and `why`: the first line of its exception; `output` of pytest."""

    status: int
    first: str
    why: str
    output: str

    @property
    def trouble(self) -> str:
        """Why this is no failing test of a broken rule; "" when it is."""
        if self.status == PASSED:
            return "every test passes"
        if self.status != FAILED or not self.first:
            return f"pytest ended with {self.status}: {self.output.strip()[-600:]}"
        if CRASHES.search(self.why):
            return f"the break itself crashed: {self.why} in {self.first}"
        return ""


def preload() -> None:
    multiprocessing.set_forkserver_preload(list(LIBRARIES))


def run(broken: str | None, *groups: Sequence[str]) -> Ran:
    """pytest on these ids up to the first failure, with the break of that name in place; a later group is not even
    loaded when an earlier one has noticed."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, broken, [list(tests) for tests in groups if tests]))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(LONGEST) else Ran(-1, "", "", f"not over after {LONGEST} s")
    except EOFError:
        return Ran(-1, "", "", "the process died")
    finally:
        process.terminate()
        process.join()


def _child(answer: Connection, broken: str | None, groups: list[list[str]]) -> None:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        os.chdir(ROOT)
        import pytest

        from tests.clauses.plugin import BreakPlugin

        plugin = BreakPlugin(broken)
        options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
        status = PASSED
        for tests in groups:
            if status == PASSED:
                status = int(pytest.main([*options, *tests], plugins=[plugin]))
        output.seek(0)
        first, why = plugin.failed[0] if plugin.failed else ("", "")
        answer.send(Ran(status, first, why, output.read()))

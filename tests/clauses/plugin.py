"""The pytest plugin that breaks one rule and notes what fails."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clauses.breaks import BREAKS


class BreakPlugin:
    """`failed`: each failing test and the first line of its exception, for a test that trips over the broken code
    itself has not noticed a broken rule."""

    def __init__(self, broken: str | None) -> None:
        self.failed: list[tuple[str, str]] = []
        if broken is not None:
            BREAKS[broken].change.apply()

    def pytest_exception_interact(self, node: Any, call: pytest.CallInfo[Any]) -> None:
        if call.excinfo is not None:
            why = call.excinfo.exconly(tryshort=False).partition("\n")[0]
            self.failed.append((str(getattr(node, "nodeid", node)), why))

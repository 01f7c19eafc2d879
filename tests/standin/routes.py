"""The table of routes: each is a plain function from what was asked to the answer, with no waiting in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.state import Json


@dataclass(frozen=True)
class Call:
    """`ids`: what stands in the places of the path, in order. `body` is empty when there is none."""

    ids: Sequence[str]
    query: dict[str, str]
    body: Any = field(default_factory=dict)

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number of the query from 1 to `most`. ApiError 50035 otherwise."""
        value = int(self.query.get(name, default))
        if not 1 <= value <= most:
            raise ApiError(50035, [f"{name}: must be from 1 to {most}"])
        return value


Answer = Json | list[Any] | None
"""None is 204."""
Handler = Callable[[Core, Call], Answer]
_table: list[tuple[str, re.Pattern[str], Handler]] = []


def route(method: str, path: str) -> Callable[[Handler], Handler]:
    """`path` with {places}; an id or a token takes a place."""
    pattern = re.compile(re.sub(r"\{\w+\}", "([^/]+)", path))

    def add(handler: Handler) -> Handler:
        _table.append((method, pattern, handler))
        return handler

    return add


def find(method: str, path: str) -> tuple[Handler, tuple[str, ...]] | None:
    for known, pattern, handler in _table:
        match = pattern.fullmatch(path)
        if known == method and match is not None:
            return handler, match.groups()
    return None

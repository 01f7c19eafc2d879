"""The two sides of a match, as facts name them: a and b of the pair."""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    A = "a"
    B = "b"

    @property
    def other(self) -> Side:
        return Side.B if self is Side.A else Side.A


def leader(a: int, b: int) -> Side | None:
    """The side with more points; None when they have the same."""
    if a == b:
        return None
    return Side.A if a > b else Side.B

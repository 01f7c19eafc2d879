"""What a tournament report file says, and how it is refused. Points are half-points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import AcwcError
from engine.points import DRAW, LOSS, WIN

MOST_FAULTS = 50

RESULTS = frozenset("10=+-WDLHFUZ ")
"""TRF16. Without an opponent H, F, U, Z or blank; with one the others, and blank while the match is not decided."""

POINTS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys("1W+FU", WIN) | dict.fromkeys("=DH", DRAW) | dict.fromkeys("0L-Z ", LOSS) | {"": LOSS}
)
"""Half-points of each result."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong where; lines and columns count from 1, both are 0 when it concerns the file as a whole."""

    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason


class TrfInvalid(AcwcError):
    """A file that is refused, with its faults in the order of the lines, MOST_FAULTS at most. Code `trf_invalid`."""

    def __init__(self, file: str, faults: Sequence[Fault]) -> None:
        self.file = file
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))
        super().__init__("trf_invalid", file=file, faults=self.faults)

    def __str__(self) -> str:
        lines = [f"{self.file}: {fault}" for fault in self.faults]
        if len(self.faults) == MOST_FAULTS:
            lines.append(f"{self.file}: there may be more; these are the first {MOST_FAULTS}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Cell:
    """A round of one player: the opponent's starting rank and the result, in upper case.

    Result "" where the file says nothing about the player, " " for a match that is not decided. The older ways to
    write byes (`0000 - +`, `=`, `-`) are read as U, H and Z.
    """

    opponent: int | None = None
    result: str = ""


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A 001 line. `number` is the starting rank; `points` as the file states them, None where the columns are blank.

    All players of a file have the same number of cells. `line` is the number of the line, from 1.
    """

    number: int
    name: str
    rating: int | None
    points: int | None
    cells: tuple[Cell, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """A round (from 1) and two players who were paired in it."""

    round: int
    a: int
    b: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrfFile:
    """A report. `lines` are all its lines as they stand, with their ends; everything else is what they say.

    `played`: the last round of which the pairings are known; a cell after it is about the next one. `rounds`: XXR.
    `unpaired`: XXZ. `forbidden`: XXP, no two of a group may meet. `drawn`, `voided`, `extended`, `left`: our own lines
    AWD, AWV, AWE and AWL. `accelerated`: the number of the first line with accelerated points (XXA, 250).
    """

    lines: tuple[str, ...]
    title: str
    players: tuple[TrfPlayer, ...]
    played: int
    rounds: int | None
    unpaired: frozenset[int]
    forbidden: tuple[tuple[int, ...], ...]
    drawn: frozenset[Meeting]
    voided: frozenset[Meeting]
    extended: frozenset[Meeting]
    left: frozenset[int]
    accelerated: int | None

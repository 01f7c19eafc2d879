"""The order of a Swiss table (R3.6): points, then named tiebreaks, then the seed.

Ranking is a fold over the list of criteria: each one splits the ties that the ones before it have left, once. No
criterion is applied again inside a part that it made itself (unlike R3.12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from engine.errors import Conflict, NotFound
from engine.points import DRAW, LOSS, WIN


class Kind(StrEnum):
    """What a round was for one entrant. FORFEIT: half-played; WALKOVER: won or lost without a game."""

    PLAYED = "played"
    ADJUDICATED = "adjudicated"
    FORFEIT = "forfeit"
    WALKOVER = "walkover"
    RULED = "ruled"
    OPEN = "open"
    BYE = "bye"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class RoundScore:
    """One closed round of one entrant. `points`, `game_points` in half-points; `played`: a counted game was started.

    `outcome`: the match as WIN, DRAW or LOSS, whatever an edition gives for it; a bye is what it is worth.
    """

    points: int
    kind: Kind
    outcome: int
    opponent: int | None = None
    played: bool = False
    game_points: int = 0


@dataclass(frozen=True, slots=True)
class Readings:
    """Choices of an edition (R3.6).

    `unplayed`, `absent`: a round without a game, a missed round in Buchholz (Q29): an opponent with the player's own
    points ("virtual"), 0 ("zero"), left out ("skip"). `median_drop`: how many best and how many worst are dropped.
    `forfeit_wins_count`: a win without a game is a match win (Q28). `bye_in_cumulative`: it counts in the totals.
    """

    unplayed: str = "virtual"
    absent: str = "zero"
    median_drop: int = 1
    forfeit_wins_count: bool = True
    bye_in_cumulative: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Closed rounds: entrant id -> one RoundScore for each, in order; all rows have the same length.

    `seeds` are unique. `ranked` are those still in the event; the others only lend their points to opponents.
    """

    scores: Mapping[int, tuple[RoundScore, ...]]
    seeds: Mapping[int, int]
    ranked: frozenset[int]
    readings: Readings = field(default_factory=Readings)


class Unit(StrEnum):
    HALF_POINTS = "half_points"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Criterion:
    """`value(entrant, table, tied)`: `tied` are the ranked players whom no criterion before this one separated."""

    value: Callable[[int, Table, frozenset[int]], int]
    unit: Unit
    lower_first: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A player in order, with the value of every criterion and the one that separates from the player above."""

    entrant_id: int
    values: Mapping[str, int]
    separated_by: str | None


# --- The criteria ---------------------------------------------------------------------------------------------


def points(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Match points, half-points (R3.3)."""
    return sum(score.points for score in table.scores[entrant])


def cumulative(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Sum of the running totals after each round, half-points (R3.6). Byes and walkovers count in it (Q27)."""
    row = table.scores[entrant]
    byes = table.readings.bye_in_cumulative
    return sum(score.points * (len(row) - done) for done, score in enumerate(row) if byes or score.kind is not Kind.BYE)


def total_game_points(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Sum of the points in counted games, half-points: the other sense of "cumulative score" (R3.6)."""
    return sum(score.game_points for score in table.scores[entrant])


def wins_against_tied(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Match wins against players equal on every criterion before this one, a count (R3.6, Q28)."""
    return sum(
        score.opponent in tied and score.outcome == WIN and (score.played or table.readings.forfeit_wins_count)
        for score in table.scores[entrant]
    )


def median_buchholz(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Opponents' match points less one best and one worst, half-points; 0 in fewer than three rounds (R3.6, Q29)."""
    found = (_buchholz_value(entrant, score, table) for score in table.scores[entrant])
    values = sorted(value for value in found if value is not None)
    drop = table.readings.median_drop
    return sum(values[drop : len(values) - drop])


def _buchholz_value(entrant: int, score: RoundScore, table: Table) -> int | None:
    if score.played and score.opponent is not None:
        return points(score.opponent, table, frozenset())
    reading = table.readings.absent if score.kind is Kind.ABSENT else table.readings.unplayed
    if reading not in _UNPLAYED:
        raise NotFound("unplayed", name=reading)
    return _UNPLAYED[reading](entrant, table)


_UNPLAYED: Mapping[str, Callable[[int, Table], int | None]] = MappingProxyType(
    {
        "virtual": lambda entrant, table: points(entrant, table, frozenset()),
        "zero": lambda entrant, table: 0,
        "skip": lambda entrant, table: None,
    }
)


_KASHDAN = {WIN: 4, DRAW: 2, LOSS: 1}


def kashdan(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Won match 4, drawn 2, lost 1, a round without a game 0 unless it gave points; a count (2022 edition)."""
    return sum(_KASHDAN[score.outcome] for score in table.scores[entrant] if score.played or score.outcome != LOSS)


def seed(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """The seed, a count; the lower one stands first (last resort of R3.6)."""
    return table.seeds[entrant]


CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        "points": Criterion(points, Unit.HALF_POINTS),
        "cumulative": Criterion(cumulative, Unit.HALF_POINTS),
        "total_game_points": Criterion(total_game_points, Unit.HALF_POINTS),
        "wins_against_tied": Criterion(wins_against_tied, Unit.COUNT),
        "median_buchholz": Criterion(median_buchholz, Unit.HALF_POINTS),
        "kashdan": Criterion(kashdan, Unit.COUNT),
        "seed": Criterion(seed, Unit.COUNT, lower_first=True),
    }
)


# --- Ranking --------------------------------------------------------------------------------------------------


def criteria(tiebreaks: Sequence[str]) -> tuple[str, ...]:
    """The full order: points first and the seed last, whether or not the list names them.

    Raises NotFound("tiebreak") for an unknown name.
    """
    for name in tiebreaks:
        if name not in CRITERIA:
            raise NotFound("tiebreak", name=name)
    return ("points", *(name for name in dict.fromkeys(tiebreaks) if name not in ("points", "seed")), "seed")


def rank(table: Table, tiebreaks: Sequence[str]) -> tuple[Placed, ...]:
    """The ranked players, best first (R3.6). A strict total order, because seeds are unique.

    Raises Conflict("seeds_not_unique"), NotFound("tiebreak").
    """
    names = criteria(tiebreaks)
    values: dict[int, dict[str, int]] = {entrant: {} for entrant in table.ranked}
    ties: list[list[int]] = [sorted(table.ranked)]
    for name in names:
        parts: list[list[int]] = []
        for tie in ties:
            parts.extend(_split(tie, name, table, values))
        ties = parts
    if any(len(tie) > 1 for tie in ties):
        raise Conflict("seeds_not_unique", entrants=next(tuple(tie) for tie in ties if len(tie) > 1))
    order = [entrant for tie in ties for entrant in tie]
    return tuple(
        Placed(
            entrant,
            MappingProxyType(values[entrant]),
            _separated(names, values[order[place - 1]], values[entrant]) if place else None,
        )
        for place, entrant in enumerate(order)
    )


def unranked(table: Table, tiebreaks: Sequence[str]) -> tuple[Placed, ...]:
    """Those who left, with their values, best first; they are in no tied group and nothing separates them (Q45)."""
    names = criteria(tiebreaks)
    nobody: frozenset[int] = frozenset()
    rows = {
        entrant: {name: CRITERIA[name].value(entrant, table, nobody) for name in names}
        for entrant in table.scores
        if entrant not in table.ranked
    }
    order = sorted(rows, key=lambda entrant: tuple(_sort_value(name, rows[entrant][name]) for name in names))
    return tuple(Placed(entrant, MappingProxyType(rows[entrant]), None) for entrant in order)


def _split(tie: Sequence[int], name: str, table: Table, values: Mapping[int, dict[str, int]]) -> list[list[int]]:
    tied = frozenset(tie)
    parts: dict[int, list[int]] = {}
    for entrant in tie:
        value = CRITERIA[name].value(entrant, table, tied)
        values[entrant][name] = value
        parts.setdefault(_sort_value(name, value), []).append(entrant)
    return [parts[key] for key in sorted(parts)]


def _sort_value(name: str, value: int) -> int:
    return value if CRITERIA[name].lower_first else -value


def _separated(names: Sequence[str], above: Mapping[str, int], below: Mapping[str, int]) -> str:
    return next(name for name in names if above[name] != below[name])

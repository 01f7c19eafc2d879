"""From criteria to an order in which every two neighbours are told apart by one of them (R3.6, R3.12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import Conflict, NotFound
from engine.tiebreaks.criteria import CRITERIA
from engine.tiebreaks.table import Table, Value


@dataclass(frozen=True, slots=True)
class Separation:
    """Why a player stands below the one above: the criterion, the values of both, and the tie it was applied in."""

    criterion: str
    above: Value
    below: Value
    tied: frozenset[int]


@dataclass(frozen=True, slots=True)
class Placed:
    """A player in order, with the value of every criterion and what separates from the player above.

    In a restart (R3.12) `values` are those in the whole tie on points; `separation` has those of the smaller one.
    """

    entrant_id: int
    values: Mapping[str, Value]
    separation: Separation | None

    @property
    def separated_by(self) -> str | None:
        return self.separation.criterion if self.separation else None


@dataclass(frozen=True, slots=True)
class _Tie:
    """Players whom nothing has separated yet, and what separates them from the player above."""

    entrants: tuple[int, ...]
    separation: Separation | None


_Values = Mapping[int, dict[str, Value]]
_Splitting = Callable[[_Tie, Sequence[str], Table, _Values], list[_Tie]]


def criteria(tiebreaks: Sequence[str]) -> tuple[str, ...]:
    """The full order: points first and the seed last, whether or not the list names them.

    Raises NotFound("tiebreak") for an unknown name.
    """
    for name in tiebreaks:
        if name not in CRITERIA:
            raise NotFound("tiebreak", name=name)
    return ("points", *(name for name in dict.fromkeys(tiebreaks) if name not in ("points", "seed")), "seed")


def rank(table: Table, tiebreaks: Sequence[str], splitting: str = "formed_once") -> tuple[Placed, ...]:
    """The ranked players, best first: a strict total order, because seeds are unique.

    `splitting`: a name of SPLITTINGS. Raises Conflict("seeds_not_unique"), NotFound("tiebreak"),
    NotFound("splitting").
    """
    if splitting not in SPLITTINGS:
        raise NotFound("splitting", name=splitting)
    values: _Values = {entrant: {} for entrant in table.ranked}
    everybody = _Tie(tuple(sorted(table.ranked)), None)
    ties = SPLITTINGS[splitting](everybody, criteria(tiebreaks), table, values) if table.ranked else []
    for tie in ties:
        if len(tie.entrants) > 1:
            raise Conflict("seeds_not_unique", entrants=tie.entrants)
    return tuple(
        Placed(entrant, MappingProxyType(values[entrant]), tie.separation) for tie in ties for entrant in tie.entrants
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
    order = sorted(rows, key=lambda entrant: tuple(_sort_key(name, rows[entrant][name]) for name in names))
    return tuple(Placed(entrant, MappingProxyType(rows[entrant]), None) for entrant in order)


def _formed_once(tie: _Tie, names: Sequence[str], table: Table, values: _Values) -> list[_Tie]:
    """R3.6: each criterion splits the ties that the ones before it have left, and not again the parts it made."""
    ties = [tie]
    for name in names:
        ties = [part for tie in ties for part in _split(tie, name, table, values)]
    return ties


def _restart(tie: _Tie, names: Sequence[str], table: Table, values: _Values) -> list[_Tie]:
    """R3.12: the first criterion that separates anybody splits a tie; every part starts again at the first."""
    order: list[_Tie] = []
    for equal in _split(tie, names[0], table, values):
        for name in names[1:]:
            _split(equal, name, table, values)
        order += _started_again(equal, names, table)
    return order


def _started_again(tie: _Tie, names: Sequence[str], table: Table) -> list[_Tie]:
    if len(tie.entrants) == 1:
        return [tie]
    for name in names:
        parts = _split(tie, name, table, {entrant: {} for entrant in tie.entrants})
        if len(parts) > 1:
            return [end for part in parts for end in _started_again(part, names, table)]
    return [tie]


# By the names in a ruleset: `swiss.tied_group` and `candidates.tie_splitting`.
SPLITTINGS: Mapping[str, _Splitting] = MappingProxyType({"formed_once": _formed_once, "restart": _restart})


def _split(tie: _Tie, name: str, table: Table, values: _Values) -> list[_Tie]:
    """The parts of a tie by one criterion, best first. Writes the values found into `values`."""
    tied = frozenset(tie.entrants)
    value = CRITERIA[name].value
    if len(tie.entrants) == 1:
        (alone,) = tie.entrants
        values[alone][name] = value(alone, table, tied)
        return [tie]
    parts: dict[tuple[bool, int], list[int]] = {}
    for entrant in tie.entrants:
        found = values[entrant][name] = value(entrant, table, tied)
        parts.setdefault(_sort_key(name, found), []).append(entrant)
    if len(parts) == 1:
        return [tie]
    split: list[_Tie] = []
    for key in sorted(parts):
        part = tuple(parts[key])
        separation = tie.separation
        if split:
            above = split[-1].entrants[0]
            separation = Separation(name, values[above][name], values[part[0]][name], tied)
        split.append(_Tie(part, separation))
    return split


def _sort_key(name: str, value: Value) -> tuple[bool, int]:
    if value is None:
        return True, 0
    return False, value if CRITERIA[name].lower_first else -value

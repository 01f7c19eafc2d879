"""The table of a Candidates pool (R3.9, R3.12, Q30) and its matches as a crosstable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.facts import Group
from engine.model import Stage
from engine.standings import PointValues, Standing, lines_of, match_scores
from engine.tiebreaks import Kind, Readings, RoundScore, Table
from engine.tournament import Tournament

_IN_NO_SUM = frozenset({Kind.OPEN, Kind.VOIDED, Kind.DISREGARDED})


@dataclass(frozen=True, slots=True)
class Cell:
    """A match as the player of the row sees it; `score.kind` is its state, points and games are half-points."""

    match_id: int
    score: RoundScore


def pool_standings(
    tournament: Tournament,
    group: Group,
    seeds: Mapping[int, int],
    tiebreaks: Sequence[str],
    *,
    values: PointValues,
    places: Mapping[int, int],
    last_finals: Mapping[int, int],
    splitting: str = "restart",
    readings: Readings | None = None,
    until: int | None = None,
) -> tuple[Standing, ...]:
    """The table of a pool over its matches that have a result, whether or not their round is closed; up to the round
    with the number `until`.

    `places`: entrant id -> place in the Qualification; `last_finals`: entrant id -> place 1-4 of last year (Q36). Whose
    matches are disregarded stands unranked at the end (R8.3, Q49). A pool in which each pair meets twice sums both.
    Raises as `standings`.
    """
    rows = {
        entrant: tuple(cell.score for cells in row.values() for cell in cells if cell.score.kind not in _IN_NO_SUM)
        for entrant, row in crosstable(tournament, group, values=values, until=until).items()
    }
    table = Table(
        scores=rows,
        seeds={entrant: seeds[entrant] for entrant in group.entrants},
        ranked=frozenset(group.entrants) - tournament.unranked(Stage.CANDIDATES),
        readings=readings or Readings(),
        places=places,
        last_finals=last_finals,
    )
    return lines_of(table, tiebreaks, splitting)


def crosstable(
    tournament: Tournament, group: Group, *, values: PointValues | None = None, until: int | None = None
) -> Mapping[int, Mapping[int, tuple[Cell, ...]]]:
    """Row -> column -> the published matches of these two, by round; both in the order of the pool's numbers.

    Every match of somebody who is unranked shows as disregarded (R8.3).
    """
    worth = values or PointValues()
    out = tournament.unranked(Stage.CANDIDATES)
    cells: dict[int, dict[int, tuple[Cell, ...]]] = {
        row: {column: () for column in group.entrants if column != row} for row in group.entrants
    }
    for published in tournament.stage_rounds(Stage.CANDIDATES):
        for pair in published.pairs:
            if pair.group != group.name or (until is not None and published.number > until):
                continue
            a, b = match_scores(pair, tournament.results.get(pair.match_id), worth)
            if pair.a_id in out or pair.b_id in out:
                a, b = a._replace(kind=Kind.DISREGARDED), b._replace(kind=Kind.DISREGARDED)
            cells[pair.a_id][pair.b_id] += (Cell(pair.match_id, a),)
            cells[pair.b_id][pair.a_id] += (Cell(pair.match_id, b),)
    return MappingProxyType({row: MappingProxyType(columns) for row, columns in cells.items()})

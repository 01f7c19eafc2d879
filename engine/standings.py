"""The Qualification table (R3.6), the scores the pairer uses (Q9) and how often somebody floated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.exits import LeavingRules
from engine.facts import Pair
from engine.ledger import fold
from engine.model import Fact, Stage
from engine.points import DRAW, LOSS, WIN
from engine.tiebreaks import Kind, Placed, Readings, RoundScore, Separation, Table, Value, rank, unranked
from engine.tournament import PublishedRound, Result, ResultKind, Tournament


@dataclass(frozen=True, slots=True)
class PointValues:
    """What a match and a bye are worth in half-points (R3.3, R3.7); `extended`: an extended match, in pairing (Q9);
    `absent`: a round that a late entrant missed before the first own one (Q44g)."""

    win: int = WIN
    draw: int = DRAW
    loss: int = LOSS
    bye: int = WIN
    extended: int = DRAW
    absent: int = LOSS

    def of(self, outcome: int) -> int:
        return self.win if outcome == WIN else self.draw if outcome == DRAW else self.loss

    def as_outcome(self, points: int) -> int:
        """The outcome of a match worth the points of a round without an opponent."""
        return WIN if points == self.win else DRAW if points == self.draw else LOSS


@dataclass(frozen=True, slots=True)
class Record:
    """Matches won, drawn and lost in closed rounds; walkovers count, byes, open and voided matches don't."""

    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a table. `rank` is None for who left (Q45, R8.3); `points` in half-points; `values` by criterion name.

    `separation`: what separates from the line above; None only in the first line and where there is no rank.
    """

    rank: int | None
    entrant_id: int
    seed: int
    points: int
    values: Mapping[str, Value]
    record: Record
    separation: Separation | None

    @property
    def separated_by(self) -> str | None:
        """The name of the criterion that separates from the line above."""
        return self.separation.criterion if self.separation else None


def standings(
    tournament: Tournament,
    seeds: Mapping[int, int],
    tiebreaks: Sequence[str],
    *,
    until: int | None = None,
    values: PointValues | None = None,
    readings: Readings | None = None,
    last_finals: Mapping[int, int] | None = None,
    splitting: str = "formed_once",
) -> tuple[Standing, ...]:
    """The table of everybody in `seeds` (entrant id -> seed) over the closed Qualification rounds up to number `until`.

    Players who left stand unranked at the end, their points stay for their opponents' tiebreaks (R3.5, Q45).
    `last_finals`: entrant id -> place; `splitting`: `swiss.tied_group`, a name of `tiebreaks.SPLITTINGS`. Raises
    Conflict("seeds_not_unique"), NotFound("tiebreak"), NotFound("splitting").
    """
    table = table_of(tournament, seeds, until=until, values=values, readings=readings, last_finals=last_finals)
    return lines_of(table, tiebreaks, splitting)


def lines_of(table: Table, tiebreaks: Sequence[str], splitting: str) -> tuple[Standing, ...]:
    """The lines of any table: who is ranked, in order, then who is not. Raises as `standings`."""
    ranked = [_line(place, row, table) for place, row in enumerate(rank(table, tiebreaks, splitting), start=1)]
    return (*ranked, *(_line(None, row, table) for row in unranked(table, tiebreaks)))


def table_of(
    tournament: Tournament,
    seeds: Mapping[int, int],
    *,
    until: int | None = None,
    values: PointValues | None = None,
    readings: Readings | None = None,
    last_finals: Mapping[int, int] | None = None,
) -> Table:
    """The closed Qualification rounds as the tiebreaks read them (R3.6)."""
    closed = [
        r for r in tournament.stage_rounds(Stage.QUALIFICATION) if r.closed and (until is None or r.number <= until)
    ]
    return Table(
        scores=_rows(tournament, closed, seeds, values or PointValues()),
        seeds=dict(seeds),
        ranked=frozenset(seeds) - tournament.unranked(Stage.QUALIFICATION),
        readings=readings or Readings(),
        last_finals=last_finals or {},
    )


# --- Rounds -----------------------------------------------------------------------------------------------------


def _rows(
    tournament: Tournament, rounds: Sequence[PublishedRound], entrants: Collection[int], worth: PointValues
) -> dict[int, tuple[RoundScore, ...]]:
    """Entrant id -> what each of these rounds was. A round missed after the first own one is worth nothing (Q44d)."""
    missed = RoundScore(0, Kind.ABSENT, LOSS)
    before_entry = RoundScore(worth.absent, Kind.ABSENT, worth.as_outcome(worth.absent))
    rows: dict[int, list[RoundScore]] = {entrant: [] for entrant in entrants}
    entered: set[int] = set()
    for published in rounds:
        scores = _round_scores(tournament, published, worth)
        entered.update(scores)
        for entrant, row in rows.items():
            row.append(scores.get(entrant) or (missed if entrant in entered else before_entry))
    return {entrant: tuple(row) for entrant, row in rows.items()}


def _round_scores(tournament: Tournament, published: PublishedRound, worth: PointValues) -> dict[int, RoundScore]:
    scores: dict[int, RoundScore] = {}
    if published.bye is not None:
        scores[published.bye] = RoundScore(worth.bye, Kind.BYE, worth.as_outcome(worth.bye))
    for pair in published.pairs:
        scores[pair.a_id], scores[pair.b_id] = match_scores(pair, tournament.results.get(pair.match_id), worth)
    return scores


def match_scores(pair: Pair, result: Result | None, worth: PointValues) -> tuple[RoundScore, RoundScore]:
    """What a match is for both sides. Without a result it is OPEN with no points; a voided one has no opponents."""
    if result is None:
        return RoundScore(0, Kind.OPEN, LOSS, pair.b_id), RoundScore(0, Kind.OPEN, LOSS, pair.a_id)
    if result.kind is ResultKind.VOIDED:
        voided = RoundScore(0, Kind.VOIDED, LOSS)
        return voided, voided
    kind = _kind(result)
    return (
        RoundScore(worth.of(result.a), kind, result.a, pair.b_id, result.played, result.game_a),
        RoundScore(worth.of(result.b), kind, result.b, pair.a_id, result.played, result.game_b),
    )


_KINDS: Mapping[ResultKind, Kind] = MappingProxyType({kind: Kind(kind.value) for kind in ResultKind})


def _kind(result: Result) -> Kind:
    kind = _KINDS[result.kind]
    ruled_win = kind is Kind.RULED and not result.played and WIN in (result.a, result.b)
    if ruled_win or kind is Kind.FORFEIT or kind is Kind.WALKOVER:
        return Kind.FORFEIT if result.played else Kind.WALKOVER
    return kind


# --- Pairing ----------------------------------------------------------------------------------------------------


def pairing_scores(
    tournament: Tournament,
    entrants: Collection[int],
    *,
    before: int | None = None,
    values: PointValues | None = None,
) -> dict[int, int]:
    """Entrant id -> the half-points of pairing: every published round with a number under `before`, closed or not.

    An extended match counts `values.extended` for pairing only (Q9); a match that is merely open counts nothing.
    """
    worth = values or PointValues()
    rounds = [r for r in tournament.stage_rounds(Stage.QUALIFICATION) if before is None or r.number < before]
    rows = _rows(tournament, rounds, entrants, worth)
    scores = {entrant: sum(score.points for score in row) for entrant, row in rows.items()}
    for published in rounds:
        for pair in published.pairs:
            if pair.match_id in tournament.extended:
                for entrant in {pair.a_id, pair.b_id} & scores.keys():
                    scores[entrant] += worth.extended
    return scores


def floats(
    facts: Iterable[Fact], *, values: PointValues | None = None, leaving: LeavingRules | None = None
) -> dict[int, int]:
    """Entrant id -> how often it was paired with a different score, for everybody ever paired (R3.7).

    The scores are those at each publication: a result that changed afterwards makes nobody a floater.
    """
    ledger = list(facts)
    counts: dict[int, int] = {}
    for published in fold(ledger).stage_rounds(Stage.QUALIFICATION):
        then = fold(ledger, until_fact=published.fact_id or None, leaving=leaving)
        paired = {entrant for pair in published.pairs for entrant in (pair.a_id, pair.b_id)}
        scores = pairing_scores(then, paired, before=published.number, values=values)
        for pair in published.pairs:
            for entrant in (pair.a_id, pair.b_id):
                counts[entrant] = counts.get(entrant, 0) + (scores[pair.a_id] != scores[pair.b_id])
    return counts


# --- Lines ------------------------------------------------------------------------------------------------------


def _line(place: int | None, row: Placed, table: Table) -> Standing:
    return Standing(
        rank=place,
        entrant_id=row.entrant_id,
        seed=table.seeds[row.entrant_id],
        points=table.totals[row.entrant_id],
        values=row.values,
        record=_record(table.scores[row.entrant_id]),
        separation=row.separation,
    )


def _record(row: Sequence[RoundScore]) -> Record:
    met = [score.outcome for score in row if score.opponent is not None and score.kind is not Kind.OPEN]
    return Record(met.count(WIN), met.count(DRAW), met.count(LOSS))

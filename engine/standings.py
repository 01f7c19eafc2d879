"""The Qualification table (R3.6), the scores the pairer uses (Q9) and how often somebody floated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.facts import Pair
from engine.ledger import LeavingRules, PublishedRound, Result, ResultKind, Tournament, fold
from engine.model import Fact, Stage
from engine.points import DRAW, LOSS, WIN
from engine.tiebreaks import Kind, Placed, Readings, RoundScore, Table, rank, unranked


@dataclass(frozen=True, slots=True)
class PointValues:
    """What a match and a bye are worth in half-points (R3.3, R3.7); `extended`: an extended match, in pairing (Q9)."""

    win: int = WIN
    draw: int = DRAW
    loss: int = LOSS
    bye: int = WIN
    extended: int = DRAW

    def of(self, outcome: int) -> int:
        return {WIN: self.win, DRAW: self.draw, LOSS: self.loss}[outcome]


@dataclass(frozen=True, slots=True)
class Record:
    """Matches won, drawn and lost in closed rounds; walkovers count, byes and open matches don't."""

    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. `rank` is None for who left (Q45); `points` in half-points; `values` by criterion name."""

    rank: int | None
    entrant_id: int
    seed: int
    points: int
    values: Mapping[str, int]
    record: Record
    separated_by: str | None


def standings(
    tournament: Tournament,
    seeds: Mapping[int, int],
    tiebreaks: Sequence[str],
    *,
    until: int | None = None,
    values: PointValues | None = None,
    readings: Readings | None = None,
) -> tuple[Standing, ...]:
    """The table of everybody in `seeds` (entrant id -> seed) over the closed Qualification rounds up to number `until`.

    Players who left stand unranked at the end, their points stay for
    their opponents' tiebreaks (R3.5, Q45). Raises Conflict("seeds_not_unique"), NotFound("tiebreak").
    """
    table = table_of(tournament, seeds, until=until, values=values, readings=readings)
    ranked = [_line(place, row, table) for place, row in enumerate(rank(table, tiebreaks), start=1)]
    return (*ranked, *(_line(None, row, table) for row in unranked(table, tiebreaks)))


def table_of(
    tournament: Tournament,
    seeds: Mapping[int, int],
    *,
    until: int | None = None,
    values: PointValues | None = None,
    readings: Readings | None = None,
) -> Table:
    """The closed Qualification rounds as the tiebreaks read them (R3.6). A round missed by a late entrant is absent."""
    closed = [
        r for r in tournament.stage_rounds(Stage.QUALIFICATION) if r.closed and (until is None or r.number <= until)
    ]
    return Table(
        scores={e: tuple(round_score(tournament, r, e, values) for r in closed) for e in seeds},
        seeds=dict(seeds),
        ranked=frozenset(e for e in seeds if tournament.is_in(e)),
        readings=readings or Readings(),
    )


def round_score(
    tournament: Tournament, published: PublishedRound, entrant: int, values: PointValues | None = None
) -> RoundScore:
    """What one round was for one entrant. A match without a result is OPEN with no points (Q9)."""
    worth = values or PointValues()
    if published.bye == entrant:
        return RoundScore(worth.bye, Kind.BYE, _bye_outcome(worth))
    pair = _pair_of(published, entrant)
    if pair is None:
        return RoundScore(0, Kind.ABSENT, LOSS)
    is_a = pair.a_id == entrant
    opponent = pair.b_id if is_a else pair.a_id
    result = tournament.results.get(pair.match_id)
    if result is None:
        return RoundScore(0, Kind.OPEN, LOSS, opponent)
    own, games = (result.a, result.game_a) if is_a else (result.b, result.game_b)
    return RoundScore(worth.of(own), _kind(result), own, opponent, result.played, games)


def pairing_score(
    tournament: Tournament, entrant: int, *, before: int | None = None, values: PointValues | None = None
) -> int:
    """Half-points by which an entrant is paired: every published round with a number under `before`, closed or not.

    An extended match counts `values.extended` for pairing only (Q9); a match that is merely open counts nothing.
    """
    worth = values or PointValues()
    total = 0
    for published in tournament.stage_rounds(Stage.QUALIFICATION):
        if before is not None and published.number >= before:
            continue
        score = round_score(tournament, published, entrant, worth)
        pair = _pair_of(published, entrant)
        is_extended = score.kind is Kind.OPEN and pair is not None and pair.match_id in tournament.extended
        total += worth.extended if is_extended else score.points
    return total


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
        for pair in published.pairs:
            a, b = (pairing_score(then, e, before=published.number, values=values) for e in (pair.a_id, pair.b_id))
            for entrant in (pair.a_id, pair.b_id):
                counts[entrant] = counts.get(entrant, 0) + (a != b)
    return counts


def _pair_of(published: PublishedRound, entrant: int) -> Pair | None:
    return next((pair for pair in published.pairs if entrant in (pair.a_id, pair.b_id)), None)


def _bye_outcome(worth: PointValues) -> int:
    return WIN if worth.bye == worth.win else DRAW if worth.bye == worth.draw else LOSS


def _kind(result: Result) -> Kind:
    ruled_win = result.kind is ResultKind.RULED and WIN in (result.a, result.b) and not result.played
    if ruled_win or result.kind in (ResultKind.FORFEIT, ResultKind.WALKOVER):
        return Kind.FORFEIT if result.played else Kind.WALKOVER
    return Kind(result.kind.value)


def _line(place: int | None, row: Placed, table: Table) -> Standing:
    return Standing(
        rank=place,
        entrant_id=row.entrant_id,
        seed=table.seeds[row.entrant_id],
        points=row.values["points"],
        values=row.values,
        record=_record(table.scores[row.entrant_id]),
        separated_by=row.separated_by,
    )


def _record(row: Sequence[RoundScore]) -> Record:
    met = [score.outcome for score in row if score.opponent is not None and score.kind is not Kind.OPEN]
    return Record(met.count(WIN), met.count(DRAW), met.count(LOSS))

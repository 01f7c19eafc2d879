"""From a report to what the engine works with: the table with its tiebreaks, and the pairing of the next round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from engine.errors import CannotPair, NotFound
from engine.points import DRAW, LOSS, WIN
from engine.swiss import Pairing, Player, pair
from engine.tiebreaks import Kind, Placed, Readings, RoundScore, Table, rank, unranked
from engine.trf.shapes import POINTS, Cell, Meeting, TrfFile

KINDS: Mapping[str, Kind] = MappingProxyType(
    dict.fromkeys("10=", Kind.PLAYED)
    | dict.fromkeys("WDL", Kind.ADJUDICATED)
    | dict.fromkeys("+-", Kind.WALKOVER)
    | dict.fromkeys("UFH", Kind.BYE)
    | {"Z": Kind.ABSENT, "": Kind.ABSENT, " ": Kind.OPEN}
)

NOT_IN_A_REPORT = frozenset({"total_game_points", "mutual_game", "overall_game", "qualification_place", "last_finals"})
"""Criteria that need the games of a match, or another event: a report has neither."""


# --- The table --------------------------------------------------------------------------------------------------


def table_of(file: TrfFile, readings: Readings | None = None) -> Table:
    """The paired rounds as the tiebreaks read them; starting ranks are ids and seeds. Who is in AWL is not ranked."""
    scores = _scores(file)
    return Table(
        scores={number: tuple(row) for number, row in scores.items()},
        seeds={number: number for number in scores},
        ranked=frozenset(scores) - file.left,
        readings=readings or Readings(),
    )


def ranking(
    file: TrfFile, tiebreaks: Sequence[str], readings: Readings | None = None
) -> tuple[tuple[int | None, Placed], ...]:
    """Place and line of every player, best first; those who left come last, without a place (Q45).

    Raises NotFound("tiebreak") for an unknown name, NotFound("trf_tiebreak") for one that a report cannot give.
    """
    for name in tiebreaks:
        if name in NOT_IN_A_REPORT:
            raise NotFound("trf_tiebreak", name=name)
    table = table_of(file, readings)
    placed = enumerate(rank(table, tiebreaks), start=1)
    return (*placed, *((None, row) for row in unranked(table, tiebreaks)))


def _scores(file: TrfFile) -> dict[int, list[RoundScore]]:
    drawn = {(m.round, one): other for m in file.drawn for one, other in ((m.a, m.b), (m.b, m.a))}
    voided = {(m.round, one) for m in file.voided for one in (m.a, m.b)}
    scores: dict[int, list[RoundScore]] = {}
    for player in file.players:
        row = scores[player.number] = []
        for at, cell in enumerate(player.cells[: file.played], start=1):
            if (at, player.number) in drawn:
                row.append(RoundScore(DRAW, Kind.RULED, DRAW, drawn[at, player.number]))
            elif (at, player.number) in voided:
                row.append(RoundScore(LOSS, Kind.VOIDED, LOSS))
            else:
                row.append(_score(cell))
    return scores


def _score(cell: Cell) -> RoundScore:
    kind, points = KINDS[cell.result], POINTS[cell.result]
    played = kind in (Kind.PLAYED, Kind.ADJUDICATED)
    return RoundScore(points, kind, points, cell.opponent, played)


# --- The next round ---------------------------------------------------------------------------------------------


def next_pairing(file: TrfFile) -> Pairing:
    """The pairing of round `file.played + 1` by R3.7; ids are starting ranks.

    Not paired are the players in XXZ and AWL and those who have an entry for that round already. Raises CannotPair:
    `trf_over` (`rounds`), `trf_nobody` (`round`), `trf_undecided` (`round`, `matches`), `trf_accelerated` (`line`: such
    pairings are not in R3.7), and what `engine.swiss.pair` raises.
    """
    number = file.played + 1
    if file.rounds is not None and number > file.rounds:
        raise CannotPair("trf_over", rounds=file.rounds)
    if file.accelerated is not None:
        raise CannotPair("trf_accelerated", clause="R3.7", line=file.accelerated)
    undecided = tuple(_undecided(file))
    if undecided:
        at = undecided[0].round
        raise CannotPair("trf_undecided", round=at, matches=tuple((m.a, m.b) for m in undecided))
    away = file.unpaired | file.left | _spoken_for(file)
    players = [player for player in pairing_players(file) if player.id not in away]
    if not players:
        raise CannotPair("trf_nobody", round=number)
    ids = {player.id for player in players}
    forbidden = {pair for group in file.forbidden for pair in combinations(sorted(ids & set(group)), 2)}
    forbidden -= {(min(m.a, m.b), max(m.a, m.b)) for m in file.drawn}  # written for others: here they have met
    return pair(players, key=f"{file.title}:{number}", forbidden=forbidden)


def _undecided(file: TrfFile) -> Iterator[Meeting]:
    """The matches without a result; an extended one is no obstacle (Q9)."""
    extended = _extended(file)
    for player in file.players:
        for at, cell in enumerate(player.cells[: file.played], start=1):
            if cell.result == " " and (at, player.number) not in extended and player.number < (cell.opponent or 0):
                yield Meeting(at, player.number, cell.opponent or 0)


def _extended(file: TrfFile) -> frozenset[tuple[int, int]]:
    return frozenset((m.round, number) for m in file.extended for number in (m.a, m.b))


def _spoken_for(file: TrfFile) -> frozenset[int]:
    """Who has an entry for the next round already, a bye or an absence (JaVaFo's way to say it)."""
    return frozenset(p.number for p in file.players if any(cell.result for cell in p.cells[file.played :]))


def pairing_players(file: TrfFile) -> tuple[Player, ...]:
    """Everybody as the pairer sees them after the paired rounds; an extended match counts as a draw (Q9)."""
    scores, extended = _scores(file), _extended(file)
    totals = {number: 0 for number in scores}
    floats = {number: 0 for number in scores}
    for at in range(file.played):
        before = dict(totals)
        for number, row in scores.items():
            opponent = row[at].opponent
            floats[number] += opponent is not None and before[number] != before[opponent]
            totals[number] += DRAW if (at + 1, number) in extended else row[at].points
    return tuple(
        Player(
            id=number,
            seed=number,
            score=totals[number],
            met=frozenset(score.opponent for score in row if score.opponent is not None),
            floats=floats[number],
            bye_barred=any(_bars_from_the_bye(score) for score in row),
        )
        for number, row in scores.items()
    )


def _bars_from_the_bye(score: RoundScore) -> bool:
    """A full point without a game: a bye or a walkover (R3.7, Q42)."""
    return score.outcome == WIN and not score.played

"""The criteria by name; a ruleset puts them in order (R3.6, R3.12).

What a round without a full match counts in each. "C.07" is the FIDE Handbook's Tie-Break Regulations (August 2024).
The match points of a bye, and of a round missed before a late entry, are the edition's.

name                 source                     bye            walkover       ruled draw     absent round
-------------------  -------------------------  -------------  -------------  -------------  -------------
points               R3.3, R3.7, R3.9           its points     win 1, loss 0  1/2            its points
cumulative           R3.6, Q27; C.07 7.5        its points a)  win 1, loss 0  1/2            its points
total_game_points    R3.6, other sense          0              games given    games given    0
wins_against_tied    R3.6, Q28                  no win         win b)         no win         no win
median_buchholz      R3.6, Q29; C.07 8.1, 14.3  own points c)  own points c)  own points c)  0 d)
buchholz             C.07 8.1                   own points c)  own points c)  own points c)  0 d)
buchholz_cut_1       C.07 8.1, 14.1             own points c)  own points c)  own points c)  0 d)
sonneborn_berger     C.07 9.1                   for each of the four: its points times what it counts in buchholz
kashdan              2022 edition               as its points  win 4, loss 0  2              as its points e)
mutual_match         R3.12                      0              win 1, loss 0  1/2            0
mutual_game          R3.12, Q31, Q32b           0              games given    games given    0
overall_game         R3.12, Q31, Q32b           0              games given    games given    0
last_finals          R3.12, Q36                 rounds do not count in it
qualification_place  R3.12                      rounds do not count in it
seed                 last resort of R3.6        rounds do not count in it
wins                 C.07 7.1                   as its points  win b)         no win         as its points e)
direct_encounter     C.07 6                     0              win 1 b)       1/2 b)         0

a) 0 if `bye_in_cumulative` is false.
b) Not if `forfeit_wins_count` is false (C.07 6.1.1, and 7.2 for `wins`): then such a match is no encounter either.
c) `unplayed`: "virtual" is an opponent with the player's own points (C.07 16), "zero" and "skip" are other readings.
d) `absent`: the same three names.
e) A round worth a win is a win, one worth a draw a draw; one worth nothing counts 0.

A match half-played and then forfeited, or adjudicated (R8.2), counts its real opponent and its result everywhere.
An open match counts 0 points and, in the Buchholz family, as a round without a game; so does a voided pairing. A
disregarded match (R8.3) is in no row. Players who left lend their points as they stand. C.07 16 adjusts such points
and cuts unplayed rounds first; neither is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from engine.errors import NotFound
from engine.points import DRAW, LOSS, WIN, show
from engine.tiebreaks.table import Kind, RoundScore, Table, Value


class Unit(StrEnum):
    HALF_POINTS = "half_points"
    QUARTER_POINTS = "quarter_points"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Criterion:
    """`value(entrant, table, tied)`: `tied` are the ranked players whom no criterion before this one separated."""

    value: Callable[[int, Table, frozenset[int]], Value]
    unit: Unit
    lower_first: bool = False


def points(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Match points, half-points (R3.3)."""
    return table.totals[entrant]


def cumulative(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Sum of the running totals after each round, half-points (R3.6). Byes and walkovers count in it (Q27)."""
    row = table.scores[entrant]
    byes = table.readings.bye_in_cumulative
    return sum(score.points * (len(row) - done) for done, score in enumerate(row) if byes or score.kind is not Kind.BYE)


def total_game_points(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Sum of the points in counted games, half-points: the other sense of "cumulative score" (R3.6)."""
    return sum(score.game_points for score in table.scores[entrant])


def wins(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Rounds won, a count (C.07 7.1); without `forfeit_wins_count` only those with a game (C.07 7.2)."""
    return sum(_is_win(score, table) for score in table.scores[entrant])


def wins_against_tied(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Match wins against players equal on every criterion before this one, a count (R3.6, Q28)."""
    return sum(score.opponent in tied and _is_win(score, table) for score in table.scores[entrant])


def _is_win(score: RoundScore, table: Table) -> bool:
    return score.outcome == WIN and (score.played or table.readings.forfeit_wins_count)


# --- The strength of the opponents ----------------------------------------------------------------------------


def median_buchholz(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Opponents' match points less one best and one worst, half-points; 0 in fewer than three rounds (R3.6, Q29)."""
    values = sorted(_opponents(entrant, table))
    drop = table.readings.median_drop
    return sum(values[drop : len(values) - drop])


def buchholz(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Opponents' match points, half-points (C.07 8.1)."""
    return sum(_opponents(entrant, table))


def buchholz_cut_1(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Opponents' match points less one worst, half-points (C.07 14.1)."""
    return sum(sorted(_opponents(entrant, table))[1:])


def sonneborn_berger(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Points of each round times the opponent's match points, in quarter points: half-points twice (C.07 9.1)."""
    found = ((score.points, _buchholz_value(entrant, score, table)) for score in table.scores[entrant])
    return sum(own * value for own, value in found if value is not None)


def _opponents(entrant: int, table: Table) -> Iterator[int]:
    for score in table.scores[entrant]:
        value = _buchholz_value(entrant, score, table)
        if value is not None:
            yield value


def _buchholz_value(entrant: int, score: RoundScore, table: Table) -> int | None:
    if score.played and score.opponent is not None:
        return table.totals[score.opponent]
    reading = table.readings.absent if score.kind is Kind.ABSENT else table.readings.unplayed
    if reading not in _UNPLAYED:
        raise NotFound("unplayed", name=reading)
    return _UNPLAYED[reading](entrant, table)


_UNPLAYED: Mapping[str, Callable[[int, Table], int | None]] = MappingProxyType(
    {
        "virtual": lambda entrant, table: table.totals[entrant],
        "zero": lambda entrant, table: 0,
        "skip": lambda entrant, table: None,
    }
)

_KASHDAN = {WIN: 4, DRAW: 2, LOSS: 1}


def kashdan(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Won match 4, drawn 2, lost 1, a round without a game 0 unless it gave points; a count (2022 edition)."""
    return sum(_KASHDAN[score.outcome] for score in table.scores[entrant] if score.played or score.outcome != LOSS)


# --- Inside a tie ---------------------------------------------------------------------------------------------


def mutual_match(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Match points against the players of the tie, half-points (R3.12)."""
    return sum(score.points for score in table.scores[entrant] if score.opponent in tied)


def mutual_game(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Game points against the players of the tie, half-points (R3.12, Q31)."""
    return sum(score.game_points for score in table.scores[entrant] if score.opponent in tied)


def overall_game(entrant: int, table: Table, tied: frozenset[int]) -> int:
    """Game points in all matches, half-points (R3.12, Q31)."""
    return total_game_points(entrant, table, tied)


def direct_encounter(entrant: int, table: Table, tied: frozenset[int]) -> int | None:
    """Match points against the players of the tie, half-points, once each of them has met each other; else None.

    A narrow reading of C.07 6, which also ranks inside ties in which some have not met: that is not applied, such a tie
    goes on to the next criterion.
    """
    if not all(len(tied & _met(player, table)) == len(tied) - 1 for player in tied):
        return None
    return sum(s.points for s in table.scores[entrant] if s.opponent in tied and _is_encounter(s, table))


def _met(entrant: int, table: Table) -> set[int | None]:
    return {score.opponent for score in table.scores[entrant] if _is_encounter(score, table)}


def _is_encounter(score: RoundScore, table: Table) -> bool:
    if score.opponent is None or score.kind is Kind.OPEN:
        return False
    return score.played or table.readings.forfeit_wins_count


# --- From outside the stage -----------------------------------------------------------------------------------


def last_finals(entrant: int, table: Table, tied: frozenset[int]) -> int | None:
    """Place 1-4 in last year's Finals, a count; who has one stands before who has none (R3.12, Q36)."""
    return table.last_finals.get(entrant)


def qualification_place(entrant: int, table: Table, tied: frozenset[int]) -> int | None:
    """Place in this year's Qualification, a count; a direct entrant without one stands after the others (R3.12)."""
    return table.places.get(entrant)


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
        "buchholz": Criterion(buchholz, Unit.HALF_POINTS),
        "buchholz_cut_1": Criterion(buchholz_cut_1, Unit.HALF_POINTS),
        "sonneborn_berger": Criterion(sonneborn_berger, Unit.QUARTER_POINTS),
        "kashdan": Criterion(kashdan, Unit.COUNT),
        "mutual_match": Criterion(mutual_match, Unit.HALF_POINTS),
        "mutual_game": Criterion(mutual_game, Unit.HALF_POINTS),
        "overall_game": Criterion(overall_game, Unit.HALF_POINTS),
        "last_finals": Criterion(last_finals, Unit.COUNT, lower_first=True),
        "qualification_place": Criterion(qualification_place, Unit.COUNT, lower_first=True),
        "seed": Criterion(seed, Unit.COUNT, lower_first=True),
        "wins": Criterion(wins, Unit.COUNT),
        "direct_encounter": Criterion(direct_encounter, Unit.HALF_POINTS),
    }
)

_QUARTERS = ("", "¼", "½", "¾")


def show_value(name: str, value: Value) -> str:
    """A value as people write it: half-points 5 -> "2½", quarter points 5 -> "1¼", None -> "–"."""
    if value is None:
        return "–"
    unit = CRITERIA[name].unit
    if unit is Unit.HALF_POINTS:
        return show(value)
    if unit is Unit.QUARTER_POINTS:
        whole, quarters = divmod(value, 4)
        return f"{whole or ''}{_QUARTERS[quarters]}" or "0"
    return str(value)

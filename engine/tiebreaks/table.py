"""What the tiebreaks read: the rounds of every player, with what an edition makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

Value = int | None
"""A value of a criterion. None: it says nothing about this player, who stands after those it says something about."""


class Kind(StrEnum):
    """What a round was for one entrant. FORFEIT: half-played; WALKOVER: won or lost without a game.

    VOIDED: the pairing was taken back. DISREGARDED: a pool match of somebody who left (R8.3).
    """

    PLAYED = "played"
    ADJUDICATED = "adjudicated"
    FORFEIT = "forfeit"
    WALKOVER = "walkover"
    RULED = "ruled"
    OPEN = "open"
    BYE = "bye"
    ABSENT = "absent"
    VOIDED = "voided"
    DISREGARDED = "disregarded"


class RoundScore(NamedTuple):
    """One round of one entrant. `points`, `game_points` in half-points; `played`: a counted game was started.

    `outcome`: the match as WIN, DRAW or LOSS, whatever an edition gives for it; a round without an opponent is what it
    is worth. `game_points` hold games given without play too (Q31, Q32b).
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
    """Entrant id -> one RoundScore for each round that counts, in order. In the Swiss all rows have the same length.

    `seeds` are unique. `ranked` are those still in the event; the others only lend their points to opponents.
    `places`: entrant id -> place in the Qualification; `last_finals`: entrant id -> place 1-4 in last year's Finals
    (R3.12). `totals`: entrant id -> match points, half-points (R3.3).
    """

    scores: Mapping[int, tuple[RoundScore, ...]]
    seeds: Mapping[int, int]
    ranked: frozenset[int]
    readings: Readings = field(default_factory=Readings)
    places: Mapping[int, int] = field(default_factory=dict[int, int])
    last_finals: Mapping[int, int] = field(default_factory=dict[int, int])
    totals: Mapping[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        totals = {entrant: sum(score.points for score in row) for entrant, row in self.scores.items()}
        object.__setattr__(self, "totals", MappingProxyType(totals))

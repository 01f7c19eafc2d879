"""What the Swiss pairer takes and gives. Apart from `swiss`, so that `pairing_checker` shares no code with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """One active entrant as the pairer sees it.

    `seed` is 1-based and unique. `score` is in half-points, an extended match counted as a draw (Q9). `met` holds
    every published opponent, played or not, unless that pair was voided (Q42). `floats`: in how many earlier rounds
    the player was paired out of the score group. `bye_barred`: had a bye, or a walkover point without a game
    (R3.7, FIDE C.04.1).
    """

    id: int
    seed: int
    score: int
    met: frozenset[int] = frozenset()
    floats: int = 0
    bye_barred: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """A round: pairs of player ids in board order, and who has the bye.

    Boards go by the two scores together, highest first, then by the better seed; in a pair the better seed is first.
    """

    pairs: tuple[tuple[int, int], ...]
    bye: int | None

"""Everybody meets everybody (R3.9), in the order of the Berger tables (FIDE Handbook C.05, Annex 1)."""

from __future__ import annotations

from collections.abc import Sequence

PoolRounds = tuple[tuple[tuple[int, int], ...], ...]


def berger(players: Sequence[int], encounters: int = 1) -> PoolRounds:
    """The rounds of a pool, each a tuple of pairs; `players` in the order of their pool numbers 1, 2, 3 …

    With an odd number one player sits out in each round, the one whom the table pairs with the number after the last.
    Each further encounter repeats the rounds with the sides swapped. The first named of a pair has White in the table;
    here that is a convention, colours are not ruled (Q37). ValueError: fewer than two players, somebody named twice,
    or no encounter.
    """
    if len(players) < 2 or len(set(players)) < len(players) or encounters < 1:
        raise ValueError(f"no round robin of {list(players)}, {encounters} times")
    once = _once(players)
    swapped = tuple(tuple((b, a) for a, b in pairs) for pairs in once)
    return tuple(pairs for n in range(encounters) for pairs in (swapped if n % 2 else once))


def _once(players: Sequence[int]) -> PoolRounds:
    """The last number stays, the others sit in a circle of `circle` places.

    In each round one of them meets the last number, and those equally far from that one on both sides of the circle
    meet each other. From round to round this middle moves on by half of the field.
    """
    circle = len(players) - 1 + len(players) % 2
    last = players[circle] if len(players) % 2 == 0 else None
    half = (circle + 1) // 2
    rounds: list[tuple[tuple[int, int], ...]] = []
    for number in range(circle):
        middle = number * half % circle
        pairs = [(players[(middle + step) % circle], players[(middle - step) % circle]) for step in range(1, half)]
        if last is not None:
            pairs.insert(0, (last, players[middle]) if number % 2 else (players[middle], last))
        rounds.append(tuple(pairs))
    return tuple(rounds)

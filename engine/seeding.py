"""The seed order (reading after R2.8): a seeding rating by a named method, then what the ruleset lists, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.rules.schema import Seeding


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """Somebody to be seeded, by the variant's figures. `lichess_id` is lower case, `rating` that of the moment.

    `peak`: the highest rating from `seeding.peak_from` to `seeding.peak_until`; None without a rated game in between.
    """

    lichess_id: str
    rating: int
    rated_games: int
    peak: int | None = None


@dataclass(frozen=True, slots=True)
class Seeded:
    """`seed` counts from 1. `half_rating`: the seeding rating in half rating points, for an average may end in ½."""

    entry: Rated
    seed: int
    half_rating: int


def rating_at_close(entry: Rated) -> int:
    """The rating at the moment of seeding, in half rating points."""
    return 2 * entry.rating


def average_with_peak(entry: Rated) -> int:
    """The average of that rating and the peak, in half rating points (the edition of 2022).

    Who played no rated game in the period kept one rating all the while: it is the peak too.
    """
    peak = entry.rating if entry.peak is None else entry.peak
    return entry.rating + peak


METHODS: Mapping[str, Callable[[Rated], int]] = MappingProxyType(
    {"rating_at_close": rating_at_close, "average_with_peak": average_with_peak}
)
"""`seeding.method`."""

ORDERS: Mapping[str, Callable[[Rated], int | str]] = MappingProxyType(
    {"rated_games": lambda entry: -entry.rated_games, "lichess_id": lambda entry: entry.lichess_id}
)
"""`seeding.then`: the smaller value stands first, so more rated games before fewer, ids by the alphabet."""


def seed_order(entries: Sequence[Rated], seeding: Seeding) -> tuple[Seeded, ...]:
    """All entries with their seeds (reading after R2.8); the order they are given in does not matter.

    Ids are unique, and `seeding.then` contains `lichess_id` (the loader sees to it), so nobody is equal. ValueError
    when an id stands twice.
    """
    if len({entry.lichess_id for entry in entries}) < len(entries):
        raise ValueError("a Lichess id stands twice")
    half_rating = METHODS[seeding.method]
    ordered = sorted(entries, key=lambda entry: (-half_rating(entry), *(ORDERS[name](entry) for name in seeding.then)))
    return tuple(Seeded(entry, seed, half_rating(entry)) for seed, entry in enumerate(ordered, start=1))

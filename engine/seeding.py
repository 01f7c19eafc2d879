"""The seed order (reading after R2.8): a seeding rating by a named method, then what the ruleset lists, best first.

What a seeding rating was made from is kept as evidence: which rating was read, where, and of which day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from engine.ports import RatingDay
from engine.rules.schema import Seeding
from engine.rules.values import midnight


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


# --- Evidence ----------------------------------------------------------------------------------------------------


class Source(StrEnum):
    """Where Lichess showed a rating."""

    PROFILE = "profile"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRead:
    """A rating and where it was read. `day`: whose last rating it is in the history; None for the profile's."""

    rating: int
    source: Source
    day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedEvidence:
    """What the seeding rating of a player was made from, in plain values.

    `moment`: the day at whose 00:00 UTC the rating counts, None for that at `read_at`, when the profile was read.
    `peak` with its period only where the method asks for one. `half_rating` as in `Seeded`.
    """

    lichess_id: str
    method: str
    moment: date | None
    read_at: datetime
    rating: RatingRead
    rated_games: int
    half_rating: int
    peak: RatingRead | None = None
    peak_from: date | None = None
    peak_until: date | None = None

    @property
    def rated(self) -> Rated:
        """What `seed_order` takes."""
        return Rated(
            lichess_id=self.lichess_id,
            rating=self.rating.rating,
            rated_games=self.rated_games,
            peak=self.peak.rating if self.peak else None,
        )


def needs_history(seeding: Seeding, moment: date | None, read_at: datetime) -> bool:
    """Whether the profile, read at `read_at`, is not enough: for a peak, or for a moment that is past (R2.8)."""
    return seeding.method == "average_with_peak" or (moment is not None and midnight(moment) < read_at)


def seed_evidence(
    seeding: Seeding,
    profile: Rated,
    *,
    moment: date | None,
    read_at: datetime,
    history: Sequence[RatingDay] | None = None,
) -> SeedEvidence:
    """The seeding rating of a player and what it was made from (reading after R2.8).

    `profile`: the figures of the profile at `read_at`; `moment` as in `SeedEvidence`; `history`: the ratings of the
    variant by day, oldest first. ValueError when `needs_history` and there is none.
    """
    if history is None and needs_history(seeding, moment, read_at):
        raise ValueError("the rating history is needed")
    days = sorted(history or (), key=lambda point: point.day)
    rating = rating_at(days, moment, profile.rating, read_at)
    peak = None
    if seeding.method == "average_with_peak" and seeding.peak_from and seeding.peak_until:
        peak = peak_in(days, seeding.peak_from, seeding.peak_until)
    seeded = Rated(
        lichess_id=profile.lichess_id,
        rating=rating.rating,
        rated_games=profile.rated_games,
        peak=peak.rating if peak else None,
    )
    return SeedEvidence(
        lichess_id=profile.lichess_id,
        method=seeding.method,
        moment=moment,
        read_at=read_at,
        rating=rating,
        rated_games=profile.rated_games,
        half_rating=METHODS[seeding.method](seeded),
        peak=peak,
        peak_from=seeding.peak_from,
        peak_until=seeding.peak_until,
    )


def rating_at(days: Sequence[RatingDay], moment: date | None, profile: int, read_at: datetime) -> RatingRead:
    """The rating at 00:00 UTC of a day: the last one of the days before it (R2.8); `days` oldest first.

    A profile read by then has it; so it does, as far as anybody can see, for who had no rated game before.
    """
    before = [point for point in days if moment is not None and point.day < moment]
    if moment is None or read_at <= midnight(moment) or not before:
        return RatingRead(rating=profile, source=Source.PROFILE)
    return RatingRead(rating=before[-1].rating, source=Source.HISTORY, day=before[-1].day)


def peak_in(days: Sequence[RatingDay], since: date, until: date) -> RatingRead | None:
    """The highest rating from 00:00 UTC of one day to 00:00 UTC of another (R2.8, 2022); `days` oldest first.

    The rating with which a player came into the period was held in it too. Lichess keeps the last rating of each day,
    so a peak within a day is not seen. The first of equal ones; None without a rated game before the end.
    """
    carried = [point for point in days if point.day < since][-1:]
    held = [*carried, *(point for point in days if since <= point.day < until)]
    if not held:
        return None
    highest = max(held, key=lambda point: point.rating)
    return RatingRead(rating=highest.rating, source=Source.HISTORY, day=highest.day)

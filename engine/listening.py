"""Whom to listen to on Lichess while matches are played, and what hearing nothing is worth (design section 6).

Lichess tells in one long stream whenever a game among some players begins or ends. It only wakes the bot; what is true
is in the export that is read then. So what the stream leaves out costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

MOST_PLAYERS = 300
"""Lichess refuses a stream of more."""

Pair = frozenset[str]
"""The Lichess ids of the two players of a match."""


@dataclass(frozen=True, slots=True)
class GameNews:
    """A game between two players (Lichess ids) has begun, or is over."""

    game_id: str
    players: Pair
    running: bool


def players_of(pairs: Iterable[Pair], most: int = MOST_PLAYERS) -> frozenset[str]:
    """Everybody of the first pairs that fit in whole: of half a pair nothing is ever told."""
    listed: frozenset[str] = frozenset()
    for pair in pairs:
        if len(pair) > 1 and len(listed | pair) <= most:
            listed |= pair
    return listed


@dataclass(slots=True)
class Ear:
    """What this process can hear: `players` of the open stream (nobody: there is none), and `since` when."""

    players: frozenset[str] = frozenset()
    since: datetime | None = None
    _told: set[GameNews] = field(default_factory=set[GameNews])

    def listens_to(self, players: frozenset[str], since: datetime) -> None:
        """Another stream, or none. What was told before it is not news when it is told again, as the games that are
        being played are told at the beginning of every stream."""
        self.players, self.since = players, since

    def has_heard_all(self, pair: Pair, since: datetime) -> bool:
        """Whether a game of the pair that began or ended after that moment would have been told."""
        return len(pair) > 1 and pair <= self.players and self.since is not None and self.since < since

    def is_new(self, news: GameNews) -> bool:
        """Once for each piece of news."""
        new = news not in self._told
        self._told.add(news)
        return new

    def forget(self) -> None:
        """Nobody plays any more."""
        self._told.clear()

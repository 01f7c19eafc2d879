"""Signs of life of a match that others than the bot's own looks have seen on Lichess."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engine.ports import LichessGame

RECENT = timedelta(hours=1)
"""So long after a game another one is likely."""


@dataclass(slots=True)
class Signs:
    """When somebody has last read the games of a match, by its id, and found that it is being played. Of this process
    alone: after a start every match is looked at in any case."""

    _seen: dict[int, datetime] = field(default_factory=dict[int, datetime])

    def read(self, match_id: int, games: Iterable[LichessGame] | None, now: datetime) -> None:
        """Whoever has read the games for a player shows them here, None where Lichess did not answer."""
        if any((game.last_move_at or game.created_at) > now - RECENT for game in games or ()):
            self._seen[match_id] = now

    def last(self, match_id: int) -> datetime | None:
        return self._seen.get(match_id)

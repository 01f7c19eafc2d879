"""Games of a match that were begun too long before its agreed time (R5.2, Q12).

By the rules they do not count. But whoever has played by mutual consent half an hour early has played: both are warned
while they can still play again, a TD hears of it by a report, and nobody is absent whose match they can decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from engine.model import Match, Post
from engine.points import WIN
from engine.ports import LichessGame
from engine.scoring import Fault, MatchScore, game_points, more_than_half
from engine.usecases.context import Event
from engine.usecases.posts import Outbox

THE_DAY = timedelta(hours=12)
"""So long before the agreed time a game with the settings of the match was meant for it."""

_STILL_EARLY = frozenset({Fault.TOO_EARLY, Fault.UNFINISHED, Fault.NEEDS_TD})


def early_games(event: Event, match: Match, games: Sequence[LichessGame], reading: MatchScore) -> tuple[str, ...]:
    """Oldest first: those against which nothing stands but that they were begun too early. Of the day of the match, or
    whenever they were begun if they are as many as decide it. A friendly game earlier in the week is none."""
    agreed_at = match.agreed_at
    if agreed_at is None:
        return ()
    faults = {bad.game_id: frozenset(bad.faults) for bad in reading.faulty}
    early = {id for id, found in faults.items() if Fault.TOO_EARLY in found and found <= _STILL_EARLY}
    begun = sorted((game.created_at, game.id) for game in games if game.id in early)
    least = event.match_rules(match).games // 2 + 1
    return tuple(id for at, id in begun if len(begun) >= least or at >= agreed_at - THE_DAY)


def can_decide(event: Event, match: Match, reading: MatchScore, more: int) -> bool:
    """R3.3, R3.10, R3.13: whether with so many games more, won by one side, a side that had no more than half has it,
    or all games are played."""
    length, counted = event.match_rules(match).games, reading.counted
    if more_than_half(length, counted):
        return len(counted) + more >= length
    return max(game_points(counted)) + WIN * more > length


class EarlyPosts(Outbox):
    def warn(self, match: Match, ids: Sequence[str]) -> None:
        """To both, one message for each time of the match; it follows the games that it is about."""
        assert match.agreed_at is not None
        key, target = f"match:{match.id}:early:{match.agreed_at:%Y-%m-%dT%H:%M:%S}", f"thread:{match.id}"
        payload = {"match_id": match.id, "games": list(ids), "agreed_at": match.agreed_at.isoformat()}
        told = self._store.one(Post, key=key)
        if told is None or told.payload != payload:
            self.owe(key, "early_games", target, **payload)

    def ask_td(self, event: Event, match: Match, ids: Sequence[str]) -> None:
        """Once for the same games."""
        about = {"match_id": match.id, "games": list(ids), "cause": "early"}
        self.td_news(f"match:{match.id}:early", "games_need_td", edition_id=event.edition.id, **about)

"""What two players say of each other crosses, or what they have played before the agreed time stands against it: a TD
decides and nobody can claim (Q12, Q16, Q38d)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.model import Match
from engine.ports import LichessGame, Reader, Store
from engine.timers import Crossing, Timer, TimerEnd, TimerKind, ends_at
from engine.usecases.context import Event
from engine.usecases.evening_looks import only_before, starts_since
from engine.usecases.timer_posts import TimerPosts

_UNANSWERED = (None, TimerEnd.ASKED)
"""What may have become of a break that was not ended: nothing, or a TD was called about it."""


def overrun_by(
    reader: Reader, event: Event, match: Match, entrant_id: int, games: Sequence[LichessGame], now: datetime
) -> bool:
    """Q16: the own break of that player is over and no game was begun since."""
    own = reader.find(Timer, match_id=match.id, agreed_at=match.agreed_at, kind=TimerKind.BREAK, entrant_id=entrant_id)
    ends = [
        ends_at(event.rules.evening, event.terms(match), one)
        for one in own
        if one.outcome in _UNANSWERED and not starts_since(event, one, games)
    ]
    return any(end is not None and end <= now for end in ends)


def crossed(store: Store, event: Event, timer: Timer, how: Crossing, now: datetime) -> Timer:
    """A report that somebody is not there ends with the TDs, who are told why."""
    posts = TimerPosts(store, event.edition.guild_id, now)
    timer = posts.end(event, replace(timer, evidence={**timer.evidence, "crossing": how.value}), TimerEnd.TD)
    posts.crossed(event, timer, how)
    return timer


def played(store: Store, event: Event, timer: Timer, games: Sequence[LichessGame], now: datetime) -> Timer:
    """Games of the two end these ten minutes (`starts_since`). Those from before the agreed time that decide no match
    leave open who was absent (Q12)."""
    early = only_before(event, timer, games)
    if early:
        return played_early(store, event, timer, early, now)
    return TimerPosts(store, event.edition.guild_id, now).end(event, timer, TimerEnd.PLAYED)


def played_early(store: Store, event: Event, timer: Timer, games: Sequence[str], now: datetime) -> Timer:
    """R6.3, Q12: the report stands, and the TDs read with which games."""
    timer = replace(timer, evidence={**timer.evidence, "early": list(games)})
    return crossed(store, event, timer, Crossing.PLAYED_EARLY, now)

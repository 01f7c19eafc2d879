"""A match without a time on record begins with the game that both have named as its first (R5.2, Q12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.model import DisputeEnd, Match
from engine.ports import LichessGame, Store
from engine.scoring import MatchScore
from engine.usecases.context import record
from engine.usecases.disputes import end_dispute
from engine.usecases.matches import Seat
from engine.usecases.posts import Outbox
from engine.usecases.times import clear_proposals


def begin(
    store: Store, outbox: Outbox, seat: Seat, reading: MatchScore, games: Sequence[LichessGame], now: datetime
) -> Match:
    """They are in the middle of it: the moment of that game is its time on record from now on, as if they had agreed.
    So it is followed, and has its breaks (R6.1, R6.4)."""
    created = {game.id: game.created_at for game in games}
    begins = created[reading.counted[0].game_id]
    match = store.save(replace(store.get(Match, seat.match.id), agreed_at=begins))
    clear_proposals(store, match, now)
    record(store, seat.event.edition.id, reading.begun(match.id), now, clause="R5.2", occurred_at=begins)
    outbox.match_changed(match, seat.round)
    end_dispute(store, outbox, match, DisputeEnd.AGREED, now)
    return match

"""What players commit to before the other side sees it (R3.16): stored apart from the facts until both are in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedBid:
    """R3.16: the seconds that a player would have as White in the armageddon game of the tie that is known since
    `tied_at`. In nothing that is shown, logged or exported before both are in."""

    id: int = 0
    match_id: int
    entrant_id: int
    tied_at: datetime
    seconds: int = field(repr=False)
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedThrow:
    """Q41: rock, paper or scissors for equal bids, the `number`-th throw; sealed in the same way."""

    id: int = 0
    match_id: int
    entrant_id: int
    tied_at: datetime
    number: int
    hand: str = field(repr=False)
    made_at: datetime

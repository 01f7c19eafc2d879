"""What the sealed bids and throws of a tied match come to so far (R3.16, Q40, Q41): read, never stored."""

from __future__ import annotations

from datetime import datetime

from engine.armageddon import Bid, Bidding, Hand, Throw, bidding, bids_due
from engine.model import Match
from engine.ports import Reader
from engine.sealed import SealedBid, SealedThrow
from engine.sides import Side
from engine.usecases.context import Event


def _no_later_than(event: Event, match: Match) -> datetime:
    """Q40: the match deadline; where the armageddon game has a time of its own (Q33), that."""
    closes = event.window(match).closes
    if event.terms(match).decider_alone and match.agreed_at is not None:
        return min(closes, match.agreed_at)
    return closes


def _due_again(event: Event, match: Match, again: datetime) -> datetime:
    """Q40: once a result is taken back the time for bids runs anew, to a deadline only if that is still ahead."""
    rules, limit = event.rules.armageddon, _no_later_than(event, match)
    return bids_due(rules, again, limit if limit > again else again + rules.bid_within)


def bidding_of(reader: Reader, event: Event, match: Match, now: datetime) -> Bidding | None:
    """What the armageddon game of a match waits for, or by which colours it is or was played; None without a tie."""
    tied_at, rules, settled = event.tied_at(match), event.rules.armageddon, event.colours(match)
    if settled is not None:
        return settled
    if tied_at is None:
        return None

    def side(entrant_id: int) -> Side:
        return Side.A if entrant_id == match.a_id else Side.B

    sealed = reader.find(SealedBid, match_id=match.id, tied_at=tied_at)
    thrown = reader.find(SealedThrow, match_id=match.id, tied_at=tied_at)
    bids = [Bid(side(one.entrant_id), one.made_at, one.seconds) for one in sealed]
    throws = [Throw(side(one.entrant_id), one.number, one.made_at, Hand(one.hand)) for one in thrown]
    again = event.terms(match).reopened_at
    due = bids_due(rules, tied_at, _no_later_than(event, match))
    if again is not None and again > tied_at:
        due = max(due, _due_again(event, match, again))
    return bidding(rules, bids, throws, due=due, now=now, since=again)

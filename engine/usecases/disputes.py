"""Disputes about a match: opened by a rule, ended by a ruling or by the players themselves (R5.8, Q15)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from engine.model import Dispute, DisputeCause, DisputeEnd, Match
from engine.ports import Reader, Store
from engine.usecases.posts import Outbox


def waiting(reader: Reader, match: Match) -> Dispute | None:
    """The dispute of a match that waits for the TDs."""
    return reader.one(Dispute, match_id=match.id, outcome=None)


def open_dispute(store: Store, outbox: Outbox, match: Match, cause: DisputeCause, now: datetime) -> Dispute:
    """The TDs get its card. One that waits already stays the only one."""
    found = waiting(store, match)
    if found is None:
        found = store.add(Dispute(edition_id=match.edition_id, match_id=match.id, cause=cause, opened_at=now))
    outbox.dispute(found)
    return found


def end_dispute(store: Store, outbox: Outbox, match: Match, outcome: DisputeEnd, now: datetime) -> None:
    """What was asked is answered; its card says how. Nothing happens when none waits."""
    found = waiting(store, match)
    if found is not None:
        outbox.dispute(store.save(replace(found, outcome=outcome, ended_at=now)))


def reopen_dispute(store: Store, outbox: Outbox, match: Match) -> None:
    """The ruling that ended the latest dispute of a match was taken back: it waits again, unless there is a time."""
    known = store.find(Dispute, match_id=match.id)
    agreed = store.get(Match, match.id).agreed_at is not None
    if known and known[-1].outcome is DisputeEnd.RULED and not agreed:
        outbox.dispute(store.save(replace(known[-1], outcome=None, ended_at=None)))

"""Disputes about a match: opened by a rule, ended by a ruling or by the players themselves (R1.3, R5.8, Q15)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from engine.model import Dispute, DisputeCause, DisputeEnd, Match
from engine.ports import Store
from engine.usecases.posts import Outbox


def open_dispute(store: Store, outbox: Outbox, match: Match, cause: DisputeCause, now: datetime) -> Dispute:
    """The TDs get its card. One of the same cause that waits already stays the only one. Where the reports of the two
    differ they are told who decides."""
    found = store.one(Dispute, match_id=match.id, cause=cause, outcome=None)
    if found is None:
        found = store.add(Dispute(edition_id=match.edition_id, match_id=match.id, cause=cause, opened_at=now))
    outbox.dispute(found)
    if cause is DisputeCause.REPORTS_DIFFER:
        outbox.reports_differ(match, found.id)
    return found


def end_dispute(
    store: Store,
    outbox: Outbox,
    match: Match,
    outcome: DisputeEnd,
    now: datetime,
    *,
    cause: DisputeCause | None = None,
) -> None:
    """What was asked is answered; its card says how. Nothing happens when none waits. `cause`: only of that one."""
    for found in store.find(Dispute, match_id=match.id, outcome=None):
        if cause in (None, found.cause):
            outbox.dispute(store.save(replace(found, outcome=outcome, ended_at=now)))
            if found.cause is DisputeCause.REPORTS_DIFFER:
                outbox.reports_differ(match, found.id)


def reopen_dispute(store: Store, outbox: Outbox, match: Match) -> None:
    """The ruling that ended the latest dispute of a match was taken back: it waits again, unless there is a time."""
    known = store.find(Dispute, match_id=match.id)
    agreed = store.get(Match, match.id).agreed_at is not None
    if known and known[-1].outcome is DisputeEnd.RULED and not agreed:
        outbox.dispute(store.save(replace(known[-1], outcome=None, ended_at=None)))

"""Seeds from what Lichess shows of each entrant, with the evidence kept (reading after R2.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from enum import Enum
from typing import Any, cast

from engine.errors import LichessUnavailable, NotFound
from engine.ports import Account, RatingDay
from engine.rules import Ruleset
from engine.seeding import Rated, SeedEvidence, needs_history, seed_evidence, seed_order
from engine.usecases.context import Desk


async def read_evidence(
    desk: Desk, rules: Ruleset, ids: Sequence[str], names: Mapping[str, str]
) -> tuple[dict[str, Account], dict[str, SeedEvidence]]:
    """By Lichess id each account and what its seed rests on. `rules` with the dates of the edition in it.

    The rating is that of the moment at which registration closes; where that is past, or a peak is asked for, it is
    read from the rating history. LichessUnavailable("accounts_missing") with the names Lichess says nothing about.
    """
    now = desk.clock.now()
    accounts = {account.id: account for account in await desk.lichess.accounts(ids)}
    if missing := [names[id] for id in ids if id not in accounts]:
        raise LichessUnavailable("accounts_missing", names=tuple(sorted(missing)))
    found: dict[str, SeedEvidence] = {}
    moment = rules.registration.closes
    for id in ids:
        history = None
        if needs_history(rules.seeding, moment, now):
            history = await _history(desk, id, rules.variant)
        profile = Rated(
            lichess_id=id,
            rating=accounts[id].ratings.get(rules.variant, 0),
            rated_games=accounts[id].games.get(rules.variant, 0),
        )
        found[id] = seed_evidence(rules.seeding, profile, moment=moment, read_at=now, history=history)
    return accounts, found


async def _history(desk: Desk, id: str, variant: str) -> Sequence[RatingDay]:
    """Empty for an account of which Lichess shows none any more: it was closed after its entry was approved."""
    try:
        return (await desk.lichess.rating_history(id)).get(variant, ())
    except NotFound:
        return ()


def in_seed_order(evidence: Mapping[str, SeedEvidence], rules: Ruleset) -> list[str]:
    """The Lichess ids, best first."""
    return [seeded.entry.lichess_id for seeded in seed_order([e.rated for e in evidence.values()], rules.seeding)]


def stored(evidence: SeedEvidence) -> dict[str, Any]:
    """The evidence in the types of JSON; moments and days as ISO texts."""
    return _plain(asdict(evidence))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date | datetime) else value

"""Asking Lichess about many accounts at once, without believing half an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import LichessUnavailable
from engine.ports import Account, LichessPort

_ANSWERS = frozenset({"lichess_incomplete", "lichess_refused"})
"""Lichess is there, so the next question may be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """By id. None: Lichess said twice that it has no such account. `unread`: who could not be read, and why."""

    seen: Mapping[str, Account | None]
    unread: Mapping[str, LichessUnavailable]


async def look_up(lichess: LichessPort, ids: Sequence[str]) -> LookedUp:
    """All at once; whoever the answer leaves out or garbles is asked for alone. LichessUnavailable for no answer.

    An answer that leaves somebody out may be half a one, so it does not say that they do not exist.
    """
    seen: dict[str, Account | None] = {account.id: account for account in await lichess.accounts(ids)}
    unread: dict[str, LichessUnavailable] = {}
    silence: LichessUnavailable | None = None
    for id in ids:
        if id in seen:
            continue
        if silence is not None:
            unread[id] = silence
            continue
        try:
            seen[id] = await lichess.account(id, patient=True)
        except LichessUnavailable as refusal:
            unread[id] = refusal
            silence = None if refusal.code in _ANSWERS else refusal
    return LookedUp(seen=seen, unread=unread)

"""To the TDs: matches without a time when that was due, and what they can do about it (R5.6, R5.10, Q1, Q33, Q34)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cogs.render import decisions, times
from cogs.render.absence import line
from cogs.render.directors import extend_match
from cogs.render.message import Message
from engine.model import KNOCKOUT
from engine.usecases.context import Event

Params = Mapping[str, Any]


def both_failed_but(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    what = f"agreed on {times.utc(match.agreed_at)}" if match.agreed_at else "games of the two are on Lichess"
    if event.round_of(match).stage in KNOCKOUT:
        return Message(
            f"**Both made too few offers**, but {what}: {line(event, p)}. The match is played and reported as "
            "usual. You decide whether each has forfeited all the same (§5.6).",
            () if event.is_settled(match) else (decisions.both_forfeit(match.id),),
        )
    buttons = () if event.has_result(match) else (decisions.allow(match.id), decisions.both_failed(match.id))
    return Message(
        f"**Both made too few offers**, but {what}: {line(event, p)}. You decide: allow it (§5.10), then they "
        "report as usual, or §5.6 applies as it stands.",
        buttons,
    )


def time_to_set(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    open_still = match.agreed_at is None and not event.has_result(match)
    buttons = (decisions.td_set_time(match.id), extend_match(match.id)) if open_still else ()
    why = "the player who had the right to it has set none (§5.5, §5.10)"
    if event.terms(match).both_failed:
        why = "neither has made the offers, which is a forfeit of each; in a knock-out they play all the same (§5.6)"
    return Message(
        f"**A TD sets the time** of {line(event, p)}: {why}. Play by {times.deadline(event.window(match).closes)}.",
        buttons,
    )

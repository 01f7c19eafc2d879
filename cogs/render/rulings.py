"""Words for a TD who has ruled, or is about to."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.decisions import cause_words, fault_buttons
from cogs.render.directors import matches_extended as extended
from cogs.render.facts import sentence
from cogs.render.message import TEXT_LIMIT, Message, escape
from engine.model import DisputeCause
from engine.usecases.match_rulings import Blame, Waiting
from engine.usecases.matches import MatchView
from engine.usecases.rulings import RulingView

__all__ = ["blame_title", "disputes", "extended", "made"]

_SHOWN = 15


def made(outcome: RulingView) -> Message:
    """What was recorded, and that everybody concerned is told."""
    lines = ["Recorded:", *(f"• {sentence(outcome.event, fact)}" for fact in outcome.facts)]
    lines.append("Whom it concerns is told, and the other TDs read it in their channel with your name and reason.")
    return Message("\n".join(lines)[:TEXT_LIMIT])


def blame_title(view: MatchView, blame: Blame) -> str:
    """The title of the form that asks for the reason; Discord cuts at 45 characters."""
    if blame is Blame.NOBODY:
        return "Nobody at fault: a draw (§5.9)"
    if blame is Blame.BOTH:
        return "A draw and a forfeit of each (§5.6)"
    return f"At fault: {(view.a if blame is Blame.A else view.b).entrant.name} (§5.9)"


def disputes(waiting: Sequence[Waiting]) -> Message:
    if not waiting:
        return Message("No dispute waits.")
    lines = ["These wait for you, oldest first; each has its card in this channel, or `/td-dispute rule`:"]
    for one in waiting[:_SHOWN]:
        thread = f" <#{one.view.match.thread_id}>" if one.view.match.thread_id else ""
        since = times.stamp(one.dispute.opened_at, "R")
        lines.append(f"• #{one.dispute.id} {escape(one.label)}: {cause_words(one.dispute)}, since {since}{thread}")
    if len(waiting) > _SHOWN:
        lines.append(f"• and {len(waiting) - _SHOWN} more")
    about_time = [one.dispute.cause is DisputeCause.NO_AGREEMENT for one in waiting] == [True]
    buttons = fault_buttons(waiting[0].view) if about_time else ()
    return Message("\n".join(lines), buttons)

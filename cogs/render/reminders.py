"""Words of the reminders about one match, and of the post that names who still owes offers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cogs.render import times
from cogs.render.matches import accept_button
from cogs.render.message import TEXT_LIMIT, Button, Message, escape, mention
from cogs.render.tied import stands
from cogs.render.titles import round_title
from engine.model import Round
from engine.reminders import Kind
from engine.usecases.context import Event
from engine.usecases.due_reminders import Owed
from engine.usecases.matches import MatchView, Phase, Side

SWITCH = "`/reminders` switches these pings off."
_ROOM = 300
"""Characters kept for what stands around the names."""


def unanswered(view: MatchView, entrant_id: int, offer_ids: Sequence[int], *, sent: bool) -> Message | None:
    """R5.7, to the silent side; None when nothing is open any more before it could be sent."""
    side, other = view.side(entrant_id), view.other(entrant_id)
    open_now = [offer for offer in view.offers if offer.id in offer_ids and view.phase is Phase.NEGOTIATING]
    if not open_now:
        return Message(f"{escape(other.entrant.name)}’s offers here are not open any more.") if sent else None
    which = "an offer" if len(open_now) == 1 else f"{len(open_now)} offers"
    lines = [
        f"{mention(side.discord_id, side.entrant.name)}: {escape(other.entrant.name)} made you {which} "
        f"{times.stamp(open_now[0].made_at, 'R')} and waits for your answer: accept, or offer other times (§5.7).",
        *(f"• {times.span(offer.starts_at, offer.ends_at)}" for offer in open_now),
        SWITCH,
    ]
    buttons = [accept_button(view, offer) for offer in open_now]
    buttons.append(Button("offer-form", view.match.id, "Offer other times"))
    return Message("\n".join(lines), tuple(buttons), _pings(side))


def match_reminder(
    view: MatchView, kind: Kind, entrant_ids: Sequence[int], agreed_at: datetime, expires: datetime, *, sent: bool
) -> Message | None:
    """To those of both who want it; None when it is not true any more before it could be sent."""
    if not sent and (view.phase is not Phase.AGREED or view.match.agreed_at != agreed_at or view.now >= expires):
        return None
    addressed = [side for side in view.sides if side.entrant.id in entrant_ids]
    who = " ".join(mention(side.discord_id, side.entrant.name) for side in addressed)
    if len(addressed) == 1:
        who += f", against {escape(view.other(addressed[0].entrant.id).entrant.name)}"
    when = f"**{times.both(agreed_at)}**, {times.stamp(agreed_at, 'R')}"
    ahead = view.phase is Phase.AGREED and view.match.agreed_at == agreed_at and not view.begun
    buttons = (Button("move-form", view.match.id, "Propose another time"),) if ahead else ()
    return Message(
        f"{who}: {_WORDS[kind].format(when=when, play=_play(view))} {SWITCH}",
        () if kind is Kind.MINUTES_BEFORE else buttons,
        _pings(*addressed),
    )


def _play(view: MatchView) -> str:
    return stands(view) if view.tied_at is not None else "Challenge each other on Lichess."


_SOON = "your match starts at {when}. If you can’t play then, propose another time now."
_WORDS = {
    Kind.DAY_BEFORE: _SOON,
    Kind.HOUR_BEFORE: _SOON,
    Kind.MINUTES_BEFORE: "your match starts at {when}. {play}",
    Kind.NOT_STARTED: (
        "your match was to start at {when}, and Lichess shows no game of yours yet. Play now: to start late is fine. "
        "If you can’t, propose another time. If your opponent did not come, tell the TDs by "
        "`/match opponent-absent`."
    ),
}


def owing(event: Event, round: Round, owed: Sequence[Owed]) -> Message:
    """For everybody: who still owes offers, by how many they have made. Nobody is pinged."""
    count = event.rules.offers.count
    head = f"**{round_title(round)}: offers are due by {times.deadline(round.offers_by)}.**"
    if not owed:
        return Message(f"{head}\nNobody owes any now: all have made theirs or agreed on a time.")
    lines, left = [head, "Still owe offers, unless they agree on a time before (§5.1):"], TEXT_LIMIT - _ROOM
    for made in sorted({one.counted for one in owed}):
        names = [escape(event.name(one.entrant_id)) for one in owed if one.counted == made]
        shown = _fitting(names, left)
        left -= sum(len(name) + 2 for name in shown)
        more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
        lines.append(f"• {made} of {count} made: {', '.join(shown)}{more}")
    return Message("\n".join(lines))


def _fitting(names: Sequence[str], room: int) -> list[str]:
    shown: list[str] = []
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    return shown


def _pings(*sides: Side) -> tuple[int, ...]:
    return tuple(side.discord_id for side in sides if side.discord_id is not None)

"""Words of the evening of a match: the call to the board (R3.1, R3.3, R6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cogs.render import times
from cogs.render.matches import LICHESS, pings_of
from cogs.render.message import Button, Link, Message, escape, mention
from engine.scoring import stop_policy
from engine.usecases.matches import MatchView, Phase, Side


def start(
    view: MatchView, challenge: str | None, online: Sequence[str], agreed_at: datetime, *, sent: bool
) -> Message | None:
    """At the agreed minute, to both. None when it is not true any more before it could be sent."""
    if not sent and (view.phase is not Phase.AGREED or view.match.agreed_at != agreed_at):
        return None
    both = " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)
    lines = [
        f"### Play now\n{both}: it is {times.utc(agreed_at)}. {_settings(view)}",
        _how(view, challenge),
        "Online on Lichess: " + ", ".join(f"{escape(s.entrant.name)} {_mark(s, online)}" for s in view.sides) + ".",
        *_rules(view),
    ]
    buttons = () if challenge is None else (Link(challenge, "Start the first game"),)
    after = (Button("report", view.match.id, "Report"), Button("absent", view.match.id, "Opponent absent"))
    return Message("\n".join(lines), (*buttons, *after), pings_of(*view.sides))


def _settings(view: MatchView) -> str:
    rules = view.rules.match(view.round.stage)
    rated = "rated" if rules.rated else "casual"
    clock = f"{rules.clock_initial // 60}+{rules.clock_increment}"
    return f"Up to {rules.games} {rated} {view.rules.variant} games, {clock}."


def _how(view: MatchView, challenge: str | None) -> str:
    if challenge is not None:
        return f"First game: <{challenge}>, for your two accounts alone. Then rematches."
    links = " or ".join(
        f"[challenge {escape(side.entrant.name)}](<{LICHESS}/?user={side.entrant.name}#friend>)" for side in view.sides
    )
    return f"Lichess gives me no challenge now, so make it yourselves, with exactly these settings: {links}."


def _mark(side: Side, online: Sequence[str]) -> str:
    return "✓" if side.entrant.lichess_id in online else "–"


def _rules(view: MatchView) -> list[str]:
    """Three lines, in the order in which they are needed."""
    rules, evening = view.rules.match(view.round.stage), view.rules.evening
    ends = "It ends when one of you has more than half" if not stop_policy(rules.stop).whole else "All games are played"
    grace, pause = (int(span.total_seconds()) // 60 for span in (evening.grace, evening.break_length))
    return [
        f"• {ends}; offer and accept each rematch at once (§6.2).",
        f"• One break of {pause} minutes each, between two games (§6.1).",
        f"• Nobody there? Press *Opponent absent*; {grace} minutes later you choose what follows (§6.3).",
    ]

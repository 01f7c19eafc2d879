"""Words for the TDs about matches that are not played or not finished by their deadline (Q5, Q7-Q10, Q15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cogs.render import times
from cogs.render.directors import extend_match, extend_round
from cogs.render.message import Message, escape
from cogs.render.titles import round_name, round_title, stage_name
from engine.model import KNOCKOUT, Match, Stage
from engine.points import show_score
from engine.usecases.context import Event
from engine.usecases.matches import label

Params = Mapping[str, Any]
MATCHES_SHOWN = 10


def _likely(event: Event, match: Match, p: Params) -> str:
    """What the rules suggest for a match that was not played by the deadline (Q5, Q7, Q8, Q15)."""
    terms, claims = event.terms(match), dict(p.get("claims", ()))
    if match.id in p.get("playing", ()) and not event.was_taken_back(match):
        until = times.soon(event.window(match).closes + event.rules.games.finish_by)
        return f"in play, to be finished by {until} (§4.4); if it is not, I tell you then"
    if match.id in claims:
        here = escape(event.name(claims[match.id]))
        away = escape(event.name(match.opponent_of(claims[match.id])))
        return f"{here} has reported {away} as not there and may still claim the win (§6.3, §6.4); ask {here} to choose"
    if event.round_of(match).stage in KNOCKOUT:
        return "there is no draw in a knock-out: extend it and set a time (§5.10)"
    if match.agreed_at is not None:
        return "if nobody came, ½–½ and a forfeit each; if one proves to have been there, a forfeit of the other (§6.3)"
    if len(terms.at_fault) == 1:
        return f"{escape(event.name(terms.at_fault[0]))} is at fault: extend and set a time (§5.5, §5.10)"
    return "if nobody is at fault, a draw; else the other sets the time after an extension (§5.9)"


def _matches(event: Event, match_ids: Sequence[int], likely: Callable[[Match], str] | None = None) -> list[str]:
    lines: list[str] = []
    for match_id in match_ids[:MATCHES_SHOWN]:
        match = event.matches[match_id]
        agreed = f", agreed {times.soon(match.agreed_at)}" if match.agreed_at else ", no time agreed"
        thread = f" <#{match.thread_id}>" if match.thread_id else ""
        lines.append(f"• {escape(label(event, match))}{agreed}{thread}" + (f": {likely(match)}" if likely else ""))
    if len(match_ids) > MATCHES_SHOWN:
        lines.append(f"• and {len(match_ids) - MATCHES_SHOWN} more; `/pairings` shows all")
    return lines


def round_waits(event: Event, p: Params) -> Message:
    still = [id for id in p["match_ids"] if not event.has_result(event.matches[id])]
    stage = p.get("stage", Stage.QUALIFICATION)
    opens = stage != Stage.QUALIFICATION and p["number"] == 1
    if not opens:  # an extended match holds up no round (Q9)
        still = [id for id in still if id not in event.tournament.extended]
    if not still:
        due = f"The {stage_name(stage)}" if opens else round_name(stage, p["number"])
        return Message(f"✓ **{due}**: nothing holds {'them' if opens else 'it'} up any more.")
    if not opens:
        head = f"**{round_name(stage, p['number'])} is due but waits** for these matches:"
        then = "It is published by itself when each has a result or is extended."
    else:
        head = f"**The {stage_name(stage)} are due but wait** for these matches:"
        then = "They begin by themselves when each has a result; an extension is not enough, the seats rest on it."
    lines = [head, *_matches(event, still), then]
    return Message("\n".join(lines), (extend_round(p["round_id"]),))


def unplayed(event: Event, p: Params) -> Message:
    round = event.round(p["round_id"])
    still = [id for id in p["match_ids"] if not event.has_result(event.matches[id])]
    part, parts = p.get("part", 0), p.get("parts", 1)
    numbered = f" ({part + 1} of {parts})" if parts > 1 else ""
    if not still:
        return Message(f"✓ **{round_title(round)}: unplayed at the match deadline**{numbered}: all have a result now.")
    lines = [
        f"**{round_title(round)}: the match deadline has passed**{numbered} and these have no result. Nothing is "
        "decided by silence. What the rules suggest:",
        *_matches(event, still, lambda match: _likely(event, match, p)),
        "Ask the players to report, extend, or rule with `/td-match` and `/td-dispute`.",
    ]
    return Message("\n".join(lines), (extend_round(round.id),))


def extension_over(event: Event, p: Params) -> Message:
    still = [id for id in p["match_ids"] if not event.has_result(event.matches[id])]
    known = p.get("playing") or p.get("claims")
    lines = ["**An extension has ended without a result**:"]
    lines += _matches(event, still, (lambda match: _likely(event, match, p)) if known else None)
    lines.append("Ask the players to report, or extend again.")
    return Message("\n".join(lines), tuple(extend_match(id) for id in still))


def unfinished(event: Event, p: Params) -> Message:
    """Q8."""
    match = event.matches[p["match_id"]]
    what = escape(label(event, match)) + (f" <#{match.thread_id}>" if match.thread_id else "")
    if event.is_settled(match):
        return Message(f"✓ **Not finished in time:** {what}: it has its result now.")
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    until = times.utc(event.window(match).closes + event.rules.games.finish_by)
    return Message(
        f"**Not finished in time:** {what}: {a} {show_score(*p['score'])} {b}. Begun before its deadline, it was to be "
        f"finished by {until}; no more game counts (§4.4). Extend it, and they play on; or decide without more games.",
        (extend_match(match.id),),
    )

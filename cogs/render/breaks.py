"""Words about a break, and about a player who has left during the match (R6.1, R6.2, R6.4, Q16-Q18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from cogs.render import times
from cogs.render.absence import (
    at,
    challenge,
    claim_lifted,
    for_tds,
    forfeit_taken_back,
    forfeited,
    line,
    name,
    over_at,
    seen_after,
    settled,
    sides,
)
from cogs.render.matches import pings_of
from cogs.render.message import Button, Message, escape
from engine.timers import Crossing, Timer, TimerEnd, TimerKind, came_of, ends_at, is_lifted, length
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase, Side
from engine.usecases.timer_posts import Told

Params = Mapping[str, Any]


# --- In the thread ------------------------------------------------------------------------------------------------


def called(told: Told, *, sent: bool) -> Message | None:
    """That a break begins, or that somebody is said to have left. None when it is settled before it could be sent."""
    view, timer = told.view, told.timer
    ended = settled(view, timer)
    if ended is not None and not sent and timer.outcome is not TimerEnd.TD:
        return None
    if timer.kind is TimerKind.BREAK:
        return _break(view, timer, ended)
    return _left(told, ended)


def _break(view: MatchView, timer: Timer, ended: str | None) -> Message:
    here, other = sides(view, timer)
    head = f"### Break\n{at(other)}: {name(here)} takes the one break of {minutes(view, timer)} minutes (§6.1)."
    if ended is not None:
        return Message(f"{head}\n{ended}", (), pings_of(other))
    back = (Button("back", view.match.id, "I am back"),)
    return Message(f"{head}\n{_until(view, timer, 'The next game begins by')}", back, pings_of(other))


def _left(told: Told, ended: str | None) -> Message:
    view, timer = told.view, told.timer
    here, away = sides(view, timer)
    head = f"### Are you still there?\n{at(away)}: {name(here)} says that you have left the match."
    if ended is not None:
        return Message("\n".join([head, ended, *_gaps(timer)]), (), pings_of(away))
    lines = [
        head,
        _until(view, timer, "Begin the next game by") + f": {challenge(here)}.",
        f"After that {name(here)} may {_then(told)}. It counts as your break (§6.4).",
        *_gaps(timer),
    ]
    return Message("\n".join(lines), (), pings_of(away))


def _then(told: Told) -> str:
    return "call a TD, because your break is used" if _is_used_up(told) else "claim the win"


def _is_used_up(told: Told) -> bool:
    rules = told.view.rules.evening
    return rules.leaving_uses_break and told.used >= rules.breaks


def told(outcome: Told, what: str, *, sent: bool) -> Message | None:
    """What follows. None when it is not true any more before it could be sent."""
    view, timer = outcome.view, outcome.timer
    here, other = sides(view, timer)
    if what == "claimed":
        if view.phase is not Phase.FINISHED or is_lifted(view.terms, timer):
            return forfeit_taken_back(view, other) if sent else None
        why = f"{name(here)} has claimed the win, because you left the match and were not back in time"
        return forfeited(view, other, why, "§6.4")
    ended = settled(view, timer)
    if ended is not None:
        return Message(ended) if sent else None
    if what == "runs":
        return _runs(view, timer)
    if view.now < over_at(view, timer):
        return Message(f"There is more time now: until {times.both(over_at(view, timer))}.") if sent else None
    return _break_over(view, timer) if timer.kind is TimerKind.BREAK else _left_over(outcome)


def _runs(view: MatchView, timer: Timer) -> Message:
    here, other = sides(view, timer)
    whose = f"{name(here)}’s break runs" if timer.kind is TimerKind.BREAK else f"{name(other)}’s ten minutes run"
    text = f"{at(here)} {at(other)}: the game is over, so {whose} until {times.both(over_at(view, timer))}."
    return Message(text, (), pings_of(here, other))


def _break_over(view: MatchView, timer: Timer) -> Message:
    """Q16."""
    here, other = sides(view, timer)
    text = (
        f"{at(here)} {at(other)}: {name(here)}’s break is over. {seen_after(timer)} **Play now.** If {name(here)} does "
        f"not, {name(other)} may call a TD: {name(here)} counts as having left with the ten minutes used (§6.1, §6.4)."
    )
    return Message(text, (_call(timer),), pings_of(here, other))


def _left_over(told: Told) -> Message:
    """R6.4, Q17."""
    view, timer = told.view, told.timer
    here, away = sides(view, timer)
    head = f"{at(here)}: {name(away)}’s ten minutes are over. {seen_after(timer)}"
    end = f"If {name(away)} comes after all, just play: then there is nothing to claim."
    if _is_used_up(told):
        text = f"{head} {name(away)} had no break left, so nothing can be claimed: call a TD, who decides (§6.2). {end}"
        return Message(text, (_call(timer),), pings_of(here))
    win = Button("claim-win", timer.id, "Claim the win", "primary")
    return Message(f"{head} You may claim the win (§6.4). {end}", (win,), pings_of(here))


def _call(timer: Timer) -> Button:
    return Button("call-td", timer.id, "Call a TD", "primary")


def _until(view: MatchView, timer: Timer, begin: str) -> str:
    over = ends_at(view.rules.evening, view.terms, timer)
    if over is None:
        return f"**{begin} {minutes(view, timer)} minutes after the end of the game in progress**"
    return f"**{begin} {times.both(over)}**, {times.stamp(over, 'R')}"


def minutes(view: MatchView, timer: Timer) -> int:
    return int(length(view.rules.evening, timer.kind).total_seconds()) // 60


# --- Answers --------------------------------------------------------------------------------------------------------


def answer(told: Told) -> Message:
    """How it stands, to whoever has told, chosen or asked something."""
    view, timer = told.view, told.timer
    here, other = sides(view, timer)
    if timer.kind is TimerKind.BREAK:
        return _break_answer(view, timer, here)
    match came_of(timer):
        case TimerEnd.CLAIMED if view.phase is Phase.FINISHED:
            return Message(f"Recorded: the match is yours, {name(other)} has forfeited it (§6.4). It is in the thread.")
        case TimerEnd.TD if timer.evidence.get("crossing", Crossing.BOTH) != Crossing.BOTH:
            why = "your own break is over without a game"
            if timer.evidence["crossing"] == Crossing.BREAK_TAKEN:
                why = "you have taken a break since"
            text = f"Noted, but {why}, so you cannot claim: a TD decides; they are told. Is {name(other)} here?"
            return Message(f"{text} Just play.")
        case TimerEnd.TD:
            text = f"{name(other)} says that you have left, too, so a TD decides; they are told. Are both of you here?"
            return Message(f"{text} Just play.")
        case None if settled(view, timer) is None:
            over = ends_at(view.rules.evening, view.terms, timer)
            if over is not None and view.now >= over:
                return _left_over(told)
            then = "call a TD" if _is_used_up(told) else "claim the win"
            until = _until(view, timer, "Stay ready to play until")
            return Message(f"Told: {name(other)} is called in the thread. {until}; then you may {then} (§6.4).")
        case _:
            return Message(settled(view, timer) or "This is closed.")


def _break_answer(view: MatchView, timer: Timer, here: Side) -> Message:
    match timer.outcome:
        case TimerEnd.BACK:
            return Message("Your break is over. Offer or accept the next game now (§6.2).")
        case None if settled(view, timer) is None:
            over = ends_at(view.rules.evening, view.terms, timer)
            if over is not None and view.now >= over:
                return _break_over(view, timer)
            back = Button("back", view.match.id, "I am back")
            return Message(f"{name(here)}’s break: {_until(view, timer, 'the next game begins by')} (§6.1).", (back,))
        case _:
            return Message(settled(view, timer) or "This break is over.")


# --- To the TDs -----------------------------------------------------------------------------------------------------


def opponent_left(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
    then = "ten minutes to come back (§6.4)" if p["outcome"] is None else for_tds(p["outcome"])
    if p["outcome"] == TimerEnd.CLAIMED and claim_lifted(event, p):
        then = "the win was claimed, and you have taken that back"
    elif event.is_settled(match):
        then = "the match has its result"
    gaps = gaps_line(p["gaps"])
    return Message(f"**Opponent left:** {line(event, p)}: {here} says that {away} has left: {then}. {gaps}".rstrip())


def td_called(event: Event, p: Params) -> Message:
    """Q16, Q17: with the evidence."""
    match = event.matches[p["match_id"]]
    here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
    what = "has not ended a break in time" if p["kind"] == TimerKind.BREAK else "has left, with no break left"
    lines = [
        f"**A player calls you:** {line(event, p)}: {here} says that {away} {what} (§6.1, §6.2, §6.4).",
        gaps_line(p["gaps"]),
        "Nothing follows by itself. Ask both; they may still play.",
    ]
    return Message("\n".join(one for one in lines if one))


def gaps_line(gaps: Sequence[int]) -> str:
    """R6.2: `0:14, 3:20; since the last one 12:00`; empty where Lichess said nothing."""
    if not gaps:
        return ""
    *between, last = (_clock(seconds) for seconds in gaps)
    shown = f"Between the games on Lichess: {', '.join(between)}; since the last one " if between else "Since the game "
    return f"{shown}{last} (minutes)."


def _gaps(timer: Timer) -> list[str]:
    seen = timer.evidence.get("after") or timer.evidence
    return [gaps_line(seen["gaps"])] if seen["gaps"] else []


def _clock(seconds: int) -> str:
    whole = int(timedelta(seconds=seconds).total_seconds())
    return f"{whole // 60}:{whole % 60:02d}"

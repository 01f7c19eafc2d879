"""Words about the ten minutes of an evening, whichever they are: an absence, a break, a player who left (R6)."""

from __future__ import annotations

from dataclasses import replace

from cogs.render import absence, breaks
from cogs.render.message import Message
from engine.timers import TimerEnd, TimerKind, ends_at
from engine.usecases.timer_posts import Told


def called(outcome: Told, *, sent: bool) -> Message | None:
    """The post with which the ten minutes begin. None when it is settled before it could be sent."""
    if outcome.timer.kind is TimerKind.ABSENT:
        return absence.called(outcome.view, outcome.timer, sent=sent)
    return breaks.called(outcome, sent=sent)


def told(outcome: Told, what: str, *, sent: bool) -> Message | None:
    """What follows after them. None when it is not true any more before it could be sent."""
    if outcome.timer.kind is TimerKind.ABSENT:
        return absence.told(outcome.view, outcome.timer, what, sent=sent)
    return breaks.told(outcome, what, sent=sent)


def told_anew() -> Message:
    """What stands where they had ended, once they have ended again after a TD had extended them (R5.10): there is one
    choice, in one place."""
    return Message("A TD gave more time after this. What can be done now is in the newer message below.")


def answer(outcome: Told) -> Message:
    """How it stands, to whoever has told or chosen something."""
    if outcome.timer.kind is TimerKind.ABSENT:
        return absence.answer(outcome.view, outcome.timer)
    return breaks.answer(outcome)


def in_hub(outcome: Told, me: int) -> Message:
    """What entrant `me` has to know of them now, with the buttons that are theirs."""
    view, timer = outcome.view, outcome.timer
    if timer.outcome is TimerEnd.CLAIMED:  # and taken back since
        return answer(outcome)
    if timer.outcome in (TimerEnd.TD, TimerEnd.ASKED):
        return answer(outcome) if timer.entrant_id == me else called(outcome, sent=True) or Message("")
    if timer.outcome is not None:
        return told(outcome, timer.outcome.value, sent=True) or Message("")
    if timer.entrant_id == me:
        return answer(outcome)
    over = ends_at(view.rules.evening, view.terms, timer)
    if over is None or view.now < over:
        return replace(called(outcome, sent=True) or Message(""), buttons=())
    after = told(outcome, "over", sent=True) or Message("")
    return after if timer.kind is TimerKind.BREAK else replace(after, buttons=())

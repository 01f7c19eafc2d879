"""Words about the ten minutes of an evening, whichever they are: an absence, a break, a player who left (R6)."""

from __future__ import annotations

from cogs.render import absence, breaks
from cogs.render.message import Message
from engine.timers import TimerKind
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


def answer(outcome: Told) -> Message:
    """How it stands, to whoever has told or chosen something."""
    if outcome.timer.kind is TimerKind.ABSENT:
        return absence.answer(outcome.view, outcome.timer)
    return breaks.answer(outcome)

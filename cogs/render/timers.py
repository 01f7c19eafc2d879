"""Words about the ten minutes of an evening, whichever they are: an absence, a break, a player who left (R6)."""

from __future__ import annotations

from cogs.render import absence
from cogs.render.message import Message
from engine.timers import Timer
from engine.usecases.matches import MatchView
from engine.usecases.timer_posts import Told


def called(view: MatchView, timer: Timer, *, sent: bool) -> Message | None:
    """The post with which the ten minutes begin. None when it is settled before it could be sent."""
    return absence.called(view, timer, sent=sent)


def told(view: MatchView, timer: Timer, what: str, *, sent: bool) -> Message | None:
    """What follows after them. None when it is not true any more before it could be sent."""
    return absence.told(view, timer, what, sent=sent)


def answer(outcome: Told) -> Message:
    """How it stands, to whoever has told or chosen something."""
    return absence.answer(outcome.view, outcome.timer)

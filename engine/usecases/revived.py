"""Ten minutes that a TD had stopped do not run again once something was reported after them (R5.10, Q38d)."""

from __future__ import annotations

from engine.errors import Conflict
from engine.ports import Reader
from engine.rulings import Preview
from engine.terms import NO_TERMS
from engine.timers import Timer, is_stopped, is_superseded


def refuse_revival(reader: Reader, seen: Preview) -> None:
    """Whatever a decision takes back: else both players could claim. Conflict("timer_superseded")."""
    was, is_ = (state.tournament.terms for state in (seen.before, seen.after))
    for match_id in seen.touched:
        before, after = was.get(match_id, NO_TERMS), is_.get(match_id, NO_TERMS)
        for timer in reader.find(Timer, id=list(before.timers)) if before.timers else ():
            revived = timer.outcome is None and is_stopped(before, timer) and not is_stopped(after, timer)
            same = reader.find(Timer, match_id=match_id, agreed_at=timer.agreed_at)
            if revived and is_superseded(timer, same):
                raise Conflict("timer_superseded", clause="R5.10")

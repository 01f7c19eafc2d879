"""How the other players are: who answers late, who owes offers, who comes late to the board or not at all.

Everything follows from the seed and the ids, so a rehearsal with the same seed goes the same way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from engine.timers import TimerEnd
from engine.usecases.matches import MatchView
from engine.usecases.timer_posts import Told

#: Players sit down a little after the agreed time.
_SITTING_DOWN = timedelta(minutes=2)
_SOME_HOURS = timedelta(hours=2)
_HOUR = timedelta(hours=1)

_ANSWERS_LATE, _OFFERS_LESS, _COMES_LATE, _STAYS_AWAY = 0.2, 0.15, 0.06, 0.03
_REPORTS_ABSENT, _CLAIMS_THE_WIN = 0.5, 0.5


class Arrival(StrEnum):
    ON_TIME = "on_time"
    LATE = "late"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Habits:
    """How one player treats one match. `answers_after` counts from the publication of the round; `most_offers` is None
    for somebody who makes all that are owed; `late_by` counts only with Arrival.LATE. `reports`: an opponent who does
    not come; and then claims the win or reschedules (R6.3)."""

    answers_after: timedelta
    most_offers: int | None
    arrival: Arrival
    late_by: timedelta
    reports: bool
    claims_win: bool


def lot(*of: object) -> float:
    """A lot from 0 to less than 1, always the same for the same things."""
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:4]) / 2**32


def habits(seed: int, match_id: int, entrant_id: int) -> Habits:
    def draw(what: str) -> float:
        return lot(seed, match_id, entrant_id, what)

    late = draw("answers late") < _ANSWERS_LATE
    less = draw("offers less") < _OFFERS_LESS
    arrival = draw("arrival")
    return Habits(
        answers_after=timedelta(hours=12 + int(60 * draw("when"))) if late else timedelta(0),
        most_offers=1 + int(2 * draw("how many")) if less else None,
        arrival=Arrival.NEVER
        if arrival < _STAYS_AWAY
        else Arrival.LATE
        if arrival < _STAYS_AWAY + _COMES_LATE
        else Arrival.ON_TIME,
        late_by=timedelta(minutes=20 + int(60 * draw("how late"))),
        reports=draw("reports") < _REPORTS_ABSENT,
        claims_win=draw("claims") < _CLAIMS_THE_WIN,
    )


def answers_at(seed: int, view: MatchView, entrant_id: int) -> datetime:
    """From when on that player reacts; whoever got an extension has learnt to answer at once."""
    if view.extended_until is not None:
        return view.round.published_at
    return view.round.published_at + habits(seed, view.match.id, entrant_id).answers_after


def absent(seed: int, view: MatchView, waits: Sequence[Told], present: int | None = None) -> str | None:
    """Who does not come to the board at the agreed time (a name); `present` is the visitor, who decides for himself.
    `waits`: what is told of the evening.

    Only once: after an extension, and when the match was put off, everybody plays.
    """
    if view.extended_until is not None or put_off(waits):
        return None
    for side in view.sides:
        who = side.entrant
        if who.id != present and habits(seed, view.match.id, who.id).arrival is Arrival.NEVER:
            return who.name
    return None


def put_off(waits: Sequence[Told]) -> bool:
    """R6.3: after an absence the other has chosen to reschedule."""
    return any(told.timer.outcome is TimerEnd.RESCHEDULED for told in waits)


def first_game_at(
    seed: int, view: MatchView, waits: Sequence[Told], now: datetime, present: int | None = None
) -> datetime | None:
    """When an agreed match begins, None when somebody stays away.

    A match that nobody looked after until its time was over has been played all the same, at its time. After an
    extension or when it was put off it begins some hours later; the visitor's own (`present`) at once.
    """
    agreed = view.match.agreed_at
    if agreed is None or absent(seed, view, waits, present) is not None:
        return None
    start = agreed + _SITTING_DOWN
    if present is not None:
        return max(start, now)
    if start < now and (view.extended_until is not None or put_off(waits)):
        return now.replace(minute=0, second=0, microsecond=0) + _SOME_HOURS
    lates = [
        h.late_by for h in (habits(seed, view.match.id, s.entrant.id) for s in view.sides) if h.arrival is Arrival.LATE
    ]
    late = max(lates, default=timedelta(0))
    return start + late if start + late + _HOUR < view.play_by else start

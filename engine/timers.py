"""The ten minutes of the evening of a match: an opponent who is not there, a break, a player who left (R6.1-R6.4).

One notion for all three: somebody tells the bot, and from a moment on ten minutes run. What comes of them then is
decided by `match_flow`; a TD may stop or extend them (R5.10, `Terms.timers`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from engine.rules.schema import Evening
from engine.terms import Terms


class TimerKind(StrEnum):
    """ABSENT: the opponent is not there at the agreed time (R6.3). BREAK: the own one (R6.1). LEFT: the opponent left
    during the match (R6.4)."""

    ABSENT = "absent"
    BREAK = "break"
    LEFT = "left"


class TimerEnd(StrEnum):
    """What became of it: the win was claimed, or another time chosen (R6.3); they played (Q13); whoever had called the
    break is back before its end; the TDs have it, because things cross (Q38d) or a TD was called (Q16, Q17); the
    match was over with the game in progress (Q18)."""

    CLAIMED = "claimed"
    RESCHEDULED = "rescheduled"
    PLAYED = "played"
    BACK = "back"
    TD = "td"
    ASKED = "asked"
    OVER = "over"


class Crossing(StrEnum):
    """Why a report gives nothing to claim (Q38d). BOTH: each reports the other. BREAK_OVER: whoever reports has overrun
    the own break, and so counts as having left (Q16). BREAK_TAKEN: they have taken a break since. PLAYED_EARLY: the two
    have begun games before the agreed time, too few to decide the match (Q12)."""

    BOTH = "both"
    BREAK_OVER = "break_over"
    BREAK_TAKEN = "break_taken"
    PLAYED_EARLY = "played_early"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """`entrant_id`: who has told the bot. `agreed_at`: the time of the match then. `runs_from`: since when the ten
    minutes run, None as long as they wait for the end of a game in progress. `evidence`: what Lichess said, as
    `engine.usecases.evening_looks` makes it. `outcome` is None until something has come of it."""

    id: int = 0
    match_id: int
    entrant_id: int
    kind: TimerKind
    agreed_at: datetime
    called_at: datetime
    runs_from: datetime | None
    evidence: Mapping[str, Any]
    outcome: TimerEnd | None = None
    decided_at: datetime | None = None


def length(rules: Evening, kind: TimerKind) -> timedelta:
    """How long a timer of this kind runs by the rules."""
    lengths = {
        TimerKind.ABSENT: rules.grace,
        TimerKind.BREAK: rules.break_length,
        TimerKind.LEFT: rules.return_within,
    }
    return lengths[kind]


def is_stopped(terms: Terms, timer: Timer) -> bool:
    """By a TD, whose word stands."""
    return timer.id in terms.timers and terms.timers[timer.id] is None


def is_judged(timer: Timer, ruled: Container[str]) -> bool:
    """Q12: a report that early games have left open, once a TD has ruled about one of them: the first stands for those
    after it. `ruled`: the games of the match that TDs have judged."""
    return any(id in ruled for id in timer.evidence.get("early", ()))


def stands_against(terms: Terms, ruled: Container[str], timer: Timer) -> bool:
    """Whether a report of absence stands against another of the same appointment (R6.3): not one that a TD has stopped
    (R5.10), or has made idle by judging the early games."""
    return not is_stopped(terms, timer) and not is_judged(timer, ruled)


def came_of(timer: Timer) -> TimerEnd | None:
    """What has come of it by now: what was with the TDs is over once the two have played (Q13)."""
    with_tds = timer.outcome in (TimerEnd.TD, TimerEnd.ASKED)
    return TimerEnd.PLAYED if with_tds and "played" in timer.evidence else timer.outcome


def is_lifted(terms: Terms, timer: Timer) -> bool:
    """R6.5: the forfeit that was claimed by it was taken back by the TDs."""
    return timer.outcome is TimerEnd.CLAIMED and timer.decided_at in terms.forfeits_lifted


def is_superseded(timer: Timer, timers: Iterable[Timer]) -> bool:
    """Whether something else was told about the same appointment after it (R5.10): a stopped timer then runs no more.
    The break of one player supersedes no break of the other (R6.1). `timers`: all of the appointment."""
    return any(one.id > timer.id and not _are_breaks_of_both(one, timer) for one in timers)


def _are_breaks_of_both(one: Timer, other: Timer) -> bool:
    return one.kind is other.kind is TimerKind.BREAK and one.entrant_id != other.entrant_id


def ends_at(rules: Evening, terms: Terms, timer: Timer) -> datetime | None:
    """When the ten minutes are over, or what a TD has extended them to; None while they wait for the end of a game, and
    where a TD has stopped them. They do not run behind a result: once that is taken back they run anew."""
    if is_stopped(terms, timer) or timer.runs_from is None:
        return None
    end = terms.timers.get(timer.id) or timer.runs_from + length(rules, timer.kind)
    again = terms.reopened_at
    return end if again is None or again <= timer.called_at else max(end, again + length(rules, timer.kind))


def breaks_used(
    rules: Evening, terms: Terms, timers: Iterable[Timer], entrant_id: int, *, before: Timer | None = None
) -> int:
    """R6.1, R6.4: how many breaks of the match a player has used, leaving counted in; `before` that timer. One that
    never began is none, nor is one that a TD has stopped. `timers`: all of the match."""
    return sum(
        _is_a_break(rules, one, entrant_id) and not is_stopped(terms, one)
        for one in timers
        if before is None or one.id < before.id
    )


def _is_a_break(rules: Evening, timer: Timer, entrant_id: int) -> bool:
    given_up = timer.outcome is TimerEnd.BACK and timer.runs_from is None
    if timer.outcome in (TimerEnd.OVER, TimerEnd.TD) or given_up:
        return False
    if timer.kind is TimerKind.LEFT:
        return rules.leaving_uses_break and timer.entrant_id != entrant_id
    return timer.kind is TimerKind.BREAK and timer.entrant_id == entrant_id

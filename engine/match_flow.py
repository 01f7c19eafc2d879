"""What may be claimed on a match evening, and when (R6.1, R6.3, R6.4, Q11, Q16-Q18, Q37, Q38d).

Every question is asked for a moment `now`. Games are given by their start, those only that count or still run: an
aborted game stops no timer (Q19). What a claim then gives is in `adjudication`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.errors import RuleViolation
from engine.rules.schema import Evening
from engine.sides import Side


class Outcome(StrEnum):
    TOO_EARLY = "too_early"
    TOO_LATE = "too_late"
    REPORT_OPEN = "report_open"
    WAIT_UNTIL = "wait_until"
    CLAIM_OPEN = "claim_open"
    WAIVED_BY_PLAYING = "waived_by_playing"
    NEEDS_TD = "needs_td"
    MATCH_OVER = "match_over"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`at`: until when to wait, or since when the claim is open; with TOO_EARLY and TOO_LATE the bound."""

    outcome: Outcome
    at: datetime | None = None


def absence_report(rules: Evening, agreed_at: datetime, now: datetime) -> Verdict:
    """Whether the opponent's absence may be reported: from the agreed minute to 60 minutes after it, both included."""
    last = agreed_at + rules.absence_report_within
    if now < agreed_at:
        return Verdict(Outcome.TOO_EARLY, agreed_at)
    return Verdict(Outcome.TOO_LATE if now > last else Outcome.REPORT_OPEN, last)


def no_show_claim(
    rules: Evening,
    reports: Mapping[Side, datetime],
    game_starts: Sequence[datetime],
    now: datetime,
    *,
    until: datetime | None = None,
) -> Verdict:
    """R6.3, Q38d: what whoever reported the opponent absent may do now. `until`: what a TD has extended it to.

    `reports`: when each side reported, at least one. `game_starts`: games since the first of these appointments, so not
    those of an earlier sitting. A game that has started ends the right to claim, even at minute eleven; reports that
    cross go to a TD.
    """
    if any(start <= now for start in game_starts):
        return Verdict(Outcome.WAIVED_BY_PLAYING)
    if len(reports) > 1:
        return Verdict(Outcome.NEEDS_TD)
    return _after_waiting(until or min(reports.values()) + rules.grace, now)


def rescheduled(deadline: datetime, game_starts: Sequence[datetime], now: datetime) -> Verdict:
    """Q11: a match that was rescheduled after a no-show, until the match deadline (exclusive) or its extension.

    CLAIM_OPEN: it has failed and is forfeited to the side that appeared the first time. `game_starts` as in
    `no_show_claim`; if that side is absent from the new time, it is an ordinary no-show of its own.
    """
    if any(start < deadline for start in game_starts):
        return Verdict(Outcome.WAIVED_BY_PLAYING)
    return _after_waiting(deadline, now)


def left_claim(
    rules: Evening,
    left_at: datetime,
    breaks_used: int,
    game_starts: Sequence[datetime],
    now: datetime,
    *,
    match_over: bool = False,
    until: datetime | None = None,
) -> Verdict:
    """R6.4, Q17, Q18: a player left. Ten minutes from `left_at`, the end of a game in progress if there was one.

    `breaks_used`: breaks of that player before this. With none left there is no claim but a TD call. `game_starts`:
    games since `left_at`; `match_over`: by the game in progress, then nothing can be claimed. `until`: what a TD has
    extended the ten minutes to.
    """
    if match_over:
        return Verdict(Outcome.MATCH_OVER)
    if any(left_at <= start <= now for start in game_starts):
        return Verdict(Outcome.WAIVED_BY_PLAYING)
    back_by = until or left_at + rules.return_within
    if now >= back_by and rules.leaving_uses_break and breaks_used >= rules.breaks:
        return Verdict(Outcome.NEEDS_TD, back_by)
    return _after_waiting(back_by, now)


def break_ends(
    rules: Evening,
    called_at: datetime,
    breaks_used: int,
    *,
    game_ends: datetime | None = None,
    match_over: bool = False,
) -> datetime:
    """R6.1, Q16: until when a break lasts; asked for during a game it begins at that game's end, `game_ends`.

    One per player and match, tiebreak games and armageddon included. Raises RuleViolation `break_used`, `match_over`.
    """
    if match_over:
        raise RuleViolation("match_over", clause="Q16")
    if breaks_used >= rules.breaks:
        raise RuleViolation("break_used", clause="R6.1", allowed=rules.breaks)
    return (game_ends or called_at) + rules.break_length


def break_overrun(ends_at: datetime, game_starts: Sequence[datetime], now: datetime) -> Verdict:
    """Q16: without a game at the end of the break its caller counts as having left with the ten minutes used: TD.

    `game_starts`: games since the break began.
    """
    if any(start <= now for start in game_starts):
        return Verdict(Outcome.WAIVED_BY_PLAYING)
    return Verdict(Outcome.NEEDS_TD if now >= ends_at else Outcome.WAIT_UNTIL, ends_at)


def suggested_white(better_seed: Side, games_played: int) -> Side:
    """Q37: who has White in the bot's challenge: the better seed first, then in turns. No colour is ever refused."""
    return better_seed.other if games_played % 2 else better_seed


def _after_waiting(until: datetime, now: datetime) -> Verdict:
    return Verdict(Outcome.CLAIM_OPEN if now >= until else Outcome.WAIT_UNTIL, until)

"""While a match is being played: only then is there a break, and an opponent who leaves it (R6.1, R6.4).

A match may be played in several sittings (Q38): an agreed time that is still ahead begins another one. Between two of
them, hours after the last game, nobody is at the board whom anybody could leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.armageddon import ColoursFixed
from engine.errors import Conflict, RuleViolation
from engine.model import Match
from engine.ports import LichessGame, Reader
from engine.scoring import Fault, MatchScore, more_than_half, stop_policy
from engine.timers import TimerKind
from engine.usecases.bids import bidding_of
from engine.usecases.context import Event
from engine.usecases.evening_looks import games_of_both
from engine.usecases.pair_games import read_games

PAUSE = timedelta(minutes=15)
"""So long after a game a match still counts as live: a break takes ten minutes (R6.1)."""


def refuse_at_a_tie(reader: Reader, event: Event, match: Match, now: datetime, *, tied: bool = False) -> None:
    """R3.16, Q40: there are hours to bid, and until the colours are settled no game can be begun; afterwards both still
    have to find a time for it, unless a TD has set one (Q33). Conflict `no_game_due`. `tied`: the games say so before
    it is on record."""
    if tied or event.tied_at(match) is not None:
        due = bidding_of(reader, event, match, now)
        if event.terms(match).decider_alone and isinstance(due, ColoursFixed):
            return
        raise Conflict("no_game_due", clause="R3.16", due=due, alone=event.terms(match).decider_alone)


def refuse_between_sittings(
    reader: Reader, event: Event, match: Match, games: Sequence[LichessGame], kind: TimerKind, now: datetime
) -> None:
    """What these games say against a break, or against a leaving, now.

    RuleViolation `sitting_ahead`, `sitting_not_begun`, `sitting_over`, `no_game_counts`; Conflict `no_game_due`,
    `point_decided` (Q32).
    """
    reading, window = read_games(event, match, games), event.window(match)
    refuse_at_a_tie(reader, event, match, now, tied=reading.tied)
    if now >= window.closes + event.rules.games.finish_by:
        raise RuleViolation("no_game_counts", clause="R4.4")
    sitting = _sitting(event, match, games, reading)
    if is_point_decided(event, match, reading) and (kind is TimerKind.LEFT or not sitting.is_live(now)):
        raise Conflict("point_decided", clause="R3.10", missing=reading.missing)
    if not sitting.begun and match.agreed_at is None:
        raise RuleViolation("break_not_begun", clause="R6.1")
    if not sitting.begun:
        assert match.agreed_at is not None
        ahead = now < match.agreed_at
        raise RuleViolation("sitting_ahead" if ahead else "sitting_not_begun", clause="R6.4", at=match.agreed_at)
    within = event.rules.evening.absence_report_within
    if not sitting.goes_on and sitting.last_end is not None and now > sitting.last_end + within:
        raise RuleViolation("sitting_over", clause="R6.4", at=sitting.last_end, within=within)


def is_point_decided(event: Event, match: Match, reading: MatchScore) -> bool:
    """R3.10, Q32: one side has more than half, and the rest is played only because all games are. Who stops then has
    lost no match by it; what the missing games are worth is for the TDs."""
    rules = event.match_rules(match)
    return stop_policy(rules.stop).whole and not reading.decided and more_than_half(rules.games, reading.counted)


@dataclass(frozen=True, slots=True)
class _Sitting:
    """`begun`: a game of it is; `goes_on`: one is in progress; `last_end`: of the last game that is over."""

    begun: bool
    goes_on: bool
    last_end: datetime | None

    def is_live(self, now: datetime) -> bool:
        return self.goes_on or (self.last_end is not None and now < self.last_end + PAUSE)


def _sitting(event: Event, match: Match, games: Iterable[LichessGame], reading: MatchScore) -> _Sitting:
    """Of the agreed time; without one, of the match. Games with other settings are part of it: they show both at the
    board (Q20)."""
    came = games_of_both(reading)
    running = {bad.game_id for bad in reading.faulty if Fault.UNFINISHED in bad.faults}
    first = event.window(match).opens
    if match.agreed_at is not None:
        first = match.agreed_at - event.rules.games.before_start
    mine = [game for game in games if game.id in came and game.created_at >= first]
    ends = [game.last_move_at or game.created_at for game in mine]
    return _Sitting(bool(mine), any(game.id in running for game in mine), max(ends, default=None))

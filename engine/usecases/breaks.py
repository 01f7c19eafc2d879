"""R6.1, R6.4: a break of one's own, and an opponent who has left during the match (Q16-Q18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from engine.errors import Conflict, LichessUnavailable, NotAllowed, NotFound, RuleViolation
from engine.match_flow import Outcome, break_ends
from engine.model import Match
from engine.ports import Reader, Store
from engine.timers import Timer, TimerEnd, TimerKind, breaks_used, ends_at, is_stopped
from engine.usecases.context import Actor, Desk, Event
from engine.usecases.crossing import Crossing, crossed, overrun_by
from engine.usecases.evening_looks import Board, Looked, board_of, look, running_since, seen_again, starts_since
from engine.usecases.following import LIKELY_FOR
from engine.usecases.game_lines import kept_games
from engine.usecases.matches import Seat, find_seat, refuse_finished, view_match
from engine.usecases.reporting import before_the_tds
from engine.usecases.sittings import refuse_at_a_tie, refuse_between_sittings
from engine.usecases.timer_posts import TimerPosts, Told, told_of
from engine.usecases.timer_watch import catch_up, left_verdict

_Find = Callable[[Reader, Seat], Timer | None]
_Make = Callable[[Store, Seat, Looked, datetime], Timer]


class Breaks:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def call(self, actor: Actor, match_id: int | None) -> Told:
        """R6.1: the own break, now or from the end of the game in progress; called again, nothing is doubled.

        RuleViolation `break_used`, `break_not_begun`, `break_no_time`, `match_over`; Conflict `match_finished`,
        `absence_td`, `td_decides_first`; LichessUnavailable where nothing is known of the match; and as `find_seat` and
        `refuse_between_sittings`.
        """

        def find(reader: Reader, seat: Seat) -> Timer | None:
            return _own(_waiting(reader, seat), seat, TimerKind.BREAK)

        def make(store: Store, seat: Seat, looked: Looked, now: datetime) -> Timer:
            event, match = seat.event, seat.match
            board = self._board(store, seat, looked, TimerKind.BREAK, now)
            timers = store.find(Timer, match_id=match.id)
            used = breaks_used(event.rules.evening, event.terms(match), timers, seat.entrant.id)
            break_ends(event.rules.evening, now, used, match_over=board.over)  # says what stands against it
            timer = _begin(store, seat, TimerKind.BREAK, looked, now)
            left = _own(_waiting(store, seat), seat, TimerKind.LEFT)
            if left is not None:  # whoever is waited for cannot claim that nobody came (Q38d)
                crossed(store, event, left, Crossing.BREAK_TAKEN, now)
            return timer

        return await self._tell(actor, match_id, find, make)

    async def left(self, actor: Actor, match_id: int | None) -> Told:
        """R6.4: the opponent has left; told again, nothing is doubled. A break of theirs that was not ended is that
        already (Q16). What crosses goes to a TD: two such reports, or one by whoever has overrun the own break and so
        counts as having left (Q38d).

        RuleViolation `left_on_break`, `left_own_break`, `break_not_begun`, `match_over`; else as `call`.
        """

        def find(reader: Reader, seat: Seat) -> Timer | None:
            waiting, now = _waiting(reader, seat), self._desk.clock.now()
            theirs = next((one for one in waiting if _is_theirs(one, seat, TimerKind.BREAK)), None)
            if theirs is not None:
                _refuse_on_break(seat, theirs, now)
                return theirs
            own = _own(waiting, seat, TimerKind.BREAK)
            if own is not None and not _is_over(seat.event, seat.match, own, now):
                raise RuleViolation("left_own_break", clause="R6.1")
            return _own(waiting, seat, TimerKind.LEFT)

        def make(store: Store, seat: Seat, looked: Looked, now: datetime) -> Timer:
            if self._board(store, seat, looked, TimerKind.LEFT, now).over:
                raise RuleViolation("match_over", clause="Q18")
            theirs = next((one for one in _waiting(store, seat) if _is_theirs(one, seat, TimerKind.LEFT)), None)
            overran = overrun_by(store, seat.event, seat.match, seat.entrant.id, looked.games or (), now)
            timer = _begin(store, seat, TimerKind.LEFT, looked, now)
            if theirs is not None:
                TimerPosts(store, seat.event.edition.guild_id, now).end(seat.event, theirs, TimerEnd.TD)
                return crossed(store, seat.event, timer, Crossing.BOTH, now)
            return crossed(store, seat.event, timer, Crossing.BREAK_OVER, now) if overran else timer

        return await self._tell(actor, match_id, find, make)

    async def _tell(self, actor: Actor, match_id: int | None, find: _Find, make: _Make) -> Told:
        now = self._desk.clock.now()
        asked = await self._desk.db.read(
            lambda r: find_seat(r, self._desk.folds, actor, match_id, fits=_is_evening(now))
        )
        await catch_up(self._desk, asked.match.id)

        def seated(reader: Reader, id: int | None, *, keep: bool = True) -> tuple[Seat, Timer | None]:
            seat = find_seat(reader, self._desk.folds, actor, id, keep=keep)
            _refuse(reader, seat, now)
            return seat, find(reader, seat)

        meant, known = await self._desk.db.read(lambda reader: seated(reader, asked.match.id))
        looked = Looked() if known else await look(self._desk.lichess, meant.event, meant.match, now)
        self._desk.signs.read(meant.match.id, looked.games, now)

        def work(store: Store) -> Told:
            seat, timer = seated(store, meant.match.id, keep=False)
            timer = timer or make(store, seat, looked, now)
            return told_of(store, view_match(store, seat.event, seat.match, now), timer)

        return await self._desk.db.write(work)

    def _board(self, reader: Reader, seat: Seat, looked: Looked, kind: TimerKind, now: datetime) -> Board:
        """The match as its games say, while it is being played; where Lichess does not answer, as the games that were
        kept say. Errors as `_board` and `refuse_between_sittings`; LichessUnavailable where those are not enough."""
        board = _board(seat, looked)
        if board.over:
            return board
        games = looked.games
        try:
            kept = kept_games(reader, self._desk.lichess, seat.match) if games is None else games
            refuse_between_sittings(reader, seat.event, seat.match, kept, kind, now)
        except RuleViolation as refusal:
            if games is None and refusal.code in ("sitting_not_begun", "sitting_over"):
                raise LichessUnavailable("lichess_down") from refusal
            raise
        return board

    async def resume(self, actor: Actor, match_id: int | None) -> Told:
        """R6.1: whoever has called the break is back. NotFound `no_break`; RuleViolation `break_over` after its end."""
        now = self._desk.clock.now()

        def work(store: Store) -> Told:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False, fits=_is_evening(now))
            refuse_finished(seat)
            timer = _own(_waiting(store, seat), seat, TimerKind.BREAK)
            if timer is None:
                raise NotFound("no_break")
            if _is_over(seat.event, seat.match, timer, now):
                at = _ends(seat.event, seat.match, timer)
                raise RuleViolation("break_over", clause="R6.1", at=at)
            timer = TimerPosts(store, actor.guild_id, now).end(seat.event, timer, TimerEnd.BACK)
            return told_of(store, view_match(store, seat.event, seat.match, now), timer)

        return await self._desk.db.write(work)

    async def ask_td(self, actor: Actor, timer_id: int) -> Told:
        """Q16, Q17: a TD is called, with what Lichess shows of the gaps between the games (R6.2); once.

        NotFound `timer`; NotAllowed `not_your_call`; RuleViolation `claim_too_early`, `claim_game_runs`; Conflict
        `call_may_claim`, `timer_stopped`, `match_finished`.
        """
        now = self._desk.clock.now()
        meant, timer = await self._desk.db.read(lambda reader: self._may_ask(reader, actor, timer_id, now))
        asked = timer.outcome is TimerEnd.ASKED
        looked = Looked() if asked else await look(self._desk.lichess, meant.event, meant.match, now)

        def work(store: Store) -> Told:
            seat, timer = self._may_ask(store, actor, timer_id, now, keep=False)
            posts = TimerPosts(store, actor.guild_id, now)
            if timer.outcome is None and starts_since(seat.event, timer, looked.games or ()):
                timer = posts.end(seat.event, timer, TimerEnd.PLAYED)
            elif timer.outcome is None:
                timer = store.save(replace(timer, evidence=seen_again(timer, looked, now)))
                timer = posts.end(seat.event, timer, TimerEnd.ASKED)
                posts.td_called(seat.event, timer, seat.entrant.id)
            return told_of(store, view_match(store, seat.event, seat.match, now), timer)

        return await self._desk.db.write(work)

    def _may_ask(
        self, reader: Reader, actor: Actor, timer_id: int, now: datetime, *, keep: bool = True
    ) -> tuple[Seat, Timer]:
        timer = reader.one(Timer, id=timer_id)
        if timer is None or timer.kind is TimerKind.ABSENT:
            raise NotFound("timer", id=timer_id)
        seat = find_seat(reader, self._desk.folds, actor, timer.match_id, keep=keep)
        event, match = seat.event, seat.match
        gone = timer.entrant_id if timer.kind is TimerKind.BREAK else match.opponent_of(timer.entrant_id)
        if gone == seat.entrant.id:
            raise NotAllowed("not_your_call", clause="R6.4")
        if timer.outcome is not None:
            return seat, timer
        refuse_finished(seat)
        if is_stopped(event.terms(match), timer):
            raise Conflict("timer_stopped", clause="R5.10")
        if timer.runs_from is None:
            raise RuleViolation("claim_game_runs", clause="R6.4")
        if not _is_over(event, match, timer, now):
            raise RuleViolation("claim_too_early", clause="R6.4", at=_ends(event, match, timer))
        timers = reader.find(Timer, match_id=match.id)
        may_claim = timer.kind is TimerKind.LEFT and left_verdict(event, timer, timers, (), now).outcome
        if may_claim is Outcome.CLAIM_OPEN:
            raise Conflict("call_may_claim", clause="R6.4")
        return seat, timer


# --- What is there --------------------------------------------------------------------------------------------------


def _is_evening(now: datetime) -> Callable[[Event, Match], bool]:
    """Whether it is the evening of a match: its agreed time has come, and it is likely being played."""

    def fits(event: Event, match: Match) -> bool:
        at = match.agreed_at
        return at is not None and at - event.rules.games.before_start <= now < at + LIKELY_FOR

    return fits


def _refuse(reader: Reader, seat: Seat, now: datetime) -> None:
    """What stands against a break and against a leaving alike."""
    refuse_finished(seat)
    if seat.match.agreed_at is None:  # nobody knows yet with which game it begins (Q12)
        raise RuleViolation("break_no_time", clause="R6.1")
    if before_the_tds(seat.event, seat.match):
        raise Conflict("td_decides_first", clause="R5.6")
    if seat.event.has_result(seat.match):
        raise Conflict("absence_td", clause="R5.10")  # only a TD's word lets them play at all (Q2)
    if seat.event.was_taken_back(seat.match):
        raise Conflict("result_taken_back", clause="R5.10")
    refuse_at_a_tie(reader, seat.event, seat.match, now)
    if seat.event.terms(seat.match).decider_alone:
        raise Conflict("one_game", clause="R6.1")


def _board(seat: Seat, looked: Looked) -> Board:
    """RuleViolation `break_not_begun`; Conflict `absence_td` while a game waits for a TD (Q38b). Without an answer of
    Lichess the games that were seen before are enough."""
    begun = bool(seat.event.tournament.begun.get(seat.match.id))
    if looked.games is None:
        if not begun:
            raise LichessUnavailable("lichess_down")
        return Board(begun=True, running=None, over=False)
    board = board_of(seat.event, seat.match, looked.games)
    if board.needs_td:
        raise Conflict("absence_td", clause="R7.2")
    if not board.begun:
        raise RuleViolation("break_not_begun", clause="R6.1")
    return board


def _waiting(reader: Reader, seat: Seat) -> list[Timer]:
    """Those of which nothing has come yet."""
    terms = seat.event.terms(seat.match)
    waiting = reader.find(Timer, match_id=seat.match.id, agreed_at=seat.match.agreed_at, outcome=None)
    return [one for one in waiting if not is_stopped(terms, one)]


def _own(timers: Sequence[Timer], seat: Seat, kind: TimerKind) -> Timer | None:
    return next((one for one in timers if one.kind is kind and one.entrant_id == seat.entrant.id), None)


def _is_theirs(timer: Timer, seat: Seat, kind: TimerKind) -> bool:
    return timer.kind is kind and timer.entrant_id != seat.entrant.id


def _ends(event: Event, match: Match, timer: Timer) -> datetime | None:
    return ends_at(event.rules.evening, event.terms(match), timer)


def _is_over(event: Event, match: Match, timer: Timer, now: datetime) -> bool:
    over = _ends(event, match, timer)
    return over is not None and over <= now


def _refuse_on_break(seat: Seat, theirs: Timer, now: datetime) -> None:
    """R6.1: it may last ten minutes."""
    if not _is_over(seat.event, seat.match, theirs, now):
        at, opponent = _ends(seat.event, seat.match, theirs), seat.event.name(theirs.entrant_id)
        raise RuleViolation("left_on_break", clause="R6.1", at=at, opponent=opponent)


def _begin(store: Store, seat: Seat, kind: TimerKind, looked: Looked, now: datetime) -> Timer:
    """The ten minutes run at once, or from the end of the game in progress; where Lichess does not say, the next look
    at the games finds out (Q16, Q18)."""
    event, match = seat.event, seat.match
    assert match.agreed_at is not None
    games = looked.games
    timer = store.add(
        Timer(
            match_id=match.id,
            entrant_id=seat.entrant.id,
            kind=kind,
            agreed_at=match.agreed_at,
            called_at=now,
            runs_from=None if games is None else running_since(event, match, games, now),
            evidence=looked.evidence,
        )
    )
    TimerPosts(store, event.edition.guild_id, now).called(event, timer)
    return timer

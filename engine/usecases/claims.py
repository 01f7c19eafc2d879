"""After the ten minutes: whoever has appeared, or stayed, claims the win or plays at another time (R6.3, R6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from engine.errors import Conflict, NotAllowed, NotFound, RuleViolation
from engine.match_flow import Outcome, Verdict, no_show_claim
from engine.model import Authority, Match
from engine.ports import LichessGame, Reader, Store
from engine.sides import Side
from engine.timers import Timer, TimerEnd, TimerKind, ends_at, is_stopped
from engine.usecases.context import Actor, Desk, Event, load_event
from engine.usecases.crossing import played
from engine.usecases.evening_looks import board_of, games_for_claim, starts_since
from engine.usecases.matches import Seat, find_seat, refuse_finished, view_match
from engine.usecases.rulings import Signature
from engine.usecases.timer_posts import TimerPosts, Told, forfeited, told_of
from engine.usecases.timer_watch import catch_up, left_verdict

CLAIMED = {
    TimerKind.ABSENT: "The opponent did not come in the time of grace, and Lichess showed no game of the two.",
    TimerKind.LEFT: "The opponent left during the match and did not come back in time; Lichess showed no game since.",
}
_CLAUSES = {TimerKind.ABSENT: "R6.3", TimerKind.LEFT: "R6.4"}
_FORFEITS = {TimerKind.ABSENT: "no_show", TimerKind.LEFT: "left"}


class Choice(StrEnum):
    """What whoever has appeared may choose after the ten minutes (R6.3)."""

    WIN = "win"
    RESCHEDULE = "reschedule"


class Claims:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def claim(self, actor: Actor, match_id: int | None, choice: Choice) -> Told:
        """By whoever has told the bot; what was chosen already stands and is told again. A game that was started
        before this ends the right to it (Q38d).

        NotFound `no_absence`; NotAllowed `not_your_claim`; RuleViolation `claim_too_early`, `reschedule_too_late`,
        `claim_game_runs`, `left_needs_td`, `left_no_reschedule`; Conflict `absence_moved`, `timer_stopped`,
        `match_finished`; LichessUnavailable, and then nothing is changed.
        """

        def find(reader: Reader) -> int:
            kinds = (TimerKind.ABSENT, TimerKind.LEFT)

            def waits(event: Event, match: Match) -> bool:
                waiting = reader.find(Timer, match_id=match.id, agreed_at=match.agreed_at, outcome=None)
                return any(one.kind in kinds and not is_stopped(event.terms(match), one) for one in waiting)

            seat = find_seat(reader, self._desk.folds, actor, match_id, finished=True, fits=waits)
            told = [one for one in reader.find(Timer, match_id=seat.match.id) if one.kind in kinds]
            if not told:
                raise NotFound("no_absence")
            own = [one.id for one in told if one.entrant_id == seat.entrant.id]
            return own[-1] if own else told[-1].id

        return await self.choose(actor, await self._desk.db.read(find), choice)

    async def choose(self, actor: Actor, timer_id: int, choice: Choice) -> Told:
        """The same by a button. NotFound `timer`."""
        now = self._desk.clock.now()
        asked = await self._desk.db.read(lambda reader: reader.one(Timer, id=timer_id))
        if asked is not None:
            await catch_up(self._desk, asked.match_id)
        seat, timer = await self._desk.db.read(lambda reader: self._may_choose(reader, actor, timer_id, choice, now))
        waits = timer.outcome is None
        games = await games_for_claim(self._desk.lichess, seat.event, timer, now) if waits else []

        def work(store: Store) -> Told:
            seat, timer = self._may_choose(store, actor, timer_id, choice, now, keep=False)
            if timer.outcome is None:
                timer = _chosen(store, actor, seat, timer, choice, games, now)
            event = load_event(store, self._desk.folds, seat.event.edition.id, keep=False)
            return told_of(store, view_match(store, event, seat.match, now), timer)

        return await self._desk.db.write(work)

    def _may_choose(
        self, reader: Reader, actor: Actor, timer_id: int, choice: Choice, now: datetime, *, keep: bool = True
    ) -> tuple[Seat, Timer]:
        timer = reader.one(Timer, id=timer_id)
        if timer is None or timer.kind is TimerKind.BREAK:
            raise NotFound("timer", id=timer_id)
        seat = find_seat(reader, self._desk.folds, actor, timer.match_id, keep=keep)
        if timer.entrant_id != seat.entrant.id:
            raise NotAllowed("not_your_claim", clause=_CLAUSES[timer.kind], by=seat.event.name(timer.entrant_id))
        if timer.outcome is None:  # nothing stands against hearing again what has come of it
            _refuse_choosing(reader, seat, timer, choice, now)
        return seat, timer


def _refuse_choosing(reader: Reader, seat: Seat, timer: Timer, choice: Choice, now: datetime) -> None:
    refuse_finished(seat)
    event, match = seat.event, seat.match
    if match.agreed_at != timer.agreed_at:
        raise Conflict("absence_moved", clause="R6.3", at=match.agreed_at)
    if is_stopped(event.terms(match), timer):
        raise Conflict("timer_stopped", clause="R5.10")
    if timer.runs_from is None:
        raise RuleViolation("claim_game_runs", clause="R6.4")
    verdict = _verdict(reader, event, match, timer, (), now)
    if verdict.outcome is Outcome.WAIT_UNTIL:
        raise RuleViolation("claim_too_early", clause=_CLAUSES[timer.kind], at=verdict.at)
    if verdict.outcome is Outcome.NEEDS_TD:
        raise RuleViolation("left_needs_td", clause="R6.4")
    if timer.kind is TimerKind.LEFT and choice is Choice.RESCHEDULE:
        raise RuleViolation("left_no_reschedule", clause="R6.4")
    closes = event.window(match).closes
    if choice is Choice.RESCHEDULE and now >= closes:
        raise RuleViolation("reschedule_too_late", clause="R6.3", closes=closes, match_id=match.id)


def _verdict(
    reader: Reader,
    event: Event,
    match: Match,
    timer: Timer,
    starts: Sequence[datetime],
    now: datetime,
    *,
    over: bool = False,
) -> Verdict:
    """R6.3, R6.4: of the two that may be claimed."""
    if timer.kind is TimerKind.LEFT:
        timers = reader.find(Timer, match_id=match.id)
        return left_verdict(event, timer, timers, starts, now, match_over=over)
    until = ends_at(event.rules.evening, event.terms(match), timer)
    return no_show_claim(event.rules.evening, {Side.A: timer.called_at}, starts, now, until=until)


def _chosen(
    store: Store,
    actor: Actor,
    seat: Seat,
    timer: Timer,
    choice: Choice,
    games: Sequence[LichessGame],
    now: datetime,
) -> Timer:
    """The win, or another time; the agreed one stays on record until there is a new one (Q11)."""
    event, match = seat.event, seat.match
    over = board_of(event, match, games).over
    verdict = _verdict(store, event, match, timer, starts_since(event, timer, games), now, over=over)
    posts = TimerPosts(store, event.edition.guild_id, now)
    if verdict.outcome is Outcome.WAIVED_BY_PLAYING:
        return played(store, event, timer, games, now)
    if verdict.outcome is Outcome.MATCH_OVER:
        return posts.end(event, timer, TimerEnd.OVER)
    if choice is Choice.RESCHEDULE:
        timer = posts.end(event, timer, TimerEnd.RESCHEDULED)
        posts.told(timer, "rescheduled")
        return timer
    reason, by = CLAIMED[timer.kind], match.opponent_of(seat.entrant.id)
    signed = Signature(
        author=seat.person, reason=reason, at=now, command_id=actor.command_id, authority=Authority.PLAYER
    )
    forfeited(store, event, match, games, by, _FORFEITS[timer.kind], signed)
    timer = posts.end(event, timer, TimerEnd.CLAIMED)
    posts.told(timer, "claimed")
    return timer

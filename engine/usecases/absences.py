"""R6.3: the opponent is not there at the agreed time. The claim after the ten minutes is in `claims`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.errors import Conflict, RuleViolation
from engine.match_flow import Outcome, absence_report
from engine.model import Match
from engine.ports import Reader, Store
from engine.timers import Crossing, Timer, TimerEnd, TimerKind, came_of, is_judged, is_lifted, stands_against
from engine.usecases.context import Actor, Desk, Event
from engine.usecases.crossing import crossed, played_early
from engine.usecases.evening_looks import Looked, look, only_before, starts_since
from engine.usecases.game_lines import keep
from engine.usecases.matches import Seat, find_seat, refuse_finished, view_match
from engine.usecases.pair_games import read_games
from engine.usecases.reporting import before_the_tds
from engine.usecases.sittings import refuse_at_a_tie
from engine.usecases.timer_posts import TimerPosts, Told, told_of


class Absences:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def report(self, actor: Actor, match_id: int | None) -> Told:
        """R6.3: the opponent is absent; told again, nothing is doubled. If Lichess does not answer it is recorded all
        the same; where they have begun games before the agreed time it goes to the TDs (Q12).

        RuleViolation `absence_too_early`, `absence_too_late`, `absence_no_time`; Conflict `absence_played` (Q13),
        `absence_early` (those games excuse everybody), `absence_rescheduled`, `absence_lifted`, `absence_td`,
        `td_decides_first`, `match_finished`; and as `find_seat`.
        """
        now = self._desk.clock.now()
        meant, told = await self._desk.db.read(lambda reader: self._may_report(reader, actor, match_id, now))
        looked = Looked() if told else await look(self._desk.lichess, meant.event, meant.match, now)
        self._desk.signs.read(meant.match.id, looked.games, now)

        def work(store: Store) -> Told:
            seat, known = self._may_report(store, actor, meant.match.id, now, keep=False)
            if known is None:
                known = self._reported(store, seat, looked, now)
            return told_of(store, view_match(store, seat.event, seat.match, now), known)

        return await self._desk.db.write(work)

    def _may_report(
        self, reader: Reader, actor: Actor, match_id: int | None, now: datetime, *, keep: bool = True
    ) -> tuple[Seat, Timer | None]:
        """The seat, and this player's report of the same appointment if there is one."""

        def is_due(event: Event, match: Match) -> bool:
            rules = event.rules.evening
            open_now = match.agreed_at and absence_report(rules, match.agreed_at, now).outcome is Outcome.REPORT_OPEN
            return bool(open_now)

        seat = find_seat(reader, self._desk.folds, actor, match_id, keep=keep, fits=is_due)
        refuse_finished(seat)
        match = seat.match
        if match.agreed_at is None:
            raise RuleViolation("absence_no_time", clause="R6.3")
        reported = _reports(reader, seat)
        own = next((one for one in reported if one.entrant_id == seat.entrant.id), None)
        if own is None:
            _refuse_reporting(reader, seat, match.agreed_at, reported, now)
        return seat, own

    def _reported(self, store: Store, seat: Seat, looked: Looked, now: datetime) -> Timer:
        """Recorded and told to all; if the opponent has reported the same of this player, or games from before the
        agreed time leave it open, the TDs decide (Q12, Q38d)."""
        event, match = seat.event, seat.match
        assert match.agreed_at is not None
        judged = _judged(store, seat)
        named = [id for one in judged for id in one.evidence["early"]]
        timer = Timer(
            match_id=match.id,
            entrant_id=seat.entrant.id,
            kind=TimerKind.ABSENT,
            agreed_at=match.agreed_at,
            called_at=now,
            runs_from=now,
            evidence={**looked.evidence, "judged": named} if named else looked.evidence,
        )
        games = looked.games or ()
        early = only_before(event, timer, games)
        if not early:
            _refuse_after_games(event, timer, starts_since(event, timer, games))
        theirs = next((one for one in _reports(store, seat) if one.outcome is None), None)
        timer, posts = store.add(timer), TimerPosts(store, event.edition.guild_id, now)
        for one in judged:
            posts.follow(event, one)
        if theirs is not None:
            posts.end(event, theirs, TimerEnd.TD)
            return crossed(store, event, timer, Crossing.BOTH, now)
        if early:
            keep(store, self._desk.lichess, match, games, read_games(event, match, games), now, named=early)
            return played_early(store, event, timer, early, now)
        posts.called(event, timer)
        return timer


def _reports(reader: Reader, seat: Seat) -> list[Timer]:
    """Of this appointment, those that stand against what comes later."""
    terms, ruled = seat.event.terms(seat.match), seat.event.tournament.ruled_games.get(seat.match.id, {})
    return [one for one in _all_reports(reader, seat) if stands_against(terms, ruled, one)]


def _all_reports(reader: Reader, seat: Seat) -> list[Timer]:
    return reader.find(Timer, match_id=seat.match.id, kind=TimerKind.ABSENT, agreed_at=seat.match.agreed_at)


def _judged(reader: Reader, seat: Seat) -> list[Timer]:
    """Reports that early games had left open, about which a TD has ruled since (Q12)."""
    ruled = seat.event.tournament.ruled_games.get(seat.match.id, {})
    return [one for one in _all_reports(reader, seat) if is_judged(one, ruled)]


def _refuse_reporting(reader: Reader, seat: Seat, agreed_at: datetime, others: Sequence[Timer], now: datetime) -> None:
    """What stands against a report; `others`: what the opponent has reported of the same appointment (Q38d)."""
    refuse_at_a_tie(reader, seat.event, seat.match, now)
    verdict = absence_report(seat.event.rules.evening, agreed_at, now)
    if verdict.outcome is Outcome.TOO_EARLY:
        raise RuleViolation("absence_too_early", clause="R6.3", at=agreed_at)
    if verdict.outcome is Outcome.TOO_LATE:
        raise RuleViolation("absence_too_late", clause="R6.3", at=verdict.at)
    if before_the_tds(seat.event, seat.match):
        raise Conflict("td_decides_first", clause="R5.6")
    if seat.event.has_result(seat.match):
        raise Conflict("absence_td", clause="R5.10")  # only a TD's word lets them play at all (Q2)
    opponent = seat.event.name(seat.match.opponent_of(seat.entrant.id))
    for other in others:
        if came_of(other) is TimerEnd.PLAYED:
            raise Conflict("absence_played", clause="R6.3", opponent=opponent)
        if other.outcome is TimerEnd.RESCHEDULED:
            closes = seat.event.window(seat.match).closes
            raise Conflict("absence_rescheduled", clause="R6.3", opponent=opponent, closes=closes)
        if is_lifted(seat.event.terms(seat.match), other):
            raise Conflict("absence_lifted", clause="R6.3")
        if other.outcome is not None:
            raise Conflict("absence_td", clause="R6.3")


def _refuse_after_games(event: Event, timer: Timer, starts: Sequence[datetime]) -> None:
    """Q13: to play is to waive."""
    if not starts:
        return
    early = starts[-1] < timer.agreed_at - event.rules.games.before_start
    opponent = event.name(event.matches[timer.match_id].opponent_of(timer.entrant_id))
    code = "absence_early" if early else "absence_played"
    raise Conflict(code, clause="R6.3", opponent=opponent, first=starts[0])

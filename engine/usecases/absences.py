"""R6.3: the opponent is not there at the agreed time: reported, and after ten minutes claimed or rescheduled."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.errors import Conflict, LichessUnavailable, NotAllowed, NotFound, RuleViolation
from engine.match_flow import Outcome, absence_report, no_show_claim
from engine.model import Absence, AbsenceEnd, Authority, Match
from engine.ports import LichessGame, LichessPort, Reader, Store
from engine.sides import Side
from engine.usecases.absence_forfeits import AbsencePosts, forfeited, game_starts
from engine.usecases.context import Actor, Desk, Event, load_event
from engine.usecases.matches import MatchView, Seat, find_seat, refuse_finished, view_match
from engine.usecases.reporting import games_of_pair, refuse_before_the_tds
from engine.usecases.rulings import Signature

log = logging.getLogger(__name__)

CLAIMED = "The opponent did not come in the time of grace, and Lichess showed no game of the two."


class Choice(StrEnum):
    """What whoever has appeared may choose after the ten minutes (R6.3)."""

    WIN = "win"
    RESCHEDULE = "reschedule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An absence as it is after a report or a claim; what came of it is its `outcome`."""

    view: MatchView
    absence: Absence


@dataclass(frozen=True, slots=True)
class Looked:
    """What Lichess said at a report, None for what it did not answer. `online`: ids of the entrants who were."""

    games: tuple[LichessGame, ...] | None
    online: tuple[int, ...] | None

    @property
    def evidence(self) -> Mapping[str, Any]:
        return {"games_read": self.games is not None, "online": None if self.online is None else list(self.online)}


class Absences:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def report(self, actor: Actor, match_id: int | None) -> Told:
        """The opponent is absent; pressed again, nothing is doubled. If Lichess does not answer it is recorded all
        the same.

        RuleViolation `absence_too_early`, `absence_too_late`, `absence_no_time`; Conflict `absence_played` (Q13),
        `absence_rescheduled`, `absence_td`, `match_finished`; and as `find_seat`.
        """
        now = self._desk.clock.now()

        meant, told = await self._desk.db.read(lambda reader: self._may_report(reader, actor, match_id, now))
        looked = Looked(None, None) if told else await _look(self._desk.lichess, meant.event, meant.match, now)

        def work(store: Store) -> Told:
            seat, known = self._may_report(store, actor, meant.match.id, now, keep=False)
            if known is None:
                _refuse_played(seat, looked)
                known = _reported(store, seat, looked, now)
            return Told(view=view_match(store, seat.event, seat.match, now), absence=known)

        return await self._desk.db.write(work)

    def _may_report(
        self, reader: Reader, actor: Actor, match_id: int | None, now: datetime, *, keep: bool = True
    ) -> tuple[Seat, Absence | None]:
        """The seat, and this player's report of the same appointment if there is one."""
        seat = find_seat(reader, self._desk.folds, actor, match_id, keep=keep)
        refuse_finished(seat)
        match = seat.match
        if match.agreed_at is None:
            raise RuleViolation("absence_no_time", clause="R6.3")
        reported = reader.find(Absence, match_id=match.id, agreed_at=match.agreed_at)
        own = next((one for one in reported if one.entrant_id == seat.entrant.id), None)
        if own is None:
            _refuse_reporting(seat, match.agreed_at, reported, now)
        return seat, own

    async def claim(self, actor: Actor, match_id: int | None, choice: Choice) -> Told:
        """After the ten minutes, by whoever has reported; what was chosen already stands and is told again. A game
        that was started before this ends the right to it (Q38d).

        NotFound `no_absence`; NotAllowed `not_your_claim`; RuleViolation `claim_too_early`, `reschedule_too_late`;
        Conflict `absence_moved`, `match_finished`; LichessUnavailable, and then nothing is changed.
        """

        def find(reader: Reader) -> int:
            seat = find_seat(reader, self._desk.folds, actor, match_id, finished=True)
            reported = reader.find(Absence, match_id=seat.match.id)
            if not reported:
                raise NotFound("no_absence")
            own = [one.id for one in reported if one.entrant_id == seat.entrant.id]
            return own[-1] if own else reported[-1].id

        return await self.choose(actor, await self._desk.db.read(find), choice)

    async def choose(self, actor: Actor, absence_id: int, choice: Choice) -> Told:
        """The same by a button. NotFound `absence`."""
        now = self._desk.clock.now()
        seat, told = await self._desk.db.read(lambda reader: self._may_choose(reader, actor, absence_id, choice, now))
        waits = told.outcome is None
        games = await games_of_pair(self._desk.lichess, seat.event, seat.match, now) if waits else []

        def work(store: Store) -> Told:
            seat, absence = self._may_choose(store, actor, absence_id, choice, now, keep=False)
            if absence.outcome is None:
                absence = _chosen(store, actor, seat, absence, choice, games, now)
            event = load_event(store, self._desk.folds, seat.event.edition.id, keep=False)
            return Told(view=view_match(store, event, seat.match, now), absence=absence)

        return await self._desk.db.write(work)

    def _may_choose(
        self, reader: Reader, actor: Actor, absence_id: int, choice: Choice, now: datetime, *, keep: bool = True
    ) -> tuple[Seat, Absence]:
        absence = reader.one(Absence, id=absence_id)
        if absence is None:
            raise NotFound("absence", id=absence_id)
        seat = find_seat(reader, self._desk.folds, actor, absence.match_id, keep=keep)
        if absence.entrant_id != seat.entrant.id:
            raise NotAllowed("not_your_claim", clause="R6.3", by=seat.event.name(absence.entrant_id))
        _refuse_choosing(seat, absence, choice, now)
        return seat, absence


# --- The report -------------------------------------------------------------------------------------------------


def _refuse_reporting(seat: Seat, agreed_at: datetime, others: Sequence[Absence], now: datetime) -> None:
    """What stands against a report; `others`: what the opponent has reported of the same appointment (Q38d)."""
    verdict = absence_report(seat.event.rules.evening, agreed_at, now)
    if verdict.outcome is Outcome.TOO_EARLY:
        raise RuleViolation("absence_too_early", clause="R6.3", at=agreed_at)
    if verdict.outcome is Outcome.TOO_LATE:
        raise RuleViolation("absence_too_late", clause="R6.3", at=verdict.at)
    refuse_before_the_tds(seat)
    if seat.event.has_result(seat.match):
        raise Conflict("absence_td", clause="R5.10")  # only a TD's word lets them play at all (Q2)
    opponent = seat.event.name(seat.match.opponent_of(seat.entrant.id))
    for other in others:
        if other.outcome is AbsenceEnd.WAIVED:
            raise Conflict("absence_played", clause="R6.3", opponent=opponent)
        if other.outcome is AbsenceEnd.RESCHEDULED:
            closes = seat.event.window(seat.match).closes
            raise Conflict("absence_rescheduled", clause="R6.3", opponent=opponent, closes=closes)
        if other.outcome is not None:
            raise Conflict("absence_td", clause="R6.3")


def _refuse_played(seat: Seat, looked: Looked) -> None:
    """Q13: to play is to waive."""
    assert seat.match.agreed_at is not None
    if game_starts(seat.event, seat.match, seat.match.agreed_at, looked.games or ()):
        opponent = seat.event.name(seat.match.opponent_of(seat.entrant.id))
        raise Conflict("absence_played", clause="R6.3", opponent=opponent)


async def _look(lichess: LichessPort, event: Event, match: Match, now: datetime) -> Looked:
    """Two questions; from the first that Lichess does not answer on, nothing is known."""
    games, online = None, None
    accounts = {event.entrants[id].lichess_id: id for id in (match.a_id, match.b_id)}
    try:
        games = tuple(await games_of_pair(lichess, event, match, now))
        seen = await lichess.presence(tuple(accounts))
        online = tuple(accounts[one.id] for one in seen if one.online and one.id in accounts)
    except LichessUnavailable as refusal:
        log.warning("match %d: an absence is recorded without all that Lichess could say: %s", match.id, refusal.code)
    return Looked(games, online)


def _reported(store: Store, seat: Seat, looked: Looked, now: datetime) -> Absence:
    """Recorded and told to all; if the opponent has reported the same of this player, the TDs decide (Q38d)."""
    event, match = seat.event, seat.match
    assert match.agreed_at is not None
    theirs = store.one(Absence, match_id=match.id, agreed_at=match.agreed_at, outcome=None)
    crossed = (AbsenceEnd.TD, now) if theirs is not None else (None, None)
    absence = store.add(
        Absence(
            match_id=match.id,
            entrant_id=seat.entrant.id,
            agreed_at=match.agreed_at,
            reported_at=now,
            evidence=looked.evidence,
            outcome=crossed[0],
            decided_at=crossed[1],
        )
    )
    posts = AbsencePosts(store, event.edition.guild_id, now)
    posts.absent(event, absence)
    if theirs is not None:
        posts.follow(event, store.save(replace(theirs, outcome=AbsenceEnd.TD, decided_at=now)))
        key = f"absence:{absence.id}:crossed"
        posts.td(key, "absences_cross", edition_id=event.edition.id, match_id=match.id)
    return absence


# --- The claim --------------------------------------------------------------------------------------------------


def _refuse_choosing(seat: Seat, absence: Absence, choice: Choice, now: datetime) -> None:
    """Nothing stands against hearing again what has come of it already."""
    if absence.outcome is not None:
        return
    refuse_finished(seat)
    if seat.match.agreed_at != absence.agreed_at:
        raise Conflict("absence_moved", clause="R6.3", at=seat.match.agreed_at)
    verdict = no_show_claim(seat.event.rules.evening, {Side.A: absence.reported_at}, (), now)
    if verdict.outcome is Outcome.WAIT_UNTIL:
        raise RuleViolation("claim_too_early", clause="R6.3", at=verdict.at)
    closes = seat.event.window(seat.match).closes
    if choice is Choice.RESCHEDULE and now >= closes:
        raise RuleViolation("reschedule_too_late", clause="R6.3", closes=closes)


def _chosen(
    store: Store,
    actor: Actor,
    seat: Seat,
    absence: Absence,
    choice: Choice,
    games: Sequence[LichessGame],
    now: datetime,
) -> Absence:
    """R6.3: the win, or another time; the agreed one stays on record until there is a new one (Q11)."""
    event, match = seat.event, seat.match
    starts = game_starts(event, match, absence.agreed_at, games)
    verdict = no_show_claim(event.rules.evening, {Side.A: absence.reported_at}, starts, now)
    posts = AbsencePosts(store, event.edition.guild_id, now)
    if verdict.outcome is Outcome.WAIVED_BY_PLAYING:
        outcome = AbsenceEnd.WAIVED
    elif choice is Choice.RESCHEDULE:
        outcome = AbsenceEnd.RESCHEDULED
    else:
        outcome = AbsenceEnd.CLAIMED
        signed = Signature(
            author=seat.person, reason=CLAIMED, at=now, command_id=actor.command_id, authority=Authority.PLAYER
        )
        forfeited(store, event, match, match.opponent_of(seat.entrant.id), "no_show", signed)
    absence = store.save(replace(absence, outcome=outcome, decided_at=now))
    posts.follow(event, absence)
    if outcome is not AbsenceEnd.WAIVED:
        posts.told(absence, outcome)
    return absence

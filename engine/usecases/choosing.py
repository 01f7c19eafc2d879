"""A time that one side sets (R5.5, R5.9), and what players ask of the TDs about their time (Q2, Q11c)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engine.errors import Conflict, NotAllowed, RuleViolation
from engine.facts import TimeSet
from engine.model import Authority
from engine.negotiation import cannot_start
from engine.ports import Reader, Store
from engine.reading import choice_rules
from engine.terms import BOTH_FAILED
from engine.usecases.context import Actor, Desk, record
from engine.usecases.matches import MatchView, Seat, find_seat, label, refuse_finished, right_of, view_match
from engine.usecases.posts import Outbox
from engine.usecases.times import fix_time


class Wish(StrEnum):
    """What a player can ask the TDs for about a match: to play in spite of §5.6 (Q2), or more time (Q11c)."""

    ALLOW = "allow"
    EXTEND = "extend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    wish: Wish
    label: str


class Choosing:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def set_time(self, actor: Actor, match_id: int | None, at: datetime) -> MatchView:
        """The player who has the right to it sets the time, once (R5.5, R5.9, Q5).

        Conflict("already_agreed"), Conflict("match_finished"); NotAllowed `set_no_right`, `set_right_ended`;
        RuleViolation `set_in_the_past`, `set_outside_window`, `set_too_late`, `set_too_short_notice`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> MatchView:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            refuse_finished(seat)
            _refuse_setting(seat, at, now)
            fact = record(
                store,
                seat.event.edition.id,
                TimeSet(seat.match.id, at, seat.entrant.id),
                now,
                authority=Authority.PLAYER,
                author=seat.person,
                clause="R5.5",
                command_id=actor.command_id,
            )
            match = fix_time(store, seat.match, now)
            outbox = Outbox(store, actor.guild_id, now)
            outbox.decided(match, fact.id)
            outbox.match_changed(match, seat.round)
            return view_match(store, seat.event, match, now)

        return await self._desk.db.write(work)

    async def require_right(self, actor: Actor, match_id: int) -> None:
        """Before a form opens. NotAllowed `set_no_right`, `set_right_ended`."""

        def work(reader: Reader) -> None:
            seat = find_seat(reader, self._desk.folds, actor, match_id)
            _require_right(seat, self._desk.clock.now())

        await self._desk.db.read(work)

    async def ask(self, actor: Actor, match_id: int, wish: Wish) -> Asked:
        """Puts the wish before the TDs, once until something is decided about the match.

        Conflict("nothing_to_ask") when it makes no sense.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Asked:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            event, match = seat.event, seat.match
            result = event.tournament.results.get(match.id)
            failed = result is not None and result.forfeit == BOTH_FAILED and event.is_settled(match)
            sensible = failed if wish is Wish.ALLOW else result is None
            if not sensible:
                raise Conflict("nothing_to_ask", clause="R5.10")
            told = max((f.id for f in event.ledger.facts if f.payload.get("match_id") == match.id), default=0)
            key = f"match:{match.id}:asked:{wish}:{seat.entrant.id}:{told}"
            Outbox(store, actor.guild_id, now).td(
                key, f"asked_to_{wish}", edition_id=event.edition.id, match_id=match.id, entrant_id=seat.entrant.id
            )
            return Asked(wish=wish, label=label(event, match))

        return await self._desk.db.write(work)


def _require_right(seat: Seat, now: datetime) -> None:
    if seat.match.agreed_at is not None:
        raise Conflict("already_agreed", at=seat.match.agreed_at, clause="R5.5")
    right = right_of(seat.event, seat.match)
    if right is None or right.entrant_id != seat.entrant.id:
        raise NotAllowed("set_no_right", clause="R5.5")
    if now >= right.until:
        raise NotAllowed("set_right_ended", clause="R5.5", until=right.until)


def _refuse_setting(seat: Seat, at: datetime, now: datetime) -> None:
    _require_right(seat, now)
    event, match = seat.event, seat.match
    rules, window = choice_rules(event.rules), event.window(match)
    reason = cannot_start(at, now, window, rules)
    if reason is None:
        return
    raise RuleViolation(
        f"set_{reason}",
        clause="R5.5",
        at=at,
        earliest=now + rules.min_notice,
        latest=window.closes - rules.latest_before_deadline,
        closes=window.closes,
    )

"""R5: offering, retracting and accepting times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.errors import BadInput, Conflict, NotAllowed, NotFound, RuleViolation
from engine.model import DisputeEnd, Note, Offer, OfferState
from engine.negotiation import Reason, can_accept
from engine.ports import Reader, Store
from engine.reading import duty_rules
from engine.usecases.context import Actor, Desk
from engine.usecases.disputes import end_dispute
from engine.usecases.matches import MatchView, Seat, find_seat, on_the_table, refuse_finished, view_match
from engine.usecases.posts import Outbox
from engine.usecases.times import clear_proposals

MAX_OPEN_OFFERS = 9
"""Of one player in one match: both players' offers must fit as buttons on one card (Discord: 25)."""


MAX_NOTE = 200
"""Characters of a note to an offer."""


@dataclass(frozen=True, slots=True)
class Span:
    """An offered time as it was read: a start, or any minute from `start` to `end` (Q4)."""

    start: datetime
    end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What an offer changed, from the side that made it; why one does not help is in that side's duty."""

    view: MatchView
    entrant_id: int
    made: tuple[Offer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    view: MatchView
    offer: Offer
    already: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedSpan:
    """An offered range, and the zone in which the player who accepts writes a minute of it."""

    span: Span
    now: datetime
    timezone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a time is read against: the match's window as of now, and the player's zone."""

    seat: Seat
    now: datetime
    opens: datetime
    closes: datetime
    timezone: str | None


class Scheduling:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def window(self, actor: Actor, match_id: int | None) -> Reading:
        """For the time parser: the seat and its window; one read, so that autocomplete and forms answer at once."""

        def work(reader: Reader) -> Reading:
            seat = find_seat(reader, self._desk.folds, actor, match_id)
            refuse_finished(seat)
            now = self._desk.clock.now()
            _refuse_overdue(seat, now)
            window = seat.event.window(seat.match)
            return Reading(
                seat=seat,
                now=now,
                opens=window.opens,
                closes=window.closes,
                timezone=seat.person.timezone,
            )

        return await self._desk.db.read(work)

    async def offered_span(self, actor: Actor, offer_id: int) -> OfferedSpan:
        """An offer in one of the actor's matches, for reading a minute of its range (Q4)."""

        def work(reader: Reader) -> OfferedSpan:
            offer, seat = self._offer_and_seat(reader, actor, offer_id)
            span = Span(offer.starts_at, offer.ends_at)
            return OfferedSpan(span=span, now=self._desk.clock.now(), timezone=seat.person.timezone)

        return await self._desk.db.read(work)

    async def offer(self, actor: Actor, match_id: int | None, spans: Sequence[Span], note: str = "") -> Offered:
        """Records all of the times or none (R5.1). A time that can still be played but does not help the duty of
        three is recorded, and the answer says why; one that cannot be played at all is refused.

        `note`: for the opponent, at most MAX_NOTE characters: BadInput("note_too_long").
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Offered:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            refuse_finished(seat)
            if seat.match.agreed_at is not None:
                raise Conflict("already_agreed", at=seat.match.agreed_at, clause="R5.2")
            return self._put_on_the_table(store, actor, seat, spans, note, now, moves=False)

        return await self._desk.db.write(work)

    async def reschedule(self, actor: Actor, match_id: int | None, spans: Sequence[Span], reason: str = "") -> Offered:
        """Proposes to move an agreed match (R6.3). The agreed time stands until the opponent accepts.

        Conflict("nothing_agreed") before there is a time, Conflict("same_time"); else as `offer`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Offered:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            refuse_finished(seat)
            if seat.match.agreed_at is None:
                raise Conflict("nothing_agreed", clause="R5.1")
            if any(span.end is None and span.start == seat.match.agreed_at for span in spans):
                raise Conflict("same_time", at=seat.match.agreed_at)
            return self._put_on_the_table(store, actor, seat, spans, reason, now, moves=True)

        return await self._desk.db.write(work)

    def _put_on_the_table(
        self, store: Store, actor: Actor, seat: Seat, spans: Sequence[Span], note: str, now: datetime, *, moves: bool
    ) -> Offered:
        _refuse_impossible(store, seat, spans, now)
        note_id = _store_note(store, seat, note, now)
        made = tuple(
            store.add(
                Offer(
                    match_id=seat.match.id,
                    entrant_id=seat.entrant.id,
                    starts_at=span.start,
                    ends_at=span.end,
                    made_at=now,
                    moves=moves,
                    note_id=note_id,
                )
            )
            for span in spans
        )
        outbox = Outbox(store, actor.guild_id, now)
        outbox.offered(seat.match, seat.entrant.id, [offer.id for offer in made])
        outbox.match_card(seat.match)
        view = view_match(store, seat.event, seat.match, now)
        return Offered(view=view, entrant_id=seat.entrant.id, made=made)

    async def retract(self, actor: Actor, offer_id: int) -> Offered:
        """Takes back one's own unanswered offer; what was retracted by the deadline does not count (Q3)."""
        now = self._desk.clock.now()

        def work(store: Store) -> Offered:
            offer, seat = self._offer_and_seat(store, actor, offer_id)
            if offer.entrant_id != seat.entrant.id:
                raise NotAllowed("not_your_offer", by=seat.event.name(offer.entrant_id))
            if offer.state is OfferState.ACCEPTED:
                raise Conflict("offer_accepted", at=seat.match.agreed_at)
            if offer.state is OfferState.LAPSED:
                raise Conflict("offer_lapsed")
            if offer.state is OfferState.OPEN:
                offer = store.save(replace(offer, state=OfferState.RETRACTED, changed_at=now))
                outbox = Outbox(store, actor.guild_id, now)
                outbox.match_card(seat.match)
                outbox.offered(seat.match, offer.entrant_id, self._posted_with(store, offer))
            view = view_match(store, seat.event, seat.match, now)
            return Offered(view=view, entrant_id=seat.entrant.id, made=(offer,))

        return await self._desk.db.write(work)

    async def accept(self, actor: Actor, offer_id: int, at: datetime | None = None) -> Agreed:
        """Fixes the time by compare-and-set inside the transaction (R5.2). `at` picks a minute of a range (Q4)."""
        now = self._desk.clock.now()

        def work(store: Store) -> Agreed:
            offer, seat = self._offer_and_seat(store, actor, offer_id)
            refuse_finished(seat)
            if seat.match.agreed_offer_id == offer.id and at in (None, seat.match.agreed_at):
                return Agreed(view=view_match(store, seat.event, seat.match, now), offer=offer, already=True)
            _refuse_accepting(offer, seat, at, now)
            chosen = at or offer.starts_at
            match = store.save(replace(seat.match, agreed_at=chosen, agreed_offer_id=offer.id))
            offer = store.save(replace(offer, state=OfferState.ACCEPTED, changed_at=now, chosen=chosen))
            clear_proposals(store, match, now)
            outbox = Outbox(store, actor.guild_id, now)
            outbox.agreed(match, offer.id)
            outbox.match_changed(match, seat.round)
            end_dispute(store, outbox, match, DisputeEnd.AGREED, now)
            return Agreed(view=view_match(store, seat.event, match, now), offer=offer)

        return await self._desk.db.write(work)

    def _offer_and_seat(self, store: Reader, actor: Actor, offer_id: int) -> tuple[Offer, Seat]:
        offer = store.one(Offer, id=offer_id)
        if offer is None:
            raise NotFound("offer", id=offer_id)
        return offer, find_seat(store, self._desk.folds, actor, offer.match_id, keep=False)

    def _posted_with(self, reader: Reader, offer: Offer) -> list[int]:
        """The offers that were made in the same breath stand in one message; it is edited, not repeated."""
        return [
            other.id
            for other in reader.find(Offer, match_id=offer.match_id, entrant_id=offer.entrant_id, made_at=offer.made_at)
        ]


def _store_note(store: Store, seat: Seat, text: str, now: datetime) -> int | None:
    """What a player writes to the other goes into a note of its own, so that it can be erased."""
    text = text.strip()
    if not text:
        return None
    if len(text) > MAX_NOTE:
        raise BadInput("note_too_long", given=len(text), most=MAX_NOTE)
    note = Note(edition_id=seat.event.edition.id, author_id=seat.person.id, text=text, made_at=now)
    return store.add(note).id


def _refuse_impossible(reader: Reader, seat: Seat, spans: Sequence[Span], now: datetime) -> None:
    if not spans:
        raise BadInput("no_time")
    _refuse_overdue(seat, now)
    mine = reader.find(Offer, match_id=seat.match.id, entrant_id=seat.entrant.id)
    own = on_the_table(seat.match, mine, now)
    if len(own) + len(spans) > MAX_OPEN_OFFERS:
        raise BadInput("too_many_offers", open=len(own), most=MAX_OPEN_OFFERS)
    window = seat.event.window(seat.match)
    taken = {(offer.starts_at, offer.ends_at) for offer in own}
    for span in spans:
        if span.start <= now:
            raise RuleViolation("offer_in_the_past", clause="R5.1", at=span.start)
        latest = window.closes - duty_rules(seat.event.rules).latest_before_deadline
        params = {"at": span.start, "closes": window.closes, "latest": latest, "match_id": seat.match.id}
        if not window.opens <= span.start < window.closes:
            raise RuleViolation("offer_outside_window", clause="R4.4", **params)
        if span.start > latest:
            raise RuleViolation("offer_too_late", clause="R5.1", **params)
        if span.end is not None and span.end <= span.start:
            raise BadInput("no_time")
        if (span.start, span.end) in taken:
            raise Conflict("offered_already", at=span.start)
        taken.add((span.start, span.end))


def _refuse_overdue(seat: Seat, now: datetime) -> None:
    """After the window nothing is negotiated any more: the TDs decide (Q7, Q11c)."""
    closes = seat.event.window(seat.match).closes
    if now >= closes:
        raise RuleViolation("match_overdue", clause="R4.4", closes=closes, match_id=seat.match.id)


def _refuse_accepting(offer: Offer, seat: Seat, at: datetime | None, now: datetime) -> None:
    """The offer's own time must be acceptable now; R5.7 says what the other answers would be."""
    window = seat.event.window(seat.match)
    rules = duty_rules(seat.event.rules)
    reason = can_accept(offer, seat.match, seat.entrant.id, now, window, rules, at=at)
    if reason is None:
        return
    at = seat.match.agreed_at if reason is Reason.ALREADY_AGREED else at or offer.starts_at
    kind = NotAllowed if reason is Reason.OWN_OFFER else Conflict
    raise kind(f"accept_{reason}", clause="R5.7", at=at, offer=offer.id, until=offer.ends_at)

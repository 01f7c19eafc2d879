"""The armageddon game of a tied knock-out match: sealed bids, sealed throws, and who has White (R3.16, Q39-Q41).

A bid or a throw is a row that nobody is shown; once both are in, or the time for them is over, one fact says what they
came to. What comes next is `engine.armageddon.bidding`, asked anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.armageddon import AwaitingThrow, Bidding, ColoursFixed, Hand, check_bid, check_throw
from engine.errors import Conflict
from engine.facts import ColoursSettled, MatchBegun
from engine.model import Match, Post
from engine.ports import Reader, Store
from engine.sealed import SealedBid, SealedThrow
from engine.sides import Side
from engine.usecases.bids import bidding_of
from engine.usecases.context import Actor, Desk, Event, load_event, record
from engine.usecases.matches import MatchView, Seat, find_seat, view_match
from engine.usecases.posts import Outbox, result_key


@dataclass(frozen=True, slots=True, kw_only=True)
class DeciderView:
    """A tied match with what its armageddon game waits for."""

    view: MatchView
    state: Bidding
    tied_at: datetime


class Deciders:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def tied(self, actor: Actor, match_id: int | None) -> DeciderView:
        """The tied match of a player, before a form is shown. As `find_seat`; Conflict("not_tied")."""
        now = self._desk.clock.now()

        def work(reader: Reader) -> DeciderView:
            seat = find_seat(reader, self._desk.folds, actor, match_id)
            return _view(reader, seat.event, seat.match, now)

        return await self._desk.db.read(work)

    async def bid(self, actor: Actor, match_id: int | None, seconds: int) -> DeciderView:
        """Seals a bid. RuleViolation("bid_out_of_range"), Conflict `bid_made`, `bidding_over`, `not_tied`."""
        now = self._desk.clock.now()

        def work(store: Store) -> DeciderView:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            tie = _view(store, seat.event, seat.match, now)
            check_bid(seat.event.rules.armageddon, tie.state, _side(seat), seconds)
            store.add(
                SealedBid(
                    match_id=seat.match.id,
                    entrant_id=seat.entrant.id,
                    tied_at=tie.tied_at,
                    seconds=seconds,
                    made_at=now,
                )
            )
            return self._go_on(store, seat, now)

        return await self._desk.db.write(work)

    async def throw(self, actor: Actor, match_id: int | None, hand: Hand) -> DeciderView:
        """Seals a throw for equal bids. Conflict `no_throw_due`, `throw_made`, `not_tied`."""
        now = self._desk.clock.now()

        def work(store: Store) -> DeciderView:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            tie = _view(store, seat.event, seat.match, now)
            number = check_throw(tie.state, _side(seat))
            store.add(
                SealedThrow(
                    match_id=seat.match.id,
                    entrant_id=seat.entrant.id,
                    tied_at=tie.tied_at,
                    number=number,
                    hand=hand.value,
                    made_at=now,
                )
            )
            return self._go_on(store, seat, now)

        return await self._desk.db.write(work)

    def _go_on(self, store: Store, seat: Seat, now: datetime) -> DeciderView:
        event = seat.event
        state = go_on(store, event, seat.match, now)
        tied_at = event.tied_at(seat.match)
        assert tied_at is not None
        event = load_event(store, self._desk.folds, event.edition.id, keep=False)
        return DeciderView(view=view_match(store, event, seat.match, now), state=state, tied_at=tied_at)


def _side(seat: Seat) -> Side:
    return Side.A if seat.entrant.id == seat.match.a_id else Side.B


def _view(reader: Reader, event: Event, match: Match, now: datetime) -> DeciderView:
    tied_at, state = event.tied_at(match), bidding_of(reader, event, match, now)
    if tied_at is None or state is None:
        raise Conflict("not_tied", clause="R3.16")
    return DeciderView(view=view_match(reader, event, match, now), state=state, tied_at=tied_at)


def go_on(store: Store, event: Event, match: Match, now: datetime) -> Bidding:
    """The next step that the bids and throws allow: its fact, if colours are settled, and the posts that say so."""
    state, tied_at = bidding_of(store, event, match, now), event.tied_at(match)
    assert state is not None and tied_at is not None
    outbox = Outbox(store, event.edition.guild_id, now)
    outbox.tie(match, tied_at)
    if isinstance(state, AwaitingThrow):
        # While both are silent nobody is pinged again and again: the post of that call only gets its new end.
        called = outbox.throws_called(match, tied_at)
        for number in {*called, state.call}:
            outbox.throw_due(match, tied_at, number)
        if not called:
            tie_shown(store, outbox, match)
    if isinstance(state, ColoursFixed) and event.colours(match) is None:
        white = match.a_id if state.white is Side.A else match.b_id
        throws = tuple((shown.a and shown.a.value, shown.b and shown.b.value) for shown in state.shown)
        settled = ColoursSettled(match.id, white, state.bid, state.bids, throws)
        fact = record(store, event.edition.id, settled, now, clause="R3.16")
        for number in outbox.throws_called(match, tied_at):
            outbox.throw_due(match, tied_at, number)
        outbox.colours(match, fact.id)
        tie_shown(store, outbox, match)
    return state


def tie_shown(store: Store, outbox: Outbox, match: Match) -> None:
    """What is due at the tie of a match has changed (R3.16): its card says so, and what shows the running score or that
    the time is over."""
    outbox.match_card(match)
    for post in store.find(Post, target=f"thread:{match.id}", kind=("start", "overdue")):
        if post.message_id is None or post.channel_id == match.thread_id:
            outbox.owe(post.key, post.kind, post.target, **post.payload)
    live = store.one(Post, key=result_key(match.id))
    if live is not None and "live" in live.payload:
        outbox.owe(live.key, live.kind, live.target, **live.payload)


def tie_seen(store: Store, desk: Desk, event: Event, match: Match, begun: MatchBegun, now: datetime) -> Bidding:
    """A report has found all games before the armageddon game played and nobody ahead: from now on that is on record,
    and both are called to bid, whether or not the match is followed (R3.16)."""
    tournament = event.tournament
    known = tuple(games.get(match.id, ()) for games in (tournament.begun, tournament.begun_tiebreaks))
    if (begun.games, begun.tiebreak_games) != known:
        record(store, event.edition.id, begun, now, clause="R3.13")
        event = load_event(store, desk.folds, event.edition.id, keep=False)
    return go_on(store, event, match, now)

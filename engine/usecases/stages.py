"""Who sits where when a stage begins, and anew after an exit from a knock-out stage (R3.8, R3.11, R8.4, R8.5).

The schedule begins a stage by itself; before that the TDs see the seats, and can pass over who does not want to move up
(Q46, Q52). An empty seat of a stage that runs is filled on a TD's word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine import stages
from engine.errors import Conflict, NotAllowed
from engine.facts import Draft, MatchExtended, Pair, RoundPublished
from engine.match_rulings import Deadlines
from engine.model import KNOCKOUT, Match, Stage
from engine.ports import Reader, Store
from engine.rulings import Ruling, preview
from engine.seat_rulings import Moves, decline, moves, seats
from engine.seating import has_begun_in, seating
from engine.stages import Proposal
from engine.usecases.context import Actor, Desk, Event, current_event, person_of, require_td
from engine.usecases.posts import Outbox
from engine.usecases.rounds import store_pairs
from engine.usecases.rulings import Rulings, RulingView, Signature, enact, refuse_about
from engine.usecases.schedule import begins_stage, deadlines_from, next_slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Reseating:
    """What fills the empty seats of a stage that runs; `made`: the new matches, once it is done. `deadlines`: their
    own, where those of the round leave too little time for offers (Q14)."""

    event: Event
    proposal: Proposal
    made: tuple[Match, ...] = ()
    deadlines: Deadlines | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declining:
    """A seat that is given up, and who gets which one by it. `sits`: the player has it in a stage that runs, so a TD is
    asked once more; `made`: as recorded, or as it would be."""

    entrant_id: int
    stage: Stage
    sits: bool
    moves: Moves
    made: RulingView


def _declining(made: RulingView, entrant_id: int) -> Declining:
    stage, seen = seats_of(made.event), made.preview
    groups = made.event.tournament.seated.get(stage, ())
    return Declining(
        entrant_id=entrant_id,
        stage=stage,
        sits=any(entrant_id in group.entrants for group in groups),
        moves=moves(seen.before, seen.after, stage),
        made=made,
    )


class Stages:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings

    async def decline(self, actor: Actor, entrant_id: int, reason: str) -> Declining:
        """Q46, Q52: this player does not want the seat, the next one is asked. For somebody who sits already this is
        only looked at, until `decline_sure`. A player who leaves the event does that with a withdrawal.

        Conflict("no_seats_now"); Conflict("seat_earned") where it changes no seat, as for who has earned one of the
        Finals (R3.13); NotAllowed("recused") for a TD with a seat of that stage, before or after; as
        `engine.seat_rulings.decline`.
        """
        seen = await self._rulings.preview(actor, self._declines(actor, entrant_id))
        if _declining(seen, entrant_id).sits:
            return _declining(seen, entrant_id)
        return _declining(await self._rulings.make(actor, self._declines(actor, entrant_id), reason), entrant_id)

    async def decline_sure(self, actor: Actor, entrant_id: int, reason: str, *, seen: int) -> Declining:
        """The same, confirmed by a TD who has seen what it does, at that version."""
        made = await self._rulings.make(actor, self._declines(actor, entrant_id), reason, seen=seen)
        return _declining(made, entrant_id)

    def _declines(self, actor: Actor, entrant_id: int) -> Callable[[Event], Ruling]:
        def decide(event: Event) -> Ruling:
            stage = seats_of(event)
            ruling = decline(event.championship, stage, entrant_id)
            own = next((e.id for e in event.entrants.values() if event.discord_id(e.id) == actor.discord_id), None)
            after = preview(event.championship, ruling, self._desk.clock.now()).after
            if own is not None and own in seats(event.championship, stage) | seats(after, stage):
                raise NotAllowed("recused", clause="Q54", why="own_affair" if own == entrant_id else "seats")
            if not moves(event.championship, after, stage):
                raise Conflict("seat_earned", clause="Q52", name=event.name(entrant_id), stage=stage)
            return ruling

        return decide

    async def choices(self, actor: Actor) -> list[tuple[int, str]]:
        """Who has a seat of the stage that is to begin, or in one that is to be filled: (id, name)."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            groups = seating(event.championship, seats_of(event)).groups
            return sorted(((e, event.name(e)) for g in groups for e in g.entrants), key=lambda one: one[1].lower())

        return await self._desk.db.read(work)

    async def reseat(self, actor: Actor, reason: str) -> Reseating:
        """R8.4, R8.5, Q51, Q52: the empty seats are filled, and their matches published in place of the old ones.

        BadInput("reason_needed"), NotAllowed("recused"), Conflict("seats_full").
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Reseating:
            require_td(store, actor)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            proposal = repair_of(event)
            if proposal is None or proposal.seating is None or event.current_round is None:
                raise Conflict("seats_full")
            refuse_about(store, actor, event, [e for g in proposal.seating.groups for e in g.entrants])
            signed = Signature(author=person_of(store, actor), reason=reason, at=now, command_id=actor.command_id)
            deadlines = deadlines_from(event, event.current_round, now)
            made = _reseat(store, event, proposal, signed, deadlines)
            return Reseating(event=event, proposal=proposal, made=made, deadlines=deadlines if made else None)

        return await self._desk.db.write(work)

    async def preview(self, actor: Actor) -> Reseating:
        """What `reseat` would do."""

        def work(reader: Reader) -> Reseating:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            proposal = repair_of(event)
            if proposal is None:
                raise Conflict("seats_full")
            return Reseating(event=event, proposal=proposal)

        return await self._desk.db.read(work)


def repair_of(event: Event) -> Proposal | None:
    """What would fill the empty seats of the newest round, None when there is none. A semifinal whose winner was taken
    back is no empty seat: then nothing can be said yet."""
    newest = event.current_round
    if newest is None or newest.stage not in KNOCKOUT:
        return None
    try:
        return stages.repair(event.championship, newest.stage)
    except Conflict:
        return None


def seats_of(event: Event) -> Stage:
    """The stage whose seats can be declined now. Conflict("no_seats_now")."""
    slot = next_slot(event)
    if slot is not None and begins_stage(event, slot) and not event.open_matches():
        return slot.stage
    newest = event.current_round
    if newest is not None and newest.stage in KNOCKOUT and (repair_of(event) is not None or _may_be_given_up(event)):
        return newest.stage
    raise Conflict("no_seats_now", clause="Q46")


def _may_be_given_up(event: Event) -> bool:
    """A match of the knock-out stage that runs has not begun yet."""
    assert event.current_round is not None
    stage = event.current_round.stage
    return not all(has_begun_in(event.championship, stage, e) for e in seats(event.championship, stage))


_CLAUSES = {Stage.SEMIFINALS: "R8.4", Stage.FINALS: "R8.5"}


def _reseat(
    store: Store, event: Event, proposal: Proposal, signed: Signature, deadlines: Deadlines | None
) -> tuple[Match, ...]:
    """Pairs that stay keep their match; the others get new ones, on boards of their own."""
    assert event.current_round is not None and proposal.seated is not None
    round, clause = event.current_round, _CLAUSES[proposal.stage]
    published = event.tournament.round(round.id)
    kept = {(pair.group, frozenset((pair.a_id, pair.b_id))): pair for pair in published.pairs}
    new = [pair for pair in proposal.pairs if (pair.group, frozenset((pair.a_id, pair.b_id))) not in kept]
    boards = max((match.board for match in event.matches.values() if match.round_id == round.id), default=0)
    made = store_pairs(store, round, new, after=boards)
    kept |= {(pair.group, frozenset((pair.a_id, pair.b_id))): pair for pair in made}
    pairs = tuple(kept[pair.group, frozenset((pair.a_id, pair.b_id))] for pair in proposal.pairs)
    drafts = (
        Draft(proposal.seated, clause, replaces_id=_seated_by(event, proposal.stage)),
        Draft(RoundPublished(round.id, round.stage, round.number, pairs), clause, replaces_id=published.fact_id),
        *(_later(pair, deadlines) for pair in made if deadlines is not None),
    )
    ruling = Ruling("reseated", drafts)
    enact(store, event, ruling, preview(event.championship, ruling, signed.at), signed)
    outbox = Outbox(store, event.edition.guild_id, signed.at)
    outbox.pairings(round, len(pairs))
    outbox.stage_notices(proposal.stage)
    matches = tuple(store.get(Match, pair.match_id) for pair in made)
    for match in matches:
        outbox.match_thread(match)
    for pair in published.pairs:
        if pair not in pairs:
            outbox.match_changed(event.matches[pair.match_id], round)
    return matches


def _later(pair: Pair, deadlines: Deadlines) -> Draft:
    return Draft(MatchExtended(pair.match_id, deadlines.play_by, deadlines.offers_by), "Q14")


def _seated_by(event: Event, stage: Stage) -> int:
    """The fact with the seats that stand now."""
    found = [f.id for f in event.ledger.facts if f.kind == "stage_seated" and f.payload["stage"] == stage]
    return found[-1]

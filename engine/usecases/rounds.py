"""R3.7-R3.14, R4: proposing, publishing and closing the rounds of every stage; `engine.stages` pairs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict

from engine import stages
from engine.calendar import RoundSlot, late_round
from engine.conduct import due_disqualifications
from engine.errors import Conflict
from engine.facts import Draft, Pair, RoundClosed, RoundPublished
from engine.match_rulings import Deadlines, extend
from engine.model import Authority, Edition, EditionState, Match, Person, Post, Round, Stage
from engine.ports import Reader, Store
from engine.rulings import Ruling, preview
from engine.stages import Proposal, ProposedPair, Wishes
from engine.usecases.context import (
    Actor,
    Desk,
    Event,
    Folds,
    current_event,
    known_person,
    load_event,
    person_of,
    record,
    require_td,
)
from engine.usecases.matches import label, may_claim
from engine.usecases.posts import PAIRINGS_PER_POST, Outbox, card_key, parts_of, thread_key
from engine.usecases.rulings import Signature, enact, refuse_recused
from engine.usecases.schedule import (
    begins_stage,
    extension_end,
    holding_up,
    kept_waiting,
    next_slot,
    overdue,
    slot_from,
    table_lines,
    unsettled,
)

FORFEITED_TOO_OFTEN = "Forfeited in two different matches; in force with this publication, no TD has decided before."
PUBLICATION = {
    Stage.QUALIFICATION: "R3.7",
    Stage.CANDIDATES: "R3.9",
    Stage.SEMIFINALS: "R3.11",
    Stage.FINALS: "R3.13",
}
REOPENINGS = 3
"""A thread that is deleted more often between two changes of its match is left to the TDs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A proposed round. `blocked`: labels of matches without a result that hold the publication up (Q9).

    `hidden_for`: the viewer's own entrant, whose pairing a playing TD does not see first (Q54).
    """

    event: Event
    slot: RoundSlot
    proposal: Proposal
    blocked: tuple[str, ...]
    hidden_for: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    event: Event
    round: Round
    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended:
    """What was extended, by labels, and until when (exclusive). `last`: in the last round of a stage, so nothing is
    paired by it; `waits`: the stage that waits for it. `claims`: those in which a player may still claim the win (R6.3,
    R6.4), with the name."""

    labels: tuple[str, ...]
    until: datetime
    last: bool
    waits: Stage | None
    claims: tuple[tuple[str, str], ...] = ()


class Rounds:
    """What a TD does by hand; the schedule does the same through `due`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def preview(self, actor: Actor) -> Preview:
        def work(reader: Reader) -> Preview:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            slot = slot_from(event, _next_slot_or_refuse(event), self._desk.clock.now())
            person = known_person(reader, actor)
            viewer = event.entrant_of(person.id) if person else None
            return Preview(
                event=event,
                slot=slot,
                proposal=propose(event, slot, self._desk.clock.now(), relaxed=False),
                blocked=tuple(label(event, match) for match in holding_up(event, slot)),
                hidden_for=viewer.id if viewer else None,
            )

        return await self._desk.db.read(work)

    async def publish(self, actor: Actor, *, code: str | None = None, allow: str | None = None) -> Published:
        """Publishes the next round now. Conflict("matches_open") while a match of the last round is open,
        Conflict("already_published") when the next round is not the one with that code.

        CannotPair when the rules leave no pairing; with `allow`, a TD's reason, the smallest set of rematches or a
        second bye is allowed then.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Published:
            require_td(store, actor)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            td = person_of(store, actor)
            slot = _next_slot_or_refuse(event)
            if code is not None and code != slot.code:
                raise Conflict("already_published", code=code)
            if still := holding_up(event, slot):
                raise Conflict("matches_open", clause="Q9", matches=tuple(label(event, m) for m in still))
            if event.current_round is not None:
                close_round(store, event, event.current_round, now)
                event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            return publish(store, event, slot, now, td=td, command_id=actor.command_id, allow=allow)

        return await self._desk.db.write(work)

    async def extend(
        self, actor: Actor, reason: str, *, round_id: int | None = None, match_id: int | None = None
    ) -> Extended:
        """Q9, Q10: open matches may be played until the next round's match deadline.

        Those of the round that a card named, or the one match; without either all that can be extended: the open ones
        of the newest round, and those whose extension has ended. BadInput("reason_needed"), Conflict("nothing_open").
        """
        now = self._desk.clock.now()

        def work(store: Store) -> Extended:
            require_td(store, actor)
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            matches = _to_extend(event, now, round_id, match_id)
            if not matches:
                raise Conflict("nothing_open", title=event.edition.title)
            until = extension_end(event, now, matches)
            deadlines = {match.id: Deadlines(event.offers_by(match), event.window(match).closes) for match in matches}
            ruling = extend(deadlines, until, now)
            refuse_recused(store, actor, event, ruling)
            td = person_of(store, actor)
            signed = Signature(author=td, reason=reason, at=now, command_id=actor.command_id)
            enact(store, event, ruling, preview(event.championship, ruling, now), signed)
            slot = next_slot(event)
            open_claims = [(match, may_claim(store, event, match, now)) for match in matches]
            return Extended(
                labels=tuple(label(event, match) for match in matches),
                until=until,
                last=slot is None or begins_stage(event, slot),
                waits=kept_waiting(event, until),
                claims=tuple((label(event, match), event.name(by)) for match, by in open_claims if by is not None),
            )

        return await self._desk.db.write(work)

    async def thread_deleted(self, thread_id: int) -> None:
        """A match that is not over gets another thread; any other thread is nobody's concern."""

        def work(store: Store) -> None:
            match = store.one(Match, thread_id=thread_id)
            if match is not None:
                self._reopen(store, match.edition_id, thread_id)

        if await self._desk.db.read(lambda reader: reader.one(Match, thread_id=thread_id)) is not None:
            await self._desk.db.write(work)

    async def matches_channel_deleted(self, guild_id: int) -> None:
        """All threads went with it: the open matches of the newest edition get others, as soon as there is a place."""

        def work(store: Store) -> None:
            editions = store.find(Edition, guild_id=guild_id)
            if editions:
                self._reopen(store, editions[-1].id)

        await self._desk.db.write(work)

    def _reopen(self, store: Store, edition_id: int, thread_id: int | None = None) -> None:
        event = load_event(store, self._desk.folds, edition_id, keep=False)
        for match in event.matches.values():
            gone = match.thread_id is not None and thread_id in (None, match.thread_id)
            if gone and not event.is_settled(match):
                thread_lost(store, match.id, match.thread_id, self._desk.clock.now())


def _to_extend(event: Event, now: datetime, round_id: int | None, match_id: int | None) -> list[Match]:
    """Without a name all that hold something up; a single match also while its time, or its extension, runs."""
    if match_id is not None:
        return [match for match in event.open_matches() if match.id == match_id]
    return [match for match in (*unsettled(event), *overdue(event, now)) if round_id in (None, match.round_id)]


def _next_slot_or_refuse(event: Event) -> RoundSlot:
    if event.edition.state is not EditionState.CLOSED:
        raise Conflict("registration_still_open", title=event.edition.title)
    slot = next_slot(event)
    if slot is None:
        raise Conflict("edition_over", title=event.edition.title)
    return slot


# --- Pairing ----------------------------------------------------------------------------------------------------


def propose(event: Event, slot: RoundSlot, now: datetime, *, relaxed: bool) -> Proposal:
    """`relaxed`: a TD allows what the rules leave no way around: a second bye, and the fewest rematches. Raises as
    `stages.propose`."""
    championship = event.championship
    ruling = _forfeited_too_often(event)
    if ruling is not None:
        championship = preview(championship, ruling, now).after
    return stages.propose(championship, slot.stage, slot.number, Wishes(relaxed=relaxed))


def _forfeited_too_often(event: Event) -> Ruling | None:
    """R6.5, Q25: who is disqualified with the next publication, if no TD has decided before."""
    due = due_disqualifications(event.tournament, event.rules.forfeits.to_disqualify)
    return Ruling("disqualified", tuple(Draft(left, "R6.5") for left in due)) if due else None


# --- Publishing and closing -------------------------------------------------------------------------------------


def publish(
    store: Store,
    event: Event,
    slot: RoundSlot,
    now: datetime,
    *,
    td: Person | None = None,
    command_id: str | None = None,
    allow: str | None = None,
) -> Published:
    """One transaction: round, matches, the fact, and every message that is owed for it."""
    event = _disqualify_for_forfeits(store, event, now)
    planned, slot = slot, slot_from(event, slot, now)
    proposal = propose(event, slot, now, relaxed=bool(allow))
    edition = event.edition
    round = store.add(
        Round(
            edition_id=edition.id,
            stage=slot.stage,
            number=slot.number,
            published_at=now,
            offers_by=slot.offers_by,
            matches_by=slot.matches_by,
        )
    )
    pairs = store_pairs(store, round, proposal.pairs)
    published = RoundPublished(round.id, slot.stage, slot.number, pairs, proposal.bye)
    by: _By = {"authority": Authority.TD if td else Authority.SYSTEM, "author": td, "command_id": command_id}
    if proposal.seated is not None:
        record(store, edition.id, proposal.seated, now, clause=PUBLICATION[slot.stage], **by)
    record(store, edition.id, published, now, reason=allow, clause=PUBLICATION[slot.stage], **by)
    matches = store.find(Match, round_id=round.id)
    outbox = Outbox(store, edition.guild_id, now)
    outbox.pairings(round, len(matches))
    outbox.schedule(round)
    outbox.stage_notices(slot.stage)
    for match in matches:
        outbox.match_thread(match)
    moved = slot.matches_by != planned.matches_by
    if moved or late_round(event.rules, round, now) is not None:
        key = f"round:{round.id}:late"
        outbox.td(key, "published_late", edition_id=edition.id, round_id=round.id, moved=moved)
    return Published(event=event, round=round, proposal=proposal)


class _By(TypedDict):
    authority: Authority
    author: Person | None
    command_id: str | None


def _disqualify_for_forfeits(store: Store, event: Event, now: datetime) -> Event:
    """The edition as it is with the publication."""
    ruling = _forfeited_too_often(event)
    if ruling is None:
        return event
    signed = Signature(author=None, reason=FORFEITED_TOO_OFTEN, at=now, command_id=None)
    enact(store, event, ruling, preview(event.championship, ruling, now), signed)
    return load_event(store, Folds(), event.edition.id, keep=False)


def store_pairs(store: Store, round: Round, pairs: Sequence[ProposedPair], *, after: int = 0) -> tuple[Pair, ...]:
    """Makes the matches of these pairs, in board order `after` so many boards."""
    return tuple(
        Pair(
            store.add(Match(edition_id=round.edition_id, round_id=round.id, board=board, a_id=p.a_id, b_id=p.b_id)).id,
            p.a_id,
            p.b_id,
            p.group,
        )
        for board, p in enumerate(pairs, start=1 + after)
    )


def thread_made(store: Store, match_id: int, thread_id: int, now: datetime) -> None:
    """A match has its thread. The pairings post says how far it is: with each full part, and when all are there."""
    match = store.save(replace(store.get(Match, match_id), thread_id=thread_id))
    round = store.get(Round, match.round_id)
    edition = store.get(Edition, match.edition_id)
    matches = store.find(Match, round_id=round.id)
    made = sum(m.thread_id is not None for m in matches)
    if made == len(matches) or made % PAIRINGS_PER_POST == 0:
        last = parts_of(len(matches), PAIRINGS_PER_POST) - 1
        Outbox(store, edition.guild_id, now).pairings_part(round, last)


def thread_lost(store: Store, match_id: int, thread_id: int | None, now: datetime) -> bool:
    """Somebody deleted that thread of a match: a new one is owed, with a new card, unless it is already.

    False when that has happened too often.
    """
    if store.get(Match, match_id).thread_id != thread_id:
        return True
    thread = store.one(Post, key=thread_key(match_id))
    lost = 1 + (thread.payload.get("lost", 0) if thread else 0)
    if lost > REOPENINGS:
        return False
    match = store.save(replace(store.get(Match, match_id), thread_id=None))
    for key in (thread_key(match_id), card_key(match_id)):
        post = store.one(Post, key=key)
        if post is not None:
            store.save(replace(post, message_id=None, channel_id=None, uncertain_since=None, tried=()))
    edition = store.get(Edition, match.edition_id)
    Outbox(store, edition.guild_id, now).match_thread(match, lost=lost)
    return True


def close_round(store: Store, event: Event, round: Round, now: datetime) -> bool:
    """Closes a round in which every match has a result or was extended; False when it is closed already (R3.6).

    When that is: `may_close`, or a TD publishes the next round.
    """
    if event.tournament.round(round.id).closed:
        return False
    record(store, event.edition.id, RoundClosed(round.id), now, clause="R3.6")
    outbox = Outbox(store, event.edition.guild_id, now)
    outbox.standings(round, table_lines(event, round))
    outbox.pairings(round, len(event.matches_of(round.id)))
    return True

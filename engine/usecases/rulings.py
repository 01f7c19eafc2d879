"""The one way a TD decides something (design 3.6): preview, reason, facts, notices; and the way back.

A decision is a pure function from the loaded edition to a `Ruling`; which decisions there are is the business of those
who ask for them. Everything is worked out anew inside the transaction that records it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from engine.errors import BadInput, Conflict, NotAllowed
from engine.model import Authority, Fact, Note, Person, Stage
from engine.ports import Reader, Store
from engine.rulings import Preview, Ruling, facts_of, preview, recused, reversible, subjects, undo
from engine.usecases.context import Actor, Desk, Event, current_event, known_person, person_of, require_td
from engine.usecases.deciders import tie_shown
from engine.usecases.games_now import refuse_begun_decider
from engine.usecases.posts import Outbox
from engine.usecases.recount import with_recount
from engine.usecases.revived import refuse_revival
from engine.usecases.schedule import table_lines
from engine.usecases.seat_posts import tell_seats
from engine.usecases.times import follow_times

Decision = Callable[[Event], Ruling]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingView:
    """A ruling with what it changes. `facts`: as recorded, empty in a preview."""

    event: Event
    ruling: Ruling
    preview: Preview
    facts: tuple[Fact, ...] = ()


class Rulings:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def preview(self, actor: Actor, decide: Decision) -> RulingView:
        """What the decision would change. NotAllowed("td_only"), NotAllowed("recused"), and what `decide` raises."""

        def work(reader: Reader) -> RulingView:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            return self._view(reader, actor, event, decide)

        return await self._desk.db.read(work)

    async def make(
        self, actor: Actor, decide: Decision, reason: str, *, seen: int | None = None, match_id: int | None = None
    ) -> RulingView:
        """Records the decision. `seen`: the version of the preview that the TD has confirmed. `match_id`: what it is
        about, so that whoever plays there is refused for that before anything else.

        BadInput("reason_needed"); Conflict("changed_meanwhile") when something was recorded since the preview;
        Conflict("nothing_to_change"); else as `preview`.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> RulingView:
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            match = event.matches.get(match_id or 0)
            if match is not None:
                refuse_about(store, actor, event, (match.a_id, match.b_id))
            view = self._view(store, actor, event, decide)
            if seen is not None and seen != view.preview.version:
                raise Conflict("changed_meanwhile")
            if view.preview.changes_nothing:
                raise Conflict("nothing_to_change")
            signed = Signature(author=person_of(store, actor), reason=reason, at=now, command_id=actor.command_id)
            facts = enact(store, event, view.ruling, view.preview, signed)
            return RulingView(event=event, ruling=view.ruling, preview=view.preview, facts=facts)

        return await self._desk.db.write(work)

    async def standing(self, actor: Actor) -> tuple[Event, tuple[Fact, ...]]:
        """What a TD can take back, newest first: see `engine.rulings.reversible`. NotAllowed("td_only")."""

        def work(reader: Reader) -> tuple[Event, tuple[Fact, ...]]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            return event, reversible(event.championship)

        return await self._desk.db.read(work)

    async def preview_undo(self, actor: Actor, fact_id: int) -> RulingView:
        """What taking that fact back would change; see `engine.rulings.undo`, `games_now.refuse_begun_decider`."""
        await refuse_begun_decider(self._desk, actor, fact_id)
        return await self.preview(actor, lambda event: undo(event.championship, fact_id))

    async def undo(self, actor: Actor, fact_id: int, reason: str, *, seen: int | None = None) -> RulingView:
        """Records it. Conflict("undo_changes_nothing"); else as `make` and `preview_undo`."""
        await refuse_begun_decider(self._desk, actor, fact_id)
        try:
            return await self.make(actor, lambda event: undo(event.championship, fact_id), reason, seen=seen)
        except Conflict as refusal:
            raise Conflict("undo_changes_nothing") if refusal.code == "nothing_to_change" else refusal from refusal

    def _view(self, reader: Reader, actor: Actor, event: Event, decide: Decision) -> RulingView:
        require_td(reader, actor)
        now = self._desk.clock.now()
        ruling = with_recount(reader, self._desk.lichess, event, decide(event), now)
        refuse_recused(reader, actor, event, ruling)
        seen = preview(event.championship, ruling, now)
        refuse_revival(reader, seen)
        return RulingView(event=event, ruling=ruling, preview=seen)


def refuse_recused(reader: Reader, actor: Actor, event: Event, ruling: Ruling) -> None:
    """R1.2, Q54: a TD who plays does not decide what touches the own event. NotAllowed("recused") with `why`."""
    refuse_about(reader, actor, event, subjects(event.championship, ruling))


def refuse_about(reader: Reader, actor: Actor, event: Event, about: Collection[int]) -> None:
    """The same where what is decided is about these entrants."""
    person = known_person(reader, actor)
    own = event.entrant_of(person.id) if person else None
    why = recused(event.championship, own.id, about) if own else None
    if why is not None:
        raise NotAllowed("recused", clause="Q54", why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who decides, when and why; `author` is None when a rule does it by itself. `since`: from when on it counts, where
    that is earlier. `authority`: on whose word it stands when there is an author."""

    author: Person | None
    reason: str
    at: datetime
    command_id: str | None
    since: datetime | None = None
    authority: Authority = Authority.TD


def enact(store: Store, event: Event, ruling: Ruling, seen: Preview, by: Signature) -> tuple[Fact, ...]:
    """Records the facts of a ruling under one command with one reason, and owes every message they change.

    BadInput("reason_needed").
    """
    reason = by.reason.strip()
    if not reason:
        raise BadInput("reason_needed")
    edition = event.edition
    author_id = by.author.id if by.author else None
    note = store.add(Note(edition_id=edition.id, author_id=author_id, text=reason, made_at=by.at))
    drafts = facts_of(
        ruling,
        edition_id=edition.id,
        now=by.at,
        since=by.since,
        command_id=by.command_id,
        authority=by.authority if by.author else Authority.SYSTEM,
        author_id=author_id,
        reason_note_id=note.id,
    )
    facts = tuple(store.append(fact) for fact in drafts)
    outbox = Outbox(store, edition.guild_id, by.at)
    follow_times(store, outbox, event, facts, by.at)
    for entrant_id in (*seen.out, *seen.back):
        outbox.exit_told(edition.id, event.entrants[entrant_id], facts[0].id)
    tell_seats(outbox, event, seen, facts[0].id)
    for entrant_id in seen.renamed:
        outbox.account_told(edition.id, event.entrants[entrant_id], facts[0].id)
        for match in event.open_matches():
            if match.has(entrant_id):
                opponent = event.entrants[match.opponent_of(entrant_id)]
                outbox.opponent_account_told(edition.id, opponent, event.entrants[entrant_id], facts[0].id)
    for entrant_id in (*seen.out, *seen.back, *seen.renamed, *seen.reseeded):
        outbox.player_changed(entrant_id)
    _owe_matches(outbox, event, seen, facts[0].id)
    for match in (event.matches[id] for id in seen.touched if id in event.matches):
        if event.tied_at(match) is not None:
            tie_shown(store, outbox, match)
    _owe_tables(outbox, event, seen)
    outbox.places_changed(edition.id)
    for stage in Stage:
        outbox.stage_notices(stage)
    outbox.ruling(edition.id, facts[0].id, [round.round_id for round in seen.outdated])
    return facts


def _reopened_by_an_exit(event: Event, seen: Preview) -> set[int]:
    """Matches whose result goes with the exit of a player, so that no fact about the match says so to the two."""
    own = {fact.id for fact in event.ledger.facts if "match_id" in fact.payload}
    lost = ((c.match_id, c.before) for c in seen.matches if c.after is None and c.before is not None)
    return {match_id for match_id, result in lost if result.fact_id not in own}


def _owe_matches(outbox: Outbox, event: Event, seen: Preview, fact_id: int) -> None:
    """Cards, tags and pairings follow the match; a result that was told is edited, a new one is told (design 5)."""
    changed = {change.match_id for change in seen.matches}
    reopened = _reopened_by_an_exit(event, seen)
    shown = {match.id for match in event.open_matches() for entrant_id in seen.renamed if match.has(entrant_id)}
    for match_id in sorted(changed.union(seen.touched, shown) & event.matches.keys()):
        match = event.matches[match_id]
        outbox.match_changed(match, event.round_of(match))
        if match_id in changed:
            outbox.result(match)
        if match_id in reopened:
            outbox.owe(f"match:{match_id}:reopened:{fact_id}", "reopened", f"thread:{match_id}", match_id=match_id)
        ruled = [t.ruled_games.get(match_id, {}) for t in (event.tournament, seen.after.tournament)]
        if ruled[0] != ruled[1]:
            outbox.games_ruled(match, [id for id in {**ruled[0], **ruled[1]}], ruled[1])


def _owe_tables(outbox: Outbox, event: Event, seen: Preview) -> None:
    """The tables of every closed round from the first one that changes on."""
    changed = {change.match_id for change in seen.matches}
    if not (changed or seen.lines):
        return
    closed = [r for r in event.tournament.rounds if r.closed]
    first = next((i for i, r in enumerate(closed) if changed & {p.match_id for p in r.pairs}), 0)
    for published in closed[first:]:
        round = event.round(published.round_id)
        outbox.standings(round, table_lines(event, round))

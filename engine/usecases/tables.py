"""What everybody may look at: standings, pairings, and one's own hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engine.calendar import RoundSlot
from engine.errors import NotFound
from engine.model import Edition, EditionState, Entrant, EntryState, Match, Offer, Person, Registration, Round, Stage
from engine.ports import Reader
from engine.standings import Standing
from engine.tournament import PublishedRound
from engine.usecases.context import (
    Actor,
    Desk,
    Event,
    current_event,
    known_person,
)
from engine.usecases.entries import LIVE, EntryView, load_entry
from engine.usecases.matches import MatchView, label, view_match
from engine.usecases.posts import PAIRINGS_PER_POST, STANDINGS_PER_POST, LiveScore, part_size
from engine.usecases.schedule import LATE, can_enter, expected_slot, next_slot
from engine.usecases.timer_posts import Told, waits_in
from engine.usecases.timetable import live_score


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsView:
    """The table after the closed rounds up to `after` (0: none closed yet). `extended`: labels of matches still open
    in those rounds (Q9)."""

    event: Event
    after: int
    of: int
    lines: tuple[Standing, ...]
    first: int
    still_open: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """A published round with its matches as they are now.

    `first`: index of the first match shown (parts). `expected`: when it was to come. `free`: who has nobody to play in
    this round of a pool.
    """

    event: Event
    round: Round
    published: PublishedRound
    matches: tuple[MatchView, ...]
    first: int
    threads_made: int
    total: int
    expected: RoundSlot
    free: tuple[int, ...] = ()

    @property
    def late(self) -> bool:
        """Published so long after its due moment that it has to be said (Q14)."""
        return self.round.published_at >= self.expected.publish_at + LATE

    @property
    def moved(self) -> bool:
        """Its deadlines, and so all later rounds, are later than planned by whole weeks."""
        return self.round.matches_by != self.expected.matches_by

    @property
    def is_last_part(self) -> bool:
        return self.first + len(self.matches) >= self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class HubView:
    """Where a person stands: nothing yet, an entry, or an entrant with open matches.

    `entry`: the one that counts, else the newest; `begun`: another one beside it, of which it is not shown yet whose
    account it is. `can_enter`: an entry is possible now; `late`: as a late one.
    `next_round_at`: of a round the bot can pair; `bye_in`: the newest round if its bye is theirs; `last`: their
    finished match of the newest round. `waits`: the ten minutes that run in `matches`, and what was put off (R6);
    `live`: the running score of those that have one.
    """

    edition: Edition
    event: Event
    entry: EntryView | None
    begun: EntryView | None
    can_enter: bool
    late: bool
    entrant: Entrant | None
    matches: tuple[MatchView, ...]
    standing: Standing | None
    next_round_at: datetime | None
    now: datetime
    bye_in: int | None
    last: MatchView | None
    waits: tuple[Told, ...] = ()
    live: Mapping[int, LiveScore] = field(default_factory=dict[int, LiveScore])


class Tables:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def standings(self, guild_id: int, round_number: int | None = None) -> StandingsView:
        """The whole table; NotFound("no_such_round") for a round that is not closed."""

        def work(reader: Reader) -> StandingsView:
            return standings_view(current_event(reader, self._desk.folds, guild_id), round_number)

        return await self._desk.db.read(work)

    async def stage(self, guild_id: int) -> tuple[Event, Round] | None:
        """The newest round of a later stage, for its table; None in the Qualification."""

        def work(reader: Reader) -> tuple[Event, Round] | None:
            event = current_event(reader, self._desk.folds, guild_id)
            newest = event.current_round
            return None if newest is None or newest.stage is Stage.QUALIFICATION else (event, newest)

        return await self._desk.db.read(work)

    async def pairings(self, guild_id: int, round_number: int | None = None) -> RoundView:
        """A published round, the newest unless a number is given."""

        def work(reader: Reader) -> RoundView:
            event = current_event(reader, self._desk.folds, guild_id)
            now = self._desk.clock.now()
            return round_view(reader, event, _published(event, round_number), now, first=0, count=None)

        return await self._desk.db.read(work)

    async def hub(self, actor: Actor) -> HubView:
        def work(reader: Reader) -> HubView:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            person = known_person(reader, actor)
            entrant = event.entrant_of(person.id) if person else None
            entry, begun = _entries(reader, event.edition, person)
            mine = [m for m in event.open_matches() if entrant and m.has(entrant.id)]
            now = self._desk.clock.now()
            coming = next_slot(event)
            newest = event.tournament.rounds[-1] if event.tournament.rounds else None
            finished = [
                match
                for match in (event.matches_of(newest.round_id) if newest else ())
                if entrant and match.has(entrant.id) and event.has_result(match)
            ]
            views = tuple(view_match(reader, event, match, now) for match in mine)
            return HubView(
                edition=event.edition,
                event=event,
                entry=entry,
                begun=begun,
                can_enter=can_enter(event, now),
                late=event.edition.state is EditionState.CLOSED,
                entrant=entrant,
                matches=views,
                standing=_standing_of(event, entrant),
                next_round_at=coming.publish_at if coming and coming.stage is Stage.QUALIFICATION else None,
                now=now,
                bye_in=newest.number if newest and entrant and newest.bye == entrant.id else None,
                last=next((view_match(reader, event, m, now) for m in finished), None),
                waits=tuple(told for view in views for told in waits_in(reader, view)),
                live={match.id: score for match in mine if (score := live_score(reader, match)) is not None},
            )

        return await self._desk.db.read(work)

    async def match_choices(self, actor: Actor) -> list[tuple[int, str]]:
        """The actor's matches for autocomplete, open ones first: (id, "R3 · alice – bob")."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            person = known_person(reader, actor)
            entrant = event.entrant_of(person.id) if person else None
            if entrant is None:
                return []
            mine = [m for m in event.matches.values() if m.has(entrant.id)]
            mine.sort(key=lambda m: (event.has_result(m), -m.id))
            return [(m.id, label(event, m)) for m in mine]

        return await self._desk.db.read(work)

    async def open_offers(self, actor: Actor, *, own: bool) -> list[tuple[MatchView, Offer]]:
        """Open offers in the actor's open matches, their own or the others'."""
        hub = await self.hub(actor)
        if hub.entrant is None:
            return []
        return [
            (view, offer)
            for view in hub.matches
            for offer in view.offers
            if (offer.entrant_id == hub.entrant.id) is own
        ]


def standings_view(event: Event, round_number: int | None = None, *, part: int | None = None) -> StandingsView:
    rounds = event.tournament.stage_rounds(Stage.QUALIFICATION)
    closed = [r.number for r in rounds if r.closed]
    if round_number is not None and round_number not in closed:
        raise NotFound("no_such_round", number=round_number, closed=tuple(closed))
    after = round_number or max(closed, default=0)
    lines = _table(event, after)
    size = part_size(len(lines), STANDINGS_PER_POST)
    first = 0 if part is None else part * size
    shown = lines if part is None else lines[first : first + size]
    still_open = tuple(
        label(event, event.matches[pair.match_id])
        for r in rounds
        if r.closed and r.number <= after
        for pair in r.pairs
        if pair.match_id not in event.tournament.results
    )
    return StandingsView(
        event=event, after=after, of=len(lines), lines=tuple(shown), first=first, still_open=still_open
    )


def _table(event: Event, after: int) -> tuple[Standing, ...]:
    return event.championship.qualification(until=after)


def _standing_of(event: Event, entrant: Entrant | None) -> Standing | None:
    closed = [r.number for r in event.tournament.stage_rounds(Stage.QUALIFICATION) if r.closed]
    if entrant is None or not closed:
        return None
    return next((line for line in _table(event, max(closed)) if line.entrant_id == entrant.id), None)


def round_view(
    reader: Reader, event: Event, round: Round, now: datetime, *, first: int, count: int | None
) -> RoundView:
    matches = event.matches_of(round.id)
    shown = matches[first:] if count is None else matches[first : first + count]
    return RoundView(
        event=event,
        round=round,
        published=event.tournament.round(round.id),
        matches=tuple(view_match(reader, event, match, now) for match in shown),
        first=first,
        threads_made=sum(match.thread_id is not None for match in matches),
        total=len(matches),
        expected=expected_slot(event, round),
        free=_free(event, round, matches),
    )


def _free(event: Event, round: Round, matches: Sequence[Match]) -> tuple[int, ...]:
    """R3.9, R8.3: who is in a pool, has nobody to play in this round, and gets no point for it."""
    if round.stage is not Stage.CANDIDATES:
        return ()
    out = event.tournament.unranked(Stage.CANDIDATES) | event.tournament.left.keys()
    playing = {id for match in matches for id in (match.a_id, match.b_id)}
    seated = (id for group in event.tournament.seated.get(Stage.CANDIDATES, ()) for id in group.entrants)
    return tuple(id for id in seated if id not in playing and id not in out)


def pairings_part(reader: Reader, event: Event, round_id: int, part: int, now: datetime) -> RoundView:
    round = event.round(round_id)
    size = part_size(len(event.matches_of(round.id)), PAIRINGS_PER_POST)
    return round_view(reader, event, round, now, first=part * size, count=size)


def _published(event: Event, number: int | None) -> Round:
    if event.current_round is None:
        raise NotFound("no_round_yet", title=event.edition.title, starts=event.edition.starts)
    if number is None:
        return event.current_round
    rounds = [r for r in event.rounds if r.stage is Stage.QUALIFICATION]
    for round in rounds:
        if round.number == number:
            return round
    raise NotFound("no_such_round", number=number, closed=tuple(r.number for r in rounds))


def _entries(reader: Reader, edition: Edition, person: Person | None) -> tuple[EntryView | None, EntryView | None]:
    """The entry of a person that counts, or the newest, and one that they have begun beside it."""
    mine = reader.find(Registration, edition_id=edition.id, person_id=person.id) if person else []
    if not mine:
        return None, None
    begun = next((entry for entry in mine if entry.state is EntryState.UNPROVEN), None)
    live = [entry for entry in mine if entry.state in LIVE]
    approved = [entry for entry in live if entry.state is EntryState.APPROVED]
    first = next(iter((*approved, *reversed(live), *([begun] if begun else []), mine[-1])))
    beside = begun if begun is not None and begun.id != first.id else None
    return load_entry(reader, first.id), load_entry(reader, beside.id) if beside else None

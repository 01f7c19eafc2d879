"""A match with everything that happened in its negotiation: for `/match show`, and for disputes (R5.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.chain import chain
from engine.errors import BadInput, NotFound
from engine.model import Dispute, Entrant, Match, Note, Offer
from engine.ports import Reader
from engine.timeline import Material, Timeline, timeline
from engine.timers import Timer
from engine.usecases.context import Actor, Desk, Event, current_event, known_person
from engine.usecases.matches import MatchView, find_seat, label, view_match


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """`notes`: by id, what the players wrote to their offers, without what was erased. `by_player`: one of the two
    asks for it."""

    view: MatchView
    timeline: Timeline
    notes: Mapping[int, str]
    by_player: bool = False


class Evidence:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, actor: Actor, match_id: int | None) -> Dossier:
        """Any match for anybody, because offers are made in public threads; without an id the actor's own: the only
        open one, else the newest.

        NotFound("match"); without an id also BadInput("name_a_match") for who does not play, and as `find_seat`.
        """

        def work(reader: Reader) -> Dossier:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            own = _own_entrant(reader, event, actor)
            if match_id is not None:
                match = event.matches.get(match_id)
            elif own is not None:
                match = find_seat(reader, self._desk.folds, actor, None, finished=True).match
            else:
                raise BadInput("name_a_match")
            if match is None:
                raise NotFound("match", id=match_id)
            by_player = own is not None and match.has(own.id)
            return dossier(reader, event, match, self._desk.clock.now(), by_player=by_player)

        return await self._desk.db.read(work)

    async def match_choices(self, actor: Actor) -> list[tuple[int, str]]:
        """All matches for autocomplete: (id, "R3 · alice – bob"), the actor's own first, then the newest rounds."""

        def work(reader: Reader) -> list[tuple[int, str]]:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            own = _own_entrant(reader, event, actor)
            rank = {round.id: place for place, round in enumerate(event.rounds)}

            def order(match: Match) -> tuple[bool, int, int]:
                return (own is None or not match.has(own.id), -rank[match.round_id], match.board)

            return [(match.id, label(event, match)) for match in sorted(event.matches.values(), key=order)]

        return await self._desk.db.read(work)


def dossier(reader: Reader, event: Event, match: Match, now: datetime, *, by_player: bool = False) -> Dossier:
    view = view_match(reader, event, match, now)
    offers = [offer for side in view.sides for offer in side.offers]
    known = Material(
        match=match,
        offers=offers,
        disputes=reader.find(Dispute, match_id=match.id),
        standing=chain(event.ledger.facts),
        deadline=view.offers_by,
        counted={side.entrant.id: len(side.duty.counted) for side in view.sides},
        result=view.result,
        timers=reader.find(Timer, match_id=match.id),
    )
    return Dossier(view=view, timeline=timeline(known, now), notes=_notes(reader, offers), by_player=by_player)


def _own_entrant(reader: Reader, event: Event, actor: Actor) -> Entrant | None:
    person = known_person(reader, actor)
    return event.entrant_of(person.id) if person else None


def _notes(reader: Reader, offers: list[Offer]) -> Mapping[int, str]:
    ids = {offer.note_id for offer in offers if offer.note_id is not None}
    found = reader.find(Note, id=sorted(ids)) if ids else []
    return {note.id: note.text for note in found if note.text.strip()}

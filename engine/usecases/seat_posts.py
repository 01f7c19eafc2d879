"""Who is told about a seat that is declined, or taken back (Q46, Q52)."""

from __future__ import annotations

from engine.model import Stage
from engine.rulings import Preview
from engine.seat_rulings import moves, seats
from engine.usecases.context import Event
from engine.usecases.posts import Outbox


def tell_seats(outbox: Outbox, event: Event, seen: Preview, fact_id: int) -> None:
    """To those who give up a seat or have it again; and, before the stage begins, to who has one by it or no more.
    Whoever moves up in a stage that runs is called in the thread of the new match."""
    for stage in Stage:
        was, is_ = (champ.tournament.declined.get(stage, frozenset()) for champ in (seen.before, seen.after))
        if was == is_:
            continue
        told = was ^ is_
        if not event.tournament.has_begun(stage):
            told |= seats(seen.before, stage) ^ seats(seen.after, stage)
            told |= {entrant for entrant, _ in moves(seen.before, seen.after, stage).into}
        for entrant_id in sorted(told):
            key, person = f"entrant:{entrant_id}:seat:{fact_id}", event.entrants[entrant_id].person_id
            payload = {"edition_id": event.edition.id, "entrant_id": entrant_id, "stage": stage}
            outbox.owe(key, "seat_told", f"dm:{person}", **payload)

"""A seating as directors read it before they confirm it: who sits where, and what to look at first."""

from __future__ import annotations

from cogs.render.message import escape
from cogs.render.titles import group_name
from engine.errors import AcwcError
from engine.model import Stage
from engine.seating import Remark, SeatingNote, lost_seat, seating
from engine.usecases.context import Event


def seating_lines(event: Event, stage: Stage) -> list[str]:
    """A line per pool or match, then the remarks; what stands against it if it cannot be seated yet."""
    try:
        planned = seating(event.championship, stage)
    except AcwcError as refusal:
        if refusal.code == "too_few_candidates":
            return [f"Only {refusal.params['players']} players are left; how the event goes on is for the TDs."]
        return []
    places = event.championship.qualification_places()

    def shown(entrant_id: int) -> str:
        place = places.get(entrant_id)
        return f"{place} {escape(event.name(entrant_id))}" if place else escape(event.name(entrant_id))

    lines = [f"• {group_name(group.name)}: {', '.join(map(shown, group.entrants))}" for group in planned.groups]
    return lines + [_remark(event, note) for note in planned.notes]


def seat_lost(event: Event, entrant_id: int) -> Stage | None:
    """Of somebody who is in the event: the stage in which others have the seat meanwhile (R8.4, R8.5)."""
    return lost_seat(event.championship, entrant_id) if event.tournament.is_in(entrant_id) else None


def _remark(event: Event, note: SeatingNote) -> str:
    names = ", ".join(escape(event.name(entrant)) for entrant in note.entrants)
    if note.remark is Remark.SEED_ONLY:
        return f"Only the seed separates {names.replace(', ', ' from ', 1)}; the published rules do not name it."
    if note.remark is Remark.SHORT:
        return f"There are fewer players than places: {len(note.entrants)}."
    if note.remark is Remark.MOVED_UP:
        return f"Moved up, and to be asked first: {names}."
    return f"Nobody is left for a seat of {group_name(note.group)}."

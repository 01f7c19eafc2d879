"""A seating as directors read it before they confirm it: who sits where, and what to look at first."""

from __future__ import annotations

from cogs.render.message import Button, Message, escape
from cogs.render.titles import group_name, stage_name
from engine.errors import AcwcError
from engine.model import Stage
from engine.seat_rulings import seats
from engine.seating import Remark, SeatingNote, lost_seat, seating
from engine.usecases.context import Event
from engine.usecases.stages import Declining


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


def seat_told(event: Event, entrant_id: int, stage: Stage) -> Message:
    """To a player, privately: a TD has recorded that the seat is not wanted, or took that back, or a seat is free."""
    title, name = f"{escape(event.edition.title)}", stage_name(stage)
    if entrant_id in event.tournament.declined.get(stage, ()):
        return Message(
            f"A TD has recorded that you do not want your seat in the {name} of the {title}; the next player is asked. "
            "If that is wrong, write to the TDs now: as long as nobody has the seat they can give it back."
        )
    if entrant_id in seats(event.championship, stage):
        return Message(
            f"You have a seat in the {name} of the {title}. `/schedule` has the dates. If you do not want it, write to "
            "the TDs now."
        )
    return Message(f"You have no seat in the {name} of the {title}. If one falls free, you may be asked.")


def declining(view: Declining) -> Message:
    """To a TD: what it does that a player gives up a seat; with a button for one who sits already."""
    event, name, stage = view.made.event, escape(view.made.event.name(view.entrant_id)), stage_name(view.stage)
    up = ", ".join(escape(event.name(e)) for e in view.moves_up)
    then = f"{up} moves up" if up else "Nobody is left to move up"
    if not view.made.facts:
        lines = [
            f"**{name} sits in the {stage} already** and would lose the seat. {then}.",
            "Their match is not played any more once you have filled the seats. Do it only if they have said so. "
            "Nothing is recorded yet.",
        ]
        arg = f"{view.entrant_id}.{view.made.preview.version}"
        return Message("\n".join(lines), (Button("decline-seat", arg, "Take the seat from them…", "danger"),))
    lines = [
        f"Recorded: {name} does not want the seat in the {stage}. {then}; both are told.",
        f"Was that a mistake? `/td-player reinstate` for {name} takes it back as long as nobody else has the seat.",
    ]
    return Message("\n".join(lines))


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

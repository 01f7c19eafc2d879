"""A seating as directors read it before they confirm it: who sits where, and what to look at first."""

from __future__ import annotations

from cogs.render.message import Button, Message, escape
from cogs.render.titles import group_name, seat_name, stage_name
from engine.errors import AcwcError
from engine.model import KNOCKOUT, Stage
from engine.seat_rulings import group_in
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
    sits = group_in(event.championship, stage, entrant_id)
    if entrant_id in event.tournament.declined.get(stage, ()):
        instead = f" You play in {seat_name(sits)}." if stage in KNOCKOUT and sits else ""
        return Message(
            f"A TD has recorded that you do not want your seat in the {name} of the {title}; the next player is asked."
            f"{instead} "
            "If that is wrong, write to the TDs now: as long as nobody has the seat they can give it back."
        )
    if sits:
        where = seat_name(sits) if stage is Stage.FINALS else f"the {name}"
        return Message(
            f"You have a seat in {where} of the {title}. `/schedule` has the dates. If you do not want it, write to "
            "the TDs now."
        )
    return Message(f"You have no seat in the {name} of the {title}. If one falls free, you may be asked.")


def declining(view: Declining) -> Message:
    """To a TD: what it does that a player gives up a seat; with a button for one who sits already."""
    name, stage = escape(view.made.event.name(view.entrant_id)), stage_name(view.stage)
    then = _then(view)
    if not view.made.facts:
        lines = [
            f"**{name} sits in the {stage} already** and would lose the seat. {then}.",
            "Their match is not played any more once you have filled the seats. Do it only if they have said so. "
            "Nothing is recorded yet.",
        ]
        arg = f"{view.entrant_id}.{view.made.preview.version}"
        return Message("\n".join(lines), (Button("decline-seat", arg, "Take the seat from them…", "danger"),))
    told = "both" if len(view.moves.into) == 1 else "all"
    told = f"{name} is told" if view.sits or not view.moves.into else f"{told} are told"
    lines = [
        f"Recorded: {name} does not want the seat in the {stage}. {then}; {told}.",
        f"Was that a mistake? `/td-player reinstate` for {name} takes it back as long as nobody else has the seat.",
    ]
    return Message("\n".join(lines))


def _then(view: Declining) -> str:
    """Who gets the seat, and what follows from that (R3.8, R8.4, R8.5): in a knock-out with the match of each."""
    event, knockout = view.made.event, view.stage in KNOCKOUT

    def line(entrant_id: int, group: str) -> str:
        name, seat = escape(event.name(entrant_id)), seat_name(group)
        if entrant_id == view.entrant_id:
            return f"{name} plays in {seat}"
        return f"{name} moves up into {seat}" if knockout else f"{name} moves up"

    lines = [line(*one) for one in sorted(view.moves.into, key=lambda one: one[0] == view.entrant_id)]
    empty = [f"nobody is left for {seat_name(group)}" for group in view.moves.empty if knockout]
    text = ", ".join([*lines, *empty]) or "nobody is left to move up"
    return text if lines else text.replace("nobody", "Nobody", 1)


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

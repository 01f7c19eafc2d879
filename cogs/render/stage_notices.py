"""Words for the TD channel about the stages: who sits where, and what an exit has left empty (R8.4, R8.5, Q46)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from cogs.render import times
from cogs.render.decisions import td_set_time
from cogs.render.directors import extend_match
from cogs.render.message import TEXT_LIMIT, Button, Message, escape
from cogs.render.seatings import seat_lost, seating_lines
from cogs.render.titles import stage_name
from engine.facts import EntrantLeft, EntrantReturned
from engine.facts import Event as FactEvent
from engine.model import Stage
from engine.usecases.context import Event
from engine.usecases.matches import label
from engine.usecases.stages import repair_of

Params = Mapping[str, Any]


def seating(event: Event, p: Params) -> Message:
    stage, at = Stage(p["stage"]), datetime.fromisoformat(p["at"])
    if event.tournament.has_begun(stage):
        return Message(f"✓ **The {stage_name(stage)} have begun.**")
    lines = [
        f"**{stage_name(stage)}: the seats.** They begin by themselves {times.soon(at)}; these sit where:",
        *seating_lines(event, stage),
        "If somebody does not want the seat, `/td stage decline` asks the next one; `/td stage start` begins at once.",
    ]
    return Message("\n".join(lines)[:TEXT_LIMIT])


def stage_waits(event: Event, p: Params) -> Message:
    stage = Stage(p["stage"])
    if event.tournament.has_begun(stage):
        return Message(f"✓ **The {stage_name(stage)} have begun.**")
    head = f"**The {stage_name(stage)} cannot begin by the rules.**"
    lines = [head, *seating_lines(event, stage), "Decide how the event goes on; `/td stage start` tries again."]
    return Message("\n".join(lines)[:TEXT_LIMIT])


def seats_empty(event: Event, p: Params) -> Message:
    stage = Stage(p["stage"])
    if repair_of(event) is None:
        return Message(f"✓ **{stage_name(stage)}: all seats are taken.**")
    lines = [f"**{stage_name(stage)}: a seat is empty.** By the rules (§8.4, §8.5):", *seating_lines(event, stage)]
    lines.append("Ask whoever moves up first. `/td stage decline` passes over who does not want to.")
    return Message("\n".join(lines)[:TEXT_LIMIT], (Button("reseat", "0", "Fill the seats…", "primary"),))


def playoff_open(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    if event.has_result(match):
        return Message("✓ **The Third Place Playoff is decided**; the post about the champion has all places.")
    thread = f" <#{match.thread_id}>" if match.thread_id else ""
    return Message(
        f"**The champion is named, the Third Place Playoff is still open**: {escape(label(event, match))}{thread}. "
        f"Play by {times.deadline(event.window(match).closes)}. Places 3 and 4 follow in the same post.",
        (extend_match(match.id), td_set_time(match.id)),
    )


def seat_stays(event: Event, said: FactEvent) -> list[str]:
    """R8.4, R8.5: of somebody who is in again after the seat was filled."""
    if not isinstance(said, EntrantReturned | EntrantLeft) or (stage := seat_lost(event, said.entrant_id)) is None:
        return []
    return [
        f"The seat of {escape(event.name(said.entrant_id))} in the {stage_name(stage)} was filled meanwhile: whoever "
        "moved up keeps it. If they give it back, `/td stage decline` for them."
    ]

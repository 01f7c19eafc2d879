"""What is due for whole rounds: publication, closing, the lists of what is unplayed (R3.7, R4.3, Q7, Q9, Q10)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from engine.errors import CannotPair, Conflict
from engine.model import KNOCKOUT, EditionState, EntryState, Match, Post, Registration, Round
from engine.placing import champion_known, playoff_open
from engine.usecases.matches import in_play, may_claim
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task, base_of
from engine.usecases.posts import UNPLAYED_PER_POST, Outbox, part_size, parts_of
from engine.usecases.rounds import close_round, publish
from engine.usecases.schedule import (
    begins_stage,
    holding_up,
    late_entries_end,
    may_close,
    next_slot,
    overdue,
    registration_ends,
    slots,
    unsettled,
)
from engine.usecases.stages import repair_of

log = logging.getLogger(__name__)

LATE_ENTRIES_NAMED = timedelta(days=1)
"""So long before they are too late the TDs read which wait."""


def due(agenda: Agenda) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    if event.current_round is not None:
        yield from _of_the_round(agenda, event.current_round)
    if event.edition.state is EditionState.OPEN and (closes := registration_ends(event)) <= now:
        yield Due(f"{event.edition.guild_id}:{event.edition.key}:registration:closes", Kind.REGISTRATION_DUE, closes)
    if (shuts := late_entries_end(event)) is not None and (at := shuts - LATE_ENTRIES_NAMED) <= now:
        key = f"{event.edition.guild_id}:{event.edition.key}:late-entries:{shuts:%Y-%m-%d}"
        yield Due(key, Kind.LATE_ENTRIES, at, expires=shuts)
    for match in overdue(event, now):
        until = event.tournament.extended[match.id]
        yield Due(f"match:{match.id}:extension:{until:%Y-%m-%d}", Kind.EXTENSION_OVER, until, match_id=match.id)
    yield from _of_the_stage(agenda)
    yield from _publication(agenda)


def _of_the_round(agenda: Agenda, round: Round) -> Iterator[Due]:
    event, now = agenda.event, agenda.now
    base = base_of(event, round.stage, round.number)
    if may_close(event, round, now):
        yield Due(f"{base}:close", Kind.CLOSE, min(now, round.matches_by))
    elif unsettled(event) and now >= round.matches_by:
        yield Due(f"{base}:unplayed", Kind.UNPLAYED, round.matches_by)


def _publication(agenda: Agenda) -> Iterator[Due]:
    event = agenda.event
    slot = next_slot(event)
    if slot is None or slot.publish_at > agenda.now:
        return
    base = base_of(event, slot.stage, slot.number)
    if event.edition.state is EditionState.OPEN or holding_up(event, slot):
        yield Due(f"{base}:blocked", Kind.BLOCKED, slot.publish_at)
    else:
        yield Due(f"{base}:publish", Kind.PUBLISH, slot.publish_at)


def _of_the_stage(agenda: Agenda) -> Iterator[Due]:
    """When a stage is over: the seats of the next one, for the TDs to look at before it begins. With the Grand Final
    the champion, also while the playoff is open. In a knock-out stage: seats that an exit left empty (R8.4, R8.5)."""
    event, newest = agenda.event, agenda.event.current_round
    if newest is None:
        return
    slot, stage_is_over = next_slot(event), event.tournament.round(newest.id).closed and not event.open_matches()
    if slot is not None and begins_stage(event, slot) and stage_is_over:
        yield Due(f"{base_of(event, slot.stage, slot.number)}:seating", Kind.SEATING, agenda.now)
    if slot is None and (stage_is_over or champion_known(event.championship)):
        base, playoff = base_of(event, newest.stage, newest.number), playoff_open(event.championship)
        yield Due(f"{base}:champion", Kind.CHAMPION, agenda.now)
        if playoff is not None:
            yield Due(f"{base}:playoff-open", Kind.PLAYOFF_OPEN, agenda.now, match_id=playoff.match_id)
    if newest.stage in KNOCKOUT and (anew := repair_of(event)) is not None:
        assert anew.seating is not None
        seats = "_".join("-".join(map(str, group.entrants)) for group in anew.seating.groups)
        yield Due(f"{base_of(event, newest.stage, newest.number)}:repair:{seats}", Kind.REPAIR, agenda.now)


def moments(agenda: Agenda) -> Iterator[datetime]:
    event = agenda.event
    for slot in slots(event):
        yield slot.publish_at
    yield from event.tournament.extended.values()
    yield registration_ends(event)
    if (shuts := late_entries_end(event)) is not None:
        yield shuts - LATE_ENTRIES_NAMED
    if event.current_round is not None:
        yield event.current_round.matches_by


# --- Doing it ----------------------------------------------------------------------------------------------------


def _outbox(task: Task) -> Outbox:
    return Outbox(task.store, task.event.edition.guild_id, task.now)


def _publish(task: Task) -> None:
    slot = next_slot(task.event)
    assert slot is not None
    try:
        publish(task.store, task.event, slot, task.now)
    except Conflict as refusal:
        log.warning("%s cannot begin: %s", slot.stage, refusal)
        _outbox(task).td(task.due.key, "stage_waits", edition_id=task.event.edition.id, stage=slot.stage)
    except CannotPair as refusal:
        log.warning("round %d cannot be paired: %s", slot.number, refusal)
        reason = str(refusal.params.get("reason", ""))
        edition_id = task.event.edition.id
        _outbox(task).td(task.due.key, "cannot_pair", edition_id=edition_id, number=slot.number, reason=reason)


def _blocked(task: Task) -> None:
    """The round waits; the TDs hear of it once, with the ways out (Q9)."""
    event, key = task.event, task.due.key
    slot = next_slot(event)
    assert slot is not None
    outbox = _outbox(task)
    if event.edition.state is EditionState.OPEN:
        outbox.td(key, "registration_still_open", edition_id=event.edition.id)
    else:
        assert event.current_round is not None
        outbox.td(
            key,
            "round_waits",
            edition_id=event.edition.id,
            stage=slot.stage,
            number=slot.number,
            round_id=event.current_round.id,
            match_ids=[m.id for m in holding_up(event, slot)],
        )
        outbox.round_waits(event.current_round, slot.stage, slot.number)


def _seating(task: Task) -> None:
    slot = next_slot(task.event)
    assert slot is not None
    at = slot.publish_at.isoformat()
    _outbox(task).td(task.due.key, "seating", edition_id=task.event.edition.id, stage=slot.stage, at=at)


def _champion(task: Task) -> None:
    _outbox(task).champion(task.event.edition.id)


def _playoff_open(task: Task) -> None:
    _outbox(task).td(task.due.key, "playoff_open", edition_id=task.event.edition.id, match_id=task.match.id)


def _repair(task: Task) -> None:
    assert task.event.current_round is not None
    stage = task.event.current_round.stage
    _outbox(task).td(task.due.key, "seats_empty", edition_id=task.event.edition.id, stage=stage)


def _close(task: Task) -> None:
    assert task.event.current_round is not None
    close_round(task.store, task.event, task.event.current_round, task.now)


def _unplayed(task: Task) -> None:
    """Monday has passed: nothing is decided by silence (Q7), the TDs get the list."""
    event = task.event
    assert event.current_round is not None
    matches = unsettled(event)
    outbox = _outbox(task)
    parts = parts_of(len(matches), UNPLAYED_PER_POST)
    size = part_size(len(matches), UNPLAYED_PER_POST)
    seen = _seen_of(task, matches)
    for part in range(parts):
        outbox.td(
            f"{task.due.key}:{part}" if part else task.due.key,
            "unplayed",
            edition_id=event.edition.id,
            round_id=event.current_round.id,
            match_ids=[m.id for m in matches[part * size : (part + 1) * size]],
            part=part,
            parts=parts,
            **seen,
        )
    for match in matches:
        _over(task, outbox, match)


def _over(task: Task, outbox: Outbox, match: Match) -> None:
    """Q7: both are told, unless what the TDs have taken back since has told them just now."""
    taken_back = {fact.id for fact in task.event.ledger.facts if fact.reverts_id is not None}
    posts = task.store.find(Post, target=f"thread:{match.id}", kind="decided")
    if any(post.payload["fact_id"] in taken_back and post.created_at >= task.due.at for post in posts):
        outbox.time_over(match)
    else:
        outbox.overdue(match, task.due.at)


def _seen_of(task: Task, matches: Sequence[Match]) -> Mapping[str, Sequence[object]]:
    """What the evening knows of matches whose time is over: those in play (Q8), and who may still claim a win."""
    store, event, now = task.store, task.event, task.now
    claims = [(match.id, may_claim(store, event, match, now)) for match in matches]
    return {
        "playing": [match.id for match in matches if in_play(store, event, match, now)],
        "claims": [[id, entrant] for id, entrant in claims if entrant is not None],
    }


def _registration_due(task: Task) -> None:
    """A TD closes the registration (R2.8); the bot only says that its day has come."""
    outbox = _outbox(task)
    outbox.td(task.due.key, "registration_due", edition_id=task.event.edition.id)
    outbox.edition_news(task.event.edition.id, "over")


def _late_entries(task: Task) -> None:
    """Q44g: entries that nobody has decided are too late as soon as that round is published."""
    states = [EntryState.PENDING, EntryState.FROZEN]
    waiting = task.store.find(Registration, edition_id=task.event.edition.id, state=states)
    if waiting:
        names = [entry.lichess_name for entry in waiting]
        outbox = _outbox(task)
        assert task.due.expires is not None
        ends = task.due.expires.isoformat()
        outbox.td(task.due.key, "late_entries", edition_id=task.event.edition.id, names=names, ends=ends)


def _extension_over(task: Task) -> None:
    """Q10: the extended match is open still; a TD extends it again or rules."""
    outbox = _outbox(task)
    seen = _seen_of(task, [task.match])
    outbox.td(task.due.key, "extension_over", edition_id=task.event.edition.id, match_ids=[task.match.id], **seen)
    _over(task, outbox, task.match)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.PUBLISH: _publish,
    Kind.BLOCKED: _blocked,
    Kind.CLOSE: _close,
    Kind.UNPLAYED: _unplayed,
    Kind.EXTENSION_OVER: _extension_over,
    Kind.REGISTRATION_DUE: _registration_due,
    Kind.LATE_ENTRIES: _late_entries,
    Kind.SEATING: _seating,
    Kind.CHAMPION: _champion,
    Kind.PLAYOFF_OPEN: _playoff_open,
    Kind.REPAIR: _repair,
}

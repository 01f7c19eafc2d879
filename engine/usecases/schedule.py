"""The calendar against what has been published: what comes next, what holds it up, how long it may take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from engine.calendar import RoundSlot, edition_calendar, extension_limit
from engine.errors import NotFound
from engine.match_rulings import Deadlines
from engine.model import EditionState, Match, Round, Stage
from engine.stages import pool_rounds
from engine.usecases.context import Event, dates_of

LATE = timedelta(hours=1)
"""A round that comes out so much after its due moment says so."""
_WEEK = timedelta(weeks=1)


def entrants_of(event: Event) -> int:
    """The entrants that fix the number of rounds: those in the first publication (R3.4), until then all still in."""
    published = event.tournament.stage_rounds(Stage.QUALIFICATION)
    if published:
        return 2 * len(published[0].pairs) + (published[0].bye is not None)
    return sum(event.tournament.is_in(id) for id in event.entrants)


def planned(event: Event) -> tuple[RoundSlot, ...]:
    """The calendar as the ruleset has it. The first rounds come out on the same days however many enter."""
    return edition_calendar(event.rules, event.edition.starts, max(2, entrants_of(event)))


def slots(event: Event) -> tuple[RoundSlot, ...]:
    """The calendar as it stands: what a round came out later by whole weeks, all rounds after it are later too."""
    lag = lag_of(event)
    return tuple(slot if lag == timedelta(0) else _moved(slot, lag) for slot in planned(event))


def lag_of(event: Event) -> timedelta:
    """By how much the newest round's match deadline is later than planned."""
    return _lag(event, event.current_round)


def _lag(event: Event, round: Round | None) -> timedelta:
    return timedelta(0) if round is None else round.matches_by - _planned_slot(event, round).matches_by


def _planned_slot(event: Event, round: Round) -> RoundSlot:
    for slot in planned(event):
        if (slot.stage, slot.number) == (round.stage, round.number):
            return slot
    raise NotFound("round", id=round.id)


def expected_slot(event: Event, round: Round) -> RoundSlot:
    """When a published round was to come: as planned, moved with the rounds before it."""
    earlier = [other for other in event.rounds if other.id < round.id]
    return _moved(_planned_slot(event, round), _lag(event, earlier[-1] if earlier else None))


def is_over(event: Event, now: datetime) -> bool:
    """After the last match deadline of the calendar, when every match has a result."""
    return now >= slots(event)[-1].matches_by and not event.open_matches()


def next_slot(event: Event) -> RoundSlot | None:
    """The first round of the calendar that is not published yet; None after the last."""
    done = {(r.stage, r.number) for r in event.tournament.rounds}
    coming = (slot for slot in slots(event) if (slot.stage, slot.number) not in done)
    return next((slot for slot in coming if _is_played(event, slot)), None)


def _is_played(event: Event, slot: RoundSlot) -> bool:
    """Smaller pools have fewer rounds than the calendar has room for (R3.9, Q52c)."""
    begun = event.tournament.has_begun(Stage.CANDIDATES)
    return slot.stage is not Stage.CANDIDATES or not begun or slot.number <= pool_rounds(event.championship)


def begins_stage(event: Event, slot: RoundSlot) -> bool:
    """A later stage begins with it: its seats rest on every result of the stage before (R3.2)."""
    return slot.stage is not Stage.QUALIFICATION and not event.tournament.has_begun(slot.stage)


def holding_up(event: Event, slot: RoundSlot) -> list[Match]:
    """The matches without a result for which that round waits (Q9): an extended one holds up the next stage, too."""
    return event.open_matches() if begins_stage(event, slot) else unsettled(event)


def slot_from(event: Event, slot: RoundSlot, now: datetime) -> RoundSlot:
    """The slot a round gets that is published now. Deadlines stay as planned (Q14), unless the time for offers is over
    already: then the round, and with it all later ones, moves by whole weeks, until there is time enough again."""
    if now < slot.offers_by:
        return slot
    enough = now + event.rules.week.late_publication
    return _moved(slot, -(-(enough - slot.offers_by) // _WEEK) * _WEEK)


def deadlines_from(event: Event, round: Round, now: datetime) -> Deadlines | None:
    """R8.4, R8.5, Q14: of a match that is paired in a round that runs, in place of another. None: those of the round
    leave time enough for offers; else they are later by whole weeks, and what comes after waits for the match."""
    enough = now + event.rules.week.late_publication
    if enough <= round.offers_by:
        return None
    by = -(-(enough - round.offers_by) // _WEEK) * _WEEK
    return Deadlines(round.offers_by + by, round.matches_by + by)


def _moved(slot: RoundSlot, by: timedelta) -> RoundSlot:
    return replace(
        slot, publish_at=slot.publish_at + by, offers_by=slot.offers_by + by, matches_by=slot.matches_by + by
    )


def unsettled(event: Event) -> list[Match]:
    """Matches of the newest round without a result that no TD has extended: they hold the next round up (Q9)."""
    if event.current_round is None:
        return []
    open_ids = {pair.match_id for pair in event.tournament.open_matches(event.current_round.id)}
    return [m for m in event.matches_of(event.current_round.id) if m.id in open_ids - event.tournament.extended.keys()]


def overdue(event: Event, now: datetime) -> list[Match]:
    """Matches of any round that were extended, and whose extension has ended without a result (Q10)."""
    return [event.matches[id] for id, until in sorted(event.tournament.extended.items()) if until <= now]


def extension_end(event: Event, now: datetime, matches: Iterable[Match]) -> datetime:
    """Q10: the next round's match deadline, as it is, or as it will be when that round comes out; after the last round
    of a stage the end of the free week, or the first such deadline to come: an exception of the TDs (R5.10). Where no
    free week follows, as after the Semifinals, it is a week later, and the next stage waits. Of matches of several
    rounds the newest round counts."""
    current = event.current_round
    assert current is not None
    own = max((event.round_of(match) for match in matches), key=lambda round: round.id)
    after = next((r for r in event.rounds if r.id > own.id and r.stage is own.stage), None)
    if after is not None and after.matches_by > now:
        return after.matches_by
    coming = next_slot(event)
    if coming is not None and coming.stage is current.stage:
        return slot_from(event, coming, now).matches_by
    limit = extension_limit(event.rules, event.edition.starts, entrants_of(event), current.stage, current.number)
    end = (limit + lag_of(event)) if limit else current.matches_by + _WEEK
    past = max(now, current.matches_by)
    return end if end > past else end + ((past - end) // _WEEK + 1) * _WEEK


def kept_waiting(event: Event, until: datetime) -> Stage | None:
    """The stage that is due before a match extended until then has ended, and so waits for it (R3.2)."""
    slot = next_slot(event)
    return slot.stage if slot is not None and begins_stage(event, slot) and slot.publish_at < until else None


def table_lines(event: Event, round: Round) -> int:
    """How many lines the table after a round of this stage has, as far as it may need several posts."""
    return len(event.entrants) if round.stage is Stage.QUALIFICATION else 1


def may_close(event: Event, round: Round, now: datetime) -> bool:
    """At once when every match has a result; with extended matches not before the match deadline, as long as other
    matches of the round may still be played (Q9)."""
    if event.tournament.round(round.id).closed or unsettled(event):
        return False
    return now >= round.matches_by or not event.tournament.open_matches(round.id)


def registration_ends(event: Event) -> datetime:
    """The day of the ruleset, moved with the edition, at 00:00."""
    return dates_of(event.edition)["registration.closes"].moment


def can_enter(event: Event, now: datetime) -> bool:
    """R2.8, Q44g: while registration is open, until its day, and then as a late entry."""
    if event.edition.state is EditionState.CLOSED:
        return late_entry_open(event)
    return event.edition.state is EditionState.OPEN and now < registration_ends(event)


def late_entries_end(event: Event) -> datetime | None:
    """Q44g: when the round is due before which late entries come in; None before the seeds and once it is out."""
    if event.edition.state is not EditionState.CLOSED or not late_entry_open(event):
        return None
    last = event.rules.registration.late_entry_before_round
    coming = (slot for slot in slots(event) if slot.stage is Stage.QUALIFICATION and slot.number == last)
    slot = next(coming, None)
    return slot.publish_at if slot is not None else None


def late_entry_open(event: Event) -> bool:
    """Q44g: a late entry must come before that round is published."""
    rounds = event.tournament.stage_rounds(Stage.QUALIFICATION)
    published = max((r.number for r in rounds), default=0)
    return published < event.rules.registration.late_entry_before_round

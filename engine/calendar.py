"""The calendar of a whole edition (R4), made from the ruleset, the start day and the number of entrants alone.

Every datetime is aware UTC; deadlines are exclusive ends ("Friday 23:59" is Saturday 00:00:00). A published round
keeps the deadlines of its `Round` row: this calendar says when a round is meant to be, not what became of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from engine.errors import BadInput, NotFound
from engine.model import Stage, round_code
from engine.rules import Ruleset
from engine.rules.dates import weeks_between
from engine.rules.week import first_publication, next_publication, window

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RoundSlot:
    """When a round is published, until when offers are due (R5.1) and until when its matches are played (R4.4)."""

    stage: Stage
    number: int
    publish_at: datetime
    offers_by: datetime
    matches_by: datetime

    @property
    def code(self) -> str:
        return round_code(self.stage, self.number)


class ReminderKind(StrEnum):
    """The reading of R5.1: no offer yet, fewer than the duty (*the* Friday ping), and the last call."""

    NO_OFFER = "no_offer"
    TOO_FEW = "too_few"
    LAST_CALL = "last_call"


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something to remind of at a moment; `key` is stable: `qualification:r3:remind:too_few`."""

    key: str
    at: datetime
    kind: ReminderKind


@dataclass(frozen=True, slots=True)
class LateRound:
    """Q14: what is left until the offer deadline, and by how many whole days to extend so that enough is left."""

    left: timedelta
    extend_by: timedelta


class NegotiatedRound(Protocol):
    """What reminders and Q14 need to know of a round: a `RoundSlot` or a published `engine.model.Round`."""

    @property
    def stage(self) -> Stage: ...
    @property
    def number(self) -> int: ...
    @property
    def offers_by(self) -> datetime: ...
    @property
    def matches_by(self) -> datetime: ...


def rounds(ruleset: Ruleset, entrants: int) -> int:
    """R3.4: the rounds of the Qualification. Fewer than two entrants raise BadInput(code="too_few_entrants")."""
    if entrants < 2:
        raise BadInput("too_few_entrants", clause="R3.4", given=entrants, least=2)
    return ruleset.swiss.rounds(entrants)


def rounds_of(ruleset: Ruleset, stage: Stage, entrants: int) -> int:
    """How many rounds, and so weeks of play, a stage has; a pool meets in Berger rounds (R3.9)."""
    if stage is Stage.QUALIFICATION:
        return rounds(ruleset, entrants)
    if stage is Stage.CANDIDATES:
        longest = max(pool.size for seating in ruleset.candidates.seating for pool in seating.pools)
        return ruleset.candidates.encounters * (longest - 1 + longest % 2)
    return 1


def edition_calendar(ruleset: Ruleset, starts: date, entrants: int) -> tuple[RoundSlot, ...]:
    """Every round of the edition in order, with the free weeks of R4.2 left out.

    `starts` is the day of the first pairings (R4.3). Raises BadInput `start_weekday` (another weekday than the
    ruleset's own start), `start_year` and `too_few_entrants`.
    """
    weeks_between(ruleset, starts)
    week = ruleset.week
    publish_at = first_publication(week, starts)
    slots: list[RoundSlot] = []
    for stage in Stage:
        if slots:
            publish_at = next_publication(week, slots[-1].matches_by, week.free_weeks_before(stage))
        for number in range(1, rounds_of(ruleset, stage, entrants) + 1):
            span = window(week, publish_at)
            slots.append(RoundSlot(stage, number, span.publish_at, span.offers_by, span.matches_by))
            publish_at = next_publication(week, span.matches_by)
    return tuple(slots)


def slot(ruleset: Ruleset, starts: date, entrants: int, stage: Stage, number: int) -> RoundSlot:
    """The slot of one round; NotFound(code="round") when the stage has no round of that number."""
    for found in edition_calendar(ruleset, starts, entrants):
        if (found.stage, found.number) == (stage, number):
            return found
    raise NotFound("round", stage=stage, number=number, last=rounds_of(ruleset, stage, entrants))


def ends_at(ruleset: Ruleset, starts: date, entrants: int) -> datetime:
    """The exclusive end of the last round of the edition."""
    return edition_calendar(ruleset, starts, entrants)[-1].matches_by


def extension_limit(ruleset: Ruleset, starts: date, entrants: int, stage: Stage, number: int) -> datetime | None:
    """Q10: the latest end a TD may give a match of that round (exclusive).

    Inside a stage the match deadline of the next round; in the last round of a stage the end of the free weeks that
    follow, so its own deadline where none follow; None after the very last round, where nothing waits.
    """
    slots = edition_calendar(ruleset, starts, entrants)
    this = slot(ruleset, starts, entrants, stage, number)
    following = next((later for later in slots if later.publish_at > this.publish_at), None)
    if following is None:
        return None
    if following.stage is stage:
        return following.matches_by
    return this.matches_by + timedelta(weeks=ruleset.week.free_weeks_before(following.stage))


def reminders(ruleset: Ruleset, slot: NegotiatedRound) -> tuple[Reminder, ...]:
    """The reading of R5.1: the three reminders before the offer deadline, in order of time."""
    part = ruleset.reminders
    moments = (
        (ReminderKind.NO_OFFER, part.no_offer),
        (ReminderKind.TOO_FEW, part.too_few),
        (ReminderKind.LAST_CALL, part.last_call),
    )
    return tuple(
        Reminder(f"{slot.stage}:r{slot.number}:remind:{kind}", when.last_before(slot.offers_by), kind)
        for kind, when in moments
    )


def choose_by(ruleset: Ruleset, slot: NegotiatedRound) -> datetime:
    """R5.5, Q5: until when (exclusive) the innocent side may choose the time; after that a TD sets it."""
    return ruleset.set_time.choose_by.next_after(slot.offers_by)


def late_round(ruleset: Ruleset, slot: NegotiatedRound, published_at: datetime) -> LateRound | None:
    """Q14: None when a publication leaves enough time until the offer deadline, else the extension to propose.

    The deadlines of the calendar stay until a TD extends. Whole days keep the hour of the deadlines.
    """
    left = slot.offers_by - published_at
    short = ruleset.week.late_publication - left
    if short <= timedelta(0):
        return None
    return LateRound(left, -(-short // _DAY) * _DAY)

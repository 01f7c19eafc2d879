"""What was decided about the time of a match: whose fault it is that there is none, and what was set (R5.5-R5.10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from engine.chain import Chain, Entry, root_of
from engine.facts import DeciderSet, DutyWaived, FaultFound, MatchExtended, TimerRuled, TimeSet
from engine.model import Authority, Fact

BOTH_FAILED = "both_failed"
"""The kind of the forfeits of R5.6 (Q24)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding that stands. `deemed_at`: since when it counts; `found_at`: when it was recorded; `by_td`: a ruling."""

    at_fault: tuple[int, ...]
    deemed_at: datetime
    found_at: datetime
    by_td: bool
    fact_id: int


@dataclass(frozen=True, slots=True)
class Setting:
    """A time that was set; `by`: an entrant, None for a TD."""

    at: datetime
    by: int | None
    set_at: datetime
    fact_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Of one match. `offers_by`, `play_by`: the deadlines where a TD has moved them. `times`: those that were set, in
    order; a later agreement of the players replaces the latest. `lifted`: TDs have taken back what R5.6 had made of the
    fault of both, so it counts no more. `timers`: by id the ten minutes that a TD has extended, or stopped: None.
    `forfeits_lifted`: by the moment at which they were recorded the kinds of the forfeits that TDs have taken back
    (R6.5). `decider_alone`: only the armageddon game is played (Q33). `reopened_at`: when TDs last took a result of the
    match back: what had run before it, the ten minutes and the time for bids, runs anew. Two states that differ by it
    alone are the same, since a result that is taken back leaves everything as it was."""

    offers_by: datetime | None = None
    play_by: datetime | None = None
    fault: Fault | None = None
    waived: frozenset[int] = frozenset()
    times: tuple[Setting, ...] = ()
    lifted: bool = False
    timers: Mapping[int, datetime | None] = field(default_factory=dict[int, datetime | None])
    forfeits_lifted: Mapping[datetime, str] = field(default_factory=dict[datetime, str])
    decider_alone: bool = False
    reopened_at: datetime | None = field(default=None, compare=False)

    @property
    def set(self) -> Setting | None:
        """The latest time that was set."""
        return self.times[-1] if self.times else None

    @property
    def first_set_at(self) -> datetime | None:
        """When a time was set for the first time."""
        return self.times[0].set_at if self.times else None

    @property
    def at_fault(self) -> tuple[int, ...]:
        """Those found at fault whose duty was not waived."""
        if self.fault is None or (self.lifted and len(self.fault.at_fault) > 1):
            return ()
        return tuple(e for e in self.fault.at_fault if e not in self.waived)

    @property
    def both_failed(self) -> bool:
        """R5.6: both are at fault by the rule, and no TD has set them a time since, which lets them play (R5.10)."""
        if self.fault is None or self.fault.by_td or len(self.at_fault) < 2:
            return False
        return self.set is None or self.set.by is not None or self.set.set_at < self.fault.found_at


NO_TERMS = Terms()


def terms_of(standing: Chain) -> Mapping[int, Terms]:
    """By match id, of the matches about which anything was decided; the latest decision of each kind counts."""
    found: dict[int, Terms] = {}
    for entry in standing.entries:
        event = entry.event
        if isinstance(event, _About):
            found[event.match_id] = _with(found.get(event.match_id, NO_TERMS), entry, event)
    for match_id in _lifted(standing) & found.keys():
        found[match_id] = replace(found[match_id], lifted=True)
    for match_id, at in _reopened(standing).items():
        found[match_id] = replace(found.get(match_id, NO_TERMS), reopened_at=at)
    for fact in _forfeits_lifted(standing):
        terms = found.get(fact.payload["match_id"], NO_TERMS)
        lifted = {**terms.forfeits_lifted, fact.recorded_at: str(fact.payload["forfeit"])}
        found[fact.payload["match_id"]] = replace(terms, forfeits_lifted=lifted)
    return MappingProxyType(found)


def _lifted(standing: Chain) -> set[int]:
    """The matches for which R5.6 was applied and does not stand any more."""
    return {f.payload["match_id"] for f in _forfeits_lifted(standing) if f.payload["forfeit"] == BOTH_FAILED}


def _forfeits_lifted(standing: Chain) -> list[Fact]:
    """What was ruled a forfeit and does not stand any more."""
    applied = [fact for fact in standing.ledger if fact.payload.get("forfeit") and "match_id" in fact.payload]
    stands = {entry.fact.id for entry in standing.entries} if applied else set[int]()
    return [fact for fact in applied if fact.id not in stands]


def _reopened(standing: Chain) -> dict[int, datetime]:
    """By match id the last moment at which a result was taken back."""
    found: dict[int, datetime] = {}
    by_id = {fact.id: fact for fact in standing.ledger}
    stand = {entry.fact.id for entry in standing.entries}
    for fact in standing.ledger:
        if fact.reverts_id is not None:
            result, stands = root_of(fact, by_id)
            if result.kind in _RESULTS and not stands and result.id not in stand:
                found[result.payload["match_id"]] = fact.recorded_at
    return found


_RESULTS = frozenset({"match_ruled", "match_played", "match_voided"})
_About = MatchExtended | FaultFound | DutyWaived | TimeSet | DeciderSet | TimerRuled


def _with(terms: Terms, entry: Entry, event: _About) -> Terms:
    fact = entry.fact
    match event:
        case MatchExtended():
            return replace(terms, offers_by=event.offers_by or terms.offers_by, play_by=event.until)
        case FaultFound():
            by_td = fact.authority is Authority.TD
            # A finding after a waiver is about what came then.
            waived = frozenset[int]() if by_td else terms.waived
            found = Fault(event.at_fault, fact.occurred_at, fact.recorded_at, by_td, fact.id)
            return replace(terms, fault=found, waived=waived)
        case DutyWaived():
            return replace(terms, waived=terms.waived | frozenset(event.entrants))
        case TimerRuled():
            return replace(terms, timers={**terms.timers, event.timer_id: event.until})
        case TimeSet() | DeciderSet():
            by = event.by if isinstance(event, TimeSet) else None
            latest = Setting(event.at, by, fact.recorded_at, fact.id)
            alone = terms.decider_alone or isinstance(event, DeciderSet)
            return replace(terms, times=(*terms.times, latest), decider_alone=alone)

"""How often what goes wrong, and how much the field can bear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from acwc_bot.simulation.chance import Chance
from engine.championship import Championship
from engine.model import Stage


class Fate(StrEnum):
    """What becomes of a match. DECIDER: no time is left for a knock-out match but for an armageddon game (Q33)."""

    PLAYED = "played"
    NO_SHOW = "no_show"
    LEFT = "left"
    CONCEDED = "conceded"
    BOTH_FAILED = "both_failed"
    NO_FAULT = "no_fault"
    DOUBLE = "double"
    EXTENDED = "extended"
    STOPPED_EARLY = "stopped_early"
    DECIDER = "decider"


_IN_SWISS: Mapping[Fate, float] = MappingProxyType(
    {
        Fate.NO_SHOW: 0.02,
        Fate.LEFT: 0.01,
        Fate.CONCEDED: 0.01,
        Fate.BOTH_FAILED: 0.01,
        Fate.NO_FAULT: 0.01,
        Fate.DOUBLE: 0.005,
        Fate.EXTENDED: 0.02,
    }
)
_IN_POOL: Mapping[Fate, float] = MappingProxyType(
    {
        Fate.NO_SHOW: 0.02,
        Fate.LEFT: 0.01,
        Fate.CONCEDED: 0.01,
        Fate.NO_FAULT: 0.01,
        Fate.EXTENDED: 0.03,
        Fate.STOPPED_EARLY: 0.02,
    }
)
_IN_KNOCKOUT: Mapping[Fate, float] = MappingProxyType(
    {
        Fate.NO_SHOW: 0.03,
        Fate.LEFT: 0.03,
        Fate.CONCEDED: 0.03,
        Fate.DECIDER: 0.03,
    }
)
_IN_SEMIFINAL: Mapping[Fate, float] = MappingProxyType({**_IN_KNOCKOUT, Fate.BOTH_FAILED: 0.03})


@dataclass(frozen=True, slots=True, kw_only=True)
class Accidents:
    """Rates. `matches`: by stage, per match. `leaving`: by stage, per player and week; `between`: in the time between
    two stages; `by_ruling`: how many of these are disqualified. `marked`: an engine mark in the Qualification.
    `undone`: an exit that is reverted a week later. `late`: a late entry, twice at most. `declined`: of those invited
    to the Candidates and of those who move up later. `missed_again`: of extended matches. `keep`: accidents leave at
    least so many for the Candidates; None: enough for every place.
    """

    matches: Mapping[Stage, Mapping[Fate, float]] = field(
        default_factory=lambda: MappingProxyType(
            {
                Stage.QUALIFICATION: _IN_SWISS,
                Stage.CANDIDATES: _IN_POOL,
                Stage.SEMIFINALS: _IN_SEMIFINAL,
                Stage.FINALS: _IN_KNOCKOUT,
            }
        )
    )
    leaving: Mapping[Stage, float] = field(
        default_factory=lambda: MappingProxyType(
            {
                Stage.QUALIFICATION: 0.005,
                Stage.CANDIDATES: 0.01,
                Stage.SEMIFINALS: 0.06,
                Stage.FINALS: 0.06,
            }
        )
    )
    between: float = 0.02
    by_ruling: float = 0.25
    marked: float = 0.95
    undone: float = 0.6
    late: float = 0.5
    declined: float = 0.03
    declined_later: float = 0.25
    missed_again: float = 0.1
    keep: int | None = None

    def fate(self, stage: Stage, chance: Chance) -> Fate:
        drawn = chance.random()
        for fate, rate in self.matches[stage].items():
            if drawn < rate:
                return fate
            drawn -= rate
        return Fate.PLAYED


def to_spare(event: Championship, keep: int | None = None) -> int:
    """How many players the edition can lose now and still fill the Candidates, or three places of every pool.

    `keep`: as in `Accidents`. Who is about to be disqualified for forfeits is lost already. In a knock-out nobody is
    needed: seats are refilled.
    """
    stage = event.tournament.rounds[-1].stage if event.tournament.rounds else Stage.QUALIFICATION
    if stage is Stage.QUALIFICATION:
        direct = len(event.direct)
        needed = event.rules.candidates.seating_for(direct).qualifiers if keep is None else keep - direct
        declined = event.tournament.declined.get(Stage.CANDIDATES, frozenset())
        return _staying(event, [e for e in event.swiss_seeds if e not in declined]) - needed
    if stage is Stage.CANDIDATES:
        pools = event.tournament.seated[Stage.CANDIDATES]
        return min(_staying(event, pool.entrants) for pool in pools) - 3
    return len(event.entrants)


def may_forfeit(event: Championship, entrants: Sequence[int], keep: int | None = None) -> bool:
    """Whether the edition can bear it if all of these forfeit a match now (R6.5)."""
    last = event.rules.forfeits.to_disqualify - 1
    lost = [e for e in entrants if len(event.tournament.forfeits.get(e, ())) >= last]
    return len(lost) <= max(to_spare(event, keep), 0)


def _staying(event: Championship, entrants: Sequence[int]) -> int:
    limit = event.rules.forfeits.to_disqualify
    tournament = event.tournament
    return sum(tournament.is_in(e) and len(tournament.forfeits.get(e, ())) < limit for e in entrants)

"""Which published rounds were paired on a state that no longer holds: their pairings stay (Q10, Q44d), this says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.chain import chain
from engine.exits import LeavingRules
from engine.facts import EntrantReturned
from engine.ledger import fold
from engine.model import Fact
from engine.tournament import Result, ResultKind, Tournament


@dataclass(frozen=True, slots=True)
class OutdatedRound:
    """`matches`: those of earlier rounds that count otherwise now than when the round was paired; `absent`: who was
    taken for gone then, and was not (an exit that has been reverted since)."""

    round_id: int
    matches: tuple[int, ...]
    absent: tuple[int, ...]


def paired_on(facts: Sequence[Fact], leaving: LeavingRules | None = None) -> Mapping[int, Tournament]:
    """Round id -> the state on which the pairings that stand were made; those of a preview are left out."""
    now = fold(facts, leaving=leaving)
    return MappingProxyType(
        {r.round_id: fold(facts, until_fact=r.fact_id, leaving=leaving) for r in now.rounds if r.fact_id}
    )


def outdated(
    facts: Sequence[Fact], now: Tournament, then: Mapping[int, Tournament] | None = None
) -> tuple[OutdatedRound, ...]:
    """The rounds that were built on another state than `now`, the fold of these facts; oldest first.

    `then`: what `paired_on` gives for these facts, or for those of them that are stored.
    """
    paired = paired_on(facts) if then is None else then
    let_back = {event.entrant_id for _, event in chain(facts).of(EntrantReturned)}
    found: list[OutdatedRound] = []
    earlier: list[int] = []
    for published in now.rounds:
        was = paired.get(published.round_id)
        if was is not None:
            changed = tuple(m for m in earlier if _counts(was.results.get(m)) != _counts(now.results.get(m)))
            absent = tuple(sorted(e for e in was.left if now.is_in(e) and e not in let_back))
            if changed or absent:
                found.append(OutdatedRound(published.round_id, changed, absent))
        earlier.extend(pair.match_id for pair in published.pairs)
    return tuple(found)


def _counts(result: Result | None) -> tuple[int, int, bool] | None:
    """What of a result decides pairings: the points, and whether the two have met (Q42)."""
    return None if result is None else (result.a, result.b, result.kind is ResultKind.VOIDED)

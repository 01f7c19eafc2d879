"""The Lichess accounts of an entrant, one after the other (Q55): those of the entry first, then each change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engine.model import Entrant
from engine.tournament import AccountTaken


@dataclass(frozen=True, slots=True)
class Held:
    """An account and the period in which its games count: since <= moment < until; None is without end."""

    lichess_id: str
    name: str
    since: datetime | None
    until: datetime | None

    def counts_at(self, moment: datetime) -> bool:
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)

    def meets(self, since: datetime, until: datetime) -> bool:
        """Whether the periods have a moment in common."""
        return (self.since is None or self.since < until) and (self.until is None or since < self.until)


def held(entered: Entrant, taken: Sequence[AccountTaken]) -> tuple[Held, ...]:
    """The accounts of an entrant in order. Another name of the same account begins no new period."""
    periods = [Held(entered.lichess_id, entered.name, None, None)]
    for change in taken:
        last = periods[-1]
        if change.lichess_id == last.lichess_id:
            periods[-1] = replace(last, name=change.name)
        else:
            periods[-1] = replace(last, until=change.at)
            periods.append(Held(change.lichess_id, change.name, change.at, None))
    return tuple(periods)


def as_now(entered: Entrant, taken: Sequence[AccountTaken]) -> Entrant:
    """The entrant with the account and the name of now; the seed stays."""
    if not taken:
        return entered
    return replace(entered, lichess_id=taken[-1].lichess_id, name=taken[-1].name)


def holder_of(
    lichess_id: str, entered: Iterable[Entrant], taken: Mapping[int, Sequence[AccountTaken]]
) -> Entrant | None:
    """Who plays with that account, or has played with it: either way nobody else can have it (R2.6)."""
    for entrant in entered:
        if lichess_id in {period.lichess_id for period in held(entrant, taken.get(entrant.id, ()))}:
            return entrant
    return None

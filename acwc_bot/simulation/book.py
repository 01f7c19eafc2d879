"""The ledger of the simulated edition, and what is told about it. The state is always the fold of the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from acwc_bot.simulation.field import EDITION
from engine.armageddon import ColoursFixed
from engine.championship import Championship, championship
from engine.errors import AcwcError
from engine.facts import Event, RoundPublished, encode, kind_of
from engine.model import Authority, Entrant, Fact, Stage
from engine.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Happening:
    """Something out of the ordinary. `kind`: a key of `tables.WORDS`; `entrants`: whom it is about, in its order."""

    at: datetime
    stage: Stage
    number: int
    kind: str
    entrants: tuple[int, ...]
    clause: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """What came of a run. `bids`: match id -> how the armageddon game was settled. `allowed`: pairs who met again in
    the Qualification because a TD allowed it. `halted`: where the rules leave it to the TDs, None when it was played to
    its end."""

    event: Championship
    happenings: Sequence[Happening]
    bids: Mapping[int, ColoursFixed]
    allowed: frozenset[frozenset[int]]
    halted: AcwcError | None


@dataclass(slots=True)
class Book:
    """What is written down. `record` appends a fact; `event` is the fold of all of them. `newest`: stage and number of
    the round published last."""

    key: str
    rules: Ruleset
    entrants: list[Entrant]
    facts: list[Fact] = field(default_factory=list[Fact])
    happenings: list[Happening] = field(default_factory=list[Happening])
    bids: dict[int, ColoursFixed] = field(default_factory=dict[int, ColoursFixed])
    matches: int = 0
    newest: tuple[Stage, int] = (Stage.QUALIFICATION, 1)
    _event: Championship | None = None

    @property
    def event(self) -> Championship:
        if self._event is None:
            self._event = championship(self.key, self.rules, self.entrants, tuple(self.facts))
        return self._event

    def record(
        self,
        event: Event,
        at: datetime,
        *,
        clause: str,
        authority: Authority = Authority.SYSTEM,
        reverts: int | None = None,
        replaces: int | None = None,
    ) -> Fact:
        if self.facts and at < self.facts[-1].recorded_at:
            raise ValueError(f"{event} at {at}, after {self.facts[-1]}")
        fact = Fact(
            id=len(self.facts) + 1,
            edition_id=EDITION,
            kind=kind_of(event),
            payload=encode(event),
            authority=authority,
            clause=clause,
            reverts_id=reverts,
            replaces_id=replaces,
            occurred_at=at,
            recorded_at=at,
        )
        self.facts.append(fact)
        self._event = None
        if isinstance(event, RoundPublished):
            self.newest = event.stage, event.number
        return fact

    def enter(self, entrant: Entrant) -> None:
        self.entrants.append(entrant)
        self._event = None

    def tell(self, at: datetime, kind: str, entrants: Sequence[int], clause: str, detail: str = "") -> None:
        stage, number = self.newest
        self.happenings.append(Happening(at, stage, number, kind, tuple(entrants), clause, detail))

    def entrant(self, id: int) -> Entrant:
        """Ids are places in the order of entry."""
        return self.entrants[id - 1]

    def new_match(self) -> int:
        self.matches += 1
        return self.matches

"""Which facts of a ledger stand: a revert takes a fact away, a replacement takes its place, and either can be
reverted in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from engine.errors import NotFound
from engine.facts import Event, decode
from engine.model import Fact

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact that stands. `turn`: its place in the ledger; `since`: that of the first fact it replaces."""

    turn: int
    since: int
    fact: Fact
    event: Event


@dataclass(frozen=True, slots=True)
class Chain:
    """The ledger in order, and the entries that stand, in order."""

    ledger: tuple[Fact, ...]
    entries: tuple[Entry, ...]

    def of(self, kind: type[E]) -> Iterator[tuple[Entry, E]]:
        """The standing entries of one kind of event, in order."""
        for entry in self.entries:
            if isinstance(entry.event, kind):
                yield entry, entry.event

    def paired_at(self) -> dict[int, int]:
        """Match id -> the turn at which its pair was first published, by publications that were replaced too."""
        found: dict[int, int] = {}
        for turn, fact in enumerate(self.ledger):
            for pair in fact.payload.get("pairs", ()):
                found.setdefault(pair["match_id"], turn)
        return found


def chain(facts: Iterable[Fact], *, until_fact: int | None = None, until: datetime | None = None) -> Chain:
    """The ledger up to a fact id or up to a recording time (inclusive).

    Facts count in the order of their ids; a fact that is not stored yet (id 0, a preview) comes last. Raises
    NotFound("fact") when a fact reverts or replaces one that is not before it.
    """
    ledger = part_of(facts, until_fact=until_fact, until=until)
    return Chain(ledger, tuple(_standing(ledger)))


def root_of(fact: Fact, by_id: Mapping[int, Fact]) -> tuple[Fact, bool]:
    """What a fact is about in the end, and whether it says that this stands: a revert takes back, one of a revert gives
    back. A fact that reverts nothing is about itself."""
    stands = True
    while fact.reverts_id is not None:
        fact, stands = by_id[fact.reverts_id], not stands
    return fact, stands


def part_of(facts: Iterable[Fact], *, until_fact: int | None = None, until: datetime | None = None) -> tuple[Fact, ...]:
    """The facts in the order of `chain`, up to a fact id or up to a recording time (inclusive)."""
    return tuple(sorted((f for f in facts if _within(f, until_fact, until)), key=lambda f: (f.id == 0, f.id)))


def _within(fact: Fact, until_fact: int | None, until: datetime | None) -> bool:
    if until_fact is not None and (fact.id == 0 or fact.id > until_fact):
        return False
    return until is None or fact.recorded_at <= until


def _standing(ledger: Sequence[Fact]) -> list[Entry]:
    """Newest first, because only a fact that itself stands can take another away: so a revert can be reverted."""
    turns = {fact.id: turn for turn, fact in enumerate(ledger) if fact.id}
    since: list[int] = []
    for turn, fact in enumerate(ledger):
        _check_target(fact.reverts_id, turns, turn)
        replaced = _check_target(fact.replaces_id, turns, turn)
        since.append(turn if replaced is None else since[replaced])
    gone: set[int] = set()
    entries: list[Entry] = []
    for turn in range(len(ledger) - 1, -1, -1):
        fact = ledger[turn]
        if turn in gone:
            continue
        gone.update(turns[target] for target in (fact.reverts_id, fact.replaces_id) if target is not None)
        entries.append(Entry(turn, since[turn], fact, decode(fact)))
    entries.reverse()
    return entries


def _check_target(target: int | None, turns: Mapping[int, int], turn: int) -> int | None:
    if target is None:
        return None
    found = turns.get(target)
    if found is None or found >= turn:
        raise NotFound("fact", id=target)
    return found

"""An edition as pure decisions see it: its rules, its entrants, its facts and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.accounts import as_now
from engine.chain import part_of
from engine.ledger import fold
from engine.model import Entrant, Fact, Stage
from engine.pools import pool_standings
from engine.reading import leaving_rules, point_values, pool_point_values, tiebreak_readings
from engine.rules import Ruleset
from engine.standings import Standing, standings
from engine.tournament import Tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class Championship:
    """`key` names the edition. `entrants` by id, as they have entered; `facts` in the order of their ids
    (those not stored yet, with id 0, last); `tournament` is their fold by `rules`."""

    key: str
    rules: Ruleset
    entrants: Mapping[int, Entrant]
    facts: Sequence[Fact]
    tournament: Tournament

    @property
    def seeds(self) -> dict[int, int]:
        """Entrant id -> place in the seed order, corrections included, each different (Q44g): what pairs and ranks."""
        return seeds_after(self.entrants.values(), self.tournament.seed_moves)

    def seed_of(self, entrant_id: int) -> int:
        """The seed by which the player is known (Q44g); two may have the same after a correction."""
        return seed_of(self.entrants[entrant_id], self.tournament.seed_moves)

    def name_of(self, entrant_id: int) -> str:
        """As the player is shown now (Q55)."""
        return as_now(self.entrants[entrant_id], self.tournament.accounts.get(entrant_id, ())).name

    @property
    def direct(self) -> tuple[int, ...]:
        """Who enters the Candidates directly, best first, if still in and willing (R3.8)."""
        declined = self.tournament.declined.get(Stage.CANDIDATES, frozenset())
        found = self._named(self.rules.candidates.direct)
        return tuple(e for e in found if self.tournament.is_in(e) and e not in declined)

    @property
    def swiss_seeds(self) -> dict[int, int]:
        """The seeds of those who play the Qualification: all but the direct entrants to a later stage (R3.3)."""
        direct = {*self._named(self.rules.candidates.direct), *self._named(self.rules.knockout.direct)}
        return {entrant: seed for entrant, seed in self.seeds.items() if entrant not in direct}

    @property
    def last_finals(self) -> dict[int, int]:
        """Entrant id -> place in last year's Finals (R3.12)."""
        by_name = _by_name(self.entrants.values())
        names = self.rules.candidates.last_finals
        return {by_name[n.lower()]: place for place, n in enumerate(names, start=1) if n.lower() in by_name}

    def direct_to_knockout(self) -> tuple[int, ...]:
        """Who enters the Semifinals directly, best first (R3.11)."""
        return self._named(self.rules.knockout.direct)

    def _named(self, names: Iterable[str]) -> tuple[int, ...]:
        by_name = _by_name(self.entrants.values())
        return tuple(by_name[name.lower()] for name in names if name.lower() in by_name)

    def qualification(self, *, until: int | None = None) -> tuple[Standing, ...]:
        """The Qualification table, over the closed rounds up to number `until` (R3.6)."""
        return standings(
            self.tournament,
            self.swiss_seeds,
            self.rules.swiss.tiebreaks,
            until=until,
            values=point_values(self.rules),
            readings=tiebreak_readings(self.rules),
            last_finals=self.last_finals,
            splitting=self.rules.swiss.tied_group,
        )

    def qualification_places(self) -> dict[int, int]:
        """Entrant id -> place in the Qualification, of those who have one (Q45)."""
        return {line.entrant_id: line.rank for line in self.qualification() if line.rank is not None}

    def pools(self, *, until: int | None = None) -> dict[str, tuple[Standing, ...]]:
        """The table of each pool by its name (R3.9, R3.12), up to round `until`; empty before the Candidates."""
        groups = self.tournament.seated.get(Stage.CANDIDATES, ())
        if not groups:
            return {}
        places = self.qualification_places()
        return {
            group.name: pool_standings(
                self.tournament,
                group,
                self.seeds,
                self.rules.candidates.tiebreaks,
                values=pool_point_values(self.rules),
                places=places,
                last_finals=self.last_finals,
                splitting=self.rules.candidates.tie_splitting,
                until=until,
                readings=tiebreak_readings(self.rules),
            )
            for group in groups
        }


def championship(
    key: str,
    rules: Ruleset,
    entrants: Iterable[Entrant],
    facts: Iterable[Fact],
    *,
    until_fact: int | None = None,
    until: datetime | None = None,
) -> Championship:
    """The edition after its ledger, or as it was at a fact or at a moment (inclusive), see `ledger.fold`."""
    ledger = part_of(facts, until_fact=until_fact, until=until)
    return Championship(
        key=key,
        rules=rules,
        entrants={entrant.id: entrant for entrant in entrants},
        facts=ledger,
        tournament=fold(ledger, leaving=leaving_rules(rules)),
    )


def seeds_after(entrants: Iterable[Entrant], moves: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Entrant id, in their order -> the number of the place in the seed order after corrections, each different (Q44g).

    Whoever gets a seed by a correction comes directly before those who have it already. Without a correction nobody has
    another number, so a late entry keeps n + 1; with one the numbers, not the seeds, of those between move by one.
    """
    entered = {entrant.id: entrant.seed for entrant in entrants}
    keys = {id: (seed, 1) for id, seed in entered.items()}
    for at, (moved, to) in enumerate(moves):
        if moved in keys:
            keys[moved] = (to, -at)
    numbers = dict(zip(sorted(keys, key=keys.__getitem__), sorted(entered.values()), strict=True))
    return {id: numbers[id] for id in entered}


def seed_of(entrant: Entrant, moves: Iterable[tuple[int, int]]) -> int:
    """The seed by which a player is known: that of the entry, or of the last correction (Q44g)."""
    return next((to for moved, to in reversed(tuple(moves)) if moved == entrant.id), entrant.seed)


def _by_name(entrants: Iterable[Entrant]) -> dict[str, int]:
    return {entrant.lichess_id: entrant.id for entrant in entrants}

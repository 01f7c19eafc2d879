"""Every rule broken once: the table of `make clauses`. A break is one wrong value or strategy, never a crash.

A break belongs to one clause; a test named after that clause has to notice it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.clauses.change import Change
from tests.clauses.strategies import STRATEGIES
from tests.clauses.values import VALUES


@dataclass(frozen=True, slots=True)
class Break:
    """`name` is `R5.4 two-hours`; `says` what the bot would then do."""

    clause: str
    name: str
    says: str
    change: Change


def _named(table: Iterable[tuple[str, str, Change]]) -> dict[str, Break]:
    found: dict[str, Break] = {}
    for clause, says, change in table:
        name = f"{clause}: {says}"
        if name in found:
            raise ValueError(f"two breaks are called {name}")
        found[name] = Break(clause, name, says, change)
    return found


BREAKS = _named([*VALUES, *STRATEGIES])

COVERED = """
    R1.2 R2.1 R2.2 R2.6 R2.7 R2.8
    R3.1 R3.3 R3.4 R3.6 R3.7 R4.1 R4.2 R4.3 R4.4 R5.1 R5.2 R5.3 R5.4 R6.6
    Q3 Q4 Q8 Q9 Q10 Q12 Q13 Q14 Q19 Q20 Q21 Q22 Q27 Q28 Q29 Q35 Q38b Q42 Q45 Q54
""".split()  # noqa: SIM905
"""The clauses and situations that this version carries; each has keys or not, but a function, a test and a break."""

UNBROKEN = {
    "entry.min_games_before": "the count as of the cut-off belongs to the full eligibility check, not written yet",
    "registration.closes": "a date to show; a TD closes the registration",
    "seeding.method": "one method is written; a ruleset with another is refused when its edition is created",
    "seeding.peak_from": "for the method that is not written yet",
    "seeding.peak_until": "for the method that is not written yet",
    "matches.qualification.tied": "a tied match of the Swiss is a draw; the other names belong to the knock-out",
    "matches.qualification.extra_games": "tiebreak games belong to the knock-out",
    "swiss.pairing": "one strategy, broken as a strategy under R3.7",
    "swiss.rank_in_group": "one strategy, broken as a strategy under R3.7",
    "swiss.met": "one strategy, broken as a strategy under Q42",
    "swiss.bye_to": "one strategy, broken as a strategy under R3.7",
    "swiss.tied_group": "one strategy, broken as a strategy under R3.6",
    "week.extension_limit": "one strategy, broken as a strategy under Q10",
    "reporting.by": "players report; whether they may is not asked yet, the bot's own report is not written yet",
}
"""Ruleset keys of covered clauses that no break changes, and why."""

LATER_STAGES = ("matches.candidates.", "matches.semifinals.", "matches.third_place.", "matches.grand_final.")
"""Keys of stages that are not here yet."""

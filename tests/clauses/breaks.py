"""Every rule broken once: the table of `make clauses`. A break is one wrong value or strategy, never a crash.

A break belongs to one clause; a test named after that clause has to notice it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.clauses.accounts import ACCOUNTS
from tests.clauses.change import Change
from tests.clauses.decisions import DECISIONS
from tests.clauses.departures import DEPARTURES
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


BREAKS = _named([*VALUES, *STRATEGIES, *DECISIONS, *DEPARTURES, *ACCOUNTS])

COVERED = """
    R1.2 R2.1 R2.2 R2.3 R2.4 R2.5 R2.6 R2.7 R2.8
    R3.1 R3.2 R3.3 R3.4 R3.5 R3.6 R3.7 R3.8 R3.9 R3.10 R3.11 R3.12 R3.13 R3.14 R3.15 R3.16
    R4.1 R4.2 R4.3 R4.4 R5.1 R5.2 R5.3 R5.4 R5.5 R5.6 R5.7 R5.8 R5.9 R5.10 R6.1 R6.2 R6.3 R6.4 R6.5 R6.6
    R7.2 R7.3 R8.1 R8.2 R8.3 R8.4 R8.5
    Q1 Q2 Q3 Q4 Q5 Q8 Q9 Q10 Q11 Q11b Q11c Q12 Q13 Q14 Q15 Q16 Q17 Q18 Q19
    Q20 Q21 Q22 Q23 Q24 Q25 Q26 Q27 Q28 Q29 Q30 Q31 Q32 Q32b Q33 Q34 Q35 Q36 Q37
    Q38 Q38b Q38c Q38d Q39 Q40 Q41 Q42 Q43 Q44 Q44b Q44c Q44d Q44e Q44f Q44g Q45 Q46 Q47 Q48 Q49 Q50 Q51 Q52 Q52b Q52c
    Q54 Q55
""".split()  # noqa: SIM905
"""The clauses and situations that this version carries; each has keys or not, but a function, a test and a break."""

NOT_COVERED: dict[str, str] = {}
"""Situations of the stages that are here, but have no code to break, and why."""

UNBROKEN = {
    "entry.team": "no team is asked for in 2023; tests add one, broken as a strategy under R2.8",
    "entry.min_rating": "no rating is asked for in 2023; tests add one, broken as a strategy under R2.8",
    "registration.opens": "the published rules name no day; tests add one",
    "seeding.method": "an edition of 2022 is seeded by the other method; that has no break yet",
    "seeding.peak_from": "for the method that only the edition of 2022 has",
    "seeding.peak_until": "for the method that only the edition of 2022 has",
    "matches.qualification.tied": "a tied match of a table stands as it is; the loader refuses the other names",
    "matches.qualification.extra_games": "no tiebreak games where a tie stands; the loader refuses any",
    "matches.candidates.tied": "a tied match of a table stands as it is; the loader refuses the other names",
    "matches.candidates.extra_games": "no tiebreak games where a tie stands; the loader refuses any",
    "matches.candidates.stop": "the tiebreaks by games need all of them; broken as a strategy under R3.10",
    "swiss.pairing": "one strategy, broken as a strategy under R3.7",
    "swiss.rank_in_group": "one strategy, broken as a strategy under R3.7",
    "swiss.met": "one strategy, broken as a strategy under Q42",
    "swiss.bye_to": "one strategy, broken as a strategy under R3.7",
    "swiss.tied_group": "one strategy, broken as a strategy under R3.6",
    "candidates.direct": "nobody in 2023; the tests play the edition of 2022, broken as a strategy under R3.8",
    "candidates.seating.direct": "nobody in 2023; the tests play the edition of 2022, broken as a strategy under R3.8",
    "candidates.seating.pools.direct": "nobody in 2023; the tests play the edition of 2022",
    "candidates.pairing": "one strategy, broken as a strategy under R3.9",
    "candidates.tie_splitting": "one strategy, broken as a strategy under R3.12",
    "candidates.accept_by": "nobody is asked by the bot yet, so nothing ends",
    "knockout.direct": "nobody in 2023; no shipped edition has any",
    "armageddon.equal_bids": "one strategy, broken as a strategy under Q41",
    "week.extension_limit": "one strategy, broken as a strategy under Q10",
    "games.first_white": "one strategy, broken as a strategy under Q37",
    "games.missing": "one strategy, broken as a strategy under Q31",
    "games.ruled_draw": "one strategy, broken as a strategy under Q32b",
    "forfeits.in_force": "one strategy, broken as a strategy under Q25",
    "reporting.by": "players report; whether they may is not asked yet, the bot's own report is not written yet",
    "leaving.in_table": "one strategy, broken as a strategy under Q45",
    "leaving.qualification": "one strategy, broken as a strategy under R8.1",
    "leaving.engine_mark": "one strategy, broken as a strategy under R8.2",
    "leaving.before_candidates": "one strategy, broken as a strategy under Q46",
    "leaving.candidates": "one strategy, broken as a strategy under R8.3",
    "leaving.withdrawal_after_last_match": "one strategy, broken as a strategy under Q49",
    "leaving.semifinals": "one strategy, broken as a strategy under R8.4",
    "leaving.finals": "one strategy, broken as a strategy under R8.5",
}
"""Ruleset keys of covered clauses that no break changes, and why."""

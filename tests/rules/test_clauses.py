"""Every clause that has a number, a choice or a Reading stands in the ruleset, under its id."""

from __future__ import annotations

import pytest

from engine.rules import clauses, shipped, shipped_text
from engine.rules.fields import leaves
from tests.rules.ruleset_text import lines

# Clauses of the rulebook with a number, a choice or a Reading; the others (R1.1-R1.3, R2.6, R5.2, R5.3, R5.8, R5.10,
# R6.2) say who does what and have nothing to set.
WITH_A_VALUE = """
    R1.4 R2.1 R2.2 R2.3 R2.4 R2.5 R2.7 R2.8
    R3.1 R3.2 R3.3 R3.4 R3.5 R3.6 R3.7 R3.8 R3.9 R3.10 R3.11 R3.12 R3.13 R3.14 R3.15 R3.16
    R4.1 R4.2 R4.3 R4.4 R5.1 R5.4 R5.5 R5.6 R5.7 R5.9 R6.1 R6.3 R6.4 R6.5 R6.6 R7.1 R7.2 R7.3
    R8.1 R8.2 R8.3 R8.4 R8.5
    Q4 Q5 Q8 Q9 Q10 Q12 Q14 Q24 Q25 Q26 Q28 Q29 Q30 Q31 Q32b Q33 Q36 Q37 Q38d Q40 Q41 Q42 Q44 Q44b Q44g Q45 Q46 Q48
    Q49 Q50 Q51 Q52 Q52b Q52c
""".split()  # noqa: SIM905


@pytest.mark.parametrize("clause", WITH_A_VALUE)
def test_every_clause_with_a_value_names_a_key(clause: str) -> None:
    assert clauses()[clause]


def test_no_clause_is_left_out_of_this_list() -> None:
    assert set(clauses()) == set(WITH_A_VALUE)


def test_a_clause_lists_its_keys() -> None:
    found = clauses()
    assert found["R5.4"] == ["offers.min_gap", "offers.max_per_date"]
    assert found["R3.4"] == ["swiss.rounds_log2", "swiss.rounds_plus"]
    assert found["R3.10"] == ["matches.candidates.stop", "games.missing", "games.ruled_draw"]
    assert found["R3.15"] == [
        f"matches.{kind}.{key}" for kind in ("third_place", "grand_final") for key in ("tied", "extra_games")
    ]


def test_every_key_but_the_names_has_a_clause() -> None:
    assert [key for key, field in leaves() if not field.rule.clauses] == ["name", "title"]


# Keys that only some editions use: those of one strategy, further grounds of R2.8, and a day on which no TD is needed.
NOT_IN_EVERY_EDITION = {"entry.team", "entry.min_rating", "registration.opens"}
OF_A_STRATEGY = {"average_with_peak": {"seeding.peak_from", "seeding.peak_until"}}


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_file_has_every_key_and_beside_it_the_clauses_that_the_schema_gives_it(name: str) -> None:
    text = shipped_text(name)
    written = {line.key: line.clauses for line in lines(text)}
    not_used = {key for strategy, keys in OF_A_STRATEGY.items() if f'"{strategy}"' not in text for key in keys}
    assert written == {key: field.rule.clauses for key, field in leaves() if key not in not_used | NOT_IN_EVERY_EDITION}

"""Each covered clause is carried, tested and broken; the breaking itself is `make clauses`."""

from __future__ import annotations

import pytest

from engine.rules import clauses
from tests.clauses import scan
from tests.clauses.breaks import BREAKS, COVERED, NOT_COVERED, UNBROKEN, Break
from tests.clauses.change import Value


@pytest.mark.parametrize("clause", COVERED)
def test_a_covered_clause_has_a_function_a_test_and_a_break(clause: str) -> None:
    assert scan.functions().get(clause), "no docstring in the code names it"
    assert scan.tests().get(clause), "no test carries its id"
    assert any(broken.clause == clause for broken in BREAKS.values()), "tests.clauses does not break it"


@pytest.mark.parametrize("broken", BREAKS.values(), ids=lambda broken: broken.name)
def test_a_break_has_a_target_and_changes_it(broken: Break) -> None:
    assert broken.clause in COVERED
    broken.change.check()


def test_every_ruleset_key_of_a_covered_clause_is_broken_or_has_a_reason() -> None:
    keys = {key for clause in COVERED for key in clauses().get(clause, [])}
    broken = {b.change.key for b in BREAKS.values() if isinstance(b.change, Value)}
    assert not keys - broken - UNBROKEN.keys()
    assert not UNBROKEN.keys() & broken, "this one is broken after all"
    assert not UNBROKEN.keys() - keys, "no covered clause has this key"


@pytest.mark.parametrize("clause", NOT_COVERED)
def test_what_is_not_covered_has_a_test_but_no_code(clause: str) -> None:
    assert clause not in COVERED
    assert scan.tests().get(clause), "no test carries its id"
    assert not scan.functions().get(clause), "a docstring in the code names it, so it can be covered"


def test_ids_are_read_from_texts_and_names() -> None:
    assert scan.clauses_in("Why (R3.1, Q12, Q19-Q21; see R3.16)") == {"R3.1", "R3.16", "Q12", "Q19", "Q20", "Q21"}
    assert scan.clauses_in("R5.1-R5.4") == {"R5.1", "R5.2", "R5.3", "R5.4"}
    assert scan.clauses_in("Q38b and Q44g, not SQ3 nor R2.5.1") == {"Q38b", "Q44g"}
    assert scan.clauses_of_test("test_r3_1_q20_a_casual_game") == ["R3.1", "Q20"]
    assert scan.clauses_of_test("test_q38b_a_cheat_game") == ["Q38b"]
    assert scan.clauses_of_test("test_r4_the_published_dates") == []

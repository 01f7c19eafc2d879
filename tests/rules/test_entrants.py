"""How many entrants a ruleset needs, and what its rounds need of them (R3.4, R3.5, R3.7)."""

from __future__ import annotations

import networkx as nx
import pytest

from engine.calendar import rounds
from engine.rules import least_entrants, load, shipped_text
from engine.rules.entrants import least_for_rounds, most_rounds
from tests.rules.ruleset_text import TEXT, with_value


def test_r3_5_twelve_must_enter_for_twelve_to_qualify() -> None:
    assert least_entrants(load(TEXT)) == 12


@pytest.mark.parametrize("direct", [0, 1, 2])
def test_r3_5_2022_direct_entrants_take_the_places_of_qualifiers(direct: int) -> None:
    assert least_entrants(load(shipped_text("2022")), direct) == 12


@pytest.mark.parametrize(("plus", "least"), [(2, 12), (8, 12), (9, 13), (10, 13)])
def test_r3_4_more_rounds_need_more_entrants(plus: int, least: int) -> None:
    # 3 + 8 rounds: each of twelve meets the eleven others. A round more, and thirteen are needed.
    assert least_entrants(load(with_value(TEXT, "swiss.rounds_plus", str(plus)))) == least


@pytest.mark.parametrize("rounding", ["floor", "ceil"])
@pytest.mark.parametrize("plus", range(11))
def test_r3_4_from_the_least_number_on_the_rounds_fit_whatever_the_number(rounding: str, plus: int) -> None:
    text = with_value(with_value(TEXT, "swiss.rounds_plus", str(plus)), "swiss.rounds_log2", f'"{rounding}"')
    if (rounding, plus) == ("ceil", 10):  # 14 rounds of 13: refused, see test_loader
        return
    rules = load(text)
    least = least_for_rounds(rules.swiss)
    assert all(rounds(rules, n) <= most_rounds(n) for n in range(least, 600))
    assert least == 2 or rounds(rules, least - 1) > most_rounds(least - 1)


@pytest.mark.parametrize("entrants", range(2, 13))
def test_r3_7_the_most_rounds_are_those_of_a_round_robin(entrants: int) -> None:
    # With a stand-in for the bye everybody meets everybody once: as many rounds as the degree of a complete graph.
    players = entrants + entrants % 2
    assert most_rounds(entrants) == nx.complete_graph(players).degree(0)

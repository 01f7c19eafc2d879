"""The oracle itself: it must find each fault in a pairing made by hand (R3.7, Q42)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from engine import pairing_checker
from engine.pairing_checker import Cost, check, cost
from engine.pairing_types import Pairing, Player


def four() -> list[Player]:
    return [Player(1, 1, 2), Player(2, 2, 2), Player(3, 3, 2), Player(4, 4, 2)]


def three() -> list[Player]:
    return [Player(1, 1, 2), Player(2, 2, 0), Player(3, 3, 0)]


def test_r3_7_a_good_pairing_has_no_fault() -> None:
    assert check(four(), Pairing(((1, 3), (2, 4)), None)) == []
    assert check(three(), Pairing(((1, 2),), 3)) == []


@pytest.mark.parametrize(
    ("pairing", "faults"),
    [
        (Pairing(((1, 3),), None), ["missing: 2", "missing: 4"]),
        (Pairing(((1, 3), (2, 4)), 5), ["not in the field: 5"]),
        (Pairing(((1, 3), (2, 4), (1, 2)), None), ["more than once: 1", "more than once: 2"]),
        (Pairing(((1, 3), (2, 4)), 4), ["more than once: 4"]),
        (Pairing(((3, 1), (2, 4)), None), ["better seed not first: 3-1"]),
        (Pairing(((2, 4), (1, 3)), None), ["boards out of order"]),
    ],
)
def test_r3_7_everybody_exactly_once_and_in_board_order(pairing: Pairing, faults: list[str]) -> None:
    assert check(four(), pairing) == faults


def test_r3_7_boards_go_by_score_sum_before_seed() -> None:
    players = [Player(1, 1, 0), Player(2, 2, 2), Player(3, 3, 0), Player(4, 4, 2)]
    assert check(players, Pairing(((2, 4), (1, 3)), None)) == []
    assert check(players, Pairing(((1, 3), (2, 4)), None)) == ["boards out of order"]


@pytest.mark.parametrize(("left", "right"), [(frozenset({3}), frozenset[int]()), (frozenset[int](), frozenset({1}))])
def test_q42_a_rematch_is_a_fault_whoever_knows_of_it_unless_a_td_forced_it(
    left: frozenset[int], right: frozenset[int]
) -> None:
    players = [Player(1, 1, 2, left), Player(2, 2, 2), Player(3, 3, 2, right), Player(4, 4, 2)]
    assert check(players, Pairing(((1, 3), (2, 4)), None)) == ["rematch: 1-3"]
    assert check(players, Pairing(((1, 3), (2, 4)), None), forced=[(3, 1)]) == []


def test_r3_7_forced_and_forbidden_pairs() -> None:
    pairing = Pairing(((1, 3), (2, 4)), None)
    assert check(four(), pairing, forced=[(4, 1)]) == ["forced but not paired: 1-4"]
    assert check(four(), pairing, forbidden=[(4, 2)]) == ["forbidden: 2-4"]
    assert check(four(), pairing, forced=[(3, 1)], forbidden=[(1, 2)]) == []


def test_r3_7_the_bye_belongs_to_the_lowest_seed_of_the_lowest_score() -> None:
    assert check(three(), Pairing(((1, 3),), 2)) == ["bye belongs to: 3"]
    assert check(three(), Pairing(((2, 3),), 1)) == ["bye belongs to: 2", "bye belongs to: 3"]


def test_r3_7_a_barred_player_has_no_bye_and_no_claim() -> None:
    one, two, _ = three()
    players = [one, two, Player(3, 3, 0, bye_barred=True)]
    assert check(players, Pairing(((1, 2),), 3)) == ["bye for a barred player: 3"]
    assert check(players, Pairing(((1, 3),), 2)) == []


def test_r3_7_no_claim_to_the_bye_for_who_leaves_an_unpairable_rest() -> None:
    met = [Player(1, 1, 2, frozenset({2})), Player(2, 2, 0), Player(3, 3, 0)]
    assert check(met, Pairing(((1, 3),), 2)) == []
    assert check(three(), Pairing(((1, 3),), 2), forbidden=[(1, 2)]) == []
    assert check(three(), Pairing(((1, 3),), 2), forced=[(1, 3)]) == []


def test_r3_7_a_td_chooses_the_bye() -> None:
    players = [Player(1, 1, 2, bye_barred=True), *three()[1:]]
    assert check(players, Pairing(((2, 3),), 1), bye=1) == []
    assert check(players, Pairing(((1, 2),), 3), bye=2) == ["bye not given as chosen: 2"]


def test_r3_7_cost_of_a_pair_inside_a_group() -> None:
    assert cost(four(), Pairing(((1, 3), (2, 4)), None)) == (0, 0, 0, 0)
    assert cost(four(), Pairing(((1, 4), (2, 3)), None)) == Cost(0, 0, 0, fold_deviations_squared=1 + 1)
    assert cost(four(), Pairing(((1, 2), (3, 4)), None)) == Cost(0, 0, pairs_in_one_half=2, fold_deviations_squared=2)


def test_r3_7_cost_of_a_floating_pair_is_gap_and_floating_again_only() -> None:
    players = [Player(1, 1, 7, floats=2), Player(2, 2, 4), Player(3, 3, 4), Player(4, 4, 1, floats=1)]
    assert cost(players, Pairing(((1, 2), (3, 4)), None)) == (9 + 9, 2, 0, 0)
    assert cost(players, Pairing(((1, 4), (2, 3)), None)) == (36, 2, 0, 0)


def test_r3_7_cost_counts_places_in_the_whole_group_but_for_the_bye() -> None:
    """2-4 is on the fold of the group of four although 1 and 3 float; without 3, who has the bye, the group is 1, 2, 4
    and both are in its bottom half. In a group of five 5 is left out of the halves when he has the bye."""
    lower = [Player(5, 5, 0), Player(6, 6, 0)]
    assert cost([*four(), *lower], Pairing(((2, 4), (1, 5), (3, 6)), None)) == (8, 0, 0, 0)
    assert cost([*four(), *lower[:1]], Pairing(((2, 4), (1, 5)), 3)) == (4, 0, 1, 0)
    assert cost([*four(), Player(5, 5, 2)], Pairing(((1, 3), (2, 4)), 5)) == (0, 0, 0, 0)


def test_the_checker_shares_no_code_with_the_pairer() -> None:
    tree = ast.parse(Path(pairing_checker.__file__).read_text(encoding="utf-8"))
    ours = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert {module for module in ours if module.startswith("engine")} == {"engine.pairing_types"}

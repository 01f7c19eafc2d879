"""A name that a ruleset may choose has code behind it."""

from __future__ import annotations

from engine.rules import registry
from engine.scoring import STOP_POLICIES
from engine.seeding import METHODS, ORDERS
from engine.tiebreaks import CRITERIA, SPLITTINGS


def test_r3_6_r3_12_every_tiebreak_is_a_criterion_and_every_criterion_can_be_chosen() -> None:
    assert set(CRITERIA) - {"points"} == registry.POOL_TIEBREAKS


def test_r3_6_nobody_has_a_place_in_the_qualification_while_it_is_played() -> None:
    assert sorted(registry.POOL_TIEBREAKS - registry.SWISS_TIEBREAKS) == ["qualification_place"]


def test_r2_8_every_way_to_make_seeds_has_code() -> None:
    assert set(METHODS) == registry.SEED_METHODS
    assert set(ORDERS) == registry.SEED_ORDERS


def test_r3_13_every_tied_match_can_be_settled_somewhere() -> None:
    assert registry.TIED == registry.TIED_IN_TABLE | registry.TIED_IN_KNOCKOUT


def test_r3_3_r3_10_every_stop_policy_is_known_to_the_scoring() -> None:
    assert set(STOP_POLICIES) == registry.STOPS


def test_every_way_to_split_a_tie_is_there() -> None:
    assert set(SPLITTINGS) == registry.TIED_GROUPS | registry.TIE_SPLITTINGS

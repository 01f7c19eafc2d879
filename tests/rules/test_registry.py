"""A name that a ruleset may choose has code behind it."""

from __future__ import annotations

from engine.rules import registry
from engine.scoring import STOP_POLICIES
from engine.tiebreaks import CRITERIA


def test_r3_6_every_tiebreak_of_the_swiss_is_a_criterion() -> None:
    assert set(CRITERIA) - {"points"} == registry.SWISS_TIEBREAKS


def test_r3_3_r3_10_every_stop_policy_is_known_to_the_scoring() -> None:
    assert set(STOP_POLICIES) == registry.STOPS

"""Worlds that several tests of the engine start from."""

from __future__ import annotations

import pytest

from tests.engine.ledger_book import A, B, C, D, E, Ledger
from tests.engine.season_book import F, Season


@pytest.fixture
def ledger() -> Ledger:
    """Round 1: A-B, C-D, bye E."""
    started = Ledger()
    started.publish(1, (A, B), (C, D), bye=E)
    return started


@pytest.fixture
def example() -> Season:
    """The worked example of R3.6: six players, four rounds, F withdraws after round 2."""
    season = Season()
    season.round(1, (A, B, "="), (C, F, "1-0"), (D, E, "="))
    season.round(2, (A, E, "1-0"), (B, F, "1-0"), (C, D, "-+"))
    season.leave(F)
    season.round(3, (A, C, "0-1"), (B, D, "r="), bye=E)
    season.round(4, (A, D, "0-1"), (B, E, "1-0"), bye=C)
    return season

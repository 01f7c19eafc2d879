"""Pools in the order of the Berger tables (R3.9)."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.round_robin import berger

# FIDE Handbook C.05 Annex 1, typed from the published tables: White first.
PUBLISHED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 / 8-7 1-6 2-5 3-4"
    " / 4-8 5-3 6-2 7-1",
}


def table(text: str) -> list[list[tuple[int, ...]]]:
    return [[tuple(int(n) for n in pair.split("-")) for pair in line.split()] for line in text.split(" / ")]


@pytest.mark.parametrize("size", sorted(PUBLISHED))
def test_r3_9_the_published_berger_tables(size: int) -> None:
    assert [list(pairs) for pairs in berger(range(1, size + 1))] == table(PUBLISHED[size])


def test_r3_9_with_five_the_sixth_of_the_table_is_a_free_week() -> None:
    without_six = [[pair for pair in pairs if 6 not in pair] for pairs in table(PUBLISHED[6])]
    assert [list(pairs) for pairs in berger(range(1, 6))] == without_six


@pytest.mark.parametrize("encounters", [1, 2, 3])
@pytest.mark.parametrize("size", range(2, 25))
def test_r3_9_everybody_meets_everybody(size: int, encounters: int) -> None:
    players = [100 + 7 * n for n in range(size)]
    rounds = berger(players, encounters)
    assert len(rounds) == encounters * (size - 1 + size % 2)
    for pairs in rounds:
        playing = [player for pair in pairs for player in pair]
        assert len(playing) == len(set(playing)) == size - size % 2
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == {frozenset((a, b)): encounters for a in players for b in players if a < b}


@pytest.mark.parametrize("size", [5, 6])
def test_r3_9_the_second_encounter_has_the_sides_swapped(size: int) -> None:
    rounds = berger(range(size), 2)
    half = len(rounds) // 2
    assert [[(b, a) for a, b in pairs] for pairs in rounds[:half]] == [list(pairs) for pairs in rounds[half:]]


@pytest.mark.parametrize("size", range(2, 25))
def test_r3_9_the_first_named_are_shared_out_evenly(size: int) -> None:
    first = Counter(a for pairs in berger(range(size)) for a, _ in pairs)
    assert {first[player] for player in range(size)} <= {(size - 1) // 2, size // 2}


@pytest.mark.parametrize(("players", "encounters"), [([], 1), ([1], 1), ([1, 2, 1], 1), ([1, 2], 0)])
def test_r3_9_what_is_no_pool_is_a_programming_error(players: list[int], encounters: int) -> None:
    with pytest.raises(ValueError, match="round robin"):
        berger(players, encounters)

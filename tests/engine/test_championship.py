"""The Qualification by the ruleset, seeds and their corrections (Q44g), and the edition at any moment."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.championship import seed_of, seeds_after
from engine.facts import MatchRuled, SeedCorrected
from engine.model import Stage
from tests.engine.ledger_book import RULES_2022, A, B, Book, C, D, E, after, before

F = 6


@pytest.fixture
def example() -> Book:
    """The worked example of R3.6, whose table is made by the ruleset; F has left after two rounds."""
    book = Book(6)
    book.round((A, B), (C, F), (D, E))
    book.wins(A, B, 5, 5)
    book.wins(D, E, 5, 5)
    book.finish(1)
    book.round((A, E), (B, F), (C, D))
    book.forfeits(C, D, "no_show")
    book.finish(2)
    book.leave(F)
    book.round((A, C), (B, D), bye=E)
    book.wins(C, A)
    book.add(MatchRuled(book.match(B, D).match_id, 1, 1))
    book.finish(3)
    book.round((A, D), (B, E), bye=C)
    book.wins(D, A)
    book.finish(4)
    return book


def test_r3_3_r3_7_a_match_and_a_bye_are_worth_what_the_ruleset_says(example: Book) -> None:
    points = {line.entrant_id: line.points for line in example.event.qualification()}
    assert points == {D: 6, C: 6, B: 6, A: 3, E: 3, F: 0}


def test_r3_6_q28_q29_the_worked_example_by_the_ruleset(example: Book) -> None:
    table = example.event.qualification()
    names = ("cumulative", "wins_against_tied", "median_buchholz")
    assert [(line.entrant_id, *(line.values.get(name) for name in names)) for line in table] == [
        (D, 14, 1, 9),
        (C, 14, 0, 9),
        (B, 14, 0, 6),
        (A, 10, 0, 12),
        (E, 8, 0, 9),
        (F, 0, 0, 6),
    ]
    assert [line.separated_by for line in table] == [
        None,
        "wins_against_tied",
        "median_buchholz",
        "points",
        "cumulative",
        None,
    ]


def order(seeds: dict[int, int]) -> list[int]:
    return sorted(seeds, key=seeds.__getitem__)


def test_q44g_the_corrected_entrant_comes_directly_before_who_has_the_seed() -> None:
    """As in 2025: seed 53 becomes 13. The numbers by which is paired are all different; the seeds of others stay."""
    seeds = seeds_after(Book(60).entrants, [(53, 13)])
    assert seeds[53] == 13
    assert [seeds[n] for n in (12, 13, 52, 54)] == [12, 14, 53, 54]
    assert sorted(seeds.values()) == list(range(1, 61))


def test_q44g_down_as_well_as_up_and_beyond_the_end() -> None:
    assert order(seeds_after(Book(5).entrants, [(1, 4)])) == [2, 3, 1, 4, 5]
    assert order(seeds_after(Book(5).entrants, [(1, 6)])) == [2, 3, 4, 5, 1]
    assert order(seeds_after(Book(5).entrants, [(2, 99)])) == [1, 3, 4, 5, 2]
    assert order(seeds_after(Book(5).entrants, [(4, 4)])) == [1, 2, 3, 4, 5]


def test_q44g_seeds_with_gaps_stay_the_same_numbers() -> None:
    """Somebody was struck from the list after the seeds were made: nobody is renumbered."""
    entrants = [entrant for entrant in Book(6).entrants if entrant.seed != 2]
    assert seeds_after(entrants, [(6, 3)]) == {1: 1, 6: 3, 3: 4, 4: 5, 5: 6}


def test_q44g_a_late_entry_has_seed_n_plus_one_and_nobody_is_renumbered() -> None:
    """Also after a correction, which was made among those who were there."""
    book = Book(5)
    book.add(SeedCorrected(5, 2))
    early = book.event.seeds
    book.entrants.append(replace(book.entrants[0], id=6, person_id=6, lichess_id="late", seed=6))
    assert book.at().seeds == early | {6: 6}
    assert [book.rules.swiss.rounds(n) for n in (63, 64)] == [7, 8], "n is that of the publication of round 1"


def test_q44g_corrections_apply_in_order_and_can_be_reverted() -> None:
    book = Book(5)
    first = book.add(SeedCorrected(5, 1))
    book.add(SeedCorrected(4, 1))
    assert order(book.event.seeds) == [4, 5, 1, 2, 3]
    book.revert(first)
    assert order(book.event.seeds) == [4, 1, 2, 3, 5]


@given(moves=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 10)), max_size=5))
def test_q44g_corrections_never_make_two_equal(moves: list[tuple[int, int]]) -> None:
    seeds = seeds_after(Book(8).entrants, moves)
    assert sorted(seeds.values()) == list(range(1, 9))
    if moves:
        moved, to = moves[-1]
        assert {e: shown(moves, e) < to for e in seeds if e != moved} == {
            e: seeds[e] < seeds[moved] for e in seeds if e != moved
        }


def shown(moves: list[tuple[int, int]], entrant: int) -> int:
    return seed_of(Book(8).entrants[entrant - 1], moves)


def test_q44g_a_second_correction_goes_by_the_seeds_that_are_shown() -> None:
    """Seed 4 moves to 2; who comes to 4 afterwards comes before nobody who is shown with a better seed."""
    entrants, moves = Book(6).entrants, [(4, 2), (6, 3)]
    assert order(seeds_after(entrants, moves)) == [1, 4, 2, 6, 3, 5]
    assert [seed_of(entrant, moves) for entrant in entrants] == [1, 2, 3, 2, 5, 3]


def test_r3_12_places_of_last_year_whatever_the_case_of_the_name() -> None:
    book = Book(4, RULES_2022, {3: "<champion of 2021>"})
    assert book.event.last_finals == {3: 1}
    assert set(book.event.swiss_seeds) == {1, 2, 4}


def test_the_edition_at_a_fact_and_at_a_moment() -> None:
    book = before(Stage.SEMIFINALS)
    start = len(before(Stage.CANDIDATES).facts)
    assert book.at(start).pools() == {}
    assert book.at(start).qualification() == book.event.qualification()
    assert book.at(until=book.facts[start - 1].recorded_at).tournament == book.at(start).tournament
    halfway = len(after(2).facts)
    assert book.at(halfway).pools() == after(2).event.pools()
    assert book.at(halfway).facts == tuple(book.facts[:halfway])


@pytest.mark.parametrize("stage", list(Stage))
def test_unranked_is_empty_where_a_stage_has_no_table(stage: Stage) -> None:
    book = before(Stage.SEMIFINALS).finals()
    assert book.tournament.unranked(stage) == frozenset()
    book.leave(1)
    assert book.tournament.unranked(stage) == frozenset(), "all tables are final"

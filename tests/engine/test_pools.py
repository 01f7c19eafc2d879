"""The table of a Candidates pool: R3.9, R3.12, R8.3, Q30-Q32b, Q36, Q49."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import Conflict, NotFound
from engine.facts import Group, Pair, RoundClosed, SeedCorrected
from engine.model import Stage
from engine.pools import crosstable
from engine.standings import PointValues, Record
from engine.tiebreaks import Kind, Separation
from tests.engine.ledger_book import Book, after
from tests.engine.pool_book import DISREGARDED, R3_12, VOIDED, Match, candidates, order, played, ruled, table

A, B, C, D, E, F = range(1, 7)
PLACES = {A: 12, B: 9, C: 7, D: 6, E: 4, F: 1}
# Game points of the row player against the columns to the right.
GAMES = {A: (6, 2, 6, 7, 8), B: (7, 6, 6, 6), C: (7, 8, 7), D: (6, 5), E: (5.5,)}
EXAMPLE: list[Match] = [(a, b, played(games)) for a, row in GAMES.items() for b, games in enumerate(row, start=a + 1)]


def only(*lines: Match) -> list[Match]:
    """The example with these matches in the place of its own."""
    changed = {frozenset((a, b)): (a, b, result) for a, b, result in lines}
    return [changed.get(frozenset((a, b)), (a, b, result)) for a, b, result in EXAMPLE]


# --- The worked example -----------------------------------------------------------------------------------------


def test_r3_12_worked_example_every_value() -> None:
    rows = [
        (line.entrant_id, *(line.values[n] for n in ("points", *R3_12))) for line in table(candidates(EXAMPLE), PLACES)
    ]
    assert rows == [
        (B, 8, 2, 22, 58, None, 9),
        (C, 8, 2, 22, 66, None, 7),
        (A, 8, 2, 16, 58, None, 12),
        (D, 3, 0, 0, 44, None, 6),
        (E, 2, 0, 0, 37, None, 4),
        (F, 1, 0, 0, 37, None, 1),
    ]


def test_r3_12_worked_example_says_what_separated_whom_and_in_which_tie() -> None:
    everybody = frozenset(PLACES)
    assert [line.separation for line in table(candidates(EXAMPLE), PLACES)] == [
        None,
        Separation("mutual_match", 2, 0, frozenset({B, C})),
        Separation("mutual_game", 22, 16, frozenset({A, B, C})),
        Separation("points", 8, 3, everybody),
        Separation("points", 3, 2, everybody),
        Separation("points", 2, 1, everybody),
    ]


def test_r3_12_without_the_restart_the_example_comes_out_differently() -> None:
    assert order(table(candidates(EXAMPLE), PLACES, splitting="formed_once")) == [C, B, A, D, E, F]


def test_r3_12_each_criterion_decides_when_those_before_it_are_equal() -> None:
    """A and B drew with 5-5; what they did elsewhere, and who they are, decides."""
    drawn = [(A, B, played(5)), (A, C, played(6)), (B, C, played(6))]
    ahead = [(A, B, played(5)), (A, C, played(6)), (B, C, played(7))]
    places = {A: 3, B: 2, C: 1}
    last = table(candidates(ahead), places)
    assert (order(last), last[1].separated_by) == ([B, A, C], "overall_game")
    last = table(candidates(drawn), places, last_finals={A: 3})
    assert (order(last), last[1].separated_by) == ([A, B, C], "last_finals")
    last = table(candidates(drawn), places, last_finals={A: 3, B: 2})
    assert (order(last), last[1].separated_by) == ([B, A, C], "last_finals")
    last = table(candidates(drawn), places)
    assert (order(last), last[1].separated_by) == ([B, A, C], "qualification_place")


def play_the_pools(book: Book, won: dict[tuple[int, int], int]) -> None:
    """All rounds of the Candidates; the games that the first named has won, the other matches are tied."""
    for _ in range(5):
        round_id = book.next_round(Stage.CANDIDATES)
        for pair in book.tournament.round(round_id).pairs:
            both = (pair.a_id, pair.b_id)
            a, b = both if both in won else both[::-1]
            games = won.get((a, b), 5)
            book.wins(a, b, games, 10 - games)
        book.add(RoundClosed(round_id))


def test_r3_12_the_mutual_match_comes_before_all_games() -> None:
    """By the ruleset: 1 and 4 have lost one match each; 4 beat 1, and 1 has won more games than 4."""
    book = after(0)
    play_the_pools(book, {(4, 1): 6, (12, 4): 6, (1, 12): 10} | {(w, x): 6 for w in (1, 4) for x in (6, 7, 9)})
    assert [entrant for _, entrant, _ in book.pool("upper")][:2] == [4, 1]


def test_r3_12_q36_when_all_is_equal_the_place_in_the_qualification_decides() -> None:
    """By the ruleset: nobody was in last year's Finals. The seed does not matter."""
    book = after(0)
    book.add(SeedCorrected(12, 1))
    play_the_pools(book, {})
    assert book.event.seeds[12] == 1
    assert [entrant for _, entrant, _ in book.pool("upper")] == [1, 4, 6, 7, 9, 12]


def test_r3_12_seeds_end_a_tie_of_direct_entrants() -> None:
    drawn = candidates([(A, B, played(5))])
    last = table(drawn, {}, seeds={A: 8, B: 3})
    assert (order(last), last[1].separated_by) == ([B, A], "seed")
    with pytest.raises(Conflict, match="seeds_not_unique"):
        table(drawn, {}, seeds={A: 3, B: 3})


def test_r3_12_an_unknown_splitting_or_tiebreak_is_refused() -> None:
    with pytest.raises(NotFound, match="splitting"):
        table(candidates(EXAMPLE), PLACES, splitting="never")
    with pytest.raises(NotFound, match="luck"):
        table(candidates(EXAMPLE), PLACES, tiebreaks=("luck",))


# --- What counts ------------------------------------------------------------------------------------------------


def test_q30_records_and_points_of_the_edition() -> None:
    lines = {line.entrant_id: line for line in table(candidates(EXAMPLE), PLACES, values=PointValues(win=6, draw=2))}
    assert lines[D].record == Record(1, 1, 3) and lines[D].points == 8
    assert lines[A].record == Record(4, 0, 1) and lines[A].points == 24


def test_q30_match_points_rank_a_pool_and_not_game_points() -> None:
    """By the ruleset, over what has been played so far: 1 has won 10-0 and lost 4-6, 4 has won 6-4 twice."""
    book = after(0, open_round=True)
    book.wins(1, 12, 10, 0)
    book.wins(4, 9, 6, 4)
    book.wins(6, 7, 5, 5)
    book.next_round(Stage.CANDIDATES)
    book.wins(4, 1, 6, 4)
    assert book.pool("upper") == [(1, 4, 4), (2, 1, 2), (3, 6, 1), (4, 7, 1), (5, 9, 0), (6, 12, 0)]


def test_q31_games_given_without_play_count_in_the_game_scores() -> None:
    """No game: 10-0 in the place of the 8-2 that was played."""
    lines = {e.entrant_id: e for e in table(candidates(only((A, F, ruled(2, 0, 10, 0)))), PLACES)}
    assert lines[A].values["overall_game"] == 58 + 2 * 2
    assert lines[F].values["overall_game"] == 37 - 2 * 2
    assert lines[A].record == Record(4, 0, 1)


def test_q31_a_match_decided_by_games_keeps_its_winner_and_loses_the_missing_games() -> None:
    """C led 6-1 and left: 6-4 in games, the match point stays."""
    lines = table(candidates(only((A, C, ruled(0, 2, 4, 6, begun=True)))), PLACES)
    a, c = (next(line for line in lines if line.entrant_id == e) for e in (A, C))
    assert (c.points, c.values["overall_game"]) == (8, 66 - 4)
    assert (a.values["mutual_game"], c.values["mutual_game"]) == (16 + 4, 22 - 4)


def test_q32b_a_ruled_draw_is_five_all_in_games() -> None:
    lines = {e.entrant_id: e for e in table(candidates(only((E, F, ruled(1, 1, 5, 5)))), PLACES)}
    assert [(lines[e].points, lines[e].values["overall_game"]) for e in (E, F)] == [(1, 36), (2, 38)]


def test_r3_9_an_open_match_counts_nothing_and_a_voided_one_neither() -> None:
    for nothing in (None, VOIDED):
        pool, names = candidates(only((A, F, nothing))), (*R3_12[:-1], "buchholz", "seed")
        lines = {e.entrant_id: e for e in table(pool, PLACES, tiebreaks=names)}
        assert lines[A].values["buchholz"] == lines[F].values["buchholz"] == 8 + 8 + 3 + 2, "four opponents each"
        assert (lines[A].points, lines[A].record) == (6, Record(3, 0, 1))
        assert (lines[F].values["overall_game"], lines[F].record) == (33, Record(0, 1, 3))


def test_r3_9_a_result_counts_before_its_round_is_closed() -> None:
    assert table(candidates(EXAMPLE, closed=False), PLACES) == table(candidates(EXAMPLE), PLACES)


def test_r3_9_a_pool_in_which_each_pair_meets_twice_sums_both() -> None:
    first = [(A, B, played(7)), (A, C, played(5)), (B, C, played(5))]
    second = [(B, A, played(6)), (C, A, played(5)), (C, B, played(5))]
    lines = table(candidates(first, second), {A: 3, B: 2, C: 1})
    rows = [(e.entrant_id, e.points, e.values["mutual_match"], e.values["mutual_game"]) for e in lines]
    assert rows == [(A, 4, 4, 42), (C, 4, 4, 40), (B, 4, 4, 38)]


def test_r3_9_matches_of_the_other_pool_are_in_another_table() -> None:
    both = candidates(EXAMPLE)
    (upper,) = both.rounds
    other = replace(upper, pairs=(*upper.pairs, Pair(199, 21, 22, "lower")))
    shared = replace(both, rounds=(other,), results={**both.results, 199: played(9)})
    assert table(shared, PLACES) == table(both, PLACES)
    assert set(crosstable(shared, Group("lower", (21, 22)))) == {21, 22}


def test_r3_9_before_the_first_result_the_pool_stands_by_its_places() -> None:
    assert order(table(candidates([(A, B, None)]), PLACES)) == [F, E, D, C, B, A]


# --- Who left (R8.3) --------------------------------------------------------------------------------------------


def test_r8_3_the_matches_of_who_left_are_in_no_sum_and_no_record() -> None:
    """Without C, A (beat B) and B are equal on points again, and A has the mutual match."""
    lines = table(candidates([(a, b, DISREGARDED if C in (a, b) else r) for a, b, r in EXAMPLE], out=(C,)), PLACES)
    assert order(lines) == [A, B, D, E, F, C]
    assert [line.rank for line in lines] == [1, 2, 3, 4, 5, None]
    assert (lines[0].points, lines[0].values["overall_game"], lines[0].record) == (8, 2 * 27, Record(4, 0, 0))
    assert (lines[-1].points, lines[-1].values["overall_game"], lines[-1].separation) == (0, 0, None)
    assert all(C not in line.separation.tied for line in lines if line.separation)


def test_q49_whoever_is_unranked_has_no_match_in_a_sum_whatever_the_result_says() -> None:
    disregarded = [(a, b, DISREGARDED if C in (a, b) else r) for a, b, r in EXAMPLE]
    assert table(candidates(EXAMPLE, out=(C,)), PLACES) == table(candidates(disregarded, out=(C,)), PLACES)


# --- The crosstable ---------------------------------------------------------------------------------------------


def test_r3_9_the_crosstable_has_both_sides_of_every_match() -> None:
    cross = crosstable(candidates(only((A, F, None), (E, F, ruled(1, 1, 5, 5)))), Group("upper", tuple(PLACES)))
    assert [list(row) for row in cross.values()] == [[c for c in PLACES if c != r] for r in PLACES]
    (cell,), (back,) = cross[A][B], cross[B][A]
    assert (cell.match_id, cell.score.points, cell.score.game_points, cell.score.kind) == (101, 2, 12, Kind.PLAYED)
    assert (back.match_id, back.score.points, back.score.game_points) == (101, 0, 8)
    assert cross[A][F][0].score.kind is Kind.OPEN
    assert cross[F][E][0].score.kind is Kind.RULED


def test_r3_9_the_crosstable_shows_both_encounters_and_what_is_not_published() -> None:
    twice = candidates([(A, B, played(7))], [(B, A, played(6))])
    cross = crosstable(twice, Group("upper", (A, B, C)))
    assert [(cell.match_id, cell.score.game_points) for cell in cross[A][B]] == [(101, 14), (201, 8)]
    assert cross[A][C] == ()


def test_r8_3_the_crosstable_shows_what_is_disregarded() -> None:
    cross = crosstable(candidates(EXAMPLE, out=(C,)), Group("upper", tuple(PLACES)))
    kinds = {row: {cells[0].score.kind for cells in columns.values()} for row, columns in cross.items()}
    assert kinds[C] == {Kind.DISREGARDED}
    assert cross[A][C][0].score.kind is Kind.DISREGARDED and cross[A][B][0].score.kind is Kind.PLAYED


def test_r3_9_only_candidates_rounds_are_in_the_crosstable() -> None:
    pool = candidates(EXAMPLE)
    moved = replace(pool, rounds=tuple(replace(r, stage=Stage.SEMIFINALS) for r in pool.rounds))
    assert {line.points for line in table(moved, PLACES)} == {0}

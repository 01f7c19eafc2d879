"""Exits in the Candidates: R8.3, Q44e, Q48, Q49, Q50. In the book the better seed has won all that was played."""

from __future__ import annotations

import pytest

from engine.facts import EntrantLeft, Exit, MatchExtended, MatchRuled
from engine.model import Stage
from engine.pools import crosstable
from engine.stages import propose
from engine.tiebreaks import Kind
from engine.tournament import ResultKind
from tests.engine.ledger_book import START, Book, after, before

UPPER, LOWER = (1, 4, 6, 7, 9, 12), (2, 3, 5, 8, 10, 11)
EXITS = [(Exit.WITHDRAWN, None), (Exit.DISQUALIFIED, "conduct"), (Exit.DISQUALIFIED, "booster")]


def points(book: Book, pool: str = "upper") -> dict[int, int]:
    return {entrant: half_points for _, entrant, half_points in book.pool(pool)}


def opponents_in_round(book: Book, number: int) -> dict[int, int]:
    pairs = book.tournament.stage_rounds(Stage.CANDIDATES)[number - 1].pairs
    return {p.a_id: p.b_id for p in pairs} | {p.b_id: p.a_id for p in pairs}


# --- R8.3 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("exit", "ground"), EXITS)
def test_r8_3_all_matches_are_disregarded_played_or_not(exit: Exit, ground: str | None) -> None:
    book = after(3)
    had = points(book)
    beaten_by_4 = [e for n in (1, 2, 3) if (e := opponents_in_round(book, n)[4]) > 4]
    left = book.leave(4, exit, ground)
    now = points(book)
    for entrant in UPPER:
        lost_win = 2 if entrant == 1 and 4 in {opponents_in_round(book, n)[1] for n in (1, 2, 3)} else 0
        if entrant != 4:
            assert now[entrant] == had[entrant] - lost_win
    assert book.pool("upper")[-1] == (None, 4, 0), "in no count, also not in his own row"
    assert beaten_by_4
    for opponent in beaten_by_4:
        result = book.result(4, opponent)
        assert result is not None
        assert (result.a, result.b, result.kind, result.fact_id) == (0, 0, ResultKind.DISREGARDED, left)
    assert book.tournament.unranked(Stage.CANDIDATES) == {4}


def test_r8_3_the_other_pool_and_the_qualification_are_untouched() -> None:
    book = after(3)
    lower, table = book.pool("lower"), book.event.qualification()
    book.leave(4)
    assert book.pool("lower") == lower
    assert book.event.qualification() == table


def test_r8_3_q49_the_opponents_coming_weeks_are_free_and_without_points() -> None:
    book = after(2)
    book.leave(4)
    free: list[int] = []
    for number in (3, 4, 5):
        proposal = propose(book.event, Stage.CANDIDATES, number)
        assert 4 not in {e for p in proposal.pairs for e in (p.a_id, p.b_id)}
        assert len(proposal.pairs) == 5, "two in the pool of the leaver, three in the other"
        assert len(proposal.free) == 1
        had = points(book)
        book.finish(book.publish_proposal(proposal))
        assert points(book)[proposal.free[0]] == had[proposal.free[0]]
        free += proposal.free
    met = {opponents_in_round(book, n)[4] for n in (1, 2)}
    assert set(free) == set(UPPER) - {4} - met, "each of those who had still to meet the leaver, once"


def test_r8_3_in_a_half_played_round() -> None:
    """The match of the leaver, published and begun, is disregarded; the rest of the round goes on."""
    book = after(1, open_round=True)
    opponent = opponents_in_round(book, 2)[4]
    book.begins(4, opponent, 3, 2)
    book.leave(4)
    result = book.result(4, opponent)
    assert result is not None
    assert (result.kind, result.a, result.b, result.game_a, result.game_b) == (ResultKind.DISREGARDED, 0, 0, 0, 0)
    open_ones = book.tournament.open_matches(book.tournament.rounds[-1].round_id)
    assert len(open_ones) == 5
    assert book.tournament.begun == {}


def test_r8_3_before_the_first_game_of_the_pools() -> None:
    book = after(0, open_round=True)
    seats = book.seats(Stage.CANDIDATES)
    book.leave(1)
    assert book.seats(Stage.CANDIDATES) == seats, "no replacement"
    assert book.pool("upper")[-1] == (None, 1, 0)


def test_r8_3_a_forfeit_win_over_the_leaver_is_disregarded_and_the_forfeit_counts() -> None:
    """Q25, Q44e: results go, conduct stays."""
    book = after(0, open_round=True)
    opponent = opponents_in_round(book, 1)[12]
    book.forfeits(12, opponent, "no_show")
    assert points(book)[opponent] == 2
    book.leave(12)
    assert points(book)[opponent] == 0
    assert dict(book.tournament.forfeits) == {12: (book.match(12, opponent).match_id,)}


def test_q44e_a_forfeit_against_somebody_removed_later_counts_on() -> None:
    book = after(0, open_round=True)
    opponent = opponents_in_round(book, 1)[12]
    book.forfeits(opponent, 12, "left")
    book.leave(12, Exit.DISQUALIFIED, "engine")
    assert list(book.tournament.forfeits) == [opponent]
    assert book.score(opponent, 12) == (0, 0)


def test_r8_3_two_of_one_pool_and_one_of_the_other() -> None:
    book = after(2)
    for leaver in (1, 9, 11):
        book.leave(leaver)
    assert book.tournament.unranked(Stage.CANDIDATES) == {1, 9, 11}
    assert {entrant for _, entrant, _ in book.pool("upper")[:4]} == {4, 6, 7, 12}
    assert [rank for rank, *_ in book.pool("upper")] == [1, 2, 3, 4, None, None]
    assert [rank for rank, *_ in book.pool("lower")] == [1, 2, 3, 4, 5, None]


def test_r8_3_a_reverted_exit_gives_the_pool_back() -> None:
    book = after(3)
    upper = book.pool("upper")
    left = book.leave(4)
    book.revert(left)
    assert book.pool("upper") == upper


def test_r8_3_an_exit_reverted_a_round_later() -> None:
    """The results come back, the round that was published without the player stays as it is."""
    book = after(3)
    left = book.leave(4)
    book.finish(book.next_round(Stage.CANDIDATES))
    book.revert(left)
    assert 4 not in opponents_in_round(book, 4)
    assert points(book)[4] == 2 * sum(opponents_in_round(book, n)[4] > 4 for n in (1, 2, 3))
    assert 4 in {e for p in propose(book.event, Stage.CANDIDATES, 5).pairs for e in (p.a_id, p.b_id)}


def test_r8_3_who_is_let_back_in_has_no_pool_any_more() -> None:
    """What was lost by leaving stays lost: the matches stay disregarded, and there are no more."""
    book = after(2)
    book.leave(4)
    book.returns(4)
    assert book.tournament.is_in(4)
    assert book.pool("upper")[-1] == (None, 4, 0)
    assert 4 not in {e for p in propose(book.event, Stage.CANDIDATES, 3).pairs for e in (p.a_id, p.b_id)}


def test_r8_3_the_crosstable_shows_what_is_disregarded() -> None:
    book = after(5)
    book.leave(4, Exit.DISQUALIFIED, "engine")
    (upper, _) = book.tournament.seated[Stage.CANDIDATES]
    cells = crosstable(book.tournament, upper)
    assert {cell.score.kind for cell in cells[1][4]} == {Kind.DISREGARDED}
    assert {cell.score.kind for cell in cells[1][6]} == {Kind.PLAYED}


# --- Q49: when the pool, or the player, has nothing left to play ------------------------------------------------


@pytest.mark.parametrize(("exit", "ground"), EXITS)
def test_q49_after_the_last_match_of_the_pool_the_results_stay(exit: Exit, ground: str | None) -> None:
    book = after(5)
    upper = book.pool("upper")
    book.leave(4, exit, ground)
    assert book.pool("upper") == upper
    assert book.tournament.unranked(Stage.CANDIDATES) == frozenset()


def last_match_played(entrant: int) -> tuple[Book, list[tuple[int, int]]]:
    """Round 5, in which only the match of that player is over; and the open pairs."""
    book = after(4, open_round=True)
    opponent = opponents_in_round(book, 5)[entrant]
    book.wins(entrant, opponent)
    last = book.tournament.rounds[-1].round_id
    return book, [(p.a_id, p.b_id) for p in book.tournament.open_matches(last)]


def test_q49_a_withdrawal_after_the_own_last_match_changes_nothing() -> None:
    book, _ = last_match_played(4)
    upper = book.pool("upper")
    book.leave(4)
    assert book.pool("upper") == upper


@pytest.mark.parametrize("ground", ["conduct", "booster", "guilty", "engine", "second_account"])
def test_q49_a_disqualification_while_the_pool_is_open_disregards(ground: str) -> None:
    book, _ = last_match_played(4)
    book.leave(4, Exit.DISQUALIFIED, ground)
    assert book.pool("upper")[-1] == (None, 4, 0)


def test_q49_the_other_pool_does_not_keep_this_one_open() -> None:
    book, open_ones = last_match_played(4)
    for a, b in open_ones:
        if a in UPPER:
            book.wins(a, b)
    upper = book.pool("upper")
    book.leave(4, Exit.DISQUALIFIED, "conduct")
    assert book.pool("upper") == upper


def test_q49_a_withdrawal_before_the_own_last_match_although_others_are_done() -> None:
    book = after(4, open_round=True)
    for pair in book.tournament.rounds[-1].pairs:
        if 4 not in (pair.a_id, pair.b_id):
            book.wins(min(pair.a_id, pair.b_id), max(pair.a_id, pair.b_id))
    book.leave(4)
    assert book.pool("upper")[-1] == (None, 4, 0)


def test_q49_an_extended_last_match_keeps_the_pool_open() -> None:
    book = after(4, open_round=True)
    book.add(MatchExtended(book.match(4, opponents_in_round(book, 5)[4]).match_id, START))
    for a, b in ((p.a_id, p.b_id) for p in book.tournament.rounds[-1].pairs if 4 not in (p.a_id, p.b_id)):
        book.wins(a, b)
    book.leave(4)
    assert book.tournament.unranked(Stage.CANDIDATES) == {4}


def test_q49_who_has_only_a_leaver_left_to_meet_has_nothing_left_to_play() -> None:
    book = after(4, open_round=True)
    opponent = opponents_in_round(book, 5)[4]
    book.leave(opponent)
    rest = book.pool("upper")
    book.leave(4)
    assert book.pool("upper") == rest
    assert book.tournament.unranked(Stage.CANDIDATES) == {opponent}


def test_q49_two_who_leave_by_one_ruling_before_their_match_are_both_disregarded() -> None:
    book = after(4, open_round=True)
    opponent = opponents_in_round(book, 5)[4]
    book.leave(opponent, command="both")
    book.leave(4, command="both")
    assert book.tournament.unranked(Stage.CANDIDATES) == {4, opponent}


def test_q49_a_withdrawal_after_the_last_match_that_becomes_a_disqualification() -> None:
    book, _ = last_match_played(4)
    book.leave(4)
    disqualified = book.leave(4, Exit.DISQUALIFIED, "guilty")
    assert book.tournament.unranked(Stage.CANDIDATES) == {4}
    book.revert(disqualified)
    assert book.tournament.unranked(Stage.CANDIDATES) == frozenset()
    assert not book.tournament.is_in(4)


def test_q49_a_voided_match_is_still_to_be_played() -> None:
    book, _ = last_match_played(4)
    book.voids(4, opponents_in_round(book, 5)[4])
    book.leave(4)
    assert book.tournament.unranked(Stage.CANDIDATES) == {4}


def test_q49_a_ruled_match_is_over() -> None:
    book = after(4, open_round=True)
    book.add(MatchRuled(book.match(4, opponents_in_round(book, 5)[4]).match_id, 1, 1, awarded_a=10, awarded_b=10))
    upper = book.pool("upper")
    book.leave(4)
    assert book.pool("upper") == upper


# --- Q50: the week before the Semifinals ------------------------------------------------------------------------


def test_q50_an_engine_mark_in_the_free_week_is_r8_3_first_and_then_the_seats() -> None:
    """1, 4 and 6 are first to third of the upper pool; 4 beat 1, 6 beat 4, 1 beat 6, all have four wins."""
    book = circle_of_three()
    assert [entrant for _, entrant, _ in book.pool("upper")[:3]] == [1, 4, 6]
    book.mark(1)
    assert [(rank, entrant) for rank, entrant, _ in book.pool("upper")[:3]] == [(1, 6), (2, 4), (3, 7)]
    assert book.seats(Stage.SEMIFINALS) == {"semifinal_1": (6, 3), "semifinal_2": (2, 4)}


def test_q50_any_other_exit_leaves_the_results_and_moves_the_seats() -> None:
    book = circle_of_three()
    upper = book.pool("upper")
    book.leave(1, Exit.DISQUALIFIED, "booster")
    assert book.pool("upper") == upper
    assert book.seats(Stage.SEMIFINALS) == {"semifinal_1": (4, 3), "semifinal_2": (2, 6)}


def test_q50_q48_the_mark_does_not_reach_the_qualification() -> None:
    book = circle_of_three()
    table = book.event.qualification()
    book.mark(1)
    assert book.event.qualification() == table


def test_q48_a_mark_after_the_first_semifinal_pairings_leaves_the_pools() -> None:
    book = circle_of_three().semifinals()
    upper = book.pool("upper")
    book.mark(1)
    assert book.pool("upper") == upper
    assert book.tournament.unranked(Stage.CANDIDATES) == frozenset()


def test_q50_a_withdrawal_in_the_pools_and_a_mark_in_the_free_week() -> None:
    book = after(5)
    book.leave(4)
    assert book.tournament.unranked(Stage.CANDIDATES) == frozenset()
    book.add(EntrantLeft(4, Exit.DISQUALIFIED, "engine"))
    assert book.tournament.unranked(Stage.CANDIDATES) == {4}


def circle_of_three() -> Book:
    """After the pools: 1 beat 6, 6 beat 4, 4 beat 1, else the better seed; equal on mutual games, so by place."""
    book = before(Stage.SEMIFINALS)
    for winner, loser in ((4, 1), (6, 4)):
        book.wins(winner, loser, 2, 1)
    return book

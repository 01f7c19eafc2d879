"""Exits in the Qualification as the whole edition sees them: R8.1, R8.2, Q29, Q43-Q48.

The effect on a single match is in `test_ledger_exits`.
"""

from __future__ import annotations

import pytest

from engine.facts import EntrantLeft, Exit, MatchExtended, MatchRuled
from engine.model import Stage
from engine.stages import propose
from engine.tournament import ResultKind
from tests.engine.ledger_book import START, A, B, Book, C, D, E, before

F = 6


@pytest.fixture
def book() -> Book:
    """Six players, round 1: A-B, C-D, E-F; A, C and E won. Round 2 is published: A-C, E-B, D-F."""
    started = Book(6)
    started.finish(started.round((A, B), (C, D), (E, F)))
    started.round((A, C), (E, B), (D, F))
    return started


def median(book: Book, entrant: int) -> int:
    line = next(line for line in book.event.qualification() if line.entrant_id == entrant)
    return line.values["median_buchholz"] or 0


def paired(book: Book, number: int) -> set[int]:
    proposal = propose(book.event, Stage.QUALIFICATION, number)
    return {entrant for pair in proposal.pairs for entrant in (pair.a_id, pair.b_id)} | {proposal.bye or 0}


# --- R8.1 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exit", list(Exit))
def test_r8_1_not_paired_again_and_the_open_match_is_won_by_the_opponent(book: Book, exit: Exit) -> None:
    book.leave(A, exit, "conduct" if exit is Exit.DISQUALIFIED else None)
    assert book.score(A, C) == (0, 2)
    assert book.score(A, B) == (2, 0), "a completed match stands"
    assert book.score(E, B) is None, "somebody else's match is untouched"
    book.finish(2)
    assert paired(book, 3) == {B, C, D, E, F}


def test_r8_1_an_exit_before_the_pairing_is_published_makes_no_walkover() -> None:
    book = Book(6)
    book.leave(F)
    assert paired(book, 1) == {A, B, C, D, E}
    assert book.tournament.results == {}


def test_r8_1_an_extended_match_is_uncompleted_too(book: Book) -> None:
    book.add(MatchExtended(book.match(A, C).match_id, START))
    book.leave(C)
    assert book.score(A, C) == (2, 0)
    assert book.tournament.extended == {}


def test_q29_the_half_played_match_of_a_leaver_counts_as_played(book: Book) -> None:
    book.begins(A, C, 3, 1)
    book.leave(A)
    result = book.result(A, C)
    assert result is not None
    assert (result.kind, result.played, result.game_a, result.game_b) == (ResultKind.WALKOVER, True, 6, 2)
    assert (result.a, result.b, len(result.games)) == (0, 2, 4)
    assert C not in book.tournament.walkover_winners(), "a point with a game does not bar from the bye (Q42)"


def test_q29_without_a_game_the_walkover_is_unplayed(book: Book) -> None:
    book.leave(A)
    assert C in book.tournament.walkover_winners()


def test_q29_buchholz_has_the_real_opponent_only_after_a_game() -> None:
    """A leaver with no points: half-played he counts 0 for the opponent, unplayed the opponent's own points."""

    def three_rounds(*, half_played: bool) -> Book:
        book = Book(6)
        book.finish(book.round((A, B), (C, D), (E, F)))
        book.round((A, F), (C, B), (D, E))
        if half_played:
            book.begins(A, F)
        book.leave(F)
        book.finish(2)
        book.finish(book.round((A, C), (B, D), bye=E))
        return book

    # In half-points A has 6, the opponents B 4, C 2 and F 0, or 6 for the round without a game.
    # Without the best and the worst one is left.
    assert median(three_rounds(half_played=True), A) == 2
    assert median(three_rounds(half_played=False), A) == 4


def book_points(book: Book, entrant: int) -> int:
    return next(line.points for line in book.event.qualification() if line.entrant_id == entrant)


def test_r8_1_exits_in_a_half_played_round(book: Book) -> None:
    """One match finished, one going on, one not begun; a player of each leaves."""
    book.wins(A, C)
    book.begins(E, B, 0, 2)
    for leaver in (C, E, D):
        book.leave(leaver)
    assert (book.score(A, C), book.score(E, B), book.score(D, F)) == ((2, 0), (0, 2), (0, 2))
    played = {(a, b): result.played for a, b in ((A, C), (E, B), (D, F)) if (result := book.result(a, b))}
    assert played == {(A, C): True, (E, B): True, (D, F): False}
    assert book.tournament.open_matches(2) == ()


def test_q44_half_played_and_both_out(book: Book) -> None:
    book.begins(A, C, 1, 1)
    book.leave(A, command="one")
    book.leave(C, command="one")
    both = book.result(A, C)
    assert both is not None
    assert (both.a, both.b, both.played, both.game_a, both.game_b) == (0, 0, True, 2, 2)


def test_q44_in_sequence_the_second_keeps_the_win_although_the_first_comes_back(book: Book) -> None:
    book.leave(A)
    book.leave(C)
    book.returns(A)
    assert book.score(A, C) == (0, 2)


def test_r8_1_after_the_first_candidates_pairings_nothing_changes() -> None:
    """One principle: the results are final, also the one that is missing."""
    book = before(Stage.CANDIDATES)
    open_one = book.round((13, 14))
    table = book.ranks()
    book.next_round(Stage.CANDIDATES)
    book.leave(13)
    assert book.tournament.open_matches(open_one) == (book.match(13, 14),)
    assert book.ranks() == table


# --- Coming back: by a revert (Q44d) and by a new fact ----------------------------------------------------------


def test_q44d_a_reverted_exit_gives_everything_back_and_missed_rounds_are_absent(book: Book) -> None:
    left = book.leave(A)
    book.finish(2)
    book.finish(book.round((C, E), (B, F), bye=D))
    walkover = book.tournament
    book.revert(left)
    assert book.score(A, C) is None, "the match is open again"
    assert book.tournament.rounds == walkover.rounds, "the pairings stay"
    assert book.ranks()[A] is not None
    book.wins(A, C)
    row = next(line for line in book.event.qualification() if line.entrant_id == A)
    assert (row.points, row.record.wins) == (4, 2), "nothing for round 3"
    assert A in paired(book, 4)


def test_r8_who_is_let_back_in_plays_again_and_what_was_lost_stays_lost(book: Book) -> None:
    book.leave(A)
    book.finish(2)
    book.finish(book.round((C, E), (B, F), bye=D))
    book.returns(A)
    assert book.tournament.is_in(A)
    assert book.score(A, C) == (0, 2)
    assert book.ranks()[A] is not None
    assert book_points(book, A) == 2
    assert A in paired(book, 4)


def test_q44f_a_closed_account_is_neither_a_mark_nor_a_withdrawal(book: Book) -> None:
    """By itself it changes nothing. Unanswered at the next publication a TD takes the player out, without a ground; who
    answers is let back in."""
    book.wins(A, C)
    book.finish(2)
    book.leave(A)
    assert A not in paired(book, 3)
    assert (book.score(A, B), book.score(A, C)) == ((2, 0), (2, 0)), "no mark: what was played stands"
    book.finish(book.round((C, E), (B, F), bye=D))
    book.returns(A)
    assert (A in paired(book, 4), book_points(book, A)) == (True, 4), "nothing for the round missed"
    assert book.ranks()[A] is not None


def test_r8_let_back_in_and_out_again(book: Book) -> None:
    book.leave(A)
    book.finish(2)
    book.returns(A)
    book.round((A, D), (C, E), (B, F))
    book.leave(A, Exit.DISQUALIFIED, "conduct")
    assert (book.score(A, C), book.score(A, D)) == ((0, 2), (0, 2))
    assert book.tournament.left[A].exit is Exit.DISQUALIFIED


# --- R8.2 -----------------------------------------------------------------------------------------------------


def marked_season() -> Book:
    """D beats everybody he meets: A, B and C; one match by a walkover of F, one ruled a draw with E."""
    book = Book(6)
    book.round((D, A), (B, C), (E, F))
    book.wins(D, A, 6, 1)
    book.finish(1)
    book.round((D, F), (A, B), (C, E))
    book.forfeits(F, D, "no_show")
    book.finish(2)
    book.round((D, E), (A, C), (B, F))
    book.add(MatchRuled(book.match(D, E).match_id, 1, 1))
    book.finish(3)
    return book


def test_r8_2_only_matches_with_a_game_go_to_the_opponents() -> None:
    book = marked_season()
    table = book.event.qualification()
    pairings = book.tournament.rounds
    mark = book.mark(D)
    assert (book.score(D, A), book.score(D, F), book.score(D, E)) == ((0, 2), (2, 0), (1, 1))
    adjudicated = book.result(D, A)
    assert adjudicated is not None
    assert (adjudicated.kind, adjudicated.game_a, adjudicated.game_b) == (ResultKind.ADJUDICATED, 0, 14)
    assert book_points(book, A) == 6, "he beat B and C, and now D"
    assert book.tournament.rounds == pairings
    assert dict(book.tournament.forfeits) == {F: (book.match(D, F).match_id,)}, "the absent one keeps his forfeit"
    book.revert(mark)
    assert book.event.qualification() == table


@pytest.mark.parametrize(
    ("exit", "ground"),
    [
        (Exit.DISQUALIFIED, "booster"),
        (Exit.DISQUALIFIED, "guilty"),
        (Exit.DISQUALIFIED, "second_account"),
        (Exit.DISQUALIFIED, "public_accusation"),
        (Exit.WITHDRAWN, None),
    ],
)
def test_r8_2_q44c_only_the_engine_ground_reaches_back(exit: Exit, ground: str | None) -> None:
    book = marked_season()
    points = {line.entrant_id: line.points for line in book.event.qualification()}
    book.leave(D, exit, ground)
    assert {line.entrant_id: line.points for line in book.event.qualification()} == points
    assert book.ranks()[D] is None


def test_q44c_a_ruling_without_a_lichess_mark_can_say_engine() -> None:
    """Found guilty first; then the ruling is replaced by one that says "engine", and the other way round."""
    book = marked_season()
    guilty = book.leave(D, Exit.DISQUALIFIED, "guilty")
    assert book.score(D, A) == (2, 0)
    engine = book.add(EntrantLeft(D, Exit.DISQUALIFIED, "engine"), replaces=guilty)
    assert book.score(D, A) == (0, 2)
    book.add(EntrantLeft(D, Exit.DISQUALIFIED, "guilty"), replaces=engine)
    assert book.score(D, A) == (2, 0)


def test_q44b_a_bye_of_the_marked_player_stays() -> None:
    book = Book(5)
    book.finish(book.round((A, B), (C, D), bye=E))
    book.mark(E)
    assert (book_points(book, E), book.ranks()[E]) == (2, None)
    assert book.tournament.round(1).bye == E


def test_q44b_a_match_that_the_opponent_left_half_played_goes_to_the_opponent(book: Book) -> None:
    book.begins(E, B, 2, 1)
    book.leave(B)
    assert book.score(E, B) == (2, 0)
    book.mark(E)
    assert book.score(E, B) == (0, 2)


def test_q44b_a_match_that_the_opponent_left_unplayed_stays(book: Book) -> None:
    book.leave(B)
    book.mark(E)
    assert book.score(E, B) == (2, 0)


def test_r8_1_the_mark_in_a_half_played_match_is_an_exit_from_it(book: Book) -> None:
    """The open match is R8.1, the finished ones are R8.2."""
    book.begins(E, B, 2, 1)
    book.mark(E)
    running, finished = book.result(E, B), book.result(E, F)
    assert running is not None and finished is not None
    assert (running.kind, running.a, running.b, running.game_a) == (ResultKind.WALKOVER, 0, 2, 4)
    assert (finished.kind, finished.a, finished.b) == (ResultKind.ADJUDICATED, 0, 2)


def test_q44_two_marked_players_who_met() -> None:
    book = marked_season()
    first = book.mark(D)
    book.mark(A)
    both = book.result(D, A)
    assert both is not None
    assert (both.a, both.b, both.game_a, both.game_b) == (0, 0, 0, 0)
    book.revert(first)
    assert book.score(D, A) == (2, 0), "then only A was marked"


def test_q44_a_mark_and_a_withdrawal_by_one_ruling_in_an_open_match(book: Book) -> None:
    book.begins(E, B, 1, 0)
    book.leave(E, Exit.DISQUALIFIED, "engine", command="one")
    book.leave(B, command="one")
    assert book.score(E, B) == (0, 0)


def test_r8_2_who_comes_back_after_a_mark_gets_nothing_back() -> None:
    book = marked_season()
    book.mark(D)
    book.returns(D)
    assert book.score(D, A) == (0, 2)
    assert book.ranks()[D] is not None


# --- Q43: the free pair ---------------------------------------------------------------------------------------


def test_q43_until_friday_the_bye_holder_may_meet_the_opponent_of_a_leaver() -> None:
    book = Book(5)
    book.round((A, B), (C, D), bye=E)
    book.leave(B)
    assert book.score(A, B) == (2, 0)
    old = book.match(A, B)
    book.publish(1, (A, E), (C, D))
    assert book.tournament.round(1).bye is None
    assert book.tournament.open_matches(1) == (book.match(A, E), book.match(C, D))
    assert old.match_id != book.match(C, D).match_id
    book.finish(1)
    assert (book.score(A, E), book_points(book, E)) == ((2, 0), 0), "no bye and no walkover any more"


def test_q42_a_voided_pair_has_not_met_and_counts_as_unplayed(book: Book) -> None:
    book.voids(A, C)
    assert frozenset((A, C)) not in book.tournament.met()
    assert frozenset((E, B)) in book.tournament.met()
    book.finish(2)
    row = {line.entrant_id: line for line in book.event.qualification()}[A]
    assert (row.points, row.record.wins, row.record.losses) == (2, 1, 0)


# --- Q45-Q48: the table ---------------------------------------------------------------------------------------


def test_q45_who_left_stands_unranked_at_the_end_and_lends_the_points() -> None:
    """The top seed vanishes after winning round 1."""
    book = Book(6)
    book.finish(book.round((A, B), (C, D), (E, F)))
    buchholz = median(book, B)
    book.leave(A)
    table = book.event.qualification()
    assert [line.rank for line in table] == [1, 2, 3, 4, 5, None]
    assert table[-1].entrant_id == A and table[-1].points == 2
    assert median(book, B) == buchholz
    assert book.tournament.unranked(Stage.QUALIFICATION) == {A}
    assert book.tournament.unranked(Stage.CANDIDATES) == frozenset()


def test_q46_an_exit_in_the_free_week_opens_a_place() -> None:
    book = before(Stage.CANDIDATES)
    book.leave(5)
    assert book.ranks()[5] is None
    assert book.ranks()[13] == 12


def test_q47_a_mark_in_the_free_week_changes_the_table_and_the_twelve() -> None:
    """Everybody whom 3 has beaten gains a point; the thirteenth moves up."""
    book = before(Stage.CANDIDATES)
    assert book.score(3, 13) == (2, 0)
    book.mark(3)
    assert book.score(3, 13) == (0, 2)
    assert book.ranks() == {1: 1, 2: 2, 3: None} | {n: n - 1 for n in range(4, 15)}
    assert book_points(book, 13) == 2 * 2


@pytest.mark.parametrize("leaver", [3, 13])
def test_q48_after_that_the_qualification_is_untouched(leaver: int) -> None:
    book = before(Stage.CANDIDATES)
    book.next_round(Stage.CANDIDATES)
    table, seats = book.event.qualification(), book.seats(Stage.CANDIDATES)
    book.mark(leaver)
    assert book.event.qualification() == table
    assert book.seats(Stage.CANDIDATES) == seats, "nobody moves up from 13th"
    assert not book.tournament.is_in(leaver)


def test_q48_a_mark_of_somebody_who_withdrew_in_the_qualification() -> None:
    book = before(Stage.CANDIDATES)
    book.leave(13)
    book.next_round(Stage.CANDIDATES)
    table = book.event.qualification()
    book.mark(13)
    assert book.event.qualification() == table


def test_q44d_a_mark_lifted_during_the_candidates_gives_the_results_back_and_leaves_the_seats() -> None:
    book = before(Stage.CANDIDATES)
    table = book.ranks()
    mark = book.mark(3)
    book.next_round(Stage.CANDIDATES)
    seats = book.seats(Stage.CANDIDATES)
    assert 13 in seats["upper"] + seats["lower"]
    book.revert(mark)
    assert book.ranks() == table
    assert book.seats(Stage.CANDIDATES) == seats


def test_r8_who_comes_back_during_the_candidates_stays_unranked_in_the_qualification() -> None:
    """The table is final, what was lost by leaving stays lost."""
    book = before(Stage.CANDIDATES)
    book.leave(7)
    book.next_round(Stage.CANDIDATES)
    book.returns(7)
    assert book.ranks()[7] is None
    assert book.tournament.is_in(7)


def test_q48_a_ground_that_becomes_engine_after_the_candidates_began_does_not_reach_back() -> None:
    book = before(Stage.CANDIDATES)
    conduct = book.leave(13, Exit.DISQUALIFIED, "conduct")
    played = book.ranks()
    book.next_round(Stage.CANDIDATES)
    book.add(EntrantLeft(13, Exit.DISQUALIFIED, "engine"), replaces=conduct)
    assert book.ranks() == played

"""Forfeits and what they lead to: R6.5, Q24, Q25, Q44e."""

from __future__ import annotations

import pytest

from engine.conduct import due_disqualifications
from engine.exits import TWO_FORFEITS, LeavingRules
from engine.facts import EntrantLeft, Exit, ForfeitLifted, MatchRuled
from engine.ledger import fold
from engine.model import Stage
from engine.rules.registry import FORFEITS
from tests.engine.ledger_book import A, B, Book, C, D, E, after

F = 6
DUE = EntrantLeft(A, Exit.DISQUALIFIED, TWO_FORFEITS)


@pytest.fixture
def book() -> Book:
    """Six players, two rounds published: A-B, C-D, E-F; A-C, E-B, D-F."""
    started = Book(6)
    started.round((A, B), (C, D), (E, F))
    started.round((A, C), (E, B), (D, F))
    return started


def due(book: Book) -> tuple[EntrantLeft, ...]:
    return due_disqualifications(book.tournament, book.rules.forfeits.to_disqualify)


def test_r6_5_forfeited_in_two_different_matches(book: Book) -> None:
    book.forfeits(A, B, "no_show")
    assert due(book) == ()
    book.forfeits(A, C, "left")
    assert due(book) == (DUE,)
    assert book.tournament.is_in(A), "proposed, not in force (Q25)"


def test_q24_two_in_one_match_are_one(book: Book) -> None:
    book.forfeits(A, B, "no_show")
    book.forfeits(A, B, "director")
    book.add(MatchRuled(book.match(A, B).match_id, 0, 2, (A, A)))
    assert due(book) == ()
    assert dict(book.tournament.forfeits) == {A: (book.match(A, B).match_id,)}


@pytest.mark.parametrize("kind", [*sorted(FORFEITS), None])
def test_q24_every_kind_of_the_ruleset_counts(book: Book, kind: str | None) -> None:
    """No name stands for a director's forfeit."""
    book.forfeits(A, B, kind)
    assert list(book.tournament.forfeits) == [A]


def test_q24_a_kind_that_an_edition_does_not_count(book: Book) -> None:
    book.forfeits(A, B, "both_failed")
    book.forfeits(A, C, "no_show")
    some = LeavingRules(counting=FORFEITS - {"both_failed"})
    assert dict(fold(book.facts, leaving=some).forfeits) == {A: (book.match(A, C).match_id,)}
    none_named = LeavingRules(counting=frozenset())
    assert dict(fold(book.facts, leaving=none_named).forfeits) == {}


def test_q24_no_forfeit_a_lost_match_a_draw_without_fault_a_concession_an_exit(book: Book) -> None:
    book.wins(B, A)
    book.add(MatchRuled(book.match(C, D).match_id, 1, 1))
    book.add(MatchRuled(book.match(A, C).match_id, 0, 2, (), True))
    book.leave(E)
    assert dict(book.tournament.forfeits) == {}


def test_q24_both_of_one_match(book: Book) -> None:
    book.add(MatchRuled(book.match(A, B).match_id, 1, 1, (A, B), forfeit="both_failed"))
    book.forfeits(A, C, "no_show")
    book.forfeits(B, E, "no_show")
    assert due(book) == (DUE, EntrantLeft(B, Exit.DISQUALIFIED, TWO_FORFEITS))


def test_q24_all_stages_add_up() -> None:
    book = after(0, open_round=True)
    qualification = book.match(1, 2)
    book.forfeits(1, 2, "no_show")
    (opponent,) = [p.b_id if p.a_id == 1 else p.a_id for p in book.tournament.rounds[-1].pairs if 1 in (p.a_id, p.b_id)]
    book.forfeits(1, opponent, "left")
    assert book.tournament.forfeits[1] == (qualification.match_id, book.match(1, opponent).match_id)
    assert due(book) == (EntrantLeft(1, Exit.DISQUALIFIED, TWO_FORFEITS),)


def test_r6_5_nobody_who_is_out_already(book: Book) -> None:
    book.forfeits(A, B)
    book.forfeits(A, C)
    book.leave(A)
    assert due(book) == ()


def test_q24_a_lifted_forfeit_does_not_count_and_the_result_stays(book: Book) -> None:
    book.forfeits(A, B)
    book.forfeits(A, C)
    lifted = book.add(ForfeitLifted(book.match(A, B).match_id, A))
    assert due(book) == ()
    assert book.score(A, B) == (0, 2)
    book.revert(lifted)
    assert due(book) == (DUE,)


def test_q2_the_forfeits_go_when_the_match_is_played(book: Book) -> None:
    book.forfeits(A, B, "both_failed")
    book.forfeits(A, C)
    book.wins(A, B)
    assert due(book) == ()


# --- Q25, Q44e: the disqualification stands and falls with the forfeits -----------------------------------------


def disqualified(book: Book) -> tuple[int, int]:
    """A has forfeited against B and C and is out; the facts of both forfeits."""
    first = book.forfeits(A, B)
    second = book.forfeits(A, C)
    book.finish(1)
    book.finish(2)
    book.round((A, D), (C, E), (B, F))
    book.add(DUE)
    return first, second


def test_q25_in_force_it_is_an_exit_like_any_other(book: Book) -> None:
    disqualified(book)
    assert not book.tournament.is_in(A)
    assert book.score(A, D) == (0, 2)
    assert book.ranks()[A] is None
    assert due(book) == ()


@pytest.mark.parametrize("which", [0, 1])
def test_q44e_reverting_a_forfeit_takes_back_the_disqualification_and_what_followed(book: Book, which: int) -> None:
    reverted = disqualified(book)[which]
    undo = book.revert(reverted)
    assert book.tournament.is_in(A)
    assert book.score(A, D) is None, "the walkover that followed from it is gone"
    assert book.ranks()[A] is not None
    book.revert(undo)
    assert not book.tournament.is_in(A)
    assert book.score(A, D) == (0, 2)


def test_q44e_lifting_a_forfeit_takes_it_back_too(book: Book) -> None:
    disqualified(book)
    book.add(ForfeitLifted(book.match(A, B).match_id, A))
    assert book.tournament.is_in(A)
    assert book.score(A, D) is None
    assert (book.score(A, B), book.score(A, C)) == ((0, 2), (0, 2)), "the results of the forfeits stay"


def test_q44e_with_a_third_forfeit_it_stands_on(book: Book) -> None:
    first, _ = disqualified(book)
    book.forfeits(A, D)
    book.revert(first)
    assert not book.tournament.is_in(A)


def test_q44e_any_other_ground_does_not_rest_on_forfeits(book: Book) -> None:
    first = book.forfeits(A, B)
    book.forfeits(A, C)
    book.leave(A, Exit.DISQUALIFIED, "conduct")
    book.revert(first)
    assert not book.tournament.is_in(A)


def test_q44e_who_is_let_back_in_still_has_the_forfeits_until_a_td_lifts_one(book: Book) -> None:
    disqualified(book)
    book.returns(A)
    assert due(book) == (DUE,)
    book.add(ForfeitLifted(book.match(A, C).match_id, A))
    assert due(book) == ()
    assert book.tournament.is_in(A)


def test_q44e_in_the_pools_the_disregarded_matches_come_back() -> None:
    """A win claimed against somebody is disregarded with his disqualification (Q25); the revert gives it back."""
    book = after(1, open_round=True)
    opponents = {
        r.number: {p.a_id: p.b_id for p in r.pairs} | {p.b_id: p.a_id for p in r.pairs}
        for r in book.tournament.stage_rounds(Stage.CANDIDATES)
    }
    book.forfeits(4, opponents[1][4], "left", played=True)
    second = book.forfeits(4, opponents[2][4], "no_show")
    assert book.score(4, opponents[2][4]) == (0, 2)
    upper = book.pool("upper")
    book.add(EntrantLeft(4, Exit.DISQUALIFIED, TWO_FORFEITS))
    assert book.score(4, opponents[2][4]) == (0, 0)
    assert book.pool("upper")[-1] == (None, 4, 0)
    undo = book.revert(second)
    assert book.score(4, opponents[2][4]) is None
    book.revert(undo)
    book.revert(len(book.facts) - 2)
    assert book.pool("upper") == upper

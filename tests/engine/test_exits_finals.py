"""Exits in the Finals: R8.5, Q52.

The pools ended 1, 4, 6, 7, 9, 12 and 2, 3, 5, 8, 10, 11; the Semifinals were 1 v 3 and 2 v 4, so the Grand Final is
1 v 2 and the playoff 3 v 4.
"""

from __future__ import annotations

import pytest

from engine.facts import Exit, SeatDeclined
from engine.model import Stage
from engine.seating import Remark
from engine.stages import repair
from tests.engine.ledger_book import Book, published

SEMIFINALS, FINALS = Stage.SEMIFINALS, Stage.FINALS
EXITS = [(Exit.WITHDRAWN, None), (Exit.DISQUALIFIED, "conduct"), (Exit.DISQUALIFIED, "engine")]


@pytest.fixture
def finals() -> Book:
    """The Finals are published, nothing is played."""
    return published(FINALS)


def last_two(final: tuple[int, ...], playoff: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return {"grand_final": final, "third_place": playoff}


# --- R8.5, Q52: the Finals are paired, nothing is played --------------------------------------------------------


@pytest.mark.parametrize(
    ("leavers", "seats"),
    [
        ((1,), last_two((3, 2), (6, 4))),  # the next of the pool of 1 who is not in a final: 6, for 4 is in the playoff
        ((2,), last_two((1, 4), (3, 5))),
        ((3,), last_two((1, 2), (5, 4))),
        ((4,), last_two((1, 2), (3, 6))),
        ((1, 3), last_two((4, 2), (5, 6))),  # the own loser is gone: the loser of the other semifinal
        ((1, 2), last_two((3, 4), (6, 5))),
        ((1, 4), last_two((3, 2), (6, 7))),
        ((3, 4), last_two((1, 2), (5, 6))),
        ((2, 1), last_two((3, 4), (6, 5))),
        ((1, 6), last_two((3, 2), (7, 4))),
        ((1, 2, 3), last_two((6, 4), (5, 8))),  # 4 takes the seat of his own semifinal
        ((1, 2, 3, 4), last_two((6, 5), (8, 7))),
    ],
)
@pytest.mark.parametrize("command", [None, "one ruling"])
def test_r8_5_q52_seats_are_refilled(
    finals: Book, leavers: tuple[int, ...], seats: dict[str, tuple[int, ...]], command: str | None
) -> None:
    for leaver in leavers:
        finals.leave(leaver, command=command)
    assert finals.seats(FINALS) == seats
    assert finals.mended(FINALS) == seats
    assert finals.result(1, 2) is None, "no match is won before its first game"
    finals.mend(FINALS)
    assert finals.mended(FINALS) is None


def test_q52_the_own_pool_is_empty_so_the_other_one(finals: Book) -> None:
    for leaver in (6, 7, 9, 12):
        finals.leave(leaver)
    finals.leave(1)
    assert finals.seats(FINALS) == last_two((3, 2), (5, 4))


def test_q52_nobody_is_left_so_the_opponent_is_third_without_play(finals: Book) -> None:
    for leaver in (6, 7, 9, 12, 5, 8, 10, 11):
        finals.leave(leaver)
    finals.leave(1)
    assert finals.seats(FINALS) == last_two((3, 2), (4,))
    assert (Remark.EMPTY, "third_place", (4,)) in finals.notes(FINALS)
    finals.mend(FINALS)
    (published,) = finals.tournament.stage_rounds(FINALS)
    assert [pair.group for pair in published.pairs] == ["grand_final"]


def test_q52_a_promoted_player_must_accept(finals: Book) -> None:
    """3 declines the final and keeps the playoff; then 4 is asked; the pool of 1 fills the seat of 4."""
    finals.leave(1)
    finals.add(SeatDeclined(FINALS, 3))
    assert finals.seats(FINALS) == last_two((4, 2), (3, 6))
    finals.add(SeatDeclined(FINALS, 6))
    assert finals.seats(FINALS) == last_two((4, 2), (3, 7))
    finals.add(SeatDeclined(FINALS, 4))
    assert finals.seats(FINALS) == last_two((7, 2), (3, 4)), "both losers stay where they are"


def test_q52_a_chain_of_exits_each_confirmed(finals: Book) -> None:
    finals.leave(1)
    finals.mend(FINALS)
    assert finals.seats(FINALS) == last_two((3, 2), (6, 4))
    finals.leave(6)
    finals.mend(FINALS)
    assert finals.seats(FINALS) == last_two((3, 2), (7, 4))
    finals.leave(3)
    finals.mend(FINALS)
    assert finals.seats(FINALS) == last_two((4, 2), (5, 7))


def test_q52_the_promoted_loser_is_in_a_begun_final_and_his_playoff_seat_stays_filled(finals: Book) -> None:
    finals.leave(1)
    finals.mend(FINALS)
    finals.begins(3, 2)
    assert finals.mended(FINALS) is None
    finals.leave(6)
    assert finals.mended(FINALS) == last_two((3, 2), (7, 4)), "still the pool of the one who left the final"


def test_q52_the_playoff_has_begun_so_its_players_stay(finals: Book) -> None:
    """As Q51 for a begun semifinal: the next of the pool takes the vacant seat in the final."""
    finals.begins(3, 4)
    finals.leave(1)
    assert finals.mended(FINALS) == last_two((6, 2), (3, 4))


def test_q52_the_final_has_begun_and_a_player_of_the_playoff_leaves(finals: Book) -> None:
    finals.begins(1, 2)
    finals.leave(3)
    assert finals.mended(FINALS) == last_two((1, 2), (5, 4))


# --- Q52: after the first game ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("exit", "ground"), EXITS)
@pytest.mark.parametrize(("leaver", "opponent"), [(1, 2), (2, 1), (3, 4), (4, 3)])
def test_q52_after_the_first_game_the_opponent_wins_and_nobody_moves_up(
    finals: Book, leaver: int, opponent: int, exit: Exit, ground: str | None
) -> None:
    finals.begins(leaver, opponent, 6, 0)
    finals.leave(leaver, exit, ground)
    assert finals.score(leaver, opponent) == (0, 2)
    assert finals.mended(FINALS) is None


def test_q52_both_finalists_after_the_first_game_one_after_the_other(finals: Book) -> None:
    finals.begins(1, 2)
    finals.leave(2)
    finals.leave(1)
    assert finals.score(1, 2) == (2, 0)
    assert finals.mended(FINALS) is None


def test_q52_both_finalists_after_the_first_game_at_once_a_td_decides(finals: Book) -> None:
    finals.begins(1, 2)
    finals.leave(2, command="both")
    finals.leave(1, command="both")
    assert finals.result(1, 2) is None
    assert finals.mended(FINALS) is None


def test_q52_the_exit_from_a_begun_final_reverted(finals: Book) -> None:
    finals.begins(1, 2, 3, 2)
    left = finals.leave(1)
    finals.revert(left)
    assert finals.result(1, 2) is None
    assert len(finals.tournament.begun[finals.match(1, 2).match_id]) == 5


def test_q52_a_game_after_the_exit_does_not_make_it_a_lost_match(finals: Book) -> None:
    """The exit came before the first game was known: a TD confirms who sits there."""
    finals.leave(1)
    finals.begins(1, 2)
    assert finals.result(1, 2) is None


def test_q52_results_of_the_semifinals_are_final_with_the_finals(finals: Book) -> None:
    finals.mark(1)
    assert finals.score(1, 3) == (2, 0)
    assert finals.mended(SEMIFINALS) is None
    assert repair(finals.event, Stage.CANDIDATES) is None
    assert repair(finals.event, Stage.QUALIFICATION) is None


def test_q51_a_semifinal_that_nobody_else_was_left_for_is_final_too() -> None:
    """2 goes to the Grand Final without play; when he leaves it, nobody is seated in his semifinal any more."""
    book = published(SEMIFINALS)
    for leaver in (4, 6, 7, 9, 12):
        book.leave(leaver)
    book.mend(SEMIFINALS)
    book.wins(1, 3)
    book.next_round(FINALS)
    assert book.seats(FINALS) == last_two((1, 2), (3, 5))
    book.leave(2)
    assert book.mended(SEMIFINALS) is None
    assert book.mended(FINALS) == last_two((1, 3), (5, 8))

"""Exits before and in the Semifinals: R8.4, Q48, Q51, and what they do to the Finals (more in `test_exits_finals`).

The pools ended 1, 4, 6, 7, 9, 12 and 2, 3, 5, 8, 10, 11: U1 is 1, U2 is 4, U3 is 6; L1 is 2, L2 is 3, L3 is 5. Where
nothing else happens the Semifinals are 1 v 3 and 2 v 4, the Grand Final is 1 v 2 and the playoff 3 v 4.
"""

from __future__ import annotations

import pytest

from engine.errors import Conflict
from engine.facts import Exit, SeatDeclined
from engine.model import Stage
from engine.seating import Remark, seating
from engine.stages import propose
from engine.tournament import ResultKind
from tests.engine.ledger_book import Book, before, published

SEMIFINALS, FINALS = Stage.SEMIFINALS, Stage.FINALS
EXITS = [
    (Exit.WITHDRAWN, None),
    (Exit.DISQUALIFIED, "conduct"),
    (Exit.DISQUALIFIED, "engine"),
]


@pytest.fixture
def semis() -> Book:
    """The Semifinals are published, nothing is played."""
    return published(SEMIFINALS)


def two(first: tuple[int, ...], second: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return {"semifinal_1": first, "semifinal_2": second}


def last_two(final: tuple[int, ...], playoff: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    return {"grand_final": final, "third_place": playoff}


# --- R8.4: before the Semifinals, and before a game of them -----------------------------------------------------


@pytest.mark.parametrize(
    ("leavers", "seats"),
    [
        ((1,), two((4, 3), (2, 6))),
        ((4,), two((1, 3), (2, 6))),
        ((2,), two((1, 5), (3, 4))),
        ((3,), two((1, 5), (2, 4))),
        ((1, 3), two((4, 5), (2, 6))),
        ((1, 4), two((6, 3), (2, 7))),
        ((1, 2), two((4, 5), (3, 6))),
        ((1, 2, 3, 4), two((6, 8), (5, 7))),
        ((6,), two((1, 3), (2, 4))),
        ((1, 6), two((4, 3), (2, 7))),
    ],
)
@pytest.mark.parametrize("published", [False, True])
def test_r8_4_everybody_below_in_the_pool_moves_up_one_place(
    leavers: tuple[int, ...], seats: dict[str, tuple[int, ...]], published: bool
) -> None:
    """Q51: no game of either affected semifinal played: U2 takes the seat of U1 v L2, U3 that of U2 v L1."""
    book = before(SEMIFINALS)
    if published:
        book.semifinals()
    for leaver in leavers:
        book.leave(leaver)
    assert book.seats(SEMIFINALS) == seats
    if published:
        assert book.mended(SEMIFINALS) == (None if seats == two((1, 3), (2, 4)) else seats)
    else:
        made = propose(book.event, SEMIFINALS, 1)
        assert {pair.group: (pair.a_id, pair.b_id) for pair in made.pairs} == seats


def test_r8_4_a_withdrawal_and_a_mark_in_the_semifinals_have_the_same_effect(semis: Book) -> None:
    """Q48: the mark of a semifinalist touches neither the pools nor the Qualification."""
    pools, table = semis.event.pools(), semis.event.qualification()
    semis.mark(1)
    assert semis.mended(SEMIFINALS) == two((4, 3), (2, 6))
    assert (semis.event.pools(), semis.event.qualification()) == (pools, table)


def test_r8_4_a_confirmed_seating_is_new_pairings_and_nothing_more_to_mend(semis: Book) -> None:
    untouched = semis.match(2, 4)
    semis.leave(3)
    semis.mend(SEMIFINALS)
    assert semis.mended(SEMIFINALS) is None
    assert semis.match(2, 4) == untouched, "a semifinal that keeps its players keeps its match"
    assert semis.match(1, 5).group == "semifinal_1"
    (published,) = semis.tournament.stage_rounds(SEMIFINALS)
    assert [(p.a_id, p.b_id) for p in published.pairs] == [(1, 5), (2, 4)]


def test_r8_4_the_exit_reverted_throws_nobody_out_who_has_the_seat(semis: Book) -> None:
    """Q44d: pairings stay. If whoever moved up gives the seat back, it goes to who lost it."""
    left = semis.leave(1)
    semis.mend(SEMIFINALS)
    semis.revert(left)
    assert semis.mended(SEMIFINALS) is None
    semis.add(SeatDeclined(SEMIFINALS, 6))
    assert semis.mended(SEMIFINALS) == two((4, 3), (2, 1))


def test_r8_4_the_exit_reverted_before_the_seat_was_filled_changes_nothing(semis: Book) -> None:
    left = semis.leave(1)
    semis.revert(left)
    assert semis.mended(SEMIFINALS) is None
    assert semis.seats(SEMIFINALS) == two((1, 3), (2, 4))


def test_r8_4_the_exit_reverted_after_a_game_changes_nothing_any_more(semis: Book) -> None:
    left = semis.leave(1)
    semis.mend(SEMIFINALS)
    semis.begins(4, 3)
    semis.revert(left)
    assert semis.mended(SEMIFINALS) is None


def test_r8_4_who_moves_up_can_leave_too(semis: Book) -> None:
    semis.leave(1)
    semis.mend(SEMIFINALS)
    semis.leave(6)
    assert semis.mended(SEMIFINALS) == two((4, 3), (2, 7))
    semis.mend(SEMIFINALS)
    semis.leave(4)
    assert semis.mended(SEMIFINALS) == two((7, 3), (2, 9))


def test_r8_4_who_is_asked_and_declines_is_passed_over(semis: Book) -> None:
    semis.leave(4)
    declined = semis.add(SeatDeclined(SEMIFINALS, 6))
    assert semis.mended(SEMIFINALS) == two((1, 3), (2, 7))
    assert semis.tournament.is_in(6)
    semis.revert(declined)
    assert semis.mended(SEMIFINALS) == two((1, 3), (2, 6))


def test_r8_4_the_notes_name_who_moved_up(semis: Book) -> None:
    assert semis.notes(SEMIFINALS) == set()
    semis.leave(1)
    assert semis.seats(SEMIFINALS) == two((4, 3), (2, 6))
    # 4 was through anyway and only changes the seat (R8.4); 6 comes in and must accept.
    assert semis.notes(SEMIFINALS) == {(Remark.MOVED_UP, "semifinal_2", (6,))}


def test_q51_a_pool_with_nobody_left_leaves_a_seat_empty(semis: Book) -> None:
    for leaver in (4, 6, 7, 9, 12):
        semis.leave(leaver)
    assert semis.seats(SEMIFINALS) == two((1, 3), (2,))
    assert semis.notes(SEMIFINALS) == {(Remark.EMPTY, "semifinal_2", (2,))}
    semis.mend(SEMIFINALS)
    semis.wins(1, 3)
    assert semis.seats(FINALS) == last_two((1, 2), (3, 5)), "the playoff seat of nobody goes to the other pool"
    assert semis.mended(SEMIFINALS) is None


def test_r8_who_is_let_back_in_before_the_seat_is_filled_keeps_it(semis: Book) -> None:
    semis.leave(1)
    semis.returns(1)
    assert semis.mended(SEMIFINALS) is None
    semis.begins(1, 3)
    assert semis.result(1, 3) is None, "he did not leave a begun match"
    semis.leave(1)
    assert semis.score(1, 3) == (0, 2)


# --- Q51: a semifinal has begun ---------------------------------------------------------------------------------


def test_q51_the_other_semifinal_begun_its_players_stay_and_u3_takes_the_vacant_seat(semis: Book) -> None:
    semis.begins(2, 4)
    semis.leave(1)
    assert semis.mended(SEMIFINALS) == two((6, 3), (2, 4))


def test_q51_the_other_semifinal_decided_its_players_stay_and_u3_takes_the_vacant_seat(semis: Book) -> None:
    semis.wins(4, 2)
    semis.leave(1)
    assert semis.mended(SEMIFINALS) == two((6, 3), (2, 4))


def test_q51_the_other_semifinal_forfeited_is_decided(semis: Book) -> None:
    semis.forfeits(2, 4, "no_show")
    semis.leave(1)
    assert semis.mended(SEMIFINALS) == two((6, 3), (2, 4))


def test_q51_u2_leaves_and_only_his_own_semifinal_is_affected(semis: Book) -> None:
    semis.begins(1, 3)
    semis.leave(4)
    assert semis.mended(SEMIFINALS) == two((1, 3), (2, 6))


@pytest.mark.parametrize("later", [6, 7])
def test_q51_u3_in_the_vacant_seat_leaves_in_turn(semis: Book, later: int) -> None:
    semis.begins(2, 4)
    semis.leave(1)
    semis.mend(SEMIFINALS)
    semis.leave(6)
    if later == 7:
        semis.leave(7)
    assert semis.mended(SEMIFINALS) == two((7 if later == 6 else 9, 3), (2, 4))


def test_q51_u3_declines_the_vacant_seat(semis: Book) -> None:
    semis.begins(2, 4)
    semis.leave(1)
    semis.add(SeatDeclined(SEMIFINALS, 6))
    assert semis.mended(SEMIFINALS) == two((7, 3), (2, 4))


def test_q51_two_leave_one_semifinal_while_the_other_has_begun(semis: Book) -> None:
    semis.begins(2, 4)
    semis.leave(1, command="both")
    semis.leave(3, command="both")
    assert semis.mended(SEMIFINALS) == two((6, 5), (2, 4))


@pytest.mark.parametrize(("exit", "ground"), EXITS)
@pytest.mark.parametrize(("leaver", "opponent"), [(1, 3), (3, 1)])
def test_q51_the_own_semifinal_begun_is_won_by_the_opponent(
    semis: Book, leaver: int, opponent: int, exit: Exit, ground: str | None
) -> None:
    """R6.4; nobody moves up in the Semifinals."""
    semis.begins(leaver, opponent, 5, 1)
    semis.leave(leaver, exit, ground)
    result = semis.result(leaver, opponent)
    assert result is not None
    assert (result.kind, result.played, len(result.games)) == (ResultKind.WALKOVER, True, 6)
    assert semis.score(leaver, opponent) == (0, 2)
    assert semis.mended(SEMIFINALS) is None


@pytest.mark.parametrize(("leaver", "winner", "replacement"), [(1, 3, 6), (3, 1, 5)])
def test_q51_his_playoff_seat_goes_to_the_next_of_his_pool(
    semis: Book, leaver: int, winner: int, replacement: int
) -> None:
    semis.begins(1, 3)
    semis.leave(leaver)
    semis.wins(2, 4)
    seats = semis.seats(FINALS)
    assert seats == last_two((winner, 2), (replacement, 4))
    assert semis.notes(FINALS) == {(Remark.MOVED_UP, "third_place", (replacement,))}


def test_q51_both_leave_a_begun_semifinal_one_after_the_other(semis: Book) -> None:
    """The second has won it; then both are gone, so his place in the final goes to the loser of the other one."""
    semis.begins(1, 3)
    semis.leave(3)
    semis.leave(1)
    semis.wins(2, 4)
    assert semis.score(1, 3) == (2, 0)
    # Vacant for 1: loser 3 is gone, the other loser 4 moves up; 4 leaves the playoff seat to the pool of 1.
    assert semis.seats(FINALS) == last_two((4, 2), (5, 6))


def test_q51_both_leave_a_begun_semifinal_at_once_a_td_decides(semis: Book) -> None:
    semis.begins(1, 3)
    semis.leave(3, command="both")
    semis.leave(1, command="both")
    semis.wins(2, 4)
    assert semis.result(1, 3) is None
    assert semis.mended(SEMIFINALS) is None, "begun, so nobody moves up"
    with pytest.raises(Conflict, match="semifinal_open"):
        seating(semis.event, FINALS)


@pytest.mark.parametrize(
    ("leaver", "seats"),
    [
        (1, last_two((3, 2), (6, 4))),
        (2, last_two((1, 4), (3, 5))),
        (3, last_two((1, 2), (5, 4))),
        (4, last_two((1, 2), (3, 6))),
    ],
)
@pytest.mark.parametrize(("exit", "ground"), EXITS)
def test_q51_r8_5_after_the_semifinal_was_decided(
    semis: Book, leaver: int, seats: dict[str, tuple[int, ...]], exit: Exit, ground: str | None
) -> None:
    """Won or lost: the seat in the final or in the playoff is refilled; the result stays."""
    semis.wins(1, 3)
    semis.wins(2, 4)
    semis.leave(leaver, exit, ground)
    assert (semis.score(1, 3), semis.score(2, 4)) == ((2, 0), (2, 0))
    assert semis.mended(SEMIFINALS) is None
    assert semis.seats(FINALS) == seats
    made = propose(semis.event, FINALS, 1)
    assert {pair.group: (pair.a_id, pair.b_id) for pair in made.pairs} == seats


def test_q51_a_voided_semifinal_has_not_begun(semis: Book) -> None:
    semis.begins(2, 4)
    semis.voids(2, 4)
    semis.leave(1)
    assert semis.mended(SEMIFINALS) == two((4, 3), (2, 6))


def test_q51_a_first_game_that_turns_out_not_to_count_has_begun_nothing(semis: Book) -> None:
    semis.begins(1, 3)
    semis.begins(1, 3, 0, 0)
    semis.leave(1)
    assert semis.result(1, 3) is None
    assert semis.mended(SEMIFINALS) == two((4, 3), (2, 6))

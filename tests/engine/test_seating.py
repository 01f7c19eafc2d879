"""Who sits where: R3.5, R3.8, R3.11, R3.13, Q46, Q52b, Q52c, and the direct entrants of 2022."""

from __future__ import annotations

import pytest

from engine.errors import Conflict
from engine.facts import Exit, SeatDeclined
from engine.model import Stage
from engine.seating import Remark, qualified, seating
from tests.engine.ledger_book import RULES_2022, Book, after, before

CANDIDATES, SEMIFINALS, FINALS = Stage.CANDIDATES, Stage.SEMIFINALS, Stage.FINALS
CHAMPION, RUNNER_UP = "<champion of 2021>", "<runner-up of 2021>"


def pools(book: Book) -> tuple[set[int], set[int]]:
    seats = book.seats(CANDIDATES)
    return set(seats["upper"]), set(seats["lower"])


def through(book: Book) -> list[int]:
    return [line.entrant_id for line in qualified(book.event)]


# --- R3.5, R3.8, Q46 ------------------------------------------------------------------------------------------


def test_r3_5_the_twelve_highest_advance() -> None:
    upper, lower = pools(before(CANDIDATES))
    assert upper | lower == set(range(1, 13))


def test_r3_8_the_pool_map() -> None:
    book = before(CANDIDATES)
    assert pools(book) == ({12, 9, 7, 6, 4, 1}, {11, 10, 8, 5, 3, 2})
    assert book.seats(CANDIDATES) == {"upper": (1, 4, 6, 7, 9, 12), "lower": (2, 3, 5, 8, 10, 11)}, "pool numbers"
    assert book.notes(CANDIDATES) == set()


@pytest.mark.parametrize(
    ("exit", "ground"), [(Exit.WITHDRAWN, None), (Exit.DISQUALIFIED, "booster"), (Exit.DISQUALIFIED, "engine")]
)
def test_q46_places_are_renumbered_before_the_pool_map(exit: Exit, ground: str | None) -> None:
    """3 goes: 4 takes place 3 and so the lower pool, 5 takes place 4 and the upper pool …; 13 takes place 12."""
    book = before(CANDIDATES)
    book.leave(3, exit, ground)
    assert pools(book) == ({13, 10, 8, 7, 5, 1}, {12, 11, 9, 6, 4, 2})
    assert book.notes(CANDIDATES) == {(Remark.MOVED_UP, "", (13,))}


def test_r3_5_q45_who_left_in_the_qualification_is_not_counted_and_nobody_has_moved_up() -> None:
    book = Book(14)
    book.leave(1)
    book.qualification()
    assert through(book) == list(range(2, 15))
    assert book.notes(CANDIDATES) == set(), "the twelve were the twelve when the last round closed"


def test_q46_the_invited_player_declines_and_the_next_is_asked() -> None:
    book = before(CANDIDATES)
    book.leave(3)
    declined = book.add(SeatDeclined(CANDIDATES, 13))
    assert 14 in pools(book)[0]
    assert book.notes(CANDIDATES) == {(Remark.MOVED_UP, "", (14,))}
    assert book.ranks()[13] == 12, "declining is no exit"
    book.revert(declined)
    assert 13 in pools(book)[0]


def test_q46_one_of_the_twelve_declines() -> None:
    book = before(CANDIDATES)
    book.add(SeatDeclined(CANDIDATES, 5))
    assert pools(book) == ({13, 10, 8, 7, 4, 1}, {12, 11, 9, 6, 3, 2})
    assert book.notes(CANDIDATES) == {(Remark.MOVED_UP, "", (13,))}


def test_q46_the_first_twelve_are_those_of_the_last_closed_round() -> None:
    """An exit between two rounds has moved nobody up, one in the free week has."""
    book = before(CANDIDATES, 15)
    book.leave(2)
    book.finish(book.round((1, 3)))
    assert book.notes(CANDIDATES) == set()
    book.leave(4)
    assert book.notes(CANDIDATES) == {(Remark.MOVED_UP, "", (14,))}


def test_q47_the_mark_of_one_player_lifts_the_one_he_has_beaten() -> None:
    """14, the last of the table, was beaten by 10; with that point he is in the first twelve."""
    book = tied_at_the_cut()
    book.finish(book.round((10, 14)))
    assert through(book)[-1] == 14
    book.mark(10)
    assert book.score(10, 14) == (0, 2)
    assert through(book)[7] == 14
    assert book.notes(CANDIDATES) >= {(Remark.MOVED_UP, "", (14,))}


# --- Q52b -----------------------------------------------------------------------------------------------------


def tied_at_the_cut(players: int = 14) -> Book:
    """One round, n against n + 7: 8 to 14 are all equal but for the seed."""
    book = Book(players)
    book.finish(book.round(*((n, n + 7) for n in range(1, 8))))
    return book


def test_q52b_separated_by_seed_only() -> None:
    assert tied_at_the_cut().notes(CANDIDATES) == {(Remark.SEED_ONLY, "", (12, 13))}


def with_points_at_the_cut() -> Book:
    """8 to 12 win a match too; 13 and 14 have nothing."""
    book = tied_at_the_cut()
    book.round((8, 1), (9, 2), (10, 3), (11, 4), (12, 5))
    for winner, loser in ((8, 1), (9, 2), (10, 3), (11, 4), (12, 5)):
        book.wins(winner, loser)
    book.finish(2)
    return book


def test_q52b_not_when_points_separate() -> None:
    assert with_points_at_the_cut().notes(CANDIDATES) == set()


def test_q52b_with_somebody_between_who_has_declined() -> None:
    book = tied_at_the_cut()
    book.add(SeatDeclined(CANDIDATES, 13))
    assert book.notes(CANDIDATES) == {(Remark.SEED_ONLY, "", (12, 14))}
    book = with_points_at_the_cut()
    book.add(SeatDeclined(CANDIDATES, 13))
    assert book.notes(CANDIDATES) == set(), "14 is below 13 by the seed only, but below 12 by points"


def test_q52b_nothing_to_say_when_all_are_through() -> None:
    book = tied_at_the_cut()
    book.leave(13)
    book.leave(14)
    assert book.notes(CANDIDATES) == set()


# --- Q52c -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "upper", "lower"),
    [
        (11, {1, 4, 6, 7, 9}, {2, 3, 5, 8, 10, 11}),
        (10, {1, 4, 6, 7, 9}, {2, 3, 5, 8, 10}),
        (9, {1, 4, 6, 7, 9}, {2, 3, 5, 8}),
        (8, {1, 4, 6, 7}, {2, 3, 5, 8}),
    ],
)
def test_q52c_fewer_than_twelve_pools_as_far_as_places_go(left: int, upper: set[int], lower: set[int]) -> None:
    book = before(CANDIDATES)
    for leaver in range(left + 1, 15):
        book.leave(leaver)
    assert pools(book) == (upper, lower)
    assert (Remark.SHORT, "", tuple(range(1, left + 1))) in book.notes(CANDIDATES)


def test_q52c_fewer_than_eight_is_for_a_td() -> None:
    book = before(CANDIDATES)
    for leaver in range(8, 15):
        book.leave(leaver)
    with pytest.raises(Conflict, match="too_few_candidates") as refused:
        seating(book.event, CANDIDATES)
    assert refused.value.params == {"players": 7, "least": 8}


# --- R3.11, R3.13 ---------------------------------------------------------------------------------------------


def test_r3_11_the_winner_meets_the_runner_up_of_the_other_pool() -> None:
    assert before(SEMIFINALS).seats(SEMIFINALS) == {"semifinal_1": (1, 3), "semifinal_2": (2, 4)}


def test_r3_11_by_the_pool_tables_as_they_end() -> None:
    book = after(4, open_round=True)
    for pair in book.tournament.rounds[-1].pairs:
        book.wins(max(pair.a_id, pair.b_id), min(pair.a_id, pair.b_id), 10, 0)
    upper, lower = ([entrant for _, entrant, _ in book.pool(name)] for name in ("upper", "lower"))
    assert book.seats(SEMIFINALS) == {"semifinal_1": (upper[0], lower[1]), "semifinal_2": (lower[0], upper[1])}


def test_r3_13_winners_to_the_grand_final_losers_to_the_playoff() -> None:
    book = before(SEMIFINALS).semifinals()
    book.wins(3, 1)
    book.wins(2, 4)
    assert book.seats(FINALS) == {"grand_final": (3, 2), "third_place": (1, 4)}
    assert book.notes(FINALS) == set()


def test_r3_13_not_before_both_semifinals_have_a_winner() -> None:
    book = before(SEMIFINALS).semifinals()
    book.wins(2, 4)
    with pytest.raises(Conflict, match="semifinal_open") as refused:
        seating(book.event, FINALS)
    assert refused.value.params["group"] == "semifinal_1"
    book.wins(1, 3, 5, 5)
    with pytest.raises(Conflict, match="semifinal_open"):
        seating(book.event, FINALS)


@pytest.mark.parametrize(
    ("book", "stage", "before_it"),
    [
        (Book(14), CANDIDATES, Stage.QUALIFICATION),
        (before(CANDIDATES), SEMIFINALS, CANDIDATES),
        (before(SEMIFINALS), FINALS, SEMIFINALS),
    ],
)
def test_r3_2_no_seats_before_the_stage_before(book: Book, stage: Stage, before_it: Stage) -> None:
    with pytest.raises(Conflict, match="stage_not_over") as refused:
        seating(book.event, stage)
    assert refused.value.params == {"stage": before_it}


def test_r3_2_the_qualification_has_no_seats() -> None:
    with pytest.raises(Conflict, match="no_seating"):
        seating(before(CANDIDATES).event, Stage.QUALIFICATION)


# --- Direct entrants (2022) -----------------------------------------------------------------------------------


def with_direct(*, declined: tuple[int, ...] = (), left: tuple[int, ...] = (), named: int = 2) -> Book:
    """16 entrants; 15 is the champion and 16 the runner-up of the year before, as far as they are named."""
    names = dict(list({15: CHAMPION, 16: RUNNER_UP}.items())[:named])
    book = Book(14 + named, RULES_2022, names).qualification()
    for entrant in declined:
        book.add(SeatDeclined(CANDIDATES, entrant))
    for entrant in left:
        book.leave(entrant)
    return book


def test_r3_8_direct_entrants_do_not_play_the_qualification() -> None:
    book = with_direct()
    assert set(book.ranks()) == set(range(1, 15))
    assert book.event.direct == (15, 16)
    assert book.event.last_finals == {15: 1, 16: 2}


def test_r3_8_both_direct_entrants_and_ten_qualifiers() -> None:
    book = with_direct()
    assert pools(book) == ({15, 9, 8, 5, 4, 2}, {16, 10, 7, 6, 3, 1})
    assert book.seats(CANDIDATES)["upper"][0] == 15, "first in the pool"
    assert book.notes(CANDIDATES) == set()


@pytest.mark.parametrize("gone", [15, 16])
@pytest.mark.parametrize("how", ["left", "declined"])
def test_r3_8_one_direct_entrant_and_eleven_qualifiers_whichever_it_is(gone: int, how: str) -> None:
    book = with_direct(left=(gone,)) if how == "left" else with_direct(declined=(gone,))
    plays = 31 - gone
    assert pools(book) == ({plays, 10, 9, 6, 5, 3}, {11, 8, 7, 4, 2, 1})
    assert (Remark.MOVED_UP, "", (11,)) in book.notes(CANDIDATES), "the eleventh was not through at first"


def test_r3_8_no_direct_entrant_and_twelve_qualifiers() -> None:
    book = with_direct(left=(15,), declined=(16,))
    assert pools(book) == ({12, 9, 7, 6, 4, 1}, {11, 10, 8, 5, 3, 2})


def test_r3_8_a_direct_entrant_who_never_entered() -> None:
    assert pools(with_direct(named=1)) == ({15, 10, 9, 6, 5, 3}, {11, 8, 7, 4, 2, 1})
    assert pools(with_direct(named=0)) == ({12, 9, 7, 6, 4, 1}, {11, 10, 8, 5, 3, 2})


def test_q46_with_direct_entrants_the_eleventh_moves_up() -> None:
    book = with_direct(left=(10,))
    assert pools(book) == ({15, 9, 8, 5, 4, 2}, {16, 11, 7, 6, 3, 1})
    assert book.notes(CANDIDATES) == {(Remark.MOVED_UP, "", (11,))}


def test_q52c_direct_entrants_count_as_players() -> None:
    book = with_direct(left=tuple(range(7, 15)))
    assert pools(book) == ({15, 5, 4, 2}, {16, 6, 3, 1})
    book.leave(6)
    with pytest.raises(Conflict, match="too_few_candidates"):
        seating(book.event, CANDIDATES)


def test_r8_3_a_direct_entrant_who_leaves_during_the_pools() -> None:
    book = with_direct()
    book.next_round(CANDIDATES)
    seats = book.seats(CANDIDATES)
    book.leave(15)
    assert book.seats(CANDIDATES) == seats
    assert book.pool("upper")[-1] == (None, 15, 0)


# --- The seating of another day -------------------------------------------------------------------------------


def test_the_seating_as_of_any_moment() -> None:
    book = before(SEMIFINALS).semifinals()
    published = len(book.facts)
    book.leave(1)
    book.mend(SEMIFINALS)
    mended = len(book.facts)
    book.begins(4, 3)
    then = seating(book.at(published), SEMIFINALS)
    assert [group.entrants for group in then.groups] == [(1, 3), (2, 4)]
    assert [g.entrants for g in book.at(published).tournament.seated[SEMIFINALS]] == [(1, 3), (2, 4)]
    assert [g.entrants for g in book.at(mended).tournament.seated[SEMIFINALS]] == [(4, 3), (2, 6)]
    at_the_time = book.at(until=book.facts[published - 1].recorded_at)
    assert at_the_time.tournament == book.at(published).tournament
    assert at_the_time.facts == book.at(published).facts
    earlier = book.at(len(before(CANDIDATES).facts))
    assert earlier.tournament.seated == {}
    assert [group.entrants for group in seating(earlier, CANDIDATES).groups] == [
        (1, 4, 6, 7, 9, 12),
        (2, 3, 5, 8, 10, 11),
    ]

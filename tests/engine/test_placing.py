"""The final placing of everybody: R3.13, R3.14, Q33, Q48, Q49, Q52."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import Conflict
from engine.facts import Exit, MatchRuled, SeatDeclined
from engine.model import Stage
from engine.placing import placing
from tests.engine.ledger_book import RULES_2022, RULES_2023, Book, after, before, published

Places = list[tuple[int, int | None, int | None]]


def played_out(book: Book) -> Book:
    """From the Finals as they are published: the better seeds win them."""
    book.finish(book.tournament.rounds[-1].round_id)
    return book


def places(book: Book) -> Places:
    return [(line.entrant_id, line.first, line.last) for line in placing(book.event)]


def place_of(book: Book, entrant: int) -> tuple[int | None, int | None, Stage]:
    line = next(line for line in placing(book.event) if line.entrant_id == entrant)
    return line.first, line.last, line.stage


@pytest.fixture
def finals() -> Book:
    """The Finals are published: 1 v 2 and 3 v 4."""
    return published(Stage.FINALS)


# --- Who stands where -----------------------------------------------------------------------------------------


def test_r3_14_the_placing_of_everybody(finals: Book) -> None:
    assert places(played_out(finals)) == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
        (4, 4, 4),
        (6, 5, 6),
        (5, 5, 6),
        (7, 7, 8),
        (8, 7, 8),
        (9, 9, 10),
        (10, 9, 10),
        (12, 11, 12),
        (11, 11, 12),
        (13, 13, 13),
        (14, 14, 14),
    ]
    assert [line.stage for line in placing(finals.event)] == [Stage.FINALS] * 4 + [Stage.CANDIDATES] * 8 + [
        Stage.QUALIFICATION
    ] * 2


def test_r3_13_the_finals_decide_the_first_four(finals: Book) -> None:
    finals.wins(2, 1)
    finals.wins(4, 3)
    assert [entrant for entrant, *_ in places(finals)[:4]] == [2, 1, 4, 3]


@pytest.mark.parametrize("decided", [(), ((1, 2),), ((3, 4),)])
def test_r3_13_not_before_both_finals_are_decided(finals: Book, decided: tuple[tuple[int, int], ...]) -> None:
    for winner, loser in decided:
        finals.wins(winner, loser)
    with pytest.raises(Conflict, match="finals_open"):
        placing(finals.event)


def test_r3_13_not_before_the_finals_and_not_on_a_tie(finals: Book) -> None:
    with pytest.raises(Conflict, match="finals_open"):
        placing(before(Stage.SEMIFINALS).event)
    finals.wins(1, 2, 6, 6)
    finals.wins(3, 4)
    with pytest.raises(Conflict, match="finals_open"):
        placing(finals.event)


def test_q33_a_final_decided_by_a_ruling(finals: Book) -> None:
    finals.add(MatchRuled(finals.match(1, 2).match_id, 0, 2))
    finals.wins(3, 4)
    assert places(finals)[:2] == [(2, 1, 1), (1, 2, 2)]


def test_r3_13_an_edition_without_a_playoff() -> None:
    rules = replace(RULES_2023, knockout=replace(RULES_2023.knockout, third_place_playoff=False))
    book = Book(14, rules)
    book.facts = list(before(Stage.SEMIFINALS).facts)
    assert played_out(book.finals()).seats(Stage.FINALS) == {"grand_final": (1, 2)}
    assert places(book)[:5] == [(1, 1, 1), (2, 2, 2), (3, 3, 4), (4, 3, 4), (6, 5, 6)]
    assert place_of(book, 3) == (3, 4, Stage.SEMIFINALS)


def test_q52c_pools_of_different_size() -> None:
    book = before(Stage.CANDIDATES)
    for leaver in (12, 13, 14):
        book.leave(leaver)
    played_out(book.candidates(5).finals())
    assert places(book)[-4:] == [(11, 11, 11), (12, None, None), (13, None, None), (14, None, None)]


def test_q46_who_declined_the_candidates_keeps_the_place_of_the_qualification() -> None:
    book = before(Stage.CANDIDATES)
    book.add(SeatDeclined(Stage.CANDIDATES, 5))
    played_out(book.candidates(5).finals())
    assert place_of(book, 5) == (13, 13, Stage.QUALIFICATION)
    assert place_of(book, 14) == (14, 14, Stage.QUALIFICATION)


def test_r3_8_a_direct_entrant_who_did_not_play_has_no_place() -> None:
    book = Book(16, RULES_2022, {15: "<champion of 2021>", 16: "<runner-up of 2021>"}).qualification()
    book.add(SeatDeclined(Stage.CANDIDATES, 16))
    played_out(book.candidates(5).finals())
    assert place_of(book, 16) == (None, None, Stage.QUALIFICATION)
    assert place_of(book, 15)[2] in (Stage.CANDIDATES, Stage.FINALS)


# --- Q52: who left a final that had begun -----------------------------------------------------------------------


@pytest.mark.parametrize(("leaver", "opponent", "place"), [(1, 2, 2), (2, 1, 2), (3, 4, 4), (4, 3, 4)])
def test_q52_a_leaver_by_withdrawal_keeps_second_or_fourth(
    finals: Book, leaver: int, opponent: int, place: int
) -> None:
    finals.begins(leaver, opponent)
    finals.leave(leaver)
    played_out(finals)
    assert place_of(finals, leaver)[:2] == (place, place)
    assert place_of(finals, opponent)[:2] == (place - 1, place - 1)


@pytest.mark.parametrize("ground", ["engine", "booster", "conduct"])
@pytest.mark.parametrize(("leaver", "opponent", "place"), [(1, 2, 2), (4, 3, 4)])
def test_q52_a_leaver_by_disqualification_has_no_place_and_nobody_moves_up(
    finals: Book, leaver: int, opponent: int, place: int, ground: str
) -> None:
    finals.begins(leaver, opponent)
    finals.leave(leaver, Exit.DISQUALIFIED, ground)
    played_out(finals)
    assert place_of(finals, leaver) == (None, None, Stage.FINALS)
    assert place not in [first for _, first, _ in places(finals)]
    assert place_of(finals, opponent)[:2] == (place - 1, place - 1)
    assert places(finals)[3] == (6, 5, 6)


def test_q52_what_keeps_a_place_is_the_editions(finals: Book) -> None:
    finals.rules = replace(RULES_2023, leaving=replace(RULES_2023.leaving, keeps_place=()))
    finals.begins(1, 2)
    finals.leave(1)
    played_out(finals)
    assert place_of(finals, 1) == (None, None, Stage.FINALS)


def test_q52_third_without_play() -> None:
    book = published(Stage.FINALS)
    for leaver in (6, 7, 9, 12, 5, 8, 10, 11):
        book.leave(leaver)
    book.leave(1)
    book.mend(Stage.FINALS)
    played_out(book)
    first_four = [(entrant, first) for entrant, first, _ in places(book) if first is not None and first <= 4]
    assert first_four == [(2, 1), (3, 2), (4, 3)], "2 has beaten 3; nobody is fourth"


def test_r8_5_who_left_before_the_first_game_stands_below_the_four(finals: Book) -> None:
    finals.leave(1)
    finals.mend(Stage.FINALS)
    played_out(finals)
    assert [entrant for entrant, *_ in places(finals)[:4]] == [2, 3, 4, 6]
    assert place_of(finals, 1) == (5, 5, Stage.SEMIFINALS)
    assert place_of(finals, 5) == (6, 6, Stage.CANDIDATES)


def test_r8_5_and_has_no_place_when_disqualified(finals: Book) -> None:
    finals.mark(1)
    finals.mend(Stage.FINALS)
    played_out(finals)
    assert place_of(finals, 1) == (None, None, Stage.SEMIFINALS)
    assert place_of(finals, 5) == (5, 5, Stage.CANDIDATES)


# --- Exits in the other stages ----------------------------------------------------------------------------------


def test_q49_who_left_an_open_pool_has_no_place_and_who_left_after_it_has() -> None:
    book = after(3)
    book.leave(7)
    book.candidates(2)
    book.leave(8)
    played_out(book.finals())
    assert place_of(book, 7) == (None, None, Stage.CANDIDATES)
    assert place_of(book, 8)[2] is Stage.CANDIDATES
    assert place_of(book, 8)[0] == place_of(book, 9)[0] == 7, "both were fourth of their pool"


def test_q45_who_left_in_the_qualification_has_no_place() -> None:
    book = before(Stage.CANDIDATES)
    book.leave(14)
    played_out(book.candidates(5).finals())
    assert places(book)[-1] == (14, None, None)
    assert place_of(book, 13)[0] == 13


def test_q48_who_withdraws_after_the_own_last_match_keeps_the_place_of_the_qualification() -> None:
    book = before(Stage.CANDIDATES).candidates(1)
    book.leave(13)
    played_out(book.candidates(4).finals())
    assert place_of(book, 13) == (13, 13, Stage.QUALIFICATION)


def test_r1_4_who_is_disqualified_later_has_no_place_in_the_event() -> None:
    """The Qualification table stays (Q48); the placing lists those who were not disqualified from the tournament."""
    book = before(Stage.CANDIDATES).candidates(1)
    book.leave(13, Exit.DISQUALIFIED, "conduct")
    played_out(book.candidates(4).finals())
    assert book.ranks()[13] == 13
    assert place_of(book, 13) == (None, None, Stage.QUALIFICATION)
    assert place_of(book, 14) == (13, 13, Stage.QUALIFICATION)

"""The next round of any stage: R3.2, R3.3, R3.7, R3.9, R4.1, Q42, Q44g."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import CannotPair, Conflict
from engine.facts import MatchExtended, SeedCorrected
from engine.model import Stage
from engine.placing import placing
from engine.stages import Wishes, pool_rounds, propose, swiss_players
from tests.engine.ledger_book import RULES_2023, START, A, B, Book, C, D, E, after, before

CANDIDATES = Stage.CANDIDATES
F = 6


def pairs_of(book: Book, stage: Stage, number: int) -> set[tuple[int, int]]:
    return {(p.a_id, p.b_id) for p in propose(book.event, stage, number).pairs}


# --- R3.2 -----------------------------------------------------------------------------------------------------


def test_r3_2_four_stages_in_order_to_a_champion() -> None:
    book = Book(14)
    for _ in range(RULES_2023.swiss.rounds(14)):
        book.finish(book.next_round(Stage.QUALIFICATION))
    twelve = {line.entrant_id for line in book.event.qualification()[:12]}
    for _ in range(pool_rounds(book.event)):
        book.finish(book.next_round(CANDIDATES))
    seated = {entrant for group in book.tournament.seated[CANDIDATES] for entrant in group.entrants}
    book.finish(book.next_round(Stage.SEMIFINALS))
    book.finish(book.next_round(Stage.FINALS))
    assert [r.stage for r in book.tournament.rounds] == [Stage.QUALIFICATION] * 5 + [CANDIDATES] * 5 + [
        Stage.SEMIFINALS,
        Stage.FINALS,
    ]
    assert seated == twelve
    assert [(line.first, line.entrant_id) for line in placing(book.event)[:4]] == [(1, 1), (2, 2), (3, 3), (4, 4)]


@pytest.mark.parametrize("stage", [CANDIDATES, Stage.SEMIFINALS, Stage.FINALS])
def test_r3_2_no_stage_before_its_time(stage: Stage) -> None:
    with pytest.raises(Conflict, match="stage_not_over"):
        propose(Book(14).event, stage, 1)


def test_r3_3_everybody_still_in_is_paired_and_nobody_else() -> None:
    book = Book(6)
    assert pairs_of(book, Stage.QUALIFICATION, 1) == {(A, D), (B, E), (C, F)}
    book.leave(C)
    proposal = propose(book.event, Stage.QUALIFICATION, 1)
    assert {e for p in proposal.pairs for e in (p.a_id, p.b_id)} | {proposal.bye} == {A, B, D, E, F}
    assert (proposal.bye, proposal.seating, proposal.seated, proposal.free) == (F, None, None, ())


# --- R3.7, Q42, Q9, Q44g --------------------------------------------------------------------------------------


def test_q42_whom_the_pairer_takes_as_met_and_barred_from_the_bye() -> None:
    book = Book(7)
    book.round((A, B), (C, D), (E, F), bye=7)
    book.voids(A, B)
    book.leave(D)
    book.leave(E)
    players = {player.id: player for player in swiss_players(book.event)}
    assert {id: set(player.met) for id, player in players.items()} == {A: set(), B: set(), C: {D}, F: {E}, 7: set()}
    assert {id for id, player in players.items() if player.bye_barred} == {C, F, 7}


def test_r3_7_who_has_had_a_bye_or_won_without_a_game_has_no_bye() -> None:
    book = Book(5)
    book.round((A, B), (C, D), bye=E)
    book.forfeits(C, D, "no_show")
    book.finish(1)
    assert {player.id for player in swiss_players(book.event) if player.bye_barred} == {D, E}


def test_q29_q42_a_half_played_walkover_does_not_bar_from_the_bye() -> None:
    book = Book(4)
    book.round((A, B), (C, D))
    book.begins(C, D)
    book.leave(D)
    (c,) = [player for player in swiss_players(book.event) if player.id == C]
    assert (c.score, c.bye_barred) == (2, False)


def test_q9_an_extended_match_counts_half_in_pairing() -> None:
    book = Book(4)
    book.round((A, B), (C, D))
    book.add(MatchExtended(book.match(A, B).match_id, START))
    assert {player.id: player.score for player in swiss_players(book.event)} == {A: 1, B: 1, C: 0, D: 0}


def test_q44g_a_late_entry_is_paired_with_nothing_in_the_missed_round() -> None:
    book = Book(4)
    book.finish(book.round((A, B), (C, D)))
    book.entrants.append(replace(book.entrants[0], id=E, person_id=E, lichess_id="late", seed=5))
    late = next(player for player in swiss_players(book.event) if player.id == E)
    assert (late.score, late.seed, late.met) == (0, 5, frozenset())
    assert book.ranks()[E] is not None
    proposal = propose(book.event, Stage.QUALIFICATION, 2)
    assert E in {proposal.bye} | {e for p in proposal.pairs for e in (p.a_id, p.b_id)}


def test_q44g_a_late_entry_may_meet_the_bye_holder_of_week_one() -> None:
    """The publication is replaced by one in which the two meet."""
    book = Book(5)
    book.round((A, B), (C, D), bye=E)
    book.entrants.append(replace(book.entrants[0], id=F, person_id=F, lichess_id="late", seed=6))
    book.publish(1, (A, B), (C, D), (E, F))
    book.finish(1)
    assert book.tournament.bye_receivers() == frozenset()
    assert book.score(E, F) == (2, 0)


def test_q44g_a_corrected_seed_changes_later_pairings_only() -> None:
    book = Book(6)
    book.finish(book.next_round(Stage.QUALIFICATION))
    first = book.tournament.round(1).pairs
    would_be = pairs_of(book, Stage.QUALIFICATION, 2)
    book.add(SeedCorrected(F, 1))
    assert book.tournament.round(1).pairs == first
    assert pairs_of(book, Stage.QUALIFICATION, 2) != would_be
    assert {player.id: player.seed for player in swiss_players(book.event)} == {F: 1, A: 2, B: 3, C: 4, D: 5, E: 6}


def test_r3_7_wishes_of_a_td() -> None:
    book = Book(6)
    wished = propose(book.event, Stage.QUALIFICATION, 1, Wishes(forced=((A, B),), forbidden=((C, E),)))
    assert {frozenset((p.a_id, p.b_id)) for p in wished.pairs} == {frozenset(both) for both in ((A, B), (C, F), (D, E))}
    with pytest.raises(CannotPair, match="cannot_pair"):
        propose(book.event, Stage.QUALIFICATION, 1, Wishes(forced=((A, B),), forbidden=((A, B),), relaxed=True))
    book.leave(F)
    assert propose(book.event, Stage.QUALIFICATION, 1, Wishes(bye=A)).bye == A


def test_r3_7_a_td_can_allow_what_the_rules_leave_no_way_around() -> None:
    """Three players: after three rounds everybody has met everybody and had the bye."""
    book = Book(3)
    for a, b, bye in ((A, B, C), (A, C, B), (B, C, A)):
        book.finish(book.round((a, b), bye=bye))
    with pytest.raises(CannotPair):
        propose(book.event, Stage.QUALIFICATION, 4)
    allowed = propose(book.event, Stage.QUALIFICATION, 4, Wishes(relaxed=True))
    assert len(allowed.pairs) == 1
    assert {allowed.bye, allowed.pairs[0].a_id, allowed.pairs[0].b_id} == {A, B, C}


# --- R3.9 -----------------------------------------------------------------------------------------------------


def test_r3_9_each_meets_each_other_of_the_pool_once_in_five_rounds() -> None:
    book = before(CANDIDATES).candidates(5)
    met = [frozenset((p.a_id, p.b_id)) for r in book.tournament.stage_rounds(CANDIDATES) for p in r.pairs]
    wanted = {frozenset((a, b)) for pool in book.seats(CANDIDATES).values() for a in pool for b in pool if a != b}
    assert len(met) == len(wanted) == 30
    assert set(met) == wanted


def test_r3_9_the_first_round_comes_with_the_seating_and_the_pools() -> None:
    book = before(CANDIDATES)
    first = propose(book.event, CANDIDATES, 1)
    assert first.seated is not None
    assert [group.name for group in first.seated.groups] == ["upper", "lower"]
    assert {p.group for p in first.pairs} == {"upper", "lower"}
    assert (first.free, first.bye, pool_rounds(book.event)) == ((), None, 5)
    book.publish_proposal(first)
    assert propose(book.event, CANDIDATES, 2).seated is None


def test_r3_9_q52c_an_odd_pool_has_five_rounds_too_and_one_free_in_each() -> None:
    """11 are left: the upper pool has five players, without a point for the free one."""
    book = before(CANDIDATES)
    for leaver in (12, 13, 14):
        book.leave(leaver)
    free: list[int] = []
    for number in range(1, 1 + pool_rounds(book.event)):
        proposal = propose(book.event, CANDIDATES, number)
        assert len(proposal.pairs) == 2 + 3
        free += proposal.free
        book.finish(book.publish_proposal(proposal))
    assert sorted(free) == [1, 4, 6, 7, 9]
    assert book.pool("upper") == [(1, 1, 8), (2, 4, 6), (3, 6, 4), (4, 7, 2), (5, 9, 0)]


def test_r3_9_pools_of_five_and_four_are_over_after_different_rounds() -> None:
    book = before(CANDIDATES)
    for leaver in range(10, 15):
        book.leave(leaver)
    assert pool_rounds(book.event) == 5
    book.candidates(3)
    last = propose(book.event, CANDIDATES, 4)
    assert {p.group for p in last.pairs} == {"upper"}
    assert set(last.free) >= {2, 3, 5, 8}


def test_r3_9_no_round_after_the_last() -> None:
    assert propose(after(5).event, CANDIDATES, 6).pairs == ()


@pytest.mark.parametrize("stage", [CANDIDATES, Stage.SEMIFINALS])
@pytest.mark.parametrize("wishes", [Wishes(forced=((A, B),)), Wishes(forbidden=((A, B),)), Wishes(bye=A)])
def test_r3_9_pairs_follow_from_the_seating_there(stage: Stage, wishes: Wishes) -> None:
    with pytest.raises(Conflict, match="wishes_not_here"):
        propose(before(stage).event, stage, 1, wishes)

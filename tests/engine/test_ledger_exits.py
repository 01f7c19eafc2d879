"""Who leaves, who is marked and who forfeits, in the fold: R8.1, R8.2, Q2, Q24, Q43-Q48."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.exits import LeavingRules
from engine.facts import (
    CountedGame,
    EntrantLeft,
    Exit,
    MatchRuled,
    RoundClosed,
)
from engine.ledger import fold
from engine.model import Stage
from engine.tournament import Departure, ResultKind
from tests.engine.ledger_book import START, A, B, C, D, E, Ledger, score

# --- Exits in the Qualification (R8.1, Q43, Q44) --------------------------------------------------------------


def test_r8_1_who_leaves_loses_the_open_match(ledger: Ledger) -> None:
    left = ledger.leave(A)
    tournament = ledger.fold()
    walkover = tournament.results[11]
    assert (walkover.a, walkover.b, walkover.kind, walkover.played) == (0, 2, ResultKind.WALKOVER, False)
    assert (walkover.forfeited_by, walkover.fact_id) == ((), left)
    assert score(tournament, 12) is None
    assert not tournament.is_in(A)
    assert tournament.left[A] == Departure(
        A, Exit.WITHDRAWN, None, START + timedelta(hours=left), Stage.QUALIFICATION, left
    )


def test_r8_1_a_finished_match_keeps_its_result(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_1_a_result_recorded_after_the_exit_stands(ledger: Ledger) -> None:
    ledger.leave(A)
    ledger.play(11, 6, 2)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_1_a_reverted_exit_opens_the_match_again(ledger: Ledger) -> None:
    ledger.revert(ledger.leave(A))
    assert score(ledger.fold(), 11) is None
    assert ledger.fold().is_in(A)


def test_r8_1_not_before_the_pairing_and_not_in_the_candidates() -> None:
    ledger = Ledger()
    ledger.leave(A)
    ledger.publish(1, (A, B))
    assert score(ledger.fold(), 11) is None
    assert ledger.fold().left[A].stage is None
    ledger.publish(2, (B, C), stage=Stage.CANDIDATES)
    ledger.leave(B)
    assert score(ledger.fold(), 21) is None
    assert ledger.fold().left[B].stage is Stage.CANDIDATES


def test_q44_out_one_after_the_other_the_second_keeps_the_win(ledger: Ledger) -> None:
    ledger.leave(B)
    ledger.leave(A)
    assert score(ledger.fold(), 11) == (2, 0)


def test_q44_both_out_by_one_ruling_is_nil_all(ledger: Ledger) -> None:
    ledger.leave(B, command="ruling")
    ledger.leave(A, command="ruling")
    assert score(ledger.fold(), 11) == (0, 0)
    assert score(fold(ledger.facts, leaving=LeavingRules(both_left_points=1)), 11) == (1, 1)


def test_q44_the_first_exit_counts_although_its_ground_is_corrected_later(ledger: Ledger) -> None:
    first = ledger.leave(B)
    ledger.leave(A)
    ledger.add(EntrantLeft(B, Exit.DISQUALIFIED, "public_accusation"), replaces=first)
    assert score(ledger.fold(), 11) == (2, 0)
    assert ledger.fold().left[B].exit is Exit.DISQUALIFIED


def test_q43_the_bye_and_the_walkover_can_be_replaced_by_a_pair() -> None:
    ledger = Ledger()
    first = ledger.publish(1, (A, B), (C, D), bye=E)
    ledger.leave(B)
    ledger.leave(D)
    ledger.publish(1, (A, E), (C, D), replaces=first)
    tournament = ledger.fold()
    assert tournament.round(1).bye is None
    assert score(tournament, 11) is None
    assert score(tournament, 12) == (2, 0), "the pair that stayed was published before D left"
    assert frozenset((A, B)) not in tournament.met()


def test_r8_1_a_round_published_again_is_as_old_as_its_first_publication(ledger: Ledger) -> None:
    ledger.leave(D)
    ledger.publish(1, (A, E), (C, D), bye=B)
    assert len(ledger.fold().rounds) == 1
    assert score(ledger.fold(), 12) == (2, 0)
    assert ledger.fold().round(1).bye == B


def test_q43_a_bye_holder_who_leaves_keeps_the_bye(ledger: Ledger) -> None:
    ledger.leave(E)
    assert ledger.fold().round(1).bye == E


# --- Engine marks (R8.2, Q44b, Q44d, Q47, Q48) ----------------------------------------------------------------


def test_r8_2_played_matches_go_to_the_opponents_with_all_their_games(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    mark = ledger.mark(A)
    result = ledger.fold().results[11]
    assert (result.a, result.b, result.game_a, result.game_b) == (0, 2, 0, 16)
    assert (result.kind, result.fact_id, len(result.games)) == (ResultKind.ADJUDICATED, mark, 8)
    ledger.revert(mark)
    assert ledger.fold().results[11].kind is ResultKind.PLAYED
    assert score(ledger.fold(), 11) == (2, 0)


@pytest.mark.parametrize(
    ("exit", "ground"),
    [(Exit.DISQUALIFIED, "booster"), (Exit.DISQUALIFIED, None), (Exit.WITHDRAWN, "engine"), (Exit.WITHDRAWN, None)],
)
def test_r8_2_no_other_exit_reaches_back(ledger: Ledger, exit: Exit, ground: str | None) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A, exit, ground)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_2_the_grounds_are_given_by_the_edition(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A, Exit.DISQUALIFIED, "booster")
    assert score(fold(ledger.facts, leaving=LeavingRules(reaching_back=frozenset({"booster"}))), 11) == (0, 2)


def test_r8_2_a_mark_after_a_withdrawal(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.add(RoundClosed(1))
    ledger.publish(2, (A, C), (B, D))
    ledger.leave(A)
    ledger.mark(A)
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 21)) == ((0, 2), (0, 2))
    assert tournament.left[A].ground == "engine"


def test_q44_both_marked_after_playing_is_nil_all(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.mark(A)
    ledger.mark(B)
    result = ledger.fold().results[11]
    assert (result.a, result.b, result.game_a, result.game_b) == (0, 0, 0, 0)
    assert score(fold(ledger.facts, leaving=LeavingRules(both_left_points=1)), 11) == (1, 1)


def test_q44b_walkovers_and_ruled_draws_stay(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 2, 0, (B,)))
    ledger.add(MatchRuled(12, 1, 1))
    ledger.mark(A)
    ledger.mark(C)
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 12)) == ((2, 0), (1, 1))
    assert dict(tournament.forfeits) == {B: (11,)}


def test_q44b_a_ruling_after_the_mark_stands(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.mark(A)
    ledger.add(MatchRuled(11, 1, 1, (), True))
    assert score(ledger.fold(), 11) == (1, 1)


def test_q47_q48_a_mark_reaches_back_until_the_candidates_are_paired(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.play(12, 6, 2)
    ledger.add(RoundClosed(1))
    ledger.mark(A)
    ledger.publish(2, (C, B), stage=Stage.CANDIDATES)
    ledger.play(21, 6, 4)
    ledger.mark(C)
    tournament = ledger.fold()
    assert score(tournament, 11) == (0, 2)
    assert score(tournament, 12) == (2, 0)
    assert score(tournament, 21) == (2, 0)


# --- Forfeits (Q2, Q24, Q44e) ---------------------------------------------------------------------------------


def test_q24_forfeits_count_by_match_over_all_stages(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 0, 2, (A, A)))
    ledger.add(MatchRuled(12, 0, 0, (C, D)))
    ledger.publish(2, (A, C), stage=Stage.CANDIDATES)
    ledger.add(MatchRuled(21, 0, 2, (A,), True))
    assert dict(ledger.fold().forfeits) == {A: (11, 21), C: (12,), D: (12,)}


def test_q24_leaving_is_no_forfeit(ledger: Ledger) -> None:
    ledger.leave(A)
    assert dict(ledger.fold().forfeits) == {}


def test_q2_the_forfeits_go_when_the_match_is_played(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 1, 1, (A, B)))
    ledger.play(11, 6, 0)
    assert dict(ledger.fold().forfeits) == {}


def test_q44e_forfeits_survive_the_mark_of_the_opponent_and_go_with_a_revert(ledger: Ledger) -> None:
    ruling = ledger.add(MatchRuled(11, 2, 0, (B,), True, (CountedGame("x", 2),)))
    ledger.mark(A)
    assert score(ledger.fold(), 11) == (0, 2)
    assert dict(ledger.fold().forfeits) == {B: (11,)}
    ledger.revert(ruling)
    assert dict(ledger.fold().forfeits) == {}

"""Decisions that give a match its result without all its games: R3.10, R5.6, R5.9, Q22-Q24, Q26, Q31-Q34."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.adjudication import (
    ONE_SIDED,
    Case,
    both_failed,
    concession,
    double_forfeit,
    forfeit,
    no_fault,
    ruled,
    ruled_score,
    stopped_early,
    voided,
    without_play,
)
from engine.errors import AcwcError, NeedsTdRuling, RuleViolation
from engine.facts import CountedGame, Draft, ForfeitCounted, MatchRuled, MatchVoided, Pair
from engine.knockout import decider_only
from engine.model import Stage
from engine.rules import load, shipped_text
from engine.rules.registry import FORFEITS

RULES = load(shipped_text("2023"))
NO_AGREEMENT = RULES.no_agreement
ANN, BOB, CID = 11, 22, 33
POINTS = {"1": 2, "=": 1, "0": 0}
HALF, ZERO = 1, 0


def case(stage: Stage, results: str = "", **changes: object) -> Case:
    games = tuple(CountedGame(f"g{n}", POINTS[result]) for n, result in enumerate(results))
    return replace(
        Case(pair=Pair(7, ANN, BOB), stage=stage, rules=RULES.match(stage), games=games),
        **changes,  # type: ignore[arg-type]
    )


def swiss(results: str = "", **changes: object) -> Case:
    return case(Stage.QUALIFICATION, results, **changes)


def pool(results: str = "", **changes: object) -> Case:
    return case(Stage.CANDIDATES, results, **changes)


def semifinal(results: str = "", **changes: object) -> Case:
    return case(Stage.SEMIFINALS, results, **changes)


def alone(**changes: object) -> Case:
    """Q33: the armageddon game alone."""
    return semifinal(rules=decider_only(RULES.match(Stage.SEMIFINALS)), **changes)


def result(decision: Draft) -> MatchRuled:
    assert isinstance(decision.event, MatchRuled)
    return decision.event


def points(decision: Draft) -> tuple[int, int]:
    found = result(decision)
    return found.a, found.b


def in_games(decision: Draft) -> tuple[float, float]:
    """The score in games as people write it: played and awarded."""
    found = result(decision)
    a = sum(game.a for game in found.games)
    return (a + found.awarded_a) / 2, (2 * len(found.games) - a + found.awarded_b) / 2


def refused(decide: Callable[[], object], code: str, clause: str) -> AcwcError:
    with pytest.raises(AcwcError) as error:
        decide()
    assert (error.value.code, error.value.clause) == (code, clause)
    return error.value


# --- Forfeits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "clause"), ONE_SIDED.items())
def test_r6_3_r6_4_a_forfeit_in_the_swiss_is_one_nil(kind: str, clause: str) -> None:
    assert forfeit(swiss(), BOB, kind) == Draft(MatchRuled(7, 2, 0, forfeited_by=(BOB,), forfeit=kind), clause)
    assert points(forfeit(swiss(), ANN, kind)) == (0, 2)


def test_q29_a_forfeit_is_played_if_a_counted_game_was_started() -> None:
    assert not result(forfeit(swiss(), BOB, "no_show")).played
    assert result(forfeit(swiss(game_started=True), BOB, "left")).played
    shown = result(forfeit(swiss("001"), BOB, "left"))
    assert (shown.played, len(shown.games), shown.awarded_a, shown.awarded_b) == (True, 3, 0, 0)


def test_q31_no_game_in_the_candidates_is_ten_nil() -> None:
    walkover = forfeit(pool(), BOB, "no_show")
    assert (points(walkover), in_games(walkover)) == ((2, 0), (10, 0))


def test_q31_played_games_stand_and_the_others_go_to_the_other_side() -> None:
    left_leading = forfeit(pool("11110"), ANN, "left")
    assert (points(left_leading), in_games(left_leading)) == ((0, 2), (4, 6))
    ahead_but_undecided = forfeit(pool("11111"), ANN, "left")
    assert (points(ahead_but_undecided), in_games(ahead_but_undecided)) == ((0, 2), (5, 5))


def test_q31_a_match_decided_by_games_keeps_its_match_point() -> None:
    decided = forfeit(pool("11111=1"), ANN, "left")
    assert (points(decided), in_games(decided)) == ((2, 0), (6.5, 3.5))
    assert result(decided).forfeited_by == (ANN,)
    by_the_loser = forfeit(pool("11111=1"), BOB, "left")
    assert (points(by_the_loser), in_games(by_the_loser)) == ((2, 0), (9.5, 0.5))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(results=st.text(alphabet="10=", max_size=9), by=st.sampled_from([ANN, BOB]))
def test_q31_any_forfeit_in_the_candidates_fills_up_to_ten_games(results: str, by: int) -> None:
    a = sum({"1": 1.0, "=": 0.5, "0": 0.0}[r] for r in results)
    b = len(results) - a
    missing = 10 - len(results)
    found = forfeit(pool(results), by, "left")
    assert in_games(found) == ((a, b + missing) if by == ANN else (a + missing, b))
    winner = ANN if a > 5 else BOB if b > 5 else BOB if by == ANN else ANN
    assert points(found) == ((2, 0) if winner == ANN else (0, 2))


def test_q34_a_forfeit_in_a_knock_out_gives_the_match() -> None:
    won = forfeit(semifinal("1100"), ANN, "left")
    assert (points(won), in_games(won)) == ((0, 2), (2, 2))


def test_q18_no_claim_in_a_match_that_is_over() -> None:
    over = [
        swiss("111111"),
        swiss("1010101010"),
        pool("1010101010"),
        semifinal("111111"),
        semifinal("1010101010", armageddon=CountedGame("arm", 2)),
    ]
    for finished in over:
        for kind in ("no_show", "failed_reschedule", "left"):
            refused(lambda finished=finished, kind=kind: forfeit(finished, ANN, kind), "match_over", "Q18")
        refused(lambda finished=finished: concession(finished, ANN), "match_over", "Q18")
    assert points(forfeit(semifinal("1010101010"), ANN, "left")) == (0, 2)


def test_r1_4_a_td_may_forfeit_a_match_that_was_won() -> None:
    assert points(forfeit(swiss("111111"), ANN, "director")) == (0, 2)


def test_q24_the_kinds_of_forfeit() -> None:
    given_here = {result(forfeit(swiss(), ANN, kind)).forfeit for kind in ONE_SIDED}
    given_here |= {
        result(both_failed(swiss(), NO_AGREEMENT)).forfeit,
        result(double_forfeit(swiss(), HALF, RULES.forfeits)).forfeit,
    }
    assert given_here == FORFEITS


def test_q24_what_is_no_forfeit() -> None:
    with pytest.raises(ValueError, match="no forfeit"):
        forfeit(swiss(), ANN, "fault_in_negotiation")
    none = [
        no_fault(swiss(), NO_AGREEMENT),
        concession(swiss("0011"), ANN),
        stopped_early(pool("11110110")),
        stopped_early(pool("11110110"), refused_by=ANN),
        ruled(swiss(), ANN),
        ruled_score(swiss(), 12, 4),
    ]
    assert [(result(d).forfeited_by, result(d).forfeit) for d in none] == [((), None)] * len(none)


def test_q24_somebody_else_cannot_forfeit_a_match() -> None:
    with pytest.raises(ValueError, match="does not play"):
        forfeit(swiss(), CID, "no_show")


# --- Both sides -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [HALF, ZERO])
def test_q26_a_double_forfeit_is_half_each_or_nothing(each: int) -> None:
    found = double_forfeit(swiss(), each, RULES.forfeits)
    assert found == Draft(MatchRuled(7, each, each, forfeited_by=(ANN, BOB), forfeit="double"), "Q26")


def test_q26_no_other_points() -> None:
    with pytest.raises(ValueError, match="2 half-points"):
        double_forfeit(swiss(), 2, RULES.forfeits)


def test_q26_a_double_forfeit_in_the_candidates() -> None:
    assert in_games(double_forfeit(pool(), HALF, RULES.forfeits)) == (5, 5)
    assert in_games(double_forfeit(pool("110"), HALF, RULES.forfeits)) == (5, 5)
    assert in_games(double_forfeit(pool("110"), ZERO, RULES.forfeits)) == (2, 1)
    decided = double_forfeit(pool("111111"), HALF, RULES.forfeits)
    assert (points(decided), in_games(decided)) == ((2, 0), (6, 0))


def test_r5_6_both_failed_is_a_draw_and_a_forfeit_of_each() -> None:
    assert both_failed(swiss(), NO_AGREEMENT) == Draft(
        MatchRuled(7, 1, 1, forfeited_by=(ANN, BOB), forfeit="both_failed"), "R5.6"
    )


def test_r5_6_what_it_is_worth_is_in_the_ruleset() -> None:
    harsh = replace(NO_AGREEMENT, both_failed_points=0, both_failed_forfeits=False)
    assert both_failed(swiss(), harsh) == Draft(MatchRuled(7, 0, 0), "R5.6")
    assert in_games(both_failed(pool(), harsh)) == (0, 0)


def test_q1_not_where_they_have_played() -> None:
    for played in (swiss("1"), swiss(game_started=True), semifinal("1")):
        with pytest.raises(NeedsTdRuling, match="games_played"):
            both_failed(played, NO_AGREEMENT)


def test_r5_9_nobody_at_fault_is_a_draw_without_a_forfeit() -> None:
    assert no_fault(swiss(), NO_AGREEMENT) == Draft(MatchRuled(7, 1, 1), "R5.9")
    each = no_fault(swiss(), replace(NO_AGREEMENT, no_fault_forfeits=True))
    assert result(each).forfeited_by == (ANN, BOB)


def test_q32b_both_draws_are_five_all_in_the_candidates() -> None:
    assert in_games(both_failed(pool(), NO_AGREEMENT)) == (5, 5)
    assert in_games(no_fault(pool(), NO_AGREEMENT)) == (5, 5)
    assert in_games(no_fault(swiss(), NO_AGREEMENT)) == (0, 0)


def test_q33_no_draw_in_a_knock_out() -> None:
    for decide in (
        lambda: no_fault(semifinal(), NO_AGREEMENT),
        lambda: ruled(semifinal(), None),
        lambda: ruled_score(semifinal(), 10, 10),
    ):
        assert refused(decide, "no_draw", "Q33").params["ways"] == ("set_time", "armageddon_only", "without_play")


def test_q34_both_failed_in_a_knock_out_counts_but_gives_no_result() -> None:
    assert both_failed(semifinal(), NO_AGREEMENT) == Draft(ForfeitCounted(7, (ANN, BOB), "both_failed"), "Q34")
    found = double_forfeit(semifinal("10"), HALF, RULES.forfeits)
    assert found == Draft(ForfeitCounted(7, (ANN, BOB), "double"), "Q34")


@pytest.mark.parametrize(
    ("candidates", "qualification", "a"),
    [((1, 2), (12, 1), 2), ((2, 1), (1, 12), 0), ((1, 1), (3, 5), 2), ((1, 1), (5, 3), 0), ((None, 2), (5, 3), 0)],
)
def test_q33_without_play_the_better_place_goes_on(
    candidates: tuple[int | None, int | None], qualification: tuple[int, int], a: int
) -> None:
    places = {"candidates_place": candidates, "qualification_place": qualification}
    assert without_play(semifinal(), RULES.knockout, places) == Draft(MatchRuled(7, a, 2 - a), "Q33")


def test_q33_without_play_needs_a_difference_and_a_knock_out() -> None:
    with pytest.raises(NeedsTdRuling, match="places_equal"):
        without_play(semifinal(), RULES.knockout, {"candidates_place": (1, 1), "qualification_place": (None, 4)})
    places: dict[str, tuple[int | None, int | None]] = {"candidates_place": (1, 2)}
    refused(lambda: without_play(pool(), RULES.knockout, places), "only_knockout", "Q33")
    refused(lambda: without_play(semifinal("111111"), RULES.knockout, places), "match_over", "Q18")


# --- A TD's word ----------------------------------------------------------------------------------------------


def test_q23_a_concession_loses_the_match_and_the_remaining_games() -> None:
    found = concession(swiss("001001"), ANN)
    assert (points(found), in_games(found), result(found).forfeited_by) == ((0, 2), (2, 6), ())
    assert in_games(concession(swiss("00100=="), ANN)) == (2, 6)
    assert in_games(concession(pool("001001"), ANN)) == (2, 8)
    assert in_games(concession(semifinal("001001"), BOB)) == (6, 4)


def test_q23_the_leader_at_five_three_is_given_what_is_missing_for_more_than_half() -> None:
    assert in_games(concession(swiss("11111000"), BOB)) == (6, 3)
    assert in_games(concession(swiss("111110000"), ANN)) == (5, 5)
    assert points(concession(swiss("111110000"), ANN)) == (0, 2)


def test_q23_a_forfeit_only_if_he_left_without_saying_so() -> None:
    found = result(concession(swiss("0011"), ANN, left_silently=True))
    assert (found.forfeited_by, found.forfeit) == ((ANN,), "left")


def test_q31_q23_a_concession_after_the_decision_keeps_the_match_point() -> None:
    found = concession(pool("111111"), ANN)
    assert (points(found), in_games(found)) == ((2, 0), (6, 4))


def test_q32_one_refused_the_last_games() -> None:
    found = stopped_early(pool("11110110"), refused_by=ANN)
    assert (points(found), in_games(found)) == ((2, 0), (6, 4))
    assert in_games(stopped_early(pool("11110110"), refused_by=BOB)) == (8, 2)


def test_q32_both_stopped() -> None:
    found = stopped_early(pool("00001001"))
    assert (points(found), in_games(found)) == ((0, 2), (2, 6))


def test_q32_only_a_decided_match_of_the_candidates() -> None:
    refused(lambda: stopped_early(pool("11111000")), "not_decided", "Q32")
    refused(lambda: stopped_early(swiss("11111000")), "only_candidates", "Q32")
    refused(lambda: stopped_early(pool("1111110000")), "match_over", "Q18")


def test_r3_10_a_ruling_gives_the_missing_games_to_the_winner_and_a_draw_is_five_all() -> None:
    assert in_games(ruled(pool("0011"), ANN)) == (8, 2)
    assert in_games(ruled(pool("0011"), None)) == (5, 5)
    assert (points(ruled(pool(), None)), points(ruled(swiss(), None))) == ((1, 1), (1, 1))
    assert in_games(ruled(swiss("0011"), ANN)) == (2, 2)
    refused(lambda: ruled(pool("111111"), None), "decided_by_games", "Q31")


def test_r3_3_q22_a_score_without_games_is_a_tds_ruling() -> None:
    assert ruled_score(swiss(), 12, 6) == Draft(MatchRuled(7, 2, 0, awarded_a=12, awarded_b=6), "R3.3")
    with_games = ruled_score(swiss("10"), 4, 12)
    assert (points(with_games), in_games(with_games), result(with_games).awarded_b) == ((0, 2), (2, 6), 10)
    assert points(ruled_score(swiss(), 10, 10)) == (1, 1)


@pytest.mark.parametrize(
    ("stands", "a", "b", "why"),
    [
        (swiss("11"), 2, 12, "games"),
        (swiss(), 3, 2, "sum"),
        (swiss(), 12, 10, "sum"),
        (swiss(), -2, 4, "games"),
        (pool(), 6, 6, "open"),
        (swiss(), 0, 0, "open"),
        (swiss(), 2, 0, "open"),
        (swiss(), 5, 5, "open"),
        (semifinal(), 10, 8, "open"),
        (swiss(), 20, 0, "beyond"),
        (swiss(), 13, 1, "beyond"),
        (alone(), 0, 0, "decider"),
        (alone(), 12, 4, "decider"),
    ],
)
def test_r3_3_an_impossible_score_is_refused_with_the_reason(stands: Case, a: int, b: int, why: str) -> None:
    assert refused(lambda: ruled_score(stands, a, b), "score_impossible", "R3.3").params["why"] == why


def test_r3_13_a_knock_out_that_was_played_out_has_any_score_with_a_winner() -> None:
    assert points(ruled_score(semifinal(), 20, 0)) == (2, 0) and points(ruled_score(pool(), 2, 18)) == (0, 2)


def test_q42_a_pairing_is_void_but_for_a_knock_out_where_one_goes_on() -> None:
    assert voided(swiss()) == Draft(MatchVoided(7), "Q42") == voided(pool())
    refused(lambda: voided(semifinal()), "no_void", "Q33")


def test_q18_q33_a_match_that_the_armageddon_game_has_decided_is_over() -> None:
    over = alone(armageddon=CountedGame("arma", 0))
    for decide in (lambda: forfeit(over, BOB, "no_show"), lambda: concession(over, BOB)):
        refused(decide, "match_over", "Q18")
    ruling = result(ruled(over, ANN))
    assert ruling.armageddon == over.armageddon and ruling.played


def test_r3_13_a_ruled_winner_of_a_knock_out() -> None:
    with pytest.raises(RuleViolation):
        ruled(semifinal(), None)
    assert points(ruled(semifinal("10"), BOB)) == (0, 2)

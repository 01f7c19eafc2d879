"""The score of a match from its Lichess games: R3.1, R3.3, R3.10, Q8, Q12, Q19-Q21, Q35, Q38."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.errors import NotFound
from engine.facts import CountedGame
from engine.model import Stage
from engine.ports import LichessGame
from engine.reading import game_rules
from engine.scoring import Fault, GameFault, GameRules, MatchScore, score_match, verify
from tests.engine.games_book import AGREED, DEADLINE, MINUTE, OPENS, RULES, game, series
from tests.engine.ledger_book import RULES_2023

ALL_TEN = replace(RULES, stop="all_games")


def score(games: list[LichessGame], rules: GameRules = RULES, **changes: object) -> MatchScore:
    values: dict[str, object] = {
        "agreed_at": AGREED,
        "first_game_id": None,
        "window_start": OPENS,
        "deadline": DEADLINE,
        **changes,
    }
    return score_match(verify(games, {"ann"}, {"bob"}, rules, **values))  # type: ignore[arg-type]


def faults(result: MatchScore) -> dict[str, tuple[Fault, ...]]:
    return {f.game_id: f.faults for f in result.faulty}


# --- Points and the end of a match ----------------------------------------------------------------------------


def test_r3_3_points_of_games_and_the_running_score() -> None:
    result = score(series("10=1"))
    assert [g.a for g in result.counted] == [2, 0, 1, 2]
    assert (result.a, result.b, result.decided, result.missing) == (5, 3, False, 6)
    assert result.match_points is None


def test_r3_3_five_and_a_half_ends_the_match() -> None:
    result = score(series("11111="))
    assert (result.a, result.b, result.decided, result.missing) == (11, 1, True, 0)
    assert result.match_points == (2, 0)


def test_r3_3_five_points_do_not_end_the_match() -> None:
    assert not score(series("11111")).decided


def test_r3_3_five_all_after_ten_is_a_tie() -> None:
    result = score(series("1010101010"))
    assert (result.a, result.b, result.decided) == (10, 10, True)
    assert result.match_points == (1, 1)
    assert not score(series("101010101")).decided


def test_r3_3_the_loser_gets_no_match_point() -> None:
    assert score(series("000000")).match_points == (0, 2)


def test_q35_games_after_the_decision_are_extra() -> None:
    result = score(series("1111110011"))
    assert (result.a, result.b) == (12, 0)
    assert result.extra == ("g06", "g07", "g08", "g09")


def test_q35_after_a_struck_game_the_extra_games_move_up() -> None:
    result = score(series("1111110"), struck=("g02",))
    assert [g.game_id for g in result.counted] == ["g00", "g01", "g03", "g04", "g05", "g06"]
    assert (result.a, result.b, result.decided, result.extra) == (10, 2, False, ())
    assert faults(result) == {"g02": (Fault.STRUCK_OUT,)}


def test_r3_10_all_ten_games_are_played() -> None:
    assert (score(series("11111111"), ALL_TEN).decided, score(series("11111111"), ALL_TEN).missing) == (False, 2)
    whole = score(series("111111111100"), ALL_TEN)
    assert (whole.a, whole.b, whole.decided, whole.extra) == (20, 0, True, ("g10", "g11"))


def test_r3_13_a_decided_knock_out_match_may_be_played_out() -> None:
    optional = replace(RULES, stop="optional_after_decided")
    assert score(series("111111"), optional).decided
    played_out = score(series("1111110000"), optional)
    assert (played_out.a, played_out.b, played_out.decided, played_out.extra) == (12, 8, True, ())


@pytest.mark.parametrize(("stage", "third_place"), [*((stage, False) for stage in Stage), (Stage.FINALS, True)])
def test_r3_1_all_games_of_all_stages_are_rated_and_one_plus_two(stage: Stage, third_place: bool) -> None:
    games = [
        game("right", AGREED),
        game("slow", AGREED + 9 * MINUTE, clock_initial=180),
        game("bullet", AGREED + 18 * MINUTE, clock_increment=0),
        game("casual", AGREED + 27 * MINUTE, rated=False),
    ]
    found = score(games, game_rules(RULES_2023, stage, third_place=third_place))
    assert [counted.game_id for counted in found.counted] == ["right"]
    assert faults(found) == {
        "slow": (Fault.WRONG_CLOCK,),
        "bullet": (Fault.WRONG_CLOCK,),
        "casual": (Fault.CASUAL,),
    }


def test_r3_14_the_length_is_a_value_of_the_rules() -> None:
    twelve = replace(RULES, length=12)
    assert not score(series("111111"), twelve).decided
    assert score(series("111111="), twelve).decided


def test_r3_3_the_colour_does_not_matter_and_b_is_the_mirror() -> None:
    games = series("10=110")
    ours = score(games)
    theirs = score_match(
        verify(
            games, {"bob"}, {"ann"}, RULES, agreed_at=AGREED, first_game_id=None, window_start=OPENS, deadline=DEADLINE
        )
    )
    assert (theirs.a, theirs.b) == (ours.b, ours.a)


@pytest.mark.parametrize("status", ["mate", "resign", "stalemate", "outoftime", "variantEnd"])
def test_r3_3_a_game_counts_by_its_winner_first(status: str) -> None:
    assert score([game("g", AGREED, "bob", status=status)]).counted == (CountedGame("g", 0),)


@pytest.mark.parametrize("status", ["draw", "stalemate", "outoftime", "insufficientMaterialClaim"])
def test_r3_3_a_finished_game_without_winner_is_a_draw(status: str) -> None:
    assert score([game("g", AGREED, None, status=status)]).counted == (CountedGame("g", 1),)


def test_q55_games_of_an_old_account_count_for_the_same_side() -> None:
    games = [game("g1", AGREED, "ann"), game("g2", AGREED + MINUTE, "ann2", white="ann2")]
    result = score_match(verify(
        games, {"ann", "ann2"}, {"bob"}, RULES, agreed_at=AGREED, first_game_id=None, window_start=OPENS,
        deadline=DEADLINE,
    ))  # fmt: skip
    assert (result.a, result.b) == (4, 0)


def test_r3_3_an_unknown_stop_policy_is_refused() -> None:
    with pytest.raises(NotFound, match="stop_policy"):
        score([], replace(RULES, stop="whenever"))


# --- Faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"variant": "standard"}, Fault.WRONG_VARIANT),
        ({"rated": False}, Fault.CASUAL),
        ({"clock_initial": 180}, Fault.WRONG_CLOCK),
        ({"clock_increment": 0}, Fault.WRONG_CLOCK),
        ({"clock_initial": None, "clock_increment": None}, Fault.WRONG_CLOCK),
        ({"tournament_id": "arena1"}, Fault.TOURNAMENT_GAME),
        ({"swiss_id": "swiss1"}, Fault.TOURNAMENT_GAME),
        ({"source": "simul"}, Fault.TOURNAMENT_GAME),
        ({"source": "arena"}, Fault.TOURNAMENT_GAME),
        ({"black": "cid"}, Fault.OTHER_ACCOUNT),
        ({"white": "cid"}, Fault.OTHER_ACCOUNT),
        ({"white": "eve", "black": "cid"}, Fault.OTHER_PLAYERS),
        ({"black": None}, Fault.OTHER_PLAYERS),
        ({"black": "ann"}, Fault.OTHER_PLAYERS),
        ({"status": "started"}, Fault.UNFINISHED),
        ({"status": "created"}, Fault.UNFINISHED),
        ({"status": "aborted"}, Fault.ABORTED),
        ({"status": "noStart"}, Fault.ABORTED),
        ({"status": "cheat"}, Fault.NEEDS_TD),
        ({"status": "timeout"}, Fault.NEEDS_TD),
        ({"status": "unknownFinish"}, Fault.NEEDS_TD),
        ({"status": "somethingNew"}, Fault.NEEDS_TD),
        ({"created_at": OPENS - MINUTE}, Fault.TOO_EARLY),
        ({"created_at": DEADLINE}, Fault.AFTER_DEADLINE),
    ],
)
def test_r3_1_q12_q19_q20_q21_each_fault(changes: dict[str, object], fault: Fault) -> None:
    faulty = replace(game("bad", AGREED), **changes)
    result = score([faulty])
    assert result.counted == ()
    assert result.faulty == (GameFault("bad", (fault,)),)
    assert result.missing == 10


def test_r3_1_all_faults_of_a_game_are_listed() -> None:
    bad = replace(game("bad", AGREED - timedelta(days=1)), rated=False, clock_initial=300, status="aborted")
    assert set(faults(score([bad]))["bad"]) == {Fault.CASUAL, Fault.WRONG_CLOCK, Fault.ABORTED, Fault.TOO_EARLY}


def test_r3_1_casual_games_count_where_the_edition_plays_casual() -> None:
    assert score([game("g", AGREED, rated=False)], replace(RULES, rated=False)).a == 2


def test_q20_q21_a_faulty_game_keeps_the_match_open() -> None:
    games = series("111111")
    games[2] = replace(games[2], rated=False)
    result = score(games)
    assert (result.a, result.decided, result.missing) == (10, False, 5)


def test_q21_a_game_accepted_later_makes_the_games_after_the_new_decision_extra() -> None:
    games = series("1111111")
    games[2] = replace(games[2], clock_initial=180)
    assert score(games).extra == ()
    accepted = score(games, accepted=("g02",))
    assert [g.game_id for g in accepted.counted] == ["g00", "g01", "g02", "g03", "g04", "g05"]
    assert accepted.extra == ("g06",)
    assert accepted.faulty == ()


@pytest.mark.parametrize("changes", [{"status": "aborted"}, {"status": "started"}, {"black": "cid", "white": "eve"}])
def test_q19_what_has_no_result_cannot_be_accepted(changes: dict[str, object]) -> None:
    result = score([replace(game("bad", AGREED), **changes)], accepted=("bad",))
    assert result.counted == ()


def test_q38b_a_cheat_game_is_shown_to_a_td_and_counts_once_accepted() -> None:
    games = series("1101")
    games[1] = replace(games[1], status="cheat")
    result = score(games)
    assert result.needs_td == ("g01",)
    assert (result.a, result.b) == (4, 2)
    accepted = score(games, accepted=("g01",))
    assert accepted.needs_td == ()
    assert (accepted.a, accepted.b) == (6, 2)


def test_q38b_a_cheat_game_after_the_end_pauses_nothing() -> None:
    games = series("1111111")
    games[6] = replace(games[6], status="cheat")
    assert score(games).needs_td == ()
    warm_up = replace(game("w", AGREED - timedelta(hours=3)), status="cheat")
    assert score([warm_up, *series("1")]).needs_td == ()


# --- When a match begins (Q12) --------------------------------------------------------------------------------


def test_q12_games_from_ten_minutes_before_the_agreed_start() -> None:
    warm_up = game("warm", AGREED - 10 * MINUTE - timedelta(milliseconds=1))
    first = game("first", AGREED - 10 * MINUTE)
    result = score([warm_up, first])
    assert [g.game_id for g in result.counted] == ["first"]
    assert faults(result) == {"warm": (Fault.TOO_EARLY,)}


def test_q12_never_before_the_pairing_is_published() -> None:
    early = game("early", OPENS - MINUTE)
    assert faults(score([early], agreed_at=OPENS + 5 * MINUTE)) == {"early": (Fault.TOO_EARLY,)}
    assert score([replace(early, created_at=OPENS)], agreed_at=OPENS + 5 * MINUTE).a == 2


def test_q13_a_late_start_counts() -> None:
    assert score(series("111111", AGREED + 40 * MINUTE)).decided


def test_q38_two_sittings_make_one_match() -> None:
    second = [replace(g, id=f"h{g.id}") for g in series("111", AGREED + timedelta(days=1))]
    assert score([*series("111"), *second]).decided


def test_q38_both_lose_the_internet_and_go_on_the_next_day_in_the_window() -> None:
    stopped = replace(series("1")[0], id="lost", status="aborted", winner=None)
    later = [replace(g, id=f"h{g.id}") for g in series("000", AGREED + timedelta(hours=20))]
    result = score([*series("110"), replace(stopped, created_at=AGREED + 20 * MINUTE), *later])
    assert (result.a, result.b, result.decided) == (4, 8, False)


def test_q37_the_same_colour_twice_is_no_reason_to_refuse_a_game() -> None:
    always_white = [game(f"g{n}", AGREED + n * MINUTE, "ann", white="ann", black="bob") for n in range(6)]
    result = score(always_white)
    assert (result.decided, result.faulty) == (True, ())


def test_q37_an_odd_number_of_games_by_an_early_end_is_no_fault() -> None:
    result = score(series("111110=="))
    assert (len(result.counted), result.match_points) == (7, (2, 0))
    assert result.extra == ("g07",)


def test_q38c_a_game_from_another_account_counts_once_a_td_has_accepted_the_account() -> None:
    games = [*series("1"), game("second", AGREED + 9 * MINUTE, "ann_two", white="ann_two")]
    assert faults(score(games)) == {"second": (Fault.OTHER_ACCOUNT,)}
    assert score(games, accepted=("second",)).a == 4, "or has accepted this one game"
    accepted = score_match(verify(
        games, {"ann", "ann_two"}, {"bob"}, RULES, agreed_at=AGREED, first_game_id=None, window_start=OPENS,
        deadline=DEADLINE,
    ))  # fmt: skip
    assert (accepted.a, accepted.faulty) == (4, ())


@pytest.mark.parametrize(
    ("white", "black", "winner", "a"),
    [("zed", "bob", "white", 2), ("zed", "bob", "black", 0), ("ann", "zed", "black", 0), ("zed", "ann", "black", 2)],
)
def test_q38c_the_account_that_is_nobodys_plays_for_the_side_that_is_not_the_others(
    white: str, black: str, winner: str, a: int
) -> None:
    strange = replace(game("g", AGREED), white=white, black=black, winner=winner)
    assert score([strange], accepted=("g",)).counted == (CountedGame("g", a),)


def test_q12_without_a_time_nothing_counts_until_the_first_game_is_named() -> None:
    casual = game("c", AGREED - MINUTE, rated=False)
    result = score([casual, *series("111111")], agreed_at=None)
    assert (result.needs_first_game, result.first_candidate) == (True, "g00")
    assert (result.counted, result.decided, result.extra, result.missing) == ((), False, (), 10)
    assert faults(result) == {"c": (Fault.CASUAL,)}
    assert score([], agreed_at=None).first_candidate is None


def test_q12_the_match_begins_with_the_game_that_was_named() -> None:
    games = [game("w1", AGREED - timedelta(hours=5)), *series("111111")]
    result = score(games, agreed_at=None, first_game_id="g00")
    assert not result.needs_first_game
    assert result.decided
    assert faults(result) == {"w1": (Fault.TOO_EARLY,)}
    assert score(games, agreed_at=None, first_game_id="w1").extra == ("g05",)


def test_q12_a_named_first_game_goes_before_the_agreed_time() -> None:
    games = series("111111", AGREED - timedelta(hours=4))
    assert not score(games).counted
    assert score(games, first_game_id="g00").decided


def test_q12_a_first_game_that_is_not_there_is_refused() -> None:
    with pytest.raises(NotFound, match="nope"):
        score(series("1"), first_game_id="nope")


# --- The deadline (Q8) ----------------------------------------------------------------------------------------


def test_q8_a_match_begun_before_the_deadline_is_played_to_its_end() -> None:
    result = score(series("111111", DEADLINE - timedelta(milliseconds=1)))
    assert (result.decided, result.faulty) == (True, ())


def test_q8_a_match_begun_at_the_deadline_does_not_count() -> None:
    result = score(series("111111", DEADLINE))
    assert result.counted == ()
    assert all(f.faults == (Fault.AFTER_DEADLINE,) for f in result.faulty)


def test_q8_a_game_that_does_not_count_begins_no_match() -> None:
    aborted = replace(game("ab", DEADLINE - 3 * MINUTE), status="aborted")
    assert score([aborted, *series("111111", DEADLINE + MINUTE)]).counted == ()


def test_q8_only_games_finished_by_two_o_clock_count_after_the_deadline() -> None:
    begun = game("g1", DEADLINE - MINUTE)
    just = game("g2", DEADLINE + 110 * MINUTE, last_move_at=DEADLINE + 120 * MINUTE)
    over = game("g3", DEADLINE + 115 * MINUTE, last_move_at=DEADLINE + 120 * MINUTE + timedelta(seconds=1))
    result = score([begun, just, over])
    assert [g.game_id for g in result.counted] == ["g1", "g2"]
    assert faults(result) == {"g3": (Fault.AFTER_DEADLINE,)}


def test_q8_a_game_started_before_the_deadline_always_counts() -> None:
    assert score([game("g", DEADLINE - MINUTE, last_move_at=DEADLINE + timedelta(hours=5))]).a == 2


def test_q8_a_match_in_play_at_the_deadline_may_have_its_last_game_later_whatever_its_kind() -> None:
    """The armageddon game of a knock-out has another clock: it is late or not by the same rule (Q8)."""
    games = [game("g1", DEADLINE - MINUTE), game("arm", DEADLINE + MINUTE, clock_initial=180, clock_increment=0)]
    found = verify(
        games, {"ann"}, {"bob"}, RULES, agreed_at=AGREED, first_game_id=None, window_start=OPENS, deadline=DEADLINE
    )
    assert found.faults(games[1]) == (Fault.WRONG_CLOCK,)
    assert found.faults(games[1], replace(RULES, clock_initial=180, clock_increment=0)) == ()

"""Knock-out matches: R3.11, R3.13-R3.16, Q16, Q33, Q35, Q38, Q39, Q41."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.armageddon import ColoursFixed
from engine.facts import CountedGame, MatchPlayed
from engine.knockout import KnockoutScore, KnockoutState, Phase, decider_only, progress, score_knockout
from engine.ports import LichessGame
from engine.rules import MatchRules, load, shipped_text
from engine.scoring import Fault, verify
from engine.sides import Side
from tests.engine.games_book import AGREED, DEADLINE, MINUTE, OPENS, RULES, game, series

MATCHES = load(shipped_text("2023")).matches
ARMAGEDDON = load(shipped_text("2023")).armageddon
SEMIFINAL, PLAYOFF, FINAL = MATCHES.semifinals, MATCHES.third_place, MATCHES.grand_final
POINTS = {"1": 2, "=": 1, "0": 0}
TIE = "10" * 5
TIE12 = "10" * 6
ANN_WHITE = ColoursFixed(Side.A, 90, (90, 100))
BOB_WHITE = ColoursFixed(Side.B, 90, (100, 90))
EVENING = timedelta(hours=2)


def counted(results: str) -> list[CountedGame]:
    return [CountedGame(f"c{n:02}", POINTS[result]) for n, result in enumerate(results)]


def state(rules: MatchRules, regular: str, tiebreak: str = "", armageddon: str = "") -> KnockoutState:
    decider = counted(armageddon)
    return progress(rules, counted(regular), counted(tiebreak), decider[0] if decider else None)


def brief(found: KnockoutState) -> tuple[str, str | None, int]:
    return found.phase.value, found.winner.value if found.winner else None, found.to_play


# --- The state machine ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("regular", "expected"),
    [
        ("", ("regular", None, 10)),
        ("11111", ("regular", None, 5)),
        ("11111=", ("over", "a", 0)),
        ("000000", ("over", "b", 0)),
        ("101010101", ("regular", None, 1)),
        (TIE, ("armageddon", None, 1)),
    ],
)
def test_r3_11_r3_13_a_semifinal_of_ten_games(regular: str, expected: tuple[str, str | None, int]) -> None:
    assert brief(state(SEMIFINAL, regular)) == expected


def test_r3_13_a_decided_match_may_be_played_out() -> None:
    found = state(SEMIFINAL, "111111")
    assert (found.optional, found.score) == (4, (12, 0))
    assert state(SEMIFINAL, "1111110000").optional == 0
    assert brief(state(SEMIFINAL, "1111110000")) == ("over", "a", 0)
    assert state(replace(SEMIFINAL, stop="decided"), "111111").optional == 0


@pytest.mark.parametrize("rules", [PLAYOFF, FINAL])
def test_r3_13_a_decided_final_may_be_played_out_too(rules: MatchRules) -> None:
    assert (state(rules, "1" * 7).optional, state(rules, "1" * 7 + "0" * 5).optional) == (5, 0)


def test_r3_13_no_winner_after_ten_games_is_an_armageddon() -> None:
    assert brief(state(SEMIFINAL, TIE, "", "1")) == ("over", "a", 0)
    assert brief(state(SEMIFINAL, TIE, "", "0")) == ("over", "b", 0)


@pytest.mark.parametrize("rules", [PLAYOFF, FINAL])
def test_r3_14_finals_are_twelve_games(rules: MatchRules) -> None:
    assert brief(state(rules, "111111")) == ("regular", None, 6)
    assert brief(state(rules, "111111=")) == ("over", "a", 0)
    assert brief(state(rules, TIE)) == ("regular", None, 2)


@pytest.mark.parametrize(
    ("rules", "tiebreak", "expected"),
    [
        (PLAYOFF, "", ("tiebreak", None, 2)),
        (PLAYOFF, "1", ("tiebreak", None, 1)),
        (PLAYOFF, "1=", ("over", "a", 0)),
        (PLAYOFF, "01", ("armageddon", None, 1)),
        (FINAL, "", ("tiebreak", None, 4)),
        (FINAL, "00", ("tiebreak", None, 2)),
        (FINAL, "00=", ("over", "b", 0)),
        (FINAL, "11=0", ("over", "a", 0)),
        (FINAL, "====", ("armageddon", None, 1)),
    ],
)
def test_r3_15_tiebreak_games(rules: MatchRules, tiebreak: str, expected: tuple[str, str | None, int]) -> None:
    assert brief(state(rules, TIE12, tiebreak)) == expected


def test_r3_15_still_tied_is_an_armageddon() -> None:
    assert brief(state(FINAL, TIE12, "1010", "0")) == ("over", "b", 0)
    assert state(FINAL, TIE12, "1010", "0").tiebreak_score == (4, 4)


PAIRS = replace(SEMIFINAL, tied="pairs_until_decided")


@pytest.mark.parametrize(
    ("tiebreak", "expected"),
    [
        ("", ("tiebreak", None, 2)),
        ("1", ("tiebreak", None, 1)),
        ("10", ("tiebreak", None, 2)),
        ("10=", ("tiebreak", None, 1)),
        ("10=1", ("over", "a", 0)),
        ("==0=", ("over", "b", 0)),
    ],
)
def test_r3_13_an_edition_with_pairs_of_games_until_somebody_leads(
    tiebreak: str, expected: tuple[str, str | None, int]
) -> None:
    assert brief(state(PAIRS, TIE, tiebreak)) == expected


def test_r3_3_where_a_draw_stands_the_match_is_over_without_a_winner() -> None:
    assert brief(state(MATCHES.qualification, TIE)) == ("over", None, 0)


def test_r3_10_a_candidates_match_is_over_after_all_ten_games_only() -> None:
    assert brief(state(MATCHES.candidates, "11111111")) == ("regular", None, 2)
    assert brief(state(MATCHES.candidates, "1111111100")) == ("over", "a", 0)


def test_q33_no_time_left_only_the_decider() -> None:
    assert brief(state(decider_only(FINAL), "")) == ("armageddon", None, 1)
    assert brief(state(decider_only(FINAL), "", "", "1")) == ("over", "a", 0)
    assert brief(state(decider_only(PAIRS), "")) == ("armageddon", None, 1)


def by_the_words(results: str, games: int, extra: int) -> tuple[str, int]:
    """R3.13 and R3.15 word for word: the phase and how many of the results are not used."""
    for phase, length in (("regular", games), ("tiebreak", extra)):
        a = b = 0.0
        for _ in range(length):
            if a > length / 2 or b > length / 2:
                break
            if not results:
                return phase, 0
            points = {"1": 1.0, "=": 0.5, "0": 0.0}[results[0]]
            a, b, results = a + points, b + 1 - points, results[1:]
        if a != b:
            return "over", len(results)
    return "armageddon", len(results)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(results=st.text(alphabet="10==", max_size=18), rules=st.sampled_from([SEMIFINAL, PLAYOFF, FINAL]))
def test_r3_13_r3_15_any_row_of_results(results: str, rules: MatchRules) -> None:
    played = score(series(results), replace(rules, stop="decided"))
    phase, unused = by_the_words(results, rules.games, rules.extra_games)
    assert (played.state.phase.value, len(played.extra)) == (phase, unused)
    assert len(played.regular) + len(played.tiebreak) + len(played.extra) == len(results)


# --- From Lichess games ---------------------------------------------------------------------------------------


def score(
    games: Sequence[LichessGame],
    rules: MatchRules = FINAL,
    colours: ColoursFixed | None = None,
    clocks: Mapping[str, Sequence[float]] | None = None,
    **changes: object,
) -> KnockoutScore:
    values: dict[str, object] = {
        "agreed_at": AGREED,
        "first_game_id": None,
        "window_start": OPENS,
        "deadline": DEADLINE,
        **changes,
    }
    of_match = replace(RULES, length=rules.games, stop=rules.stop)
    found = verify(games, {"ann"}, {"bob"}, of_match, **values)  # type: ignore[arg-type]
    return score_knockout(found, rules, ARMAGEDDON, colours, clocks or {})


def decider(
    id: str = "arm",
    winner: str | None = "ann",
    white: str = "ann",
    at: datetime = AGREED + EVENING,
    **changes: object,
) -> LichessGame:
    """A 3+0 casual game two hours after the start of the match."""
    values: dict[str, object] = {
        "white": white,
        "black": "bob" if white == "ann" else "ann",
        "clock_initial": 180,
        "clock_increment": 0,
        "rated": False,
        **changes,
    }
    return game(id, at, winner, **values)


CLOCKS = {"arm": [180.0, 88.5]}


def faults(found: KnockoutScore) -> dict[str, tuple[Fault, ...]]:
    return {fault.game_id: fault.faults for fault in found.faulty}


def ids(games: Sequence[CountedGame]) -> list[str]:
    return [game.game_id for game in games]


def test_r3_15_the_games_after_a_tie_are_tiebreak_games() -> None:
    found = score(series(TIE12 + "111"))
    assert ids(found.tiebreak) == ["g12", "g13", "g14"]
    assert (found.state.winner, found.state.phase) == (Side.A, Phase.OVER)
    assert found.played(7) == MatchPlayed(7, found.regular, (), found.tiebreak)


def test_q35_games_after_the_end_are_extra() -> None:
    found = score(series(TIE12 + "1110"))
    assert (len(found.tiebreak), found.extra) == (3, ("g15",))


def test_r3_13_games_played_out_after_the_decision_are_shown() -> None:
    found = score(series("1111110000" + "1"), SEMIFINAL)
    assert (found.state.score, found.extra) == ((12, 8), ("g10",))


def test_r3_16_the_armageddon_game_is_known_by_its_clock_and_colours() -> None:
    found = score([*series(TIE), decider()], SEMIFINAL, ANN_WHITE, CLOCKS)
    assert found.armageddon == CountedGame("arm", 2)
    assert (found.state.winner, found.faulty, found.needs_td) == (Side.A, (), ())
    assert found.played(7).armageddon == CountedGame("arm", 2)


def test_r3_16_a_drawn_armageddon_game_is_won_by_black() -> None:
    drawn = decider(winner=None)
    assert score([*series(TIE), drawn], SEMIFINAL, ANN_WHITE, CLOCKS).armageddon == CountedGame("arm", 0)
    drawn = decider(winner=None, white="bob")
    assert score([*series(TIE), drawn], SEMIFINAL, BOB_WHITE, CLOCKS).armageddon == CountedGame("arm", 2)


@pytest.mark.parametrize("rated", [True, False])
def test_q39_rated_or_casual(rated: bool) -> None:
    assert score([*series(TIE), decider(rated=rated)], SEMIFINAL, ANN_WHITE, CLOCKS).armageddon


def test_q39_a_game_of_the_bid() -> None:
    of_ninety = decider(clock_initial=90)
    assert score([*series(TIE), of_ninety], SEMIFINAL, ANN_WHITE).armageddon
    of_sixty = score([*series(TIE), decider(clock_initial=60)], SEMIFINAL, ANN_WHITE)
    assert faults(of_sixty) == {"arm": (Fault.WRONG_CLOCK,)}


def test_q39_white_above_the_bid_is_replayed_unless_a_td_accepts() -> None:
    games = [*series(TIE), decider("slow"), decider("again", "bob", at=AGREED + EVENING + 9 * MINUTE)]
    clocks = {"slow": [180.0, 91.0], "again": [180.0, 90.0]}
    found = score(games, SEMIFINAL, ANN_WHITE, clocks)
    assert faults(found) == {"slow": (Fault.ABOVE_BID,)}
    assert found.armageddon == CountedGame("again", 0)
    accepted = score(games, SEMIFINAL, ANN_WHITE, clocks, accepted=("slow",))
    assert (accepted.armageddon, accepted.extra) == (CountedGame("slow", 2), ("again",))


def test_q39_without_a_clock_record_a_td_must_look() -> None:
    found = score([*series(TIE), decider()], SEMIFINAL, ANN_WHITE)
    assert (found.armageddon, found.needs_td) == (None, ("arm",))
    assert score([*series(TIE), decider()], SEMIFINAL, ANN_WHITE, accepted=("arm",)).armageddon


def test_r3_16_a_game_before_the_colours_is_an_extra_one_also_if_a_td_accepts_it() -> None:
    known = replace(ANN_WHITE, at=AGREED + EVENING + MINUTE)
    again = decider("again", "bob", at=AGREED + EVENING + 9 * MINUTE)
    clocks = CLOCKS | {"again": [180.0, 88.5]}
    accepted = score([*series(TIE), decider(), again], SEMIFINAL, known, clocks, accepted=("arm",))
    assert (accepted.armageddon, accepted.extra) == (CountedGame("again", 0), ("arm",))
    during = score([*series(TIE), decider()], SEMIFINAL, None, clocks, accepted=("arm",))
    assert (during.state.phase, during.extra) == (Phase.ARMAGEDDON, ("arm",))


def test_q41_an_aborted_armageddon_is_played_again_with_the_same_colours() -> None:
    aborted = decider("ab", None, status="aborted")
    swapped = decider("sw", white="bob", at=AGREED + EVENING + 2 * MINUTE)
    again = decider("arm", at=AGREED + EVENING + 4 * MINUTE)
    found = score([*series(TIE), aborted, swapped, again], SEMIFINAL, ANN_WHITE, CLOCKS | {"sw": [180.0, 80.0]})
    assert faults(found) == {"ab": (Fault.ABORTED,), "sw": (Fault.WRONG_COLOURS,)}
    assert found.armageddon == CountedGame("arm", 2)


def test_r3_16_no_armageddon_before_the_bids_and_before_the_tie() -> None:
    before_bids = score([*series(TIE), decider()], SEMIFINAL)
    assert faults(before_bids) == {"arm": (Fault.CASUAL, Fault.WRONG_CLOCK)}
    assert before_bids.state.phase is Phase.ARMAGEDDON
    early = decider(at=AGREED + MINUTE)
    assert score([*series(TIE), early], SEMIFINAL, ANN_WHITE, CLOCKS).armageddon is None


def test_r3_16_a_game_with_the_clock_of_the_match_is_no_armageddon() -> None:
    found = score(series(TIE + "1"), SEMIFINAL, ANN_WHITE)
    assert faults(found) == {"g10": (Fault.WRONG_CLOCK,)}
    assert score(series(TIE + "1"), SEMIFINAL).extra == ("g10",)


def test_r3_16_a_struck_regular_game_takes_the_tie_away() -> None:
    found = score([*series(TIE), decider()], SEMIFINAL, ANN_WHITE, CLOCKS, struck=("g00",))
    assert (found.armageddon, found.state.phase, found.state.to_play) == (None, Phase.REGULAR, 1)


def test_q38b_a_cheat_game_pauses_a_knock_out() -> None:
    games = series(TIE12 + "11")
    games[13] = replace(games[13], status="cheat")
    found = score(games)
    assert (found.needs_td, len(found.tiebreak)) == (("g13",), 1)
    cheated = decider(status="cheat")
    assert score([*series(TIE), cheated], SEMIFINAL, ANN_WHITE, CLOCKS).needs_td == ("arm",)
    after = [*series("111111", AGREED), replace(series("1")[0], id="z", status="cheat", created_at=AGREED + EVENING)]
    assert score(after, SEMIFINAL).needs_td == ()


def test_q16_a_break_before_the_tiebreak_games_is_no_fault() -> None:
    later = [replace(g, id=f"t{g.id}") for g in series("111", AGREED + EVENING)]
    assert ids(score([*series(TIE12), *later]).tiebreak) == ["tg00", "tg01", "tg02"]


def test_q38_a_knock_out_in_two_sittings() -> None:
    second = [replace(g, id=f"h{g.id}") for g in series("111", AGREED + timedelta(days=1))]
    assert score([*series("1110"), *second], SEMIFINAL).state.winner is Side.A


def test_q8_an_armageddon_after_the_deadline_of_a_match_in_play() -> None:
    start = DEADLINE - 50 * MINUTE
    late = decider(at=DEADLINE + 15 * MINUTE)
    assert score([*series(TIE, start), late], SEMIFINAL, ANN_WHITE, CLOCKS, agreed_at=start).armageddon
    too_late = decider(at=DEADLINE + 3 * timedelta(hours=1))
    found = score([*series(TIE, start), too_late], SEMIFINAL, ANN_WHITE, CLOCKS, agreed_at=start)
    assert faults(found) == {"arm": (Fault.AFTER_DEADLINE,)}


def test_q12_without_a_time_nothing_of_a_knock_out_counts_until_the_first_game_is_named() -> None:
    casual = game("c", AGREED - MINUTE, rated=False)
    found = score([casual, *series("1110")], SEMIFINAL, agreed_at=None)
    assert (found.needs_first_game, found.first_candidate) == (True, "g00")
    assert (found.regular, found.extra, faults(found)) == ((), (), {"c": (Fault.CASUAL,)})
    assert len(score(series("1110"), SEMIFINAL, agreed_at=None, first_game_id="g00").regular) == 4


def test_r3_13_an_open_match_is_no_result() -> None:
    with pytest.raises(ValueError, match="not over"):
        score(series(TIE), SEMIFINAL).played(7)

"""Bids, throws and the armageddon game: R3.16, Q39, Q40, Q41."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.armageddon import (
    AwaitingBids,
    AwaitingThrow,
    Bid,
    Bidding,
    ColoursFixed,
    Hand,
    ShownThrow,
    Throw,
    WayToPlay,
    bidding,
    bids_due,
    check_bid,
    check_throw,
    ways_to_play,
    white_clock_ok,
    winner,
)
from engine.errors import Conflict, RuleViolation
from engine.rules import load, shipped_text
from engine.sides import Side

RULES = load(shipped_text("2023")).armageddon
TIED = datetime(2023, 7, 8, 20, tzinfo=UTC)
MATCH_DEADLINE = datetime(2023, 7, 11, tzinfo=UTC)
DUE = TIED + timedelta(hours=24)
MINUTE = timedelta(minutes=1)
A, B = Side.A, Side.B
ROCK, PAPER, SCISSORS = Hand.ROCK, Hand.PAPER, Hand.SCISSORS


def bids(a: int | None = None, b: int | None = None, at: datetime = TIED) -> list[Bid]:
    return [Bid(side, at, seconds) for side, seconds in ((A, a), (B, b)) if seconds is not None]


def throws(*pairs: tuple[Hand | None, Hand | None], at: datetime = TIED + MINUTE) -> list[Throw]:
    """One pair of throws a minute."""
    return [
        Throw(side, n + 1, at + n * MINUTE, hand)
        for n, pair in enumerate(pairs)
        for side, hand in zip((A, B), pair, strict=True)
        if hand is not None
    ]


def state(made: list[Bid], thrown: list[Throw] | None = None, now: datetime = TIED + 30 * MINUTE) -> Bidding:
    return bidding(RULES, made, thrown or [], due=DUE, now=now)


# --- Bids -----------------------------------------------------------------------------------------------------


def test_r3_16_the_lower_bid_plays_white() -> None:
    assert state(bids(95, 120)) == ColoursFixed(A, 95, (95, 120))
    assert state(bids(120, 95)) == ColoursFixed(B, 95, (120, 95))


def test_q40_bids_are_due_a_day_after_the_tie_and_before_the_match_deadline() -> None:
    assert bids_due(RULES, TIED, MATCH_DEADLINE) == DUE
    assert bids_due(RULES, MATCH_DEADLINE - timedelta(hours=2), MATCH_DEADLINE) == MATCH_DEADLINE


def test_q40_no_bid_by_then_is_three_minutes() -> None:
    assert state(bids(150), now=DUE) == ColoursFixed(A, 150, (150, 180))
    assert state(bids(None, 150), now=DUE) == ColoursFixed(B, 150, (180, 150))


def test_q40_a_bid_at_the_deadline_is_none() -> None:
    assert state([*bids(150), *bids(None, 10, at=DUE)], now=DUE) == ColoursFixed(A, 150, (150, 180))
    last_second = DUE - timedelta(seconds=1)
    assert state([*bids(150), *bids(None, 10, at=last_second)], now=DUE) == ColoursFixed(B, 10, (150, 10))


def test_q40_both_without_a_bid_are_equal_bids() -> None:
    waiting = state([], now=DUE)
    assert waiting == AwaitingThrow(180, 1, (A, B), DUE + 5 * MINUTE, ())


def test_q40_one_bid_of_three_minutes_and_one_missing_are_equal_bids() -> None:
    assert isinstance(state(bids(180), now=DUE), AwaitingThrow)


def test_r3_16_a_bid_is_made_once() -> None:
    assert state([*bids(100, 90), Bid(A, TIED + MINUTE, 50)]) == ColoursFixed(B, 90, (100, 90))
    with pytest.raises(Conflict, match="bid_made"):
        check_bid(RULES, state(bids(100)), A, 50)


@pytest.mark.parametrize("seconds", [0, -1, 181])
def test_r3_16_bids_from_one_second_to_three_minutes(seconds: int) -> None:
    with pytest.raises(RuleViolation, match="bid_out_of_range") as refused:
        check_bid(RULES, state([]), A, seconds)
    assert refused.value.params == {"given": seconds, "least": 1, "most": 180}
    check_bid(RULES, state([]), A, 1)
    check_bid(RULES, state(bids(100)), B, 180)


def test_r3_16_no_bid_when_the_colours_are_fixed_or_at_the_throws() -> None:
    for over in (state(bids(1, 2)), state(bids(5, 5))):
        with pytest.raises(Conflict, match="bidding_over"):
            check_bid(RULES, over, A, 50)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(a=st.integers(1, 180), b=st.integers(1, 180))
def test_r3_16_any_two_bids(a: int, b: int) -> None:
    found = state(bids(a, b))
    if a == b:
        assert isinstance(found, AwaitingThrow)
        assert found.bid == a
    else:
        assert isinstance(found, ColoursFixed)
        assert (found.white is A, found.bid) == (a < b, min(a, b))


# --- Sealed ---------------------------------------------------------------------------------------------------


def test_r3_16_nobody_sees_a_bid_before_both_are_in() -> None:
    waiting = [state(bids(seconds)) for seconds in (1, 117, 180)]
    assert waiting == [AwaitingBids((B,), DUE)] * 3
    assert state([]) == AwaitingBids((A, B), DUE)


def test_q41_nobody_sees_a_throw_before_both_are_in() -> None:
    waiting = [state(bids(60, 60), throws((hand, None)), TIED + 2 * MINUTE) for hand in Hand]
    assert waiting == [AwaitingThrow(60, 1, (B,), TIED + 5 * MINUTE, ())] * 3


def test_r3_16_q41_sealed_values_are_in_no_log() -> None:
    assert "117" not in repr(Bid(A, TIED, 117))
    assert "rock" not in repr(Throw(A, 1, TIED, ROCK)).lower()


# --- Rock-paper-scissors --------------------------------------------------------------------------------------

WINS = {(ROCK, SCISSORS), (SCISSORS, PAPER), (PAPER, ROCK)}


@pytest.mark.parametrize(("a", "b"), list(product(Hand, Hand)))
def test_q41_the_winner_gets_white_at_the_common_bid(a: Hand, b: Hand) -> None:
    found = state(bids(60, 60), throws((a, b)), TIED + 2 * MINUTE)
    shown = (ShownThrow(a, b),)
    if a is b:
        assert found == AwaitingThrow(60, 2, (A, B), TIED + 6 * MINUTE, shown)
    else:
        assert found == ColoursFixed(A if (a, b) in WINS else B, 60, (60, 60), shown)


def test_q41_repeated_on_a_draw() -> None:
    found = state(bids(60, 60), throws((ROCK, ROCK), (PAPER, PAPER), (PAPER, SCISSORS)))
    assert isinstance(found, ColoursFixed)
    assert (found.white, len(found.shown)) == (B, 3)


def test_q41_five_minutes_a_throw_and_a_missing_one_loses() -> None:
    one = throws((None, SCISSORS))
    assert isinstance(state(bids(60, 60), one, TIED + 5 * MINUTE - timedelta(seconds=1)), AwaitingThrow)
    lost = state(bids(60, 60), one, TIED + 5 * MINUTE)
    assert lost == ColoursFixed(B, 60, (60, 60), (ShownThrow(None, SCISSORS),))


def test_q41_a_throw_after_its_five_minutes_is_missing() -> None:
    late = [*throws((None, SCISSORS)), Throw(A, 1, TIED + 5 * MINUTE, ROCK)]
    found = state(bids(60, 60), late)
    assert isinstance(found, ColoursFixed)
    assert found.white is B


def test_q41_both_missing_again() -> None:
    found = state(bids(60, 60), [], TIED + 12 * MINUTE)
    assert found == AwaitingThrow(60, 3, (A, B), TIED + 15 * MINUTE, (ShownThrow(None, None),) * 2)


def test_q41_the_five_minutes_run_from_the_second_of_equal_bids() -> None:
    made = [*bids(60), *bids(None, 60, at=TIED + timedelta(hours=3))]
    found = state(made, now=TIED + timedelta(hours=3, minutes=1))
    assert isinstance(found, AwaitingThrow)
    assert (found.number, found.due) == (1, TIED + timedelta(hours=3, minutes=5))


def test_q41_who_may_throw() -> None:
    waiting = state(bids(60, 60), throws((ROCK, ROCK), (ROCK, None)), TIED + 3 * MINUTE)
    assert check_throw(waiting, B) == 2
    with pytest.raises(Conflict, match="throw_made"):
        check_throw(waiting, A)
    with pytest.raises(Conflict, match="no_throw_due"):
        check_throw(state(bids(1, 2)), A)


# --- The game -------------------------------------------------------------------------------------------------


def test_r3_16_a_draw_is_a_win_for_black() -> None:
    assert winner(RULES, A, None) is B
    assert winner(RULES, B, None) is A


def test_r3_16_otherwise_the_winner_of_the_game() -> None:
    assert [winner(RULES, white, colour) for white in Side for colour in ("white", "black")] == [A, B, B, A]


@pytest.mark.parametrize(
    ("clocks", "ok"),
    [
        ([180, 95, 90], True),
        ([180, 94.5], True),
        ([180, 95.01], False),
        ([180, 180], False),
        ([180], True),
        ([], True),
        ([95, 80], True),
    ],
)
def test_q39_whites_clock_is_at_the_bid_before_his_second_move(clocks: list[float], ok: bool) -> None:
    assert white_clock_ok(clocks, 95) is ok


def test_q39_an_increment_is_no_breach() -> None:
    assert white_clock_ok([182, 97], 95, increment=2)
    assert not white_clock_ok([182, 97.5], 95, increment=2)


LET_IT_FALL = {bid: WayToPlay(180, 0, 180 - bid, 0) for bid in range(1, 181)}


@pytest.mark.parametrize(("bid", "given_times"), [(15, 11), (30, 10), (45, 9), (60, 8), (90, 6), (120, 4)])
def test_q39_a_game_of_the_bid_where_lichess_has_that_clock(bid: int, given_times: int) -> None:
    assert ways_to_play(RULES, bid) == (LET_IT_FALL[bid], WayToPlay(bid, 0, 0, given_times))
    assert bid + 15 * given_times == 180


def test_q39_else_three_minutes_and_white_lets_his_clock_fall() -> None:
    others = [bid for bid in range(1, 181) if bid not in (15, 30, 45, 60, 90, 120)]
    assert all(ways_to_play(RULES, bid) == (LET_IT_FALL[bid],) for bid in others)
    assert LET_IT_FALL[180].white_waits == 0

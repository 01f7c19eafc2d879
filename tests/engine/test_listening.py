"""Whom the stream is about, and what silence is worth (design section 6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.listening import MOST_PLAYERS, Ear, GameNews, Pair, players_of

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)
PAIR: Pair = frozenset({"anna", "carl"})
SECOND = timedelta(seconds=1)


def pair(n: int) -> Pair:
    return frozenset({f"a{n}", f"b{n}"})


def test_150_matches_are_listened_to_and_the_next_one_is_not() -> None:
    assert len(players_of(pair(n) for n in range(150))) == MOST_PLAYERS == 300
    assert not players_of(pair(n) for n in range(151)) & pair(150)


def test_a_match_of_players_who_are_listed_already_costs_no_room() -> None:
    matches = [pair(n) for n in range(150)]
    assert players_of([*matches, frozenset({"a0", "b1"}), pair(150)]) == players_of(matches)


def test_half_a_pair_is_not_listed() -> None:
    assert players_of([frozenset({"alone"}), PAIR]) == PAIR


@given(st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=2)), st.integers(0, 6))
def test_nobody_is_listed_without_an_opponent_and_never_too_many(pairs: list[Pair], most: int) -> None:
    players = players_of(pairs, most)
    assert len(players) <= most
    assert players == frozenset().union(*(pair for pair in pairs if len(pair) > 1 and pair <= players))


def test_silence_says_something_only_about_whom_and_when_was_listened() -> None:
    ear = Ear()
    assert not ear.has_heard_all(PAIR, NOON)
    ear.listens_to(PAIR | {"bob"}, NOON)
    assert ear.has_heard_all(PAIR, NOON + SECOND)
    assert not ear.has_heard_all(PAIR, NOON) and not ear.has_heard_all(PAIR, NOON - SECOND)
    assert not ear.has_heard_all(frozenset({"anna", "dora"}), NOON + SECOND)
    assert not ear.has_heard_all(frozenset(), NOON + SECOND)
    ear.listens_to(frozenset(), NOON + SECOND)
    assert not ear.has_heard_all(PAIR, NOON + 2 * SECOND)


def test_news_is_news_once_even_over_a_new_stream() -> None:
    ear, begun, over = Ear(), GameNews("aaaaaaaa", PAIR, True), GameNews("aaaaaaaa", PAIR, False)
    ear.listens_to(PAIR, NOON)
    assert ear.is_new(begun) and ear.is_new(over)
    ear.listens_to(PAIR, NOON + SECOND)
    assert not ear.is_new(begun) and not ear.is_new(over)
    ear.forget()
    assert ear.is_new(begun)

"""Whole Swiss tournaments, each round judged by the independent checker (R3.7, Q42, Q43, Q44g)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CannotPair
from engine.pairing_checker import check
from engine.pairing_types import Pairing, Player
from engine.swiss import pair
from tests.engine.swiss_fields import LOTS, Pair, after_round, fields, new_field, outcome, random_wishes

LARGE = [64, 88, 127, 128, 199, 200]


def always_possible(players: Sequence[Player], rounds_played: int) -> bool:
    """Design section 7: r <= n/2 - 1 (n even), r <= (n-1)/2 (n odd), while only byes bar from the bye."""
    n = len(players)
    return rounds_played <= (n // 2 - 1 if n % 2 == 0 else (n - 1) // 2)


@pytest.mark.parametrize("n", range(2, 41))
@given(seed=LOTS)
@settings(max_examples=4)
def test_r3_7_every_round_is_good_and_possible_as_long_as_the_theorem_says(n: int, seed: int) -> None:
    """Withdrawals shrink the field on the way; nobody gets a walkover, so the bound holds for who is left."""
    random = Random(seed)
    players = new_field(n, random)
    played = 0
    while always_possible(players, played) and played < 9:
        pairing = pair(players, key=f"e:r{played}")
        assert check(players, pairing) == []
        players = after_round(players, pairing, random, walkovers=0)
        played += 1
        if len(players) > 2 and random.random() < 0.3:
            players.remove(random.choice(players))
    assert played >= 1


@pytest.mark.parametrize("n", range(2, 41))
@given(seed=LOTS)
@settings(max_examples=8)
def test_r3_7_possible_at_the_bound_whatever_the_rounds_before_were(n: int, seed: int) -> None:
    """The history is made of random rounds, not of rounds this pairer would make."""
    random = Random(seed)
    players = new_field(n, random)
    played = 0
    while always_possible(players, played + 1):
        pairing = random_round(players, random)
        players = after_round(players, pairing, random, walkovers=0)
        played += 1
    assert check(players, pair(players, key="k")) == []


def random_round(players: Sequence[Player], random: Random) -> Pairing:
    """Anybody against anybody, rematches too; in an odd field anybody without a bye has it."""
    order = random.sample(list(players), len(players))
    bye = next((player.id for player in order if not player.bye_barred), None) if len(order) % 2 else None
    ids = [player.id for player in order if player.id != bye]
    return Pairing(tuple(zip(ids[::2], ids[1::2], strict=True)), bye)


@pytest.mark.parametrize("n", range(2, 41))
@given(seed=LOTS)
@settings(max_examples=4)
def test_r3_7_q42_tournaments_with_walkovers_comings_goings_and_wishes(n: int, seed: int) -> None:
    play(n, Random(seed), rounds=7)


@pytest.mark.parametrize("n", LARGE)
def test_r3_7_q42_large_tournaments_with_walkovers_comings_goings_and_wishes(n: int) -> None:
    play(n, Random(n), rounds=n.bit_length() + 1)


def play(n: int, random: Random, rounds: int) -> None:
    """Withdrawals (Q43), late entries (Q44g) and wishes by lot. Where no pairing exists, what is offered makes one when
    a TD allows it. Nobody meets twice and nobody has two byes, except where a TD says so."""
    players = new_field(n, random)
    met: set[frozenset[int]] = set()
    byes: set[int] = set()
    newest = max(player.id for player in players)
    for played in range(rounds):
        forced, forbidden, bye = random_wishes(players, random)
        try:
            pairing = pair(players, key=f"e:r{played}", forced=forced, forbidden=forbidden, bye=bye)
        except CannotPair as error:
            offered, second = error.params["rematches"], error.params["bye"]
            if not offered and second is None:
                assert error.code == "no_bye_candidate" or error.params["reason"] == "forbidden_pairs"
                return
            forced, bye = [*forced, *offered], bye if second is None else second
            pairing = pair(players, key=f"e:r{played}", forced=forced, forbidden=forbidden, bye=bye)
        assert check(players, pairing, forced, forbidden, bye) == []
        made = {frozenset(pair) for pair in pairing.pairs}
        assert made & met <= {frozenset(pair) for pair in forced}
        assert bye is not None or pairing.bye not in byes
        met |= made
        byes |= {pairing.bye} - {None}
        players = after_round(players, pairing, random, walkovers=0.1)
        players = [player for player in players if random.random() > 0.04]
        if random.random() < 0.3:
            newest += 1
            players.append(Player(newest, 1 + max((player.seed for player in players), default=0), 0))


@pytest.mark.parametrize("n", range(2, 31))
@given(data=st.data())
@settings(max_examples=5)
def test_r3_7_the_order_of_entry_does_not_matter(n: int, data: st.DataObject) -> None:
    players, seed = data.draw(fields(n)), data.draw(LOTS)
    first, second = outcome(players), outcome(Random(seed).sample(players, len(players)))
    if isinstance(first, CannotPair):
        assert str(first) == str(second)
    else:
        assert first == second


def test_r3_7_the_order_of_entry_and_of_wishes_does_not_matter_in_a_large_field() -> None:
    random = Random(3)
    players = new_field(101, random)
    for played in range(5):
        forced: list[Pair] = [(players[0].id, players[1].id), (players[2].id, players[3].id)]
        forbidden: list[Pair] = [(players[4].id, players[5].id), (players[6].id, players[7].id)]
        pairing = pair(players, key=f"r{played}", forced=forced, forbidden=forbidden)
        turned = [(b, a) for a, b in reversed(forced)]
        assert pairing == pair(
            random.sample(players, 101), key=f"r{played}", forced=turned, forbidden=[(b, a) for a, b in forbidden[::-1]]
        )
        players = after_round(players, pairing, random, walkovers=0.1)

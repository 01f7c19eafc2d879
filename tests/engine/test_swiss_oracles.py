"""Nothing cheaper exists: Swiss pairings against all pairings of small fields and against other matchings (R3.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import swiss
from engine.errors import CannotPair
from engine.pairing_checker import check, cost
from engine.pairing_types import Pairing, Player
from engine.swiss import pair
from tests.engine.swiss_fields import (
    LOTS,
    Pair,
    cheapest,
    cheapest_of_many,
    everything,
    fields,
    outcome,
    random_wishes,
    rounds_of,
)


def rematches(players: Sequence[Player], pairing: Pairing, forced: Sequence[Pair]) -> int:
    met = {player.id: player.met for player in players}
    return sum(b in met[a] and not {(a, b), (b, a)} & set(forced) for a, b in pairing.pairs)


def second_bye(players: Sequence[Player], pairing: Pairing, chosen: int | None) -> bool:
    return chosen is None and any(player.bye_barred for player in players if player.id == pairing.bye)


def honours(pairing: Pairing, forced: Sequence[Pair], forbidden: Sequence[Pair]) -> bool:
    made = {frozenset(pair) for pair in pairing.pairs}
    return made >= {frozenset(pair) for pair in forced} and not made & {frozenset(pair) for pair in forbidden}


def tie_value(pairing: Pairing, key: str) -> int:
    return sum(int(sha256(f"{key}:{a}:{b}".encode()).hexdigest()[:12], 16) for a, b in pairing.pairs)


@pytest.mark.parametrize("n", range(1, 9))
@given(data=st.data())
@settings(max_examples=60)
def test_r3_7_against_all_pairings_of_a_small_field(n: int, data: st.DataObject) -> None:
    """The bye first, then the cost, then the hash. If all are against the rules, the least that a TD has to allow: no
    second bye if it can be helped, then the fewest rematches; and with that the round is possible."""
    players = data.draw(fields(n))
    forced, forbidden, bye = random_wishes(players, Random(data.draw(LOTS)))
    possible = [pairing for pairing in everything(players, bye) if honours(pairing, forced, forbidden)]
    allowances = [(second_bye(players, each, bye), rematches(players, each, forced)) for each in possible]
    try:
        result = pair(players, key="k", forced=forced, forbidden=forbidden, bye=bye)
    except CannotPair as error:
        offered, offered_bye = error.params["rematches"], error.params["bye"]
        if not possible:
            assert (offered, offered_bye) == ((), None)
            return
        assert (offered_bye is not None, len(offered)) == min(allowances) != (False, 0)
        pair(players, key="k", forced=[*forced, *offered], forbidden=forbidden, bye=offered_bye or bye)
        return
    clean = [pairing for pairing, allowance in zip(possible, allowances, strict=True) if allowance == (False, 0)]
    by_id = {player.id: player for player in players}

    def bye_rank(pairing: Pairing) -> Pair:
        return (0, 0) if pairing.bye is None else (by_id[pairing.bye].score, -by_id[pairing.bye].seed)

    best = min(clean, key=lambda p: (bye_rank(p), cost(players, p), tie_value(p, "k")))
    assert (set(result.pairs), result.bye) == (set(best.pairs), best.bye)


@pytest.mark.parametrize("n", [4, 6, 8])
@given(data=st.data())
@settings(max_examples=40)
def test_r3_7_no_pair_is_left_out_that_a_pairing_within_the_limit_has(n: int, data: st.DataObject) -> None:
    """What a band says a pairing with one of its pairs costs at least, against all pairings with that pair."""
    players = [replace(player, met=frozenset()) for player in data.draw(fields(n))]
    bands = swiss._bands(swiss._Field.of(players, (), (), None), None)
    by_seed = sorted(players, key=lambda player: player.seed)
    pairings = [(pairing, cost(players, pairing)) for pairing in everything(players)]
    for band in bands:
        for a, b in ((by_seed[i], by_seed[j]) for i in band.upper for j in band.lower if i != j):
            again = (int(a.floats > 0) + int(b.floats > 0)) if a.score != b.score else 0
            both = {(a.id, b.id), (b.id, a.id)}
            least = min(total[:2] for pairing, total in pairings if both & set(pairing.pairs))
            assert (band.gaps, again) <= least


@pytest.mark.parametrize("n", range(9, 25))
@given(data=st.data())
@settings(max_examples=10)
def test_r3_7_against_networkx_in_any_field(n: int, data: st.DataObject) -> None:
    against_networkx(data.draw(fields(n)))


@pytest.mark.parametrize("n", [31, 36, 40])
@given(data=st.data())
@settings(max_examples=4)
def test_r3_7_against_networkx_in_any_larger_field(n: int, data: st.DataObject) -> None:
    against_networkx(data.draw(fields(n)))


def against_networkx(players: Sequence[Player]) -> None:
    result = outcome(players)
    if isinstance(result, CannotPair):
        byes = [p.id for p in players if not p.bye_barred] if len(players) % 2 else [None]
        assert all(cheapest(players, bye) is None for bye in byes)
    else:
        assert check(players, result) == []
        assert cost(players, result) == cheapest(players, result.bye)


@pytest.mark.parametrize("n", [16, 23, 24, 40])
def test_r3_7_against_networkx_through_a_tournament(n: int) -> None:
    for players, pairing in rounds_of(n, 7, lot=n):
        assert cost(players, pairing) == cheapest(players, pairing.bye)


@pytest.mark.parametrize(("n", "number"), [(64, 8), (101, 3)])
def test_r3_7_against_all_pairs_of_a_large_field_through_a_tournament(n: int, number: int) -> None:
    """Where most pairs are left out because they cannot be in a cheapest pairing, the cost is that of all pairs."""
    for players, pairing in rounds_of(n, number, lot=n):
        assert cost(players, pairing) == cheapest_of_many(players, pairing.bye)


@pytest.mark.parametrize("lot", range(3))
def test_r3_7_against_all_pairs_where_the_leaders_have_met(lot: int) -> None:
    """The best twelve of 60 have met each other: no pairing within the least score differences exists."""
    random = Random(lot)
    seeds = range(1, 61)
    leaders = frozenset(range(1, 13))
    players = [
        Player(
            seed,
            seed,
            9 - seed // 12 if seed in leaders else random.randrange(8),
            leaders - {seed},
            random.randrange(2),
        )
        for seed in seeds
    ]
    players = [player if player.id in leaders else replace(player, met=frozenset()) for player in players]
    assert cost(players, pair(players, key="k")) == cheapest_of_many(players, None)


def test_r3_7_a_late_round_of_128_players_fits_the_fast_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine rounds at the largest size expected: good every time, and never by the slow way out."""
    monkeypatch.setattr("engine.swiss._match_any_size", None)
    for players, pairing in rounds_of(128, 9, lot=128, walkovers=0.02):
        assert check(players, pairing) == []

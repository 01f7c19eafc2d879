"""Swiss pairings against the independent checker: whole tournaments, any field, and nothing cheaper exists (R3.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CannotPair
from engine.pairing_checker import Cost, check, cost
from engine.swiss import Pairing, Player, pair

Pair = tuple[int, int]
LOTS = st.integers(0, 10**6)


# --- Whole tournaments -----------------------------------------------------------------------------------------


def always_possible(players: Sequence[Player], rounds_played: int) -> bool:
    """Design section 7: r <= n/2 - 1 (n even), r <= (n-1)/2 (n odd), while only byes bar from the bye."""
    n = len(players)
    return rounds_played <= (n // 2 - 1 if n % 2 == 0 else (n - 1) // 2)


def after_round(players: Sequence[Player], pairing: Pairing, random: Random, *, walkovers: float) -> list[Player]:
    """The field with the results of a round: wins, draws and walkovers by lot, a full point for the bye."""
    field = {player.id: player for player in players}
    for a, b in pairing.pairs:
        points = random.choice((0, 1, 2, 2))
        walkover = random.random() < walkovers
        crossing = field[a].score != field[b].score
        for me, other, half_points in ((a, b, points), (b, a, 2 - points)):
            player = field[me]
            field[me] = replace(
                player,
                score=player.score + half_points,
                met=player.met | {other},
                floats=player.floats + crossing,
                bye_barred=player.bye_barred or (walkover and half_points == 2),
            )
    if pairing.bye is not None:
        holder = field[pairing.bye]
        field[holder.id] = replace(holder, score=holder.score + 2, bye_barred=True)
    return list(field.values())


def new_field(n: int, random: Random) -> list[Player]:
    """n players whose ids say nothing about their seeds, in no order."""
    ids = random.sample(range(1, 10 * n + 1), n)
    players = [Player(id, seed, 0) for seed, id in enumerate(ids, 1)]
    random.shuffle(players)
    return players


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
        if random.random() < 0.3 and len(players) > 2:
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
def test_r3_7_q42_tournaments_with_walkovers_withdrawals_and_wishes(n: int, seed: int) -> None:
    """Where no pairing exists, the rematches that are offered make one when a TD forces them."""
    random = Random(seed)
    players = new_field(n, random)
    for played in range(7):
        forced, forbidden, bye = random_wishes(players, random)
        try:
            pairing = pair(players, key=f"e:r{played}", forced=forced, forbidden=forbidden, bye=bye)
        except CannotPair as error:
            if not error.params.get("rematches"):
                assert error.code == "no_bye_candidate" or error.params["reason"] == "forbidden_pairs"
                return
            forced = [*forced, *error.params["rematches"]]
            pairing = pair(players, key=f"e:r{played}", forced=forced, forbidden=forbidden, bye=bye)
        assert check(players, pairing, forced, forbidden, bye) == []
        players = after_round(players, pairing, random, walkovers=0.1)
        players = [player for player in players if random.random() > 0.04]


def random_wishes(players: Sequence[Player], random: Random) -> tuple[list[Pair], list[Pair], int | None]:
    """Now and then a forced pair, some forbidden ones, a TD's bye: never contradicting each other."""
    ids = random.sample([player.id for player in players], len(players))
    bye = ids.pop() if len(ids) % 2 and random.random() < 0.1 else None
    forced = [(ids[0], ids[1])] if len(ids) > 3 and random.random() < 0.3 else []
    rest = ids[2 * len(forced) :]
    forbidden = [(random.choice(rest), random.choice(rest)) for _ in range(random.randrange(3)) if len(rest) > 1]
    return forced, [(a, b) for a, b in forbidden if a != b], bye


# --- Any field -------------------------------------------------------------------------------------------------


@st.composite
def fields(draw: st.DrawFn, n: int) -> list[Player]:
    """Players in no order with few different scores, any opponents met, some floats and some barred from the bye."""
    random = Random(draw(LOTS))
    density = draw(st.sampled_from((0.0, 0.2, 0.4, 0.7)))
    top = draw(st.integers(0, 5))
    met: dict[int, set[int]] = {seed: set() for seed in range(1, n + 1)}
    for a, b in combinations(met, 2):
        if random.random() < density:
            met[a].add(b)
            met[b].add(a)
    players = [
        Player(id=s, seed=s, score=random.randint(0, top), met=frozenset(met[s]), floats=random.choice((0, 0, 1, 2)))
        for s in met
    ]
    players = [replace(player, bye_barred=random.random() < 0.2) for player in players]
    return random.sample(players, n)


def outcome(players: Sequence[Player], key: str = "k") -> Pairing | CannotPair:
    try:
        return pair(players, key=key)
    except CannotPair as error:
        return error


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


# --- Nothing cheaper exists ------------------------------------------------------------------------------------


def matchings(ids: list[int]) -> Iterator[tuple[Pair, ...]]:
    """Every way to pair all ids, which come by seed."""
    if not ids:
        yield ()
        return
    first, *others = ids
    for other in others:
        for rest in matchings([id for id in others if id != other]):
            yield ((first, other), *rest)


def everything(players: Sequence[Player], chosen_bye: int | None) -> Iterator[Pairing]:
    """Every pairing of a field, rematches too; in an odd field with the chosen bye or all that are not barred."""
    ids = sorted(player.id for player in players)
    byes: list[int | None] = [p.id for p in players if not p.bye_barred] if len(ids) % 2 else [None]
    for bye in byes if chosen_bye is None else [chosen_bye]:
        yield from (Pairing(pairs, bye) for pairs in matchings([id for id in ids if id != bye]))


def rematches(players: Sequence[Player], pairing: Pairing, forced: Sequence[Pair]) -> list[Pair]:
    met = {player.id: player.met for player in players}
    return [(a, b) for a, b in pairing.pairs if b in met[a] and not {(a, b), (b, a)} & set(forced)]


def honours(pairing: Pairing, forced: Sequence[Pair], forbidden: Sequence[Pair]) -> bool:
    made = {frozenset(pair) for pair in pairing.pairs}
    return made >= {frozenset(pair) for pair in forced} and not made & {frozenset(pair) for pair in forbidden}


def tie_value(pairing: Pairing, key: str) -> int:
    return sum(int(sha256(f"{key}:{a}:{b}".encode()).hexdigest()[:12], 16) for a, b in pairing.pairs)


@pytest.mark.parametrize("n", range(1, 9))
@given(data=st.data())
@settings(max_examples=60)
def test_r3_7_against_all_pairings_of_a_small_field(n: int, data: st.DataObject) -> None:
    """The bye first, then the cost, then the hash; if all have a rematch, as few as possible are offered."""
    players = data.draw(fields(n))
    forced, forbidden, bye = random_wishes(players, Random(data.draw(LOTS)))
    possible = [pairing for pairing in everything(players, bye) if honours(pairing, forced, forbidden)]
    clean = [pairing for pairing in possible if not rematches(players, pairing, forced)]
    try:
        result = pair(players, key="k", forced=forced, forbidden=forbidden, bye=bye)
    except CannotPair as error:
        assert clean == []
        offered = error.params.get("rematches", ())
        assert len(offered) == min((len(rematches(players, pairing, forced)) for pairing in possible), default=0)
        return
    by_id = {player.id: player for player in players}

    def bye_rank(pairing: Pairing) -> Pair:
        return (0, 0) if pairing.bye is None else (by_id[pairing.bye].score, -by_id[pairing.bye].seed)

    best = min(clean, key=lambda p: (bye_rank(p), cost(players, p), tie_value(p, "k")))
    assert (set(result.pairs), result.bye) == (set(best.pairs), best.bye)


def cheapest(players: Sequence[Player], bye: int | None) -> Cost | None:
    """By networkx, the least cost a pairing can have with this bye; None when there is no pairing."""
    wide = 10**6  # more than any sum on one level below 30 players
    graph: nx.Graph[int] = nx.Graph()
    for a, b in combinations(sorted((p for p in players if p.id != bye), key=lambda player: player.seed), 2):
        if b.id not in a.met:
            total = 0
            for level in cost(players, Pairing(((a.id, b.id),), bye)):
                total = total * wide + level
            graph.add_edge(a.id, b.id, weight=-total)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(players) - (bye is not None):
        return None
    return cost(players, Pairing(tuple(found), bye))


@pytest.mark.parametrize("n", range(9, 25))
@given(data=st.data())
@settings(max_examples=10)
def test_r3_7_against_networkx_in_any_field(n: int, data: st.DataObject) -> None:
    players = data.draw(fields(n))
    result = outcome(players)
    if isinstance(result, CannotPair):
        byes = [p.id for p in players if not p.bye_barred] if len(players) % 2 else [None]
        assert all(cheapest(players, bye) is None for bye in byes)
    else:
        assert check(players, result) == []
        assert cost(players, result) == cheapest(players, result.bye)


@pytest.mark.parametrize("n", [16, 23, 24])
def test_r3_7_against_networkx_through_a_tournament(n: int) -> None:
    random = Random(n)
    players = new_field(n, random)
    for played in range(7):
        pairing = pair(players, key=f"e:r{played}")
        assert cost(players, pairing) == cheapest(players, pairing.bye)
        players = after_round(players, pairing, random, walkovers=0)


def test_r3_7_a_late_round_of_128_players_fits_the_fast_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine rounds at the largest size expected: good every time, and never by the slow way out."""
    monkeypatch.setattr("engine.swiss._match_any_size", None)
    random = Random(128)
    players = new_field(128, random)
    for played in range(9):
        pairing = pair(players, key=f"e:r{played}")
        assert check(players, pairing) == []
        players = after_round(players, pairing, random, walkovers=0.02)

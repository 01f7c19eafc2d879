"""Fields, results and wishes by lot for the tests of Swiss pairings, and the cost oracles (R3.7, Q42)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import networkx as nx
import rustworkx as rx
from hypothesis import strategies as st

from engine.errors import CannotPair
from engine.pairing_checker import Cost, cost
from engine.pairing_types import Pairing, Player
from engine.swiss import pair

Pair = tuple[int, int]
LOTS = st.integers(0, 10**6)


# --- Tournaments -----------------------------------------------------------------------------------------------


def new_field(n: int, random: Random) -> list[Player]:
    """n players whose ids say nothing about their seeds, in no order."""
    ids = random.sample(range(1, 10 * n + 1), n)
    players = [Player(id, seed, 0) for seed, id in enumerate(ids, 1)]
    random.shuffle(players)
    return players


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


def rounds_of(n: int, number: int, lot: int, *, walkovers: float = 0.0) -> Iterator[tuple[list[Player], Pairing]]:
    """Each round's field and the pairing of it, nobody coming or going."""
    random = Random(lot)
    players = new_field(n, random)
    for played in range(number):
        pairing = pair(players, key=f"e:r{played}")
        yield players, pairing
        players = after_round(players, pairing, random, walkovers=walkovers)


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
    scores = draw(st.sampled_from(((0,), (0, 1), (0, 1, 2), (0, 2, 3, 7), (0, 1, 2, 3, 4, 5), tuple(range(0, 24, 3)))))
    floaters = draw(st.sampled_from(((0,), (0, 0, 1, 2), (1,))))
    met: dict[int, set[int]] = {seed: set() for seed in range(1, n + 1)}
    for a, b in combinations(met, 2):
        if random.random() < density:
            met[a].add(b)
            met[b].add(a)
    players = [
        Player(s, s, random.choice(scores), frozenset(met[s]), random.choice(floaters), random.random() < 0.2)
        for s in met
    ]
    return random.sample(players, n)


def outcome(players: Sequence[Player], key: str = "k") -> Pairing | CannotPair:
    try:
        return pair(players, key=key)
    except CannotPair as error:
        return error


# --- Oracles ---------------------------------------------------------------------------------------------------


def matchings(ids: list[int]) -> Iterator[tuple[Pair, ...]]:
    """Every way to pair all ids, which come by seed."""
    if not ids:
        yield ()
        return
    first, *others = ids
    for other in others:
        for rest in matchings([id for id in others if id != other]):
            yield ((first, other), *rest)


def everything(players: Sequence[Player], chosen_bye: int | None = None) -> Iterator[Pairing]:
    """Every pairing of a field, rematches and second byes too; in an odd field with the chosen bye or any."""
    ids = [player.id for player in sorted(players, key=lambda player: player.seed)]
    byes = [None] if len(ids) % 2 == 0 else ids if chosen_bye is None else [chosen_bye]
    for bye in byes:
        yield from (Pairing(pairs, bye) for pairs in matchings([id for id in ids if id != bye]))


def all_pairs(players: Sequence[Player], bye: int | None) -> dict[Pair, int]:
    """All who may meet, with what the pair costs by the checker, as one number with room for any sum on a level."""
    costs: dict[Pair, Cost] = {}
    for a, b in combinations(sorted((p for p in players if p.id != bye), key=lambda player: player.seed), 2):
        if b.id not in a.met and a.id not in b.met:
            costs[a.id, b.id] = cost(players, Pairing(((a.id, b.id),), bye))
    widths = [len(players) * max(level) + 1 for level in zip(*costs.values(), strict=True)]
    totals = dict.fromkeys(costs, 0)
    for level, width in enumerate(widths):
        totals = {both: total * width + costs[both][level] for both, total in totals.items()}
    return totals


def cheapest(players: Sequence[Player], bye: int | None) -> Cost | None:
    """By networkx, the least cost a pairing can have with this bye; None when there is no pairing."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((a, b, -total) for (a, b), total in all_pairs(players, bye).items())
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return cost(players, Pairing(tuple(found), bye)) if _everybody(players, bye, found) else None


def cheapest_of_many(players: Sequence[Player], bye: int | None) -> Cost | None:
    """The same for fields that are too large for networkx, by rustworkx on all pairs."""
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    vertex = {player.id: graph.add_node(player.id) for player in players}
    graph.add_edges_from([(vertex[a], vertex[b], -total) for (a, b), total in all_pairs(players, bye).items()])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs = {(graph[a], graph[b]) for a, b in found}
    return cost(players, Pairing(tuple(pairs), bye)) if _everybody(players, bye, pairs) else None


def _everybody(players: Sequence[Player], bye: int | None, found: set[Pair]) -> bool:
    return 2 * len(found) == len(players) - (bye is not None)

"""Judges a Swiss pairing by R3.7 and Q42, whoever made it. Shares no code with `swiss`, so it can be its oracle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import networkx as nx

from engine.pairing_types import Pairing, Player

Pairs = Collection[tuple[int, int]]


class Cost(NamedTuple):
    """What a whole pairing costs, most important first; two pairings compare as tuples. Scores are half-points."""

    score_gaps_squared: int
    players_floating_again: int
    pairs_in_one_half: int
    fold_deviations_squared: int


def check(
    players: Sequence[Player],
    pairing: Pairing,
    forced: Pairs = (),
    forbidden: Pairs = (),
    bye: int | None = None,
) -> list[str]:
    """What is wrong with a pairing, empty when nothing is. `bye` is who a TD chose for it, if a TD did.

    Checked: everybody is there exactly once, no rematch but a forced one, the bye's receiver, forced and forbidden
    pairs, board order. Not checked: whether a cheaper pairing exists; compare `cost` for that.
    """
    if problems := list(_attendance_problems(players, pairing)):
        return problems
    by_id = {player.id: player for player in players}
    return [
        *_pair_problems(by_id, pairing, forced, forbidden),
        *_bye_problems(players, pairing, forced, forbidden, bye),
        *_order_problems(by_id, pairing),
    ]


def cost(players: Sequence[Player], pairing: Pairing) -> Cost:
    """The cost of a pairing: squared score differences, players who float again, pairs inside one half of a score
    group, squared deviations from "place i against place i + n/2". Places count the whole group, by seed, without
    who has the bye. A pair across score groups has no half and no fold.
    """
    gaps = again = halves = folds = 0
    by_id = {player.id: player for player in players}
    for first, second in pairing.pairs:
        a, b = by_id[first], by_id[second]
        if a.score != b.score:
            gaps += (a.score - b.score) ** 2
            again += sum(1 for player in (a, b) if player.floats)
            continue
        seeds = sorted(p.seed for p in players if p.score == a.score and p.id != pairing.bye)
        middle = len(seeds) // 2
        high, low = sorted((seeds.index(a.seed), seeds.index(b.seed)))
        if low < middle or high >= middle:
            halves += 1
        folds += (low - (high + middle)) ** 2
    return Cost(gaps, again, halves, folds)


def _attendance_problems(players: Sequence[Player], pairing: Pairing) -> Iterator[str]:
    seats = [id for pair in pairing.pairs for id in pair]
    if pairing.bye is not None:
        seats.append(pairing.bye)
    ids = {player.id for player in players}
    yield from (f"missing: {id}" for id in sorted(ids - set(seats)))
    yield from (f"not in the field: {id}" for id in sorted(set(seats) - ids))
    yield from (f"more than once: {id}" for id in sorted(set(seats)) if seats.count(id) > 1)


def _pair_problems(by_id: dict[int, Player], pairing: Pairing, forced: Pairs, forbidden: Pairs) -> Iterator[str]:
    made, wanted, unwanted = _unordered(pairing.pairs), _unordered(forced), _unordered(forbidden)
    for a, b in pairing.pairs:
        if (b in by_id[a].met or a in by_id[b].met) and {a, b} not in wanted:
            yield f"rematch: {a}-{b}"
        if {a, b} in unwanted:
            yield f"forbidden: {a}-{b}"
    yield from ("forced but not paired: " + "-".join(map(str, sorted(pair))) for pair in wanted if pair not in made)


def _bye_problems(
    players: Sequence[Player], pairing: Pairing, forced: Pairs, forbidden: Pairs, chosen: int | None
) -> Iterator[str]:
    """R3.7: the lowest seed of the lowest score who is not barred and leaves a pairable rest, unless a TD chose."""
    if chosen is not None:
        if chosen != pairing.bye:
            yield f"bye not given as chosen: {chosen}"
        return
    if pairing.bye is None:
        return
    holder = next(player for player in players if player.id == pairing.bye)
    if holder.bye_barred:
        yield f"bye for a barred player: {holder.id}"
    for other in players:
        before = (other.score, -other.seed) < (holder.score, -holder.seed)
        if before and not other.bye_barred and _pairable(players, other.id, forced, forbidden):
            yield f"bye belongs to: {other.id}"


def _pairable(players: Sequence[Player], without: int, forced: Pairs, forbidden: Pairs) -> bool:
    """Whether everybody but one can be paired at all, who then is in no forced pair."""
    wanted, unwanted = _unordered(forced), _unordered(forbidden)
    bound = {id for pair in wanted for id in pair}
    if without in bound:
        return False
    rest = [player for player in players if player.id not in bound and player.id != without]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(player.id for player in rest)
    graph.add_edges_from(
        (a.id, b.id)
        for a in rest
        for b in rest
        if a.seed < b.seed and b.id not in a.met and a.id not in b.met and {a.id, b.id} not in unwanted
    )
    return nx.is_perfect_matching(graph, nx.max_weight_matching(graph, maxcardinality=True))


def _order_problems(by_id: dict[int, Player], pairing: Pairing) -> Iterator[str]:
    boards = [(by_id[a], by_id[b]) for a, b in pairing.pairs]
    yield from (f"better seed not first: {a.id}-{b.id}" for a, b in boards if a.seed > b.seed)
    ranks = [(-a.score - b.score, min(a.seed, b.seed)) for a, b in boards]
    if ranks != sorted(ranks):
        yield "boards out of order"


def _unordered(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    return [set(pair) for pair in pairs]

"""The pairings of a Swiss round (R3.7, Q42): the bye first, then one cheapest perfect matching.

A pair has a cost of several levels, most important first; a lower level decides only between pairings that are equal
on all higher ones. The matching is exact, so no other pairing of the round is better. A rematch is no pair at all:
where nothing else is left, `CannotPair` says what a TD could allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, combinations, combinations_with_replacement, pairwise, product
from math import inf
from typing import NamedTuple

import networkx as nx
import rustworkx as rx

from engine.errors import CannotPair
from engine.pairing_types import Pairing, Player

__all__ = ["Pairing", "Player", "pair"]

HASH_BITS = 48
FEWEST_HASH_BITS = 16
WEIGHT_BITS = 125  # rustworkx computes in 128-bit integers and doubles the weights; at 127 bits it panics

Edge = tuple[int, int]
"""Two vertices, the smaller first. A vertex is a player's place in seed order; the bye is the vertex after the last."""

Edges = dict[Edge, tuple[int, ...]]
"""What each edge costs, most important level first. The last level is a hash (or 0) and may be shortened."""


Limit = tuple[float, ...]
"""The most that a pairing may cost, level by level without the hash."""


class Cost(NamedTuple):
    """What a pair costs, most important level first. Points are half-points."""

    gap_squared: int = 0
    floats_again: int = 0
    same_half: int = 0
    fold_squared: int = 0


def pair(
    players: Sequence[Player],
    *,
    key: str,
    forced: Collection[tuple[int, int]] = (),
    forbidden: Collection[tuple[int, int]] = (),
    bye: int | None = None,
) -> Pairing:
    """The pairing of a round (R3.7, Q42). `key` names edition and round; it settles what is otherwise equal.

    `forced` and `forbidden` are pairs of player ids from a TD; a forced pair may be a rematch: that is how a TD allows
    one. `bye` is a TD's choice and may be a barred player. The order of `players` does not matter.

    Raises CannotPair with `players` (ids it is about), `rematches` (pairs of ids) and `bye` (an id or None). The round
    is possible once a TD forces the rematches and, where there is one, gives this bye.
    - `cannot_pair` with `reason`. `no_opponents_left`: `rematches` is a smallest set that makes the round possible,
      `bye` a barred player only if nobody else can be left over. `forbidden_pairs`: no rematches would help.
      `unknown_player`, `player_twice`, `forced_and_forbidden`, `bye_in_even_field`: the TD's wishes contradict each
      other or the field.
    - `no_bye_candidate`: the field is odd and everybody is barred from the bye or in a forced pair. `bye` is who needs
      the fewest `rematches` beside a second bye, of these the first by score and seed; None if nobody would do.
    ValueError when two players share an id or a seed.
    """
    field = _Field.of(players, forced, forbidden, bye)
    if len(field.players) % 2 == 0 or bye is not None:
        chosen = _cheapest(field, key, bye)
    else:
        bye, chosen = _with_bye(field, key)
    if not field.is_complete(chosen, bye):
        raise _cannot_pair(field, key, bye, chosen)
    return Pairing(_board_order(field, chosen), bye)


# --- The field -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Field:
    """The players in seed order and what a TD wishes, as edges. `free` are the vertices that no wish has settled."""

    players: tuple[Player, ...]
    free: tuple[int, ...]
    forced: frozenset[Edge]
    forbidden: frozenset[Edge]
    met: frozenset[Edge]

    @staticmethod
    def of(
        players: Sequence[Player],
        forced: Collection[tuple[int, int]],
        forbidden: Collection[tuple[int, int]],
        bye: int | None,
    ) -> _Field:
        ids = {player.id for player in players}
        if len(ids) < len(players) or len({player.seed for player in players}) < len(players):
            raise ValueError("ids and seeds of the players must be unique")
        wishes = {frozenset(pair) for pair in forced}
        named = sorted(id for wish in wishes for id in wish) + ([] if bye is None else [bye])
        if unknown := sorted(set(named) - ids):
            raise _contradiction("unknown_player", unknown)
        twice = {id for id in named if named.count(id) > 1} | {id for wish in wishes if len(wish) < 2 for id in wish}
        if twice:
            raise _contradiction("player_twice", sorted(twice))
        if both := sorted(id for wish in wishes & {frozenset(pair) for pair in forbidden} for id in wish):
            raise _contradiction("forced_and_forbidden", both)
        if bye is not None and len(players) % 2 == 0:
            raise _contradiction("bye_in_even_field", [bye])
        by_seed = sorted(players, key=lambda player: player.seed)
        return _Field(
            players=tuple(by_seed),
            free=tuple(vertex for vertex, player in enumerate(by_seed) if player.id not in named),
            forced=_as_edges(by_seed, forced),
            forbidden=_as_edges(by_seed, forbidden),
            met=_have_met(by_seed),
        )

    def without(self, bye: int | None) -> list[Player]:
        return [player for player in self.players if player.id != bye]

    def is_complete(self, chosen: Collection[Edge], bye: int | None) -> bool:
        """Whether everybody has an opponent or the bye."""
        return 2 * len(chosen) == len(self.without(bye))


def _as_edges(by_seed: Sequence[Player], pairs: Iterable[tuple[int, int]]) -> frozenset[Edge]:
    """Pairs of ids as edges; who is not in the field is left out."""
    vertex = {player.id: vertex for vertex, player in enumerate(by_seed)}
    both = ((vertex[a], vertex[b]) for a, b in pairs if a in vertex and b in vertex)
    return frozenset((min(edge), max(edge)) for edge in both)


def _have_met(by_seed: Sequence[Player]) -> frozenset[Edge]:
    """Who has met whom (Q42); it is enough that one side knows of it."""
    return _as_edges(by_seed, ((player.id, other) for player in by_seed for other in player.met))


def _contradiction(reason: str, players: list[int]) -> CannotPair:
    return CannotPair("cannot_pair", clause="R3.7", reason=reason, players=tuple(players), rematches=(), bye=None)


# --- The bye ---------------------------------------------------------------------------------------------------


def _with_bye(field: _Field, key: str) -> tuple[int | None, list[Edge]]:
    """Who has the bye and the cheapest pairing of the rest: the first in the queue who leaves a pairable rest (R3.7).

    Nearly always that is the first of all. If not, one matching walks the whole queue at once: the bye is a vertex,
    and the place in the queue is all that counts. Without a pairable rest: no bye and the most pairs there can be.
    """
    queue = _bye_queue(field)
    if not queue:
        return None, []
    first = field.players[queue[0]].id
    chosen = _cheapest(field, key, first)
    if field.is_complete(chosen, first):
        return first, chosen
    edges: Edges = {edge: (0,) for edge in _allowed(field, field.met)}
    edges |= {(vertex, len(field.players)): (place,) for place, vertex in enumerate(queue, 1)}
    walked = [*field.forced, *_match(edges)]
    if 2 * len(walked) < len(field.players) + 1:
        return None, walked
    bye = next(field.players[a].id for a, b in walked if b == len(field.players))
    return bye, _cheapest(field, key, bye)


def _bye_queue(field: _Field, *, second: bool = False) -> list[int]:
    """Who may have the bye, by lowest score, then lowest seed (R3.7); with `second` also who is barred from it."""
    may = [vertex for vertex in field.free if second or not field.players[vertex].bye_barred]
    return sorted(may, key=lambda vertex: (field.players[vertex].score, -field.players[vertex].seed))


# --- Costs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a player stands in the whole score group, by seed from 0, before anyone floats; `half` of its size."""

    place: int
    half: int
    on_top: bool


def _places(players: Sequence[Player]) -> dict[int, _Place]:
    """Players come in seed order. In an odd group the bottom half is the larger one: its last player floats."""
    groups: dict[int, list[Player]] = defaultdict(list)
    for player in players:
        groups[player.score].append(player)
    return {
        p.id: _Place(place, len(group) // 2, place < len(group) // 2)
        for group in groups.values()
        for place, p in enumerate(group)
    }


def _cost(a: Player, b: Player, places: dict[int, _Place]) -> Cost:
    """The better seed is `a`. Half and fold count inside a score group only, gap and floats only across."""
    if a.score != b.score:
        return Cost((a.score - b.score) ** 2, (a.floats > 0) + (b.floats > 0))
    at, to = places[a.id], places[b.id]
    return Cost(0, 0, int(at.on_top == to.on_top), (to.place - at.place - at.half) ** 2)


def _hash(key: str, a: Player, b: Player) -> int:
    """48 bits from the key and the two ids, the better seed first: the same whoever entered first."""
    digest = sha256(f"{key}:{a.id}:{b.id}".encode()).digest()
    return int.from_bytes(digest[: HASH_BITS // 8], "big")


# --- The cheapest pairing --------------------------------------------------------------------------------------


def _cheapest(field: _Field, key: str, bye: int | None) -> list[Edge]:
    """The cheapest pairing of all but who has the bye; if there is none, the most pairs that can be made.

    Most pairs need no look: only those that a pairing within some limit could contain are matched. If the cheapest
    pairing of these is within the limit, nothing that was left out is better; if not, its own cost is a limit that is
    wide enough.
    """
    places = _places(field.without(bye))
    bands = _bands(field, bye)

    def within(limit: Limit) -> tuple[list[Edge], Limit]:
        edges = _edges(field, key, places, bands, limit)
        chosen = _match(edges)
        costs = [edges[edge][:-1] for edge in chosen]
        return [*field.forced, *chosen], tuple(sum(level) for level in zip(*costs, strict=True))

    chosen = list(field.forced)
    for limit in _limits(field, bands):
        chosen, cost = within(limit)
        if field.is_complete(chosen, bye):
            return chosen if cost <= limit else within(cost)[0]
    return chosen


class _Band(NamedTuple):
    """The free players of two score groups, or of one twice. `gaps`: a pairing with a pair of the two has at least
    this sum of squared score differences."""

    gaps: int
    upper: list[int]
    lower: list[int]


def _bands(field: _Field, bye: int | None) -> list[_Band]:
    """All bands, those that cost least first.

    A pairing has as many pairs across a step from one score down to the next as there are players above it, modulo
    two: at an odd step at least one. A pair's squared difference is no less than the sum of the squared steps it
    crosses. So all odd steps together are the least that a pairing costs. A given pair is paid in full, and for the
    others the steps that it crosses change between odd and even.
    """
    groups: dict[int, list[int]] = defaultdict(list)
    for vertex in field.free:
        if field.players[vertex].id != bye:
            groups[field.players[vertex].score].append(vertex)
    scores = sorted(groups, reverse=True)
    above = accumulate(len(groups[score]) for score in scores)
    steps = [((s - t) ** 2, count % 2 == 1) for (s, t), count in zip(pairwise(scores), above, strict=False)]
    bands: list[_Band] = []
    for i, j in combinations_with_replacement(range(len(scores)), 2):
        others = sum(squared for k, (squared, odd) in enumerate(steps) if odd != (i <= k < j))
        bands.append(_Band((scores[i] - scores[j]) ** 2 + others, groups[scores[i]], groups[scores[j]]))
    return sorted(bands)


def _limits(field: _Field, bands: Sequence[_Band]) -> Iterator[Limit]:
    """What to try, from the least that a pairing can cost up to all pairs; most rounds need one or two tries.

    Early in a tournament nobody has to float again and the fold is off by a place or so: then few pairs will do.
    """
    if not bands:
        return
    groups = [band.upper for band in bands if band.upper is band.lower]
    if all(any(not field.players[vertex].floats for vertex in group) for group in groups):
        yield bands[0].gaps, 0, 0, len(field.free)
    gaps = sorted({band.gaps for band in bands})
    tried = 1
    while tried < len(gaps):
        yield gaps[tried - 1], inf, inf, inf
        tried *= 2
    yield gaps[-1], inf, inf, inf


def _allowed(field: _Field, apart: Collection[Edge]) -> Iterator[Edge]:
    """All pairs of free players that no TD forbids, without those of `apart`."""
    return (edge for edge in combinations(field.free, 2) if edge not in field.forbidden and edge not in apart)


def _edges(field: _Field, key: str, places: dict[int, _Place], bands: Sequence[_Band], limit: Limit) -> Edges:
    """The pairs that a pairing within the limit may contain, with what each costs."""
    apart = field.met | field.forbidden
    edges: Edges = {}
    for gaps, upper, lower in bands:
        if gaps > limit[0]:
            break
        allowance = limit[1:] if gaps == limit[0] else (inf,)
        for i, j in combinations(upper, 2) if upper is lower else product(upper, lower):
            edge = (i, j) if i < j else (j, i)
            if edge not in apart:
                a, b = field.players[edge[0]], field.players[edge[1]]
                cost = _cost(a, b, places)
                if cost[1:] <= allowance:
                    edges[edge] = (*cost, _hash(key, a, b))
    return edges


# --- The matching ----------------------------------------------------------------------------------------------


def _match(edges: Edges) -> list[Edge]:
    """Of the matchings with the most pairs, the one with the smallest sum of costs, level by level."""
    if not edges:
        return []
    for bits in range(HASH_BITS, FEWEST_HASH_BITS - 1, -8):
        weights = _weights(edges, HASH_BITS - bits)
        if max(weights).bit_length() <= WEIGHT_BITS:
            return _match_fast(list(edges), weights)
    return _match_any_size(list(edges), _weights(edges, 0))


def _weights(edges: Edges, dropped_bits: int) -> list[int]:
    """One integer an edge, larger is better. A level's radix exceeds any sum of costs a matching can have on it."""
    most_pairs = len({vertex for edge in edges for vertex in edge}) // 2
    *levels, hashes = zip(*edges.values(), strict=True)
    totals = [0] * len(edges)
    for level in (*levels, [hash >> dropped_bits for hash in hashes]):
        if largest := max(level):
            radix = most_pairs * largest + 1
            totals = [total * radix + cost for total, cost in zip(totals, level, strict=True)]
    ceiling = max(totals) + 1
    return [ceiling - total for total in totals]


def _match_fast(edges: Sequence[Edge], weights: Sequence[int]) -> list[Edge]:
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(1 + max(b for _, b in edges)))
    graph.add_edges_from([(a, b, weight) for (a, b), weight in zip(edges, weights, strict=True)])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(edge), max(edge)) for edge in found)


def _match_any_size(edges: Sequence[Edge], weights: Sequence[int]) -> list[Edge]:
    """The same with integers of any size, much slower."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in zip(edges, weights, strict=True))
    found: set[Edge] = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(edge), max(edge)) for edge in found)


def _board_order(field: _Field, chosen: Collection[Edge]) -> tuple[tuple[int, int], ...]:
    pairs = [(field.players[i], field.players[j]) for i, j in chosen]
    pairs.sort(key=lambda pair: (-(pair[0].score + pair[1].score), pair[0].seed))
    return tuple((a.id, b.id) for a, b in pairs)


# --- When there is no pairing ----------------------------------------------------------------------------------


def _cannot_pair(field: _Field, key: str, bye: int | None, best: Collection[Edge]) -> CannotPair:
    """Names who is left over by the `best` that can be done, and the least that a TD has to allow."""
    allow = _least_to_allow(field, key, bye)
    rematches, second_bye = allow or ((), None)
    way_out = {"rematches": rematches, "bye": second_bye}
    if len(field.players) % 2 and bye is None and not _bye_queue(field):
        everybody = tuple(player.id for player in field.players)
        return CannotPair("no_bye_candidate", clause="R3.7", players=everybody, **way_out)
    paired = {vertex for edge in best for vertex in edge}
    left_over = tuple(p.id for vertex, p in enumerate(field.players) if vertex not in paired and p.id != bye)
    reason = "no_opponents_left" if allow else "forbidden_pairs"
    return CannotPair("cannot_pair", clause="R3.7", reason=reason, players=left_over, **way_out)


def _least_to_allow(field: _Field, key: str, bye: int | None) -> tuple[tuple[tuple[int, int], ...], int | None] | None:
    """The fewest rematches that make the round possible, and who must have the bye though barred from it, if it is so.
    None when the forbidden pairs leave no way.

    In an odd field the bye is a vertex, open to everybody; a second bye is worse than any number of rematches.
    """
    everybody = field.without(bye)
    places = _places(everybody)
    edges: Edges = {}
    for i, j in _allowed(field, apart=()):
        a, b = field.players[i], field.players[j]
        edges[i, j] = (0, int((i, j) in field.met), 0, *_cost(a, b, places), _hash(key, a, b))
    if len(everybody) % 2:
        for place, vertex in enumerate(_bye_queue(field, second=True)):
            edges[vertex, len(everybody)] = (int(field.players[vertex].bye_barred), 0, place, *Cost(), 0)
    chosen = _match(edges)
    if 2 * (len(chosen) + len(field.forced)) < len(everybody):
        return None
    rematches = tuple((field.players[i].id, field.players[j].id) for i, j in chosen if (i, j) in field.met)
    barred = [field.players[i].id for i, j in chosen if edges[i, j][0]]
    return rematches, next(iter(barred), None)

"""The pairings of a Swiss round (R3.7, Q42): the bye first, then one cheapest perfect matching.

Every allowed pair has a cost of several levels, most important first; a lower level decides only between pairings
that are equal on all higher ones. The matching is exact, so no other pairing of the round is better. A rematch has
no edge at all: where nothing else is left, `CannotPair` says which rematches a TD could allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
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


class Cost(NamedTuple):
    """What an edge costs, most important level first. Points are half-points; `tie` is a hash and may be shortened."""

    rematch: int = 0
    bye_queue: int = 0
    gap_squared: int = 0
    floats_again: int = 0
    same_half: int = 0
    fold_squared: int = 0
    tie: int = 0


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

    Raises CannotPair:
    - `cannot_pair` with `reason`, `players` (ids it is about) and `rematches` (pairs of ids). `no_opponents_left`:
      `rematches` is a smallest set that makes the round possible. `forbidden_pairs`: no rematches would help.
      `unknown_player`, `player_twice`, `forced_and_forbidden`, `bye_in_even_field`: the TD's wishes contradict each
      other or the field.
    - `no_bye_candidate` with `players`: the field is odd and everybody is barred from the bye or in a forced pair.
    ValueError when two players share an id or a seed.
    """
    field = _Field.of(players, forced, forbidden, bye)
    if len(field.players) % 2 and bye is None:
        bye = _fix_bye(field, key)
    chosen = _match(_edges(field, key, bye))
    if 2 * len(chosen) < len(field.players) - (bye is not None):
        raise _cannot_pair(field, key, bye, chosen)
    return Pairing(_board_order(field, chosen), bye)


# --- The field -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Field:
    """The players in seed order and what a TD wishes. `partner` maps both players of a forced pair to each other."""

    players: tuple[Player, ...]
    partner: dict[int, int]
    forbidden: frozenset[frozenset[int]]

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
        apart = frozenset(frozenset(pair) for pair in forbidden)
        named = sorted(id for wish in wishes for id in wish) + ([] if bye is None else [bye])
        if unknown := sorted(set(named) - ids):
            raise _contradiction("unknown_player", unknown)
        twice = {id for id in named if named.count(id) > 1} | {id for wish in wishes if len(wish) < 2 for id in wish}
        if twice:
            raise _contradiction("player_twice", sorted(twice))
        if both := sorted(id for wish in wishes & apart for id in wish):
            raise _contradiction("forced_and_forbidden", both)
        if bye is not None and len(players) % 2 == 0:
            raise _contradiction("bye_in_even_field", [bye])
        partner = {a: b for wish in wishes for a in wish for b in wish if a != b}
        return _Field(tuple(sorted(players, key=lambda player: player.seed)), partner, apart)

    def may_meet(self, a: Player, b: Player, *, again: bool = False) -> bool:
        """Whether the two may be paired; with `again` also if they have met."""
        if a.id in self.partner or b.id in self.partner:
            return self.partner.get(a.id) == b.id
        if frozenset((a.id, b.id)) in self.forbidden:
            return False
        return again or not _have_met(a, b)

    def is_rematch(self, a: Player, b: Player) -> bool:
        """A rematch that no TD has allowed yet."""
        return _have_met(a, b) and self.partner.get(a.id) != b.id


def _have_met(a: Player, b: Player) -> bool:
    return b.id in a.met or a.id in b.met


def _contradiction(reason: str, players: list[int]) -> CannotPair:
    return CannotPair("cannot_pair", clause="R3.7", reason=reason, players=tuple(players), rematches=())


# --- The bye ---------------------------------------------------------------------------------------------------


def _fix_bye(field: _Field, key: str) -> int:
    """The id of the first in the queue for the bye who leaves a pairable rest (R3.7).

    One matching with the bye as a vertex walks the whole queue at once: the place in it is the highest cost there.
    """
    chosen = _match(_edges(field, key, None))
    if 2 * len(chosen) < len(field.players) + 1:
        raise _cannot_pair(field, key, None, chosen)
    return next(field.players[a].id for a, b in chosen if b == len(field.players))


def _bye_edges(field: _Field) -> dict[Edge, Cost]:
    """The bye to each who may have it; the queue goes by lowest score, then lowest seed (R3.7)."""
    free = [v for v, player in enumerate(field.players) if not player.bye_barred and player.id not in field.partner]
    if not free:
        ids = tuple(player.id for player in field.players)
        raise CannotPair("no_bye_candidate", clause="R3.7", players=ids)
    queue = sorted(free, key=lambda v: (field.players[v].score, -field.players[v].seed))
    return {(vertex, len(field.players)): Cost(bye_queue=place) for place, vertex in enumerate(queue)}


# --- Costs -----------------------------------------------------------------------------------------------------


def _edges(field: _Field, key: str, bye: int | None, *, again: bool = False) -> dict[Edge, Cost]:
    """All pairs that may meet, with what each costs; with `again` rematches too.

    Who has the `bye` is left out. While it is not fixed in an odd field, it is a vertex like the players.
    """
    places = _places([player for player in field.players if player.id != bye])
    edges: dict[Edge, Cost] = {}
    for (i, a), (j, b) in combinations(enumerate(field.players), 2):
        if bye not in (a.id, b.id) and field.may_meet(a, b, again=again):
            edges[i, j] = _cost(a, b, places, key)._replace(rematch=int(field.is_rematch(a, b)))
    if len(field.players) % 2 and bye is None:
        edges |= _bye_edges(field)
    return edges


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a player stands in the whole score group, by seed from 0, before anyone floats; `half` of its size."""

    place: int
    half: int

    @property
    def on_top(self) -> bool:
        return self.place < self.half


def _places(players: Sequence[Player]) -> dict[int, _Place]:
    """Players come in seed order. In an odd group the bottom half is the larger one: its last player floats."""
    groups: dict[int, list[Player]] = defaultdict(list)
    for player in players:
        groups[player.score].append(player)
    return {p.id: _Place(place, len(group) // 2) for group in groups.values() for place, p in enumerate(group)}


def _cost(a: Player, b: Player, places: dict[int, _Place], key: str) -> Cost:
    """The better seed is `a`. Half and fold count inside a score group only, gap and floats only across."""
    tie = _hash(key, a, b)
    if a.score != b.score:
        again = int(a.floats > 0) + int(b.floats > 0)
        return Cost(gap_squared=(a.score - b.score) ** 2, floats_again=again, tie=tie)
    at, to = places[a.id], places[b.id]
    fold = to.place - at.place - at.half
    return Cost(same_half=int(at.on_top == to.on_top), fold_squared=fold**2, tie=tie)


def _hash(key: str, a: Player, b: Player) -> int:
    """48 bits from the key and the two ids, the better seed first: the same whoever entered first."""
    digest = sha256(f"{key}:{a.id}:{b.id}".encode()).digest()
    return int.from_bytes(digest[: HASH_BITS // 8], "big")


# --- The matching ----------------------------------------------------------------------------------------------


def _match(edges: dict[Edge, Cost]) -> list[Edge]:
    """Of the matchings with the most pairs, the one with the smallest sum of costs, level by level."""
    if not edges:
        return []
    for bits in range(HASH_BITS, FEWEST_HASH_BITS - 1, -8):
        weights = _weights(edges, HASH_BITS - bits)
        if max(weights.values()).bit_length() <= WEIGHT_BITS:
            return _match_fast(weights)
    return _match_any_size(_weights(edges, 0))


def _weights(edges: dict[Edge, Cost], dropped_bits: int) -> dict[Edge, int]:
    """One integer an edge, larger is better. A level's radix exceeds any sum of costs a matching can have on it."""
    most_pairs = len({vertex for edge in edges for vertex in edge}) // 2
    costs = [cost._replace(tie=cost.tie >> dropped_bits) for cost in edges.values()]
    totals = [0] * len(edges)
    for level in zip(*costs, strict=True):
        radix = most_pairs * max(level) + 1
        totals = [total * radix + cost for total, cost in zip(totals, level, strict=True)]
    ceiling = max(totals) + 1
    return {edge: ceiling - total for edge, total in zip(edges, totals, strict=True)}


def _match_fast(weights: dict[Edge, int]) -> list[Edge]:
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(1 + max(b for _, b in weights)))
    graph.add_edges_from([(a, b, weight) for (a, b), weight in weights.items()])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return sorted((min(edge), max(edge)) for edge in found)


def _match_any_size(weights: dict[Edge, int]) -> list[Edge]:
    """The same with integers of any size, much slower."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in weights.items())
    found: set[Edge] = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(edge), max(edge)) for edge in found)


def _board_order(field: _Field, chosen: Collection[Edge]) -> tuple[tuple[int, int], ...]:
    pairs = [(field.players[i], field.players[j]) for i, j in chosen]
    pairs.sort(key=lambda pair: (-(pair[0].score + pair[1].score), pair[0].seed))
    return tuple((a.id, b.id) for a, b in pairs)


# --- When there is no pairing ----------------------------------------------------------------------------------


def _cannot_pair(field: _Field, key: str, bye: int | None, best: list[Edge]) -> CannotPair:
    """Names who is left over by the `best` that can be done, and a smallest set of rematches to allow."""
    ids = [player.id for player in field.players]
    everybody = len(ids) + (len(ids) % 2 if bye is None else -1)
    paired = {vertex for edge in best for vertex in edge}
    left_over = tuple(id for vertex, id in enumerate(ids) if vertex not in paired and id != bye)
    edges = _edges(field, key, bye, again=True)
    chosen = _match(edges)
    possible = 2 * len(chosen) == everybody
    rematches = tuple((ids[i], ids[j]) for i, j in chosen if edges[i, j].rematch) if possible else ()
    reason = "no_opponents_left" if possible else "forbidden_pairs"
    return CannotPair("cannot_pair", clause="R3.7", reason=reason, players=left_over, rematches=rematches)

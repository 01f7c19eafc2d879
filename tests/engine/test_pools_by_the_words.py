"""R3.12 against an independent reading: an order is right if no clause speaks against it, and only one is right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.standings import Standing
from engine.tournament import Result
from tests.engine.pool_book import DISREGARDED, R3_12, VOIDED, Match, candidates, order, played, ruled, table

Score = tuple[Fraction, Fraction]  # match points and game points of the first against the second


class Pool:
    """Random matches, as the tournament gets them and as plain scores, kept apart."""

    def __init__(self, random: Random, most: int) -> None:
        size = random.randint(2, most)
        self.entrants = random.sample(range(1, 60), size)
        self.places = dict(zip(self.entrants, random.sample(range(1, 13), size), strict=True))
        finalists = random.sample(self.entrants, min(size, random.choice((0, 0, 1, 2))))
        self.finals = dict(zip(finalists, random.sample(range(1, 5), len(finalists)), strict=True))
        self.gone = {e for e in self.entrants if random.random() < 0.1}
        self.scores: dict[tuple[int, int], list[Score]] = {}
        self.rounds: list[list[Match]] = []
        for _ in range(random.choice((1, 1, 1, 2))):
            matches = [self.match(a, b, random) for n, a in enumerate(self.entrants) for b in self.entrants[n + 1 :]]
            random.shuffle(matches)
            self.rounds.append(matches)

    def match(self, a: int, b: int, random: Random) -> Match:
        result, points, games = random_result(random)
        if a in self.gone or b in self.gone:
            return a, b, random.choice((DISREGARDED, result))
        if points is not None:
            self.scores.setdefault((a, b), []).append((points, games))
            self.scores.setdefault((b, a), []).append((1 - points, 10 - games))
        return a, b, result

    # The words of R3.12, one by one. `tie` is who the tie is made of.

    def points(self, e: int) -> Fraction:
        return sum((p for (a, _), found in self.scores.items() if a == e for p, _ in found), Fraction(0))

    def better_first(self, name: str, e: int, tie: Sequence[int]) -> Fraction:
        """The more the better."""
        against = [score for q in tie for score in self.scores.get((e, q), [])]
        if name == "points":
            return self.points(e)
        if name == "mutual_match":
            return sum((p for p, _ in against), Fraction(0))
        if name == "mutual_game":
            return sum((g for _, g in against), Fraction(0))
        if name == "overall_game":
            return sum((g for (a, _), found in self.scores.items() if a == e for _, g in found), Fraction(0))
        if name == "last_finals":
            return Fraction(-self.finals.get(e, 1000))
        return Fraction(-self.places[e])

    def is_right(self, ordered: Sequence[int]) -> bool:
        """Nobody stands below somebody with fewer match points, and every tie is in the order of R3.12."""
        points = [self.points(e) for e in ordered]
        if any(above < below for above, below in pairwise(points)):
            return False
        return all(self.tie_is_right([e for e in ordered if self.points(e) == p]) for p in set(points))

    def tie_is_right(self, tie: Sequence[int]) -> bool:
        if len(tie) == 1:
            return True
        for name in R3_12:
            values = [self.better_first(name, e, tie) for e in tie]
            if len(set(values)) > 1:
                if any(above < below for above, below in pairwise(values)):
                    return False
                return all(
                    self.tie_is_right([e for e, v in zip(tie, values, strict=True) if v == value])
                    for value in set(values)
                )
        raise AssertionError("places are unique")

    def table(self, entrants: Sequence[int] | None = None) -> tuple[Standing, ...]:
        listed = {e: self.places[e] for e in entrants or self.entrants}
        return table(candidates(*self.rounds, out=self.gone), listed, last_finals=self.finals)


def random_result(random: Random) -> tuple[Result | None, Fraction | None, Fraction]:
    """Few different scores, so that ties are common; with the match and game points it stands for."""
    kind = random.choice(("played", "played", "played", "played", "forfeit", "draw", "open", "voided"))
    if kind == "played":
        games = random.choice((Fraction(4), Fraction(5), Fraction(6), Fraction(11, 2)))
        return played(float(games)), Fraction(1 if games > 5 else 0) if games != 5 else Fraction(1, 2), games
    if kind == "forfeit":
        won = random.choice((0, 1))
        games = Fraction(random.choice((10, 7, 4)))  # the match point does not follow the games (Q31)
        return ruled(2 * won, 2 - 2 * won, float(games), float(10 - games), begun=True), Fraction(won), games
    if kind == "draw":
        return ruled(1, 1, 5, 5), Fraction(1, 2), Fraction(5)
    return None if kind == "open" else VOIDED, None, Fraction(0)


@given(st.integers(0, 10**9))
def test_r3_12_no_clause_speaks_against_the_order(number: int) -> None:
    pool = Pool(Random(number), most=8)
    lines = pool.table()
    ranked = [line for line in lines if line.rank is not None]
    assert pool.is_right(order(ranked))
    assert {line.entrant_id for line in lines if line.rank is None} == pool.gone
    assert [Fraction(line.points, 2) for line in lines] == [pool.points(line.entrant_id) for line in lines]


@given(st.integers(0, 10**9))
@settings(max_examples=40)
def test_r3_12_no_other_order_is_right(number: int) -> None:
    """By brute force over every order of the pool."""
    pool = Pool(Random(number), most=5)
    still_in = [e for e in pool.entrants if e not in pool.gone]
    right = [list(ordered) for ordered in permutations(still_in) if pool.is_right(ordered)]
    assert right == [order(line for line in pool.table() if line.rank is not None)]


@given(st.integers(0, 10**9))
def test_r3_12_every_two_neighbours_are_told_apart_by_the_first_criterion_that_can(number: int) -> None:
    pool = Pool(Random(number), most=8)
    names = ("points", *R3_12)
    halves = {"points", "mutual_match", "mutual_game", "overall_game"}
    for above, below in pairwise(line for line in pool.table() if line.rank is not None):
        assert below.separation is not None
        name, tie = below.separation.criterion, sorted(below.separation.tied)
        assert {above.entrant_id, below.entrant_id} <= set(tie) and not pool.gone.intersection(tie)
        for earlier in names[: names.index(name)]:
            assert len({pool.better_first(earlier, e, tie) for e in tie}) == 1
        better, worse = (pool.better_first(name, line.entrant_id, tie) for line in (above, below))
        assert better > worse
        if name in halves:
            said = (below.separation.above, below.separation.below)
            assert said == (2 * better, 2 * worse)


@given(st.integers(0, 10**9))
def test_r3_12_the_order_of_entry_does_not_matter(number: int) -> None:
    pool = Pool(Random(number), most=8)
    assert pool.table() == pool.table(pool.entrants[::-1])

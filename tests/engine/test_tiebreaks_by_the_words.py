"""Every criterion of a Swiss table, in any order, against an independent reading with whole points."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import fold
from engine.rules.registry import SWISS_TIEBREAKS
from engine.standings import Standing, standings
from engine.tiebreaks import CRITERIA, SPLITTINGS, Unit
from tests.engine.test_standings_by_the_words import Cell, random_season

Found = Fraction | None
PARTS = {Unit.COUNT: 1, Unit.HALF_POINTS: 2, Unit.QUARTER_POINTS: 4}


class Words:
    """Rounds as (points, opponent, a game was played, present); a played match is won 6-0 or drawn 5-5 in games."""

    def __init__(self, cells: dict[int, list[Cell]], seeds: dict[int, int], finals: dict[int, int]) -> None:
        self.cells, self.seeds, self.finals = cells, seeds, finals

    def total(self, e: int) -> Fraction:
        return sum((cell[0] for cell in self.cells[e]), Fraction(0))

    def opponents(self, e: int) -> list[Fraction]:
        """What each round counts in Buchholz (Q29)."""
        return [
            Fraction(0) if not present else self.total(q) if played and q is not None else self.total(e)
            for _, q, played, present in self.cells[e]
        ]

    def games(self, e: int, against: Collection[int | None]) -> Fraction:
        worth = {Fraction(1): 6, Fraction(1, 2): 5, Fraction(0): 0}
        return sum((Fraction(worth[p]) for p, q, played, _ in self.cells[e] if played and q in against), Fraction(0))

    def met(self, e: int, q: int) -> bool:
        return any(cell[1] == q for cell in self.cells[e])

    def value(self, name: str, e: int, tie: Collection[int]) -> Found:
        row, worth = self.cells[e], self.opponents(e)
        if name == "points":
            return self.total(e)
        if name == "cumulative":
            return sum((sum((c[0] for c in row[: k + 1]), Fraction(0)) for k in range(len(row))), Fraction(0))
        if name in ("total_game_points", "overall_game"):
            return self.games(e, [*self.cells, None])
        if name == "wins_against_tied":
            return Fraction(len([1 for p, q, _, _ in row if q in tie and p == 1]))
        if name == "wins":
            return Fraction(len([1 for p, _, _, _ in row if p == 1]))
        if name == "buchholz":
            return sum(worth, Fraction(0))
        if name == "buchholz_cut_1":
            return sum(worth, Fraction(0)) - min(worth, default=Fraction(0))
        if name == "median_buchholz":
            return sum(worth, Fraction(0)) - max(worth) - min(worth) if len(worth) > 2 else Fraction(0)
        if name == "sonneborn_berger":
            return sum((cell[0] * value for cell, value in zip(row, worth, strict=True)), Fraction(0))
        if name == "kashdan":
            return Fraction(
                sum({Fraction(1): 4, Fraction(1, 2): 2}.get(p, 1 if played else 0) for p, _, played, _ in row)
            )
        if name == "mutual_match":
            return sum((p for p, q, _, _ in row if q in tie), Fraction(0))
        if name == "mutual_game":
            return self.games(e, tie)
        if name == "direct_encounter":
            everybody = all(self.met(p, q) for p in tie for q in tie if p != q)
            return sum((p for p, q, _, _ in row if q in tie), Fraction(0)) if everybody else None
        if name == "last_finals":
            return Fraction(self.finals[e]) if e in self.finals else None
        return Fraction(self.seeds[e])

    def better(self, name: str, e: int, tie: Collection[int]) -> Fraction:
        """The more the better; without a value last."""
        found = self.value(name, e, tie)
        if found is None:
            return Fraction(-(10**6))
        return -found if name in ("seed", "last_finals") else found


def random_table(number: int, splitting: str) -> tuple[Words, tuple[str, ...], tuple[Standing, ...], set[int]]:
    random = Random(number)
    season, cells, seeds, gone = random_season(random)
    names = tuple(random.sample(sorted(SWISS_TIEBREAKS - {"seed"}), random.randint(0, 5)))
    finalists = random.sample(sorted(seeds), min(2, len(seeds)))
    finals = {e: place for place, e in enumerate(finalists, start=1)}
    lines = standings(fold(season.facts), seeds, names, last_finals=finals, splitting=splitting)
    return Words(cells, seeds, finals), ("points", *names, "seed"), lines, gone


def in_units(name: str, value: int | None) -> Found:
    return None if value is None else Fraction(value, PARTS[CRITERIA[name].unit])


@given(st.integers(0, 10**9))
def test_r3_6_any_list_of_criteria_as_the_words_say(number: int) -> None:
    """The tied group of a criterion: those still in who are equal on every one before it."""
    words, names, lines, gone = random_table(number, "formed_once")
    ranked = [line.entrant_id for line in lines if line.rank is not None]
    assert set(words.cells) - gone == set(ranked)
    keys: dict[int, tuple[Fraction, ...]] = {e: () for e in ranked}
    for name in names:
        groups = {e: [q for q in ranked if keys[q] == keys[e]] for e in ranked}
        for line in lines:
            tie = groups.get(line.entrant_id, [])
            assert in_units(name, line.values[name]) == words.value(name, line.entrant_id, tie), name
        keys = {e: (*keys[e], words.better(name, e, groups[e])) for e in ranked}
    assert ranked == sorted(ranked, key=lambda e: keys[e], reverse=True)


@given(st.integers(0, 10**9), st.sampled_from(sorted(SPLITTINGS)))
def test_every_two_neighbours_are_told_apart_by_a_criterion_with_both_values(number: int, splitting: str) -> None:
    words, names, lines, gone = random_table(number, splitting)
    ranked = [line for line in lines if line.rank is not None]
    assert [line.rank for line in ranked] == list(range(1, len(ranked) + 1))
    assert all(line.separation is None for line in (*ranked[:1], *lines[len(ranked) :]))
    for above, below in pairwise(ranked):
        assert below.separation is not None
        name, tie = below.separation.criterion, below.separation.tied
        assert {above.entrant_id, below.entrant_id} <= tie and not gone & tie
        said = (below.separation.above, below.separation.below)
        ours = tuple(words.value(name, line.entrant_id, tie) for line in (above, below))
        assert tuple(in_units(name, value) for value in said) == ours
        assert words.better(name, above.entrant_id, tie) > words.better(name, below.entrant_id, tie)
        if splitting == "restart":
            for earlier in names[: names.index(name)]:
                assert len({words.better(earlier, e, tie) for e in tie}) == 1


@given(st.integers(0, 10**9), st.sampled_from(sorted(SPLITTINGS)))
@settings(max_examples=50)
def test_the_order_of_entry_does_not_matter(number: int, splitting: str) -> None:
    season, _, seeds, _ = random_season(Random(number))
    names = tuple(Random(number).sample(sorted(SWISS_TIEBREAKS), 4))
    turned = dict(reversed(seeds.items()))
    one, other = (standings(fold(season.facts), s, names, splitting=splitting) for s in (seeds, turned))
    assert one == other


@given(st.integers(0, 10**9))
@settings(max_examples=50)
def test_q45_who_left_lends_points_and_changes_no_value_of_the_others(number: int) -> None:
    """By taking somebody out of the ranking: what depends on no tie stays as it was, for everybody."""
    season, _, seeds, gone = random_season(Random(number))
    names = ("cumulative", "median_buchholz", "buchholz", "sonneborn_berger", "kashdan", "wins")
    before = {line.entrant_id: line.values for line in standings(fold(season.facts), seeds, names)}
    idle = [e for e in seeds if e not in gone]
    season.leave(idle[number % len(idle)])
    after = standings(fold(season.facts), seeds, names)
    assert {line.entrant_id: line.values for line in after} == before
    assert sum(line.rank is None for line in after) == len(gone) + 1

"""The order of a table: R3.6, Q27-Q29."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import Conflict, NotFound
from engine.tiebreaks import CRITERIA, Kind, Readings, RoundScore, Table, criteria, rank, unranked

R3_6 = ("cumulative", "wins_against_tied", "median_buchholz")
A, B, C, D, E, F = range(1, 7)


def won(opponent: int) -> RoundScore:
    return RoundScore(2, Kind.PLAYED, 2, opponent, True, 12)


def drew(opponent: int) -> RoundScore:
    return RoundScore(1, Kind.PLAYED, 1, opponent, True, 10)


def lost(opponent: int) -> RoundScore:
    return RoundScore(0, Kind.PLAYED, 0, opponent, True, 6)


def walkover(points: int, opponent: int) -> RoundScore:
    return RoundScore(points, Kind.WALKOVER, points, opponent)


def ruled_draw(opponent: int) -> RoundScore:
    return RoundScore(1, Kind.RULED, 1, opponent)


BYE = RoundScore(2, Kind.BYE, 2)
ABSENT = RoundScore(0, Kind.ABSENT, 0)


def table(*rows: tuple[RoundScore, ...], left: tuple[int, ...] = (), readings: Readings | None = None) -> Table:
    """Entrants 1, 2, 3, … with these rows; the seed is the number."""
    ids = range(1, len(rows) + 1)
    return Table(
        scores=dict(zip(ids, rows, strict=True)),
        seeds={id: id for id in ids},
        ranked=frozenset(id for id in ids if id not in left),
        readings=readings or Readings(),
    )


EXAMPLE = table(
    (drew(B), won(E), lost(C), lost(D)),
    (drew(A), won(F), ruled_draw(D), won(E)),
    (won(F), walkover(0, D), won(A), BYE),
    (drew(E), walkover(2, C), ruled_draw(B), won(A)),
    (drew(D), lost(A), BYE, lost(B)),
    (lost(C), lost(B), ABSENT, ABSENT),
    left=(F,),
)


def order(of: Table, tiebreaks: tuple[str, ...] = R3_6) -> list[int]:
    return [placed.entrant_id for placed in rank(of, tiebreaks)]


def value(of: Table, entrant: int, name: str, tiebreaks: tuple[str, ...] = R3_6) -> int | None:
    return next(p.values[name] for p in (*rank(of, tiebreaks), *unranked(of, tiebreaks)) if p.entrant_id == entrant)


def test_r3_6_worked_example_every_value_in_half_points() -> None:
    rows = [(p.entrant_id, *p.values.values(), p.separated_by) for p in rank(EXAMPLE, R3_6)]
    assert rows == [
        (D, 6, 14, 1, 9, 4, None),
        (C, 6, 14, 0, 9, 3, "wins_against_tied"),
        (B, 6, 14, 0, 6, 2, "median_buchholz"),
        (A, 3, 10, 0, 12, 1, "points"),
        (E, 3, 8, 0, 9, 5, "cumulative"),
    ]
    assert list(rank(EXAMPLE, R3_6)[0].values) == ["points", *R3_6, "seed"]


def test_r3_6_worked_example_who_left_is_unranked_with_values() -> None:
    (gone,) = unranked(EXAMPLE, R3_6)
    assert (gone.entrant_id, *gone.values.values(), gone.separated_by) == (F, 0, 0, 0, 6, 6, None)


def test_q28_without_forfeit_wins_the_walkover_separates_nobody() -> None:
    fide = replace(EXAMPLE, readings=Readings(forfeit_wins_count=False))
    assert value(fide, D, "wins_against_tied") == 0
    assert order(fide)[:3] == [C, D, B]


def test_q29_unplayed_rounds_as_zero_are_another_reading() -> None:
    zero = replace(EXAMPLE, readings=Readings(unplayed="zero"))
    # C: F D* A bye -> 0 0 3 0, D: E C* B* A -> 1.5 0 0 1.5
    assert (value(zero, C, "median_buchholz"), value(zero, D, "median_buchholz")) == (0, 3)


def test_q29_unplayed_rounds_can_be_left_out() -> None:
    skip = replace(EXAMPLE, readings=Readings(unplayed="skip"))
    # B: A F E -> 1.5 0 1.5; D: E A -> 1.5 1.5
    assert (value(skip, B, "median_buchholz"), value(skip, D, "median_buchholz")) == (3, 0)


def test_q29_absent_rounds_have_a_reading_of_their_own() -> None:
    row = (ABSENT, BYE, won(B), won(B))
    rows = (row, (BYE, lost(A), lost(A), ABSENT))
    # A has 3 points, B has 1.
    found = {name: value(table(*rows, readings=Readings(absent=name)), A, "median_buchholz") for name in (
        "virtual", "zero", "skip")}  # fmt: skip
    assert found == {"virtual": 8, "zero": 4, "skip": 2}


def test_q29_an_unknown_reading_is_refused() -> None:
    with pytest.raises(NotFound, match="fide"):
        rank(replace(EXAMPLE, readings=Readings(unplayed="fide")), R3_6)


@pytest.mark.parametrize(("drop", "expected"), [(0, 21), (1, 12), (2, 0), (3, 0)])
def test_r3_6_median_buchholz_drops_as_many_as_the_rules_say(drop: int, expected: int) -> None:
    of = replace(EXAMPLE, readings=Readings(median_drop=drop))
    assert value(of, A, "median_buchholz") == expected


def test_r3_6_a_bye_may_be_left_out_of_cumulative() -> None:
    of = replace(EXAMPLE, readings=Readings(bye_in_cumulative=False))
    assert [value(of, e, "cumulative") for e in (C, D, E)] == [12, 14, 4]


def test_q29_a_half_played_forfeit_counts_the_real_opponent() -> None:
    def against_b_and_c(kind: Kind, played: bool) -> Table:
        first, second = (RoundScore(2, kind, 2, opponent, played) for opponent in (B, C))
        return table((first, second, won(B)), (lost(A), BYE, lost(A)), (BYE, lost(A), ABSENT))

    # A has 3 points, B and C have 1.
    assert value(against_b_and_c(Kind.FORFEIT, True), A, "median_buchholz") == 2
    assert value(against_b_and_c(Kind.WALKOVER, False), A, "median_buchholz") == 6


def test_r3_6_median_buchholz_drops_one_best_and_one_worst_even_when_equal() -> None:
    of = table((drew(B), drew(B), drew(B), drew(B)), (drew(A), drew(A), drew(A), drew(A)))
    assert value(of, A, "median_buchholz") == 8


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_r3_6_fewer_than_three_rounds_give_no_median_buchholz(rounds: int) -> None:
    of = table((won(B),) * rounds, (lost(A),) * rounds)
    assert value(of, A, "median_buchholz") == value(of, B, "median_buchholz") == 0


def test_r3_6_an_absent_round_is_worth_nothing_in_buchholz() -> None:
    of = table((ABSENT, drew(B), drew(B), ABSENT), (BYE, drew(A), drew(A), BYE))
    # A: 0 6 6 0 -> 6; B: own 6, A's 2, A's 2, own 6 -> 8
    assert (value(of, A, "median_buchholz"), value(of, B, "median_buchholz")) == (6, 8)


def test_q27_byes_and_walkovers_count_in_cumulative_in_their_round() -> None:
    early = table((BYE, lost(B), lost(B)), (won(A), won(A), won(A)), (lost(A), lost(A), walkover(2, A)))
    assert (value(early, A, "cumulative"), value(early, C, "cumulative")) == (6, 2)


def test_r3_6_total_game_points_are_the_other_reading_of_cumulative() -> None:
    of = table((won(B), BYE), (lost(A), drew(C)), (ABSENT, drew(B)))
    names = ("total_game_points",)
    assert [value(of, e, "total_game_points", names) for e in (A, B, C)] == [12, 16, 10]


def test_r3_6_the_tied_group_is_formed_once() -> None:
    """All four have one win and one loss in the same order; A, B, C have a win against a tied one, D has not."""
    of = table(
        (won(D), lost(E)), (won(C), lost(F)), (won(E), lost(B)), (won(F), lost(A)), (lost(C),) * 2, (lost(D),) * 2
    )
    of = replace(of, scores=dict(of.scores) | {C: (won(D), lost(B))})
    placed = {p.entrant_id: p for p in rank(of, ("cumulative", "wins_against_tied"))}
    assert [placed[e].values["wins_against_tied"] for e in (A, B, C, D)] == [1, 1, 1, 0]
    # Formed again as ABC, the group would put B, who beat C, before A.
    assert order(of, ("cumulative", "wins_against_tied"))[:4] == [A, B, C, D]
    assert placed[C].separated_by == "seed"


def test_r3_6_the_tied_group_comes_from_the_criteria_before_it() -> None:
    """A and B are equal on points; B beat A. Cumulative separates them, so only before it the win counts."""
    of = table((won(C), lost(B)), (lost(C), won(A)), (ABSENT, ABSENT))
    assert order(of, ("wins_against_tied", "cumulative")) == [B, A, C]
    assert order(of, ("cumulative", "wins_against_tied")) == [A, B, C]
    assert value(of, B, "wins_against_tied", ("cumulative", "wins_against_tied")) == 0


def test_r3_6_a_win_against_somebody_who_left_is_no_win_against_tied() -> None:
    of = table((won(B),), (lost(A),), (BYE,), (won(C),), left=(A,))
    of = replace(of, scores=dict(of.scores) | {C: (won(A),)})
    assert value(of, C, "wins_against_tied") == 0


def test_r3_6_last_resort_is_the_lower_seed() -> None:
    of = replace(table((drew(B),), (drew(A),)), seeds={A: 7, B: 3})
    assert order(of) == [B, A]
    assert rank(of, R3_6)[1].separated_by == "seed"


def test_the_2022_order_is_another_list() -> None:
    names = ("median_buchholz", "cumulative", "kashdan")
    assert order(EXAMPLE, names) == [C, D, B, A, E]
    # A: draw, win, loss, loss; C: win, walkover lost, win, bye.
    assert (value(EXAMPLE, A, "kashdan", names), value(EXAMPLE, C, "kashdan", names)) == (8, 12)
    assert value(EXAMPLE, F, "kashdan", names) == 2


def test_points_come_first_and_the_seed_last_whatever_the_list_says() -> None:
    assert criteria(()) == ("points", "seed")
    assert criteria(("seed", "cumulative", "points", "cumulative")) == ("points", "cumulative", "seed")


def test_an_unknown_tiebreak_is_refused() -> None:
    with pytest.raises(NotFound, match="sonneborn"):
        rank(EXAMPLE, ("sonneborn",))


def test_seeds_that_are_not_unique_are_refused() -> None:
    with pytest.raises(Conflict, match="seeds_not_unique"):
        rank(replace(table((drew(B),), (drew(A),)), seeds={A: 1, B: 1}), R3_6)


def test_every_criterion_is_registered_under_its_own_name() -> None:
    assert all(criterion.value.__name__ == name for name, criterion in CRITERIA.items())

"""A worked example for every criterion, with a bye, a walkover, a ruled draw and absent rounds in it.

The season is the worked example of R3.6. Match points of A to F: 1½, 3, 3, 3, 1½, 0.

    round 1: A-B ½:½;  C-F 1:0;  D-E ½:½
    round 2: A-E 1:0;  B-F 1:0;  C-D 0:1 (walkover, no game)
    round 3: A-C 0:1;  B-D ½:½ (ruled draw, no game);  E bye;  F absent
    round 4: A-D 0:1;  B-E 1:0;  C bye;  F absent
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest

from engine.errors import NotFound
from engine.tiebreaks import (
    CRITERIA,
    SPLITTINGS,
    Kind,
    Readings,
    RoundScore,
    Separation,
    Unit,
    rank,
    show_value,
)
from tests.engine.test_tiebreaks import ABSENT, BYE, EXAMPLE, A, B, C, D, E, F, drew, lost, table, won

NOBODY: frozenset[int] = frozenset()
TIED = frozenset({B, C, D})
PLACES = {A: 7, B: 1, C: 12, D: 4}
FINALS = {C: 1, E: 4}
FIDE = Readings(forfeit_wins_count=False, absent="virtual")
READ = replace(EXAMPLE, places=PLACES, last_finals=FINALS)

# Half-points; Sonneborn-Berger in quarter points. A match here is won with 6 game points, drawn with 5, lost with 3.
WORKED: dict[str, tuple[int | None, ...]] = {
    "points": (3, 6, 6, 6, 3, 0),
    "cumulative": (10, 14, 14, 14, 8, 0),
    "total_game_points": (34, 34, 24, 22, 22, 12),
    # Inside the tie of B, C and D: only D won, the walkover against C.
    "wins_against_tied": (0, 0, 0, 1, 0, 0),
    "median_buchholz": (12, 6, 9, 9, 9, 6),
    # B: A 1½, F 0, the ruled draw as own 3, E 1½; F: C 3, B 3, absent twice.
    "buchholz": (21, 12, 15, 18, 18, 12),
    "buchholz_cut_1": (18, 12, 15, 15, 15, 12),
    # D: ½ x 1½, walkover 1 x own 3, ruled draw ½ x own 3, 1 x 1½ = 6¾.
    "sonneborn_berger": (12, 15, 18, 27, 12, 0),
    "kashdan": (8, 12, 12, 12, 8, 2),
    "mutual_match": (1, 1, 0, 3, 1, 0),
    # A: against B, C and D. Between these three no game was played (with awarded games: test_pools).
    "mutual_game": (10 + 6 + 6, 0, 0, 0, 10 + 6, 6 + 6),
    "overall_game": (34, 34, 24, 22, 22, 12),
    "last_finals": (None, None, 1, None, 4, None),
    "qualification_place": (7, 1, 12, 4, None, None),
    "seed": (1, 2, 3, 4, 5, 6),
    "wins": (1, 2, 3, 2, 1, 0),
    # B and C have not met, so it says nothing about any of the tie.
    "direct_encounter": (None, None, None, None, None, None),
}


def found(name: str, readings: Readings | None = None, tied: frozenset[int] = TIED) -> tuple[int | None, ...]:
    of = replace(READ, readings=readings or Readings())
    return tuple(CRITERIA[name].value(entrant, of, tied) for entrant in (A, B, C, D, E, F))


@pytest.mark.parametrize("name", CRITERIA)
def test_r3_6_r3_12_every_criterion_has_a_worked_example(name: str) -> None:
    assert found(name) == WORKED[name]


def test_the_doc_table_has_a_line_for_every_criterion() -> None:
    module = import_module("engine.tiebreaks.criteria")
    lines = (module.__doc__ or "").partition("---\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines] == list(CRITERIA)


# --- What the readings change -----------------------------------------------------------------------------------


def test_r3_6_own_points_stand_for_a_round_without_a_game_in_every_buchholz() -> None:
    zero = Readings(unplayed="zero")
    assert [found(name, zero)[C - 1] for name in ("buchholz", "buchholz_cut_1", "sonneborn_berger")] == [3, 3, 6]
    skip = Readings(unplayed="skip")
    assert [found(name, skip)[C - 1] for name in ("buchholz", "buchholz_cut_1", "sonneborn_berger")] == [3, 3, 6]


def test_c07_absent_rounds_count_as_own_points_too() -> None:
    of = table((ABSENT, won(B), won(B)), (BYE, lost(A), lost(A)), readings=FIDE)
    # A has 4 half-points, B has 2: own 4, 2 and 2.
    assert CRITERIA["buchholz"].value(A, of, NOBODY) == 8


def test_q28_without_forfeit_wins_a_walkover_and_a_bye_are_no_wins() -> None:
    assert found("wins", FIDE) == (1, 2, 2, 1, 0, 0)
    assert found("wins_against_tied", FIDE) == (0, 0, 0, 0, 0, 0)


def test_c07_direct_encounter_needs_everybody_to_have_met_everybody() -> None:
    assert found("direct_encounter", tied=frozenset({A, E}))[::4] == (2, 0)
    assert found("direct_encounter", tied=frozenset({A, B, E}))[:2] == (3, 3)
    assert found("direct_encounter", tied=frozenset({A, C, E})) == (None,) * 6


def test_c07_direct_encounter_reads_walkovers_as_the_edition_says() -> None:
    tied = frozenset({C, D})
    assert found("direct_encounter", tied=tied)[2:4] == (0, 2)
    assert found("direct_encounter", FIDE, tied)[2:4] == (None, None)


def test_c07_an_open_match_is_no_encounter() -> None:
    of = table((RoundScore(0, Kind.OPEN, 0, B),), (RoundScore(0, Kind.OPEN, 0, A),))
    assert CRITERIA["direct_encounter"].value(A, of, frozenset({A, B})) is None


def test_q42_a_voided_pairing_is_a_round_without_a_game_and_no_result() -> None:
    voided = RoundScore(0, Kind.VOIDED, 0)
    of = table((voided, won(B)), (voided, lost(A)))
    values = {name: CRITERIA[name].value(A, of, frozenset({A, B})) for name in CRITERIA}
    assert values["buchholz"] == 2 + 0
    assert (values["points"], values["kashdan"], values["wins"], values["direct_encounter"]) == (2, 4, 1, 2)


@pytest.mark.parametrize("name", ["buchholz", "buchholz_cut_1", "sonneborn_berger", "median_buchholz"])
def test_q29_an_unknown_reading_is_refused_by_each_of_them(name: str) -> None:
    with pytest.raises(NotFound, match="dutch"):
        found(name, Readings(unplayed="dutch"))


# --- Values for people ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("points", 5, "2½"), ("cumulative", 14, "7"), ("kashdan", 5, "5"), ("seed", 12, "12"),
        ("sonneborn_berger", 27, "6¾"), ("sonneborn_berger", 1, "¼"), ("sonneborn_berger", 0, "0"),
        ("sonneborn_berger", 8, "2"), ("last_finals", None, "–"), ("direct_encounter", None, "–"),
    ],
)  # fmt: skip
def test_values_are_shown_in_their_unit(name: str, value: int | None, text: str) -> None:
    assert show_value(name, value) == text


def test_only_sonneborn_berger_is_a_product() -> None:
    assert {name for name, c in CRITERIA.items() if c.unit is Unit.QUARTER_POINTS} == {"sonneborn_berger"}


# --- Who is told apart by what ----------------------------------------------------------------------------------


def test_r3_6_the_worked_example_says_why_with_both_values_and_the_tie() -> None:
    why = [placed.separation for placed in rank(EXAMPLE, ("cumulative", "wins_against_tied", "median_buchholz"))]
    assert why == [
        None,
        Separation("wins_against_tied", 1, 0, frozenset({B, C, D})),
        Separation("median_buchholz", 9, 6, frozenset({B, C})),
        Separation("points", 6, 3, frozenset({A, B, C, D, E})),
        Separation("cumulative", 10, 8, frozenset({A, E})),
    ]


def test_q52b_the_seed_is_named_when_nothing_else_separates() -> None:
    of = table((drew(B),), (drew(A),))
    assert rank(of, ("cumulative",))[1].separation == Separation("seed", A, B, frozenset({A, B}))


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_q36_a_placed_finalist_stands_before_one_without_a_place(splitting: str) -> None:
    of = table(*((drew(n),) for n in (B, A, D, C, A, B)))
    of = replace(of, last_finals={D: 2, B: 4})
    order = rank(of, ("last_finals",), splitting)
    assert [placed.entrant_id for placed in order] == [D, B, A, C, E, F]
    assert order[2].separation == Separation("last_finals", 4, None, frozenset({A, B, C, D, E, F}))
    assert order[3].separation == Separation("seed", A, C, frozenset({A, C, E, F}))


def test_q36_with_no_placed_finalist_the_next_criterion_decides() -> None:
    of = replace(table((drew(B),), (drew(A),)), places={A: 9, B: 3})
    assert [placed.entrant_id for placed in rank(of, ("last_finals", "qualification_place"))] == [B, A]


def test_r3_12_a_direct_entrant_without_a_place_stands_after_the_placed_ones() -> None:
    of = replace(table((drew(B),), (drew(A),)), places={B: 12})
    assert [placed.entrant_id for placed in rank(of, ("qualification_place",), "restart")] == [B, A]


def test_r3_12_a_part_starts_again_where_r3_6_goes_on() -> None:
    """A, B, C have a win against each other in turn; game points split off C; then A's win against B counts."""
    of = table((won(B), lost(C)), (won(C), lost(A)), (won(A), lost(B)))
    of = replace(of, scores={
        A: (won(B), lost(C)._replace(game_points=2)),
        B: (won(C)._replace(game_points=16), lost(A)._replace(game_points=0)),
        C: (won(A)._replace(game_points=18), lost(B)._replace(game_points=4)),
    }, seeds={A: 3, B: 2, C: 1})  # fmt: skip
    names = ("mutual_match", "mutual_game", "seed")
    assert [placed.entrant_id for placed in rank(of, names, "restart")] == [C, B, A]
    even = replace(of, scores=dict(of.scores) | {A: (won(B)._replace(game_points=14), lost(C)._replace(game_points=2))})
    assert [placed.entrant_id for placed in rank(even, names, "formed_once")] == [C, B, A]
    again = rank(even, names, "restart")
    assert [placed.entrant_id for placed in again] == [C, A, B]
    assert again[2].separation == Separation("mutual_match", 2, 0, frozenset({A, B}))
    assert again[2].values["mutual_match"] == 2, "the value in the whole tie is the one shown in the table"


def test_an_unknown_splitting_is_refused() -> None:
    with pytest.raises(NotFound, match="twice"):
        rank(EXAMPLE, (), "twice")


def test_a_table_of_nobody_is_empty() -> None:
    assert all(rank(table(), (), splitting) == () for splitting in SPLITTINGS)

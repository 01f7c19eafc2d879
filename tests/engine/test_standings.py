"""The Qualification table from the ledger: R3.5, R3.6, R8.2, Q9, Q10, Q27-Q29, Q42, Q44d, Q45."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.exits import LeavingRules
from engine.facts import (
    CountedGame,
    Exit,
    MatchExtended,
    MatchRuled,
    MatchVoided,
    Pair,
    Reverted,
    RoundClosed,
    RoundPublished,
)
from engine.ledger import fold
from engine.model import Stage
from engine.standings import PointValues, Record, floats, pairing_scores, standings, table_of
from engine.tiebreaks import Kind, Readings
from engine.tournament import Tournament
from tests.engine.season_book import R3_6, SEEDS, START, A, B, C, D, E, F, Season, brief, line_of

# --- The worked example ---------------------------------------------------------------------------------------


def test_r3_6_worked_example(example: Season) -> None:
    assert brief(example.table()) == [
        (1, D, 6, 14, 1, 9),
        (2, C, 6, 14, 0, 9),
        (3, B, 6, 14, 0, 6),
        (4, A, 3, 10, 0, 12),
        (5, E, 3, 8, 0, 9),
        (None, F, 0, 0, 0, 6),
    ]
    assert [line.separated_by for line in example.table()] == [
        None, "wins_against_tied", "median_buchholz", "points", "cumulative", None,
    ]  # fmt: skip


def test_r3_6_worked_example_running_totals(example: Season) -> None:
    totals = {e: [line_of(example.table(until=r), e).points for r in (1, 2, 3, 4)] for e in SEEDS}
    assert totals == {
        A: [1, 3, 3, 3],
        B: [1, 3, 4, 6],
        C: [2, 2, 4, 6],
        D: [1, 3, 4, 6],
        E: [1, 1, 3, 3],
        F: [0, 0, 0, 0],
    }


def test_r3_6_worked_example_records_and_seeds(example: Season) -> None:
    records = {line.entrant_id: line.record for line in example.table()}
    assert records[A] == Record(1, 1, 2)
    assert records[C] == Record(2, 0, 1), "a bye is no match, a lost walkover is"
    assert records[D] == Record(2, 2, 0)
    swapped = SEEDS | {C: 4, D: 3}
    assert line_of(example.table(seeds=swapped), C).seed == 4


# --- What counts, and when ------------------------------------------------------------------------------------


def test_r3_6_only_closed_rounds_count(example: Season) -> None:
    before = example.table()
    example.round(5, (A, B, "1-0"), (C, E, "1-0"), bye=D, close=False)
    assert example.table() == before
    example.add(RoundClosed(5))
    assert line_of(example.table(), A).points == 5


def test_r3_6_the_table_as_it_was_after_a_round(example: Season) -> None:
    assert brief(example.table(until=1)) == [
        (1, C, 2, 2, 0, 0),
        (2, A, 1, 1, 0, 0),
        (3, B, 1, 1, 0, 0),
        (4, D, 1, 1, 0, 0),
        (5, E, 1, 1, 0, 0),
        (None, F, 0, 0, 0, 0),
    ]


def test_standings_before_any_round_are_the_seeds() -> None:
    table = Season().table(seeds={A: 3, B: 1, C: 2})
    assert [(line.rank, line.entrant_id, line.points) for line in table] == [(1, B, 0), (2, C, 0), (3, A, 0)]


def test_r3_6_a_late_entrant_is_absent_in_the_missed_round() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    season.round(2, (A, E, "0-1"), (C, B, "="), bye=D)
    line = line_of(season.table(seeds={e: e for e in (A, B, C, D, E)}), E)
    assert (line.points, line.values["cumulative"], line.record) == (2, 2, Record(1, 0, 0))


def test_q44g_a_round_missed_before_a_late_entry_is_worth_what_the_edition_says() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    seeds, half = {e: e for e in (A, B, C, D, E)}, PointValues(absent=1)
    late = line_of(standings(fold(season.facts), seeds, ("cumulative", "kashdan"), values=half), E)
    assert (late.points, late.values["cumulative"], late.values["kashdan"], late.record) == (1, 1, 2, Record(0, 0, 0))
    assert pairing_scores(fold(season.facts), seeds, values=half)[E] == 1
    season.round(2, (A, E, "0-1"), (C, B, "="), bye=D)
    late = line_of(standings(fold(season.facts), seeds, ("cumulative",), values=half), E)
    assert (late.points, late.values["cumulative"]) == (3, 4)


def test_q44d_a_round_missed_after_the_first_own_one_is_worth_nothing() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"), bye=E)
    season.round(2, (A, C, "1-0"))
    half = PointValues(absent=1)
    lines = standings(fold(season.facts), {e: e for e in (A, B, C, D, E)}, ("cumulative",), values=half)
    assert {line.entrant_id: line.points for line in lines} == {A: 4, B: 0, C: 2, D: 0, E: 2}
    assert pairing_scores(fold(season.facts), (B, E), values=half) == {B: 0, E: 2}


def test_q29_a_voided_pairing_counts_as_an_opponent_with_the_own_points() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "1-0"), close=False)
    season.add(MatchVoided(11))
    season.add(RoundClosed(1))
    season.round(2, (A, C, "1-0"), (B, D, "1-0"))
    lines = standings(fold(season.facts), {e: e for e in (A, B, C, D)}, ("buchholz", "wins_against_tied", "kashdan"))
    rows = {line.entrant_id: (line.points, *(line.values[n] for n in ("buchholz", "kashdan"))) for line in lines}
    # A: own 1 and C's 1; B: own 1 and D's 0; C: D's 0 and A's 1; D: C's 1 and B's 1.
    assert rows == {A: (2, 4, 4), B: (2, 2, 4), C: (2, 2, 5), D: (0, 4, 2)}
    assert line_of(lines, A).record == Record(1, 0, 0)
    assert pairing_scores(fold(season.facts), (A, B)) == {A: 2, B: 2}


def test_q36_last_years_finals_reach_the_table() -> None:
    season = Season()
    season.round(1, (A, B, "="), (C, D, "="))
    lines = standings(fold(season.facts), {e: e for e in (A, B, C, D)}, ("last_finals",), last_finals={D: 1, B: 3})
    assert [line.entrant_id for line in lines] == [D, B, A, C]


def test_q45_who_left_stands_unranked_at_the_end_and_lends_the_points() -> None:
    season = Season()
    season.round(1, (A, D, "1-0"), (B, E, "1-0"), (C, F, "1-0"))
    season.round(2, (A, B, "1-0"), (C, D, "1-0"), (E, F, "1-0"))
    season.round(3, (A, C, "1-0"), (B, D, "1-0"), bye=E)
    with_a = line_of(season.table(), C).values["median_buchholz"]
    season.leave(A)
    table = season.table()
    assert (table[-1].rank, table[-1].entrant_id, table[-1].points) == (None, A, 6)
    assert [line.rank for line in table] == [1, 2, 3, 4, 5, None]
    assert line_of(table, C).values["median_buchholz"] == with_a


def test_r8_1_the_walkover_of_a_leaver_counts_when_the_round_closes() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "1-0"), close=False)
    season.leave(B)
    season.add(RoundClosed(1))
    assert line_of(season.table(), A).points == 2


def test_r8_2_q44d_a_mark_changes_the_table_and_one_revert_takes_it_all_back(example: Season) -> None:
    before = example.table()
    mark = example.leave(D, Exit.DISQUALIFIED, "engine")
    after = example.table()
    assert line_of(after, E).points == 4
    assert line_of(after, A).points == 5
    assert line_of(after, B).points == 6, "the ruled draw stays"
    assert line_of(after, D).rank is None
    assert line_of(after, D).points == 3, "the walkover and the ruled draw stay"
    example.add(Reverted(), reverts=mark)
    assert example.table() == before


def test_q28_the_switch_reaches_the_table(example: Season) -> None:
    fide = example.table(readings=Readings(forfeit_wins_count=False))
    assert [line.entrant_id for line in fide[:3]] == [C, D, B]


def test_r3_7_the_value_of_a_bye_is_given(example: Season) -> None:
    half = standings(fold(example.facts), SEEDS, R3_6, values=PointValues(bye=1))
    assert (line_of(half, C).points, line_of(half, E).points) == (5, 2)


def test_q29_the_rounds_of_a_row_say_what_they_were() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "+-"), close=False)
    season.add(MatchRuled(11, 0, 2, (A,), True, (CountedGame("x", 2),)))
    season.add(RoundClosed(1))
    season.round(2, (A, C, "r="), (B, D, "1-0"), bye=E)
    season.leave(D, Exit.DISQUALIFIED, "engine")
    rows = table_of(fold(season.facts), SEEDS).scores
    assert {e: tuple(score.kind for score in row) for e, row in rows.items()} == {
        A: (Kind.FORFEIT, Kind.RULED),
        B: (Kind.FORFEIT, Kind.ADJUDICATED),
        C: (Kind.WALKOVER, Kind.RULED),
        D: (Kind.WALKOVER, Kind.ADJUDICATED),
        E: (Kind.ABSENT, Kind.BYE),
        F: (Kind.ABSENT, Kind.ABSENT),
    }
    assert [(s.points, s.opponent, s.played, s.game_points) for s in rows[A]] == [(0, B, True, 2), (1, C, False, 0)]


def test_r3_3_an_edition_may_give_three_points_for_a_win(example: Season) -> None:
    football = PointValues(win=6, draw=2, loss=0, bye=6)
    table = standings(fold(example.facts), SEEDS, R3_6, values=football)
    assert {line.entrant_id: line.points for line in table} == {A: 8, B: 16, C: 18, D: 16, E: 8, F: 0}
    assert [line.entrant_id for line in table[:2]] == [C, D]
    assert line_of(table, D).record == Record(2, 2, 0)


def test_q28_a_match_win_is_a_win_whatever_it_is_worth() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    season.round(2, (C, A, "1-0"), (D, B, "1-0"))
    season.round(3, (A, D, "1-0"), (B, C, "1-0"))
    names = ("wins_against_tied",)
    for values in (PointValues(), PointValues(win=6)):
        table = standings(fold(season.facts), {e: e for e in (A, B, C, D)}, names, values=values)
        found = {line.entrant_id: line.values["wins_against_tied"] for line in table}
        # A and C have two wins each, B and D one each; C beat A, D beat B.
        assert found == {A: 0, B: 0, C: 1, D: 1}
        assert [line.entrant_id for line in table] == [C, A, D, B]


@pytest.mark.parametrize(("bye", "kashdan"), [(2, 4), (1, 2), (0, 0)])
def test_the_2022_kashdan_of_a_bye_is_that_of_a_match_of_its_worth(bye: int, kashdan: int) -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), bye=C)
    table = standings(fold(season.facts), SEEDS, ("kashdan",), values=PointValues(bye=bye))
    assert line_of(table, C).values["kashdan"] == kashdan


def pairing_score(of: Tournament, entrant: int, **choices: Any) -> int:
    return pairing_scores(of, SEEDS, **choices)[entrant]


# --- Extended matches (Q9, Q10) -------------------------------------------------------------------------------


def test_q9_an_extended_match_is_half_a_point_for_pairing_only() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "1-0"), close=False)
    assert pairing_score(fold(season.facts), A) == 0
    season.add(MatchExtended(11, START + timedelta(days=14)))
    assert [pairing_score(fold(season.facts), e) for e in (A, B, C, D, E)] == [1, 1, 2, 0, 0]
    season.add(RoundClosed(1))
    line = line_of(season.table(), A)
    assert (line.points, line.record) == (0, Record(0, 0, 0))
    assert pairing_score(fold(season.facts), A, values=PointValues(extended=0)) == 0


def test_q10_the_result_goes_into_its_own_round() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "1-0"), close=False)
    season.add(MatchExtended(11, START + timedelta(days=14)))
    season.add(RoundClosed(1))
    season.round(2, (A, C, "0-1"), (B, D, "1-0"))
    season.result(11, "1-0")
    line = line_of(season.table(), A)
    assert (line.points, line.values["cumulative"]) == (2, 4)
    assert pairing_score(fold(season.facts), A) == 2


def test_q9_pairing_scores_count_open_rounds_and_byes(example: Season) -> None:
    example.round(5, (A, B, "1-0"), (C, E, "?"), bye=D, close=False)
    now = fold(example.facts)
    assert [pairing_score(now, e) for e in (A, B, C, D, E)] == [5, 6, 6, 8, 3]
    assert [pairing_score(now, e, before=5) for e in (A, B, C, D, E)] == [3, 6, 6, 6, 3]
    assert pairing_score(now, C, values=PointValues(bye=1)) == 5


# --- Floats (R3.7) --------------------------------------------------------------------------------------------


def test_r3_7_who_was_paired_with_another_score_floated(example: Season) -> None:
    # Round 2: A-E and C-D met (1:1 and 2:1), B-F 1:0. Round 3: A-C 3:2, B-D 3:3. Round 4: A-D 3:4, B-E 4:3.
    assert floats(example.facts) == {A: 2, B: 2, C: 2, D: 2, E: 1, F: 1}


def test_r3_7_a_result_that_changes_later_makes_no_floater(example: Season) -> None:
    before = floats(example.facts)
    example.add(MatchRuled(11, 2, 0))
    example.leave(D, Exit.DISQUALIFIED, "engine")
    assert floats(example.facts) == before


def test_r8_2_floats_are_judged_by_the_rules_of_leaving() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    season.leave(A, Exit.DISQUALIFIED, "booster")
    season.publish(2, [(B, C)])
    assert floats(season.facts)[B] == 1
    assert floats(season.facts, leaving=LeavingRules(reaching_back=frozenset({"booster"})))[B] == 0


def test_r3_7_floats_are_judged_by_the_pairing_score() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "="), close=False)
    season.add(MatchExtended(11, START + timedelta(days=14)))
    season.publish(2, [(A, C), (B, D)])
    season.result(11, "1-0")
    assert floats(season.facts) == {A: 0, B: 0, C: 0, D: 0}


def test_q42_a_pair_that_was_replaced_is_no_float() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    first = season.publish(2, [(A, D), (B, C)])
    repaired = RoundPublished(2, Stage.QUALIFICATION, 2, (Pair(21, A, C), Pair(22, B, D)))
    season.add(repaired, replaces=first)
    assert floats(season.facts) == {A: 0, B: 0, C: 0, D: 0}


def test_q43_floats_of_a_repaired_round_leave_out_its_own_results() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    first = season.publish(2, [(A, C)], bye=B)
    season.result(21, "1-0")
    repaired = RoundPublished(2, Stage.QUALIFICATION, 2, (Pair(21, A, C), Pair(22, B, D)))
    season.add(repaired, replaces=first)
    assert floats(season.facts) == {A: 0, B: 0, C: 0, D: 0}

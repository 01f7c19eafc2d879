"""An edition's Qualification as a tournament report file, and back: the same table, the same pairings."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.facts import CountedGame, Exit, MatchRuled, MatchVoided, RoundClosed
from engine.ledger import fold
from engine.model import Stage
from engine.standings import PointValues, floats, pairing_scores, standings
from engine.tiebreaks import Readings
from engine.trf import Meeting, TrfInvalid, from_tournament, read, write
from engine.trf.use import pairing_players, ranking
from tests.engine.season_book import R3_6, SEEDS, A, B, C, D, E, F, Season
from tests.engine.trf_book import EVERY_TIEBREAK, by_seed, entrants, random_season, written

LOTS = st.integers(0, 10**9)
ORDERS = (EVERY_TIEBREAK, R3_6, ("median_buchholz", "cumulative", "kashdan"))
READINGS = st.builds(
    Readings,
    unplayed=st.sampled_from(["virtual", "zero", "skip"]),
    absent=st.sampled_from(["virtual", "zero", "skip"]),
    median_drop=st.integers(0, 2),
    forfeit_wins_count=st.booleans(),
    bye_in_cumulative=st.booleans(),
)


def lines_of(season: Season, seeds: dict[int, int] = SEEDS) -> dict[int, str]:
    """By entrant what the report says of the rounds."""
    _, _, file = written(season, seeds)
    ids = {seed: id for id, seed in seeds.items()}
    return {ids[int(line[4:8])]: line.rstrip("\r\n")[91:] for line in file.lines if line.startswith("001")}


def extensions(season: Season) -> list[str]:
    _, _, file = written(season, SEEDS)
    return [line.rstrip() for line in file.lines if line[:2] in ("AW", "XX") and line[:3] != "XXR"]


# --- What is written for what -----------------------------------------------------------------------------------


def test_the_worked_example_to_the_letter(example: Season) -> None:
    _, _, file = written(example, SEEDS, rounds=4)
    assert write(file).split("\r\n") == [
        "012 A season",
        "062 6",
        "092 Individual: Swiss-System",
        "XXR 4",
        "001    1      P1                                2499                             1.5    4     2 w =     5 w 1     3 w 0     4 w 0",  # noqa: E501
        "001    2      P2                                2498                             3.0    3     1 b =     6 w 1  0000 - H     5 w 1",  # noqa: E501
        "001    3      P3                                2497                             3.0    2     6 w 1     4 w -     1 b 1  0000 - U",  # noqa: E501
        "001    4      P4                                2496                             3.0    1     5 w =     3 b +  0000 - H     1 b 1",  # noqa: E501
        "001    5      P5                                2495                             1.5    5     4 b =     1 b 0  0000 - U     2 b 0",  # noqa: E501
        "001    6      P6                                2494                             0.0    6     3 b 0     2 b 0  0000 - Z  0000 - Z",  # noqa: E501
        "AWD 3 2 4",
        "XXP 2 4",
        "XXZ 6",
        "AWL 6",
        "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "played", "letters"),
    [
        (2, 0, True, ("W", "L")),
        (1, 1, True, ("D", "D")),
        (0, 0, True, ("L", "L")),
        (2, 0, False, ("+", "-")),
        (0, 0, False, ("-", "-")),
    ],
)
def test_q29_q44_a_ruling_is_written_by_whether_a_game_was_played(
    a: int, b: int, played: bool, letters: tuple[str, str]
) -> None:
    season = Season()
    season.publish(1, [(A, B)])
    season.add(MatchRuled(11, a, b, played=played, games=(CountedGame("x", 2),) if played else ()))
    season.add(RoundClosed(1))
    rounds = lines_of(season, {A: 1, B: 2})
    assert (rounds[A], rounds[B]) == (f"   2 w {letters[0]}", f"   1 b {letters[1]}")


def test_r8_2_an_adjudicated_match_is_a_ruling() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    season.leave(A, Exit.DISQUALIFIED, "engine")
    assert lines_of(season, {A: 1, B: 2, C: 3, D: 4}) == {A: "   2 w L", B: "   1 b W", C: "   4 w 1", D: "   3 b 0"}


def test_q9_a_match_that_is_not_decided_has_a_blank_result_and_awe() -> None:
    season = Season()
    season.round(1, (A, B, "?"), (C, D, "1-0"))
    assert lines_of(season)[A] == "   2 w  "
    assert extensions(season) == ["AWE 1 1 2"]


def test_r5_6_r5_9_a_draw_without_a_game_keeps_the_two_apart() -> None:
    season = Season()
    season.round(1, (A, B, "r="), (C, D, "1-0"), bye=E)
    assert lines_of(season)[B] == "0000 - H"
    assert extensions(season) == ["AWD 1 1 2", "XXP 1 2"]
    _, _, file = written(season, SEEDS)
    assert B in {p.id: p for p in pairing_players(file)}[A].met


def test_q42_a_voided_pair_has_not_met_and_counts_as_unplayed_not_as_absent() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"))
    season.publish(2, [(A, C), (B, D)])
    season.add(MatchVoided(21))
    season.result(22, "1-0")
    season.add(RoundClosed(2))
    seeds = {e: e for e in (A, B, C, D)}
    _, _, file = written(season, seeds)
    assert [line.rstrip() for line in file.lines if line.startswith("AW")] == ["AWV 2 1 3"]
    assert lines_of(season, seeds)[A] == "   2 w 1  0000 - Z"
    back = {row.entrant_id: row.values["buchholz"] for _, row in ranking(file, ["buchholz"])}
    assert back[A] == 2 + 2, "the points of B and, for the voided round, A's own"
    assert C not in {p.id: p for p in pairing_players(file)}[A].met


def test_q45_who_left_is_unranked_and_not_paired_by_anybody(example: Season) -> None:
    assert extensions(example)[-2:] == ["XXZ 6", "AWL 6"]
    _, _, file = written(example, SEEDS)
    place, row = ranking(file, R3_6)[-1]
    assert (place, row.entrant_id) == (None, F)


def test_who_left_but_keeps_a_place_in_the_table_is_not_paired(example: Season) -> None:
    tournament, table, _ = written(example, SEEDS)
    kept = [replace(line, rank=place) for place, line in enumerate(table, start=1)]
    file = from_tournament(tournament, entrants(SEEDS), kept, title="x", rounds=9)
    assert (file.unpaired, file.left) == ({F}, frozenset())


def test_only_closed_rounds_are_written() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "1-0"), (E, F, "1-0"))
    season.round(2, (A, C, "1-0"), (B, E, "1-0"), (D, F, "1-0"), close=False)
    assert lines_of(season)[A] == "   2 w 1"


def test_a_closed_round_in_which_nobody_was_paired_in_the_end_stays_a_round() -> None:
    season = Season()
    season.publish(1, [(A, B)])
    season.add(MatchVoided(11))
    season.add(RoundClosed(1))
    _, _, file = written(season, {A: 1, B: 2})
    assert file.played == 1


def test_r3_3_points_that_a_report_cannot_hold_are_refused() -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), (C, D, "="))
    seeds = {e: e for e in (A, B, C, D)}
    tournament, values = fold(season.facts), PointValues(win=4, draw=1, loss=0)
    table = standings(tournament, seeds, R3_6, values=values)
    with pytest.raises(TrfInvalid, match=r"^the ruleset: swiss\.points_win: "):
        from_tournament(tournament, entrants(seeds), table, title="x", rounds=7, values=values)


@pytest.mark.parametrize("bye", [0, 1])
def test_r3_7_a_bye_that_would_not_bar_from_another_one_is_refused(bye: int) -> None:
    season = Season()
    season.round(1, (A, B, "1-0"), bye=C)
    seeds, values = {e: e for e in (A, B, C)}, PointValues(bye=bye)
    tournament = fold(season.facts)
    with pytest.raises(TrfInvalid, match=r"swiss\.bye_points"):
        table = standings(tournament, seeds, R3_6, values=values)
        from_tournament(tournament, entrants(seeds), table, title="x", rounds=7, values=values)


# --- There and back ---------------------------------------------------------------------------------------------


@given(LOTS, READINGS)
@settings(max_examples=100)
def test_r3_6_a_report_of_an_edition_reads_back_to_the_same_table(lot: int, readings: Readings) -> None:
    season, seeds = random_season(Random(lot))
    _, _, file = written(season, seeds, readings)
    for order in ORDERS:
        table = standings(fold(season.facts), seeds, order, readings=readings)
        expected = [(line.rank, line.seed, dict(line.values), line.separated_by) for line in table]
        back = ranking(file, order, readings)
        assert [(at, row.entrant_id, dict(row.values), row.separated_by) for at, row in back] == expected


@given(LOTS)
@settings(max_examples=40)
def test_export_import_export_is_the_identity(lot: int) -> None:
    season, seeds = random_season(Random(lot))
    _, _, file = written(season, seeds)
    again = read(write(file).encode())
    assert again == file
    assert write(again) == write(file)


@given(LOTS)
@settings(max_examples=50)
def test_r3_7_a_report_pairs_with_the_same_scores_floats_and_meetings(lot: int) -> None:
    season, seeds = random_season(Random(lot), settled=True)
    tournament, _, file = written(season, seeds)
    scores, floated = pairing_scores(tournament, seeds), floats(season.facts)
    met = tournament.met(Stage.QUALIFICATION)
    barred = tournament.bye_receivers() | tournament.walkover_winners()
    for player in pairing_players(file):
        (id,) = (id for id, seed in seeds.items() if seed == player.seed)
        assert player.score == scores[id]
        assert player.floats == floated.get(id, 0)
        assert player.met == by_seed(seeds, (one for pair in met if id in pair for one in pair if one != id))
        assert player.bye_barred == (id in barred)


def test_the_seasons_of_these_tests_hold_every_kind_of_line() -> None:
    lines: list[str] = []
    for lot in range(60):
        season, seeds = random_season(Random(lot))
        lines += write(written(season, seeds)[2]).split("\r\n")
    letters = {line[column - 1] for line in lines if line[:3] == "001" for column in range(99, len(line) + 1, 10)}
    assert letters == set("10=WDL+-HUZ ")
    assert {line[:3] for line in lines} >= {"AWD", "AWV", "AWE", "AWL", "XXP", "XXZ"}


def test_meetings_of_a_report_are_by_starting_rank() -> None:
    season = Season()
    season.round(1, (A, B, "r="), (C, D, "1-0"))
    _, _, file = written(season, {A: 4, B: 3, C: 2, D: 1})
    assert file.drawn == {Meeting(1, 3, 4)}

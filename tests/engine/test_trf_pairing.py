"""The next round of a report: R3.7, Q9, Q42, and what XXR, XXZ, XXP and the entries for the next round say."""

from __future__ import annotations

from random import Random

import pytest

from engine.errors import CannotPair, NotFound
from engine.swiss import Pairing
from engine.trf import next_pairing, ranking, read
from engine.trf.use import pairing_players
from tests.engine.season_book import SEEDS, A, B, C, D, E, F, Season
from tests.engine.trf_book import FOUR, four, player, read_four, report, written


def field(*players: str, more: str = "") -> bytes:
    return report("012 Cup", *players, *more.splitlines())


FRESH = [player(n, "0.0") for n in range(1, 8)]


def test_r3_7_the_first_round_is_top_half_against_bottom_half_with_the_bye_for_the_lowest_seed() -> None:
    assert next_pairing(read(field(*FRESH))) == Pairing(((1, 4), (2, 5), (3, 6)), 7)


def test_r3_7_a_round_that_only_one_pairing_allows() -> None:
    assert next_pairing(read_four()) == Pairing(((1, 4), (2, 3)), None)


def test_the_order_of_the_lines_and_other_lines_do_not_matter() -> None:
    lots = [*FRESH, "XXR 9", "XXP 1 4"]
    expected = next_pairing(read(field(*lots)))
    for lot in range(5):
        shuffled = list(lots)
        Random(lot).shuffle(shuffled)
        assert next_pairing(read(report("### a comment", *shuffled, "012 Cup"))) == expected


def test_r3_7_scores_meetings_floats_and_who_is_barred_from_the_bye() -> None:
    data = field(
        player(1, "2.0", "   2 w 1", "   3 w 1"),
        player(2, "1.0", "   1 b 0", "   4 w +"),
        player(3, "1.0", "0000 - U", "   1 b 0"),
        player(4, "0.5", "0000 - H", "   2 b -"),
        player(5, "1.0", "        ", "0000 - F"),
    )
    players = {p.id: p for p in pairing_players(read(data))}
    assert {n: p.score for n, p in players.items()} == {1: 4, 2: 2, 3: 2, 4: 1, 5: 2}
    assert {n: p.met for n, p in players.items()} == {1: {2, 3}, 2: {1, 4}, 3: {1}, 4: {2}, 5: set()}
    assert {n: p.floats for n, p in players.items()} == {1: 0, 2: 1, 3: 0, 4: 1, 5: 0}
    assert {n for n, p in players.items() if p.bye_barred} == {2, 3, 5}
    assert all(p.seed == p.id for p in players.values())


def test_xxz_and_an_entry_for_the_next_round_are_not_paired() -> None:
    pairing = next_pairing(
        read(field(*FRESH[:6], player(7, "0.5", "0000 - H"), player(8, "0.0", "0000 - Z"), more="XXZ 2 5"))
    )
    assert pairing == Pairing(((1, 4), (3, 6)), None)


def test_xxp_keeps_every_pair_of_its_line_apart() -> None:
    pairing = next_pairing(read(field(*FRESH[:6], more="XXP 1 4 5")))
    assert (1, 6) in pairing.pairs
    assert not {(1, 4), (1, 5), (4, 5)} & set(pairing.pairs)


def test_q45_who_left_is_not_paired(example: Season) -> None:
    _, _, file = written(example, SEEDS)
    with pytest.raises(CannotPair) as refusal:
        next_pairing(file)
    assert F not in refusal.value.params["players"]


def test_q9_an_extended_match_counts_as_a_draw_in_the_next_pairing() -> None:
    season = Season()
    season.round(1, (A, D, "1-0"), (B, E, "?"), (C, F, "1-0"))
    _, _, file = written(season, SEEDS)
    assert {p.id: p.score for p in pairing_players(file)} == {A: 2, B: 1, C: 2, D: 0, E: 1, F: 0}
    assert (B, E) not in next_pairing(file).pairs


def test_the_pairs_of_a_drawn_match_may_be_named_as_a_rematch_although_xxp_keeps_them_apart() -> None:
    season = Season()
    season.round(1, (A, B, "r="))
    _, _, file = written(season, {A: 1, B: 2})
    with pytest.raises(CannotPair) as refusal:
        next_pairing(file)
    assert refusal.value.params["rematches"] == ((1, 2),)


# --- Refused ----------------------------------------------------------------------------------------------------


def refusal(data: bytes) -> tuple[str, dict[str, object]]:
    with pytest.raises(CannotPair) as refused:
        next_pairing(read(data))
    return refused.value.code, refused.value.params


def test_after_the_last_round_nothing_is_paired() -> None:
    assert refusal(four().replace(b"XXR 3", b"XXR 2")) == ("trf_over", {"rounds": 2})


def test_a_match_without_a_result_is_waited_for() -> None:
    data = four(p1=player(1, "1.0", "   3 w 1", "   2 b  "), p2=player(2, "1.0", "   4 b 1", "   1 w  "))
    assert refusal(data) == ("trf_undecided", {"round": 2, "matches": ((1, 2),)})


def test_accelerated_pairings_are_refused() -> None:
    assert refusal(four(more="250      1.0   1   2    1    2")) == ("trf_accelerated", {"line": 8})


def test_a_round_that_cannot_be_paired_names_the_rematches() -> None:
    code, params = refusal(report(player(1, "1.0", "   2 w 1"), player(2, "0.0", "   1 b 0")))
    assert (code, params["reason"], params["rematches"]) == ("cannot_pair", "no_opponents_left", ((1, 2),))


@pytest.mark.parametrize(
    "name", ["total_game_points", "mutual_game", "overall_game", "qualification_place", "last_finals"]
)
def test_tiebreaks_that_a_report_cannot_give_are_refused(name: str) -> None:
    with pytest.raises(NotFound) as refused:
        ranking(read(report(*FOUR)), ["buchholz", name])
    assert (refused.value.code, refused.value.params) == ("trf_tiebreak", {"name": name})

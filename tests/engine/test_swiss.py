"""Swiss pairings worked out by hand (R3.7, Q42). Scores are half-points; mostly the id is the seed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product

import pytest

from engine import swiss
from engine.errors import CannotPair
from engine.swiss import Pairing, Player, pair


def field(*scores: int) -> list[Player]:
    """Seeds 1, 2, … with these scores, nobody has met."""
    return [Player(seed, seed, score) for seed, score in enumerate(scores, 1)]


def having_met(players: Iterable[Player], *pairs: tuple[int, int]) -> list[Player]:
    def met(player: Player) -> frozenset[int]:
        return player.met | {b if player.id == a else a for a, b in pairs if player.id in (a, b)}

    return [Player(p.id, p.seed, p.score, met(p), p.floats, p.bye_barred) for p in players]


def floated(players: Iterable[Player], *ids: int) -> list[Player]:
    return [Player(p.id, p.seed, p.score, p.met, p.floats + (p.id in ids), p.bye_barred) for p in players]


def barred(players: Iterable[Player], *ids: int) -> list[Player]:
    return [Player(p.id, p.seed, p.score, p.met, p.floats, p.id in ids) for p in players]


def refusal(
    players: Sequence[Player],
    *,
    forced: Collection[tuple[int, int]] = (),
    forbidden: Collection[tuple[int, int]] = (),
    bye: int | None = None,
) -> CannotPair:
    with pytest.raises(CannotPair) as caught:
        pair(players, key="k", forced=forced, forbidden=forbidden, bye=bye)
    assert caught.value.clause == "R3.7"
    return caught.value


# --- Score groups, halves, fold --------------------------------------------------------------------------------


def test_r3_7_round_1_pairs_seed_i_with_seed_i_plus_half() -> None:
    assert pair(field(*[0] * 8), key="k") == Pairing(((1, 5), (2, 6), (3, 7), (4, 8)), None)


def test_r3_7_round_1_of_a_field_of_45_pairs_i_with_i_plus_22_and_seed_45_has_the_bye() -> None:
    expected = tuple((seed, seed + 22) for seed in range(1, 23))
    assert pair(field(*[0] * 45), key="2022:qualification:r1") == Pairing(expected, 45)


def test_r3_7_rank_in_a_score_group_is_the_seed_not_the_id() -> None:
    players = [Player(70, 2, 0), Player(50, 4, 0), Player(60, 1, 0), Player(40, 3, 0)]
    assert pair(players, key="k").pairs == ((60, 40), (70, 50))


def test_r3_7_score_groups_are_folded_one_by_one() -> None:
    assert pair(field(2, 2, 2, 2, 0, 0, 0, 0), key="k").pairs == ((1, 3), (2, 4), (5, 7), (6, 8))


def test_r3_7_no_rematch_the_nearest_fold_instead() -> None:
    players = having_met(field(2, 2, 2, 2), (1, 3))
    assert pair(players, key="k").pairs == ((1, 4), (2, 3))


@pytest.mark.parametrize(("of_1", "of_3"), [({3}, set[int]()), (set[int](), {1})])
def test_q42_one_side_knowing_of_the_meeting_is_enough(of_1: set[int], of_3: set[int]) -> None:
    players = [Player(1, 1, 2, frozenset(of_1)), Player(2, 2, 2), Player(3, 3, 2, frozenset(of_3)), Player(4, 4, 2)]
    assert pair(players, key="k").pairs == ((1, 4), (2, 3))
    assert refusal([players[0], players[2]]).params["rematches"] == ((1, 3),)


def test_r3_7_top_half_against_bottom_half_even_far_from_the_fold() -> None:
    """Off the fold by 4 + 0 + 4; 1-3, 2-5, 4-6 is off by 1 + 0 + 1 only, with two pairs inside a half."""
    players = having_met(field(0, 0, 0, 0, 0, 0), (1, 4), (1, 5), (2, 4), (2, 6), (3, 5), (3, 6))
    assert pair(players, key="k").pairs == ((1, 6), (2, 5), (3, 4))


def test_r3_7_inside_a_half_only_when_nothing_else_is_left() -> None:
    players = having_met(field(2, 2, 2, 2), (1, 3), (1, 4))
    assert pair(players, key="k").pairs == ((1, 2), (3, 4))


def test_r3_7_odd_groups_float_the_last_of_each() -> None:
    assert pair(field(4, 4, 4, 2, 2, 2), key="k").pairs == ((1, 2), (3, 6), (4, 5))


def test_r3_7_who_floated_does_not_float_again_if_it_can_be_helped() -> None:
    assert pair(floated(field(4, 4, 4, 2, 2, 2), 3), key="k").pairs == ((1, 3), (2, 6), (4, 5))
    assert pair(floated(field(4, 4, 4, 2, 2, 2), 3, 6), key="k").pairs == ((1, 3), (2, 5), (4, 6))


def test_r3_7_floating_again_counts_players_not_how_often() -> None:
    """1 and 2 have each floated once, 3 twice: one of them must again, and then the fold decides for 3."""
    players = floated(floated(field(4, 4, 4, 2), 1, 2, 3), 3)
    assert pair(players, key="k").pairs == ((1, 2), (3, 4))


def test_r3_7_two_small_score_gaps_before_one_large() -> None:
    players = having_met(field(4, 2, 2, 0), (1, 3))
    assert pair(players, key="k").pairs == ((1, 2), (3, 4))


def test_r3_7_a_smaller_score_gap_before_sparing_a_floater() -> None:
    players = having_met(floated(field(4, 4, 4, 2, 0, 0), 3, 4), (1, 4), (2, 4))
    assert pair(players, key="k").pairs == ((1, 2), (3, 4), (5, 6))


def test_r3_7_sparing_a_floater_before_the_halves() -> None:
    """2 and 3 have floated, so 1 does, although 2 and 3 are both in the bottom half of a group of three."""
    players = floated(field(4, 4, 4, 2), 2, 3)
    assert pair(players, key="k").pairs == ((2, 3), (1, 4))


def test_r3_7_places_count_the_whole_group_before_anyone_floats() -> None:
    """3 has met the whole group and floats with one more. Of a group of three, 1-4 would be left; of four it is 2-4."""
    players = having_met(field(4, 4, 4, 4, 2, 2), (3, 1), (3, 2), (3, 4), (1, 2), (1, 5))
    assert pair(players, key="k").pairs == ((2, 4), (1, 6), (3, 5))


def test_r3_7_boards_go_by_score_sum_then_best_seed_better_seed_first() -> None:
    players = [Player(1, 6, 4), Player(2, 5, 4), Player(3, 4, 0), Player(4, 3, 0), Player(5, 2, 2), Player(6, 1, 2)]
    assert pair(players, key="k").pairs == ((2, 1), (6, 5), (4, 3))


# --- The bye ---------------------------------------------------------------------------------------------------


def test_r3_7_bye_goes_to_the_lowest_seed_of_the_lowest_score() -> None:
    assert pair(field(0, 2, 0, 2, 4), key="k").bye == 3


def test_r3_7_bye_passes_over_who_is_barred_then_climbs_to_the_next_score() -> None:
    assert pair(barred(field(4, 2, 2, 0, 0), 5), key="k").bye == 4
    assert pair(barred(field(4, 2, 2, 0, 0), 4, 5), key="k").bye == 3


def test_r3_7_bye_passes_over_who_would_leave_an_unpairable_rest() -> None:
    players = having_met(field(2, 2, 0), (1, 2))
    assert pair(players, key="k") == Pairing(((1, 3),), 2)


def test_r3_7_bye_is_fixed_before_the_rest_whatever_the_rest_costs() -> None:
    """Without 3 the others must pair 8 against 0; a bye for 1 would leave a perfect score group."""
    assert pair(field(8, 0, 0), key="k") == Pairing(((1, 2),), 3)


def test_r3_7_groups_are_halved_without_who_has_the_bye() -> None:
    assert pair(field(0, 0, 0, 0, 0), key="k") == Pairing(((1, 3), (2, 4)), 5)


def test_r3_7_a_td_may_give_the_bye_even_to_a_barred_player() -> None:
    assert pair(barred(field(0, 0, 0), 1), key="k", bye=1) == Pairing(((2, 3),), 1)


def test_q42_nobody_eligible_for_the_bye_is_for_the_td() -> None:
    error = refusal(barred(field(0, 0, 0), 1, 2, 3))
    assert error.code == "no_bye_candidate"
    assert error.params == {"players": (1, 2, 3), "rematches": (), "bye": 3}


def test_q42_who_is_in_a_forced_pair_is_not_eligible_for_the_bye() -> None:
    assert refusal(barred(field(0, 0, 0), 1), forced=[(2, 3)]).code == "no_bye_candidate"


def test_r3_7_a_field_of_one_has_the_bye_and_of_none_nothing() -> None:
    assert pair(field(0), key="k") == Pairing((), 1)
    assert pair([], key="k") == Pairing((), None)


# --- What a TD wishes ------------------------------------------------------------------------------------------


def test_r3_7_forced_and_forbidden_pairs_are_honoured() -> None:
    players = field(0, 0, 0, 0, 0, 0)
    assert (1, 2) in pair(players, key="k", forced=[(2, 1)]).pairs
    assert pair(field(0, 0, 0, 0), key="k", forbidden=[(3, 1)]).pairs == ((1, 4), (2, 3))


def test_r3_7_a_forced_pair_may_be_a_rematch_and_crosses_score_groups() -> None:
    players = having_met(field(4, 4, 0, 0), (1, 4))
    assert pair(players, key="k", forced=[(1, 4)]).pairs == ((1, 4), (2, 3))


def test_r3_7_a_forced_pair_counts_in_the_places_of_its_group() -> None:
    """Without 1, a group of three would pair 2-3 and float 4; in the group of four 2-4 is on the fold."""
    assert pair(field(4, 4, 4, 4, 2, 2), key="k", forced=[(1, 6)]).pairs == ((2, 4), (1, 6), (3, 5))


def test_r3_7_who_is_in_a_forced_pair_does_not_get_the_bye() -> None:
    assert pair(field(0, 0, 0), key="k", forced=[(2, 3)]) == Pairing(((2, 3),), 1)


@pytest.mark.parametrize(
    ("reason", "players", "wishes"),
    [
        ("unknown_player", (9,), {"forced": [(1, 9)]}),
        ("unknown_player", (9,), {"bye": 9}),
        ("player_twice", (1,), {"forced": [(1, 2), (1, 3)]}),
        ("player_twice", (1,), {"forced": [(1, 1)]}),
        ("player_twice", (2,), {"forced": [(1, 2)], "bye": 2}),
        ("forced_and_forbidden", (1, 2), {"forced": [(1, 2)], "forbidden": [(2, 1)]}),
    ],
)
def test_r3_7_wishes_that_contradict_each_other_are_refused(
    reason: str, players: tuple[int, ...], wishes: dict[str, list[tuple[int, int]]]
) -> None:
    error = refusal(field(0, 0, 0), **wishes)  # type: ignore[arg-type]
    assert (error.code, error.params) == (
        "cannot_pair",
        {"reason": reason, "players": players, "rematches": (), "bye": None},
    )


def test_r3_7_a_bye_in_an_even_field_is_refused() -> None:
    error = refusal(field(0, 0), bye=1)
    assert error.params == {"reason": "bye_in_even_field", "players": (1,), "rematches": (), "bye": None}


def test_two_players_with_one_seed_are_a_programming_error() -> None:
    with pytest.raises(ValueError, match="unique"):
        pair([Player(1, 1, 0), Player(2, 1, 0)], key="k")


# --- When there is no pairing ----------------------------------------------------------------------------------


def test_r3_7_no_pairing_names_the_smallest_set_of_rematches() -> None:
    """Three rounds of 1, 2, 3 against 4, 5, 6: two groups of three are left. One rematch mends it; 2-5 is the one
    on the fold that leaves 1-3 and 4-6."""
    players = having_met(field(0, 0, 0, 0, 0, 0), *product((1, 2, 3), (4, 5, 6)))
    error = refusal(players)
    assert error.code == "cannot_pair"
    assert error.params["reason"] == "no_opponents_left"
    assert error.params["rematches"] == ((2, 5),)
    assert len(error.params["players"]) == 2
    assert pair(players, key="k", forced=[(2, 5)]).pairs == ((1, 3), (2, 5), (4, 6))


def test_r3_7_the_fewest_rematches_come_before_any_other_cost() -> None:
    """1 has met everybody. 1-4 and 2-3 would be on the fold, but 2-3 is a second rematch."""
    players = having_met(field(8, 0, 0, 0), (1, 2), (1, 3), (1, 4), (2, 3))
    error = refusal(players)
    assert 1 in error.params["players"]
    assert error.params["rematches"] == ((1, 3),)


def test_r3_7_no_pairing_in_an_odd_field_says_who_could_meet_again_beside_the_bye() -> None:
    players = barred(having_met(field(4, 2, 0), (1, 2), (2, 3)), 2)
    error = refusal(players)
    assert error.params["rematches"] == ((1, 2),)
    assert pair(players, key="k", forced=[(1, 2)]) == Pairing(((1, 2),), 3)


def test_r3_7_the_bye_a_td_chose_stays_when_rematches_are_counted() -> None:
    players = having_met(field(0, 0, 0), (1, 2))
    error = refusal(players, bye=3)
    assert error.params == {"reason": "no_opponents_left", "players": (1, 2), "rematches": ((1, 2),), "bye": None}


def test_r3_7_forbidden_pairs_are_never_offered_as_rematches() -> None:
    error = refusal(having_met(field(0, 0), (1, 2)), forbidden=[(1, 2)])
    assert error.params == {"reason": "forbidden_pairs", "players": (1, 2), "rematches": (), "bye": None}


def test_r3_7_no_rematches_are_offered_where_they_would_not_do() -> None:
    """2 and 3 could meet again, but 1 and 4 may meet nobody."""
    everybody = list(combinations((1, 2, 3, 4), 2))
    error = refusal(having_met(field(0, 0, 0, 0), *everybody), forbidden=[pair for pair in everybody if pair != (2, 3)])
    assert error.params == {"reason": "forbidden_pairs", "players": (1, 2, 3, 4), "rematches": (), "bye": None}


def test_q42_a_second_bye_goes_to_who_needs_the_fewest_rematches_beside_it_then_by_score_and_seed() -> None:
    players = barred(having_met(field(4, 2, 0), (1, 2)), 1, 2, 3)
    error = refusal(players)
    assert (error.params["bye"], error.params["rematches"]) == (2, ())
    assert pair(players, key="k", bye=2) == Pairing(((1, 3),), 2)
    error = refusal(barred(having_met(field(4, 2, 0), (1, 2), (1, 3), (2, 3)), 1, 2, 3))
    assert (error.params["bye"], error.params["rematches"]) == (3, ((1, 2),))


def test_r3_7_a_second_bye_is_offered_only_where_no_rematch_would_do() -> None:
    """3 has had the bye and met both others. A rematch comes before a second bye, unless 3 may not meet anybody."""
    players = barred(having_met(field(4, 2, 0), (1, 3), (2, 3)), 3)
    apart = refusal(players, forbidden=[(1, 3), (2, 3)])
    assert apart.params == {"reason": "no_opponents_left", "players": (3,), "rematches": (), "bye": 3}
    assert pair(players, key="k", forbidden=[(1, 3), (2, 3)], bye=3) == Pairing(((1, 2),), 3)
    met = refusal(players)
    assert (met.params["rematches"], met.params["bye"]) == (((1, 3),), None)
    assert pair(players, key="k", forced=[(1, 3)]) == Pairing(((1, 3),), 2)


def test_q42_nothing_is_offered_where_not_even_a_second_bye_would_do() -> None:
    error = refusal(barred(field(0, 0, 0), 1, 2, 3), forbidden=[(1, 2), (1, 3), (2, 3)])
    assert (error.code, error.params["rematches"], error.params["bye"]) == ("no_bye_candidate", (), None)


# --- Who comes and goes ----------------------------------------------------------------------------------------


def test_q44g_a_late_entrant_is_paired_by_score_and_last_seed_and_renumbers_nobody() -> None:
    """Seed 5 enters after a round of four: an odd field of which the last of the lowest score has the bye."""
    after_one = having_met(field(2, 2, 0, 0), (1, 3), (2, 4))
    late = Player(77, 5, 0)
    assert pair(after_one, key="k").pairs == ((1, 2), (3, 4))
    assert pair([*after_one, late], key="k") == Pairing(((1, 2), (3, 4)), 77)
    assert pair([*after_one, late, Player(78, 6, 0)], key="k").pairs == ((1, 2), (3, 77), (4, 78))


def test_q43_who_has_left_is_not_paired_and_stays_met() -> None:
    """Seed 4 has left: places close up, and that 2 has met him changes nothing."""
    players = having_met(field(0, 0, 0, 0, 0), (2, 4))
    still_in = [player for player in players if player.id != 4]
    assert pair(still_in, key="k") == Pairing(((1, 3), (2, 5)), None)


def test_q44g_a_late_entrant_and_the_bye_holder_may_be_paired_by_a_td() -> None:
    """Two who are free in a published round (Q43 too) meet by a forced pair."""
    free = [Player(45, 45, 0, bye_barred=True), Player(46, 46, 0)]
    assert pair(free, key="k", forced=[(45, 46)]) == Pairing(((45, 46),), None)


# --- What is otherwise equal -----------------------------------------------------------------------------------


def test_r3_7_the_key_settles_what_is_otherwise_equal_and_nothing_more() -> None:
    """1-2, 3-4 and 1-3, 2-4 cost the same."""
    chosen = {pair(field(4, 2, 2, 0), key=f"2023:qualification:r{n}").pairs for n in range(20)}
    assert chosen == {((1, 2), (3, 4)), ((1, 3), (2, 4))}
    assert {pair(field(0, 0, 0, 0), key=f"r{n}").pairs for n in range(20)} == {((1, 3), (2, 4))}


def test_r3_7_the_key_settles_by_the_smallest_sum_of_sha256_heads() -> None:
    """The first six bytes of sha256("r0:1:2") and so on, added for both pairings: the same on every machine."""
    first_boards = [pair(field(4, 2, 2, 0), key=f"r{n}").pairs[0] for n in range(6)]
    assert first_boards == [(1, 2), (1, 3), (1, 2), (1, 3), (1, 2), (1, 3)]


# --- Weights that do not fit -----------------------------------------------------------------------------------


def test_weights_beyond_125_bits_shorten_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> object:
        raise AssertionError("not needed yet")

    monkeypatch.setattr(swiss, "_match_any_size", slow)
    unit = 2**38
    assert pair(field(*(score * unit for score in (4, 4, 4, 2, 2, 2))), key="k").pairs == ((1, 2), (3, 6), (4, 5))


def test_weights_beyond_any_shortening_are_matched_by_networkx() -> None:
    unit = 2**80
    players = floated(field(*(score * unit for score in (4, 4, 4, 2, 2, 2))), 3)
    assert pair(players, key="k").pairs == ((1, 3), (2, 6), (4, 5))

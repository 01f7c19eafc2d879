"""The published numbers of 2023, clause by clause, as the shipped ruleset has them."""

from __future__ import annotations

from datetime import date, time, timedelta
from functools import reduce
from typing import Any

import pytest

from engine.model import Stage
from engine.rules import load, shipped_text
from engine.rules.values import Deadline, Seat, WeekTime

RULES = load(shipped_text("2023"))
MIN, HOUR = timedelta(minutes=1), timedelta(hours=1)
MON, TUE, THU, FRI, SUN = 0, 1, 3, 4, 6

PUBLISHED: list[tuple[str, str, Any]] = [
    ("R2.1", "entry.account_created_before", date(2023, 1, 1)),
    ("R2.2", "entry.min_games", 1000),
    ("R2.2", "entry.min_games_before", date(2023, 3, 12)),
    ("R2.3", "entry.engine_mark_after", date(2020, 1, 1)),
    ("R2.4", "entry.boost_mark_after", date(2022, 1, 1)),
    ("R2.7", "entry.bots", False),
    ("R2.8", "seeding.method", "rating_at_close"),
    ("R2.8", "seeding.then", ("rated_games", "lichess_id")),
    ("R3.1", "variant", "antichess"),
    ("R3.3", "swiss.points_win", 2),
    ("R3.3", "swiss.points_draw", 1),
    ("R3.3", "swiss.points_loss", 0),
    ("R3.3", "matches.qualification.games", 10),
    ("R3.3", "matches.qualification.stop", "decided"),
    ("R3.3", "matches.qualification.tied", "draw"),
    ("R3.4", "swiss.rounds_log2", "floor"),
    ("R3.4", "swiss.rounds_plus", 2),
    ("R3.6", "swiss.tiebreaks", ("cumulative", "wins_against_tied", "median_buchholz", "seed")),
    ("R3.6", "swiss.forfeit_wins_count", True),
    ("R3.6", "swiss.unplayed", "virtual"),
    ("R3.6", "swiss.absent", "zero"),
    ("R3.7", "swiss.bye_points", 2),
    ("R3.7", "swiss.rank_in_group", "seed"),
    ("R3.9", "matches.candidates.games", 10),
    ("R3.9", "candidates.encounters", 1),
    ("R3.10", "matches.candidates.stop", "all_games"),
    (
        "R3.12",
        "candidates.tiebreaks",
        ("mutual_match", "mutual_game", "overall_game", "last_finals", "qualification_place"),
    ),
    ("R3.11", "matches.semifinals.games", 10),
    ("R3.13", "matches.semifinals.tied", "armageddon"),
    ("R3.13", "matches.semifinals.extra_games", 0),
    ("R3.14", "matches.grand_final.games", 12),
    ("R3.14", "matches.third_place.games", 12),
    ("R3.15", "matches.grand_final.extra_games", 4),
    ("R3.15", "matches.third_place.extra_games", 2),
    ("R3.16", "armageddon.black_clock", 180),
    ("R3.16", "armageddon.increment", 0),
    ("R3.16", "armageddon.draw_wins", "black"),
    ("R3.16", "armageddon.bid_within", 24 * HOUR),
    ("R3.16", "armageddon.no_bid", 180),
    ("R4.1", "week.weeks_per_round", 1),
    ("R4.2", "week.free_weeks_before_candidates", 1),
    ("R4.2", "week.free_weeks_before_semifinals", 1),
    ("R4.2", "week.free_weeks_before_finals", 0),
    ("R4.3", "starts", date(2023, 3, 19)),
    ("R4.3", "week.first_publish", time(12)),
    ("R4.3", "week.publish", WeekTime(TUE, time(12))),
    ("R4.4", "week.match_deadline", Deadline(WeekTime(MON, time(23, 59)))),
    ("R4.4", "games.finish_by", 2 * HOUR),
    ("R5.1", "week.offer_deadline", Deadline(WeekTime(FRI, time(23, 59)))),
    ("R5.1", "offers.count", 3),
    ("R5.1", "reminders.no_offer", WeekTime(THU, time(18))),
    ("R5.1", "reminders.too_few", WeekTime(FRI, time(12))),
    ("R5.1", "reminders.last_call", WeekTime(FRI, time(21))),
    ("R5.4", "offers.min_gap", 3 * HOUR),
    ("R5.4", "offers.max_per_date", 2),
    ("R5.5", "set_time.min_notice", 12 * HOUR),
    ("R5.5", "set_time.choose_by", WeekTime(SUN, time(12))),
    ("R5.6", "no_agreement.both_failed_points", 1),
    ("R5.6", "no_agreement.both_failed_forfeits", True),
    ("R5.7", "offers.answer_within", 24 * HOUR),
    ("R5.9", "no_agreement.no_fault_points", 1),
    ("R5.9", "no_agreement.no_fault_forfeits", False),
    ("R6.1", "evening.breaks", 1),
    ("R6.1", "evening.break_length", 10 * MIN),
    ("R6.3", "evening.grace", 10 * MIN),
    ("R6.4", "evening.return_within", 10 * MIN),
    ("R6.5", "forfeits.to_disqualify", 2),
    ("R7.3", "reporting.marks_checked_every", HOUR),
    ("R8.2", "leaving.reaching_back", ("engine",)),
    ("Q4", "offers.min_notice", 60 * MIN),
    ("Q4", "offers.latest_before_deadline", 60 * MIN),
    ("Q5", "set_time.latest_before_deadline", 60 * MIN),
    ("Q12", "games.before_start", 10 * MIN),
    ("Q14", "week.late_publication", 72 * HOUR),
    ("Q38d", "evening.absence_report_within", 60 * MIN),
    ("Q41", "armageddon.throw_within", 5 * MIN),
    ("Q46", "candidates.accept_by", Deadline(WeekTime(MON, time(23, 59)))),
    ("Q52c", "candidates.min_players", 8),
]


@pytest.mark.parametrize(("clause", "key", "value"), PUBLISHED, ids=[f"{c}-{k}" for c, k, _ in PUBLISHED])
def test_the_value_of_a_clause(clause: str, key: str, value: object) -> None:
    assert reduce(getattr, key.split("."), RULES) == value  # type: ignore[comparison-overlap]


def test_r2_5_one_recent_or_two_older_cheat_detected_games() -> None:
    assert [(rule.count, rule.since) for rule in RULES.entry.cheat_games] == [
        (1, date(2022, 1, 1)),
        (2, date(2020, 1, 1)),
    ]


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize("third_place", [False, True])
def test_r3_1_every_match_is_rated_one_plus_two(stage: Stage, third_place: bool) -> None:
    match = RULES.match(stage, third_place=third_place)
    assert (match.clock_initial, match.clock_increment, match.rated) == (60, 2, True)


def test_r3_5_r3_8_twelve_qualify_into_the_published_pools() -> None:
    seating = RULES.candidates.seating_for(0)
    assert seating.qualifiers == 12
    assert {pool.name: pool.places for pool in seating.pools} == {
        "upper": (12, 9, 7, 6, 4, 1),
        "lower": (11, 10, 8, 5, 3, 2),
    }


def test_r3_11_pool_winners_meet_the_other_runner_up() -> None:
    assert RULES.knockout.semifinals == (
        (Seat("upper", 1), Seat("lower", 2)),
        (Seat("lower", 1), Seat("upper", 2)),
    )


def test_r3_15_the_two_finals_have_their_own_rules() -> None:
    assert RULES.match(Stage.FINALS) is RULES.matches.grand_final
    assert RULES.match(Stage.FINALS, third_place=True) is RULES.matches.third_place

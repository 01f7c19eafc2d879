"""What a ruleset must be able to say at least (the list of design section 7), each item with values unlike 2023's."""

from __future__ import annotations

from datetime import date, time, timedelta
from functools import reduce
from typing import Any

import pytest

from engine.rules import Ruleset, load
from engine.rules.schema import CheatGames, Pool, Seating
from engine.rules.values import Deadline, Seat, WeekTime
from tests.rules.ruleset_text import TEXT, with_value

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

FOUR_OR_THREE_AND_THE_CHAMPION = """
[[candidates.seating]]
direct = 0
qualifiers = 4
pools = [{ name = "upper", places = [1, 4], direct = [] }, { name = "lower", places = [2, 3], direct = [] }]

[[candidates.seating]]
direct = 1
qualifiers = 3
pools = [{ name = "upper", places = [3], direct = [1] }, { name = "lower", places = [1, 2], direct = [] }]
"""
SIX_IN_ONE_POOL = """
[[candidates.seating]]
direct = 0
qualifiers = 6
pools = [{ name = "all", places = [1, 2, 3, 4, 5, 6], direct = [] }]
"""


def pool(name: str, places: tuple[int, ...], direct: tuple[int, ...] = ()) -> Pool:
    return Pool(name=name, places=places, direct=direct)


# Item of the list -> the changed lines, and what the ruleset then says.
ITEMS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "time control per stage": (
        {"matches.semifinals.clock_initial": "180", "matches.grand_final.clock_increment": "0"},
        {
            "matches.qualification.clock_initial": 60,
            "matches.semifinals.clock_initial": 180,
            "matches.third_place.clock_increment": 2,
            "matches.grand_final.clock_increment": 0,
        },
    ),
    "entry conditions and cut-offs": (
        {
            "entry.account_created_before": "2022-12-01",
            "entry.min_games": "50",
            "entry.min_games_before": "2023-03-01",
            "entry.engine_mark_after": "2019-01-01",
            "entry.boost_mark_after": "2019-06-01",
            "entry.cheat_games.since": "2022-09-01",
            "entry.bots": 'true\nteam = "some-team"\nmin_rating = 1800',
        },
        {
            "entry.account_created_before": date(2022, 12, 1),
            "entry.min_games": 50,
            "entry.min_games_before": date(2023, 3, 1),
            "entry.engine_mark_after": date(2019, 1, 1),
            "entry.boost_mark_after": date(2019, 6, 1),
            "entry.cheat_games": (
                CheatGames(count=1, since=date(2022, 9, 1)),
                CheatGames(count=2, since=date(2020, 1, 1)),
            ),
            "entry.bots": True,
            "entry.team": "some-team",
            "entry.min_rating": 1800,
        },
    ),
    "seeds: rating at a moment": (
        {"registration.closes": "2023-03-05\nopens = 2023-02-01", "seeding.then": '["lichess_id"]'},
        {
            "registration.closes": date(2023, 3, 5),
            "registration.opens": date(2023, 2, 1),
            "seeding.then": ("lichess_id",),
        },
    ),
    "seeds: average with the peak of a period": (
        {"seeding.method": '"average_with_peak"\npeak_from = 2022-09-01\npeak_until = 2023-03-01'},
        {
            "seeding.method": "average_with_peak",
            "seeding.peak_from": date(2022, 9, 1),
            "seeding.peak_until": date(2023, 3, 1),
        },
    ),
    "direct entrants to a later stage": (
        {"knockout.direct": '["Champion"]', "knockout.semifinals": '[["direct 1", "lower 2"], ["lower 1", "upper 1"]]'},
        {
            "knockout.direct": ("Champion",),
            "knockout.semifinals": ((Seat("direct", 1), Seat("lower", 2)), (Seat("lower", 1), Seat("upper", 1))),
        },
    ),
    "direct entrants to a pool": (
        {
            "candidates.direct": '["Champion"]',
            "candidates.tiebreaks": '["last_finals", "seed"]',
            "candidates.min_players": "4",
            "candidates.seating": FOUR_OR_THREE_AND_THE_CHAMPION,
        },
        {
            "candidates.direct": ("Champion",),
            "candidates.seating": (
                Seating(direct=0, qualifiers=4, pools=(pool("upper", (1, 4)), pool("lower", (2, 3)))),
                Seating(direct=1, qualifiers=3, pools=(pool("upper", (3,), (1,)), pool("lower", (1, 2)))),
            ),
        },
    ),
    "rounds: ceil log2 plus k": (
        {"swiss.rounds_log2": '"ceil"', "swiss.rounds_plus": "1"},
        {"swiss.rounds_log2": "ceil", "swiss.rounds_plus": 1},
    ),
    "qualifiers and pool maps": (
        {
            "candidates.min_players": "4",
            "candidates.seating": SIX_IN_ONE_POOL,
            "knockout.semifinals": '[["all 1", "all 4"], ["all 2", "all 3"]]',
        },
        {
            "candidates.seating": (Seating(direct=0, qualifiers=6, pools=(pool("all", (1, 2, 3, 4, 5, 6)),)),),
            "knockout.semifinals": ((Seat("all", 1), Seat("all", 4)), (Seat("all", 2), Seat("all", 3))),
        },
    ),
    "match length": (
        {"matches.qualification.games": "8", "matches.grand_final.games": "16"},
        {"matches.qualification.games": 8, "matches.grand_final.games": 16},
    ),
    "stop policy: decided": ({"matches.semifinals.stop": '"decided"'}, {"matches.semifinals.stop": "decided"}),
    "stop policy: optional after decided": (
        {"matches.qualification.stop": '"optional_after_decided"'},
        {"matches.qualification.stop": "optional_after_decided"},
    ),
    "stop policy: all games": (
        {"matches.grand_final.stop": '"all_games"'},
        {"matches.grand_final.stop": "all_games"},
    ),
    "tied match: draw stands": ({}, {"matches.qualification.tied": "draw"}),
    "tied match: k more games then armageddon": (
        {"matches.semifinals.extra_games": "6"},
        {"matches.semifinals.tied": "armageddon", "matches.semifinals.extra_games": 6},
    ),
    "tied match: pairs until decided": (
        {"matches.semifinals.tied": '"pairs_until_decided"'},
        {"matches.semifinals.tied": "pairs_until_decided"},
    ),
    "ordered tiebreaks": (
        {
            "swiss.tiebreaks": '["buchholz_cut_1", "sonneborn_berger", "direct_encounter", "wins", "seed"]',
            "candidates.tiebreaks": '["direct_encounter", "sonneborn_berger", "seed"]',
        },
        {
            "swiss.tiebreaks": ("buchholz_cut_1", "sonneborn_berger", "direct_encounter", "wins", "seed"),
            "candidates.tiebreaks": ("direct_encounter", "sonneborn_berger", "seed"),
        },
    ),
    "bye and forfeit values": (
        {
            "swiss.bye_points": "0.5",
            "registration.missed_round_points": "0.5",
            "no_agreement.both_failed_points": "0",
            "no_agreement.no_fault_points": "0",
            "leaving.both_left_points": "0.5",
            "forfeits.double_points": "[0]",
        },
        {
            "swiss.bye_points": 1,
            "registration.missed_round_points": 1,
            "no_agreement.both_failed_points": 0,
            "no_agreement.no_fault_points": 0,
            "leaving.both_left_points": 1,
            "forfeits.double_points": (0,),
        },
    ),
    "the week: publish day and hour, offer and match deadlines": (
        {
            "week.publish": '"thursday 18:00"',
            "week.offer_deadline": '"saturday 23:59"',
            "week.match_deadline": '"wednesday 23:59"',
            "set_time.choose_by": '"monday 12:00"',
            "reminders.no_offer": '"friday 18:00"',
            "reminders.too_few": '"saturday 12:00"',
            "reminders.last_call": '"saturday 21:00"',
        },
        {
            "week.publish": WeekTime(3, time(18)),
            "week.offer_deadline": Deadline(WeekTime(5, time(23, 59))),
            "week.match_deadline": Deadline(WeekTime(2, time(23, 59))),
        },
    ),
    "the week: the first round's own day and hour": (
        {"starts": "2023-03-20", "week.first_publish": "15:00:00"},
        {"starts": date(2023, 3, 20), "week.first_publish": time(15)},
    ),
    "the week: free weeks": (
        {"week.free_weeks_before_candidates": "2", "week.free_weeks_before_finals": "1"},
        {
            "week.free_weeks_before_candidates": 2,
            "week.free_weeks_before_semifinals": 1,
            "week.free_weeks_before_finals": 1,
        },
    ),
    "offer duty": (
        {"offers.count": "4", "offers.min_gap": '"4 h"', "offers.max_per_date": "1"},
        {"offers.count": 4, "offers.min_gap": 4 * HOUR, "offers.max_per_date": 1},
    ),
    "grace and break minutes": (
        {"evening.grace": '"15 min"', "evening.break_length": '"5 min"', "evening.breaks": "2"},
        {"evening.grace": 15 * MINUTE, "evening.break_length": 5 * MINUTE, "evening.breaks": 2},
    ),
    "forfeits that disqualify": (
        {"forfeits.to_disqualify": "3", "forfeits.counting": '["no_show", "left"]'},
        {"forfeits.to_disqualify": 3, "forfeits.counting": ("no_show", "left")},
    ),
    "effect of leaving per stage": (
        {"leaving.reaching_back": '["engine", "guilty"]', "leaving.keeps_place": '["withdrawal", "disqualification"]'},
        {
            "leaving.qualification": "opponent_wins_open_match",
            "leaving.before_candidates": "next_moves_up",
            "leaving.reaching_back": ("engine", "guilty"),
            "leaving.candidates": "disregard_matches",
            "leaving.semifinals": "pool_moves_up",
            "leaving.finals": "semifinal_loser_then_pool",
            "leaving.keeps_place": ("withdrawal", "disqualification"),
        },
    ),
    "who may report": ({"reporting.by": '["bot", "director"]'}, {"reporting.by": ("bot", "director")}),
}


def value(rules: Ruleset, key: str) -> Any:
    return reduce(getattr, key.split("."), rules)


def changed(changes: dict[str, str]) -> str:
    text = TEXT
    for key, toml in changes.items():
        if key == "candidates.seating":
            before, _, rest = text.partition("[[candidates.seating]]")
            text = before + toml + "\n[knockout]" + rest.partition("[knockout]")[2]
        else:
            text = with_value(text, key, toml)
    return text


@pytest.mark.parametrize("item", ITEMS)
def test_a_ruleset_can_say(item: str) -> None:
    changes, says = ITEMS[item]
    rules = load(changed(changes))
    assert {key: value(rules, key) for key in says} == says


@pytest.mark.parametrize("item", ITEMS)
def test_the_item_says_something_else_than_2023(item: str) -> None:
    changes, says = ITEMS[item]
    own = load(TEXT)
    assert not changes or any(value(own, key) != wanted for key, wanted in says.items())

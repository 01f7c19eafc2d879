"""Another real edition, with other rules, is a text and no code: the Antichess World Championship 2022."""

from __future__ import annotations

from datetime import UTC, date, datetime

from engine.calendar import edition_calendar
from engine.model import Stage
from engine.rules import Ruleset, load
from tests.rules.ruleset_text import TEXT, with_value

# What differs from 2023: clock, entry conditions, seeds, tiebreaks, the start on a Tuesday, direct entrants.
CHANGES = {
    "name": '"2022"',
    "title": '"Antichess World Championship 2022"',
    "starts": "2022-11-08",
    "entry.account_created_before": "2022-05-01",
    "entry.min_games": "100",
    "entry.min_games_before": "2022-11-01",
    "entry.engine_mark_after": "2019-11-01",
    "entry.boost_mark_after": "2021-11-01",
    "registration.closes": "2022-11-01",
    "seeding.method": '"average_with_peak"\npeak_from = 2022-05-01\npeak_until = 2022-11-01',
    "swiss.tiebreaks": '["median_buchholz", "cumulative", "kashdan", "seed"]',
    "matches.qualification.stop": '"optional_after_decided"',
    "candidates.direct": '["last_champion", "last_runner_up"]',
    "candidates.tiebreaks": '["mutual_match", "mutual_game", "overall_game", "last_finals", "seed"]',
}
SEATING = """
[[candidates.seating]]
direct = 1
qualifiers = 11
pools = [
    { name = "upper", places = [10, 9, 6, 5, 3], direct = [1] },
    { name = "lower", places = [11, 8, 7, 4, 2, 1], direct = [] },
]

[[candidates.seating]]
direct = 2
qualifiers = 10
pools = [
    { name = "upper", places = [9, 8, 5, 4, 2], direct = [1] },
    { name = "lower", places = [10, 7, 6, 3, 1], direct = [2] },
]

[knockout]
"""


def edition_2022() -> Ruleset:
    text = TEXT
    for key, value in CHANGES.items():
        text = with_value(text, key, value)
    text = text.replace("clock_initial = 60", "clock_initial = 120").replace(
        "clock_increment = 2 ", "clock_increment = 5 "
    )
    text = text.replace("since = 2022-01-01", "since = 2021-11-01").replace("since = 2020-01-01", "since = 2019-11-01")
    return load(text.replace("\n[knockout]\n", SEATING), "2022.toml")


def test_r2_8_seeds_from_an_average_with_the_peak_of_a_period() -> None:
    seeding = edition_2022().seeding
    assert (seeding.method, seeding.peak_from, seeding.peak_until) == (
        "average_with_peak",
        date(2022, 5, 1),
        date(2022, 11, 1),
    )


def test_r3_1_two_plus_five() -> None:
    match = edition_2022().match(Stage.QUALIFICATION)
    assert (match.clock_initial, match.clock_increment, match.stop) == (120, 5, "optional_after_decided")


def test_r3_8_direct_entrants_change_the_number_of_qualifiers_and_the_pools() -> None:
    candidates = edition_2022().candidates
    assert [candidates.seating_for(direct).qualifiers for direct in (0, 1, 2)] == [12, 11, 10]
    upper, lower = candidates.seating_for(2).pools
    assert (upper.direct, upper.size, lower.direct, lower.size) == ((1,), 6, (2,), 6)


def test_r4_3_a_first_round_on_a_tuesday_runs_over_new_year() -> None:
    calendar = edition_calendar(edition_2022(), date(2022, 11, 8), 106)
    assert [slot.publish_at.date() for slot in calendar if slot.stage is Stage.QUALIFICATION] == [
        date(2022, 11, 8),
        date(2022, 11, 15),
        date(2022, 11, 22),
        date(2022, 11, 29),
        date(2022, 12, 6),
        date(2022, 12, 13),
        date(2022, 12, 20),
        date(2022, 12, 27),
    ]
    assert calendar[7].matches_by == datetime(2023, 1, 3, tzinfo=UTC)
    assert calendar[8].publish_at == datetime(2023, 1, 10, 12, tzinfo=UTC)

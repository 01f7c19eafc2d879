"""The facts of another real edition, with other rules: the Antichess World Championship 2022 as shipped."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import reduce
from typing import Any

import pytest

from engine.calendar import edition_calendar, rounds
from engine.model import Stage
from engine.rules import load, shipped_text
from engine.rules.fields import leaves

RULES = load(shipped_text("2022"))
RULES_2023 = load(shipped_text("2023"))
CHAMPION, RUNNER_UP = "<champion of 2021>", "<runner-up of 2021>"

FACTS: list[tuple[str, str, Any]] = [
    ("R2.1", "entry.account_created_before", date(2022, 5, 1)),
    ("R2.2", "entry.min_games", 100),
    ("R2.2", "entry.min_games_before", date(2022, 11, 1)),
    ("R2.3", "entry.engine_mark_after", date(2019, 11, 1)),
    ("R2.4", "entry.boost_mark_after", date(2021, 11, 1)),
    ("R2.8", "registration.closes", date(2022, 11, 1)),
    ("R2.8", "seeding.method", "average_with_peak"),
    ("R2.8", "seeding.peak_from", date(2022, 5, 1)),
    ("R2.8", "seeding.peak_until", date(2022, 11, 1)),
    ("R3.4", "swiss.rounds_log2", "floor"),
    ("R3.4", "swiss.rounds_plus", 2),
    ("R3.3", "matches.qualification.games", 10),
    ("R3.3", "matches.qualification.stop", "optional_after_decided"),
    ("R3.6", "swiss.tiebreaks", ("median_buchholz", "cumulative", "kashdan", "seed")),
    ("R3.8", "candidates.direct", (CHAMPION, RUNNER_UP)),
    ("R3.12", "candidates.last_finals", (CHAMPION, RUNNER_UP)),
    ("R3.10", "matches.candidates.stop", "all_games"),
    ("R4.3", "starts", date(2022, 11, 8)),
]


@pytest.mark.parametrize(("clause", "key", "value"), FACTS, ids=[f"{c}-{k}" for c, k, _ in FACTS])
def test_the_value_of_a_fact(clause: str, key: str, value: object) -> None:
    assert reduce(getattr, key.split("."), RULES) == value  # type: ignore[comparison-overlap]


def test_r2_5_one_recent_or_two_older_cheat_detected_games() -> None:
    assert [(rule.count, rule.since) for rule in RULES.entry.cheat_games] == [
        (1, date(2021, 11, 1)),
        (2, date(2019, 11, 1)),
    ]


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize("third_place", [False, True])
def test_r3_1_every_match_is_rated_two_plus_five(stage: Stage, third_place: bool) -> None:
    match = RULES.match(stage, third_place=third_place)
    assert (match.clock_initial, match.clock_increment, match.rated) == (120, 5, True)


def test_r3_12_candidates_ties_are_as_in_2023_and_at_last_the_seed() -> None:
    assert RULES.candidates.tiebreaks == (*RULES_2023.candidates.tiebreaks, "seed")


def test_everything_else_is_as_in_2023() -> None:
    differing = {
        key
        for key, _ in leaves()
        if not key.startswith(("entry.cheat_games.", "candidates.seating."))
        and reduce(getattr, key.split("."), RULES) != reduce(getattr, key.split("."), RULES_2023)  # type: ignore[arg-type]
    }
    clocks = {key for key, _ in leaves() if key.endswith((".clock_initial", ".clock_increment"))}
    same = {"swiss.rounds_log2", "swiss.rounds_plus", "matches.qualification.games", "matches.candidates.stop"}
    named = {key for _, key, _ in FACTS} - same
    assert differing == named | clocks | {"name", "title", "candidates.tiebreaks"}
    assert RULES.candidates.seating[0] == RULES_2023.candidates.seating[0]


# Who of the direct entrants plays -> the upper and the lower pool; numbers are places of the Qualification.
POOLS: list[tuple[list[str], list[int | str], list[int | str]]] = [
    ([], [12, 9, 7, 6, 4, 1], [11, 10, 8, 5, 3, 2]),
    ([CHAMPION], [10, 9, 6, 5, 3, CHAMPION], [11, 8, 7, 4, 2, 1]),
    ([RUNNER_UP], [10, 9, 6, 5, 3, RUNNER_UP], [11, 8, 7, 4, 2, 1]),
    ([CHAMPION, RUNNER_UP], [9, 8, 5, 4, 2, CHAMPION], [10, 7, 6, 3, 1, RUNNER_UP]),
]


@pytest.mark.parametrize(("playing", "upper", "lower"), POOLS, ids=["none", "champion", "runner-up", "both"])
def test_r3_5_r3_8_who_of_the_direct_entrants_plays_makes_the_pools(
    playing: list[str], upper: list[int | str], lower: list[int | str]
) -> None:
    seating = RULES.candidates.seating_for(len(playing))
    assert seating.qualifiers == 12 - len(playing)
    pools = {pool.name: [*pool.places, *(playing[number - 1] for number in pool.direct)] for pool in seating.pools}
    assert pools == {"upper": upper, "lower": lower}


def test_r3_8_the_direct_entrants_have_no_account_before_a_director_names_one() -> None:
    assert RULES.unnamed == (CHAMPION, RUNNER_UP)
    text = shipped_text("2022").replace(CHAMPION, "Last_Champion").replace(RUNNER_UP, "second-best")
    named = load(text)
    assert named.unnamed == ()
    assert named.candidates.direct == named.candidates.last_finals == ("Last_Champion", "second-best")


def test_r3_4_r4_2_r4_3_every_publication_of_2022() -> None:
    # 78 or more entered: eight rounds; a free week each before the Candidates and before the Semifinals.
    assert rounds(RULES, 78) == 8
    calendar = edition_calendar(RULES, date(2022, 11, 8), 78)
    published = {stage: [slot.publish_at for slot in calendar if slot.stage is stage] for stage in Stage}

    def noon(year: int, *days: tuple[int, int]) -> list[datetime]:
        return [datetime(year, month, day, 12, tzinfo=UTC) for month, day in days]

    assert published == {
        Stage.QUALIFICATION: noon(2022, (11, 8), (11, 15), (11, 22), (11, 29), (12, 6), (12, 13), (12, 20), (12, 27)),
        Stage.CANDIDATES: noon(2023, (1, 10), (1, 17), (1, 24), (1, 31), (2, 7)),
        Stage.SEMIFINALS: noon(2023, (2, 21)),
        Stage.FINALS: noon(2023, (2, 28)),
    }
    assert all(slot.publish_at.strftime("%A") == "Tuesday" for slot in calendar)
    assert calendar[0].offers_by == datetime(2022, 11, 12, tzinfo=UTC)
    assert calendar[0].matches_by == datetime(2022, 11, 15, tzinfo=UTC)
    assert calendar[7].matches_by == datetime(2023, 1, 3, tzinfo=UTC)
    assert calendar[-1].matches_by == datetime(2023, 3, 7, tzinfo=UTC)

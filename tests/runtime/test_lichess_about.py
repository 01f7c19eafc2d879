"""What else a check asks about an account: the rating history and the teams."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from acwc_bot.lichess_payloads import read_history, read_team_ids
from engine.ports import RatingDay
from tests.support_lichess import offline_lichess


async def test_a_rating_history_has_a_day_for_every_point_and_months_from_january():
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        days = [(date(2022, 1, 31), 1500), (date(2022, 12, 1), 1650), (date(2023, 2, 28), 1601)]
        rig.world.set_history("ANT", "antichess", days)
        rig.world.set_history("ant", "threeCheck", [(date(2020, 2, 29), 1400)])
        assert await rig.lichess.rating_history("Ant") == {
            "antichess": tuple(RatingDay(day, rating) for day, rating in days),
            "threeCheck": (RatingDay(date(2020, 2, 29), 1400),),
        }
        assert rig.paths() == ["/api/user/ant/rating-history"]


async def test_an_account_that_never_played_rated_has_an_empty_history_and_no_teams():
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        assert await rig.lichess.rating_history("ant") == {}
        assert await rig.lichess.teams_of("ant") == ()


def test_every_part_of_a_history_has_its_perf():
    names = ["UltraBullet", "Bullet", "Blitz", "Rapid", "Classical", "Correspondence", "Crazyhouse", "Chess960"]
    names += ["King of the Hill", "Three-Check", "Antichess", "Atomic", "Horde", "Racing Kings", "Puzzles"]
    found = read_history([{"name": name, "points": [[2023, 0, 9, 1500]]} for name in [*names, "Something new"]])
    assert set(found) == {
        "ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence", "crazyhouse", "chess960",
        "kingOfTheHill", "threeCheck", "antichess", "atomic", "horde", "racingKings", "puzzle",
    }  # fmt: skip
    assert set(found.values()) == {(RatingDay(date(2023, 1, 9), 1500),)}


@pytest.mark.parametrize("points", [[[2023, 12, 1, 1500]], [[2023, 1, 30, 1500]], [[2023, 1, 1]], [[2023, 1, 1, "x"]]])
def test_a_point_that_is_no_day_spoils_the_history(points: list[list[object]]):
    with pytest.raises((ValueError, TypeError)):
        read_history([{"name": "Antichess", "points": points}])


async def test_team_ids_are_given_in_lower_case():
    async with offline_lichess() as rig:
        rig.world.add_account("Ant")
        rig.world.set_teams("ant", "Antichess-Club", "lichess-swiss")
        assert await rig.lichess.teams_of("ANT") == ("antichess-club", "lichess-swiss")
        assert rig.paths() == ["/api/team/of/ant"]


@pytest.mark.parametrize("read", [read_history, read_team_ids])
def test_an_object_is_no_list(read: Callable[[Any], object]):
    with pytest.raises(TypeError):
        read({})

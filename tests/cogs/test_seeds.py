"""R2.8: what `/td edition close` makes seeds of, as TDs meet it.

Registration closes on Sunday 15 March 2026 at 00:00.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from engine.model import EditionState, Entrant, EntryState
from engine.rules import shipped_text
from tests.clauses.stage import says
from tests.cogs.entering import (
    CLOSES,
    actor,
    decide,
    enters,
    entries,
    open_registration,
)
from tests.world import World, open_prepared

DAYS = timedelta(days=1)
PERF = "antichess"
PEAK = 'method = "average_with_peak"\npeak_from = 2022-11-01\npeak_until = 2023-03-01'
"""Moved with the edition: from 4 November 2025 to 4 March 2026 (exclusive)."""


@pytest.fixture
async def entering(tmp_path: Path) -> AsyncIterator[World]:
    """Registration is open by the rules of 2023."""
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


async def peaks_count(world: World) -> None:
    """Registration is open by the rules of 2023, but for the seeds, which are made as in 2022."""
    await world.set_up()
    text = shipped_text("2023").replace('method = "rating_at_close"', PEAK)
    await world.parts.app.editions.create_from(actor(world, "td"), text, "own.toml", date(2026, 3, 22))
    await world.slash(world.people["td"], "td edition open")


@pytest.fixture
async def peaks(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, peaks_count) as world:
        yield world


async def approved(world: World, **ratings: int) -> None:
    for name, rating in ratings.items():
        await enters(world, name, rating=rating, games=3000)
        await decide(world, "td", name)


def plays_to(world: World, name: str, *days: tuple[date, int]) -> None:
    """The rating after each of these days; the profile shows the last one."""
    world.lichess.set_history(name, PERF, days)
    world.lichess.change(name, ratings={PERF: days[-1][1]})


async def close(world: World) -> list[str]:
    """The lines of the answer of `/td edition close`."""
    return (await says(world, "td", "td edition close")).splitlines()


def seeded(world: World) -> dict[str, Entrant]:
    """By name, in seed order."""
    found = world.parts.db.read_sync(lambda reader: reader.find(Entrant))
    return {entrant.name: entrant for entrant in sorted(found, key=lambda entrant: entrant.seed)}


# --- R2.8: the rating of the moment at which registration closes ----------------------------------------------------


async def test_r2_8_the_rating_of_the_closing_counts_although_the_tds_close_days_later(entering: World) -> None:
    await approved(entering, anna=2300, bob=2200, carl=2100)
    plays_to(entering, "anna", (date(2026, 3, 10), 2300), (date(2026, 3, 16), 1900))
    plays_to(entering, "bob", (date(2026, 3, 14), 2200), (date(2026, 3, 15), 2500))
    plays_to(entering, "carl", (date(2026, 1, 2), 2250))
    await entering.jump_to(CLOSES + 3 * DAYS)
    answer = await close(entering)
    assert answer == [
        "Registration for LiAntichess World Cup 2026 is closed: 3 entrants. Seeds:",
        "1. anna (2300)",
        "2. carl (2250)",
        "3. bob (2200)",
    ]
    stored = seeded(entering)
    assert {name: one.rating for name, one in stored.items()} == {"anna": 2300, "carl": 2250, "bob": 2200}
    assert stored["bob"].seeded_by["rating"] == {"rating": 2200, "source": "history", "day": "2026-03-14"}
    assert stored["bob"].seeded_by["moment"] == "2026-03-15"
    assert stored["bob"].seeded_by["read_at"].startswith("2026-03-18T")


async def test_r2_8_closed_in_time_the_profile_is_the_evidence(entering: World) -> None:
    await approved(entering, anna=2300, bob=2200)
    assert (await close(entering))[1:] == ["1. anna (2300)", "2. bob (2200)"]
    evidence = seeded(entering)["anna"].seeded_by
    assert evidence["rating"] == {"rating": 2300, "source": "profile", "day": None}
    assert (evidence["method"], evidence["rated_games"], evidence["peak"]) == ("rating_at_close", 3000, None)
    assert not [asked for asked in entering.lichess.asked if "rating-history" in asked.path]


async def test_r2_8_an_account_without_history_has_the_rating_of_its_profile(entering: World) -> None:
    """No rated game before the closing: what the profile shows is all there is. A closed account shows nothing, which
    keeps nobody from closing; the TDs are told."""
    await approved(entering, anna=2000, bob=2100, carl=2200)
    plays_to(entering, "anna", (date(2026, 3, 1), 2150))
    entering.lichess.change("carl", closed=True)
    await entering.jump_to(CLOSES + DAYS)
    answer = await close(entering)
    assert answer[1:4] == ["1. anna (2150)", "2. bob (2100)", "3. carl (–)"]
    assert answer[4] == "carl: ⚠ closed on Lichess since you approved the entry"
    assert seeded(entering)["bob"].seeded_by["rating"] == {"rating": 2100, "source": "profile", "day": None}


async def test_r2_8_equal_ratings_are_ordered_once_and_stay_so(entering: World) -> None:
    for name, games in (("dora", 3000), ("carl", 3000), ("bob", 1000), ("anna", 4000)):
        await enters(entering, name, rating=2100, games=games)
        await decide(entering, "td", name)
    await close(entering)
    order = {"anna": 1, "carl": 2, "dora": 3, "bob": 4}
    assert {name: one.seed for name, one in seeded(entering).items()} == order
    entering.lichess.change("bob", ratings={PERF: 2900}, games={PERF: 9000})
    await entering.restart()
    assert {name: one.seed for name, one in seeded(entering).items()} == order
    assert "closed" in (await close(entering))[0], "and making them again is refused"
    assert {name: one.seed for name, one in seeded(entering).items()} == order


# --- R2.8, 2022: the average with the peak --------------------------------------------------------------------------


async def test_r2_8_with_a_peak_the_average_counts_and_is_shown_with_its_parts(peaks: World) -> None:
    await approved(peaks, anna=2300, bob=2200, carl=2250)
    plays_to(peaks, "anna", (date(2026, 1, 5), 2300))
    plays_to(peaks, "bob", (date(2025, 12, 24), 2451), (date(2026, 3, 10), 2200))
    plays_to(peaks, "carl", (date(2025, 10, 1), 2260), (date(2026, 3, 10), 2250))  # brought into the period
    answer = await close(peaks)
    assert answer[1] == "1. bob (2325½: 2200 and peak 2451 on 2025-12-24)"
    assert answer[2] == "2. anna (2300: 2300 and peak 2300 on 2026-01-05)"
    assert answer[3] == "3. carl (2255: 2250 and peak 2260 on 2025-10-01)"
    bob = seeded(peaks)["bob"]
    assert (bob.rating, bob.seeded_by["half_rating"]) == (2200, 4651)
    assert bob.seeded_by["peak"] == {"rating": 2451, "source": "history", "day": "2025-12-24"}
    assert (bob.seeded_by["peak_from"], bob.seeded_by["peak_until"]) == ("2025-11-04", "2026-03-04")


async def test_r2_8_without_a_game_in_the_period_the_rating_alone_counts(peaks: World) -> None:
    await approved(peaks, anna=2300, bob=2200)
    plays_to(peaks, "bob", (date(2026, 2, 1), 2420), (date(2026, 3, 10), 2200))
    plays_to(peaks, "anna", (date(2026, 3, 12), 2300))
    assert (await close(peaks))[1:] == ["1. bob (2310: 2200 and peak 2420 on 2026-02-01)", "2. anna (2300)"]
    assert seeded(peaks)["anna"].seeded_by["peak"] is None


# --- Lichess away ---------------------------------------------------------------------------------------------------


def nothing_done(world: World) -> bool:
    states = set(entries(world).values())
    return world.edition().state is EditionState.OPEN and not seeded(world) and states == {EntryState.APPROVED}


async def test_r2_8_while_lichess_is_away_nothing_is_closed_and_it_works_later(entering: World) -> None:
    await approved(entering, anna=2300, bob=2200)
    entering.lichess.down = True
    assert "Lichess does not answer. Nothing was changed" in (await close(entering))[0]
    assert nothing_done(entering)
    entering.lichess.down = False
    await entering.move(minutes=10)
    assert (await close(entering))[1:] == ["1. anna (2300)", "2. bob (2200)"]


async def test_r2_8_when_one_history_cannot_be_read_nothing_is_closed(entering: World) -> None:
    await approved(entering, anna=2300, bob=2200)
    for name, rating in (("anna", 2300), ("bob", 2350)):
        plays_to(entering, name, (date(2026, 3, 1), rating))
    await entering.jump_to(CLOSES + DAYS)
    entering.lichess.fail_next("502", times=40, on="/api/user/bob/rating-history")
    assert "Nothing was changed" in (await close(entering))[0]
    assert nothing_done(entering)
    entering.lichess.heal()
    await entering.restart()
    await entering.move(minutes=10)
    assert (await close(entering))[1:] == ["1. bob (2350)", "2. anna (2300)"]


async def test_r2_8_an_account_that_lichess_says_nothing_about_is_named(entering: World) -> None:
    await approved(entering, anna=2300, bob=2200)
    gone = entering.lichess._accounts.pop("bob")
    answer = await close(entering)
    assert answer[0].startswith("Lichess gave no data for: bob. Nothing was closed.")
    assert nothing_done(entering)
    entering.lichess._accounts["bob"] = gone
    assert (await close(entering))[1:] == ["1. anna (2300)", "2. bob (2200)"]

"""Whatever goes wrong at whichever request of a check: it is right or not complete yet, and it goes on (R2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.model import AccountCheck
from engine.rules import shipped_text
from engine.usecases.entries import progress_of
from tests.cogs.entering import CUT_OFF, STARTS, actor, button, card, decide, has_account, last, line, presses
from tests.rules.ruleset_text import lines, with_line
from tests.world import World, open_prepared, text_of

MINUTE = timedelta(minutes=1)
GAMES = 310
SINCE = 3
TEAM = "antichess-friends"
OTHERS = ("spare", "forgotten")
#: The account, the others, the teams, where the games must end, and twice games; or the account, the others, the teams,
#: where they must end, 300 games, and the account again, which decides against her.
READ = {"anton": (GAMES, SINCE, 6), "berta": (300, SINCE, 6)}
#: What Lichess does, and how often in a row.
FAULTS = [
    ("404", 1),
    ("401", 1),
    ("429", 1),
    ("429", 6),
    ("502", 1),
    ("502", 3),
    ("down", 3),
    ("html", 1),
    ("cut", 1),
    ("truncated", 1),
    ("short", 1),
    ("nothing", 1),
]
#: After these it may have read on, or asked once more.
SILENT = ("short", "nothing")
RIGHT = {"anton": "✓ Rated games: 1000 of 1003 count", "berta": "✗ Rated games: 999 of 1002 count"}


async def open_with_team(world: World) -> None:
    text = shipped_text("2023")
    place = next(entry.number for entry in lines(text) if entry.key == "entry.bots")
    text = with_line(text, place, f'bots = false\nteam = "{TEAM}"')
    first_day = datetime.fromisoformat(STARTS).date()
    await world.parts.app.editions.create_from(actor(world, "td"), text, "own.toml", first_day)
    await world.slash(world.people["td"], "td edition open")


async def seeds_follow(world: World) -> None:
    """anna and bob are in; from here on an entry is a late one."""
    for name in ("anna", "bob"):
        has_account(world, name)
        world.lichess.set_teams(name, TEAM)
        await world.enters(name)
        await decide(world, "td", name)
    await world.slash(world.people["td"], "td edition close")
    await world.move_to(CUT_OFF + timedelta(days=3))


async def two_have_begun(world: World) -> None:
    """After the cut-off anton is at the line and berta one game below it; each has named two more accounts, and is in
    the team that the ruleset asks for."""
    await world.set_up()
    await open_with_team(world)
    await seeds_follow(world)
    world.lichess.add_account("rival")
    for name in OTHERS:
        has_account(world, name)
    for name, games in (("anton", 1003), ("berta", 1002)):
        has_account(world, name, games=games)
        world.lichess.set_teams(name, "chess", TEAM)
        for n in range(GAMES - SINCE):
            world.lichess.add_game("rival", name, created_at=CUT_OFF - (n + 1) * 7 * MINUTE, winner="black")
        for n in range(SINCE):
            world.lichess.add_game("rival", name, created_at=CUT_OFF + n * MINUTE, winner="black")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, two_have_begun) as world:
        yield world


async def proves(world: World, name: str, fault: str, times: int, request: int) -> str:
    """Presses *Check*; that request of the check that follows fails."""
    asked = last(await world.slash(world.person(name), "register", account=name, others=" ".join(OTHERS)))
    world.lichess.change(name, bio=asked.content.split("`")[1])
    world.lichess.fail_next(fault, times, after=1 + request)  # the one before the check itself is for the bio
    return text_of(await world.people[name].click(asked, custom_id=button(asked, "prove")))  # and nothing ticks


def read_so_far(world: World) -> tuple[int, int, int]:
    """How many games were counted, how many of them since the cut-off, and how many requests were answered."""
    check = world.parts.db.read_sync(lambda reader: reader.find(AccountCheck))[-1]
    progress = progress_of(check)
    return progress.games, progress.rated_since, progress.requests


@pytest.mark.parametrize("name", ["anton", "berta"])
@pytest.mark.parametrize(("fault", "times"), FAULTS)
async def test_r2_2_a_fault_at_each_request_never_makes_the_verdict_wrong(
    world: World, name: str, fault: str, times: int
) -> None:
    """It goes on by itself at the next tick, or after a restart."""
    games, since, requests = READ[name]
    for request in range(requests):
        answer = await proves(world, name, fault, times, request)
        found = line(answer, "Rated games")
        if RIGHT[name] not in found:
            assert found[0] == "…", (request, answer)
            assert "Lichess does not answer at the moment" in answer or "no such account" in answer, (request, answer)
        world.lichess.heal()
        if request % 2:
            await world.restart()
        await world.tick()
        assert line(card(world, name), "Rated games").startswith(RIGHT[name]), request
        assert line(card(world, name), "Team").startswith("✓ Team: in "), request
        assert line(card(world, name), "Engine mark").startswith("✓ Engine mark: none"), request
        assert "The check goes on" not in card(world, name)
        read = read_so_far(world)
        assert read[1] == since and (read == (games, since, requests) or fault in SILENT), request
        question = last(await world.slash(world.people[name], "withdraw"))
        await presses(world, name, "withdraw", question)


async def test_r2_2_a_long_silence_is_said_and_goes_by_itself(world: World) -> None:
    """Ten minutes of downtime in the middle of a check; nobody has to do anything."""
    answer = await proves(world, "anton", "502", 3, 5)
    assert "Lichess does not answer at the moment; I go on by myself when it does." in answer
    world.lichess.down = True
    for _ in range(10):
        await world.move(minutes=1)
    assert "I go on by myself when it does." in card(world, "anton")
    assert line(card(world, "anton"), "“Cheat detected”").startswith("… “Cheat detected”: 0 lost (300 games read")
    assert "reason is needed" in await decide(world, "td", "anton", reason=" ")
    world.lichess.down = False
    await world.move(minutes=1)
    assert line(card(world, "anton"), "Rated games").startswith(RIGHT["anton"])
    hub = last(await world.slash(world.people["anton"], "hub"))
    assert RIGHT["anton"] in text_of(await presses(world, "anton", "entry", hub))


async def test_r2_8_an_account_that_is_closed_during_its_check_ends_it(world: World) -> None:
    """It is asked about no more, and the card says why."""
    for request in range(2, 5):
        world.lichess.fail_next("502", 3, after=1 + request)
        asked = last(await world.slash(world.person("anton"), "register", account="anton"))
        world.lichess.change("anton", bio=asked.content.split("`")[1])
        await world.people["anton"].click(asked, custom_id=button(asked, "prove"))
        world.lichess.heal()
        world.lichess.change("anton", closed=True)
        await world.tick()
        assert line(card(world, "anton"), "Account open") == "✗ Account open: it is closed (§2.8)"
        assert "The check goes on" not in card(world, "anton")
        requests = len(world.lichess.asked)
        await world.move(hours=1)
        assert not [a for a in world.lichess.asked[requests:] if "anton" in a.path]
        world.lichess.change("anton", closed=False)
        await presses(world, "anton", "withdraw", last(await world.slash(world.people["anton"], "withdraw")))


async def test_r2_2_games_against_marked_players_are_for_a_human_with_both_figures(world: World) -> None:
    """Lichess calls them rated, and does not count them."""
    world.lichess.add_account("cheat", tos_violation=True)
    for n in range(2):
        world.lichess.add_game("anton", "cheat", created_at=CUT_OFF + timedelta(hours=5 + n), winner="white")
    answer = await proves(world, "anton", "404", 1, 99)
    assert line(answer, "Rated games") == (
        "⚠ Rated games: 998 to 1000 of 1003 count, 1000 before Sun 15 Mar 2026 are asked; of the 5 rated games since "
        "then 2 moved no rating, as against a marked player, so the profile may not count them (§2.2)"
    )

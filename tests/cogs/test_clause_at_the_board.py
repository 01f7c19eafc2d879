"""A game that does not count by its settings shows all the same that both were there (R6.1, R6.3, R6.4; Q11, Q13, Q19).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.timers import TimerEnd
from tests.clauses.evening import (
    DEADLINE,
    MINUTE,
    choices,
    directors,
    forfeits,
    minutes,
    reported,
    rescheduled,
    ruled,
    said,
    timers,
)
from tests.clauses.stage import agree, games, says
from tests.world import World

pytestmark = pytest.mark.usefixtures("followed")

SETTINGS = pytest.mark.parametrize(
    "fields",
    [
        {"rated": False},
        {"clock": (180, 2)},
        {"variant": "atomic"},
        {"tournament": "arena123"},
        {"rated": False, "clock": (300, 0)},
        {"status": "cheat", "winner": "white"},
    ],
    ids=str,
)
SECOND = timedelta(seconds=1)
ABORTED = pytest.mark.parametrize("fields", [{"status": "aborted"}, {"status": "aborted", "rated": False}], ids=str)


async def begun(world: World) -> None:
    """anna has won the first game, and it is over for a minute."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - MINUTE)
    (first,) = world.lichess.play_match("anna", "carl", at, games("1"))
    await minutes(world, (world.lichess.laid_out(first).last_move_at + 2 * MINUTE - world.clock.now()) / MINUTE)


def plays(world: World, **fields: Any) -> None:
    """In five minutes; what is aborted is so before the bot looks again."""
    at = world.clock.now() + 5 * MINUTE + SECOND
    (id,) = world.lichess.play_match("anna", "carl", at, games("0"), **fields)
    if fields.get("status") == "aborted":
        world.lichess.change_game(id, last_move_at=at + 20 * SECOND)


# --- Not there at the agreed time -----------------------------------------------------------------------------------


@SETTINGS
async def test_q13_a_game_with_other_settings_ends_an_absence(event: World, fields: dict[str, Any]) -> None:
    await reported(event)
    plays(event, **fields)
    await minutes(event, 12)
    assert not choices(event) and [one.outcome for one in timers(event)] == [TimerEnd.PLAYED]
    assert "nothing to claim" in await says(event, "anna", "match claim", choice="win")
    assert not ruled(event) and not forfeits(event)


@ABORTED
async def test_q19_an_aborted_one_does_not(event: World, fields: dict[str, Any]) -> None:
    await reported(event)
    plays(event, **fields)
    await minutes(event, 12)
    assert choices(event)
    await says(event, "anna", "match claim", choice="win")
    assert forfeits(event) == {"carl": 1}


@SETTINGS
async def test_q13_who_has_played_with_other_settings_is_not_reported_absent(
    event: World, fields: dict[str, Any]
) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at + MINUTE, games("0"), **fields)
    await event.move_to(at - MINUTE)
    await minutes(event, 8)
    answer = await says(event, "anna", "match opponent-absent")
    assert "nobody is absent" in answer and not timers(event)


async def test_q13_a_game_that_a_td_has_struck_was_played_all_the_same(event: World) -> None:
    await reported(event)
    (id,) = event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("0"))
    await minutes(event, 5)
    await says(event, "td", "td-match games", match=1, game=id, decision="replay", reason="The wrong colours.")
    await minutes(event, 6)
    assert not choices(event) and not ruled(event)


async def test_q18_whoever_leaves_after_such_a_game_has_left(event: World) -> None:
    """carl comes, plays one casual game and is gone: then he has left, and anna is not sent in a circle."""
    await reported(event)
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("0"), rated=False)
    await minutes(event, 6)
    assert "/match opponent-left" in await says(event, "anna", "match opponent-absent")
    assert "called in the thread" in await says(event, "anna", "match opponent-left")
    await minutes(event, 11)
    assert choices(event)


async def test_r6_1_a_friendly_game_on_another_day_is_no_beginning(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at + 20 * 60 * MINUTE, games("0"), rated=False)
    await event.move_to(at + 20 * 60 * MINUTE + 8 * MINUTE)
    assert "has not begun" in await says(event, "anna", "match opponent-left")


# --- Put off --------------------------------------------------------------------------------------------------------


@SETTINGS
async def test_q11_a_game_with_other_settings_ends_what_was_put_off(event: World, fields: dict[str, Any]) -> None:
    await rescheduled(event)
    event.lichess.play_match("anna", "carl", DEADLINE - 60 * MINUTE, games("0"), **fields)
    await event.move_to(DEADLINE + MINUTE)
    assert not ruled(event) and not forfeits(event)
    assert directors(event, "the match deadline has passed", "anna")


@ABORTED
async def test_q11_an_aborted_one_leaves_it_forfeited(event: World, fields: dict[str, Any]) -> None:
    await rescheduled(event)
    event.lichess.play_match("anna", "carl", DEADLINE - 60 * MINUTE, games("0"), **fields)
    await event.move_to(DEADLINE + MINUTE)
    assert forfeits(event) == {"carl": 1}


# --- During the match -----------------------------------------------------------------------------------------------


@SETTINGS
async def test_q13_a_game_with_other_settings_shows_that_nobody_has_left(event: World, fields: dict[str, Any]) -> None:
    await begun(event)
    await says(event, "anna", "match opponent-left")
    plays(event, **fields)
    await minutes(event, 12)
    assert not choices(event) and [one.outcome for one in timers(event)] == [TimerEnd.PLAYED]
    assert "nothing to claim" in await says(event, "anna", "match claim", choice="win")
    assert not ruled(event) and not forfeits(event)


@SETTINGS
async def test_q16_it_ends_a_break(event: World, fields: dict[str, Any]) -> None:
    await begun(event)
    await says(event, "anna", "match break")
    plays(event, **fields)
    await minutes(event, 12)
    assert [one.outcome for one in timers(event)] == [TimerEnd.PLAYED] and not said(event, "break is over")


@ABORTED
async def test_q19_an_aborted_one_ends_neither(event: World, fields: dict[str, Any]) -> None:
    await begun(event)
    await says(event, "anna", "match break")
    plays(event, **fields)
    await minutes(event, 12)
    assert said(event, "break is over")


@pytest.mark.parametrize("fields", [{"rated": False}, {"clock": (180, 2)}], ids=str)
async def test_q18_the_ten_minutes_run_from_the_end_of_such_a_game(event: World, fields: dict[str, Any]) -> None:
    await begun(event)
    (id,) = event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE / 2, games("0"), **fields)
    await minutes(event, 1)
    assert "after the end of the game in progress" in await says(event, "carl", "match opponent-left")
    end = event.lichess.laid_out(id).last_move_at
    await minutes(event, 6)
    (timer,) = timers(event)
    assert timer.runs_from == end and timer.outcome is None

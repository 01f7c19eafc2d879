"""A match without a time on record, in the middle of being played (R5.2, R6.1, R6.4; Q12).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

import pytest

from engine.timers import TimerEnd
from tests.clauses.evening import MINUTE, choices, forfeits, minutes, presses, said, timers
from tests.clauses.stage import card, games, says, thread
from tests.world import World, custom_ids, text_of

pytestmark = pytest.mark.usefixtures("followed")


async def two_games(world: World) -> list[str]:
    """anna and carl have simply begun to play, and anna has won both games."""
    ids = world.lichess.play_match("anna", "carl", world.clock.now() + 2 * 60 * MINUTE, games("11"))
    await world.move_to(world.lichess.laid_out(ids[-1]).last_move_at + MINUTE)
    return ids


async def both_name(world: World) -> str:
    """anna reports, carl presses the button; what he is told."""
    assert "both of you must name the same first game" in await says(world, "anna", "report")
    found = [m for m in thread(world, "anna", "carl").history() if "its first game?" in m.content]
    button = next(id for id in custom_ids(found[-1]) if ":confirm:" in id)
    return text_of(await world.click(world.people["carl"], found[-1], button))


@pytest.mark.parametrize("command", ["match break", "match opponent-left"])
async def test_q12_before_both_have_named_the_first_game_the_answer_says_what_to_do(event: World, command: str) -> None:
    await two_games(event)
    answer = await says(event, "anna", command)
    assert "No time is on record" in answer and "*Report*" in answer and "Write to the TDs" in answer
    assert "opponent-absent" not in answer and "no game" not in answer
    assert "*Report*" in await says(event, "anna", "match opponent-absent")


async def test_q12_with_both_words_the_match_is_on_record_and_goes_on(event: World) -> None:
    ids = await two_games(event)
    at = event.lichess.laid_out(ids[0]).created_at
    answer = await both_name(event)
    assert f"{at:%H:%M} UTC" in answer and "So far: anna 2–0 carl" in answer
    (told,) = said(event, "named", ids[0], "as your first game")
    assert "?" not in told
    posts = thread(event, "anna", "carl").history()
    assert not any(":confirm:" in id for post in posts for id in custom_ids(post))
    assert "So far: anna 2–0 carl" in card(event, "anna", "carl").content
    assert "anna 2–0 carl" in await says(event, "carl", "hub")


async def test_q12_naming_it_by_a_report_of_ones_own_is_the_same(event: World) -> None:
    await two_games(event)
    await says(event, "anna", "report")
    assert "So far: anna 2–0 carl" in await says(event, "carl", "report")
    assert "The match is not over" in await says(event, "carl", "report")


async def test_q12_then_the_bot_follows_it_to_the_result(event: World) -> None:
    await two_games(event)
    await both_name(event)
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("1111"))
    await minutes(event, 25)
    assert "**Finished: anna 6–0 carl**" in card(event, "anna", "carl").content


async def test_r6_1_then_there_is_a_break(event: World) -> None:
    await two_games(event)
    await both_name(event)
    assert "the next game begins by" in await says(event, "carl", "match break")
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("0"))
    await minutes(event, 5)
    assert [one.outcome for one in timers(event)] == [TimerEnd.PLAYED]


async def test_r6_4_and_who_leaves_can_forfeit(event: World) -> None:
    await two_games(event)
    await both_name(event)
    assert (await says(event, "anna", "match opponent-left")).startswith("Told")
    await minutes(event, 11)
    assert choices(event)
    await presses(event, "anna", "claim-win")
    assert forfeits(event) == {"carl": 1}

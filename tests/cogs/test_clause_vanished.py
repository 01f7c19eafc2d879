"""A counted game that Lichess does not show any more, and accounts that are both closed (R5.10, Q35, Q44f): the TDs are
told once, and nobody is stuck.

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.clauses.evening import MINUTE, directors, said
from tests.clauses.stage import agree, games, says
from tests.world import World, custom_ids


@pytest.fixture
def event(event: World) -> World:
    event.follows = True
    return event


async def minutes(world: World, count: int) -> None:
    """A bot that looks every minute."""
    for _ in range(count):
        await world.move(minutes=1)


async def agreed(world: World) -> datetime:
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - MINUTE)
    return at


def vanish(world: World, game: str) -> None:
    del world.lichess._games[game]  # type: ignore[reportPrivateUsage]
    world.lichess._sorted.clear()  # type: ignore[reportPrivateUsage]


async def one_is_gone(world: World) -> str:
    """Of six games that anna wins the first vanishes when some are played; its id."""
    at = await agreed(world)
    ids = world.lichess.play_match("anna", "carl", at, games("111111"))
    await minutes(world, 10)
    vanish(world, ids[0])
    await minutes(world, 25)
    return ids[0]


async def rules(world: World, game: str, decision: str) -> str:
    return await says(world, "td", "td-match games", match=1, game=game, decision=decision, reason="Asked both.")


def notices(world: World, *words: str) -> list[Any]:
    return [m for m in world.channel("directors").history() if all(word in m.content for word in words)]


async def test_q35_the_tds_are_told_once_of_a_counted_game_that_is_gone(event: World) -> None:
    gone = await one_is_gone(event)
    (notice,) = notices(event, "A game needs your look", gone)
    assert "anna – carl" in notice.content and "Lichess does not show it any more" in notice.content
    assert "it stays in the score" in notice.content
    assert [id.split(".")[-1] for id in custom_ids(notice) if ":rule-game:" in id] == ["accepted", "replay"]
    assert "### Finished" not in "".join(said(event))


async def test_q35_it_goes_on_counting_and_on_a_tds_word_the_match_goes_on(event: World) -> None:
    gone = await one_is_gone(event)
    answer = await rules(event, gone, "accepted")
    assert answer.startswith("Recorded"), answer
    await minutes(event, 6)
    assert said(event, "### Finished: anna 6–0 carl")


async def test_q35_struck_out_the_others_count_without_it(event: World) -> None:
    gone = await one_is_gone(event)
    await rules(event, gone, "replay")
    await minutes(event, 6)
    assert said(event, "So far: anna 5–0 carl") or said(event, "anna 5–0 carl")
    assert not said(event, "### Finished")


async def test_a_game_that_an_answer_leaves_out_is_not_gone(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await minutes(event, 10)
    event.lichess.fail_next("nothing", times=2, on="/api/games/user")
    await minutes(event, 30)
    assert said(event, "### Finished: anna 6–0 carl") and not directors(event, "needs your look")


async def test_q44f_with_both_accounts_closed_the_tds_are_told_once(event: World) -> None:
    at = await agreed(event)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + 40 * MINUTE)
    for name in ("anna", "carl"):
        event.lichess.change(name, closed=True)
    await event.tick()
    answer = await says(event, "anna", "report")
    assert answer.startswith("Lichess shows neither of your two accounts") and "The TDs are told" in answer
    await minutes(event, 5)
    (notice,) = notices(event, "**Both accounts are closed**")
    assert "anna – carl" in notice.content and "`/td-match games` counts each by its link" in notice.content
    for game in ids:
        answer = await rules(event, game, "accepted")
        assert answer.startswith("Recorded"), answer
    assert "Then: anna 6–0 carl." in answer

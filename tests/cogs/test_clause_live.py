"""What everybody sees while a match is being played: its post, the hub, the schedule (R6.1, R6.3, R6.4; design 10).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.clauses.evening import MINUTE, minutes
from tests.clauses.stage import agree, games, says, thread
from tests.world import World, custom_ids, text_of

pytestmark = pytest.mark.usefixtures("followed")


async def playing(world: World, score: str = "10", **fields: Any) -> list[str]:
    """So many games; the clock stands a minute after the last of them."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - MINUTE)
    ids = world.lichess.play_match("anna", "carl", at, games(score), **fields)
    await minutes(world, (world.lichess.laid_out(ids[-1]).last_move_at + MINUTE - world.clock.now()) / MINUTE)
    return ids


def call(world: World, head: str) -> discord.Message:
    """The post that began as the call to the board."""
    (post,) = (m for m in thread(world, "anna", "carl").history() if m.content.startswith(f"### {head}"))
    return post


def verbs(message: Any) -> list[str]:
    return [id.split(":")[-2] for id in custom_ids(message)]


async def hub(world: World, who: str) -> tuple[str, list[str]]:
    shown = await world.slash(world.people[who], "hub")
    return text_of(shown), verbs(shown.response)


def section(schedule: str, name: str) -> str:
    return schedule.partition(f"__{name}__")[2].partition("\n__")[0]


# --- The post in the thread ------------------------------------------------------------------------------------------


async def test_r6_3_before_the_first_game_the_call_names_the_button_for_an_absence(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    post = call(event, "Play now")
    assert "*Opponent absent*" in post.content and "*Opponent left*" not in post.content
    assert verbs(post) == ["report", "absent"]


async def test_r6_4_while_live_the_words_fit_the_buttons(event: World) -> None:
    await playing(event)
    post = call(event, "Live: anna 1–1 carl")
    assert "*Opponent left*" in post.content and "§6.4" in post.content and "Opponent absent" not in post.content
    assert verbs(post) == ["report", "break", "left"]


@pytest.mark.parametrize("later", [16, 45, 300])
async def test_r6_4_the_buttons_stay_as_long_as_the_match_is_not_over(event: World, later: int) -> None:
    await playing(event)
    await minutes(event, 16)
    await event.move_to(event.clock.now() + (later - 16) * MINUTE)
    post = call(event, "So far: anna 1–1 carl")
    assert verbs(post) == ["report", "break", "left"] and "*Opponent left*" in post.content
    left = next(id for id in custom_ids(post) if ":left:" in id)
    answer = text_of(await event.click(event.people["anna"], post, left))
    # Nobody has to wait longer than an hour: then the button says what to do instead.
    assert answer.startswith("Told: carl is called" if later < 60 else "**Agree on a time to go on:**")


async def test_r6_1_they_go_with_the_result(event: World) -> None:
    await playing(event, "111111")
    assert not {"break", "left"} & set(verbs(call(event, "Finished")))


async def test_q38b_they_go_while_a_game_waits_for_the_tds(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    first, second = event.lichess.play_match("anna", "carl", at, games("11"))
    event.lichess.change_game(second, status="cheat")
    await minutes(event, 10)
    post = call(event, "Live: anna 1–0 carl")
    assert verbs(post) == ["report"] and "Opponent left" not in post.content and first in post.content
    text, shown = await hub(event, "anna")
    assert "waits for the TDs" in text and not {"break", "left"} & set(shown)


# --- The hub --------------------------------------------------------------------------------------------------------


async def test_the_hub_shows_the_running_score_and_the_buttons(event: World) -> None:
    ids = await playing(event)
    for who in ("anna", "carl"):
        text, shown = await hub(event, who)
        assert "**Live: anna 1–1 carl**" in text and ids[1] in text and "Agreed:" not in text
        assert shown == ["report", "break", "left"]
    await minutes(event, 16)
    assert "**So far: anna 1–1 carl**" in (await hub(event, "anna"))[0]


async def test_the_hub_shows_a_first_game_in_progress(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    (id,) = event.lichess.play_match("anna", "carl", at, games("1"))
    await minutes(event, 2)
    text, shown = await hub(event, "anna")
    assert "**Live: anna 0–0 carl**" in text and f"[now playing](<https://lichess.org/{id}>)" in text
    assert shown == ["report", "break", "left"]


async def test_r6_3_at_the_agreed_time_the_hub_has_the_button_for_an_absence(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    assert "absent" not in (await hub(event, "anna"))[1]
    await event.move_to(at)
    assert "absent" in (await hub(event, "anna"))[1]
    await event.move_to(at + 60 * MINUTE)
    assert "absent" in (await hub(event, "anna"))[1]
    await event.move_to(at + 61 * MINUTE)
    assert "absent" not in (await hub(event, "anna"))[1]


@pytest.mark.parametrize(
    ("command", "caller", "other"),
    [
        ("match break", "the next game begins by", "takes the one break of 10 minutes"),
        ("match opponent-left", "Stay ready to play until", "says that you have left"),
    ],
)
async def test_r6_1_the_hub_shows_the_ten_minutes_that_run(event: World, command: str, caller: str, other: str) -> None:
    await playing(event)
    await says(event, "anna", command)
    until = f"{event.clock.now() + 10 * MINUTE:%H:%M} UTC"
    for who, words in (("anna", caller), ("carl", other)):
        text, _ = await hub(event, who)
        assert words in text and until in text and "anna 1–1 carl" in text
    assert ("back" in (await hub(event, "anna"))[1]) is (command == "match break")


# --- The schedule ---------------------------------------------------------------------------------------------------


async def test_the_schedule_has_a_match_that_is_played_first_with_its_score(event: World) -> None:
    await agree(event, "bob", "dora", "Sun 29 12:00")
    await playing(event)
    shown = await says(event, "td", "schedule")
    assert "anna 1–1 carl" in section(shown, "Now") and "__Earlier__" not in shown
    assert "bob – dora" in section(shown, "Coming")
    await minutes(event, 16)
    shown = await says(event, "td", "schedule")
    assert "__Now__" not in shown and "anna 1–1 carl" in section(shown, "Earlier")


async def test_the_schedule_has_a_result_among_what_is_over(event: World) -> None:
    await playing(event, "111111")
    shown = await says(event, "td", "schedule")
    assert "__Now__" not in shown and "anna 6–0 carl" in section(shown, "Earlier")


async def test_q38b_the_hub_says_that_the_first_game_waits_for_the_tds(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.add_game("anna", "carl", created_at=at + MINUTE, status="cheat", winner="white")
    await event.move_to(at)
    await minutes(event, 12)
    shown = await says(event, "anna", "hub")
    assert "A game waits for the TDs" in shown and "Opponent absent" not in shown

"""Faults by plan and rate limits, as an unmodified discord.py meets them."""

from __future__ import annotations

import asyncio

import aiohttp
import discord
import pytest

from tests.standin import Fault, Rate
from tests.standin.client import patience
from tests.standin.conftest import Scene

MESSAGES = r"/channels/\d+/messages"


def texts(scene: Scene) -> list[str]:
    return [arrival.content for arrival in scene.standin.arrived()]


def statuses(scene: Scene) -> list[int | None]:
    return [asked.status for asked in scene.standin.calls("POST", "/messages")]


async def test_an_error_before_the_effect_is_tried_again_by_discord_py(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience(monkeypatch, scene.clock)
    scene.standin.fail("POST", MESSAGES, Fault.ERROR_BEFORE, status=502, times=2)
    await scene.channel(scene.lobby).send("x")
    assert texts(scene) == ["x"] and statuses(scene) == [502, 502, 200]


async def test_an_error_after_the_effect_doubles_what_has_no_nonce(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """discord.py gives every message a nonce, and a thread none."""
    patience(monkeypatch, scene.clock)
    scene.standin.fail("POST", MESSAGES, Fault.ERROR_AFTER, status=500)
    await scene.channel(scene.lobby).send("x")
    scene.standin.fail("POST", r"/channels/\d+/threads", Fault.ERROR_AFTER, status=500)
    await scene.channel(scene.lobby).create_thread(name="t", type=discord.ChannelType.public_thread)
    assert texts(scene) == ["x"]
    assert [thread.name for thread in scene.lobby.threads] == ["t", "t"]


@pytest.mark.parametrize(("fault", "arrived"), [(Fault.CUT_BEFORE, []), (Fault.CUT_AFTER, ["x"])])
async def test_a_cut_line_says_nothing_about_the_effect(scene: Scene, fault: Fault, arrived: list[str]) -> None:
    scene.standin.fail("POST", MESSAGES, fault)
    with pytest.raises(aiohttp.ClientError):
        await scene.channel(scene.lobby).send("x")
    assert texts(scene) == arrived and statuses(scene) == [None]


@pytest.mark.parametrize(("fault", "arrived"), [(Fault.HELD_BEFORE, []), (Fault.HELD_AFTER, ["x"])])
async def test_a_slow_answer_waits_until_it_is_released(scene: Scene, fault: Fault, arrived: list[str]) -> None:
    plan = scene.standin.fail("POST", MESSAGES, fault)
    sending = asyncio.create_task(scene.channel(scene.lobby).send("x"))
    await plan.reached.wait()
    await scene.standin.until(lambda: texts(scene) == arrived)
    assert not sending.done()
    plan.release()
    assert (await sending).content == "x" and texts(scene) == ["x"]


async def test_a_short_429_is_waited_out_and_a_long_one_is_an_error(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = patience(monkeypatch, scene.clock)
    scene.standin.fail("POST", MESSAGES, Fault.LIMITED, retry_after=2.5)
    await scene.channel(scene.lobby).send("x")
    assert slept == [2.5]
    scene.standin.fail("POST", MESSAGES, Fault.LIMITED, retry_after=600)
    with pytest.raises(discord.RateLimited) as refusal:
        await scene.channel(scene.lobby).send("y")
    assert refusal.value.retry_after == 600 and texts(scene) == ["x"]


async def test_discord_py_keeps_to_the_buckets_it_is_told_of(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = patience(monkeypatch, scene.clock)
    other = scene.guild.create_text_channel("other")
    await scene.quiet()
    scene.standin.rates.rules = [Rate("POST", r"/channels/(\d+)/messages", 5, 5.0)]
    for n in range(11):
        await scene.channel(scene.lobby).send(str(n))
    assert slept == [5.0, 5.0] and statuses(scene) == [200] * 11
    await scene.channel(other).send("a bucket of its own")
    assert slept == [5.0, 5.0]


async def test_a_hidden_sub_limit_shows_only_by_its_429(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = patience(monkeypatch, scene.clock)
    scene.standin.rates.rules = [
        Rate("PATCH", r"/channels/(\d+)", 50, 1.0),
        Rate("PATCH", r"/channels/(\d+)", 2, 600.0, hidden=True),
    ]
    for n in range(2):
        await scene.channel(scene.lobby).edit(topic=str(n))
    with pytest.raises(discord.RateLimited) as refusal:
        await scene.channel(scene.lobby).edit(topic="x")
    assert refusal.value.retry_after == pytest.approx(600) and not slept
    scene.clock.move(minutes=10)
    await scene.channel(scene.lobby).edit(topic="x")


async def test_the_global_limit_holds_for_all_routes_together(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = patience(monkeypatch, scene.clock)
    scene.standin.rates.everywhere = Rate("*", "", 2, 1.0)
    await scene.channel(scene.lobby).send("1")
    await scene.bot.fetch_user(scene.anna.id)
    await scene.channel(scene.lobby).send("2")
    assert slept == [1.0] and statuses(scene) == [200, 429, 200]


async def test_a_broken_limit_is_refused_and_remembered(scene: Scene) -> None:
    with pytest.raises(discord.HTTPException) as refusal:
        await scene.channel(scene.lobby).send("x" * 2001)
    assert refusal.value.code == 50035
    ((asked, problems),) = scene.standin.rejected
    assert "2001" in problems[0] and asked.path.endswith("/messages")
    assert texts(scene) == []

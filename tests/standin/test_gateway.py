"""The gateway, as an unmodified discord.py meets it."""

from __future__ import annotations

import aiohttp
import discord
import pytest

from tests.standin import ManualClock, Standin, restored
from tests.standin.client import patience, running
from tests.standin.conftest import PlainBot, Scene


async def test_login_brings_the_server_with_its_channels_and_what_the_bot_may(scene: Scene) -> None:
    guild = scene.bot.get_guild(scene.guild.id)
    assert guild is not None and guild.me.guild_permissions.administrator
    assert {channel.name for channel in guild.channels} == {"lobby", "posts"}
    assert [member.id for member in guild.members] == [guild.me.id]  # the members intent was not asked for


async def test_a_bad_token_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Standin(ManualClock()) as standin:
        standin.point_discord_py_here(monkeypatch)
        bot = PlainBot()
        with pytest.raises(discord.LoginFailure):
            await bot.login("bad")
        await bot.close()


async def test_a_dropped_socket_is_resumed_and_brings_what_was_missed(scene: Scene) -> None:
    await scene.standin.gateway.drop()
    scene.guild.create_text_channel("missed")
    await scene.standin.until(lambda: scene.standin.gateway.resumes == 1)
    await scene.quiet()
    assert scene.bot.heard == ["missed"] and scene.bot.resumed == 1
    assert scene.standin.gateway.logins == 1


async def test_asked_to_reconnect_it_resumes(scene: Scene) -> None:
    await scene.standin.gateway.ask_to_reconnect()
    await scene.standin.until(lambda: scene.standin.gateway.resumes == 1)
    scene.guild.create_text_channel("later")
    await scene.quiet()
    assert scene.bot.heard == ["later"]


async def test_an_invalid_session_is_a_new_login(scene: Scene) -> None:
    await scene.standin.gateway.invalidate()
    await scene.standin.until(lambda: scene.standin.gateway.logins == 2)
    await scene.quiet()
    assert scene.standin.gateway.resumes == 0


async def test_a_session_too_old_to_be_replayed_is_a_new_login(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.standin.gateway.KEPT_EVENTS", 2)
    await scene.standin.gateway.drop()
    for n in range(3):
        scene.guild.create_text_channel(f"missed-{n}")
    await scene.standin.until(lambda: scene.standin.gateway.logins == 2)
    await scene.quiet()
    assert {f"missed-{n}" for n in range(3)} <= {channel.name for channel in scene.bot.get_all_channels()}
    assert scene.standin.gateway.resumes == 0


async def test_heartbeats_are_acknowledged(scene: Scene) -> None:
    await scene.standin.gateway.ask_to_reconnect()  # discord.py beats at each hello
    await scene.standin.until(lambda: scene.standin.gateway.heartbeats == 2 and scene.bot.latency < 60)


async def test_down_refuses_everything_and_up_resumes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, scene.clock)
    await scene.standin.down()
    with pytest.raises(aiohttp.ClientError):
        await scene.channel(scene.lobby).send("nobody there")
    scene.standin.up()
    await scene.standin.until(lambda: scene.standin.gateway.resumes == 1)
    await scene.channel(scene.lobby).send("back")
    assert [arrival.content for arrival in scene.standin.arrived()] == ["back"]


async def test_a_saved_state_starts_another_server_where_the_first_one_was(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.channel(scene.lobby).send("before")
    saved = scene.standin.save()
    await scene.channel(scene.lobby).send("after")
    async with Standin(scene.clock, restored(saved)) as again:
        again.point_discord_py_here(monkeypatch)
        bot = PlainBot()
        async with running(again, bot):
            (guild,) = again.guilds()
            assert [m.content for m in guild.channels["lobby"].history()] == ["before"]
            assert again.person(guild, "anna").id == scene.anna.id
            channel = bot.get_channel(scene.lobby.id)
            assert isinstance(channel, discord.TextChannel)
            sent = await channel.send("after the restart")
            assert sent.id > again.arrived()[0].message_id

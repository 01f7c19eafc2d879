"""Threads in text channels and forums, their tags, and their archive."""

from __future__ import annotations

from datetime import timedelta

import discord
import pytest

from tests.standin.conftest import Scene

TAGS = [discord.ForumTag(name="open", moderated=True), discord.ForumTag(name="done")]
PUBLIC = discord.ChannelType.public_thread


async def post(scene: Scene) -> discord.Thread:
    forum = await scene.forum_channel().edit(available_tags=TAGS)
    assert forum is not None
    made = await forum.create_thread(name="anna – bob", content="the card", applied_tags=[forum.available_tags[0]])
    return made.thread


async def test_a_forum_post_has_the_id_of_its_first_message_and_its_tags(scene: Scene) -> None:
    thread = await post(scene)
    assert [tag.name for tag in thread.applied_tags] == ["open"]
    assert [m.id async for m in thread.history()] == [thread.id]
    (place,) = scene.forum.threads
    assert place.name == "anna – bob" and [m.content for m in place.history()] == ["the card"]


async def test_a_thread_in_a_text_channel_begins_empty_and_discord_says_that_it_began(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    thread = await lobby.create_thread(name="talk", type=PUBLIC)
    assert [m async for m in thread.history()] == []
    assert [m.type async for m in lobby.history()] == [discord.MessageType.thread_created]
    assert scene.standin.arrived() == []  # that one is not the bot's


async def test_an_archived_thread_takes_no_edit_but_opens_by_sending(scene: Scene) -> None:
    thread = await post(scene)
    first = await thread.fetch_message(thread.id)
    scene.guild.archive(scene.forum.threads[0])
    for refused in (first.edit(content="new"), thread.edit(name="new")):
        with pytest.raises(discord.HTTPException) as refusal:
            await refused
        assert refusal.value.code == 50083
    guild = scene.bot.get_guild(scene.guild.id)
    assert guild is not None
    assert await guild.active_threads() == []
    assert [t.id async for t in scene.forum_channel().archived_threads()] == [thread.id]
    await thread.send("opens it")
    assert [t.id for t in await guild.active_threads()] == [thread.id]
    assert (await first.edit(content="new")).content == "new"
    scene.guild.archive(scene.forum.threads[0])
    await thread.edit(archived=False, name="opened by an edit")
    assert not thread.archived


async def test_quiet_threads_are_archived_by_time(scene: Scene) -> None:
    thread = await post(scene)
    await thread.edit(auto_archive_duration=10080)
    scene.clock.move(days=6)
    await thread.send("still here")
    guild = scene.bot.get_guild(scene.guild.id)
    assert guild is not None
    scene.clock.move(days=6)
    assert [t.id for t in await guild.active_threads()] == [thread.id]
    scene.clock.move(days=1, seconds=1)
    assert await guild.active_threads() == []
    (archived,) = [t async for t in scene.forum_channel().archived_threads()]
    assert archived.archive_timestamp == scene.clock.now()


async def test_a_locked_thread_is_closed_to_a_bot_that_does_not_manage_threads(scene: Scene) -> None:
    await scene.forum_channel().edit(available_tags=[discord.ForumTag(name="any")])
    made = await scene.forum_channel().create_thread(name="a", content="b")
    scene.guild.edit_role(scene.guild.roles["Bot"], permissions=discord.Permissions())
    scene.guild.archive(scene.forum.threads[0], locked=True)
    with pytest.raises(discord.HTTPException) as refusal:
        await made.thread.send("hello")
    assert refusal.value.code == 160005


async def test_moderated_tags_need_the_permission_to_manage_threads(scene: Scene) -> None:
    thread = await post(scene)
    scene.guild.edit_role(scene.guild.roles["Bot"], permissions=discord.Permissions())
    done = next(tag for tag in scene.forum_channel().available_tags if tag.name == "done")
    await thread.add_tags(done)  # it is the bot's own thread
    with pytest.raises(discord.Forbidden) as refusal:
        await thread.edit(applied_tags=[done])
    assert refusal.value.code == 50013


async def test_archived_threads_come_in_pages_the_last_archived_first(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    for n in range(5):
        await lobby.create_thread(name=str(n), type=PUBLIC)
        scene.guild.archive(scene.lobby.threads[n])
        scene.clock.move(minutes=1)
    assert [t.name async for t in lobby.archived_threads(limit=3)] == ["4", "3", "2"]
    before = scene.clock.now() - timedelta(minutes=3)
    assert [t.name async for t in lobby.archived_threads(before=before)] == ["1", "0"]


async def test_a_thousand_active_threads_are_the_most(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.standin.rest_threads.MOST_ACTIVE", 1)
    lobby = scene.channel(scene.lobby)
    await lobby.create_thread(name="1", type=PUBLIC)
    with pytest.raises(discord.HTTPException) as refusal:
        await lobby.create_thread(name="2", type=PUBLIC)
    assert refusal.value.code == 160006


async def test_a_forum_exists_only_in_a_community(scene: Scene) -> None:
    guild = scene.bot.get_guild(scene.guild.id)
    assert guild is not None
    assert (await guild.create_forum("more")).type is discord.ChannelType.forum
    scene.guild.data["features"].clear()
    with pytest.raises(discord.HTTPException) as refusal:
        await guild.create_forum("even-more")
    assert refusal.value.code == 50035


async def test_a_deleted_channel_takes_its_threads_with_it(scene: Scene) -> None:
    thread = await post(scene)
    await scene.forum_channel().delete()
    with pytest.raises(discord.NotFound) as refusal:
        await scene.bot.fetch_channel(thread.id)
    assert refusal.value.code == 10003

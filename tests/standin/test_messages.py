"""Messages: nonces, history, edits, pings, direct messages, and what the bot may not."""

from __future__ import annotations

from datetime import timedelta

import discord
import pytest

from tests.standin.conftest import Scene


async def test_a_nonce_makes_one_message_within_its_window(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    first = await lobby.send("one", nonce="7")
    scene.clock.move(minutes=4)
    again = await lobby.send("two", nonce="7")
    assert (again.id, again.content) == (first.id, "one")
    scene.clock.move(minutes=2)
    later = await lobby.send("three", nonce="7")
    assert later.id != first.id
    assert [(a.content, a.nonce) for a in scene.standin.arrived(scene.lobby.id)] == [("one", "7"), ("three", "7")]


async def test_ids_carry_the_clocks_time_so_that_history_after_a_moment_works(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    for text in ("a", "b", "c", "d"):
        await lobby.send(text)
        scene.clock.move(minutes=1)
    after = scene.clock.now() - timedelta(minutes=3, seconds=30)
    assert [m.content async for m in lobby.history(after=after)] == ["b", "c", "d"]
    assert [m.content async for m in lobby.history(limit=2)] == ["d", "c"]
    assert [m.content async for m in lobby.history(limit=1, oldest_first=True)] == ["a"]
    (middle,) = [m async for m in lobby.history() if m.content == "b"]
    assert {m.content async for m in lobby.history(around=middle, limit=3)} == {"a", "b", "c"}
    assert [m.content async for m in lobby.history(before=middle)] == ["a"]


async def test_long_histories_come_in_pages(scene: Scene) -> None:
    for n in range(250):
        scene.anna.say(scene.lobby, str(n))
    lobby = scene.channel(scene.lobby)
    assert [int(m.content) async for m in lobby.history(limit=None, oldest_first=True)] == list(range(250))


async def test_texts_are_trimmed_and_empty_ones_refused(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    assert (await lobby.send("  words \n")).content == "words"
    with pytest.raises(discord.HTTPException) as refusal:
        await lobby.send(" \n ")
    assert refusal.value.code == 50006


async def test_edits_and_deletions_are_remembered(scene: Scene) -> None:
    message = await scene.channel(scene.lobby).send("first")
    await message.edit(content="second")
    await message.edit(content="third")
    await message.delete()
    (arrival,) = scene.standin.arrived()
    assert arrival.edits == ["second", "third"] and arrival.deleted
    with pytest.raises(discord.NotFound) as refusal:
        await message.edit(content="fourth")
    assert refusal.value.code == 10008


async def test_others_messages_are_theirs(scene: Scene) -> None:
    said = scene.anna.say(scene.lobby, "mine")
    with pytest.raises(discord.Forbidden) as refusal:
        await scene.channel(scene.lobby).get_partial_message(said.id).edit(content="yours")
    assert refusal.value.code == 50005


async def test_pings_are_those_that_were_allowed(scene: Scene) -> None:
    role = scene.guild.create_role("players")
    text = f"@everyone {scene.anna.mention} {role.mention}"
    lobby = scene.channel(scene.lobby)
    await lobby.send(text)
    await lobby.send(text, allowed_mentions=discord.AllowedMentions.none())
    await lobby.send(text, allowed_mentions=discord.AllowedMentions(everyone=False, users=True, roles=False))
    allowed = discord.AllowedMentions(everyone=False, users=False, roles=[discord.Object(role.id)])
    message = await lobby.send(text, allowed_mentions=allowed)
    await message.edit(content=f"{text} again", allowed_mentions=discord.AllowedMentions.all())
    user, group = f"user:{scene.anna.id}", f"role:{role.id}"
    assert [a.pings for a in scene.standin.arrived()] == [("everyone", user, group), (), (user,), (group,)]


async def test_a_closed_dm_is_refused_when_something_is_sent(scene: Scene) -> None:
    user = await scene.bot.fetch_user(scene.anna.id)
    await user.send("hello")
    scene.guild.close_dms(scene.anna)
    with pytest.raises(discord.Forbidden) as refusal:
        await user.send("hello?")
    assert refusal.value.code == 50007
    dm = scene.standin.dm(scene.anna)
    assert dm is not None and [m.content for m in dm.history()] == ["hello"]


@pytest.mark.parametrize(
    ("denied", "code"),
    [({"view_channel": True}, 50001), ({"send_messages": True}, 50013)],
)
async def test_what_the_bot_may_not_is_refused(scene: Scene, denied: dict[str, bool], code: int) -> None:
    scene.guild.edit_role(scene.guild.roles["Bot"], permissions=discord.Permissions())
    lobby = scene.channel(scene.lobby)
    await lobby.send("everybody may")
    scene.guild.overwrite(scene.lobby, scene.guild.roles["@everyone"], deny=discord.Permissions(**denied))
    with pytest.raises(discord.Forbidden) as refusal:
        await lobby.send("not any more")
    assert refusal.value.code == code


async def test_history_is_empty_without_the_permission_to_read_it(scene: Scene) -> None:
    await scene.channel(scene.lobby).send("there")
    scene.guild.edit_role(scene.guild.roles["Bot"], permissions=discord.Permissions())
    denied = discord.Permissions(read_message_history=True)
    scene.guild.overwrite(scene.lobby, scene.guild.roles["@everyone"], deny=denied)
    assert [m async for m in scene.channel(scene.lobby).history()] == []


async def test_a_deleted_channel_is_unknown(scene: Scene) -> None:
    lobby = scene.bot.get_partial_messageable(scene.lobby.id)
    scene.guild.delete_channel(scene.lobby)
    with pytest.raises(discord.NotFound) as refusal:
        await lobby.send("hello")
    assert refusal.value.code == 10003


async def test_files_arrive(scene: Scene) -> None:
    import io

    sent = await scene.channel(scene.lobby).send(file=discord.File(io.BytesIO(b"a,b"), "table.csv"))
    (attachment,) = sent.attachments
    assert attachment.filename == "table.csv" and await attachment.read() == b"a,b"

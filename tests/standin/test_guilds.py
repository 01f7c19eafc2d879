"""Roles, channels, members and scheduled events, and the permissions they need."""

from __future__ import annotations

from datetime import timedelta

import discord
import pytest

from tests.standin.conftest import Scene

Overwrites = dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite]


def guild(scene: Scene) -> discord.Guild:
    found = scene.bot.get_guild(scene.guild.id)
    assert found is not None
    return found


def allow(scene: Scene, **flags: bool) -> None:
    scene.guild.edit_role(scene.guild.roles["Bot"], permissions=discord.Permissions(**flags))


async def test_a_role_is_made_below_the_bots_own_and_given(scene: Scene) -> None:
    role = await guild(scene).create_role(name="TD", permissions=discord.Permissions(manage_threads=True))
    await scene.quiet()
    assert role.position == 1 and guild(scene).me.top_role.position == 2
    member = await guild(scene).fetch_member(scene.anna.id)
    await member.add_roles(role)
    assert scene.anna.data["roles"] == [str(role.id)]
    await member.remove_roles(role)
    assert scene.anna.data["roles"] == []
    await role.edit(name="Director")
    await role.delete()
    assert "Director" not in scene.guild.roles


async def test_nobody_gives_what_they_do_not_have(scene: Scene) -> None:
    allow(scene, manage_roles=True, manage_channels=True)
    with pytest.raises(discord.Forbidden):
        await guild(scene).create_role(name="TD", permissions=discord.Permissions(manage_threads=True))
    everybody: Overwrites = {guild(scene).default_role: discord.PermissionOverwrite(manage_threads=True)}
    with pytest.raises(discord.Forbidden):
        await guild(scene).create_text_channel("x", overwrites=everybody)
    allow(scene, manage_roles=True, manage_channels=True, manage_threads=True)
    made = await guild(scene).create_text_channel("x", overwrites=everybody)
    assert made.overwrites_for(guild(scene).default_role).manage_threads


@pytest.mark.parametrize("lacking", ["manage_roles", "manage_channels"])
async def test_roles_and_channels_need_their_permission(scene: Scene, lacking: str) -> None:
    flags = dict.fromkeys({"manage_roles", "manage_channels"} - {lacking}, True)
    allow(scene, **flags)
    with pytest.raises(discord.Forbidden) as refusal:
        if lacking == "manage_roles":
            await guild(scene).create_role(name="x")
        else:
            await guild(scene).create_text_channel("x")
    assert refusal.value.code == 50013


async def test_overwrites_of_a_member_go_over_those_of_roles(scene: Scene) -> None:
    lobby = scene.channel(scene.lobby)
    await lobby.set_permissions(guild(scene).default_role, send_messages=False)
    allow(scene)
    with pytest.raises(discord.Forbidden):
        await lobby.send("closed")
    bot = scene.guild.data["owner_id"] = scene.standin.state.bot["id"]  # an owner may everything
    await lobby.set_permissions(guild(scene).me, send_messages=True)
    scene.guild.data["owner_id"] = "0"
    await lobby.send("open for me")
    await scene.quiet()
    assert bot == str(guild(scene).me.id) and lobby.permissions_for(guild(scene).me).send_messages


async def test_channels_are_changed_and_deleted(scene: Scene) -> None:
    made = await guild(scene).create_text_channel("new", topic="what for")
    await made.edit(name="renamed", topic="else")
    assert scene.guild.channels["renamed"].data["topic"] == "else"
    await made.delete()
    await scene.quiet()
    assert "renamed" not in scene.guild.channels and scene.bot.get_channel(made.id) is None


async def test_somebody_who_left_is_no_member(scene: Scene) -> None:
    scene.guild.remove_member(scene.anna)
    with pytest.raises(discord.NotFound) as refusal:
        await guild(scene).fetch_member(scene.anna.id)
    assert refusal.value.code == 10007


async def test_scheduled_events(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    start = scene.clock.now() + timedelta(days=1)

    async def create(name: str) -> discord.ScheduledEvent:
        return await guild(scene).create_scheduled_event(
            name=name, start_time=start, end_time=start + timedelta(hours=1), location="Lichess",
            privacy_level=discord.PrivacyLevel.guild_only, entity_type=discord.EntityType.external,
        )  # fmt: skip

    monkeypatch.setattr("tests.standin.rest_guilds.MOST_EVENTS", 1)
    event = await create("final")
    with pytest.raises(discord.HTTPException) as refusal:
        await create("too many")
    assert refusal.value.code == 30038
    await event.edit(name="the final")
    assert [e.name for e in await guild(scene).fetch_scheduled_events()] == ["the final"]
    await event.delete()
    with pytest.raises(discord.NotFound):
        await guild(scene).fetch_scheduled_event(event.id)
    allow(scene)
    with pytest.raises(discord.Forbidden):
        await create("not allowed")

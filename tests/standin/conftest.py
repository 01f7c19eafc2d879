"""A stand-in with one server, and a plain discord.py bot in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import discord
import pytest
from discord import app_commands

from tests.standin import Guild, ManualClock, Person, Place, Standin
from tests.standin.client import quiet, running


class PlainBot(discord.Client):
    """Keeps what it hears."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True), max_ratelimit_timeout=30)
        self.tree = app_commands.CommandTree(self)
        self.resumed = 0
        self.heard: list[str] = []

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py would wait five seconds before a second login."""

    async def on_resumed(self) -> None:
        self.resumed += 1

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        self.heard.append(channel.name)


@dataclass
class Scene:
    standin: Standin
    clock: ManualClock
    guild: Guild
    lobby: Place
    forum: Place
    anna: Person
    bot: PlainBot

    async def quiet(self) -> None:
        await quiet(self.standin, self.bot)

    def channel(self, place: Place) -> discord.TextChannel:
        found = self.bot.get_channel(place.id)
        assert isinstance(found, discord.TextChannel)
        return found

    def forum_channel(self) -> discord.ForumChannel:
        found = self.bot.get_channel(self.forum.id)
        assert isinstance(found, discord.ForumChannel)
        return found


@pytest.fixture
async def scene(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    clock = ManualClock()
    async with Standin(clock) as standin:
        standin.point_discord_py_here(monkeypatch)
        guild = standin.create_guild("Antichess", community=True)
        lobby, forum = guild.create_text_channel("lobby"), guild.create_forum_channel("posts")
        bot = PlainBot()
        async with running(standin, bot):
            yield Scene(standin, clock, guild, lobby, forum, guild.add_member("anna"), bot)

"""Notices at once when a channel of ours is deleted or closed to us, or is open again, and tells the TDs once."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord.ext import commands

from cogs.directors.channels import missing_permissions
from cogs.seam import Client

log = logging.getLogger(__name__)


class Watch(commands.Cog):
    """Discord says what changes; what follows from it is looked up in the server as it is now."""

    def __init__(self, client: Client) -> None:
        self._app = client.app

    async def _look(self, guild: discord.Guild) -> None:
        try:
            server = await self._app.setup.server(guild.id)
            if server is not None and not guild.unavailable:
                await self._app.setup.troubles(guild.id, missing_permissions(guild, server))
        except Exception:
            # A listener has nobody to answer; the next change or start looks again.
            log.exception("the channels of server %d could not be looked at", guild.id)

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        await self._look(guild)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._look(channel.guild)

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: Any, after: discord.abc.GuildChannel) -> None:
        await self._look(after.guild)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        await self._look(after.guild)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        await self._look(role.guild)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if after == after.guild.me:
            await self._look(after.guild)

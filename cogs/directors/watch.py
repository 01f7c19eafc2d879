"""Notices at once when a channel of ours is deleted or closed to us, or is open again, and tells the TDs once."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
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
        if not guild.unavailable:
            await self._safely(guild, self._compare(guild))

    async def _compare(self, guild: discord.Guild) -> None:
        server = await self._app.setup.server(guild.id)
        if server is not None:
            await self._app.setup.troubles(guild.id, missing_permissions(guild, server))

    async def _safely(self, guild: discord.abc.Snowflake, work: Awaitable[None]) -> None:
        """A listener has nobody to answer; the next change or start looks again."""
        try:
            await work
        except Exception:
            log.exception("what changed in server %d could not be dealt with", guild.id)

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        await self._look(guild)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Invited again: what could not be delivered meanwhile is owed again."""
        await self._safely(guild, self._app.setup.revive(guild.id))
        await self._look(guild)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._safely(channel.guild, self._matches_gone(channel))
        await self._look(channel.guild)

    async def _matches_gone(self, channel: discord.abc.GuildChannel) -> None:
        server = await self._app.setup.server(channel.guild.id)
        if server is not None and server.channels.get("matches") == channel.id:
            await self._app.rounds.matches_channel_deleted(channel.guild.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        guild = discord.Object(payload.guild_id)
        await self._safely(guild, self._app.rounds.thread_deleted(payload.thread_id))

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
    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Without the members intent Discord does not say who joins; whoever acts in the server is there."""
        guild_id = interaction.guild_id
        if guild_id is not None and interaction.type is not discord.InteractionType.autocomplete:
            guild = discord.Object(guild_id)
            await self._safely(guild, self._app.membership.is_here(guild_id, interaction.user.id))

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if after == after.guild.me:
            await self._look(after.guild)

"""When the matches are played: `/schedule` and `/calendar`."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs.render import schedule as render
from cogs.seam import actor_of, app_of, defer, reply


class Schedule(commands.Cog):
    @app_commands.command(description="World Cup: when the matches are played, day by day")
    @app_commands.describe(round="Which round; what is being played now if left away")
    @app_commands.guild_only()
    async def schedule(
        self, interaction: discord.Interaction[Any], round: app_commands.Range[int, 1, 30] | None = None
    ) -> None:
        await defer(interaction)
        await reply(
            interaction, app_of(interaction).timetable.schedule(actor_of(interaction).guild_id, round), render.schedule
        )

    @app_commands.command(description="World Cup: the agreed matches as a file for your own calendar")
    @app_commands.describe(mine="Only your own matches")
    @app_commands.guild_only()
    async def calendar(self, interaction: discord.Interaction[Any], mine: bool = False) -> None:
        await defer(interaction)
        await reply(
            interaction, app_of(interaction).timetable.calendar(actor_of(interaction), mine=mine), render.calendar
        )

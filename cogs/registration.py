"""`/register`: entering the event."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.render import registration as render
from cogs.seam import actor_of, app_of, defer, reply
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field


class Registration(commands.Cog):
    @app_commands.command(description="World Cup: enter with your Lichess account")
    @app_commands.describe(account="Your Lichess name, or the link to your profile")
    @app_commands.guild_only()
    async def register(self, interaction: discord.Interaction[Any], account: str) -> None:
        await defer(interaction)
        actor = actor_of(interaction)
        name = transforms.account_name(account)
        await reply(interaction, app_of(interaction).registration.register(actor, name), render.entry_filed)


@on_button("approve")
async def approve(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).registration.decide(actor_of(interaction), whole_number(arg), approve=True)
    await reply(interaction, work, render.decision_made)


@on_button("reject")
async def reject(interaction: discord.Interaction[Any], arg: str) -> None:
    """Asks for the reason that the player will read."""
    await app_of(interaction).setup.require_td(actor_of(interaction))

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        work = app_of(answer).registration.decide(actor_of(answer), whole_number(arg), approve=False, reason=values[0])
        await reply(answer, work, render.decision_made)

    reason = field("Reason, shown to the player", placeholder="For example: too few rated games", long=True, most=500)
    await interaction.response.send_modal(Form("Reject an entry", [reason], submit))

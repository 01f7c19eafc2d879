"""`/timezone` and `/reminders`: what a player prefers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import zones
from cogs.render import people as render
from cogs.render.message import Message
from cogs.seam import actor_of, app_of, defer, reply
from cogs.times import Ambiguous, Unreadable, read_time
from cogs.views.build import view_of
from cogs.views.buttons import on_button
from engine.errors import AcwcError, BadInput
from engine.reminders import Kind
from engine.usecases.people import Preferences

_MOST = 25
_A_WEEK = timedelta(days=7, hours=2)
"""With the hour by which a week with a change of clocks is longer, so that every weekday and hour is in it."""


async def zone_choices(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    """Zones by any part of their names; before anything is typed the own one and common ones."""
    try:
        own = await app_of(interaction).people.preferences(actor_of(interaction))
    except AcwcError:
        return []
    if current.strip():
        names: list[str | None] = [*zones.meant(current), *zones.search(current, _MOST)]
    else:
        names = [None if zones.is_lost(own.timezone) else own.timezone, None, *zones.COMMON]
    return [
        app_commands.Choice(
            name=render.zone_choice(name, own.now, chosen=name == own.timezone)[:100], value=name or "UTC"
        )
        for name in list(dict.fromkeys(names))[:_MOST]
    ]


class OwnSettings(commands.Cog):
    @app_commands.command(description="World Cup: on which clock the times that you type are read")
    @app_commands.describe(zone="Your city or zone, for example Berlin or UTC+2; none for UTC. Leave it away to look.")
    @app_commands.autocomplete(zone=zone_choices)
    @app_commands.guild_only()
    async def timezone(self, interaction: discord.Interaction[Any], zone: str | None = None) -> None:
        await defer(interaction)
        people, actor = app_of(interaction).people, actor_of(interaction)
        if zone is None:
            await reply(interaction, people.preferences(actor), lambda found: _timezone(found, changed=False))
        else:
            name = zones.iana_name(zone)
            await reply(interaction, people.choose_timezone(actor, name), lambda found: _timezone(found, changed=True))

    @app_commands.command(description="World Cup: which reminders you get")
    @app_commands.guild_only()
    async def reminders(self, interaction: discord.Interaction[Any]) -> None:
        await reply(interaction, app_of(interaction).people.preferences(actor_of(interaction)), render.reminders)


def _timezone(found: Preferences, *, changed: bool) -> Message:
    """With the example read by the same parser that reads the offers."""
    window = (found.now, found.now + _A_WEEK)
    read = read_time(render.EXAMPLE, now=found.now, window=window, zone=zones.zone_of(found.timezone))
    assert not isinstance(read, Unreadable)
    first = read.readings[0] if isinstance(read, Ambiguous) else read
    return render.timezone(found, first.start, changed=changed)


@on_button("reminder")
async def _reminder(interaction: discord.Interaction[Any], arg: str) -> None:
    name, _, word = arg.partition(".")
    """The list changes where it stands."""
    if name not in set(Kind) or word not in ("on", "off"):
        raise BadInput("old_button")
    await interaction.response.defer()
    app, actor = app_of(interaction), actor_of(interaction)
    shown = render.reminders(await app.people.switch_reminder(actor, Kind(name), on=word == "on"))
    await interaction.edit_original_response(content=shown.text, view=view_of(shown))

"""`/match`: what belongs to one match."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import evening, transforms
from cogs.render.timeline import shown
from cogs.seam import actor_of, app_of, defer, reply
from engine.errors import AcwcError


async def any_match(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """Matches whose `R3 · alice – bob` has every word that was typed; one's own first."""
    try:
        choices = await app_of(interaction).evidence.match_choices(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold().split()
    fitting = [(id, name) for id, name in choices if all(word in name.casefold() for word in wanted)]
    return [app_commands.Choice(name=name[:100], value=id) for id, name in fitting[:25]]


class Matches(commands.Cog):
    match = app_commands.Group(name="match", description="World Cup: about one match", guild_only=True)

    @match.command(description="World Cup: a match, with everything that happened about its time")
    @app_commands.describe(match="Which match; your own if left away")
    @app_commands.autocomplete(match=any_match)
    async def show(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await defer(interaction)
        await reply(interaction, app_of(interaction).evidence.show(actor_of(interaction), match), shown)

    @match.command(name="opponent-absent", description="World Cup: your opponent is not there at the agreed time")
    @app_commands.describe(match="Which match, if you have more than one open")
    @app_commands.autocomplete(match=transforms.own_matches)
    async def opponent_absent(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await evening.absent(interaction, match)

    @match.command(name="break", description="World Cup: your one break of ten minutes, between two games")
    @app_commands.describe(match="Which match, if you have more than one open")
    @app_commands.autocomplete(match=transforms.own_matches)
    async def take_break(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await evening.take_break(interaction, match)

    @match.command(description="World Cup: you are back from your break before its end")
    @app_commands.describe(match="Which match, if you have more than one open")
    @app_commands.autocomplete(match=transforms.own_matches)
    async def resume(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await evening.resume(interaction, match)

    @match.command(name="opponent-left", description="World Cup: your opponent has left during the match")
    @app_commands.describe(match="Which match, if you have more than one open")
    @app_commands.autocomplete(match=transforms.own_matches)
    async def opponent_left(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await evening.left(interaction, match)

    @match.command(description="World Cup: your opponent did not come in the ten minutes; take the win or another time")
    @app_commands.describe(choice="What you choose", match="Which match, if you have more than one open")
    @app_commands.choices(choice=evening.CHOICES)
    @app_commands.autocomplete(match=transforms.own_matches)
    async def claim(self, interaction: discord.Interaction[Any], choice: str, match: int | None = None) -> None:
        await evening.claim(interaction, choice, match)

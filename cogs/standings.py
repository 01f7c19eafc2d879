"""What everybody may look at: `/hub`, `/standings`, `/pairings`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from cogs.render import stages
from cogs.render import tables as render
from cogs.render.message import Message
from cogs.seam import actor_of, app_of, defer, reply, send
from cogs.views.buttons import on_button, whole_number

T = TypeVar("T")
Load = Callable[[int, int | None], Awaitable[T]]


class Standings(commands.Cog):
    @app_commands.command(description="World Cup: where you stand and what to do now")
    @app_commands.guild_only()
    async def hub(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        await reply(interaction, app_of(interaction).tables.hub(actor_of(interaction)), render.hub)

    @app_commands.command(description="World Cup: the table of the Qualification, the pools, the last matches")
    @app_commands.describe(round="Of the Qualification, after which round; the newest table if left away")
    @app_commands.guild_only()
    async def standings(
        self, interaction: discord.Interaction[Any], round: app_commands.Range[int, 1, 30] | None = None
    ) -> None:
        await defer(interaction)
        later = await app_of(interaction).tables.stage(actor_of(interaction).guild_id) if round is None else None
        if later is not None:
            await send(interaction, stages.standings(*later))
            return
        view = await app_of(interaction).tables.standings(actor_of(interaction).guild_id, round)
        await send(interaction, render.standings_page(view, 0))

    @app_commands.command(description="World Cup: the pairings of a round")
    @app_commands.describe(round="Which round; the newest if left away")
    @app_commands.guild_only()
    async def pairings(
        self, interaction: discord.Interaction[Any], round: app_commands.Range[int, 1, 30] | None = None
    ) -> None:
        await defer(interaction)
        view = await app_of(interaction).tables.pairings(actor_of(interaction).guild_id, round)
        await send(interaction, render.pairings_page(view, 0))


def _round_and_page(arg: str) -> tuple[int | None, int]:
    number, _, page = arg.partition(".")
    return whole_number(number) or None, whole_number(page)


async def _turn(
    interaction: discord.Interaction[Any], arg: str, load: Load[T], render: Callable[[T, int], Message]
) -> None:
    """Shows the page that a button named."""
    await defer(interaction)
    number, page = _round_and_page(arg)
    await send(interaction, render(await load(actor_of(interaction).guild_id, number), page))


@on_button("standings")
async def _standings(interaction: discord.Interaction[Any], arg: str) -> None:
    await _turn(interaction, arg, app_of(interaction).tables.standings, render.standings_page)


@on_button("tiebreaks")
async def _tiebreaks(interaction: discord.Interaction[Any], arg: str) -> None:
    await _turn(interaction, arg, app_of(interaction).tables.standings, render.standings_detail)


@on_button("pairings")
async def _pairings(interaction: discord.Interaction[Any], arg: str) -> None:
    await _turn(interaction, arg, app_of(interaction).tables.pairings, render.pairings_page)

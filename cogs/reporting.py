"""R6.6: `/report` and its buttons. The games on Lichess decide."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.render import armageddon, evening
from cogs.render import matches as render
from cogs.render.message import Message
from cogs.seam import actor_of, app_of, defer, reply
from cogs.views.buttons import on_button, whole_number
from engine.usecases.reporting import Reported


class Reporting(commands.Cog):
    @app_commands.command(description="World Cup: report your match; without anything I read the games myself")
    @app_commands.describe(
        score="Yours first, for example 6-2; it is checked against the games",
        games="Links of the games, if I cannot find them",
        match="Which match, if you have more than one open",
    )
    @app_commands.autocomplete(match=transforms.own_matches)
    @app_commands.guild_only()
    async def report(
        self,
        interaction: discord.Interaction[Any],
        score: str | None = None,
        games: str | None = None,
        match: int | None = None,
    ) -> None:
        await defer(interaction)
        points = transforms.score(score) if score else None
        ids = transforms.game_ids(games) if games else ()
        work = app_of(interaction).reporting.report(actor_of(interaction), match, score=points, game_ids=ids)
        await reply(interaction, work, _reported)


def _reported(outcome: Reported) -> Message:
    if outcome.to_confirm is not None:
        return render.first_game_asked(outcome.view, outcome.to_confirm, differs=outcome.differs)
    if outcome.tie is not None:
        return armageddon.comes_first(outcome.view, outcome.tie)
    if outcome.begun:
        return evening.first_game_agreed(outcome.view)
    return render.reported(outcome.view, already=outcome.already)


@on_button("report")
async def _report(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    await reply(interaction, app_of(interaction).reporting.report(actor_of(interaction), whole_number(arg)), _reported)


@on_button("ask-game")
async def _ask_game(interaction: discord.Interaction[Any], arg: str) -> None:
    """Q20, Q21: that a TD counts a game with other settings; it needs both."""
    await defer(interaction)
    match, _, game = arg.partition(".")
    work = app_of(interaction).game_rulings.ask(actor_of(interaction), whole_number(match), game)
    await reply(interaction, work, evening.asked_to_count)


@on_button("confirm")
async def _confirm(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    await reply(interaction, app_of(interaction).reporting.confirm(actor_of(interaction), whole_number(arg)), _reported)

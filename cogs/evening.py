"""R6: an opponent who is not there or has left, breaks, claims: `/match …` and their buttons; the commands are in
`cogs/match.py`."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from cogs.render.timers import answer
from cogs.seam import actor_of, app_of, defer, reply
from cogs.views.buttons import on_button, whole_number
from engine.usecases.claims import Choice

CHOICES = [
    app_commands.Choice(name="Claim the win", value=Choice.WIN.value),
    app_commands.Choice(name="Reschedule", value=Choice.RESCHEDULE.value),
]


async def absent(interaction: discord.Interaction[Any], match_id: int | None) -> None:
    await reply(interaction, app_of(interaction).absences.report(actor_of(interaction), match_id), answer)


async def take_break(interaction: discord.Interaction[Any], match_id: int | None) -> None:
    await reply(interaction, app_of(interaction).breaks.call(actor_of(interaction), match_id), answer)


async def resume(interaction: discord.Interaction[Any], match_id: int | None) -> None:
    await reply(interaction, app_of(interaction).breaks.resume(actor_of(interaction), match_id), answer)


async def left(interaction: discord.Interaction[Any], match_id: int | None) -> None:
    await reply(interaction, app_of(interaction).breaks.left(actor_of(interaction), match_id), answer)


async def claim(interaction: discord.Interaction[Any], choice: str, match_id: int | None) -> None:
    work = app_of(interaction).claims.claim(actor_of(interaction), match_id, Choice(choice))
    await reply(interaction, work, answer)


async def _choose(interaction: discord.Interaction[Any], arg: str, choice: Choice) -> None:
    await defer(interaction)
    work = app_of(interaction).claims.choose(actor_of(interaction), whole_number(arg), choice)
    await reply(interaction, work, answer)


@on_button("absent")
async def _absent(interaction: discord.Interaction[Any], arg: str) -> None:
    await absent(interaction, whole_number(arg))


@on_button("claim-win")
async def _claim_win(interaction: discord.Interaction[Any], arg: str) -> None:
    await _choose(interaction, arg, Choice.WIN)


@on_button("claim-move")
async def _claim_move(interaction: discord.Interaction[Any], arg: str) -> None:
    await _choose(interaction, arg, Choice.RESCHEDULE)


@on_button("break")
async def _break(interaction: discord.Interaction[Any], arg: str) -> None:
    await take_break(interaction, whole_number(arg))


@on_button("back")
async def _back(interaction: discord.Interaction[Any], arg: str) -> None:
    await resume(interaction, whole_number(arg))


@on_button("left")
async def _left(interaction: discord.Interaction[Any], arg: str) -> None:
    await left(interaction, whole_number(arg))


@on_button("call-td")
async def _call_td(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    await reply(interaction, app_of(interaction).breaks.ask_td(actor_of(interaction), whole_number(arg)), answer)

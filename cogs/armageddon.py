"""`/armageddon`: sealed bids and sealed throws for the game that decides a tied knock-out match (R3.16)."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.render import armageddon as render
from cogs.seam import actor_of, app_of, defer, reply
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field
from engine.armageddon import Hand
from engine.errors import BadInput
from engine.rules.schema import Armageddon
from engine.usecases.deciders import DeciderView

_CLOCK = re.compile(r"(?:([0-9]{1,2}):([0-5][0-9])|([0-9]{1,4}))\s*s?")


def seconds_of(text: str, rules: Armageddon) -> int:
    """`1:45`, `105` or `105s` in seconds. BadInput("bid_unclear")."""
    found = _CLOCK.fullmatch(text.strip().lower())
    if found is None:
        raise BadInput("bid_unclear", clause="R3.16", text=text, least=rules.bid_least, most=rules.bid_most)
    minutes, seconds, alone = found.groups()
    return int(alone) if alone else 60 * int(minutes) + int(seconds)


class ArmageddonGames(commands.Cog):
    armageddon = app_commands.Group(
        name="armageddon", description="World Cup: the deciding game of a tied match", guild_only=True
    )

    @armageddon.command(description="World Cup: your sealed bid, the time that you would have with White")
    @app_commands.describe(match="Which match; your open one if left away")
    @app_commands.autocomplete(match=transforms.own_matches)
    async def bid(self, interaction: discord.Interaction[Any], match: int | None = None) -> None:
        await _form(interaction, match)

    @armageddon.command(description="World Cup: rock, paper or scissors, when both bids are equal")
    @app_commands.describe(throw="Sealed until both have thrown", match="Which match; your open one if left away")
    @app_commands.choices(throw=[app_commands.Choice(name=hand.value.capitalize(), value=hand.value) for hand in Hand])
    @app_commands.autocomplete(match=transforms.own_matches)
    async def rps(self, interaction: discord.Interaction[Any], throw: str, match: int | None = None) -> None:
        await defer(interaction)
        await _sealed(interaction, app_of(interaction).deciders.throw(actor_of(interaction), match, Hand(throw)))


async def _form(interaction: discord.Interaction[Any], match_id: int | None) -> None:
    """A form, so that the bid never stands in a channel."""
    tied = await app_of(interaction).deciders.tied(actor_of(interaction), match_id)
    rules = tied.view.rules.armageddon

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await defer(answer)
        seconds = seconds_of(values[0], rules)
        await _sealed(answer, app_of(answer).deciders.bid(actor_of(answer), tied.view.match.id, seconds))

    await interaction.response.send_modal(Form("Your sealed bid", [field(render.BID_HINT, most=10)], submit))


async def _sealed(interaction: discord.Interaction[Any], work: Awaitable[DeciderView]) -> None:
    await reply(interaction, work, render.sealed)


@on_button("bid-form")
async def _bid_form(interaction: discord.Interaction[Any], arg: str) -> None:
    await _form(interaction, whole_number(arg))


@on_button("throw")
async def _throw(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    match, _, hand = arg.partition(".")
    if hand not in set(Hand):
        raise BadInput("old_button")
    work = app_of(interaction).deciders.throw(actor_of(interaction), whole_number(match), Hand(hand))
    await _sealed(interaction, work)

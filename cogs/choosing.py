"""R5.5, R6.3: `/set-time` and `/reschedule`, their forms, and what players ask of the TDs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.autotime import offer_times
from cogs.render import offers as render
from cogs.render.message import Button, Message
from cogs.scheduling import Purpose, decode_spans, examples_for, offered, read_spans
from cogs.seam import actor_of, app_of, defer, reply
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field
from cogs.zones import shown as shown_zone
from engine.errors import BadInput
from engine.usecases.choosing import Asked, Wish
from engine.usecases.scheduling import Reading

SET = Purpose(Button("set-this", "", "Set", "primary"), "set", singly=True, notice=timedelta(hours=12))
MOVE = Purpose(Button("move-to", "", "Propose", "primary"), "proposed")


class Choosing(commands.Cog):
    @app_commands.command(name="set-time", description="World Cup: set the time, if you have the right to choose it")
    @app_commands.describe(
        time="For example: Sun 18:00 (UTC), at least 12 hours ahead",
        match="Which match, if you have more than one open",
    )
    @app_commands.autocomplete(time=offer_times)
    @app_commands.autocomplete(match=transforms.own_matches)
    @app_commands.guild_only()
    async def set_time(self, interaction: discord.Interaction[Any], time: str, match: int | None = None) -> None:
        await _set(interaction, match, time)

    @app_commands.command(description="World Cup: propose another time for an agreed match")
    @app_commands.describe(
        time="For example: Sun 18:00 (UTC). The agreed time stands until your opponent accepts.",
        reason="Why; your opponent reads it",
        match="Which match, if you have more than one open",
    )
    @app_commands.autocomplete(time=offer_times)
    @app_commands.autocomplete(match=transforms.own_matches)
    @app_commands.guild_only()
    async def reschedule(
        self, interaction: discord.Interaction[Any], time: str, reason: str | None = None, match: int | None = None
    ) -> None:
        await _move(interaction, match, time, reason or "")


async def _set(interaction: discord.Interaction[Any], match_id: int | None, text: str) -> None:
    await defer(interaction)
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)
    spans = await read_spans(interaction, reading, text, SET)
    if spans is not None:
        work = app_of(interaction).choosing.set_time(actor_of(interaction), reading.seat.match.id, spans[0].start)
        await reply(interaction, work, render.time_set)


async def _move(interaction: discord.Interaction[Any], match_id: int | None, text: str, reason: str) -> None:
    await defer(interaction)
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)
    spans = await read_spans(interaction, reading, text, MOVE)
    if spans is not None:
        work = app_of(interaction).scheduling.reschedule(actor_of(interaction), reading.seat.match.id, spans, reason)
        await reply(interaction, work, offered)


def _opponent(reading: Reading) -> str:
    return reading.seat.event.name(reading.seat.match.opponent_of(reading.seat.entrant.id))


def _when(reading: Reading, purpose: Purpose) -> discord.ui.TextInput[Any]:
    zone = shown_zone(reading.timezone)
    return field(f"Time, {zone}"[:45], placeholder=f"For example {examples_for(reading, purpose.notice)[0]}")


@on_button("set-time")
async def _set_time(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id = whole_number(arg)
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)
    await app_of(interaction).choosing.require_right(actor_of(interaction), match_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await _set(answer, match_id, values[0])

    await interaction.response.send_modal(
        Form(f"Set the time against {_opponent(reading)}", [_when(reading, SET)], submit)
    )


@on_button("set-this")
async def _set_this(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id, spans = decode_spans(arg)
    if not spans:
        raise BadInput("old_button")
    work = app_of(interaction).choosing.set_time(actor_of(interaction), match_id, spans[0].start)
    await reply(interaction, work, render.time_set)


@on_button("move-form")
async def _move_form(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id = whole_number(arg)
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await _move(answer, match_id, values[0], values[1])

    why = field("Why, for your opponent", required=False)
    await interaction.response.send_modal(
        Form(f"Another time against {_opponent(reading)}", [_when(reading, MOVE), why], submit)
    )


@on_button("move-to")
async def _move_to(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id, spans = decode_spans(arg)
    work = app_of(interaction).scheduling.reschedule(actor_of(interaction), match_id, spans)
    await reply(interaction, work, offered)


@on_button("ask-allow")
async def _ask_allow(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).choosing.ask(actor_of(interaction), whole_number(arg), Wish.ALLOW)
    await reply(interaction, work, _asked)


@on_button("ask-extend")
async def _ask_extend(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).choosing.ask(actor_of(interaction), whole_number(arg), Wish.EXTEND)
    await reply(interaction, work, _asked)


def _asked(outcome: Asked) -> Message:
    return render.asked(outcome.label)

"""`/register` and `/withdraw`: entering the event, and showing whose account it is (R2)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.render import entries as render
from cogs.render import withdrawals
from cogs.render.message import Message
from cogs.seam import actor_of, app_of, defer, reply, send
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field
from engine.errors import AcwcError
from engine.usecases.entries import EntryView
from engine.usecases.registration import Claim

FOLLOWED_FOR = 12 * 60.0
"""Seconds: Discord lets an answer be edited for fifteen minutes."""
EDIT_EVERY = 2.0
"""Seconds between two edits of one answer, so that none waits for Discord's limits."""


class Registration(commands.Cog):
    @app_commands.command(description="World Cup: enter with your Lichess account")
    @app_commands.describe(
        account="Your Lichess name, or the link to your profile",
        others="Other Lichess accounts you have or have had, if any",
    )
    @app_commands.guild_only()
    async def register(self, interaction: discord.Interaction[Any], account: str, others: str | None = None) -> None:
        await defer(interaction)
        name, more = transforms.account_name(account), transforms.account_names(others or "")
        await reply(interaction, app_of(interaction).registration.register(actor_of(interaction), name, more), _claim)

    @app_commands.command(description="World Cup: take your entry back, or leave the event; asks first")
    @app_commands.guild_only()
    async def withdraw(self, interaction: discord.Interaction[Any]) -> None:
        await _ask_to_withdraw(interaction, "")


def _claim(view: Claim) -> Message:
    return render.claim(view)


@on_button("claim")
async def _show_claim(interaction: discord.Interaction[Any], arg: str) -> None:
    await reply(interaction, app_of(interaction).registration.claim(actor_of(interaction), whole_number(arg)), _claim)


@on_button("name-others")
async def _name_others(interaction: discord.Interaction[Any], arg: str) -> None:
    registration_id = whole_number(arg)
    view = await app_of(interaction).registration.claim(actor_of(interaction), registration_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await defer(answer)
        names = transforms.account_names(values[0])
        await reply(answer, app_of(answer).registration.name_others(actor_of(answer), registration_id, names), _claim)

    named = ", ".join(view.entry.others) or None
    asked = field("Names or links, empty if none", long=True, required=False, default=named, most=400)
    await interaction.response.send_modal(Form("Your other Lichess accounts", [asked], submit))


@on_button("withdraw-ask")
async def _ask_to_withdraw(interaction: discord.Interaction[Any], arg: str) -> None:
    """An entrant leaves the event (R8), anybody else takes an entry back."""
    await defer(interaction)
    seen = await app_of(interaction).withdrawals.ask(actor_of(interaction))
    if seen is not None:
        await send(interaction, withdrawals.question(seen))
        return
    work = app_of(interaction).registration.withdrawable(actor_of(interaction))
    await reply(interaction, work, render.withdraw_question)


@on_button("withdraw")
async def _withdraw(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).registration.withdraw(actor_of(interaction), whole_number(arg))
    await reply(interaction, work, render.withdrawn)


@on_button("leave-event")
async def _leave_event(interaction: discord.Interaction[Any], arg: str) -> None:
    """Whoever presses leaves, whatever the button says."""
    await reply(interaction, app_of(interaction).withdrawals.leave(actor_of(interaction), arg), withdrawals.done)


@on_button("drop")
async def _drop(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).registration.drop(actor_of(interaction), whole_number(arg))
    await reply(interaction, work, render.dropped)


@on_button("log-in")
async def _log_in(interaction: discord.Interaction[Any], arg: str) -> None:
    work = app_of(interaction).logins.begin(actor_of(interaction), whole_number(arg))
    await reply(interaction, work, render.login_link)


@on_button("prove")
async def _prove(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    view = await app_of(interaction).registration.prove(actor_of(interaction), whole_number(arg))
    await _follow(interaction, view)


@on_button("entry")
async def _entry(interaction: discord.Interaction[Any], arg: str) -> None:
    """How far the check is, and on with it if nobody is at it; what was "not yet" is looked at anew."""
    await defer(interaction)
    await app_of(interaction).registration.entry(actor_of(interaction), whole_number(arg))
    await app_of(interaction).checks.repeat(whole_number(arg))
    view = await app_of(interaction).registration.entry(actor_of(interaction), whole_number(arg))
    await _follow(interaction, view)


async def _follow(interaction: discord.Interaction[Any], view: EntryView) -> None:
    """The player sees each check come in while it runs; the check does not depend on it."""
    shown = time.monotonic()
    until = shown + FOLLOWED_FOR
    await send(interaction, render.proven(view))

    async def show(step: EntryView) -> None:
        nonlocal shown
        now = time.monotonic()
        if shown + EDIT_EVERY <= now < until:
            shown = now
            await _show_again(interaction, step)

    try:
        ended = await app_of(interaction).checks.run(view.entry.id, show)
    except AcwcError:
        return  # the TDs see it on the card
    if time.monotonic() < until:
        await _show_again(interaction, ended)


async def _show_again(interaction: discord.Interaction[Any], view: EntryView) -> None:
    """An answer that the player has closed or that Discord has lost is no trouble of the check."""
    with contextlib.suppress(discord.HTTPException):
        await asyncio.shield(send(interaction, render.proven(view)))

"""The choices of `/td entry …` and the buttons of an entry's card (R2.8)."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from cogs.render import entries as render
from cogs.seam import actor_of, app_of, defer, reply, send
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field
from engine.errors import AcwcError
from engine.usecases.entries import DECIDABLE


async def any_entry(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """The entries that are filed, those that wait first."""
    return await _entries(interaction, current, waiting=False)


async def waiting_entries(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    return await _entries(interaction, current, waiting=True)


async def _entries(
    interaction: discord.Interaction[Any], current: str, *, waiting: bool
) -> list[app_commands.Choice[int]]:
    try:
        found = await app_of(interaction).entries.all(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold()
    named = [
        (view.entry.id, f"{view.entry.lichess_name} ({view.entry.state})")
        for view in found
        if not waiting or view.entry.state in DECIDABLE
    ]
    return [app_commands.Choice(name=name[:100], value=id) for id, name in named if wanted in name.casefold()][:25]


@on_button("approve")
async def _approve_button(interaction: discord.Interaction[Any], arg: str) -> None:
    """At once when every check is passed; else with a reason."""
    registration_id = whole_number(arg)
    view = await app_of(interaction).entries.review(actor_of(interaction), registration_id)
    if view.is_clear:
        work = app_of(interaction).entries.decide(actor_of(interaction), registration_id, approve=True)
        await reply(interaction, work, render.decision_made)
        return
    await _ask_reason(interaction, registration_id, approve=True, title="Approve although not all is passed")


@on_button("reject")
async def _reject_button(interaction: discord.Interaction[Any], arg: str) -> None:
    """Asks for the reason that the player will read."""
    registration_id = whole_number(arg)
    await app_of(interaction).entries.review(actor_of(interaction), registration_id)
    await _ask_reason(interaction, registration_id, approve=False, title="Reject an entry")


@on_button("recheck")
async def _recheck(interaction: discord.Interaction[Any], arg: str) -> None:
    """What was "not yet" is looked at anew; the next look at Lichess goes on with it."""
    await defer(interaction)
    view = await app_of(interaction).entries.review(actor_of(interaction), whole_number(arg))
    begun = await app_of(interaction).checks.repeat(view.entry.id)
    await send(interaction, render.check_begins(begun=begun))


@on_button("admin-word")
async def _admin_word_button(interaction: discord.Interaction[Any], arg: str) -> None:
    """Asks what a Lichess admin has said, and where (R2.8)."""
    registration_id = whole_number(arg)
    await app_of(interaction).entries.review(actor_of(interaction), registration_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        word = render.read_word(values[0])
        work = app_of(answer).entries.admin_says(actor_of(answer), registration_id, word, values[1])
        await reply(answer, work, render.admin_written)

    word = field("May the player play? yes or no", placeholder="yes", most=40)
    reason = field("Who said it, and where; logged", placeholder="For example: Ann, by mail", long=True, most=500)
    await interaction.response.send_modal(Form("What a Lichess admin says", [word, reason], submit))


async def _ask_reason(
    interaction: discord.Interaction[Any], registration_id: int, *, approve: bool, title: str
) -> None:
    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        work = app_of(answer).entries.decide(actor_of(answer), registration_id, approve=approve, reason=values[0])
        await reply(answer, work, render.decision_made)

    label = "Reason, logged" if approve else "Reason, shown to the player"
    example = "For example: the mark was lifted" if approve else "For example: too few rated games"
    reason = field(label, placeholder=example, long=True, most=500)
    await interaction.response.send_modal(Form(title, [reason], submit))

"""A form (Discord: modal). It dies with a restart, so every form can be opened again from a button or a command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import discord

from cogs.render.message import Message
from cogs.seam import defer, guarded, handle, reply

T = TypeVar("T")
REASON = "Reason, logged and told to the other TDs"
"""Of every ruling."""
Submit = Callable[[discord.Interaction[Any], list[str]], Awaitable[None]]


def field(
    label: str,
    *,
    placeholder: str | None = None,
    required: bool = True,
    long: bool = False,
    default: str | None = None,
    most: int = 200,
) -> discord.ui.TextInput[Any]:
    style = discord.TextStyle.paragraph if long else discord.TextStyle.short
    return discord.ui.TextInput(
        label=label, placeholder=placeholder, required=required, style=style, default=default, max_length=most
    )


class Form(discord.ui.Modal):
    """Fields in order; `submit` gets their texts."""

    def __init__(self, title: str, fields: list[discord.ui.TextInput[Any]], submit: Submit) -> None:
        super().__init__(title=title[:45], timeout=3600)
        self._fields = fields
        self._submit = submit
        for item in fields:
            self.add_item(item)

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        values = [item.value.strip() for item in self._fields]
        await guarded(interaction, lambda: self._submit(interaction, values))

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception) -> None:
        await handle(interaction, error)


async def ask_reason(
    interaction: discord.Interaction[Any],
    title: str,
    work: Callable[[discord.Interaction[Any], str], Awaitable[T]],
    words: Callable[[T], Message],
    *,
    label: str = REASON,
) -> None:
    """A form with the reason of a ruling; `work` makes it, from who sends the form and the reason."""

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await defer(answer)
        await reply(answer, work(answer, values[0]), words)

    await interaction.response.send_modal(Form(title, [field(label, long=True)], submit))

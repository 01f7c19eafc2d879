"""A form (Discord: modal). It dies with a restart, so every form can be opened again from a button or a command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import discord

from cogs.seam import guarded, handle

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

"""One persistent button for every action: `acwc:1:<verb>:<arg>`. A restart loses nothing."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from cogs.render.message import Style
from engine.errors import BadInput

Handler = Callable[[discord.Interaction[Any], str], Awaitable[None]]

_STYLES: dict[Style, discord.ButtonStyle] = {
    "plain": discord.ButtonStyle.secondary,
    "primary": discord.ButtonStyle.primary,
    "good": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}
_handlers: dict[str, Handler] = {}


def on_button(verb: str) -> Callable[[Handler], Handler]:
    """Names the function that answers buttons with this verb; its second argument is the button's `arg`."""

    def register(handler: Handler) -> Handler:
        _handlers[verb] = handler
        return handler

    return register


def whole_number(arg: str) -> int:
    """The id in a button's `arg`; a forged or foreign one is refused like an old button: BadInput("old_button")."""
    if not arg.isascii() or not arg.isdigit() or len(arg) > 18:
        raise BadInput("old_button")
    return int(arg)


def verbs() -> frozenset[str]:
    return frozenset(_handlers)


class ActionButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"acwc:1:(?P<verb>[a-z-]+):(?P<arg>[^:]*)"):
    """Remembers nothing but its custom_id."""

    def __init__(self, verb: str, arg: str, *, label: str = "…", style: Style = "plain") -> None:
        super().__init__(discord.ui.Button(label=label, style=_STYLES[style], custom_id=f"acwc:1:{verb}:{arg}"))
        self.verb = verb
        self.arg = arg

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> ActionButton:
        return cls(match["verb"], match["arg"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        from cogs.seam import guarded  # the seam builds views itself

        handler = _handlers.get(self.verb, _outdated)
        await guarded(interaction, lambda: handler(interaction, self.arg))


async def _outdated(interaction: discord.Interaction[Any], arg: str) -> None:
    raise BadInput("old_button")

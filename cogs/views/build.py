"""From `render.Message` to discord.py's view."""

from __future__ import annotations

import discord

from cogs.render.message import BUTTON_LIMIT, LABEL_LIMIT, Link, Message
from cogs.views.buttons import ActionButton


def view_of(message: Message) -> discord.ui.View | None:
    """The buttons of a message, or None. They never time out: their callbacks are found by custom_id."""
    if not message.buttons:
        return None
    view = discord.ui.View(timeout=None)
    for button in message.buttons[:BUTTON_LIMIT]:
        label = button.label[:LABEL_LIMIT]
        if isinstance(button, Link):
            view.add_item(discord.ui.Button(label=label, url=button.url))
        else:
            view.add_item(ActionButton(button.verb, str(button.arg), label=label, style=button.style))
    return view


def sendable_view(message: Message) -> discord.ui.View:
    """The same for discord.py's `send`, which takes no None: MISSING without buttons."""
    view = view_of(message)
    return discord.utils.MISSING if view is None else view

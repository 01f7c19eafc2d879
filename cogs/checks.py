"""Who sees and who may use a command: one decorator for both (RoboDanny's idea)."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from cogs.seam import actor_of, app_of
from engine.errors import AcwcError, NotAllowed

DIRECTORS = discord.Permissions(manage_threads=True)
"""What hides TD commands from others. A bot cannot grant command permissions, and TDs need this one anyway for
private threads; the real check is the TD role, asked on every use."""


class Refusal(app_commands.CheckFailure):
    """An expected failure out of a check; discord.py lets only its own errors through from there."""

    def __init__(self, original: AcwcError) -> None:
        super().__init__(str(original))
        self.original = original


class DirectorsGroup(app_commands.Group):
    """A command root for TDs, or a group in one: hidden from others, and every use asks the engine (R1.2)."""

    def __init__(self, name: str, description: str, parent: DirectorsGroup | None = None) -> None:
        # discord.py asks only the group directly above a command, so groups inside are of this class too.
        if parent is not None:
            super().__init__(name=name, description=description, parent=parent)
        else:
            super().__init__(name=name, description=description, default_permissions=DIRECTORS, guild_only=True)

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        command = interaction.command
        try:
            if isinstance(command, app_commands.Command) and command.extras.get("manage_server"):
                if not interaction.permissions.manage_guild:
                    raise NotAllowed("manage_server")
            else:
                await app_of(interaction).setup.require_td(actor_of(interaction))
        except AcwcError as refusal:
            raise Refusal(refusal) from None
        return True


MANAGE_SERVER = {"manage_server": True}
"""The `extras` of `/td setup`: there is no TD role before it, so *Manage Server* is asked instead."""

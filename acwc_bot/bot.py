"""The Discord client: cogs, the persistent buttons, the command tree with the one error seam."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from acwc_bot.log import set_reference
from acwc_bot.members import DiscordMembers
from acwc_bot.once import no_blind_repeats
from cogs import seam
from cogs.armageddon import ArmageddonGames
from cogs.choosing import Choosing
from cogs.directors.matches import MatchDirectors
from cogs.directors.players import PlayerDirectors
from cogs.directors.td import Directors
from cogs.directors.watch import Watch
from cogs.match import Matches
from cogs.registration import Registration
from cogs.reporting import Reporting
from cogs.schedule import Schedule
from cogs.scheduling import Scheduling
from cogs.settings import OwnSettings
from cogs.standings import Standings
from cogs.views.buttons import ActionButton
from engine.ports import Settings
from engine.usecases import UseCases

log = logging.getLogger(__name__)

COGS: tuple[Callable[[], commands.Cog], ...] = (
    Registration,
    Scheduling,
    Choosing,
    Reporting,
    ArmageddonGames,
    Matches,
    Schedule,
    Standings,
    OwnSettings,
    Directors,
    MatchDirectors,
    PlayerDirectors,
)


class AcwcTree(app_commands.CommandTree["AcwcBot"]):
    """Every command gets a log reference before it runs, and every failure ends in the seam."""

    async def interaction_check(self, interaction: discord.Interaction[AcwcBot], /) -> bool:
        interaction.client.reference(interaction.id)
        if interaction.type is discord.InteractionType.application_command:
            name = interaction.command.qualified_name if interaction.command else "?"
            log.info("/%s by %s in %s", name, interaction.user.id, interaction.guild_id)
        return True

    async def on_error(self, interaction: discord.Interaction[AcwcBot], error: app_commands.AppCommandError, /) -> None:
        await seam.handle(interaction, error)


class AcwcBot(commands.Bot):
    """Nothing starts in `on_ready`, which fires again after reconnects."""

    def __init__(self, app: UseCases, settings_store: Settings, *, guild_id: int | None = None) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            tree_cls=AcwcTree,
            http_trace=no_blind_repeats(),
        )
        self.app = app
        self.members = DiscordMembers(self)
        self._settings = settings_store
        self.connected: Callable[[], None] | None = None
        """Called whenever the gateway is connected again, and once at the start."""
        self._guild = discord.Object(guild_id) if guild_id is not None else None

    def reference(self, interaction_id: int) -> str:
        return set_reference(interaction_id)

    async def on_connect(self) -> None:
        self._tell_connected()

    async def on_resumed(self) -> None:
        self._tell_connected()

    def _tell_connected(self) -> None:
        if self.connected is not None:
            self.connected()

    async def setup_hook(self) -> None:
        self.add_dynamic_items(ActionButton)
        for cog in (*(make() for make in COGS), Watch(self)):
            await self.add_cog(cog)
        await self.sync_if_changed()

    async def sync_if_changed(self, *, force: bool = False) -> bool:
        """Registers the commands with Discord only when they differ from what was registered last."""
        guild = self._guild
        if guild is not None:
            self.tree.copy_global_to(guild=guild)
        key = f"tree:{self.application_id}:{guild.id if guild else 'global'}"
        digest = tree_digest(self.tree, guild)
        if not force and await self._settings.setting(key) == digest:
            return False
        synced = await self.tree.sync(guild=guild)
        await self._settings.set_setting(key, digest)
        log.info("registered %d commands", len(synced))
        return True


def tree_digest(tree: app_commands.CommandTree[Any], guild: discord.abc.Snowflake | None = None) -> str:
    payload = [command.to_dict(tree) for command in tree.get_commands(guild=guild)]
    payload.sort(key=lambda command: (command["type"], command["name"]))
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()

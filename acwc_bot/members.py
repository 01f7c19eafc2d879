"""Who is in a Discord server, asked one by one: that needs no privileged intent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import aiohttp
import discord

log = logging.getLogger(__name__)

_NO_MEMBER = frozenset({10007, 10013})  # no member of this server; no user at all


class DiscordMembers:
    """`engine.ports.Members` on a logged-in client. REST only: it works before the gateway is ready."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def present(self, guild_id: int, discord_ids: Sequence[int]) -> Mapping[int, bool]:
        found: dict[int, bool] = {}
        for discord_id in discord_ids:
            try:
                await self._client.http.get_member(guild_id, discord_id)
                found[discord_id] = True
            except discord.NotFound as error:
                if error.code in _NO_MEMBER:
                    found[discord_id] = False
            except (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("Discord does not say who is in server %d: %s", guild_id, type(error).__name__)
                break
        return found

"""Who is in a Discord server, asked one by one: that needs no privileged intent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import aiohttp
import discord

log = logging.getLogger(__name__)

_TROUBLE = (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError)
_TOO_MANY = 3
_NO_MEMBER = frozenset({10007, 10013})  # no member of this server; no user at all


class DiscordMembers:
    """`engine.ports.Members` on a logged-in client. REST only: it works before the gateway is ready."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def present(self, guild_id: int, discord_ids: Sequence[int]) -> Mapping[int, frozenset[int] | None]:
        found: dict[int, frozenset[int] | None] = {}
        failed = 0
        for discord_id in discord_ids:
            try:
                member = await self._client.http.get_member(guild_id, discord_id)
                found[discord_id] = frozenset(map(int, member["roles"]))
                failed = 0
            except discord.NotFound as error:
                if error.code in _NO_MEMBER:
                    found[discord_id] = None
                    failed = 0
            except _TROUBLE as error:
                # One that fails keeps nobody behind it unseen; when nothing works there is no point in going on.
                log.warning("Discord does not say who is in server %d: %s", guild_id, type(error).__name__)
                failed += 1
                if failed == _TOO_MANY:
                    break
        return found

    async def set_role(self, guild_id: int, discord_id: int, role_id: int, *, has: bool) -> bool:
        change = self._client.http.add_role if has else self._client.http.remove_role
        try:
            await change(guild_id, discord_id, role_id, reason="who plays in the World Cup")
        except _TROUBLE as error:
            log.warning("a role could not be changed in server %d: %s", guild_id, type(error).__name__)
            return False
        return True

"""Who may what, by Discord's algorithm (https://discord.com/developers/docs/topics/permissions)."""

from __future__ import annotations

from discord import Permissions

from tests.standin.errors import ApiError
from tests.standin.state import THREADS, Json, State

EVERYBODY = Permissions(
    view_channel=True, send_messages=True, read_message_history=True, embed_links=True, attach_files=True,
    add_reactions=True, create_public_threads=True, create_private_threads=True, send_messages_in_threads=True,
    use_application_commands=True, mention_everyone=True, change_nickname=True,
)  # fmt: skip
"""What @everyone may in a new server."""

ALL = Permissions.all()


def in_guild(state: State, guild_id: str, user_id: str) -> Permissions:
    """By roles alone; the owner and administrators may everything."""
    guild = state.guild(guild_id)
    if guild["owner_id"] == user_id:
        return ALL
    mine = {guild_id, *state.member(guild_id, user_id)["roles"]}
    granted = Permissions.none()
    for role in guild["roles"]:
        if role["id"] in mine:
            granted |= Permissions(int(role["permissions"]))
    return ALL if granted.administrator else granted


def in_channel(state: State, channel: Json, user_id: str) -> Permissions:
    """With the overwrites of the channel; a thread has those of its parent."""
    guild_id = channel.get("guild_id")
    if guild_id is None:
        return ALL
    base = in_guild(state, guild_id, user_id)
    if base.administrator:
        return ALL
    home = state.channel(channel["parent_id"]) if channel["type"] in THREADS else channel
    allowed = _overwritten(base, home["permission_overwrites"], guild_id, user_id, state)
    return allowed if allowed.view_channel else Permissions.none()


def _overwritten(base: Permissions, overwrites: list[Json], guild_id: str, user_id: str, state: State) -> Permissions:
    """First @everyone's, then all roles' together, then the member's own."""
    by_id = {overwrite["id"]: overwrite for overwrite in overwrites}
    roles = [r for r in state.member(guild_id, user_id)["roles"] if r in by_id]
    value = base.value
    for layer in ([guild_id], roles, [user_id]):
        found = [by_id[key] for key in layer if key in by_id]
        for overwrite in found:
            value &= ~int(overwrite["deny"])
        for overwrite in found:
            value |= int(overwrite["allow"])
    return Permissions(value)


def writes(channel: Json) -> str:
    """The permission that sending there needs."""
    return "send_messages_in_threads" if channel["type"] in THREADS else "send_messages"


def lacks(have: Permissions, *needed: str) -> bool:
    return not all(getattr(have, name) for name in needed)


def require(state: State, channel: Json, *needed: str) -> Permissions:
    """The bot's permissions in the channel. ApiError 50001 when it cannot see it, 50013 when it lacks one."""
    have = in_channel(state, channel, state.bot["id"])
    if not have.view_channel:
        raise ApiError(50001)
    if lacks(have, *needed):
        raise ApiError(50013)
    return have


def require_in_guild(state: State, guild_id: str, *needed: str) -> Permissions:
    if state.bot["id"] not in state.members[guild_id]:
        raise ApiError(50001)
    have = in_guild(state, guild_id, state.bot["id"])
    if lacks(have, *needed):
        raise ApiError(50013)
    return have


def require_no_more(have: Permissions, wanted: int) -> None:
    """Nobody can give what they don't have themselves. ApiError 50013."""
    if not have.administrator and wanted & ~have.value:
        raise ApiError(50013)


def top_role(state: State, guild_id: str, user_id: str) -> int:
    mine = state.member(guild_id, user_id)["roles"]
    return max((role["position"] for role in state.guild(guild_id)["roles"] if role["id"] in mine), default=0)

"""The channels and the role of `/td setup`: taken if named, found again by name, created if missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import discord

from engine.model import Server
from engine.usecases.setup import CHANNELS

NAMES = {role: f"wc-{role}" for role in CHANNELS} | {"td": "wc-directors"}
TD_ROLE = "World Cup TD"

NEEDED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    read_message_history=True,
    embed_links=True,
    create_public_threads=True,
    send_messages_in_threads=True,
    manage_threads=True,
)


@dataclass(frozen=True, slots=True)
class Arranged:
    """`impossible`: what could not be created and why, by name; then nothing may be saved."""

    td_role_id: int
    channels: Mapping[str, int]
    created: tuple[str, ...]
    impossible: tuple[str, ...]


async def arrange(
    guild: discord.Guild,
    stored: Server | None,
    td_role: discord.Role | None,
    chosen: Mapping[str, discord.TextChannel],
) -> Arranged:
    """Runs again without harm: what was created before a crash is found by its name."""
    created: list[str] = []
    impossible: list[str] = []
    role = td_role or _known_role(guild, stored)
    if role is None:
        role = await _create_role(guild, created, impossible)
    channels: dict[str, int] = {}
    for name in CHANNELS:
        channel = chosen.get(name) or _known_channel(guild, stored, name)
        if channel is None:
            channel = await _create_channel(guild, name, role, created, impossible)
        if channel is not None:
            channels[name] = channel.id
    return Arranged(role.id if role else 0, channels, tuple(created), tuple(impossible))


def _known_role(guild: discord.Guild, stored: Server | None) -> discord.Role | None:
    role = guild.get_role(stored.td_role_id) if stored and stored.td_role_id else None
    return role or discord.utils.get(guild.roles, name=TD_ROLE)


def _known_channel(guild: discord.Guild, stored: Server | None, name: str) -> discord.TextChannel | None:
    channel = guild.get_channel(stored.channels[name]) if stored and name in stored.channels else None
    if isinstance(channel, discord.TextChannel):
        return channel
    return discord.utils.get(guild.text_channels, name=NAMES[name])


async def _create_role(guild: discord.Guild, created: list[str], impossible: list[str]) -> discord.Role | None:
    try:
        role = await guild.create_role(name=TD_ROLE, permissions=discord.Permissions(manage_threads=True))
    except discord.Forbidden:
        impossible.append(f"the role {TD_ROLE} (I need *Manage Roles*, or give an existing role with `td_role:`)")
        return None
    created.append(f"the role {role.mention}")
    return role


async def _create_channel(
    guild: discord.Guild, name: str, td_role: discord.Role | None, created: list[str], impossible: list[str]
) -> discord.TextChannel | None:
    try:
        channel = await guild.create_text_channel(NAMES[name], overwrites=_overwrites(guild, name, td_role))
    except discord.Forbidden:
        option = "td_channel" if name == "td" else name
        need = f"I need *Manage Channels* and *Manage Roles*, or give an existing channel with `{option}:`"
        impossible.append(f"#{NAMES[name]} ({need})")
        return None
    created.append(channel.mention)
    return channel


def _overwrites(
    guild: discord.Guild, name: str, td_role: discord.Role | None
) -> dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite]:
    """The TD channel is private; the others are read by all and written by the bot, and talk goes into the threads."""
    bot = discord.PermissionOverwrite(view_channel=True, send_messages=True, read_message_history=True)
    if name == "td":
        overwrites: dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite] = {
            guild.default_role: discord.PermissionOverwrite(view_channel=False),
            guild.me: bot,
        }
        if td_role is not None:
            overwrites[td_role] = discord.PermissionOverwrite(view_channel=True, send_messages=True)
        return overwrites
    closed = discord.PermissionOverwrite(send_messages=False, send_messages_in_threads=True)
    return {guild.default_role: closed, guild.me: bot}


def missing_permissions(guild: discord.Guild, server: Server) -> dict[str, tuple[str, ...]]:
    """Channel role -> names of the permissions the bot lacks there; empty when all is well."""
    lacking: dict[str, tuple[str, ...]] = {}
    for name, channel_id in server.channels.items():
        channel = guild.get_channel(channel_id)
        if channel is None:
            lacking[name] = ("the channel does not exist",)
            continue
        have = channel.permissions_for(guild.me)
        needed = {flag for flag, value in NEEDED if value}
        if name != "matches":
            needed -= {"create_public_threads", "send_messages_in_threads", "manage_threads"}
        absent = sorted(flag for flag in needed if not getattr(have, flag))
        if absent:
            lacking[name] = tuple(flag.replace("_", " ").title() for flag in absent)
    return lacking

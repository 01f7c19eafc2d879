"""The channels and the role of `/td setup`: taken if named, found again by name, created if missing."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

import discord

from cogs.render.directors import GONE, NO_ROLE, PLAYERS, Threads
from cogs.render.matches import TAGS
from engine.model import Server
from engine.usecases.setup import CHANNELS

Home = discord.TextChannel | discord.ForumChannel
"""Where match threads can be."""

NAMES = {role: f"wc-{role}" for role in CHANNELS} | {"td": "wc-directors"}
TD_ROLE = "World Cup TD"
PLAYER_ROLE = "World Cup Player"
COMMUNITY = "COMMUNITY"
MOST_TAGS = 20
KINDS: Mapping[str, tuple[type[Home], ...]] = {"matches": (discord.ForumChannel, discord.TextChannel)}
"""What a channel may be where it is not a text channel in any case."""

NEEDED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    read_message_history=True,
    embed_links=True,
    create_public_threads=True,
    send_messages_in_threads=True,
    manage_threads=True,
)


EVERYWHERE = (
    ("view_channel", "View Channel"),
    ("send_messages", "Send Messages"),
    ("read_message_history", "Read Message History"),
)
FOR_THREADS = (("send_messages_in_threads", "Send Messages in Threads"), ("manage_threads", "Manage Threads"))
OPENING = (("create_public_threads", "Create Public Threads"),)
"""What posts cannot do without, and what Discord calls it; `NEEDED` asks for a little more for comfort."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """`impossible`: what could not be created and why, by name; then nothing may be saved.

    `threads`: where the matches are: in a forum, or in a text channel of a server that could have a forum, or cannot.
    """

    td_role_id: int
    player_role_id: int | None
    channels: Mapping[str, int]
    created: tuple[str, ...]
    impossible: tuple[str, ...]
    threads: Threads


async def arrange(
    guild: discord.Guild,
    stored: Server | None,
    td_role: discord.Role | None,
    player_role: discord.Role | None,
    chosen: Mapping[str, Home],
) -> Arranged:
    """Runs again without harm: what was created before a crash is found by its name. A server can do without a role of
    the players."""
    created: list[str] = []
    impossible: list[str] = []
    role = td_role or _known_role(guild, stored.td_role_id if stored else None, TD_ROLE)
    if role is None:
        role = await _create_role(guild, TD_ROLE, discord.Permissions(manage_threads=True), created)
    if role is None:
        impossible.append(f"the role {TD_ROLE} (I need *Manage Roles*, or give an existing role with `td_role:`)")
    players = player_role or _known_role(guild, stored.player_role_id if stored else None, PLAYER_ROLE)
    if players is None and not impossible:
        players = await _create_role(guild, PLAYER_ROLE, discord.Permissions.none(), created)
    channels: dict[str, int] = {}
    for name in CHANNELS:
        channel = chosen.get(name) or _known_channel(guild, stored, name)
        if channel is None:
            channel = await _create_channel(guild, name, role, created, impossible)
        if channel is not None:
            channels[name] = channel.id
        if isinstance(channel, discord.ForumChannel):
            await ensure_tags(channel)
        elif name == "td" and channel is not None and role is not None:
            await _let_in(channel, role)
    threads = _threads(guild, channels.get("matches"))
    return Arranged(
        td_role_id=role.id if role else 0,
        player_role_id=players.id if players else None,
        channels=channels,
        created=tuple(created),
        impossible=tuple(impossible),
        threads=threads,
    )


def _known_role(guild: discord.Guild, stored: int | None, name: str) -> discord.Role | None:
    role = guild.get_role(stored) if stored else None
    return role or discord.utils.get(guild.roles, name=name)


def _known_channel(guild: discord.Guild, stored: Server | None, name: str) -> Home | None:
    kinds = KINDS.get(name, (discord.TextChannel,))
    channel = guild.get_channel(stored.channels[name]) if stored and name in stored.channels else None
    if channel is not None and isinstance(channel, kinds):
        return channel
    return next((c for c in guild.channels if c.name == NAMES[name] and isinstance(c, kinds)), None)


def _threads(guild: discord.Guild, matches_id: int | None) -> Threads:
    if isinstance(guild.get_channel(matches_id or 0), discord.ForumChannel):
        return Threads.FORUM
    return Threads.COULD_BE_A_FORUM if COMMUNITY in guild.features else Threads.NO_COMMUNITY


async def _let_in(channel: Home, role: discord.Role) -> None:
    """The TD role sees the TD channel, also when one of the two is new; `missing_permissions` names what is not so."""
    if not channel.permissions_for(role).view_channel:
        with contextlib.suppress(discord.Forbidden):
            await channel.set_permissions(role, view_channel=True, send_messages=True)


async def ensure_tags(forum: discord.ForumChannel) -> None:
    """The tags that show the state of a match, besides those that others made; a deleted one comes back.

    What cannot be made is named by `missing_permissions`: a match is played without a tag as well.
    """
    there = {tag.name for tag in forum.available_tags}
    missing = [discord.ForumTag(name=name, moderated=True) for name in TAGS.values() if name not in there]
    if not missing or len(there) + len(missing) > MOST_TAGS:
        return
    with contextlib.suppress(discord.Forbidden):
        await forum.edit(available_tags=[*forum.available_tags, *missing])


async def _create_role(
    guild: discord.Guild, name: str, permissions: discord.Permissions, created: list[str]
) -> discord.Role | None:
    try:
        role = await guild.create_role(name=name, permissions=permissions)
    except discord.Forbidden:
        return None
    created.append(f"the role {role.mention}")
    return role


async def _create_channel(
    guild: discord.Guild, name: str, td_role: discord.Role | None, created: list[str], impossible: list[str]
) -> Home | None:
    forum = name == "matches" and COMMUNITY in guild.features
    create = guild.create_forum if forum else guild.create_text_channel
    try:
        channel = await create(NAMES[name], overwrites=_overwrites(guild, name, td_role))
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
    bot = discord.PermissionOverwrite(
        view_channel=True, send_messages=True, read_message_history=True, create_public_threads=True
    )
    if name == "td":
        overwrites: dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite] = {
            guild.default_role: discord.PermissionOverwrite(view_channel=False),
            guild.me: bot,
        }
        if td_role is not None:
            overwrites[td_role] = discord.PermissionOverwrite(view_channel=True, send_messages=True)
        return overwrites
    closed = discord.PermissionOverwrite(
        send_messages=False,
        send_messages_in_threads=True,
        create_public_threads=False,
        create_private_threads=False,
    )
    return {guild.default_role: closed, guild.me: bot}


def missing_permissions(guild: discord.Guild, server: Server) -> dict[str, tuple[str, ...]]:
    """Channel role -> what the bot lacks there, in words; empty when all is well."""
    lacking: dict[str, tuple[str, ...]] = {}
    for name, channel_id in server.channels.items():
        channel = guild.get_channel(channel_id)
        found = (GONE,) if channel is None else (*_lacking_in(channel, name), *_cut_off(channel, name, server))
        if found:
            lacking[name] = found
    if not _can_give(guild, server.player_role_id):
        lacking[PLAYERS] = (NO_ROLE,)
    return lacking


def named_role(guild: discord.Guild, role_id: int) -> str:
    role = guild.get_role(role_id)
    return role.name if role else str(role_id)


def may_be_given(role: discord.Role, td_role: discord.Role | None) -> bool:
    """Whether the bot may give that role to players: it must make nobody mightier."""
    powers = role.permissions.value & discord.Permissions.elevated().value
    return not (role.is_default() or role.managed or role == td_role or powers)


def _can_give(guild: discord.Guild, role_id: int | None) -> bool:
    role = guild.get_role(role_id) if role_id else None
    return role is not None and guild.me.guild_permissions.manage_roles and role < guild.me.top_role


def _lacking_in(channel: discord.abc.GuildChannel, name: str) -> tuple[str, ...]:
    have = channel.permissions_for(channel.guild.me)
    forum = isinstance(channel, discord.ForumChannel)
    needed = EVERYWHERE
    if name == "matches":
        needed += FOR_THREADS if forum else FOR_THREADS + OPENING
    absent = [label for flag, label in needed if not getattr(have, flag)]
    if isinstance(channel, discord.ForumChannel):
        there = {tag.name for tag in channel.available_tags}
        full = " (delete some of its 20 tags first)" if len(there) + len(TAGS) > MOST_TAGS else ""
        absent += [f"the tag “{tag}” is missing{full}" for tag in TAGS.values() if tag not in there]
    return tuple(absent)


def _cut_off(channel: discord.abc.GuildChannel, name: str, server: Server) -> tuple[str, ...]:
    """Whether the directors are there at all."""
    if name != "td" or server.td_role_id is None:
        return ()
    role = channel.guild.get_role(server.td_role_id)
    if role is None:
        return ("the role of the directors does not exist",)
    return () if channel.permissions_for(role).view_channel else ("the directors’ role cannot see it",)

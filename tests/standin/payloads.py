"""New objects of Discord's, complete enough for discord.py, and the answers that put several together."""

from __future__ import annotations

from typing import Any

from tests.standin.clock import Clock
from tests.standin.state import THREADS, Json, Kind, State

DAY_MINUTES = 1440


def stamp(clock: Clock) -> str:
    return clock.now().isoformat()


def new_user(state: State, clock: Clock, name: str, *, bot: bool = False) -> Json:
    user = {
        "id": state.new_id(clock), "username": name, "global_name": name, "discriminator": "0", "avatar": None,
        "bot": bot, "public_flags": 0,
    }  # fmt: skip
    state.users[user["id"]] = user
    return user


def new_role(state: State, clock: Clock, guild: Json, name: str, permissions: int) -> Json:
    colours = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
    role = {
        "id": state.new_id(clock) if guild["roles"] else guild["id"], "name": name, "permissions": str(permissions),
        "color": 0, "colors": colours, "hoist": False, "position": len(guild["roles"]), "managed": False,
        "mentionable": False, "flags": 0, "icon": None, "unicode_emoji": None,
    }  # fmt: skip
    guild["roles"].append(role)
    return role


def new_guild(state: State, clock: Clock, name: str, everybody: int) -> Json:
    guild: Json = {
        "id": state.new_id(clock), "name": name, "owner_id": "0", "features": [], "roles": [], "emojis": [],
        "stickers": [], "verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0,
        "mfa_level": 0, "premium_tier": 0, "preferred_locale": "en-US", "nsfw_level": 0, "system_channel_flags": 0,
        "afk_timeout": 300, "icon": None, "description": None,
    }  # fmt: skip
    state.guilds[guild["id"]] = guild
    state.members[guild["id"]] = {}
    state.events[guild["id"]] = {}
    new_role(state, clock, guild, "@everyone", everybody)
    return guild


def new_member(state: State, clock: Clock, guild_id: str, user: Json, roles: list[str]) -> Json:
    member = {
        "user": user, "nick": None, "roles": roles, "joined_at": stamp(clock), "deaf": False, "mute": False,
        "flags": 0, "avatar": None, "premium_since": None, "pending": False,
    }  # fmt: skip
    state.members[guild_id][user["id"]] = member
    return member


def new_channel(state: State, clock: Clock, kind: Kind, guild_id: str | None, name: str, **more: Any) -> Json:
    channel: Json = {
        "id": state.new_id(clock), "type": int(kind), "name": name, "last_message_id": None, "flags": 0,
    }  # fmt: skip
    if guild_id is not None:
        count = len(state.guild_channels(guild_id))
        channel |= {"guild_id": guild_id, "position": count, "permission_overwrites": [], "parent_id": None}
        channel |= {"nsfw": False, "topic": None, "rate_limit_per_user": 0}
    if kind is Kind.FORUM:
        channel |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        channel |= {"default_forum_layout": 0, "default_thread_rate_limit_per_user": 0}
    channel |= more
    state.channels[channel["id"]] = channel
    state.messages[channel["id"]] = {}
    return channel


def new_thread(state: State, clock: Clock, parent: Json, body: Json, *, kind: Kind, thread_id: str | None) -> Json:
    """`thread_id`: that of the message it starts from, which a forum post shares with its first message."""
    thread: Json = {
        "id": thread_id or state.new_id(clock), "type": int(kind), "name": body["name"], "guild_id": parent["guild_id"],
        "parent_id": parent["id"], "owner_id": state.bot["id"], "last_message_id": None, "flags": 0,
        "rate_limit_per_user": body.get("rate_limit_per_user") or 0, "message_count": 0, "member_count": 1,
        "total_message_sent": 0, "applied_tags": [str(tag) for tag in body.get("applied_tags") or ()],
    }  # fmt: skip
    thread["thread_metadata"] = {
        "archived": False, "auto_archive_duration": body.get("auto_archive_duration") or DAY_MINUTES, "locked": False,
        "archive_timestamp": stamp(clock), "create_timestamp": stamp(clock),
    }  # fmt: skip
    state.channels[thread["id"]] = thread
    state.messages[thread["id"]] = {}
    return thread


def new_message(state: State, clock: Clock, channel: Json, author: Json, body: Json, *, id: str | None = None) -> Json:
    """Not yet in its channel: an ephemeral one never is."""
    message: Json = {
        "id": id or state.new_id(clock), "channel_id": channel["id"], "author": author,
        "content": (body.get("content") or "").strip(), "embeds": body.get("embeds") or [],
        "components": body.get("components") or [], "flags": body.get("flags") or 0, "timestamp": stamp(clock),
        "edited_timestamp": None, "tts": False, "mention_everyone": False, "mentions": [], "mention_roles": [],
        "attachments": [], "pinned": False, "type": 0,
    }  # fmt: skip
    if channel.get("guild_id") is not None:
        message["guild_id"] = channel["guild_id"]
    if body.get("nonce") is not None:
        message["nonce"] = str(body["nonce"])
    return message


def ready(state: State, session_id: str, base: str) -> Json:
    mine = [g for g in state.guilds if state.bot["id"] in state.members[g]]
    return {
        "v": 10, "user": state.bot, "guilds": [{"id": g, "unavailable": True} for g in mine], "session_id": session_id,
        "resume_gateway_url": f"ws://{base}/gateway/", "application": {"id": state.application_id, "flags": 0},
    }  # fmt: skip


def guild_create(state: State, guild_id: str, *, everybody: bool) -> Json:
    """Without the members intent a bot is told of itself only."""
    members = state.members[guild_id]
    shown = list(members.values()) if everybody else [members[state.bot["id"]]]
    threads = [t for t in state.guild_channels(guild_id, threads=True) if not t["thread_metadata"]["archived"]]
    return state.guilds[guild_id] | {
        "channels": state.guild_channels(guild_id), "threads": threads, "members": shown, "member_count": len(members),
        "guild_scheduled_events": list(state.events[guild_id].values()), "voice_states": [], "presences": [],
        "stage_instances": [], "soundboard_sounds": [], "large": False, "unavailable": False,
        "joined_at": members[state.bot["id"]]["joined_at"],
    }  # fmt: skip


def application(state: State) -> Json:
    owner = {"id": "1", "username": "owner", "discriminator": "0", "avatar": None, "global_name": None}
    return {
        "id": state.application_id, "name": state.bot["username"], "description": "", "icon": None, "flags": 0,
        "owner": owner, "bot_public": True, "bot_require_code_grant": False, "verify_key": "", "team": None,
        "summary": "", "rpc_origins": [],
    }  # fmt: skip


def is_thread(channel: Json) -> bool:
    return channel["type"] in THREADS

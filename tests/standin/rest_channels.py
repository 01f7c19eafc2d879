"""Channels, their overwrites, and direct messages (https://discord.com/developers/docs/resources/channel)."""

from __future__ import annotations

from typing import Any

from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.payloads import new_channel
from tests.standin.permissions import require, require_in_guild, require_no_more
from tests.standin.rest_threads import edit_thread
from tests.standin.routes import Call, route
from tests.standin.state import THREADS, Json, Kind

MOST_CHANNELS = 500
COMMUNITY = "COMMUNITY"
COMMUNITY_ONLY = frozenset({Kind.FORUM, Kind.ANNOUNCEMENT, Kind.STAGE})


@route("GET", "/channels/{channel}")
def get(core: Core, call: Call) -> Json:
    channel = core.state.channel(call.ids[0])
    require(core.state, channel)
    return channel


@route("GET", "/guilds/{guild}/channels")
def channels(core: Core, call: Call) -> list[Json]:
    require_in_guild(core.state, call.ids[0])
    return core.state.guild_channels(call.ids[0])


@route("POST", "/guilds/{guild}/channels")
def create(core: Core, call: Call) -> Json:
    guild = core.state.guild(call.ids[0])
    kind = Kind(call.body.get("type", 0))
    have = require_in_guild(core.state, guild["id"], "manage_channels")
    overwrites = [_overwrite(one) for one in call.body.get("permission_overwrites") or ()]
    for overwrite in overwrites:
        require_no_more(have, int(overwrite["allow"]) | int(overwrite["deny"]))
    if kind in COMMUNITY_ONLY and COMMUNITY not in guild["features"]:
        raise ApiError(50035, ["type: this server is no Community"])
    if len(core.state.guild_channels(guild["id"])) >= MOST_CHANNELS:
        raise ApiError(30013)
    channel = new_channel(core.state, core.clock, kind, guild["id"], call.body["name"])
    channel["permission_overwrites"] = overwrites
    _change(core, channel, call.body)
    core.emit("CHANNEL_CREATE", channel)
    return channel


def _overwrite(body: Json) -> Json:
    allow, deny = (str(body.get(side) or 0) for side in ("allow", "deny"))
    return {"id": str(body["id"]), "type": int(body["type"]), "allow": allow, "deny": deny}


def _change(core: Core, channel: Json, body: Json) -> None:
    for name in ("name", "topic", "nsfw", "rate_limit_per_user", "position", "flags"):
        if body.get(name) is not None or (name == "topic" and name in body):
            channel[name] = body[name]
    if "parent_id" in body:
        channel["parent_id"] = str(body["parent_id"]) if body["parent_id"] else None
    if body.get("available_tags") is not None:
        channel["available_tags"] = [_tag(core, tag) for tag in body["available_tags"]]


def _tag(core: Core, tag: Json) -> Json:
    known: dict[str, Any] = {"emoji_id": None, "emoji_name": None, "moderated": False}
    return known | tag | {"id": str(tag["id"]) if tag.get("id") else core.state.new_id(core.clock)}


@route("PATCH", "/channels/{channel}")
def edit(core: Core, call: Call) -> Json:
    channel = core.state.channel(call.ids[0])
    if channel["type"] in THREADS:
        return edit_thread(core, channel, call.body)
    have = require(core.state, channel, "manage_channels")
    if call.body.get("permission_overwrites") is not None:
        overwrites = [_overwrite(one) for one in call.body["permission_overwrites"]]
        _may_overwrite(core, channel, have.value, overwrites)
        channel["permission_overwrites"] = overwrites
    _change(core, channel, call.body)
    core.emit("CHANNEL_UPDATE", channel)
    return channel


def _may_overwrite(core: Core, channel: Json, have: int, overwrites: list[Json]) -> None:
    allowed = require(core.state, channel, "manage_roles")
    for overwrite in overwrites:
        require_no_more(allowed, (int(overwrite["allow"]) | int(overwrite["deny"])) & ~have)


@route("PUT", "/channels/{channel}/permissions/{target}")
def set_overwrite(core: Core, call: Call) -> None:
    channel = core.state.channel(call.ids[0])
    have = require(core.state, channel, "manage_roles")
    overwrite = _overwrite(call.body | {"id": call.ids[1]})
    _may_overwrite(core, channel, have.value, [overwrite])
    others = [one for one in channel["permission_overwrites"] if one["id"] != call.ids[1]]
    channel["permission_overwrites"] = [*others, overwrite]
    core.emit("CHANNEL_UPDATE", channel)


@route("DELETE", "/channels/{channel}/permissions/{target}")
def remove_overwrite(core: Core, call: Call) -> None:
    channel = core.state.channel(call.ids[0])
    require(core.state, channel, "manage_roles")
    others = [one for one in channel["permission_overwrites"] if one["id"] != call.ids[1]]
    if len(others) == len(channel["permission_overwrites"]):
        raise ApiError(10009)
    channel["permission_overwrites"] = others
    core.emit("CHANNEL_UPDATE", channel)


@route("DELETE", "/channels/{channel}")
def delete(core: Core, call: Call) -> Json:
    channel = core.state.channel(call.ids[0])
    require(core.state, channel, "manage_threads" if channel["type"] in THREADS else "manage_channels")
    return delete_channel(core, channel)


def delete_channel(core: Core, channel: Json) -> Json:
    """With its threads and all messages."""
    for thread in core.state.threads_of(channel["id"]):
        delete_channel(core, thread)
    del core.state.channels[channel["id"]]
    del core.state.messages[channel["id"]]
    if channel["type"] in THREADS:
        core.emit("THREAD_DELETE", {key: channel[key] for key in ("id", "guild_id", "parent_id", "type")})
    elif channel["type"] != Kind.DM:
        core.emit("CHANNEL_DELETE", channel)
    return channel


@route("POST", "/users/@me/channels")
def open_dm(core: Core, call: Call) -> Json:
    """The channel can be had of everybody; it is the sending that a closed one refuses."""
    user = core.state.users.get(str(call.body["recipient_id"]))
    if user is None:
        raise ApiError(10013)
    return dm_of(core, user)


def dm_of(core: Core, user: Json) -> Json:
    dms = (c for c in core.state.channels.values() if c["type"] == Kind.DM)
    found = next((c for c in dms if c["recipients"][0]["id"] == user["id"]), None)
    return found or new_channel(core.state, core.clock, Kind.DM, None, "", recipients=[user])

"""Messages (https://discord.com/developers/docs/resources/message)."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.permissions import require, writes
from tests.standin.routes import Call, route
from tests.standin.state import THREADS, Json, Kind

NONCE_WINDOW = timedelta(minutes=5)
"""Discord says "the past few minutes", and does not say whether other channels count; here they don't."""
NO_TEXT = frozenset({Kind.FORUM, Kind.CATEGORY})


@route("POST", "/channels/{channel}/messages")
def send(core: Core, call: Call) -> Json:
    channel = writable(core, call.ids[0])
    earlier = _same_nonce(core, channel, call.body)
    return earlier or core.post(channel, core.state.bot, call.body)


def writable(core: Core, channel_id: str) -> Json:
    channel = core.state.channel(channel_id)
    if channel["type"] == Kind.DM:
        if channel["recipients"][0]["id"] in core.state.closed_dms:
            raise ApiError(50007)
        return channel
    if channel["type"] in NO_TEXT:
        raise ApiError(50008)
    have = require(core.state, channel, writes(channel))
    if channel["type"] in THREADS and channel["thread_metadata"]["locked"] and not have.manage_threads:
        raise ApiError(160005)
    return channel


def _same_nonce(core: Core, channel: Json, body: Json) -> Json | None:
    if not body.get("enforce_nonce") or body.get("nonce") is None:
        return None
    since = core.clock.now() - NONCE_WINDOW
    for message in reversed(core.state.messages[channel["id"]].values()):
        if datetime.fromisoformat(message["timestamp"]) < since:
            return None
        if message.get("nonce") == str(body["nonce"]) and message["author"]["id"] == core.state.bot["id"]:
            return message
    return None


@route("GET", "/channels/{channel}/messages")
def history(core: Core, call: Call) -> list[Json]:
    """Newest first, whatever was asked for. Nothing without the permission to read it, as in Discord."""
    channel = core.state.channel(call.ids[0])
    have = require(core.state, channel)
    limit = call.number("limit", 50, 100)
    if not have.read_message_history:
        return []
    rows = sorted(core.state.messages[channel["id"]].values(), key=lambda m: int(m["id"]))
    if "after" in call.query:
        rows = [m for m in rows if int(m["id"]) > int(call.query["after"])][:limit]
    elif "around" in call.query:
        rows = _around(rows, int(call.query["around"]), limit)
    elif "before" in call.query:
        rows = [m for m in rows if int(m["id"]) < int(call.query["before"])]
    return rows[-limit:][::-1]


def _around(rows: list[Json], middle: int, limit: int) -> list[Json]:
    older = [m for m in rows if int(m["id"]) < middle][-(limit // 2) :]
    return older + [m for m in rows if int(m["id"]) >= middle][: limit - len(older)]


@route("GET", "/channels/{channel}/messages/{message}")
def get(core: Core, call: Call) -> Json:
    require(core.state, core.state.channel(call.ids[0]), "read_message_history")
    return core.state.message(*call.ids)


@route("PATCH", "/channels/{channel}/messages/{message}")
def edit(core: Core, call: Call) -> Json:
    channel = core.state.channel(call.ids[0])
    require(core.state, channel)
    message = core.state.message(*call.ids)
    if message["author"]["id"] != core.state.bot["id"]:
        raise ApiError(50005)
    _open(channel)
    return core.rewrite(message, call.body)


@route("DELETE", "/channels/{channel}/messages/{message}")
def delete(core: Core, call: Call) -> None:
    channel = core.state.channel(call.ids[0])
    have = require(core.state, channel)
    message = core.state.message(*call.ids)
    if message["author"]["id"] != core.state.bot["id"] and not have.manage_messages:
        raise ApiError(50013)
    _open(channel)
    core.remove(message)


def _open(channel: Json) -> None:
    if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
        raise ApiError(50083)


@route("POST", "/channels/{channel}/typing")
def typing(core: Core, call: Call) -> None:
    writable(core, call.ids[0])

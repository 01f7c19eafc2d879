"""Threads in text channels and forums (https://discord.com/developers/docs/topics/threads)."""

from __future__ import annotations

from datetime import datetime

from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.payloads import new_thread, stamp
from tests.standin.permissions import in_channel, lacks, require, require_in_guild
from tests.standin.routes import Call, route
from tests.standin.state import THREADS, Json, Kind

MOST_ACTIVE = 1000
THREAD_CREATED = 18
"""The type of the message that Discord itself writes where a thread begins without one."""
NEEDS_TAG = 1 << 4
PLAIN = frozenset({Kind.TEXT, Kind.ANNOUNCEMENT})
OF_ITS_OWNER = frozenset({"name", "archived", "auto_archive_duration", "applied_tags"})


@route("POST", "/channels/{channel}/threads")
def open_thread(core: Core, call: Call) -> Json:
    parent = core.state.channel(call.ids[0])
    if parent["type"] == Kind.FORUM:
        return _open_post(core, parent, call.body)
    if parent["type"] not in PLAIN:
        raise ApiError(50024)
    kind = Kind(call.body.get("type", Kind.PRIVATE_THREAD))
    require(core.state, parent, f"create_{'public' if kind is Kind.PUBLIC_THREAD else 'private'}_threads")
    _room(core, parent)
    thread = new_thread(core.state, core.clock, parent, call.body, kind=kind, thread_id=None)
    core.emit("THREAD_CREATE", thread | {"newly_created": True})
    if kind is Kind.PUBLIC_THREAD:
        core.post(parent, core.state.bot, {"content": thread["name"]}, kind=THREAD_CREATED)
    return thread


@route("POST", "/channels/{channel}/messages/{message}/threads")
def open_from_message(core: Core, call: Call) -> Json:
    parent = core.state.channel(call.ids[0])
    if parent["type"] not in PLAIN:
        raise ApiError(50024)
    require(core.state, parent, "create_public_threads")
    message = core.state.message(*call.ids)
    if message["id"] in core.state.channels:
        raise ApiError(160004)
    _room(core, parent)
    made = new_thread(core.state, core.clock, parent, call.body, kind=Kind.PUBLIC_THREAD, thread_id=message["id"])
    core.emit("THREAD_CREATE", made | {"newly_created": True})
    return made


def _open_post(core: Core, forum: Json, body: Json) -> Json:
    """A forum needs the permission to send; its first message has the thread's id."""
    have = require(core.state, forum, "send_messages")
    _check_tags(forum, body.get("applied_tags"), moderator=have.manage_threads)
    if forum["flags"] & NEEDS_TAG and not body.get("applied_tags") and not have.manage_threads:
        raise ApiError(40067)
    _room(core, forum)
    thread = new_thread(core.state, core.clock, forum, body, kind=Kind.PUBLIC_THREAD, thread_id=None)
    try:
        first = core.post(thread, core.state.bot, body["message"], id=thread["id"])
    except ApiError:
        del core.state.channels[thread["id"]], core.state.messages[thread["id"]]
        raise
    thread["message_count"] = 0  # the first message does not count
    forum["last_message_id"] = thread["id"]
    core.emit("THREAD_CREATE", thread | {"newly_created": True})
    return thread | {"message": first}


def _check_tags(forum: Json, tags: list[object] | None, *, moderator: bool) -> None:
    known = {tag["id"]: tag for tag in forum.get("available_tags", ())}
    for tag in tags or ():
        if str(tag) not in known:
            raise ApiError(50035, [f"applied_tags: {tag} is no tag of this forum"])
        if known[str(tag)]["moderated"] and not moderator:
            raise ApiError(50013)


def _room(core: Core, parent: Json) -> None:
    threads = core.state.guild_channels(parent["guild_id"], threads=True)
    if sum(not thread["thread_metadata"]["archived"] for thread in threads) >= MOST_ACTIVE:
        raise ApiError(160006)


def edit_thread(core: Core, thread: Json, body: Json) -> Json:
    """Its owner may name, tag and archive it; opening it again takes only the permission to write there."""
    have = require(core.state, thread)
    metadata = thread["thread_metadata"]
    opening = body.get("archived") is False and not metadata["locked"]
    if metadata["archived"] and body.get("archived") is not False:
        raise ApiError(50083)
    own = thread["owner_id"] == core.state.bot["id"] and set(body) <= OF_ITS_OWNER and not metadata["locked"]
    may = have.manage_threads or own or (opening and set(body) == {"archived"})
    if not may or (opening and lacks(have, "send_messages_in_threads") and not have.manage_threads):
        raise ApiError(50013)
    if body.get("applied_tags") is not None:
        _retag(core, thread, body["applied_tags"], moderator=have.manage_threads)
    for name in ("name", "rate_limit_per_user", "flags"):
        thread[name] = body.get(name, thread[name])
    for name in ("archived", "locked", "auto_archive_duration"):
        if body.get(name) is not None and metadata[name] != body[name]:
            metadata[name] = body[name]
            if name != "locked":
                metadata["archive_timestamp"] = stamp(core.clock)
    core.emit("THREAD_UPDATE", thread)
    return thread


def _retag(core: Core, thread: Json, tags: list[object], *, moderator: bool) -> None:
    """Only tags that are put on or taken off are checked."""
    before, after = set(thread["applied_tags"]), {str(tag) for tag in tags}
    forum = core.state.channel(thread["parent_id"])
    known = {tag["id"] for tag in forum.get("available_tags", ())}
    _check_tags(forum, [*(after - before), *((before - after) & known)], moderator=moderator)
    thread["applied_tags"] = [str(tag) for tag in tags]


@route("GET", "/guilds/{guild}/threads/active")
def active(core: Core, call: Call) -> Json:
    require_in_guild(core.state, call.ids[0])
    return _listed(core, core.state.guild_channels(call.ids[0], threads=True), archived=False)


@route("GET", "/channels/{channel}/threads/archived/public")
def archived(core: Core, call: Call) -> Json:
    """The last archived first; `before` is a moment."""
    parent = core.state.channel(call.ids[0])
    require(core.state, parent, "read_message_history")
    limit = call.number("limit", 50, 100)
    listed = _listed(core, core.state.threads_of(parent["id"]), archived=True)
    rows = [t for t in listed["threads"] if t["type"] != Kind.PRIVATE_THREAD]
    rows.sort(key=_archived_at, reverse=True)
    if "before" in call.query:
        rows = [t for t in rows if _archived_at(t) < datetime.fromisoformat(call.query["before"])]
    return listed | {"threads": rows[:limit], "has_more": len(rows) > limit}


def _archived_at(thread: Json) -> datetime:
    return datetime.fromisoformat(thread["thread_metadata"]["archive_timestamp"])


def _listed(core: Core, threads: list[Json], *, archived: bool) -> Json:
    """Those that the bot can see."""
    mine = [t for t in threads if t["thread_metadata"]["archived"] is archived]
    seen = [t for t in mine if in_channel(core.state, t, core.state.bot["id"]).view_channel]
    return {"threads": seen, "members": [], "has_more": False}


@route("PUT", "/channels/{thread}/thread-members/{user}")
def join(core: Core, call: Call) -> None:
    thread = core.state.channel(call.ids[0])
    if thread["type"] not in THREADS:
        raise ApiError(50024)
    require(core.state, thread)
    if thread["thread_metadata"]["archived"]:
        raise ApiError(50083)

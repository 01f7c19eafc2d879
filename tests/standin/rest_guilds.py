"""Servers: roles, members, scheduled events; users; login and the registration of commands."""

from __future__ import annotations

from typing import Any

from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.payloads import application, new_role
from tests.standin.permissions import in_guild, require_in_guild, require_no_more, top_role
from tests.standin.routes import Call, route
from tests.standin.state import Json

MOST_ROLES = 250
MOST_EVENTS = 100
SCHEDULED, ACTIVE = 1, 2
EVENT_FIELDS = (
    "name", "description", "scheduled_start_time", "scheduled_end_time", "entity_type", "entity_metadata", "status",
    "privacy_level", "channel_id",
)  # fmt: skip


# --- Login and commands ------------------------------------------------------------------------------------------


@route("GET", "/users/@me")
def me(core: Core, call: Call) -> Json:
    return core.state.bot


@route("GET", "/oauth2/applications/@me")
@route("GET", "/applications/@me")
def about(core: Core, call: Call) -> Json:
    return application(core.state)


@route("GET", "/gateway/bot")
@route("GET", "/gateway")
def gateway(core: Core, call: Call) -> Json:
    starts = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return {"url": f"ws://{core.gateway.base}/gateway/", "shards": 1, "session_start_limit": starts}


@route("GET", "/users/{user}")
def user(core: Core, call: Call) -> Json:
    found = core.state.users.get(call.ids[0])
    if found is None:
        raise ApiError(10013)
    return found


@route("PUT", "/applications/{application}/commands")
@route("PUT", "/applications/{application}/guilds/{guild}/commands")
def register(core: Core, call: Call) -> list[Json]:
    scope = call.ids[1] if len(call.ids) > 1 else "global"
    known = {(c["type"], c["name"]): c["id"] for c in core.state.commands.get(scope, ())}
    made: list[Json] = []
    for body in call.body:
        key = (body.get("type", 1), body["name"])
        filled: dict[str, Any] = {"description": "", "default_member_permissions": None, "dm_permission": True}
        ids = {"id": known.get(key) or core.state.new_id(core.clock), "version": core.state.new_id(core.clock)}
        made.append(filled | body | ids | {"type": key[0], "application_id": call.ids[0]})
        if scope != "global":
            made[-1]["guild_id"] = scope
    core.state.commands[scope] = made
    return made


@route("GET", "/applications/{application}/commands")
@route("GET", "/applications/{application}/guilds/{guild}/commands")
def registered(core: Core, call: Call) -> list[Json]:
    return core.state.commands.get(call.ids[1] if len(call.ids) > 1 else "global", [])


# --- Servers and members -----------------------------------------------------------------------------------------


@route("GET", "/guilds/{guild}")
def guild(core: Core, call: Call) -> Json:
    require_in_guild(core.state, core.state.guild(call.ids[0])["id"])
    return core.state.guild(call.ids[0])


@route("GET", "/guilds/{guild}/members/{user}")
def member(core: Core, call: Call) -> Json:
    require_in_guild(core.state, core.state.guild(call.ids[0])["id"])
    if call.ids[1] not in core.state.users:
        raise ApiError(10013)
    return core.state.member(*call.ids)


@route("PUT", "/guilds/{guild}/members/{user}/roles/{role}")
def give_role(core: Core, call: Call) -> None:
    guild_id, user_id, role_id = call.ids
    _manageable(core, guild_id, core.state.role(guild_id, role_id))
    found = core.state.member(guild_id, user_id)
    found["roles"] = [*(r for r in found["roles"] if r != role_id), role_id]
    core.emit("GUILD_MEMBER_UPDATE", found | {"guild_id": guild_id})


@route("DELETE", "/guilds/{guild}/members/{user}/roles/{role}")
def take_role(core: Core, call: Call) -> None:
    guild_id, user_id, role_id = call.ids
    _manageable(core, guild_id, core.state.role(guild_id, role_id))
    found = core.state.member(guild_id, user_id)
    found["roles"] = [r for r in found["roles"] if r != role_id]
    core.emit("GUILD_MEMBER_UPDATE", found | {"guild_id": guild_id})


# --- Roles -------------------------------------------------------------------------------------------------------


def _manageable(core: Core, guild_id: str, role: Json) -> None:
    """Only roles below the bot's highest one."""
    require_in_guild(core.state, guild_id, "manage_roles")
    bot = core.state.bot["id"]
    if core.state.guild(guild_id)["owner_id"] != bot and role["position"] >= top_role(core.state, guild_id, bot):
        raise ApiError(50013)


@route("GET", "/guilds/{guild}/roles")
def roles(core: Core, call: Call) -> list[Json]:
    require_in_guild(core.state, call.ids[0])
    return core.state.guild(call.ids[0])["roles"]


@route("POST", "/guilds/{guild}/roles")
def create_role(core: Core, call: Call) -> Json:
    """It goes to the bottom, as a bot's new role does: right above @everyone."""
    found = core.state.guild(call.ids[0])
    have = require_in_guild(core.state, found["id"], "manage_roles")
    wanted = int(call.body.get("permissions") or 0)
    require_no_more(have, wanted)
    if len(found["roles"]) >= MOST_ROLES:
        raise ApiError(30005)
    role = new_role(core.state, core.clock, found, call.body.get("name") or "new role", wanted)
    role["position"] = 1
    _change_role(role, call.body)
    core.emit("GUILD_ROLE_CREATE", {"guild_id": found["id"], "role": role})
    for other in found["roles"][1:-1]:
        other["position"] += 1
        core.emit("GUILD_ROLE_UPDATE", {"guild_id": found["id"], "role": other})
    return role


def _change_role(role: Json, body: Json) -> None:
    for name in ("name", "hoist", "mentionable", "color"):
        if body.get(name) is not None:
            role[name] = body[name]
    if body.get("permissions") is not None:
        role["permissions"] = str(body["permissions"])


@route("PATCH", "/guilds/{guild}/roles/{role}")
def edit_role(core: Core, call: Call) -> Json:
    role = core.state.role(*call.ids)
    _manageable(core, call.ids[0], role)
    have = in_guild(core.state, call.ids[0], core.state.bot["id"])
    require_no_more(have, int(call.body.get("permissions") or 0))
    _change_role(role, call.body)
    core.emit("GUILD_ROLE_UPDATE", {"guild_id": call.ids[0], "role": role})
    return role


@route("DELETE", "/guilds/{guild}/roles/{role}")
def delete_role(core: Core, call: Call) -> None:
    role = core.state.role(*call.ids)
    _manageable(core, call.ids[0], role)
    remove_role(core, call.ids[0], role)


def remove_role(core: Core, guild_id: str, role: Json) -> None:
    core.state.guild(guild_id)["roles"].remove(role)
    for found in core.state.members[guild_id].values():
        found["roles"] = [r for r in found["roles"] if r != role["id"]]
    core.emit("GUILD_ROLE_DELETE", {"guild_id": guild_id, "role_id": role["id"]})


# --- Scheduled events --------------------------------------------------------------------------------------------


@route("GET", "/guilds/{guild}/scheduled-events")
def events(core: Core, call: Call) -> list[Json]:
    require_in_guild(core.state, call.ids[0])
    return list(core.state.events[call.ids[0]].values())


@route("POST", "/guilds/{guild}/scheduled-events")
def create_event(core: Core, call: Call) -> Json:
    guild_id = core.state.guild(call.ids[0])["id"]
    have = require_in_guild(core.state, guild_id)
    if not (have.manage_events or have.create_events):
        raise ApiError(50013)
    mine = core.state.events[guild_id]
    if sum(event["status"] in (SCHEDULED, ACTIVE) for event in mine.values()) >= MOST_EVENTS:
        raise ApiError(30038)
    event: Json = {"id": core.state.new_id(core.clock), "guild_id": guild_id, "creator": core.state.bot}
    event |= {name: call.body.get(name) for name in EVENT_FIELDS}
    event |= {
        "status": SCHEDULED,
        "creator_id": core.state.bot["id"],
        "entity_id": None,
        "user_count": 0,
        "image": None,
    }
    mine[event["id"]] = event
    core.emit("GUILD_SCHEDULED_EVENT_CREATE", event)
    return event


def _event(core: Core, call: Call) -> Json:
    require_in_guild(core.state, core.state.guild(call.ids[0])["id"])
    found = core.state.events[call.ids[0]].get(call.ids[1])
    if found is None:
        raise ApiError(10070)
    return found


@route("GET", "/guilds/{guild}/scheduled-events/{event}")
def event(core: Core, call: Call) -> Json:
    return _event(core, call)


@route("PATCH", "/guilds/{guild}/scheduled-events/{event}")
def edit_event(core: Core, call: Call) -> Json:
    found = _event(core, call)
    _own_event(core, found)
    found |= {name: call.body[name] for name in EVENT_FIELDS if name in call.body}
    core.emit("GUILD_SCHEDULED_EVENT_UPDATE", found)
    return found


@route("DELETE", "/guilds/{guild}/scheduled-events/{event}")
def delete_event(core: Core, call: Call) -> None:
    found = _event(core, call)
    _own_event(core, found)
    del core.state.events[call.ids[0]][call.ids[1]]
    core.emit("GUILD_SCHEDULED_EVENT_DELETE", found)


def _own_event(core: Core, event: Json) -> None:
    have = require_in_guild(core.state, event["guild_id"])
    own = have.create_events and event["creator_id"] == core.state.bot["id"]
    if not (have.manage_events or own):
        raise ApiError(50013)

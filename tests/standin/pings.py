"""Who a text mentions, and who of them is pinged.

Source: https://discord.com/developers/docs/resources/message#allowed-mentions-object.
"""

from __future__ import annotations

import re

from tests.standin.permissions import in_channel
from tests.standin.state import Json, State

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_ANY = re.compile(r"@(everyone|here)|<@!?(\d+)>|<@&(\d+)>")


def mentions(state: State, content: str) -> Json:
    """The parts of a message object that name whom it mentions."""
    users = [state.users[u] for u in dict.fromkeys(_USER.findall(content)) if u in state.users]
    return {"mentions": users, "mention_roles": list(dict.fromkeys(_ROLE.findall(content)))}


def pings(state: State, channel: Json, content: str, allowed: Json | None) -> tuple[str, ...]:
    """`everyone`, `user:<id>`, `role:<id>` in the order of the text. Without `allowed` everything is parsed."""
    rules = allowed if allowed is not None else {"parse": ["users", "roles", "everyone"]}
    parse = set(rules.get("parse") or ())
    users = {str(u) for u in rules.get("users") or ()}
    roles = {str(r) for r in rules.get("roles") or ()}
    may_all = in_channel(state, channel, state.bot["id"]).mention_everyone
    found: list[str] = []
    for everyone, user, role in _ANY.findall(content):
        if everyone and "everyone" in parse and may_all:
            found.append("everyone")
        elif user and ("users" in parse or user in users):
            found.append(f"user:{user}")
        elif role and ("roles" in parse or role in roles) and (may_all or _mentionable(state, channel, role)):
            found.append(f"role:{role}")
    return tuple(dict.fromkeys(found))


def _mentionable(state: State, channel: Json, role_id: str) -> bool:
    guild = state.guilds.get(channel.get("guild_id") or "")
    return guild is not None and any(r["id"] == role_id and r["mentionable"] for r in guild["roles"])

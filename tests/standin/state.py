"""What the stand-in knows, as plain data: Discord's own JSON objects by id. It can be pickled and copied.

Ids are decimal strings, as Discord writes them. Nothing here does I/O or checks permissions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from tests.standin.clock import Clock, first_id_at
from tests.standin.errors import ApiError

Json = dict[str, Any]
ANSWER_WITHIN = timedelta(seconds=3)
TOKEN_LIVES = timedelta(minutes=15)
EPHEMERAL = 1 << 6
LOADING = 1 << 7


class Kind(IntEnum):
    """Channel types (https://discord.com/developers/docs/resources/channel#channel-object-channel-types)."""

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    ANNOUNCEMENT = 5
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15


THREADS = frozenset({Kind.ANNOUNCEMENT_THREAD, Kind.PUBLIC_THREAD, Kind.PRIVATE_THREAD})


@dataclass
class Arrival:
    """A message of the bot that arrived: what it says now, and what it said before each edit."""

    channel_id: int
    message_id: int
    content: str
    nonce: str | None
    pings: tuple[str, ...]
    """Who was notified: `everyone`, `role:<id>`, `user:<id>`, in the order of the text."""
    at: datetime
    edits: list[str] = field(default_factory=list)
    """The texts after each edit, in order."""
    deleted: bool = False


@dataclass
class Interaction:
    """One act of a person, and what the bot made of it."""

    id: str
    token: str
    type: int
    user_id: str
    channel_id: str
    at: datetime
    message: Json | None = None
    callback: int | None = None
    original_id: str | None = None
    followup_ids: list[str] = field(default_factory=list)
    modal: Json | None = None
    choices: list[Json] | None = None
    failed: bool = False
    private: dict[str, Json] = field(default_factory=dict)
    """Ephemeral messages, which are in no channel's history."""


@dataclass
class Session:
    """A gateway session: what was sent in it, so that it can be resumed."""

    id: str
    intents: int
    seq: int = 0
    forgotten: int = 0
    """The number of the last event that is no longer kept."""
    events: list[Json] = field(default_factory=list)


@dataclass(repr=False)
class State:
    bot: Json = field(default_factory=dict)
    application_id: str = ""
    users: dict[str, Json] = field(default_factory=dict)
    guilds: dict[str, Json] = field(default_factory=dict)
    members: dict[str, dict[str, Json]] = field(default_factory=dict)
    channels: dict[str, Json] = field(default_factory=dict)
    messages: dict[str, dict[str, Json]] = field(default_factory=dict)
    events: dict[str, dict[str, Json]] = field(default_factory=dict)
    commands: dict[str, list[Json]] = field(default_factory=dict)
    """By guild id; the global ones under "global"."""
    interactions: dict[str, Interaction] = field(default_factory=dict)
    """By token."""
    waiting: dict[str, Interaction] = field(default_factory=dict)
    """Those that the bot has not answered at all; by token."""
    sessions: dict[str, Session] = field(default_factory=dict)
    attachments: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    closed_dms: set[str] = field(default_factory=set)
    arrivals: list[Arrival] = field(default_factory=list)
    last_id: int = 0

    def new_id(self, clock: Clock) -> str:
        """Unique and increasing, with the clock's time in it."""
        self.last_id = max(self.last_id + 1, first_id_at(clock.now()))
        return str(self.last_id)

    # --- Looking up, with Discord's answer when there is none --------------------------------------------------

    def guild(self, guild_id: object) -> Json:
        return _known(self.guilds, guild_id, 10004)

    def channel(self, channel_id: object) -> Json:
        return _known(self.channels, channel_id, 10003)

    def message(self, channel_id: object, message_id: object) -> Json:
        return _known(self.messages.get(str(channel_id), {}), message_id, 10008)

    def member(self, guild_id: object, user_id: object) -> Json:
        return _known(self.members[str(guild_id)], user_id, 10007)

    def role(self, guild_id: object, role_id: object) -> Json:
        roles = {role["id"]: role for role in self.guild(guild_id)["roles"]}
        return _known(roles, role_id, 10011)

    def threads_of(self, channel_id: object) -> list[Json]:
        return [c for c in self.channels.values() if c["type"] in THREADS and c["parent_id"] == str(channel_id)]

    def guild_channels(self, guild_id: object, *, threads: bool = False) -> list[Json]:
        mine = (c for c in self.channels.values() if c.get("guild_id") == str(guild_id))
        return [c for c in mine if (c["type"] in THREADS) is threads]

    def arrival(self, message_id: object) -> Arrival | None:
        return next((a for a in reversed(self.arrivals) if a.message_id == int(str(message_id))), None)


def _known(rows: dict[str, Any], key: object, code: int) -> Any:
    found = rows.get(str(key))
    if found is None:
        raise ApiError(code)
    return found

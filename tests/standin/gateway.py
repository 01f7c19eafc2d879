"""The gateway: hello, heartbeat, identify, resume with what was missed, and ways to lose the connection.

Source: https://discord.com/developers/docs/events/gateway.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from aiohttp import WSMsgType, web

from tests.standin.clock import Clock
from tests.standin.payloads import guild_create, ready
from tests.standin.state import Json, Session, State

HEARTBEAT_MS = 41_250
KEPT_EVENTS = 1000
KEPT_SESSIONS = 5
BAD_TOKEN = 4004


class Op(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    RESUME = 6
    RECONNECT = 7
    MEMBERS = 8
    INVALID = 9
    HELLO = 10
    ACK = 11


GUILDS, MEMBERS, MESSAGES, DIRECT_MESSAGES, CONTENT, SCHEDULED = 1 << 0, 1 << 1, 1 << 9, 1 << 12, 1 << 15, 1 << 16


def _intent(event: str, data: Json) -> int:
    """Which intent an event needs; 0 for none."""
    if event.startswith("GUILD_SCHEDULED_EVENT"):
        return SCHEDULED
    if event.startswith("GUILD_MEMBER"):
        return MEMBERS
    if event.startswith("MESSAGE"):
        return MESSAGES if "guild_id" in data else DIRECT_MESSAGES
    return GUILDS if event.startswith(("GUILD", "CHANNEL", "THREAD")) else 0


@dataclass(eq=False)
class _Line:
    """One connected socket, and how far its session's events were sent on it."""

    socket: web.WebSocketResponse
    request: web.Request
    session: Session | None = None
    sent: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)


class Gateway:
    """`logins` counts identifies, `resumes` the successful ones, `connected` is set while somebody listens.

    `heartbeats` counts those that came and were acknowledged.
    """

    def __init__(self, state: State, clock: Clock, token: str) -> None:
        self._state = state
        self._clock = clock
        self._token = token
        self._lines: set[_Line] = set()
        self.base = ""
        self.logins = 0
        self.resumes = 0
        self.heartbeats = 0
        self.connected = asyncio.Event()
        self.disconnected = asyncio.Event()
        self.disconnected.set()

    # --- Sending -----------------------------------------------------------------------------------------------

    def emit(self, event: str, data: Json) -> None:
        """To every session that wants such events, connected or not: a resume brings what was missed."""
        for session in self._state.sessions.values():
            self._record(session, event, data)

    def _record(self, session: Session, event: str, data: Json) -> None:
        intent = _intent(event, data)
        own = event == "GUILD_MEMBER_UPDATE" and data["user"]["id"] == self._state.bot["id"]
        if intent and not intent & session.intents and not own:
            return
        session.seq += 1
        session.events.append({"op": Op.DISPATCH, "t": event, "s": session.seq, "d": json.loads(json.dumps(data))})
        if len(session.events) > KEPT_EVENTS:
            session.forgotten = session.events.pop(0)["s"]
        for line in self._lines:
            if line.session is session:
                line.news.set()

    async def _pump(self, line: _Line) -> None:
        while True:
            line.news.clear()
            assert line.session is not None
            for event in [e for e in line.session.events if e["s"] > line.sent]:
                line.sent = event["s"]
                await line.socket.send_json(event)
            await line.news.wait()

    def last_seq(self) -> int | None:
        """The number of the last event for whoever is connected; None when nobody is."""
        return max((line.session.seq for line in self._lines if line.session is not None), default=None)

    # --- Losing the connection ---------------------------------------------------------------------------------

    async def drop(self) -> None:
        """Every socket breaks without a farewell; the sessions can be resumed."""
        lines = list(self._lines)
        for line in lines:
            if line.request.transport is not None:
                line.request.transport.abort()
        for line in lines:
            await line.gone.wait()

    async def ask_to_reconnect(self) -> None:
        """Op 7: come again and resume."""
        await self._tell({"op": Op.RECONNECT, "d": None, "s": None, "t": None})

    async def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9: the session is over, unless `resumable`."""
        if not resumable:
            self._state.sessions.clear()
        await self._tell({"op": Op.INVALID, "d": resumable, "s": None, "t": None})

    async def _tell(self, payload: Json) -> None:
        for line in list(self._lines):
            await line.socket.send_json(payload)

    # --- The connection ----------------------------------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0, heartbeat=None)
        await socket.prepare(request)
        line = _Line(socket, request)
        self._lines.add(line)
        pump: asyncio.Task[None] | None = None
        try:
            hello = {"op": Op.HELLO, "d": {"heartbeat_interval": HEARTBEAT_MS}, "s": None, "t": None}
            await socket.send_json(hello)
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                if await self._received(line, json.loads(message.data)) and pump is None:
                    pump = asyncio.create_task(self._pump(line))
                    self.connected.set()
                    self.disconnected.clear()
        except ConnectionError:
            pass  # the bot is gone; its session stays
        finally:
            await self._left(line, pump)
        return socket

    async def _left(self, line: _Line, pump: asyncio.Task[None] | None) -> None:
        self._lines.discard(line)
        if pump is not None:
            pump.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await pump
        if not any(other.session for other in self._lines):
            self.connected.clear()
            self.disconnected.set()
        line.gone.set()

    async def _received(self, line: _Line, payload: Json) -> bool:
        """Whether the line belongs to a session from now on."""
        data: Any = payload.get("d")
        match payload["op"]:
            case Op.HEARTBEAT:
                self.heartbeats += 1
                await line.socket.send_json({"op": Op.ACK, "d": None, "s": None, "t": None})
            case Op.IDENTIFY if data["token"] != self._token:
                await line.socket.close(code=BAD_TOKEN)
            case Op.IDENTIFY:
                self._identify(line, data["intents"])
            case Op.RESUME:
                await self._resume(line, data)
            case Op.MEMBERS if line.session is not None:
                self._members(line.session, data)
        return line.session is not None

    def _identify(self, line: _Line, intents: int) -> None:
        self.logins += 1
        session = Session(self._state.new_id(self._clock), intents)
        self._state.sessions[session.id] = session
        while len(self._state.sessions) > KEPT_SESSIONS:
            del self._state.sessions[next(iter(self._state.sessions))]
        line.session = session
        self._record(session, "READY", ready(self._state, session.id, self.base))
        for guild_id in self._state.guilds:
            if self._state.bot["id"] in self._state.members[guild_id]:
                everybody = bool(intents & MEMBERS)
                self._record(session, "GUILD_CREATE", guild_create(self._state, guild_id, everybody=everybody))

    async def _resume(self, line: _Line, data: Json) -> None:
        session = self._state.sessions.get(str(data["session_id"]))
        if session is None or data["token"] != self._token or not session.forgotten <= data["seq"] <= session.seq:
            await line.socket.send_json({"op": Op.INVALID, "d": False, "s": None, "t": None})
            return
        self.resumes += 1
        line.session, line.sent = session, data["seq"]
        self._record(session, "RESUMED", {})

    def _members(self, session: Session, data: Json) -> None:
        members = list(self._state.members[str(data["guild_id"])].values())
        wanted = {str(user) for user in data.get("user_ids") or ()}
        found = [member for member in members if not wanted or member["user"]["id"] in wanted]
        chunk = {"guild_id": str(data["guild_id"]), "members": found, "chunk_index": 0, "chunk_count": 1}
        self._record(session, "GUILD_MEMBERS_CHUNK", chunk | {"not_found": [], "nonce": data.get("nonce")})

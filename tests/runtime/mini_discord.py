"""Just enough of Discord over real HTTP and WebSocket for a real process to log in, post, and be stopped.

The whole stand-in, with rate limits and lost answers, is another issue's; this one only knows the happy path.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import WSMsgType, web

BOT = {"id": "900", "username": "acwc", "discriminator": "0", "avatar": None, "bot": True, "global_name": None}
GUILD_ID = 1


def _json(data: Any, status: int = 200) -> web.Response:
    """discord.py compares the content type with exactly this."""
    return web.Response(body=json.dumps(data).encode(), status=status, headers={"Content-Type": "application/json"})


class MiniDiscord:
    """`messages` are (channel id, content) in order of arrival; `ready` is set at each login on the gateway."""

    def __init__(self) -> None:
        self.messages: list[tuple[int, str]] = []
        self.synced = 0
        self.ready = asyncio.Event()
        self.closed = asyncio.Event()
        self.posted = asyncio.Event()
        self.base = ""

    async def __aenter__(self) -> MiniDiscord:
        app = web.Application()
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base = f"127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _rest(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        if request.headers.get("Authorization") != "Bot good":
            return _json({"message": "401: Unauthorized", "code": 0}, status=401)
        if path == "users/@me":
            return _json(BOT)
        if path == "oauth2/applications/@me":
            owner = {"id": "1", "username": "owner", "discriminator": "0", "avatar": None}
            application = {"id": "901", "name": "acwc", "description": "", "icon": None, "flags": 0, "owner": owner}
            return _json(application | {"bot_public": True, "bot_require_code_grant": False, "verify_key": ""})
        if path.endswith("/commands"):
            self.synced += 1
            commands = await request.json()
            return _json([c | {"id": str(n), "application_id": "901", "version": "1"} for n, c in enumerate(commands)])
        if path.endswith("/messages") and request.method == "POST":
            return await self._message(request, int(path.split("/")[1]))
        return _json({"message": "Unknown", "code": 0}, status=404)

    async def _message(self, request: web.Request, channel_id: int) -> web.Response:
        body = await request.json()
        self.messages.append((channel_id, body["content"]))
        self.posted.set()
        message = {
            "id": str(5000 + len(self.messages)),
            "channel_id": str(channel_id),
            "author": BOT,
            "content": body["content"],
        }
        empty: dict[str, Any] = {"embeds": [], "attachments": [], "mentions": [], "mention_roles": [], "components": []}
        rest = {"timestamp": "2026-03-22T12:00:00+00:00", "edited_timestamp": None, "tts": False, "pinned": False}
        return _json(message | empty | rest | {"mention_everyone": False, "type": 0, "flags": 0})

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41250}, "s": None, "t": None})
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            payload = json.loads(message.data)
            if payload["op"] == 1:
                await socket.send_json({"op": 11, "d": None, "s": None, "t": None})
            elif payload["op"] == 2:
                ready = {
                    "v": 10,
                    "user": BOT,
                    "guilds": [],
                    "session_id": "x",
                    "application": {"id": "901", "flags": 0},
                }
                ready["resume_gateway_url"] = f"ws://{self.base}/gateway/"
                await socket.send_json({"op": 0, "t": "READY", "s": 1, "d": ready})
                self.ready.set()
        self.closed.set()
        return socket

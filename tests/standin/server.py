"""The stand-in over real HTTP and WebSocket, for an unmodified discord.py in this or another process."""

from __future__ import annotations

import json
import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote

import discord.gateway
import discord.http
import yarl
from aiohttp import web

from tests.discord_limits import problems
from tests.standin import rest_channels, rest_guilds, rest_interactions, rest_messages, rest_threads
from tests.standin.clock import Clock
from tests.standin.core import Core
from tests.standin.errors import ApiError
from tests.standin.faults import Fault, Faults, Plan
from tests.standin.gateway import Gateway
from tests.standin.payloads import new_user
from tests.standin.rates import Rates, Verdict
from tests.standin.routes import Call, find
from tests.standin.state import Arrival, State

ROUTES = (rest_channels, rest_guilds, rest_interactions, rest_messages, rest_threads)
TOKEN = "good"
BOT_NAME = "acwc"
VIA = {"Via": "1.1 standin"}
"""Without it discord.py takes a 429 for a ban by Discord's front door."""
_CUTS = (Fault.CUT_BEFORE, Fault.CUT_AFTER)


@dataclass(frozen=True)
class Asked:
    """A request as it came, and what was answered: None when the line was cut."""

    method: str
    path: str
    body: Any
    status: int | None
    at: datetime


class Server:
    """The HTTP and WebSocket side. `asked` has every request, `rejected` those that broke a limit, with what."""

    def __init__(self, clock: Clock, state: State | None = None) -> None:
        self.clock = clock
        self.state = state or State()
        if not self.state.bot:
            self.state.application_id = self.state.new_id(clock)
            self.state.bot = new_user(self.state, clock, BOT_NAME, bot=True)
        self.gateway = Gateway(self.state, clock, TOKEN)
        self.core = Core(self.state, clock, self.gateway)
        self.faults = Faults()
        self.rates = Rates(clock)
        self.asked: list[Asked] = []
        self.rejected: list[tuple[Asked, list[str]]] = []
        self.broken: list[str] = []
        """What the stand-in itself could not do; it says so when it ends."""
        self._down = False
        self.base = ""

    # --- Life --------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Server:
        app = web.Application(client_max_size=32 << 20)
        app.router.add_get("/gateway/", self._connect)
        app.router.add_get("/attachments/{id}/{name}", self._attachment)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = self.gateway.base = f"127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.faults.clear()
        await self.gateway.drop()
        await self._runner.cleanup()
        assert not self.broken, "\n".join(self.broken)

    def point_discord_py_here(self, patch: Any) -> None:
        """`patch` is pytest's monkeypatch."""
        patch.setattr(discord.http.Route, "BASE", f"http://{self.base}/api/v10")
        patch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(f"ws://{self.base}/gateway/"))

    def save(self) -> bytes:
        """Everything that Discord knows; `restored(saved)` is the state for another server."""
        return pickle.dumps(self.state)

    # --- What goes wrong ---------------------------------------------------------------------------------------

    def fail(self, method: str, path: str, fault: Fault, **more: Any) -> Plan:
        """The next `times` (1) requests: see `faults`. `status` for a 5xx, `retry_after` for a 429."""
        return self.faults.plan(method, path, fault, **more)

    async def down(self) -> None:
        """Every request is refused, and the gateway is gone."""
        self._down = True
        await self.gateway.drop()

    def up(self) -> None:
        self._down = False

    # --- What arrived ------------------------------------------------------------------------------------------

    def arrived(self, channel_id: int | None = None) -> list[Arrival]:
        """The bot's messages in the order they came, in one channel or all."""
        return [a for a in self.state.arrivals if channel_id in (None, a.channel_id)]

    def calls(self, method: str, part: str = "") -> list[Asked]:
        """The requests with that method whose path has `part`."""
        return [one for one in self.asked if one.method == method and part in one.path]

    async def until(self, condition: Callable[[], bool], what: str = "", *, longest: float = 60.0) -> None:
        """Waits until it holds; it is looked at after each request. AssertionError after `longest` seconds."""
        await self.core.until(condition, what, longest=longest)

    # --- Serving -----------------------------------------------------------------------------------------------

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if self._down:
            return self._cut(request)
        try:
            return await self.gateway.handle(request)
        finally:
            self.core.changed()

    async def _attachment(self, request: web.Request) -> web.Response:
        name, content = self.state.attachments[request.match_info["id"]]
        return web.Response(body=content, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    def _cut(self, request: web.Request) -> web.Response:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=503)

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path, method = "/" + request.match_info["path"], request.method
        if self._down:
            return self._cut(request)
        body = await self._body(request)
        plan = self.faults.take(method, path)
        response = await self._before(plan)
        if response is None:
            response = self._respond(request, path, body)
            self.core.changed()
            response = await self._after(plan, response)
        cut = plan is not None and plan.fault in _CUTS
        self.asked.append(Asked(method, path, body, None if cut else response.status, self.clock.now()))
        self.core.changed()
        return self._cut(request) if cut else response

    async def _before(self, plan: Plan | None) -> web.Response | None:
        if plan is None:
            return None
        match plan.fault:
            case Fault.ERROR_BEFORE:
                return _answer({"message": f"{plan.status}: a planned error", "code": 0}, plan.status)
            case Fault.CUT_BEFORE:
                return web.Response(status=503)
            case Fault.LIMITED:
                return _limited(Verdict({"X-RateLimit-Scope": "shared"}, plan.retry_after))
            case Fault.HELD_BEFORE:
                await plan.wait()
        return None

    async def _after(self, plan: Plan | None, response: web.Response) -> web.Response:
        if plan is not None and plan.fault is Fault.HELD_AFTER:
            await plan.wait()
        if plan is not None and plan.fault is Fault.ERROR_AFTER:
            return _answer({"message": f"{plan.status}: a planned error", "code": 0}, plan.status)
        return response

    async def _body(self, request: web.Request) -> Any:
        """JSON, or the form with files in which discord.py sends it."""
        if request.content_type != "multipart/form-data":
            return await request.json() if request.can_read_body else {}
        form = await request.post()
        body = json.loads(str(form.get("payload_json", "{}")))
        files = [part for part in form.values() if isinstance(part, web.FileField)]
        body.get("data", body)["files"] = [self._keep(f.filename, f.file.read()) for f in files]
        return body

    def _keep(self, name: str, content: bytes) -> tuple[str, str, int, str]:
        id = self.state.new_id(self.clock)
        self.state.attachments[id] = (name, content)
        return id, name, len(content), f"http://{self.base}/attachments/{id}/{name}"

    def _respond(self, request: web.Request, path: str, body: Any) -> web.Response:
        self.core.look_at_clock()
        verdict = self.rates.ask(request.method, path)
        if verdict.retry_after is not None:
            return _limited(verdict)
        try:
            answer = self._handle(request, path, body)
        except ApiError as error:
            return _answer(error.body(), error.status, verdict.headers)
        except Exception:
            self.broken.append(f"{request.method} {path}\n{traceback.format_exc()}")
            return _answer({"message": "500: the stand-in is at fault", "code": 0}, 500)
        if answer is None:
            return web.Response(status=204, headers=verdict.headers)
        return _answer(answer, 200, verdict.headers)

    def _handle(self, request: web.Request, path: str, body: Any) -> Any:
        by_token = path.startswith(("/interactions/", "/webhooks/"))
        if not by_token and request.headers.get("Authorization") != f"Bot {TOKEN}":
            raise ApiError(0)
        found = find(request.method, path)
        if found is None:
            raise AssertionError(f"the stand-in has no route {request.method} {path}")
        reason = unquote(request.headers.get("X-Audit-Log-Reason", "")) or None
        broken = problems(request.method, path, body, now=self.clock.now(), reason=reason)
        if broken:
            self.rejected.append((Asked(request.method, path, body, 400, self.clock.now()), broken))
            raise ApiError(50035, broken)
        handler, ids = found
        return handler(self.core, Call(ids, dict(request.query), body))


def restored(saved: bytes) -> State:
    """For `Standin(clock, restored(saved))`; a new port, the same ids."""
    return pickle.loads(saved)


def _answer(data: Any, status: int, headers: dict[str, str] | None = None) -> web.Response:
    """discord.py compares the content type with exactly this, without a charset."""
    exactly = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(data).encode(), status=status, headers=exactly)


def _limited(verdict: Verdict) -> web.Response:
    assert verdict.retry_after is not None
    body = {"message": "You are being rate limited.", "retry_after": verdict.retry_after, "global": verdict.everywhere}
    return _answer(body, 429, VIA | {"Retry-After": f"{verdict.retry_after:.3f}"} | verdict.headers)

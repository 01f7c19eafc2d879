"""The sandbox's own page over HTTP on the loopback: who I am, the clock, the others, and the way into Discord."""

from __future__ import annotations

import hashlib
import hmac
import secrets  # noqa: TID251 - the page's own token; no tournament hangs on it
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files

from aiohttp import web

from acwc_bot.sandbox.app import HOST, PortTaken
from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.html import render
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.shown import Shown
from acwc_bot.sandbox.world import SandboxError

#: Discord's ids have up to 19 digits.
_LONGEST_NUMBER = 20

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_STATIC = {"sandbox.css": "text/css", "sandbox.js": "text/javascript", "icon.svg": "image/svg+xml"}
# Chromium holds the redirect after a form to form-action too, and Discord's page is on another port.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    f"frame-ancestors 'none'; form-action 'self' http://{HOST}:*"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    # `no-referrer` would also turn the Origin of the page's own forms into "null".
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Page:
    """The routes. Actions are POSTs that carry a token which only the page itself knows."""

    def __init__(self, rehearsal: Rehearsal, port: int) -> None:
        self._rehearsal = rehearsal
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        if port == 80:
            self._hosts |= {HOST, "localhost"}
        self._token = secrets.token_urlsafe(24)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=16_384)
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/static/{name}", self._static),
                web.post("/do/{deed}", self._do),
                web.post("/be", self._be),
                web.post("/open", self._open),
            ]
        )
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """No other site may read the page through a name of its own, or post to it."""
        try:
            refusal = await self._refusal(request)
        except (ValueError, LookupError, AssertionError, RuntimeError):  # a form that is none
            return web.Response(status=400, text="That form could not be read. Go back to /", headers=_HEADERS)
        if refusal is not None:
            return web.Response(status=403, text=refusal, headers=_HEADERS)
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return web.Response(status=404, text="There is no such page. Go back to /", headers=_HEADERS)
        except web.HTTPMethodNotAllowed:
            return web.Response(status=405, text="That is not how this page works. Go back to /", headers=_HEADERS)

    async def _refusal(self, request: web.Request) -> str | None:
        if request.headers.get("Host", "") not in self._hosts:
            return "The sandbox answers only on this computer's own address. Use the one in the terminal."
        if request.method in ("GET", "HEAD"):
            return None
        origin = request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return "Another site sent this. Nothing was done."
        form = await request.post()
        if not hmac.compare_digest(str(form.get("token", "")).encode(), self._token.encode()):
            return "This page is from an earlier sandbox. Load it again and repeat what you did."
        return None

    async def _index(self, request: web.Request) -> web.StreamResponse:
        """The whole page; 304 when nothing has changed since the one whose ETag is sent."""
        self._rehearsal.mark_seen()
        text = render(await Shown.of(self._rehearsal), self._token)
        tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
        headers = _HEADERS | {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers=headers)
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in _STATIC:
            raise web.HTTPNotFound
        text = files("acwc_bot.sandbox").joinpath("static", name).read_text("utf-8")
        return web.Response(text=text, content_type=_STATIC[name], headers=_HEADERS)

    async def _do(self, request: web.Request) -> web.StreamResponse:
        match = _number(str((await request.post()).get("match", "")))
        await do(self._rehearsal, request.match_info["deed"], match)
        return _see_other("/")

    async def _be(self, request: web.Request) -> web.StreamResponse:
        self._rehearsal.be(str((await request.post()).get("name", "")))
        return _see_other("/")

    async def _open(self, request: web.Request) -> web.StreamResponse:
        """To a channel in Discord, as the viewer; without a channel to where the viewer's match is."""
        where = _number(str((await request.post()).get("channel", "")))
        try:
            return _see_other(await self._rehearsal.open(where or await self._rehearsal.place_of_interest()))
        except SandboxError as refusal:
            self._rehearsal.tell(str(refusal), bad=True)
        except PortTaken as taken:
            self._rehearsal.tell(f"Discord needs port {taken.port}, which is in use. Stop what uses it.", bad=True)
        return _see_other("/")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER else None


def _see_other(url: str) -> web.Response:
    return web.Response(status=303, headers=_HEADERS | {"Location": url})


@asynccontextmanager
async def serve_page(rehearsal: Rehearsal, listening: socket.socket) -> AsyncIterator[str]:
    """Serves on a socket that listens already; gives the address to print."""
    port = listening.getsockname()[1]
    runner = web.AppRunner(Page(rehearsal, port).app(), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        yield f"http://{HOST}:{port}/"
    finally:
        await runner.cleanup()

"""“Log in with Lichess” on the offline Lichess. Its page asks nobody: it sends the browser straight back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from acwc_bot.sandbox.lichess_logins import Grant, Refused
from acwc_bot.sandbox.lichess_payloads import user_payload
from acwc_bot.sandbox.lichess_world import LichessWorld

SendJson = Callable[[web.Request, Any], Awaitable[web.StreamResponse]]

#: A year, as Lichess gives them (seconds).
_TOKEN_LASTS = 31_536_000
_NEEDED = ("client_id", "redirect_uri", "code_challenge")


class OAuthPages:
    """`/oauth`, `/api/token` and `/api/account`. `send` answers with JSON and has the faults of the server."""

    def __init__(self, world: LichessWorld, send: SendJson) -> None:
        self._world = world
        self._send = send

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/oauth", self._authorize),
            web.post("/api/token", self._exchange),
            web.delete("/api/token", self._revoke),
            web.get("/api/account", self._account),
        ]

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        """Back to `redirect_uri`, with a code for `LichessWorld.logins.account` or with its refusal."""
        query, logins = request.query, self._world.logins
        missing = [key for key in _NEEDED if not query.get(key)]
        sound = query.get("response_type") == "code" and query.get("code_challenge_method") == "S256"
        if missing or not sound:
            return web.Response(status=400, text=f"Bad authorization request: {', '.join(missing) or 'not S256'}")
        if logins.account is None and not logins.declines:
            return web.Response(status=400, text="Nobody is logged in on this offline Lichess.")
        if logins.declines or logins.account is None:
            back = {"error": "access_denied", "error_description": "user cancelled authorization"}
        else:
            grant = Grant(logins.account, query["client_id"], query["redirect_uri"], query["code_challenge"])
            back = {"code": logins.agree(grant)}
        if "state" in query:
            back["state"] = query["state"]
        address = query["redirect_uri"]
        separator = "&" if "?" in address else "?"
        return web.Response(status=303, headers={"Location": f"{address}{separator}{urlencode(back)}"})

    async def _exchange(self, request: web.Request) -> web.StreamResponse:
        form = {key: str(value) for key, value in (await request.post()).items()}
        if form.get("grant_type") != "authorization_code":
            return _refusal("unsupported_grant_type", "only authorization_code is supported")
        asked = [form.get(key, "") for key in ("code", "code_verifier", "client_id", "redirect_uri")]
        try:
            token = self._world.logins.redeem(*asked)
        except Refused as refused:
            return _refusal("invalid_grant", str(refused))
        return await self._send(request, {"token_type": "Bearer", "access_token": token, "expires_in": _TOKEN_LASTS})

    async def _account(self, request: web.Request) -> web.StreamResponse:
        holder = self._world.logins.holder(_bearer(request))
        account = self._world.account(holder) if holder else None
        if account is None:
            return _no_token()
        return await self._send(request, user_payload(account, self._world.now(), alone=True))

    async def _revoke(self, request: web.Request) -> web.StreamResponse:
        token = _bearer(request)
        if self._world.logins.holder(token) is None:
            return _no_token()
        self._world.logins.revoke(token)
        return web.Response(status=204)


def _bearer(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


def _no_token() -> web.Response:
    return web.json_response({"error": "No such token"}, status=401)


def _refusal(error: str, description: str) -> web.Response:
    return web.json_response({"error": error, "error_description": description}, status=400)

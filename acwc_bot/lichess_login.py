"""“Log in with Lichess”: OAuth 2 with a proof key (RFC 6749, RFC 7636), to learn whose account somebody has.

Lichess registers no clients and gives no secrets: the client's id is a name. The bot asks for no scope, so the token
can read nothing but the public account; it is used once, given back and never stored.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

from acwc_bot.lichess_http import LichessHttp
from acwc_bot.lichess_payloads import read_account
from acwc_bot.lichess_queue import Priority
from engine.errors import BadInput, LichessUnavailable

T = TypeVar("T")

CLIENT_ID = "acwc-bot"

#: A code that was used, is too old or belongs to another verifier or address: 400 (`invalid_grant`). A token: 401.
_REFUSALS = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


class OAuthLogin:
    """`LichessLogin` over the same queue as everything else that is asked of Lichess."""

    def __init__(self, http: LichessHttp) -> None:
        self._http = http

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        asked = {
            "response_type": "code",
            "client_id": CLIENT_ID,
            "redirect_uri": redirect_uri,
            "code_challenge_method": "S256",
            "code_challenge": challenge,
            "state": state,
        }
        return f"{urljoin(self._http.base_url, '/oauth')}?{urlencode(asked)}"

    async def who(self, code: str, verifier: str, redirect_uri: str) -> str:
        token = await self._token(code, verifier, redirect_uri)
        try:
            account = await self._ask(lambda: read_account(self._http.as_user("GET", "/api/account", token=token)))
        finally:
            await self._revoke(token)
        return account.id

    async def _token(self, code: str, verifier: str, redirect_uri: str) -> str:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
            "client_id": CLIENT_ID,
        }
        return await self._ask(lambda: _access_token(self._http.as_user("POST", "/api/token", form=form)))

    async def _revoke(self, token: str) -> None:
        """A token that cannot be given back is forgotten all the same: nobody has it any more."""
        try:
            await self._ask(lambda: self._http.as_user("DELETE", "/api/token", token=token))
        except (BadInput, LichessUnavailable) as failure:
            self._http.log.warning("Lichess: a login token was not revoked (%s)", failure.code)

    async def _ask(self, work: Callable[[], T]) -> T:
        try:
            return await self._http.ask(work, Priority.LIVE)
        except LichessUnavailable as refusal:
            if refusal.params.get("status") in _REFUSALS:
                raise BadInput("login_refused") from refusal
            raise


def _access_token(answer: Any) -> str:
    token = answer["access_token"]
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token:
        raise ValueError("not a token")
    return token

"""Who may log in to the offline Lichess: codes that work once, and tokens until they are given back."""

from __future__ import annotations

import hashlib
import threading
from base64 import urlsafe_b64encode
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grant:
    """What the player agreed to: the code is good for this client, this address and this challenge."""

    account: str
    client_id: str
    redirect_uri: str
    challenge: str


class Refused(Exception):
    """The text is Lichess's `error_description`."""


class Logins:
    """Thread-safe. `account` is the id of whoever sits at the browser (None: nobody); `declines`: they say no."""

    def __init__(self) -> None:
        self.account: str | None = None
        self.declines = False
        self._lock = threading.Lock()
        self._issued = 0
        self._grants: dict[str, Grant] = {}
        self._tokens: dict[str, str] = {}

    def agree(self, grant: Grant) -> str:
        """A code, good for one try."""
        with self._lock:
            code = self._secret("liu")
            self._grants[code] = grant
        return code

    def redeem(self, code: str, verifier: str, client_id: str, redirect_uri: str) -> str:
        """A token. Raises Refused; the code is spent all the same."""
        with self._lock:
            grant = self._grants.pop(code, None)
            if grant is None:
                raise Refused("authorization code not found or expired")
            if grant.redirect_uri != redirect_uri:
                raise Refused("authorization code was issued for a different redirect_uri")
            if grant.client_id != client_id:
                raise Refused("authorization code was issued for a different client_id")
            if grant.challenge != _s256(verifier):
                raise Refused("hash of code_verifier does not match code_challenge")
            token = self._secret("lio")
            self._tokens[token] = grant.account
        return token

    def holder(self, token: str) -> str | None:
        """The account id that a token speaks for."""
        with self._lock:
            return self._tokens.get(token)

    def revoke(self, token: str) -> None:
        with self._lock:
            self._tokens.pop(token, None)

    @property
    def tokens(self) -> int:
        """How many are out."""
        with self._lock:
            return len(self._tokens)

    def _secret(self, prefix: str) -> str:
        """The n-th is always the same: nothing here needs to be secret."""
        self._issued += 1
        return f"{prefix}_{hashlib.sha256(b'login %d' % self._issued).hexdigest()[:32]}"


def _s256(verifier: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()

"""Proof key for code exchange (RFC 7636): what ties an answer of the login to the one who began it."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode


def verifier(chance: bytes) -> str:
    """The secret of one login, from at least 32 random bytes (§4.1): 43 to 128 letters, digits, `-` and `_`."""
    if not 32 <= len(chance) <= 96:
        raise ValueError(f"32 to 96 random bytes, not {len(chance)}")
    return _text(chance)


def challenge(verifier: str) -> str:
    """What is sent ahead instead of the secret: its SHA-256 (§4.2, method S256)."""
    return _text(hashlib.sha256(verifier.encode("ascii")).digest())


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")

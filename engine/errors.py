"""Every expected failure. A code and parameters; the words are in `cogs.render.errors`, never here."""

from __future__ import annotations

from typing import Any


class AcwcError(Exception):
    """An expected failure. `code` picks the text, `params` fill it in."""

    def __init__(self, code: str, /, *, clause: str | None = None, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.clause = clause
        self.params = params

    def __str__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.code}({shown})" + (f" §{self.clause}" if self.clause else "")


class NotFound(AcwcError):
    """What was named does not exist."""


class NotAllowed(AcwcError):
    """This person may not do this."""


class RuleViolation(AcwcError):
    """A clause of the rulebook stands against it; `clause` names it."""


class Conflict(AcwcError):
    """Somebody else was first, or the thing is already done."""


class BadInput(AcwcError):
    """The text could not be understood, or has more than one reading."""


class NeedsTdRuling(AcwcError):
    """Only a tournament director can decide this; it has been handed to them."""


class LichessUnavailable(AcwcError):
    """Lichess did not answer, or only in part. Nothing was decided from it."""


class CannotPair(AcwcError):
    """No pairing exists under the rules; `params` says why and what a TD could allow (R3.7)."""

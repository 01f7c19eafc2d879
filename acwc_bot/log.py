"""Logging: every record carries the reference of the command it belongs to, the one a user is shown on failure."""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar

from rich.console import Console
from rich.logging import RichHandler

_reference: ContextVar[str] = ContextVar("reference", default="-")


def set_reference(interaction_id: int) -> str:
    """Derives the short reference of an interaction, remembers it for this task's log records, gives it back."""
    reference = f"{interaction_id >> 22 & 0xFFFFFF:06x}{interaction_id & 0xFF:02x}"
    _reference.set(reference)
    return reference


def reference() -> str:
    return _reference.get()


class _AddReference(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.reference = _reference.get()
        return True


def configure(level: str) -> None:
    """One handler on the root logger; call once from `main()`. Coloured on a terminal, one line a record in a file."""
    handler: logging.Handler
    if sys.stderr.isatty():
        handler = RichHandler(console=Console(stderr=True), show_path=False, markup=False)
        handler.setFormatter(logging.Formatter("%(reference)s %(name)s: %(message)s"))
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(reference)s %(name)s: %(message)s"))
    handler.addFilter(_AddReference())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # It warns at every start of voice libraries that this bot has no use for.
    logging.getLogger("discord.client").setLevel(max(logging.ERROR, root.level))
    for chatty in ("discord.gateway", "discord.http", "apscheduler", "berserk", "urllib3", "alembic"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))

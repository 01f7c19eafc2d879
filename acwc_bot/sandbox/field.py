"""Who plays in the sandbox: the known entrants of the 2022 edition, and accounts for them on the offline Lichess."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from acwc_bot.sandbox.lichess_world import LichessWorld

_OLDEST = datetime(2014, 3, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """`seed` is the place among all who entered that edition, so numbers are missing in between."""

    lichess_id: str
    rating: int
    seed: int


def field_2022() -> tuple[FieldEntry, ...]:
    """The 45 entries, best seed first."""
    text = files("acwc_bot.sandbox").joinpath("data", "field_2022.toml").read_text("utf-8")
    entries: list[dict[str, Any]] = tomllib.loads(text)["entrants"]
    return tuple(sorted((FieldEntry(**entry) for entry in entries), key=lambda entry: entry.seed))


def open_accounts(lichess: LichessWorld, entries: Sequence[FieldEntry]) -> None:
    """Old accounts with 1,000 games or more. A better seed has more games, so equal ratings keep the field's order."""
    for place, entry in enumerate(entries):
        lichess.add_account(
            entry.lichess_id,
            rating=entry.rating,
            games=9000 - 40 * place,
            created_at=_OLDEST + timedelta(days=53 * place),
        )

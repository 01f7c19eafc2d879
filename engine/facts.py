"""The kinds of facts and how each is written into `Fact.payload` and read back.

A payload holds ids and numbers only: no Discord id, no name, no free text. Scores are half-points. What a fact
*means* for the event is in `ledger`; here is only its shape.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.model import Fact, Stage


class Exit(StrEnum):
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Pair:
    match_id: int
    a_id: int
    b_id: int


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game of a match: its Lichess id and the half-points of player a (2, 1 or 0)."""

    game_id: str
    a: int


@dataclass(frozen=True, slots=True)
class RoundPublished:
    """R3.7: the pairings of a round, in board order. Every pair counts as met from now on (Q42)."""

    round_id: int
    stage: Stage
    number: int
    pairs: tuple[Pair, ...]
    bye: int | None = None


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """Every match of the round has a result: from now on the round counts in the standings (R3.6)."""

    round_id: int


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """A result read from Lichess games (R3.3): the counted games in order; extra games are only listed."""

    match_id: int
    games: tuple[CountedGame, ...]
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRuled:
    """A result that games did not decide: match points (half-points) for both sides and who forfeited.

    `played` says whether at least one counted game was started (Q29); `games` are those that were.
    """

    match_id: int
    a: int
    b: int
    forfeited_by: tuple[int, ...] = ()
    played: bool = False
    games: tuple[CountedGame, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchExtended:
    """Q9/Q10: a TD lets the match be played until `until`; ½–½ for pairing only, open in the table."""

    match_id: int
    until: datetime


@dataclass(frozen=True, slots=True)
class EntrantLeft:
    """R8: withdrawal or disqualification; `ground` is one of the named grounds of the ruleset."""

    entrant_id: int
    exit: Exit
    ground: str | None = None


@dataclass(frozen=True, slots=True)
class Reverted:
    """The fact named by `Fact.reverts_id` no longer stands; everything later is recomputed."""


Event = RoundPublished | RoundClosed | MatchPlayed | MatchRuled | MatchExtended | EntrantLeft | Reverted

_KINDS: dict[str, type[Event]] = {
    "round_published": RoundPublished,
    "round_closed": RoundClosed,
    "match_played": MatchPlayed,
    "match_ruled": MatchRuled,
    "match_extended": MatchExtended,
    "entrant_left": EntrantLeft,
    "reverted": Reverted,
}
_NAMES = {cls: name for name, cls in _KINDS.items()}


def kind_of(event: Event) -> str:
    return _NAMES[type(event)]


def encode(event: Event) -> dict[str, Any]:
    """The JSON-ready payload of an event."""
    payload = asdict(event)
    for key, value in payload.items():
        if isinstance(value, datetime):
            payload[key] = value.isoformat()
    return payload


def decode(fact: Fact) -> Event:
    """The event a stored fact holds. An unknown kind is a programming error: KeyError."""
    raw = dict(fact.payload)
    cls = _KINDS[fact.kind]
    if cls is RoundPublished:
        raw["stage"] = Stage(raw["stage"])
        raw["pairs"] = tuple(Pair(**pair) for pair in raw["pairs"])
    if cls in (MatchPlayed, MatchRuled):
        raw["games"] = tuple(CountedGame(**game) for game in raw["games"])
    if cls is MatchPlayed:
        raw["extra"] = tuple(raw["extra"])
    if cls is MatchRuled:
        raw["forfeited_by"] = tuple(raw["forfeited_by"])
    if cls is MatchExtended:
        raw["until"] = datetime.fromisoformat(raw["until"])
    if cls is EntrantLeft:
        raw["exit"] = Exit(raw["exit"])
    return cls(**raw)

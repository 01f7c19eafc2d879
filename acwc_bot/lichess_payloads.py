"""What Lichess sends, as values of `engine.ports`. A payload of another shape is a ValueError, KeyError, TypeError or
AttributeError."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

from engine.listening import GameNews
from engine.ports import Account, LichessGame, PlayedGame, Presence, RatingDay

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
_NAME = re.compile(r"[a-z0-9_-]{1,30}")
_RUNNING = ("created", "started")
_GAME_ID = re.compile(r"[A-Za-z0-9]{8,12}")
#: The rating history names its parts in English, with blanks and hyphens; everything else uses these keys.
_PERFS = (
    "ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence", "chess960", "crazyhouse", "antichess",
    "atomic", "horde", "kingOfTheHill", "racingKings", "threeCheck", "puzzle",
)  # fmt: skip
_PERF_BY_NAME = {perf.lower(): perf for perf in _PERFS} | {"puzzles": "puzzle"}


# --- Accounts --------------------------------------------------------------------------------------------------


def read_account(raw: dict[str, Any]) -> Account:
    """An account: `/api/user/{name}`, `/api/users`, `/api/account`. A closed one has hardly more than its name.

    An open one says when it was made and has a part for each speed, played or not; an answer without them is half a
    one. Parts without a game are left out.
    """
    closed = raw.get("disabled", False)
    every = raw.get("perfs", {})
    if not closed and not (every and "createdAt" in raw):
        raise ValueError("an open account without what each has")
    # storm and racer have no rating
    perfs = {key: perf for key, perf in every.items() if "rating" in perf and _whole(perf["games"])}
    return Account(
        id=raw["id"],
        name=raw["username"],
        created_at=from_millis(raw.get("createdAt")),
        closed=closed,
        tos_violation=raw.get("tosViolation", False),
        title=raw.get("title"),
        bio=raw.get("profile", {}).get("bio", ""),
        ratings={key: perf["rating"] for key, perf in perfs.items()},
        games={key: perf["games"] for key, perf in perfs.items()},
        all_games=raw.get("count", {}).get("all"),
    )


def read_accounts(raw: Sequence[dict[str, Any]], asked: Collection[str]) -> list[Account]:
    """`/api/users`. An entry of another shape counts as not said, and so does one nobody asked for."""
    found: dict[str, Account] = {}
    for entry in _list(raw):
        with suppress(ValueError, KeyError, TypeError, AttributeError, OverflowError):
            account = read_account(entry)
            if account.id in asked:
                found[account.id] = account
    return list(found.values())


def read_the_account(raw: dict[str, Any], asked: str) -> Account:
    """`/api/user/{name}`, which must be about this one (an id)."""
    account = read_account(raw)
    if account.id != asked:
        raise ValueError("another account than the one asked for")
    return account


def read_presence(raw: dict[str, Any]) -> Presence:
    """One entry of `/api/users/status`; Lichess leaves out what is false."""
    return Presence(id=raw["id"], name=raw["name"], online=raw.get("online", False), playing=raw.get("playing", False))


def read_history(raw: Sequence[dict[str, Any]]) -> dict[str, tuple[RatingDay, ...]]:
    """`/api/user/{name}/rating-history`: a point is [year, month from 0, day, rating]. Empty parts are left out."""
    return {perf: days for part in _list(raw) if (perf := _perf(part["name"])) and (days := _days(part["points"]))}


def _days(points: Sequence[Sequence[int]]) -> tuple[RatingDay, ...]:
    return tuple(RatingDay(date(year, month + 1, day), _whole(rating)) for year, month, day, rating in points)


def _perf(name: str) -> str | None:
    return _PERF_BY_NAME.get("".join(filter(str.isalnum, name)).lower())


def _whole(number: Any) -> int:
    if not isinstance(number, int):
        raise TypeError("not a whole number")
    return number


def read_team_ids(raw: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """`/api/team/of/{name}`."""
    return tuple(team["id"].lower() for team in _list(raw))


def _list(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise TypeError("not a list")
    return raw


# --- Games -----------------------------------------------------------------------------------------------------


def read_game(line: str) -> LichessGame:
    """One line of an export. Raises ValueError, KeyError or TypeError when it is not one."""
    raw = _sound(json.loads(line))
    clock, clocks = raw.get("clock", {}), raw.get("clocks")
    return LichessGame(
        id=raw["id"],
        white=_player(raw, "white"),
        black=_player(raw, "black"),
        variant=raw["variant"],
        rated=raw["rated"],
        status=raw["status"],
        winner=raw.get("winner"),
        created_at=_created(raw),
        last_move_at=from_millis(raw.get("lastMoveAt")),
        clock_initial=clock.get("initial"),
        clock_increment=clock.get("increment"),
        source=raw.get("source"),
        tournament_id=_event(raw, "arenaTour", "tournament"),
        swiss_id=_event(raw, "swissTour", "swiss"),
        line=line,
        white_clocks=tuple(_whole(left) / 100 for left in clocks[::2]) if clocks is not None else None,
    )


def read_played(line: str, player: str) -> PlayedGame:
    """One line of the export of this player (an id), as far as a check needs it."""
    raw = _sound(json.loads(line))
    sides = [colour for colour in ("white", "black") if _player(raw, colour) == player]
    if len(sides) != 1:
        raise ValueError("not a game of this player")
    return PlayedGame(
        id=raw["id"],
        created_at=_created(raw),
        variant=raw["variant"],
        perf=raw["perf"],
        rated=raw["rated"],
        status=raw["status"],
        lost=raw.get("winner") not in (None, sides[0]),
        moved_rating=raw["players"][sides[0]].get("ratingDiff") is not None,
    )


def read_news(line: str) -> GameNews:
    """One line of the stream of games: with a number for the status, and players without a `user` (an export has its
    name, and one). Raises ValueError, KeyError or TypeError when it is not one."""
    raw = json.loads(line)
    status = raw["statusName"]
    if not (is_game_id(raw["id"]) and isinstance(status, str)):
        raise ValueError("not a game as Lichess's stream describes one")
    sides = (raw["players"][colour].get("userId") for colour in ("white", "black"))
    return GameNews(raw["id"], frozenset(id for id in sides if isinstance(id, str)), status in _RUNNING)


def _sound(raw: dict[str, Any]) -> dict[str, Any]:
    sound = (
        is_game_id(raw["id"])
        and isinstance(raw["rated"], bool)
        and isinstance(raw["status"], str)
        and raw.get("winner") in ("white", "black", None)
    )
    if not sound:
        raise ValueError("not a game as Lichess describes one")
    return raw


def _created(raw: dict[str, Any]) -> datetime:
    return moment(raw["createdAt"])


def _player(raw: dict[str, Any], colour: str) -> str | None:
    return raw["players"][colour].get("user", {}).get("id")


def _event(raw: dict[str, Any], current: str, former: str) -> str | None:
    """The id of the tournament a game is from: an object today, a bare id in older answers."""
    return raw[current]["id"] if current in raw else raw.get(former)


# --- Ids and times ---------------------------------------------------------------------------------------------


def is_game_id(text: str) -> bool:
    return _GAME_ID.fullmatch(text) is not None


def lichess_id(name: str) -> str | None:
    """The id of a name: lower case. None for a text that cannot be a name (and would be another URL)."""
    lowered = name.strip().lower()
    return lowered if _NAME.fullmatch(lowered) else None


def lichess_ids(names: Sequence[str]) -> list[str]:
    """The ids of the names that can be one, each once."""
    ids = map(lichess_id, names)
    return list(dict.fromkeys(found for found in ids if found))


def to_millis(moment: datetime) -> int:
    """Milliseconds since 1970, rounded up, so that `since` and an exclusive `until` keep their meaning."""
    return -((_EPOCH - moment) // MILLISECOND)


def moment(millis: int) -> datetime:
    return _EPOCH + millis * MILLISECOND


def from_millis(millis: int | None) -> datetime | None:
    return None if millis is None else moment(millis)


def read_challenge(raw: Any) -> str:
    """The address of an open challenge. KeyError, TypeError or ValueError for anything else."""
    url = raw["url"]
    if not isinstance(url, str) or not url.startswith("http"):
        raise ValueError("no address of a challenge")
    return url

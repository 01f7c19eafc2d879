"""What the offline Lichess sends, in Lichess's own shapes: accounts, games, rating histories, teams."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from acwc_bot.sandbox.lichess_world import LichessWorld, WorldAccount, WorldGame

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
#: The parts of a rating history, in Lichess's order and by its names.
_HISTORY = {
    "ultraBullet": "UltraBullet", "bullet": "Bullet", "blitz": "Blitz", "rapid": "Rapid", "classical": "Classical",
    "correspondence": "Correspondence", "crazyhouse": "Crazyhouse", "chess960": "Chess960",
    "kingOfTheHill": "King of the Hill", "threeCheck": "Three-Check", "antichess": "Antichess", "atomic": "Atomic",
    "horde": "Horde", "racingKings": "Racing Kings", "puzzle": "Puzzles",
}  # fmt: skip

#: Lichess's numbers for the states of a game.
_STATUSES = {
    "created": 10, "started": 20, "aborted": 25, "mate": 30, "resign": 31, "stalemate": 32, "timeout": 33, "draw": 34,
    "outoftime": 35, "cheat": 36, "noStart": 37, "unknownFinish": 38, "insufficientMaterialClaim": 39,
    "variantEnd": 60,
}  # fmt: skip

#: An open account shows these, played or not, and any other part only once it was played.
_SPEEDS = ("bullet", "blitz", "rapid", "classical", "correspondence")
_NEVER_PLAYED = {"games": 0, "rating": 1500, "rd": 500, "prog": 0, "prov": True}


def user_payload(account: WorldAccount, now: datetime, *, alone: bool = False) -> dict[str, Any]:
    """A public profile; `alone` adds what only `/api/user/{name}` has. A closed account shows hardly anything."""
    payload: dict[str, Any] = {"id": account.id, "username": account.name}
    if account.closed:
        return payload | {"disabled": True}
    played = {perf: (games, account.ratings.get(perf, 1500)) for perf, games in account.games.items() if games}
    payload["perfs"] = {perf: _NEVER_PLAYED for perf in _SPEEDS if perf not in played} | {
        perf: {"games": games, "rating": rating, "rd": 45, "prog": 0} for perf, (games, rating) in played.items()
    }
    if account.title:
        payload["title"] = account.title
    if account.tos_violation:
        payload["tosViolation"] = True
    payload["createdAt"] = millis(account.created_at)
    if account.bio:
        payload["profile"] = {"bio": account.bio}
    payload |= {"seenAt": millis(now), "playTime": {"total": 0, "tv": 0}}
    if alone:
        rated = sum(account.games.values())
        payload |= {"url": f"https://lichess.org/@/{account.name}", "count": {"all": rated, "rated": rated}}
    return payload


def game_payload(game: WorldGame, world: LichessWorld, *, moves: bool, clocks: bool = False) -> dict[str, Any]:
    """One game as an export shows it: times in milliseconds, no `winner` in a draw."""
    speed = _speed(game.clock)
    perf = perf_of(game)
    payload: dict[str, Any] = {
        "id": game.id,
        "rated": game.rated,
        "variant": game.variant,
        "speed": speed,
        "perf": perf,
        "createdAt": millis(game.created_at),
        "lastMoveAt": millis(game.last_move_at),
        "status": game.status,
        "source": game.source,
        "players": {"white": _player(game, "white", perf, world), "black": _player(game, "black", perf, world)},
    }
    if game.winner:
        payload["winner"] = game.winner
    if moves:
        payload["moves"] = game.moves
    if clocks and game.clocks is not None:
        payload["clocks"] = list(game.clocks)
    if game.tournament:
        payload["arenaTour"] = {"id": game.tournament, "name": game.tournament}
    if game.swiss:
        payload["swissTour"] = {"id": game.swiss}
    if game.clock:
        initial, increment = game.clock
        payload["clock"] = {"initial": initial, "increment": increment, "totalTime": initial + 40 * increment}
    return payload


def stream_payload(game: WorldGame, world: LichessWorld) -> dict[str, Any]:
    """One game as the stream shows it: a number for the status and its name, and players with a bare id."""
    perf = perf_of(game)
    sides = {"white": world.account(game.white or ""), "black": world.account(game.black or "")}
    payload: dict[str, Any] = {
        "id": game.id,
        "rated": game.rated,
        "variant": game.variant,
        "speed": _speed(game.clock),
        "perf": perf,
        "createdAt": millis(game.created_at),
        "status": _STATUSES.get(game.status, _STATUSES["unknownFinish"]),
        "statusName": game.status,
        "players": {
            colour: {"userId": account.id, "rating": account.ratings.get(perf, 1500)} if account else {}
            for colour, account in sides.items()
        },
    }
    if game.winner:
        payload["winner"] = game.winner
    if game.clock:
        payload["clock"] = {"initial": game.clock[0], "increment": game.clock[1]}
    return payload


def _player(game: WorldGame, colour: str, perf: str, world: LichessWorld) -> dict[str, Any]:
    own, other = (game.white, game.black) if colour == "white" else (game.black, game.white)
    account = world.account(own) if own else None
    if account is None:
        return {}
    user = {"name": account.name, "id": account.id} | ({"title": account.title} if account.title else {})
    player = {"user": user, "rating": account.ratings.get(perf, 1500)}
    opponent = world.account(other) if other else None
    if _moves_ratings(game) and not (opponent and opponent.tos_violation):
        player["ratingDiff"] = 0 if game.winner is None else 5 if game.winner == colour else -5
    return player


def _moves_ratings(game: WorldGame) -> bool:
    """Also by 0. A game against a marked player stays a rated one and moves none."""
    return game.rated and not game.running and game.status not in ("aborted", "noStart")


def _speed(clock: tuple[int, int] | None) -> str:
    """Lichess's name for a time control, by the estimated seconds of a game of 40 moves."""
    if clock is None:
        return "correspondence"
    estimate = clock[0] + 40 * clock[1]
    limits = {"ultraBullet": 29, "bullet": 179, "blitz": 479, "rapid": 1499}
    return next((speed for speed, limit in limits.items() if estimate <= limit), "classical")


def perf_of(game: WorldGame) -> str:
    """What Lichess counts a game under."""
    return _speed(game.clock) if game.variant == "standard" else game.variant


def history_payload(histories: Mapping[str, Sequence[tuple[date, int]]]) -> list[dict[str, Any]]:
    """Every part is there, played or not; months count from 0."""
    return [
        {"name": name, "points": [[day.year, day.month - 1, day.day, rating] for day, rating in histories.get(key, ())]}
        for key, name in _HISTORY.items()
    ]


def team_payload(team: str) -> dict[str, Any]:
    """One team of a list, without what nobody reads."""
    name = team.replace("-", " ").title()
    return {"id": team, "name": name, "description": "", "open": True, "nbMembers": 1, "leaders": []}


def millis(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def dump(payload: Any) -> str:
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)

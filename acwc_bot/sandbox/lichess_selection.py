"""Which games an export of the offline Lichess has: the filters of `/api/games/user/{name}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from acwc_bot.sandbox.lichess_payloads import millis, perf_of
from acwc_bot.sandbox.lichess_world import LichessWorld, WorldGame

#: An export that Lichess answers from its search index ends here, without a word (lichess-org/api issue 637).
MOST_INDEXED = 10_000
_INDEXED = {"rated", "perfType", "color"}
#: Lichess counts a game as finished from `mate` on; an aborted one is not (its query by status number).
_UNFINISHED = ("created", "started", "aborted")


def select(world: LichessWorld, user: str, query: Mapping[str, str]) -> Iterable[WorldGame]:
    """`since` is inclusive, `until` exclusive. Games are looked at only as far as they are asked for.

    The search index knows no running games, and goes by the time of the last move.
    """
    since, until = int(query.get("since", 0)), int(query.get("until", 2**62))
    indexed = bool(_INDEXED & query.keys())
    if indexed:
        games = sorted(world.games_of(user), key=lambda game: (game.last_move_at, game.id), reverse=True)
        games = (game for game in games if since <= millis(game.last_move_at) < until)
    else:
        games = world.games_of(user, since, until)
    found: Iterable[WorldGame] = _filtered(games, user, query, running=not indexed)
    if query.get("sort") == "dateAsc":
        found = reversed(list(found))
    most = max(1, int(query["max"])) if "max" in query else None
    return islice(found, min(most or MOST_INDEXED, MOST_INDEXED) if indexed else most)


def _filtered(games: Iterable[WorldGame], user: str, query: Mapping[str, str], *, running: bool) -> Iterator[WorldGame]:
    finished = flag(query, "finished", default=True)
    ongoing = running and (flag(query, "ongoing", default=False) or not finished)
    perfs = query["perfType"].split(",") if "perfType" in query else None
    rated = flag(query, "rated", default=True) if "rated" in query else None
    opponent = query["vs"].lower() if "vs" in query else None
    for game in games:
        if (
            (opponent is None or opponent in {game.white, game.black} - {user})
            and (game.status not in _UNFINISHED or ongoing)
            and (finished or game.running)
            and rated in (None, game.rated)
            and (perfs is None or perf_of(game) in perfs)
            and ("color" not in query or (game.white if query["color"] == "white" else game.black) == user)
        ):
            yield game


def flag(query: Mapping[str, str], key: str, *, default: bool) -> bool:
    """Only `true` and `1` are yes: `True` is not."""
    return query[key] in ("true", "1") if key in query else default

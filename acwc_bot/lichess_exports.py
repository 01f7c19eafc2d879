"""The games of one player, read in pieces: what to ask for, what of the answer is new, where the next piece goes on.

Nothing is filtered on Lichess's side. With `rated`, `perfType` or `color` it answers from its search index, which goes
by the time of the *last* move instead of `createdAt`, ends silently at 10,000 games (lichess-org/api issue 637) and has
given games twice and left others out (issue 366). Without them it reads its database, in the order of `createdAt`, at
20 games a second without a token: a piece takes about 15 seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acwc_bot.lichess_payloads import MILLISECOND, moment
from engine.errors import LichessUnavailable
from engine.ports import GamesPiece, OldestGames, PlayedGame

GAMES_AT_ONCE = 300
OLDEST_AT_ONCE = 10
"""More than one, since the second tells whether the first began alone; few, since Lichess sends 20 a second."""


@dataclass(frozen=True, slots=True)
class Slice:
    """What is still to be read: since <= createdAt < until (milliseconds), without these ids."""

    since: int
    until: int
    leave_out: frozenset[str]

    @property
    def most(self) -> int:
        """How many lines are asked for: those to be left out are sent once more, and still 300 new ones fit."""
        return GAMES_AT_ONCE + len(self.leave_out)

    def params(self) -> dict[str, int | bool | str | None]:
        """The query of `/api/games/user/{name}`: lines as short as they can be, finished games only, newest first."""
        return self._params(self.most, "dateDesc")

    def oldest_params(self) -> dict[str, int | bool | str | None]:
        """The same query from the other end."""
        return self._params(OLDEST_AT_ONCE, "dateAsc")

    def _params(self, most: int, sort: str) -> dict[str, int | bool | str | None]:
        return {
            "since": self.since,
            "until": self.until,
            "max": most,
            "sort": sort,
            "ongoing": "false",
            "finished": "true",
            "moves": "false",
            "clocks": "false",
            "evals": "false",
            "opening": "false",
        }


def cut(sent: Iterable[PlayedGame], part: Slice, *, rated_only: bool, perf: str | None) -> GamesPiece:
    """The piece that an answer comes to. Raises LichessUnavailable when it is full and has nothing new."""
    lines, new = 0, dict[str, PlayedGame]()
    start, end = moment(part.since), moment(part.until)
    for game in sent:
        lines += 1
        if start <= game.created_at < end and game.id not in part.leave_out:
            new[game.id] = game
    wanted = (game for game in new.values() if (game.rated or not rated_only) and perf in (None, game.perf))
    games = tuple(sorted(wanted, key=lambda game: (game.created_at, game.id), reverse=True))
    if not new and lines < part.most:
        return GamesPiece(games=(), next_until=None)
    if not new:
        raise LichessUnavailable("lichess_incomplete")
    oldest = min(game.created_at for game in new.values())
    known = {game.id for game in new.values() if game.created_at == oldest}
    if end - oldest <= MILLISECOND:  # the whole piece was one millisecond, and it is still not over
        known |= part.leave_out
    full = lines >= part.most
    return GamesPiece(games=games, next_until=oldest + MILLISECOND, leave_out=tuple(sorted(known)), full=full)


def oldest_of(sent: Iterable[PlayedGame], part: Slice) -> OldestGames:
    """What an answer to `oldest_params` comes to."""
    start, end = moment(part.since), moment(part.until)
    begun = {game.id: game.created_at for game in sent if start <= game.created_at < end}
    if not begun:
        return OldestGames(at=None)
    at = min(begun.values())
    ids = tuple(sorted(id for id, created_at in begun.items() if created_at == at))
    return OldestGames(at=at, ids=ids, whole=len(ids) < len(begun), full=len(begun) >= OLDEST_AT_ONCE)

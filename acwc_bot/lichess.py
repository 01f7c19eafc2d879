"""Reading Lichess: the adapter behind `engine.ports.LichessPort`.

How Lichess is asked is in `lichess_http`, what it sends in `lichess_payloads`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any, TypeVar

from acwc_bot.lichess_exports import GAMES_AT_ONCE, Slice, cut, oldest_of
from acwc_bot.lichess_http import TIMEOUTS, LichessHttp, is_not_found
from acwc_bot.lichess_payloads import (
    is_game_id,
    lichess_id,
    lichess_ids,
    read_accounts,
    read_challenge,
    read_game,
    read_history,
    read_played,
    read_presence,
    read_team_ids,
    read_the_account,
    to_millis,
)
from acwc_bot.lichess_queue import Priority
from engine.errors import LichessUnavailable, NotFound
from engine.ports import Account, Challenge, GamesPiece, LichessGame, OldestGames, Presence, RatingDay

T = TypeVar("T")

ACCOUNTS_AT_ONCE = 300
PRESENCE_AT_ONCE = 100
#: The smallest `since` that the API's specification allows (milliseconds).
EARLIEST = 1_356_998_400_070


class BerserkLichess:
    """`LichessPort` over HTTP, one request at a time (design 6).

    `base_url` such as `https://lichess.org`; `token` raises Lichess's limits and is not needed; `monotonic` and `sleep`
    in seconds; `patience`: how long a live request waits out a pause (s); `timeouts`: connect and read (s).
    """

    def __init__(
        self,
        *,
        base_url: str,
        token: str | None,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[Any]],
        logger: logging.Logger,
        patience: float = 10.0,
        timeouts: tuple[float, float] = TIMEOUTS,
    ) -> None:
        #: For whoever else asks Lichess something, in the same queue.
        self.http = LichessHttp(
            base_url=base_url,
            token=token,
            monotonic=monotonic,
            sleep=sleep,
            logger=logger,
            patience=patience,
            timeouts=timeouts,
        )

    async def account(self, name: str, *, patient: bool = False) -> Account | None:
        return await self._account(name, Priority.BULK if patient else Priority.LIVE)

    async def _account(self, name: str, priority: Priority) -> Account | None:
        id = lichess_id(name)
        if id is None:
            return None
        try:
            return await self.http.ask(lambda: read_the_account(self.http.get(f"/api/user/{id}"), id), priority)
        except LichessUnavailable as refusal:
            if is_not_found(refusal):
                return None
            raise

    async def accounts(self, ids: Sequence[str]) -> list[Account]:
        found: list[Account] = []
        for some in _pieces(lichess_ids(ids), ACCOUNTS_AT_ONCE):

            def work(some: Sequence[str] = some) -> list[Account]:
                return read_accounts(self.http.post("/api/users", ",".join(some)), some)

            found += await self.http.ask(work, Priority.BULK)
        return found

    async def presence(self, ids: Sequence[str]) -> list[Presence]:
        found: list[Presence] = []
        for some in _pieces(lichess_ids(ids), PRESENCE_AT_ONCE):

            def work(listed: str = ",".join(some)) -> list[Presence]:
                answer = self.http.get("/api/users/status", {"ids": listed})
                return [read_presence(raw) for raw in answer]

            found += await self.http.ask(work, Priority.LIVE)
        return found

    async def games(self, ids: Sequence[str]) -> list[LichessGame]:
        found: list[LichessGame] = []
        known_form = [game_id for game_id in dict.fromkeys(ids) if is_game_id(game_id)]
        for some in _pieces(known_form, GAMES_AT_ONCE):

            def work(body: str = ",".join(some)) -> list[LichessGame]:
                return _games(self.http.post_for_lines("/api/games/export/_ids?clocks=true", body))

            found += await self.http.ask(work, Priority.LIVE)
        return _oldest_first(found)

    async def open_challenge(self, challenge: Challenge) -> str:
        form = {
            "rated": "true" if challenge.rated else "false",
            "clock.limit": str(challenge.clock_initial),
            "clock.increment": str(challenge.clock_increment),
            "variant": challenge.variant,
            "name": challenge.name,
            "users": f"{challenge.white},{challenge.black}",
            "expiresAt": str(to_millis(challenge.until)),
        }
        # In nobody's name: the bot's own token may lack the scope, and none is needed.
        return await self.http.ask(
            lambda: read_challenge(self.http.as_user("POST", "/api/challenge/open", form=form)), Priority.LIVE
        )

    async def games_between(self, a: str, b: str, since: datetime, until: datetime) -> list[LichessGame]:
        # Lichess exports no games *of* a closed account, but those of its opponent against it.
        try:
            found = await self._export(a, b, since, until)
        except LichessUnavailable as refusal:
            if not is_not_found(refusal):
                raise
            found = await self._export(b, a, since, until)
        return _oldest_first(game for game in found if since <= game.created_at < until)

    def read_line(self, line: str) -> LichessGame:
        return read_game(line)

    async def player_games(
        self,
        id: str,
        *,
        since: datetime,
        until: datetime,
        leave_out: Collection[str] = (),
        rated_only: bool = False,
        perf: str | None = None,
    ) -> GamesPiece:
        part = _slice(since, until, leave_out)
        if part.since >= part.until:
            return GamesPiece(games=(), next_until=None)

        def work(player: str) -> GamesPiece:
            lines = self.http.get_lines(f"/api/games/user/{player}", part.params())
            return cut((read_played(line, player) for line in lines), part, rated_only=rated_only, perf=perf)

        return await self._of_account(id, work)

    async def oldest_games(self, id: str, *, since: datetime, until: datetime) -> OldestGames:
        part = _slice(since, until)
        if part.since >= part.until:
            return OldestGames(at=None)

        def work(player: str) -> OldestGames:
            lines = self.http.get_lines(f"/api/games/user/{player}", part.oldest_params())
            return oldest_of((read_played(line, player) for line in lines), part)

        return await self._of_account(id, work)

    async def rating_history(self, id: str) -> Mapping[str, tuple[RatingDay, ...]]:
        return await self._of_account(id, lambda name: read_history(self.http.get(f"/api/user/{name}/rating-history")))

    async def teams_of(self, id: str) -> tuple[str, ...]:
        return await self._of_account(id, lambda name: read_team_ids(self.http.get(f"/api/team/of/{name}")))

    async def _of_account(self, id: str, work: Callable[[str], T]) -> T:
        """What a check asks about one account. A 404 is an account that does not exist, or one that is closed."""
        asked = lichess_id(id)
        if asked is None:
            raise NotFound("no_account", name=id)
        try:
            return await self.http.ask(lambda: work(asked), Priority.BULK)
        except LichessUnavailable as refusal:
            if not is_not_found(refusal):
                raise
            account = await self._account(id, Priority.BULK)
            if account is None:
                raise NotFound("no_account", name=id) from refusal
            if account.closed:
                raise NotFound("account_closed", name=account.name) from refusal
            raise

    async def close(self) -> None:
        """Ends the thread and the session; later requests raise LichessUnavailable."""
        await self.http.close()

    async def _export(self, user: str, opponent: str, since: datetime, until: datetime) -> list[LichessGame]:
        """All games of `user` against `opponent` in pieces, newest piece first.

        The next piece ends one millisecond *behind* the oldest game so far, so games that share a millisecond with it
        come again rather than get lost; the id tells which are new.
        """
        user_id, opponent_id = lichess_id(user), lichess_id(opponent)
        if user_id is None or opponent_id is None:
            raise LichessUnavailable("lichess_refused", status=HTTPStatus.NOT_FOUND.value)
        start, end = max(to_millis(since), EARLIEST), to_millis(until)
        found: dict[str, LichessGame] = {}
        while start < end:
            piece = await self.http.ask(lambda end=end: self._piece(user_id, opponent_id, start, end), Priority.LIVE)
            known = len(found)
            found.update((game.id, game) for game in piece)
            if len(piece) < GAMES_AT_ONCE:
                break
            if len(found) == known:
                raise LichessUnavailable("lichess_incomplete")  # more games in one millisecond than fit into a piece
            end = to_millis(min(game.created_at for game in piece)) + 1
        return list(found.values())

    def _piece(self, user_id: str, opponent_id: str, since: int, until: int) -> list[LichessGame]:
        # No `rated` or `perfType`: with them Lichess answers from its search index, which has no running games.
        params: dict[str, int | bool | str | None] = {
            "vs": opponent_id,
            "since": since,
            "until": until,
            "max": GAMES_AT_ONCE,
            "ongoing": "true",
            "finished": "true",
            "sort": "dateDesc",
            "clocks": "true",  # of the armageddon game (Q39)
        }
        return _games(self.http.get_lines(f"/api/games/user/{user_id}", params))


def _slice(since: datetime, until: datetime, leave_out: Collection[str] = ()) -> Slice:
    return Slice(max(to_millis(since), EARLIEST), to_millis(until), frozenset(leave_out))


def _games(lines: Iterable[str]) -> list[LichessGame]:
    return [read_game(line) for line in lines]


def _oldest_first(games: Iterable[LichessGame]) -> list[LichessGame]:
    return sorted(games, key=lambda game: (game.created_at, game.id))


def _pieces(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))

"""Reading Lichess with berserk: the adapter behind `engine.ports.LichessPort`.

berserk's own client methods lose what the tournament needs: they have no timeout, drop the User-Agent, don't cut long
lists of ids, turn times into datetimes in place and throw the line away. So requests go through berserk's `Requestor`
with a session and a line format of ours.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3
from berserk.exceptions import ApiError, ResponseError
from berserk.formats import JSON, JSON_LIST, FormatHandler
from berserk.session import Requestor

from acwc_bot.lichess_queue import SHORTEST_PAUSE, NoAnswer, Priority, RateLimited, RequestQueue
from engine.errors import LichessUnavailable
from engine.ports import Account, LichessGame, Presence

T = TypeVar("T")

ACCOUNTS_AT_ONCE = 300
PRESENCE_AT_ONCE = 100
GAMES_AT_ONCE = 300
#: Seconds to connect, and between two pieces of an answer.
TIMEOUTS = (5.0, 20.0)
#: Seconds and bytes for the whole body of an answer, a piece of 300 games included.
LONGEST_ANSWER = 60.0
LARGEST_ANSWER = 64 * 1024 * 1024
#: The smallest `since` that the API's specification allows (milliseconds).
EARLIEST = 1_356_998_400_070

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_NAME = re.compile(r"[a-z0-9_-]{1,30}")
_GAME_ID = re.compile(r"[A-Za-z0-9]{8,12}")


def user_agent() -> str:
    """How the bot introduces itself to Lichess."""
    try:
        release = version("acwc-bot")
    except PackageNotFoundError:  # run from a checkout that was not installed
        release = "dev"
    return f"acwc-bot/{release} (Antichess World Cup, Discord bot)"


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
        self._session = _Session(base_url, token, timeouts, monotonic)
        self._http = Requestor(self._session, base_url, default_fmt=JSON)
        self._queue = RequestQueue(monotonic=monotonic, sleep=sleep, logger=logger, patience=patience)

    async def account(self, name: str) -> Account | None:
        lichess_id = _lichess_id(name)
        if lichess_id is None:
            return None

        def work() -> Account:
            return read_account(self._http.get(f"/api/user/{lichess_id}"))

        try:
            return await self._ask(work, Priority.LIVE)
        except LichessUnavailable as refusal:
            if _is_not_found(refusal):
                return None
            raise

    async def accounts(self, ids: Sequence[str]) -> list[Account]:
        found: list[Account] = []
        for some in _pieces(_lichess_ids(ids), ACCOUNTS_AT_ONCE):

            def work(body: str = ",".join(some)) -> list[Account]:
                return [read_account(raw) for raw in self._http.post("/api/users", data=body, fmt=JSON_LIST)]

            found += await self._ask(work, Priority.BULK)
        return found

    async def presence(self, ids: Sequence[str]) -> list[Presence]:
        found: list[Presence] = []
        for some in _pieces(_lichess_ids(ids), PRESENCE_AT_ONCE):

            def work(listed: str = ",".join(some)) -> list[Presence]:
                answer = self._http.get("/api/users/status", params={"ids": listed}, fmt=JSON_LIST)
                return [read_presence(raw) for raw in answer]

            found += await self._ask(work, Priority.LIVE)
        return found

    async def games(self, ids: Sequence[str]) -> list[LichessGame]:
        found: list[LichessGame] = []
        known_form = [game_id for game_id in dict.fromkeys(ids) if _GAME_ID.fullmatch(game_id)]
        for some in _pieces(known_form, GAMES_AT_ONCE):

            def work(body: str = ",".join(some)) -> list[LichessGame]:
                return _games(self._http.post("/api/games/export/_ids", data=body, stream=True, fmt=LINES))

            found += await self._ask(work, Priority.LIVE)
        return _oldest_first(found)

    async def games_between(self, a: str, b: str, since: datetime, until: datetime) -> list[LichessGame]:
        # Lichess exports no games *of* a closed account, but those of its opponent against it.
        try:
            found = await self._export(a, b, since, until)
        except LichessUnavailable as refusal:
            if not _is_not_found(refusal):
                raise
            found = await self._export(b, a, since, until)
        return _oldest_first(game for game in found if since <= game.created_at < until)

    async def close(self) -> None:
        """Ends the thread and the session; later requests raise LichessUnavailable."""
        await self._queue.close(self._session.close)

    async def _export(self, user: str, opponent: str, since: datetime, until: datetime) -> list[LichessGame]:
        """All games of `user` against `opponent` in pieces, newest piece first.

        The next piece ends one millisecond *behind* the oldest game so far, so games that share a millisecond with it
        come again rather than get lost; the id tells which are new.
        """
        user_id, opponent_id = _lichess_id(user), _lichess_id(opponent)
        if user_id is None or opponent_id is None:
            raise LichessUnavailable("lichess_refused", status=HTTPStatus.NOT_FOUND.value)
        start, end = max(_to_millis(since), EARLIEST), _to_millis(until)
        found: dict[str, LichessGame] = {}
        while start < end:
            piece = await self._ask(lambda end=end: self._piece(user_id, opponent_id, start, end), Priority.LIVE)
            known = len(found)
            found.update((game.id, game) for game in piece)
            if len(piece) < GAMES_AT_ONCE:
                break
            if len(found) == known:
                raise LichessUnavailable("lichess_incomplete")  # more games in one millisecond than fit into a piece
            end = _to_millis(min(game.created_at for game in piece)) + 1
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
        }
        return _games(self._http.get(f"/api/games/user/{user_id}", params=params, stream=True, fmt=LINES))

    async def _ask(self, work: Callable[[], T], priority: Priority) -> T:
        def guarded() -> T:
            with _expected_failures():
                return work()

        return await self._queue.run(guarded, priority)


# --- HTTP ------------------------------------------------------------------------------------------------------


class _Session(requests.Session):
    """A session with our User-Agent, a timeout on every request, and a limit on how long its answer may take.

    A read timeout alone starts anew with every byte that drips in.
    """

    def __init__(
        self, base_url: str, token: str | None, timeouts: tuple[float, float], monotonic: Callable[[], float]
    ) -> None:
        super().__init__()
        self._timeouts = timeouts
        self._monotonic = monotonic
        self.headers["User-Agent"] = user_agent()
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        if _is_loopback(base_url):
            self.trust_env = False  # a proxy of the environment does not reach the sandbox's own server

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        kwargs.setdefault("timeout", self._timeouts)
        kwargs["stream"] = True
        response = super().request(method, url, *args, **kwargs)
        with closing(response):
            # requests has no way to bound a whole answer, so its body is read here and handed to it.
            response._content = self._body_or_nothing(response)
        return response

    def _body_or_nothing(self, response: requests.Response) -> bytes:
        """The body; of a refusal nothing if it breaks off, because its status says enough."""
        try:
            return self._body(response)
        except (requests.RequestException, LichessUnavailable):
            if response.status_code < HTTPStatus.BAD_REQUEST:
                raise
            return b""

    def _body(self, response: requests.Response) -> bytes:
        ends = self._monotonic() + LONGEST_ANSWER
        body = bytearray()
        try:
            while part := response.raw.read1(65_536, decode_content=True):
                body += part
                if self._monotonic() > ends or len(body) > LARGEST_ANSWER:
                    raise LichessUnavailable("lichess_incomplete")
        except urllib3.exceptions.ReadTimeoutError as error:
            raise requests.exceptions.ConnectionError(error) from error
        except urllib3.exceptions.HTTPError as error:
            raise requests.exceptions.ChunkedEncodingError(error) from error
        return bytes(body)


class _Lines(FormatHandler[str]):
    """NDJSON whose lines stay as they were sent."""

    def parse_stream(self, response: requests.Response) -> Iterator[str]:
        for line in response.content.split(b"\n"):
            if line.strip():  # empty lines keep a connection alive
                yield line.rstrip(b"\r").decode("utf-8")


LINES = _Lines("application/x-ndjson")


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _expected_failures() -> Iterator[None]:
    """Turns whatever requests, berserk or a strange payload raise into the three kinds that the queue knows."""
    try:
        yield
    except ResponseError as error:
        raise _refusal(error.response) from error
    except ApiError as error:  # before the answer began, or in the body of an answer that is read at once
        cut = (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError)
        if isinstance(error.error, cut):
            raise LichessUnavailable("lichess_incomplete") from error
        raise NoAnswer(type(error.error).__name__) from error
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:  # in the middle of a stream
        raise LichessUnavailable("lichess_incomplete") from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
    ) as error:  # half a line, or not the shape it should have
        raise LichessUnavailable("lichess_incomplete") from error


def _refusal(response: requests.Response) -> Exception:
    status = response.status_code
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        asked = response.headers.get("Retry-After", "")
        return RateLimited(float(asked) if asked.isdecimal() else SHORTEST_PAUSE)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return NoAnswer(f"HTTP {status}")
    return LichessUnavailable("lichess_refused", status=status)


def _is_not_found(refusal: LichessUnavailable) -> bool:
    return refusal.params.get("status") == HTTPStatus.NOT_FOUND


# --- Payloads --------------------------------------------------------------------------------------------------


def read_account(raw: dict[str, Any]) -> Account:
    """An account from `/api/user/{name}` or `/api/users`. A closed one has hardly more than its name."""
    perfs = {key: perf for key, perf in raw.get("perfs", {}).items() if "rating" in perf}  # storm and racer have none
    return Account(
        id=raw["id"],
        name=raw["username"],
        created_at=_from_millis(raw.get("createdAt")),
        closed=raw.get("disabled", False),
        tos_violation=raw.get("tosViolation", False),
        title=raw.get("title"),
        bio=raw.get("profile", {}).get("bio", ""),
        ratings={key: perf["rating"] for key, perf in perfs.items()},
        games={key: perf["games"] for key, perf in perfs.items()},
    )


def read_presence(raw: dict[str, Any]) -> Presence:
    """One entry of `/api/users/status`; Lichess leaves out what is false."""
    return Presence(id=raw["id"], name=raw["name"], online=raw.get("online", False), playing=raw.get("playing", False))


def read_game(line: str) -> LichessGame:
    """One line of an export. Raises ValueError, KeyError or TypeError when it is not one."""
    raw = json.loads(line)
    clock = raw.get("clock", {})
    sound = (
        _GAME_ID.fullmatch(raw["id"]) is not None
        and isinstance(raw["rated"], bool)
        and isinstance(raw["status"], str)
        and raw.get("winner") in ("white", "black", None)
    )
    if not sound:
        raise ValueError("not a game as Lichess describes one")
    return LichessGame(
        id=raw["id"],
        white=_player(raw, "white"),
        black=_player(raw, "black"),
        variant=raw["variant"],
        rated=raw["rated"],
        status=raw["status"],
        winner=raw.get("winner"),
        created_at=_EPOCH + raw["createdAt"] * _MILLISECOND,
        last_move_at=_from_millis(raw.get("lastMoveAt")),
        clock_initial=clock.get("initial"),
        clock_increment=clock.get("increment"),
        source=raw.get("source"),
        tournament_id=_event(raw, "arenaTour", "tournament"),
        swiss_id=_event(raw, "swissTour", "swiss"),
        line=line,
    )


def _player(raw: dict[str, Any], colour: str) -> str | None:
    return raw["players"][colour].get("user", {}).get("id")


def _event(raw: dict[str, Any], current: str, former: str) -> str | None:
    """The id of the tournament a game is from: an object today, a bare id in older answers."""
    return raw[current]["id"] if current in raw else raw.get(former)


def _games(lines: Iterable[str]) -> list[LichessGame]:
    received = list(lines)  # a piece; read to its end first, so that a strange line leaves no connection open
    return [read_game(line) for line in received]


def _oldest_first(games: Iterable[LichessGame]) -> list[LichessGame]:
    return sorted(games, key=lambda game: (game.created_at, game.id))


# --- Ids and times ---------------------------------------------------------------------------------------------


def _lichess_id(name: str) -> str | None:
    """The id of a name: lower case. None for a text that cannot be a name (and would be another URL)."""
    lowered = name.strip().lower()
    return lowered if _NAME.fullmatch(lowered) else None


def _lichess_ids(names: Sequence[str]) -> list[str]:
    ids = (_lichess_id(name) for name in names)
    return list(dict.fromkeys(lichess_id for lichess_id in ids if lichess_id))


def _pieces(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))


def _to_millis(moment: datetime) -> int:
    """Milliseconds since 1970, rounded up, so that `since` and an exclusive `until` keep their meaning."""
    return -((_EPOCH - moment) // _MILLISECOND)


def _from_millis(millis: int | None) -> datetime | None:
    return None if millis is None else _EPOCH + millis * _MILLISECOND

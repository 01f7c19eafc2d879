"""The offline Lichess over real HTTP on the loopback: the endpoints that the bot reads, in Lichess's own shapes.

It is stricter than Lichess in two ways, so that a mistake shows: too many ids are refused (Lichess silently drops the
rest), and an export without `Accept: application/x-ndjson` is refused (Lichess answers PGN).
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from acwc_bot.sandbox.lichess_world import Asked, Fault, LichessWorld, WorldAccount, WorldGame

MOST_USERS = 300
MOST_STATUSES = 100
MOST_GAMES = 300
NDJSON = "application/x-ndjson"

#: How often a held request looks whether it may go on (seconds).
_LOOK_AGAIN = 0.002
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
#: Lichess counts a game as finished from `mate` on; an aborted one is not (its query by status number).
_UNFINISHED = ("created", "started", "aborted")
#: Under this key a request carries the fault chosen for it.
_FAULT = web.RequestKey("fault", Fault)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LichessServer:
    """Serves a `LichessWorld`. `start` gives the base URL; port 0 takes a free one."""

    def __init__(self, world: LichessWorld, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._world = world
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Such as `http://127.0.0.1:40123`; known once started."""
        return f"http://{self._host}:{self._port}"

    async def start(self) -> str:
        self._runner = runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, self._host, self._port).start()
        self._port = runner.addresses[0][1]
        return self.url

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._log_and_fail])
        app.add_routes(
            [
                web.get("/api/user/{name}", self._user),
                web.post("/api/users", self._users),
                web.get("/api/users/status", self._statuses),
                web.get("/api/games/user/{name}", self._games_of_user),
                web.post("/api/games/export/_ids", self._games_by_id),
                web.get("/game/export/{id}", self._one_game),
            ]
        )
        return app

    @web.middleware
    async def _log_and_fail(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        asked = Asked(request.method, request.path, dict(request.query), dict(request.headers), await request.text())
        with self._world.serving(asked) as fault:
            if fault is not None:
                request[_FAULT] = fault
            refusal = self._refusal(request, fault)
            if refusal is not None:
                return refusal
            await self._linger(fault)
            try:
                return await handler(request)
            except web.HTTPNotFound:
                return _error(404, "Not found.")

    def _refusal(self, request: web.Request, fault: Fault | None) -> web.Response | None:
        if fault is Fault.UNAUTHORISED:
            return _error(401, "No such token")
        if fault is Fault.TOO_MANY:
            answer = _error(429, "Please only run 1 request(s) at a time")
            if self._world.retry_after is not None:
                answer.headers["Retry-After"] = self._world.retry_after
            return answer
        if fault is Fault.BAD_GATEWAY:
            return web.Response(status=502, text="<html>502 Bad Gateway</html>", content_type="text/html")
        if fault is Fault.DOWN:
            _hang_up(request)
            return _error(503, "never sent")
        return None

    async def _linger(self, fault: Fault | None) -> None:
        if fault is Fault.SLOW:
            await asyncio.sleep(self._world.slow_for)
        while fault is Fault.HELD and self._world.holding:
            await asyncio.sleep(_LOOK_AGAIN)

    # --- Endpoints ---------------------------------------------------------------------------------------------

    async def _user(self, request: web.Request) -> web.StreamResponse:
        account = self._world.account(request.match_info["name"])
        if account is None:
            return _error(404, "Not found.")
        return await _send(request, [_dump(user_payload(account, self._world.now(), alone=True))], "application/json")

    async def _users(self, request: web.Request) -> web.StreamResponse:
        names = (await request.text()).replace("\n", "").split(",")
        if len(names) > MOST_USERS:
            return _error(400, f"Too many ids: {len(names)}, at most {MOST_USERS}")
        now = self._world.now()
        found = [user_payload(account, now) for name in names if (account := self._world.account(name))]
        return await _send(request, [_dump(found)], "application/json")

    async def _statuses(self, request: web.Request) -> web.StreamResponse:
        names = [name for name in request.query.get("ids", "").split(",") if name]
        if not names:
            return _error(400, "No user ids provided")
        if len(names) > MOST_STATUSES:
            return _error(400, f"Too many ids: {len(names)}, at most {MOST_STATUSES}")
        with_game = _flag(request.query, "withGameIds", default=False)
        accounts = [account for name in names if (account := self._world.account(name))]
        found = [self._status(account, with_game) for account in accounts]
        return await _send(request, [_dump(found)], "application/json")

    def _status(self, account: WorldAccount, with_game: bool) -> dict[str, Any]:
        game = self._world.current_game(account.id)
        status: dict[str, Any] = {"name": account.name}
        if account.title:
            status["title"] = account.title
        status["id"] = account.id
        if account.online or game:
            status["online"] = True
        if account.playing or game:
            status["playing"] = True
        if with_game and game:
            status["playingId"] = game.id
        return status

    async def _games_of_user(self, request: web.Request) -> web.StreamResponse:
        user = self._world.account(request.match_info["name"])
        if user is None or user.closed:
            return _error(404, "Not found.")
        vs = request.query.get("vs")
        if vs is not None and self._world.account(vs) is None:
            return _error(404, f"No such opponent: {vs}")
        if not _accepts_lines(request):
            return _error(406, f"Only {NDJSON} is spoken here")
        games = [game for game in self._world.games() if user.id in (game.white, game.black)]
        return await self._send_games(request, _select(games, user.id, request.query))

    async def _games_by_id(self, request: web.Request) -> web.StreamResponse:
        ids = (await request.text()).split(",")
        if len(ids) > MOST_GAMES:
            return _error(400, f"Too many ids: {len(ids)}, at most {MOST_GAMES}")
        if not _accepts_lines(request):
            return _error(406, f"Only {NDJSON} is spoken here")
        wanted = set(ids)
        return await self._send_games(request, [game for game in self._world.games() if game.id in wanted])

    async def _one_game(self, request: web.Request) -> web.StreamResponse:
        game = self._world.game(request.match_info["id"][:8])
        if game is None:
            return _error(404, "Not found.")
        return await _send(request, [self._line(game, moves=True)], "application/json")

    async def _send_games(self, request: web.Request, games: Sequence[WorldGame]) -> web.StreamResponse:
        moves = _flag(request.query, "moves", default=True)
        return await _send(request, [self._line(game, moves=moves) + "\n" for game in games], NDJSON)

    def _line(self, game: WorldGame, *, moves: bool) -> str:
        return game.line if game.line is not None else _dump(game_payload(game, self._world, moves=moves))


class ThreadedLichessServer:
    """A `LichessServer` in a thread of its own with its own loop, for a bot whose loop must not own a server."""

    def __init__(self, world: LichessWorld, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._server = LichessServer(world, host=host, port=port)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return self._server.url

    def start(self) -> str:
        """Returns the base URL once the port is open; an OSError when it is taken."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="offline-lichess", daemon=True)
        self._thread.start()
        try:
            return asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self._loop is None or self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._wind_down(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = self._thread = None

    async def _wind_down(self) -> None:
        """Stops the server and ends the answers that nobody waits for any more."""
        await self._server.stop()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def __enter__(self) -> ThreadedLichessServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


# --- Payloads --------------------------------------------------------------------------------------------------


def user_payload(account: WorldAccount, now: datetime, *, alone: bool = False) -> dict[str, Any]:
    """A public profile; `alone` adds what only `/api/user/{name}` has. A closed account shows hardly anything."""
    payload: dict[str, Any] = {"id": account.id, "username": account.name}
    if account.closed:
        return payload | {"disabled": True}
    payload["perfs"] = {
        perf: {"games": account.games.get(perf, 0), "rating": rating, "rd": 45, "prog": 0}
        for perf, rating in account.ratings.items()
    }
    if account.title:
        payload["title"] = account.title
    if account.tos_violation:
        payload["tosViolation"] = True
    payload["createdAt"] = _millis(account.created_at)
    if account.bio:
        payload["profile"] = {"bio": account.bio}
    payload |= {"seenAt": _millis(now), "playTime": {"total": 0, "tv": 0}}
    if alone:
        rated = sum(account.games.values())
        payload |= {"url": f"https://lichess.org/@/{account.name}", "count": {"all": rated, "rated": rated}}
    return payload


def game_payload(game: WorldGame, world: LichessWorld, *, moves: bool) -> dict[str, Any]:
    """One game as an export shows it: times in milliseconds, no `winner` in a draw."""
    speed = _speed(game.clock)
    perf = speed if game.variant == "standard" else game.variant
    payload: dict[str, Any] = {
        "id": game.id,
        "rated": game.rated,
        "variant": game.variant,
        "speed": speed,
        "perf": perf,
        "createdAt": _millis(game.created_at),
        "lastMoveAt": _millis(game.last_move_at),
        "status": game.status,
        "source": game.source,
        "players": {"white": _player(game.white, perf, world), "black": _player(game.black, perf, world)},
    }
    if game.winner:
        payload["winner"] = game.winner
    if moves:
        payload["moves"] = game.moves
    if game.tournament:
        payload["arenaTour"] = {"id": game.tournament, "name": game.tournament}
    if game.swiss:
        payload["swissTour"] = {"id": game.swiss}
    if game.clock:
        initial, increment = game.clock
        payload["clock"] = {"initial": initial, "increment": increment, "totalTime": initial + 40 * increment}
    return payload


def _player(lichess_id: str | None, perf: str, world: LichessWorld) -> dict[str, Any]:
    account = world.account(lichess_id) if lichess_id else None
    if account is None:
        return {}
    user = {"name": account.name, "id": account.id} | ({"title": account.title} if account.title else {})
    return {"user": user, "rating": account.ratings.get(perf, 1500)}


def _speed(clock: tuple[int, int] | None) -> str:
    """Lichess's name for a time control, by the estimated seconds of a game of 40 moves."""
    if clock is None:
        return "correspondence"
    estimate = clock[0] + 40 * clock[1]
    limits = {"ultraBullet": 29, "bullet": 179, "blitz": 479, "rapid": 1499}
    return next((speed for speed, limit in limits.items() if estimate <= limit), "classical")


def _select(games: Sequence[WorldGame], user: str, query: Mapping[str, str]) -> Sequence[WorldGame]:
    """The filters of `/api/games/user/{name}`; `since` is inclusive, `until` exclusive."""
    since, until = int(query.get("since", 0)), int(query.get("until", 2**62))
    finished = _flag(query, "finished", default=True)
    ongoing = _flag(query, "ongoing", default=False) or not finished
    indexed = bool({"rated", "perfType", "color"} & query.keys())  # Lichess's search index has no running games

    def wanted(game: WorldGame) -> bool:
        return (
            since <= _millis(game.created_at) < until
            and ("vs" not in query or query["vs"].lower() in {game.white, game.black} - {user})
            and (game.status not in _UNFINISHED or (ongoing and not indexed))
            and (finished or game.running)
            and ("rated" not in query or game.rated is _flag(query, "rated", default=True))
            and ("perfType" not in query or _perf(game) in query["perfType"].split(","))
            and ("color" not in query or (game.white if query["color"] == "white" else game.black) == user)
        )

    found = [game for game in games if wanted(game)]
    if query.get("sort") == "dateAsc":
        found.reverse()
    return found[: max(1, int(query["max"]))] if "max" in query else found


def _perf(game: WorldGame) -> str:
    return _speed(game.clock) if game.variant == "standard" else game.variant


def _flag(query: Mapping[str, str], key: str, *, default: bool) -> bool:
    """Only `true` and `1` are yes: `True` is not."""
    return query[key] in ("true", "1") if key in query else default


def _millis(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def _dump(payload: Any) -> str:
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)


# --- Answers ---------------------------------------------------------------------------------------------------


def _accepts_lines(request: web.Request) -> bool:
    return NDJSON in request.headers.get("Accept", "")


def _error(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def _send(request: web.Request, parts: Sequence[str], content_type: str) -> web.StreamResponse:
    """Streams the parts; CUT and TRUNCATED stop in the middle of the last one."""
    fault = request.get(_FAULT)
    response = web.StreamResponse(headers={"Content-Type": content_type})
    broken = fault in (Fault.CUT, Fault.TRUNCATED)
    with suppress(ConnectionError):  # the reader may be gone
        await response.prepare(request)
        for part in parts[:-1] if broken else parts:
            await response.write(part.encode())
        if broken:
            last = parts[-1].encode() if parts else b"{"
            await response.write(last[: max(1, len(last) // 2)])
        if fault is Fault.CUT:
            _hang_up(request)
        else:
            await response.write_eof()
    return response

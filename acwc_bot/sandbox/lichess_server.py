"""The offline Lichess over real HTTP on the loopback: the endpoints that the bot reads, in Lichess's own shapes.

It is stricter than Lichess in two ways, so that a mistake shows: too many ids are refused (Lichess silently drops the
rest), and an export without `Accept: application/x-ndjson` is refused (Lichess answers PGN).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from aiohttp import web

from acwc_bot.sandbox.lichess_challenges import ChallengePages
from acwc_bot.sandbox.lichess_oauth import OAuthPages
from acwc_bot.sandbox.lichess_payloads import dump, game_payload, history_payload, team_payload, user_payload
from acwc_bot.sandbox.lichess_selection import flag, select
from acwc_bot.sandbox.lichess_streams import StreamPages
from acwc_bot.sandbox.lichess_world import Asked, Fault, LichessWorld, WorldAccount, WorldGame

MOST_USERS = 300
MOST_STATUSES = 100
MOST_GAMES = 300
NDJSON = "application/x-ndjson"

#: How often a held request looks whether it may go on (seconds).
_LOOK_AGAIN = 0.002
#: Under this key a request carries the fault chosen for it.
_FAULT = web.RequestKey("fault", Fault)

T = TypeVar("T")
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
                web.get("/api/user/{name}/rating-history", self._rating_history),
                web.get("/api/team/of/{name}", self._teams),
                web.post("/api/users", self._users),
                web.get("/api/users/status", self._statuses),
                web.get("/api/games/user/{name}", self._games_of_user),
                web.post("/api/games/export/_ids", self._games_by_id),
                web.get("/game/export/{id}", self._one_game),
                *OAuthPages(self._world, _send_json).routes(),
                *ChallengePages(self._world, _send_json).routes(),
                *StreamPages(self._world, lambda request: request.get(_FAULT)).routes(),
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
        if fault is Fault.NOT_FOUND:
            return _error(404, "Not found.")
        if fault is Fault.TOO_MANY:
            answer = _error(429, "Please only run 1 request(s) at a time")
            if self._world.retry_after is not None:
                answer.headers["Retry-After"] = self._world.retry_after
            return answer
        if fault is Fault.BAD_GATEWAY:
            return web.Response(status=502, text="<html>502 Bad Gateway</html>", content_type="text/html")
        if fault is Fault.HTML:
            return web.Response(text="<html>Lichess is being updated</html>", content_type="text/html")
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
        return await _send_json(request, user_payload(account, self._world.now(), alone=True))

    async def _rating_history(self, request: web.Request) -> web.StreamResponse:
        account = self._world.account(request.match_info["name"])
        if account is None or account.closed:
            return _error(404, "Not found.")
        return await _send_json(request, history_payload(self._world.histories(account.id)))

    async def _teams(self, request: web.Request) -> web.StreamResponse:
        account = self._world.account(request.match_info["name"])
        if account is None:
            return _error(404, "Not found.")
        return await _send_json(request, _some(request, [team_payload(team) for team in self._world.teams(account.id)]))

    async def _users(self, request: web.Request) -> web.StreamResponse:
        names = (await request.text()).replace("\n", "").split(",")
        if len(names) > MOST_USERS:
            return _error(400, f"Too many ids: {len(names)}, at most {MOST_USERS}")
        now = self._world.now()
        found = [user_payload(account, now) for name in names if (account := self._world.account(name))]
        return await _send_json(request, _some(request, found))

    async def _statuses(self, request: web.Request) -> web.StreamResponse:
        names = [name for name in request.query.get("ids", "").split(",") if name]
        if not names:
            return _error(400, "No user ids provided")
        if len(names) > MOST_STATUSES:
            return _error(400, f"Too many ids: {len(names)}, at most {MOST_STATUSES}")
        with_game = flag(request.query, "withGameIds", default=False)
        accounts = [account for name in names if (account := self._world.account(name))]
        found = [self._status(account, with_game) for account in accounts]
        return await _send_json(request, found)

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
        return await self._send_games(request, select(self._world, user.id, request.query))

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

    async def _send_games(self, request: web.Request, games: Iterable[WorldGame]) -> web.StreamResponse:
        moves = flag(request.query, "moves", default=True)
        clocks = flag(request.query, "clocks", default=False)
        lines = [
            self._line(game, moves=moves, clocks=clocks) + "\n" for game in islice(games, self._world.longest_export)
        ]
        return await _send(request, _some(request, lines), NDJSON)

    def _line(self, game: WorldGame, *, moves: bool, clocks: bool = False) -> str:
        if game.line is not None:
            return game.line
        return dump(game_payload(game, self._world, moves=moves, clocks=clocks))


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


# --- Answers ---------------------------------------------------------------------------------------------------


def _accepts_lines(request: web.Request) -> bool:
    return NDJSON in request.headers.get("Accept", "")


def _some(request: web.Request, items: list[T]) -> list[T]:
    """What SHORT and NOTHING leave of an answer."""
    left = {Fault.SHORT: len(items) // 2, Fault.NOTHING: 0}
    fault = request.get(_FAULT)
    return items if fault is None else items[: left.get(fault, len(items))]


def _error(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def _send_json(request: web.Request, payload: Any) -> web.StreamResponse:
    return await _send(request, [dump(payload)], "application/json")


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

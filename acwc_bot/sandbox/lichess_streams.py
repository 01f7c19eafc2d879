"""The stream of the offline Lichess: `POST /api/stream/games-by-users`, open until somebody hangs up.

A line when a game among the players listed begins, and one when it ends, as the world's clock is moved; with
`withCurrentGames` first a line for each that is being played. Between them an empty line now and then.

Faults: CUT drops the connection in the middle of the first line, TRUNCATED ends the answer there, NOTHING opens it and
keeps silent for ever, without an empty line either; those before an answer begins are everybody's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from aiohttp import web

from acwc_bot.sandbox.lichess_payloads import dump, stream_payload
from acwc_bot.sandbox.lichess_selection import flag
from acwc_bot.sandbox.lichess_world import Fault, LichessWorld, WorldGame

MOST_USERS = 300
NDJSON = "application/x-ndjson"

#: How often an open stream looks at the world (seconds).
_LOOK_AGAIN = 0.005


class StreamPages:
    def __init__(self, world: LichessWorld, fault_of: Callable[[web.Request], Fault | None]) -> None:
        self._world = world
        self._fault_of = fault_of

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/stream/games-by-users", self._games_by_users)]

    async def _games_by_users(self, request: web.Request) -> web.StreamResponse:
        players = {name.strip().lower() for name in (await request.text()).split(",") if name.strip()}
        if len(players) > MOST_USERS:
            error = f"Too many ids: {len(players)}, expected up to {MOST_USERS}"
            return web.json_response({"error": error}, status=400)
        if NDJSON not in request.headers.get("Accept", ""):
            return web.json_response({"error": f"Only {NDJSON} is spoken here"}, status=406)
        stream = _Stream(self._world, players, self._fault_of(request))
        response = web.StreamResponse(headers={"Content-Type": NDJSON})
        with suppress(ConnectionError):  # the reader may be gone
            await response.prepare(request)
            if len(players) > 1:  # of one player alone there is nothing to tell
                current = flag(request.query, "withCurrentGames", default=False)
                await stream.send(request, response, current=current)
            await response.write_eof()
        return response


class _Stream:
    def __init__(self, world: LichessWorld, players: set[str], fault: Fault | None) -> None:
        self._world = world
        self._players = players
        self._fault = fault
        # Before the answer begins: who sees it begin may rely on hearing of everything from then on.
        self._first = self._games()
        self._running = {game.id: game.running for game in self._first}
        self._opened = world.streams_ended

    async def send(self, request: web.Request, response: web.StreamResponse, *, current: bool) -> None:
        """Until the world ends its streams, a fault does, or nobody reads any more."""
        loop = asyncio.get_running_loop()
        lines = [self._line(game) for game in self._first if current and game.running]
        spoken = loop.time()
        while request.transport is not None and not request.transport.is_closing():
            if self._world.streams_ended != self._opened:
                request.transport.abort()
                return
            if lines and self._fault in (Fault.CUT, Fault.TRUNCATED):
                await response.write(lines[0][: len(lines[0]) // 2])
                if self._fault is Fault.CUT:
                    request.transport.abort()
                return
            if not lines and self._fault is not Fault.NOTHING and loop.time() - spoken >= self._world.keep_alive:
                lines = [b"\n"]
            if lines and self._fault is not Fault.NOTHING:
                await response.write(b"".join(lines))
                spoken = loop.time()
            await asyncio.sleep(_LOOK_AGAIN)
            lines = [self._line(game) for game in self._news()]

    def _news(self) -> Iterable[WorldGame]:
        """What has begun or ended since the last look, each once. A game may have done both."""
        for game in sorted(self._games(), key=lambda game: game.last_move_at):
            known = self._running.get(game.id)
            self._running[game.id] = game.running
            if known is None:
                yield self._begun(game)
            if known is not False and not game.running:
                yield game

    def _begun(self, game: WorldGame) -> WorldGame:
        return game.at(game.created_at) if not game.running else game

    def _games(self) -> list[WorldGame]:
        return [game for game in self._world.games() if {game.white, game.black} <= self._players]

    def _line(self, game: WorldGame) -> bytes:
        return ((game.line or dump(stream_payload(game, self._world))) + "\n").encode()

"""Open challenges of the offline Lichess: `POST /api/challenge/open`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from acwc_bot.sandbox.lichess_world import LichessWorld

SendJson = Callable[[web.Request, Any], Awaitable[web.StreamResponse]]

_VARIANTS = {"standard", "antichess", "atomic", "crazyhouse", "chess960", "horde", "kingOfTheHill", "racingKings"}


@dataclass(frozen=True, slots=True)
class OpenChallenge:
    """As it was asked for; `users` in lower case, White first."""

    id: str
    users: tuple[str, ...]
    rated: bool
    variant: str
    clock: tuple[int, int]
    name: str


class ChallengePages:
    def __init__(self, world: LichessWorld, send: SendJson) -> None:
        self._world = world
        self._send = send

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/challenge/open", self._open)]

    async def _open(self, request: web.Request) -> web.StreamResponse:
        form = {key: str(value) for key, value in (await request.post()).items()}
        users = tuple(name.strip().lower() for name in form.get("users", "").split(",") if name.strip())
        known = all(self._world.account(name) is not None for name in users)
        clock = (form.get("clock.limit", ""), form.get("clock.increment", ""))
        if len(users) not in (0, 2) or not known or form.get("variant") not in _VARIANTS:
            return web.json_response({"error": "Invalid challenge"}, status=400)
        if not all(part.isdecimal() for part in clock) or form.get("rated") not in ("true", "false"):
            return web.json_response({"error": "Invalid challenge"}, status=400)
        made = OpenChallenge(
            id=f"open{len(self._world.challenges):04}",
            users=users,
            rated=form["rated"] == "true",
            variant=form["variant"],
            clock=(int(clock[0]), int(clock[1])),
            name=form.get("name", ""),
        )
        self._world.challenges.append(made)
        url = f"https://lichess.org/{made.id}"
        return await self._send(
            request,
            {
                "id": made.id,
                "url": url,
                "status": "created",
                "challenger": None,
                "destUser": None,
                "variant": {"key": made.variant},
                "rated": made.rated,
                "timeControl": {"type": "clock", "limit": made.clock[0], "increment": made.clock[1]},
                "color": "random",
                "open": {"userIds": list(made.users)},
                "urlWhite": f"{url}?color=white",
                "urlBlack": f"{url}?color=black",
            },
        )

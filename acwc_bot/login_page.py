"""The one page that the bot serves when PUBLIC_URL is set: where Lichess sends a player back after the login (R2.6)."""

from __future__ import annotations

import asyncio
import html
import logging

from aiohttp import web

from cogs.render.entries import logged_in
from cogs.render.errors import error_message
from engine.errors import AcwcError, BadInput
from engine.ports import LichessLogin
from engine.usecases import UseCases

log = logging.getLogger(__name__)

PATH = "/login"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Antichess World Cup</title>
<style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}}</style>
<h1>{title}</h1><p>{text}</p></html>
"""


class LoginPage:
    """`redirect_uri`: the public address of the page, as Lichess was told."""

    def __init__(self, app: UseCases, login: LichessLogin, redirect_uri: str) -> None:
        self._app = app
        self._login = login
        self._redirect_uri = redirect_uri
        self._checking: set[asyncio.Task[object]] = set()

    def application(self) -> web.Application:
        application = web.Application(client_max_size=4096)
        application.router.add_get(PATH, self._came_back)
        application.on_cleanup.append(self._stop)
        return application

    async def _came_back(self, request: web.Request) -> web.Response:
        """The state is used up first, so that nothing that comes with it can be tried twice."""
        try:
            login = await self._app.registration.take_login(request.query.get("state", ""))
            if "code" not in request.query:
                raise BadInput("login_declined")
            lichess_id = await self._login.who(request.query["code"], login.verifier, self._redirect_uri)
            view = await self._app.registration.logged_in(login, lichess_id)
        except AcwcError as refusal:
            log.info("a login was refused: %s", refusal.code)
            return _page("That did not work", error_message(refusal).text, status=400)
        except Exception:
            log.exception("a login failed")
            return _page("Something went wrong", "Nothing was changed. Try again in Discord.", status=500)
        task = asyncio.ensure_future(self._check(view.entry.id))
        self._checking.add(task)
        task.add_done_callback(self._checking.discard)
        return _page("Done", logged_in(view).text, status=200)

    async def _check(self, registration_id: int) -> None:
        """At once; what goes wrong is taken up by the runtime."""
        try:
            await self._app.checks.run(registration_id)
        except Exception:
            log.exception("the check of entry %d failed", registration_id)

    async def _stop(self, application: web.Application) -> None:
        """Each step of a check is stored, so it can be cut anywhere."""
        for task in self._checking:
            task.cancel()
        await asyncio.gather(*self._checking, return_exceptions=True)


def _page(title: str, text: str, *, status: int) -> web.Response:
    shown = html.escape(text.replace("*", "").replace("`", "").replace("\\", ""))
    body = _PAGE.format(title=html.escape(title), text=shown)
    return web.Response(text=body, status=status, content_type="text/html", headers=_HEADERS)


async def serve(page: LoginPage, host: str, port: int) -> web.AppRunner:
    """Listens until `cleanup` of what is returned. OSError when the port is taken."""
    runner = web.AppRunner(page.application(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner

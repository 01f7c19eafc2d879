"""The one page that the bot serves when PUBLIC_URL is set: where Lichess sends a player back after the login (R2.6)."""

from __future__ import annotations

import asyncio
import html
import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from cogs.render.entries import logged_in, login_confirm_label, login_question
from cogs.render.errors import error_message
from engine.errors import AcwcError, BadInput
from engine.ports import LichessLogin
from engine.usecases import UseCases
from engine.usecases.logins import Question

log = logging.getLogger(__name__)

PATH = "/login"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Antichess World Cup</title>
<style>
body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}}
button{{font:inherit;padding:.6rem 1.2rem}}
</style>
<h1>{title}</h1><p>{text}</p>{form}</html>
"""
_FORM = (
    '<form method="post"><input type="hidden" name="confirm" value="{token}"><button type="submit">{label}</button>'
    "</form>"
)


class LoginPage:
    """`redirect_uri`: the public address of the page, as Lichess was told."""

    def __init__(self, app: UseCases, login: LichessLogin, redirect_uri: str) -> None:
        self._app = app
        self._login = login
        self._redirect_uri = redirect_uri
        self._checking: set[asyncio.Task[object]] = set()

    def application(self) -> web.Application:
        application = web.Application(client_max_size=4096)
        # Not HEAD: whoever looks a link over must not use it up.
        application.router.add_get(PATH, self._came_back, allow_head=False)
        application.router.add_post(PATH, self._confirmed)
        application.on_cleanup.append(self._stop)
        return application

    async def _came_back(self, request: web.Request) -> web.Response:
        """From Lichess. The state is used up first, so that nothing that comes with it can be tried twice."""

        async def work() -> web.Response:
            login = await self._app.logins.take(request.query.get("state", ""))
            if "code" not in request.query:
                raise BadInput("login_declined")
            lichess_id = await self._login.who(request.query["code"], login.verifier, self._redirect_uri)
            question = await self._app.logins.came_back(login, lichess_id)
            return _page("Is this you?", login_question(question).text, question=question)

        return await _safely(work)

    async def _confirmed(self, request: web.Request) -> web.Response:
        """The yes of whoever has logged in."""

        async def work() -> web.Response:
            view = await self._app.logins.confirm(await _token_of(request))
            task = asyncio.ensure_future(self._check(view.entry.id))
            self._checking.add(task)
            task.add_done_callback(self._checking.discard)
            return _page("Done", logged_in(view).text)

        return await _safely(work)

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


async def _token_of(request: web.Request) -> str:
    """What the form sent; empty for what no form of ours sends."""
    try:
        return str((await request.post()).get("confirm", ""))
    except (ValueError, LookupError):  # no multipart, no such charset
        return ""


async def _safely(work: Callable[[], Awaitable[web.Response]]) -> web.Response:
    try:
        return await work()
    except AcwcError as refusal:
        log.info("a login was refused: %s", refusal.code)
        return _page("That did not work", error_message(refusal).text, status=400)
    except web.HTTPException:
        raise
    except Exception:
        log.exception("a login failed")
        return _page("Something went wrong", "Nothing was changed. Try again in Discord.", status=500)


def _page(title: str, text: str, *, status: int = 200, question: Question | None = None) -> web.Response:
    shown = html.escape(text.replace("*", "").replace("`", "").replace("\\", ""))
    form = ""
    if question is not None:
        form = _FORM.format(token=html.escape(question.token), label=html.escape(login_confirm_label(question)))
    body = _PAGE.format(title=html.escape(title), text=shown, form=form)
    return web.Response(text=body, status=status, content_type="text/html", headers=_HEADERS)


async def serve(page: LoginPage, host: str, port: int) -> web.AppRunner:
    """Listens until `cleanup` of what is returned. OSError when the port is taken."""
    runner = web.AppRunner(page.application(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner

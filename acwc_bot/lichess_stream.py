"""The one long answer of Lichess: `POST /api/stream/games-by-users`, a line whenever a game among some players begins
or ends (design section 6).

It is outside the request queue, on a thread of its own, and stays open for hours. berserk's own method for it cannot be
ended from outside, has no timeout, and asks for the current games with `True`, which is not what Lichess calls yes; so
its `Requestor` gets a session and a line format of ours, as in `lichess_http`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import requests
from berserk.formats import FormatHandler
from berserk.session import Requestor

from acwc_bot.lichess_http import LichessHttp, LichessSession, expected_failures
from acwc_bot.lichess_payloads import read_news
from acwc_bot.lichess_queue import NoAnswer
from engine.listening import GameNews

log = logging.getLogger(__name__)

PATH = "/api/stream/games-by-users"
TIMEOUTS = (5.0, 100.0)
"""Seconds to connect, and of silence: Lichess sends an empty line every 70 seconds at least."""
LONGEST_LINE = 64 * 1024


class GamesStream:
    """One connection, opened and read at once on its own thread, on which the three functions are called:

    `opened` when Lichess has agreed, `heard` for each line, and `ended` once, with RateLimited, LichessUnavailable
    (`lichess_refused`: it will not; `lichess_incomplete`: it broke off, or a line was no game) or NoAnswer. After
    `close` none of them.
    """

    def __init__(
        self,
        http: LichessHttp,
        players: frozenset[str],
        *,
        opened: Callable[[], None],
        heard: Callable[[GameNews], None],
        ended: Callable[[Exception], None],
        timeouts: tuple[float, float] = TIMEOUTS,
    ) -> None:
        self._players = players
        self._opened, self._heard, self._ended = opened, heard, ended
        self._session = _Kept(http.base_url, http.token, timeouts)
        self._requestor = Requestor(self._session, http.base_url, default_fmt=_LIVE)
        self._closing = threading.Event()
        # A daemon: a Lichess that accepts and says nothing must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="lichess-stream", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends it; returns at once."""
        self._closing.set()
        response = self._session.response
        if response is not None:
            with suppress(RuntimeError, ValueError, OSError):  # it has ended by itself just now
                response.raw.shutdown()  # a read in progress on the other thread ends

    def wait(self, seconds: float) -> bool:
        """Blocks until the thread is gone, so long at most; whether it is. A thread that waits for a first answer of
        Lichess ends with that, or with its timeout."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        end: Exception = NoAnswer("the stream was ended")
        try:
            with expected_failures():
                self._read()
        except Exception as failure:
            end = failure
        finally:
            self._session.close()
        if not self._closing.is_set():
            self._ended(end)

    def _read(self) -> None:
        params = {"withCurrentGames": "true"}
        lines = self._requestor.post(PATH, params=params, data=",".join(sorted(self._players)), stream=True, fmt=_LIVE)
        try:
            if self._closing.is_set():
                return  # closed while Lichess had not answered yet
            self._opened()
            for line in lines:
                if self._closing.is_set():
                    return
                self._heard(read_news(line))
        finally:
            if self._session.response is not None:
                self._session.response.close()


class _Kept(LichessSession):
    """Keeps the response, so that another thread can end it. Of a refusal the status says enough."""

    response: requests.Response | None = None

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        response = super().request(method, url, *args, **kwargs)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            response._content = b""
        self.response = response
        return response


class _Live(FormatHandler[str]):
    """Lines as they come. Empty ones keep the connection alive."""

    def __init__(self) -> None:
        super().__init__("application/x-ndjson")
        self.headers: dict[str, str] = {"Accept": self.mime_type, "Accept-Encoding": "identity"}

    def parse_stream(self, response: requests.Response) -> Iterator[str]:
        if "json" not in response.headers.get("Content-Type", ""):
            raise ValueError("no NDJSON")
        return self._lines(response)

    def _lines(self, response: requests.Response) -> Iterator[str]:
        rest = b""
        while part := response.raw.read1(65_536):
            *lines, rest = (rest + part).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise ValueError("a line without end")
            for line in lines:
                if line.strip():
                    yield line.decode("utf-8")
        if rest.strip():
            raise ValueError("half a line")


_LIVE = _Live()

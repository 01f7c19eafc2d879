"""HTTP to Lichess through berserk's `Requestor`: one request at a time, and every failure as one of a few errors.

berserk's own client methods lose what the tournament needs: they have no timeout, drop the User-Agent, don't cut long
lists of ids, turn times into datetimes in place and throw the line away. So its `Requestor` gets a session and a line
format of ours.
"""

from __future__ import annotations

import io
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3
from berserk.exceptions import ApiError, ResponseError
from berserk.formats import JSON, FormatHandler
from berserk.session import Requestor

from acwc_bot.lichess_queue import SHORTEST_PAUSE, NoAnswer, Priority, RateLimited, RequestQueue
from engine.errors import LichessUnavailable

T = TypeVar("T")
Params = Mapping[str, "int | bool | str | None"]

#: Seconds to connect, and between two pieces of an answer.
TIMEOUTS = (5.0, 20.0)
#: Seconds and bytes for the whole body of an answer, a piece of 300 games included.
LONGEST_ANSWER = 60.0
LARGEST_ANSWER = 64 * 1024 * 1024


def user_agent() -> str:
    """How the bot introduces itself to Lichess."""
    try:
        release = version("acwc-bot")
    except PackageNotFoundError:  # run from a checkout that was not installed
        release = "dev"
    return f"acwc-bot/{release} (Antichess World Cup, Discord bot)"


class LichessHttp:
    """The one way to Lichess: whoever talks to it shares this queue. Paths begin with `/`.

    `get`, `post`, the two for lines and `as_user` are synchronous and belong into the `work` of `ask`.
    """

    def __init__(
        self,
        *,
        base_url: str,
        token: str | None,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[Any]],
        logger: logging.Logger,
        patience: float,
        timeouts: tuple[float, float],
    ) -> None:
        self.base_url = base_url
        self.token = token
        self.log = logger
        self._session = _WholeAnswers(base_url, token, timeouts, monotonic)
        self._requestor = Requestor(self._session, base_url, default_fmt=JSON)
        self._queue = RequestQueue(monotonic=monotonic, sleep=sleep, logger=logger, patience=patience)

    async def ask(self, work: Callable[[], T], priority: Priority) -> T:
        """What `work` returns, in its turn. Raises LichessUnavailable: `lichess_busy`, `lichess_down` (see the queue),
        `lichess_incomplete` for an answer that is cut or not of its shape, `lichess_refused` (status) for another 4xx.
        """

        def guarded() -> T:
            with expected_failures():
                return work()

        return await self._queue.run(guarded, priority)

    def get(self, path: str, params: Params | None = None) -> Any:
        return self._requestor.get(path, params=params)

    def post(self, path: str, body: str) -> Any:
        return self._requestor.post(path, data=body)

    def get_lines(self, path: str, params: Params) -> Iterator[str]:
        return self._requestor.get(path, params=params, stream=True, fmt=_LINES)

    def post_for_lines(self, path: str, body: str) -> Iterator[str]:
        return self._requestor.post(path, data=body, stream=True, fmt=_LINES)

    def as_user(
        self, method: str, path: str, *, token: str | None = None, form: Mapping[str, str] | None = None
    ) -> Any:
        """In the name of the user with this token, or of nobody: never with the bot's own. None: an empty answer."""
        return self._requestor.request(method, path, data=form, fmt=_AsUser(token))

    def pause(self, seconds: float) -> None:
        """No request for so long (a minute at least): somebody outside the queue was answered 429."""
        self._queue.pause(seconds)

    @property
    def pause_left(self) -> int:
        """Whole seconds until Lichess may be asked again."""
        return self._queue.pause_left()

    async def close(self) -> None:
        """Ends the thread and the session; later requests raise LichessUnavailable."""
        await self._queue.close(self._session.close)


def is_not_found(refusal: LichessUnavailable) -> bool:
    return refusal.params.get("status") == HTTPStatus.NOT_FOUND


class LichessSession(requests.Session):
    """A session with our User-Agent and a timeout (connect, read) on every request."""

    def __init__(self, base_url: str, token: str | None, timeouts: tuple[float, float]) -> None:
        super().__init__()
        self._timeouts = timeouts
        self.headers["User-Agent"] = user_agent()
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        if _is_loopback(base_url):
            self.trust_env = False  # a proxy of the environment does not reach the sandbox's own server

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        kwargs.setdefault("timeout", self._timeouts)
        kwargs["stream"] = True
        return super().request(method, url, *args, **kwargs)


class _WholeAnswers(LichessSession):
    """With a limit on how long an answer may take: a read timeout alone starts anew with every byte that drips in."""

    def __init__(
        self, base_url: str, token: str | None, timeouts: tuple[float, float], monotonic: Callable[[], float]
    ) -> None:
        super().__init__(base_url, token, timeouts)
        self._monotonic = monotonic

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
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
        if "json" not in response.headers.get("Content-Type", ""):
            raise ValueError("no NDJSON")  # an empty page would pass for zero games
        for line in io.BytesIO(response.content):
            if line.strip():  # empty lines keep a connection alive
                yield line.rstrip(b"\r\n").decode("utf-8")


class _AsUser(FormatHandler[Any]):
    """JSON, or nothing, with a token of its own."""

    def __init__(self, token: str | None) -> None:
        super().__init__("application/json")
        self.headers: dict[str, str | None] = {
            "Accept": self.mime_type,
            "Authorization": f"Bearer {token}" if token else None,  # None takes the session's own away
        }

    def parse(self, response: requests.Response) -> Any:
        return response.json() if response.content else None


_LINES = _Lines("application/x-ndjson")


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def expected_failures() -> Iterator[None]:
    """Turns whatever requests, berserk or a strange payload raise into three kinds: RateLimited, NoAnswer and
    LichessUnavailable."""
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

"""Rate limits as Discord's: buckets by route and channel or server, one for all requests, and hidden sub-limits.

Source: https://discord.com/developers/docs/topics/rate-limits. The numbers that Discord keeps to itself are rules
that a test chooses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.standin.clock import Clock

FREE_OF_GLOBAL = re.compile(r"/(interactions|webhooks)/.*")


@dataclass(frozen=True)
class Rate:
    """`count` requests within `seconds`; each set of captured groups of `path` has a bucket of its own.

    So a path with the channel's id as a group counts by channel, and one without groups for the server together.
    `hidden`: a sub-limit, which no header announces: it shows only by its 429.
    """

    method: str
    path: str
    count: int
    seconds: float
    hidden: bool = False


@dataclass
class _Window:
    ends: datetime
    used: int = 0


@dataclass(frozen=True)
class Verdict:
    """`retry_after` in seconds when the request is refused."""

    headers: dict[str, str]
    retry_after: float | None = None
    everywhere: bool = False


@dataclass
class Rates:
    clock: Clock
    rules: list[Rate] = field(default_factory=list)
    everywhere: Rate | None = None
    """For all requests together; Discord allows 50 a second."""
    _windows: dict[tuple[int, tuple[str, ...]], _Window] = field(default_factory=dict)

    def ask(self, method: str, path: str) -> Verdict:
        """Counts the request where it is allowed."""
        if self.everywhere is not None and not FREE_OF_GLOBAL.fullmatch(path):
            window = self._window(-1, (), self.everywhere)
            if window.used >= self.everywhere.count:
                return Verdict({"X-RateLimit-Global": "true"}, self._left(window), everywhere=True)
            window.used += 1
        return self._by_rules(method, path)

    def _by_rules(self, method: str, path: str) -> Verdict:
        headers: dict[str, str] = {}
        fitting: list[_Window] = []
        for number, rule in enumerate(self.rules):
            match = re.fullmatch(rule.path, path)
            if rule.method != method or match is None:
                continue
            window = self._window(number, match.groups(), rule)
            if window.used >= rule.count:
                announced = headers if rule.hidden else self._headers(number, rule, window)
                return Verdict({**announced, "X-RateLimit-Scope": "user"}, self._left(window))
            fitting.append(window)
            if not rule.hidden:
                headers = self._headers(number, rule, window, this=1)
        for window in fitting:
            window.used += 1
        return Verdict(headers)

    def _window(self, number: int, groups: tuple[str, ...], rule: Rate) -> _Window:
        now = self.clock.now()
        window = self._windows.get((number, groups))
        if window is None or window.ends <= now:
            window = self._windows[number, groups] = _Window(now + timedelta(seconds=rule.seconds))
        return window

    def _left(self, window: _Window) -> float:
        return (window.ends - self.clock.now()).total_seconds()

    def _headers(self, number: int, rule: Rate, window: _Window, *, this: int = 0) -> dict[str, str]:
        left = self._left(window)
        return {
            "X-RateLimit-Bucket": f"bucket{number}",
            "X-RateLimit-Limit": str(rule.count),
            "X-RateLimit-Remaining": str(max(rule.count - window.used - this, 0)),
            "X-RateLimit-Reset": f"{window.ends.timestamp():.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
        }

"""What the routes and the people share: the state, the clock, the gateway, and what follows from every change."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.standin.clock import Clock
from tests.standin.errors import ApiError
from tests.standin.gateway import Gateway
from tests.standin.payloads import new_message, stamp
from tests.standin.pings import mentions, pings
from tests.standin.state import ANSWER_WITHIN, EPHEMERAL, THREADS, Arrival, Interaction, Json, State

LOOK_AGAIN = 0.2
"""Seconds. A waiting person looks at the stand-in's clock that often, besides at every change."""


@dataclass(repr=False)
class Core:
    state: State
    clock: Clock
    gateway: Gateway
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    # --- Time and change ---------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Wakes whoever waits for something."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, condition: Callable[[], bool], what: str, *, longest: float = 60.0) -> None:
        """Waits for a change after which `condition` holds. AssertionError after `longest` real seconds."""
        try:
            async with asyncio.timeout(longest):
                while not condition():
                    # Not `wait_for`: in Python 3.11 it loses a cancellation that comes together with the change.
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_AGAIN):
                            await self._changed.wait()
                    self.look_at_clock()
        except TimeoutError:
            raise AssertionError(f"it never happened: {what}") from None

    def look_at_clock(self) -> None:
        """What time alone brings: interactions fail after 3 seconds, quiet threads are archived."""
        now = self.clock.now()
        for token, interaction in list(self.state.waiting.items()):
            if now > interaction.at + ANSWER_WITHIN:
                interaction.failed = True
                del self.state.waiting[token]
        for channel in self.state.channels.values():
            if channel["type"] in THREADS and not channel["thread_metadata"]["archived"]:
                quiet = timedelta(minutes=channel["thread_metadata"]["auto_archive_duration"])
                if now > self._last_activity(channel) + quiet:
                    self.archive(channel)

    def _last_activity(self, thread: Json) -> datetime:
        opened = datetime.fromisoformat(thread["thread_metadata"]["archive_timestamp"])
        last = self.state.messages[thread["id"]].get(thread["last_message_id"] or "")
        return max(opened, datetime.fromisoformat(last["timestamp"])) if last else opened

    # --- Changes that several routes make ----------------------------------------------------------------------

    def emit(self, event: str, data: Json) -> None:
        self.gateway.emit(event, data)

    def archive(self, thread: Json, archived: bool = True) -> None:
        metadata = thread["thread_metadata"]
        metadata["archived"] = archived
        metadata["archive_timestamp"] = stamp(self.clock)
        self.emit("THREAD_UPDATE", thread)

    def post(self, channel: Json, author: Json, body: Json, *, id: str | None = None, kind: int = 0) -> Json:
        """A message in a channel, for all to see. ApiError 50006 when there is nothing in it."""
        message = new_message(self.state, self.clock, channel, author, body, id=id)
        message["type"] = kind
        attach(self.state, message, body)
        if kind == 0 and not any(message[part] for part in ("content", "embeds", "components", "attachments")):
            raise ApiError(50006)
        self._notify(channel, message, body)
        if channel["type"] in THREADS:
            if channel["thread_metadata"]["archived"]:
                self.archive(channel, False)
            channel["message_count"] += 1
            channel["total_message_sent"] += 1
        self.state.messages[channel["id"]][message["id"]] = message
        channel["last_message_id"] = message["id"]
        self.emit("MESSAGE_CREATE", message)
        return message

    def _notify(self, channel: Json, message: Json, body: Json) -> None:
        message |= mentions(self.state, message["content"])
        if message["type"] == 0 and message["author"]["id"] == self.state.bot["id"]:
            pinged = pings(self.state, channel, message["content"], body.get("allowed_mentions"))
            where, which = int(channel["id"]), int(message["id"])
            arrival = Arrival(where, which, message["content"], message.get("nonce"), pinged, self.clock.now())
            self.state.arrivals.append(arrival)

    def rewrite(self, message: Json, body: Json) -> Json:
        """What an edit leaves out, stays. Nobody is pinged by an edit."""
        for part in ("content", "embeds", "components"):
            if part in body:
                message[part] = (body[part] or "").strip() if part == "content" else body[part] or []
        attach(self.state, message, body)
        if not any(message[part] for part in ("content", "embeds", "components", "attachments")):
            raise ApiError(50006)
        message["edited_timestamp"] = stamp(self.clock)
        message |= mentions(self.state, message["content"])
        if not message["flags"] & EPHEMERAL:
            arrival = self.state.arrival(message["id"])
            if arrival is not None:
                arrival.content = message["content"]
                arrival.edits.append(message["content"])
            self.emit("MESSAGE_UPDATE", message)
        return message

    def remove(self, message: Json) -> None:
        del self.state.messages[message["channel_id"]][message["id"]]
        arrival = self.state.arrival(message["id"])
        if arrival is not None:
            arrival.deleted = True
        gone = {key: message[key] for key in ("id", "channel_id", "guild_id") if key in message}
        self.emit("MESSAGE_DELETE", gone)

    def interaction(self, token: str, code: int) -> Interaction:
        """By token; ApiError `code` when there is none."""
        found = self.state.interactions.get(token)
        if found is None:
            raise ApiError(code)
        return found


def attach(state: State, message: Json, body: Json) -> None:
    """Uploaded files stand in `body["files"]` as (name, content)."""
    files: list[tuple[str, str, int, str]] = body.get("files") or []
    kept: Any = body.get("attachments")
    if kept is not None:
        ids = {str(one.get("id")) for one in kept}
        message["attachments"] = [one for one in message["attachments"] if one["id"] in ids]
    for id, name, size, url in files:
        message["attachments"].append({"id": id, "filename": name, "size": size, "url": url, "proxy_url": url})

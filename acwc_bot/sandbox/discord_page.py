"""simcord's Preview: one channel of the offline Discord as a web page, in which the visitor types and presses.

A Preview shows one channel and dies when a click meets another operation. So it is opened anew for each channel, and
its clicks wait behind the sandbox's lock. That takes some of simcord's private names, `_action` and `_pages` among
them; the release is pinned in requirements/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simcord.actors import MemberActor
from simcord.backend.access import can_access_channel
from simcord.backend.errors import SetupError
from simcord.preview import Preview

from acwc_bot.sandbox.app import PortTaken
from acwc_bot.sandbox.world import DISCORD_DOWN, Sandbox, SandboxError

#: A Preview serves at most 16 open pages; before that it is opened anew.
_MANY_PAGES = 12
#: What only looks or leafs needs no tick afterwards.
_LOOKING = frozenset(
    {"autocomplete_command", "viewer", "focus", "history", "refresh", "close", "browse_messages"}
    | {"browse_candidates", "configure_presentation"}
)


class DiscordPage:
    """At most one Preview at a time. `showing` is (channel id, the viewer's name); `refused` hears why a click came to
    nothing."""

    def __init__(self, sandbox: Sandbox, port: int, refused: Callable[[str], None]) -> None:
        self._sandbox = sandbox
        self._port = port
        self._refused = refused
        self._preview: Preview | None = None
        self.showing: tuple[int, str] | None = None

    async def open(self, channel_id: int, viewer: str, also: tuple[str, ...] = ()) -> str:
        """The address that shows a channel as somebody sees it; `also` come next in the page's own choice of viewers.

        The address holds a secret, and the one before it goes dead. SandboxError when the viewer may not read there,
        PortTaken when something else has taken the port.
        """
        async with self._sandbox.lock:
            viewers = self._viewers(channel_id, viewer, also)
            if self._preview is None or self.showing != (channel_id, viewer) or self._is_worn():
                await self._close()
                await self._start(channel_id, viewers)
                self.showing = (channel_id, viewer)
            assert self._preview is not None
            return self._preview.url

    def _viewers(self, channel_id: int, viewer: str, also: tuple[str, ...]) -> list[MemberActor]:
        """The first one is the one shown; every one of them must be able to read there."""
        sandbox = self._sandbox
        names = dict.fromkeys([viewer, *also, *sandbox.people])
        able = [n for n in names if can_access_channel(sandbox.env, channel_id, sandbox.people[n], history=True)]
        if viewer not in able:
            raise SandboxError(f"{viewer} cannot see #{sandbox.place(channel_id).name}.")
        return [sandbox.people[name] for name in able]

    def _is_worn(self) -> bool:
        preview = self._preview
        return preview is None or preview._closed or len(preview._pages) > _MANY_PAGES

    async def _start(self, channel_id: int, viewers: list[MemberActor]) -> None:
        preview = self._sandbox.env.preview(
            self._sandbox.place(channel_id),
            viewers=viewers,
            layout="channel",
            port=self._port or None,
            timezone="UTC",
            locale="en-GB",
        )
        self._queue_actions(preview)
        try:
            await preview.__aenter__()
        except SetupError as refusal:
            if "could not bind port" in str(refusal):
                raise PortTaken(self._port) from None
            raise
        self._preview = preview

    def _queue_actions(self, preview: Preview) -> None:
        inner = preview._action

        async def queued(context_id: str | None, body: Any) -> dict[str, Any]:
            async with self._sandbox.lock:
                page = preview._pages.get(context_id or "")
                acting = isinstance(body, dict) and body.get("kind") not in _LOOKING
                if page is not None and isinstance(body, dict):
                    if acting and self._sandbox.discord_down:
                        self._refused(DISCORD_DOWN)
                        return _no_answer(preview._reject(page, "busy", **_request(body)))
                    _bring_up_to_date(body, page.revision, self._sandbox.env._generation)
                result = await inner(context_id, body)
                if acting:
                    await self._sandbox.settle()
                return result

        preview._action = queued  # type: ignore[method-assign]

    async def refresh(self) -> None:
        """Shows what is new; with the lock held."""
        if self._preview is not None and not self._preview._closed:
            await self._preview.refresh()

    async def close(self) -> None:
        async with self._sandbox.lock:
            await self._close()

    async def _close(self) -> None:
        if self._preview is not None:
            preview, self._preview, self.showing = self._preview, None, None
            await preview.close()


def _bring_up_to_date(body: dict[str, Any], revision: int, generation: int) -> None:
    """What was published between the drawing and the click is no reason to refuse the click, nor is a bot that was
    restarted: on Discord an old button works too."""
    for key, value in (("published_revision", revision), ("bot_generation", generation)):
        if key in body:
            body[key] = value


def _request(body: dict[str, Any]) -> dict[str, Any]:
    return {"request_id": body.get("request_id"), "sequence": body.get("sequence")}


def _no_answer(refusal: dict[str, Any]) -> dict[str, Any]:
    for diagnostic in refusal.get("diagnostics", []):
        diagnostic |= {"message": "Discord is down in this sandbox.", "remediation": "Switch it on again on the page."}
    return refusal

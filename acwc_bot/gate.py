"""The few things the relay asks of Discord, and what each failure means for the row that asked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import aiohttp
import discord

from cogs.render.matches import TAGS
from cogs.render.message import Message, Thread, fitting
from cogs.views.build import sendable_view, view_of

HISTORY_LOOK_BACK = 2000
ARCHIVE_LOOK_BACK = 100
CLOCKS_APART = timedelta(hours=6)
"""Discord's moments come from its clock, ours from this machine's, which somebody may have set by the wrong zone."""
THREAD_ARCHIVE_MINUTES = 10_080
TAGS_PER_THREAD = 5
_ARCHIVED = 50083
_UNKNOWN_MESSAGE = 10008
_UNKNOWN_PLACES = (10003, 10004, 10013)  # channel, guild, user
_TOO_MANY_THREADS = 160006
_BANNED_FOR_A_WHILE = timedelta(minutes=1)


def digest(rendered: Message | Thread) -> str:
    """Knows a text again without keeping it; Discord trims what it stores."""
    text = fitting(rendered) if isinstance(rendered, Message) else rendered.name
    return hashlib.sha256(text.strip().encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Opened:
    """A thread of ours; `first_id` is its first message where the thread came with one (a forum)."""

    thread_id: int
    first_id: int | None


class Refused(Exception):
    """Discord will not do this however often we ask: `problem` says why in one word."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Unsure(Exception):
    """No clear answer: it may or may not have happened. Look before asking again."""


class Later(Exception):
    """Shut out for a while: nothing happened, and asking again makes sense `after` that time."""

    def __init__(self, after: timedelta) -> None:
        super().__init__(f"after {after}")
        self.after = after


class Gate(Protocol):
    """`place` is a channel, thread or user id; the sends return the new id."""

    async def send(self, channel_id: int, message: Message, nonce: str) -> int: ...
    async def edit(self, channel_id: int, message_id: int, message: Message) -> None: ...
    async def find_message(
        self, channel_id: int, tried: Collection[str], since: datetime, known: Collection[int]
    ) -> int | None: ...
    async def open_thread(self, channel_id: int, thread: Thread) -> Opened: ...
    async def find_thread(self, channel_id: int, name: str, since: datetime) -> Opened | None: ...
    async def retag(self, channel_id: int, thread_id: int, tag: str) -> None: ...
    async def dm_channel(self, discord_id: int) -> int: ...


class DiscordGate:
    """The gate on a logged-in discord.py client. REST only: it works before the gateway is ready."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def send(self, channel_id: int, message: Message, nonce: str) -> int:
        with _outcome():
            sent = await self._place(channel_id).send(
                fitting(message), view=sendable_view(message), allowed_mentions=message.allowed_mentions(), nonce=nonce
            )
            return sent.id

    async def edit(self, channel_id: int, message_id: int, message: Message) -> None:
        with _outcome():
            try:
                await self._edit(channel_id, message_id, message)
            except discord.HTTPException as error:
                if error.code != _ARCHIVED:
                    raise
                # Sending opens an archived thread by itself, editing does not.
                thread = await self._client.fetch_channel(channel_id)
                if isinstance(thread, discord.Thread):
                    await thread.edit(archived=False)
                await self._edit(channel_id, message_id, message)

    async def _edit(self, channel_id: int, message_id: int, message: Message) -> None:
        partial = self._place(channel_id).get_partial_message(message_id)
        none = discord.AllowedMentions.none()
        await partial.edit(content=fitting(message), view=view_of(message), allowed_mentions=none)

    async def find_message(
        self, channel_id: int, tried: Collection[str], since: datetime, known: Collection[int]
    ) -> int | None:
        """Our own message with one of these digests, sent since then and not one that another row already has."""
        assert self._client.user is not None
        after = _moment(since)
        with _outcome():
            self._must_read_history(channel_id)
            history = self._place(channel_id).history(limit=HISTORY_LOOK_BACK, after=after, oldest_first=False)
            async for found in history:
                ours = found.author.id == self._client.user.id and digest(Message(found.content)) in tried
                if ours and found.id not in known:
                    return found.id
        return None

    async def open_thread(self, channel_id: int, thread: Thread) -> Opened:
        with _outcome():
            home = await self._thread_home(channel_id)
            if isinstance(home, discord.TextChannel):
                made = await home.create_thread(
                    name=thread.name,
                    type=discord.ChannelType.public_thread,
                    auto_archive_duration=THREAD_ARCHIVE_MINUTES,
                )
                return Opened(made.id, None)
            opened = await home.create_thread(
                name=thread.name,
                auto_archive_duration=THREAD_ARCHIVE_MINUTES,
                content=fitting(thread.first),
                view=sendable_view(thread.first),
                allowed_mentions=thread.first.allowed_mentions(),
                applied_tags=_tags(home, thread.tag),
            )
            return Opened(opened.thread.id, opened.message.id)

    async def find_thread(self, channel_id: int, name: str, since: datetime) -> Opened | None:
        """Our own thread of that name, opened since then, archived or not."""
        assert self._client.user is not None
        with _outcome():
            home = await self._thread_home(channel_id)
            candidates = [t for t in await home.guild.active_threads() if t.parent_id == channel_id]
            candidates += [t async for t in home.archived_threads(limit=ARCHIVE_LOOK_BACK)]
            for thread in candidates:
                ours = thread.name == name and thread.owner_id == self._client.user.id
                if ours and thread.id >= _moment(since).id:
                    return Opened(
                        thread.id, await self._first_in(thread) if isinstance(home, discord.ForumChannel) else None
                    )
        return None

    async def _first_in(self, thread: discord.Thread) -> int | None:
        """Our own first message; None when somebody has deleted it and another one comes first."""
        async for message in thread.history(limit=1, oldest_first=True):
            return message.id if message.author == self._client.user else None
        return None

    async def retag(self, channel_id: int, thread_id: int, tag: str) -> None:
        """Shows the state of a match by the forum's tag of that name; the tags that others put there stay."""
        with _outcome():
            home = await self._thread_home(channel_id)
            if isinstance(home, discord.TextChannel):
                return
            # Asked for, because discord.py knows no thread's tags before the gateway has told it about the forum.
            applied = [int(id) for id in (await self._client.http.get_channel(thread_id)).get("applied_tags", [])]
            ours = {t.id for t in home.available_tags if t.name in TAGS.values()}
            wanted = [*(t.id for t in _tags(home, tag)), *(id for id in applied if id not in ours)][:TAGS_PER_THREAD]
            if set(wanted) != set(applied):
                await self._client.http.edit_channel(thread_id, archived=False, applied_tags=[str(id) for id in wanted])

    async def dm_channel(self, discord_id: int) -> int:
        with _outcome():
            user = self._client.get_user(discord_id) or await self._client.fetch_user(discord_id)
            return (await user.create_dm()).id

    def _must_read_history(self, channel_id: int) -> None:
        """Without the permission Discord shows an empty history, which would look as if nothing had arrived."""
        channel = self._client.get_channel(channel_id)
        place = channel.parent if isinstance(channel, discord.Thread) else channel
        is_known = isinstance(place, discord.TextChannel | discord.ForumChannel)
        if is_known and not place.permissions_for(place.guild.me).read_message_history:
            raise Refused("missing_permission")

    def _place(self, channel_id: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel_id)

    async def _thread_home(self, channel_id: int) -> discord.TextChannel | discord.ForumChannel:
        channel = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(channel, discord.TextChannel | discord.ForumChannel):
            raise Refused("wrong_channel_kind")
        return channel


def _moment(since: datetime) -> discord.Object:
    """An id that is older than whatever was made since then."""
    return discord.Object(discord.utils.time_snowflake(since - CLOCKS_APART))


def _tags(forum: discord.ForumChannel, name: str) -> list[discord.ForumTag]:
    """Empty when somebody has deleted the tag; `/td setup` makes it again."""
    return [tag for tag in forum.available_tags if tag.name == name]


class _outcome:
    """Translates discord.py's failures into Refused and Later (both certain) and Unsure."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, discord.Forbidden):
            raise Refused("missing_permission") from error
        if isinstance(error, discord.NotFound):
            if error.code == _UNKNOWN_MESSAGE:
                raise Refused("missing_message") from error
            if error.code in _UNKNOWN_PLACES:
                raise Refused("missing_channel") from error
            raise Unsure(str(error)) from error  # a 404 that does not say what is unknown: nothing has been deleted
        if isinstance(error, discord.HTTPException) and error.status == 429:
            # discord.py sits out Discord's own rate limits; this one comes from its front door.
            raise Later(_BANNED_FOR_A_WHILE) from error
        if isinstance(error, discord.HTTPException) and 400 <= error.status < 500:
            raise Refused("too_many_threads" if error.code == _TOO_MANY_THREADS else "refused") from error
        if isinstance(error, discord.HTTPException | aiohttp.ClientError | OSError | TimeoutError):
            raise Unsure(str(error)) from error

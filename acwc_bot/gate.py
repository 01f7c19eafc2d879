"""The few things the relay asks of Discord, and what each failure means for the row that asked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Protocol

import aiohttp
import discord

from cogs.render.message import Message, Thread, fitting
from cogs.views.build import sendable_view, view_of

HISTORY_LOOK_BACK = 100
THREAD_ARCHIVE_MINUTES = 10_080
_CLOSED_DM = 50007
_ARCHIVED = 50083


def digest(rendered: Message | Thread) -> str:
    """Knows a text again without keeping it; Discord trims what it stores."""
    text = fitting(rendered) if isinstance(rendered, Message) else rendered.name
    return hashlib.sha256(text.strip().encode()).hexdigest()[:16]


class Refused(Exception):
    """Discord will not do this however often we ask: `problem` says why in one word."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Unsure(Exception):
    """No clear answer: it may or may not have happened. Look before asking again."""


class Gate(Protocol):
    """`place` is a channel, thread or user id; the sends return the new id."""

    async def send(self, channel_id: int, message: Message, nonce: str) -> int: ...
    async def edit(self, channel_id: int, message_id: int, message: Message) -> None: ...
    async def find_message(
        self, channel_id: int, tried: Collection[str], since: datetime, known: Collection[int]
    ) -> int | None: ...
    async def open_thread(self, channel_id: int, name: str) -> int: ...
    async def find_thread(self, channel_id: int, name: str) -> int | None: ...
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
        after = discord.Object(discord.utils.time_snowflake(since - timedelta(minutes=1)))
        with _outcome():
            async for found in self._place(channel_id).history(limit=HISTORY_LOOK_BACK, after=after):
                ours = found.author.id == self._client.user.id and digest(Message(found.content)) in tried
                if ours and found.id not in known:
                    return found.id
        return None

    async def open_thread(self, channel_id: int, name: str) -> int:
        with _outcome():
            channel = await self._text_channel(channel_id)
            thread = await channel.create_thread(
                name=name, type=discord.ChannelType.public_thread, auto_archive_duration=THREAD_ARCHIVE_MINUTES
            )
            return thread.id

    async def find_thread(self, channel_id: int, name: str) -> int | None:
        assert self._client.user is not None
        with _outcome():
            channel = await self._text_channel(channel_id)
            for thread in await channel.guild.active_threads():
                if thread.parent_id == channel_id and thread.name == name and thread.owner_id == self._client.user.id:
                    return thread.id
        return None

    async def dm_channel(self, discord_id: int) -> int:
        with _outcome():
            user = self._client.get_user(discord_id) or await self._client.fetch_user(discord_id)
            return (await user.create_dm()).id

    def _place(self, channel_id: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel_id)

    async def _text_channel(self, channel_id: int) -> discord.TextChannel:
        channel = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(channel, discord.TextChannel):
            raise Refused("wrong_channel_kind")
        return channel


class _outcome:
    """Translates discord.py's failures into Refused (certain) and Unsure."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, discord.Forbidden):
            raise Refused("dm_closed" if error.code == _CLOSED_DM else "missing_permission") from error
        if isinstance(error, discord.NotFound):
            raise Refused("missing_message" if error.code == 10008 else "missing_channel") from error
        if isinstance(error, discord.HTTPException) and 400 <= error.status < 500 and error.status != 429:
            raise Refused("refused") from error
        if isinstance(error, discord.HTTPException | aiohttp.ClientError | OSError | TimeoutError):
            raise Unsure(str(error)) from error

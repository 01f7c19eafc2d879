"""The one error seam, and the one way to answer: whatever goes wrong, the user gets a sentence and a next step."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any, Protocol, TypeVar

import aiohttp
import discord
from discord import app_commands

from cogs.render.errors import error_message, unexpected_message
from cogs.render.message import Message, split
from cogs.views.build import sendable_view, view_of
from engine.errors import AcwcError, NotAllowed
from engine.ports import Members
from engine.usecases import UseCases
from engine.usecases.context import Actor

log = logging.getLogger(__name__)
T = TypeVar("T")


class Client(Protocol):
    """What a cog needs of the bot."""

    app: UseCases

    @property
    def members(self) -> Members: ...

    def reference(self, interaction_id: int) -> str:
        """The log reference of an interaction, the one a user is shown."""
        ...


def app_of(interaction: discord.Interaction[Any]) -> UseCases:
    client: Client = interaction.client  # type: ignore[assignment]
    return client.app


def members_of(interaction: discord.Interaction[Any]) -> Members:
    client: Client = interaction.client  # type: ignore[assignment]
    return client.members


def actor_of(interaction: discord.Interaction[Any]) -> Actor:
    """Who acts, and in which server; NotAllowed outside of one."""
    if interaction.guild_id is None or not isinstance(interaction.user, discord.Member):
        raise NotAllowed("not_in_server")
    return Actor(
        discord_id=interaction.user.id,
        name=interaction.user.global_name or interaction.user.name,
        guild_id=interaction.guild_id,
        command_id=str(interaction.id),
        role_ids=frozenset(role.id for role in interaction.user.roles),
        place_id=interaction.channel_id,
        handle=interaction.user.name,
    )


async def reply(interaction: discord.Interaction[Any], work: Awaitable[T], render: Callable[[T], Message]) -> None:
    """Defers at once, does the work, answers privately."""
    await defer(interaction)
    await send(interaction, render(await work))


async def defer(interaction: discord.Interaction[Any]) -> None:
    """Says that the answer will come. discord.NotFound when it is too late, and then nothing is done.

    If Discord's answer to this is lost, the command is not: discord.py asks again and hears that it is acknowledged.
    """
    if interaction.response.is_done():
        return
    try:
        await interaction.response.defer(ephemeral=True, thinking=True)
    except discord.NotFound:
        raise
    except (discord.HTTPException, aiohttp.ClientError) as lost:
        log.warning("no clear answer to the acknowledgement: %s", lost)
        interaction.response._response_type = discord.InteractionResponseType.deferred_channel_message


async def send(interaction: discord.Interaction[Any], message: Message, *, follow: bool = False) -> None:
    """Answers privately, in as many messages as it takes; buttons and files are on the last. `follow`: after the
    answer."""
    *first, last = split(message.text)
    parts = [Message(text) for text in first] + [Message(last, message.buttons, files=message.files)]
    for part in parts:
        await _send_one(interaction, part, follow=follow or part is not parts[0])


async def _send_one(interaction: discord.Interaction[Any], message: Message, *, follow: bool) -> None:
    none = discord.AllowedMentions.none()
    # MISSING, not an empty list: that would make a form of every answer.
    files: Any = [discord.File(BytesIO(file.content), file.name) for file in message.files] or discord.utils.MISSING
    if not interaction.response.is_done():
        await interaction.response.send_message(
            message.text, view=sendable_view(message), files=files, ephemeral=True, allowed_mentions=none
        )
    elif follow or interaction.response.type is not discord.InteractionResponseType.deferred_channel_message:
        await interaction.followup.send(
            message.text, view=sendable_view(message), files=files, ephemeral=True, allowed_mentions=none
        )
    else:
        await interaction.edit_original_response(
            content=message.text,
            view=view_of(message),
            attachments=files,
            allowed_mentions=none,
        )


# --- Errors -----------------------------------------------------------------------------------------------------


def _expected(error: BaseException, reference: str) -> Message | None:
    return error_message(error) if isinstance(error, AcwcError) else None


def _refused_by_discord(error: BaseException, reference: str) -> Message | None:
    if isinstance(error, app_commands.NoPrivateMessage):
        return error_message(NotAllowed("not_in_server"))
    return None


def _no_clear_answer(error: BaseException, reference: str) -> Message | None:
    if isinstance(error, discord.DiscordServerError | aiohttp.ClientError):
        return Message("Discord gave no clear answer. Try again in a minute; what is done already is found then.")
    return None


def _outdated_command(error: BaseException, reference: str) -> Message | None:
    if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
        return Message("This command has just changed. Wait a minute, restart Discord if need be, and type it again.")
    return None


_HANDLERS: tuple[Callable[[BaseException, str], Message | None], ...] = (
    _expected,
    _refused_by_discord,
    _no_clear_answer,
    _outdated_command,
)


async def handle(interaction: discord.Interaction[Any], error: BaseException) -> None:
    """Answers for any failure of a command, a button or a form. Never raises, never shows an exception's text."""
    client: Client = interaction.client  # type: ignore[assignment]
    reference = client.reference(interaction.id)
    cause = error
    while isinstance(cause, app_commands.AppCommandError):
        inner = getattr(cause, "original", None) or cause.__cause__
        if inner is None:
            break
        cause = inner
    message = next((found for handler in _HANDLERS if (found := handler(cause, reference))), None)
    if message is None:
        log.error("unexpected failure", exc_info=cause)
        message = unexpected_message(reference)
    elif isinstance(cause, AcwcError):
        # The code alone: its parameters may hold what somebody typed.
        log.info("refused: %s %s", cause.code, cause.clause or "")
    try:
        await send(interaction, message)
    except discord.HTTPException as failure:
        log.warning("the answer could not be delivered: %s", failure)


async def guarded(interaction: discord.Interaction[Any], work: Callable[[], Awaitable[None]]) -> None:
    """For buttons and forms, whose errors discord.py only logs."""
    client: Client = interaction.client  # type: ignore[assignment]
    client.reference(interaction.id)
    try:
        await work()
    except Exception as error:
        await handle(interaction, error)

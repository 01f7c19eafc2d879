"""A message before it becomes Discord's: text, buttons, and whom it may ping. Nobody is pinged by accident."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import discord

TEXT_LIMIT = 2000
LABEL_LIMIT = 80
BUTTON_LIMIT = 25

Style = Literal["plain", "primary", "good", "danger"]


@dataclass(frozen=True, slots=True)
class Button:
    """A button that works for ever: `verb` and `arg` make its custom_id, the truth is in the database."""

    verb: str
    arg: str | int
    label: str
    style: Style = "plain"

    @property
    def custom_id(self) -> str:
        return f"acwc:1:{self.verb}:{self.arg}"


@dataclass(frozen=True, slots=True)
class Link:
    """A button that opens a page."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class File:
    """A file to download."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """`pings` are Discord user ids; a mention in the text that is not listed here pings nobody.

    `files` come with private answers only: a post in a channel has none.
    """

    text: str
    buttons: tuple[Button | Link, ...] = ()
    pings: tuple[int, ...] = ()
    files: tuple[File, ...] = ()

    def allowed_mentions(self) -> discord.AllowedMentions:
        users = [discord.Object(id) for id in self.pings]
        return discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users or False)


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread to open, named so that it can be found again.

    In a forum it opens with its first message, which is version `first_version` of the post `first_key`; elsewhere that
    post is sent into the thread afterwards. `tag` is the one of a forum's tags that fits now.
    """

    name: str
    tag: str
    first: Message
    first_key: str
    first_version: int


# What reverses or hides text around it. Joiners stay: emoji, Persian and Hindi need them.
_INVISIBLE = dict.fromkeys(
    [0x061C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF, *range(0x20)]
)
del _INVISIBLE[0x0A]


def visible(name: str) -> str:
    """Without what nobody sees, and what would reverse the line around it."""
    return name.translate(_INVISIBLE)


def whole_lines(lines: Sequence[str]) -> str:
    """As many of the lines as Discord takes, none of them cut in the middle."""
    kept: list[str] = []
    left = TEXT_LIMIT - len(_MORE)
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return "\n".join([*kept, _MORE])
        kept.append(line)
    return "\n".join(kept)


_MORE = "…"


def escape(name: str) -> str:
    """A name that shows as it is: no markdown, no mention, no link, and nothing that reverses the line around it."""
    plain = visible(name)
    plain = discord.utils.escape_mentions(discord.utils.escape_markdown(plain))
    return plain.replace("<", "<\u200b").replace("://", ":\u200b//")


def mention(discord_id: int | None, name: str) -> str:
    return f"<@{discord_id}>" if discord_id is not None else escape(name)


def fitting(message: Message) -> str:
    """The text of a post, cut with a mark if it should ever be too long: late is worse than short."""
    return message.text if len(message.text) <= TEXT_LIMIT else message.text[: TEXT_LIMIT - 1].rstrip() + "…"


def split(text: str, limit: int = TEXT_LIMIT) -> list[str]:
    """Cuts a text at line ends so that every part fits into one message; a code block is closed and opened again."""
    parts: list[str] = []
    current: list[str] = []
    size = 0
    in_code = False

    def flush() -> None:
        nonlocal current, size
        if current:
            parts.append("\n".join(current) + ("\n```" if in_code else ""))
        current = ["```"] if in_code else []
        size = sum(len(line) + 1 for line in current)

    for line in _short_lines(text.split("\n"), limit - 10):
        if size + len(line) + 1 > limit - 4:
            flush()
        current.append(line)
        size += len(line) + 1
        if line.startswith("```"):
            in_code = not in_code
    in_code = False
    flush()
    return parts or [""]


def _short_lines(lines: Iterable[str], limit: int) -> Iterable[str]:
    for line in lines:
        while len(line) > limit:
            yield line[:limit]
            line = line[limit:]
        yield line

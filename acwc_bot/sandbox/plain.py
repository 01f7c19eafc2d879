"""Discord's markup as plain text, for the lines of the sandbox's own page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

_USER = re.compile(r"<@!?(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_FOR_YOU = re.compile(r"\s*\((?:for you|from) <t:\d+(?::\w)?>(?: for you)?\)")
_COUNTDOWN = re.compile(r",?\s*\(?<t:\d+:R>\)?")
_TIME = re.compile(r"<t:(\d+)(?::\w)?>")
_LINK = re.compile(r"\[([^\]]*)\]\(<?[^)>]*>?\)")
_HEADING = re.compile(r"^(?:#+ |- )", re.MULTILINE)
_MARKS = re.compile(r"(?<!\\)(?:\*\*|\*|~~|`+)")
_ESCAPED = re.compile(r"\\([\\*_~`|>#\-\[\]()])")


def plain(text: str, users: Mapping[int, str], channels: Mapping[int, str], roles: Mapping[int, str]) -> str:
    """Mentions become names, timestamps UTC, links their label; markup and countdowns go."""
    text = _USER.sub(lambda hit: "@" + users.get(int(hit[1]), "somebody"), text)
    text = _CHANNEL.sub(lambda hit: "#" + channels.get(int(hit[1]), "unknown"), text)
    text = _ROLE.sub(lambda hit: "@" + roles.get(int(hit[1]), "unknown"), text)
    text = _TIME.sub(_utc, _COUNTDOWN.sub("", _FOR_YOU.sub("", text)))
    text = _HEADING.sub("", _LINK.sub(r"\1", text))
    return _ESCAPED.sub(r"\1", _MARKS.sub("", text)).strip()


def _utc(hit: re.Match[str]) -> str:
    moment = datetime.fromtimestamp(int(hit[1]), UTC)
    return f"{moment:%a} {moment.day} {moment:%b %H:%M} UTC"

"""What must not happen twice is asked for once.

discord.py repeats a request by itself, up to five times, when Discord answers 500, 502, 504 or 524; but such an answer
may come after the effect: a second thread, a second channel. So whoever asked gets the answer, and looks before asking
again: the relay in the channel, `/td setup` by names.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

import aiohttp
import discord

_MAKES_OR_CHANGES = frozenset({"POST", "PATCH"})
_PLACES = re.compile(r"/api/v\d+/(?:channels|guilds|users)/")


def no_blind_repeats() -> aiohttp.TraceConfig:
    """For discord.py's `http_trace`: an answer of 500 or more to a POST or PATCH is a DiscordServerError at once."""
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_raise_at_once)
    return trace


async def _raise_at_once(
    session: aiohttp.ClientSession, context: SimpleNamespace, answer: aiohttp.TraceRequestEndParams
) -> None:
    if answer.response.status < 500 or answer.method not in _MAKES_OR_CHANGES or not _PLACES.match(answer.url.path):
        return
    answer.response.close()
    raise discord.DiscordServerError(answer.response, None)

"""How a time is read, shown while it is typed (R5.3): for every option that holds times in a match's window."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import product
from math import prod
from typing import Any

import discord
from discord import app_commands

from cogs.render import choices
from cogs.seam import actor_of, app_of
from cogs.times import Ambiguous, Result, Unreadable, read_times
from cogs.times import Reading as TimeRead
from cogs.zones import zone_of
from engine.errors import AcwcError
from engine.usecases.scheduling import Reading

_MOST = 25


async def offer_times(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    """The reading of what is typed so far. What is chosen is the same text, so that nothing is read otherwise when it
    is sent; where a text has several readings, each is written out instead."""
    if not current.strip() or len(current) > choices.LIMIT:
        return []
    named = getattr(interaction.namespace, "match", None)
    try:
        match_id = named if isinstance(named, int) else None
        reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)
    except AcwcError:
        return []
    return [app_commands.Choice(name=name, value=value) for name, value in readings(reading, current)]


def readings(reading: Reading, text: str) -> list[tuple[str, str]]:
    """What to show and what it stands for."""
    items = _read(reading, text)
    refused = next((item for item in items if isinstance(item, Unreadable)), None)
    if refused is not None:
        return [(choices.refused(refused), text)]
    ways = [_ways(item) for item in items]
    if prod(map(len, ways)) > _MOST:
        return [(choices.too_open(), text)]
    asked = any(isinstance(item, Ambiguous) for item in items)
    zone = zone_of(reading.timezone)
    found: list[tuple[str, str]] = []
    for reads in product(*ways):
        value = ", ".join(map(choices.typed, reads)) if asked else text
        if not asked or (len(value) <= choices.LIMIT and _moments(_read(reading, value)) == _moments(reads)):
            found.append((choices.understood(reads, reading.now, zone), value))
    return found or [(choices.too_open(), text)]


def _read(reading: Reading, text: str) -> list[Result]:
    window = (reading.opens, reading.closes)
    return read_times(text, now=reading.now, window=window, zone=zone_of(reading.timezone))


def _ways(item: Result) -> tuple[TimeRead, ...]:
    if isinstance(item, Ambiguous):
        return item.readings
    return (item,) if isinstance(item, TimeRead) else ()


def _moments(items: Iterable[Result]) -> list[tuple[datetime, datetime | None] | None]:
    """What each stands for, if that is one thing."""
    return [(item.start, item.end) if isinstance(item, TimeRead) else None for item in items]

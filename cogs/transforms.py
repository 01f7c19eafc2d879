"""Text -> domain values, and the autocomplete lists. What cannot be read is refused with what was understood."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import discord
from discord import app_commands

from cogs.render import times
from cogs.seam import actor_of, app_of
from engine.errors import AcwcError, BadInput

_ACCOUNT = re.compile(r"(?:(?:https?://)?(?:www\.)?lichess\.org/@/)?@?([A-Za-z0-9][A-Za-z0-9_-]{1,29})(?:[/?#].*)?")
_GAME = re.compile(
    r"(?:https?://)?(?:www\.)?lichess\.org/(?:game/export/|embed/(?:game/)?)?"
    r"([A-Za-z0-9]{8})(?:[A-Za-z0-9]{4})?(?:/(?:white|black))?/?(?:[?#].*)?"
)
_GAME_ID = re.compile(r"[A-Za-z0-9]{8}")
_PAGES = {"analysis", "training", "practice", "streamer"}
"""Pages of Lichess whose names look like the id of a game."""
_SCORE = re.compile(r"(\d{1,2})(?:[.,](5|0)|(½))?\s*[-–—:]\s*(\d{1,2})(?:[.,](5|0)|(½))?")
_HALF = re.compile(r"^½|(?<=[-–—:\s])½")


def account_name(text: str) -> str:
    """A Lichess name from a name or a link to a profile; BadInput("bad_account_name")."""
    found = _ACCOUNT.fullmatch(text.strip())
    if found is None:
        raise BadInput("bad_account_name", text=text.strip()[:60])
    return found[1]


_NONE = {"", "none", "no", "nothing", "nil", "n/a", "na", "keine", "ninguna", "aucun", "нет"}
_BETWEEN = {"and", "&", "+", "or"}


def account_names(text: str) -> list[str]:
    """The accounts in a text of names and links; BadInput("bad_other_account") names the one that is none.

    Empty for a word that says that there are none.
    """
    if text.strip(" .-–—").casefold() in _NONE:
        return []
    names: list[str] = []
    for word in re.split(r"[\s,;]+", text):
        if not word or word.casefold() in _BETWEEN:
            continue
        try:
            names.append(account_name(word))
        except BadInput:
            raise BadInput("bad_other_account", text=word[:60]) from None
    return names


def game_ids(text: str) -> tuple[str, ...]:
    """The ids of the Lichess games in a text of links or bare ids, each once, in order; BadInput("bad_links")."""
    ids: list[str] = []
    for word in re.split(r"[\s,;<>]+", text):
        link = _GAME.fullmatch(word)
        id = link[1] if link is not None else word
        if _GAME_ID.fullmatch(id) and id not in _PAGES:
            ids.append(id)
    if not ids:
        raise BadInput("bad_links", text=text[:60])
    return tuple(dict.fromkeys(ids))


def score(text: str) -> tuple[int, int]:
    """`6-2`, `5.5 – 4.5`, `5½:4½` -> half-points, the reporter's first; BadInput("bad_score")."""
    found = _SCORE.fullmatch(_HALF.sub("0½", text.strip()))
    if found is None:
        raise BadInput("bad_score", text=text.strip()[:60])
    mine = 2 * int(found[1]) + (found[2] == "5" or found[3] is not None)
    theirs = 2 * int(found[4]) + (found[5] == "5" or found[6] is not None)
    return mine, theirs


def iso_day(text: str) -> date:
    """`2027-03-21`; BadInput("bad_date")."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise BadInput("bad_date", text=text.strip()[:40]) from None


# --- Autocomplete: one read, and silence rather than an error ------------------------------------------------------


async def own_matches(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """The actor's matches as `R3 · alice – bob`."""
    try:
        choices = await app_of(interaction).tables.match_choices(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in choices if wanted in name.casefold()][:25]


async def their_offers(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    return await _offers(interaction, current, own=False)


async def own_offers(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    return await _offers(interaction, current, own=True)


async def _offers(interaction: discord.Interaction[Any], current: str, *, own: bool) -> list[app_commands.Choice[int]]:
    try:
        found = await app_of(interaction).tables.open_offers(actor_of(interaction), own=own)
    except AcwcError:
        return []
    named = [
        (offer.id, f"{times.utc(offer.starts_at)}, {view.round.code} {view.a.entrant.name} – {view.b.entrant.name}")
        for view, offer in found
    ]
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in named if wanted in name.casefold()][:25]

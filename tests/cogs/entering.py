"""Entering as the tests do it again and again: an account is made, `/register`, the code into the bio, *Check*."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.model import EntryState, Registration
from engine.usecases.context import Actor
from tests.world import LONG_AGO, World, custom_ids, text_of

STARTS = "2026-03-22"
SECOND = timedelta(seconds=1)
#: The dates of 2023 moved by 157 weeks, from Sunday 19 March 2023 to Sunday 22 March 2026.
CUT_OFF = CLOSES = datetime(2026, 3, 15, tzinfo=UTC)


async def open_registration(world: World) -> None:
    await world.set_up()
    await world.slash(world.people["td"], "td edition create", starts=STARTS, ruleset="2023")
    await world.slash(world.people["td"], "td edition open")


async def seeds_are_made(world: World) -> None:
    """anna and bob are in; from here on an entry is a late one."""
    await world.set_up()
    await world.start_edition(("anna", "bob"), STARTS)
    await world.move_to(CUT_OFF + timedelta(days=3))


def has_account(world: World, name: str, **lichess: Any) -> None:
    world.lichess.add_account(name, **{"rating": 2000, "games": 5000, "created_at": LONG_AGO, **lichess})


async def enters(world: World, name: str, account: str | None = None, **lichess: Any) -> str:
    """Somebody enters with an account that is made for it; the last answer."""
    has_account(world, account or name, **lichess)
    return text_of(await world.enters(name, account))


def cards(world: World, account: str) -> list[Any]:
    """The cards of the entries with an account, oldest first."""
    shown = account.replace("_", "\\_")
    history = world.channel("directors").history()
    return [message for message in history if message.content.startswith(f"### Entry: {shown}\n")]


def card(world: World, account: str) -> str:
    return cards(world, account)[-1].content


def line(text: str, topic: str) -> str:
    """The line of a card or an answer about one check."""
    found = [line for line in text.splitlines() if line[2:].startswith(topic)]
    assert len(found) == 1, (topic, text)
    return found[0]


def entries(world: World) -> dict[str, EntryState]:
    return {e.lichess_id: e.state for e in stored(world)}


def stored(world: World) -> list[Registration]:
    return world.parts.db.read_sync(lambda reader: reader.find(Registration))


def actor(world: World, name: str) -> Actor:
    """Somebody as the use cases know them, for what no button or two buttons at once can do."""
    who, td = world.people[name], world.guild.roles["World Cup TD"].id
    roles = frozenset({td} if name == "td" else ())
    return Actor(discord_id=who.id, name=name, guild_id=world.guild.id, command_id=name, role_ids=roles)


async def presses(world: World, who: str, verb: str, message: Any) -> Any:
    """Presses the button of a message that has this verb."""
    return await world.click(world.people[who], message, button(message, verb))


def button(message: Any, verb: str) -> str:
    return next(id for id in custom_ids(message) if f":{verb}:" in id)


def last(answer: Any) -> Any:
    """The message of a private answer that has the buttons."""
    return answer.followups[-1] if answer.followups else answer.response


async def decide(world: World, who: str, account: str, verb: str = "approve", reason: str | None = None) -> str:
    """Presses a button of the newest card of an account, and gives the reason if a form asks for it."""
    shown = await presses(world, who, verb, cards(world, account)[-1])
    if reason is not None:
        shown = await world.submit(world.people[who], shown, reason)
    return text_of(shown)

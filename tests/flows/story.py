"""The whole way from `/td setup` to a result, as people type and click it, and everything that was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from acwc_bot.sandbox.lichess_world import Result
from tests.world import BaseWorld, custom_ids, text_of

PLAYERS = ("anna", "bob", "carl", "dora")
FIRST_DAY = "2026-03-22"
PUBLISHED = datetime(2026, 3, 22, 12, tzinfo=UTC)
SATURDAY = datetime(2026, 3, 28, 18, tzinfo=UTC)


def thread(world: BaseWorld, *names: str) -> Any:
    return next(t for name, t in world.threads.items() if all(n in name for n in names))


def card(world: BaseWorld, *names: str) -> Any:
    """The first message of a match's thread."""
    return thread(world, *names).history()[0]


def button(message: Any, verb: str) -> str:
    return next(id for id in custom_ids(message) if f":{verb}:" in id)


async def register(world: BaseWorld, name: str) -> str:
    """Enters with an account of the same name; the last answer."""
    world.lichess.add_account(name, rating=2000, games=5000, created_at=datetime(2015, 1, 1, tzinfo=UTC))
    return text_of(await world.enters(name))


async def decide(world: BaseWorld, verb: str) -> str:
    """A TD presses a button of the newest card."""
    message = world.channel("directors").last_message
    return text_of(await world.click(world.people["td"], message, button(message, verb)))


async def open_registration(world: BaseWorld) -> None:
    await world.set_up()
    await world.slash(world.people["td"], "td edition create", starts=FIRST_DAY, ruleset="2023")
    await world.slash(world.people["td"], "td edition open")


async def start(world: BaseWorld) -> None:
    """anna–carl and bob–dora are paired; round 1 is out."""
    await world.set_up()
    await world.start_edition(PLAYERS, FIRST_DAY)
    await world.move_to(PUBLISHED)


async def agree(world: BaseWorld) -> str:
    """anna offers by command, carl accepts by button."""
    await world.slash(world.people["anna"], "offer", times="Sat 18:00")
    message = thread(world, "anna").last_message
    return text_of(await world.click(world.people["carl"], message, button(message, "accept")))


async def play(world: BaseWorld) -> str:
    """anna wins six games; carl reports by the card's button."""
    six: list[Result] = ["a"] * 6
    world.lichess.play_match("anna", "carl", SATURDAY, six)
    await world.move_to(SATURDAY + timedelta(hours=1))
    message = card(world, "anna")
    return text_of(await world.click(world.people["carl"], message, button(message, "report")))


async def told(world: BaseWorld) -> list[str]:
    """The whole story: every private answer, then every channel, thread and direct message with its buttons."""
    said: list[str] = []

    async def hear(what: str, result: Any) -> None:
        said.append(f"{what} -> {text_of(result)} {[custom_ids(m) for m in (result.response,) if m is not None]}")

    await start(world)
    anna, carl, td = (world.people[name] for name in ("anna", "carl", "td"))
    await hear("hub", await world.slash(anna, "hub"))
    said.append(await agree(world))
    await hear("offer in a round with a time", await world.slash(anna, "offer", times="Sun 29 18:00"))
    await world.restart()
    said.append(await play(world))
    await world.slash(world.people["bob"], "offer", times="Sat 18:00")
    await hear("standings", await world.slash(carl, "standings"))
    await world.move_to(PUBLISHED + timedelta(days=9, hours=12))
    await hear("edition", await world.slash(td, "td edition show"))
    plain = names(world)
    return [plain(text) for text in (*said, *everything(world))]


def everything(world: BaseWorld) -> list[str]:
    """What stands in every channel, thread and direct message at the end."""
    found = [
        f"#{place.name}: {message.content} {custom_ids(message)}"
        for place in [*world.guild.channels.values(), *world.threads.values()]
        for message in place.history()
        if not by_discord(message)
    ]
    return found + [f"@{name}: {text}" for name in PLAYERS for text in world.direct_messages(world.people[name])]


def by_discord(message: Any) -> bool:
    """The line that Discord writes where a thread begins; simcord's history has it, `Place.history` leaves it out."""
    return getattr(message, "type", None) is discord.MessageType.thread_created


def names(world: BaseWorld) -> Callable[[str], str]:
    """Replaces ids, which differ from one Discord to the other, by names."""
    known = {str(place.id): place.name for place in [*world.guild.channels.values(), *world.threads.values()]}
    known |= {str(role.id): name for name, role in world.guild.roles.items()}
    known |= {str(person.id): name for name, person in world.people.items()}

    def plain(text: str) -> str:
        text = re.sub(r"channels/\d+/(\d+)/\d+", lambda m: f"channels/{known.get(m[1], m[1])}", text)
        return re.sub(r"<(@&|@|#)(\d+)>", lambda m: f"<{m[1]}{known.get(m[2], m[2])}>", text)

    return plain

"""What the tests of a match evening do again and again: who waits for whom, and what comes of it (R6).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.model import Fact
from engine.timers import Timer
from engine.usecases.context import load_event
from tests.clauses.stage import agree, says, settle, thread
from tests.world import World, custom_ids, text_of

MINUTE = timedelta(minutes=1)
DEADLINE = datetime(2026, 3, 31, tzinfo=UTC)


async def minutes(world: World, count: float) -> None:
    """A bot that looks every minute."""
    until = world.clock.now() + count * MINUTE
    while world.clock.now() < until:
        await world.move_to(min(until, world.clock.now() + MINUTE))


def said(world: World, *words: str, who: tuple[str, str] = ("anna", "carl")) -> list[str]:
    contents = [message.content for message in thread(world, *who).history()]
    return [text for text in contents if all(word in text for word in words)]


def directors(world: World, *words: str) -> list[str]:
    contents = [message.content for message in world.channel("directors").history()]
    return [text for text in contents if all(word in text for word in words)]


def ruled(world: World) -> list[Fact]:
    facts = world.parts.db.read_sync(lambda r: r.facts(world.edition().id))
    return [fact for fact in facts if fact.kind == "match_ruled" and fact.payload["match_id"] == 1]


def timers(world: World) -> list[Timer]:
    return world.parts.db.read_sync(lambda r: r.find(Timer))


def forfeits(world: World) -> dict[str, int]:
    """By name, in how many matches; bob and dora do not even offer."""
    event = world.parts.db.read_sync(lambda r: load_event(r, world.parts.app.desk.folds, world.edition().id))
    return {
        event.name(id): len(matches)
        for id, matches in event.tournament.forfeits.items()
        if event.name(id) in ("anna", "carl")
    }


def choices(world: World) -> list[tuple[Any, list[str]]]:
    """The posts with buttons to choose by."""
    found = [(m, [id for id in custom_ids(m) if "claim" in id]) for m in thread(world, "anna", "carl").history()]
    return [(message, ids) for message, ids in found if ids]


async def presses(world: World, who: str, verb: str) -> str:
    message, ids = choices(world)[-1]
    button = next(id for id in ids if verb in id)
    return text_of(await world.click(world.people[who], message, button))


async def reported(world: World, when: str = "Sat 28 18:00", after: int = 2) -> datetime:
    """Agreed, and anna has reported carl absent some minutes later; when it was agreed for."""
    at = await agree(world, "anna", "carl", when)
    await world.move_to(at + after * MINUTE)
    answer = await says(world, "anna", "match opponent-absent")
    assert answer.startswith("Reported"), answer
    return at


async def rescheduled(world: World, when: str = "Sat 28 18:00") -> datetime:
    at = await reported(world, when)
    await world.move_to(at + 13 * MINUTE)
    answer = await presses(world, "anna", "claim-move")
    assert answer.startswith("You reschedule"), answer
    return at


async def misses_two(world: World) -> str:
    """carl does not come in round 1, nor in round 2; both wins are claimed. The other one in round 2."""
    at = await reported(world)
    await world.move_to(at + 13 * MINUTE)
    await presses(world, "anna", "claim-win")
    await settle(world, 1, "bob", but="anna")
    await world.move_to(datetime(2026, 3, 31, 12, tzinfo=UTC))
    (title,) = [title for title in world.threads if title.startswith("R2 ") and "carl" in title]
    other = next(name for name in ("bob", "dora", "anna") if name in title)
    second = await agree(world, other, "carl", "Sat 4 Apr 18:00")
    await world.move_to(second + MINUTE)
    await says(world, other, "match opponent-absent")
    await world.move_to(second + 12 * MINUTE)
    assert "the match is yours" in await says(world, other, "match claim", choice="win")
    return other

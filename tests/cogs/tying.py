"""anna and bob tie their Semifinal. The stage begins on Tuesday 24 March 2026, without the weeks before it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from engine.model import Stage
from tests.clauses.stage import agree, games, settle, thread
from tests.cogs.first_round import round_1_is_out
from tests.cogs.later import begins
from tests.cogs.test_clause_accounts import loaded
from tests.world import World, custom_ids, text_of

MINUTE = timedelta(minutes=1)
TIED = "10" * 5
BLACK_WINS: Literal["black"] = "black"
WHITE_WINS: Literal["white"] = "white"


async def semifinals_begin(world: World) -> None:
    await round_1_is_out(world)
    await settle(world, 1, "anna", "bob")
    await world.move(days=2)
    await begins(world, Stage.SEMIFINALS, ("semifinal_1", "anna", "bob"), ("semifinal_2", "carl", "dora"))


async def finals_begin(world: World) -> None:
    await semifinals_begin(world)
    await begins(world, Stage.FINALS, ("grand_final", "anna", "bob"), ("third_place", "carl", "dora"))


def said(world: World, *words: str, of: tuple[str, str] = ("anna", "bob")) -> list[str]:
    contents = [message.content for message in thread(world, "SF", *of).history()]
    return [text for text in contents if all(word in text for word in words)]


async def minutes(world: World, count: int) -> None:
    for _ in range(count):
        await world.move(minutes=1)


async def tied(world: World, score: str = TIED) -> datetime:
    """anna and bob have played ten games and nobody leads; the bot has seen it."""
    match = next(m for m in open_matches(world) if m.a_id < m.b_id)
    at = await agree(world, "anna", "bob", "Sat 28 18:00", match=match.id)
    world.lichess.play_match("anna", "bob", at, games(score))
    await world.move_to(at + 50 * MINUTE)
    assert said(world, "### Armageddon: anna 5–5 bob")
    return world.clock.now()


def open_matches(world: World) -> list[Any]:
    return sorted(loaded(world).open_matches(), key=lambda match: match.id)


def button(world: World, title: str, name: str) -> tuple[Any, str]:
    """The newest message with that title that has a button of that name, and the button."""
    found = [m for m in thread(world, "SF", "anna", "bob").history() if title in m.content and custom_ids(m)]
    return found[-1], next(id for id in custom_ids(found[-1]) if name in id)


async def clicks(world: World, who: str, title: str, name: str) -> str:
    return text_of(await world.click(world.people[who], *button(world, title, name)))


async def bids(world: World, who: str, text: str) -> str:
    """With the button of the call for bids."""
    form = await world.click(world.people[who], *button(world, "### Armageddon", "bid-form"))
    return text_of(await world.submit(world.people[who], form, text))


async def throws(world: World, who: str, hand: str) -> str:
    return await clicks(world, who, "### Rock", f".{hand}")


def armageddon(
    world: World, white: str, black: str, winner: Literal["white", "black"] | None, *, second: int = 90, **fields: Any
) -> str:
    """The game as the bids gave it, White's clock at `second` before the second move, after which it goes on."""
    played = {"clock": (180, 0), "rated": False, "clocks": (18000, 18000, 100 * second, 17900)} | fields
    return world.lichess.add_game(white, black, created_at=world.clock.now(), winner=winner, **played)


async def anna_has_white(world: World) -> None:
    await tied(world)
    await bids(world, "anna", "1:30")
    await bids(world, "bob", "2:00")
    await world.tick()

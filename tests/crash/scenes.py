"""The three evenings at which the process is killed: a Tuesday post, the end of the offers, a result.

Each is played up to that moment through commands, on the stand-in, and saved with its database and its Lichess.
"""

from __future__ import annotations

import pickle
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.crash.run import Scene
from tests.season.play import FIRST_PAIRINGS, agree, at, boards, button, offer, play_all_but
from tests.standin import Standin
from tests.standin.world import StandinWorld, open_standin_world
from tests.world import custom_ids

NAMES = ("anna", "boris", "chen", "dora", "emil", "fay", "goran", "hana", "ivo")
SATURDAY = at(3, 28, 18)
JUST_AFTER = timedelta(seconds=2)


async def _in_round_1(world: StandinWorld, *, community: bool) -> None:
    if community:
        world.become_community()
        await world.settle()
    await world.set_up()
    await world.start_edition(NAMES, FIRST_PAIRINGS.isoformat())
    await world.move_to(at(3, 22))


async def tuesday(world: StandinWorld, *, community: bool) -> datetime:
    """All results of round 1 are in; round 2 is due, with its pairings, threads and cards."""
    await _in_round_1(world, community=community)
    await play_all_but(world, 1, SATURDAY)
    await world.move_to(at(3, 31) - timedelta(seconds=1))
    return at(3, 31) + JUST_AFTER


async def friday(world: StandinWorld, *, community: bool) -> datetime:
    """Some have agreed, some have offered, some have not; those who owe offers are to be pinged."""
    await _in_round_1(world, community=community)
    first, second, *_ = boards(world, 1)
    await agree(world, first, SATURDAY)
    await offer(world, second, second.a, at(3, 28, 10), at(3, 29, 15))
    await world.move_to(at(3, 27) - timedelta(seconds=1))
    return at(3, 27) + JUST_AFTER


async def result(world: StandinWorld, *, community: bool) -> datetime:
    """The games of the first board are on Lichess and wait for the button."""
    await _in_round_1(world, community=community)
    board, *others = boards(world, 1)
    for one in (board, *others):
        await agree(world, one, SATURDAY)  # else §5.6 would decide the others and the round would close
    world.lichess.play_match(board.a, board.b, SATURDAY, ["a"] * 6)
    await world.move_to(SATURDAY + timedelta(hours=1))
    return SATURDAY + timedelta(hours=1) + JUST_AFTER


async def press_report(standin: Standin) -> bool:
    """Whether the press was answered, or the button is gone since the result is known; else a person presses again."""
    (guild,) = standin.guilds()
    threads = guild.channels["wc-matches"].threads
    thread = next(thread for thread in threads if thread.name.startswith("R1 · 01"))
    message = next(m for m in thread.history() if m.content.startswith("## Round"))
    if not any(":report:" in id for id in custom_ids(message)):
        return True
    (player, _) = (standin.person(guild, name) for name in thread.name.split(" · ")[2].split(" – "))
    return not (await player.click(message, button(message, "report"))).failed


Prepare = Callable[..., Awaitable[datetime]]
SCENES: dict[str, tuple[Prepare, bool]] = {
    "tuesday, forum": (tuesday, True),
    "tuesday, text": (tuesday, False),
    "friday": (friday, True),
    "result": (result, True),
}


async def prepare(name: str, folder: Path) -> Scene:
    """Plays up to the moment; takes some seconds."""
    play, community = SCENES[name]
    with pytest.MonkeyPatch.context() as patch:
        async with open_standin_world(folder, patch) as world:
            begins = await play(world, community=community)
            await world.settle()
            discord = world.standin.save()
            lichess = pickle.dumps(world.lichess)
    return Scene(
        name, begins, (folder / "acwc.db").read_bytes(), discord, lichess, press_report if play is result else None
    )

"""One run: a prepared evening, lives that end at chosen points, and what is there when one of them lives on."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import pickle
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from acwc_bot.sandbox.lichess_server import ThreadedLichessServer
from acwc_bot.sandbox.lichess_world import LichessWorld
from tests.crash.arrived import Picture, owed, picture
from tests.crash.life import IDLE, Life, live
from tests.standin import Fault, Plan, Standin, restored

LONGEST = 60.0
MOST_PRESSES = 10
MAKES_SOMETHING = r"/channels/\d+/(messages|threads)"
ON_THE_WIRE = {
    Fault.HELD_BEFORE: "on the wire, before the effect",
    Fault.HELD_AFTER: "on the wire, after the effect",
}
Told = asyncio.Queue[str | None]
Death = int | str | Fault | None
"""At that hit, at the first hit of that name, while Discord has the first request that makes something, or never."""
_children = multiprocessing.get_context("forkserver")
_children.set_forkserver_preload(["tests.crash.life", "acwc_bot.__main__"])


@dataclass
class RunningClock:
    """Begins where the preparation ended and goes on with the real time."""

    begins: datetime
    _started: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        return self.begins + timedelta(seconds=time.monotonic() - self._started)


@dataclass(frozen=True)
class Scene:
    """A moment before something happens. `act` is what a person does once the bot is up, as often as it takes."""

    name: str
    begins: datetime
    database: bytes
    discord: bytes
    lichess: bytes
    act: Callable[[Standin], Awaitable[bool]] | None = None


@dataclass(frozen=True)
class Ran:
    """`hits`: the points that each life went through; all lives but the last ended in a kill at their last hit."""

    hits: tuple[tuple[str, ...], ...]
    picture: Picture

    @property
    def killed_at(self) -> tuple[str, ...]:
        return tuple(life[-1] for life in self.hits[:-1])


async def run(scene: Scene, folder: Path, deaths: Iterable[Death], *, forgetful: bool = False) -> Ran:
    """One life after the other, until one has done everything and lives on. The last death must be None."""
    database = folder / "acwc.db"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database.write_bytes(scene.database)
    clock = RunningClock(scene.begins)
    world: LichessWorld = pickle.loads(scene.lichess)
    world.clock = clock.now
    hits: list[tuple[str, ...]] = []
    async with Standin(clock, restored(scene.discord)) as standin:
        with ThreadedLichessServer(world) as lichess:
            for death in deaths:
                at_hit = None if isinstance(death, Fault) else death
                life = Life(standin.base, lichess.url, folder, clock.now(), at_hit, forgetful)
                seen, lived = await _one_life(life, scene, standin, death if isinstance(death, Fault) else None)
                hits.append(tuple(seen))
                if lived:
                    break
                await standin.gateway.drop()
            return Ran(tuple(hits), picture(standin, database))


async def _one_life(life: Life, scene: Scene, standin: Standin, on_the_wire: Fault | None) -> tuple[list[str], bool]:
    """The points it hit, and whether it got everything done."""
    seen: list[str] = []
    async with _child(life) as (told, kill):
        held = standin.fail("POST", MAKES_SOMETHING, on_the_wire) if on_the_wire is not None else None
        killing = asyncio.create_task(_kill_when_reached(held, kill)) if held is not None else None
        lived = await _until_done(life, scene, standin, told, seen)
        if killing is not None and held is not None:
            killing.cancel()
            if held.hits and not lived:
                seen.append(ON_THE_WIRE[held.fault])
            standin.faults.clear()
    return seen, lived


async def _kill_when_reached(held: Plan, kill: Callable[[], None]) -> None:
    await held.reached.wait()
    kill()


async def _until_done(life: Life, scene: Scene, standin: Standin, told: Told, seen: list[str]) -> bool:
    """False when it died before."""
    if not await _until_idle(told, seen):
        return False
    if scene.act is None:
        return True
    acting = asyncio.create_task(_act_until_answered(scene.act, standin))
    idle = asyncio.create_task(_until_idle(told, seen))
    while not acting.done() or owed(life.folder / "acwc.db"):
        await asyncio.wait({idle} if acting.done() else {idle, acting}, return_when=asyncio.FIRST_COMPLETED)
        if idle.done():
            if not idle.result():
                acting.cancel()
                await asyncio.gather(acting, return_exceptions=True)
                return False
            idle = asyncio.create_task(_until_idle(told, seen))
    acting.result()
    return True


async def _act_until_answered(act: Callable[[Standin], Awaitable[bool]], standin: Standin) -> None:
    """A press before the bot is connected again is answered by nobody, and a person presses again."""
    for _ in range(MOST_PRESSES):
        if await act(standin):
            return
    raise AssertionError(f"{MOST_PRESSES} presses without an answer")


@contextlib.asynccontextmanager
async def _child(life: Life) -> AsyncIterator[tuple[Told, Callable[[], None]]]:
    """What it tells, and how to kill it; it does not outlive the block."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process: BaseProcess = _children.Process(target=live, args=(life, theirs))
    process.start()
    theirs.close()
    told: Told = asyncio.Queue()
    loop = asyncio.get_running_loop()
    reading = asyncio.create_task(
        asyncio.to_thread(_read, ours, lambda text: loop.call_soon_threadsafe(told.put_nowait, text))
    )
    try:
        yield told, process.kill
    finally:
        process.kill()
        await reading
        await asyncio.to_thread(process.join, LONGEST)
        ours.close()


def _read(ours: Connection, tell: Callable[[str | None], object]) -> None:
    """Everything the child says, and None when it is dead."""
    with contextlib.suppress(EOFError):
        while True:
            tell(ours.recv_bytes().decode())
    tell(None)


async def _until_idle(told: Told, seen: list[str]) -> bool:
    """Collects what the child tells until it is idle; False when it died first."""
    while True:
        text = await asyncio.wait_for(told.get(), LONGEST)
        if text is None or text == IDLE:
            return text is not None
        seen.append(text)


def lives(*deaths: Death) -> Iterator[Death]:
    """Lives that end so, and then one that does not."""
    yield from deaths
    yield None

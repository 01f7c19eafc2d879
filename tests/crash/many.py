"""Thousands of kills over all scenes, and what came of them."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random

from tests.crash.arrived import Difference, Picture, compare
from tests.crash.run import ON_THE_WIRE, Death, Ran, Scene, lives, run
from tests.crash.scenes import SCENES, prepare

MOST_LIVES = 40
ON_THE_WIRE_SHARE = 0.15
FURTHEST = 14
"""A random life ends within so many hits; early deaths need more lives, and so find more."""


@dataclass
class Tally:
    """By scene and point: kills, and those in runs that ended differently from an undisturbed one."""

    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    lost: Counter[tuple[str, str]] = field(default_factory=Counter)
    doubled: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    runs: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, scene: str, ran: Ran, difference: Difference) -> None:
        self.runs += 1
        points = [(scene, point) for point in ran.killed_at]
        self.kills.update(points)
        for name in ("lost", "doubled", "wrong"):
            found: tuple[str, ...] = getattr(difference, name)
            if found:
                getattr(self, name).update(set(points))
                self.examples.append(f"{scene}, killed at {'; '.join(ran.killed_at)}: {name}: {found[0]}")

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("kills", "lost", "doubled", "wrong"):
            getattr(self, name).update(getattr(other, name))
        self.runs += other.runs
        self.examples += other.examples
        return self


async def undisturbed(scene: Scene, folder: Path) -> Ran:
    """What a run comes to when nobody is killed, and which points it goes through."""
    return await run(scene, folder, lives())


def random_deaths(rng: Random) -> Iterator[Death]:
    for _ in range(MOST_LIVES):
        yield rng.choice(list(ON_THE_WIRE)) if rng.random() < ON_THE_WIRE_SHARE else rng.randint(1, FURTHEST)
    yield None


async def kill_in(scene: Scene, expected: Picture, hits: int, kills: int, seed: int, share: tuple[int, int]) -> Tally:
    """Every hit of an undisturbed run once, then at random until there are that many kills. `share`: i of n workers."""
    tally, rng = Tally(), Random(f"{scene.name} {seed} {share}")
    number, of = share
    with tempfile.TemporaryDirectory(prefix="acwc-crash-") as folder:
        each = [lives(hit) for hit in range(1 + number, hits + 1, of)]
        while each or sum(tally.kills.values()) < kills:
            ran = await run(scene, Path(folder) / "run", each.pop() if each else random_deaths(rng))
            tally.add(scene.name, ran, compare(expected, ran.picture))
    return tally


def _work(scene: Scene, expected: Picture, hits: int, kills: int, seed: int, share: tuple[int, int]) -> Tally:
    return asyncio.run(kill_in(scene, expected, hits, kills, seed, share))


def crash(kills: int, jobs: int, seed: int, scenes: Sequence[str] = tuple(SCENES)) -> Tally:
    """That many kills in all, spread evenly over the scenes."""
    total = Tally()
    with (
        ProcessPoolExecutor(jobs, get_context("spawn")) as pool,
        tempfile.TemporaryDirectory(prefix="acwc-crash-") as folder,
    ):
        for name in scenes:
            scene, expected = asyncio.run(_begin(name, Path(folder)))
            shares = [
                pool.submit(
                    _work, scene, expected.picture, len(expected.hits[0]), kills // len(scenes) // jobs, seed, (n, jobs)
                )
                for n in range(jobs)
            ]
            for share in shares:
                total += share.result()
            print(f"{name}: {sum(n for (s, _), n in total.kills.items() if s == name)} kills", flush=True)
    return total


async def _begin(name: str, folder: Path) -> tuple[Scene, Ran]:
    prepared = folder / name.replace(", ", "-")
    prepared.mkdir()
    scene = await prepare(name, prepared)
    return scene, await undisturbed(scene, folder / "undisturbed")

"""`make bench`: how fast and how large. Figures for people; no test fails by the clock."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine.model import Edition, EditionState, Entrant, Match, Offer, Person, Server
from engine.rules import shipped_text
from engine.stages import swiss_players
from engine.usecases.context import load_event
from engine.usecases.rounds import next_slot
from tests.bench_engine import pairing_rows
from tests.bench_fold import fold_rows
from tests.bench_lichess import lichess_rows
from tests.bench_standings import standings_rows
from tests.world import World, open_world, text_of

PLAYERS = 128
START = datetime(2026, 3, 22, 12, tzinfo=UTC)
Row = tuple[str, str, str]


def timed(work: Callable[[], object], repeat: int = 5) -> float:
    """Median seconds."""
    taken: list[float] = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return sorted(taken)[len(taken) // 2]


def people_and_rounds(world: World) -> None:
    """128 entrants with round 1 published, by the engine's own functions."""

    def work(store: object) -> None:
        edition = store.add(  # type: ignore[attr-defined]
            Edition(
                guild_id=world.guild.id, key="2026", title="Bench 2026", ruleset=shipped_text("2023"),
                starts=START.date(), state=EditionState.CLOSED, created_at=START,
            )
        )  # fmt: skip
        for n in range(1, PLAYERS + 1):
            name = f"player_{n:03d}"
            world.lichess.add_account(name, rating=2500 - n, games=5000, created_at=datetime(2015, 1, 1, tzinfo=UTC))
            member = world.person(name)
            person = store.add(Person(discord_id=member.id, name=name))  # type: ignore[attr-defined]
            store.add(  # type: ignore[attr-defined]
                Entrant(edition_id=edition.id, person_id=person.id, lichess_id=name, name=name, seed=n, rating=2500 - n)
            )

    world.parts.db.write_sync(work)


async def bench_commands(folder: Path) -> list[Row]:
    async with open_world(folder) as world:
        with world.env.time_context():
            await world.set_up()
            people_and_rounds(world)
            await world.jump_to(START)
            began = time.perf_counter()
            await world.parts.runtime.reconcile()
            published = time.perf_counter() - began
            began = time.perf_counter()
            await world.parts.runtime.relay.run()
            posted = time.perf_counter() - began
            rows = [
                ("deciding and storing a round of 128", f"{published * 1000:.0f} ms", "1 s"),
                ("posting 64 threads and cards (no rate limits)", f"{posted:.1f} s", "-"),
            ]
            rows += await answers(world)
            rows += reads(world)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return [*rows, ("peak memory of this process (bot, Discord, Lichess)", f"{peak} MB", "250 MB")]


async def answers(world: World) -> list[Row]:
    """A command from the press of the key to the finished answer, all of it in this process."""
    one = world.people["player_001"]
    match = world.parts.db.read_sync(lambda reader: reader.find(Match)[0])
    world.lichess.play_match("player_001", "player_065", START + timedelta(hours=12), "aaaaaa")

    async def slash(who: object, name: str, **options: object) -> None:
        text_of(await who.slash(world.lobby, name, **options))  # type: ignore[attr-defined]

    commands: list[tuple[str, Callable[[], Awaitable[None]]]] = [
        ("/hub", lambda: slash(one, "hub")),
        ("/pairings", lambda: slash(one, "pairings")),
        ("/standings", lambda: slash(one, "standings")),
        ("/td round preview (with open matches)", lambda: slash(world.people["td"], "td round preview")),
        ("/offer", lambda: slash(one, "offer", times="Mon 23 Mar 0:00")),
        ("/accept", lambda: slash(world.people["player_065"], "accept", offer=_last_offer(world))),
    ]
    rows: list[Row] = []
    for name, work in commands:
        rows.append((f"{name} with {PLAYERS} entrants", f"{await _seconds(work) * 1000:.0f} ms", "1 s"))
    await world.jump_to(START + timedelta(hours=14))
    seconds = await _seconds(lambda: slash(one, "report"))
    rows.append((f"/report with {PLAYERS} entrants, six games read", f"{seconds * 1000:.0f} ms", "1 s"))
    assert world.parts.db.read_sync(lambda reader: match.id in load(world, reader).tournament.results)
    return rows


def _last_offer(world: World) -> int:
    return world.parts.db.read_sync(lambda reader: reader.find(Offer)[-1].id)


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


def load(world: World, reader: object):
    return load_event(reader, world.parts.app.desk.folds, 1)  # type: ignore[arg-type]


def reads(world: World) -> list[Row]:
    loaded = timed(lambda: world.parts.db.read_sync(lambda reader: load(world, reader)))
    server = world.parts.db.read_sync(lambda reader: reader.find(Server)[0])

    def propose(reader: object) -> None:
        event = load(world, reader)
        slot = next_slot(event)
        assert slot is not None and server.guild_id
        swiss_players(event.championship)  # type: ignore[arg-type]

    players = timed(lambda: world.parts.db.read_sync(propose))
    return [
        ("loading an event of 128", f"{loaded * 1000:.0f} ms", "-"),
        ("collecting what the pairer asks", f"{players * 1000:.0f} ms", "-"),
    ]


async def main() -> None:
    rows = [*pairing_rows(), *standings_rows(), *fold_rows(), *lichess_rows()]
    with tempfile.TemporaryDirectory() as folder:
        rows += await bench_commands(Path(folder))
    table = Table("what", "measured", "goal")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    asyncio.run(main())

"""A small running event: four players, round 1 published on Sunday 22 March 2026 at 12:00."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.world import World

PLAYERS = ("anna", "bob", "carl", "dora")
PUBLISHED = datetime(2026, 3, 22, 12, 0, tzinfo=UTC)


async def round_1_is_out(world: World) -> None:
    await world.set_up()
    await world.start_edition(PLAYERS, "2026-03-22")
    await world.move_to(PUBLISHED)

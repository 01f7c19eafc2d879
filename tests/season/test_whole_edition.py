"""From the first registration to the champion, through Discord and an offline Lichess, with restarts."""

from __future__ import annotations

from pathlib import Path
from random import Random

from engine.model import Post, PostState, Stage
from tests.season.whole_edition import Edition, champion
from tests.world import open_world

UNDONE = (PostState.WAITING, PostState.STUCK)


async def test_a_small_edition_goes_on_by_itself_to_the_champion(tmp_path: Path) -> None:
    """Eight players, the fewest for Candidates (Q52c)."""
    names = [f"player{n}" for n in range(1, 9)]
    async with open_world(tmp_path) as world:
        await world.set_up()
        await world.start_edition(names, "2026-03-22")
        world.follows = True
        edition = Edition(world, Random(8))
        await edition.until_next_round()
        stages: list[str] = []
        while edition.open_matches():
            stages.append(edition.event().rounds[-1].code)
            await edition.week()
            assert not edition.open_matches(), [edition.names(m) for m in edition.open_matches()]
            await world.restart()
            await edition.until_next_round()
        assert stages == ["R1", "R2", "R3", "R4", "R5", "C1", "C2", "C3", "SF", "F"]
        assert champion(world) in names and "armageddon" in edition.done[-1]
        stuck = world.parts.db.read_sync(lambda r: [p for p in r.find(Post) if p.state in UNDONE])
        assert not stuck
        assert edition.event().tournament.stage_rounds(Stage.FINALS)[0].closed

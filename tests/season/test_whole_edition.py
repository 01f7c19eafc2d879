"""From the first registration to the champion, through Discord and an offline Lichess, with restarts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from engine.model import Dispute, EditionState, Entrant, Person, Post, PostState, Stage
from engine.model import Edition as Stored
from engine.ports import Store
from tests.season.whole_edition import Edition, champion
from tests.world import LONG_AGO, World, open_world

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


FIELD = [f"player{n:02}" for n in range(1, 46)]


async def enters(world: World, names: list[str]) -> None:
    """Who plays, as the registration leaves them: that is tested elsewhere, and takes three acts for each."""
    await world.slash(world.people["td"], "td edition create", starts="2026-03-22", ruleset="2023")
    await world.slash(world.people["td"], "td edition open")
    id = world.edition().id

    def work(store: Store) -> None:
        for seed, name in enumerate(names, start=1):
            person = store.add(Person(discord_id=world.person(name).id, name=name))
            rating = 2500 - 10 * seed
            world.lichess.add_account(name, rating=rating, games=5000, created_at=LONG_AGO)
            of = {"person_id": person.id, "lichess_id": name, "name": name}
            store.add(Entrant(edition_id=id, seed=seed, rating=rating, **of))
        store.save(replace(store.get(Stored, id), state=EditionState.CLOSED))

    await world.parts.db.write(work)


async def test_a_whole_edition_of_45_players_ends_with_a_champion_and_no_open_item(tmp_path: Path) -> None:
    """All stages, with absences, breaks, withdrawals, an engine mark, a tied final and a restart in every week."""
    async with open_world(tmp_path) as world:
        await world.set_up()
        await enters(world, FIELD)
        world.follows = True
        edition = Edition(world, Random(45), absent_in={"R1", "R3", "C2"}, break_in={"R2", "SF"})
        await edition.until_next_round()
        stages: list[str] = []
        while edition.open_matches():
            code = edition.event().rounds[-1].code
            stages.append(code)
            if code in ("R3", "R5", "C3"):
                await edition.withdraws()
            if code == "R4":
                await edition.marked_as_engine()
            await edition.week()
            assert not edition.open_matches(), [edition.names(m) for m in edition.open_matches()]
            await world.restart()
            await edition.until_next_round()
        assert stages == [*(f"R{n}" for n in range(1, 8)), *(f"C{n}" for n in range(1, 6)), "SF", "F"]
        assert champion(world) in FIELD
        done = " ".join(edition.done)
        assert [done.count(what) for what in ("absent", "break", "withdraws", "engine")] == [3, 2, 3, 1], edition.done
        assert "armageddon" in edition.done[-1]
        event = edition.event()
        assert len(event.tournament.left) == 4 and sum(map(len, event.tournament.forfeits.values())) == 3
        undone = world.parts.db.read_sync(lambda r: [p.key for p in r.find(Post) if p.state in UNDONE])
        assert not undone
        assert not world.parts.db.read_sync(lambda r: r.find(Dispute, outcome=None))
        assert all(published.closed for published in event.tournament.rounds)

"""Q44g: a seed that a TD corrects changes later pairings only.

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.facts import SeedCorrected, decode
from engine.trf import read
from engine.usecases.exports import report
from tests.clauses.stage import pairs_of, says, settle, tiebreaks
from tests.cogs.entering import decide, enters, seeds_are_made
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_terms import desk, director, facts, recorded
from tests.world import World, open_prepared


@pytest.fixture
async def late(tmp_path: Path) -> AsyncIterator[World]:
    """anna and bob have seeds, no round is out."""
    async with open_prepared(tmp_path, seeds_are_made) as world:
        yield world


async def correct(world: World, who: str, seed: int, by: str = "td") -> str:
    player = entrant(world, who)
    return await says(world, by, "td-player seed", player=player, seed=seed, reason="The rating was read wrong.")


def numbers(world: World) -> dict[str, int]:
    """The starting numbers of a tournament report, by name; read back as other programs do."""
    text = world.parts.db.read_sync(lambda reader: report(reader, world.edition()))
    return {player.name: player.number for player in read(text.encode(), "report").players}


def hub_seed(text: str) -> str:
    return text.split(", seed ")[1].split(".")[0]


async def test_q44g_a_corrected_seed_changes_later_pairings_only(event: World) -> None:
    first = pairs_of(event, 1)
    answer = await correct(event, "dora", 1)
    assert "dora has seed 1 now" in answer and "They come directly before anna" in answer
    assert "The seed of the entry, 4, rests on: rating 2370 (profile, " in answer and "5000 rated games" in answer
    assert facts(event, SeedCorrected) == [SeedCorrected(entrant(event, "dora"), 1)]
    assert "**Ruling** by td" in desk(event) and "The rating was read wrong." in desk(event)
    assert pairs_of(event, 1) == first
    seeds = {name: hub_seed(await says(event, name, "hub")) for name in ("anna", "bob", "carl", "dora")}
    assert seeds == {"anna": "1", "bob": "2", "carl": "3", "dora": "1"}, "nobody else has another seed"
    await settle(event, 1)
    await event.move(days=9)
    # All have one draw: dora, anna | bob, carl, and dora has met bob. By the old seeds anna would meet dora.
    assert {frozenset(pair) for pair in pairs_of(event, 2)} == {frozenset(("dora", "carl")), frozenset(("anna", "bob"))}


async def test_q44g_without_the_correction_round_2_is_another(event: World) -> None:
    await settle(event, 1)
    await event.move(days=9)
    assert {frozenset(pair) for pair in pairs_of(event, 2)} == {frozenset(("anna", "dora")), frozenset(("bob", "carl"))}


async def test_q44g_a_report_for_other_programs_has_every_number_once(event: World) -> None:
    await correct(event, "dora", 1)
    await correct(event, "carl", 1)
    await settle(event, 1, "anna", "bob")
    await event.move(days=9)
    assert numbers(event) == {"carl": 1, "dora": 2, "anna": 3, "bob": 4}
    assert [line.split(", seed ")[1][0] for line in await tiebreaks(event)] == ["1", "2", "1", "1"]


async def test_q44g_the_correction_is_taken_back_like_any_ruling(event: World) -> None:
    await correct(event, "dora", 1)
    (fact,) = [fact for fact in recorded(event) if isinstance(decode(fact), SeedCorrected)]
    await event.parts.app.rulings.undo(director(event), fact.id, "It was right.")
    await event.restart()
    assert hub_seed(await says(event, "dora", "hub")) == "4"
    assert loaded(event).championship.seeds == {one.id: one.seed for one in loaded(event).entered.values()}


async def test_q44g_what_is_no_seed_or_no_change_is_refused(event: World) -> None:
    assert "A seed is a number from 1 to 5 here; 6 is none." in await correct(event, "anna", 6)
    assert "That is how it stands already" in await correct(event, "dora", 4)
    assert facts(event, SeedCorrected) == []
    assert "dora has seed 5 now" in await correct(event, "dora", 5)


async def test_q54_q44g_a_td_who_plays_never_corrects_the_own_seed(event: World) -> None:
    event.guild._guild.members[event.people["dora"].id].role_ids.append(event.guild.roles["World Cup TD"].id)
    assert "It is about yourself" in await correct(event, "dora", 1, by="dora")
    assert "opponent of an open match" in await correct(event, "bob", 4, by="dora")
    assert facts(event, SeedCorrected) == []


async def test_q44g_a_late_entry_has_its_own_last_seed_after_a_correction(late: World) -> None:
    await correct(late, "bob", 1)
    await enters(late, "carl", rating=2900)
    await decide(late, "td", "carl")
    assert hub_seed(await says(late, "carl", "hub")) == "3"
    answer = await correct(late, "carl", 1)
    assert "The seed of the entry, 3, is the last one of its day: a late entry" in answer
    assert "They come directly before bob" in answer

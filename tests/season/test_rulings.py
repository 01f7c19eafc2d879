"""Rulings with the real bot: everything that was posted follows, the TDs read why, and an undo takes it all back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.errors import AcwcError
from engine.facts import Draft, EntrantLeft, Exit, MatchRuled
from engine.rulings import Ruling
from engine.usecases.context import Actor, Event
from tests.clauses.stage import pairs_of, said, settle
from tests.season.play import FIRST_PAIRINGS, at, play_all_but, posted_table
from tests.season.test_exceptional import NAMES
from tests.world import World, open_prepared

REASON = "Marked by Lichess on Saturday."


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Eight players, round 1 played and closed, round 2 published."""
    async with open_prepared(tmp_path, round_2_is_out) as opened:
        yield opened


async def round_2_is_out(world: World) -> None:
    await world.set_up()
    await world.start_edition(NAMES, FIRST_PAIRINGS.isoformat())
    await world.move_to(at(3, 22))
    await play_all_but(world, 1, at(3, 24, 18))
    await world.move_to(at(3, 31))


def director(world: World, name: str = "td", command: str = "1") -> Actor:
    role = world.guild.roles["World Cup TD"].id
    who = world.people[name]
    return Actor(discord_id=who.id, name=name, guild_id=world.guild.id, command_id=command, role_ids=frozenset({role}))


def mark_of(name: str):
    def decide(event: Event) -> Ruling:
        entrant = next(e.id for e in event.entrants.values() if e.name == name)
        return Ruling("disqualified", (Draft(EntrantLeft(entrant, Exit.DISQUALIFIED, "engine"), "R8.2"),))

    return decide


def winner_of_round_1(world: World) -> str:
    return posted_table(world, 1)[0][1]


async def test_r8_2_everything_posted_follows_a_ruling_and_its_undo(world: World) -> None:
    rulings = world.parts.app.rulings
    winner = winner_of_round_1(world)
    table_before = posted_table(world, 1)
    results_before = said(world.channel("results"))
    made = await rulings.make(director(world), mark_of(winner), REASON)
    await world.tick()
    results, told = said(world.channel("results")), said(world.channel("directors"))
    assert "(adjudicated, games 0–6)" in results and "(walkover)" in results
    assert winner not in [row[1] for row in posted_table(world, 1) if row[0] is not None]
    assert f"{winner} is disqualified (engine)." in told and REASON in told and "left as it is: round 2" in told

    await rulings.undo(director(world, command="2"), made.facts[0].id, "Appeal granted.")
    await world.tick()
    assert posted_table(world, 1) == table_before
    now = said(world.channel("results"))
    assert "(adjudicated)" not in now and "the match is open again" in now
    assert now.startswith(results_before)
    assert f"Taken back: {winner} is disqualified (engine)." in said(world.channel("directors"))


async def refused(world: World, name: str = "td", reason: str = REASON, **options: int) -> str:
    with pytest.raises(AcwcError) as refusal:
        await world.parts.app.rulings.make(director(world, name), mark_of(winner_of_round_1(world)), reason, **options)
    return refusal.value.code


async def test_what_stands_against_a_ruling_is_named_and_nothing_is_recorded(world: World) -> None:
    facts = len(world.parts.db.read_sync(lambda reader: reader.facts(world.edition().id)))
    winner = winner_of_round_1(world)
    preview = await world.parts.app.rulings.preview(director(world), mark_of(winner))
    assert await refused(world, reason="  ") == "reason_needed"
    assert await refused(world, winner) == "recused"  # a TD who plays, and the ruling is about them
    assert await refused(world, seen=preview.preview.version - 1) == "changed_meanwhile"
    outsider = world.person("outsider")
    stranger = Actor(discord_id=outsider.id, name="outsider", guild_id=world.guild.id, command_id="9")
    with pytest.raises(AcwcError, match="td_only"):
        await world.parts.app.rulings.preview(stranger, mark_of(winner))
    assert len(world.parts.db.read_sync(lambda reader: reader.facts(world.edition().id))) == facts
    await world.parts.app.rulings.make(director(world), mark_of(winner), REASON, seen=preview.preview.version)
    assert await refused(world, reason="again") == "nothing_to_change"


def forfeit_of(name: str, number: int):
    def decide(event: Event) -> Ruling:
        entrant = next(e.id for e in event.entrants.values() if e.name == name)
        round = next(r for r in event.rounds if r.number == number)
        match = next(m for m in event.matches_of(round.id) if m.has(entrant))
        a = 0 if match.a_id == entrant else 2
        return Ruling("forfeit", (Draft(MatchRuled(match.id, a, 2 - a, (entrant,), forfeit="no_show"), "R6.3"),))

    return decide


async def test_q25_two_forfeits_are_in_force_with_the_next_publication_and_fall_with_one_of_them(world: World) -> None:
    rulings, name = world.parts.app.rulings, winner_of_round_1(world)
    first = await rulings.make(director(world), forfeit_of(name, 1), "Absent in round 1.")
    await rulings.make(director(world, command="2"), forfeit_of(name, 2), "Absent in round 2.")
    await settle(world, 2, but=name)
    assert "is disqualified" not in said(world.channel("directors"))
    await world.move_to(at(4, 7, 13))
    assert name not in [player for pair in pairs_of(world, 3) for player in pair]
    told = said(world.channel("directors"))
    assert "**Ruling** by the bot:" in told and f"{name} is disqualified (two forfeits)." in told
    await rulings.undo(director(world, command="3"), first.facts[0].id, "It was the other one.")
    await world.tick()
    assert name in [row[1] for row in posted_table(world, 2) if row[0] is not None]

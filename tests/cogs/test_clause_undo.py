"""A TD takes a decision back: `/td undo` and the button below a ruling (R1.2, R5.10, R6.5; Q24, Q54).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from cogs.render.games import table_changes
from engine.errors import NotAllowed
from engine.model import Fact
from tests.clauses.evening import MINUTE, choices, directors, forfeits, presses, reported, ruled, said
from tests.clauses.stage import agree, games, says
from tests.cogs.entering import actor, last
from tests.world import World, custom_ids, text_of


def facts(world: World, kind: str) -> list[Fact]:
    return [fact for fact in world.parts.db.read_sync(lambda r: r.facts(world.edition().id)) if fact.kind == kind]


def roles_of(world: World, name: str) -> list[int]:
    return world.guild._guild.members[world.people[name].id].role_ids


async def claimed(world: World) -> Fact:
    """anna has the match, because carl did not come."""
    at = await reported(world)
    await world.move_to(at + 13 * MINUTE)
    await presses(world, "anna", "claim-win")
    (fact,) = ruled(world)
    return fact


async def offered(world: World, typed: str = "", who: str = "td") -> dict[int, str]:
    """What the autocomplete of `ref:` offers, newest first."""
    found = await world.people[who].autocomplete(world.lobby, "td undo", "ref", typed)
    return {choice["value"]: choice["name"] for choice in found}


# --- A claimed forfeit ----------------------------------------------------------------------------------------------


async def test_r6_5_a_claimed_forfeit_is_taken_back_by_command(event: World) -> None:
    fact = await claimed(event)
    shown = await says(event, "td", "td undo", ref=fact.id)
    assert shown.startswith("**Take this back?**") and "forfeited by carl (no show)" in shown
    assert "Nothing is recorded yet" in shown and not facts(event, "reverted")
    answer = await says(event, "td", "td undo", ref=fact.id, reason="He had a power cut.")
    assert answer.startswith("Recorded:") and "Taken back" in answer
    await event.tick()
    assert forfeits(event) == {} and said(event, "A forfeit of carl that stood here was taken back")
    (notice,) = directors(event, "**Ruling** by td", "Taken back", "He had a power cut.")
    assert "forfeited by carl" in notice
    standing = event.parts.db.read_sync(lambda r: r.facts(event.edition().id))[-1]
    assert (standing.kind, standing.reverts_id) == ("reverted", fact.id)


async def test_r6_5_the_notice_of_the_claim_has_the_way_back(event: World) -> None:
    fact = await claimed(event)
    notice = next(m for m in event.channel("directors").history() if "Claim of a no-show" in m.content)
    td = event.people["td"]
    (button,) = [id for id in custom_ids(notice) if id.endswith(f":undo:{fact.id}")]
    shown = await event.click(td, notice, button)
    assert "Take this back?" in text_of(shown) and forfeits(event) == {"carl": 1}
    sure = next(id for id in custom_ids(last(shown)) if ":undo-now:" in id)
    form = await event.click(td, last(shown), sure)
    await event.submit(td, form, "He had a power cut.")
    await event.tick()
    assert forfeits(event) == {}
    assert "has been taken back already" in text_of(await event.click(td, notice, button))


async def test_an_undo_is_taken_back_in_turn(event: World) -> None:
    fact = await claimed(event)
    await says(event, "td", "td undo", ref=fact.id, reason="He had a power cut.")
    (undone,) = facts(event, "reverted")
    assert fact.id not in await offered(event) and next(iter(await offered(event))) == undone.id
    answer = await says(event, "td", "td undo", ref=undone.id, reason="He had none.")
    await event.tick()
    assert "In force again" in answer and forfeits(event) == {"carl": 1}
    assert list(await offered(event, "carl no show"))[-1] == fact.id


# --- A timer --------------------------------------------------------------------------------------------------------


async def test_r5_10_a_stopped_timer_runs_again(event: World) -> None:
    at = await reported(event)
    await event.move_to(at + 5 * MINUTE)
    await says(event, "td", "td-match timer", match=1, reason="He wrote to us.")
    await event.move_to(at + 13 * MINUTE)
    assert choices(event) == []
    (id, name) = next(iter((await offered(event, "ten minutes")).items()))
    assert "the ten minutes are stopped" in name
    shown = await says(event, "td", "td undo", ref=id)
    assert "its ten minutes count again from their beginning" in shown
    await says(event, "td", "td undo", ref=id, reason="A mistake.")
    await event.tick()
    assert len(choices(event)) == 1 and said(event, "The TDs have taken this back")


# --- What is refused ------------------------------------------------------------------------------------------------


async def test_what_cannot_be_taken_back_is_refused_with_the_reason(event: World) -> None:
    fact = await claimed(event)
    (published,) = facts(event, "round_published")
    assert "No decision of this edition has that number" in await says(event, "td", "td undo", ref=9999, reason="x")
    assert "No decision of this edition has that number" in await says(event, "td", "td undo", ref=-1)
    assert "stay" in await says(event, "td", "td undo", ref=published.id, reason="x")
    assert published.id not in await offered(event)
    assert "eason" in await says(event, "td", "td undo", ref=fact.id, reason="  ")
    await says(event, "td", "td undo", ref=fact.id, reason="He had a power cut.")
    assert "has been taken back already" in await says(event, "td", "td undo", ref=fact.id, reason="x")
    assert len(facts(event, "reverted")) == 1


async def test_what_has_begun_was_seen_and_is_no_decision(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.follows = True
    event.lichess.play_match("anna", "carl", at, games("1"))
    await event.move_to(at + 20 * MINUTE)
    await event.tick()
    (begun,) = facts(event, "match_begun")
    assert "seen on Lichess" in await says(event, "td", "td undo", ref=begun.id, reason="x")
    assert begun.id not in await offered(event) and not facts(event, "reverted")


async def test_r1_2_only_a_td_takes_back(event: World) -> None:
    fact = await claimed(event)
    app, carl = event.parts.app, actor(event, "carl")
    for work in (app.rulings.preview_undo(carl, fact.id), app.rulings.undo(carl, fact.id, "x")):
        with pytest.raises(NotAllowed, match="td_only"):
            await work
    moderator = event.guild.create_role("Moderator", permissions=discord.Permissions(manage_threads=True))
    roles_of(event, "td")[:] = [moderator.id]
    assert "Only a tournament director" in await says(event, "td", "td undo", ref=fact.id, reason="x")
    assert await offered(event) == {} and forfeits(event) == {"carl": 1}


async def test_q54_nobody_takes_back_what_touches_the_own_event(event: World) -> None:
    fact = await claimed(event)
    roles_of(event, "carl").append(event.guild.roles["World Cup TD"].id)
    answer = await says(event, "carl", "td undo", ref=fact.id, reason="I was there.")
    assert "you" in answer and forfeits(event) == {"carl": 1}, answer


async def test_a_preview_that_is_out_of_date_records_nothing(event: World) -> None:
    fact = await claimed(event)
    td = event.people["td"]
    shown = await td.slash(event.lobby, "td undo", ref=fact.id)
    sure = next(id for id in custom_ids(last(shown)) if ":undo-now:" in id)
    answer = await says(event, "td", "td-player seed", player=3, seed=1, reason="A storm.")
    assert "Recorded" in answer, answer
    form = await event.click(td, last(shown), sure)
    answer = text_of(await event.submit(td, form, "He had a power cut."))
    assert "since you saw the preview" in answer and forfeits(event) == {"carl": 1}


def test_of_a_long_table_the_two_of_the_match_are_named_and_some_more() -> None:
    event: Any = SimpleNamespace(name=lambda id: f"p{id:02}")
    seen: Any = SimpleNamespace(lines=[SimpleNamespace(entrant_id=id) for id in range(1, 61)])
    assert table_changes(event, seen, (50, 7)) == "The table changes for p07, p50, p01, p02, p03, p04 and 54 more"

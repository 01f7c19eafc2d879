"""The directors' commands of the foundation: setup, editions, rounds, and the ways out when a round cannot come."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from engine.model import Edition, Fact, Round
from tests.clauses.stage import offer_enough
from tests.cogs.first_round import PLAYERS, PUBLISHED
from tests.season.play import play_all_but, said
from tests.world import World, custom_ids, open_world, text_of

TUESDAY = datetime(2026, 3, 31, 12, tzinfo=UTC)


def rounds(world: World) -> list[Round]:
    return world.parts.db.read_sync(lambda reader: reader.find(Round))


async def finish_round(world: World, number: int) -> None:
    saturday = PUBLISHED + timedelta(days=6, hours=6) + timedelta(weeks=number - 1)
    await play_all_but(world, number, saturday)


# --- Setup ------------------------------------------------------------------------------------------------------------


async def test_setup_runs_again_without_making_anything_twice(world: World) -> None:
    before = set(world.guild.channels)
    answer = text_of(await world.slash(world.owner, "td setup"))
    assert set(world.guild.channels) == before and "Created" not in answer


async def test_setup_takes_what_is_named(empty: World) -> None:
    mine = empty.guild.create_text_channel("results-2026")
    role = empty.guild.create_role("Arbiters")
    answer = text_of(await empty.slash(empty.owner, "td setup", results=mine, td_role=role))
    assert mine.mention in answer and f"<@&{role.id}>" in answer
    assert "wc-results" not in empty.guild.channels and "World Cup TD" not in empty.guild.roles


async def test_setup_says_what_the_bot_may_not_do_and_saves_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for what in ("roles", "channels"):
            world.env.inject_error("POST", f"/guilds/*/{what}", status=403, code=50013, times=None)
        answer = text_of(await world.slash(world.owner, "td setup"))
        assert "I cannot finish the setup" in answer and "*Manage Channels*" in answer
        assert "not set up" in text_of(await world.slash(world.person("x"), "register", account="abc"))


async def test_setup_is_for_those_who_manage_the_server(world: World) -> None:
    answer = text_of(await world.slash(world.people["td"], "td setup"))
    assert "Only somebody with *Manage Server*" in answer


# --- Editions ---------------------------------------------------------------------------------------------------------


async def test_a_draft_is_replaced_and_a_running_edition_is_in_the_way(world: World) -> None:
    td = world.people["td"]
    answer = text_of(await world.slash(td, "td edition create", starts="2026-03-22", ruleset="2023"))
    assert "account created before: Sun 4 Jan 2026" in answer
    await world.slash(td, "td edition create", starts="2027-03-21", ruleset="2023")
    editions = world.parts.db.read_sync(lambda reader: reader.find(Edition))
    assert [edition.key for edition in editions] == ["2027"]
    await world.slash(td, "td edition open")
    assert "is still running" in text_of(await world.slash(td, "td edition create", starts="2028-03-19"))


async def test_r4_3_the_first_pairings_wait_for_the_close_of_registration(world: World) -> None:
    td = world.people["td"]
    await world.slash(td, "td edition create", starts="2026-03-22", ruleset="2023")
    await world.slash(td, "td edition open")
    await world.move_to(PUBLISHED + timedelta(hours=1))
    assert len(said(world.channel("directors"), "registration is still open")) == 1
    assert rounds(world) == []


async def test_an_uploaded_ruleset_is_checked_whole_and_an_unreadable_one_is_refused(world: World) -> None:
    from engine.errors import AcwcError
    from engine.rules import shipped_text
    from engine.usecases.context import Actor

    role = world.guild.roles["World Cup TD"].id
    td = world.people["td"]
    actor = Actor(discord_id=td.id, name="td", guild_id=world.guild.id, command_id="1", role_ids=frozenset({role}))
    create = world.parts.app.editions.create_from
    for text in ("this is = not [toml", shipped_text("2023").replace("games = 10  # R3.3", "games = 11  # R3.3", 1)):
        with pytest.raises(AcwcError) as refusal:
            await create(actor, text, "mine.toml", PUBLISHED.date())
        from cogs.render.errors import error_message

        assert "`mine.toml` is not a ruleset I can use; nothing was created" in error_message(refusal.value).text
    with pytest.raises(AcwcError) as refusal:  # its champion enters the Candidates directly
        await create(actor, shipped_text("2022"), "mine.toml", date(2026, 3, 24))
    assert refusal.value.code == "strategies_not_here"
    assert world.parts.db.read_sync(lambda reader: reader.find(Edition)) == []


# --- Rounds -----------------------------------------------------------------------------------------------------------


async def test_preview_and_early_publication(event: World) -> None:
    td = event.people["td"]
    shown = text_of(await event.slash(td, "td round preview"))
    assert "It waits for these results" in shown and "R1 · anna – carl" in shown
    assert "these matches have no result" in text_of(await event.slash(td, "td round publish"))
    await finish_round(event, 1)
    preview = await event.slash(td, "td round preview")
    assert "Proposed: round 2" in text_of(preview) and "anna (1) – bob (2)" in text_of(preview)
    assert "Round 2: published, 2 matches" in text_of(
        await event.click(td, preview.response, custom_ids(preview.response)[-1])
    )
    assert [r.number for r in rounds(event)] == [1, 2]
    assert rounds(event)[1].offers_by == TUESDAY.replace(hour=0) + timedelta(days=4)  # as in the calendar
    again = await event.click(td, preview.response, custom_ids(preview.response)[-1])
    assert "R2 is already published" in text_of(again)
    await event.move_to(TUESDAY + timedelta(hours=1))
    assert [r.number for r in rounds(event)] == [1, 2]


async def test_q54_a_playing_td_does_not_see_the_own_pairing_first(world: World) -> None:
    role = world.guild.roles["World Cup TD"]
    world.person("anna", role)
    await world.start_edition(PLAYERS, "2026-03-22")
    shown = text_of(await world.slash(world.people["anna"], "td round preview"))
    assert "anna" not in shown and "carl" not in shown and "bob (2) – dora (4)" in shown
    assert "your own match" in shown


async def test_extending_in_the_week_does_not_close_the_round(event: World) -> None:
    td = event.people["td"]
    answer = text_of(await event.slash(td, "td round extend", reason="power cut"))
    assert "Extended" in answer and "R1 · bob – dora" in answer
    assert event.channel("standings").last_message is None
    assert "extended to Mon 6 Apr 23:59" in event.channel("pairings").history()[0].content
    await event.move_to(datetime(2026, 3, 31, 0, tzinfo=UTC))
    assert "Still open, counted 0: R1 · anna – carl" in event.channel("standings").last_message.content


async def test_q9_the_button_needs_a_reason(event: World) -> None:
    await offer_enough(event, "anna", "bob")
    await event.move_to(TUESDAY)
    notice = said(event.channel("directors"), "Round 2 is due but waits")[0]
    shown = await event.click(event.people["td"], notice, custom_ids(notice)[0])
    assert "A reason is needed" in text_of(await event.submit(event.people["td"], shown, "   "))
    shown = await event.click(event.people["td"], notice, custom_ids(notice)[0])
    assert "Extended" in text_of(await event.submit(event.people["td"], shown, "storm"))
    assert [r.number for r in rounds(event)] == [1, 2]
    facts = event.parts.db.read_sync(lambda reader: reader.facts(1))
    assert all(
        "storm" not in str(fact.payload) and fact.reason_note_id for fact in facts if fact.kind == "match_extended"
    )


async def test_q42_a_round_that_cannot_be_paired_has_a_way_out(event: World) -> None:
    """Four players have met after three rounds; R3.4 gives them four."""
    for number in (1, 2, 3):
        await finish_round(event, number)
        await event.move_to(TUESDAY + timedelta(weeks=number - 1))
    assert [r.number for r in rounds(event)] == [1, 2, 3]
    notices = said(event.channel("directors"), "Round 4 cannot be paired")
    assert len(notices) == 1
    td = event.people["td"]
    assert "No pairing exists under the rules" in text_of(await event.slash(td, "td round publish"))
    answer = text_of(await event.slash(td, "td round publish", allow="only four players"))
    assert "Round 4: published, 2 matches" in answer
    published = event.parts.db.read_sync(lambda reader: reader.facts(1))[-1]
    assert isinstance(published, Fact) and published.kind == "round_published" and published.reason_note_id

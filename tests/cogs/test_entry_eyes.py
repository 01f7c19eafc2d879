"""What fresh eyes found about entries: each state says what comes next, and every change of it is told (R2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cogs import transforms
from engine.errors import AcwcError, BadInput, Conflict
from engine.model import EntryState
from engine.rules import shipped_text
from tests.cogs.entering import (
    CUT_OFF,
    SECOND,
    STARTS,
    actor,
    card,
    cards,
    decide,
    enters,
    entries,
    has_account,
    last,
    line,
    open_registration,
    presses,
    seeds_are_made,
    stored,
)
from tests.rules.ruleset_text import lines, with_line
from tests.world import World, custom_ids, open_prepared, text_of


@pytest.fixture
async def entering(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


async def says(world: World, name: str, command: str, **options: object) -> str:
    return text_of(await world.slash(world.person(name), command, **options))


def told(world: World, name: str) -> list[str]:
    return world.direct_messages(world.people[name])


# --- The hub --------------------------------------------------------------------------------------------------------


async def test_r2_6_the_hub_shows_the_entry_that_counts_and_warns_of_one_begun_beside_it(entering: World) -> None:
    await enters(entering, "anna")
    await decide(entering, "td", "anna")
    has_account(entering, "alt")
    await says(entering, "anna", "register", account="alt")
    hub = last(await entering.slash(entering.people["anna"], "hub"))
    assert "you are in as anna" in hub.content and "You have also begun an entry as **alt**" in hub.content
    assert not any(":prove:" in id for id in custom_ids(hub)), "nothing here freezes both with one press"
    await presses(entering, "anna", "drop", hub)
    assert entries(entering) == {"anna": EntryState.APPROVED, "alt": EntryState.WITHDRAWN}
    assert "alt" not in await says(entering, "anna", "hub")


async def test_r2_6_the_hub_shows_the_approved_entry_and_not_one_that_was_turned_down_later(entering: World) -> None:
    await enters(entering, "anna")
    await enters(entering, "anna", "anna2")
    await decide(entering, "td", "anna2", "reject", "second account")
    await decide(entering, "td", "anna", reason="the first one")
    assert "you are in as anna" in await says(entering, "anna", "hub")


async def test_r2_8_the_hub_says_what_is_possible_at_each_time(entering: World) -> None:
    assert "Enter with `/register account:`" in await says(entering, "anna", "hub")
    has_account(entering, "bob")
    await says(entering, "bob", "register", account="bob")
    for name in ("carl", "dora", "emil"):
        await enters(entering, name)
    for name in ("carl", "dora"):
        await decide(entering, "td", name)
    await entering.move_to(CUT_OFF + SECOND)
    assert "Registration has ended" in await says(entering, "anna", "hub")
    assert "was begun and not finished in time" in await says(entering, "bob", "hub")
    closed = await says(entering, "td", "td edition close", leave_pending=True)
    assert "emil: left out, pending" in closed
    assert "was not decided before" in told(entering, "emil")[-1] and "late entry" in told(entering, "emil")[-1]
    assert "late entry" in await says(entering, "anna", "hub")
    assert "with the TDs as a late entry" in await says(entering, "emil", "hub")
    has_account(entering, "anna")
    assert "**late entry**" in await says(entering, "anna", "register", account="anna")


async def test_r2_2_what_is_not_met_yet_is_named_and_can_be_checked_again(tmp_path: Path) -> None:
    async with open_prepared(tmp_path, World.set_up) as world:
        text = shipped_text("2023")
        place = next(entry.number for entry in lines(text) if entry.key == "entry.bots")
        text = with_line(text, place, "bots = false\nmin_rating = 1800")
        day = CUT_OFF.date() + timedelta(days=7)
        assert day.isoformat() == STARTS
        await world.parts.app.editions.create_from(actor(world, "td"), text, "own.toml", day)
        await world.slash(world.people["td"], "td edition open")
        await enters(world, "anna", rating=1700)
        hub = last(await world.slash(world.people["anna"], "hub"))
        assert line(hub.content, "Rating").startswith("◷ Rating: 1700, 1800 is asked")
        world.lichess.change("anna", ratings={"antichess": 1850})
        await presses(world, "anna", "entry", hub)
        assert line(card(world, "anna"), "Rating").startswith("◷"), "not so soon after the last one"
        await world.move(minutes=5)
        assert line(text_of(await presses(world, "anna", "entry", hub)), "Rating").startswith("✓")
        world.lichess.change("anna", ratings={"antichess": 1700})
        await enters(world, "bob", rating=1700)
        await world.move(minutes=5)
        world.lichess.change("bob", ratings={"antichess": 1850})
        await presses(world, "td", "recheck", cards(world, "bob")[-1])
        await world.tick()
        assert line(card(world, "bob"), "Rating").startswith("✓")


# --- Every change is told -------------------------------------------------------------------------------------------


async def test_r2_8_each_decision_is_a_message_of_its_own(entering: World) -> None:
    await enters(entering, "bob")
    await decide(entering, "td", "bob")
    await entering.enters("carl", "bob")
    assert "waits: somebody has entered with the same account" in told(entering, "bob")[-1]
    await entering.move(minutes=1)
    await presses(entering, "td", "reject", cards(entering, "bob")[-1])
    await says(entering, "td", "td entry reject", entry=2, reason="shown by bob first")
    await says(entering, "td", "td entry approve", entry=1, reason="it is his")
    found = told(entering, "bob")
    assert [("You are in" in text, "waits" in text) for text in found] == [(True, False), (False, True), (True, False)]
    assert "not accepted. Reason: shown by bob first" in told(entering, "carl")[-1]


async def test_r2_8_the_tds_hear_of_an_approved_entry_that_is_taken_back(entering: World) -> None:
    await enters(entering, "anna")
    await decide(entering, "td", "anna")
    question = last(await entering.slash(entering.people["anna"], "withdraw"))
    await presses(entering, "anna", "withdraw", question)
    assert "anna has taken back an entry that you had approved" in entering.channel("directors").last_message.content


async def test_an_old_question_takes_back_no_later_entry(entering: World) -> None:
    await enters(entering, "anna")
    old = last(await entering.slash(entering.people["anna"], "withdraw"))
    await presses(entering, "anna", "withdraw", old)
    await enters(entering, "anna", "annab")
    assert "/withdraw" in text_of(await presses(entering, "anna", "withdraw", old))
    assert entries(entering)["annab"] is EntryState.PENDING


# --- What the TDs see -----------------------------------------------------------------------------------------------


async def test_r2_6_late_entries_freeze_each_other_too(tmp_path: Path) -> None:
    async with open_prepared(tmp_path, seeds_are_made) as world:
        await enters(world, "zoe", "x1")
        await world.enters("yan", "x1")
        assert [e.state for e in stored(world) if e.lichess_id == "x1"] == [EntryState.FROZEN] * 2


async def test_q44g_the_tds_are_told_a_day_before_late_entries_are_too_late(tmp_path: Path) -> None:
    async with open_prepared(tmp_path, seeds_are_made) as world:
        await enters(world, "zoe")
        tuesday = datetime(2026, 3, 31, 12, tzinfo=UTC)
        await world.move_to(tuesday - timedelta(days=1, seconds=1))
        said = [m.content for m in world.channel("directors").history() if "Late entries wait" in m.content]
        assert said == []
        await world.move_to(tuesday - timedelta(days=1))
        await world.restart()
        await world.tick()
        (said,) = [m.content for m in world.channel("directors").history() if "Late entries wait" in m.content]
        assert "zoe" in said and "Tue 31 Mar 12:00 UTC" in said


async def test_r2_8_who_was_turned_down_and_enters_again_has_it_on_the_card(entering: World) -> None:
    await enters(entering, "anna")
    await decide(entering, "td", "anna", "reject", "shares the account")
    await entering.enters("anna")
    assert "⚠ Rejected before, as anna, by td: shares the account" in card(entering, "anna")
    assert "reason is needed" in await decide(entering, "td", "anna", reason=" ")


async def test_a_card_shows_the_decision_however_many_accounts_are_named(entering: World) -> None:
    names = [f"{'spare_account_number'}{n:02}" for n in range(10)]
    for name in names:
        has_account(entering, name, tos_violation=True)
    has_account(entering, "anna")
    asked = last(await entering.slash(entering.person("anna"), "register", account="anna", others=" ".join(names)))
    entering.lichess.change("anna", bio=asked.content.split("`")[1])
    await presses(entering, "anna", "prove", asked)
    await decide(entering, "td", "anna", "reject", "x" * 480)
    shown = card(entering, "anna")
    assert "**Rejected** by td." in shown and "and 5 more" in shown
    assert len(shown) <= 2000 and shown.count("](<") == shown.count(">)")


async def test_a_reason_that_no_message_could_hold_is_refused(entering: World) -> None:
    await enters(entering, "anna")
    answer = await says(entering, "td", "td entry reject", entry=1, reason="x" * 501)
    assert "501 characters, 500 is the most" in answer
    assert entries(entering) == {"anna": EntryState.PENDING}


async def test_r2_6_an_account_of_an_entrant_is_nobody_else_s_however_it_came_about(tmp_path: Path) -> None:
    """carl begins with an account that a TD then gives to anna."""
    async with open_prepared(tmp_path, seeds_are_made) as world:
        has_account(world, "zed")
        begun = last(await world.slash(world.person("carl"), "register", account="zed"))
        td = actor(world, "td")
        players = await world.parts.app.players.all(td)
        anna = next(p.entrant.id for p in players if p.entrant.name == "anna")
        change = await world.parts.app.account_changes.propose(td, anna, "zed")
        await world.parts.app.account_changes.make(td, change.change.id, "she has lost the other one")
        world.lichess.change("zed", bio=begun.content.split("`")[1])
        assert "is, or was, the account of zed" in text_of(await presses(world, "carl", "prove", begun))
        assert [e.state for e in stored(world) if e.lichess_id == "zed"] == [EntryState.UNPROVEN]


async def test_r1_2_no_td_decides_an_account_that_they_have_proven_themselves(entering: World) -> None:
    await enters(entering, "td", "tdacc")
    question = last(await entering.slash(entering.people["td"], "withdraw"))
    await presses(entering, "td", "withdraw", question)
    await says(entering, "td", "td entry add", member=entering.person("alt"), account="tdacc", reason="a friend")
    with pytest.raises(AcwcError) as refusal:
        await entering.parts.app.entries.decide(actor(entering, "td"), stored(entering)[-1].id, approve=True)
    assert refusal.value.code == "entry_beside_own"


async def test_r1_2_the_players_never_get_the_role_of_the_tds(entering: World) -> None:
    for option, role in (("td_role", "World Cup Player"), ("player_role", "World Cup TD")):
        answer = text_of(await entering.slash(entering.owner, "td setup", **{option: entering.guild.roles[role]}))
        assert "cannot be the role" in answer or "every player a director" in answer, answer
    server = await entering.parts.app.setup.server(entering.guild.id)
    assert server is not None and server.td_role_id != server.player_role_id


# --- Words for other accounts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "none", " None. ", "no", "-", "—", "nothing"])
def test_r2_3_none_is_no_account(text: str) -> None:
    assert transforms.account_names(text) == []


def test_r2_3_names_with_words_between_them() -> None:
    assert transforms.account_names("Bob_B and https://lichess.org/@/carl, dora") == ["Bob_B", "carl", "dora"]
    with pytest.raises(BadInput) as refusal:
        transforms.account_names("I have no other accounts")
    assert refusal.value.code == "bad_other_account"


async def test_an_account_named_once_stays_named(entering: World) -> None:
    has_account(entering, "spare", tos_violation=True)
    has_account(entering, "anna")
    asked = last(await entering.slash(entering.person("anna"), "register", account="anna", others="spare"))
    entering.lichess.change("anna", bio=asked.content.split("`")[1])
    await presses(entering, "anna", "prove", asked)
    question = last(await entering.slash(entering.people["anna"], "withdraw"))
    await presses(entering, "anna", "withdraw", question)
    await entering.enters("anna")
    assert "spare" in card(entering, "anna")


async def test_dropping_is_for_the_own_entry_and_only_before_it_is_proven(entering: World) -> None:
    await enters(entering, "anna")
    for name, code in (("anna", "already_registered"), ("bob", "not_your_entry")):
        entering.person(name)
        with pytest.raises(AcwcError) as refusal:
            await entering.parts.app.registration.drop(actor(entering, name), 1)
        assert refusal.value.code == code and (code != "already_registered" or isinstance(refusal.value, Conflict))


async def test_an_entry_that_is_over_is_neither_dropped_nor_proven(entering: World) -> None:
    has_account(entering, "anna")
    asked = last(await entering.slash(entering.person("anna"), "register", account="anna"))
    app, anna = entering.parts.app.registration, actor(entering, "anna")
    await app.drop(anna, 1)
    entering.lichess.change("anna", bio=asked.content.split("`")[1])
    assert "was taken back or decided" in text_of(await presses(entering, "anna", "prove", asked))
    with pytest.raises(Conflict, match="entry_gone"):
        await app.drop(anna, 1)
    assert entries(entering) == {"anna": EntryState.WITHDRAWN}


async def test_r2_6_a_second_entry_that_is_only_begun_ends_with_the_seeds(entering: World) -> None:
    for name in ("anna", "bob"):
        await enters(entering, name)
        await decide(entering, "td", name)
    has_account(entering, "alt")
    asked = last(await entering.slash(entering.people["anna"], "register", account="alt"))
    await says(entering, "td", "td edition close")
    entering.lichess.change("alt", bio=asked.content.split("`")[1])
    assert "was taken back or decided" in text_of(await presses(entering, "anna", "prove", asked))
    assert "already" in await says(entering, "anna", "register", account="alt")


async def test_r2_8_an_entry_decided_in_the_middle_of_its_check_says_so(entering: World) -> None:
    has_account(entering, "anna")
    asked = last(await entering.slash(entering.person("anna"), "register", account="anna"))
    entering.lichess.change("anna", bio=asked.content.split("`")[1])
    entering.lichess.fail_next("502", 300, after=2)
    await presses(entering, "anna", "prove", asked)
    await decide(entering, "td", "anna", reason="known to us")
    assert "The check was not finished when this was decided." in card(entering, "anna")
    entering.lichess.heal()
    before = len(entering.lichess.asked)
    await entering.move(minutes=5)
    assert len(entering.lichess.asked) == before, "nobody needs it any more"


async def test_r2_8_only_a_rejection_before_the_entry_was_filed_is_held_against_it(entering: World) -> None:
    """The one that is turned down in favour of the other says nothing against that."""
    await enters(entering, "bob")
    await entering.enters("carl", "bob")
    await entering.move(minutes=1)
    await says(entering, "td", "td entry reject", entry=1, reason="not his")
    assert "Rejected before" not in card(entering, "bob")


async def test_an_erasure_reaches_the_cards_that_remember_a_rejection(entering: World) -> None:
    await enters(entering, "bob")
    await decide(entering, "td", "bob", "reject", "something private")
    await entering.move(minutes=1)
    await entering.enters("carl", "bob")
    assert "something private" in card(entering, "bob")
    app, td = entering.parts.app, actor(entering, "td")
    await app.erasure.erase(td, stored(entering)[0].person_id, entering.parts.bot.members)
    await entering.tick()
    assert "something private" not in card(entering, "bob")

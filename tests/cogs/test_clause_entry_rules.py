"""When somebody may enter, with one account each, and who decides, as Discord shows it: R1.2, R2.6, Q44g, Q54."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from cogs.render.errors import error_message
from engine.errors import NotAllowed
from engine.model import EntryState
from tests.clauses.stage import said, says
from tests.cogs.entering import (
    CLOSES,
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
from tests.world import World, custom_ids, open_prepared, text_of

FROZEN, PENDING, APPROVED = EntryState.FROZEN, EntryState.PENDING, EntryState.APPROVED


@pytest.fixture
async def entering(tmp_path: Path) -> AsyncIterator[World]:
    """Registration is open; it is January."""
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


@pytest.fixture
async def late(tmp_path: Path) -> AsyncIterator[World]:
    """anna and bob have their seeds; it is Wednesday before the first pairings."""
    async with open_prepared(tmp_path, seeds_are_made) as world:
        yield world


def notices(world: World) -> int:
    return said(world.channel("directors")).count("**A second account**")


# --- R2.6: one account per person -----------------------------------------------------------------------------------


async def test_r2_6_registering_twice_is_said_and_changes_nothing(entering: World) -> None:
    await enters(entering, "anna")
    answer = await says(entering, "anna", "register", account="https://lichess.org/@/ANNA")
    assert "already registered as anna: it is with the TDs. One person, one account" in answer and "(§2.6)" in answer
    assert entries(entering) == {"anna": PENDING}


async def test_r2_6_a_second_account_of_one_person_stops_both_entries(entering: World) -> None:
    await enters(entering, "anna")
    await decide(entering, "td", "anna")
    has_account(entering, "anna_too")
    asked = last(await entering.slash(entering.people["anna"], "register", account="anna_too"))
    assert "You are entered as anna. One person plays with one account (§2.6)" in asked.content
    assert entries(entering)["anna"] is APPROVED, "nothing is stopped before the second is proven"

    entering.lichess.change("anna_too", bio=asked.content.split("`")[1])
    answer = text_of(await presses(entering, "anna", "prove", asked))
    assert "there is a second account or a second entry (§2.6)" in answer
    assert entries(entering) == {"anna": FROZEN, "anna_too": FROZEN}
    for account in ("anna", "anna_too"):
        assert "**Frozen:**" in card(entering, account)
        assert line(card(entering, account), "One account per person").startswith("⚠")
    assert notices(entering) == 1
    assert "still wait for a decision: anna, anna\\_too" in await says(entering, "td", "td edition close")
    assert "waits, because there is a second account" in await says(entering, "anna", "hub")


async def test_r2_6_two_people_with_one_account_wait_for_the_tds(entering: World) -> None:
    await enters(entering, "anna")
    entering.person("bob")
    asked = last(await entering.slash(entering.people["bob"], "register", account="ANNA"))
    assert "Somebody else is entered with this account" in asked.content
    assert "is yours ✓" in text_of(await entering.enters("bob", "anna"))
    assert [e.state for e in stored(entering)] == [FROZEN, FROZEN]
    assert len(cards(entering, "anna")) == 2 and notices(entering) == 1
    assert all("**Frozen:**" in message.content for message in cards(entering, "anna"))

    refused = await decide(entering, "td", "anna", reason="it is bob's")
    assert "There is another entry of the same person or account: anna. Reject that one first. (§2.6)" in refused
    assert "anna: rejected" in await says(entering, "td", "td entry reject", entry=1, reason="it is bob's account")
    assert "anna: approved" in await says(entering, "td", "td entry approve", entry=2, reason="shown by mail")
    assert [e.state for e in stored(entering)] == [EntryState.REJECTED, APPROVED]


async def test_r2_6_two_people_who_prove_one_account_at_the_same_moment(entering: World) -> None:
    """Whoever comes second finds the first entry, in whatever order they come."""
    has_account(entering, "shared")
    answers = [await entering.slash(entering.person(name), "register", account="shared") for name in ("anna", "bob")]
    entering.lichess.change("shared", bio=" ".join(last(answer).content.split("`")[1] for answer in answers))
    prove = entering.parts.app.registration.prove
    await asyncio.gather(prove(actor(entering, "anna"), 1), prove(actor(entering, "bob"), 2))
    await entering.tick()
    assert [e.state for e in stored(entering)] == [FROZEN, FROZEN]
    assert notices(entering) == 1 and len(cards(entering, "shared")) == 2


async def test_r2_6_the_entry_of_somebody_else_cannot_be_gone_on_with(entering: World) -> None:
    has_account(entering, "anna")
    await entering.slash(entering.person("anna"), "register", account="anna")
    entering.person("bob")
    bob, use_cases = actor(entering, "bob"), entering.parts.app.registration
    for work in (
        use_cases.claim(bob, 1),
        use_cases.prove(bob, 1),
        use_cases.entry(bob, 1),
        use_cases.name_others(bob, 1, ["x"]),
    ):
        with pytest.raises(NotAllowed) as refusal:
            await work
        assert "That is the entry of anna; only who began it" in error_message(refusal.value).text
    assert entries(entering) == {"anna": EntryState.UNPROVEN}


# --- The window -----------------------------------------------------------------------------------------------------


async def test_r2_8_before_the_window_nobody_enters(world: World) -> None:
    has_account(world, "anna")
    world.person("anna")
    assert "There is no World Cup" in await says(world, "anna", "register", account="anna")
    await world.slash(world.people["td"], "td edition create", starts=STARTS, ruleset="2023")
    assert "is not open yet" in await says(world, "anna", "register", account="anna")
    await world.slash(world.people["td"], "td edition open")
    assert "until Sat 14 Mar 23:59 UTC" in world.channel("announcements").last_message.content
    assert "Show that the account is yours" in await says(world, "anna", "register", account="anna")


async def test_r2_8_in_the_last_second_somebody_may_enter(entering: World) -> None:
    await entering.move_to(CLOSES - SECOND)
    assert "is with the TDs" in await enters(entering, "anna")
    assert entries(entering) == {"anna": PENDING}


async def test_r2_8_from_the_end_on_nobody_enters_nor_proves(entering: World) -> None:
    has_account(entering, "anna")
    await entering.move_to(CLOSES - SECOND)
    asked = last(await entering.slash(entering.person("anna"), "register", account="anna"))
    entering.lichess.change("anna", bio=asked.content.split("`")[1])
    await entering.move_to(CLOSES)
    answer = text_of(await presses(entering, "anna", "prove", asked))
    assert "Registration for LiAntichess World Cup 2026 ended Sat 14 Mar 23:59 UTC" in answer
    assert "opens again for late entries" in answer
    assert entries(entering) == {"anna": EntryState.UNPROVEN} and not cards(entering, "anna")
    assert "ended Sat 14 Mar 23:59 UTC" in await says(entering, "anna", "register", account="anna")


async def test_q44g_a_late_entry_gets_the_last_seed_until_round_2_is_out(late: World) -> None:
    answer = await enters(late, "carl", rating=2900)
    assert "Your entry is with the TDs" in answer
    assert "carl: approved" in await decide(late, "td", "carl")
    assert "Your first pairing comes with the next round" in late.direct_messages(late.people["carl"])[-1]
    assert "you play as carl, seed 3" in await says(late, "carl", "hub")


async def test_q44g_a_late_entry_may_be_taken_back_until_it_is_decided(late: World) -> None:
    await enters(late, "carl")
    question = await late.slash(late.people["carl"], "withdraw")
    assert "as a late entry with the last seed" in text_of(question)
    await presses(late, "carl", "withdraw", last(question))
    assert entries(late)["carl"] is EntryState.WITHDRAWN and "**Withdrawn** by the player." in card(late, "carl")


async def test_an_old_button_takes_no_entry_back_once_the_seeds_are_made(late: World) -> None:
    """Leaving has consequences for others then (§8), so the player is asked anew."""
    await enters(late, "carl")
    question = last(await late.slash(late.people["carl"], "withdraw"))
    await decide(late, "td", "carl")
    assert "Type `/withdraw` again" in text_of(await presses(late, "carl", "withdraw", question))
    assert entries(late)["carl"] is EntryState.APPROVED
    assert "about to leave" in await says(late, "carl", "withdraw")


# --- Taking it back -------------------------------------------------------------------------------------------------


async def test_an_entry_is_taken_back_after_a_question_and_may_come_again(entering: World) -> None:
    await enters(entering, "anna")
    question = await entering.slash(entering.people["anna"], "withdraw")
    assert "take back your entry for LiAntichess World Cup 2026 as **anna**: you will get no seed" in text_of(question)
    assert entries(entering) == {"anna": PENDING}, "the question alone changes nothing"
    assert "is taken back" in text_of(await presses(entering, "anna", "withdraw", last(question)))
    assert "**Withdrawn** by the player." in card(entering, "anna") and custom_ids(cards(entering, "anna")[-1]) == []
    assert "no entry" in text_of(await presses(entering, "anna", "withdraw", last(question))), "pressed twice"
    assert "You have no entry in LiAntichess World Cup 2026" in await says(entering, "anna", "withdraw")
    assert "is with the TDs" in text_of(await entering.enters("anna"))
    assert [e.state for e in stored(entering)] == [EntryState.WITHDRAWN, PENDING]


async def test_whatever_one_person_has_entered_is_taken_back_together(entering: World) -> None:
    await enters(entering, "anna")
    await enters(entering, "anna", "anna_too")
    question = await entering.slash(entering.people["anna"], "withdraw")
    assert "as **anna** and **anna\\_too**" in text_of(question)
    await presses(entering, "anna", "withdraw", last(question))
    assert set(entries(entering).values()) == {EntryState.WITHDRAWN}


async def test_the_hub_leads_through_the_entry(entering: World) -> None:
    has_account(entering, "anna")
    await entering.slash(entering.person("anna"), "register", account="anna")
    hub = last(await entering.slash(entering.people["anna"], "hub"))
    assert "show that the account anna is yours" in hub.content
    again = text_of(await presses(entering, "anna", "claim", hub))
    entering.lichess.change("anna", bio=again.split("`")[1])
    await presses(entering, "anna", "prove", hub)
    hub = last(await entering.slash(entering.people["anna"], "hub"))
    assert "✓ Account open" in text_of(await presses(entering, "anna", "entry", hub))
    assert "you will get no seed" in text_of(await presses(entering, "anna", "withdraw-ask", hub))


# --- R1.2: the tournament directors -----------------------------------------------------------------------------


def moderator(world: World) -> str:
    """Somebody who sees every channel and may do everything on Discord, but is no TD."""
    powers = discord.Permissions(administrator=True)
    world.person("mod", world.guild.create_role("Moderator", permissions=powers))
    return "mod"


async def test_r1_2_only_a_td_decides_an_entry(entering: World) -> None:
    await enters(entering, "anna")
    assert "Only a tournament director" in await decide(entering, moderator(entering), "anna")
    assert entries(entering) == {"anna": PENDING}
    await decide(entering, "td", "anna")
    assert entries(entering) == {"anna": APPROVED}


async def test_r1_2_only_a_td_may_run_an_edition(world: World) -> None:
    assert "Only a tournament director" in await says(world, moderator(world), "td edition create", starts=STARTS)
    assert "is drafted" in await says(world, "td", "td edition create", starts=STARTS)


async def test_r1_2_q54_a_td_does_not_decide_the_own_entry(entering: World) -> None:
    await enters(entering, "td")
    for verb in ("approve", "reject"):
        assert "another TD has to decide it" in await decide(entering, "td", "td", verb)
    assert "another TD has to decide it" in await says(entering, "td", "td entry approve", entry=1, reason="me")
    assert entries(entering) == {"td": PENDING}
    entering.person("second", entering.guild.roles["World Cup TD"])
    await decide(entering, "second", "td")
    assert entries(entering) == {"td": APPROVED}


async def test_r1_2_q54_a_td_decides_no_entry_with_the_own_account(entering: World) -> None:
    await enters(entering, "anna", "shared")
    await entering.enters("td", "shared")
    answer = await says(entering, "td", "td entry reject", entry=1, reason="it is mine")
    assert "You have an entry with the account shared yourself" in answer and "(§1.2)" in answer
    assert [e.state for e in stored(entering)] == [FROZEN, FROZEN]


async def test_q54_a_td_who_plays_does_not_see_the_own_pairing_first(entering: World) -> None:
    entering.person("second", entering.guild.roles["World Cup TD"])
    for name in ("anna", "td", "carl", "dora"):
        await enters(entering, name, rating={"anna": 2300, "td": 2200, "carl": 2100, "dora": 2000}[name])
        await decide(entering, "second", name)
    await entering.slash(entering.people["second"], "td edition close")
    assert "td (2) – dora (4)" in await says(entering, "second", "td round preview")
    own = await says(entering, "td", "td round preview")
    assert "your own match" in own and "dora" not in own and "anna (1) – carl (3)" in own

"""Every refusal says what was understood, which rule stands against it and what to do; nothing is left half done."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from cogs.render.errors import error_message
from engine.errors import Conflict
from engine.model import Offer, Registration
from engine.usecases.context import Actor
from tests.cogs.test_match_flow import SATURDAY, agree, card, thread
from tests.world import LONG_AGO, World, custom_ids, text_of


def stored(world: World, kind: type) -> list:
    return world.parts.db.read_sync(lambda reader: reader.find(kind))


@pytest.fixture
async def open_edition(world: World) -> World:
    td = world.people["td"]
    await world.slash(td, "td edition create", starts="2026-03-22", ruleset="2023")
    await world.slash(td, "td edition open")
    world.lichess.add_account("Anna_L", rating=2100, games=3000, created_at=LONG_AGO)
    return world


# --- Registration ---------------------------------------------------------------------------------------------------


async def test_r2_register_by_name_or_link_and_be_told_privately(open_edition: World) -> None:
    world = open_edition
    answer = text_of(await world.slash(world.person("anna"), "register", account="https://lichess.org/@/anna_l/all"))
    assert "**LiAntichess World Cup 2026** as **Anna\\_L**. Show that the account is yours" in answer
    assert "Anna\\_L is yours ✓" in text_of(await world.enters("anna", "Anna_L"))
    entry_card = world.channel("directors").last_message
    assert "rating 2100 · 3000 rated antichess games · proven by the code in the bio" in entry_card.content
    await world.click(world.people["td"], entry_card, custom_ids(entry_card)[0])
    assert "**Approved** by td" in world.channel("directors").last_message.content
    hub = text_of(await world.slash(world.people["anna"], "hub"))
    assert "you are in as Anna\\_L" in hub


@pytest.mark.parametrize(
    ("account", "says"),
    [
        ("nobody_here", "Lichess has no account “nobody\\_here”"),
        ("not a name!", "is not a Lichess name"),
        ("closed", "The Lichess account closed is closed"),
        ("robot", "robot is a BOT account; these cannot play. Enter with your own account. (§2.7)"),
    ],
)
async def test_r2_7_accounts_that_cannot_enter(open_edition: World, account: str, says: str) -> None:
    world = open_edition
    world.lichess.add_account("closed", rating=2000, games=2000, created_at=LONG_AGO, closed=True)
    world.lichess.add_account("robot", rating=2000, games=2000, created_at=LONG_AGO, title="BOT")
    answer = text_of(await world.slash(world.person("x"), "register", account=account))
    assert says in answer
    assert stored(world, Registration) == []


async def test_registration_before_opening_and_without_setup(empty: World) -> None:
    assert "not set up on this server yet" in text_of(await empty.slash(empty.person("x"), "register", account="abc"))
    await empty.set_up()
    assert "no World Cup on this server" in text_of(await empty.slash(empty.person("x"), "register", account="abc"))
    await empty.slash(empty.people["td"], "td edition create", starts="2026-03-22", ruleset="2023")
    assert "is not open yet" in text_of(await empty.slash(empty.person("x"), "register", account="abc"))


async def test_rejecting_needs_a_reason_and_tells_it(open_edition: World) -> None:
    world, td = open_edition, open_edition.people["td"]
    await world.enters("anna", "Anna_L")
    entry_card = world.channel("directors").last_message
    reject = custom_ids(entry_card)[1]
    shown = await world.click(td, entry_card, reject)
    assert "A reason is needed" in text_of(await world.submit(td, shown, "  "))
    shown = await world.click(td, entry_card, reject)
    await world.submit(td, shown, "plays from two accounts")
    assert "was not accepted. Reason: plays from two accounts" in text_of(
        await world.slash(world.people["anna"], "hub")
    )
    assert custom_ids(world.channel("directors").last_message) == []


async def test_two_directors_deciding_at_once_get_one_decision(open_edition: World) -> None:
    world = open_edition
    await world.enters("anna", "Anna_L")

    def td(number: str) -> Actor:
        roles = frozenset({world.guild.roles["World Cup TD"].id})
        return Actor(discord_id=int(number), name=number, guild_id=world.guild.id, command_id=number, role_ids=roles)

    decide = world.parts.app.entries.decide
    done = await asyncio.gather(
        decide(td("11"), 1, approve=True), decide(td("12"), 1, approve=False, reason="no"), return_exceptions=True
    )
    refusals = [outcome for outcome in done if isinstance(outcome, Conflict)]
    assert len(refusals) == 1 and "The first decision stands" in error_message(refusals[0]).text


async def test_q54_a_td_does_not_decide_the_own_entry(open_edition: World) -> None:
    world, td = open_edition, open_edition.people["td"]
    await world.enters("td", "Anna_L")
    entry_card = world.channel("directors").last_message
    assert "That is your own entry" in text_of(await world.click(td, entry_card, custom_ids(entry_card)[0]))


async def test_lichess_down_changes_nothing(open_edition: World) -> None:
    world = open_edition
    world.lichess.fail_next("502", times=20)
    answer = text_of(await world.slash(world.person("anna"), "register", account="Anna_L"))
    assert "Lichess does not answer. Nothing was changed" in answer
    assert stored(world, Registration) == []


# --- Directors ------------------------------------------------------------------------------------------------------


async def test_wrong_start_day_and_unreadable_ruleset(world: World) -> None:
    td = world.people["td"]
    answer = text_of(await world.slash(td, "td edition create", starts="2026-03-23", ruleset="2023"))
    assert "is not a Sunday" in answer and "Sun 22 Mar 2026 or Sun 29 Mar 2026" in answer
    answer = text_of(await world.slash(td, "td edition create", starts="soon", ruleset="2023"))
    assert "“soon”, which is not a date" in answer
    answer = text_of(await world.slash(td, "td edition open"))
    assert "no World Cup on this server" in answer


async def test_closing_with_pending_entries_is_asked(open_edition: World) -> None:
    world, td = open_edition, open_edition.people["td"]
    await world.enters("anna", "Anna_L")
    assert "still wait for a decision: Anna\\_L" in text_of(await world.slash(td, "td edition close"))
    answer = text_of(await world.slash(td, "td edition close", leave_pending=True))
    assert "at least two" in answer


# --- Offers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "says"),
    [
        ("Fri 20 Mar 18:00", "that has passed"),
        ("22 Mar 11:00", "“22 Mar 11:00”: that"),
        ("5 Apr 18:00", "outside this match's window"),
        ("31 Mar 00:00", "outside this match's window"),
        ("whenever you like", "I cannot read that as a time"),
        ("Fri 28 Mar 18:00", "the weekday and the date do not go together"),
        ("Sat 18:00, nonsense", "“nonsense”: I cannot read that as a time"),
        ("x" * 600, "too long"),
    ],
)
async def test_r5_3_offers_that_are_refused_leave_nothing(event: World, times: str, says: str) -> None:
    answer = text_of(await event.slash(event.people["anna"], "offer", times=times))
    assert says in answer
    assert stored(event, Offer) == []


async def test_an_offer_with_two_readings_is_asked_with_both(event: World) -> None:
    result = await event.slash(event.people["anna"], "offer", times="Mon 20:30, Sat 18:00")
    answer = text_of(result)
    assert "nothing is offered yet" in answer
    assert "Mon 23 Mar 20:30 UTC" in answer and "Mon 30 Mar 20:30 UTC" in answer
    assert stored(event, Offer) == []
    second = custom_ids(result.response)[1]
    answer = text_of(await event.click(event.people["anna"], result.response, second))
    assert "Mon 30 Mar 20:30 UTC" in answer
    assert {o.starts_at for o in stored(event, Offer)} == {SATURDAY, datetime(2026, 3, 30, 20, 30, tzinfo=UTC)}


async def test_own_and_retracted_offers_cannot_be_accepted(event: World) -> None:
    anna, carl = event.people["anna"], event.people["carl"]
    await event.slash(anna, "offer", times="Sat 18:00")
    assert "That is your own offer" in text_of(await event.slash(anna, "accept", offer=1))
    assert "That offer is anna's; only they can retract it" in text_of(await event.slash(carl, "retract", offer=1))
    assert text_of(await event.slash(anna, "retract", offer=1)).startswith("Retracted: Sat 28 Mar 18:00 UTC")
    assert "~~" in thread(event, "anna").last_message.content
    assert "That offer has been retracted" in text_of(await event.slash(carl, "accept", offer=1))
    assert "does not exist any more" in text_of(await event.slash(carl, "accept", offer=99))


async def test_q3_a_passed_offer_counts_but_cannot_be_accepted(event: World) -> None:
    await event.slash(event.people["anna"], "offer", times="Mon 23 Mar 10:00")
    await event.move_to(datetime(2026, 3, 23, 10, 0, tzinfo=UTC))
    answer = text_of(await event.slash(event.people["carl"], "accept", offer=1))
    assert "Mon 23 Mar 10:00 UTC has passed, so it can no longer be accepted" in answer
    assert "• anna: 1 of 3 offers" in text_of(await event.slash(event.people["anna"], "hub"))


async def test_strangers_and_wrong_matches(event: World) -> None:
    stranger = event.person("stranger")
    assert "You are not in LiAntichess World Cup 2026" in text_of(
        await event.slash(stranger, "offer", times="Sat 18:00")
    )
    answer = text_of(await event.slash(event.people["bob"], "report", match=1))
    assert "That is the match anna – carl; only these two can do that" in answer
    answer = text_of(await event.click(event.people["bob"], card(event, "anna"), "acwc:1:offer-form:1"))
    assert "only these two" in answer
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    answer = text_of(await event.click(event.people["bob"], thread(event, "anna").last_message, "acwc:1:accept:1"))
    assert "only these two" in answer


async def test_after_the_result_nothing_more_is_offered(event: World) -> None:
    await agree(event, "anna", "carl")
    assert "has its time: Sat 28 Mar 18:00 UTC" in text_of(
        await event.slash(event.people["anna"], "offer", times="Sat 20:00")
    )
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    await event.slash(event.people["anna"], "report")
    assert "You have no open match" in text_of(await event.slash(event.people["anna"], "offer", times="Sun 18:00"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"score": "six to two"}, "“six to two” is not a score"),
        ({"games": "I lost the links"}, "I found no Lichess game"),
        ({}, "Lichess shows no game that counts between you and carl"),
    ],
)
async def test_reports_that_cannot_be_read(event: World, options: dict[str, str], says: str) -> None:
    await agree(event, "anna", "carl")
    await event.move_to(SATURDAY)
    assert says in text_of(await event.slash(event.people["anna"], "report", **options))
    assert not any("anna" in post.content for post in event.channel("results").history())


async def test_lichess_down_or_cut_during_a_report(event: World) -> None:
    await agree(event, "anna", "carl")
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move_to(SATURDAY + timedelta(hours=1))
    event.lichess.fail_next("cut")
    assert "Lichess broke off" in text_of(await event.slash(event.people["anna"], "report"))
    event.lichess.fail_next("502", times=20)
    assert "Lichess does not answer" in text_of(await event.slash(event.people["anna"], "report"))
    event.lichess.heal()
    assert "anna 6–0 carl" in text_of(await event.slash(event.people["anna"], "report"))


async def test_an_unexpected_failure_shows_a_reference_and_no_exception_text(event: World, caplog) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("secret internals")

    event.parts.app.tables.hub = broken  # type: ignore[method-assign]
    answer = text_of(await event.slash(event.people["anna"], "hub"))
    assert "Something went wrong on our side" in answer and "secret" not in answer
    reference = answer.split("Reference `")[1].split("`")[0]
    failures = [record for record in caplog.records if record.message == "unexpected failure"]
    assert len(failures) == 1 and failures[0].exc_info is not None
    assert getattr(failures[0], "reference", reference) == reference
    event.env._errors.clear()

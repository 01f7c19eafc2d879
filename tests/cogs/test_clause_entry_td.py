"""What TDs add to an entry: they enter somebody, and write down what a Lichess admin says (R2.6, R2.8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.eligibility import Word
from engine.errors import NotAllowed
from engine.model import EntryState, Proof
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
from tests.world import World, open_prepared, text_of


@pytest.fixture
async def entering(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


async def says(world: World, name: str, command: str, **options: object) -> str:
    return text_of(await world.slash(world.person(name), command, **options))


async def adds(world: World, name: str, account: str | None = None, **options: object) -> str:
    given = {"reason": "we met, and he logged in", **options}
    return await says(world, "td", "td entry add", member=world.person(name), account=account or name, **given)


# --- `/td entry add` ------------------------------------------------------------------------------------------------


async def test_r2_8_a_td_enters_somebody_whose_account_is_checked_as_any(entering: World) -> None:
    has_account(entering, "Anna_B")
    answer = await adds(entering, "anna", "https://lichess.org/@/anna_b")
    assert "Anna\\_B is entered for anna, who is told. The checks begin" in answer
    await entering.tick()
    shown = card(entering, "Anna_B")
    assert "vouched for by a TD" in shown and "Entered by a TD (td): we met, and he logged in" in shown
    assert line(shown, "Rated games").startswith("✓")
    told = entering.direct_messages(entering.people["anna"])[-1]
    assert "A TD has entered you" in told and "**Anna\\_B**" in told and "`/withdraw`" in told
    assert [(e.state, e.proof) for e in stored(entering)] == [(EntryState.PENDING, Proof.TD)]
    assert "Anna\\_B: approved" in await decide(entering, "td", "Anna_B")


async def test_r2_8_a_begun_entry_becomes_that_of_the_td(entering: World) -> None:
    for name in ("anna", "other"):
        has_account(entering, name)
    await says(entering, "anna", "register", account="other")
    assert "anna is entered" in await adds(entering, "anna")
    assert entries(entering) == {"anna": EntryState.PENDING}


async def test_r2_3_other_accounts_are_named_with_it(entering: World) -> None:
    has_account(entering, "anna")
    has_account(entering, "spare", tos_violation=True)
    await adds(entering, "anna", others="spare")
    await entering.tick()
    assert line(card(entering, "anna"), "Engine mark").startswith("⚠ Engine mark: marked or closed: [spare]")


async def test_r2_6_a_second_entry_of_a_person_or_an_account_is_none(entering: World) -> None:
    await enters(entering, "anna")
    has_account(entering, "bob")
    assert "anna has entered already, as anna" in await adds(entering, "anna", "anna")
    await adds(entering, "bob")
    assert "bob has entered already, as bob" in await adds(entering, "bob", "bob")
    answer = await adds(entering, "carl", "bob")
    assert "bob is entered for carl" in answer, "a second person with one account: both stop"
    assert [e.state for e in stored(entering) if e.lichess_id == "bob"] == [EntryState.FROZEN] * 2


async def test_r1_2_no_td_enters_themselves_and_no_player_anybody(entering: World) -> None:
    has_account(entering, "td")
    assert "own entry" in await adds(entering, "td")
    has_account(entering, "anna")
    for name in ("anna", "bob"):
        entering.person(name)
    with pytest.raises(NotAllowed, match="td_only"):
        await entering.parts.app.registration.add(actor(entering, "bob"), actor(entering, "anna"), "anna", "a friend")
    assert entries(entering) == {}


@pytest.mark.parametrize(
    ("account", "reason", "says_so"),
    [
        ("nobody", "x", "Lichess has no account “nobody”"),
        ("two words", "x", "is not a Lichess name"),
        ("closed", "x", "is closed"),
        ("robot", "x", "is a BOT account"),
        ("anna", "  ", "A reason is needed"),
    ],
)
async def test_r2_8_what_cannot_be_entered_leaves_nothing(
    entering: World, account: str, reason: str, says_so: str
) -> None:
    has_account(entering, "anna")
    has_account(entering, "closed", closed=True)
    has_account(entering, "robot", title="BOT")
    assert says_so in await adds(entering, "anna", account, reason=reason)
    assert entries(entering) == {}


async def test_r2_8_lichess_away_adds_nobody(entering: World) -> None:
    has_account(entering, "anna")
    entering.lichess.down = True
    assert "Lichess" in await adds(entering, "anna")
    assert entries(entering) == {}


async def test_r2_8_after_the_window_a_td_still_can_until_the_seeds_are_made(entering: World) -> None:
    has_account(entering, "anna")
    await entering.move_to(CUT_OFF + SECOND)
    assert "ended" in await says(entering, "anna", "register", account="anna")
    assert "anna is entered" in await adds(entering, "anna")


async def test_q44g_added_after_the_seeds_it_is_a_late_entry(tmp_path: Path) -> None:
    async with open_prepared(tmp_path, seeds_are_made) as world:
        has_account(world, "carl")
        await adds(world, "carl")
        await world.tick()
        assert "carl: approved" in await decide(world, "td", "carl")
        assert "You are in" in world.direct_messages(world.people["carl"])[-1]
        assert "bob has entered already" in await adds(world, "bob", "bob")


async def test_who_was_entered_by_a_td_can_take_it_back(entering: World) -> None:
    has_account(entering, "anna")
    await adds(entering, "anna")
    question = last(await entering.slash(entering.people["anna"], "withdraw"))
    await presses(entering, "anna", "withdraw", question)
    assert entries(entering) == {"anna": EntryState.WITHDRAWN}


# --- A Lichess admin's word -----------------------------------------------------------------------------------------


async def test_r2_8_an_admin_s_yes_clears_a_mark_and_is_a_check_of_its_own(entering: World) -> None:
    await enters(entering, "anna", tos_violation=True)
    assert "A Lichess admin’s word" not in card(entering, "anna")
    answer = await says(entering, "td", "td entry admin", entry=1, says="qualifies", reason="Theo, by mail, 3 March")
    assert "a Lichess admin says that anna qualifies" in answer
    shown = card(entering, "anna")
    assert line(shown, "A Lichess admin’s word:") == "✓ A Lichess admin’s word: the player qualifies (§2.8)"
    assert "A Lichess admin’s word (td): Theo, by mail, 3 March" in shown
    assert line(shown, "Engine mark").startswith("✓") and "a Lichess admin says the player qualifies" in shown
    assert "anna: approved" in await decide(entering, "td", "anna"), "nothing is left that needs a reason"


async def test_r2_8_an_admin_s_no_fails_and_may_be_corrected(entering: World) -> None:
    await enters(entering, "anna")
    pressed = await presses(entering, "td", "admin-word", cards(entering, "anna")[-1])
    answer = text_of(await entering.submit(entering.people["td"], pressed, "No", "Theo"))
    assert "does not qualify" in answer
    assert line(card(entering, "anna"), "A Lichess admin’s word:").startswith("✗")
    assert "reason is needed" in await decide(entering, "td", "anna", reason=" ")
    await says(entering, "td", "td entry admin", entry=1, says="qualifies", reason="a mistake")
    assert line(card(entering, "anna"), "A Lichess admin’s word:").startswith("✓")


async def test_r2_8_a_word_that_is_neither_yes_nor_no_is_asked_again(entering: World) -> None:
    await enters(entering, "anna")
    pressed = await presses(entering, "td", "admin-word", cards(entering, "anna")[-1])
    answer = text_of(await entering.submit(entering.people["td"], pressed, "perhaps", "Theo"))
    assert "“perhaps”" in answer and "*yes*" in answer
    assert stored(entering)[0].admin_word is None


async def test_r1_2_the_word_is_for_tds_and_not_about_themselves(entering: World) -> None:
    await enters(entering, "anna")
    await enters(entering, "td")
    with pytest.raises(NotAllowed, match="td_only"):
        await entering.parts.app.entries.admin_says(actor(entering, "anna"), 1, Word.QUALIFIES, "me")
    assert "own entry" in await says(entering, "td", "td entry admin", entry=2, says="qualifies", reason="me")
    assert [e.admin_word for e in stored(entering)] == [None, None]
    await decide(entering, "td", "anna")
    late = await says(entering, "td", "td entry admin", entry=1, says="qualifies", reason="late")
    assert "already approved" in late


# --- The window opens by itself -------------------------------------------------------------------------------------

OPENS = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture
async def drafted(tmp_path: Path) -> AsyncIterator[World]:
    """A draft with a day on which registration opens; it is January."""
    async with open_prepared(tmp_path, World.set_up) as world:
        text = shipped_text("2023")
        place = next(entry.number for entry in lines(text) if entry.key == "registration.closes")
        text = with_line(text, place, "closes = 2023-03-12\nopens = 2023-01-29")
        day = datetime.fromisoformat(STARTS).date()
        await world.parts.app.editions.create_from(actor(world, "td"), text, "own.toml", day)
        yield world


def news(world: World) -> list[str]:
    return [m.content for m in world.channel("announcements").history() if "registration is open" in m.content]


async def test_r2_8_registration_opens_by_itself_on_its_day_and_is_announced_once(drafted: World) -> None:
    has_account(drafted, "anna")
    shown = await says(drafted, "td", "td edition show")
    assert "registration opens by itself Sun 1 Feb 00:00 UTC" in shown
    await drafted.move_to(OPENS - SECOND)
    assert "It opens Sun 1 Feb 00:00 UTC" in await says(drafted, "anna", "register", account="anna")
    assert news(drafted) == []
    assert await drafted.parts.app.due.next_moment() == OPENS
    await drafted.restart()
    await drafted.move_to(OPENS)
    await drafted.tick()
    assert len(news(drafted)) == 1
    assert "Show that the account is yours" in await says(drafted, "anna", "register", account="anna")


async def test_r2_8_a_td_may_open_it_before_and_then_nothing_is_announced_twice(drafted: World) -> None:
    await says(drafted, "td", "td edition open")
    await drafted.move_to(OPENS)
    assert len(news(drafted)) == 1
    assert "already open" in await says(drafted, "td", "td edition open")

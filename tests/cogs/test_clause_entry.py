"""Who may enter, as Discord shows it: R2.1-R2.8, with the last second of every cut-off on both sides."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cogs.render.editions import seeds_post
from cogs.render.message import TEXT_LIMIT
from engine.model import EntryState
from engine.rules import shipped_text
from engine.usecases.posts import SEEDS_PER_POST, parts_of
from tests.clauses.stage import says
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
)
from tests.rules.ruleset_text import lines, with_line
from tests.world import World, open_prepared, text_of

MS = timedelta(milliseconds=1)
TOO_NEW_FROM = datetime(2026, 1, 4, tzinfo=UTC)
ONE_SINCE, TWO_SINCE = datetime(2025, 1, 4, tzinfo=UTC), datetime(2023, 1, 4, tzinfo=UTC)


@pytest.fixture
async def entering(tmp_path: Path) -> AsyncIterator[World]:
    """Registration is open; it is January."""
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


@pytest.fixture
async def late(tmp_path: Path) -> AsyncIterator[World]:
    """The seeds are made, and all cut-offs are past."""
    async with open_prepared(tmp_path, seeds_are_made) as world:
        yield world


def lost(world: World, name: str, at: datetime, **fields: Any) -> None:
    """A game that Lichess ended against `name` for cheating."""
    if world.lichess.account("victim") is None:
        world.lichess.add_account("victim")
    world.lichess.add_game("victim", name, created_at=at, winner="white", **{"status": "cheat", **fields})


def played(world: World, name: str, at: datetime, **fields: Any) -> None:
    lost(world, name, at, status="resign", **fields)


# --- Whose account it is ------------------------------------------------------------------------------------------


async def begins(world: World, name: str, account: str, **options: Any) -> Any:
    """`/register`; the message with the code and the buttons."""
    return last(await world.slash(world.person(name), "register", account=account, **options))


async def test_r2_6_an_entry_counts_only_once_it_is_shown_whose_account_it_is(entering: World) -> None:
    has_account(entering, "Anna_L", bio="Chess since 1999")
    asked = await begins(entering, "anna", "https://lichess.org/@/anna_l/all")
    assert "as **Anna\\_L**. Show that the account is yours" in asked.content
    assert "1000 rated antichess games before Sun 15 Mar 2026" in asked.content, "the conditions are told first"
    assert cards(entering, "Anna_L") == []
    code = re.findall(r"`(acwc-\w+)`", asked.content)[0]

    answer = text_of(await presses(entering, "anna", "prove", asked))
    assert (
        f"`{code}` is not in the bio of Anna\\_L: it reads “Chess since 1999”" in answer and "press *Check*" in answer
    )
    entering.lichess.change("anna_l", bio="")
    assert "it is empty" in text_of(await presses(entering, "anna", "prove", asked))
    entering.lichess.change("anna_l", bio=code[:-1])
    assert f"it reads “{code[:-1]}”" in text_of(await presses(entering, "anna", "prove", asked))
    assert entries(entering) == {"anna_l": EntryState.UNPROVEN} and cards(entering, "Anna_L") == []

    entering.lichess.change("anna_l", bio=f"Chess since 1999 {code.upper()}!")
    answer = text_of(await presses(entering, "anna", "prove", asked))
    assert "Anna\\_L is yours ✓" in answer and "Your entry is with the TDs" in answer
    assert "proven by the code in the bio" in card(entering, "Anna_L")


async def test_r2_6_the_code_of_somebody_else_shows_nothing(entering: World) -> None:
    has_account(entering, "shared")
    mine, theirs = await begins(entering, "anna", "shared"), await begins(entering, "bob", "shared")
    code = re.findall(r"`(acwc-\w+)`", mine.content)[0]
    assert code not in theirs.content
    entering.lichess.change("shared", bio=code)
    assert "is not in the bio" in text_of(await presses(entering, "bob", "prove", theirs))
    assert "is yours ✓" in text_of(await presses(entering, "anna", "prove", mine))


async def test_asked_again_the_code_stays_and_another_account_takes_its_place(entering: World) -> None:
    has_account(entering, "anna")
    has_account(entering, "other")
    codes = [(await begins(entering, "anna", name)).content.split("`")[1] for name in ("anna", "ANNA", "other")]
    assert codes[0] == codes[1] != codes[2]
    assert entries(entering) == {"other": EntryState.UNPROVEN}


@pytest.mark.parametrize("name", ["two words", "a/b", "ä", "https://lichess.org/training"])
async def test_what_is_no_name_is_named(entering: World, name: str) -> None:
    entering.person("anna")
    answer = await says(entering, "anna", "register", account=name)
    assert f"“{name}” is not a Lichess name" in answer.replace("\u200b", "") and not entries(entering)


async def test_other_accounts_that_are_none_are_named(entering: World) -> None:
    has_account(entering, "anna")
    entering.person("anna")
    answer = await says(entering, "anna", "register", account="@anna", others="carl, a/b; dora")
    assert "“a/b” is not a Lichess name" in answer and not entries(entering)


# --- R2.1, R2.2 -----------------------------------------------------------------------------------------------------


async def test_r2_1_an_account_made_before_the_day_is_in_order(entering: World) -> None:
    await enters(entering, "anna", created_at=TOO_NEW_FROM - MS)
    assert line(card(entering, "anna"), "Account age").startswith("✓")


async def test_r2_1_an_account_made_on_the_day_is_too_new(entering: World) -> None:
    answer = await enters(entering, "anna", created_at=TOO_NEW_FROM)
    said = "✗ Account age: made Sun 4 Jan 2026, before Sun 4 Jan 2026 is asked (§2.1)"
    assert line(answer, "Account age") == line(card(entering, "anna"), "Account age") == said


async def test_r2_2_a_thousand_rated_games_are_enough(entering: World) -> None:
    await enters(entering, "anna", games=1000)
    assert line(card(entering, "anna"), "Rated games").startswith("✓ Rated games: 1000, 1000 before Sun 15 Mar 2026")
    assert (
        entering.edition() and await decide(entering, "td", "anna") == "anna: approved. The player is told privately."
    )


async def test_r2_2_one_game_less_is_not_yet_enough_and_is_looked_at_again_on_the_day(entering: World) -> None:
    for name in ("anna", "bob"):
        assert "◷ Rated games: 999 so far" in await enters(entering, name, games=999)
    entering.lichess.change("anna", games={"antichess": 1000})
    await entering.move_to(CUT_OFF - SECOND)
    assert line(card(entering, "anna"), "Rated games").startswith("◷")
    await entering.move_to(CUT_OFF)
    assert line(card(entering, "anna"), "Rated games").startswith("✓ Rated games: 1000 of 1000 count")
    assert line(card(entering, "bob"), "Rated games").startswith("✗ Rated games: 999, 1000 before Sun 15 Mar 2026")


async def test_r2_2_after_the_cut_off_games_from_that_moment_on_are_subtracted(late: World) -> None:
    has_account(late, "carl", games=1002)
    for at in (CUT_OFF - MS, CUT_OFF, CUT_OFF + 5 * SECOND):
        played(late, "carl", at)
    assert "✓ Rated games: 1000 of 1002 count" in text_of(await late.enters("carl"))


async def test_r2_2_what_is_left_may_be_too_little(late: World) -> None:
    has_account(late, "carl", games=1002)
    for seconds in range(3):
        played(late, "carl", CUT_OFF + seconds * SECOND)
    played(late, "carl", CUT_OFF, rated=False)
    played(late, "carl", CUT_OFF, variant="atomic")
    assert "✗ Rated games: 999 of 1002 count" in text_of(await late.enters("carl"))


async def test_r2_2_too_few_on_the_profile_fail_at_once(late: World) -> None:
    assert "✗ Rated games: 999, 1000 before Sun 15 Mar 2026 are asked" in await enters(late, "carl", games=999)
    assert not [asked for asked in late.lichess.asked if asked.path == "/api/games/user/carl"]


# --- R2.3, R2.4 -----------------------------------------------------------------------------------------------------


async def test_r2_3_r2_4_a_mark_is_for_a_human(entering: World) -> None:
    await enters(entering, "anna", tos_violation=True)
    text = card(entering, "anna")
    engine, boost = line(text, "Engine mark"), line(text, "Boosting mark")
    assert engine == (
        "⚠ Engine mark: Lichess shows a mark, not which and since when; one after Wed 4 Jan 2023 counts (§2.3)"
    )
    assert boost.startswith("⚠") and "one after Sat 4 Jan 2025 counts (§2.4)" in boost
    assert entries(entering) == {"anna": EntryState.PENDING}, "nothing is decided by it"


async def test_r2_3_r2_4_without_a_mark_nobody_has_to_look(entering: World) -> None:
    await enters(entering, "anna")
    text = card(entering, "anna")
    assert line(text, "Engine mark") == "✓ Engine mark: none (§2.3)"
    assert line(text, "Boosting mark") == "✓ Boosting mark: none (§2.4)"


async def test_r2_3_it_concerns_every_account_of_the_person(entering: World) -> None:
    has_account(entering, "anna")
    has_account(entering, "Old_One", tos_violation=True)
    has_account(entering, "clean")
    asked = await begins(entering, "anna", "anna", others="https://lichess.org/@/Old_One, clean ghost")
    assert "Your other Lichess accounts: Old\\_One, clean, ghost" in asked.content
    await entering.enters("anna")
    found = line(card(entering, "anna"), "Engine mark")
    assert found.startswith("⚠") and "marked or closed: [old\\_one](<https://lichess.org/@/old_one>)" in found
    assert "not found: ghost" in found and "clean" not in found


async def test_r2_3_other_accounts_are_named_by_a_form_too(entering: World) -> None:
    has_account(entering, "anna")
    asked = await begins(entering, "anna", "anna")
    form = await presses(entering, "anna", "name-others", asked)
    answer = await entering.submit(entering.people["anna"], form, "bob https://lichess.org/@/carl ANNA")
    assert "Your other Lichess accounts: bob, carl." in text_of(answer)
    form = await presses(entering, "anna", "name-others", asked)
    answer = await entering.submit(entering.people["anna"], form, " ".join(f"name{n}" for n in range(11)))
    assert "You named 11 other accounts; 10 is the most" in text_of(answer)


async def test_r2_3_an_account_that_was_proven_before_is_looked_at_too(entering: World) -> None:
    await enters(entering, "anna", "marked_one", tos_violation=True)
    question = await entering.slash(entering.people["anna"], "withdraw")
    await presses(entering, "anna", "withdraw", last(question))
    await enters(entering, "anna", "fresh_one")
    assert line(card(entering, "fresh_one"), "Engine mark").startswith(
        "⚠ Engine mark: marked or closed: [marked\\_one]"
    )


# --- R2.5 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moments", "verdict"),
    [
        ([ONE_SINCE], "✗"),
        ([ONE_SINCE - MS], "✓"),
        ([TWO_SINCE, ONE_SINCE - MS], "✗"),
        ([TWO_SINCE - MS, ONE_SINCE - MS], "✓"),
        ([], "✓"),
    ],
)
async def test_r2_5_cheat_detected_games_in_two_windows(entering: World, moments: list[datetime], verdict: str) -> None:
    has_account(entering, "anna")
    for at in moments:
        lost(entering, "anna", at)
    await entering.enters("anna")
    found = line(card(entering, "anna"), "“Cheat detected”")
    counted = [at for at in moments if at >= TWO_SINCE]
    assert found.startswith(f"{verdict} “Cheat detected”: {len(counted)} lost")
    assert found.count("<https://lichess.org/") == len(counted) and found.endswith("(§2.5)")


async def test_r2_5_of_any_variant_rated_or_not_but_only_lost_ones(entering: World) -> None:
    for name, fields in {
        "casual": {"rated": False},
        "blitz": {"variant": "standard"},
        "beaten": {"winner": "black"},
        "resigned": {"status": "resign"},
    }.items():
        has_account(entering, name)
        if entering.lichess.account("victim") is None:
            entering.lichess.add_account("victim")
        about = {"winner": "white", "status": "cheat", **fields}
        entering.lichess.add_game("victim", name, created_at=ONE_SINCE, **about)
        await entering.enters(name)
    marks = {name: line(card(entering, name), "“Cheat")[0] for name in ("casual", "blitz", "beaten", "resigned")}
    assert marks == {"casual": "✗", "blitz": "✗", "beaten": "✓", "resigned": "✓"}


# --- R2.7, R2.8 -----------------------------------------------------------------------------------------------------


async def test_r2_7_a_bot_account_is_refused_at_once(entering: World) -> None:
    has_account(entering, "robot", title="BOT")
    entering.person("robot")
    answer = await says(entering, "robot", "register", account="robot")
    assert "BOT account" in answer and "(§2.7)" in answer
    assert not entries(entering)


async def test_r2_7_an_account_that_becomes_a_bot_fails_its_check(entering: World) -> None:
    has_account(entering, "anna")
    asked = await begins(entering, "anna", "anna")
    entering.lichess.change("anna", title="BOT", bio=asked.content.split("`")[1])
    assert "✗ No BOT: it is one (§2.7)" in text_of(await presses(entering, "anna", "prove", asked))


async def test_r2_7_any_other_title_may_play(entering: World) -> None:
    await enters(entering, "anna", title="GM")
    assert line(card(entering, "anna"), "No BOT").startswith("✓")


async def test_r2_8_an_account_that_closes_before_it_is_shown_or_checked(entering: World) -> None:
    has_account(entering, "anna")
    asked = await begins(entering, "anna", "anna")
    entering.lichess.change("anna", bio=asked.content.split("`")[1], closed=True)
    assert "account anna is closed" in text_of(await presses(entering, "anna", "prove", asked))
    assert entries(entering) == {"anna": EntryState.UNPROVEN}
    has_account(entering, "bob", closed=True)
    entering.person("bob")
    assert "account bob is closed" in await says(entering, "bob", "register", account="bob")


async def test_r2_8_all_passed_is_approved_with_one_press_anything_else_needs_a_reason(entering: World) -> None:
    await enters(entering, "anna")
    assert "anna: approved" in await decide(entering, "td", "anna")
    assert "**Approved** by td." in card(entering, "anna")
    await enters(entering, "bob", tos_violation=True)
    assert "reason is needed" in await decide(entering, "td", "bob", reason=" ")
    assert entries(entering)["bob"] is EntryState.PENDING
    assert "reason is needed" in await says(entering, "td", "td entry approve", entry=2)
    assert "bob: approved" in await decide(entering, "td", "bob", reason="the mark was lifted")
    assert "**Approved** by td. Reason: the mark was lifted" in card(entering, "bob")
    assert "You are in LiAntichess World Cup 2026 as **bob**" in entering.direct_messages(entering.people["bob"])[-1]


async def test_r2_8_a_rejection_says_why_and_the_first_decision_stands(entering: World) -> None:
    await enters(entering, "anna")
    assert "anna: rejected" in await decide(entering, "td", "anna", "reject", "known to share the account")
    assert "Reason: known to share the account" in entering.direct_messages(entering.people["anna"])[-1]
    assert "not accepted. Reason: known to share" in await says(entering, "anna", "hub")
    assert "already rejected. The first decision stands" in await says(entering, "td", "td entry approve", entry=1)


async def test_r2_8_the_same_by_command(entering: World) -> None:
    for name in ("anna", "bob"):
        await enters(entering, name)
    assert "• anna: pending ✓" in await says(entering, "td", "td entry list")
    assert "### Entry: anna" in await says(entering, "td", "td entry review", entry=1)
    assert "anna: approved" in await says(entering, "td", "td entry approve", entry=1)
    assert "bob: rejected" in await says(entering, "td", "td entry reject", entry=2, reason="too many accounts")
    listed = await says(entering, "td", "td entry list")
    assert "• anna: approved" in listed and "• bob: rejected" in listed
    assert "There is no such entry" in await says(entering, "td", "td entry review", entry=99)


async def test_r2_8_a_ruleset_may_ask_for_a_team_and_a_rating(world: World) -> None:
    text = shipped_text("2023")
    place = next(entry.number for entry in lines(text) if entry.key == "entry.bots")
    text = with_line(text, place, 'bots = false\nteam = "antichess-friends"\nmin_rating = 1800')
    await world.parts.app.editions.create_from(
        actor(world, "td"), text, "own.toml", datetime.fromisoformat(STARTS).date()
    )
    await world.slash(world.people["td"], "td edition open")
    has_account(world, "anna", rating=1800)
    world.lichess.set_teams("anna", "antichess-friends")
    answer = text_of(await world.enters("anna"))
    assert line(answer, "Team") == "✓ Team: in [antichess-friends](<https://lichess.org/team/antichess-friends>) (§2.8)"
    assert line(answer, "Rating") == "✓ Rating: 1800, 1800 is asked (§2.8)"
    assert line(await enters(world, "bob", rating=1799), "Rating").startswith("◷ Rating: 1799, 1800 is asked")
    assert line(await enters(world, "carl"), "Team").startswith("◷")
    await world.move_to(CUT_OFF - SECOND)
    assert line(card(world, "bob"), "Rating").startswith("◷")
    await world.move_to(CUT_OFF)
    assert line(card(world, "bob"), "Rating").startswith("✗") and line(card(world, "carl"), "Team").startswith("✗")
    assert line(card(world, "anna"), "Team").startswith("✓")


async def test_r2_8_the_seeds_go_by_rating_then_rated_games_then_name(entering: World) -> None:
    for name, rating, games in (("dora", 2100, 3000), ("carl", 2100, 3000), ("bob", 2100, 1000), ("anna", 2050, 9000)):
        await enters(entering, name, rating=rating, games=games)
        await decide(entering, "td", name)
    answer = await says(entering, "td", "td edition close")
    assert [line.split()[1] for line in answer.splitlines()[1:]] == ["carl", "dora", "bob", "anna"]
    assert [m.content for m in entering.channel("announcements").history()][-1] == (
        "**Seeds 1–4** of LiAntichess World Cup 2026\n1. carl (2100)\n2. dora (2100)\n3. bob (2100)\n4. anna (2050)"
    )


async def test_r2_8_the_longest_list_of_seeds_goes_into_its_posts(entering: World) -> None:
    for name in ("anna", "bob"):
        await enters(entering, name)
        await decide(entering, "td", name)
    view = await entering.parts.app.editions.close(actor(entering, "td"))
    peak = {"half_rating": 5999, "peak": {"rating": 3000, "day": "2022-12-31"}}
    longest = [
        replace(view.entrants[0], id=n, seed=n, name="_" * 20, rating=2999, seeded_by=peak) for n in range(1, 129)
    ]
    view = replace(view, entrants=tuple(longest))
    posts = [seeds_post(view, part).text for part in range(parts_of(128, SEEDS_PER_POST))]
    assert all(len(post) <= TEXT_LIMIT for post in posts), [len(post) for post in posts]
    assert [int(line.split(".")[0]) for post in posts for line in post.splitlines()[1:]] == list(range(1, 129))

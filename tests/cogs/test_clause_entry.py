"""Who may enter and who decides, as Discord shows it: R1.2, R2.1, R2.2, R2.6, R2.7, R2.8, Q54."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import discord
import pytest

from engine.model import EntryState, Registration
from tests.clauses.stage import says
from tests.world import LONG_AGO, World, custom_ids, text_of

STARTS = "2026-03-22"
# 2023's own first day was 19 March: everything has moved by 157 weeks, the account's latest day too.
TOO_NEW_FROM = datetime(2026, 1, 4, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
async def entering(world: World) -> World:
    """Registration is open."""
    await world.slash(world.people["td"], "td edition create", starts=STARTS, ruleset="2023")
    await world.slash(world.people["td"], "td edition open")
    return world


async def enters(world: World, name: str, account: str | None = None, **lichess: object) -> str:
    """Registers `name` with an account that is made for it; the answer."""
    facts = {"rating": 2000, "games": 5000, "created_at": LONG_AGO, **lichess}
    world.lichess.add_account(account or name, **facts)  # type: ignore[arg-type]
    world.person(name)
    return await says(world, name, "register", account=account or name)


def entry_card(world: World) -> str:
    return world.channel("directors").last_message.content


def entries(world: World) -> dict[str, EntryState]:
    return {e.lichess_id: e.state for e in world.parts.db.read_sync(lambda reader: reader.find(Registration))}


async def decide(world: World, who: str, verb: str = "approve") -> str:
    """Presses a button of the newest card in the directors' channel."""
    message = world.channel("directors").last_message
    button = next(id for id in custom_ids(message) if f":{verb}:" in id)
    return text_of(await world.click(world.people[who], message, button))


# --- R2: the account --------------------------------------------------------------------------------------------


async def test_r2_1_an_account_made_before_the_day_is_in_order(entering: World) -> None:
    await enters(entering, "anna", created_at=TOO_NEW_FROM - SECOND)
    assert "No flags." in entry_card(entering)


async def test_r2_1_an_account_made_on_the_day_is_shown_to_the_tds(entering: World) -> None:
    await enters(entering, "anna", created_at=TOO_NEW_FROM)
    assert "account too new (§2.1)" in entry_card(entering)


async def test_r2_2_a_thousand_rated_games_are_enough(entering: World) -> None:
    await enters(entering, "anna", games=1000)
    assert "1000 rated antichess games (needs 1000)" in entry_card(entering) and "No flags." in entry_card(entering)


async def test_r2_2_one_game_less_is_shown_to_the_tds(entering: World) -> None:
    await enters(entering, "anna", games=999)
    assert "too few rated games (§2.2)" in entry_card(entering)


async def test_r2_6_a_person_enters_with_one_account(entering: World) -> None:
    await enters(entering, "anna")
    answer = await enters(entering, "anna", "anna_too")
    assert "already registered as anna" in answer and "(§2.6)" in answer
    assert set(entries(entering)) == {"anna"}


async def test_r2_6_an_account_is_entered_once_however_it_is_written(entering: World) -> None:
    await enters(entering, "anna")
    entering.person("bob")
    answer = await says(entering, "bob", "register", account="ANNA")
    assert "already registered by somebody else" in answer and "(§2.6)" in answer
    assert set(entries(entering)) == {"anna"}


async def test_r2_7_a_bot_account_is_refused_at_once(entering: World) -> None:
    answer = await enters(entering, "robot", title="BOT")
    assert "BOT account" in answer and "(§2.7)" in answer
    assert not entries(entering)


async def test_r2_7_any_other_title_may_play(entering: World) -> None:
    await enters(entering, "anna", title="GM")
    assert set(entries(entering)) == {"anna"}


async def test_r2_8_the_seeds_go_by_rating_then_rated_games_then_name(entering: World) -> None:
    for name, rating, games in (("dora", 2100, 3000), ("carl", 2100, 3000), ("bob", 2100, 1000), ("anna", 2050, 9000)):
        await enters(entering, name, rating=rating, games=games)
        await decide(entering, "td")
    answer = await says(entering, "td", "td edition close")
    assert [line.split()[1] for line in answer.splitlines()[1:]] == ["carl", "dora", "bob", "anna"]


# --- R1.2: the tournament directors -----------------------------------------------------------------------------


def moderator(world: World) -> str:
    """Somebody who sees every channel and may do everything on Discord, but is no TD."""
    powers = discord.Permissions(administrator=True)
    world.person("mod", world.guild.create_role("Moderator", permissions=powers))
    return "mod"


async def test_r1_2_only_a_td_decides_an_entry(entering: World) -> None:
    await enters(entering, "anna")
    assert "Only a tournament director" in await decide(entering, moderator(entering))
    assert entries(entering) == {"anna": EntryState.PENDING}
    await decide(entering, "td")
    assert entries(entering) == {"anna": EntryState.APPROVED}


async def test_r1_2_only_a_td_may_run_an_edition(world: World) -> None:
    assert "Only a tournament director" in await says(world, moderator(world), "td edition create", starts=STARTS)
    assert "is drafted" in await says(world, "td", "td edition create", starts=STARTS)


async def test_r1_2_q54_a_td_does_not_decide_the_own_entry(entering: World) -> None:
    await enters(entering, "td")
    assert "another TD has to decide it" in await decide(entering, "td")
    assert entries(entering) == {"td": EntryState.PENDING}
    entering.person("second", entering.guild.roles["World Cup TD"])
    await decide(entering, "second")
    assert entries(entering) == {"td": EntryState.APPROVED}


async def test_q54_a_td_who_plays_does_not_see_the_own_pairing_first(entering: World) -> None:
    entering.person("second", entering.guild.roles["World Cup TD"])
    for name in ("anna", "td", "carl", "dora"):
        await enters(entering, name, rating={"anna": 2300, "td": 2200, "carl": 2100, "dora": 2000}[name])
        await decide(entering, "second")
    await entering.slash(entering.people["second"], "td edition close")
    assert "td (2) – dora (4)" in await says(entering, "second", "td round preview")
    own = await says(entering, "td", "td round preview")
    assert "your own match" in own and "dora" not in own and "anna (1) – carl (3)" in own

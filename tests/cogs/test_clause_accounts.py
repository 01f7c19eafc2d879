"""What becomes of the players' accounts during the event, as TDs meet it: R7.3 (the hourly watch), R8.1, R8.2 by its
button, Q55 (another account, another name).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord

from engine.facts import AccountChanged, EntrantLeft, Exit, MatchPlayed, decode
from engine.model import AccountSeen
from engine.tournament import ResultKind
from engine.usecases.context import load_event
from tests.clauses.stage import agree, offer_enough, said, says, thread
from tests.cogs.test_clause_terms import desk, director, facts, posts_with, press, recorded
from tests.world import LONG_AGO, World, custom_ids, text_of

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
LOOKS = "An account looks different:"
REASON = "Lichess confirms the mark."


def notices(world: World) -> list[str]:
    return [m.content for m in world.channel("directors").history() if LOOKS in m.content]


def looks(world: World) -> int:
    """How often all players were asked for at once."""
    return sum(asked.path == "/api/users" for asked in world.lichess.asked)


def entrant(world: World, name: str) -> int:
    def find(reader: Any) -> int:
        event = load_event(reader, world.parts.app.desk.folds, world.edition().id)
        return next(id for id, one in event.entered.items() if one.lichess_id == name)

    return world.parts.db.read_sync(find)


def loaded(world: World) -> Any:
    return world.parts.db.read_sync(lambda r: load_event(r, world.parts.app.desk.folds, world.edition().id))


def new_account(world: World, name: str, **fields: Any) -> None:
    world.lichess.add_account(name, **{"rating": 2000, "games": 5000, "created_at": LONG_AGO} | fields)


# --- R7.3: the watch ------------------------------------------------------------------------------------------------


async def test_r7_3_the_accounts_are_looked_at_once_an_hour_also_over_restarts(event: World) -> None:
    last = max(row.seen_at for row in event.parts.db.read_sync(lambda reader: reader.find(AccountSeen)))
    await event.jump_to(last + HOUR - SECOND)
    await event.restart()
    await event.tick()
    before = looks(event)
    await event.jump_to(last + HOUR)
    await event.tick()
    await event.tick()
    await event.restart()
    await event.tick()
    assert looks(event) == before + 1 and not notices(event)


async def test_r7_3_a_new_mark_is_one_notice_to_the_tds_over_restarts(event: World) -> None:
    event.lichess.change("anna", tos_violation=True)
    await event.move(hours=1)
    (notice,) = notices(event)
    assert "anna: Lichess has **marked** it" in notice and "(§7.3)" in notice
    await event.restart()
    await event.move(hours=3)
    assert notices(event) == [notice]


async def test_r7_3_a_mark_that_was_there_at_the_entry_is_not_told_again(world: World) -> None:
    td = world.people["td"]
    await world.slash(td, "td edition create", starts="2026-03-22", ruleset="2023")
    await world.slash(td, "td edition open")
    for name in ("anna", "bob"):
        new_account(world, name, tos_violation=name == "anna")
        await world.enters(name)
        await press(
            world, "td", world.channel("directors"), ":approve:", *(["It was lifted."] if name == "anna" else [])
        )
    await world.slash(td, "td edition close")
    await world.move(hours=2)
    assert not notices(world)


async def test_r7_3_while_lichess_is_away_nothing_is_told_and_nothing_is_lost(event: World) -> None:
    event.lichess.down = True
    event.lichess.change("anna", closed=True)
    await event.move(hours=2)
    assert not notices(event)
    await event.restart()
    event.lichess.down = False
    await event.move(minutes=6)
    (notice,) = notices(event)
    assert "anna: it is **closed** now" in notice


async def test_r7_3_an_answer_that_is_cut_tells_nothing(event: World) -> None:
    for fault in ("cut", "502", "html"):
        event.lichess.fail_next(fault, times=20, on="/api/users")
        await event.move(hours=1)
        assert not notices(event)
        event.lichess.heal()


async def test_r7_3_q44f_a_closed_account_is_told_and_told_again_when_it_is_open(event: World) -> None:
    event.lichess.change("anna", closed=True)
    await event.move(hours=1)
    event.lichess.change("anna", closed=False)
    await event.move(hours=1)
    closed, opened = notices(event)
    assert (
        "**marked**" not in closed and "neither a mark nor a withdrawal" in closed and "it is **open** again" in opened
    )
    assert facts(event, EntrantLeft) == []


async def test_r7_3_a_mark_that_is_gone_is_told(event: World) -> None:
    for marked in (True, False):
        event.lichess.change("anna", tos_violation=marked)
        await event.move(hours=1)
    assert "the mark of Lichess is **gone**" in notices(event)[-1]


async def test_r7_3_r8_1_the_button_opens_the_ruling_and_goes_when_it_is_made(event: World) -> None:
    event.lichess.change("anna", tos_violation=True)
    await event.move(hours=1)
    answer = await press(event, "td", event.channel("directors"), ":disqualify:", "Booster", REASON)
    assert "anna is disqualified (booster)" in answer
    (left,) = facts(event, EntrantLeft)
    assert (left.exit, left.ground) == (Exit.DISQUALIFIED, "booster")
    assert not posts_with(event.channel("directors"), ":disqualify:")
    assert "The player is out of the event." in notices(event)[0]
    assert "disqualified (boosting" in event.direct_messages(event.people["anna"])[-1]
    assert loaded(event).tournament.results[1].kind is ResultKind.WALKOVER


async def test_r8_2_the_ground_engine_reaches_back_and_undo_gives_it_back(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, "aaaaaa")
    await event.move_to(at + HOUR)
    await says(event, "anna", "report")
    event.lichess.change("anna", tos_violation=True)
    await event.move(hours=1)
    await press(event, "td", event.channel("directors"), ":disqualify:", "engine", REASON)
    assert loaded(event).tournament.results[1].kind is ResultKind.ADJUDICATED
    (ruling,) = [fact for fact in recorded(event) if isinstance(decode(fact), EntrantLeft)]
    await event.parts.app.rulings.undo(director(event), ruling.id, "The mark was lifted.")
    await event.tick()
    assert loaded(event).tournament.results[1].kind is ResultKind.PLAYED
    assert posts_with(event.channel("directors"), ":disqualify:")


async def test_r7_2_who_is_found_guilty_is_out_and_what_was_played_stays(event: World) -> None:
    """A game that Lichess ended for cheating is no verdict yet; the TDs judge, here in the middle of the match."""
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, "ab")
    event.lichess.add_game("carl", "anna", created_at=at + timedelta(minutes=20), status="cheat", winner="white")
    await event.move_to(at + timedelta(minutes=30))
    await says(event, "carl", "report")
    assert facts(event, EntrantLeft) == [] and posts_with(event.channel("directors"), ":rule-game:")
    anna = entrant(event, "anna")
    answer = await says(event, "td", "td-player disqualify", player=anna, ground="guilty", reason="All of us agree.")
    assert "disqualified (guilty)" in answer
    (ruling,) = [fact for fact in recorded(event) if isinstance(decode(fact), EntrantLeft)]
    assert ruling.clause == "R7.2" and not loaded(event).tournament.is_in(anna)
    result = loaded(event).tournament.results[1]
    assert (result.kind, result.a, result.b) == (ResultKind.WALKOVER, 0, 2)
    assert "disqualified" in event.direct_messages(event.people["anna"])[-1]


async def test_r7_3_a_wrong_ground_and_a_second_ruling_are_refused_with_words(event: World) -> None:
    event.lichess.change("anna", tos_violation=True)
    await event.move(hours=1)
    refused = await press(event, "td", event.channel("directors"), ":disqualify:", "bad hair", REASON)
    assert "“bad hair” is no ground" in refused and "second account" in refused
    notice = posts_with(event.channel("directors"), ":disqualify:")[-1]
    shown = await event.click(event.people["td"], notice, next(id for id in custom_ids(notice) if "disqualify" in id))
    again = await event.click(event.people["td"], notice, next(id for id in custom_ids(notice) if "disqualify" in id))
    assert "disqualified (engine)" in text_of(await event.submit(event.people["td"], shown, "eng", REASON))
    assert "is out of the event already" in text_of(await event.submit(event.people["td"], again, "engine", REASON))
    assert len(facts(event, EntrantLeft)) == 1


async def test_q54_a_td_who_plays_does_not_rule_about_the_own_opponent(event: World) -> None:
    event.guild._guild.members[event.people["carl"].id].role_ids.append(event.guild.roles["World Cup TD"].id)
    answer = await says(
        event, "carl", "td-player disqualify", player=entrant(event, "anna"), ground="engine", reason=REASON
    )
    assert "opponent of an open match" in answer and facts(event, EntrantLeft) == []


async def test_q55_another_display_name_is_shown_from_then_on_and_the_id_stays(event: World) -> None:
    event.lichess.change("anna", name="ANNA")
    await event.move(hours=1)
    (notice,) = notices(event)
    assert "it was shown as anna until now; the player is shown as ANNA" in notice
    assert facts(event, AccountChanged) == [AccountChanged(entrant(event, "anna"), "anna", "ANNA")]
    assert "ANNA" in thread(event, "carl").history()[0].content
    await event.restart()
    await event.move(hours=2)
    assert len(notices(event)) == 1


# --- Q55: another account -------------------------------------------------------------------------------------------


async def change(world: World, account: str = "anna_new") -> str:
    return await says(world, "td", "td-player account", player=entrant(world, "anna"), account=account)


async def test_q55_a_checked_account_is_taken_and_games_of_each_count_in_its_period(event: World) -> None:
    new_account(event, "anna_new")
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at, "aaa")
    assert "checks of anna\\_new begin" in await change(event)
    card = posts_with(event.channel("directors"), ":take-account:")[-1]
    assert "✓ Account open" in card.content and "Take this account" in str(card.components)
    await event.move_to(at + timedelta(minutes=20))
    seeds = loaded(event).championship.seeds
    answer = await press(event, "td", event.channel("directors"), ":take-account:", "Locked out of the old one.")
    assert "anna plays as" in answer and "waived" not in answer
    assert "✓ **In force:**" in desk(event)
    assert "you play as **anna\\_new**" in event.direct_messages(event.people["anna"])[-1]
    opponent = event.direct_messages(event.people["carl"])[-1]
    assert "plays with another account" in opponent and "**anna\\_new** <https://lichess.org/@/anna_new>" in opponent
    assert loaded(event).championship.seeds == seeds
    # Of the old account what was begun before counts, of the new one what came after; the rest does not.
    event.lichess.play_match("anna", "carl", event.clock.now() + timedelta(minutes=1), "b")
    event.lichess.play_match("anna_new", "carl", event.clock.now() + timedelta(minutes=5), "aaa")
    await event.restart()
    await event.move(hours=1)
    assert "6–0" in await says(event, "carl", "report") or facts(event, MatchPlayed)
    (played,) = facts(event, MatchPlayed)
    assert len(played.games) == 6
    assert "anna\\_new" in said(event.channel("results"))


async def test_q55_the_change_is_taken_back_like_any_ruling(event: World) -> None:
    new_account(event, "anna_new")
    await change(event)
    await press(event, "td", event.channel("directors"), ":take-account:", "Locked out.")
    (fact,) = [fact for fact in recorded(event) if isinstance(decode(fact), AccountChanged)]
    await event.parts.app.rulings.undo(director(event), fact.id, "She is back in the old one.")
    await event.tick()
    assert loaded(event).name(entrant(event, "anna")) == "anna"
    assert posts_with(event.channel("directors"), ":take-account:")
    assert "you play as **anna** from now on" in event.direct_messages(event.people["anna"])[-1]


async def test_q55_what_is_not_passed_is_waived_with_a_reason_that_is_recorded(event: World) -> None:
    new_account(event, "anna_new", games=10)
    await change(event)
    card = posts_with(event.channel("directors"), ":take-account:")[-1]
    assert "✗ Rated games" in card.content and "Waive the checks" in str(card.components)
    answer = await press(event, "td", event.channel("directors"), ":take-account:", "We know her well.")
    assert "the checks of the account are waived" in answer
    assert facts(event, AccountChanged)[0].waived and "We know her well." in desk(event)


async def test_q55_the_check_goes_on_after_a_restart_and_lichess_away(event: World) -> None:
    new_account(event, "anna_new")
    event.lichess.fail_next("502", times=40, on="/api/games/user")
    await change(event)
    assert "The check goes on" in desk(event) and "I go on by myself" in desk(event)
    event.lichess.heal()
    await event.restart()
    await event.move(minutes=1)
    card = posts_with(event.channel("directors"), ":take-account:")[-1]
    assert "The check goes on" not in card.content and "Take this account" in str(card.components)


async def test_q55_accounts_that_cannot_be_taken(event: World) -> None:
    new_account(event, "robot", title="BOT")
    new_account(event, "gone", closed=True)
    assert "no account" in (await change(event, "nobody_at_all")).lower()
    assert "BOT" in await change(event, "robot")
    assert "closed" in await change(event, "gone")
    assert "of bob in this event" in await change(event, "https://lichess.org/@/BOB")
    assert "has the account Anna already" in await change(event, "Anna")
    assert not posts_with(event.channel("directors"), ":take-account:")


async def test_q55_r2_6_an_old_account_stays_linked(event: World) -> None:
    """A mark on either counts, and nobody else can have it."""
    new_account(event, "anna_new")
    await change(event)
    await press(event, "td", event.channel("directors"), ":take-account:", "Locked out.")
    refused = await says(event, "td", "td-player account", player=entrant(event, "bob"), account="anna")
    assert "the account of anna\\_new in this event" in refused
    event.lichess.change("anna", tos_violation=True)
    await event.move(hours=1)
    assert "anna, an account of anna\\_new: Lichess has **marked** it" in notices(event)[-1]


# --- Membership of the server ---------------------------------------------------------------------------------------

LEFT = "A player has left the server:"


async def test_q44f_a_player_who_leaves_the_server_is_flagged_once_and_stays_in(event: World) -> None:
    await offer_enough(event, "anna")
    event.guild.remove_member(event.people["anna"])
    await event.move(hours=1)
    await event.restart()
    await event.move(hours=3)
    assert desk(event).count(LEFT) == 1 and "anna, noticed" in desk(event)
    assert loaded(event).tournament.is_in(entrant(event, "anna"))


async def test_q44f_who_comes_back_is_told_and_the_flag_goes(event: World) -> None:
    event.guild.remove_member(event.people["anna"])
    await event.move(hours=1)
    event.people["anna"] = event.guild.add_member(event.users[event.people["anna"].id])
    await event.move(hours=1)
    assert LEFT not in desk(event) and "✓ **Back in the server:** anna" in desk(event)
    told = [text for text in event.direct_messages(event.people["anna"]) if "Good to have you back" in text]
    assert len(told) == 1 and "still in" in told[0]


async def test_q44f_who_types_a_command_is_back_at_once(event: World) -> None:
    event.guild.remove_member(event.people["anna"])
    await event.move(hours=1)
    event.people["anna"] = event.guild.add_member(event.users[event.people["anna"].id])
    await says(event, "anna", "hub")
    assert "✓ **Back in the server:** anna" in desk(event)


# --- The role of the players ----------------------------------------------------------------------------------------

PLAYER = "World Cup Player"


async def has_role(event: World, name: str) -> bool:
    return event.guild.roles[PLAYER].id in await roles_of(event, name)


async def roles_of(event: World, name: str) -> set[int]:
    found = await event.parts.bot.http.get_member(event.guild.id, event.people[name].id)
    return {int(role) for role in found["roles"]}


async def test_who_plays_has_the_role_and_who_is_out_loses_it(event: World) -> None:
    await event.tick()
    assert await has_role(event, "anna") and not await has_role(event, "td")
    await says(event, "td", "td-player disqualify", player=entrant(event, "anna"), ground="booster", reason="marked")
    await event.move(hours=1)
    assert not await has_role(event, "anna") and await has_role(event, "bob")


async def test_q44f_who_comes_back_gets_the_role_again(event: World) -> None:
    event.guild.remove_member(event.people["anna"])
    await event.move(hours=1)
    event.people["anna"] = event.guild.add_member(event.users[event.people["anna"].id])
    assert not await has_role(event, "anna")
    await event.restart()
    await says(event, "anna", "hub")
    await event.tick()
    assert await has_role(event, "anna")


async def test_a_role_that_cannot_be_given_is_said_and_comes_when_it_can(event: World) -> None:
    await event.tick()
    role = event.guild.roles[PLAYER]
    for name in ("anna", "bob"):
        await event.parts.bot.http.remove_role(event.guild.id, event.people[name].id, role.id)
    path = f"/guilds/{event.guild.id}/members/{event.people['anna'].id}/roles/{role.id}"
    event.env.inject_error("PUT", path, status=403, code=50013, times=1)
    await event.move(hours=1)
    assert not await has_role(event, "anna") and await has_role(event, "bob"), "the others get theirs"
    await event.move(hours=1)
    assert await has_role(event, "anna")


async def test_setup_refuses_a_role_that_would_make_players_mightier(event: World) -> None:
    mighty = event.guild.create_role("Mods", permissions=discord.Permissions(kick_members=True))
    answer = text_of(await event.slash(event.owner, "td setup", player_role=mighty))
    assert "Mods cannot be the role of the players" in answer
    plain = event.guild.create_role("Cup 2026")
    assert "**Set up.**" in text_of(await event.slash(event.owner, "td setup", player_role=plain))
    await event.move(hours=1)
    assert plain.id in await roles_of(event, "anna")

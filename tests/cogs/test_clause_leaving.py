"""A player leaves the event, by `/withdraw` or by a TD, and is let in again: R8.1, R8.3, R8.4, Q29, Q44d, Q44e, Q49.

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Conflict
from engine.facts import (
    CountedGame,
    EntrantLeft,
    EntrantReturned,
    Exit,
    MatchBegun,
    MatchRuled,
    decode,
)
from engine.model import Authority, Note, Stage
from engine.tournament import ResultKind
from tests.clauses.stage import pairs_of, said, says, settle
from tests.cogs.entering import actor, last, presses, seeds_are_made
from tests.cogs.later import adds, begins
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_terms import desk, facts, recorded
from tests.world import World, open_prepared, text_of

REASON = "Wrote that the spring is too full."


@pytest.fixture
async def seeded(tmp_path: Path) -> AsyncIterator[World]:
    """anna and bob have seeds, no round is out."""
    async with open_prepared(tmp_path, seeds_are_made) as world:
        yield world


async def asks(world: World, who: str) -> Any:
    """The question of `/withdraw`, with its button."""
    return last(await world.slash(world.people[who], "withdraw"))


async def leaves(world: World, who: str) -> str:
    return text_of(await presses(world, who, "leave-event", await asks(world, who)))


def left(world: World) -> list[EntrantLeft]:
    return facts(world, EntrantLeft)


def is_in(world: World, name: str) -> bool:
    return loaded(world).tournament.is_in(entrant(world, name))


async def pools_begin(world: World) -> list[int]:
    await settle(world, 1, "anna", "bob")
    return await begins(world, Stage.CANDIDATES, ("upper", "anna", "bob"), ("lower", "carl", "dora"))


# --- /withdraw ------------------------------------------------------------------------------------------------------


async def test_r8_1_withdraw_says_first_what_it_does_and_then_does_it(event: World) -> None:
    question = await asks(event, "anna")
    assert "about to leave LiAntichess World Cup 2026, where you play as **anna**" in question.content
    assert "not paired again (§8.1)" in question.content
    assert "Your open match against carl is won by carl" in question.content
    assert "Only a TD can let you in again" in question.content
    assert left(event) == [], "the question alone changes nothing"
    answer = text_of(await presses(event, "anna", "leave-event", question))
    assert "You have left LiAntichess World Cup 2026; the TDs are told" in answer
    assert left(event) == [EntrantLeft(entrant(event, "anna"), Exit.WITHDRAWN)]
    assert loaded(event).tournament.results[1].kind is ResultKind.WALKOVER
    assert "**Withdrawal** by anna" in desk(event) and "anna has withdrawn." in desk(event)
    assert "only they can let you in again" in event.direct_messages(event.people["anna"])[-1]
    assert "carl" in said(event.channel("results"))
    await settle(event, 1, "bob", but="anna")
    await event.move(days=9)
    assert "anna" not in str(pairs_of(event, 2))


async def test_r8_1_it_stands_on_the_word_of_the_player_with_a_text_of_ours(event: World) -> None:
    await leaves(event, "anna")
    (fact,) = [fact for fact in recorded(event) if isinstance(decode(fact), EntrantLeft)]
    note = event.parts.db.read_sync(lambda reader: reader.get(Note, fact.reason_note_id))
    person = loaded(event).entrants[entrant(event, "anna")].person_id
    assert (fact.authority, fact.author_id, fact.clause) == (Authority.PLAYER, person, "R8.1")
    assert note.text == "withdrawn by the player"


async def test_r8_1_before_the_first_round_there_is_nothing_to_lose(seeded: World) -> None:
    question = await asks(seeded, "anna")
    assert "You are in no pairings" in question.content and "open match" not in question.content
    assert "You have left" in text_of(await presses(seeded, "anna", "leave-event", question))
    assert not is_in(seeded, "anna")


async def test_r8_1_who_has_left_does_not_come_back_by_another_entry(seeded: World) -> None:
    await leaves(seeded, "anna")
    answer = await says(seeded, "anna", "register", account="anna")
    assert answer.startswith("To come back, write to the TDs: you are out of LiAntichess World Cup 2026 already")
    assert "To come back, write to the TDs" in await says(seeded, "anna", "hub")


async def test_r8_1_pressed_twice_it_is_one_withdrawal_and_says_what_to_do(event: World) -> None:
    question = await asks(event, "anna")
    await presses(event, "anna", "leave-event", question)
    again = text_of(await presses(event, "anna", "leave-event", question))
    assert "you are out of LiAntichess World Cup 2026 already (you have withdrawn)" in again
    assert "write to the TDs" in again
    assert "already (you have withdrawn)" in await says(event, "anna", "withdraw")
    assert len(left(event)) == 1


async def test_r8_1_two_presses_at_once_are_one_withdrawal(event: World) -> None:
    use_case = event.parts.app.withdrawals
    seen = await use_case.ask(actor(event, "anna"))
    assert seen is not None
    done = await asyncio.gather(
        *(use_case.leave(actor(event, "anna"), seen.asked) for _ in range(2)), return_exceptions=True
    )
    assert sorted(isinstance(one, Conflict) for one in done) == [False, True] and len(left(event)) == 1


async def test_r8_1_after_a_disqualification_it_says_so(event: World) -> None:
    question = await asks(event, "anna")
    anna = entrant(event, "anna")
    await says(event, "td", "td-player disqualify", player=anna, ground="conduct", reason=REASON)
    answer = text_of(await presses(event, "anna", "leave-event", question))
    assert "out of LiAntichess World Cup 2026 already (disqualified" in answer
    assert [one.exit for one in left(event)] == [Exit.DISQUALIFIED]


async def test_r8_1_the_button_takes_out_whoever_presses_it_and_nobody_else(event: World) -> None:
    """Another player, and somebody who is no player, with what the button of anna says."""
    use_case = event.parts.app.withdrawals
    event.person("guest")
    seen = await use_case.ask(actor(event, "anna"))
    assert seen is not None
    with pytest.raises(Conflict, match="withdraw_anew"):
        await use_case.leave(actor(event, "guest"), seen.asked)
    for forged in ("", "1", f"{entrant(event, 'anna')}-1-1"):
        with pytest.raises(Conflict, match="withdraw_anew"):
            await use_case.leave(actor(event, "bob"), forged)
    assert left(event) == []
    await use_case.leave(actor(event, "bob"), seen.asked)
    assert is_in(event, "anna") and not is_in(event, "bob")
    assert "have no entry" in await says(event, "guest", "withdraw")


async def test_r8_1_a_question_from_before_a_round_is_asked_again(event: World) -> None:
    question = await asks(event, "anna")
    await settle(event, 1, "anna", "bob")
    await event.move(days=9)
    assert "Type `/withdraw` again" in text_of(await presses(event, "anna", "leave-event", question))
    assert left(event) == [] and is_in(event, "anna")
    await event.restart()
    assert "You have left" in await leaves(event, "anna")


# --- What it says in the later stages -------------------------------------------------------------------------------


async def test_r8_3_in_the_candidates_all_pool_matches_are_disregarded(event: World) -> None:
    upper, _ = await pools_begin(event)
    question = await asks(event, "anna")
    assert "are disregarded, those played too" in question.content and "(§8.3)" in question.content
    assert "§8.1" not in question.content
    await presses(event, "anna", "leave-event", question)
    assert loaded(event).tournament.results[upper].kind is ResultKind.DISREGARDED
    assert [fact.clause for fact in recorded(event) if isinstance(decode(fact), EntrantLeft)] == ["R8.3"]


async def test_q49_after_the_own_last_pool_match_the_results_stay_and_it_says_so(event: World) -> None:
    upper, _ = await pools_begin(event)
    await adds(event, MatchRuled(upper, 2, 0, played=True))
    question = await asks(event, "anna")
    assert "Your results stay" in question.content and "disregarded" not in question.content
    await presses(event, "anna", "leave-event", question)
    assert loaded(event).tournament.results[upper].kind is ResultKind.RULED


async def test_r8_4_q51_a_begun_semifinal_is_won_by_the_opponent(event: World) -> None:
    upper, lower = await pools_begin(event)
    await adds(event, MatchRuled(upper, 2, 0, played=True), MatchRuled(lower, 2, 0, played=True))
    first, _ = await begins(event, Stage.SEMIFINALS, ("semifinal_1", "anna", "dora"), ("semifinal_2", "bob", "carl"))
    await adds(event, MatchBegun(first, (CountedGame("abcdefgh", 2),)))
    question = await asks(event, "anna")
    assert "Your open match against dora is won by dora" in question.content
    assert "disregarded" not in question.content
    await presses(event, "anna", "leave-event", question)
    assert [fact.clause for fact in recorded(event) if isinstance(decode(fact), EntrantLeft)] == ["R8.4"]


async def test_r8_4_before_a_game_the_players_below_move_up(event: World) -> None:
    upper, lower = await pools_begin(event)
    await adds(event, MatchRuled(upper, 2, 0, played=True), MatchRuled(lower, 2, 0, played=True))
    await begins(event, Stage.SEMIFINALS, ("semifinal_1", "anna", "dora"), ("semifinal_2", "carl", "bob"))
    question = await asks(event, "anna")
    assert "Players below you move up into your place (§8.4)" in question.content
    assert "is won by" not in question.content


# --- By a TD, and in again ------------------------------------------------------------------------------------------


async def test_r8_1_a_td_withdraws_a_player_who_has_left_the_server(event: World) -> None:
    event.guild.remove_member(event.people["anna"])
    answer = await says(event, "td", "td-player withdraw", player=entrant(event, "anna"), reason=REASON)
    assert "anna has withdrawn." in answer
    assert left(event) == [EntrantLeft(entrant(event, "anna"), Exit.WITHDRAWN)]
    assert "**Ruling** by td" in desk(event) and REASON in desk(event)
    again = await says(event, "td", "td-player withdraw", player=entrant(event, "anna"), reason=REASON)
    assert "anna is out of the event already" in again and len(left(event)) == 1


async def test_q54_a_td_who_plays_withdraws_neither_the_opponent_nor_reinstates_himself(event: World) -> None:
    event.guild._guild.members[event.people["carl"].id].role_ids.append(event.guild.roles["World Cup TD"].id)
    answer = await says(event, "carl", "td-player withdraw", player=entrant(event, "anna"), reason=REASON)
    assert "opponent of an open match" in answer and left(event) == []
    await leaves(event, "carl")
    answer = await says(event, "carl", "td-player reinstate", player=entrant(event, "carl"), reason=REASON)
    assert "about yourself" in answer and not is_in(event, "carl")


async def reinstate(world: World, who: str) -> str:
    return await says(world, "td", "td-player reinstate", player=entrant(world, who), reason="Wants to go on.")


async def test_r8_1_before_the_next_pairings_a_reinstated_player_has_the_match_again(event: World) -> None:
    await leaves(event, "anna")
    answer = await reinstate(event, "anna")
    assert "Taken back: anna has withdrawn." in answer
    assert is_in(event, "anna") and 1 not in loaded(event).tournament.results
    assert "in LiAntichess World Cup 2026 again" in event.direct_messages(event.people["anna"])[-1]
    assert "anna is in the event" in await reinstate(event, "anna")
    assert "You have left" in await leaves(event, "anna"), "and may leave again"


async def test_q29_after_the_next_pairings_what_was_lost_by_leaving_stays_lost(event: World) -> None:
    await leaves(event, "anna")
    await settle(event, 1, "bob", but="anna")
    await event.move(days=9)
    assert "anna is back in the event." in await reinstate(event, "anna")
    assert facts(event, EntrantReturned) == [EntrantReturned(entrant(event, "anna"))]
    assert is_in(event, "anna") and loaded(event).tournament.results[1].kind is ResultKind.WALKOVER


async def test_q44d_a_disqualification_is_taken_back_with_what_it_did(event: World) -> None:
    await settle(event, 1, "anna", "bob")
    anna = entrant(event, "anna")
    await says(event, "td", "td-player disqualify", player=anna, ground="engine", reason=REASON)
    await event.move(days=9)
    assert loaded(event).tournament.results[1].kind is ResultKind.ADJUDICATED
    assert "Taken back: anna is disqualified" in await reinstate(event, "anna")
    assert is_in(event, "anna") and loaded(event).tournament.results[1].kind is ResultKind.RULED


async def test_q44e_who_is_out_by_two_forfeits_comes_back_when_one_is_lifted(event: World) -> None:
    anna, first = entrant(event, "anna"), 1
    await adds(event, MatchRuled(first, 0, 2, (anna,), forfeit="no_show"))
    await settle(event, 1, "bob", but="anna")
    await event.move(days=9)
    second = next(m.id for m in loaded(event).matches.values() if m.has(anna) and m.id != first)
    await adds(event, MatchRuled(second, 0, 2, (anna,), forfeit="no_show"))
    await settle(event, 2, but="anna")
    await event.move(days=7)
    assert not is_in(event, "anna")
    assert "the forfeit of anna no longer counts" in await reinstate(event, "anna")
    await event.move(days=7)
    assert is_in(event, "anna"), "and the rule does not take them out again"

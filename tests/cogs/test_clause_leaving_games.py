"""A player leaves while a match is being played: games begun before decide, also those seen late (R8.1, Q29).

anna plays carl on Saturday 28 March 2026 at 18:00. The bot has seen nothing of it when anna leaves.
"""

from __future__ import annotations

from datetime import timedelta

from engine.tournament import Result, ResultKind
from tests.clauses.stage import AGREED, games, said, says
from tests.cogs.entering import last, presses
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.world import World, text_of

MINUTE = timedelta(minutes=1)


async def leaves(world: World, who: str) -> str:
    question = last(await world.slash(world.people[who], "withdraw"))
    return f"{question.content}\n{text_of(await presses(world, who, 'leave-event', question))}"


def result(world: World) -> Result:
    return loaded(world).tournament.results[1]


async def test_r8_1_a_match_that_its_games_have_decided_is_no_walkover(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + 40 * MINUTE)
    told = await leaves(agreed, "carl")
    assert "Your open match" not in told and "You have left" in told
    found = result(agreed)
    assert (found.kind, found.game_a, found.game_b) == (ResultKind.PLAYED, 12, 0)


async def test_r8_1_who_has_won_and_leaves_keeps_the_win(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + 40 * MINUTE)
    await leaves(agreed, "anna")
    assert (result(agreed).kind, result(agreed).a) == (ResultKind.PLAYED, 2)


async def test_q29_who_leaves_in_the_middle_loses_a_match_that_was_played(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("110"))
    await agreed.move_to(AGREED + 20 * MINUTE)
    assert "Your open match against carl is won by carl" in await leaves(agreed, "anna")
    found = result(agreed)
    assert (found.kind, found.a, found.played, len(found.games)) == (ResultKind.WALKOVER, 0, True, 3)


async def test_r8_1_with_lichess_down_leaving_takes_effect_and_the_games_decide_once_they_are_seen(
    agreed: World,
) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + 40 * MINUTE)
    agreed.lichess.down = True
    assert "You have left" in await leaves(agreed, "anna")
    assert not loaded(agreed).tournament.is_in(entrant(agreed, "anna"))
    assert result(agreed).kind is ResultKind.WALKOVER
    agreed.follows = True
    await agreed.move(minutes=3)
    assert result(agreed).kind is ResultKind.WALKOVER
    await agreed.restart()
    agreed.lichess.down = False
    await agreed.move(hours=20)
    assert (result(agreed).kind, result(agreed).a) == (ResultKind.PLAYED, 2)
    assert "anna 6–0 carl" in said(agreed.channel("results"))


async def test_q29_games_that_are_seen_late_make_a_match_that_was_played(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("11"))
    await agreed.move_to(AGREED + 20 * MINUTE)
    agreed.lichess.down = True
    await leaves(agreed, "anna")
    assert not result(agreed).played
    agreed.lichess.down, agreed.follows = False, True
    await agreed.tick()
    assert (result(agreed).kind, result(agreed).played, len(result(agreed).games)) == (ResultKind.WALKOVER, True, 2)


async def test_r8_1_a_game_begun_after_leaving_counts_for_nobody(agreed: World) -> None:
    agreed.follows = True
    agreed.lichess.play_match("anna", "carl", AGREED, games("11111"))
    await agreed.move_to(AGREED + 30 * MINUTE)
    await leaves(agreed, "anna")
    agreed.lichess.play_match("anna", "carl", AGREED + 31 * MINUTE, games("1"))
    await agreed.move_to(AGREED + 60 * MINUTE)
    assert (result(agreed).kind, result(agreed).a, len(result(agreed).games)) == (ResultKind.WALKOVER, 0, 5)


async def test_r8_1_the_game_that_was_being_played_still_counts(agreed: World) -> None:
    agreed.follows = True
    agreed.lichess.play_match("anna", "carl", AGREED, games("11111"))
    agreed.lichess.add_game("anna", "carl", created_at=AGREED + 30 * MINUTE, winner="white")
    await agreed.move_to(AGREED + 31 * MINUTE)
    await leaves(agreed, "anna")
    assert result(agreed).kind is ResultKind.WALKOVER
    await agreed.move(minutes=5)
    assert (result(agreed).kind, result(agreed).a) == (ResultKind.PLAYED, 2)


async def test_r8_1_the_same_where_a_td_takes_the_player_out(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + 40 * MINUTE)
    await says(agreed, "td", "td-player withdraw", player=entrant(agreed, "anna"), reason="Wrote to me.")
    assert result(agreed).kind is ResultKind.WALKOVER
    agreed.follows = True
    await agreed.tick()
    assert result(agreed).kind is ResultKind.PLAYED


async def test_lichess_is_asked_once_about_a_match_that_somebody_left(agreed: World) -> None:
    agreed.follows = True
    await agreed.move_to(AGREED + MINUTE)
    await leaves(agreed, "anna")

    def asked() -> int:
        return sum(one.path.startswith("/api/games/user/anna") for one in agreed.lichess.asked)

    before = asked()
    await agreed.move(minutes=10)
    assert asked() == before > 0


async def test_r8_1_a_match_whose_time_has_not_come_is_not_looked_at(agreed: World) -> None:
    await agreed.move_to(AGREED - 60 * MINUTE)
    agreed.lichess.down = True
    assert "Your open match against carl is won by carl" in await leaves(agreed, "anna")
    assert result(agreed).kind is ResultKind.WALKOVER and not result(agreed).played

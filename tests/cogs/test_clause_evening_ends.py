"""What an evening that ends without all its games is worth (R3.10, R6.3, R6.4; Q23, Q26, Q31, Q32b, Q37)."""

from __future__ import annotations

from datetime import timedelta

from engine.model import Stage
from engine.points import WIN
from engine.tournament import Result
from tests.clauses.evening import DEADLINE, MINUTE, directors, minutes, said
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs.later import begins
from tests.cogs.test_clause_accounts import loaded
from tests.world import World

BOTH = ("anna", "bob")


async def pools(world: World) -> int:
    """anna meets bob in the upper pool, in the week after round 1; the id of their match."""
    await settle(world, 1, "anna", "bob")
    await world.move(days=2)
    match_id, _ = await begins(world, Stage.CANDIDATES, ("upper", "anna", "bob"), ("lower", "carl", "dora"))
    return match_id


def result(world: World, match_id: int) -> Result:
    return loaded(world).tournament.results[match_id]


def in_games(found: Result) -> tuple[int, int]:
    return found.game_a, found.game_b


async def test_q31_nobody_comes_in_the_candidates_and_the_claim_is_ten_nil(event: World) -> None:
    match_id = await pools(event)
    at = await agree(event, *BOTH, "Sat 28 18:00", match=match_id)
    await event.move_to(at + MINUTE)
    await says(event, "anna", "match opponent-absent")
    await event.move_to(at + 12 * MINUTE)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")
    found = result(event, match_id)
    assert (found.a, found.b) == (WIN, 0) and in_games(found) == (10 * WIN, 0)
    assert said(event, "Finished: anna 1–0 bob (forfeit, games 10–0)", who=BOTH)


async def test_q31_who_leaves_in_the_candidates_loses_the_games_that_are_missing(event: World) -> None:
    match_id = await pools(event)
    at = await agree(event, *BOTH, "Sat 28 18:00", match=match_id)
    event.follows = True
    event.lichess.play_match("anna", "bob", at, games("1010"))
    await event.move_to(at - MINUTE)
    await minutes(event, 25)
    assert "Told" in await says(event, "anna", "match opponent-left")
    await minutes(event, 11)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")
    found = result(event, match_id)
    assert (found.a, found.b) == (WIN, 0) and in_games(found) == (8 * WIN, 2 * WIN)


async def test_q32b_no_offers_of_both_in_the_candidates_are_five_all(event: World) -> None:
    match_id = await pools(event)
    await event.move(days=7)
    found = result(event, match_id)
    assert (found.a, found.b) == (WIN // 2, WIN // 2) and in_games(found) == (5 * WIN, 5 * WIN)


async def test_q23_both_stop_at_five_three_and_the_match_waits_for_the_tds(event: World) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 22:30")
    event.follows = True
    event.lichess.play_match("anna", "carl", at, games("11110001"))
    await event.move_to(at)
    await minutes(event, 45)
    assert "not over: you 5–3 carl" in await says(event, "anna", "report")
    assert "not over: you 3–5 anna" in await says(event, "carl", "report", score="3-5")
    await event.move_to(DEADLINE + timedelta(hours=2, minutes=1))
    assert directors(event, "**Not finished in time:**", "5–3") and not loaded(event).tournament.results.get(1)


async def test_q26_when_each_says_the_other_was_not_there_nobody_has_forfeited(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at + MINUTE)
    await says(event, "anna", "match opponent-absent")
    await says(event, "carl", "match opponent-absent")
    await event.move_to(at + 15 * MINUTE)
    for who in ("anna", "carl"):
        assert "the match is yours" not in await says(event, who, "match claim", choice="win")
    assert directors(event, "**Each reports the other absent:**") and not loaded(event).tournament.forfeits.get(1)


async def test_q37_the_better_seed_is_given_white_and_any_colour_counts(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at)
    (challenge,) = [one for one in event.lichess.asked if one.method == "POST" and "challenge" in one.path]
    assert "anna" in challenge.body
    event.lichess.play_match("carl", "anna", at, games("000000"))
    await event.move_to(at + 40 * MINUTE)
    await says(event, "anna", "report")
    assert "anna 6–0 carl" in thread(event, "anna", "carl").history()[0].content

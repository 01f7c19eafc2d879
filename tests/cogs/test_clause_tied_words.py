"""A tied knock-out match wherever somebody looks: tables, and what a ruling about a game changes (R3.13-R3.16, Q35)."""

from __future__ import annotations

import pytest

from tests.clauses.stage import says
from tests.cogs.test_clause_accounts import loaded
from tests.cogs.test_clause_armageddon import plays, plays_on
from tests.cogs.tying import (
    TIED,
    WHITE_WINS,
    armageddon,
    bids,
    minutes,
    open_matches,
    tied,
)
from tests.world import World

BIDS = "one armageddon game decides (§3.16)"
WHITE = "one armageddon game decides, anna has White with 1:30 (§3.16)"


async def settle_bids(world: World) -> None:
    await bids(world, "anna", "1:30")
    await bids(world, "bob", "2:00")


async def test_r3_13_the_tables_have_the_score_of_a_tie_and_what_decides(semifinal: World) -> None:
    await tied(semifinal)
    assert f"**Semifinal 1**: anna 5–5 bob: {BIDS}" in await says(semifinal, "carl", "standings")
    assert f"**anna 5–5 bob**: {BIDS}" in await says(semifinal, "carl", "pairings")
    await settle_bids(semifinal)
    for command in ("standings", "pairings"):
        assert WHITE in await says(semifinal, "carl", command)


async def test_r3_15_the_tables_have_the_tiebreak_games_too(final: World) -> None:
    await plays(final, "anna", "bob", TIED + "10")
    assert "anna 6–6 bob: up to 4 tiebreak games to play (§3.15)" in await says(final, "carl", "standings")
    await plays_on(final, "anna", "bob", "1")
    for command in ("standings", "pairings"):
        text = (await says(final, "carl", command)).replace("*", "")
        assert "anna 6–6 bob, tiebreak 1–0: up to 3 tiebreak games to play (§3.15)" in text


@pytest.mark.parametrize("decision", ["struck", "replay"])
async def test_q35_a_ruling_about_the_armageddon_game_says_who_had_won_and_what_follows(
    semifinal: World, decision: str
) -> None:
    await tied(semifinal)
    await settle_bids(semifinal)
    game = armageddon(semifinal, "anna", "bob", WHITE_WINS)
    await minutes(semifinal, 6)
    match = next(id for id, result in loaded(semifinal).tournament.results.items() if result.armageddon)
    answer = await says(
        semifinal, "td", "td-match games", match=match, game=game, decision=decision, reason="It was lag."
    )
    assert "Now: anna 5–5 bob, armageddon won by anna." in answer
    assert f"Then: anna 5–5 bob, open: {WHITE}." in answer


async def test_r3_16_the_schedule_says_what_a_tied_match_waits_for(semifinal: World) -> None:
    await tied(semifinal)
    assert "**anna 5–5 bob**, one armageddon game decides" in await says(semifinal, "carl", "schedule")


async def test_r3_16_the_hub_has_the_time_that_is_set_for_the_armageddon_game(semifinal: World) -> None:
    await tied(semifinal)
    match = next(m for m in open_matches(semifinal) if m.a_id < m.b_id)
    await says(semifinal, "td", "td-match time", match=match.id, time="Sun 29 20:00", reason="Both asked.")
    shown = await says(semifinal, "anna", "hub")
    assert "Sun 29 Mar 20:00 UTC" in shown and "Bid for White" in shown


async def test_r3_16_an_hour_after_the_time_who_misses_the_other_is_told_to_bid(semifinal: World) -> None:
    await tied(semifinal)
    await minutes(semifinal, 30)
    answer = await says(semifinal, "anna", "match opponent-absent")
    assert "**bid first**" in answer and "could be reported" not in answer

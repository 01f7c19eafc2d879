"""What the two of a match in the later stages are told: tiebreak games, what is missing, what an exit does to it.

The players and days are those of `test_clause_stages`.
"""

from __future__ import annotations

from datetime import timedelta

from engine.model import Match, Stage
from tests.clauses.stage import games, said, says, thread
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_seats import champion_post, open_match, to_the_finals
from tests.cogs.test_clause_stages import CANDIDATES, groups, qualified, semifinals, withdraws
from tests.world import World

__all__ = ["qualified", "semifinals"]


async def plays(world: World, a: str, b: str, score: str) -> Match:
    """A time set by a TD for tomorrow, and these games, which the bot has read."""
    world.follows = True
    match, at = open_match(world, a, b), world.clock.now() + timedelta(hours=30)
    await says(world, "td", "td-match time", match=match.id, time=f"{at:%Y-%m-%d %H:%M}", reason="as they asked")
    agreed = loaded(world).matches[match.id].agreed_at
    assert agreed is not None
    world.lichess.play_match(a, b, agreed, games(score))
    await world.move_to(agreed + timedelta(minutes=50))
    return match


def first_pair(world: World) -> tuple[str, str]:
    event = loaded(world)
    match = event.open_matches()[0]
    return event.name(match.a_id), event.name(match.b_id)


async def test_r3_15_on_a_tie_in_the_final_both_are_told_that_tiebreak_games_follow(semifinals: World) -> None:
    await to_the_finals(semifinals)
    a, b = groups(semifinals, Stage.FINALS)["grand_final"]
    await plays(semifinals, a, b, "10" * 6)
    there = said(thread(semifinals, "F ·", a, b))
    assert "a tie 6–6, so **up to 4 tiebreak games follow now**, 1+2 and rated as before (§3.15)" in there
    assert there.count("tiebreak games follow now") == 1
    answer = await says(semifinals, a, "report")
    assert "4 games of the tiebreak to go at most" in answer
    assert "more than 6; after 6–6 come 4 tiebreak games." in answer and ", or at 6–6" not in answer


async def test_r3_10_a_report_in_the_candidates_counts_what_is_missing_of_all_ten(qualified: World) -> None:
    await qualified.move_to(CANDIDATES)
    a, b = first_pair(qualified)
    await plays(qualified, a, b, "11111010")
    answer = await says(qualified, a, "report")
    assert "2 games missing" in answer and "All 10 games are played, whatever the score (§3.10)." in answer
    assert "A match ends when" not in answer


async def test_r8_3_a_disregarded_match_says_why_and_keeps_its_games(qualified: World) -> None:
    await qualified.move_to(CANDIDATES)
    a, b = first_pair(qualified)
    await plays(qualified, a, b, "111")
    await withdraws(qualified, b)
    last = thread(qualified, "C1 ·", a, b).last_message.content
    assert f"all matches in the Candidates of {b}, who left, are disregarded" in last and "0–0" not in last
    assert "Games: [1](" in last and "you have nothing more to play here" in last and "<@" in last
    (result,) = [m.content for m in qualified.channel("results").history() if f"{a} – {b}" in m.content]
    assert "disregarded" in result and "Games: [1](" in result and "<@" not in result


async def test_r8_5_a_result_that_goes_with_a_reinstatement_is_told_anew_to_both(semifinals: World) -> None:
    await to_the_finals(semifinals)
    a, b = groups(semifinals, Stage.FINALS)["grand_final"]
    await plays(semifinals, a, b, "1110")
    await says(semifinals, "td", "td-player disqualify", player=entrant(semifinals, a), ground="guilty", reason="seen")
    assert champion_post(semifinals).startswith(f"## 🏆 {b}")
    await says(semifinals, "td", "td-player reinstate", player=entrant(semifinals, a), reason="an appeal")
    last = thread(semifinals, "F ·", a, b).last_message.content
    assert "**your match is open again**" in last and last.count("<@") == 2
    assert f"It stands {a} 3–1 {b}; these games count." in last and "Play it by" in last

"""A report of absence that is with the TDs: what the two read of it, and what becomes of it (R6.3; Q12, Q13, Q38).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.clauses.evening import MINUTE, choices, directors, forfeits, minutes, presses, ruled, said, timers
from tests.clauses.stage import games, says
from tests.cogs.test_clause_absence import reported
from tests.cogs.test_clause_early import HOUR, played_early, rules
from tests.cogs.test_clause_forfeit_lifted import buttons, hub
from tests.world import World, custom_ids

pytestmark = pytest.mark.usefixtures("followed")


async def left_open(world: World, score: str = "10", by: timedelta = 5 * HOUR) -> list[str]:
    """anna has reported carl absent after early games, three minutes after the agreed time."""
    _, ids = await played_early(world, score, by)
    await says(world, "anna", "match opponent-absent")
    return ids


async def test_q12_match_show_says_why_a_td_decides(event: World) -> None:
    await left_open(event)
    shown = await says(event, "anna", "match show", match=1)
    assert "absence: they had begun games before the agreed time, a TD decides" in shown
    assert "each has reported the other" not in shown


async def test_q38d_match_show_of_reports_that_cross(event: World) -> None:
    await reported(event)
    await says(event, "carl", "match opponent-absent")
    assert "absence: each has reported the other, a TD decides" in await says(event, "anna", "match show", match=1)


async def test_q12_the_hub_of_both_says_that_a_td_decides_and_offers_no_report(event: World) -> None:
    await left_open(event)
    for who in ("anna", "carl"):
        text, verbs = await hub(event, who)
        assert "TD" in text and "games before" in text and "absent" not in verbs
    assert "absent" not in buttons(event, "### Play now") and said(event, "### Play now", "so a TD decides")


@pytest.mark.parametrize("crosses", [False, True])
async def test_q13_when_they_play_after_all_what_was_said_follows(event: World, crosses: bool) -> None:
    if crosses:
        await reported(event)
        await says(event, "carl", "match opponent-absent")
    else:
        await left_open(event)
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("1"))
    await minutes(event, 6)
    calls = said(event, "### Are you there?")
    assert calls and all("You have begun a game since" in call for call in calls)
    assert directors(event, "**Opponent absent:**", "they have played since") and not directors(event, "you decide")
    assert len(directors(event, "hey have played since")) == len(calls) + 1, "what crosses, too"
    assert "a TD decides" not in (await hub(event, "anna"))[0]
    event.lichess.play_match("anna", "carl", event.clock.now(), games("111111"))
    await minutes(event, 25)
    assert said(event, "### Finished")
    assert not directors(event, "you decide")


async def test_q12_when_the_match_has_its_result_the_notice_says_so(event: World) -> None:
    await left_open(event)
    asked = await event.slash(event.people["carl"], "withdraw")
    await event.click(event.people["carl"], asked.response, custom_ids(asked.response)[0])
    await event.tick()
    assert said(event, "### Finished")
    assert directors(event, "**Opponent absent:**", "the match has its result")
    assert said(event, "### Are you there?", "The match has its result now")


@pytest.mark.parametrize("decision", ["accepted", "replay", "struck"])
async def test_q12_when_the_games_are_judged_a_true_no_show_is_claimed(event: World, decision: str) -> None:
    ids = await left_open(event)
    await rules(event, ids[0], decision=decision, reason="That is what they were.")
    await minutes(event, 2)
    assert said(
        event, "### Are you there?", "The TDs have judged those games", "Report it again, until Sat 28 Mar 19:00"
    )
    assert directors(event, "**Opponent absent:**", "you have judged their early games")
    assert directors(event, "**Absent after early games?**", "anna may report carl again")
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported: carl is called")
    await event.tick()
    assert len(timers(event)) == 2 and said(event, "### Are you there?", "what was reported after that stands below")
    await minutes(event, 11)
    assert len(choices(event)) == 1
    assert "the match is yours" in await presses(event, "anna", "claim-win")
    assert forfeits(event) == {"carl": 1}
    (fact,) = ruled(event)
    assert fact.payload["forfeit"] == "no_show"


async def test_q38d_the_other_may_report_then_too(event: World) -> None:
    ids = await left_open(event)
    await rules(event, ids[0], decision="replay", reason="Friendly games.")
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported: anna is called")
    assert "has reported you absent too" in await says(event, "anna", "match opponent-absent")


async def test_q12_after_the_hour_nothing_comes_of_it(event: World) -> None:
    ids = await left_open(event)
    await minutes(event, 70)
    await rules(event, ids[0], decision="replay", reason="Friendly games.")
    await event.tick()
    assert said(event, "### Are you there?", "so nothing comes of this report")
    assert "TDs" in await says(event, "anna", "match opponent-absent") and len(timers(event)) == 1


async def test_r5_10_a_ruling_that_is_taken_back_leaves_it_to_the_tds_again(event: World) -> None:
    ids = await left_open(event)
    await rules(event, ids[0], decision="replay", reason="Friendly games.")
    await says(event, "anna", "match opponent-absent")
    facts = event.parts.db.read_sync(lambda r: r.facts(event.edition().id))
    fact = next(fact for fact in facts if fact.kind == "game_ruled")
    await says(event, "td", "td undo", ref=fact.id, reason="Not sure any more.")
    await minutes(event, 12)
    assert not choices(event) and not ruled(event)

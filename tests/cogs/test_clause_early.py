"""Games of the two that were begun too long before the agreed time (R5.2, R6.3; Q12, Q13).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.model import Stage
from tests.clauses.evening import MINUTE, choices, directors, forfeits, minutes, presses, ruled, said, timers
from tests.clauses.stage import agree, games, says, settle
from tests.cogs.later import begins
from tests.world import World, custom_ids, text_of

pytestmark = pytest.mark.usefixtures("followed")


async def played_early(
    world: World, score: str = "111111", by: timedelta = 30 * MINUTE, **fields: Any
) -> tuple[datetime, list[str]]:
    """So many games, begun so long before the agreed time; the clock stands three minutes after it."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    ids = world.lichess.play_match("anna", "carl", at - by, games(score), **fields)
    await world.move_to(at - 11 * MINUTE)
    await minutes(world, 14)
    return at, ids


def judge_buttons(world: World) -> list[tuple[Any, str]]:
    notices = [m for m in world.channel("directors").history() if "A game needs your look" in m.content]
    return [(m, id) for m in notices for id in custom_ids(m) if ":rule-game:" in id]


async def rules(world: World, game_id: str, **options: Any) -> str:
    return await says(world, "td", "td-match games", match=1, game=game_id, **options)


# --- The two are warned ---------------------------------------------------------------------------------------------


async def test_q12_who_plays_too_early_is_told_once_what_to_do(event: World) -> None:
    _, ids = await played_early(event)
    await minutes(event, 5)
    await event.restart()
    await minutes(event, 5)
    (told,) = said(event, "begun more than 10 minutes before your time")
    for name in ("anna", "carl"):
        assert f"<@{event.people[name].id}>" in told
    for words in (ids[0], ids[-1], "18:00 UTC", "/reschedule", "a TD decides"):
        assert words in told
    assert not directors(event, "needs your look"), "nobody has asked for it yet"


@pytest.mark.parametrize(
    ("by", "score", "warned"),
    [
        (timedelta(hours=11), "1", True),
        (timedelta(hours=13), "1", False),
        (timedelta(days=3), "11111", False),
        (timedelta(days=3), "111111", True),
    ],
)
async def test_q12_a_friendly_game_earlier_in_the_week_is_nobodys_business(
    event: World, by: timedelta, score: str, warned: bool
) -> None:
    await played_early(event, score, by)
    assert bool(said(event, "not count", "before your time")) is warned


@pytest.mark.parametrize("fields", [{"rated": False}, {"clock": (180, 2)}, {"status": "aborted"}])
async def test_q12_early_games_with_other_settings_are_their_own_affair(event: World, fields: dict[str, Any]) -> None:
    await played_early(event, "11", **fields)
    assert not said(event, "before your time")


async def test_q12_who_begins_again_on_time_has_a_match(event: World) -> None:
    at, _ = await played_early(event, "00")
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("111111"))
    await minutes(event, 30)
    assert said(event, "anna 6–0 carl") and not directors(event, "needs your look")
    (told,) = said(event, "Begun before")
    assert f"{at:%H:%M} UTC" in told and "Report" not in told


# --- A TD hears of it by a report -----------------------------------------------------------------------------------


async def test_q12_a_report_hands_early_games_to_the_tds_once(event: World) -> None:
    _, ids = await played_early(event)
    for who in ("anna", "carl", "anna"):
        answer = await says(event, who, "report")
        assert answer.startswith("**The TDs are told and decide**") and ids[0] in answer and "/reschedule" in answer
    (notice,) = directors(event, "needs your look")
    assert "too long before the agreed time" in notice and all(id in notice for id in ids)
    verbs = [id.split(":")[-1] for _, id in judge_buttons(event)]
    assert [verb.split(".")[1] for verb in verbs] == [ids[0], ids[0]], "the first brings the others"


async def test_q12_when_a_game_counts_only_a_link_hands_the_early_ones_over(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    ids = event.lichess.play_match("anna", "carl", at - 12 * MINUTE, games("11"))
    await event.move_to(at - 11 * MINUTE)
    await minutes(event, 14)
    (told,) = said(event, "this game does not count")
    assert ids[0] in told and ids[1] not in told
    assert "The match is not over: you 1–0 carl" in await says(event, "anna", "report")
    assert not directors(event, "needs your look")
    assert (await says(event, "anna", "report", games=ids[0])).startswith("**The TDs are told")
    assert len(directors(event, "needs your look")) == 1


# --- What a TD decides is what was shown ----------------------------------------------------------------------------


async def test_q12_the_preview_of_an_early_game_is_what_will_stand(event: World) -> None:
    _, ids = await played_early(event)
    await says(event, "anna", "report")
    notice, button = judge_buttons(event)[0]
    shown = text_of(await event.click(event.people["td"], notice, button))
    assert "Now: anna 0–0 carl, open." in shown and "Then: anna 6–0 carl." in shown
    assert "those after it count, too" in shown
    answer = await rules(event, ids[0], decision="accepted", reason="Both were ready to start early.")
    assert "Then: anna 6–0 carl." in answer
    await minutes(event, 3)
    assert said(event, "anna 6–0 carl") and not said(event, "1–0 carl")
    assert not judge_buttons(event)
    assert not said(event, "not count", "before your time")


async def test_q12_from_a_later_early_game_on_only_those_after_it_count(event: World) -> None:
    _, ids = await played_early(event)
    shown = await rules(event, ids[3], decision="accepted")
    assert "Then: anna 3–0 carl, open." in shown
    await rules(event, ids[3], decision="accepted", reason="From there it was the match.")
    await minutes(event, 3)
    assert "The match is not over: you 3–0 carl" in await says(event, "anna", "report")


async def test_q12_undone_the_early_games_count_no_more(event: World) -> None:
    _, ids = await played_early(event)
    await rules(event, ids[0], decision="accepted", reason="Both were ready.")
    assert "Then: anna 0–0 carl, open." in await rules(event, ids[0], decision="struck")
    await rules(event, ids[0], decision="struck", reason="They were not.")
    assert not any("6–0" in text for text in said(event, "Finished"))


# --- Nobody is absent who has played --------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [26 * MINUTE, timedelta(hours=5), timedelta(days=2)])
async def test_q13_a_match_played_before_its_time_is_no_absence(event: World, by: timedelta) -> None:
    await played_early(event, "111111", by)
    answer = await says(event, "carl", "match opponent-absent")
    assert "nobody is absent" in answer and "*Report*" in answer
    await minutes(event, 12)
    assert not choices(event) and not ruled(event) and not forfeits(event)


async def test_q13_nor_can_it_be_claimed_when_lichess_was_down_at_the_report(event: World) -> None:
    await played_early(event)
    event.lichess.fail_next("down", times=20)
    assert (await says(event, "carl", "match opponent-absent")).startswith("Reported")
    await minutes(event, 9)
    event.lichess.fail_next("down", times=20)
    await minutes(event, 2)
    if choices(event):
        await presses(event, "carl", "claim-win")
    await minutes(event, 3)
    assert not ruled(event) and not forfeits(event)


async def test_r6_3_a_friendly_game_two_days_before_excuses_nobody(event: World) -> None:
    await played_early(event, "1", timedelta(days=2))
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    await minutes(event, 11)
    await presses(event, "anna", "claim-win")
    assert forfeits(event) == {"carl": 1}


# --- A friendly game of the day, and then nobody ---------------------------------------------------------------------


REMINDER = "Lichess shows no game of yours yet"
HOUR = 60 * MINUTE


def crossing(world: World) -> Any:
    """What the TDs are told of an absence after early games."""
    found = [m for m in world.channel("directors").history() if "**Absent after early games?**" in m.content]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(("score", "by"), [("1", 5 * HOUR), ("11", 30 * MINUTE), ("01010", 6 * HOUR)])
async def test_q12_after_early_games_that_decide_nothing_a_report_of_absence_goes_to_the_tds(
    event: World, score: str, by: timedelta
) -> None:
    _, ids = await played_early(event, score, by)
    answer = await says(event, "anna", "match opponent-absent")
    assert answer.startswith("Reported: carl is called") and "a TD is told, and decides" in answer
    (call,) = said(event, "### Are you there?")
    assert f"<@{event.people['carl'].id}>" in call and "a TD decides" in call
    assert "no game of yours since the agreed time" in call
    assert directors(event, "**Opponent absent:**", "you decide")
    notice = crossing(event)
    assert "anna reports carl absent at Sat 28 Mar 18:00 UTC" in notice.content
    assert all(id in notice.content for id in ids)
    await minutes(event, 30)
    assert not choices(event) and not ruled(event) and not forfeits(event)
    assert not said(event, REMINDER), "it is reported"
    for who in ("anna", "carl"):
        assert "TD" in await says(event, who, "match opponent-absent")
    assert "a TD is told, and decides" in await says(event, "anna", "match claim", choice="win")
    assert len(timers(event)) == 1 and len(said(event, "### Are you there?")) == 1 and crossing(event)


async def test_q12_the_notice_has_the_buttons_for_what_a_td_can_decide(event: World) -> None:
    _, ids = await played_early(event, "11")
    await says(event, "anna", "match opponent-absent")
    notice = crossing(event)
    verbs = [id.split(":")[2] for id in custom_ids(notice)]
    assert verbs == ["rule-game", "rule-game", "rule-time", "extend"]
    shown = text_of(await event.click(event.people["td"], notice, custom_ids(notice)[0]))
    assert "Then: anna 2–0 carl, open." in shown
    await rules(event, ids[0], decision="accepted", reason="They began early, and then carl left.")
    assert [id.split(":")[2] for id in custom_ids(crossing(event))] == ["rule-time", "extend"]
    await minutes(event, 3)
    assert "The match is not over: you 2–0 carl" in await says(event, "anna", "report")


async def test_q12_when_the_match_is_played_after_all_the_buttons_go(event: World) -> None:
    await played_early(event, "1")
    await says(event, "anna", "match opponent-absent")
    event.lichess.play_match("anna", "carl", event.clock.now() + MINUTE, games("111111"))
    await minutes(event, 30)
    assert said(event, "anna 6–0 carl") and not custom_ids(crossing(event))


async def test_q12_the_early_games_are_seen_later_when_lichess_was_down_at_the_report(event: World) -> None:
    await played_early(event, "1")
    event.lichess.fail_next("down", times=20)
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    event.lichess.heal()
    await minutes(event, 12)
    assert not choices(event) and not said(event, "You have begun a game since")
    assert crossing(event) and said(event, "### Are you there?", "a TD decides")


async def test_q12_and_at_the_latest_by_the_claim(event: World) -> None:
    """Lichess shows the game only then."""
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.follows = False
    await event.move_to(at + MINUTE)
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")
    await minutes(event, 12)
    event.lichess.play_match("anna", "carl", at - 30 * MINUTE, games("1"))
    assert "a TD is told, and decides" in await presses(event, "anna", "claim-win")
    assert crossing(event) and not ruled(event)


async def test_q13_where_a_report_would_be_refused_nobody_is_asked_for_it(event: World) -> None:
    at, _ = await played_early(event, "111111")
    await event.move_to(at + 30 * MINUTE)
    assert not said(event, REMINDER)


async def test_q13_where_it_would_be_taken_the_reminder_comes(event: World) -> None:
    at, _ = await played_early(event, "1")
    await event.move_to(at + 30 * MINUTE)
    assert said(event, REMINDER)


@pytest.mark.parametrize(("by", "to_the_tds"), [(12 * MINUTE, True), (25 * MINUTE, False)])
async def test_q13_a_game_with_other_settings_stands_against_it_if_it_still_went_on_when_the_match_could_begin(
    event: World, by: timedelta, to_the_tds: bool
) -> None:
    await played_early(event, "1", by, rated=False)
    answer = await says(event, "anna", "match opponent-absent")
    assert answer.startswith("Reported") and ("a TD is told" in answer) is to_the_tds


@pytest.mark.parametrize("fields", [{}, {"rated": False}], ids=str)
async def test_q13_while_a_game_from_before_goes_on_nobody_is_absent(event: World, fields: dict[str, Any]) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    (id,) = event.lichess.play_match("anna", "carl", at - 12 * MINUTE, games("1"), **fields)
    event.lichess.change_game(id, last_move_at=at + 20 * MINUTE)
    await event.move_to(at + 3 * MINUTE)
    assert "nobody is absent" in await says(event, "anna", "match opponent-absent") and not timers(event)
    await event.move_to(at + 16 * MINUTE)
    assert not said(event, REMINDER)
    await event.move_to(at + 30 * MINUTE)
    assert "a TD is told" in await says(event, "anna", "match opponent-absent")


@pytest.mark.parametrize(("score", "excused"), [("10101", False), ("101010", True)])
async def test_r3_10_in_the_candidates_as_many_as_can_decide_the_match_point_excuse(
    event: World, score: str, excused: bool
) -> None:
    await settle(event, 1, "anna", "bob")
    await event.move(days=2)
    pairs = (("upper", "anna", "carl"), ("lower", "bob", "dora"))
    match_id, _ = await begins(event, Stage.CANDIDATES, *pairs)
    at = await agree(event, "anna", "carl", "Sat 28 18:00", match=match_id)
    event.lichess.play_match("anna", "carl", at - 5 * HOUR, games(score))
    await event.move_to(at + MINUTE)
    answer = await says(event, "anna", "match opponent-absent")
    assert ("nobody is absent" in answer) is excused and ("a TD is told" in answer) is not excused

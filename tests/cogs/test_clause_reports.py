"""Reports that contradict the games or each other, and strange ones: R1.1, R1.3, R6.6, Q12, Q15, Q22.

anna plays carl on Saturday 28 March 2026 at 18:00; bob and dora have agreed on no time.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from engine.model import Dispute, DisputeCause, DisputeEnd, Report
from tests.clauses.stage import AGREED, games, offer_enough, said, says, settle, thread
from tests.cogs.entering import actor
from tests.world import LONG_AGO, World, custom_ids, text_of

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def untimed(event: World) -> World:
    """bob and dora make their offers and agree on none, then they play all the same on Sunday at 12:00."""
    await offer_enough(event, "bob", "dora")
    await event.move_to(AGREED + 18 * HOUR)
    return event


def disputes(world: World) -> list[Dispute]:
    found = world.parts.db.read_sync(lambda reader: reader.find(Dispute))
    return [dispute for dispute in found if dispute.cause is DisputeCause.REPORTS_DIFFER]


def cards(world: World) -> list[Any]:
    return [m for m in world.channel("directors").history() if "their reports differ" in m.content]


def played_facts(world: World) -> int:
    facts = world.parts.db.read_sync(lambda reader: reader.facts(world.edition().id))
    return sum(fact.kind == "match_played" for fact in facts)


# --- Against the games --------------------------------------------------------------------------------------------


async def test_r6_6_a_report_that_contradicts_the_games_is_refused_with_both_shown(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("000000"))
    await agreed.move_to(AGREED + HOUR)
    answer = await says(agreed, "anna", "report", score="6-0")
    assert "You reported 6–0, but the games on Lichess say you 0–6 carl" in answer and played_facts(agreed) == 0
    assert "Recorded: **anna 0–6 carl**" in await says(agreed, "anna", "report", score="0-6")


async def test_r6_6_the_same_report_twice_is_one_result(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-0")
    assert "This match already has its result" in await says(agreed, "carl", "report", score="0-6")
    assert "This match already has its result" in await says(agreed, "carl", "report", score="6-0")
    assert played_facts(agreed) == 1 and disputes(agreed) == []


async def test_r6_6_both_press_the_button_at_once(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + HOUR)
    report = agreed.parts.app.reporting.report
    seen = await asyncio.gather(report(actor(agreed, "anna"), None), report(actor(agreed, "carl"), None))
    assert sorted(one.already for one in seen) == [False, True] and played_facts(agreed) == 1


async def test_r6_6_a_late_report_of_games_that_were_played_in_time_counts(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + timedelta(days=2, hours=12))
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "carl", "report")


# --- Against each other -------------------------------------------------------------------------------------------


async def test_r1_3_two_scores_that_differ_are_one_dispute_with_both_claims(agreed: World) -> None:
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-2")
    assert disputes(agreed) == []
    answer = await says(agreed, "carl", "report", score="6-2")
    assert "anna has reported you 2–6 anna, so a TD decides" in answer
    await says(agreed, "carl", "report", score="6-2")
    assert len(disputes(agreed)) == 1
    (card,) = cards(agreed)
    assert "anna says: anna 6–2 carl" in card.content and "carl says: anna 2–6 carl" in card.content
    told = thread(agreed, "anna", "carl").last_message.content
    assert "your reports differ" in told and "anna 6–2 carl" in told and "The TDs decide" in told
    assert all(f"<@{agreed.people[name].id}>" in told for name in ("anna", "carl"))
    notices = [m for m in agreed.channel("directors").history() if "A score without games" in m.content]
    assert len(notices) == 1 and "anna says anna 6–2 carl; carl says anna 2–6 carl" in notices[0].content
    assert "their reports differ" in await says(agreed, "td", "td-dispute list") and played_facts(agreed) == 0


async def test_q22_the_same_score_of_both_is_no_result_and_no_dispute(agreed: World) -> None:
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-2")
    answer = await says(agreed, "carl", "report", score="2-6")
    assert "A score alone is not a result" in answer and "has reported" not in answer
    assert disputes(agreed) == [] and played_facts(agreed) == 0


async def test_q15_a_dispute_about_reports_ends_when_they_say_the_same(agreed: World) -> None:
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-2")
    await says(agreed, "carl", "report", score="6-2")
    await says(agreed, "carl", "report", score="2-6")
    (dispute,) = disputes(agreed)
    assert dispute.outcome is DisputeEnd.AGREED and "Settled by the players" in cards(agreed)[0].content
    assert "that is settled" in said(thread(agreed, "anna", "carl"))


@pytest.mark.parametrize("follows", [False, True])
async def test_q15_a_dispute_about_reports_ends_with_a_result_from_games(agreed: World, follows: bool) -> None:
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-2")
    await says(agreed, "carl", "report", score="6-2")
    agreed.lichess.play_match("anna", "carl", AGREED + HOUR, games("111111"))
    agreed.follows = follows
    await agreed.move_to(AGREED + 2 * HOUR)
    if not follows:
        await says(agreed, "anna", "report")
    assert disputes(agreed)[0].outcome is DisputeEnd.PLAYED and custom_ids(cards(agreed)[0]) == []


async def test_q15_lichess_shows_the_games_later(agreed: World) -> None:
    """Both type what they remember while Lichess shows nothing; its games decide, whatever they typed."""
    await agreed.move_to(AGREED + 40 * MINUTE)
    await says(agreed, "anna", "report", score="6-2")
    await says(agreed, "carl", "report", score="6-2")
    agreed.lichess.play_match("anna", "carl", AGREED, games("000000"))
    assert "Recorded: **anna 0–6 carl**" in await says(agreed, "carl", "report")
    assert disputes(agreed)[0].outcome is DisputeEnd.PLAYED


async def test_r1_3_such_a_dispute_is_not_about_a_time(agreed: World) -> None:
    await agreed.move_to(AGREED + HOUR)
    await says(agreed, "anna", "report", score="6-2")
    await says(agreed, "carl", "report", score="6-2")
    (dispute,) = disputes(agreed)
    answer = await says(agreed, "td", "td-dispute rule", dispute=dispute.id, fault="a", reason="x")
    assert "not about a time but about what was played" in answer
    assert "The TDs decide whether one of you is at fault" not in said(thread(agreed, "anna", "carl"))


async def test_q12_two_first_games_that_differ_are_a_dispute(untimed: World) -> None:
    warm, *rest = untimed.lichess.play_match("bob", "dora", AGREED + 19 * HOUR, games("0111111"))
    await untimed.move_to(AGREED + 20 * HOUR)
    assert warm in await says(untimed, "dora", "report")
    answer = await says(untimed, "bob", "report", games=" ".join(rest))
    assert "another one, so a TD decides" in answer and played_facts(untimed) == 0
    (card,) = cards(untimed)
    assert f"bob says: the first game was <https://lichess.org/{rest[0]}>" in card.content
    assert f"dora says: the first game was <https://lichess.org/{warm}>" in card.content
    question = next(m for m in thread(untimed, "bob", "dora").history() if rest[0] in m.content and custom_ids(m))
    confirm = next(id for id in custom_ids(question) if ":confirm:" in id)
    assert "Recorded: **bob 6–0 dora**" in text_of(await untimed.click(untimed.people["dora"], question, confirm))
    assert disputes(untimed)[0].outcome is DisputeEnd.PLAYED


async def test_q12_the_same_first_game_of_both_is_a_result(untimed: World) -> None:
    _, *rest = untimed.lichess.play_match("bob", "dora", AGREED + 19 * HOUR, games("0111111"))
    await untimed.move_to(AGREED + 20 * HOUR)
    await says(untimed, "bob", "report", games=" ".join(rest))
    assert "Recorded: **bob 6–0 dora**" in await says(untimed, "dora", "report", games=rest[0])
    assert disputes(untimed) == []


# --- Bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("https://lichess.org/study/abcdefgh", "I found no Lichess game"),
        ("https://lichess.org/tournament/abcdefgh", "I found no Lichess game"),
        ("https://lichess.org/@/anna", "I found no Lichess game"),
        ("https://chess.com/game/12345678", "I found no Lichess game"),
        ("https://lichess.org/analysis/antichess", "I found no Lichess game"),
        ("https://lichess.org/analysis", "I found no Lichess game"),
        ("https://lichess.org/training/abcde", "I found no Lichess game"),
        ("https://lichess.org/game/export/aaaaaaaa?clocks=true", "Lichess knows no game `aaaaaaaa`"),
        ("https://lichess.org/embed/game/aaaaaaaa?theme=auto", "Lichess knows no game `aaaaaaaa`"),
        ("https://lichess.org/aaaaaaaabbbb/black#12", "Lichess knows no game `aaaaaaaa`"),
        (" ".join(f"aaaaaa{n}" for n in range(10, 50)), "nor 34 more of these"),
        ("https://lichess.org/aaaaaaaa", "Lichess knows no game `aaaaaaaa`"),
    ],
)
async def test_r6_6_a_link_that_is_no_game_is_refused(agreed: World, link: str, words: str) -> None:
    await agreed.move_to(AGREED + MINUTE)
    assert words in await says(agreed, "anna", "report", games=link)


async def test_r6_6_a_link_to_a_game_of_other_people_counts_for_nobody(agreed: World) -> None:
    agreed.lichess.add_account("eve", rating=2000, games=9, created_at=LONG_AGO)
    foreign = agreed.lichess.add_game("eve", "dora", created_at=AGREED, winner="white")
    await agreed.move_to(AGREED + HOUR)
    answer = await says(agreed, "anna", "report", games=foreign)
    assert "None of the games you linked counts" in answer and "(other players)" in answer
    assert "A game needs your look" not in said(agreed.channel("directors"))


@pytest.mark.parametrize(("fields", "words"), [({"variant": "atomic"}, "another variant"), ({"rated": False}, "rated")])
async def test_r6_6_a_link_to_a_game_with_other_settings_names_them(
    agreed: World, fields: dict[str, Any], words: str
) -> None:
    (id,) = agreed.lichess.play_match("anna", "carl", AGREED, games("1"), **fields)
    await agreed.move_to(AGREED + HOUR)
    answer = await says(agreed, "anna", "report", games=id)
    assert words in answer and id in answer


async def test_r3_3_eleven_games_are_ten_and_an_extra_one(agreed: World) -> None:
    ids = agreed.lichess.play_match("anna", "carl", AGREED, games("10101010101"))
    await agreed.move_to(AGREED + HOUR)
    assert "Recorded: **anna 5–5 carl**" in await says(agreed, "anna", "report", games=" ".join(ids))
    assert "[+1](" in said(agreed.channel("results"))


async def test_r6_6_a_game_in_progress_is_waited_for(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("11111"))
    agreed.lichess.add_game("anna", "carl", created_at=AGREED + 25 * MINUTE, winner="white")
    await agreed.move_to(AGREED + 26 * MINUTE)
    answer = await says(agreed, "anna", "report")
    assert "The match is not over: you 5–0 carl" in answer and "(still running)" in answer
    await agreed.move(minutes=5)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")


async def test_r6_6_an_account_that_was_closed_after_the_match_changes_nothing(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + HOUR)
    agreed.lichess.change("carl", closed=True)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")


async def test_r6_6_lichess_is_down_all_evening(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    agreed.lichess.down = True
    await agreed.move_to(AGREED + HOUR)
    for _ in range(4):
        assert "Lichess does not answer. Nothing was changed" in await says(agreed, "anna", "report", score="6-0")
        await agreed.move(hours=1)
    assert agreed.parts.db.read_sync(lambda reader: reader.find(Report)) == [] and disputes(agreed) == []
    agreed.lichess.down = False
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")


async def test_r1_3_a_match_that_was_ruled_takes_no_report(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("111111"))
    await agreed.move_to(AGREED + HOUR)
    await settle(agreed, 1, "carl")
    answer = await says(agreed, "anna", "report")
    assert "This match already has its result: **anna 0–1 carl (ruled by a TD)**" in answer
    assert played_facts(agreed) == 0

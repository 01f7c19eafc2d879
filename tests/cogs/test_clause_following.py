"""The bot follows a match by itself: running score, wrong games, result (R3.1, R3.3, R6.6, Q8, Q20, Q21, Q38b).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.model import Authority, Fact, Post
from engine.usecases.context import load_event
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.entering import actor
from tests.world import World, custom_ids

MINUTE = timedelta(minutes=1)
BEGUN, PLAYED = "match_begun", "match_played"


@pytest.fixture
def event(event: World) -> World:
    """As everywhere, but the bot follows the matches."""
    event.follows = True
    return event


def facts(world: World, *kinds: str) -> list[Fact]:
    return [fact for fact in world.parts.db.read_sync(lambda r: r.facts(world.edition().id)) if fact.kind in kinds]


def results(world: World) -> list[str]:
    return [m.content for m in world.channel("results").history() if "anna" in m.content]


def said(world: World, *words: str) -> list[str]:
    contents = [message.content for message in thread(world, "anna", "carl").history()]
    return [text for text in contents if all(word in text for word in words)]


async def minutes(world: World, count: int) -> None:
    """A bot that looks every minute."""
    for _ in range(count):
        await world.move(minutes=1)


async def agreed(world: World) -> datetime:
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at - 15 * MINUTE)
    return at


async def test_r6_6_the_result_needs_nobody(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("1101011=01"))
    await event.move_to(at + 60 * MINUTE)
    (result,) = results(event)
    assert result.startswith("**Round 1: anna 5½–2½ carl**") and "[8](" in result
    (fact,) = facts(event, PLAYED)
    assert (fact.authority, fact.author_id, len(fact.payload["games"])) == (Authority.SYSTEM, None, 8)
    assert said(event, "### Finished: anna 5½–2½ carl") and not said(event, "Play now")
    answer = await says(event, "carl", "report")
    assert "already has its result" in answer


async def test_the_running_score_is_one_post_that_becomes_the_result(event: World) -> None:
    at = await agreed(event)
    ids = event.lichess.play_match("anna", "carl", at, games("1101111"))
    seen: list[str] = []
    while not facts(event, PLAYED):
        await minutes(event, 1)
        assert len(results(event)) <= 1
        seen += results(event)[:1]
    shown = list(dict.fromkeys(seen))
    assert shown[0].startswith("🔴 **Live · Round 1: anna 0–0 carl**") and "[now playing]" in shown[0]
    assert any("anna 1–0 carl" in text and f"[now playing](<https://lichess.org/{ids[1]}>)" in text for text in shown)
    assert any("anna 2–1 carl" in text for text in shown)
    assert shown[-1].startswith("**Round 1: anna 6–1 carl**")
    begun = [len(fact.payload["games"]) for fact in facts(event, BEGUN)]
    assert begun == sorted(set(begun)) and 0 not in begun


async def test_the_call_and_the_card_show_the_score(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at + MINUTE, games("10"))
    await minutes(event, 15)
    assert said(event, "### Play now") and not said(event, "Live")
    await minutes(event, 12)
    (call,) = said(event, "### Live: anna 1–1 carl")
    assert "[2](" in call and len(call.splitlines()) <= 7
    (card,) = said(event, "## Round 1", "**So far: anna 1–1 carl.**")
    assert "I follow the games" in card
    shown = await says(event, "anna", "match show")
    assert shown.count("begun:") == 1


async def test_down_in_the_middle_the_match_is_caught_up_with(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await minutes(event, 17)
    assert facts(event, BEGUN)[-1].payload["games"].__len__() == 1
    await event.jump_to(at + timedelta(hours=9))
    await event.restart()
    await event.tick()
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**")


@pytest.mark.parametrize("fault", ["down", "429", "502", "html", "cut", "truncated", "401"])
async def test_without_an_answer_nothing_is_told_and_nothing_lost(event: World, fault: str) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + 40 * MINUTE)
    event.lichess.fail_next(fault, 3 if fault in ("down", "502") else 1, on="/api/games/user")  # with its own retries
    await event.tick()
    assert results(event) == [] and not facts(event, BEGUN, PLAYED)
    if fault == "429":
        await event.restart()  # a full minute of silence
    await minutes(event, 1)
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**")


async def test_r3_3_a_short_answer_decides_nothing(event: World) -> None:
    """Games that Lichess has shown before cannot be missing: the answer is not whole."""
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("0000111111"))
    await minutes(event, 32)
    assert len(facts(event, BEGUN)[-1].payload["games"]) > 2
    known = len(facts(event, BEGUN, PLAYED))
    await event.jump_to(at + timedelta(hours=1))
    event.lichess.fail_next("short", 2, on="/api/games/user")
    await event.tick()
    assert len(facts(event, BEGUN, PLAYED)) == known
    event.lichess.fail_next("short", 2, on="/api/games/user")
    answer = await says(event, "carl", "report")
    assert "broke off in the middle" in answer
    await minutes(event, 2)
    assert results(event)[0].startswith("**Round 1: anna 6–4 carl**")


@pytest.mark.parametrize(
    ("clause", "fields", "words"),
    [
        ("Q20", {"rated": False}, "not rated"),
        ("Q21", {"clock": (180, 2)}, "another clock"),
        ("R3.1", {"variant": "atomic"}, "another variant"),
    ],
)
async def test_q20_q21_a_game_with_other_settings_is_told_at_once(
    event: World, clause: str, fields: dict[str, Any], words: str
) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at - 5 * MINUTE, games("1"), **fields)  # a warm-up is nobody's concern
    (wrong,) = event.lichess.play_match("anna", "carl", at + MINUTE, games("1"), **fields)
    event.lichess.play_match("anna", "carl", at + 5 * MINUTE, games("0"))
    await event.move_to(at + 2 * MINUTE)
    (told,) = said(event, "does not count")
    assert words in told and wrong in told and "1+2" in told
    await minutes(event, 12)
    assert len(said(event, "does not count")) == 1
    assert said(event, "### Live: anna 0–1 carl")


async def test_q38b_a_cheat_game_pauses_the_match_for_a_td(event: World) -> None:
    at = await agreed(event)
    ids = event.lichess.play_match("anna", "carl", at, games("111111"))
    event.lichess.change_game(ids[2], status="cheat")
    await event.move_to(at + 40 * MINUTE)
    assert not facts(event, PLAYED)
    notices = [m.content for m in event.channel("directors").history() if ids[2] in m.content or "judge" in m.content]
    assert len(notices) == 1
    told = event.parts.db.read_sync(lambda r: r.find(Post, kind="td_notice"))
    await minutes(event, 3)
    assert told == event.parts.db.read_sync(lambda r: r.find(Post, kind="td_notice")), (
        "and it is not edited every minute"
    )


async def test_q38b_the_players_read_what_waits_for_whom(event: World) -> None:
    at = await agreed(event)
    ids = event.lichess.play_match("anna", "carl", at, games("1101111"))
    event.lichess.change_game(ids[2], status="cheat")
    await minutes(event, 60)
    assert len(said(event, "only a TD can judge", ids[2])) == 1
    assert len(said(event, "### So far", "A game waits for the TDs")) == 1
    (public,) = results(event)
    assert "not finished" in public and "A game waits for the TDs" in public and "cheat" not in public
    (notice,) = [m.content for m in event.channel("directors").history() if "needs your look" in m.content]
    assert ids[2] in notice and not facts(event, PLAYED)


async def test_q8_a_match_in_play_at_the_deadline_is_followed_to_its_end(event: World) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 22:55")
    event.lichess.play_match("anna", "carl", at + 55 * MINUTE, games("111111"))
    await event.move_to(at + 65 * MINUTE)
    await minutes(event, 30)
    assert results(event)[0].startswith("**Round 1: anna 6–0 carl**")


async def test_what_a_td_took_back_is_not_recorded_again(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + 40 * MINUTE)
    (fact,) = facts(event, PLAYED)
    await event.parts.app.rulings.undo(actor(event, "td"), fact.id, "The wrong games.")
    await event.tick()
    await minutes(event, 3)
    assert len(facts(event, PLAYED)) == 1
    (card,) = said(event, "## Round 1")
    assert "So far" not in card and "press *Report*" in card
    assert not said(event, "by myself") and not said(event, "### Live")
    answer = await says(event, "anna", "report")
    assert "Recorded" in answer and len(facts(event, PLAYED)) == 2


async def test_lichess_is_asked_about_a_match_only_around_its_time(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")

    def asked() -> int:
        return sum(one.path.startswith("/api/games/user") for one in event.lichess.asked)

    await event.move_to(at - 61 * MINUTE)
    before = asked()
    await event.move_to(at - 11 * MINUTE)
    assert asked() == before
    await minutes(event, 10)
    assert 5 <= asked() - before <= 12
    await event.jump_to(at + timedelta(hours=8))
    await event.tick()
    before = asked()
    await minutes(event, 30)
    assert asked() <= before + 1


async def test_a_match_of_other_people_is_not_touched(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("bob", "dora", at, games("111111"))
    await event.move_to(at + 40 * MINUTE)
    assert results(event) == [] and not facts(event, BEGUN, PLAYED)


async def test_a_report_and_the_bots_own_look_at_once_are_one_result(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(at + 40 * MINUTE)
    app = event.parts.app
    _, reported = await asyncio.gather(app.following.look(), app.reporting.report(actor(event, "anna"), None))
    await event.tick()
    assert len(facts(event, PLAYED)) == 1 and len(results(event)) == 1
    assert reported.view.result is not None


async def test_a_moved_match_is_shown_live_on_the_call_of_its_new_time(event: World) -> None:
    at = await agreed(event)
    await event.move_to(at + MINUTE)
    await says(event, "anna", "reschedule", time="Sat 28 20:00")
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["carl"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))
    later = at + timedelta(hours=2)
    event.lichess.play_match("anna", "carl", later + MINUTE, games("10"))
    await event.move_to(later + 5 * MINUTE)
    assert len(said(event, "### Live: anna 1–0 carl")) == 1
    assert len(said(event, "Play now")) == 1, "the first call stays what it was"


# --- What fresh eyes have found -----------------------------------------------------------------------------------


async def accept_last(event: World) -> None:
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["carl"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))


async def test_q2_a_match_that_a_td_allows_is_called_and_followed(event: World) -> None:
    await agree(event, "anna", "carl", "Sun 29 18:00")
    await event.move_to(datetime(2026, 3, 28, tzinfo=UTC))
    await says(event, "td", "td-match waive", match=2, reason="Both were ill.")
    at = await agree(event, "bob", "dora", "Sun 29 18:00")
    event.lichess.play_match("bob", "dora", at + MINUTE, games("111111"))
    await event.move_to(at)
    spoken = [message.content for message in thread(event, "bob", "dora").history()]
    assert any("### Play now" in text for text in spoken) and not any("Finished" in text for text in spoken)
    await minutes(event, 10)
    lengths = [len(fact.payload["games"]) for fact in facts(event, BEGUN)]
    assert lengths == [1, 2, 3], "once per game, although a result by the rule still stands"
    await event.move_to(at + 90 * MINUTE)
    (fact,) = facts(event, PLAYED)
    assert fact.payload["match_id"] == 2 and not event.parts.db.read_sync(
        lambda r: load_event(r, event.parts.app.desk.folds, event.edition().id).tournament.forfeits
    )


async def test_q38_what_was_played_before_a_match_was_moved_stays_played(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("00000"))
    await minutes(event, 45)
    await says(event, "anna", "reschedule", time="Sun 29 18:00")
    await accept_last(event)
    later = at + timedelta(days=1)
    event.lichess.play_match("anna", "carl", later, games("1111110"))
    await event.move_to(later + 3 * MINUTE)
    await minutes(event, 60)
    assert results(event)[0].startswith("**Round 1: anna 5–5 carl**")


async def test_a_first_answer_that_is_cut_without_a_word_is_asked_again(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("000000111111"))
    await event.jump_to(at + timedelta(hours=1))
    event.lichess.fail_next("short", 1, on="/api/games/user")
    await event.tick()
    assert results(event)[0].startswith("**Round 1: anna 0–6 carl**")


async def test_a_report_does_not_trust_a_first_short_answer_either(event: World) -> None:
    event.follows = False
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("000000111111"))
    await event.jump_to(at + timedelta(hours=1))
    event.lichess.fail_next("short", 1, on="/api/games/user")
    assert "anna 0–6 carl" in await says(event, "anna", "report")


async def test_down_over_the_deadline_the_match_is_looked_at_once(event: World) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 21:00")
    await event.move_to(at - 60 * MINUTE)
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.jump_to(datetime(2026, 3, 31, 9, tzinfo=UTC))
    await event.restart()
    await event.tick()
    assert facts(event, PLAYED) and not said(event, "The time for this match is over")


async def test_a_match_moved_to_the_next_day_is_live_on_that_evening(event: World) -> None:
    at = await agreed(event)
    await event.move_to(at + MINUTE)
    await says(event, "anna", "reschedule", time="Sun 29 18:00")
    await accept_last(event)
    later = at + timedelta(days=1)
    event.lichess.play_match("anna", "carl", later, games("111111"))
    await event.move_to(later - 11 * MINUTE)
    await minutes(event, 13)
    assert results(event)[0].startswith("🔴")


async def test_nobody_is_live_for_ever(event: World) -> None:
    at = await agreed(event)
    (first,) = event.lichess.play_match("anna", "carl", at + MINUTE, games("1"))
    await minutes(event, 17)
    assert results(event)[0].startswith("🔴")
    event.lichess.change_game(first, status="aborted", winner=None, last_move_at=at + 2 * MINUTE)
    await minutes(event, 2)
    assert not results(event)[0].startswith("🔴") and "playing" not in results(event)[0]


async def test_a_match_that_stops_in_the_middle_is_not_finished(event: World) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 22:00")
    event.lichess.play_match("anna", "carl", at, games("110"))
    await event.move_to(at - MINUTE)
    await minutes(event, 30)
    assert results(event)[0].startswith("**Round 1, not finished: anna 2–1 carl**")
    assert said(event, "### So far: anna 2–1 carl")


@pytest.mark.parametrize("after", [timedelta(minutes=59, seconds=30), timedelta(hours=20)], ids=["last", "for fun"])
async def test_nobody_is_asked_to_play_again_what_cannot_count(event: World, after: timedelta) -> None:
    day = "Mon 30 23:00" if after < timedelta(hours=1) else "Sat 28 18:00"
    at = await agree(event, "anna", "carl", day)
    event.lichess.play_match("anna", "carl", at + after, games("1"), clock=(180, 2))
    await event.move_to(at + after - MINUTE)
    await minutes(event, 5)
    assert not said(event, "does not count")


async def test_an_evening_of_bullet_pings_nobody_twelve_times(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("111111"), clock=(60, 0))
    await event.move_to(at + 30 * MINUTE)
    assert len(said(event, "does not count")) == 3


async def test_a_thread_that_was_deleted_while_live_gets_the_score_on_its_card(event: World) -> None:
    at = await agreed(event)
    event.lichess.play_match("anna", "carl", at, games("1100111111"))
    await minutes(event, 20)
    event.env.backend.delete_channel(thread(event, "anna", "carl").id)
    await event.tick()
    await event.tick()
    await minutes(event, 40)
    assert results(event)[0].startswith("**Round 1: anna 6–2 carl**")
    assert said(event, "**Finished: anna 6–2 carl**")

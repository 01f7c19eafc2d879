"""Rounds from the first pairings to the table: R3.4, R3.6, R3.7, R4.1, R4.3, R4.4, Q9, Q10, Q14, Q27-Q29, Q42, Q45."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from engine.points import DRAW, LOSS, WIN
from tests.clauses.stage import (
    agree,
    agree_and_play,
    bye_of,
    games,
    leave,
    offer_enough,
    pairs_of,
    said,
    says,
    settle,
    settled_round,
    table,
    thread,
    tiebreaks,
)
from tests.cogs.first_round import PUBLISHED
from tests.world import World, custom_ids, text_of

TEN = ("anna", "bob", "carl", "dora", "emil", "finn", "gina", "hans", "ines", "jan")
SIX = TEN[:6]
EIGHT = TEN[:8]
SECOND = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
WEEK = timedelta(weeks=1)
MINUTE = timedelta(minutes=1)


# --- R4: the calendar -----------------------------------------------------------------------------------------


async def test_r4_3_first_pairings_on_the_sunday_at_noon_later_ones_on_tuesdays(world: World) -> None:
    await world.start_edition(("anna", "bob", "carl", "dora"), "2026-03-22")
    for number, moment in ((1, PUBLISHED), (2, SECOND), (3, SECOND + WEEK)):
        await world.move_to(moment - MINUTE)
        assert not pairs_of(world, number), f"round {number} came early"
        await world.move_to(moment)
        assert len(pairs_of(world, number)) == 2
        await settle(world, number)


async def test_r4_3_another_weekday_is_refused(world: World) -> None:
    answer = await says(world, "td", "td edition create", starts="2026-03-24")
    assert "is not a Sunday" in answer and "Sun 22 Mar 2026 or Sun 29 Mar 2026" in answer


async def test_r4_1_one_match_a_week(event: World) -> None:
    await settle(event, 1)
    await event.move_to(SECOND)
    await settle(event, 2)
    await event.move_to(SECOND + WEEK - MINUTE)
    assert (len(pairs_of(event, 2)), len(pairs_of(event, 3))) == (2, 0)
    await event.move_to(SECOND + WEEK)
    assert len(pairs_of(event, 3)) == 2


async def test_r4_4_every_round_is_played_by_the_monday_after_the_offer_friday(event: World) -> None:
    assert "Offers by Fri 27 Mar 23:59 UTC" in said(event.channel("pairings"))
    assert "Play by Mon 30 Mar 23:59 UTC" in said(event.channel("pairings"))
    await settle(event, 1)
    await event.move_to(SECOND)
    assert "Play by Mon 6 Apr 23:59 UTC" in event.channel("pairings").last_message.content


async def test_q14_late_pairings_keep_the_deadlines_and_the_tds_are_told(event: World) -> None:
    await settle(event, 1)
    await event.jump_to(SECOND + timedelta(hours=13))  # Wednesday 01:00: 71 hours are left
    await event.tick()
    assert "Offers by Fri 3 Apr 23:59 UTC" in event.channel("pairings").last_message.content
    notice = event.channel("directors").last_message.content
    assert "Round 2 came out late" in notice and "offers by Fri 3 Apr 23:59 UTC" in notice


async def test_q14_72_hours_are_enough(event: World) -> None:
    await settle(event, 1)
    await event.jump_to(SECOND + timedelta(hours=12))
    await event.tick()
    assert "Offers by Fri 3 Apr 23:59 UTC" in event.channel("pairings").last_message.content
    assert "came out late" not in said(event.channel("directors"))


# --- R3.4: how many rounds ------------------------------------------------------------------------------------


async def test_r3_4_r4_2_ten_players_meet_in_five_rounds_and_one_week_is_free(world: World) -> None:
    await world.start_edition(TEN, "2026-03-22")
    for number, moment in enumerate((PUBLISHED, *(SECOND + n * WEEK for n in range(4))), start=1):
        await world.move_to(moment)
        assert len(pairs_of(world, number)) == 5
        await settle(world, number)
    await world.move_to(SECOND + 5 * WEEK - MINUTE)
    assert not pairs_of(world, 6)
    assert "They begin by themselves Tue 5 May 12:00 UTC" in said(world.channel("directors"))
    await world.move_to(SECOND + 5 * WEEK)
    assert "**The Candidates have begun.**" in said(world.channel("directors"))


# --- R3.7, Q42: the pairings ------------------------------------------------------------------------------------


async def test_r3_7_top_half_against_bottom_half_then_by_score_without_a_rematch(world: World) -> None:
    await world.start_edition(SIX, "2026-03-22")
    await world.move_to(PUBLISHED)
    assert pairs_of(world, 1) == [("anna", "dora"), ("bob", "emil"), ("carl", "finn")]
    await settle(world, 1, "anna", "emil", "carl")
    await world.move_to(SECOND)
    # One point: anna, carl, emil; none: bob, dora, finn. emil floats to finn, which leaves the exact fold bob-dora.
    assert pairs_of(world, 2) == [("anna", "carl"), ("emil", "finn"), ("bob", "dora")]


async def test_r3_7_the_bye_is_a_full_point_for_the_lowest_seed_of_the_lowest_score(world: World) -> None:
    await world.start_edition(SIX[:5], "2026-03-22")
    await world.move_to(PUBLISHED)
    assert (pairs_of(world, 1), bye_of(world, 1)) == ([("anna", "carl"), ("bob", "dora")], "emil 1")
    await settle(world, 1, "anna", "dora")
    assert await table(world) == [("anna", "1"), ("dora", "1"), ("emil", "1"), ("bob", "0"), ("carl", "0")]
    await world.move_to(SECOND)
    assert bye_of(world, 2) == "carl 1"


async def test_r3_7_q42_a_walkover_without_a_game_bars_from_the_bye(world: World) -> None:
    await world.start_edition(SIX[:5], "2026-03-22")
    await world.move_to(PUBLISHED)
    await settle(world, 1, "anna", "bob")
    await world.move_to(SECOND)
    assert bye_of(world, 2) == "dora 1"
    await settle(world, 2, "carl", played=False)
    await world.move_to(SECOND + WEEK)
    # carl has the lowest seed of the lowest score that has had no bye, but a point without a game; bob is next.
    assert bye_of(world, 3) == "bob 1"


async def test_q42_a_published_pair_counts_as_met_whatever_happened(event: World) -> None:
    await settle(event, 1, played=False)
    await event.move_to(SECOND)
    assert pairs_of(event, 1) == [("anna", "carl"), ("bob", "dora")]
    assert not {frozenset(pair) for pair in pairs_of(event, 1)} & {frozenset(pair) for pair in pairs_of(event, 2)}


# --- R3.6: the worked example of the table --------------------------------------------------------------------------


@pytest.fixture
async def example(world: World) -> World:
    """Six players, four rounds; a walkover, a ruled draw, two byes; finn withdraws after round 2 and is unranked."""
    await world.start_edition(SIX, "2026-03-22")
    won, lost = (WIN, LOSS), (LOSS, WIN)
    half = (DRAW, DRAW)
    await settled_round(
        world,
        1,
        [("anna", "bob", *half, True), ("carl", "finn", *won, True), ("dora", "emil", *half, True)],
    )
    await settled_round(
        world,
        2,
        [("anna", "emil", *won, True), ("bob", "finn", *won, True), ("carl", "dora", *lost, False)],
    )
    await leave(world, "finn")
    await settled_round(world, 3, [("anna", "carl", *lost, True), ("bob", "dora", *half, False)], bye="emil")
    await settled_round(world, 4, [("anna", "dora", *lost, True), ("bob", "emil", *won, True)], bye="carl")
    return world


def values(lines: list[str], *names: str) -> dict[str, str]:
    """What stands behind each of `names` (`Cum`, `Wins-v-tied`, `MBuch`), by player."""
    return {
        line.split(":")[0].split()[-1]: " ".join(found)
        for line in lines
        if (found := re.findall(rf"(?:{'|'.join(names)}) (\S+?)[,\s]", line + " "))
    }


async def test_r3_6_points_then_cumulative_then_wins_against_tied_then_median_buchholz(example: World) -> None:
    assert await table(example) == [
        ("dora", "3"), ("carl", "3"), ("bob", "3"), ("anna", "1½"), ("emil", "1½"), ("finn", "0"),
    ]  # fmt: skip
    lines = await tiebreaks(example)
    assert values(lines, "Cum", "Wins-v-tied", "MBuch") == {
        "dora": "7 1 4½",
        "carl": "7 0 4½",
        "bob": "7 0 3",
        "anna": "5 0 6",
        "emil": "4 0 4½",
        "finn": "0 0 3",
    }
    apart = [re.search(r"\(\w+ by (.+)\)", line) for line in lines]
    assert [found and found[1] for found in apart] == [
        None, "match wins against tied opponents", "Median-Buchholz", "points", "cumulative score", None,
    ]  # fmt: skip


async def test_q27_a_walkover_and_a_bye_count_in_cumulative_in_their_round(example: World) -> None:
    assert values(await tiebreaks(example), "Cum") == {
        "dora": "7", "carl": "7", "bob": "7", "anna": "5", "emil": "4", "finn": "0",
    }  # fmt: skip


async def test_q28_a_walkover_is_a_win_against_a_tied_opponent(example: World) -> None:
    assert values(await tiebreaks(example), "Wins-v-tied")["dora"] == "1"


async def test_q29_a_round_without_a_game_counts_the_own_points_and_an_absent_one_nothing(example: World) -> None:
    assert values(await tiebreaks(example), "MBuch") == {
        "dora": "4½", "carl": "4½", "bob": "3", "anna": "6", "emil": "4½", "finn": "3",
    }  # fmt: skip


async def test_q45_who_left_stands_unranked_at_the_end(example: World) -> None:
    text = await says(example, "td", "standings")
    assert re.search(r"^ +– finn +0 ", text, re.MULTILINE)
    assert [line.split(".")[0] for line in (await tiebreaks(example))[:5]] == ["1", "2", "3", "4", "5"]


# --- Q9, Q10: a match that is still open ------------------------------------------------------------------------------


async def with_one_open(event: World) -> None:
    """anna beats carl; bob and dora have no result when Monday has passed."""
    await offer_enough(event, "bob")
    await agree_and_play(event, "anna", "carl", "Sat 18:00", games("111111"))
    await says(event, "anna", "report")
    await event.move_to(SECOND)


async def test_q9_the_round_waits_until_a_td_has_extended(event: World) -> None:
    await with_one_open(event)
    assert not pairs_of(event, 2)
    waiting = event.channel("directors").last_message
    assert "Round 2 is due but waits" in waiting.content and "R1 · bob – dora" in waiting.content
    td = event.people["td"]
    form = await event.click(td, waiting, next(id for id in custom_ids(waiting) if ":extend:" in id))
    assert "Extended" in text_of(await event.submit(td, form, "power cut"))
    assert len(pairs_of(event, 2)) == 2


async def test_q9_once_nothing_holds_the_round_up_the_notice_says_so(event: World) -> None:
    await agree_and_play(event, "anna", "carl", "Sat 18:00", games("111111"))
    await settle(event, 1, "bob", but="anna")
    await event.move_to(SECOND)
    assert "Round 2 is due but waits" in event.channel("directors").last_message.content
    await says(event, "anna", "report")
    assert len(pairs_of(event, 2)) == 2
    told = said(event.channel("directors"))
    assert "✓ **Round 2**: nothing holds it up any more." in told and "is due but waits" not in told


async def test_q9_an_extended_match_is_half_a_point_for_the_pairing_and_open_in_the_table(world: World) -> None:
    await world.start_edition(EIGHT, "2026-03-22")
    await world.move_to(PUBLISHED)
    await offer_enough(world, "dora")
    await settle(world, 1, "bob", "carl", but="dora")  # anna-emil drawn, dora-hans open
    await world.move_to(SECOND)
    await says(world, "td", "td round extend", reason="power cut")
    # One point: bob, carl. Half: anna, dora, emil, hans, where anna-emil and dora-hans have met. None: finn, gina.
    assert pairs_of(world, 2) == [("bob", "carl"), ("anna", "hans"), ("dora", "emil"), ("finn", "gina")]
    assert "Still open, counted 0: R1 · dora – hans" in await says(world, "td", "standings")
    points = dict(await table(world))
    assert {name: points[name] for name in ("bob", "anna", "dora", "hans")} == {
        "bob": "1", "anna": "½", "dora": "0", "hans": "0",
    }  # fmt: skip


async def test_q10_an_extended_match_may_be_played_until_the_next_monday(event: World) -> None:
    await with_one_open(event)
    await says(event, "td", "td round extend", reason="power cut")
    at = await agree(event, "bob", "dora", "Sat 18:00", match=2)
    assert at == datetime(2026, 4, 4, 18, tzinfo=UTC)
    event.lichess.play_match("bob", "dora", at, games("000000"))
    await event.move_to(at + timedelta(hours=2))
    assert "Recorded: **bob 0–6 dora**" in await says(event, "dora", "report", match=2)
    # It is a result of round 1, whose table is the newest closed one.
    assert await table(event, round=1) == [("anna", "1"), ("dora", "1"), ("bob", "0"), ("carl", "0")]
    assert "bob 0–6 dora" in thread(event, "R1", "bob").history()[0].content

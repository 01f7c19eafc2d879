"""Which games make a match, as `/report` answers: R3.1, R3.3, R4.4, Q8, Q12, Q13, Q19-Q22, Q35, Q38b."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.clauses.stage import AGREED, agree, agree_and_play, games, offer_enough, said, says, table, thread
from tests.world import World, custom_ids, text_of

MONDAY_END = datetime(2026, 3, 31, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


async def report_after(world: World, **fields: object) -> str:
    """anna wins the first of six games, `fields` are strange about it, and the other five; what `/report` says."""
    strange = {"created_at": AGREED, "winner": "white", **fields}
    world.lichess.add_game("anna", "carl", **strange)  # type: ignore[arg-type]
    world.lichess.play_match("anna", "carl", AGREED + 10 * MINUTE, games("11111"))
    await world.move_to(AGREED + HOUR)
    return await says(world, "anna", "report")


# --- R3.1: rated, 1+2 -----------------------------------------------------------------------------------------


async def test_r3_1_six_rated_games_of_1_plus_2_are_a_match(agreed: World) -> None:
    assert "Recorded: **anna 6–0 carl**" in await report_after(agreed)


async def test_r3_1_the_card_says_how_the_games_are_played(event: World) -> None:
    assert "rated antichess games, 1+2" in thread(event, "anna", "carl").history()[0].content


async def test_r3_1_q20_a_casual_game_does_not_count(agreed: World) -> None:
    answer = await report_after(agreed, rated=False)
    assert "The match is not over: you 5–0 carl, 5 games to go" in answer and "(not rated)" in answer


@pytest.mark.parametrize("clock", [(60, 0), (60, 3), (180, 2), (30, 2), None])
async def test_r3_1_q21_players_cannot_waive_the_clock(agreed: World, clock: tuple[int, int] | None) -> None:
    answer = await report_after(agreed, clock=clock)
    assert "you 5–0 carl, 5 games to go" in answer and "(another clock)" in answer


async def test_r3_1_another_variant_does_not_count(agreed: World) -> None:
    answer = await report_after(agreed, variant="standard")
    assert "you 5–0 carl, 5 games to go" in answer and "(another variant)" in answer


async def test_q21_the_match_stays_open_to_five_and_a_half_valid_points(agreed: World) -> None:
    await report_after(agreed, clock=(60, 0))
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("="))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "Recorded: **anna 5½–½ carl**" in await says(agreed, "carl", "report")


async def test_q19_an_aborted_game_is_replayed(agreed: World) -> None:
    answer = await report_after(agreed, status="aborted", winner=None)
    assert "you 5–0 carl, 5 games to go" in answer and "(aborted)" in answer
    agreed.lichess.play_match("anna", "carl", AGREED + 2 * HOUR, games("1"))
    await agreed.move_to(AGREED + 3 * HOUR)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")


async def test_q22_a_typed_score_is_no_result(agreed: World) -> None:
    await agreed.move_to(AGREED + HOUR)
    answer = await says(agreed, "anna", "report", score="6-0")
    assert "A score alone is not a result" in answer
    notice = said(agreed.channel("directors"))
    assert "A score without games" in notice and "anna says anna 6–0 carl" in notice
    assert "anna" not in said(agreed.channel("results"))


async def test_q38b_a_game_that_ended_by_cheat_goes_to_a_td(agreed: World) -> None:
    answer = await report_after(agreed, status="cheat")
    assert "Only a TD can judge these games" in answer
    assert "A game needs your look" in agreed.channel("directors").last_message.content
    assert "anna" not in said(agreed.channel("results"))


# --- R3.3: ten games, more than five points -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "recorded"),
    [
        ("111111", "anna 6–0 carl"),
        ("11111=", "anna 5½–½ carl"),
        ("000000", "anna 0–6 carl"),
        ("1010101010", "anna 5–5 carl"),
        ("==========", "anna 5–5 carl"),
        ("10101010==", "anna 5–5 carl"),
        ("110101010=", "anna 5½–4½ carl"),
    ],
)
async def test_r3_3_the_match_ends_with_more_than_five_or_at_five_all(
    agreed: World, results: str, recorded: str
) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games(results))
    await agreed.move_to(AGREED + HOUR)
    assert f"Recorded: **{recorded}**" in await says(agreed, "anna", "report")


@pytest.mark.parametrize(("results", "missing"), [("11111", 5), ("101010101", 1), ("=========", 1), ("1", 9)])
async def test_r3_3_the_match_is_open_before(agreed: World, results: str, missing: int) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games(results))
    await agreed.move_to(AGREED + HOUR)
    answer = await says(agreed, "anna", "report")
    assert "The match is not over" in answer and f"{missing} game" in answer


async def test_r3_3_a_won_match_is_a_point_and_a_tied_one_half(event: World) -> None:
    await agree_and_play(event, "anna", "carl", "Thu 18:00", games("0" * 6))
    await says(event, "anna", "report")
    await agree_and_play(event, "bob", "dora", "Fri 27 18:00", games("10" * 5))
    await says(event, "bob", "report")
    assert await table(event) == [("carl", "1"), ("bob", "½"), ("dora", "½"), ("anna", "0")]


async def test_q35_games_after_the_decision_are_listed_and_not_counted(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED, games("1111110000"))
    await agreed.move_to(AGREED + HOUR)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "anna", "report")
    post = said(agreed.channel("results"))
    counted, _, extra = post.partition("Played after the decision, not counted:")
    assert (counted.count("lichess.org/"), extra.count("lichess.org/")) == (6, 4)


# --- Q12, Q13: which games follow on ------------------------------------------------------------------------------


async def test_q12_nothing_counts_that_began_more_than_ten_minutes_early(agreed: World) -> None:
    answer = await report_after(agreed, created_at=AGREED - 10 * MINUTE - timedelta(seconds=1))
    assert "you 5–0 carl, 5 games to go" in answer and "(before the agreed time)" in answer


async def test_q12_ten_minutes_early_counts(agreed: World) -> None:
    assert "Recorded: **anna 6–0 carl**" in await report_after(agreed, created_at=AGREED - 10 * MINUTE)


@pytest.mark.parametrize("where", [{"tournament": "abcd1234"}, {"swiss": "abcd1234"}, {"source": "simul"}])
async def test_q12_games_of_a_lichess_tournament_do_not_count(agreed: World, where: dict[str, str]) -> None:
    answer = await report_after(agreed, **where)
    assert "you 5–0 carl, 5 games to go" in answer and "(part of a Lichess tournament)" in answer


async def test_q12_without_an_agreed_time_both_name_the_first_game(event: World) -> None:
    await offer_enough(event, *event.people.keys() - {"td"})
    ids = event.lichess.play_match("bob", "dora", AGREED, games("111111"))
    await event.move_to(AGREED + HOUR)
    answer = await says(event, "bob", "report")
    assert "both of you must name the same first game" in answer and ids[0] in answer
    assert said(event.channel("results")) == ""
    question = thread(event, "bob", "dora").last_message
    confirm = next(id for id in custom_ids(question) if ":confirm:" in id)
    assert "Your opponent has to confirm" in text_of(await event.click(event.people["bob"], question, confirm))
    assert "Recorded: **bob 6–0 dora**" in text_of(await event.click(event.people["dora"], question, confirm))


async def test_q13_a_late_start_counts(agreed: World) -> None:
    agreed.lichess.play_match("anna", "carl", AGREED + 40 * MINUTE, games("111111"))
    await agreed.move_to(AGREED + 2 * HOUR)
    assert "Recorded: **anna 6–0 carl**" in await says(agreed, "carl", "report")


# --- R4.4, Q8: by Monday -------------------------------------------------------------------------------------------


async def monday_night(world: World, *starts: datetime, lasts: timedelta = 3 * MINUTE) -> str:
    """anna and carl agreed on Monday 22:30; anna wins a game at each start."""
    await agree(world, "anna", "carl", "30 Mar 22:30")
    for start in starts:
        world.lichess.add_game("anna", "carl", created_at=start, winner="white", lasts=lasts)
    await world.move_to(MONDAY_END + 4 * HOUR)
    return await says(world, "anna", "report")


async def test_r4_4_a_match_begun_after_monday_does_not_count(event: World) -> None:
    answer = await monday_night(event, *(MONDAY_END + n * 5 * MINUTE for n in range(6)))
    assert "no game that counts" in answer and "(after the deadline)" in answer


async def test_r4_4_q8_the_last_second_of_monday_counts(event: World) -> None:
    starts = [MONDAY_END - timedelta(seconds=1 + 300 * n) for n in range(6)]
    assert "Recorded: **anna 6–0 carl**" in await monday_night(event, *starts)


async def test_q8_a_match_in_play_at_the_deadline_is_finished_and_counts(event: World) -> None:
    starts = [MONDAY_END - 10 * MINUTE + n * 20 * MINUTE for n in range(6)]
    assert "Recorded: **anna 6–0 carl**" in await monday_night(event, *starts)


async def test_r4_4_q8_what_ends_by_two_o_clock_counts(event: World) -> None:
    begun = [MONDAY_END - 30 * MINUTE + n * 5 * MINUTE for n in range(5)]
    last = MONDAY_END + 2 * HOUR - 3 * MINUTE
    assert "Recorded: **anna 6–0 carl**" in await monday_night(event, *begun, last)


async def test_q8_what_ends_after_two_o_clock_does_not(event: World) -> None:
    begun = [MONDAY_END - 30 * MINUTE + n * 5 * MINUTE for n in range(5)]
    last = MONDAY_END + 2 * HOUR - 2 * MINUTE
    answer = await monday_night(event, *begun, last)
    assert "no more game counts, so a TD decides" in answer
    assert "you 5–0 carl" in answer and "(after the deadline)" in answer

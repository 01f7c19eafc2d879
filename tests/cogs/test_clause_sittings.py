"""Breaks and leaving only while the match is being played (R6.1, R6.4, R3.16; Q8, Q18, Q32, Q38, Q40).

anna plays carl; round 1 is out on Sunday 22 March 2026 at 12:00. The bot follows the games. The later stages begin
without the weeks before them.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.model import Stage
from engine.timers import TimerEnd
from tests.clauses.evening import DEADLINE, MINUTE, directors, forfeits, minutes, said, timers
from tests.clauses.stage import agree, games, says, settle, thread
from tests.cogs.later import begins
from tests.cogs.test_clause_accounts import loaded
from tests.cogs.test_clause_armageddon import bids
from tests.cogs.test_clause_break import laid_out, playing
from tests.world import World, custom_ids

BOTH = ("match break", "match opponent-left")


@pytest.fixture
async def event(event: World) -> World:
    event.follows = True
    return event


async def stage(world: World, stage: Stage, score: str) -> None:
    """anna and bob have played so far in a later stage; the clock stands at the end of the last game."""
    await settle(world, 1, "anna", "bob")
    await world.move(days=2)
    pairs = (("upper", "anna", "bob"), ("lower", "carl", "dora"))
    if stage is Stage.SEMIFINALS:
        pairs = (("semifinal_1", "anna", "bob"), ("semifinal_2", "carl", "dora"))
    match_id, _ = await begins(world, stage, *pairs)
    at = await agree(world, "anna", "bob", "Sat 28 18:00", match=match_id)
    await world.move_to(at - MINUTE)
    ids = world.lichess.play_match("anna", "bob", at, games(score))
    await minutes(world, (laid_out(world, ids[-1]).last_move_at + MINUTE - world.clock.now()) / MINUTE)


# --- Hours after the last game --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", BOTH)
async def test_r6_4_an_hour_after_the_last_game_nobody_is_at_the_board_any_more(event: World, command: str) -> None:
    end = await playing(event, "000")
    await event.move_to(end + 60 * MINUTE + timedelta(seconds=1))
    answer = await says(event, "anna", command)
    assert answer.startswith("**Agree on a time to go on:**") and f"{end:%H:%M} UTC" in answer
    assert not timers(event) and not directors(event, "Opponent left")


async def test_r6_4_within_the_hour_who_left_is_called(event: World) -> None:
    end = await playing(event, "000")
    await event.move_to(end + 60 * MINUTE)
    assert "Told" in await says(event, "anna", "match opponent-left")


async def test_r6_4_while_lichess_is_down_nothing_begins_hours_after_the_games_that_were_seen(event: World) -> None:
    end = await playing(event, "000")
    await event.move_to(end + 90 * MINUTE)
    event.lichess.fail_next("down", 6)
    assert "Lichess" in await says(event, "anna", "match opponent-left") and not timers(event)


# --- Another sitting ------------------------------------------------------------------------------------------------


async def moved_on(world: World) -> None:
    """Begun on Saturday, to go on on Sunday at 18:00."""
    await playing(world, "110")
    answer = await says(world, "carl", "reschedule", time="Sun 29 18:00")
    message = [m for m in thread(world, "anna", "carl").history() if any(":accept:" in id for id in custom_ids(m))][-1]
    button = next(id for id in custom_ids(message) if ":accept:" in id)
    await world.click(world.people["anna"], message, button)
    assert said(world, "Sun 29 Mar 18:00"), answer


@pytest.mark.parametrize("command", BOTH)
async def test_q38_before_a_time_that_is_ahead_nobody_leaves(event: World, command: str) -> None:
    await moved_on(event)
    answer = await says(event, "anna", command)
    assert answer.startswith("You go on Sun 29 Mar 18:00 UTC") and not timers(event)


async def test_q38_who_does_not_come_to_the_second_sitting_is_absent_and_has_not_left(event: World) -> None:
    await moved_on(event)
    await event.move_to(DEADLINE - timedelta(days=1, hours=5, minutes=55))
    assert "You have begun no game since Sun 29 Mar 18:00 UTC" in await says(event, "anna", "match opponent-left")
    assert (await says(event, "anna", "match opponent-absent")).startswith("Reported")


async def test_q38_in_the_second_sitting_there_are_breaks_again(event: World) -> None:
    await moved_on(event)
    at = DEADLINE - timedelta(days=1, hours=6)
    await event.move_to(at - MINUTE)
    event.lichess.play_match("anna", "carl", at, games("1"))
    await minutes(event, 6)
    assert "the next game begins by" in await says(event, "anna", "match break")


async def test_q12_a_friendly_game_between_two_sittings_does_not_count(event: World) -> None:
    await moved_on(event)
    later = DEADLINE - timedelta(days=1, hours=6)
    (friendly,) = event.lichess.play_match("anna", "carl", later - timedelta(hours=6), games("0"))
    event.lichess.play_match("anna", "carl", later, games("1111"))
    await event.move_to(later - 12 * MINUTE)
    await minutes(event, 50)
    assert said(event, "Begun before Sun 29 Mar 18:00 UTC", friendly) and said(event, "Finished: anna 6–1 carl")


async def test_q12_a_td_counts_what_was_played_on_at_once_after_the_match_was_moved(event: World) -> None:
    await moved_on(event)
    game, _ = event.lichess.play_match("anna", "carl", event.clock.now() + 5 * MINUTE, games("10"))
    await event.move(minutes=15)
    assert "2–1" in await says(event, "anna", "report")
    words = {"match": 1, "game": game, "decision": "accepted"}
    assert "those after it count, too" in await says(event, "td", "td-match games", **words)
    await says(event, "td", "td-match games", **words, reason="They went on by consent.")
    assert "3–2" in await says(event, "anna", "report")


async def test_q12_between_two_sittings_set_by_a_td_no_game_counts(event: World) -> None:
    await playing(event, "110")
    await says(event, "td", "td-match time", match=1, time="Sun 29 18:00", reason="The power is out.")
    event.lichess.play_match("anna", "carl", event.clock.now() + 5 * MINUTE, games("1"))
    await event.move(minutes=15)
    assert "2–1" in await says(event, "anna", "report")
    ref = next(fact.id for fact in loaded(event).ledger.facts if fact.kind == "time_set")
    await says(event, "td", "td undo", ref=ref, reason="It is back.")
    assert "3–1" in await says(event, "anna", "report")


async def test_q38_a_game_that_was_running_when_the_match_was_moved_counts(event: World) -> None:
    end = await playing(event, "110")
    event.lichess.play_match("anna", "carl", end + MINUTE, games("1"))
    await minutes(event, 2)
    await says(event, "td", "td-match time", match=1, time="Sun 29 18:00", reason="The power is out.")
    await event.move(minutes=15)
    assert "3–1" in await says(event, "anna", "report")


@pytest.mark.parametrize("command", BOTH)
async def test_q8_when_no_game_counts_any_more_a_td_decides(event: World, command: str) -> None:
    at = await agree(event, "anna", "carl", "Mon 30 22:50")
    event.lichess.play_match("anna", "carl", DEADLINE - 8 * MINUTE, games("1"))
    last = event.lichess.play_match("anna", "carl", DEADLINE + 100 * MINUTE, games("10"))
    await event.move_to(at)
    await event.move_to(max(DEADLINE + 121 * MINUTE, laid_out(event, last[-1]).last_move_at))
    assert "no game counts any more" in await says(event, "anna", command) and not timers(event)


# --- The Candidates: all games are played ---------------------------------------------------------------------------


async def test_q32_once_the_match_point_is_decided_nobody_forfeits_by_stopping(event: World) -> None:
    await stage(event, Stage.CANDIDATES, "11111100")
    answer = await says(event, "bob", "match opponent-left")
    assert answer.startswith("**Play on: 2 games are missing**") and "write to the TDs" in answer
    assert "the next game begins by" in await says(event, "anna", "match break"), "they may be playing the rest"
    assert len(timers(event)) == 1 and not ruled_out(event)
    (post,) = [m for m in thread(event, "anna", "bob").history() if "Live: anna 6–2 bob" in m.content]
    assert [id.split(":")[2] for id in custom_ids(post)] == ["report", "break"]
    assert "The match point is decided" in post.content and "Opponent gone?" not in post.content


async def test_q32_both_have_stopped_then_there_is_no_break_either(event: World) -> None:
    await stage(event, Stage.CANDIDATES, "11111100")
    await minutes(event, 15)
    assert (await says(event, "bob", "match break")).startswith("**Play on: 2 games are missing**")
    assert not timers(event)


async def test_q32_decided_by_the_game_in_progress_there_is_no_claim(event: World) -> None:
    await stage(event, Stage.CANDIDATES, "11111")
    (last,) = event.lichess.play_match("anna", "bob", event.clock.now() + MINUTE, games("1"))
    await event.move_to(laid_out(event, last).created_at + timedelta(seconds=20))
    assert "after the end of the game" in await says(event, "bob", "match opponent-left")
    await minutes(event, 20)
    assert [timer.outcome for timer in timers(event)] == [TimerEnd.OVER] and not ruled_out(event)
    assert said(event, "### Are you still there?", "The match was decided with that game", who=("anna", "bob"))


async def test_r6_4_before_the_match_point_is_decided_leaving_is_leaving(event: World) -> None:
    await stage(event, Stage.CANDIDATES, "11111")
    assert "Told" in await says(event, "bob", "match opponent-left")


def ruled_out(world: World) -> bool:
    return bool(forfeits(world))


# --- A tie in a knock-out match -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", BOTH)
async def test_r3_16_while_bids_are_due_nobody_leaves_and_there_is_no_break(event: World, command: str) -> None:
    await stage(event, Stage.SEMIFINALS, "1010101010")
    answer = await says(event, "anna", command)
    assert answer.startswith("Only the armageddon game is left: **bid first**") and not timers(event)
    assert not any(buttons_of(event)), "nor are there buttons for it"
    assert "5 games" not in answer and not directors(event, "Opponent left")


async def test_r3_16_nor_once_the_colours_are_settled(event: World) -> None:
    await stage(event, Stage.SEMIFINALS, "1010101010")
    for who, time in (("anna", "2:00"), ("bob", "2:30")):
        await bids(event, who, time)
    answer = await says(event, "bob", "match opponent-left")
    assert "Only the armageddon game is left: once it has begun" in answer and not timers(event)


@pytest.mark.parametrize("command", BOTH)
async def test_r3_16_ten_minutes_that_wait_for_the_end_of_the_last_game_end_with_the_tie(
    event: World, command: str
) -> None:
    await stage(event, Stage.SEMIFINALS, "101010101")
    (last,) = event.lichess.play_match("anna", "bob", event.clock.now() + MINUTE, games("0"))
    await event.move_to(laid_out(event, last).created_at + timedelta(seconds=20))
    assert "after the end of the game" in await says(event, "anna", command)
    await minutes(event, 20)
    assert [timer.outcome for timer in timers(event)] == [TimerEnd.OVER] and not ruled_out(event)
    assert said(event, "Only the armageddon game is left", who=("anna", "bob"))
    if command == "match opponent-left":
        assert "bid first" in await says(event, "anna", "match claim", choice="win")


def buttons_of(world: World) -> list[str]:
    found = [id for m in thread(world, "anna", "bob").history() for id in custom_ids(m)]
    return [id for id in found if ":break:" in id or ":left:" in id]


# --- A match that begins hours late ---------------------------------------------------------------------------------


async def begun_late(world: World) -> None:
    """Four hours late (Q13), and the second game is in progress; the bot looks once an hour by now."""
    at = await agree(world, "anna", "carl", "Sat 28 18:00")
    await world.move_to(at + timedelta(hours=4, minutes=5))
    world.lichess.play_match("anna", "carl", world.clock.now(), games("10"))
    await minutes(world, 4)
    assert not said(world, "### Live"), "nobody has told the bot"


@pytest.mark.parametrize("command", [*BOTH, "report"])
async def test_q13_a_command_that_reads_the_games_of_a_late_match_wakes_the_follower(
    event: World, command: str
) -> None:
    await begun_late(event)
    await says(event, "anna", command)
    await minutes(event, 2)
    assert said(event, "### Live", "[now playing]") or said(event, "### Live: anna 1–1 carl")


@pytest.mark.parametrize("command", BOTH)
async def test_q16_ten_minutes_inside_a_late_match_run_from_the_end_of_the_game(event: World, command: str) -> None:
    await begun_late(event)
    assert "after the end of the game" in await says(event, "anna", command)
    await minutes(event, 3)
    (timer,) = timers(event)
    assert timer.runs_from is not None and timer.runs_from < event.clock.now() - MINUTE
    await minutes(event, 10)
    if command == "match break":
        assert "break is over" in await says(event, "carl", "match opponent-left")
    else:
        assert "the match is yours" in await says(event, "anna", "match claim", choice="win")


async def test_q16_whoever_asks_about_a_waiting_break_has_the_games_read_first(event: World) -> None:
    event.follows = False
    await begun_late(event)
    await says(event, "anna", "match break")
    await minutes(event, 14)
    assert timers(event)[0].runs_from is None, "the bot does not look"
    assert "break is over" in await says(event, "carl", "match opponent-left")
    assert timers(event)[0].runs_from is not None


async def test_q18_a_claim_reads_the_games_of_ten_minutes_that_wait(event: World) -> None:
    event.follows = False
    await begun_late(event)
    await says(event, "anna", "match opponent-left")
    await minutes(event, 14)
    assert "the match is yours" in await says(event, "anna", "match claim", choice="win")

"""At the agreed minute both are called to the board with a challenge that only they can take up (R3.1, Q37).

anna plays carl, bob plays dora; round 1 is out on Sunday 22 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.clauses.stage import agree, says, thread
from tests.world import World, custom_ids

MINUTE = timedelta(minutes=1)
CALL = "### Play now"


def calls(world: World) -> list[str]:
    return [m.content for m in thread(world, "anna", "carl").history() if CALL in m.content]


async def test_r3_1_the_call_has_a_challenge_for_these_two_with_the_right_settings(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.change("anna", online=True)
    await event.move_to(at - timedelta(seconds=1))
    assert calls(event) == [] and event.lichess.challenges == []
    await event.move_to(at)
    await event.restart()
    await event.tick()
    (made,) = event.lichess.challenges
    assert (made.users, made.rated, made.variant, made.clock) == (("anna", "carl"), True, "antichess", (60, 2))
    (said,) = calls(event)
    assert "Up to 10 rated antichess games, 1+2." in said
    assert f"<https://lichess.org/{made.id}>, for your two accounts alone" in said
    assert "Online on Lichess: anna ✓, carl –." in said
    assert "Sat 28 Mar 18:00 UTC" in said and len(said.splitlines()) <= 8


@pytest.mark.parametrize("fault", ["down", "429", "502", "html", "401"])
async def test_r3_1_without_a_challenge_the_settings_and_links_stand_in_words(event: World, fault: str) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.move_to(at - MINUTE)
    event.lichess.fail_next(fault, 6, on="/api/challenge")
    await event.move_to(at)
    (said,) = calls(event)
    assert "[challenge anna](<https://lichess.org/?user=anna#friend>)" in said
    assert "1+2" in said and "exactly these settings" in said


async def test_a_call_that_comes_too_late_is_none(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    await event.jump_to(at + timedelta(minutes=60))
    await event.tick()
    assert calls(event) == [] and event.lichess.challenges == []


async def test_a_match_that_is_moved_is_called_at_its_new_time(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 28 18:00")
    await says(event, "anna", "reschedule", time="Sat 28 20:00")
    proposal = thread(event, "anna", "carl").last_message
    await event.click(event.people["carl"], proposal, next(id for id in custom_ids(proposal) if ":accept:" in id))
    later = datetime(2026, 3, 28, 20, tzinfo=UTC)
    await event.move_to(later - MINUTE)
    assert calls(event) == []
    await event.move_to(later)
    assert len(calls(event)) == 1


async def test_who_plays_already_is_not_called(event: World) -> None:
    at = await agree(event, "anna", "carl", "Sat 28 18:00")
    event.lichess.play_match("anna", "carl", at - 5 * MINUTE, "aaaaaa")
    await event.move_to(at + 59 * MINUTE)
    assert len(calls(event)) <= 1

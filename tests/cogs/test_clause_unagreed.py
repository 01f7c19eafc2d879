"""R5.6, R5.10, Q1, Q33, Q34: neither made the offers in time, in a knock-out and in the Qualification."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine.facts import ForfeitCounted, MatchPlayed
from engine.model import Match, Stage
from tests.clauses.stage import agree, games, says, thread
from tests.cogs.test_clause_accounts import loaded
from tests.cogs.test_clause_stages import directors, groups, semifinals_out
from tests.cogs.test_clause_terms import facts
from tests.world import World, custom_ids, open_prepared

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
async def failed(tmp_path: Path) -> AsyncIterator[World]:
    """The Semifinals are out, nobody has offered anything, and the time for that is over."""
    async with open_prepared(tmp_path, semifinals_out) as world:
        world.follows = True
        await world.move_to(loaded(world).rounds[-1].offers_by + HOUR)
        yield world


def first(world: World) -> tuple[str, str, Match]:
    a, b = groups(world, Stage.SEMIFINALS)["semifinal_1"]
    event = loaded(world)
    mine = {entrant.id for entrant in event.entrants.values() if entrant.name in (a, b)}
    return a, b, next(m for m in event.open_matches() if {m.a_id, m.b_id} == mine)


def told(world: World, a: str, b: str) -> list[str]:
    return [message.content for message in thread(world, "SF", a, b).history()]


async def test_q34_the_two_are_told_that_they_play_all_the_same(failed: World) -> None:
    a, b, _ = first(failed)
    card, *_, newest = told(failed, a, b)
    for text in (card, newest, await says(failed, a, "hub")):
        assert "a forfeit of each (§5.6)" in text and "You play all the same" in text and "draw" not in text
    assert len(facts(failed, ForfeitCounted)) == 2, "one fact for each Semifinal"
    notice = directors(failed)
    assert "A TD sets the time" in notice and "in a knock-out they play all the same" in notice


async def test_q34_what_they_agree_on_then_is_played_and_counts(failed: World) -> None:
    a, b, match = first(failed)
    at = await agree(failed, a, b, "Sun 18:00", match=match.id)
    assert "a TD still decides" not in told(failed, a, b)[0]
    failed.lichess.play_match(a, b, at, games("111111"))
    await failed.move_to(at + HOUR)
    (played,) = [fact for fact in facts(failed, MatchPlayed) if fact.match_id == match.id]
    assert len(played.games) == 6


async def test_q33_a_td_sets_the_time_by_the_button_of_the_notice(failed: World) -> None:
    a, b, match = first(failed)
    notice = next(
        m for m in failed.channel("directors").history() if "A TD sets the time" in m.content and a in m.content
    )
    press = next(id for id in custom_ids(notice) if f"rule-time:{match.id}" in id)
    form = await failed.click(failed.people["td"], notice, press)
    await failed.submit(failed.people["td"], form, "Sun 18:00", "Neither had offered.")
    assert "a TD still decides" not in told(failed, a, b)[0] and "Set by a TD" in told(failed, a, b)[0]
    at = loaded(failed).matches[match.id].agreed_at
    assert at is not None
    failed.lichess.play_match(a, b, at, games("111111"))
    await failed.move_to(at + HOUR)
    assert match.id in [fact.match_id for fact in facts(failed, MatchPlayed)]


async def test_r5_10_in_the_qualification_the_time_of_a_td_lets_them_play(event: World) -> None:
    """Set while Lichess does not say whether they have played: until it does, R5.6 makes no draw of it."""
    event.follows = True
    match = loaded(event).open_matches()[0]
    offers_by = loaded(event).offers_by(match)
    event.lichess.fail_next("down", 50)
    await event.move_to(offers_by + 5 * MINUTE)
    assert loaded(event).terms(match).both_failed and not loaded(event).has_result(match)
    await says(event, "td", "td-match time", match=match.id, time="Sun 18:00", reason="They were travelling.")
    event.lichess.heal()
    await event.move_to(offers_by + HOUR)
    assert not loaded(event).has_result(match)
    assert "a TD still decides" not in thread(event, "R1", "anna", "carl").history()[0].content
    at = loaded(event).matches[match.id].agreed_at
    assert at is not None
    event.lichess.play_match("anna", "carl", at, games("111111"))
    await event.move_to(at + HOUR)
    assert [fact.match_id for fact in facts(event, MatchPlayed)] == [match.id]

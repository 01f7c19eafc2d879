"""The stages after the Qualification begin by themselves, and TDs fill what is left empty (R3.5, R3.8, R8.4, Q46).

Fourteen players have played the five rounds of their Qualification; p01 is the best seed. The Candidates are due on
Tuesday 5 May 2026.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.facts import MatchRuled, SeatDeclined, StageSeated
from engine.model import Stage
from engine.points import LOSS, WIN
from engine.usecases.context import record
from tests.clauses.stage import said, says, settle, thread
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_terms import facts
from tests.world import World, custom_ids, open_prepared, text_of

PLAYERS = tuple(f"p{n:02}" for n in range(1, 15))
CANDIDATES = datetime(2026, 5, 5, 12, tzinfo=UTC)


async def better_seeds_win(world: World, number: int) -> None:
    """Every match of the newest round goes to the better seed."""
    event = loaded(world)
    newest = event.rounds[-1]
    assert newest.number == number
    winners = [min(event.name(m.a_id), event.name(m.b_id)) for m in event.matches_of(newest.id)]
    await settle(world, number, *winners)


async def _before_the_last_round(world: World) -> None:
    await world.set_up()
    await world.start_edition(PLAYERS, "2026-03-22")
    for number in range(1, 6):
        while len(loaded(world).rounds) < number:
            due = await world.parts.runtime.next_due()
            assert due is not None
            await world.move_to(due)
        if number < 5:
            await better_seeds_win(world, number)


async def _qualified(world: World) -> None:
    await _before_the_last_round(world)
    await better_seeds_win(world, 5)


@pytest.fixture
async def qualified(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, _qualified) as world:
        yield world


async def semifinals_out(world: World) -> None:
    """The pools are played, the better seed won each match; the Semifinals are out."""
    await _qualified(world)
    await world.move_to(CANDIDATES)
    while loaded(world).rounds[-1].stage is Stage.CANDIDATES:
        await rule_all(world)
        rounds = len(loaded(world).rounds)
        while len(loaded(world).rounds) == rounds:
            due = await world.parts.runtime.next_due()
            assert due is not None
            await world.move_to(due)


async def rule_all(world: World) -> None:
    """Every open match goes to the better seed, all games."""
    event = loaded(world)

    def work(store: Any) -> None:
        for match in event.open_matches():
            a_wins = event.name(match.a_id) < event.name(match.b_id)
            points = (WIN, LOSS) if a_wins else (LOSS, WIN)
            awarded = (20, 0) if a_wins else (0, 20)
            ruled = MatchRuled(match.id, *points, played=True, awarded_a=awarded[0], awarded_b=awarded[1])
            record(store, event.edition.id, ruled, world.clock.now())

    await world.parts.db.write(work)
    await world.tick()


@pytest.fixture
async def semifinals(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, semifinals_out) as world:
        yield world


def directors(world: World) -> str:
    return said(world.channel("directors"))


def groups(world: World, stage: Stage) -> dict[str, list[str]]:
    event = loaded(world)
    seated = event.tournament.seated.get(stage, ())
    return {group.name: [event.name(e) for e in group.entrants] for group in seated}


# --- The Candidates -------------------------------------------------------------------------------------------------


async def test_r3_8_the_tds_read_the_seats_and_the_candidates_begin_by_themselves(qualified: World) -> None:
    notice = directors(qualified)
    assert "**Candidates: the seats.** They begin by themselves Tue 5 May 12:00 UTC" in notice
    assert "• Upper pool: 1 p" in notice and notice.count("• Lower pool:") == 1
    assert not facts(qualified, StageSeated)
    await qualified.move_to(CANDIDATES)
    pools = groups(qualified, Stage.CANDIDATES)
    assert {name: len(players) for name, players in pools.items()} == {"upper": 6, "lower": 6}
    assert sum(title.startswith("C1 ·") for title in qualified.threads) == 6
    post = next(m.content for m in qualified.channel("pairings").history() if "Candidates, round 1" in m.content)
    assert "**Upper pool**" in post and "**Lower pool**" in post
    assert "✓ **The Candidates have begun.**" in directors(qualified)
    card = thread(qualified, "C1 · 01").history()[0].content
    assert "## Candidates, round 1: " in card and "all 10 rated antichess games, 1+2" in card


async def test_q46_who_declines_is_passed_over_and_the_thirteenth_is_in(qualified: World) -> None:
    places = loaded(qualified).championship.qualification_places()
    order = [loaded(qualified).name(e) for e, _ in sorted(places.items(), key=lambda item: item[1])]
    fourth, thirteenth = order[3], order[12]
    answer = await says(
        qualified, "td", "td stage decline", player=entrant(qualified, fourth), reason="has no time in May"
    )
    assert fourth in answer
    (declined,) = facts(qualified, SeatDeclined)
    assert declined.entrant_id == entrant(qualified, fourth)
    assert f"Moved up, and to be asked first: {thirteenth}" in directors(qualified)
    await qualified.move_to(CANDIDATES)
    seated = [name for players in groups(qualified, Stage.CANDIDATES).values() for name in players]
    assert thirteenth in seated and fourth not in seated and len(seated) == 12


async def test_a_seat_is_declined_only_while_seats_are_given(qualified: World) -> None:
    outsider = entrant(qualified, "p14")
    answer = await says(qualified, "td", "td stage decline", player=outsider, reason="no")
    assert "p14 has no seat in the Candidates" in answer
    await qualified.move_to(CANDIDATES)
    answer = await says(qualified, "td", "td stage decline", player=entrant(qualified, "p01"), reason="no")
    assert "No seats are given now" in answer
    assert not facts(qualified, SeatDeclined)


async def test_a_td_begins_the_stage_before_its_day(qualified: World) -> None:
    shown = await qualified.slash(qualified.people["td"], "td stage start")
    text = text_of(shown)
    assert "**Proposed: Candidates, round 1**" in text and "(Upper pool)" in text
    message = shown.followups[-1] if shown.followups else shown.response
    button = next(id for id in custom_ids(message) if ":publish:" in id)
    answer = text_of(await qualified.click(qualified.people["td"], message, button))
    assert "Candidates, round 1: published, 6 matches" in answer
    again = text_of(await qualified.click(qualified.people["td"], message, button))
    assert "C1 is already published" in again
    assert [fact.stage for fact in facts(qualified, StageSeated)] == [Stage.CANDIDATES]


async def test_r3_10_pool_tables_follow_the_closed_rounds(qualified: World) -> None:
    await qualified.move_to(CANDIDATES)
    await rule_all(qualified)
    post = next(m.content for m in qualified.channel("standings").history() if "Candidates, round 1" in m.content)
    assert "**Upper pool**" in post and "  1     10" in post
    answer = await says(qualified, "p01", "standings")
    assert "Candidates, round 1" in answer and "**Lower pool**" in answer and "`/standings round:5`" in answer
    assert "after round 5" in await says(qualified, "p01", "standings", round=5)


async def test_an_extended_match_holds_up_the_next_stage(tmp_path: Path) -> None:
    async with open_prepared(tmp_path, _before_the_last_round) as world:
        event = loaded(world)
        newest = event.rounds[-1]
        names = [(event.name(m.a_id), event.name(m.b_id)) for m in event.matches_of(newest.id)]
        await settle(world, 5, *(min(pair) for pair in names[1:]), but=names[0][0])
        (match,) = loaded(world).open_matches()
        await says(world, "td", "td-match time", match=match.id, time="Sat 25 Apr 18:00", reason="they asked")
        await says(world, "td", "td round extend", reason="ill")
        await world.move_to(CANDIDATES)
        assert "The Candidates are due but wait" in directors(world)
        assert not facts(world, StageSeated)
        assert "The Candidates are due but wait" in said(world.channel("pairings"))
        await rule_all(world)
        await world.move(minutes=1)
        assert len(facts(world, StageSeated)) == 1


# --- Semifinals, Finals ---------------------------------------------------------------------------------------------


async def test_r3_11_pool_winners_meet_the_runners_up_of_the_other_pool(semifinals: World) -> None:
    tables = loaded(semifinals).championship.pools()
    pools = {name: [line.entrant_id for line in table] for name, table in tables.items()}
    seats = groups(semifinals, Stage.SEMIFINALS)
    name = loaded(semifinals).name
    assert seats["semifinal_1"] == [name(pools["upper"][0]), name(pools["lower"][1])]
    assert seats["semifinal_2"] == [name(pools["lower"][0]), name(pools["upper"][1])]
    assert sum(title.startswith("SF ·") for title in semifinals.threads) == 2


async def test_r8_4_a_semifinalist_leaves_and_the_next_of_the_pool_takes_the_seat(semifinals: World) -> None:
    seats = groups(semifinals, Stage.SEMIFINALS)
    gone, opponent = seats["semifinal_1"]
    old = thread(semifinals, "SF ·", gone, opponent)
    await withdraws(semifinals, gone)
    assert "**Semifinals: a seat is empty.**" in directors(semifinals)
    assert groups(semifinals, Stage.SEMIFINALS) == seats, "a TD confirms it"

    answer = await fills_the_seats(semifinals, "p withdrew")
    assert "The seats of the Semifinals are filled" in answer
    now = groups(semifinals, Stage.SEMIFINALS)
    assert gone not in [name for players in now.values() for name in players]
    assert "this match is not played any more" in old.history()[0].content
    assert "**Semifinals: all seats are taken.**" in directors(semifinals)
    await semifinals.tick()
    for players in now.values():
        if players not in seats.values():
            assert thread(semifinals, "SF ·", *players)
    post = next(m.content for m in semifinals.channel("pairings").history() if "Semifinals" in m.content)
    assert gone not in post
    answer = await says(semifinals, opponent, "report", match=_match(semifinals, gone, opponent))
    assert "is not played any more" in answer
    assert len(loaded(semifinals).open_matches()) == 2
    assert not [m for m in semifinals.channel("directors").history() if any("reseat" in id for id in custom_ids(m))]


async def test_r8_4_a_decline_asks_the_next_one_of_the_pool(semifinals: World) -> None:
    gone = groups(semifinals, Stage.SEMIFINALS)["semifinal_1"][0]
    await withdraws(semifinals, gone)
    pools = loaded(semifinals).championship.pools()
    third, fourth = (loaded(semifinals).name(pools["upper"][n].entrant_id) for n in (2, 3))
    await says(semifinals, "td", "td stage decline", player=entrant(semifinals, third), reason="on holiday")
    await fills_the_seats(semifinals, "as the rules say")
    seated = [name for players in groups(semifinals, Stage.SEMIFINALS).values() for name in players]
    assert fourth in seated and third not in seated


async def test_r3_13_the_finals_and_the_champion_come_by_themselves(semifinals: World) -> None:
    await rule_all(semifinals)
    assert "**Finals: the seats.**" in directors(semifinals)
    while loaded(semifinals).rounds[-1].stage is not Stage.FINALS:
        due = await semifinals.parts.runtime.next_due()
        assert due is not None
        await semifinals.move_to(due)
    titles = [m.content for m in semifinals.channel("pairings").history()]
    assert any("**Grand Final**" in text and "**Third Place Playoff**" in text for text in titles)
    await rule_all(semifinals)
    (post,) = [m.content for m in semifinals.channel("announcements").history() if "🏆" in m.content]
    assert post.startswith("## 🏆 p01 has won the LiAntichess World Cup 2026") and "🥉" in post
    await semifinals.move(days=14)
    assert len([m for m in semifinals.channel("announcements").history() if "🏆" in m.content]) == 1


async def test_a_disqualified_champion_is_corrected_in_the_same_post(semifinals: World) -> None:
    await rule_all(semifinals)
    while loaded(semifinals).rounds[-1].stage is not Stage.FINALS:
        await semifinals.move_to(await semifinals.parts.runtime.next_due() or semifinals.clock.now())
    await rule_all(semifinals)
    p01 = entrant(semifinals, "p01")
    await says(semifinals, "td", "td-player disqualify", player=p01, ground="guilty", reason="seen")
    posts = [m.content for m in semifinals.channel("announcements").history()]
    (found,) = [text for text in posts if "is over" in text or "🏆" in text]
    assert "p01 has won" not in found


async def withdraws(world: World, name: str) -> None:
    asked = await world.slash(world.people[name], "withdraw")
    message = asked.followups[-1] if asked.followups else asked.response
    await world.click(world.people[name], message, custom_ids(message)[0])
    assert not loaded(world).tournament.is_in(entrant(world, name))


def _button(world: World, name: str) -> tuple[Any, str]:
    found = [m for m in world.channel("directors").history() if any(f":{name}:" in id for id in custom_ids(m))]
    return found[-1], next(id for id in custom_ids(found[-1]) if f":{name}:" in id)


async def fills_the_seats(world: World, reason: str) -> str:
    form = await world.click(world.people["td"], *_button(world, "reseat"))
    return text_of(await world.submit(world.people["td"], form, reason))


def _match(world: World, a: str, b: str) -> int:
    ids = {entrant(world, a), entrant(world, b)}
    event = loaded(world)
    mine = (match for match in event.matches.values() if match.round_id == event.rounds[-1].id)
    return next(match.id for match in mine if {match.a_id, match.b_id} == ids)

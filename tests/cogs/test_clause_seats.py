"""Seats that fall empty while a stage runs: what the new matches owe, who keeps a seat, who may decline (R8.4, R8.5).

The Semifinals are p01–p03 and p02–p04, published on Tuesday 16 June 2026; see `test_clause_stages`.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.facts import FaultFound, MatchRuled, Reverted, SeatDeclined, encode, kind_of
from engine.model import Authority, Fact, Match, Stage
from engine.points import LOSS, WIN
from engine.ports import Store
from tests.clauses.stage import games, says, thread
from tests.cogs.later import adds
from tests.cogs.test_clause_accounts import entrant, loaded
from tests.cogs.test_clause_stages import (
    CANDIDATES,
    directors,
    fills_the_seats,
    groups,
    qualified,
    rule_all,
    semifinals,
    withdraws,
)
from tests.cogs.test_clause_terms import facts
from tests.world import World, custom_ids, text_of

__all__ = ["qualified", "semifinals"]


def open_match(world: World, *names: str) -> Match:
    event = loaded(world)
    return next(m for m in event.open_matches() if {event.name(m.a_id), event.name(m.b_id)} == set(names))


async def leaves_and_is_replaced(world: World) -> list[list[str]]:
    """The first of Semifinal 1 withdraws, a TD fills the seats; who sits then."""
    await withdraws(world, groups(world, Stage.SEMIFINALS)["semifinal_1"][0])
    await fills_the_seats(world, "withdrew")
    return list(groups(world, Stage.SEMIFINALS).values())


# --- What a match owes that took the place of another ---------------------------------------------------------------


@pytest.mark.parametrize("late", [timedelta(hours=10), timedelta(days=3, hours=10)], ids=["Saturday", "Tuesday"])
async def test_r5_1_a_match_made_after_the_time_for_offers_has_deadlines_of_its_own(
    semifinals: World, late: timedelta
) -> None:
    round = loaded(semifinals).rounds[-1]
    for pair in groups(semifinals, Stage.SEMIFINALS).values():
        match = open_match(semifinals, *pair).id
        time = f"{round.offers_by + timedelta(hours=42):%Y-%m-%d %H:%M}"
        await says(semifinals, "td", "td-match time", match=match, time=time, reason="both asked for it")
    await semifinals.move_to(round.offers_by + late)
    await withdraws(semifinals, groups(semifinals, Stage.SEMIFINALS)["semifinal_1"][0])
    answer = await fills_the_seats(semifinals, "withdrew")
    assert "the new matches have a week of their own" in answer and "What comes after them waits" in answer
    await semifinals.move(minutes=5)

    event = loaded(semifinals)
    assert not facts(semifinals, FaultFound) and not event.tournament.forfeits
    for pair in groups(semifinals, Stage.SEMIFINALS).values():
        match = open_match(semifinals, *pair)
        assert event.offers_by(match) == round.offers_by + timedelta(weeks=1)
        assert event.window(match).closes == round.matches_by + timedelta(weeks=1)
        card = thread(semifinals, "SF ·", *pair).history()[0].content
        assert "Each of you offers at least 3 by" in card and "The time for this match is over" not in card


async def test_r5_1_a_match_made_while_there_is_time_has_the_deadlines_of_its_round(semifinals: World) -> None:
    round = loaded(semifinals).rounds[-1]
    for pair in await leaves_and_is_replaced(semifinals):
        match = open_match(semifinals, *pair)
        assert loaded(semifinals).offers_by(match) == round.offers_by
        assert loaded(semifinals).window(match).closes == round.matches_by


async def test_r5_1_a_match_younger_than_its_deadline_is_never_judged(semifinals: World) -> None:
    """Whatever takes the deadlines of its own away: as here the undo of them."""
    round = loaded(semifinals).rounds[-1]
    for pair in groups(semifinals, Stage.SEMIFINALS).values():
        match = open_match(semifinals, *pair).id
        time = f"{round.offers_by + timedelta(hours=42):%Y-%m-%d %H:%M}"
        await says(semifinals, "td", "td-match time", match=match, time=time, reason="both asked for it")
    await semifinals.move_to(round.offers_by + timedelta(hours=10))
    seats = await leaves_and_is_replaced(semifinals)
    extended = [fact for fact in loaded(semifinals).ledger.facts if fact.kind == "match_extended"][-2:]
    await takes_back(semifinals, *extended)
    await semifinals.move(hours=2)
    event = loaded(semifinals)
    assert not facts(semifinals, FaultFound) and not event.tournament.forfeits
    for pair in seats:
        assert event.offers_by(open_match(semifinals, *pair)) == round.offers_by
        await says(semifinals, pair[0], "offer", times=f"{semifinals.clock.now() + timedelta(hours=9):%Y-%m-%d %H:%M}")
        card = thread(semifinals, "SF ·", *pair).history()[0].content
        assert "Agree on a time, or ask a TD to set one; nobody owes offers any more." in card
        assert "0 of 3" not in card and "by Fri" not in card


async def takes_back(world: World, *undone: Fact) -> None:
    """Single facts of a command; `/td undo` would take the whole of it back."""
    edition, now = world.edition().id, world.clock.now()

    def work(store: Store) -> None:
        for fact in undone:
            store.append(
                Fact(
                    edition_id=edition,
                    kind=kind_of(Reverted()),
                    payload=encode(Reverted()),
                    authority=Authority.TD,
                    author_id=None,
                    reason_note_id=None,
                    clause="R5.10",
                    command_id=None,
                    reverts_id=fact.id,
                    occurred_at=now,
                    recorded_at=now,
                )
            )

    await world.parts.db.write(work)
    await world.tick()


# --- Who keeps a seat -------------------------------------------------------------------------------------------------


async def test_r8_4_a_semifinalist_who_is_in_again_throws_nobody_out(semifinals: World) -> None:
    seats = await leaves_and_is_replaced(semifinals)
    answer = await says(semifinals, "td", "td-player reinstate", player=entrant(semifinals, "p01"), reason="a mistake")
    assert "p01 is back in the event" in answer
    await semifinals.move(minutes=2)
    assert list(groups(semifinals, Stage.SEMIFINALS).values()) == seats
    assert "a seat is empty" not in directors(semifinals)
    assert not [m for m in semifinals.channel("directors").history() if any("reseat" in id for id in custom_ids(m))]
    assert "The seat of p01 in the Semifinals was filled meanwhile: whoever moved up keeps it." in directors(semifinals)
    told = semifinals.direct_messages(semifinals.people["p01"])[-1]
    assert "You are in" in told and "Your seat in the Semifinals was filled meanwhile" in told


async def test_r8_4_who_is_in_again_takes_a_seat_that_falls_empty_later(semifinals: World) -> None:
    seats = await leaves_and_is_replaced(semifinals)
    await says(semifinals, "td", "td-player reinstate", player=entrant(semifinals, "p01"), reason="a mistake")
    await withdraws(semifinals, seats[0][0])
    assert "**Semifinals: a seat is empty.**" in directors(semifinals)
    await fills_the_seats(semifinals, "withdrew as well")
    now = {name for pair in groups(semifinals, Stage.SEMIFINALS).values() for name in pair}
    assert now == {name for pair in seats for name in pair} - {seats[0][0]} | {"p01"}


async def test_r8_5_a_finalist_who_is_in_again_throws_nobody_out(semifinals: World) -> None:
    await to_the_finals(semifinals)
    finals = groups(semifinals, Stage.FINALS)
    assert "p01" in finals["grand_final"]
    await withdraws(semifinals, "p01")
    await fills_the_seats(semifinals, "withdrew")
    filled = groups(semifinals, Stage.FINALS)
    assert "p01" not in {name for pair in filled.values() for name in pair}
    await says(semifinals, "td", "td-player reinstate", player=entrant(semifinals, "p01"), reason="a mistake")
    await semifinals.move(minutes=2)
    assert groups(semifinals, Stage.FINALS) == filled
    assert "a seat is empty" not in directors(semifinals)


async def to_the_finals(world: World) -> None:
    """The better seed wins each Semifinal; the Finals are out."""
    await rule_all(world)
    while loaded(world).rounds[-1].stage is not Stage.FINALS:
        await world.move_to(await world.parts.runtime.next_due() or world.clock.now())


# --- The champion -----------------------------------------------------------------------------------------------------


async def rules(world: World, match: Match, winner: str) -> None:
    points = (WIN, LOSS) if loaded(world).name(match.a_id) == winner else (LOSS, WIN)
    await adds(world, MatchRuled(match.id, *points, played=True, awarded_a=points[0] * 7, awarded_b=points[1] * 7))


async def test_r3_13_the_champion_is_named_while_the_playoff_is_open(semifinals: World) -> None:
    await to_the_finals(semifinals)
    finals = groups(semifinals, Stage.FINALS)
    await rules(semifinals, open_match(semifinals, *finals["grand_final"]), "p01")
    await semifinals.tick()
    third, fourth = finals["third_place"]
    post = champion_post(semifinals)
    assert post.startswith("## 🏆 p01 has won the LiAntichess World Cup 2026")
    assert f"🥈 {finals['grand_final'][1]}" in post and "🥉" not in post
    assert "The Third Place Playoff is still to be decided: the places 3 and 4 follow here." in post
    notice = directors(semifinals)
    assert "**The champion is named, the Third Place Playoff is still open**" in notice
    assert notice.count("Third Place Playoff is still open") == 1

    playoff = open_match(semifinals, third, fourth)
    at = semifinals.clock.now() + timedelta(hours=30)
    await says(semifinals, "td", "td-match time", match=playoff.id, time=f"{at:%Y-%m-%d %H:%M}", reason="as they asked")
    semifinals.lichess.play_match(third, fourth, at, games("0000000"))
    await semifinals.move_to(at + timedelta(hours=1))
    await says(semifinals, third, "report")
    post = champion_post(semifinals)
    assert f"🥉 {fourth}\n4. {third}" in post and "still to be decided" not in post
    assert "✓ **The Third Place Playoff is decided**" in directors(semifinals)


def champion_post(world: World) -> str:
    (post,) = [m.content for m in world.channel("announcements").history() if "🏆" in m.content]
    return post


# --- A seat that somebody does not want -------------------------------------------------------------------------------


def becomes_td(world: World, name: str) -> None:
    world.guild._guild.members[world.people[name].id].role_ids.append(world.guild.roles["World Cup TD"].id)


async def test_q52_to_take_a_seat_from_who_sits_a_td_is_asked_once_more(semifinals: World) -> None:
    seats = await leaves_and_is_replaced(semifinals)
    sits = seats[0][0]
    shown = await semifinals.slash(
        semifinals.people["td"], "td stage decline", player=entrant(semifinals, sits), reason="has no time"
    )
    assert f"**{sits} sits in the Semifinals already** and would lose the seat." in text_of(shown)
    assert not facts(semifinals, SeatDeclined)
    message = shown.followups[-1] if shown.followups else shown.response
    form = await semifinals.click(semifinals.people["td"], message, custom_ids(message)[0])
    answer = text_of(await semifinals.submit(semifinals.people["td"], form, "has no time"))
    assert f"Recorded: {sits} does not want the seat in the Semifinals." in answer and "moves up" in answer
    assert "A TD has recorded that you do not want your seat" in semifinals.direct_messages(semifinals.people[sits])[-1]
    assert "**Semifinals: a seat is empty.**" in directors(semifinals)

    await says(semifinals, "td", "td-player reinstate", player=entrant(semifinals, sits), reason="it was a mistake")
    assert not any(loaded(semifinals).tournament.declined.values())
    assert "You have a seat in the Semifinals" in semifinals.direct_messages(semifinals.people[sits])[-1]
    assert list(groups(semifinals, Stage.SEMIFINALS).values()) == seats
    assert "a seat is empty" not in directors(semifinals)


async def test_q54_a_td_who_plays_there_gives_no_seat_away(semifinals: World) -> None:
    """p04 or p05 moves up, and would choose the opponent."""
    gone = groups(semifinals, Stage.SEMIFINALS)["semifinal_1"][0]
    await withdraws(semifinals, gone)
    pool = [line.entrant_id for line in loaded(semifinals).championship.pools()["upper"]]
    up = loaded(semifinals).name(pool[2])
    becomes_td(semifinals, up)
    for other in groups(semifinals, Stage.SEMIFINALS)["semifinal_2"]:
        answer = await says(semifinals, up, "td stage decline", player=entrant(semifinals, other), reason="no time")
        assert "You have a seat in that stage, or get one by this, so another TD decides." in answer
    assert not facts(semifinals, SeatDeclined)


async def test_q54_a_td_who_is_a_semifinalist_rules_about_no_other(semifinals: World) -> None:
    first, second = groups(semifinals, Stage.SEMIFINALS).values()
    becomes_td(semifinals, first[0])
    answers: list[str] = []
    for other in second:
        about = {"player": entrant(semifinals, other), "ground": "guilty", "reason": "seen"}
        answers.append(await says(semifinals, first[0], "td-player disqualify", **about))
        assert loaded(semifinals).tournament.is_in(entrant(semifinals, other))
    assert all("so another TD decides." in answer for answer in answers)
    assert any("It is about a player of the stage in which you play" in answer for answer in answers)


async def test_q51_a_seat_whose_match_has_begun_is_not_given_up(semifinals: World) -> None:
    first, second = groups(semifinals, Stage.SEMIFINALS).values()
    await rules(semifinals, open_match(semifinals, *first), first[0])
    answer = await says(semifinals, "td", "td stage decline", player=entrant(semifinals, first[1]), reason="no")
    assert f"The match of {first[1]} has begun, so there is no seat to give up." in answer
    assert second and not facts(semifinals, SeatDeclined)


async def test_q46_a_decline_is_told_and_can_be_taken_back(qualified: World) -> None:
    places = loaded(qualified).championship.qualification_places()
    order = [loaded(qualified).name(e) for e, _ in sorted(places.items(), key=lambda item: item[1])]
    twelfth, thirteenth = order[11], order[12]
    answer = await says(
        qualified, "td", "td stage decline", player=entrant(qualified, twelfth), reason="has no time in May"
    )
    assert (
        f"Recorded: {twelfth} does not want the seat in the Candidates. {thirteenth} moves up; both are told." in answer
    )
    assert f"`/td-player reinstate` for {twelfth} takes it back" in answer
    assert "do not want your seat in the Candidates" in qualified.direct_messages(qualified.people[twelfth])[-1]
    assert "You have a seat in the Candidates" in qualified.direct_messages(qualified.people[thirteenth])[-1]

    await says(qualified, "td", "td-player reinstate", player=entrant(qualified, twelfth), reason="it was a mistake")
    assert "You have a seat in the Candidates" in qualified.direct_messages(qualified.people[twelfth])[-1]
    assert "You have no seat in the Candidates" in qualified.direct_messages(qualified.people[thirteenth])[-1]
    await qualified.move_to(CANDIDATES)
    seated = [name for players in groups(qualified, Stage.CANDIDATES).values() for name in players]
    assert twelfth in seated and thirteenth not in seated


# --- Between and during the later stages ------------------------------------------------------------------------------


async def test_r8_5_who_leaves_with_a_seat_in_the_final_reads_who_gets_it(semifinals: World) -> None:
    for pair in groups(semifinals, Stage.SEMIFINALS).values():
        await rules(semifinals, open_match(semifinals, *pair), pair[0])
    winner, loser = groups(semifinals, Stage.SEMIFINALS)["semifinal_1"]
    question = await says(semifinals, winner, "withdraw")
    assert f"Your seat in the Grand Final goes to {loser} (§8.5)." in question
    assert "Your results stay." in question and "no match left to play" not in question


async def test_q10_a_semifinal_is_extended_in_its_week_and_the_finals_wait(semifinals: World) -> None:
    round = loaded(semifinals).rounds[-1]
    match = open_match(semifinals, *groups(semifinals, Stage.SEMIFINALS)["semifinal_1"])
    answer = await says(semifinals, "td", "td-match extend", match=match.id, reason="ill")
    assert "Extended until" in answer and "½–½" not in answer
    assert "The Finals wait as long as there is no result" in answer
    closes = loaded(semifinals).window(match).closes
    assert closes == round.matches_by + timedelta(weeks=1)
    again = await says(semifinals, "td", "td-match extend", match=match.id, reason="ill")
    assert "That is how it stands already" in again

    await rules(semifinals, open_match(semifinals, *groups(semifinals, Stage.SEMIFINALS)["semifinal_2"]), "p02")
    await semifinals.move_to(closes - timedelta(days=1))
    assert loaded(semifinals).rounds[-1].stage is Stage.SEMIFINALS
    assert "The Finals are due but wait" in directors(semifinals)
    await rules(semifinals, match, "p01")
    await semifinals.move(minutes=2)
    finals = loaded(semifinals).rounds[-1]
    assert finals.stage is Stage.FINALS and finals.offers_by > semifinals.clock.now() + timedelta(hours=72)


async def test_r3_9_the_table_of_a_round_keeps_to_the_points_until_that_round(semifinals: World) -> None:
    """A later ruling edits all tables of the pools."""
    first = pool_post(semifinals, 1)
    await says(
        semifinals, "td", "td-player disqualify", player=entrant(semifinals, "p01"), ground="guilty", reason="found"
    )
    await fills_the_seats(semifinals, "as the rules say")
    assert pool_post(semifinals, 1) == first
    points = [line.split()[2] for line in first.splitlines() if line.strip()[:1].isdigit()]
    assert points and set(points) <= {"0", "½", "1"}
    assert any(line.split()[2] == "5" for line in pool_post(semifinals, 5).splitlines() if line.strip()[:1].isdigit())


def pool_post(world: World, number: int) -> str:
    title = f"Candidates, round {number}"
    return next(m.content for m in world.channel("standings").history() if title in m.content)


async def test_the_hub_says_of_which_stage_the_place_is(semifinals: World) -> None:
    assert "Qualification: place 1 with 5 points." in await says(semifinals, "p01", "hub")

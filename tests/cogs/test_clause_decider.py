"""A TD leaves a knock-out match to the armageddon game alone: `/td-match decider` (Q33, R3.16, Q39-Q41).

anna meets bob and carl meets dora in the Semifinals, published on Tuesday 24 March 2026 at 12:00.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.result_rulings import Ending
from engine.sides import Side as Sides
from engine.tournament import ResultKind
from tests.clauses.evening import MINUTE, directors
from tests.clauses.stage import agree, games, says
from tests.cogs.test_clause_accounts import loaded
from tests.cogs.test_clause_results import how
from tests.cogs.tying import armageddon, bids, minutes, open_matches, said, throws, tied
from tests.world import World

START = datetime(2026, 3, 29, 18, tzinfo=UTC)


def match_of(world: World) -> int:
    return next(match.id for match in loaded(world).matches.values() if match.a_id < match.b_id and match.id > 2)


async def leaves_one_game(world: World, time: str = "Sun 29 18:00", **more: object) -> str:
    answer = await says(world, "td", "td-match decider", match=match_of(world), time=time, reason="No time.", **more)
    await world.tick()
    return answer


async def colours(world: World) -> None:
    await leaves_one_game(world)
    await bids(world, "anna", "1:30")
    await bids(world, "bob", "2:00")
    await world.tick()


async def table(world: World) -> str:
    return await says(world, "carl", "standings")


async def test_q33_both_bid_play_one_game_and_it_decides(semifinal: World) -> None:
    assert "the armageddon game alone, Sun 29 Mar 18:00 UTC" in await leaves_one_game(semifinal)
    assert said(semifinal, "You play one game, the armageddon game") and said(semifinal, "Bid by Wed 25 Mar 12:00")
    assert "anna – bob: one armageddon game decides" in await table(semifinal)
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    await semifinal.tick()
    assert said(semifinal, "anna has White", "Play it Sun 29 Mar 18:00 UTC")
    await semifinal.move_to(START)
    assert said(semifinal, "### Play now", "anna has White with 1:30")
    armageddon(semifinal, "anna", "bob", None)
    await minutes(semifinal, 8)
    result = loaded(semifinal).tournament.results[match_of(semifinal)]
    assert result.kind is ResultKind.PLAYED and result.b > result.a and result.played
    assert "anna – bob, armageddon won by bob" in await table(semifinal)
    assert said(semifinal, "Finished: anna – bob, armageddon won by bob")


async def test_q37_only_the_challenge_of_the_armageddon_game_is_made(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move_to(START)
    made = [one.body for one in semifinal.lichess.asked if one.method == "POST" and "challenge" in one.path]
    assert len(made) == 1 and "armageddon" in made[0]


async def test_q33_a_game_with_the_settings_of_the_match_does_not_count(semifinal: World) -> None:
    await colours(semifinal)
    semifinal.lichess.play_match("anna", "bob", START, games("1"))
    await semifinal.move_to(START)
    await minutes(semifinal, 8)
    event = loaded(semifinal)
    assert match_of(semifinal) not in event.tournament.results and not event.tournament.begun.get(match_of(semifinal))
    assert said(semifinal, "does not count")


async def test_q33_both_may_play_it_before_its_time(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move(days=1)
    armageddon(semifinal, "anna", "bob", "white")
    await semifinal.move(minutes=9)
    assert "score" in await says(semifinal, "bob", "report", match=match_of(semifinal), score="1-0")
    assert match_of(semifinal) not in loaded(semifinal).tournament.results
    assert "won by anna" in await says(semifinal, "anna", "report", match=match_of(semifinal), score="1-0")


async def test_q40_the_bids_are_due_before_its_time(semifinal: World) -> None:
    await leaves_one_game(semifinal, "Tue 24 20:00")
    assert said(semifinal, "Bid by Tue 24 Mar 20:00 UTC")
    await bids(semifinal, "anna", "1:30")
    await semifinal.move(hours=8)
    assert said(semifinal, "anna has White with 1:30")


async def test_q41_nobody_bids_and_the_throws_give_the_colours(semifinal: World) -> None:
    await leaves_one_game(semifinal, "Tue 24 20:00")
    await semifinal.move(hours=8, minutes=1)
    assert said(semifinal, "### Play now", "equal")
    await throws(semifinal, "anna", "rock")
    await throws(semifinal, "bob", "paper")
    await semifinal.tick()
    assert said(semifinal, "Armageddon: bob has White")


async def test_r6_3_who_is_not_there_at_its_time_loses_it(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move_to(START + MINUTE)
    assert (await says(semifinal, "anna", "match opponent-absent")).startswith("Reported")
    await minutes(semifinal, 11)
    assert "the match is yours" in await says(semifinal, "anna", "match claim", choice="win")
    result = loaded(semifinal).tournament.results[match_of(semifinal)]
    assert result.kind is ResultKind.FORFEIT and result.a > result.b


async def test_r6_3_nobody_is_absent_while_the_colours_are_open(semifinal: World) -> None:
    await leaves_one_game(semifinal, "Tue 24 20:00")
    await semifinal.move(hours=8, minutes=1)
    answer = await says(semifinal, "anna", "match opponent-absent")
    assert "throw first" in answer and "Reported" not in answer


async def test_r5_10_a_moved_time_leaves_it_the_only_game(semifinal: World) -> None:
    await colours(semifinal)
    await says(semifinal, "td", "td-match time", match=match_of(semifinal), time="Sun 29 20:00", reason="Later.")
    await semifinal.move_to(START + timedelta(hours=2))
    assert said(semifinal, "### Play now", "20:00 UTC", "anna has White with 1:30")
    armageddon(semifinal, "anna", "bob", "white")
    await minutes(semifinal, 8)
    assert said(semifinal, "Finished: anna – bob, armageddon won by anna")


async def test_an_undo_gives_the_whole_match_back(semifinal: World) -> None:
    await colours(semifinal)
    ref = next(fact.id for fact in loaded(semifinal).ledger.facts if fact.kind == "decider_set")
    await says(semifinal, "td", "td undo", ref=ref, reason="There is time.")
    await semifinal.tick()
    card = said(semifinal, "## Semifinal 1")[0]
    assert "up to 10 rated antichess games" in card and "Offer times" not in card.splitlines()[0]
    assert "armageddon" not in card.split("\n", 2)[2]
    assert said(semifinal, "these colours rested on has changed")
    at = await agree(semifinal, "anna", "bob", "Sat 28 18:00", match=match_of(semifinal))
    semifinal.lichess.play_match("anna", "bob", at, games("111111"))
    await semifinal.move_to(at)
    await minutes(semifinal, 35)
    assert said(semifinal, "Finished: anna 6–0 bob")


async def test_an_undo_after_the_game_is_refused(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move_to(START)
    armageddon(semifinal, "anna", "bob", "white")
    await minutes(semifinal, 8)
    ref = next(fact.id for fact in loaded(semifinal).ledger.facts if fact.kind == "decider_set")
    assert "has its result" in await says(semifinal, "td", "td undo", ref=ref, reason="No.")


async def test_an_undo_while_the_game_is_played_or_before_it_is_reported_is_refused(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move(days=1)
    armageddon(semifinal, "anna", "bob", "white")
    await semifinal.move(minutes=1)
    ref = next(fact.id for fact in loaded(semifinal).ledger.facts if fact.kind == "decider_set")
    assert "is still being played" in await says(semifinal, "td", "td undo", ref=ref)
    assert "is still being played" in await says(semifinal, "td", "td undo", ref=ref, reason="No.")
    await semifinal.move(minutes=8)
    assert "has been played, so it decides" in await says(semifinal, "td", "td undo", ref=ref, reason="No.")
    assert loaded(semifinal).tournament.terms[match_of(semifinal)].decider_alone
    assert "won by anna" in await says(semifinal, "anna", "report", match=match_of(semifinal))


async def test_it_is_not_set_while_a_game_is_played(semifinal: World) -> None:
    at = await agree(semifinal, "anna", "bob", "Sat 28 18:00", match=match_of(semifinal))
    semifinal.lichess.play_match("anna", "bob", at, games("1"))
    await semifinal.move_to(at + timedelta(seconds=30))
    assert "is still being played" in await leaves_one_game(semifinal)
    assert not loaded(semifinal).terms(loaded(semifinal).matches[match_of(semifinal)]).decider_alone


async def test_q18_once_it_has_decided_the_match_is_over(semifinal: World) -> None:
    await colours(semifinal)
    await semifinal.move_to(START)
    armageddon(semifinal, "anna", "bob", "white")
    await minutes(semifinal, 8)
    more = {"match": match_of(semifinal), "reason": "x"}
    assert "over" in await says(semifinal, "td", "td-match forfeit", by="b", kind="no_show", **more)
    assert "over" in await says(semifinal, "td", "td-match result", how=how(Ending.BY_PLACE), **more)
    assert "no score in games" in await says(semifinal, "td", "td-match result", score="6-4", **more)
    assert "Recorded" in await says(semifinal, "td", "td-match result", how=how(Ending.WON, Sides.B), **more)
    result = loaded(semifinal).tournament.results[match_of(semifinal)]
    assert result.b > result.a and result.armageddon is not None and result.played


async def test_the_preview_of_an_undo_says_that_the_whole_match_comes_back(semifinal: World) -> None:
    await colours(semifinal)
    ref = next(fact.id for fact in loaded(semifinal).ledger.facts if fact.kind == "decider_set")
    shown = await says(semifinal, "td", "td undo", ref=ref)
    assert "now anna – bob, open: one armageddon game decides" in shown and "then anna 0–0 bob, open;" in shown


async def test_q40_a_bid_is_not_late_behind_a_result(semifinal: World) -> None:
    """A result stood while the time for bids went by; the TDs take it back, so it runs anew."""
    await leaves_one_game(semifinal)
    await bids(semifinal, "anna", "1:30")
    more = {"match": match_of(semifinal), "reason": "x"}
    await says(semifinal, "td", "td-match result", how=how(Ending.WON, Sides.A), **more)
    await semifinal.move(days=2)
    await says(semifinal, "td", "td undo", ref=loaded(semifinal).ledger.facts[-1].id, reason="Not so.")
    await semifinal.tick()
    assert not said(semifinal, "has White")
    await bids(semifinal, "bob", "2:00")
    await semifinal.tick()
    assert said(semifinal, "anna has White with 1:30")


async def test_r6_1_there_is_no_break_in_one_game(semifinal: World) -> None:
    await leaves_one_game(semifinal, "Tue 24 20:00")
    assert "A TD has set its time" in await says(semifinal, "anna", "match break")
    await bids(semifinal, "anna", "1:30")
    await bids(semifinal, "bob", "2:00")
    await semifinal.tick()
    await semifinal.move(hours=8)
    armageddon(semifinal, "anna", "bob", "white")
    await semifinal.move(minutes=1)
    for command in ("break", "opponent-left"):
        assert "so there is no break" in await says(semifinal, "anna", f"match {command}")


async def test_q40_an_earlier_time_says_when_the_bids_are_due(semifinal: World) -> None:
    await leaves_one_game(semifinal)
    more = {"match": match_of(semifinal), "reason": "Sooner."}
    await says(semifinal, "td", "td-match time", time="Tue 24 20:00", **more)
    await semifinal.tick()
    assert said(semifinal, "A TD has set the time: **Tue 24 Mar 20:00 UTC", "due by Tue 24 Mar 20:00 UTC")


async def test_the_colours_that_hold_no_more_are_struck_from_what_happened(semifinal: World) -> None:
    await colours(semifinal)
    ref = next(fact.id for fact in loaded(semifinal).ledger.facts if fact.kind == "decider_set")
    await says(semifinal, "td", "td undo", ref=ref, reason="There is time.")
    shown = await says(semifinal, "td", "match show", match=match_of(semifinal))
    assert "~~armageddon: anna has White" in shown


async def test_an_undo_that_would_change_nothing_says_so(semifinal: World) -> None:
    more = {"match": match_of(semifinal), "reason": "x"}
    await says(semifinal, "td", "td-match result", how=how(Ending.WON, Sides.A), **more)
    await says(semifinal, "td", "td undo", ref=loaded(semifinal).ledger.facts[-1].id, reason="No.")
    undone = loaded(semifinal).ledger.facts[-1].id
    await says(semifinal, "td", "td-match result", how=how(Ending.WON, Sides.B), **more)
    assert "changes nothing now" in await says(semifinal, "td", "td undo", ref=undone)
    assert "changes nothing now" in await says(semifinal, "td", "td undo", ref=undone, reason="x")


async def test_r3_16_an_undo_at_a_tie_says_what_is_due(semifinal: World) -> None:
    await tied(semifinal)
    more = {"match": match_of(semifinal), "reason": "x"}
    await says(semifinal, "td", "td-match result", how=how(Ending.WON, Sides.A), **more)
    ruling = next(fact.id for fact in reversed(loaded(semifinal).ledger.facts) if fact.kind == "match_ruled")
    await says(semifinal, "td", "td undo", ref=ruling, reason="No.")
    await semifinal.tick()
    told = said(semifinal, "The TDs have taken this back: the result")
    assert "Bid for White" in told[-1] and "The time is" not in told[-1]


async def test_what_stands_against_it(semifinal: World) -> None:
    """R3.13, R5.10, R4.4: no knock-out, a game that counts already, a result, the past, twice."""
    facts = len(loaded(semifinal).ledger.facts)
    assert "I cannot read" in await leaves_one_game(semifinal, "Tue 24 11:00")
    assert "I cannot read" in await leaves_one_game(semifinal, "Sat 4 Apr 18:00")
    assert len(loaded(semifinal).ledger.facts) == facts
    await leaves_one_game(semifinal)
    assert "is the only one left" in await leaves_one_game(semifinal, "Sun 29 19:00")
    carls = next(match.id for match in open_matches(semifinal) if match.id != match_of(semifinal))
    at = await agree(semifinal, "carl", "dora", "Sat 28 18:00", match=carls)
    semifinal.lichess.play_match("carl", "dora", at, games("1"))
    await semifinal.move_to(at + 5 * MINUTE)
    answer = await says(semifinal, "td", "td-match decider", match=carls, time="Sun 29 18:00", reason="No time.")
    assert "1 game of this match counts already" in answer
    settled = min(loaded(semifinal).matches)
    answer = await says(semifinal, "td", "td-match decider", match=settled, time="Sun 29 18:00", reason="No time.")
    assert "Recorded" not in answer


async def test_a_match_of_the_qualification_has_no_decider(event: World) -> None:
    answer = await says(event, "td", "td-match decider", match=1, time="Sun 29 18:00", reason="No time.")
    assert "Only a knock-out match" in answer and not directors(event, "armageddon")

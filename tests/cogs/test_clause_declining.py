"""What a TD reads of a seat that somebody does not want, in a final as in every stage (Q46, Q52, R8.5).

The Semifinals are p01–p03 and p02–p04; see `test_clause_stages`. The better seed wins each.
"""

from __future__ import annotations

from engine.facts import SeatDeclined
from engine.model import Stage
from tests.clauses.stage import says
from tests.cogs.test_clause_accounts import entrant
from tests.cogs.test_clause_seats import open_match, rules, to_the_finals
from tests.cogs.test_clause_stages import (
    CANDIDATES,
    fills_the_seats,
    groups,
    qualified,
    rule_all,
    semifinals,
    withdraws,
)
from tests.cogs.test_clause_terms import facts
from tests.world import World

__all__ = ["qualified", "semifinals"]


async def declines(world: World, name: str) -> str:
    return await says(world, "td", "td stage decline", player=entrant(world, name), reason="has no time")


def told(world: World, name: str) -> str:
    return world.direct_messages(world.people[name])[-1]


async def semifinals_decided(world: World) -> None:
    for pair in groups(world, Stage.SEMIFINALS).values():
        await rules(world, open_match(world, *pair), pair[0])


async def test_q52_who_declines_the_grand_final_reads_who_moves_up_into_it(semifinals: World) -> None:
    """p03 is to move up for p01, who has left; the loser of the other Semifinal is the next."""
    await semifinals_decided(semifinals)
    await withdraws(semifinals, "p01")
    answer = await declines(semifinals, "p03")
    assert "p04 moves up into the Grand Final, p03 plays in the Third Place Playoff; all are told." in answer
    assert "Nobody is left" not in answer
    assert "You have a seat in the Grand Final" in told(semifinals, "p04")
    assert "the next player is asked. You play in the Third Place Playoff." in told(semifinals, "p03")


async def test_q52_the_same_in_finals_that_run(semifinals: World) -> None:
    await to_the_finals(semifinals)
    await withdraws(semifinals, "p01")
    await fills_the_seats(semifinals, "withdrew")
    answer = await declines(semifinals, "p03")
    assert "p03 sits in the Finals already" in answer
    assert "p04 moves up into the Grand Final, p03 plays in the Third Place Playoff." in answer


async def test_q52_a_seat_that_was_earned_is_not_declined(semifinals: World) -> None:
    """It would change nothing (R3.13): who does not want to play leaves."""
    await semifinals_decided(semifinals)
    answer = await declines(semifinals, "p02")
    assert "p02 has earned the one in the Finals" in answer and "`/td-player withdraw`" in answer
    assert not facts(semifinals, SeatDeclined)


async def test_r8_4_in_the_semifinals_everybody_who_moves_is_named(semifinals: World) -> None:
    first = groups(semifinals, Stage.SEMIFINALS)["semifinal_1"][0]
    answer = await declines(semifinals, first)
    assert "moves up into Semifinal 1" in answer and "moves up into Semifinal 2" in answer


# --- A seat that somebody gives up by leaving -------------------------------------------------------------------------


async def test_r8_5_who_leaves_while_the_other_semifinal_is_open_reads_of_the_seat(semifinals: World) -> None:
    winner, loser = groups(semifinals, Stage.SEMIFINALS)["semifinal_1"]
    await rules(semifinals, open_match(semifinals, winner, loser), winner)
    question = await says(semifinals, winner, "withdraw")
    assert f"You give up your seat in the Grand Final: {loser} moves up into it (§8.5)." in question
    assert "Your results stay." in question and "no match left to play" not in question
    question = await says(semifinals, loser, "withdraw")
    assert "You give up your seat in the Third Place Playoff. Who moves up into it is clear when" in question


async def test_r8_3_between_two_rounds_of_the_pools_no_seat_is_given_up(qualified: World) -> None:
    await qualified.move_to(CANDIDATES)
    await rule_all(qualified)
    question = await says(qualified, "p01", "withdraw")
    assert "All your matches in the Candidates are disregarded" in question
    assert "Your seat in" not in question and "Your results stay" not in question

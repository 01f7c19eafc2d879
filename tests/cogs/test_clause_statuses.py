"""R3.3, R7.2, Q19-Q21, Q38b: the sixth game of anna–carl ends as Lichess says, with every status that Lichess has.

anna leads 5–0, so one more point decides the match. The statuses are those of Lichess's own list (lichess-org/lila,
chess.Status); a game that is not over has none of the later ones.
"""

from __future__ import annotations

from typing import Literal

import pytest

from tests.clauses.stage import says
from tests.cogs.entering import last
from tests.cogs.test_clause_game_rulings import notice, played, results, told
from tests.world import World, custom_ids, text_of

COUNTED = ("mate", "resign", "stalemate", "outoftime", "variantEnd")
DRAWN = ("draw", "stalemate", "outoftime", "insufficientMaterialClaim")
FOR_A_TD = ("timeout", "cheat", "unknownFinish")
ALL = {*COUNTED, *DRAWN, *FOR_A_TD, "created", "started", "aborted", "noStart"}


async def ends(world: World, status: str, winner: Literal["a"] | None) -> str:
    """The last game's id; anna is Black in it."""
    world.follows = True
    ids = await played(world, "111111", 5, status=status, winner="black" if winner else None)
    return ids[5]


def test_these_are_all_that_lichess_has() -> None:
    assert len(ALL) == 14


@pytest.mark.parametrize("status", COUNTED)
async def test_r3_3_a_game_that_somebody_has_won_counts(agreed: World, status: str) -> None:
    await ends(agreed, status, "a")
    assert "anna 6–0 carl" in results(agreed)


@pytest.mark.parametrize("status", DRAWN)
async def test_r3_3_a_drawn_game_is_half_a_point_each(agreed: World, status: str) -> None:
    await ends(agreed, status, None)
    assert "anna 5½–½ carl" in results(agreed)


@pytest.mark.parametrize("status", ["aborted", "noStart"])
async def test_q19_a_game_that_never_was_is_nobodys_affair(agreed: World, status: str) -> None:
    await ends(agreed, status, None)
    assert "anna 5–0 carl" in results(agreed) and "not finished" in results(agreed)
    assert not [m for m in agreed.channel("directors").history() if "needs your look" in m.content]
    answer = await says(agreed, "anna", "report")
    assert "The match is not over" in answer and "aborted" in answer


@pytest.mark.parametrize("status", ["created", "started"])
async def test_r3_3_a_game_that_goes_on_is_shown_and_waited_for(agreed: World, status: str) -> None:
    game = await ends(agreed, status, None)
    assert "Live" in results(agreed) and f"[now playing](<https://lichess.org/{game}>)" in results(agreed)
    answer = await says(agreed, "carl", "report")
    assert "The match is not over" in answer and "(still running)" in answer


@pytest.mark.parametrize("status", FOR_A_TD)
async def test_q38b_what_only_a_td_can_judge_waits_for_the_button(agreed: World, status: str) -> None:
    game = await ends(agreed, status, "a")
    assert "for the TDs" in results(agreed) and "6–0" not in results(agreed)
    assert "only a TD can judge" in await says(agreed, "carl", "report") or "TD" in told(agreed)
    message = notice(agreed)
    counts = next(id for id in custom_ids(message) if f"{game}.accepted" in id)
    preview = last(await agreed.click(agreed.people["td"], message, counts))
    form = await agreed.click(agreed.people["td"], preview, custom_ids(preview)[0])
    assert "Recorded" in text_of(await agreed.submit(agreed.people["td"], form, "Looked at the game."))
    assert "anna 6–0 carl" in results(agreed)

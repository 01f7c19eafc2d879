"""Eight players, three rounds, and the table as it was worked out by hand (R3.3, R3.6).

Pairings (R3.7). Round 1 by seed, i against i + 4. Round 2: anna, boris and chen have 1, dora and hana ½, the others 0;
the fold gives anna – boris and emil – fay; chen floats down and goran up to the halves, and who meets whom there is
left to the hash. Round 3 (anna 2, dora 1½, boris, chen and goran 1, the others ½) has no choice left.

Running totals, and their sum, *cumulative*:
  anna   1   2   2½  = 5½      emil   0   ½   ½   = 1
  boris  1   1   1   = 3       fay    0   ½   ½   = 1
  chen   1   1   2   = 4       goran  0   1   2   = 3
  dora   ½   1½  2   = 4       hana   ½   ½   1½  = 2½

Level on points and cumulative: chen and dora (2, 4), and emil and fay (½, 1). Dora beat chen: one win against a tied
opponent. Emil and fay drew: none.

Median-Buchholz of three rounds is the middle one of the opponents' points:
  anna   emil ½,   boris 1,  dora 2   -> 1        emil   anna 2½,  fay ½,    hana 1½  -> 1½
  boris  fay ½,    anna 2½,  chen 2   -> 2        fay    boris 1,  emil ½,   goran 2  -> 1
  chen   goran 2,  dora 2,   boris 1  -> 2        goran  chen 2,   hana 1½,  fay ½    -> 1½
  dora   hana 1½,  chen 2,   anna 2½  -> 2        hana   dora 2,   goran 2,  emil ½   -> 2

So anna; dora before the better seed chen by the win, goran third of those with two points by cumulative; hana; boris;
emil before fay by Median-Buchholz.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from acwc_bot.sandbox.lichess_world import Result
from tests.season.oracle import Line, Round, table
from tests.season.play import (
    FIRST_PAIRINGS,
    agree,
    as_rows,
    at,
    boards,
    domain_table,
    met,
    posted_table,
    report,
    shown_table,
    shown_tiebreaks,
)
from tests.world import World, open_world, text_of

NAMES = ["anna", "boris", "chen", "dora", "emil", "fay", "goran", "hana"]
WIN: list[Result] = ["a", "a", "b", "a", "draw", "a", "b", "a", "a"]
LOSS: list[Result] = ["b", "b", "b", "a", "b", "b", "b"]
TIE: list[Result] = ["a", "b", "draw", "draw", "a", "b", "a", "b", "draw", "draw"]

ROUNDS: list[dict[str, list[Result]]] = [
    {"anna – emil": WIN, "boris – fay": WIN, "chen – goran": WIN, "dora – hana": TIE},
    {"anna – boris": WIN, "chen – dora": LOSS, "goran – hana": WIN, "emil – fay": TIE},
    {"anna – dora": TIE, "boris – chen": LOSS, "fay – goran": LOSS, "emil – hana": LOSS},
]

BY_HAND = [
    Line(1, "anna", 2.5, 5.5, 0, 1),
    Line(2, "dora", 2, 4, 1, 2),
    Line(3, "chen", 2, 4, 0, 2),
    Line(4, "goran", 2, 3, 0, 1.5),
    Line(5, "hana", 1.5, 2.5, 0, 2),
    Line(6, "boris", 1, 3, 0, 2),
    Line(7, "emil", 0.5, 1, 0, 1.5),
    Line(8, "fay", 0.5, 1, 0, 1),
]


async def play(world: World, number: int, results: dict[str, list[Result]]) -> Round:
    """Everybody agrees on the next evening, plays, and the first of each pair reports."""
    paired = boards(world, number)
    assert sorted(str(board) for board in paired) == sorted(results)
    evening = (world.env.now() + timedelta(days=1)).replace(hour=18, minute=0)
    for board in paired:
        await agree(world, board, evening)
        world.lichess.play_match(board.a, board.b, evening, results[str(board)])
    await world.move_to(evening + timedelta(hours=2))
    for board in paired:
        assert "Recorded" in await report(world, board, board.a)
    return Round([met(board, results[str(board)]) for board in paired])


async def test_r3_6_eight_players_by_hand(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.set_up()
        await world.start_edition(NAMES, FIRST_PAIRINGS.isoformat())
        played: list[Round] = []
        for number, (month, day) in enumerate([(3, 22), (3, 31), (4, 7)], start=1):
            await world.move_to(at(month, day))
            played.append(await play(world, number, ROUNDS[number - 1]))

        seeds = {name: seed for seed, name in enumerate(NAMES, start=1)}
        assert table(played, seeds) == BY_HAND, "the oracle and the hand differ"
        goran = world.people["goran"]
        assert await domain_table(world) == BY_HAND
        assert posted_table(world, 3) == as_rows(BY_HAND)
        assert await shown_table(world, goran) == as_rows(BY_HAND)
        assert await shown_tiebreaks(world, goran) == BY_HAND
        for number in (1, 2):
            assert await shown_table(world, goran, round=number) == posted_table(world, number)
            assert posted_table(world, number) == as_rows(table(played[:number], seeds))
        await _says_what_separates(world)


async def _says_what_separates(world: World) -> None:
    """The tiebreaks page names the criterion that put each below the one above, and counts matches."""
    shown = await world.slash(world.people["anna"], "standings")
    detail = text_of(await world.click(world.people["anna"], shown.response, "acwc:1:tiebreaks:3.0"))
    by_name = {line.split(":")[0].split()[1]: line for line in detail.splitlines()[1:]}
    assert "+1 =1 −1" in by_name["hana"] and "+2 =1 −0" in by_name["anna"]
    assert "match wins against tied opponents" in by_name["chen"]
    assert "cumulative score" in by_name["goran"]
    assert "Median-Buchholz" in by_name["fay"]
    assert "Place 4 with 2 points" in text_of(await world.slash(world.people["goran"], "hub"))

"""R8.4, R8.5, Q51, Q52 written a second time, from the words, and compared on random exits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Stage
from tests.engine.ledger_book import published

UPPER, LOWER = [1, 4, 6, 7, 9, 12], [2, 3, 5, 8, 10, 11]
SEMIFINALS = {"semifinal_1": (1, 3), "semifinal_2": (2, 4)}
LOSER_TO = {1: 3, 2: 4}

leavers = st.lists(st.sampled_from(UPPER[:4] + LOWER[:4]), unique=True, max_size=6)


def pool_of(player: int) -> list[int]:
    return UPPER if player in UPPER else LOWER


def semifinals_by_the_words(out: set[int], begun: str | None) -> dict[str, tuple[int, ...]]:
    """`out`: those who left and whose match had not begun."""
    upper, lower = ([player for player in pool if player not in out] for pool in (UPPER, LOWER))
    moved_up = {"semifinal_1": (upper[0], lower[1]), "semifinal_2": (lower[0], upper[1])}
    if begun is None or moved_up[begun] == SEMIFINALS[begun]:
        return moved_up
    (other,) = SEMIFINALS.keys() - {begun}
    stay = [player for players in SEMIFINALS.values() for player in players if player not in out]

    def seat(player: int) -> int:
        return player if player in stay else next(e for e in pool_of(player) if e not in out and e not in stay)

    return {begun: SEMIFINALS[begun], other: tuple(seat(player) for player in SEMIFINALS[other])}


@settings(max_examples=50)
@given(out=leavers, begun=st.sampled_from([None, *SEMIFINALS]))
def test_q51_by_the_words(out: list[int], begun: str | None) -> None:
    book = published(Stage.SEMIFINALS)
    if begun:
        book.begins(*SEMIFINALS[begun])
    for player in out:
        book.leave(player)
    playing = SEMIFINALS[begun] if begun else ()
    assert book.seats(Stage.SEMIFINALS) == semifinals_by_the_words(set(out) - set(playing), begun)


def finals_by_the_words(out: set[int], begun: str | None) -> dict[str, tuple[int | None, ...]]:
    sits: set[int] = set()
    gone_from_final: dict[int, int] = {}

    def next_of(player: int) -> int | None:
        pools = [*pool_of(player), *(LOWER if pool_of(player) is UPPER else UPPER)]
        return next((e for e in pools if e not in out and e not in sits), None)

    playoff = {3, 4} if begun == "third_place" else set[int]()
    sits |= playoff
    final: dict[int, int | None] = {winner: winner for winner in (1, 2) if begun == "grand_final" or winner not in out}
    sits |= {player for player in final.values() if player}
    # Every vacant seat: the loser to that winner first, then the other loser, then the pool.
    for winner, own_loser in LOSER_TO.items():
        if winner not in final and own_loser not in out | sits:
            final[winner] = own_loser
            sits.add(own_loser)
            gone_from_final[own_loser] = winner
    for winner in LOSER_TO:
        if winner not in final:
            losers = [loser for loser in LOSER_TO.values() if loser not in out | sits]
            final[winner] = losers[0] if losers else next_of(winner)
            sits.add(final[winner] or 0)
            gone_from_final[final[winner] or 0] = winner
    if begun == "third_place":
        return {"grand_final": (final[1], final[2]), "third_place": (3, 4)}
    third: dict[int, int | None] = {loser: loser for loser in (3, 4) if loser not in out | gone_from_final.keys()}
    sits |= set(third)
    for loser in (3, 4):
        if loser not in third:
            third[loser] = next_of(gone_from_final.get(loser, loser))
            sits.add(third[loser] or 0)
    return {"grand_final": (final[1], final[2]), "third_place": (third[3], third[4])}


@settings(max_examples=50)
@given(out=leavers, begun=st.sampled_from([None, "grand_final", "third_place"]))
def test_q52_by_the_words(out: list[int], begun: str | None) -> None:
    book = published(Stage.FINALS)
    playing = {"grand_final": (1, 2), "third_place": (3, 4)}.get(begun or "", ())
    if begun:
        book.begins(*playing)
    for player in out:
        book.leave(player)
    expected = finals_by_the_words(set(out) - set(playing), begun)
    assert book.seats(Stage.FINALS) == {name: tuple(e for e in row if e) for name, row in expected.items()}

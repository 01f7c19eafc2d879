"""The fold of the ledger: what stands, Q42-Q44e."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NotFound
from engine.facts import (
    CountedGame,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    Pair,
    Reverted,
    RoundClosed,
    encode,
    kind_of,
)
from engine.ledger import fold
from engine.model import Stage
from engine.tournament import ResultKind
from tests.engine.ledger_book import START, A, B, C, D, E, Ledger, score

# --- Rounds and results ---------------------------------------------------------------------------------------


def test_an_empty_ledger_is_an_event_that_has_not_begun() -> None:
    nothing = fold([])
    assert (nothing.rounds, dict(nothing.results), dict(nothing.left), nothing.last_fact_id) == ((), {}, {}, 0)


def test_r3_7_rounds_with_pairs_and_bye_and_whether_closed(ledger: Ledger) -> None:
    open_round = ledger.fold().round(1)
    assert (open_round.pairs, open_round.bye, open_round.closed) == ((Pair(11, A, B), Pair(12, C, D)), E, False)
    ledger.add(RoundClosed(1))
    assert ledger.fold().round(1).closed
    assert ledger.fold().match(12) == (ledger.fold().round(1), Pair(12, C, D))
    with pytest.raises(NotFound, match="round"):
        ledger.fold().round(2)
    with pytest.raises(NotFound, match="match"):
        ledger.fold().match(99)


def test_r3_3_the_points_of_a_played_match(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.play(12, 5, 5)
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 12)) == ((2, 0), (1, 1))
    won = tournament.results[11]
    assert (won.kind, won.played, won.game_a, won.game_b, won.fact_id) == (ResultKind.PLAYED, True, 12, 4, 2)


def test_r3_15_a_tied_final_is_won_by_its_tiebreak_games_or_the_armageddon(ledger: Ledger) -> None:
    tie = (CountedGame("x", 2), CountedGame("y", 0))
    ledger.add(MatchPlayed(11, tie, tiebreak_games=(CountedGame("t", 2), CountedGame("u", 1))))
    ledger.add(MatchPlayed(12, tie, tiebreak_games=tie, armageddon=CountedGame("z", 0)))
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 12)) == ((2, 0), (0, 2))
    won = tournament.results[11]
    assert (won.game_a, won.game_b) == (2, 2), "the game score is that of the regular games"


def test_q29_a_ruling_says_whether_a_game_was_played(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 0, 2, (A,), True, (CountedGame("x", 2),)))
    ledger.add(MatchRuled(12, 1, 1))
    half_played, drawn = ledger.fold().results[11], ledger.fold().results[12]
    assert (half_played.kind, half_played.played, half_played.game_a) == (ResultKind.FORFEIT, True, 2)
    assert (drawn.kind, drawn.played, drawn.forfeited_by) == (ResultKind.RULED, False, ())


def test_the_latest_standing_result_counts(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ruling = ledger.add(MatchRuled(11, 0, 2))
    assert score(ledger.fold(), 11) == (0, 2)
    ledger.revert(ruling)
    assert score(ledger.fold(), 11) == (2, 0)


def test_open_matches_are_those_without_a_result(ledger: Ledger) -> None:
    ledger.add(MatchExtended(11, START + timedelta(days=14)))
    assert ledger.fold().open_matches(1) == (Pair(11, A, B), Pair(12, C, D))
    ledger.play(12, 6, 0)
    assert ledger.fold().open_matches(1) == (Pair(11, A, B),)


def test_q9_an_extended_match_is_extended_until_it_has_a_result(ledger: Ledger) -> None:
    until = START + timedelta(days=14)
    ledger.add(MatchExtended(11, until))
    assert dict(ledger.fold().extended) == {11: until}
    ledger.play(11, 6, 0)
    assert dict(ledger.fold().extended) == {}


# --- Reverts, replacements, earlier dates ---------------------------------------------------------------------


def test_a_revert_and_a_revert_of_the_revert(ledger: Ledger) -> None:
    played = ledger.play(11, 6, 2)
    undo = ledger.revert(played)
    assert score(ledger.fold(), 11) is None
    redo = ledger.revert(undo)
    assert score(ledger.fold(), 11) == (2, 0)
    ledger.revert(redo)
    assert score(ledger.fold(), 11) is None


def test_a_replacement_stands_instead_and_can_itself_be_reverted(ledger: Ledger) -> None:
    played = ledger.play(11, 6, 2)
    corrected = ledger.play(11, 2, 6, replaces=played)
    assert score(ledger.fold(), 11) == (0, 2)
    ledger.revert(corrected)
    assert score(ledger.fold(), 11) == (2, 0)


def test_a_target_that_is_not_before_the_fact_is_refused(ledger: Ledger) -> None:
    ledger.add(Reverted(), reverts=77)
    with pytest.raises(NotFound, match="77"):
        ledger.fold()


def test_a_fold_up_to_a_fact_or_to_a_time(ledger: Ledger) -> None:
    played = ledger.play(11, 6, 2)
    ledger.revert(played)
    assert score(fold(ledger.facts, until_fact=played), 11) == (2, 0)
    assert score(fold(ledger.facts, until=START + timedelta(hours=played)), 11) == (2, 0)
    assert score(fold(ledger.facts, until=START + timedelta(hours=played, minutes=-1)), 11) is None
    assert fold(ledger.facts, until_fact=played).last_fact_id == played


def test_a_preview_fact_without_an_id_comes_last(ledger: Ledger) -> None:
    played = ledger.play(11, 6, 2)
    ruling = MatchRuled(11, 0, 2)
    preview = replace(ledger.facts[-1], id=0, kind=kind_of(ruling), payload=encode(ruling))
    assert score(fold([preview, *ledger.facts]), 11) == (0, 2)
    undo = replace(ledger.facts[-1], id=0, kind="reverted", payload={}, reverts_id=played)
    assert score(fold([*ledger.facts, undo]), 11) is None


Line = tuple[int, int | None, int | None]


@st.composite
def lines(draw: st.DrawFn) -> list[Line]:
    """(what, reverts, replaces): what < 0 is a revert, else the points of a in a ruling of match 11."""
    made: list[Line] = []
    for n in range(1, draw(st.integers(1, 12)) + 1):
        target = draw(st.integers(1, n - 1)) if n > 1 else None
        what = draw(st.integers(-1 if target else 0, 2))
        replaces = draw(st.sampled_from([None, target])) if what >= 0 else None
        made.append((what, target if what < 0 else None, replaces))
    return made


def stands(all_lines: Sequence[Line], n: int) -> bool:
    """By the words: a fact stands unless a later fact that stands reverts or replaces it. `n` counts from 1."""
    return not any(
        n in (reverts, replaces) and stands(all_lines, later)
        for later, (_, reverts, replaces) in enumerate(all_lines[n:], start=n + 1)
    )


def written(all_lines: Sequence[Line]) -> Ledger:
    ledger = Ledger()
    for what, reverts, replaces in all_lines:
        event = Reverted() if what < 0 else MatchRuled(11, what, 2 - what)
        ledger.add(event, reverts=reverts, replaces=replaces)
    return ledger


@settings(max_examples=300)
@given(all_lines=lines(), data=st.data())
def test_any_tangle_of_reverts_and_replacements(all_lines: list[Line], data: st.DataObject) -> None:
    ledger = written(all_lines)
    standing = [what for n, (what, *_) in enumerate(all_lines, start=1) if what >= 0 and stands(all_lines, n)]
    expected = (standing[-1], 2 - standing[-1]) if standing else None
    assert score(ledger.fold(), 11) == expected
    assert fold(data.draw(st.permutations(ledger.facts))) == ledger.fold()


@settings(max_examples=150)
@given(all_lines=lines(), data=st.data())
def test_a_revert_undoes_and_its_revert_redoes(all_lines: list[Line], data: st.DataObject) -> None:
    before = fold(written(all_lines[:-1]).facts)
    ledger = written(all_lines)
    after = ledger.fold()
    undo = ledger.revert(len(all_lines))
    assert ledger.fold().results == before.results
    ledger.revert(undo)
    assert ledger.fold().results == after.results
    cut = data.draw(st.integers(1, len(all_lines)))
    assert fold(ledger.facts, until_fact=cut) == fold(ledger.facts[:cut])


# --- What the pairer asks (R3.7, Q42) -------------------------------------------------------------------------


def test_q42_a_published_pair_counts_as_met_whatever_happened(ledger: Ledger) -> None:
    ledger.leave(A)
    ledger.publish(2, (B, C), stage=Stage.CANDIDATES)
    assert ledger.fold().met() == {frozenset((A, B)), frozenset((C, D))}
    assert ledger.fold().met(Stage.CANDIDATES) == {frozenset((B, C))}


def test_r3_7_bye_receivers_and_full_points_without_a_game(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 0, 2, (A,)))
    ledger.add(MatchRuled(12, 2, 0, (D,), True))
    ledger.publish(2, (A, C), (B, E), bye=D)
    ledger.add(MatchRuled(21, 1, 1))
    ledger.leave(E)
    tournament = ledger.fold()
    assert tournament.bye_receivers() == {E, D}
    assert tournament.walkover_winners() == {B}
    ledger.play(22, 6, 0)
    ledger.leave(A)
    assert ledger.fold().walkover_winners() == {B}


def test_rounds_of_a_stage_come_by_number_and_all_by_publication() -> None:
    ledger = Ledger()
    ledger.publish(2, (A, B), stage=Stage.CANDIDATES)
    ledger.publish(1, (C, D), stage=Stage.CANDIDATES)
    assert [r.number for r in ledger.fold().rounds] == [2, 1]
    assert [r.number for r in ledger.fold().stage_rounds(Stage.CANDIDATES)] == [1, 2]
    assert ledger.fold().stage_rounds(Stage.FINALS) == ()

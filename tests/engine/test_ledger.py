"""The fold of the ledger: what stands, R8.1, R8.2, Q2, Q24, Q42-Q44e."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NotFound
from engine.facts import (
    CountedGame,
    EntrantLeft,
    Event,
    Exit,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    Pair,
    Reverted,
    RoundClosed,
    RoundPublished,
    encode,
    kind_of,
)
from engine.ledger import Departure, LeavingRules, ResultKind, Tournament, fold
from engine.model import Authority, Fact, Stage

START = datetime(2023, 3, 19, 12, tzinfo=UTC)
A, B, C, D, E = 1, 2, 3, 4, 5


class Ledger:
    """Facts with ids 1, 2, 3, …, one recorded each hour."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def add(
        self, event: Event, *, reverts: int | None = None, replaces: int | None = None, command: str | None = None
    ) -> int:
        id = len(self.facts) + 1
        when = START + timedelta(hours=id)
        self.facts.append(
            Fact(
                id=id,
                edition_id=1,
                kind=kind_of(event),
                payload=encode(event),
                authority=Authority.TD,
                command_id=command,
                reverts_id=reverts,
                replaces_id=replaces,
                occurred_at=when,
                recorded_at=when,
            )
        )
        return id

    def revert(self, id: int) -> int:
        return self.add(Reverted(), reverts=id)

    def publish(
        self,
        number: int,
        *pairs: tuple[int, int],
        bye: int | None = None,
        stage: Stage = Stage.QUALIFICATION,
        replaces: int | None = None,
    ) -> int:
        """Round `number` with id = number; its matches have the ids 10 * number + 1, …"""
        made = tuple(Pair(10 * number + n, a, b) for n, (a, b) in enumerate(pairs, start=1))
        return self.add(RoundPublished(number, stage, number, made, bye), replaces=replaces)

    def play(self, match_id: int, a_wins: int, b_wins: int, *, replaces: int | None = None) -> int:
        games = [2] * a_wins + [0] * b_wins
        counted = tuple(CountedGame(f"{match_id}-{n}", a) for n, a in enumerate(games))
        return self.add(MatchPlayed(match_id, counted), replaces=replaces)

    def leave(
        self, entrant: int, exit: Exit = Exit.WITHDRAWN, ground: str | None = None, command: str | None = None
    ) -> int:
        return self.add(EntrantLeft(entrant, exit, ground), command=command)

    def mark(self, entrant: int) -> int:
        return self.leave(entrant, Exit.DISQUALIFIED, "engine")

    def fold(self) -> Tournament:
        return fold(self.facts)


def score(tournament: Tournament, match_id: int) -> tuple[int, int] | None:
    result = tournament.results.get(match_id)
    return None if result is None else (result.a, result.b)


@pytest.fixture
def ledger() -> Ledger:
    """Round 1: A-B, C-D, bye E."""
    started = Ledger()
    started.publish(1, (A, B), (C, D), bye=E)
    return started


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


# --- Exits in the Qualification (R8.1, Q43, Q44) --------------------------------------------------------------


def test_r8_1_who_leaves_loses_the_open_match(ledger: Ledger) -> None:
    left = ledger.leave(A)
    tournament = ledger.fold()
    walkover = tournament.results[11]
    assert (walkover.a, walkover.b, walkover.kind, walkover.played) == (0, 2, ResultKind.WALKOVER, False)
    assert (walkover.forfeited_by, walkover.fact_id) == ((), left)
    assert score(tournament, 12) is None
    assert not tournament.is_in(A)
    assert tournament.left[A] == Departure(
        A, Exit.WITHDRAWN, None, START + timedelta(hours=left), Stage.QUALIFICATION, left
    )


def test_r8_1_a_finished_match_keeps_its_result(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_1_a_result_recorded_after_the_exit_stands(ledger: Ledger) -> None:
    ledger.leave(A)
    ledger.play(11, 6, 2)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_1_a_reverted_exit_opens_the_match_again(ledger: Ledger) -> None:
    ledger.revert(ledger.leave(A))
    assert score(ledger.fold(), 11) is None
    assert ledger.fold().is_in(A)


def test_r8_1_not_before_the_pairing_and_not_in_the_candidates() -> None:
    ledger = Ledger()
    ledger.leave(A)
    ledger.publish(1, (A, B))
    assert score(ledger.fold(), 11) is None
    assert ledger.fold().left[A].stage is None
    ledger.publish(2, (B, C), stage=Stage.CANDIDATES)
    ledger.leave(B)
    assert score(ledger.fold(), 21) is None
    assert ledger.fold().left[B].stage is Stage.CANDIDATES


def test_q44_out_one_after_the_other_the_second_keeps_the_win(ledger: Ledger) -> None:
    ledger.leave(B)
    ledger.leave(A)
    assert score(ledger.fold(), 11) == (2, 0)


def test_q44_both_out_by_one_ruling_is_nil_all(ledger: Ledger) -> None:
    ledger.leave(B, command="ruling")
    ledger.leave(A, command="ruling")
    assert score(ledger.fold(), 11) == (0, 0)
    assert score(fold(ledger.facts, leaving=LeavingRules(both_left_points=1)), 11) == (1, 1)


def test_q44_the_first_exit_counts_although_its_ground_is_corrected_later(ledger: Ledger) -> None:
    first = ledger.leave(B)
    ledger.leave(A)
    ledger.add(EntrantLeft(B, Exit.DISQUALIFIED, "public_accusation"), replaces=first)
    assert score(ledger.fold(), 11) == (2, 0)
    assert ledger.fold().left[B].exit is Exit.DISQUALIFIED


def test_q43_the_bye_and_the_walkover_can_be_replaced_by_a_pair() -> None:
    ledger = Ledger()
    first = ledger.publish(1, (A, B), (C, D), bye=E)
    ledger.leave(B)
    ledger.leave(D)
    ledger.publish(1, (A, E), (C, D), replaces=first)
    tournament = ledger.fold()
    assert tournament.round(1).bye is None
    assert score(tournament, 11) is None
    assert score(tournament, 12) == (2, 0), "the pair that stayed was published before D left"
    assert frozenset((A, B)) not in tournament.met()


def test_r8_1_a_round_published_again_is_as_old_as_its_first_publication(ledger: Ledger) -> None:
    ledger.leave(D)
    ledger.publish(1, (A, E), (C, D), bye=B)
    assert len(ledger.fold().rounds) == 1
    assert score(ledger.fold(), 12) == (2, 0)
    assert ledger.fold().round(1).bye == B


def test_q43_a_bye_holder_who_leaves_keeps_the_bye(ledger: Ledger) -> None:
    ledger.leave(E)
    assert ledger.fold().round(1).bye == E


# --- Engine marks (R8.2, Q44b, Q44d, Q47, Q48) ----------------------------------------------------------------


def test_r8_2_played_matches_go_to_the_opponents_with_all_their_games(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    mark = ledger.mark(A)
    result = ledger.fold().results[11]
    assert (result.a, result.b, result.game_a, result.game_b) == (0, 2, 0, 16)
    assert (result.kind, result.fact_id, len(result.games)) == (ResultKind.ADJUDICATED, mark, 8)
    ledger.revert(mark)
    assert ledger.fold().results[11].kind is ResultKind.PLAYED
    assert score(ledger.fold(), 11) == (2, 0)


@pytest.mark.parametrize(
    ("exit", "ground"),
    [(Exit.DISQUALIFIED, "booster"), (Exit.DISQUALIFIED, None), (Exit.WITHDRAWN, "engine"), (Exit.WITHDRAWN, None)],
)
def test_r8_2_no_other_exit_reaches_back(ledger: Ledger, exit: Exit, ground: str | None) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A, exit, ground)
    assert score(ledger.fold(), 11) == (2, 0)


def test_r8_2_the_grounds_are_given_by_the_edition(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.leave(A, Exit.DISQUALIFIED, "booster")
    assert score(fold(ledger.facts, leaving=LeavingRules(reaching_back=frozenset({"booster"}))), 11) == (0, 2)


def test_r8_2_a_mark_after_a_withdrawal(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.add(RoundClosed(1))
    ledger.publish(2, (A, C), (B, D))
    ledger.leave(A)
    ledger.mark(A)
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 21)) == ((0, 2), (0, 2))
    assert tournament.left[A].ground == "engine"


def test_q44_both_marked_after_playing_is_nil_all(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.mark(A)
    ledger.mark(B)
    result = ledger.fold().results[11]
    assert (result.a, result.b, result.game_a, result.game_b) == (0, 0, 0, 0)
    assert score(fold(ledger.facts, leaving=LeavingRules(both_left_points=1)), 11) == (1, 1)


def test_q44b_walkovers_and_ruled_draws_stay(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 2, 0, (B,)))
    ledger.add(MatchRuled(12, 1, 1))
    ledger.mark(A)
    ledger.mark(C)
    tournament = ledger.fold()
    assert (score(tournament, 11), score(tournament, 12)) == ((2, 0), (1, 1))
    assert dict(tournament.forfeits) == {B: (11,)}


def test_q44b_a_ruling_after_the_mark_stands(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.mark(A)
    ledger.add(MatchRuled(11, 1, 1, (), True))
    assert score(ledger.fold(), 11) == (1, 1)


def test_q47_q48_a_mark_reaches_back_until_the_candidates_are_paired(ledger: Ledger) -> None:
    ledger.play(11, 6, 2)
    ledger.play(12, 6, 2)
    ledger.add(RoundClosed(1))
    ledger.mark(A)
    ledger.publish(2, (C, B), stage=Stage.CANDIDATES)
    ledger.play(21, 6, 4)
    ledger.mark(C)
    tournament = ledger.fold()
    assert score(tournament, 11) == (0, 2)
    assert score(tournament, 12) == (2, 0)
    assert score(tournament, 21) == (2, 0)


# --- Forfeits (Q2, Q24, Q44e) ---------------------------------------------------------------------------------


def test_q24_forfeits_count_by_match_over_all_stages(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 0, 2, (A, A)))
    ledger.add(MatchRuled(12, 0, 0, (C, D)))
    ledger.publish(2, (A, C), stage=Stage.CANDIDATES)
    ledger.add(MatchRuled(21, 0, 2, (A,), True))
    assert dict(ledger.fold().forfeits) == {A: (11, 21), C: (12,), D: (12,)}


def test_q24_leaving_is_no_forfeit(ledger: Ledger) -> None:
    ledger.leave(A)
    assert dict(ledger.fold().forfeits) == {}


def test_q2_the_forfeits_go_when_the_match_is_played(ledger: Ledger) -> None:
    ledger.add(MatchRuled(11, 1, 1, (A, B)))
    ledger.play(11, 6, 0)
    assert dict(ledger.fold().forfeits) == {}


def test_q44e_forfeits_survive_the_mark_of_the_opponent_and_go_with_a_revert(ledger: Ledger) -> None:
    ruling = ledger.add(MatchRuled(11, 2, 0, (B,), True, (CountedGame("x", 2),)))
    ledger.mark(A)
    assert score(ledger.fold(), 11) == (0, 2)
    assert dict(ledger.fold().forfeits) == {B: (11,)}
    ledger.revert(ruling)
    assert dict(ledger.fold().forfeits) == {}


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

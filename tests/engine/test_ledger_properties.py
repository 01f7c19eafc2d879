"""The fold on random small ledgers with every kind of fact, exits and marks in all stages among them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.facts import (
    CountedGame,
    EntrantLeft,
    EntrantReturned,
    Event,
    Exit,
    ForfeitLifted,
    Group,
    MatchBegun,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    MatchVoided,
    Pair,
    RoundClosed,
    RoundPublished,
    SeatDeclined,
    SeedCorrected,
    StageSeated,
)
from engine.ledger import fold
from engine.model import Stage
from engine.terms import NO_TERMS
from engine.tournament import ResultKind, Tournament
from tests.engine.ledger_book import START, A, B, C, D, E, Ledger

ROUNDS = (
    RoundPublished(1, Stage.QUALIFICATION, 1, (Pair(11, A, B), Pair(12, C, D)), E),
    RoundPublished(1, Stage.QUALIFICATION, 1, (Pair(11, A, B), Pair(13, C, E)), D),
    RoundPublished(2, Stage.CANDIDATES, 1, (Pair(21, A, B, "upper"), Pair(22, C, D, "lower"))),
    RoundPublished(3, Stage.SEMIFINALS, 1, (Pair(31, A, C, "semifinal_1"), Pair(32, B, D, "semifinal_2"))),
    RoundPublished(4, Stage.FINALS, 1, (Pair(41, A, B, "grand_final"), Pair(42, C, D, "third_place"))),
)
POOLS = StageSeated(Stage.CANDIDATES, (Group("upper", (A, B, E)), Group("lower", (C, D))))

entrants = st.sampled_from((A, B, C, D, E))
matches = st.sampled_from((11, 12, 13, 21, 22, 31, 32, 41, 42))
games = st.lists(st.builds(CountedGame, st.just("g"), st.integers(0, 2)), max_size=3).map(tuple)
GROUNDS = st.sampled_from((None, "engine", "booster", "two_forfeits"))

events: st.SearchStrategy[Event] = st.one_of(
    st.sampled_from((*ROUNDS, POOLS)),
    st.builds(RoundClosed, st.integers(1, 4)),
    st.builds(MatchPlayed, matches, games),
    st.builds(MatchBegun, matches, games),
    st.builds(lambda m, a, by: MatchRuled(m, a, 2 - a, by), matches, st.integers(0, 2), st.lists(entrants).map(tuple)),
    st.builds(MatchVoided, matches),
    st.builds(MatchExtended, matches, st.just(START)),
    st.builds(ForfeitLifted, matches, entrants),
    st.builds(EntrantLeft, entrants, st.sampled_from(Exit), GROUNDS),
    st.builds(EntrantReturned, entrants),
    st.builds(SeatDeclined, st.sampled_from(Stage), entrants),
    st.builds(SeedCorrected, entrants, st.integers(1, 5)),
)


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Mostly the stages in order, with anything in between; some commands record two facts; some facts are taken back
    or replaced by one of their own kind."""
    ledger = Ledger()
    for step in draw(st.sampled_from((ROUNDS[:1], ROUNDS[:3], ROUNDS, ()))):
        if step.stage is Stage.CANDIDATES:
            ledger.add(POOLS)
        ledger.add(step)
        for event in draw(st.lists(events, max_size=5)):
            earlier = [fact.id for fact in ledger.facts if fact.kind == _kind(event)]
            replaces = draw(st.sampled_from((None, None, None, *earlier)))
            ledger.add(event, replaces=replaces, command=draw(st.sampled_from((None, "one", "two"))))
        if draw(st.booleans()):
            ledger.revert(draw(st.integers(1, len(ledger.facts))))
    return ledger


def _kind(event: Event) -> str:
    probe = Ledger()
    probe.add(event)
    return probe.facts[0].kind


def state(tournament: Tournament) -> Tournament:
    """Without the terms that say no more than that a result was taken back, and when."""
    terms = {match_id: terms for match_id, terms in tournament.terms.items() if terms != NO_TERMS}
    return replace(tournament, last_fact_id=0, terms=terms)


@settings(max_examples=80)
@given(ledger=ledgers(), event=events)
def test_a_revert_gives_exactly_the_earlier_tournament_and_its_revert_the_later_one(
    ledger: Ledger, event: Event
) -> None:
    before = ledger.fold()
    added = ledger.add(event)
    after = ledger.fold()
    undo = ledger.revert(added)
    assert state(ledger.fold()) == state(before)
    ledger.revert(undo)
    assert state(ledger.fold()) == state(after)
    assert fold(ledger.facts, until_fact=added) == after


@settings(max_examples=40)
@given(ledger=ledgers(), data=st.data())
def test_the_order_of_the_facts_in_the_list_does_not_matter(ledger: Ledger, data: st.DataObject) -> None:
    assert fold(data.draw(st.permutations(ledger.facts))) == ledger.fold()


@settings(max_examples=40)
@given(ledger=ledgers(), data=st.data())
def test_a_fold_up_to_a_fact_knows_nothing_of_what_came_later(ledger: Ledger, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(ledger.facts)))
    then = fold(ledger.facts[:cut])
    assert fold(ledger.facts, until_fact=cut) == then
    if cut:
        assert fold(ledger.facts, until=ledger.facts[cut - 1].recorded_at) == then


@settings(max_examples=80)
@given(ledger=ledgers())
def test_what_exits_may_make_of_results(ledger: Ledger) -> None:
    """Only matches of somebody who has left, now or earlier, have a result that follows from an exit; each in the
    stages where R8 knows it."""
    tournament = ledger.fold()
    ever_left = {fact.payload["entrant_id"] for fact in ledger.facts if fact.kind == "entrant_left"}
    for published in tournament.rounds:
        for pair in published.pairs:
            result = tournament.results.get(pair.match_id)
            if result is None or result.kind not in DERIVED:
                continue
            assert ever_left & {pair.a_id, pair.b_id}
            assert published.stage in DERIVED[result.kind]
            if result.kind is ResultKind.DISREGARDED:
                assert (result.a, result.b, result.game_a, result.game_b) == (0, 0, 0, 0)
            elif published.stage is not Stage.QUALIFICATION:
                assert {result.a, result.b} == {0, 2}, "a knock-out match is won"


DERIVED = {
    ResultKind.WALKOVER: {Stage.QUALIFICATION, Stage.SEMIFINALS, Stage.FINALS},
    ResultKind.ADJUDICATED: {Stage.QUALIFICATION},
    ResultKind.DISREGARDED: {Stage.CANDIDATES},
}

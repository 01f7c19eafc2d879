"""What happened in a negotiation, in order, and how long each side took to answer: R5.7, R5.8."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chain import chain
from engine.facts import (
    CountedGame,
    EntrantLeft,
    Event,
    Exit,
    FaultFound,
    MatchExtended,
    MatchPlayed,
    MatchRuled,
    Pair,
    Reverted,
    RoundPublished,
    TimeSet,
    encode,
    kind_of,
)
from engine.ledger import fold
from engine.model import Authority, Dispute, DisputeCause, DisputeEnd, Fact, Match, Offer, OfferState, Stage
from engine.timeline import (
    Accepted,
    DeadlinePassed,
    Decided,
    Disputed,
    DisputeEnded,
    Material,
    Offered,
    Published,
    Responses,
    Retracted,
    TakenBack,
    Timeline,
    responses,
    timeline,
)

A, B = 10, 20
TUESDAY = datetime(2023, 4, 4, 12, tzinfo=UTC)
SATURDAY = datetime(2023, 4, 8, tzinfo=UTC)
MATCH = Match(id=7, edition_id=1, round_id=1, board=1, a_id=A, b_id=B)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def after(hours: float) -> datetime:
    """That long after the publication; the offer deadline is at hour 84."""
    return TUESDAY + HOUR * hours


def offer(id: int, by: int, made: float, **changes: object) -> Offer:
    values: dict[str, object] = {"match_id": 7, "entrant_id": by, "made_at": after(made), **changes}
    return Offer(id=id, starts_at=SATURDAY + HOUR * id, **values)  # type: ignore[arg-type]


def retracted(one: Offer, at: float) -> Offer:
    return replace(one, state=OfferState.RETRACTED, changed_at=after(at))


def accepted(one: Offer, at: float) -> Offer:
    return replace(one, state=OfferState.ACCEPTED, changed_at=after(at))


class Ledger:
    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.add(RoundPublished(1, Stage.QUALIFICATION, 1, (Pair(7, A, B), Pair(8, 30, 40))), TUESDAY)

    def add(self, event: Event, at: datetime, *, recorded: datetime | None = None, reverts: int | None = None) -> int:
        fact = Fact(
            id=len(self.facts) + 1,
            edition_id=1,
            kind=kind_of(event),
            payload=encode(event),
            authority=Authority.SYSTEM,
            reverts_id=reverts,
            occurred_at=at,
            recorded_at=recorded or at,
        )
        self.facts.append(fact)
        return fact.id

    def timeline(self, now: datetime, *offers: Offer, disputes: tuple[Dispute, ...] = ()) -> Timeline:
        known = Material(
            match=MATCH,
            offers=offers,
            disputes=disputes,
            standing=chain(self.facts),
            deadline=SATURDAY,
            counted={A: 3, B: 1},
            result=fold(self.facts).results.get(7),
        )
        return timeline(known, now)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


# --- The order of things ------------------------------------------------------------------------------------------


def test_r5_8_offers_made_at_one_moment_are_one_happening(ledger: Ledger) -> None:
    first, second = offer(1, A, 1), offer(2, A, 1)
    later, other = offer(3, A, 2), offer(4, B, 1)
    told = ledger.timeline(after(3), second, first, later, other).happenings
    assert told == (
        Published(TUESDAY),
        Offered(after(1), A, (first, second), False),
        Offered(after(1), B, (other,), False),
        Offered(after(2), A, (later,), False),
    )


def test_r5_8_offered_retracted_accepted_with_who_and_when(ledger: Ledger) -> None:
    gone, also, taken = retracted(offer(1, A, 1), 3), retracted(offer(2, A, 1), 3), accepted(offer(3, A, 2), 5)
    told = ledger.timeline(after(6), gone, also, taken).happenings
    assert told[1:] == (
        Offered(after(1), A, (gone, also), False),
        Offered(after(2), A, (taken,), False),
        Retracted(after(3), A, (gone, also)),
        Accepted(after(5), B, taken),
    )


def test_r6_3_a_move_is_told_apart_from_an_offer(ledger: Ledger) -> None:
    first, proposal = accepted(offer(1, A, 1), 2), accepted(offer(2, B, 3, moves=True), 4)
    told = ledger.timeline(after(6), first, proposal).happenings
    assert told[2:] == (
        Accepted(after(2), B, first),
        Offered(after(3), B, (proposal,), True),
        Accepted(after(4), A, proposal),
    )


@pytest.mark.parametrize(("now", "passed"), [(SATURDAY - timedelta(seconds=1), False), (SATURDAY, True)])
def test_r5_1_the_deadline_tells_how_many_offers_counted(ledger: Ledger, now: datetime, passed: bool) -> None:
    told = ledger.timeline(now, offer(1, A, 1)).happenings
    assert (told[-1] == DeadlinePassed(SATURDAY, {A: 3, B: 1})) is passed


def test_r5_1_an_offer_at_the_deadline_comes_after_it(ledger: Ledger) -> None:
    told = ledger.timeline(SATURDAY, offer(1, A, 84)).happenings
    assert [type(one) for one in told] == [Published, DeadlinePassed, Offered]


@pytest.mark.parametrize(("at", "passed"), [(84 - 1 / 3600, False), (84, True)])
def test_r5_1_an_agreement_before_the_deadline_leaves_nothing_to_judge(ledger: Ledger, at: float, passed: bool) -> None:
    told = ledger.timeline(after(90), accepted(offer(1, A, 1), at)).happenings
    assert any(isinstance(one, DeadlinePassed) for one in told) is passed


def test_r5_10_a_time_set_before_the_deadline_leaves_nothing_to_judge_until_it_is_taken_back(ledger: Ledger) -> None:
    set_time = ledger.add(TimeSet(7, SATURDAY + HOUR, None), after(10))
    assert not any(isinstance(one, DeadlinePassed) for one in ledger.timeline(SATURDAY).happenings)
    ledger.add(Reverted(), after(11), reverts=set_time)
    assert any(isinstance(one, DeadlinePassed) for one in ledger.timeline(SATURDAY).happenings)


def test_q14_what_was_judged_late_stands_at_the_deadline(ledger: Ledger) -> None:
    ledger.add(FaultFound(7, (B,)), SATURDAY, recorded=SATURDAY + HOUR * 30)
    told = ledger.timeline(SATURDAY + HOUR * 31, offer(1, A, 90)).happenings
    assert [type(one) for one in told] == [Published, DeadlinePassed, Decided, Offered]


def test_r1_3_what_was_taken_back_is_kept_and_said(ledger: Ledger) -> None:
    found = ledger.add(FaultFound(7, (B,)), SATURDAY)
    undo = ledger.add(Reverted(), SATURDAY + HOUR, reverts=found)
    told = ledger.timeline(SATURDAY + HOUR * 5).happenings[2:]
    assert [(type(one), getattr(one, "stands", None)) for one in told] == [(Decided, False), (TakenBack, None)]
    ledger.add(Reverted(), SATURDAY + HOUR * 2, reverts=undo)
    told = ledger.timeline(SATURDAY + HOUR * 5).happenings[2:]
    assert [one.restored for one in told if isinstance(one, TakenBack)] == [False, True]
    assert [one.stands for one in told if isinstance(one, Decided)] == [True]
    assert all(one.of == FaultFound(7, (B,)) for one in told if isinstance(one, TakenBack))


def test_other_matches_are_not_told(ledger: Ledger) -> None:
    other = ledger.add(MatchExtended(8, SATURDAY), after(1))
    ledger.add(Reverted(), after(2), reverts=other)
    ledger.add(EntrantLeft(30, Exit.WITHDRAWN), after(3))
    assert ledger.timeline(after(5)).happenings == (Published(TUESDAY),)


def test_a_repaired_round_does_not_publish_the_pair_again(ledger: Ledger) -> None:
    ledger.add(RoundPublished(1, Stage.QUALIFICATION, 1, (Pair(7, A, B),)), after(4))
    assert ledger.timeline(after(5)).happenings == (Published(TUESDAY),)


def test_r8_1_an_exit_is_told_when_the_result_rests_on_it(ledger: Ledger) -> None:
    ledger.add(EntrantLeft(A, Exit.WITHDRAWN), after(3))
    assert [type(one) for one in ledger.timeline(after(5)).happenings] == [Published, Decided]


def test_r8_1_an_exit_long_after_the_result_is_not_told(ledger: Ledger) -> None:
    ledger.add(MatchPlayed(7, (CountedGame("abcdefgh", 2),)), after(2))
    ledger.add(EntrantLeft(A, Exit.WITHDRAWN), after(3))
    told = ledger.timeline(after(5)).happenings
    assert [one.event for one in told if isinstance(one, Decided)] == [MatchPlayed(7, (CountedGame("abcdefgh", 2),))]


def test_r5_8_a_dispute_opens_and_ends(ledger: Ledger) -> None:
    ended = SATURDAY + HOUR
    dispute = Dispute(
        edition_id=1,
        match_id=7,
        cause=DisputeCause.NO_AGREEMENT,
        opened_at=SATURDAY,
        outcome=DisputeEnd.AGREED,
        ended_at=ended,
    )
    told = ledger.timeline(ended, disputes=(dispute,)).happenings[2:]
    assert told == (Disputed(SATURDAY, DisputeCause.NO_AGREEMENT), DisputeEnded(ended, DisputeEnd.AGREED))


# --- Response times -----------------------------------------------------------------------------------------------


def hours(found: Responses) -> tuple[list[float], float | None]:
    """Of the answered waits, and of the open one."""
    return [wait.lasted / HOUR for wait in found.answered], found.open and found.open.lasted / HOUR


def of(side: int, *offers: Offer, now: float = 60, settled: bool = False) -> tuple[list[float], float | None]:
    return hours(responses(offers, side, min(after(now), SATURDAY), SATURDAY, settled=settled))


def test_r5_7_an_offer_of_the_other_side_is_an_answer() -> None:
    talk = offer(1, A, 1), offer(2, B, 6), offer(3, A, 8), offer(4, B, 38)
    assert of(B, *talk) == ([5, 30], None)
    assert of(A, *talk) == ([2], 22)


def test_r5_7_an_acceptance_is_an_answer() -> None:
    assert of(B, accepted(offer(1, A, 1), 10), settled=True) == ([9], None)


def test_r5_7_an_offer_while_one_is_unanswered_starts_no_other_wait() -> None:
    assert of(B, offer(1, A, 1), offer(2, A, 5), offer(3, B, 11)) == ([10], None)
    assert of(B, offer(1, A, 1), offer(2, A, 5), now=20) == ([], 19)


def test_r5_7_the_first_offer_of_all_answers_nothing() -> None:
    assert of(A, offer(1, A, 1)) == ([], None)


def test_r5_7_a_retracted_offer_asks_no_more() -> None:
    gone = retracted(offer(1, A, 1), 20)
    assert of(B, gone, now=30) == ([], None)
    assert of(B, gone, offer(2, B, 30)) == ([], None)
    assert of(B, gone, now=20) == ([], None)
    # Another one still asks, since it was made.
    assert of(B, gone, offer(2, A, 10), now=30) == ([], 20)
    assert of(B, gone, offer(2, A, 10), offer(3, B, 31)) == ([21], None)


def test_r5_7_an_offer_retracted_after_its_answer_was_answered() -> None:
    assert of(B, retracted(offer(1, A, 1), 20), offer(2, B, 6)) == ([5], None)


def test_r5_7_crossing_offers_both_ask() -> None:
    both = offer(1, A, 1), offer(2, B, 1)
    assert of(A, *both, now=5) == ([], 4) == of(B, *both, now=5)


def test_r5_7_a_proposal_to_move_neither_asks_nor_answers() -> None:
    agreed = accepted(offer(1, A, 1), 2)
    proposal = offer(2, B, 3, moves=True)
    assert of(A, agreed, proposal, settled=True) == ([], None)
    assert of(A, offer(1, B, 1), offer(2, A, 5, moves=True), now=6) == ([], 5)


def test_r5_8_an_answer_after_the_deadline_is_none() -> None:
    assert of(B, offer(1, A, 80), offer(2, B, 83.5), now=100) == ([3.5], None)
    assert of(B, offer(1, A, 80), offer(2, B, 84), now=100) == ([], 4)
    assert of(B, accepted(offer(1, A, 80), 90), now=100) == ([], 4)
    assert of(B, offer(1, A, 84), now=100) == ([], None)


def test_r5_8_a_retraction_after_the_deadline_does_not_undo_the_question() -> None:
    assert of(B, retracted(offer(1, A, 80), 84), now=100) == ([], 4)
    assert of(B, retracted(offer(1, A, 80), 84 - 1 / 3600), now=100) == ([], None)


def test_r5_7_who_agrees_otherwise_has_dropped_the_question(ledger: Ledger) -> None:
    """A never answers the offer of hour 2, but B accepts A's."""
    found = ledger.timeline(after(30), accepted(offer(1, A, 1), 20), offer(2, B, 2)).responses
    assert (found[A].open, hours(found[B])) == (None, ([1], None))


@pytest.mark.parametrize("event", [MatchRuled(7, 1, 1, (A, B)), TimeSet(7, SATURDAY + HOUR * 20, A)])
def test_r5_8_what_is_decided_as_of_the_deadline_leaves_the_silence_before_it(ledger: Ledger, event: Event) -> None:
    ledger.add(event, SATURDAY)
    assert hours(ledger.timeline(after(100), offer(1, A, 80)).responses[B]) == ([], 4)


def test_longest_and_median_are_those_of_the_answers() -> None:
    talk = [offer(1, A, 1), offer(2, B, 2), offer(3, A, 3), offer(4, B, 6), offer(5, A, 7), offer(6, B, 27)]
    found = responses([*talk, offer(7, A, 28)], B, after(80), SATURDAY, settled=False)
    assert (found.longest, found.median) == (20 * HOUR, 3 * HOUR)
    found = responses(talk[:4], B, after(80), SATURDAY, settled=False)
    assert (found.longest, found.median) == (3 * HOUR, 2 * HOUR)
    assert (Responses((), None).longest, Responses((), None).median) == (None, None)


Step = tuple[int, int, int]
"""Minutes since the last step; 0-6 offer, 7-8 retract, 9 accept; odd or even for the side, and which offer."""


def played_out(steps: list[Step]) -> tuple[list[Offer], list[tuple[datetime, str, int, int]]]:
    """The offers as they are stored in the end, and the same as a log: when, what, who, which offer."""
    offers: dict[int, Offer] = {}
    log: list[tuple[datetime, str, int, int]] = []
    now = TUESDAY
    for minutes, what, which in steps:
        now += MINUTE * minutes
        side = A if which % 2 else B
        still = [o for o in offers.values() if o.state is OfferState.OPEN and (o.entrant_id == side) is (what < 9)]
        if what < 7:
            id = len(offers) + 1
            offers[id] = Offer(id=id, match_id=7, entrant_id=side, made_at=now, starts_at=SATURDAY)
            log.append((now, "offer", side, id))
        elif still:
            chosen = still[which % len(still)]
            state = OfferState.RETRACTED if what < 9 else OfferState.ACCEPTED
            offers[chosen.id] = replace(chosen, state=state, changed_at=now)
            log.append((now, "retract" if what < 9 else "accept", side, chosen.id))
            if what == 9:
                break
    return list(offers.values()), log


def by_the_words(
    log: list[tuple[datetime, str, int, int]], side: int, deadline: datetime, now: datetime
) -> tuple[list[timedelta], timedelta | None]:
    """Lives through the log with a list of what is asked of the side at each moment."""
    asked: dict[int, datetime] = {}
    answered: list[timedelta] = []
    for at, what, who, which in log:
        if at >= deadline:
            break
        if what == "offer" and who != side:
            asked[which] = at
        elif what == "retract":
            asked.pop(which, None)
        elif who == side:
            answered += [at - min(asked.values())] if asked else []
            asked = {}
        if what == "accept":
            asked = {}
    return answered, min(now, deadline) - min(asked.values()) if asked else None


@given(
    steps=st.lists(st.tuples(st.integers(1, 600), st.integers(0, 9), st.integers(0, 9)), min_size=8, max_size=25),
    deadline=st.integers(600, 6000),
    later=st.integers(0, 3000),
)
def test_r5_7_response_times_are_those_of_somebody_who_lived_through_it(
    steps: list[Step], deadline: int, later: int
) -> None:
    offers, log = played_out(steps)
    end = TUESDAY + MINUTE * deadline
    now = (log[-1][0] if log else TUESDAY) + MINUTE * later
    settled = any(o.state is OfferState.ACCEPTED and o.changed_at is not None and o.changed_at < end for o in offers)
    for side in (A, B):
        found = responses(offers, side, min(now, end), end, settled=settled)
        mine = [wait.lasted for wait in found.answered], found.open and found.open.lasted
        assert mine == by_the_words(log, side, end, now)

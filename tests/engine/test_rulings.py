"""The ruling mechanism (design 3.6): what a decision would change, which rounds it makes old, undo, recusal."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.championship import Championship, championship
from engine.errors import Conflict, NotFound
from engine.facts import Draft, EntrantLeft, Exit, MatchExtended, MatchRuled, SeedCorrected
from engine.model import Fact, Stage
from engine.outdated import outdated
from engine.rulings import Ruling, facts_of, preview, recused, subjects, undo
from engine.tournament import ResultKind
from tests.engine.ledger_book import Book, before

NOW = datetime(2023, 4, 20, 12, tzinfo=UTC)


def marked(entrant: int) -> Ruling:
    return Ruling("disqualified", (Draft(EntrantLeft(entrant, Exit.DISQUALIFIED, "engine"), "R8.2"),))


def made(event: Championship, ruling: Ruling, command: str) -> Championship:
    """The edition with the ruling recorded."""
    ids = count(max((fact.id for fact in event.facts), default=0) + 1)
    new = facts_of(ruling, edition_id=1, now=NOW, command_id=command)
    stored = [Fact(**{**{f: getattr(fact, f) for f in fact.__dataclass_fields__}, "id": next(ids)}) for fact in new]
    return championship(event.key, event.rules, event.entrants.values(), (*event.facts, *stored))


@pytest.fixture
def book() -> Book:
    """Four players, two rounds closed, a third published: 1-2 and 3-4, then 1-3 and 2-4, then 1-4 and 2-3."""
    book = Book(4)
    for pairs in (((1, 2), (3, 4)), ((1, 3), (2, 4))):
        book.finish(book.round(*pairs))
    book.round((1, 4), (2, 3))
    return book


# --- Preview ------------------------------------------------------------------------------------------------------


def test_the_preview_of_a_mark_shows_results_places_and_who_is_out(book: Book) -> None:
    seen = preview(book.event, marked(1), NOW)
    assert seen.out == (1,) and seen.back == ()
    changed = {change.match_id: change.after for change in seen.matches}
    assert {id: result.kind for id, result in changed.items() if result} == {
        book.match(1, 2).match_id: ResultKind.ADJUDICATED,
        book.match(1, 3).match_id: ResultKind.ADJUDICATED,
        book.match(1, 4).match_id: ResultKind.WALKOVER,
    }
    lines = {line.entrant_id: line for line in seen.lines}
    assert (lines[1].rank_before, lines[1].rank_after) == (1, None)
    assert (lines[2].points_before, lines[2].points_after) == (2, 4)
    assert (lines[2].rank_before, lines[2].rank_after) == (3, 1)
    assert not seen.changes_nothing


def test_a_preview_changes_nothing_itself(book: Book) -> None:
    facts = list(book.facts)
    preview(book.event, marked(1), NOW)
    assert book.facts == facts and book.tournament.is_in(1)


def test_an_extension_is_a_change_although_no_result_moves(book: Book) -> None:
    ruling = Ruling("extended", (Draft(MatchExtended(book.match(1, 4).match_id, NOW), "Q9"),))
    assert not preview(book.event, ruling, NOW).changes_nothing


def test_recording_what_stands_already_changes_nothing(book: Book) -> None:
    result = book.result(1, 2)
    assert result is not None
    same = MatchRuled(book.match(1, 2).match_id, 2, 0, played=True, games=result.games)
    again = Ruling("result", (Draft(same, "R1.3"),))
    seen = made(book.event, again, "a")
    assert preview(seen, again, NOW).changes_nothing


def test_q25_the_preview_of_a_second_forfeit_proposes_the_disqualification(book: Book) -> None:
    book.forfeits(4, 1, "no_show")
    ruling = Ruling("forfeit", (Draft(MatchRuled(book.match(2, 3).match_id, 2, 0, (3,), forfeit="no_show"), "R6.3"),))
    assert preview(book.event, ruling, NOW).due_out == ()
    book.facts.pop()
    book.forfeits(4, 3, "no_show")
    second = Ruling("forfeit", (Draft(MatchRuled(book.match(1, 4).match_id, 2, 0, (4,), forfeit="no_show"), "R6.3"),))
    assert [left.entrant_id for left in preview(book.event, second, NOW).due_out] == [4]


def test_q51_the_preview_shows_the_seating_to_confirm() -> None:
    book = before(Stage.SEMIFINALS).semifinals()
    ruling = Ruling("withdrawn", (Draft(EntrantLeft(1, Exit.WITHDRAWN), "R8.4"),))
    (proposal,) = preview(book.event, ruling, NOW).repairs
    assert proposal.stage is Stage.SEMIFINALS and proposal.seated is not None
    assert all(1 not in group.entrants for group in proposal.seated.groups)


# --- Rounds built on an old state ---------------------------------------------------------------------------------


def test_the_fold_says_which_later_rounds_were_built_on_the_old_state(book: Book) -> None:
    wrong = next(f.id for f in book.facts if f.payload.get("match_id") == book.match(1, 2).match_id)
    assert outdated(book.facts, book.tournament) == ()
    seen = preview(book.event, undo(book.event, wrong), NOW)
    assert [(r.round_id, r.matches) for r in seen.outdated] == [
        (2, (book.match(1, 2).match_id,)),
        (3, (book.match(1, 2).match_id,)),
    ]
    assert [r.pairs for r in seen.after.tournament.rounds] == [r.pairs for r in book.tournament.rounds]


def test_q10_the_result_of_an_extended_match_makes_the_next_round_old(book: Book) -> None:
    late = book.match(1, 4).match_id
    book.add(MatchExtended(late, NOW))
    book.wins(2, 3)
    book.round((1, 2), (3, 4))
    book.wins(4, 1)
    assert [(r.round_id, r.matches) for r in outdated(book.facts, book.tournament)] == [(4, (late,))]


def test_q44d_a_round_without_somebody_whose_mark_is_lifted_is_old(book: Book) -> None:
    mark = book.mark(4)
    book.wins(2, 3)
    book.round((1, 2), bye=3)
    assert outdated(book.facts, book.tournament) == ()
    book.revert(mark)
    (old,) = outdated(book.facts, book.tournament)
    assert (old.round_id, old.absent) == (4, (4,))


def test_a_round_without_somebody_who_was_let_back_in_later_is_not_old(book: Book) -> None:
    book.leave(4)
    book.wins(2, 3)
    book.round((1, 2), bye=3)
    book.returns(4)
    assert outdated(book.facts, book.tournament) == ()


# --- Undo ---------------------------------------------------------------------------------------------------------


def test_undo_gives_exactly_the_earlier_state_and_its_undo_gives_it_back(book: Book) -> None:
    was = book.event
    ruled = made(was, marked(1), "ruling")
    undone = made(ruled, undo(ruled, ruled.facts[-1].id), "undo")
    assert undone.qualification() == was.qualification()
    assert dict(undone.tournament.results) == dict(was.tournament.results)
    again = made(undone, undo(undone, undone.facts[-1].id), "undo of undo")
    assert again.qualification() == ruled.qualification()


def test_undo_takes_back_everything_that_the_command_recorded(book: Book) -> None:
    both = Ruling("disqualified", tuple(draft for e in (1, 2) for draft in marked(e).drafts))
    ruled = made(book.event, both, "both")
    taken_back = undo(ruled, ruled.facts[-1].id)
    assert [draft.reverts_id for draft in taken_back.drafts] == [ruled.facts[-1].id, ruled.facts[-2].id]
    assert not made(ruled, taken_back, "undo").tournament.left


def test_undo_refuses_what_is_published_unknown_or_undone_already(book: Book) -> None:
    published = next(f.id for f in book.facts if f.kind == "round_published")
    with pytest.raises(Conflict, match="published_stays"):
        undo(book.event, published)
    with pytest.raises(NotFound, match="fact"):
        undo(book.event, 999)
    mark = book.mark(1)
    book.revert(mark)
    with pytest.raises(Conflict, match="already_undone"):
        undo(book.event, mark)


@given(st.data())
def test_a_reverted_fact_leaves_exactly_the_earlier_standings(data: st.DataObject) -> None:
    book = Book(6)
    for pairs in (((1, 2), (3, 4), (5, 6)), ((1, 3), (2, 5), (4, 6))):
        book.finish(book.round(*pairs))
    choices = (
        lambda e: book.leave(e),
        lambda e: book.mark(e),
        lambda e: book.add(SeedCorrected(e, 1 + e % 6)),
        lambda e: book.add(MatchRuled(1 + e % 6, 1, 1, (e,), forfeit="no_show")),
    )
    for _ in range(data.draw(st.integers(0, 3))):
        data.draw(st.sampled_from(choices))(data.draw(st.integers(1, 6)))
    was = book.event
    last = data.draw(st.sampled_from(choices))(data.draw(st.integers(1, 6)))
    book.revert(last)
    assert book.event.qualification() == was.qualification()
    assert book.event.tournament.forfeits == was.tournament.forfeits


# --- Recusal ------------------------------------------------------------------------------------------------------


def test_q54_a_director_does_not_rule_on_the_own_match_opponent_or_pool(book: Book) -> None:
    about = subjects(book.event, marked(4))
    assert about == {4}
    assert recused(book.event, 4, about) == "own_affair"
    assert recused(book.event, 1, about) == "opponent"  # of this week
    assert recused(book.event, 2, about) is None
    pools = before(Stage.CANDIDATES).candidates(1)
    mate, other = pools.tournament.seated[Stage.CANDIDATES]
    assert recused(pools.event, mate.entrants[0], {mate.entrants[1]}) == "pool_mate"
    assert recused(pools.event, other.entrants[0], {mate.entrants[1]}) is None


def test_q54_an_undo_is_about_whom_the_undone_fact_was_about(book: Book) -> None:
    mark = book.mark(4)
    first = book.revert(mark)
    assert subjects(book.event, undo(book.event, first)) == {4}

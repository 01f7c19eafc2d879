"""Accounts one after the other (Q55), and the two rulings about a player, as pure decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.account_rulings import change_account
from engine.accounts import Held, as_now, held, holder_of
from engine.championship import championship
from engine.errors import AcwcError
from engine.exit_rulings import disqualify
from engine.facts import AccountChanged, EntrantLeft, Exit
from engine.model import Entrant
from engine.rulings import preview, subjects, undo
from engine.tournament import AccountTaken
from tests.engine.ledger_book import RULES_2023, START, A, B, Ledger

HOUR = timedelta(hours=1)
ANNA = Entrant(id=A, edition_id=1, person_id=A, lichess_id="anna", name="anna", seed=1)
BOB = Entrant(id=B, edition_id=1, person_id=B, lichess_id="bob", name="bob", seed=2)
NEW = AccountTaken("anna2", "Anna2", START)


def event(ledger: Ledger | None = None):
    return championship("2023", RULES_2023, (ANNA, BOB), ledger.facts if ledger else ())


def changed(name: str = "Anna2") -> Ledger:
    ledger = Ledger()
    ledger.add(AccountChanged(A, name.lower(), name))
    return ledger


def test_q55_the_periods_touch_and_do_not_overlap() -> None:
    old, new = held(ANNA, (NEW,))
    assert (old, new) == (Held("anna", "anna", None, START), Held("anna2", "Anna2", START, None))
    assert old.counts_at(START - HOUR / 3600) and not old.counts_at(START)
    assert new.counts_at(START) and not new.counts_at(START - HOUR / 3600)


def test_q55_a_window_meets_the_accounts_that_it_shares_a_moment_with() -> None:
    old, new = held(ANNA, (NEW,))
    assert (old.meets(START - HOUR, START), new.meets(START - HOUR, START)) == (True, False)
    assert (old.meets(START, START + HOUR), new.meets(START, START + HOUR)) == (False, True)
    assert old.meets(START - HOUR, START + HOUR) and new.meets(START - HOUR, START + HOUR)


def test_q55_another_name_is_no_other_account() -> None:
    renamed = AccountTaken("anna", "ANNA", START)
    assert held(ANNA, (renamed,)) == (Held("anna", "ANNA", None, None),)
    assert as_now(ANNA, (renamed,)) == replace(ANNA, name="ANNA")


def test_q55_there_and_back_again_are_three_periods() -> None:
    back = AccountTaken("anna", "anna", START + HOUR)
    assert [one.lichess_id for one in held(ANNA, (NEW, back))] == ["anna", "anna2", "anna"]
    assert as_now(ANNA, (NEW, back)) == ANNA


def test_q55_r2_6_an_account_once_held_is_held() -> None:
    assert holder_of("anna", (ANNA, BOB), {A: (NEW,)}) == ANNA
    assert holder_of("anna2", (ANNA, BOB), {A: (NEW,)}) == ANNA
    assert holder_of("carl", (ANNA, BOB), {A: (NEW,)}) is None


def test_q55_a_change_changes_nothing_but_the_account_and_is_undone_by_one_revert() -> None:
    ruling = change_account(event(), A, "anna2", "Anna2", waived=False)
    seen = preview(event(), ruling, START)
    assert seen.renamed == (A,) and not seen.changes_nothing
    assert not (seen.matches or seen.lines or seen.out or seen.back) and seen.after.seeds == seen.before.seeds
    assert subjects(event(), ruling) == {A}
    after = event(changed())
    assert after.name_of(A) == "Anna2"
    assert preview(after, undo(after, 1), START + HOUR).after.name_of(A) == "anna"


@pytest.mark.parametrize(
    ("entrant", "account", "code"),
    [
        (A, "anna2", "same_account"),
        (A, "bob", "account_of_another"),
        (B, "anna", "account_of_another"),
        (9, "x", "entrant"),
    ],
)
def test_q55_what_stands_against_a_change(entrant: int, account: str, code: str) -> None:
    with pytest.raises(AcwcError) as refused:
        change_account(event(changed()), entrant, account, account, waived=False)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("ground", "clause"), [("engine", "R7.3"), ("booster", "R7.3"), ("guilty", "R7.2"), ("conduct", "R1.4")]
)
def test_r7_3_a_disqualification_is_one_fact_with_its_clause(ground: str, clause: str) -> None:
    (draft,) = disqualify(event(), A, ground).drafts
    assert (draft.event, draft.clause) == (EntrantLeft(A, Exit.DISQUALIFIED, ground), clause)


def test_r7_3_what_stands_against_a_disqualification() -> None:
    ledger = Ledger()
    ledger.add(EntrantLeft(A, Exit.WITHDRAWN))
    for entrant, ground, code in (
        (A, "engine", "already_out"),
        (B, "hair", "unknown_ground"),
        (9, "engine", "entrant"),
    ):
        with pytest.raises(AcwcError) as refused:
            disqualify(event(ledger), entrant, ground)
        assert refused.value.code == code
    with pytest.raises(AcwcError):
        change_account(event(ledger), A, "anna2", "anna2", waived=True)

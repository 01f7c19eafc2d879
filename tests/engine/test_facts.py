"""How facts are written and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import facts
from engine.facts import Event, Exit, Group, Pair, decode, encode, kind_of
from engine.model import Authority, Fact, Stage
from tests.engine.ledger_book import START

KINDS: tuple[type[Event], ...] = get_args(Event)

ids = st.integers(1, 99)
moments = st.integers(0, 10**12).map(lambda microseconds: START + timedelta(microseconds=microseconds))
games = st.lists(st.builds(facts.CountedGame, st.text("abc", min_size=1, max_size=3), st.integers(0, 2)), max_size=3)
names = st.text("abc", max_size=3)

# What a field of that name can hold.
VALUES: Mapping[str, st.SearchStrategy[object]] = {
    "stage": st.sampled_from(Stage),
    "exit": st.sampled_from(Exit),
    "decision": st.sampled_from(facts.GameDecision),
    "ground": st.none() | names,
    "until": moments,
    "offers_by": st.none() | moments,
    "at": moments,
    "at_fault": st.lists(ids, max_size=2).map(tuple),
    "entrants": st.lists(ids, max_size=2).map(tuple),
    "pairs": st.lists(st.builds(Pair, ids, ids, ids, names), max_size=3).map(tuple),
    "groups": st.lists(st.builds(Group, names, st.lists(ids, max_size=3).map(tuple)), max_size=2).map(tuple),
    "games": games.map(tuple),
    "tiebreak_games": games.map(tuple),
    "armageddon": st.none() | st.builds(facts.CountedGame, names, st.sampled_from([0, 2])),
    "extra": st.lists(names, max_size=2).map(tuple),
    "forfeited_by": st.lists(ids, max_size=2).map(tuple),
    "forfeit": st.none() | names,
    "bids": st.tuples(ids, ids),
    "throws": st.lists(st.tuples(st.none() | names, st.none() | names), max_size=2).map(tuple),
    "played": st.booleans(),
    "bye": st.none() | ids,
}


def events(kind: type[Event]) -> st.SearchStrategy[Event]:
    return st.builds(kind, **{field.name: VALUES.get(field.name, ids) for field in fields(kind)})


def stored(event: Event) -> Fact:
    """As it comes back from the database: through JSON."""
    return Fact(
        id=1,
        edition_id=1,
        kind=kind_of(event),
        payload=json.loads(json.dumps(encode(event))),
        authority=Authority.TD,
        occurred_at=START,
        recorded_at=START,
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(data=st.data())
def test_every_kind_of_fact_reads_back_as_it_was_written(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(events(kind))
    fact = stored(event)
    assert decode(fact) == event
    assert json.loads(json.dumps(encode(decode(fact)))) == fact.payload

"""A shipped text, damaged at random: refused as a ruleset error or taken, never anything else, and never taken with a
contradiction that an independent reading of the same TOML finds."""

from __future__ import annotations

import tomllib
from datetime import date, datetime
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.rules import RulesetError, load, shipped, shipped_text
from tests.rules.ruleset_text import TEXT, lines, with_line, with_value

# Values of every type, sensible for some key or for none.
ODD_VALUES = [
    "true", "false", "0", "-1", "1", "2", "3", "7", "12", "13", "99999999999999999999", "0.5", "0.25", "-0.0",
    "nan", "inf", "1e308", '""', '" "', '"draw"', '"armageddon"', '"pairs_until_decided"', '"all_games"', '"decided"',
    '"seed"', '"direct"', '"double_elimination"', '"upper 1"', '"upper 0"', '"<somebody>"', '"60 min"', '"0 min"',
    '"99999 d"', '"monday 23:59"', '"friday 24:00"', "2023-03-19", "2022-02-28", "2099-12-31", "0001-01-01",
    "12:00:00", "12:00:01", "2023-03-19T12:00:00Z", "[]", "[[]]", "[1]", "[1, 1]", "[12, 9, 7, 6, 4, 1]",
    "[12, 12, 7, 6, 4, 1]", "[12, 9, 7, 6, 4]", "[0, 0.5]", '["seed"]', '["seed", "seed"]', '["cumulative", "seed"]',
    '["Ann", "ann"]', '[["upper 1", "lower 2"], ["lower 1", "upper 2"]]', '[["upper 1", "upper 1"]]', "{}", "{ a = 1 }",
]  # fmt: skip


def dropped(text: str, number: int, other: int, value: str) -> str:
    return with_line(text, number, "")


def doubled(text: str, number: int, other: int, value: str) -> str:
    line = text.splitlines()[number]
    return with_line(text, number, f"{line}\n{line}")


def revalued(text: str, number: int, other: int, value: str) -> str:
    name, equals, _ = text.splitlines()[number].partition(" = ")
    return with_line(text, number, f"{name} = {value}") if equals else text


def swapped(text: str, number: int, other: int, value: str) -> str:
    """The values of two keys change places, also those of two dates or two lists of places."""
    (one, equals, first), (two, equal, second) = (text.splitlines()[n].partition(" = ") for n in (number, other))
    if not equals or not equal:
        return text
    return with_line(with_line(text, number, f"{one} = {second}"), other, f"{two} = {first}")


def misspelt(text: str, number: int, other: int, value: str) -> str:
    return with_line(text, number, "x" + text.splitlines()[number])


def cut(text: str, number: int, other: int, value: str) -> str:
    return "\n".join(text.splitlines()[:number])


MUTATIONS = [dropped, doubled, revalued, revalued, swapped, swapped, misspelt, cut]
NUMBERS = st.integers(0, 10_000)
STEPS = st.tuples(st.sampled_from(MUTATIONS), NUMBERS, NUMBERS, st.sampled_from(ODD_VALUES))


@st.composite
def damaged(draw: st.DrawFn) -> str:
    text = shipped_text(draw(st.sampled_from(shipped())))
    for mutate, number, other, value in draw(st.lists(STEPS, min_size=1, max_size=3)):
        length = len(text.splitlines())
        text = mutate(text, number % length, other % length, value) or "x"
    return text


def contradictions(raw: dict[str, Any]) -> list[str]:
    """What a text must not say, by the plain words of the rules and not by the loader."""
    found: list[str] = []

    def refuse(when: bool, what: str) -> None:
        if when:
            found.append(what)

    entry, swiss, candidates, matches = (raw[name] for name in ("entry", "swiss", "candidates", "matches"))
    days = [entry[k] for k in ("account_created_before", "min_games_before", "engine_mark_after", "boost_mark_after")]
    days += [rule["since"] for rule in entry["cheat_games"]] + [raw["registration"]["closes"]]
    refuse(any(isinstance(day, datetime) or not isinstance(day, date) for day in days), "a day is no day")
    refuse(any(day > raw["starts"] for day in days), "a cut-off after the first pairings")
    peak = [raw["seeding"][key] for key in ("peak_from", "peak_until") if key in raw["seeding"]]
    refuse(len(peak) != (2 if raw["seeding"]["method"] == "average_with_peak" else 0), "a peak and its method")
    refuse(len(peak) == 2 and peak[0] >= peak[1], "a peak of no time")
    refuse(not swiss["points_win"] > swiss["points_draw"] >= swiss["points_loss"], "points upside down")
    refuse(swiss["bye_points"] > swiss["points_win"], "a bye worth more than a win")
    refuse(swiss["tiebreaks"].index("seed") != len(swiss["tiebreaks"]) - 1, "something after the seed")
    for seating in candidates["seating"]:
        places = sorted(chain.from_iterable(pool["places"] for pool in seating["pools"]))
        refuse(places != list(range(1, seating["qualifiers"] + 1)), "a place twice or nowhere")
        direct = sorted(chain.from_iterable(pool["direct"] for pool in seating["pools"]))
        refuse(direct != list(range(1, seating["direct"] + 1)), "a direct entrant twice or nowhere")
        most = seating["qualifiers"] + 1
        refuse(most.bit_length() - 1 + swiss["rounds_plus"] > most, "more rounds than opponents")
    numbers = sorted(seating["direct"] for seating in candidates["seating"])
    refuse(numbers != list(range(len(candidates["direct"]) + 1)), "a seating twice or missing")
    seats = list(chain.from_iterable(raw["knockout"]["semifinals"]))
    refuse(len(seats) != 4 or len(set(seats)) != 4, "not four seats")
    for name, match in matches.items():
        knockout = name in ("semifinals", "third_place", "grand_final")
        refuse((match["tied"] == "draw") is knockout, "a draw where one has to win, or the other way round")
        refuse(match["extra_games"] > 0 and match["tied"] != "armageddon", "tiebreak games that are never played")
        refuse(match["games"] % 2 == 1, "an odd number of games")
    refuse(
        matches["candidates"]["stop"] != "all_games" and "mutual_game" in candidates["tiebreaks"], "games not played"
    )
    bids = raw["armageddon"]
    refuse(not bids["bid_least"] <= bids["no_bid"] <= bids["bid_most"] <= bids["black_clock"], "bids out of order")
    return found


@settings(max_examples=400)
@given(damaged())
@example("")
@example("\ufeff")
@example("name = 1\n" * 3)
def test_a_damaged_text_is_refused_with_reasons_or_holds_no_known_contradiction(text: str) -> None:
    try:
        load(text, "cup.toml")
    except RulesetError as refusal:
        assert refusal.faults and all(fault.reason for fault in refusal.faults)
        assert all(line.startswith("cup.toml: ") for line in str(refusal).splitlines())
    else:
        assert contradictions(tomllib.loads(text)) == []


@settings(max_examples=50)
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_any_text_at_all_is_refused(text: str) -> None:
    with pytest.raises(RulesetError):
        load(text)


SURE = [
    ("candidates.seating.pools.places", "[12, 9, 7, 6, 4, 4]"),
    ("candidates.seating.pools.places", "[12, 9, 7, 6, 4]"),
    ("registration.closes", "2099-01-01"),
    ("entry.min_games_before", "2099-01-01"),
    ("swiss.points_draw", "1"),
    ("swiss.rounds_plus", "19"),
    ("matches.qualification.tied", '"armageddon"'),
    ("matches.semifinals.tied", '"draw"'),
    ("armageddon.no_bid", "9999"),
    ("week.publish", '"saturday 12:00"'),
    ("offers.count", "20"),
]
HARMLESS = [
    ("title", '"Another title"'), ("entry.min_games", "5"), ("entry.bots", "true"), ("offers.answer_within", '"12 h"'),
    ("candidates.last_finals", '["Ann", "Bob"]'), ("evening.grace", '"15 min"'), ("reporting.by", '["bot"]'),
    ("swiss.rounds_log2", '"ceil"'), ("leaving.keeps_place", "[]"), ("armageddon.increment", "1"),
]  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(SURE), st.lists(st.sampled_from(HARMLESS), max_size=4))
def test_a_known_contradiction_is_refused_whatever_else_is_changed(wrong: Any, beside: Any) -> None:
    text = TEXT
    for key, value in beside:
        text = with_value(text, key, value)
    load(text)
    with pytest.raises(RulesetError) as caught:
        load(with_value(text, *wrong))
    assert wrong[0].split(".")[0] in str(caught.value)


def test_the_independent_reading_finds_what_it_is_for() -> None:
    for name in shipped():
        assert contradictions(tomllib.loads(shipped_text(name))) == []
    found = {key for key, value in SURE if contradictions(tomllib.loads(with_value(TEXT, key, value)))}
    assert {key for key, _ in SURE} - found == {"week.publish", "offers.count"}  # these need the calendar
    assert len(list(lines(TEXT))) > 100

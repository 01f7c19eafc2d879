"""Whole simulated editions against the second program, and what must hold of any edition by R3 and R4."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from acwc_bot.simulation import Accidents, simulate
from acwc_bot.simulation.report import as_json
from engine.model import Stage
from engine.rules import load, shipped_text
from tests.season import edition_oracle
from tests.season.edition_oracle import Edition, differences

USUAL = Accidents()
STORMY = replace(
    USUAL,
    matches={stage: {fate: 3 * rate for fate, rate in rates.items()} for stage, rates in USUAL.matches.items()},
    leaving={Stage.QUALIFICATION: 0.02, Stage.CANDIDATES: 0.04, Stage.SEMIFINALS: 0.3, Stage.FINALS: 0.3},
    between=0.1,
    undone=1.0,
    declined=0.1,
    declined_later=0.4,
    keep=8,
)
RUNS = [
    (USUAL, 12, 1),
    (USUAL, 17, 5),
    (USUAL, 32, 7),
    (STORMY, 13, 55),
    (STORMY, 13, 10),
    (STORMY, 12, 63),
    (STORMY, 14, 11),
    (STORMY, 12, 36),
    (STORMY, 13, 75),
]
Raw = Mapping[str, Any]


def told(accidents: Accidents, players: int, seed: int) -> Raw:
    rules = load(shipped_text("2023"), name="2023")
    return json.loads(json.dumps(as_json(simulate(rules, players, random.Random(seed), accidents), seed=seed)))


@cache
def runs() -> Sequence[tuple[Raw, Edition]]:
    editions = [told(*given) for given in RUNS]
    return [(edition, Edition(edition)) for edition in editions]


def test_r3_r8_a_second_program_comes_to_the_same_tables_seats_results_and_places() -> None:
    assert [differences(edition, own) for edition, own in runs()] == [[] for _ in RUNS]


def test_what_is_rare_was_in_the_sample() -> None:
    seen = sum((own.seen for _, own in runs()), Counter[str]())
    wanted = {"adjudicated", "disregarded", "tiebreak games", "armageddon", "without play", "left in a knock-out match"}
    wanted |= {"repaired semifinals", "repaired finals", "empty seat", "short pools"}
    wanted |= {f"declined {stage}" for stage in ("candidates", "semifinals", "finals")}
    assert wanted <= (+seen).keys(), wanted - (+seen).keys()


# --- What must hold by R3 and R4 --------------------------------------------------------------------------------


def matches(edition: Raw, stage: str) -> Iterator[Raw]:
    return (match for published in edition["rounds"] if published["stage"] == stage for match in published["matches"])


def happened(edition: Raw, kind: str) -> Iterator[frozenset[str]]:
    return (frozenset(event["players"]) for event in edition["events"] if event["kind"] == kind)


def met(edition: Raw, stage: str) -> Counter[frozenset[str]]:
    return Counter(frozenset((match["a"], match["b"])) for match in matches(edition, stage))


def test_r3_7_nobody_meets_twice_or_has_two_byes_in_the_qualification() -> None:
    for edition, _ in runs():
        again = {pair for pair, times in met(edition, "qualification").items() if times > 1}
        assert again <= set(happened(edition, "rematch"))
        byes = Counter(published["bye"] for published in edition["rounds"] if published["bye"] is not None)
        assert {frozenset((who,)) for who, times in byes.items() if times > 1} <= set(happened(edition, "second_bye"))


def test_r3_4_r4_the_rounds_come_when_the_timeline_says() -> None:
    for edition, _ in runs():
        first = edition["rounds"][0]
        entrants = 2 * len(first["matches"]) + (first["bye"] is not None)
        swiss = entrants.bit_length() - 1 + 2
        tuesday = datetime(2023, 3, 28, 12, tzinfo=UTC)
        weeks = {("qualification", number): number - 2 for number in range(2, swiss + 1)}
        weeks |= {("candidates", number): swiss - 1 + number for number in range(1, 6)}
        weeks |= {("semifinals", 1): swiss + 6, ("finals", 1): swiss + 7}
        due = {key: tuesday + timedelta(weeks=week) for key, week in weeks.items()}
        due["qualification", 1] = datetime(2023, 3, 19, 12, tzinfo=UTC)
        facts = [fact for fact in edition["ledger"] if fact["kind"] == "round_published" and fact["replaces"] is None]
        given = {(f["payload"]["stage"], f["payload"]["number"]): datetime.fromisoformat(f["at"]) for f in facts}
        assert given.items() <= due.items() and len(given) == len(facts)
        assert {key for key in due if key[0] != "candidates"} <= given.keys()


def test_r3_9_in_a_pool_everybody_ranked_met_everybody_once() -> None:
    for edition, _ in runs():
        pairs = met(edition, "candidates")
        for rows in edition["tables"]["pools"].values():
            ranked = [row["name"] for row in rows if row["rank"] is not None]
            assert {pairs[frozenset(both)] for both in combinations(ranked, 2)} <= {1}
        assert max(pairs.values()) == 1


def ends_in_time(games: Sequence[Raw], length: int, *, at_once: bool = True) -> bool:
    """Over as soon as somebody has more than half, or after all games; `at_once`: not played on."""
    better = [max(a, n - a) for n in range(len(games) + 1) for a in [sum(game["a"] for game in games[:n]) / 2]]
    over = [n for n, points in enumerate(better) if points > length / 2 or n == length]
    return bool(over) and len(games) <= length and (not at_once or over[0] == len(games))


def test_r3_3_r3_10_r3_13_r3_15_scores_are_possible() -> None:
    seen = Counter[str]()
    for edition, own in runs():
        without_time = set(happened(edition, "decider"))
        for payload in (fact["payload"] for fact in edition["ledger"] if fact["kind"] == "match_played"):
            match, games, more = own.matches[payload["match_id"]], payload["games"], payload["tiebreak_games"]
            seen[match.stage] += 1
            if match.stage == "qualification":
                assert ends_in_time(games, 10)
            elif match.stage == "candidates":
                assert len(games) == 10
            elif not games:
                assert frozenset((own.names[match.a], own.names[match.b])) in without_time and payload["armageddon"]
            else:
                assert ends_in_time(games, 12 if match.stage == "finals" else 10, at_once=False)
                is_tied = 2 * match.games[match.a] == len(games)
                extra = {"grand_final": 4, "third_place": 2}.get(match.group, 0) if is_tied else 0
                assert ends_in_time(more, extra, at_once=False)
                still_tied = is_tied and sum(game["a"] for game in more) == len(more)
                assert (payload["armageddon"] is not None) == still_tied
    assert set(seen) == set(Stage)


BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def test_r3_16_the_lower_bid_has_white() -> None:
    found = [
        match["result"]["armageddon"]
        for edition, _ in runs()
        for stage in ("semifinals", "finals")
        for match in matches(edition, stage)
        if match["result"] is not None and match["result"]["armageddon"] is not None
    ]
    for game in found:
        (a, b), throws = game["bids"], game["throws"]
        assert {a, b} <= set(range(1, 181)) and (not throws) == (a != b)
        if a != b:
            assert game["white"] == ("a" if a < b else "b")
            continue
        *drawn, (last_a, last_b) = throws
        assert all(one == other for one, other in drawn) and ((last_a, last_b) in BEATS) == (game["white"] == "a")
        assert last_a != last_b
    assert {bool(game["throws"]) for game in found} == {True, False}


# --- The oracle itself ------------------------------------------------------------------------------------------


def changed(edition: Raw, kind: str, change: Callable[[dict[str, Any]], None]) -> Raw:
    """The JSON with the last fact of a kind changed, and everything that the engine derived as it was."""
    other = json.loads(json.dumps(edition))
    change(next(fact["payload"] for fact in reversed(other["ledger"]) if fact["kind"] == kind))
    return other


def reverse_result(payload: dict[str, Any]) -> None:
    for game in (*payload["games"], *payload["tiebreak_games"]):
        game["a"] = 2 - game["a"]


def swap_seats(payload: dict[str, Any]) -> None:
    first, second = payload["groups"]
    first["entrants"][0], second["entrants"][0] = second["entrants"][0], first["entrants"][0]


def leaves_by_ruling(payload: dict[str, Any]) -> None:
    payload["exit"], payload["ground"] = "disqualified", "engine"


@pytest.mark.parametrize(
    ("kind", "change"),
    [("match_played", reverse_result), ("stage_seated", swap_seats), ("entrant_left", leaves_by_ruling)],
)
def test_the_oracle_sees_a_ledger_that_says_something_else(kind: str, change: Callable[[dict[str, Any]], None]) -> None:
    found = [differences(other, Edition(other)) for other in (changed(edition, kind, change) for edition, _ in runs())]
    assert any(found)


@pytest.mark.parametrize("key", ["points", "rank"])
def test_the_oracle_sees_a_wrong_line_of_a_table(key: str) -> None:
    edition, own = runs()[0]
    for number in range(len(edition["tables"]["qualification"])):
        other = json.loads(json.dumps(edition))
        other["tables"]["qualification"][number][key] = 0.25
        assert len(differences(other, own)) == 1


def test_the_oracle_is_a_program_of_its_own() -> None:
    source = Path(edition_oracle.__file__).read_text(encoding="utf-8")
    imported = {n.module for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)}
    assert imported <= {"__future__", "collections", "collections.abc", "dataclasses", "typing", "tests.season.oracle"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(ast.parse(source)))

"""The simulated editions: what must hold of any, and that facts alone carry them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from io import StringIO
from itertools import combinations, pairwise

import pytest
from rich.console import Console

from acwc_bot.simulation import Accidents, CannotSimulate, Season, simulate
from acwc_bot.simulation.report import as_json, champion, open_question, places
from acwc_bot.simulation.tables import WIDTH, tables
from acwc_bot.simulation.words import WORDS
from engine.chain import chain
from engine.championship import championship
from engine.facts import EntrantLeft, Event, MatchRuled, Reverted, encode, kind_of
from engine.ledger import fold
from engine.model import Authority, Fact, Stage
from engine.points import WIN
from engine.reading import leaving_rules
from engine.rules import Ruleset, load, shipped_text
from engine.seating import GRAND_FINAL, pair_of
from engine.tournament import ResultKind

RUNS = [(12, 1), (13, 3), (31, 5), (32, 6)]
STORMY = replace(
    Accidents(),
    matches={stage: {fate: 4 * rate for fate, rate in rates.items()} for stage, rates in Accidents().matches.items()},
    leaving={stage: 3 * rate for stage, rate in Accidents().leaving.items()},
    between=0.06,
    undone=1.0,
)
CALM = Accidents(
    matches={stage: {} for stage in Stage},
    leaving=dict.fromkeys(Stage, 0.0),
    between=0.0,
    marked=0.0,
    late=0.0,
    declined=0.0,
)


@cache
def rules(key: str = "2023") -> Ruleset:
    return load(shipped_text(key), name=key)


@cache
def run(players: int, seed: int, key: str = "2023") -> Season:
    return simulate(rules(key), players, random.Random(seed))


@cache
def stormy(players: int, seed: int) -> Season:
    return simulate(rules(), players, random.Random(seed), STORMY)


# --- What holds of any edition ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "seed"), [*RUNS, (12, 2), (64, 7)])
def test_every_edition_has_a_champion_who_won_the_grand_final(players: int, seed: int) -> None:
    season = run(players, seed)
    event = season.event
    assert open_question(season) is None
    won = champion(season)
    assert won is not None and event.tournament.is_in(won)
    final = pair_of(event, Stage.FINALS, GRAND_FINAL)
    if final is not None:
        result = event.tournament.results[final.match_id]
        assert won == (final.a_id if result.a == WIN else final.b_id)
    assert sorted(line.entrant_id for line in places(season)) == sorted(event.entrants)


@pytest.mark.parametrize(("players", "seed"), RUNS)
def test_r3_7_in_the_qualification_nobody_meets_twice_and_nobody_has_two_byes(players: int, seed: int) -> None:
    season = run(players, seed)
    rounds = season.event.tournament.stage_rounds(Stage.QUALIFICATION)
    assert len(rounds) == players.bit_length() + 1
    met = Counter(frozenset((pair.a_id, pair.b_id)) for published in rounds for pair in published.pairs)
    assert {both for both, times in met.items() if times > 1} <= season.allowed
    second_byes = {h.entrants[0] for h in season.happenings if h.kind == "second_bye"}
    byes = Counter(published.bye for published in rounds if published.bye is not None)
    assert {entrant for entrant, times in byes.items() if times > 1} <= second_byes


@pytest.mark.parametrize(("players", "seed"), RUNS)
def test_r3_9_in_a_pool_everybody_who_stayed_met_everybody_in_ten_games(players: int, seed: int) -> None:
    tournament = run(players, seed).event.tournament
    played = {
        frozenset((pair.a_id, pair.b_id)): tournament.results[pair.match_id]
        for published in tournament.stage_rounds(Stage.CANDIDATES)
        for pair in published.pairs
    }
    for group in tournament.seated[Stage.CANDIDATES]:
        staying = [e for e in group.entrants if e not in tournament.unranked(Stage.CANDIDATES)]
        for both in combinations(staying, 2):
            result = played[frozenset(both)]
            assert result.kind is not ResultKind.PLAYED or result.game_a + result.game_b == 10 * WIN


@pytest.mark.parametrize(("players", "seed"), RUNS)
def test_a_played_match_gives_one_point_in_all_and_games_are_counted_once(players: int, seed: int) -> None:
    tournament = run(players, seed).event.tournament
    ids: list[str] = []
    for result in tournament.results.values():
        ids += [game.game_id for game in (*result.games, *result.tiebreak_games)]
        ids += [result.armageddon.game_id] if result.armageddon else []
        ids += result.extra
        if result.kind is ResultKind.PLAYED:
            assert result.a + result.b == WIN
    assert len(ids) == len(set(ids)) and len(ids) > 5 * players
    assert all(published.closed for published in tournament.rounds)
    assert not tournament.extended


def test_the_accidents_do_happen_and_all_have_words() -> None:
    seasons = [run(*given) for given in RUNS] + [stormy(24, seed) for seed in range(6)]
    kinds = Counter(happening.kind for season in seasons for happening in season.happenings)
    assert kinds.keys() <= WORDS.keys()
    usual = {"withdrawn", "disqualified", "reinstated", "no_show", "left", "conceded", "both_failed", "no_fault"}
    usual |= {"double_forfeit", "extended", "played_late", "late_entry", "declined", "moved_up"}
    assert usual <= kinds.keys(), usual - kinds.keys()
    events = [decoded for season in seasons for decoded in chain(season.event.facts).of(EntrantLeft)]
    grounds = {event.ground for _, event in events}
    assert {"engine", "two_forfeits", None} <= grounds
    stages = {happening.stage for season in seasons for happening in season.happenings if happening.kind == "withdrawn"}
    assert stages == set(Stage)


def test_r8_2_there_is_at_most_one_engine_mark_in_a_qualification() -> None:
    marks = [
        sum(event.ground == "engine" for _, event in chain(run(*given).event.facts).of(EntrantLeft)) for given in RUNS
    ]
    assert max(marks) == 1 and sum(marks) >= 2


# --- Small and large fields -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "least"), [(11, "12"), (0, "12"), (-5, "12"), (513, "512")])
def test_r3_5_too_few_and_too_many_players_are_refused(players: int, least: str) -> None:
    with pytest.raises(CannotSimulate, match=least):
        simulate(rules(), players, random.Random(1))


@pytest.mark.parametrize(("direct", "least", "swiss"), [((1, 2), 12, 10), ((1,), 12, 11), ((2,), 12, 11), ((), 12, 12)])
def test_r3_8_the_edition_of_2022_is_played_with_each_number_of_direct_entrants(
    direct: tuple[int, ...], least: int, swiss: int
) -> None:
    with pytest.raises(CannotSimulate, match=f"at least {least}"):
        simulate(rules("2022"), least - 1, random.Random(1), direct=direct)
    season = simulate(rules("2022"), least, random.Random(5), CALM, direct)
    event = season.event
    assert champion(season) is not None
    first = event.tournament.stage_rounds(Stage.QUALIFICATION)[0]
    assert 2 * len(first.pairs) + (first.bye is not None) == swiss
    assert len(event.direct) == len(direct)
    names = [event.entrants[id].name for id in event.direct]
    assert names == [f"named_{number}" for number in direct]
    seated = [e for group in event.tournament.seated[Stage.CANDIDATES] for e in group.entrants]
    assert len(seated) == 12 and set(event.direct) <= set(seated)


def test_q52c_with_fewer_than_twelve_the_pools_are_short() -> None:
    leaving = replace(STORMY, keep=9, leaving={**STORMY.leaving, Stage.QUALIFICATION: 0.2})
    season = simulate(rules(), 12, random.Random(3), leaving)
    assert "short" in {happening.kind for happening in season.happenings}
    seated = [len(group.entrants) for group in season.event.tournament.seated[Stage.CANDIDATES]]
    assert 8 <= sum(seated) < 12
    assert season.halted is None and places(season)


def test_q52c_with_fewer_than_eight_the_run_ends_and_says_that_the_directors_decide() -> None:
    leaving = replace(STORMY, keep=2, late=0.0, leaving={**STORMY.leaving, Stage.QUALIFICATION: 0.3})
    season = simulate(rules(), 12, random.Random(3), leaving)
    assert season.halted is not None and season.halted.code == "too_few_candidates"
    assert "fewer than 8" in (open_question(season) or "")
    assert champion(season) is None and as_json(season, seed=3)["placing"] == []
    assert list(tables(season))


@pytest.mark.parametrize("seed", range(6))
def test_r8_a_stormy_edition_is_played_to_its_end(seed: int) -> None:
    """Many leave, decline and forfeit: the seats are filled again and again, and the run still ends in order."""
    season = stormy(24, seed)
    assert season.halted is None
    assert sorted(line.entrant_id for line in places(season)) == sorted(season.event.entrants)
    first = [line.first for line in places(season) if line.first is not None]
    assert first == sorted(first)


def test_r3_7_where_the_rounds_are_too_many_a_director_allows_the_fewest_rematches() -> None:
    many = replace(rules(), swiss=replace(rules().swiss, rounds_plus=8))
    leaving = replace(CALM, keep=8, leaving={**CALM.leaving, Stage.QUALIFICATION: 0.03})
    season = simulate(many, 12, random.Random(4), leaving)
    kinds = {happening.kind for happening in season.happenings}
    assert "rematch" in kinds and season.allowed
    met = Counter(
        frozenset((pair.a_id, pair.b_id))
        for published in season.event.tournament.stage_rounds(Stage.QUALIFICATION)
        for pair in published.pairs
    )
    assert {both for both, times in met.items() if times > 1} == season.allowed
    assert champion(season) is not None


# --- The same again ---------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_edition_in_another_process_too() -> None:
    code = (
        "import json, random; from acwc_bot.simulation import simulate; from acwc_bot.simulation.report import as_json;"
        "from engine.rules import load, shipped_text; rules = load(shipped_text('2023'), name='2023');"
        "print(json.dumps(as_json(simulate(rules, 13, random.Random(3)), seed=3)))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    here = json.dumps(as_json(run(13, 3), seed=3))
    assert other.stdout.strip() == here
    assert json.dumps(as_json(simulate(rules(), 13, random.Random(3)), seed=3)) == here
    assert json.dumps(as_json(run(13, 4), seed=3)) != here


# --- The facts --------------------------------------------------------------------------------------------------


def added(facts: tuple[Fact, ...], event: Event, *, reverts: int) -> tuple[Fact, ...]:
    now = facts[-1].recorded_at
    fact = Fact(
        id=facts[-1].id + 1,
        edition_id=1,
        kind=kind_of(event),
        payload=encode(event),
        authority=Authority.TD,
        reverts_id=reverts,
        occurred_at=now,
        recorded_at=now,
    )
    return (*facts, fact)


@pytest.mark.parametrize("season", [run(32, 6), stormy(24, 1), stormy(24, 3)], ids=["quiet", "stormy", "stormier"])
def test_an_exit_or_a_forfeit_reverted_and_the_revert_reverted_changes_nothing(season: Season) -> None:
    event = season.event
    facts, reading = tuple(event.facts), leaving_rules(event.rules)
    exits = [entry.fact for entry, _ in chain(facts).of(EntrantLeft)]
    forfeits = [entry.fact for entry, ruled in chain(facts).of(MatchRuled) if ruled.forfeited_by]
    chosen = random.Random(0).sample(exits, min(5, len(exits))) + random.Random(0).sample(
        forfeits, min(4, len(forfeits))
    )
    assert len(chosen) > 5
    for fact in chosen:
        reverted = added(facts, Reverted(), reverts=fact.id)
        without = championship(event.key, event.rules, event.entrants.values(), reverted)
        assert replace(without.tournament, last_fact_id=0) != replace(event.tournament, last_fact_id=0)
        assert without.qualification() and without.pools()
        again = fold(added(reverted, Reverted(), reverts=reverted[-1].id), leaving=reading)
        assert replace(again, last_fact_id=0) == replace(event.tournament, last_fact_id=0)


def test_the_fold_of_a_part_of_the_ledger_is_the_state_of_that_moment() -> None:
    event = stormy(24, 1).event
    facts, reading = tuple(event.facts), leaving_rules(event.rules)
    assert [fact.id for fact in facts] == list(range(1, len(facts) + 1))
    assert all(one.recorded_at <= next.recorded_at for one, next in pairwise(facts))
    for until in range(5, len(facts), 23):
        then = fold(facts[:until], leaving=reading)
        assert fold(facts, until_fact=until, leaving=reading) == then
        assert fold(tuple(reversed(facts)), until_fact=until, leaving=reading) == then


# --- Shown ------------------------------------------------------------------------------------------------------


def test_the_tables_are_at_most_eighty_columns_wide() -> None:
    for season in (run(13, 3), run(32, 6), stormy(24, 1)):
        written = StringIO()
        console = Console(width=WIDTH, file=written)
        for part in tables(season):
            console.print(part)
        text = written.getvalue()
        assert max(map(len, text.splitlines())) <= WIDTH and "…" not in text
        assert f"Champion: {season.event.entrants[champion(season) or 0].name}" in text

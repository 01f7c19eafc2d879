"""Wrong exits, reversals and seats (R8, Q43-Q52): (clause, what the bot would then do, the change)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.facts import Draft, EntrantLeft, EntrantReturned, Exit, RoundPublished
from engine.points import WIN
from engine.rulings import Ruling, undo
from engine.tiebreaks import Kind, RoundScore
from tests.clauses.change import Change, Swap

# --- Results --------------------------------------------------------------------------------------------------


def unplayed_go_too(adjudicated: Any) -> Any:
    def result(pair: Any, entry: Any, marked: Any, rules: Any) -> Any:
        as_played = replace(entry, result=replace(entry.result, played=True))
        return adjudicated(pair, as_played, marked, rules)

    return result


def only_what_is_open(disregarded: Any) -> Any:
    return lambda pair, entry, exits: entry or disregarded(pair, entry, exits)


def every_disqualification(self: Any, rules: Any) -> bool:
    return self.event.exit is Exit.DISQUALIFIED


def whenever_it_comes(marked: Any) -> Any:
    def known(scene: Any) -> Any:
        return [(e, left) for e, own in scene.exits.items() for left in own if left.reaches_back(scene.rules)]

    return known


def disqualified_like_withdrawn(has_to_play: Any) -> Any:
    def asked(entrant: int, pool: Any, left: Any, scene: Any) -> Any:
        return has_to_play(entrant, pool, replace(left, event=replace(left.event, exit=Exit.WITHDRAWN)), scene)

    return asked


def stands_without_forfeits(exits: Any) -> Any:
    return lambda standing, forfeits, rules: exits(standing, forfeits, replace(rules, to_disqualify=0))


def bye_goes_with_the_player(rounds: Any) -> Any:
    def without(standing: Any) -> Any:
        gone = {event.entrant_id for _, event in standing.of(EntrantLeft)}
        return [(turn, replace(r, bye=None) if r.bye in gone else r) for turn, r in rounds(standing)]

    return without


def first_publication_stands(rounds: Any) -> Any:
    def published(standing: Any) -> Any:
        seen: set[int] = set()
        entries: list[Any] = []
        for entry in standing.entries:
            round_id = entry.event.round_id if isinstance(entry.event, RoundPublished) else 0
            if round_id not in seen:
                entries.append(entry)
            seen |= {round_id} - {0}
        return rounds(replace(standing, entries=tuple(entries)))

    return published


def question_of_any_time(asked: Any) -> Any:
    return property(lambda self: "asked")


def always_taken_back(reinstate: Any) -> Any:
    return lambda event, entrant_id: undo(event, event.tournament.left[entrant_id].fact_id)


def never_taken_back(reinstate: Any) -> Any:
    return lambda event, entrant_id: Ruling("reinstate", (Draft(EntrantReturned(entrant_id), "Q29"),))


# --- Coming back, coming late ---------------------------------------------------------------------------------


def missed_round_is_a_bye(rows: Any) -> Any:
    def scores(tournament: Any, rounds: Any, entrants: Any, worth: Any) -> Any:
        bye = RoundScore(worth.bye, Kind.BYE, WIN)
        found = rows(tournament, rounds, entrants, worth)
        return {e: tuple(bye if s.kind is Kind.ABSENT else s for s in row) for e, row in found.items()}

    return scores


def nobody_was_absent(outdated: Any) -> Any:
    return lambda *asked: tuple(found for old in outdated(*asked) if (found := replace(old, absent=())).matches)


def seeds_change_places(seeds_after: Any) -> Any:
    def seeds(entrants: Any, moves: Any) -> dict[int, int]:
        found = {entrant.id: entrant.seed for entrant in entrants}
        for moved, to in moves:
            holder = next((e for e, seed in found.items() if seed == to), moved)
            found[holder], found[moved] = found[moved], found[holder]
        return found

    return seeds


# --- Seats ----------------------------------------------------------------------------------------------------


def who_declined_too(qualified: Any) -> Any:
    return lambda event: tuple(line for line in event.qualification() if line.rank is not None)


def other_pool_first(pools_from: Any) -> Any:
    def below(self: Any, own: Any) -> list[int]:
        names = sorted(self._order, key=lambda name: name == own)
        return [entrant for name in names for entrant in self._order[name]]

    return below


def only_the_first_half_of_the_pool_map(pool: Any) -> Any:
    return lambda seats, through, direct: pool(replace(seats, places=seats.places[:4]), through, direct)


EXITS = "engine.exits"
SEATING = "engine.seating"
REINSTATE = "engine.exit_rulings:reinstate"

DEPARTURES: list[tuple[str, str, Change]] = [
    ("R8.1", "the open match stays open", Swap(f"{EXITS}:_walkover", lambda _: lambda pair, scene, stage: None)),
    (
        "R8.1",
        "a question from before a round still counts",
        Swap("engine.usecases.withdrawals:WithdrawalView.asked", question_of_any_time),
    ),
    ("R8.1", "who comes back at once has lost the match", Swap(REINSTATE, never_taken_back)),
    ("Q29", "who comes back late has the results back", Swap(REINSTATE, always_taken_back)),
    ("Q44d", "who is let in again has the results lost", Swap(REINSTATE, never_taken_back)),
    ("Q44e", "who is let in again is out with the next pairings", Swap(REINSTATE, never_taken_back)),
    (
        "R8.2",
        "a marked player keeps the points",
        Swap(f"{EXITS}:_adjudicated", lambda _: lambda pair, entry, marked, rules: entry.result),
    ),
    ("R8.3", "the matches of a leaver count", Swap(f"{EXITS}:disregarded_of", lambda _: lambda scene: {})),
    ("R8.3", "the played matches of a leaver count", Swap(f"{EXITS}:_disregarded", only_what_is_open)),
    ("R8.4", "who left keeps the seat", Swap(f"{SEATING}:may_sit", lambda _: lambda event, stage, entrant: True)),
    ("R8.5", "who left keeps the seat", Swap(f"{SEATING}:_Filling._keep", lambda _: lambda self, entrant: entrant)),
    ("R8.5", "the other pool moves up", Swap(f"{SEATING}:_Filling._pools_from", other_pool_first)),
    ("Q43", "the bye goes with its holder", Swap("engine.ledger:_rounds", bye_goes_with_the_player)),
    ("Q43", "a repaired round stays as it was", Swap("engine.ledger:_rounds", first_publication_stands)),
    ("Q44", "the second loses too", Swap(f"{EXITS}:_one_ruling", lambda _: lambda one, other: True)),
    ("Q44", "one of two out by one ruling wins", Swap(f"{EXITS}:_one_ruling", lambda _: lambda one, other: False)),
    ("Q44b", "walkovers and ruled draws go too", Swap(f"{EXITS}:_adjudicated", unplayed_go_too)),
    (
        "Q44c",
        "every disqualification reaches back",
        Swap(f"{EXITS}:Leaving.reaches_back", lambda _: every_disqualification),
    ),
    ("Q44d", "a missed round is a bye", Swap("engine.standings:_rows", missed_round_is_a_bye)),
    ("Q44d", "nobody hears that a round is old", Swap("engine.outdated:outdated", nobody_was_absent)),
    ("Q44e", "a disqualification stands without its forfeits", Swap("engine.ledger:_exits", stands_without_forfeits)),
    ("Q44g", "two seeds change places", Swap("engine.championship:seeds_after", seeds_change_places)),
    (
        "Q44g",
        "a corrected seed is not shown",
        Swap("engine.championship:seed_of", lambda _: lambda entrant, moves: entrant.seed),
    ),
    ("Q46", "who declined is seated", Swap(f"{SEATING}:qualified", who_declined_too)),
    ("Q47", "a mark in the free week comes too late", Swap(f"{EXITS}:_marked", lambda _: lambda scene: ())),
    ("Q48", "a mark always reaches back", Swap(f"{EXITS}:_marked", whenever_it_comes)),
    (
        "Q49",
        "nobody has played all",
        Swap(f"{EXITS}:_has_to_play", lambda _: lambda entrant, pool, left, scene: True),
    ),
    ("Q49", "who has played all is never disregarded", Swap(f"{EXITS}:_has_to_play", disqualified_like_withdrawn)),
    (
        "Q50",
        "a mark after the pools changes no pool",
        Swap(f"{EXITS}:Leaving.reaches_back", lambda _: lambda self, rules: False),
    ),
    ("Q50", "who left keeps the seat", Swap(f"{SEATING}:may_sit", lambda _: lambda event, stage, entrant: True)),
    ("Q51", "a begun semifinal is seated anew", Swap(f"{SEATING}:_begun", lambda _: lambda event, stage: ())),
    ("Q51", "the begun match stays open", Swap(f"{EXITS}:_walkover", lambda _: lambda pair, scene, stage: None)),
    (
        "Q52",
        "nobody is asked",
        Swap(f"{SEATING}:_Filling._accepts", lambda _: lambda self, entrant: self._event.tournament.is_in(entrant)),
    ),
    ("Q52", "the begun final stays open", Swap(f"{EXITS}:_walkover", lambda _: lambda pair, scene, stage: None)),
    (
        "Q52b",
        "nobody hears that the seed decides",
        Swap(f"{SEATING}:_seed_alone_separates", lambda _: lambda event, above, below: False),
    ),
    ("Q52c", "places 5 and 6 of a pool are not dealt", Swap(f"{SEATING}:_pool", only_the_first_half_of_the_pool_map)),
]

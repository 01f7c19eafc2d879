"""Wrong pools, knock-out matches, armageddons and rulings: (clause, what the bot would then do, the change)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from engine.adjudication import Forfeited
from engine.facts import Group, MatchRuled
from engine.model import Stage
from engine.points import DRAW
from engine.scoring import STOP_POLICIES, Fault
from engine.tiebreaks import CRITERIA as RIGHT
from engine.tiebreaks import Unit
from tests.clauses.change import Change, Swap
from tests.clauses.strategies import CRITERIA, FAULTS, criterion, without

# --- The evening ----------------------------------------------------------------------------------------------


def by_the_other(forfeited: Any) -> Any:
    def wrong(store: Any, event: Any, match: Any, games: Any, by: int, kind: str, signed: Any) -> None:
        forfeited(store, event, match, games, match.opponent_of(by), kind, signed)

    return wrong


def no_gaps(*_: Any) -> tuple[int, ...]:
    return ()


def always_one(*_: Any, **more: Any) -> int:
    return 1


def never_one(*_: Any, **more: Any) -> int:
    return 0


def although_it_is_over(break_ends: Any) -> Any:
    def wrong(rules: Any, called_at: Any, used: int, **more: Any) -> Any:
        return break_ends(rules, called_at, used)

    return wrong


def at_once(event: Any, match: Any, games: Any, called_at: Any) -> Any:
    return called_at


def nobody(*_: Any) -> None:
    return None


# --- Pools ----------------------------------------------------------------------------------------------------


def in_the_order_of_the_map(pool: Any) -> Any:
    def group(seats: Any, through: Any, direct: Any) -> Group:
        found = pool(seats, through, direct)
        places = [through[place - 1] for place in seats.places if place <= len(through)]
        return Group(found.name, (*found.entrants[: len(seats.direct)], *places))

    return group


def last_round_first(once: Any) -> Any:
    return lambda players: tuple(reversed(once(players)))


def goes_on_with_the_next_criterion(splittings: Any) -> Any:
    return MappingProxyType({**splittings, "restart": splittings["formed_once"]})


def unplaced_first(entrant: int, table: Any, tied: frozenset[int]) -> int:
    return table.last_finals.get(entrant, 0)


# --- Knock-out ------------------------------------------------------------------------------------------------


def losers_go_on(decided: Any) -> Any:
    return lambda event, group: tuple(reversed(decided(event, group)))


def half_is_enough(more_than_half: Any) -> Any:
    return lambda length, games: more_than_half(length - 1, games)


def all_tiebreak_games(needed: Any) -> Any:
    return lambda rules, tiebreak: rules.extra_games - len(tiebreak)


def played_by_regular_games(played: Any) -> Any:
    return lambda event, fact_id: played(replace(event, tiebreak_games=(), armageddon=None), fact_id)


# --- Armageddon -----------------------------------------------------------------------------------------------


def of_blacks_clock_only(ways: Any) -> Any:
    return lambda rules, bid: ways(rules, bid)[:1]


def missing_throw_is_a_draw(winner: Any) -> Any:
    return property(lambda self: None if self.a is None or self.b is None else winner.fget(self))


# --- Decisions ------------------------------------------------------------------------------------------------


def first_only(case: Any, kind: str) -> Forfeited:
    return Forfeited((case.pair.a_id,), kind)


def as_in_the_swiss(decide: Any) -> Any:
    return lambda case, rules: decide(replace(case, stage=Stage.QUALIFICATION), rules)


def first_of_the_alphabet_is_black(faults: Any) -> Any:
    def colours(game: Any, *rest: Any) -> Any:
        found = faults(game, *rest)
        return found if found or game.white > game.black else (Fault.WRONG_COLOURS,)

    return colours


def later_sitting_is_too_late(time_faults: Any) -> Any:
    def faults(game: Any, start: Any, first: Any) -> Any:
        late = game.created_at > start + timedelta(hours=12)
        return (Fault.AFTER_DEADLINE,) if late else time_faults(game, start, first)

    return faults


def every_concession_is_a_forfeit(concession: Any) -> Any:
    return lambda case, by, *, left_silently=False: concession(case, by, left_silently=True)


def every_ruling_counts(forfeits: Any) -> Any:
    def counted(standing: Any, recorded: Any, rules: Any) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for _, event in standing.of(MatchRuled):
            for entrant in event.forfeited_by:
                found[entrant] = (*found.get(entrant, ()), event.match_id)
        return found

    return counted


def also_who_is_out(due: Any) -> Any:
    return lambda tournament, least: due(replace(tournament, left={}), least)


def missing_games_to_nobody(shared: Any) -> Any:
    return lambda case, *rest: shared(replace(case, stage=Stage.QUALIFICATION), *rest)


ADJUDICATION = "engine.adjudication"
ARMAGEDDON = "engine.armageddon"

DECISIONS: list[tuple[str, str, Change]] = [
    (
        "R3.2",
        "a stage is seated although the one before it has not begun",
        Swap("engine.tournament:Tournament.has_begun", lambda _: lambda self, stage: True),
    ),
    (
        "R3.5",
        "who left takes a place",
        Swap("engine.tournament:Tournament.unranked", lambda _: lambda self, stage: frozenset()),
    ),
    ("R3.8", "the pool numbers are those of the map", Swap("engine.seating:_pool", in_the_order_of_the_map)),
    (
        "R3.8",
        "direct entrants are not seated",
        Swap("engine.championship:Championship.direct", lambda _: property(lambda self: ())),
    ),
    ("R3.9", "the last round of the Berger table first", Swap("engine.round_robin:_once", last_round_first)),
    (
        "R3.10",
        "a match of the Candidates ends with the decision",
        Swap("engine.scoring:stop_policy", lambda _: lambda name: STOP_POLICIES["decided"]),
    ),
    ("R3.10", "a ruled draw is no 5-5", Swap(f"{ADJUDICATION}:_shared", missing_games_to_nobody)),
    (
        "R3.12",
        "a part does not start again",
        Swap("engine.tiebreaks:SPLITTINGS", goes_on_with_the_next_criterion),
    ),
    (
        "R3.12",
        "the mutual match score is all match points",
        Swap(CRITERIA, criterion("mutual_match", RIGHT["points"].value, Unit.HALF_POINTS)),
    ),
    (
        "R3.12",
        "the mutual game score is all game points",
        Swap(CRITERIA, criterion("mutual_game", RIGHT["overall_game"].value, Unit.HALF_POINTS)),
    ),
    ("R3.13", "the losers play the Grand Final", Swap("engine.seating:decided", losers_go_on)),
    ("R3.13", "half of the points win", Swap("engine.scoring:more_than_half", half_is_enough)),
    ("R3.15", "all tiebreak games are played", Swap("engine.knockout:_tiebreak_needed", all_tiebreak_games)),
    ("R3.15", "no tiebreak games", Swap("engine.knockout:_tiebreak_needed", lambda _: lambda rules, tiebreak: 0)),
    (
        "R3.15",
        "the tiebreak games are not looked at",
        Swap("engine.ledger:_played", played_by_regular_games),
    ),
    (
        "R3.16",
        "a bid can be read in the log",
        Swap(f"{ARMAGEDDON}:Bid.__repr__", lambda _: lambda self: f"Bid({self.side}, {self.seconds})"),
    ),
    ("R5.6", "only the first has forfeited", Swap(f"{ADJUDICATION}:_both", lambda _: first_only)),
    ("R6.5", "who is out is proposed again", Swap("engine.conduct:due_disqualifications", also_who_is_out)),
    (
        "Q23",
        "all remaining games of the Swiss are given",
        Swap(f"{ADJUDICATION}:_games_to_win", lambda _: lambda case, side: case.missing),
    ),
    ("Q23", "every concession is a forfeit", Swap(f"{ADJUDICATION}:concession", every_concession_is_a_forfeit)),
    ("Q24", "a concession is a forfeit", Swap(f"{ADJUDICATION}:concession", every_concession_is_a_forfeit)),
    ("Q24", "two rulings in one match are two forfeits", Swap("engine.ledger:_forfeits", every_ruling_counts)),
    (
        "Q25",
        "nobody is proposed",
        Swap("engine.conduct:due_disqualifications", lambda _: lambda tournament, least: ()),
    ),
    (
        "Q25",
        "the next publication puts nothing in force",
        Swap("engine.usecases.rounds:_forfeited_too_often", lambda _: lambda event: None),
    ),
    (
        "Q26",
        "a double forfeit is always a draw",
        Swap(f"{ADJUDICATION}:double_forfeit", lambda decide: lambda case, points, *rest: decide(case, DRAW, *rest)),
    ),
    ("Q26", "only the first has forfeited", Swap(f"{ADJUDICATION}:_both", lambda _: first_only)),
    (
        "Q30",
        "game points rank a pool",
        Swap(CRITERIA, criterion("points", RIGHT["overall_game"].value, Unit.HALF_POINTS)),
    ),
    (
        "Q31",
        "a decided match is lost by a forfeit",
        Swap(f"{ADJUDICATION}:_standing_winner", lambda _: lambda case: None),
    ),
    (
        "Q31",
        "games that were not played are given to nobody",
        Swap(f"{ADJUDICATION}:Case.missing", lambda _: property(lambda self: 0)),
    ),
    (
        "Q32",
        "who refused the last games loses none of them",
        Swap(f"{ADJUDICATION}:stopped_early", lambda decide: lambda case, refused_by=None: decide(case)),
    ),
    ("Q32b", "a ruled draw is nil all in games", Swap(f"{ADJUDICATION}:_shared", missing_games_to_nobody)),
    ("Q33", "a knock-out match is drawn", Swap(f"{ADJUDICATION}:_refuse_draw", lambda _: lambda case: None)),
    ("Q33", "all games before the decider", Swap("engine.knockout:decider_only", lambda _: lambda rules: rules)),
    ("Q34", "a knock-out match is drawn", Swap(f"{ADJUDICATION}:both_failed", as_in_the_swiss)),
    (
        "Q36",
        "who has no place of last year stands first",
        Swap(CRITERIA, criterion("last_finals", unplaced_first, Unit.COUNT, lower_first=True)),
    ),
    (
        "Q37",
        "the better seed is always White",
        Swap("engine.match_flow:suggested_white", lambda _: lambda better_seed, games_played: better_seed),
    ),
    ("R6.3", "the opponent of whoever reported forfeits", Swap("engine.usecases.claims:forfeited", by_the_other)),
    ("Q11", "a match that was put off stays open", Swap("engine.usecases.due_timers:_put_off", lambda _: nobody)),
    ("Q11b", "no warning before the deadline", Swap("cogs.render.absence:_room", lambda _: lambda view: timedelta(0))),
    ("Q11c", "no way to ask for more time", Swap("cogs.render.errors:_ways_out", lambda _: lambda error: ())),
    ("R6.2", "nobody measures the gaps", Swap("engine.usecases.evening_looks:gaps_between", lambda _: no_gaps)),
    ("R6.4", "only two leavings are a forfeit", Swap("engine.timers:breaks_used", lambda _: always_one)),
    ("Q16", "a break after the last game", Swap("engine.match_flow:break_ends", although_it_is_over)),
    ("Q17", "nobody uses a break up", Swap("engine.timers:breaks_used", lambda _: never_one)),
    ("Q18", "ten minutes from the call", Swap("engine.usecases.evening_looks:running_since", lambda _: at_once)),
    ("Q37", "a colour is a fault", Swap(FAULTS, first_of_the_alphabet_is_black)),
    ("Q38", "a second sitting is too late", Swap("engine.scoring:_time_faults", later_sitting_is_too_late)),
    ("Q38c", "any account counts", Swap(FAULTS, without(Fault.OTHER_ACCOUNT))),
    (
        "Q38d",
        "a game does not end the right to claim",
        Swap(
            "engine.match_flow:no_show_claim",
            lambda claim: lambda rules, reports, game_starts, now, **more: claim(rules, reports, [], now, **more),
        ),
    ),
    ("Q39", "no game of the bid", Swap(f"{ARMAGEDDON}:ways_to_play", of_blacks_clock_only)),
    (
        "Q39",
        "nobody looks at White's clock",
        Swap(f"{ARMAGEDDON}:white_clock_ok", lambda _: lambda clocks, bid, increment=0: True),
    ),
    (
        "Q40",
        "bids after the match deadline",
        Swap(
            f"{ARMAGEDDON}:bids_due",
            lambda _: lambda rules, tied_at, match_deadline: tied_at + rules.bid_within,
        ),
    ),
    (
        "Q41",
        "the loser of the throw is White",
        Swap(f"{ARMAGEDDON}:_BEATS", lambda beats: frozenset((b, a) for a, b in beats)),
    ),
    ("Q41", "a missing throw is a draw", Swap(f"{ARMAGEDDON}:ShownThrow.winner", missing_throw_is_a_draw)),
]

"""From the ruleset of an edition to what each pure module asks of it."""

from __future__ import annotations

from engine.exits import LeavingRules
from engine.model import Stage
from engine.negotiation import ChoiceRules, DutyRules
from engine.rules import Ruleset
from engine.scoring import GameRules
from engine.standings import PointValues
from engine.tiebreaks import Readings


def choice_rules(ruleset: Ruleset) -> ChoiceRules:
    """Q5: a time that one side sets."""
    part = ruleset.set_time
    return ChoiceRules(min_notice=part.min_notice, latest_before_deadline=part.latest_before_deadline)


def duty_rules(rules: Ruleset) -> DutyRules:
    """R5.1, R5.4, Q4."""
    offers = rules.offers
    return DutyRules(
        count=offers.count,
        min_gap=offers.min_gap,
        max_per_date=offers.max_per_date,
        min_notice=offers.min_notice,
        latest_before_deadline=offers.latest_before_deadline,
    )


def game_rules(rules: Ruleset, stage: Stage, *, third_place: bool = False) -> GameRules:
    """R3.1, R3.3, R3.10, R3.14, Q8, Q12; in the Finals the Grand Final unless `third_place`."""
    match = rules.match(stage, third_place=third_place)
    return GameRules(
        variant=rules.variant,
        clock_initial=match.clock_initial,
        clock_increment=match.clock_increment,
        rated=match.rated,
        length=match.games,
        stop=match.stop,
        before_start=rules.games.before_start,
        finish_by=rules.games.finish_by,
        from_tournaments=rules.games.from_tournaments,
    )


def point_values(rules: Ruleset) -> PointValues:
    """R3.3, R3.7, Q9, Q44g."""
    swiss = rules.swiss
    return PointValues(
        win=swiss.points_win,
        draw=swiss.points_draw,
        loss=swiss.points_loss,
        bye=swiss.bye_points,
        extended=swiss.extended_points,
        absent=rules.registration.missed_round_points,
    )


def pool_point_values(rules: Ruleset) -> PointValues:
    """R3.9, Q30: there is no bye in a pool."""
    pool = rules.candidates
    return PointValues(win=pool.points_win, draw=pool.points_draw, loss=pool.points_loss, bye=0, extended=0)


def tiebreak_readings(rules: Ruleset) -> Readings:
    """R3.6."""
    swiss = rules.swiss
    return Readings(
        unplayed=swiss.unplayed,
        absent=swiss.absent,
        median_drop=swiss.median_drop,
        forfeit_wins_count=swiss.forfeit_wins_count,
        bye_in_cumulative=swiss.bye_in_cumulative,
    )


def leaving_rules(rules: Ruleset) -> LeavingRules:
    """R3.9, R6.5, R8.1, R8.2, Q24, Q44."""
    leaving = rules.leaving
    return LeavingRules(
        reaching_back=frozenset(leaving.reaching_back),
        both_left_points=leaving.both_left_points,
        counting=frozenset(rules.forfeits.counting),
        to_disqualify=rules.forfeits.to_disqualify,
        encounters=rules.candidates.encounters,
    )

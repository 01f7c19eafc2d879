"""From the ruleset of an edition to what each pure module asks of it."""

from __future__ import annotations

from engine.ledger import LeavingRules
from engine.model import Stage
from engine.negotiation import DutyRules
from engine.rules import Ruleset
from engine.scoring import GameRules
from engine.standings import PointValues
from engine.tiebreaks import Readings


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


def game_rules(rules: Ruleset, stage: Stage) -> GameRules:
    """R3.1, R3.3, R3.10, Q8, Q12."""
    match = rules.match(stage)
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
    """R3.3, R3.7, Q9."""
    swiss = rules.swiss
    return PointValues(
        win=swiss.points_win,
        draw=swiss.points_draw,
        loss=swiss.points_loss,
        bye=swiss.bye_points,
        extended=swiss.extended_points,
    )


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
    """R8.1, R8.2, Q44."""
    leaving = rules.leaving
    return LeavingRules(reaching_back=frozenset(leaving.reaching_back), both_left_points=leaving.both_left_points)

"""A TD's word about one game of a match (R3.1, R7.2, Q19-Q21, Q35, Q38b, Q38c): pure, for the way of all rulings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.championship import Championship
from engine.errors import Conflict, RuleViolation
from engine.facts import Draft, GameDecision, GameRuled
from engine.rulings import Ruling
from engine.scoring import NEVER_ACCEPTED, Fault
from engine.tournament import ResultKind

OPEN_TO_GAMES = frozenset({ResultKind.PLAYED, ResultKind.WALKOVER})
"""Results that games can still change; of a walkover only games begun before the exit (R8.1)."""

_CLAUSES: Mapping[Fault, str] = {Fault.NEEDS_TD: "R7.2", Fault.OTHER_ACCOUNT: "R2.6", Fault.TOO_EARLY: "R5.2"}


def rule_game(
    event: Championship,
    match_id: int,
    game_id: str,
    decision: GameDecision,
    found: Sequence[Fault],
    *,
    gone: bool = False,
) -> Ruling:
    """`found`: what stands against the game now. `gone`: it has counted and Lichess does not show it any more, so that
    a TD may say that it counts all the same.

    Conflict("match_settled") where a ruling has decided the match; Conflict("game_running");
    RuleViolation("game_never_counts") for a game that no TD can count; Conflict("nothing_to_change").
    """
    result = event.tournament.results.get(match_id)
    if result is not None and result.kind not in OPEN_TO_GAMES:
        raise Conflict("match_settled")
    known = event.tournament.ruled_games.get(match_id, {}).get(game_id)
    faults = tuple(fault for fault in found if fault is not Fault.STRUCK_OUT)
    if Fault.UNFINISHED in faults:
        raise Conflict("game_running", id=game_id)
    if not NEVER_ACCEPTED.isdisjoint(faults):
        raise RuleViolation("game_never_counts", clause="R3.1", id=game_id, faults=faults)
    counts_by_itself = known is None and not found and not gone
    if known is decision or (decision is GameDecision.ACCEPTED and counts_by_itself):
        raise Conflict("nothing_to_change")
    clause = next((_CLAUSES[fault] for fault in faults if fault in _CLAUSES), "R3.1")
    return Ruling("game", (Draft(GameRuled(match_id, game_id, decision), clause),))

"""What rounds and matches are called in each stage (R3.2, R3.9, R3.11, R3.13)."""

from __future__ import annotations

from engine.model import Round, Stage
from engine.seating import GRAND_FINAL, THIRD_PLACE
from engine.usecases.matches import MatchView

_STAGES = {
    Stage.QUALIFICATION: "Qualification",
    Stage.CANDIDATES: "Candidates",
    Stage.SEMIFINALS: "Semifinals",
    Stage.FINALS: "Finals",
}
_FINALS = {GRAND_FINAL: "Grand Final", THIRD_PLACE: "Third Place Playoff"}


def stage_name(stage: Stage | str) -> str:
    return _STAGES[Stage(stage)]


def round_name(stage: Stage | str, number: int) -> str:
    """`Round 3`, `Candidates, round 2`, `Semifinals`, `Finals`."""
    stage = Stage(stage)
    if stage is Stage.QUALIFICATION:
        return f"Round {number}"
    return f"{_STAGES[stage]}, round {number}" if stage is Stage.CANDIDATES else _STAGES[stage]


def round_words(stage: Stage | str, number: int) -> str:
    """The same inside a sentence: `round 3`, `Candidates, round 2`, `the Semifinals`."""
    if Stage(stage) is Stage.QUALIFICATION:
        return f"round {number}"
    return round_name(stage, number) if Stage(stage) is Stage.CANDIDATES else f"the {stage_name(stage)}"


def round_title(round: Round) -> str:
    return round_name(round.stage, round.number)


def group_name(group: str) -> str:
    """`Upper pool`, `Semifinal 1`, `Grand Final`; "" in the Qualification."""
    if group in _FINALS:
        return _FINALS[group]
    words = group.replace("_", " ")
    words = words if words.startswith("semifinal") or not words else f"{words} pool"
    return words[:1].upper() + words[1:]


def seat_name(group: str) -> str:
    """The same inside a sentence: `the Grand Final`, `Semifinal 1`."""
    return group_name(group) if group.startswith("semifinal") else f"the {group_name(group)}"


def match_title(view: MatchView) -> str:
    """`Round 3`, `Candidates, round 2`, `Semifinal 1`, `Grand Final`: what a match is called."""
    if view.round.stage in (Stage.SEMIFINALS, Stage.FINALS) and view.group:
        return group_name(view.group)
    return round_title(view.round)


def clause_text(clause: str | None) -> str:
    """`R5.4` -> `(§5.4)`; a situation (`Q9`) has no paragraph in the published rules."""
    return f"(§{clause[1:]})" if clause and clause.startswith("R") else ""

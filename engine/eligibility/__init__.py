"""Who may play (R2): what is asked of Lichess about an account, how far that is, and what it comes to."""

from __future__ import annotations

from engine.eligibility.checks import NOTHING_KNOWN, Check, Judgement, Known, Topic, Verdict, Word, judge
from engine.eligibility.evidence import CheatGame, Export, Profile, Progress, from_json, to_json
from engine.eligibility.run import (
    Answer,
    AskAccount,
    AskGames,
    AskOldest,
    AskOthers,
    AskTeams,
    Contradiction,
    Estimate,
    Request,
    absorb,
    begin,
    estimate,
    found_closed,
    next_request,
)

__all__ = [
    "NOTHING_KNOWN",
    "Answer",
    "AskAccount",
    "AskGames",
    "AskOldest",
    "AskOthers",
    "AskTeams",
    "CheatGame",
    "Check",
    "Contradiction",
    "Estimate",
    "Export",
    "Judgement",
    "Known",
    "Profile",
    "Progress",
    "Request",
    "Topic",
    "Verdict",
    "Word",
    "absorb",
    "begin",
    "estimate",
    "found_closed",
    "from_json",
    "judge",
    "next_request",
    "to_json",
]

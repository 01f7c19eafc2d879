"""Rules as data: the ruleset of an edition, its loader, its clauses and its dates."""

from __future__ import annotations

from engine.rules.dates import EditionDate, EditionDates, dates_for
from engine.rules.entrants import least_entrants
from engine.rules.fields import clauses
from engine.rules.loader import Fault, RulesetError, load, read_text, shipped, shipped_text
from engine.rules.schema import MatchRules, Ruleset

__all__ = [
    "EditionDate",
    "EditionDates",
    "Fault",
    "MatchRules",
    "Ruleset",
    "RulesetError",
    "clauses",
    "dates_for",
    "least_entrants",
    "load",
    "read_text",
    "shipped",
    "shipped_text",
]

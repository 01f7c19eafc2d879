"""The order of a table: named criteria (`criteria`), read from rounds (`table`), folded into places (`ranking`)."""

from engine.tiebreaks.criteria import CRITERIA, Criterion, Unit, show_value
from engine.tiebreaks.ranking import SPLITTINGS, Placed, Separation, criteria, rank, unranked
from engine.tiebreaks.table import Kind, Readings, RoundScore, Table, Value

__all__ = [
    "CRITERIA",
    "SPLITTINGS",
    "Criterion",
    "Kind",
    "Placed",
    "Readings",
    "RoundScore",
    "Separation",
    "Table",
    "Unit",
    "Value",
    "criteria",
    "rank",
    "show_value",
    "unranked",
]

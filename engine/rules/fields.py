"""Reading the schema: which keys a ruleset has, of what type, under which clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from engine.rules.schema import (
    Armageddon,
    Candidates,
    CheatGames,
    Clauses,
    Entry,
    Evening,
    Forfeits,
    Games,
    Knockout,
    Leaving,
    Matches,
    MatchRules,
    NoAgreement,
    Offers,
    Pool,
    Registration,
    Reminders,
    Reporting,
    Rule,
    Ruleset,
    Seating,
    Seeding,
    SetTime,
    Swiss,
    Week,
)

SECTIONS: frozenset[type] = frozenset(
    {
        Armageddon, Candidates, CheatGames, Entry, Evening, Forfeits, Games, Knockout, Leaving, Matches, MatchRules,
        NoAgreement, Offers, Pool, Registration, Reminders, Reporting, Ruleset, Seating, Seeding, SetTime, Swiss, Week,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a section. `type` is a scalar, a section, or `tuple[…]`; `many` when it is a list of `type`."""

    name: str
    type: Any
    many: bool
    required: bool
    rule: Rule
    section_clauses: Clauses

    @property
    def is_section(self) -> bool:
        return self.type in SECTIONS


@cache
def fields_of(section: type) -> tuple[Field, ...]:
    """The keys of a section in the order of the schema."""
    hints = get_type_hints(section, include_extras=True)
    return tuple(_field(item.name, hints[item.name], item.default is MISSING) for item in fields(section))


def _field(name: str, hint: Any, required: bool) -> Field:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        marks = tuple(rest)
    arguments = tuple(part for part in get_args(hint) if part is not NoneType)
    many = get_origin(hint) is tuple and arguments[-1] is Ellipsis
    if many or NoneType in get_args(hint):
        hint = arguments[0]
    rule = next((mark for mark in marks if isinstance(mark, Rule)), Rule())
    clauses = next((mark for mark in marks if isinstance(mark, Clauses)), Clauses())
    return Field(name, hint, many, required, rule, clauses)


def leaves(section: type = Ruleset, key: str = "", clauses: Clauses | None = None) -> Iterator[tuple[str, Field]]:
    """Every key that holds a value: its dotted name (lists of sections without an index) and its field.

    The field's rule carries the clauses that stand at this place (`Clauses` of the section wins over the field's own).
    """
    for field in fields_of(section):
        dotted = f"{key}.{field.name}" if key else field.name
        if field.is_section:
            yield from leaves(field.type, dotted, field.section_clauses)
            continue
        placed = clauses.by_field.get(field.name) if clauses else None
        yield dotted, _under(field, placed) if placed else field


def _under(field: Field, clauses: tuple[str, ...]) -> Field:
    rule = field.rule
    placed = Rule(*clauses, names=rule.names, least=rule.least, most=rule.most, label=rule.label)
    return Field(field.name, field.type, field.many, field.required, placed, field.section_clauses)


def clauses() -> dict[str, list[str]]:
    """Clause id -> dotted ruleset keys, for `make clauses`; clauses in the order of the schema."""
    found: dict[str, list[str]] = {}
    for key, field in leaves():
        for clause in field.rule.clauses:
            found.setdefault(clause, []).append(key)
    return found

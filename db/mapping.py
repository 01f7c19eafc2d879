"""Rows to values of `engine.model` and back, by field name; the dataclass's own type hints say how.

What `to_columns` gives is already what the database will give back, so a value returned by a write equals the
value read later (moments in UTC, tuples inside a payload as lists).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from db import tables
from db.types import as_utc
from engine import model, sealed, timers

T = TypeVar("T")

ROWS: dict[type, type[tables.Row]] = {
    model.Server: tables.ServerRow,
    model.Person: tables.PersonRow,
    model.Edition: tables.EditionRow,
    model.Registration: tables.RegistrationRow,
    model.AccountCheck: tables.AccountCheckRow,
    model.Login: tables.LoginRow,
    model.Entrant: tables.EntrantRow,
    model.AccountSeen: tables.AccountSeenRow,
    model.MemberSeen: tables.MemberSeenRow,
    model.AccountChange: tables.AccountChangeRow,
    model.Round: tables.RoundRow,
    model.Match: tables.MatchRow,
    model.Offer: tables.OfferRow,
    model.Dispute: tables.DisputeRow,
    timers.Timer: tables.TimerRow,
    model.Report: tables.ReportRow,
    model.GameLine: tables.GameLineRow,
    sealed.SealedBid: tables.SealedBidRow,
    sealed.SealedThrow: tables.SealedThrowRow,
    model.Note: tables.NoteRow,
    model.Fact: tables.FactRow,
    model.Post: tables.PostRow,
    model.Occurrence: tables.OccurrenceRow,
}


def row_class(kind: type) -> type[tables.Row]:
    """The table of a dataclass of `engine.model`; TypeError for anything else."""
    try:
        return ROWS[kind]
    except KeyError:
        raise TypeError(f"{kind.__name__} is not stored") from None


def columns(kind: type) -> list[Any]:
    """The table's columns in the order of the dataclass's fields: what `to_value` reads."""
    row = row_class(kind)
    return [getattr(row, name) for name in _field_names(kind)]


def column(kind: type, name: str) -> Any:
    """The table's column of a field; TypeError when the dataclass has no such field."""
    _check_field(kind, name)
    return getattr(row_class(kind), name)


def _check_field(kind: type, name: str) -> None:
    if name not in _field_names(kind):
        raise TypeError(f"{kind.__name__} has no field {name!r}")


def to_value(kind: type[T], stored: Sequence[Any]) -> T:
    """The value from one result row of `columns(kind)`."""
    values = dict(zip(_field_names(kind), stored, strict=True))
    for name, load in _loaders(kind):
        values[name] = load(values[name])
    return kind(**values)


def to_columns(value: object) -> dict[str, Any]:
    """Column name to database value, without the id. NaiveDatetime names the field, ValueError an unknown enum text."""
    kind = type(value)
    row_class(kind)
    return {name: dump(getattr(value, name), name) for name, dump in _dumpers(kind).items() if name != "id"}


def kept(kind: type[T], id: int, stored: Mapping[str, Any]) -> T:
    """The value of a row with that id from what `to_columns` gave for it."""
    return to_value(kind, [id if name == "id" else stored[name] for name in _field_names(kind)])


def to_parameter(kind: type, name: str, value: Any) -> Any:
    """A value to compare the field `name` with, as the database holds it; TypeError when there is no such field."""
    _check_field(kind, name)
    return _dumpers(kind)[name](value, name)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _hint(kind: type, name: str) -> Any:
    return get_type_hints(kind)[name]


@cache
def _loaders(kind: type) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """For the fields whose column holds something else."""
    found = ((name, _loader(_hint(kind, name))) for name in _field_names(kind))
    return tuple((name, load) for name, load in found if load is not None)


def _loader(hint: Any) -> Callable[[Any], Any] | None:
    enum, optional = _enum_of(hint)
    if enum is not None:
        return (lambda value: None if value is None else enum(value)) if optional else enum
    return tuple if get_origin(hint) is tuple else None


def _enum_of(hint: Any) -> tuple[type[Enum] | None, bool]:
    """The enum of a field, and whether the field may be None instead."""
    parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    enums = [part for part in parts if isinstance(part, type) and issubclass(part, Enum)]
    return (enums[0] if enums else None), NoneType in parts


@cache
def _dumpers(kind: type) -> Mapping[str, Callable[[Any, str], Any]]:
    return {name: _dumper(_hint(kind, name), kind) for name in _field_names(kind)}


def _dumper(hint: Any, kind: type) -> Callable[[Any, str], Any]:
    enum, optional = _enum_of(hint)
    if enum is not None:
        return lambda value, name: None if optional and value is None else enum(value).value
    if get_origin(hint) in (tuple, Mapping):
        return lambda value, name: _as_json(value, f"{kind.__name__}.{name}")

    def plain(value: Any, name: str) -> Any:
        return as_utc(value, f"{kind.__name__}.{name}") if isinstance(value, datetime) else value

    return plain


def _as_json(value: Any, where: str) -> Any:
    """A copy in JSON's own shapes; refuses what JSON cannot say instead of finding out at the commit."""
    try:
        return json.loads(json.dumps(value if isinstance(value, tuple) else dict(value), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where} cannot be kept as JSON: {error}") from error

"""What is due in the negotiation of a match: the judgement at the offer deadline and what follows (R5.5-R5.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.usecases.occurrences import Agenda, Due, Handler, Kind


def due(agenda: Agenda) -> Iterator[Due]:
    yield from ()


def moments(agenda: Agenda) -> Iterator[datetime]:
    if agenda.event.current_round is not None:
        yield agenda.event.current_round.offers_by


HANDLERS: Mapping[Kind, Handler] = {}

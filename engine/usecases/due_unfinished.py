"""What is due when a match that was in play at its deadline is not finished in time (Q8): a TD decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.model import Match
from engine.usecases.context import Event
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task
from engine.usecases.pair_games import read_games
from engine.usecases.posts import LiveScore, Outbox


def due(agenda: Agenda) -> Iterator[Due]:
    for match in _begun(agenda.event):
        end = _finish_by(agenda.event, match)
        if end <= agenda.now:
            key = f"match:{match.id}:unfinished:{end:%Y-%m-%dT%H:%M}"
            yield Due(key, Kind.UNFINISHED, end, match_id=match.id, games_of=match.id)


def moments(agenda: Agenda) -> Iterator[datetime]:
    for match in _begun(agenda.event):
        yield _finish_by(agenda.event, match)


def _begun(event: Event) -> Iterator[Match]:
    """Not those that a TD lets play in spite of a result: that result stands then (Q2)."""
    for match in event.open_matches():
        if event.tournament.begun.get(match.id) and not event.has_result(match) and not event.was_taken_back(match):
            yield match


def _finish_by(event: Event, match: Match) -> datetime:
    return event.window(match).closes + event.rules.games.finish_by


def _unfinished(task: Task) -> None:
    """Once, unless the games that were read just now decide it or wait for a TD, who knows of them already."""
    event, match = task.event, task.match
    reading = read_games(event, match, task.games)
    if reading.decided or reading.needs_td:
        return
    outbox = Outbox(task.store, event.edition.guild_id, task.now)
    score, tiebreak = [reading.a, reading.b], bool(reading.tiebreak)
    about = {"match_id": match.id, "score": score, "tiebreak": tiebreak, "missing": reading.missing}
    outbox.td(task.due.key, "unfinished", edition_id=event.edition.id, **about)
    outbox.overdue(match, event.window(match).closes)
    if outbox.shows_score(match):
        outbox.live(match, LiveScore(running=None, live=False), anew=True)


HANDLERS: Mapping[Kind, Handler] = {Kind.UNFINISHED: _unfinished}

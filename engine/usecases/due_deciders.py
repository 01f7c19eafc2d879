"""What is due for a tied knock-out match (R3.16): the call for bids, the end of the time for them and for throws, and
the game itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.armageddon import AwaitingBids, AwaitingThrow, ColoursFixed
from engine.knockout import Phase, progress
from engine.model import Match
from engine.usecases.context import Event
from engine.usecases.deciders import go_on
from engine.usecases.occurrences import Agenda, Due, Handler, Kind, Task
from engine.usecases.posts import Outbox


def due(agenda: Agenda) -> Iterator[Due]:
    event = agenda.event
    for match in event.open_matches():
        known = event.tournament.games_known_at.get(match.id)
        if known is not None and tiebreak_begins(event, match):
            key = f"match:{match.id}:tiebreak:{known:%Y-%m-%dT%H:%M:%S}"
            yield Due(key, Kind.TIEBREAK, known, match_id=match.id)
    for match_id, state in agenda.ties.items():
        match = event.matches[match_id]
        tied_at = event.tied_at(match)
        if tied_at is None:
            continue
        base = f"match:{match_id}:tie:{tied_at:%Y-%m-%dT%H:%M:%S}"
        yield Due(f"{base}:bids", Kind.TIED, tied_at, match_id=match_id)
        settled = event.tournament.colours.get(match_id)
        if settled is not None:
            yield Due(f"{base}:game", Kind.ARMAGEDDON, tied_at, match_id=match_id, opens=match_id)
        elif isinstance(state, ColoursFixed):
            yield Due(f"{base}:colours", Kind.TIED, agenda.now, match_id=match_id)
        elif isinstance(state, AwaitingThrow):
            yield Due(f"{base}:throw:{state.number}", Kind.TIED, agenda.now, match_id=match_id)


def moments(agenda: Agenda) -> Iterator[datetime]:
    for state in agenda.ties.values():
        if isinstance(state, AwaitingBids | AwaitingThrow):
            yield state.due


def _tied(task: Task) -> None:
    go_on(task.store, task.event, task.match, task.now)


def _armageddon(task: Task) -> None:
    """Colours are settled: the post that says so gets the challenge, if Lichess has given one."""
    outbox = Outbox(task.store, task.event.edition.guild_id, task.now)
    outbox.armageddon_open(task.match, task.asked.challenge)


def tiebreak_begins(event: Event, match: Match) -> bool:
    """R3.15: the regular games are played and nobody leads; of the tiebreak games none is."""
    games, more = (begun.get(match.id, ()) for begun in (event.tournament.begun, event.tournament.begun_tiebreaks))
    return not more and progress(event.match_rules(match), games).phase is Phase.TIEBREAK


def _tiebreak(task: Task) -> None:
    """Both are told at once, while they are at the board (R3.15)."""
    outbox = Outbox(task.store, task.event.edition.guild_id, task.now)
    outbox.owe(task.due.key, "tiebreak_due", f"thread:{task.match.id}", match_id=task.match.id)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.TIED: _tied,
    Kind.ARMAGEDDON: _armageddon,
    Kind.TIEBREAK: _tiebreak,
}

"""What the games of a match come to after a ruling about one of them, or after its undo (Q21, Q35).

It belongs to the ruling: worked out in the same transaction, from the games that were kept.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from engine import ledger
from engine.facts import Draft, GameRuled, Reverted
from engine.game_rulings import OPEN_TO_GAMES
from engine.model import Match
from engine.ports import LichessGame, LichessPort, Reader
from engine.reading import leaving_rules
from engine.rulings import Ruling, facts_of
from engine.tournament import ResultKind
from engine.usecases.context import Event, Ledger
from engine.usecases.game_lines import kept_games
from engine.usecases.pair_games import read_games


def with_recount(reader: Reader, lichess: LichessPort, event: Event, ruling: Ruling, now: datetime) -> Ruling:
    """The ruling with the results, or the open matches, that follow from what it says of games."""
    if not any(isinstance(draft.event, GameRuled | Reverted) for draft in ruling.drafts):
        return ruling
    after = _after(event, ruling, now)
    was, is_ = event.tournament.ruled_games, after.tournament.ruled_games
    follows: list[Draft] = []
    for match_id in sorted(was.keys() | is_.keys()):
        match = event.matches.get(match_id)
        if match is not None and was.get(match_id) != is_.get(match_id):
            first = _first_game(event, match)
            follows += _come_to(after, match, kept_games(reader, lichess, match), first)
    return replace(ruling, drafts=(*ruling.drafts, *follows)) if follows else ruling


def _after(event: Event, ruling: Ruling, now: datetime) -> Event:
    new = facts_of(ruling, edition_id=event.edition.id, now=now, command_id="recount")
    facts = (*event.ledger.facts, *new)
    return replace(event, ledger=Ledger(facts, ledger.fold(facts, leaving=leaving_rules(event.rules))))


def _first_game(event: Event, match: Match) -> str | None:
    """Of a match without a time on record: the first game that both have named (Q12)."""
    if match.agreed_at is not None:
        return None
    result = event.tournament.results.get(match.id)
    games = result.games if result is not None else event.tournament.begun.get(match.id, ())
    return games[0].game_id if games else None


def _come_to(after: Event, match: Match, games: list[LichessGame], first: str | None) -> tuple[Draft, ...]:
    result = after.tournament.results.get(match.id)
    if result is not None and result.kind not in OPEN_TO_GAMES:
        return ()
    first = first if any(game.id == first for game in games) else None
    reading = read_games(after, match, games, first_game_id=first)
    if reading.decided and not reading.needs_td:
        said = result and (result.games, result.extra, result.tiebreak_games, result.armageddon)
        if said == (reading.counted, reading.extra, reading.tiebreak, reading.armageddon):
            return ()
        return (Draft(reading.played(match.id), "R3.3"),)
    tournament = after.tournament
    begun = (tournament.begun.get(match.id, ()), tournament.begun_tiebreaks.get(match.id, ()))
    if result is None and (reading.counted, reading.tiebreak) == begun:
        return ()
    if result is not None and result.kind is not ResultKind.PLAYED:
        return ()
    return (Draft(reading.begun(match.id), "R3.3"),)

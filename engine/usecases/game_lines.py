"""The games of a match as Lichess has shown them, kept from the first look on (R7.2, Q35, Q38c).

A ruling about a game is worked out from these lines, and a game that Lichess gives only by its link is read again from
here, whatever becomes of the account.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from engine.facts import CountedGame, GameDecision
from engine.model import GameLine, Match
from engine.ports import LichessGame, LichessPort, Reader, Store
from engine.scoring import Fault, MatchScore
from engine.tournament import ResultKind
from engine.usecases.context import Event

_NEVER_KEPT = frozenset({Fault.UNFINISHED, Fault.OTHER_PLAYERS})
_NOT_OF_THE_MATCH = frozenset({Fault.TOO_EARLY, Fault.OTHER_ACCOUNT, Fault.COUNTED_ELSEWHERE})
"""Games with these are kept only when somebody has named them."""


def kept_games(reader: Reader, lichess: LichessPort, match: Match) -> list[LichessGame]:
    """By their beginning."""
    lines = reader.find(GameLine, match_id=match.id)
    return sorted((lichess.read_line(line.line) for line in lines), key=lambda game: (game.created_at, game.id))


def with_kept(reader: Reader, lichess: LichessPort, match: Match, games: Iterable[LichessGame]) -> list[LichessGame]:
    """An answer of Lichess and the games that were kept before; what the answer says of a game is newer."""
    found = {game.id: game for game in kept_games(reader, lichess, match)}
    found.update((game.id, game) for game in games)
    return sorted(found.values(), key=lambda game: (game.created_at, game.id))


def keep(
    store: Store,
    lichess: LichessPort,
    match: Match,
    games: Sequence[LichessGame],
    reading: MatchScore,
    now: datetime,
    *,
    named: Collection[str] = (),
) -> None:
    """Keeps the finished games of a match: those that count, that came after the end, or that a TD could accept.
    `named`: ids of others to be kept too."""
    faults = {bad.game_id: frozenset(bad.faults) for bad in reading.faulty}
    kept = {line.game_id: line for line in store.find(GameLine, match_id=match.id)}
    for game in games:
        wrong = faults.get(game.id, frozenset[Fault]())
        if not _NEVER_KEPT.isdisjoint(wrong) or (game.id not in named and not _NOT_OF_THE_MATCH.isdisjoint(wrong)):
            continue
        line = kept.get(game.id)
        if line is None:
            store.add(GameLine(match_id=match.id, game_id=game.id, line=game.line, received_at=now))
        elif line.line != game.line and _ended(lichess.read_line(line.line)) != _ended(game):
            store.save(replace(line, line=game.line, received_at=now))


def keep_counted(
    store: Store, match: Match, counted: Sequence[CountedGame], games: Sequence[LichessGame], now: datetime
) -> None:
    """Those that count, each once, so that a closed account loses nothing."""
    lines = {game.id: game.line for game in games}
    kept = {line.game_id for line in store.find(GameLine, match_id=match.id)}
    for game in counted:
        if game.game_id not in kept:
            store.add(GameLine(match_id=match.id, game_id=game.game_id, line=lines[game.game_id], received_at=now))


def _ended(game: LichessGame) -> tuple[str, str | None]:
    return game.status, game.winner


# --- What is known about single games beside them -------------------------------------------------------------------


def accepted_by_td(event: Event, match: Match) -> set[str]:
    """Among these are games from an account that Lichess is not asked about (Q38c)."""
    ruled = event.tournament.ruled_games.get(match.id, {})
    return {id for id, said in ruled.items() if said is GameDecision.ACCEPTED}


def struck_by_td(event: Event, match: Match) -> set[str]:
    return set(event.tournament.ruled_games.get(match.id, {})) - accepted_by_td(event, match)


def left_while_open(event: Event, match: Match) -> datetime | None:
    """When the first of the two left the event, if that was after the pairing."""
    result = event.tournament.results.get(match.id)
    published = event.round_of(match).published_at
    moments = [gone.at for id in (match.a_id, match.b_id) if (gone := event.tournament.left.get(id))]
    if result is not None and result.kind is ResultKind.WALKOVER:  # whoever came back has lost it all the same
        moments += [fact.occurred_at for fact in event.ledger.facts if fact.id == result.fact_id]
    return min((at for at in moments if at >= published), default=None)


def in_period(event: Event, match: Match, game: LichessGame) -> bool:
    """False for a game with an account that its player did not have yet, or has no longer (Q55)."""
    ids = {game.white, game.black}
    return all(
        account.counts_at(game.created_at)
        for entrant_id in (match.a_id, match.b_id)
        for account in event.accounts(entrant_id)
        if account.lichess_id in ids
    )


def elsewhere(event: Event, match: Match, games: Sequence[LichessGame]) -> set[str]:
    """Games that another match has counted, or that follow the agreed time of another match of the same pair (Q12)."""
    counted = {
        game.game_id for id, result in event.tournament.results.items() if id != match.id for game in result.games
    }
    before_start = event.rules.games.before_start
    others = [
        other.agreed_at - before_start
        for other in event.matches.values()
        if other.id != match.id
        and {other.a_id, other.b_id} == {match.a_id, match.b_id}
        and other.agreed_at is not None
        and (match.agreed_at is None or other.agreed_at > match.agreed_at)
    ]
    return counted | {game.id for game in games if any(game.created_at >= start for start in others)}

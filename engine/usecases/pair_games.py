"""The games of the two players of a match on Lichess, and what they say (R3.3, R3.10, R3.13-R3.16, Q8, Q12, Q35)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.errors import LichessUnavailable
from engine.knockout import score_knockout
from engine.model import KNOCKOUT, Match
from engine.ports import LichessGame, LichessPort
from engine.reading import game_rules
from engine.scoring import MatchScore, score_match, verify
from engine.seating import THIRD_PLACE
from engine.usecases.context import Event
from engine.usecases.game_lines import accepted_by_td, left_while_open, struck_by_td

NEWS = 2
"""So many games can be new at a look that comes every minute."""
ANSWERS = 4
"""How often Lichess is asked until two answers agree."""


def was_cut_short(event: Event, match: Match, games: Sequence[LichessGame]) -> bool:
    """Whether games are missing that Lichess has shown before: then the answer was not whole, and decides nothing."""
    return bool(missing_games(event, match, games))


def missing_games(event: Event, match: Match, games: Sequence[LichessGame]) -> set[str]:
    """Those of them that no TD has accepted: of these what was kept counts."""
    return _begun_ids(event, match) - accepted_by_td(event, match) - {game.id for game in games}


def _begun_ids(event: Event, match: Match) -> set[str]:
    """The Lichess ids of the games on record of a match without a result."""
    begun, more = event.tournament.begun.get(match.id, ()), event.tournament.begun_tiebreaks.get(match.id, ())
    return {game.game_id for game in (*begun, *more)}


async def games_of_pair(lichess: LichessPort, event: Event, match: Match, until: datetime) -> list[LichessGame]:
    """All games of the pair since the pairing: those of each account in its period (Q55).

    What brings much that is new is asked again until two answers are the same: an answer that ends too soon looks
    whole. LichessUnavailable("lichess_incomplete") when no two are.
    """
    known = _begun_ids(event, match)
    found = await _asked_once(lichess, event, match, until)
    if len({game.id for game in found} - known) <= NEWS:
        return found
    for _ in range(ANSWERS - 1):
        again = await _asked_once(lichess, event, match, until)
        if {game.id for game in again} == {game.id for game in found}:
            return again
        found = again
    raise LichessUnavailable("lichess_incomplete")


async def _asked_once(lichess: LichessPort, event: Event, match: Match, until: datetime) -> list[LichessGame]:
    since = event.round_of(match).published_at
    mine, theirs = (
        [account for account in event.accounts(id) if account.meets(since, until)] for id in (match.a_id, match.b_id)
    )
    found = [
        game
        for a in mine
        for b in theirs
        for game in await lichess.games_between(a.lichess_id, b.lichess_id, since, until)
        if a.counts_at(game.created_at) and b.counts_at(game.created_at)
    ]
    return sorted(found, key=lambda game: game.created_at)


def _in_period(event: Event, match: Match, game: LichessGame) -> bool:
    """False for a game with an account that its player did not have yet, or has no longer: as one with any other
    account it counts only once a TD accepts it, and then for good (Q38c, Q55)."""
    ids = {game.white, game.black}
    return all(
        account.counts_at(game.created_at)
        for entrant_id in (match.a_id, match.b_id)
        for account in event.accounts(entrant_id)
        if account.lichess_id in ids
    )


def read_games(
    event: Event, match: Match, games: Sequence[LichessGame], *, first_game_id: str | None = None
) -> MatchScore:
    """The games of a match scored by its stage's rules and by what TDs have said of single ones (R3.3, R3.10,
    R3.13-R3.16, Q8, Q12, Q35).

    Once a player has left, only games that were begun before count (R8.1).
    """
    round = event.round_of(match)
    window = event.window(match)
    left_at = left_while_open(event, match)
    games = [g for g in games if left_at is None or g.created_at < left_at]
    found = verify(
        games,
        {account.lichess_id for account in event.accounts(match.a_id)},
        {account.lichess_id for account in event.accounts(match.b_id)},
        game_rules(event.rules, round.stage, third_place=event.group_of(match) == THIRD_PLACE),
        agreed_at=_begins(event, match, games),
        first_game_id=first_game_id,
        window_start=window.opens,
        deadline=window.closes,
        accepted=accepted_by_td(event, match),
        struck=struck_by_td(event, match),
        elsewhere=_elsewhere(event, match, games),
        foreign={game.id for game in games if not _in_period(event, match, game)},
        between=_between_sittings(event, match, games),
    )
    if round.stage not in KNOCKOUT:
        return score_match(found)
    clocks = {game.id: game.white_clocks for game in games if game.white_clocks is not None}
    rules, colours = event.match_rules(match), event.colours(match)
    return score_knockout(found, rules, event.rules.armageddon, colours, clocks).as_match()


def _begins(event: Event, match: Match, games: Sequence[LichessGame]) -> datetime | None:
    """The agreed time; of a match that was moved after it had begun, that has none, or of which a TD counts an earlier
    game, the time at which it began: what was played stays played (Q12, Q38). Where the armageddon game is the only one
    (Q33) both may play it as soon as the colours are known."""
    colours = event.colours(match)
    if event.terms(match).decider_alone and colours is not None and match.agreed_at is not None:
        return min(match.agreed_at, colours.at or match.agreed_at)
    began = _began(event, match, games)
    if began is None:
        return match.agreed_at
    began += event.rules.games.before_start
    return began if match.agreed_at is None else min(match.agreed_at, began)


def _began(event: Event, match: Match, games: Sequence[LichessGame]) -> datetime | None:
    begun = _begun_ids(event, match) | accepted_by_td(event, match)
    if event.was_taken_back(match):
        return None
    return min((game.created_at for game in games if game.id in begun), default=None)


def _between_sittings(event: Event, match: Match, games: Sequence[LichessGame]) -> set[str]:
    """Q12, Q38: games begun after the match had been moved in the middle, and too long before the time it had then.
    Once a TD counts one of them, the match has gone on with it, and those after it count too."""
    began, accepted = _began(event, match, games), accepted_by_td(event, match)
    if began is None:
        return set()
    counted = [game.created_at for game in games if game.id in accepted]

    def is_between(at: datetime) -> bool:
        move = event.last_move(match, began, at)
        if move is None or at >= move.at - event.rules.games.before_start:
            return False
        return not any(move.made_at <= since <= at for since in counted)

    return {game.id for game in games if is_between(game.created_at)}


def _elsewhere(event: Event, match: Match, games: Sequence[LichessGame]) -> set[str]:
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

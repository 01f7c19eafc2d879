"""What Lichess shows of the two on the evening of their match: who is online, what they have begun (R6, Q13, Q19)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from engine.errors import LichessUnavailable
from engine.model import Match
from engine.ports import LichessGame, LichessPort
from engine.scoring import Fault, MatchScore
from engine.timers import Timer, TimerKind
from engine.usecases.context import Event
from engine.usecases.early_games import can_decide, early_games
from engine.usecases.pair_games import games_of_pair, read_games, was_cut_short

log = logging.getLogger(__name__)

LIKELY_FOR = timedelta(hours=3)
"""How long after the agreed time a match may well begin or go on."""

_NOT_BOTH = frozenset(
    {Fault.ABORTED, Fault.OTHER_PLAYERS, Fault.OTHER_ACCOUNT, Fault.COUNTED_ELSEWHERE, Fault.TOO_EARLY}
)
"""A game with one of these does not show that both have come. Any other does, though it does not count yet, or not at
all: who plays with a wrong clock is at the board (Q13, Q19, Q20)."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What Lichess said, None for what it did not answer. `online`: ids of the entrants who were. `gaps`: between the
    games of the match, as `gaps_between`."""

    games: tuple[LichessGame, ...] | None = None
    online: tuple[int, ...] | None = None
    gaps: tuple[int, ...] = ()

    @property
    def evidence(self) -> Mapping[str, Any]:
        online = None if self.online is None else list(self.online)
        return {"games_read": self.games is not None, "online": online, "gaps": list(self.gaps)}


NOTHING_SEEN = Looked()


def seen_again(timer: Timer, looked: Looked, now: datetime) -> Mapping[str, Any]:
    """The evidence of these ten minutes with what was seen after them, and when that was: a TD may extend them then."""
    return {**timer.evidence, "after": {**looked.evidence, "at": now.isoformat()}}


async def look(lichess: LichessPort, event: Event, match: Match, now: datetime) -> Looked:
    """Two questions; from the first that Lichess does not answer on, nothing is known."""
    games, online = None, None
    accounts = {event.entrants[id].lichess_id: id for id in (match.a_id, match.b_id)}
    try:
        games = tuple(await whole_games(lichess, event, match, now))
        seen = await lichess.presence(tuple(accounts))
        online = tuple(accounts[one.id] for one in seen if one.online and one.id in accounts)
    except LichessUnavailable as refusal:
        log.warning("match %d: Lichess did not say all that was asked: %s", match.id, refusal.code)
    gaps = () if games is None else gaps_between(event, match, games, now)
    return Looked(games, online, gaps)


async def whole_games(lichess: LichessPort, event: Event, match: Match, now: datetime) -> list[LichessGame]:
    """The games of the pair. LichessUnavailable("lichess_incomplete") where one is missing that was there before."""
    games = await games_of_pair(lichess, event, match, now)
    if was_cut_short(event, match, games):
        raise LichessUnavailable("lichess_incomplete")
    return games


async def games_for_claim(lichess: LichessPort, event: Event, timer: Timer, now: datetime) -> list[LichessGame]:
    """The games of the pair, asked for twice where nothing stands against the claim: an answer that ends too soon
    looks whole, and takes a match from somebody who has played it. Errors as `whole_games`."""
    match = event.matches[timer.match_id]
    games = await whole_games(lichess, event, match, now)
    return games if starts_since(event, timer, games) else await whole_games(lichess, event, match, now)


def starts_since(event: Event, timer: Timer, games: Iterable[LichessGame]) -> Sequence[datetime]:
    """When the two have begun games that end these ten minutes, oldest first: since the appointment, or since the
    minutes run. Those that were aborted end nothing (Q13, Q19, Q20). Of an appointment also games that they began
    before it by mutual consent, and one that still went on then (Q12)."""
    match, games = _at_its_time(event, timer), tuple(games)
    came, since = games_of_both(read_games(event, match, games)), timer.runs_from or timer.called_at
    before = set[str]()
    if timer.kind is TimerKind.ABSENT:
        since = timer.agreed_at - event.rules.games.before_start
        before.update(set(games_before(event, match, games).ids) - _judged(event, timer))
    ended = [game for game in games if game.id in before or (game.id in came and game.created_at >= since)]
    return sorted(game.created_at for game in ended)


@dataclass(frozen=True, slots=True)
class Before:
    """Games that the two began by mutual consent before the agreed time, oldest first. `excuses`: nobody is absent,
    since they can decide the match or one of them still goes on (Q12, Q13)."""

    ids: tuple[str, ...]
    excuses: bool


def games_before(event: Event, match: Match, games: Iterable[LichessGame]) -> Before:
    """Of a match with a time: the early games, and whatever still went on when the match could begin."""
    assert match.agreed_at is not None
    games = tuple(games)
    reading = read_games(event, match, games)
    since = match.agreed_at - event.rules.games.before_start
    early = early_games(event, match, games, reading)
    found = {*early, *_until_then(games, reading, since)}
    goes_on = any(bad.game_id in found and Fault.UNFINISHED in bad.faults for bad in reading.faulty)
    ids = tuple(id for _, id in sorted((game.created_at, game.id) for game in games if game.id in found))
    return Before(ids, goes_on or (bool(early) and can_decide(event, match, reading, len(early))))


def only_before(event: Event, timer: Timer, games: Sequence[LichessGame]) -> tuple[str, ...]:
    """The games from before the agreed time, if nothing else stands against this report of absence and they excuse
    nobody: a TD decides what they were."""
    if timer.kind is not TimerKind.ABSENT:
        return ()
    before, since = games_before(event, _at_its_time(event, timer), games), timer.agreed_at
    since -= event.rules.games.before_start
    if before.excuses or any(start >= since for start in starts_since(event, timer, games)):
        return ()
    judged = _judged(event, timer)
    return tuple(id for id in before.ids if id not in judged)


def _judged(event: Event, timer: Timer) -> set[str]:
    """The early games about which TDs had ruled when this was reported, as long as they have (Q12)."""
    ruled, ids = event.tournament.ruled_games.get(timer.match_id, {}), set(timer.evidence.get("judged", ()))
    return set() if ids.isdisjoint(ruled) else ids


def both_came(event: Event, timer: Timer, games: Sequence[LichessGame]) -> bool:
    """Whether the two have played after all what these ten minutes were about, not only before the agreed time."""
    starts, since = starts_since(event, timer, games), timer.agreed_at - event.rules.games.before_start
    return any(timer.kind is not TimerKind.ABSENT or start >= since for start in starts)


def _at_its_time(event: Event, timer: Timer) -> Match:
    return replace(event.matches[timer.match_id], agreed_at=timer.agreed_at)


def games_of_both(reading: MatchScore) -> set[str]:
    """The games, from where the match may begin, that show both at the board."""
    came = {bad.game_id for bad in reading.faulty if _NOT_BOTH.isdisjoint(bad.faults)}
    return came | {game.game_id for game in reading.all_counted} | set(reading.extra)


def _until_then(games: Iterable[LichessGame], reading: MatchScore, since: datetime) -> set[str]:
    """Games, with whatever settings, that were begun before that moment and still went on at it."""
    only_early = _NOT_BOTH - {Fault.TOO_EARLY}
    begun = {bad.game_id: bad.faults for bad in reading.faulty if only_early.isdisjoint(bad.faults)}
    running = {id for id, faults in begun.items() if Fault.UNFINISHED in faults}
    ended = {game.id: game.last_move_at or game.created_at for game in games}
    return running | {id for id in begun if ended[id] >= since}


@dataclass(frozen=True, slots=True)
class Board:
    """A match as its games say. `begun`: both have come to the board for it, so that one can leave it, perhaps to a
    game with other settings; `running`: the game in progress; `over`: nothing more is to be played; `needs_td`: a game
    waits for a TD (Q38b)."""

    begun: bool
    running: LichessGame | None
    over: bool
    needs_td: bool = False


def board_of(event: Event, match: Match, games: Iterable[LichessGame]) -> Board:
    games = tuple(games)
    reading = read_games(event, match, games)
    came = games_of_both(reading)
    created, until = {game.id: game.created_at for game in games}, event.window(match).closes
    if match.agreed_at is not None:
        until = min(until, match.agreed_at + LIKELY_FOR)
    begun = bool(reading.counted) or any(created[id] < until for id in came)
    in_progress = {bad.game_id for bad in reading.faulty if Fault.UNFINISHED in bad.faults} & came
    running = next((game for game in games if game.id in in_progress), None)
    over = reading.decided or reading.tied  # at a tie no game is due: first the bids (R3.16)
    return Board(begun=begun, running=running, over=over, needs_td=bool(reading.needs_td))


def running_since(event: Event, match: Match, games: Sequence[LichessGame], called_at: datetime) -> datetime | None:
    """Since when ten minutes run that were called then: from the end of the game that was in progress, else from that
    moment; None while it still is (Q16, Q18)."""
    board = board_of(event, match, games)
    if board.running is not None and board.running.created_at <= called_at:
        return None
    came = games_of_both(read_games(event, match, games))
    ends = [game.last_move_at for game in games if game.id in came and game.created_at <= called_at]
    return max([called_at, *(end for end in ends if end is not None)])


def gaps_between(event: Event, match: Match, games: Sequence[LichessGame], now: datetime) -> tuple[int, ...]:
    """R6.2: the seconds between the end of each game of the match and the beginning of the next, aborted ones left out;
    the last is what has passed since the last game. None while one is in progress."""
    counted = {game.game_id for game in read_games(event, match, games).all_counted}
    board = board_of(event, match, games)
    played = sorted((game for game in games if game.id in counted), key=lambda game: game.created_at)
    starts = [game.created_at for game in played[1:]]
    starts.append(now if board.running is None else board.running.created_at)
    ends = [game.last_move_at or game.created_at for game in played]
    return tuple(max(0, int((start - end).total_seconds())) for end, start in zip(ends, starts, strict=False))

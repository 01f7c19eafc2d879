"""The bot follows the matches of the evening by itself: running score, wrong games, result (R3.1, R3.3, R6.6, Q38b).

Lichess is asked again and again while a match is likely to be going on; nothing of it is kept but the facts, so a
process that was down catches up with its first look. A report by a player does the same at once. Where Lichess tells of
games as they begin and end (`engine.listening`), the look comes with the news, and the clock asks less often.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.errors import LichessUnavailable
from engine.listening import Ear, GameNews, Pair, players_of
from engine.model import Match, Occurrence
from engine.ports import LichessGame, Reader, Store
from engine.scoring import Fault, MatchScore
from engine.tournament import Result, ResultKind
from engine.usecases.context import Desk, Event, load_event, record
from engine.usecases.due import running_editions
from engine.usecases.early_games import EarlyPosts, early_games
from engine.usecases.evening_looks import LIKELY_FOR
from engine.usecases.game_lines import keep, left_while_open, with_kept
from engine.usecases.pair_games import games_of_pair, read_games, was_cut_short
from engine.usecases.posts import LiveScore, Outbox
from engine.usecases.reporting import By, before_the_tds, record_result, refresh_tables, tell_who_is_back
from engine.usecases.sittings import PAUSE
from engine.usecases.timer_watch import see_games
from engine.usecases.vanished import look_for

log = logging.getLogger(__name__)

WHILE_LIVE = timedelta(seconds=60)
WHILE_HEARD = timedelta(minutes=5)
LATER = timedelta(hours=1)
"""How often a match is looked at: while it is likely to be played, the same when the stream would have told of every
game since the last look (it can lose one without a word), and then until its time is over."""
AFTER_A_GAME = timedelta(hours=1)
"""How long after the last sign of life another game is likely."""
LAST_CHANCE = timedelta(minutes=5)
"""From then on before the deadline there is no time to play a first game again."""

_SETTINGS = frozenset(
    {
        Fault.WRONG_VARIANT,
        Fault.CASUAL,
        Fault.WRONG_CLOCK,
        Fault.TOURNAMENT_GAME,
        Fault.WRONG_COLOURS,
        Fault.ABOVE_BID,
    }
)
_NO_ANSWER = frozenset({"lichess_busy", "lichess_down"})


@dataclass(frozen=True, slots=True)
class _Looked:
    """The last look at a match, and until when it is thought to be live. `agreed_at`: the time it had then. `behind`:
    there was news, and the export did not show it yet."""

    agreed_at: datetime
    at: datetime
    live_until: datetime
    behind: bool


class Following:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._looked: dict[int, _Looked] = {}
        self._ear = Ear()
        self._live: dict[int, Pair] = {}
        self._woken: set[int] = set()
        self._looking: set[int] = set()
        self._stopping = False

    async def look(self) -> int:
        """Looks at every match whose turn it is, those with news first; how many were asked about. While Lichess does
        not answer nothing is told and nothing is lost: the next look reads the games again."""
        now, asked = self._desk.clock.now(), 0
        for edition_id in await self._desk.db.read(running_editions):
            event, matches = await self._desk.db.read(lambda reader, id=edition_id: self._due(reader, id, now))
            for match in sorted(matches, key=lambda match: match.id not in self._woken):
                if self._stopping:
                    return asked
                if match.id in self._looking:
                    continue  # by another look, which is not over yet
                try:
                    await self._look_at(event, match)
                except LichessUnavailable as refusal:
                    log.warning("match %d could not be followed: %s", match.id, refusal.code)
                    if refusal.code in _NO_ANSWER:
                        return asked  # nor would it answer about the others
                    continue
                asked += 1
        return asked

    async def _look_at(self, event: Event, match: Match) -> None:
        """Until there was no news meanwhile. News that nobody could look at yet stays news."""
        news = match.id in self._woken
        self._looking.add(match.id)
        try:
            while True:
                self._woken.discard(match.id)
                now = self._desk.clock.now()
                games = await look_for(self._desk, event, match)
                alive = await self._desk.db.write(lambda s, g=games, n=now: see(self._desk, s, match.id, g, n))
                likely = alive or event.colours(match) is not None
                self._remember(match, now, alive=likely, behind=news and not alive)
                if match.id not in self._woken or self._stopping:
                    return
                news = True
        except LichessUnavailable:
            if news:
                self._woken.add(match.id)
            raise
        finally:
            self._looking.discard(match.id)

    async def players(self) -> frozenset[str]:
        """The Lichess ids of everybody whose match is likely being played: whom a stream should be about. At most 300;
        the matches of the others are asked about every minute as without it."""
        now, live = self._desk.clock.now(), dict[int, Pair]()
        for edition_id in await self._desk.db.read(running_editions):
            live |= await self._desk.db.read(lambda reader, id=edition_id: self._likely(reader, id, now))
        self._live = live
        self._woken &= live.keys()
        if not live:
            self._ear.forget()
        return players_of(live.values())

    def listens_to(self, players: frozenset[str]) -> None:
        """A stream about these players is open from now on; about nobody: there is none."""
        self._ear.listens_to(players, self._desk.clock.now())

    def hears(self, news: GameNews) -> bool:
        """Whether a match should be looked at because of it. Nothing else is taken from what the stream says."""
        concerned = {match_id for match_id, pair in self._live.items() if pair == news.players}
        if not concerned or not self._ear.is_new(news):
            return False
        self._woken |= concerned
        return True

    def stop(self) -> None:
        self._stopping = True

    def _due(self, reader: Reader, edition_id: int, now: datetime) -> tuple[Event, list[Match]]:
        event = load_event(reader, self._desk.folds, edition_id)
        found = [m for m in event.open_matches() if is_followed(event, m, now) and self._is_due(event, m, now)]
        return event, found + [match for match in event.matches.values() if left_unseen(reader, event, match)]

    def _is_due(self, event: Event, match: Match, now: datetime) -> bool:
        """Once in any case, however late this process has begun; then until no game can count any more (Q8)."""
        looked = self._looked.get(match.id)
        if looked is None or looked.agreed_at != match.agreed_at:
            return True
        ends = event.window(match).closes + event.rules.games.finish_by + LATER
        return now < ends and (match.id in self._woken or looked.at + self._pause_after(match, looked) <= now)

    def _pause_after(self, match: Match, looked: _Looked) -> timedelta:
        if looked.at >= self._live_until(match):
            return LATER
        heard = self._ear.has_heard_all(self._live.get(match.id, frozenset()), looked.at)
        return WHILE_HEARD if heard and not looked.behind else WHILE_LIVE

    def _likely(self, reader: Reader, edition_id: int, now: datetime) -> dict[int, Pair]:
        """The pairs of the matches that are likely being played, those of the earliest time first."""
        event = load_event(reader, self._desk.folds, edition_id)
        likely: dict[int, Pair] = {}
        for match in sorted(event.open_matches(), key=lambda match: (match.agreed_at or now, match.id)):
            if is_followed(event, match, now) and now < self._live_until(match):
                accounts = (*event.accounts(match.a_id), *event.accounts(match.b_id))
                likely[match.id] = frozenset(held.lichess_id for held in accounts if held.counts_at(now))
        return likely

    def _live_until(self, match: Match) -> datetime:
        assert match.agreed_at is not None
        looked = self._looked.get(match.id)
        until = match.agreed_at + LIKELY_FOR if looked is None else looked.live_until
        sign = self._desk.signs.last(match.id)  # of a command that has read the games, however late the match begins
        return max([until, match.agreed_at + LIKELY_FOR, *([sign + AFTER_A_GAME] if sign is not None else [])])

    def _remember(self, match: Match, now: datetime, *, alive: bool, behind: bool) -> None:
        assert match.agreed_at is not None
        live_until = self._live_until(match)
        if alive:
            live_until = max(live_until, now + AFTER_A_GAME)
        self._looked[match.id] = _Looked(match.agreed_at, now, live_until, behind)


def see(desk: Desk, store: Store, match_id: int, answer: Sequence[LichessGame], now: datetime) -> bool:
    """Everything is looked up anew in the transaction. Whether a game has begun or ended since the last look."""
    event = load_event(store, desk.folds, store.get(Match, match_id).edition_id, keep=False)
    match = event.matches[match_id]
    left = left_unseen(store, event, match)
    if not (left or is_followed(event, match, now)) or was_cut_short(event, match, answer):
        return False
    games = with_kept(store, desk.lichess, match, answer)
    see_games(store, event, match, games, now)
    reading = read_games(event, match, games)
    keep(store, desk.lichess, match, answer, reading, now)
    outbox = Outbox(store, event.edition.guild_id, now)
    if reading.needs_td:
        key, waiting = f"match:{match.id}:games_need_td", list(reading.needs_td)
        outbox.td_news(key, "games_need_td", edition_id=event.edition.id, match_id=match.id, games=waiting)
    elif reading.decided:
        record_result(store, outbox, event, match, reading, By(), now)
        tell_who_is_back(outbox, event, load_event(store, desk.folds, event.edition.id, keep=False))
        return True
    if left:
        return _keep_walkover(store, outbox, event, match, games, reading, now)
    _tell_what_does_not_count(outbox, event, match, games, reading)
    early = early_games(event, match, games, reading)
    if early:
        EarlyPosts(store, event.edition.guild_id, now).warn(match, early)
    return _keep_score(store, outbox, event, match, games, reading, now)


def is_followed(event: Event, match: Match, now: datetime) -> bool:
    """A match with a time, from when its first game counts (Q12).

    Not one of which a TD decides first (Q1, Q2), nor one whose result a TD took back: that is for a report.
    """
    if match.agreed_at is None or event.is_settled(match) or before_the_tds(event, match):
        return False
    return match.agreed_at - event.rules.games.before_start <= now and not event.was_taken_back(match)


def left_unseen(reader: Reader, event: Event, match: Match) -> bool:
    """A player left when the time of the match had come, and the games that were begun before, which decide (R8.1),
    have not been seen since."""
    result, left_at = event.tournament.results.get(match.id), left_while_open(event, match)
    if result is None or result.kind is not ResultKind.WALKOVER or left_at is None or match.agreed_at is None:
        return False
    if match.agreed_at - event.rules.games.before_start >= left_at:
        return False
    return reader.one(Occurrence, edition_id=event.edition.id, key=_seen_key(match, result)) is None


def _seen_key(match: Match, walkover: Result) -> str:
    return f"match:{match.id}:left:{walkover.fact_id}:games"


def _keep_walkover(
    store: Store,
    outbox: Outbox,
    event: Event,
    match: Match,
    games: Sequence[LichessGame],
    reading: MatchScore,
    now: datetime,
) -> bool:
    """The games before the exit leave the match undecided: a walkover, with the games that were played (Q29). It is
    looked at again while one of them is still running."""
    result, created = event.tournament.results[match.id], {game.id: game.created_at for game in games}
    if reading.counted != result.games:
        at = max(created[game.game_id] for game in reading.counted) if reading.counted else now
        record(store, event.edition.id, reading.begun(match.id), now, clause="R8.1", occurred_at=at)
        outbox.result(match)
        outbox.match_changed(match, event.round_of(match))
        refresh_tables(outbox, event, match)
    if not any(Fault.UNFINISHED in bad.faults for bad in reading.faulty):
        key, left_at = _seen_key(match, result), left_while_open(event, match) or now
        store.settle(Occurrence(edition_id=event.edition.id, key=key, due_at=left_at, settled_at=now))
    return True


async def look_at_open(desk: Desk, event: Event, entrant_id: int) -> None:
    """Before a player leaves: what has been played is recorded first (R8.1). While Lichess does not answer nothing is
    done here: the games are seen afterwards, and count as of then (`left_unseen`)."""
    now = desk.clock.now()
    for match in event.open_matches():
        if not match.has(entrant_id) or not is_followed(event, match, now):
            continue
        try:
            games = await games_of_pair(desk.lichess, event, match, now)
        except LichessUnavailable as refusal:
            log.warning("match %d could not be looked at before an exit: %s", match.id, refusal.code)
            continue
        await desk.db.write(lambda s, m=match.id, g=games: see(desk, s, m, g, now))


def _keep_score(
    store: Store,
    outbox: Outbox,
    event: Event,
    match: Match,
    games: Sequence[LichessGame],
    reading: MatchScore,
    now: datetime,
) -> bool:
    """The fact of a match that goes on, and the running score wherever it stands."""
    counting = {game.game_id for game in reading.all_counted}
    running = next((bad.game_id for bad in reading.faulty if bad.faults == (Fault.UNFINISHED,)), None)
    ended = [game.last_move_at or game.created_at for game in games if game.id in counting]
    known = tuple(begun.get(match.id, ()) for begun in (event.tournament.begun, event.tournament.begun_tiebreaks))
    counted = bool(reading.counted) and (reading.counted, reading.tiebreak) != known
    if counted:
        record(store, event.edition.id, reading.begun(match.id), now, clause="R3.3")
    live = running is not None or any(now < end + PAUSE for end in ended)
    score = LiveScore(running=running, live=live, for_td=reading.needs_td)
    if not (reading.counted or running is not None or reading.needs_td or outbox.shows_score(match)):
        return False
    return outbox.live(match, score, anew=counted)


def _tell_what_does_not_count(
    outbox: Outbox, event: Event, match: Match, games: Sequence[LichessGame], reading: MatchScore
) -> None:
    """Q20, Q21: who has played with other settings hears of it while both are still at the board. What they play before
    the match or long after it, or when no first game can count any more, is their own affair."""
    assert match.agreed_at is not None
    created = {game.id: game.created_at for game in games}
    counted = [created[game.game_id] for game in reading.counted]
    begins = min([match.agreed_at, *counted])
    ends = max([match.agreed_at + LIKELY_FOR, *(at + AFTER_A_GAME for at in counted)])
    if event.colours(match) is not None:
        ends = event.window(match).closes
    if not counted:
        ends = min(ends, event.window(match).closes - LAST_CHANCE)
    if event.tied_at(match) is not None:
        for game_id in reading.extra:
            outbox.not_counted(match, game_id, ())  # as if it went on; only the armageddon game can decide
    for bad in reading.faulty:
        wrong = [fault for fault in bad.faults if fault is not Fault.UNFINISHED]
        if wrong and begins <= created[bad.game_id] < ends and _SETTINGS.issuperset(wrong):
            outbox.not_counted(match, bad.game_id, wrong)

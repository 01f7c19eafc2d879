"""The bot follows the matches of the evening by itself: running score, wrong games, result (R3.1, R3.3, R6.6, Q38b).

Lichess is asked again and again while a match is likely to be going on; nothing of it is kept but the facts, so a
process that was down catches up with its first look. A report by a player does the same at once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.errors import LichessUnavailable
from engine.facts import MatchBegun
from engine.model import Match
from engine.ports import LichessGame, Reader, Store
from engine.scoring import Fault, MatchScore
from engine.usecases.context import Desk, Event, load_event, record
from engine.usecases.due import running_editions
from engine.usecases.posts import Outbox
from engine.usecases.reporting import (
    By,
    before_the_tds,
    games_of_pair,
    read_games,
    record_result,
    tell_who_is_back,
    was_cut_short,
)

log = logging.getLogger(__name__)

WHILE_LIVE = timedelta(seconds=60)
LATER = timedelta(hours=1)
"""How often a match is looked at: while it is likely to be played, and then until its time is over."""
LIKELY_FOR = timedelta(hours=3)
"""How long after the agreed time a match may well begin or go on."""
AFTER_A_GAME = timedelta(hours=1)
"""How long after the last sign of life another game is likely."""

_SETTINGS = frozenset({Fault.WRONG_VARIANT, Fault.CASUAL, Fault.WRONG_CLOCK, Fault.TOURNAMENT_GAME})


@dataclass(frozen=True, slots=True)
class _Looked:
    """When a match is looked at next, and until when it is thought to be live."""

    next_at: datetime
    live_until: datetime


class Following:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._looked: dict[int, _Looked] = {}
        self._stopping = False

    async def look(self) -> int:
        """Looks at every match whose turn it is; how many were asked about. While Lichess does not answer nothing is
        told and nothing is lost: the next look reads the games again."""
        now, asked = self._desk.clock.now(), 0
        for edition_id in await self._desk.db.read(running_editions):
            event, matches = await self._desk.db.read(lambda reader, id=edition_id: self._due(reader, id, now))
            for match in matches:
                if self._stopping:
                    return asked
                try:
                    games = await self._games(event, match, now)
                except LichessUnavailable as refusal:
                    log.warning("match %d could not be followed: %s", match.id, refusal.code)
                    if refusal.code == "lichess_busy":
                        return asked
                    continue
                asked += 1
                alive = await self._desk.db.write(lambda s, m=match.id, g=games: self._see(s, m, g, now))
                self._remember(event, match, now, alive=alive)
        return asked

    def stop(self) -> None:
        self._stopping = True

    def _due(self, reader: Reader, edition_id: int, now: datetime) -> tuple[Event, list[Match]]:
        event = load_event(reader, self._desk.folds, edition_id)
        due = [m for m in event.open_matches() if is_followed(event, m, now)]
        known = self._looked
        return event, [match for match in due if match.id not in known or known[match.id].next_at <= now]

    async def _games(self, event: Event, match: Match, now: datetime) -> list[LichessGame]:
        return await games_of_pair(self._desk.lichess, event, match, now)

    def _remember(self, event: Event, match: Match, now: datetime, *, alive: bool) -> None:
        assert match.agreed_at is not None
        before = self._looked.get(match.id)
        live_until = before.live_until if before is not None else match.agreed_at + LIKELY_FOR
        if alive:
            live_until = max(live_until, now + AFTER_A_GAME)
        self._looked[match.id] = _Looked(now + (WHILE_LIVE if now < live_until else LATER), live_until)

    def _see(self, store: Store, match_id: int, games: Sequence[LichessGame], now: datetime) -> bool:
        """Everything is looked up anew in the transaction. Whether a game has begun or ended since the last look."""
        event = load_event(store, self._desk.folds, store.get(Match, match_id).edition_id, keep=False)
        match = event.matches[match_id]
        if not is_followed(event, match, now) or was_cut_short(event, match, games):
            return False
        reading = read_games(event, match, games)
        outbox = Outbox(store, event.edition.guild_id, now)
        if reading.needs_td:
            key = f"match:{match.id}:games_need_td"
            outbox.td_once(key, "games_need_td", edition_id=event.edition.id, match_id=match.id)
        elif reading.decided:
            record_result(store, outbox, event, match, reading, games, By(), now)
            tell_who_is_back(outbox, event, load_event(store, self._desk.folds, event.edition.id, keep=False))
            return True
        _tell_what_does_not_count(outbox, match, games, reading)
        return _keep_score(store, outbox, event, match, reading, now)


def is_followed(event: Event, match: Match, now: datetime) -> bool:
    """A match with a time, from when its first game counts (Q12) until no game can count any more (Q8).

    Not one of which a TD decides first (Q1, Q2), nor one that has had a result: what was taken back is for those who
    did so.
    """
    if match.agreed_at is None or event.is_settled(match) or before_the_tds(event, match):
        return False
    rules = event.rules.games
    begins = match.agreed_at - rules.before_start
    ends = event.window(match).closes + rules.finish_by + LATER
    return begins <= now < ends and not event.had_result(match)


def _keep_score(store: Store, outbox: Outbox, event: Event, match: Match, reading: MatchScore, now: datetime) -> bool:
    """The fact of a match that goes on, and the running score wherever it stands."""
    running = next((bad.game_id for bad in reading.faulty if bad.faults == (Fault.UNFINISHED,)), None)
    counted = bool(reading.counted) and reading.counted != event.tournament.begun.get(match.id, ())
    if counted:
        record(store, event.edition.id, MatchBegun(match.id, reading.counted), now, clause="R3.3")
    begun = bool(reading.counted) or running is not None
    return outbox.live(match, running, anew=counted) if begun else False


def _tell_what_does_not_count(outbox: Outbox, match: Match, games: Sequence[LichessGame], reading: MatchScore) -> None:
    """Q20, Q21: who has played with other settings hears of it while both are still at the board."""
    assert match.agreed_at is not None
    created = {game.id: game.created_at for game in games}
    first = [created[game.game_id] for game in reading.counted[:1]]
    begins = min(match.agreed_at, *first) if first else match.agreed_at  # before that it was a warm-up
    for bad in reading.faulty:
        wrong = [fault for fault in bad.faults if fault is not Fault.UNFINISHED]
        if wrong and created[bad.game_id] >= begins and _SETTINGS.issuperset(wrong):
            outbox.not_counted(match, bad.game_id, wrong)

"""The ten minutes of a match follow its games: they begin with the end of one and end with the next (Q13, Q16, Q18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine.match_flow import Verdict, left_claim
from engine.model import Match
from engine.ports import LichessGame, Reader, Store
from engine.timers import Timer, TimerEnd, TimerKind, breaks_used, came_of, ends_at, is_stopped
from engine.usecases.context import Desk, Event, load_event
from engine.usecases.crossing import played
from engine.usecases.evening_looks import NOTHING_SEEN, board_of, both_came, look, running_since, starts_since
from engine.usecases.game_lines import with_kept
from engine.usecases.pair_games import read_games
from engine.usecases.sittings import is_point_decided
from engine.usecases.timer_posts import TimerPosts


def see_games(store: Store, event: Event, match: Match, games: Sequence[LichessGame], now: datetime) -> None:
    """Whoever has read the games of a match in a transaction, whole, shows them here."""
    for timer in store.find(Timer, match_id=match.id, agreed_at=match.agreed_at, outcome=None):
        if not is_stopped(event.terms(match), timer):
            _see(store, event, timer, games, now)
    with_tds = store.find(Timer, match_id=match.id, agreed_at=match.agreed_at, outcome=[TimerEnd.TD, TimerEnd.ASKED])
    for timer in with_tds:
        if came_of(timer) is not TimerEnd.PLAYED and both_came(event, timer, games):
            posts = TimerPosts(store, event.edition.guild_id, now)
            timer = store.save(replace(timer, evidence={**timer.evidence, "played": now.isoformat()}))
            posts.follow(event, timer)


async def catch_up(desk: Desk, match_id: int) -> None:
    """Before somebody asks about ten minutes that wait for the end of a game, the games are read: nobody has to wait
    for the next look of the bot."""

    def pending(reader: Reader) -> tuple[Event, Match] | None:
        match = reader.get(Match, match_id)
        waiting = reader.find(Timer, match_id=match_id, agreed_at=match.agreed_at, outcome=None)
        if match.agreed_at is None or all(one.runs_from is not None for one in waiting):
            return None
        event = load_event(reader, desk.folds, match.edition_id)
        return None if event.is_settled(match) else (event, match)

    def work(store: Store, answer: Sequence[LichessGame]) -> None:
        match = store.get(Match, match_id)
        event = load_event(store, desk.folds, match.edition_id, keep=False)
        if not event.is_settled(match):
            see_games(store, event, match, with_kept(store, desk.lichess, match, answer), now)

    now, found = desk.clock.now(), await desk.db.read(pending)
    looked = NOTHING_SEEN if found is None else await look(desk.lichess, *found, now)
    games = looked.games
    desk.signs.read(match_id, games, now)
    if games is not None:
        await desk.db.write(lambda store: work(store, games))


def _see(store: Store, event: Event, timer: Timer, games: Sequence[LichessGame], now: datetime) -> None:
    match, posts = event.matches[timer.match_id], TimerPosts(store, event.edition.guild_id, now)
    begins = timer.runs_from is None
    if begins:
        timer = replace(timer, runs_from=running_since(event, match, games, timer.called_at))
        if timer.runs_from is None:
            return
        if _ends_nothing(event, timer, games):
            posts.end(event, timer, TimerEnd.OVER)
            return
        store.save(timer)
    if starts_since(event, timer, games):
        played(store, event, timer, games, now)
    elif timer.kind is not TimerKind.ABSENT and board_of(event, match, games).over:
        posts.end(event, timer, TimerEnd.OVER)  # by a ruling about a game: nothing is waited for any more
    elif begins:
        posts.follow(event, timer)
        posts.told(timer, "runs")


def _ends_nothing(event: Event, timer: Timer, games: Sequence[LichessGame]) -> bool:
    """Q18, R3.16, Q32: after the game that was in progress no other is due, or none that a forfeit could be about."""
    match = event.matches[timer.match_id]
    if board_of(event, match, games).over:
        return True
    return timer.kind is TimerKind.LEFT and is_point_decided(event, match, read_games(event, match, games))


def left_verdict(
    event: Event,
    timer: Timer,
    timers: Sequence[Timer],
    starts: Sequence[datetime],
    now: datetime,
    *,
    match_over: bool = False,
) -> Verdict:
    """R6.4, Q17, Q18: what whoever has stayed may do now. `timers`: all of the match."""
    match, rules = event.matches[timer.match_id], event.rules.evening
    terms = event.terms(match)
    used = breaks_used(rules, terms, timers, match.opponent_of(timer.entrant_id), before=timer)
    since, until = timer.runs_from or timer.called_at, ends_at(rules, terms, timer)
    return left_claim(rules, since, used, starts, now, match_over=match_over, until=until)

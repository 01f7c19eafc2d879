"""`/td-match games`: TDs accept, strike out or have replayed single games of a match (R3.1, R7.2, Q19-Q21, Q35, Q38c).

Lichess is asked first, so that what is ruled about is as it is now; while it does not answer, what was kept decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from engine.errors import Conflict, LichessUnavailable, NotFound
from engine.facts import GameDecision
from engine.game_rulings import rule_game
from engine.model import Match, Post
from engine.ports import LichessGame, Reader, Store
from engine.rulings import Ruling
from engine.scoring import Fault, MatchScore
from engine.usecases.context import Actor, Desk, Event, current_event, require_td
from engine.usecases.game_lines import keep, kept_games, with_kept
from engine.usecases.matches import find_seat
from engine.usecases.pair_games import games_of_pair, read_games
from engine.usecases.posts import Outbox, not_counted_key
from engine.usecases.rulings import Rulings, RulingView
from engine.usecases.vanished import gone_games, is_not_found


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSeen:
    """A game of a match as it counts now. `said`: what a TD has decided about it. `gone`: Lichess does not show it any
    more, or lists no game of the two."""

    match: Match
    game: LichessGame
    faults: tuple[Fault, ...]
    extra: bool
    said: GameDecision | None
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRulingView:
    seen: GameSeen
    decision: GameDecision
    outcome: RulingView


class GameRulings:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings

    async def show(self, actor: Actor, match_id: int, game_id: str, decision: GameDecision) -> GameRulingView:
        """What the decision would change. NotFound("game_of_match") where Lichess knows no such game;
        LichessUnavailable when it does not answer and the game was not kept; else as `rule_game`, `Rulings.preview`."""
        seen = await self._look(actor, match_id, game_id)
        outcome = await self._rulings.preview(actor, lambda event: _decide(event, seen, decision))
        return GameRulingView(seen=seen, decision=decision, outcome=outcome)

    async def rule(
        self,
        actor: Actor,
        match_id: int,
        game_id: str,
        decision: GameDecision,
        reason: str,
        *,
        version: int | None = None,
    ) -> GameRulingView:
        """Records it, with the result that follows. `version`: of the match when the preview was seen; what happens in
        other matches meanwhile, and on an evening much does, is no reason to ask again. Errors as `show` and
        `Rulings.make`, Conflict("changed_meanwhile")."""
        seen = await self._look(actor, match_id, game_id)

        def decide(event: Event) -> Ruling:
            if version is not None and version != version_of(event, match_id):
                raise Conflict("changed_meanwhile")
            return _decide(event, seen, decision)

        outcome = await self._rulings.make(actor, decide, reason, match_id=match_id)
        return GameRulingView(seen=seen, decision=decision, outcome=outcome)

    async def choices(self, actor: Actor, match_id: int) -> list[GameSeen]:
        """The games of a match that were kept, for autocomplete, newest first."""

        def work(reader: Reader) -> list[GameSeen]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            match = _match(event, match_id)
            games = kept_games(reader, self._desk.lichess, match)
            score = read_games(event, match, games)
            return [_seen(event, match, game, score) for game in reversed(games)]

        return await self._desk.db.read(work)

    async def ask(self, actor: Actor, match_id: int, game_id: str) -> bool:
        """Q20, Q21: a player asks the TDs to count a game with other settings; when both have asked, they are told.
        Whether both have now. Conflict("game_not_asked") for a game that nobody was told about, or that is ruled about.
        """
        now = self._desk.clock.now()

        def work(store: Store) -> bool:
            seat = find_seat(store, self._desk.folds, actor, match_id, keep=False)
            told = store.one(Post, key=not_counted_key(seat.match, game_id))
            if told is None or game_id in seat.event.tournament.ruled_games.get(match_id, {}):
                raise Conflict("game_not_asked", clause="R3.1")
            asked = list(dict.fromkeys([*told.payload.get("asked", ()), seat.entrant.id]))
            outbox = Outbox(store, actor.guild_id, now)
            outbox.owe(told.key, told.kind, told.target, **{**told.payload, "asked": asked})
            both = len(asked) > 1
            if both:
                outbox.game_for_td(seat.event.edition.id, seat.match, game_id, "asked", told.payload["faults"])
            return both

        return await self._desk.db.write(work)

    async def _look(self, actor: Actor, match_id: int, game_id: str) -> GameSeen:
        """Reads the games and keeps their lines, so that the ruling is worked out from what stands now."""

        def find(reader: Reader) -> tuple[Event, Match, list[LichessGame]]:
            require_td(reader, actor)
            event = current_event(reader, self._desk.folds, actor.guild_id)
            match = _match(event, match_id)
            return event, match, kept_games(reader, self._desk.lichess, match)

        now = self._desk.clock.now()
        event, match, kept = await self._desk.db.read(find)
        answer, listed = await self._asked(event, match, game_id, kept, now)

        def work(store: Store) -> GameSeen:
            event = current_event(store, self._desk.folds, actor.guild_id, keep=False)
            match = _match(event, match_id)
            games = with_kept(store, self._desk.lichess, match, answer)
            score = read_games(event, match, games)
            game = next((game for game in games if game.id == game_id), None)
            if game is None:
                raise NotFound("game_of_match", id=game_id)
            gone = not listed or (game_id in gone_games(store, match) and game_id not in {one.id for one in answer})
            seen = replace(_seen(event, match, game, score), gone=gone)
            # With an early game those after it count, too (Q12): the preview shows what will stand.
            early = [later.id for later in games if later.created_at >= game.created_at]
            named = early if Fault.TOO_EARLY in seen.faults else [game_id]
            keep(store, self._desk.lichess, match, answer, score, now, named=named)
            return seen

        return await self._desk.db.write(work)

    async def _asked(
        self, event: Event, match: Match, game_id: str, kept: list[LichessGame], now: datetime
    ) -> tuple[list[LichessGame], bool]:
        """And whether Lichess lists the games of the two; where it shows neither account, a TD names each."""
        result = event.tournament.results.get(match.id)
        counted = () if result is None else (*(game.game_id for game in result.games), *result.extra)
        try:
            found = await self._of_pair(event, match, now)
            known = {game.id for game in (*(found or ()), *kept)}
            missing = [id for id in dict.fromkeys((game_id, *counted)) if id not in known]
            by_id = await self._desk.lichess.games(missing) if missing else []
            return [*(found or ()), *by_id], found is not None
        except LichessUnavailable:
            if all(game.id != game_id for game in kept):
                raise
            return [], True

    async def _of_pair(self, event: Event, match: Match, now: datetime) -> list[LichessGame] | None:
        """None where Lichess shows neither account."""
        try:
            return await games_of_pair(self._desk.lichess, event, match, now)
        except LichessUnavailable as refusal:
            if not is_not_found(refusal):
                raise
            return None


def version_of(event: Event, match_id: int) -> int:
    """The last fact about a match."""
    return max((fact.id for fact in event.ledger.facts if fact.payload.get("match_id") == match_id), default=0)


def _decide(event: Event, seen: GameSeen, decision: GameDecision) -> Ruling:
    return rule_game(event.championship, seen.match.id, seen.game.id, decision, seen.faults, gone=seen.gone)


def _seen(event: Event, match: Match, game: LichessGame, score: MatchScore) -> GameSeen:
    return GameSeen(
        match=match,
        game=game,
        faults=next((bad.faults for bad in score.faulty if bad.game_id == game.id), ()),
        extra=game.id in score.extra,
        said=event.tournament.ruled_games.get(match.id, {}).get(game.id),
    )


def _match(event: Event, match_id: int) -> Match:
    match = event.matches.get(match_id)
    if match is None:
        raise NotFound("match", id=match_id)
    return match

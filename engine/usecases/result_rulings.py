"""`/td-match result`, `forfeit`, `double-forfeit`, `void`: a TD ends a match (R1.3, R3.10, R6.5; Q22-Q34, Q42).

Lichess is asked first, so that the games played so far stand; while it does not answer, those that were kept do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.adjudication import Case
from engine.championship import Championship
from engine.errors import Conflict, NotFound
from engine.match_rulings import case_of
from engine.model import Match
from engine.ports import LichessGame, Reader, Store
from engine.result_rulings import Places, Word, rule_result
from engine.rulings import Ruling
from engine.usecases.context import Actor, Desk, Event, current_event, require_td
from engine.usecases.evening_looks import look
from engine.usecases.game_lines import keep, kept_games, with_kept
from engine.usecases.game_rulings import version_of
from engine.usecases.pair_games import read_games
from engine.usecases.rulings import Rulings, RulingView


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """A result that a TD gives. `games_read`: whether Lichess has answered; `outcome`: with the change."""

    match: Match
    word: Word
    games_read: bool
    outcome: RulingView


class ResultRulings:
    def __init__(self, desk: Desk, rulings: Rulings) -> None:
        self._desk = desk
        self._rulings = rulings

    async def show(self, actor: Actor, match_id: int, word: Word) -> ResultView:
        """What it would change. NotAllowed("td_only"), NotAllowed("recused"), NotFound("match"), and what
        `engine.result_rulings` raises."""
        match, games, read = await games_now(self._desk, actor, match_id)
        outcome = await self._rulings.preview(actor, lambda event: _decide(event, match_id, games, word))
        return ResultView(match=match, word=word, games_read=read, outcome=outcome)

    async def rule(
        self, actor: Actor, match_id: int, word: Word, reason: str, *, version: int | None = None
    ) -> ResultView:
        """Records it. `version`: of the match when the preview was seen. Errors as `show` and `Rulings.make`,
        Conflict("changed_meanwhile")."""
        match, games, read = await games_now(self._desk, actor, match_id)

        def decide(event: Event) -> Ruling:
            if version is not None and version != version_of(event, match_id):
                raise Conflict("changed_meanwhile")
            return _decide(event, match_id, games, word)

        outcome = await self._rulings.make(actor, decide, reason, match_id=match_id)
        return ResultView(match=match, word=word, games_read=read, outcome=outcome)


async def games_now(desk: Desk, actor: Actor, match_id: int) -> tuple[Match, Sequence[LichessGame], bool]:
    """For a ruling: the match, its games, which are kept, and whether Lichess has shown them just now.
    NotAllowed("td_only"), NotFound("match")."""

    def find(reader: Reader) -> tuple[Event, Match]:
        require_td(reader, actor)
        event = current_event(reader, desk.folds, actor.guild_id)
        return event, _match(event, match_id)

    now = desk.clock.now()
    event, match = await desk.db.read(find)
    answer = (await look(desk.lichess, event, match, now)).games

    def work(store: Store) -> Sequence[LichessGame]:
        if answer is None:
            return kept_games(store, desk.lichess, match)
        event = current_event(store, desk.folds, actor.guild_id, keep=False)
        games = with_kept(store, desk.lichess, match, answer)
        keep(store, desk.lichess, match, answer, read_games(event, match, games), now)
        return games

    return match, await desk.db.write(work), answer is not None


def _match(event: Event, match_id: int) -> Match:
    match = event.matches.get(match_id)
    if match is None:
        raise NotFound("match", id=match_id)
    return match


def _decide(event: Event, match_id: int, games: Sequence[LichessGame], word: Word) -> Ruling:
    match = _match(event, match_id)
    return rule_result(event.championship, _case(event, match, games), word, _places(event.championship, match))


def _case(event: Event, match: Match, games: Sequence[LichessGame]) -> Case:
    """With the games that count now, whatever was recorded of them so far."""
    case, reading = case_of(event.championship, match.id), read_games(event, match, games)
    if not reading.counted and reading.armageddon is None:
        return case
    return replace(case, games=reading.counted, tiebreak_games=reading.tiebreak, armageddon=reading.armageddon)


def _places(event: Championship, match: Match) -> Places:
    """Q33: the places in the Candidates, each in the own pool, and in the Qualification."""
    pools = {line.entrant_id: line.rank for table in event.pools().values() for line in table}
    qualified = event.qualification_places()
    return {
        "candidates_place": (pools.get(match.a_id), pools.get(match.b_id)),
        "qualification_place": (qualified.get(match.a_id), qualified.get(match.b_id)),
    }

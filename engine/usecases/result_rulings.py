"""`/td-match result`, `forfeit`, `double-forfeit`, `void`: a TD ends a match (R1.3, R3.10, R6.5; Q22-Q34, Q42).

Lichess is asked first, so that the games played so far stand; while it does not answer, those that were kept do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from engine.adjudication import Case
from engine.championship import Championship
from engine.errors import Conflict
from engine.match_rulings import case_of
from engine.model import Match
from engine.ports import LichessGame
from engine.result_rulings import Places, Word, rule_result
from engine.rulings import Preview, Ruling, preview
from engine.usecases.context import Actor, Desk, Event
from engine.usecases.game_rulings import version_of
from engine.usecases.games_now import games_now, match_of
from engine.usecases.pair_games import read_games
from engine.usecases.rulings import Rulings, RulingView


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """A result that a TD gives. `games_read`: whether Lichess has answered; `outcome`: with the change; `seal`: of what
    the TD was shown."""

    match: Match
    word: Word
    games_read: bool
    outcome: RulingView

    @property
    def seal(self) -> int:
        return _seal(self.outcome.event, self.match.id, self.outcome.preview)


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
        self, actor: Actor, match_id: int, word: Word, reason: str, *, seal: int | None = None
    ) -> ResultView:
        """Records it. `seal`: of the preview that the TD has confirmed. Errors as `show` and `Rulings.make`,
        Conflict("changed_meanwhile")."""
        match, games, read = await games_now(self._desk, actor, match_id)
        now = self._desk.clock.now()

        def decide(event: Event) -> Ruling:
            ruling = _decide(event, match_id, games, word)
            if seal is not None and seal != _seal(event, match_id, preview(event.championship, ruling, now)):
                raise Conflict("changed_meanwhile")
            return ruling

        outcome = await self._rulings.make(actor, decide, reason, match_id=match_id)
        return ResultView(match=match, word=word, games_read=read, outcome=outcome)


def _seal(event: Event, match_id: int, seen: Preview) -> int:
    """Of the match, and of who would be in, out, or forfeit more by what is decided about it: a forfeit elsewhere
    since then can make this the second (R6.5)."""
    is_ = seen.after.tournament
    forfeits = [(id, len(is_.forfeits.get(id, ()))) for id in seen.forfeited]
    out = [left.entrant_id for left in seen.due_out]
    return crc32(repr((version_of(event, match_id), forfeits, out, seen.out, seen.back)).encode())


def _decide(event: Event, match_id: int, games: Sequence[LichessGame], word: Word) -> Ruling:
    match = match_of(event, match_id)
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

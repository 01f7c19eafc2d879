"""The games of a match as Lichess shows them just now, for what TDs decide about it.

While Lichess does not answer, those that were kept decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import Conflict, NotFound
from engine.facts import DeciderSet, decode
from engine.model import Match
from engine.ports import LichessGame, Reader, Store
from engine.usecases.context import Actor, Desk, Event, current_event, require_td
from engine.usecases.evening_looks import board_of, look
from engine.usecases.game_lines import keep, kept_games, with_kept
from engine.usecases.pair_games import read_games


async def games_now(desk: Desk, actor: Actor, match_id: int) -> tuple[Match, Sequence[LichessGame], bool]:
    """For a ruling: the match, its games, which are kept, and whether Lichess has shown them just now.
    NotAllowed("td_only"), NotFound("match")."""

    def find(reader: Reader) -> tuple[Event, Match]:
        require_td(reader, actor)
        event = current_event(reader, desk.folds, actor.guild_id)
        return event, match_of(event, match_id)

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


async def refuse_begun_decider(desk: Desk, actor: Actor, fact_id: int) -> None:
    """Q33: once the armageddon game that alone decides a match is begun, it decides. Conflict("game_running"),
    Conflict("decider_played"); errors as `games_now`."""

    def find(reader: Reader) -> int | None:
        require_td(reader, actor)
        event = current_event(reader, desk.folds, actor.guild_id)
        said = next((decode(fact) for fact in event.ledger.facts if fact.id == fact_id), None)
        return said.match_id if isinstance(said, DeciderSet) and event.colours(match_of(event, said.match_id)) else None

    match_id = await desk.db.read(find)
    if match_id is None:
        return
    match, games, _ = await games_now(desk, actor, match_id)

    def check(reader: Reader) -> None:
        event = current_event(reader, desk.folds, actor.guild_id)
        if not event.is_settled(match):
            refuse_running(event, match, games)
            if read_games(event, match, games).armageddon is not None:
                raise Conflict("decider_played", clause="Q33")

    await desk.db.read(check)


def refuse_running(event: Event, match: Match, games: Sequence[LichessGame]) -> None:
    """Conflict("game_running") while the two play a game of the match."""
    running = board_of(event, match, games).running
    if running is not None:
        raise Conflict("game_running", id=running.id)


def match_of(event: Event, match_id: int) -> Match:
    """NotFound("match")."""
    match = event.matches.get(match_id)
    if match is None:
        raise NotFound("match", id=match_id)
    return match

"""Counted games that Lichess does not show any more, and two accounts that are both closed: the TDs are told, once
(R5.10, Q35, Q44f).

Nothing is decided by it: what has counted stays, an answer without a counted game is used for nothing, and the match
waits for the TDs.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from engine.errors import Conflict, LichessUnavailable
from engine.model import Match, Post
from engine.ports import LichessGame, Reader, Store
from engine.usecases.context import Desk, Event
from engine.usecases.pair_games import games_of_pair, missing_games
from engine.usecases.posts import Outbox

LOOKS = 2
"""So often Lichess is asked for a game by its id before it counts as gone: an answer may leave out games."""


def gone_games(reader: Reader, match: Match) -> frozenset[str]:
    """The counted games of which the TDs were told that they are gone: these count by a TD's word, or not at all."""
    told = reader.one(Post, key=f"td:{_gone_key(match)}")
    return frozenset[str]() if told is None else frozenset(told.payload["params"]["games"])


def refuse_short(reader: Reader, event: Event, match: Match, games: Sequence[LichessGame]) -> None:
    """An answer without games that have counted decides nothing. Conflict("games_gone") where these are known to be
    gone; else LichessUnavailable("lichess_incomplete")."""
    missing = missing_games(event, match, games)
    if missing and missing <= gone_games(reader, match):
        raise Conflict("games_gone", clause="R5.10", games=sorted(missing))
    if missing:
        raise LichessUnavailable("lichess_incomplete")


async def look_for(desk: Desk, event: Event, match: Match) -> list[LichessGame]:
    """The games of the pair, as `games_of_pair`, and what is missing among them is told to the TDs.
    LichessUnavailable("both_closed") where both accounts are closed."""
    try:
        games = await games_of_pair(desk.lichess, event, match, desk.clock.now())
    except LichessUnavailable as refusal:
        if is_not_found(refusal) and await _both_closed(desk, event, match):
            raise LichessUnavailable("both_closed", **refusal.params) from refusal
        raise
    missing = frozenset(missing_games(event, match, games))
    if missing and not missing <= await desk.db.read(lambda reader: gone_games(reader, match)):
        await _tell_if_gone(desk, event, match, missing)
    return games


def is_not_found(refusal: LichessUnavailable) -> bool:
    """Lichess has answered that there is nothing of that name, or that it shows nothing of it."""
    return refusal.params.get("status") == HTTPStatus.NOT_FOUND


async def _tell_if_gone(desk: Desk, event: Event, match: Match, missing: frozenset[str]) -> None:
    """Those that Lichess does not know by their ids either; the others were left out by the answer alone."""
    for _ in range(LOOKS):
        if missing:
            missing -= {game.id for game in await desk.lichess.games(sorted(missing))}

    def tell(store: Store) -> None:
        games = sorted(missing | gone_games(store, match))
        outbox = Outbox(store, event.edition.guild_id, desk.clock.now())
        about = {"match_id": match.id, "games": games, "cause": "gone"}
        outbox.td_news(_gone_key(match), "games_need_td", edition_id=event.edition.id, **about)
        told = {"match_id": match.id, "games": games}
        outbox.owe(f"{_gone_key(match)}:{len(games)}", "games_gone", f"thread:{match.id}", **told)

    if missing:
        await desk.db.write(tell)


async def _both_closed(desk: Desk, event: Event, match: Match) -> bool:
    """Lichess lists games of two as long as it shows one of them; where it shows none, the TDs are told."""
    if await desk.db.read(lambda reader: _closed_told(reader, match)):
        return True
    now = desk.clock.now()
    held = [account for id in (match.a_id, match.b_id) for account in event.accounts(id) if account.counts_at(now)]
    found = await desk.lichess.accounts([account.lichess_id for account in held])
    if not {account.lichess_id for account in held} <= {account.id for account in found if account.closed}:
        return False

    def tell(store: Store) -> None:
        outbox = Outbox(store, event.edition.guild_id, now)
        outbox.td(_closed_key(match), "both_closed", edition_id=event.edition.id, match_id=match.id)

    await desk.db.write(tell)
    return True


def _closed_told(reader: Reader, match: Match) -> bool:
    return reader.one(Post, key=f"td:{_closed_key(match)}") is not None


def _closed_key(match: Match) -> str:
    return f"match:{match.id}:both_closed"


def _gone_key(match: Match) -> str:
    return f"match:{match.id}:gone"

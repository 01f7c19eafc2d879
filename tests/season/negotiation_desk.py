"""The real use cases around one published match, without Discord: a moved clock and a Lichess of a few lines."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count
from pathlib import Path
from typing import Any

from db.worker import SqlDatabase
from engine.errors import LichessUnavailable
from engine.model import Edition, EditionState, Entrant, Match, OfferState, Person, Server
from engine.ports import Challenge, LichessGame, Presence
from engine.rules import shipped_text
from engine.usecases import UseCases
from engine.usecases.context import Actor, load_event
from engine.usecases.matches import view_match
from tests.season.negotiation_model import PUBLISHED

GUILD, TD_ROLE = 1000, 77
MATCH = 1
NOTICES = {
    "both-failed": "both failed, but",
    "right-ended": "time to set",
    "unplayed": "unplayed",
    "extension": "extension over",
    "allowed": "played, not reported",
}
"""What the key of a notice to the TDs says it is about."""


@dataclass
class MovedClock:
    moment: datetime = PUBLISHED

    def now(self) -> datetime:
        return self.moment


@dataclass
class FewLinesOfLichess:
    """Games of one pair; the other questions are not asked here."""

    found: list[LichessGame] = field(default_factory=list)
    down: bool = False

    async def games_between(self, a: str, b: str, since: datetime, until: datetime) -> list[LichessGame]:
        if self.down:
            raise LichessUnavailable("lichess_down")
        return [game for game in self.found if since <= game.created_at < until]

    async def open_challenge(self, challenge: Challenge) -> str:
        if self.down:
            raise LichessUnavailable("lichess_down")
        return "https://lichess.org/open0000"

    async def presence(self, ids: Sequence[str]) -> list[Presence]:
        return []

    async def games(self, ids: Sequence[str]) -> list[LichessGame]:
        return [game for game in self.found if game.id in ids]

    def read_line(self, line: str) -> LichessGame:
        return next(game for game in self.found if game.line == line)

    def add(self, at: datetime, winner: str | None) -> None:
        """A game of the rules that begins at that moment, won by white or black, or still running."""
        self.found.append(
            LichessGame(
                id=f"game{len(self.found):04d}",
                white="anna",
                black="bob",
                variant="antichess",
                rated=True,
                status="started" if winner is None else "resign",
                winner=winner,
                created_at=at,
                last_move_at=at,
                clock_initial=60,
                clock_increment=2,
                source="friend",
                tournament_id=None,
                swiss_id=None,
                line=f"line of game {len(self.found)}",
            )
        )


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is compared with the model, sides as 0 and 1."""

    agreed: datetime | None
    may_set: tuple[int, datetime] | None
    duty: tuple[int, int]
    guilty: frozenset[int]
    found: bool
    open_offers: frozenset[int]
    offers_by: datetime
    result: str | None
    over: bool
    forfeits: tuple[int, int]
    disputed: bool
    pings: dict[tuple[str, date], frozenset[int]]
    owing_told: bool
    notices: Counter[str]


class Raised(logging.Handler):
    """The bot goes on after trouble and writes it down; a test must not."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))


class InOneThread:
    """The database as the use cases see it, without a change of threads for each read: thousands of steps are made."""

    def __init__(self, db: SqlDatabase) -> None:
        self._db = db

    async def read(self, work: Any) -> Any:
        return self._db.read_sync(work)

    async def write(self, work: Any) -> Any:
        return self._db.write_sync(work)


class NegotiationDesk:
    """One process of the bot after the other on one database, which can be put back to the publication of the round."""

    def __init__(self, url: str, path: Path) -> None:
        self.clock, self.lichess, self.raised = MovedClock(), FewLinesOfLichess(), Raised()
        logging.getLogger("engine").addHandler(self.raised)
        self._loop = asyncio.new_event_loop()
        self._url, self._commands = url, count(1)
        self._raw = sqlite3.connect(path)
        self._tables = [
            name
            for (name,) in self._raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name not in ("setting", "alembic_version", "sqlite_sequence")
        ]
        self._wake()
        self.db.write_sync(_two_entrants)
        self.do(self.app.due.reconcile())
        match = self.db.read_sync(lambda reader: reader.get(Match, MATCH))
        self.sides = (match.a_id, match.b_id)
        self._published = sqlite3.connect(":memory:")
        self._raw.backup(self._published)

    def _wake(self) -> None:
        self.db = SqlDatabase(self._url)
        self.app = UseCases(InOneThread(self.db), self.lichess, self.clock, bytes)

    def restart(self) -> None:
        """Nothing is remembered but the database."""
        self.db.close()
        self._wake()

    def begin_anew(self) -> None:
        self._published.backup(self._raw)
        self.clock.moment = PUBLISHED
        self.lichess.found.clear()
        self.lichess.down = False
        self.app = UseCases(InOneThread(self.db), self.lichess, self.clock, bytes)

    def close(self) -> None:
        self._raw.close()
        self._published.close()
        self.db.close()
        self._loop.close()
        logging.getLogger("engine").removeHandler(self.raised)

    def do(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def player(self, side: int) -> Actor:
        id = self.sides[side]
        return Actor(discord_id=id, name=f"p{id}", guild_id=GUILD, command_id=f"c{next(self._commands)}")

    def td(self) -> Actor:
        roles = frozenset({TD_ROLE})
        return Actor(discord_id=9, name="td", guild_id=GUILD, command_id=f"c{next(self._commands)}", role_ids=roles)

    def dump(self) -> list[list[tuple[Any, ...]]]:
        """Every row of every table but the settings of the installation."""
        return [self._raw.execute(f'SELECT * FROM "{name}"').fetchall() for name in self._tables]

    def _posts(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        found = self._raw.execute("SELECT key, payload FROM post WHERE kind = ?", (kind,))
        return [(key, json.loads(payload)) for key, payload in found]

    def seen(self) -> Seen:
        def look(reader: Any) -> Seen:
            event = load_event(reader, self.app.desk.folds, 1)
            view = view_match(reader, event, event.matches[MATCH], self.clock.now())
            side = {id: n for n, id in enumerate(self.sides)}
            chooser, right = view.chooser, view.right
            forfeits = event.tournament.forfeits
            return Seen(
                agreed=view.match.agreed_at,
                may_set=(side[chooser.entrant.id], right.until) if chooser and right else None,
                duty=(len(view.a.duty.counted), len(view.b.duty.counted)),
                guilty=frozenset(side[id] for id in view.terms.at_fault),
                found=view.terms.fault is not None,
                open_offers=frozenset(o.id for o in view.offers if o.state is OfferState.OPEN),
                offers_by=view.offers_by,
                result=_result(view.result),
                over=event.is_settled(view.match),
                forfeits=(len(forfeits.get(self.sides[0], ())), len(forfeits.get(self.sides[1], ()))),
                disputed=view.dispute is not None,
                pings={
                    (said["reminder"], date.fromisoformat(key.rpartition(":")[2])): frozenset(
                        side[id] for id in said["entrant_ids"]
                    )
                    for key, said in self._posts("reminder")
                },
                owing_told=bool(self._posts("owing")),
                notices=Counter(word for key, _ in self._posts("td_notice") for word in _notice(key)),
            )

        return self.db.read_sync(look)


def _notice(key: str) -> list[str]:
    return [word for part, word in NOTICES.items() if f":{part}" in key]


def _result(result: Any) -> str | None:
    """In the model's words, and only if every part of it is as it should be."""
    if result is None:
        return None
    points, forfeit = (result.a, result.b), result.forfeit
    if result.kind == "played":
        return f"won by {0 if points == (2, 0) else 1}" if points in ((2, 0), (0, 2)) else f"played {points}"
    if points == (1, 1) and not result.played:
        words = {("both_failed", 2): "both failed", (None, 0): "no fault"}
        return words.get((forfeit, len(result.forfeited_by)), repr(result))
    return repr(result)


def _two_entrants(store: Any) -> None:
    """An edition of two, round 1 of which is due."""
    channels = {name: n for n, name in enumerate(("pairings", "matches", "results", "td", "schedule"), start=100)}
    store.add(Server(guild_id=GUILD, td_role_id=TD_ROLE, channels=channels))
    edition = store.add(
        Edition(
            guild_id=GUILD,
            key="2026",
            title="Cup 2026",
            ruleset=shipped_text("2023"),
            starts=PUBLISHED.date(),
            state=EditionState.CLOSED,
            created_at=PUBLISHED,
        )
    )
    for seed, name in enumerate(("anna", "bob"), start=1):
        person = store.add(Person(discord_id=seed, name=name))
        store.add(Entrant(edition_id=edition.id, person_id=person.id, lichess_id=name, name=name, seed=seed))

"""What exists on the offline Lichess: accounts, games, who is online, logins, and the faults it is told to have.

Plain state behind one lock, fed with a clock: a game that starts later than the clock is not there yet, one that ends
later is still being played. So a whole match can be laid out ahead and happens as the sandbox moves time.
`lichess_server` serves it over HTTP.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from acwc_bot.sandbox.lichess_challenges import OpenChallenge
from acwc_bot.sandbox.lichess_logins import Logins

Result = Literal["a", "b", "draw"]

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WINS = ("variantEnd", "resign", "outoftime")
_MOVES = "e3 b5 Bxb5 Nc6 Bxc6 dxc6 a3 Qxd2 Bxd2 Bxa3 Rxa3 a5 Rxa5 Rxa5"
#: No winner is told and no rating moves before the end.
_RUNNING = ("created", "started")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Fault(StrEnum):
    """How a request can go wrong: CUT drops the connection in the middle of the answer, TRUNCATED ends it there as if
    it were whole, SHORT leaves the second half of an export's lines, of the accounts asked for or of the teams away
    without a word, NOTHING all of them, HTML is a page where JSON was asked for, SLOW keeps silent for
    `LichessWorld.slow_for` seconds first, HELD until `let_go`, DOWN closes without an answer."""

    UNAUTHORISED = "401"
    NOT_FOUND = "404"
    TOO_MANY = "429"
    BAD_GATEWAY = "502"
    CUT = "cut"
    TRUNCATED = "truncated"
    SHORT = "short"
    NOTHING = "nothing"
    HTML = "html"
    SLOW = "slow"
    HELD = "held"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldAccount:
    """`ratings` and `games` by perf key; `bio` is where ownership codes go."""

    name: str
    created_at: datetime
    ratings: Mapping[str, int]
    games: Mapping[str, int]
    title: str | None = None
    closed: bool = False
    tos_violation: bool = False
    bio: str = ""
    online: bool = False
    playing: bool = False

    @property
    def id(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldGame:
    """`white` and `black` are account ids (None: nobody's account). `clock` = (initial, increment) in seconds or None.

    `line` replaces the answer for this game, for tests of strange ones. `clocks`: the centiseconds left after each
    move, White's first.
    """

    id: str
    white: str | None
    black: str | None
    created_at: datetime
    last_move_at: datetime
    status: str
    winner: Literal["white", "black"] | None
    rated: bool = True
    variant: str = "antichess"
    clock: tuple[int, int] | None = (60, 2)
    source: str = "friend"
    tournament: str | None = None
    swiss: str | None = None
    moves: str = _MOVES
    line: str | None = None
    clocks: tuple[int, ...] | None = None

    def at(self, now: datetime) -> WorldGame:
        """The game as it stands at `now`."""
        if self.last_move_at <= now or self.status in _RUNNING:
            return self
        return replace(self, status="started", winner=None, last_move_at=now)

    @property
    def running(self) -> bool:
        return self.status in _RUNNING


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str


@dataclass(slots=True)
class _Planned:
    fault: Fault
    left: int
    on: str
    after: int


def _no_clock() -> datetime:
    raise RuntimeError("nobody has set the clock of this Lichess")


class LichessWorld:
    """Thread-safe. `clock` gives the present, aware UTC; names are taken in any case.

    It can be pickled: accounts with histories and teams, games and `down` are kept; whoever loads it sets the clock.
    """

    def __init__(self, clock: Callable[[], datetime] = _no_clock) -> None:
        self.clock = clock
        #: While true every request is answered 502.
        self.down = False
        self._lock = threading.RLock()
        self._accounts: dict[str, WorldAccount] = {}
        self._games: dict[str, WorldGame] = {}
        self._sorted: dict[str, list[WorldGame]] = {}
        self._histories: dict[str, dict[str, tuple[tuple[date, int], ...]]] = {}
        self._teams: dict[str, tuple[str, ...]] = {}
        #: Who logs in with Lichess.
        self.logins = Logins()
        self.challenges: list[OpenChallenge] = []
        self._faults: list[_Planned] = []
        self._log: list[Asked] = []
        self._in_flight = 0
        self._most_at_once = 0
        self.slow_for = 1.0
        #: Whether HELD requests still wait.
        self.holding = False
        #: Sent as `Retry-After` with a 429; Lichess itself sends none.
        self.retry_after: str | None = None
        #: How long an open stream says nothing at most (seconds of the real clock); then it sends an empty line.
        self.keep_alive = 15.0
        #: How often the open streams were ended.
        self.streams_ended = 0
        #: Every export ends after so many games, as if there were no more; None: never.
        self.longest_export: int | None = None

    def now(self) -> datetime:
        return self.clock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            kept = {name: dict(getattr(self, name)) for name in ("_accounts", "_games", "_histories", "_teams")}
            return {"down": self.down, **kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()
        self.__dict__.update(state)

    # --- Accounts ----------------------------------------------------------------------------------------------

    def add_account(
        self,
        name: str,
        *,
        rating: int | None = 1500,
        games: int = 100,
        created_at: datetime = datetime(2020, 1, 1, tzinfo=UTC),
        title: str | None = None,
        closed: bool = False,
        tos_violation: bool = False,
        bio: str = "",
        perf: str = "antichess",
    ) -> str:
        """A new account and its id. `rating` None: never played `perf`. An id that exists is a ValueError."""
        account = WorldAccount(
            name=name,
            created_at=created_at,
            ratings={} if rating is None else {perf: rating},
            games={} if rating is None else {perf: games},
            title=title,
            closed=closed,
            tos_violation=tos_violation,
            bio=bio,
        )
        with self._lock:
            if account.id in self._accounts:
                raise ValueError(f"{name} exists")
            self._accounts[account.id] = account
        return account.id

    def change(self, name: str, /, **fields: Any) -> WorldAccount:
        """Changes fields of an account: `closed=True`, `bio="…"`, `ratings={…}` and so on."""
        with self._lock:
            account = self._accounts[name.lower()] = replace(self._accounts[name.lower()], **fields)
        return account

    def set_presence(self, name: str, *, online: bool, playing: bool = False) -> None:
        self.change(name, online=online, playing=playing)

    def account(self, name: str) -> WorldAccount | None:
        with self._lock:
            return self._accounts.get(name.strip().lower())

    def current_game(self, name: str) -> WorldGame | None:
        """The game that this player is in right now."""
        return next((game for game in self.games_of(name) if game.running), None)

    def set_history(self, name: str, perf: str, days: Sequence[tuple[date, int]]) -> None:
        """The rating after each day on which the account played rated games of `perf`."""
        with self._lock:
            self._histories.setdefault(self._accounts[name.lower()].id, {})[perf] = tuple(days)

    def histories(self, name: str) -> Mapping[str, Sequence[tuple[date, int]]]:
        with self._lock:
            return dict(self._histories.get(name.lower(), {}))

    def set_teams(self, name: str, *teams: str) -> None:
        """The ids of the teams that the account shows."""
        with self._lock:
            self._teams[self._accounts[name.lower()].id] = teams

    def teams(self, name: str) -> Sequence[str]:
        with self._lock:
            return self._teams.get(name.lower(), ())

    # --- Games -------------------------------------------------------------------------------------------------

    def add_game(
        self,
        white: str | None,
        black: str | None,
        *,
        created_at: datetime,
        winner: Literal["white", "black"] | None = None,
        status: str | None = None,
        lasts: timedelta = timedelta(minutes=3),
        **fields: Any,
    ) -> str:
        """A new game and its id. `status` None: `variantEnd` with a winner, `draw` without.

        `created_at` is kept to the millisecond, as Lichess does; `fields` are those of WorldGame (`rated`, `variant`,
        `clock`, `source`, `tournament`, `swiss`, `moves`, `line`, `clocks`).
        """
        start = created_at.replace(microsecond=created_at.microsecond // 1000 * 1000)
        with self._lock:
            game = WorldGame(
                id=self._new_id(),
                white=self._known(white),
                black=self._known(black),
                created_at=start,
                last_move_at=start + lasts,
                status=status or ("variantEnd" if winner else "draw"),
                winner=winner,
                **fields,
            )
            self._games[game.id] = game
            self._sorted.clear()
        return game.id

    def play_match(
        self, a: str, b: str, start: datetime, results: Sequence[Result], *, first_white: Result = "a", **fields: Any
    ) -> list[str]:
        """Games one after the other with alternating colours; their ids. `fields` as in `add_game`.

        A game lasts two to four minutes and the next follows within half a minute, by the game's index.
        """
        ids: list[str] = []
        for index, result in enumerate(results):
            a_is_white = (index % 2 == 0) == (first_white == "a")
            winner = None if result == "draw" else "white" if (result == "a") == a_is_white else "black"
            lasts = timedelta(seconds=120 + 37 * index % 121)
            status = _WINS[index % len(_WINS)] if winner else "draw"
            white, black = (a, b) if a_is_white else (b, a)
            game = {"winner": winner, "status": status, "lasts": lasts, **fields}
            ids.append(self.add_game(white, black, created_at=start, **game))
            start += lasts + timedelta(seconds=5 + 11 * index % 26)
        return ids

    def change_game(self, game_id: str, **fields: Any) -> WorldGame:
        """Changes fields of a game: a later `status="cheat"`, another `line`."""
        with self._lock:
            game = self._games[game_id] = replace(self._games[game_id], **fields)
            self._sorted.clear()
        return game

    def game(self, game_id: str) -> WorldGame | None:
        """The game as it stands now; None when it does not exist (yet)."""
        now = self.now()
        with self._lock:
            game = self._games.get(game_id)
        return game.at(now) if game and game.created_at <= now else None

    def laid_out(self, game_id: str) -> WorldGame:
        """The game as it was put there, though it may lie ahead of the clock."""
        with self._lock:
            return self._games[game_id]

    def laid_out_between(self, one: str, other: str) -> list[WorldGame]:
        """All games of two accounts (ids), in order, also those that lie ahead of the clock."""
        return [game for game in self._of_player(one) if other in (game.white, game.black)]

    def games(self) -> list[WorldGame]:
        """All games that have begun, as they stand now, newest first."""
        now = self.now()
        with self._lock:
            games = list(self._games.values())
        return sorted((game.at(now) for game in games if game.created_at <= now), key=_age, reverse=True)

    def games_of(self, name: str, since: int = 0, until: int = 2**62) -> Iterator[WorldGame]:
        """The games of this player that have begun, as they stand now, newest first; `since` and `until` as in an
        export (milliseconds). Made as they are read, so a piece of a long list costs no more than a piece."""
        now = self.now()
        games = self._of_player(name.lower())
        for game in reversed(games[bisect_left(games, since, key=_millis) : bisect_left(games, until, key=_millis)]):
            if game.created_at <= now:
                yield game.at(now)

    def _of_player(self, player: str) -> list[WorldGame]:
        """Oldest first; sorted once for as long as no game is added or changed."""
        with self._lock:
            if player not in self._sorted:
                games = (game for game in self._games.values() if player in (game.white, game.black))
                self._sorted[player] = sorted(games, key=_age)
            return self._sorted[player]

    def _known(self, name: str | None) -> str | None:
        if name is None:
            return None
        return self._accounts[name.lower()].id

    def _new_id(self) -> str:
        """Eight characters of base 62, always the same for the n-th game."""
        number = int.from_bytes(hashlib.sha256(b"game %d" % len(self._games)).digest()[:8])
        letters: list[str] = []
        for _ in range(8):
            number, digit = divmod(number, len(_ALPHABET))
            letters.append(_ALPHABET[digit])
        return "".join(letters)

    # --- Faults and the log ------------------------------------------------------------------------------------

    def fail_next(self, kind: Fault | str, times: int = 1, *, on: str = "", after: int = 0) -> None:
        """The next `times` requests whose path starts with `on` fail like that, once `after` of them were served."""
        with self._lock:
            planned = _Planned(Fault(kind), times, on, after)
            self._faults.append(planned)
            self.holding = self.holding or planned.fault is Fault.HELD

    def cut_streams(self) -> None:
        """Drops the connection of every stream that is open."""
        self.streams_ended += 1

    def let_go(self) -> None:
        """Answers the requests that are HELD."""
        self.holding = False

    def heal(self) -> None:
        """Forgets the faults still to come and lets go."""
        with self._lock:
            self._faults.clear()
        self.let_go()

    @contextmanager
    def serving(self, asked: Asked) -> Iterator[Fault | None]:
        """Around one request: it is logged and counted; gives the fault it must have."""
        with self._lock:
            self._log.append(asked)
            self._in_flight += 1
            self._most_at_once = max(self._most_at_once, self._in_flight)
            fault = self._take_fault(asked.path)
        try:
            yield fault
        finally:
            with self._lock:
                self._in_flight -= 1

    def _take_fault(self, path: str) -> Fault | None:
        if self.down:
            return Fault.BAD_GATEWAY
        for planned in self._faults:
            if path.startswith(planned.on):
                if planned.after > 0:
                    planned.after -= 1
                    return None
                planned.left -= 1
                if planned.left <= 0:
                    self._faults.remove(planned)
                return planned.fault
        return None

    @property
    def asked(self) -> list[Asked]:
        """Every request so far, in order."""
        with self._lock:
            return list(self._log)

    @property
    def most_at_once(self) -> int:
        """How many requests were being answered at the same time at most."""
        with self._lock:
            return self._most_at_once


def _millis(game: WorldGame) -> int:
    return (game.created_at - _EPOCH) // _MILLISECOND


def _age(game: WorldGame) -> tuple[datetime, str]:
    return (game.created_at, game.id)

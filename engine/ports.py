"""What the tournament asks of the world. Adapters live outside `engine`; tests may bring ten-line fakes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol, TypeVar

from engine.model import Fact, Occurrence, Post

T = TypeVar("T")
R = TypeVar("R")


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment, aware UTC."""
        ...


class Chance(Protocol):
    def __call__(self, count: int, /) -> bytes:
        """So many random bytes that nobody can guess."""
        ...


# --- Lichess ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A Lichess account as its public profile shows it. `id` is the lower-case name.

    `ratings`/`games` map a perf key (`antichess`) to the rating / number of rated games. `all_games`: how many games of
    every kind, rated or not; None where the answer does not say (many accounts at once, a closed account).
    """

    id: str
    name: str
    created_at: datetime | None = None
    closed: bool = False
    tos_violation: bool = False
    title: str | None = None
    bio: str = ""
    ratings: dict[str, int]
    games: dict[str, int]
    all_games: int | None = None

    @property
    def is_bot(self) -> bool:
        """R2.7."""
        return self.title == "BOT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    id: str
    name: str
    online: bool
    playing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LichessGame:
    """One game line of an export. `white`/`black` are Lichess ids (None: anonymous or the computer).

    `winner` is "white", "black" or None. `clock_initial`/`clock_increment` in seconds (None: no clock).
    `source` as Lichess says (`friend`, `lobby`, `swiss`, …); `tournament_id`/`swiss_id` when it belongs to one. `line`
    is the line exactly as received. `white_clocks`: the seconds left to White after each of his moves (Q39), None where
    Lichess has not told them.
    """

    id: str
    white: str | None
    black: str | None
    variant: str
    rated: bool
    status: str
    winner: str | None
    created_at: datetime
    last_move_at: datetime | None
    clock_initial: int | None
    clock_increment: int | None
    source: str | None
    tournament_id: str | None
    swiss_id: str | None
    line: str
    white_clocks: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """A finished game of one player, as far as a check of the account needs it.

    `perf` is what Lichess counts it under: the variant, or the speed of a standard game. `status` as Lichess says
    (`cheat`, `timeout`, …); `lost`: somebody won, and not this player. `moved_rating`: it changed this player's rating,
    if only by 0, and only such games are in `Account.games`; a rated game against a marked player does not.
    """

    id: str
    created_at: datetime
    variant: str
    perf: str
    rated: bool
    status: str
    lost: bool
    moved_rating: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesPiece:
    """At most 300 games of one player, newest first, and where the next piece goes on.

    `next_until` and `leave_out` are the cursor: hand both to the next call. `leave_out` are the ids of the games read
    so far, chosen or not, that began in the last millisecond before `next_until`; the next piece reads that millisecond
    again, for games in it that did not fit, and gives none of these twice. `next_until` None: nothing new came, which
    is the end only if `OldestGames` agrees. `full`: as many games came as were asked for.
    """

    games: tuple[PlayedGame, ...]
    next_until: datetime | None
    leave_out: tuple[str, ...] = ()
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OldestGames:
    """The first millisecond in which games of one player began, and the ids of those games, from one short answer.

    `at` None: there was no game. `whole`: a later game came with them, so these are all of that millisecond. `full`:
    the answer had no room for more.
    """

    at: datetime | None
    ids: tuple[str, ...] = ()
    whole: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class RatingDay:
    """The rating after the last rated game of a day (UTC)."""

    day: date
    rating: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """An open challenge that only these two accounts can take up; `white` and `black` are Lichess names or ids. Clock
    in seconds. After `until` nobody can."""

    white: str
    black: str
    variant: str
    rated: bool
    clock_initial: int
    clock_increment: int
    name: str
    until: datetime


class LichessPort(Protocol):
    """Reading Lichess. Every method raises `LichessUnavailable` rather than give half an answer."""

    async def account(self, name: str, *, patient: bool = False) -> Account | None:
        """The account of that name (any case); None when there is none. A closed account has `closed=True`.

        `patient`: behind whoever waits for an answer, and through a pause that Lichess has asked for.
        """
        ...

    async def accounts(self, ids: Sequence[str]) -> list[Account]:
        """Many accounts, any number, asked in pieces of 300. Left out are unknown ids, and those of which Lichess says
        something that is no account; `engine.usecases.asking.look_up` tells them apart."""
        ...

    async def presence(self, ids: Sequence[str]) -> list[Presence]:
        """Who is online, any number, asked in pieces of 100."""
        ...

    async def games_between(self, a: str, b: str, since: datetime, until: datetime) -> list[LichessGame]:
        """All games of these two with since <= createdAt < until, finished or not, oldest first."""
        ...

    async def games(self, ids: Sequence[str]) -> list[LichessGame]:
        """The games with these ids, oldest first; unknown ids are left out."""
        ...

    def read_line(self, line: str) -> LichessGame:
        """A game from its line as it was received; asks nobody. ValueError, KeyError or TypeError for no such line."""
        ...

    async def open_challenge(self, challenge: Challenge) -> str:
        """The address at which both begin the game. Made anew each time it is asked for."""
        ...

    # A check of an account asks the following; it waits behind whoever waits for an answer. All four raise NotFound
    # when Lichess shows nothing of the account: `no_account` or `account_closed`, both with `name`.

    async def player_games(
        self,
        id: str,
        *,
        since: datetime,
        until: datetime,
        leave_out: Collection[str] = (),
        rated_only: bool = False,
        perf: str | None = None,
    ) -> GamesPiece:
        """The newest finished games of this player with since <= createdAt < until, in one request.

        The caller keeps the cursor (see `GamesPiece`), so a check survives a restart between two pieces. `rated_only`
        and `perf` choose among the games read, so a piece may have few games, or none, and still not be the last. An
        export that ends early, without a word, looks like a last piece: `oldest_games` tells them apart.
        """
        ...

    async def oldest_games(self, id: str, *, since: datetime, until: datetime) -> OldestGames:
        """The other end of what `player_games` reads without a choice, in one request."""
        ...

    async def rating_history(self, id: str) -> Mapping[str, tuple[RatingDay, ...]]:
        """By perf key, oldest day first, days with rated games only; no key for a perf that was never rated."""
        ...

    async def teams_of(self, id: str) -> tuple[str, ...]:
        """The ids of the teams that the player shows, in lower case."""
        ...


class LichessLogin(Protocol):
    """“Log in with Lichess” (OAuth 2, RFC 7636), without any scope. `engine.pkce` makes the verifier and the challenge.

    The caller keeps `state` and the verifier until the player's browser comes back to `redirect_uri` with `code` and
    `state`, or with `error` when the player declined.
    """

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        """Where the player's browser is sent."""
        ...

    async def who(self, code: str, verifier: str, redirect_uri: str) -> str:
        """The Lichess id of whoever agreed. Works once per code; the token behind it is revoked and not kept.

        Raises BadInput(`login_refused`) when the code is spent, too old or not of this verifier and address, and
        LichessUnavailable.
        """
        ...


class Members(Protocol):
    """Who is in a Discord server, and with which roles."""

    async def present(self, guild_id: int, discord_ids: Sequence[int]) -> Mapping[int, frozenset[int] | None]:
        """The role ids of each, None for who is not in it; whoever Discord gives no clear answer about is left out."""
        ...

    async def set_role(self, guild_id: int, discord_id: int, role_id: int, *, has: bool) -> bool:
        """Gives somebody a role or takes it away; whether Discord did so."""
        ...


# --- Storage ---------------------------------------------------------------------------------------------------


class Reader(Protocol):
    """Reading the stored values of `engine.model`. `kind` is one of its dataclasses."""

    def get(self, kind: type[T], id: int, /) -> T:
        """The value with that id; NotFound(code=kind name in lower case, id=…) when there is none."""
        ...

    def find(self, kind: type[T], /, **equal: Any) -> list[T]:
        """All values whose fields equal these, by id. A list or tuple as value means "one of"."""
        ...

    def one(self, kind: type[T], /, **equal: Any) -> T | None:
        """The first of `find`, or None."""
        ...

    def facts(self, edition_id: int) -> list[Fact]:
        """The ledger of an edition, by id."""
        ...

    def last_fact_id(self, edition_id: int) -> int:
        """The id of the newest fact of an edition, 0 when there is none: the version of every fold."""
        ...


class Store(Reader, Protocol):
    """One write transaction. It rolls back unless the function that was given to `Database.write` returns."""

    def add(self, value: T) -> T:
        """Stores a new value (id 0) and gives it back with its id. A broken unique rule raises Conflict."""
        ...

    def save(self, value: T) -> T:
        """Writes a changed value. Facts and occurrences refuse it."""
        ...

    def append(self, fact: Fact) -> Fact:
        """Appends to the ledger."""
        ...

    def settle(self, occurrence: Occurrence) -> bool:
        """Records that something due was dealt with; False when that key was already there."""
        ...

    def post(self, post: Post) -> Post:
        """Owes a message to Discord. The same key again replaces the payload and asks for one more version
        (the relay edits the message); a row that was DROPPED or STUCK is owed again."""
        ...


class Database(Protocol):
    async def write(self, work: Callable[[Store], R]) -> R:
        """Runs `work` on the one writing thread in one transaction: commit on return, roll back on any error."""
        ...

    async def read(self, work: Callable[[Reader], R]) -> R:
        """Runs `work` on a read-only connection of the pool."""
        ...

    async def erase(self, work: Callable[[Store], R]) -> R:
        """As `write`; from then on a `wipe` is owed."""
        ...

    async def wipe(self) -> bool:
        """What was overwritten cannot be read in the files of the database any more; False when that cannot be done
        now and is still owed. A process that starts owes one: the last may have died before its own."""
        ...


class Settings(Protocol):
    """Small values of the installation that belong to no tournament, such as the hash of the registered commands."""

    async def setting(self, name: str) -> str | None: ...

    async def set_setting(self, name: str, value: str) -> None: ...

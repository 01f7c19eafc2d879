"""An account on a Lichess of lists: the port in a few lines, with requests that are counted and can fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from engine.errors import LichessUnavailable, NotFound
from engine.ports import Account, Challenge, GamesPiece, LichessGame, OldestGames, PlayedGame, Presence, RatingDay

T = TypeVar("T")

MS = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


MADE = moment("2015-03-02")


def played(
    number: int,
    at: datetime,
    *,
    variant: str = "antichess",
    rated: bool = True,
    status: str = "resign",
    lost: bool = False,
    moved: bool = True,
) -> PlayedGame:
    about = {"variant": variant, "perf": variant, "rated": rated, "status": status, "lost": lost, "moved_rating": moved}
    return PlayedGame(id=f"game{number:04}", created_at=at, **about)  # type: ignore[arg-type]


def _is_counted(game: PlayedGame) -> bool:
    """Whether the profile counts it among the rated games of the variant."""
    ended = game.rated and game.status not in ("aborted", "noStart")
    return ended and game.variant == "antichess" and game.moved_rating


@dataclass
class SetClock:
    """Stands still unless a test moves it."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


@dataclass
class ListedLichess:
    """`older`: rated games of the variant before all that are listed. `size`: games in a piece, `oldest`: in an
    answer from the other end. `fails`: the numbers of the requests that Lichess does not answer, from 1; of
    those for games, for other accounts and for teams, `cut` are answered with the first so many only, without a word.
    `before`: called with the number of each request.
    """

    name: str = "Ann"
    created_at: datetime | None = MADE
    listed: list[PlayedGame] = field(default_factory=list)
    older: int = 0
    rating: int | None = 2000
    title: str | None = None
    marked: bool = False
    closed: bool = False
    teams: tuple[str, ...] = ()
    others: tuple[Account, ...] = ()
    history: tuple[RatingDay, ...] = ()
    size: int = 300
    oldest: int = 10
    fails: frozenset[int] = frozenset()
    cut: Mapping[int, int] = field(default_factory=dict[int, int])
    before: Callable[[int], None] = lambda number: None
    asked: list[str] = field(default_factory=list)

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        self.before(len(self.asked))
        if len(self.asked) in self.fails:
            raise LichessUnavailable("lichess_down")

    async def account(self, name: str, *, patient: bool = False) -> Account | None:
        self._ask("account")
        if name.lower() != self.name.lower():
            return next((account for account in self.others if account.id == name.lower()), None)
        rated = self.older + sum(map(_is_counted, self.listed))
        return Account(
            id=self.name.lower(),
            name=self.name,
            created_at=self.created_at,
            closed=self.closed,
            tos_violation=self.marked,
            title=self.title,
            ratings={} if self.rating is None else {"antichess": self.rating},
            games={"antichess": rated},
            all_games=self.older + len(self.listed),
        )

    async def accounts(self, ids: Sequence[str]) -> list[Account]:
        self._ask("accounts")
        return self._sent([account for account in self.others if account.id in ids])

    async def open_challenge(self, challenge: Challenge) -> str:
        raise NotImplementedError

    async def games(self, ids: Sequence[str]) -> list[LichessGame]:
        raise NotImplementedError

    def read_line(self, line: str) -> LichessGame:
        raise NotImplementedError

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
        self._ask("games")
        self._shows_nothing_when_closed()
        found = [game for game in self.listed if since <= game.created_at < until]
        found.sort(key=lambda game: game.created_at, reverse=True)
        most = self.size + len(leave_out)
        lines = self._sent(found[:most])
        read = [game for game in lines if game.id not in leave_out]
        piece = tuple(game for game in read if (game.rated or not rated_only) and perf in (None, game.perf))
        if not read:
            return GamesPiece(games=(), next_until=None)
        oldest = read[-1].created_at
        known = {game.id for game in read if game.created_at == oldest} | (
            {*leave_out} if oldest + MS == until else set()
        )
        full = len(lines) == most
        return GamesPiece(games=piece, next_until=oldest + MS, leave_out=tuple(sorted(known)), full=full)

    async def oldest_games(self, id: str, *, since: datetime, until: datetime) -> OldestGames:
        self._ask("oldest")
        self._shows_nothing_when_closed()
        found = [game for game in self.listed if since <= game.created_at < until]
        found.sort(key=lambda game: game.created_at)
        lines = self._sent(found[: self.oldest])
        if not lines:
            return OldestGames(at=None)
        at = lines[0].created_at
        ids = tuple(sorted(game.id for game in lines if game.created_at == at))
        return OldestGames(at=at, ids=ids, whole=len(ids) < len(lines), full=len(lines) == self.oldest)

    def _sent(self, lines: list[T]) -> list[T]:
        return lines[: self.cut.get(len(self.asked), len(lines))]

    def _shows_nothing_when_closed(self) -> None:
        if self.closed:
            raise NotFound("account_closed", name=self.name)

    async def teams_of(self, id: str) -> tuple[str, ...]:
        self._ask("teams")
        self._shows_nothing_when_closed()
        return tuple(self._sent([*self.teams]))

    async def rating_history(self, id: str) -> Mapping[str, tuple[RatingDay, ...]]:
        self._ask("history")
        return {"antichess": self.history}

    async def close(self) -> None:
        """As the adapter has it."""

    async def presence(self, ids: Sequence[str]) -> list[Presence]:
        raise NotImplementedError

    async def games_between(self, a: str, b: str, since: datetime, until: datetime) -> list[LichessGame]:
        raise NotImplementedError

"""What Lichess has said about an account so far (R2), as plain values that can be stored between two pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from engine.ports import Account, OldestGames

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What the profile said at `read_at`, the beginning of the check.

    `rated_games` and `rating` are of the ruleset's variant, `rating` None without a rated game. `all_games`: of every
    variant, rated or not; None where it is not said.
    """

    name: str
    read_at: datetime
    created_at: datetime | None
    closed: bool
    marked: bool
    bot: bool
    rated_games: int
    rating: int | None
    all_games: int | None


def profile_of(account: Account, variant: str, read_at: datetime) -> Profile:
    return Profile(
        name=account.name,
        read_at=read_at,
        created_at=account.created_at,
        closed=account.closed,
        marked=account.tos_violation,
        bot=account.is_bot,
        rated_games=account.games.get(variant, 0),
        rating=account.ratings.get(variant),
        all_games=account.all_games,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatGame:
    """A game that the player lost by "cheat detected"."""

    id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Games with since <= createdAt < until, read newest first in pieces; `perf` None: of every variant.

    `cursor` is the `until` of the next piece, None when all is read. `games` counts each game once; `edge` are the ids
    that may come again with the next piece, none before the first game. `oldest`: where the export must end, of every
    variant, rated or not; None until asked, or since it turned out wrong; `doubted` since a piece ended before it.
    `settled`: the last piece had those games and was not full.
    """

    since: datetime
    until: datetime
    rated_only: bool
    perf: str | None
    cursor: datetime | None
    edge: tuple[str, ...] = ()
    games: int = 0
    oldest: OldestGames | None = None
    doubted: bool = False
    settled: bool = False

    def read_back_to(self, moment: datetime) -> bool:
        """Whether every game of this export from that moment on has been read.

        Strictly: games of the cursor's own moment may still come, whichever way Lichess takes its `until`.
        """
        return self.cursor is None or self.cursor < moment

    @property
    def needs_oldest(self) -> bool:
        """Whether `oldest` has to be asked for before the next piece."""
        return self.cursor is not None and (self.oldest is None or self.doubted)

    @property
    def reached(self) -> datetime | None:
        """When the oldest game read so far began."""
        return self.cursor - MILLISECOND if self.edge and self.cursor is not None else None

    @property
    def has_oldest(self) -> bool:
        """Whether the oldest games have been read, and none that is older still."""
        oldest, reached = self.oldest, self.reached
        return oldest is not None and reached is not None and oldest.at == reached and {*oldest.ids} <= {*self.edge}

    @property
    def passed_oldest(self) -> bool:
        """Whether a game has been read that is older than what was said to be the oldest."""
        oldest, reached = self.oldest, self.reached
        return oldest is not None and reached is not None and (oldest.at is None or reached < oldest.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the check of an account is. `account` is the Lichess id.

    `others` are further accounts of the same person (R2.3); `others_marked` those of them that are marked or closed,
    `others_unknown` those that Lichess does not know, both None until asked. `teams` None until asked, `teams_answers`
    times. `rated_since`: rated games of the variant from the cut-off of R2.2 on; `rated_since_certain`: those of them
    that moved the player's own rating. `rated_games_again`: the profile's count, read once more behind those games.
    `requests`: how many were answered.
    """

    account: str
    others: tuple[str, ...] = ()
    profile: Profile | None = None
    others_marked: tuple[str, ...] | None = None
    others_unknown: tuple[str, ...] | None = None
    teams: tuple[str, ...] | None = None
    teams_answers: int = 0
    exports: tuple[Export, ...] = ()
    rated_since: int = 0
    rated_since_certain: int = 0
    rated_games_again: int | None = None
    cheat_games: tuple[CheatGame, ...] = ()
    requests: int = 0

    @property
    def games(self) -> int:
        """How many games have been read, each counted once."""
        return sum(export.games for export in self.exports)

    def everything_since(self, moment: datetime) -> bool:
        """Whether all games of the player from that moment until the profile was read have been read."""
        if self.profile is not None and moment >= self.profile.read_at:
            return True
        reaching = [export for export in self.exports if export.perf is None and export.since <= moment]
        return any(export.read_back_to(moment) for export in reaching)

    def rated_since_is_whole(self, cut_off: datetime) -> bool:
        """Whether `rated_since` counts all rated games from the cut-off on."""
        return all(export.read_back_to(cut_off) for export in self.exports)


def to_json(progress: Progress) -> dict[str, Any]:
    """The progress in the types of JSON; moments as ISO texts."""
    written: dict[str, Any] = _plain(asdict(progress))
    return written


def from_json(raw: Mapping[str, Any]) -> Progress:
    """The progress that `to_json` has written; KeyError, TypeError or ValueError for anything else.

    What was stored before the bot knew `teams_answers` and `rated_since_certain` is read as it was judged then.
    """
    return Progress(
        account=raw["account"],
        others=tuple(raw["others"]),
        profile=None if raw["profile"] is None else Profile(**_with_moments(raw["profile"], "read_at", "created_at")),
        others_marked=_texts(raw["others_marked"]),
        others_unknown=_texts(raw["others_unknown"]),
        teams=_texts(raw["teams"]),
        teams_answers=raw.get("teams_answers", 0 if raw["teams"] is None else 1),
        exports=tuple(_export(export) for export in raw["exports"]),
        rated_since=raw["rated_since"],
        rated_since_certain=raw.get("rated_since_certain", raw["rated_since"]),
        rated_games_again=raw["rated_games_again"],
        cheat_games=tuple(CheatGame(**_with_moments(game, "created_at")) for game in raw["cheat_games"]),
        requests=raw["requests"],
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value


def _texts(raw: list[str] | None) -> tuple[str, ...] | None:
    return None if raw is None else tuple(raw)


def _export(raw: dict[str, Any]) -> Export:
    oldest = None if raw["oldest"] is None else _oldest(raw["oldest"])
    read = raw | {"edge": tuple(raw["edge"]), "oldest": oldest}
    return Export(**_with_moments(read, "since", "until", "cursor"))


def _oldest(raw: dict[str, Any]) -> OldestGames:
    return OldestGames(**_with_moments(raw | {"ids": tuple(raw["ids"])}, "at"))


def _with_moments(raw: dict[str, Any], *keys: str) -> dict[str, Any]:
    return raw | {key: datetime.fromisoformat(raw[key]) for key in keys if raw[key] is not None}

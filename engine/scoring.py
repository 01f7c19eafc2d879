"""The score of a match, read from the games that Lichess has (R3.1, R3.3, R3.10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from engine.errors import NotFound
from engine.facts import CountedGame
from engine.points import DRAW, LOSS, WIN
from engine.ports import LichessGame


class Fault(StrEnum):
    """Why a game does not count."""

    WRONG_VARIANT = "wrong_variant"
    CASUAL = "casual"
    WRONG_CLOCK = "wrong_clock"
    TOO_EARLY = "too_early"
    AFTER_DEADLINE = "after_deadline"
    TOURNAMENT_GAME = "tournament_game"
    OTHER_PLAYERS = "other_players"
    UNFINISHED = "unfinished"
    ABORTED = "aborted"
    NEEDS_TD = "needs_td"
    STRUCK_OUT = "struck_out"
    COUNTED_ELSEWHERE = "counted_elsewhere"


# Even a TD cannot accept a game that has no result or that is not between these two.
_NEVER_ACCEPTED = frozenset(
    {Fault.OTHER_PLAYERS, Fault.UNFINISHED, Fault.ABORTED, Fault.STRUCK_OUT, Fault.COUNTED_ELSEWHERE}
)

_RUNNING = frozenset({"created", "started"})
_ABORTED = frozenset({"aborted", "noStart"})
_FINISHED = frozenset({"mate", "resign", "stalemate", "draw", "outoftime", "insufficientMaterialClaim", "variantEnd"})
_EVENT_SOURCES = frozenset({"arena", "tournament", "swiss", "simul"})


@dataclass(frozen=True, slots=True)
class StopPolicy:
    """`plays_on`: games after the decision still count; `whole`: only all games complete the match."""

    plays_on: bool
    whole: bool


STOP_POLICIES: Mapping[str, StopPolicy] = MappingProxyType(
    {
        "decided": StopPolicy(plays_on=False, whole=False),
        "optional_after_decided": StopPolicy(plays_on=True, whole=False),
        "all_games": StopPolicy(plays_on=True, whole=True),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """How games of a match are played: clock in seconds, `length` games, `stop` a name of STOP_POLICIES.

    `before_start`: how long before the agreed time a game may begin (Q12); `finish_by`: how long after the deadline a
    match that was begun before it may go on (Q8). `from_tournaments`: games of Lichess tournaments count too (Q12).
    """

    variant: str
    clock_initial: int
    clock_increment: int
    rated: bool
    length: int
    stop: str
    before_start: timedelta
    finish_by: timedelta
    from_tournaments: bool = False


@dataclass(frozen=True, slots=True)
class GameFault:
    game_id: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class MatchScore:
    """What the games say. `a`, `b`: half-points in counted games. `decided`: nothing more needs to be played.

    `missing`: games still to play at most, 0 once decided. `extra`: valid games after the end (Q35). `faulty`: every
    game that does not count, with all its faults. `needs_td`: games up to the end whose only fault is that a TD must
    see them; the match is paused while there is one (Q38b). With `needs_first_game` nothing is counted, and
    `first_candidate` is the earliest game that could be the first (Q12).
    """

    counted: tuple[CountedGame, ...]
    a: int
    b: int
    decided: bool
    missing: int
    extra: tuple[str, ...]
    faulty: tuple[GameFault, ...]
    needs_td: tuple[str, ...] = ()
    needs_first_game: bool = False
    first_candidate: str | None = None

    @property
    def match_points(self) -> tuple[int, int] | None:
        """Half-points of the match, None while it is open (R3.3: won 1, tied ½, lost 0)."""
        if not self.decided:
            return None
        a = DRAW if self.a == self.b else WIN if self.a > self.b else LOSS
        return a, WIN - a


def score_match(
    games: Iterable[LichessGame],
    a_ids: Collection[str],
    b_ids: Collection[str],
    rules: GameRules,
    *,
    agreed_at: datetime | None,
    first_game_id: str | None,
    window_start: datetime,
    deadline: datetime,
    accepted: Collection[str] = (),
    struck: Collection[str] = (),
    elsewhere: Collection[str] = (),
) -> MatchScore:
    """Scores the games of a pair, given in any order, from a's side (R3.1, R3.3, R3.10, Q8, Q12, Q19-Q21, Q35).

    `a_ids`, `b_ids`: the Lichess ids (lower case) of each side. `window_start` inclusive, `deadline` exclusive, both
    for the creation of a game. The match begins with the game `first_game_id`, where both named one, else
    `before_start` before `agreed_at`. `accepted`: ids that a TD counts in spite of their faults; `struck`: ids that a
    TD took out; `elsewhere`: ids that belong to another match. Raises NotFound("game") when `first_game_id` is not
    among the games, NotFound("stop_policy").
    """
    if rules.stop not in STOP_POLICIES:
        raise NotFound("stop_policy", name=rules.stop)
    ordered = _in_order(games)
    first = _first_key(ordered, first_game_id)
    start = window_start
    if agreed_at is not None and first is None:
        start = max(window_start, agreed_at - rules.before_start)
    found = {
        game.id: _faults(game, a_ids, b_ids, rules)
        + _time_faults(game, start, first)
        + ((Fault.STRUCK_OUT,) if game.id in struck else ())
        + ((Fault.COUNTED_ELSEWHERE,) if game.id in elsewhere else ())
        for game in ordered
    }
    for game in _late(ordered, found, frozenset(accepted), deadline, rules.finish_by):
        found[game.id] += (Fault.AFTER_DEADLINE,)
    valid = [game for game in ordered if _counts(game.id, found[game.id], accepted)]
    faulty = tuple(GameFault(g.id, found[g.id]) for g in ordered if not _counts(g.id, found[g.id], accepted))
    if agreed_at is None and first is None:
        candidate = valid[0].id if valid else None
        waiting = _for_td(ordered, found, accepted, None)
        return MatchScore((), 0, 0, False, rules.length, (), faulty, waiting, True, candidate)
    counted, decided, extra = _count(valid, a_ids, rules)
    a = sum(game.a for game in counted)
    return MatchScore(
        counted=counted,
        a=a,
        b=WIN * len(counted) - a,
        decided=decided,
        missing=0 if decided else rules.length - len(counted),
        extra=extra,
        faulty=faulty,
        needs_td=_for_td(ordered, found, accepted, counted[-1].game_id if decided else None),
    )


def _in_order(games: Iterable[LichessGame]) -> list[LichessGame]:
    """By creation, then id. A game that arrived twice (stream and export) is one; its finished state wins."""
    by_time = sorted(games, key=lambda g: (g.created_at, g.id, g.status not in _RUNNING, g.line))
    return list({game.id: game for game in by_time}.values())


def _first_key(ordered: Sequence[LichessGame], first_game_id: str | None) -> tuple[datetime, str] | None:
    if first_game_id is None:
        return None
    for game in ordered:
        if game.id == first_game_id:
            return game.created_at, game.id
    raise NotFound("game", id=first_game_id)


def _faults(game: LichessGame, a_ids: Collection[str], b_ids: Collection[str], rules: GameRules) -> tuple[Fault, ...]:
    """The faults of a game by itself (R3.1, Q12, Q19-Q21)."""
    in_event = game.tournament_id is not None or game.swiss_id is not None or game.source in _EVENT_SOURCES
    sides = (game.white in a_ids and game.black in b_ids) or (game.white in b_ids and game.black in a_ids)
    settled = game.status in _RUNNING | _ABORTED | _FINISHED
    checks = (
        (Fault.OTHER_PLAYERS, not sides),
        (Fault.WRONG_VARIANT, game.variant != rules.variant),
        (Fault.CASUAL, rules.rated and not game.rated),
        (
            Fault.WRONG_CLOCK,
            (game.clock_initial, game.clock_increment) != (rules.clock_initial, rules.clock_increment),
        ),
        (Fault.TOURNAMENT_GAME, in_event and not rules.from_tournaments),
        (Fault.UNFINISHED, game.status in _RUNNING),
        (Fault.ABORTED, game.status in _ABORTED),
        # cheat, timeout, unknownFinish, and whatever Lichess may invent.
        (Fault.NEEDS_TD, not settled),
    )
    return tuple(fault for fault, applies in checks if applies)


def _time_faults(game: LichessGame, start: datetime, first: tuple[datetime, str] | None) -> tuple[Fault, ...]:
    """Too early is a fault (Q12), late is none: playing waives R6.3 (Q13)."""
    early = game.created_at < start or (first is not None and (game.created_at, game.id) < first)
    return (Fault.TOO_EARLY,) if early else ()


def _late(
    ordered: Sequence[LichessGame],
    found: Mapping[str, tuple[Fault, ...]],
    accepted: frozenset[str],
    deadline: datetime,
    finish_by: timedelta,
) -> list[LichessGame]:
    """Q8: the games from the deadline on, but for those of a match begun before it that end within `finish_by`."""
    begun = any(g.created_at < deadline and _counts(g.id, found[g.id], accepted) for g in ordered)
    return [
        g
        for g in ordered
        if g.created_at >= deadline and not (begun and (g.last_move_at or g.created_at) <= deadline + finish_by)
    ]


def _counts(game_id: str, faults: Sequence[Fault], accepted: Collection[str]) -> bool:
    return not faults or (game_id in accepted and _NEVER_ACCEPTED.isdisjoint(faults))


def _count(
    valid: Sequence[LichessGame], a_ids: Collection[str], rules: GameRules
) -> tuple[tuple[CountedGame, ...], bool, tuple[str, ...]]:
    """The counted games, whether they complete the match, and the extra ones. More than half is > `length`."""
    policy = STOP_POLICIES[rules.stop]
    counted: list[CountedGame] = []
    extra: list[str] = []
    a = b = 0
    for game in valid:
        if len(counted) == rules.length or (max(a, b) > rules.length and not policy.plays_on):
            extra.append(game.id)
            continue
        points = _points_of_a(game, a_ids)
        counted.append(CountedGame(game.id, points))
        a, b = a + points, b + WIN - points
    decided = len(counted) == rules.length or (max(a, b) > rules.length and not policy.whole)
    return tuple(counted), decided, tuple(extra)


def _for_td(
    ordered: Sequence[LichessGame],
    found: Mapping[str, tuple[Fault, ...]],
    accepted: Collection[str],
    last: str | None,
) -> tuple[str, ...]:
    """The games with no fault but that a TD must see, up to the game `last` that ended the match."""
    ids = [game.id for game in ordered]
    upto = ids[: ids.index(last)] if last is not None else ids
    return tuple(id for id in upto if found[id] == (Fault.NEEDS_TD,) and id not in accepted)


def _points_of_a(game: LichessGame, a_ids: Collection[str]) -> int:
    """By the winner first: stalemate and variantEnd with a winner are wins, no winner is a draw (design 6)."""
    if game.winner is None:
        return DRAW
    winner = game.white if game.winner == "white" else game.black
    return WIN if winner in a_ids else LOSS

"""The score of a match, read from the games that Lichess has (R3.1, R3.3, R3.10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from engine.errors import NotFound
from engine.facts import CountedGame, MatchBegun, MatchPlayed
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
    OTHER_ACCOUNT = "other_account"
    """One of the two with an account that is not known as the other's (Q38c)."""
    UNFINISHED = "unfinished"
    ABORTED = "aborted"
    NEEDS_TD = "needs_td"
    STRUCK_OUT = "struck_out"
    COUNTED_ELSEWHERE = "counted_elsewhere"
    # Of the armageddon game only (R3.16, Q39).
    WRONG_COLOURS = "wrong_colours"
    ABOVE_BID = "above_bid"


# Even a TD cannot accept a game that has no result or that is not between these two.
NEVER_ACCEPTED = frozenset(
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

    def takes_more(self, length: int, games: Sequence[CountedGame]) -> bool:
        """Whether one more game of a match of `length` games counts after these."""
        return len(games) < length and (self.plays_on or not more_than_half(length, games))

    def completes(self, length: int, games: Sequence[CountedGame]) -> bool:
        """Whether these games complete a match of `length` games."""
        return len(games) == length or (more_than_half(length, games) and not self.whole)


STOP_POLICIES: Mapping[str, StopPolicy] = MappingProxyType(
    {
        "decided": StopPolicy(plays_on=False, whole=False),
        "optional_after_decided": StopPolicy(plays_on=True, whole=False),
        "all_games": StopPolicy(plays_on=True, whole=True),
    }
)


def stop_policy(name: str) -> StopPolicy:
    """Raises NotFound("stop_policy")."""
    if name not in STOP_POLICIES:
        raise NotFound("stop_policy", name=name)
    return STOP_POLICIES[name]


def game_points(games: Sequence[CountedGame]) -> tuple[int, int]:
    """The half-points of both sides in these games."""
    a = sum(game.a for game in games)
    return a, WIN * len(games) - a


def more_than_half(length: int, games: Sequence[CountedGame]) -> bool:
    """R3.3, R3.13: whether a side has more than half of the points of `length` games, which are so many half-points."""
    return max(game_points(games)) > length


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
    `first_candidate` is the earliest game that could be the first (Q12). Of a knock-out match only (R3.13, R3.15):
    `tiebreak`, `armageddon`, and `tied`: nobody leads and only the armageddon game can decide.
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
    tiebreak: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None
    tied: bool = False

    @property
    def all_counted(self) -> tuple[CountedGame, ...]:
        """With the deciders of a knock-out match."""
        return (*self.counted, *self.tiebreak, *((self.armageddon,) if self.armageddon else ()))

    def played(self, match_id: int) -> MatchPlayed:
        """The fact of a match that is decided."""
        return MatchPlayed(match_id, self.counted, self.extra, self.tiebreak, self.armageddon)

    def begun(self, match_id: int) -> MatchBegun:
        """The fact of a match that is not."""
        return MatchBegun(match_id, self.counted, self.tiebreak)

    @property
    def match_points(self) -> tuple[int, int] | None:
        """Half-points of the match, None while it is open (R3.3: won 1, tied ½, lost 0)."""
        if not self.decided:
            return None
        a = DRAW if self.a == self.b else WIN if self.a > self.b else LOSS
        return a, WIN - a


@dataclass(frozen=True, slots=True)
class Verified:
    """The games of a pair, oldest first, with what stands against each apart from how it was played.

    `around`: by game id the faults of time and of a TD's word. `starts`: it is known with which game the match begins
    (Q12); until then no game counts.
    """

    games: tuple[LichessGame, ...]
    a_ids: Collection[str]
    b_ids: Collection[str]
    rules: GameRules
    around: Mapping[str, tuple[Fault, ...]]
    accepted: Collection[str]
    starts: bool

    def faults(self, game: LichessGame, rules: GameRules | None = None) -> tuple[Fault, ...]:
        """All faults of a game, by the rules of the match or by others."""
        return _faults(game, self.a_ids, self.b_ids, rules or self.rules) + self.around[game.id]

    def counts(self, game: LichessGame, faults: Sequence[Fault]) -> bool:
        """Whether a game with these faults counts: it has none, or a TD has accepted it."""
        return _counts(game.id, faults, self.accepted)

    def waits_for_td(self, game: LichessGame, faults: Sequence[Fault]) -> bool:
        """Q38b: the only fault is that a TD must see the game, and none has yet."""
        return tuple(faults) == (Fault.NEEDS_TD,) and game.id not in self.accepted

    def valid(self) -> list[LichessGame]:
        return [game for game in self.games if self.counts(game, self.faults(game))]


def score_match(found: Verified) -> MatchScore:
    """The score of the verified games, from a's side (R3.1, R3.3, R3.10, Q8, Q12, Q19-Q21, Q35).

    Raises NotFound("stop_policy").
    """
    stop_policy(found.rules.stop)
    valid = found.valid()
    counting = {game.id for game in valid}
    faulty = tuple(GameFault(g.id, found.faults(g)) for g in found.games if g.id not in counting)
    if not found.starts:
        candidate = valid[0].id if valid else None
        return MatchScore((), 0, 0, False, found.rules.length, (), faulty, _for_td(found, None), True, candidate)
    counted, decided, extra = _count(valid, found.a_ids, found.b_ids, found.rules)
    a, b = game_points(counted)
    return MatchScore(
        counted=counted,
        a=a,
        b=b,
        decided=decided,
        missing=0 if decided else found.rules.length - len(counted),
        extra=extra,
        faulty=faulty,
        needs_td=_for_td(found, counted[-1].game_id if decided else None),
    )


def verify(
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
    foreign: Collection[str] = (),
    between: Collection[str] = (),
) -> Verified:
    """Finds the faults of the games of a pair, given in any order.

    `a_ids`, `b_ids`: the Lichess ids (lower case) of each side. A game of one of them against an account that is
    nobody's counts for the other once a TD accepts it (Q38c); an account that a TD has accepted is among the ids (Q55).
    `window_start` inclusive, `deadline` exclusive, both for the creation of a game. The match begins with the game
    `first_game_id`, where both named one, else `before_start` before `agreed_at`. `accepted`: ids that a TD counts in
    spite of their faults; `struck`: ids that a TD took out; `elsewhere`: ids that belong to another match;
    `foreign`: ids of games with an account that was not its player's then (Q55); `between`: ids of games begun after
    the match was moved in the middle and too long before its new time (Q12, Q38). Raises NotFound("game") when
    `first_game_id` is not among the games.
    """
    ordered = _in_order(games)
    first = _first_key(ordered, first_game_id)
    start = window_start
    if agreed_at is not None and first is None:
        start = max(window_start, agreed_at - rules.before_start)
    around = {
        game.id: _time_faults(game, start, first, game.id in between)
        + ((Fault.STRUCK_OUT,) if game.id in struck else ())
        + ((Fault.COUNTED_ELSEWHERE,) if game.id in elsewhere else ())
        + ((Fault.OTHER_ACCOUNT,) if game.id in foreign else ())
        for game in ordered
    }
    found = {game.id: _faults(game, a_ids, b_ids, rules) + around[game.id] for game in ordered}
    for game in _late(ordered, found, frozenset(accepted), deadline, rules.finish_by):
        around[game.id] += (Fault.AFTER_DEADLINE,)
    starts = agreed_at is not None or first is not None
    return Verified(tuple(ordered), a_ids, b_ids, rules, around, accepted, starts)


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
    known = [player in a_ids or player in b_ids for player in (game.white, game.black) if player is not None]
    other = sorted(known) == [False, True]
    settled = game.status in _RUNNING | _ABORTED | _FINISHED
    checks = (
        (Fault.OTHER_PLAYERS, not sides and not other),
        (Fault.OTHER_ACCOUNT, other),
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


def _time_faults(
    game: LichessGame, start: datetime, first: tuple[datetime, str] | None, between: bool
) -> tuple[Fault, ...]:
    """Too early is a fault (Q12), late is none: playing waives R6.3 (Q13)."""
    early = between or game.created_at < start or (first is not None and (game.created_at, game.id) < first)
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
    return not faults or (game_id in accepted and NEVER_ACCEPTED.isdisjoint(faults))


def _count(
    valid: Sequence[LichessGame], a_ids: Collection[str], b_ids: Collection[str], rules: GameRules
) -> tuple[tuple[CountedGame, ...], bool, tuple[str, ...]]:
    """The counted games, whether they complete the match, and the extra ones."""
    policy = STOP_POLICIES[rules.stop]
    counted: list[CountedGame] = []
    extra: list[str] = []
    for game in valid:
        if policy.takes_more(rules.length, counted):
            counted.append(CountedGame(game.id, points_of_a(game, a_ids, b_ids)))
        else:
            extra.append(game.id)
    return tuple(counted), policy.completes(rules.length, counted), tuple(extra)


def _for_td(found: Verified, last: str | None) -> tuple[str, ...]:
    """The games that wait for a TD, up to the game `last` that ended the match."""
    ids = [game.id for game in found.games]
    upto = found.games[: ids.index(last)] if last is not None else found.games
    return tuple(game.id for game in upto if found.waits_for_td(game, found.faults(game)))


def points_of_a(game: LichessGame, a_ids: Collection[str], b_ids: Collection[str]) -> int:
    """By the winner first: stalemate and variantEnd with a winner are wins, no winner is a draw (design 6). An account
    that is nobody's belongs to the side that is not the other's (Q38c)."""
    if game.winner is None:
        return DRAW
    winner, loser = (game.white, game.black) if game.winner == "white" else (game.black, game.white)
    return WIN if winner in a_ids or (winner not in b_ids and loser in b_ids) else LOSS

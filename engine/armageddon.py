"""The armageddon game (R3.16): sealed bids, rock-paper-scissors, and how it is played on Lichess (Q39, Q40, Q41).

Clocks and bids are whole seconds. A sealed bid or throw is in no state that is shown and in no repr: `bidding` gives
values out only once both are in, or once the time for them is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from engine.errors import Conflict, RuleViolation
from engine.rules.schema import Armageddon
from engine.sides import Side, leader

# What Lichess allows as the clock of a game (lichess.org/api, challenge), and the smallest "give more time" (Q39).
_SHORT_CLOCKS = frozenset({15, 30, 45, 60, 90})
_GIVEN_SECONDS = 15

LEAST_FOR_BIDS = timedelta(minutes=10)


class Hand(StrEnum):
    ROCK = "rock"
    PAPER = "paper"
    SCISSORS = "scissors"


_BEATS = frozenset({(Hand.ROCK, Hand.SCISSORS), (Hand.PAPER, Hand.ROCK), (Hand.SCISSORS, Hand.PAPER)})


@dataclass(frozen=True, slots=True)
class Bid:
    """A sealed bid: the seconds that a side would have as White."""

    side: Side
    at: datetime
    seconds: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class Throw:
    """A sealed throw; `number` counts from 1, again after each draw."""

    side: Side
    number: int
    at: datetime
    hand: Hand = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShownThrow:
    """Both throws of one number, no longer sealed; None: not thrown in time."""

    a: Hand | None
    b: Hand | None

    @property
    def winner(self) -> Side | None:
        """Q41: a missing throw loses to any; None: a draw, or both are missing."""
        if self.a is None or self.b is None:
            return leader(self.a is not None, self.b is not None)
        return leader((self.a, self.b) in _BEATS, (self.b, self.a) in _BEATS)


@dataclass(frozen=True, slots=True)
class AwaitingBids:
    """`missing`: who has not bid. `due` is exclusive. What the other has bid is not known here."""

    missing: tuple[Side, ...]
    due: datetime


@dataclass(frozen=True, slots=True)
class AwaitingThrow:
    """Equal bids. `shown`: the throws before this one, all of them draws."""

    bid: int
    number: int
    missing: tuple[Side, ...]
    due: datetime
    shown: tuple[ShownThrow, ...]

    @property
    def call(self) -> int:
        """The number of the first throw since somebody has thrown: while both are silent, the same call goes on."""
        return 1 + max((n for n, shown in enumerate(self.shown, start=1) if shown.a or shown.b), default=0)


@dataclass(frozen=True, slots=True)
class ColoursFixed:
    """Who plays White and with how many seconds; the game may be played, and again if it is aborted (Q41). `at`: since
    when that is on record, None before."""

    white: Side
    bid: int
    bids: tuple[int, int]
    shown: tuple[ShownThrow, ...] = ()
    at: datetime | None = None


Bidding = AwaitingBids | AwaitingThrow | ColoursFixed


def bids_due(rules: Armageddon, tied_at: datetime, match_deadline: datetime) -> datetime:
    """Q40: within 24 h of the tie and before the match deadline, or the end of its extension; exclusive. A match that
    was still in play at the deadline (Q8) leaves a few minutes for the bids, or nobody could make one."""
    return max(min(tied_at + rules.bid_within, match_deadline), tied_at + LEAST_FOR_BIDS)


def bidding(
    rules: Armageddon,
    bids: Iterable[Bid],
    throws: Iterable[Throw],
    *,
    due: datetime,
    now: datetime,
    since: datetime | None = None,
) -> Bidding:
    """What comes next (R3.16, Q40, Q41). Bids from `due` on are none, and of two bids of one side the first counts.

    A throw may be made for `throw_within` from the moment at which the equal bids, or the draw before it, were known.
    Who has thrown knew the bids: a later `due`, by an extension of the match, does not open the bidding again. `since`:
    when the match came to be open again, so that no throw is late before.
    """
    throws = tuple(throws)
    over_at = min([due, *(throw.at for throw in throws)])
    made: dict[Side, Bid] = {}
    for bid in sorted(bids, key=lambda bid: bid.at):
        if bid.at < due:
            made.setdefault(bid.side, bid)
    missing = tuple(side for side in Side if side not in made)
    if missing and now < due and not throws:
        return AwaitingBids(missing, due)
    values = [made[side].seconds if side in made else rules.no_bid for side in Side]
    both = (values[0], values[1])
    higher = leader(*both)
    if higher is not None:
        lower = higher.other
        return ColoursFixed(lower if rules.lower_bid_plays == "white" else higher, min(both), both)
    known_at = over_at if missing else max(bid.at for bid in made.values())
    return _throwing(rules, both, throws, known_at, now, since or known_at)


def _throwing(
    rules: Armageddon, bids: tuple[int, int], throws: Sequence[Throw], opens: datetime, now: datetime, since: datetime
) -> AwaitingThrow | ColoursFixed:
    shown: list[ShownThrow] = []
    while True:
        number, due = len(shown) + 1, max(opens, since) + rules.throw_within
        made = {t.side: t for t in throws if t.number == number and t.at < due}
        missing = tuple(side for side in Side if side not in made)
        if missing and now < due:
            return AwaitingThrow(bids[0], number, missing, due, tuple(shown))
        a, b = (made[side].hand if side in made else None for side in Side)
        shown.append(ShownThrow(a, b))
        winner = shown[-1].winner
        if winner is not None:
            return ColoursFixed(winner, bids[0], bids, tuple(shown))
        opens = due if missing else max(throw.at for throw in made.values())


def check_bid(rules: Armageddon, state: Bidding, side: Side, seconds: int) -> None:
    """Refuses a bid: Conflict `bidding_over` or `bid_made` (it is made once), RuleViolation `bid_out_of_range`."""
    if not isinstance(state, AwaitingBids):
        raise Conflict("bidding_over", clause="R3.16")
    if side not in state.missing:
        raise Conflict("bid_made", clause="R3.16")
    if not rules.bid_least <= seconds <= rules.bid_most:
        raise RuleViolation(
            "bid_out_of_range", clause="R3.16", given=seconds, least=rules.bid_least, most=rules.bid_most
        )


def check_throw(state: Bidding, side: Side) -> int:
    """The number of the throw that this side may make now; else Conflict `no_throw_due` or `throw_made`."""
    if not isinstance(state, AwaitingThrow):
        raise Conflict("no_throw_due", clause="Q41")
    if side not in state.missing:
        raise Conflict("throw_made", clause="Q41")
    return state.number


# --- The game -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WayToPlay:
    """A way to play the game on Lichess, which has one clock for both (Q39).

    `clock_initial`, `clock_increment`: what the game is created with. `white_waits`: by how many seconds White lets his
    clock fall before his second move; `times_given`: how often White gives Black 15 seconds.
    """

    clock_initial: int
    clock_increment: int
    white_waits: int
    times_given: int


def ways_to_play(rules: Armageddon, bid: int) -> tuple[WayToPlay, ...]:
    """Q39: the game of Black's clock first, which always can be played; then the game of the bid, if Lichess has it."""
    black = rules.black_clock
    ways = [WayToPlay(black, rules.increment, black - bid, 0)]
    given, rest = divmod(black - bid, _GIVEN_SECONDS)
    if bid < black and not rest and (bid in _SHORT_CLOCKS or bid % 60 == 0):
        ways.append(WayToPlay(bid, rules.increment, 0, given))
    return tuple(ways)


def white_clock_ok(clocks: Sequence[float], bid: int, increment: int = 0) -> bool:
    """Q39: whether White's clock was at or below the bid before his second move.

    `clocks`: the seconds left to White after each of his moves, in which `increment` is included. The first move is
    untimed; without a second move nothing was broken.
    """
    return len(clocks) < 2 or clocks[1] - increment <= bid


def winner(rules: Armageddon, white: Side, winning_colour: str | None) -> Side:
    """R3.16: who has won; `winning_colour` is "white", "black" or None for a draw, which Black wins."""
    return white if (winning_colour or rules.draw_wins) == "white" else white.other

"""The kinds of facts and how each is written into `Fact.payload` and read back.

A payload holds ids and numbers only: no Discord id, no free text, and no name but the public one of a Lichess account.
Scores are half-points. What a fact *means* for the event is in `ledger`; here is only its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.model import Fact, Stage


class Exit(StrEnum):
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


class GameDecision(StrEnum):
    """What a TD says of one game: it counts in spite of its faults, it does not count, or that and it is to be played
    again while there is time (Q19-Q21, Q38b, Q38c)."""

    ACCEPTED = "accepted"
    STRUCK = "struck"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Pair:
    """`group`: the pool, the semifinal or the final that the match belongs to; "" in the Qualification."""

    match_id: int
    a_id: int
    b_id: int
    group: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A pool in the order of its numbers (R3.8, R3.9), or the two seats of a knock-out match (R3.11, R3.13)."""

    name: str
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game of a match: its Lichess id and the half-points of player a (2, 1 or 0)."""

    game_id: str
    a: int


@dataclass(frozen=True, slots=True)
class RoundPublished:
    """R3.7: the pairings of a round, in board order. Every pair counts as met from now on (Q42)."""

    round_id: int
    stage: Stage
    number: int
    pairs: tuple[Pair, ...]
    bye: int | None = None


@dataclass(frozen=True, slots=True)
class StageSeated:
    """R3.8, R3.11, R3.13: who sits where in a stage, recorded with its first pairings, replaced by a new seating."""

    stage: Stage
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class SeatDeclined:
    """Q46, Q52: somebody who was to move up into a stage does not want to; the next one is asked."""

    stage: Stage
    entrant_id: int


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """Every match of the round has a result: from now on the round counts in the standings (R3.6)."""

    round_id: int


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """A result read from Lichess games (R3.3): the counted games in order; extra games are only listed.

    In a knock-out a tie goes on: `tiebreak_games`, then the `armageddon` game, whose `a` is 2 or 0, since a drawn one
    is Black's win (R3.15, R3.16).
    """

    match_id: int
    games: tuple[CountedGame, ...]
    extra: tuple[str, ...] = ()
    tiebreak_games: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None


@dataclass(frozen=True, slots=True)
class MatchBegun:
    """The counted games so far of a match that is not over; a later one stands instead. Begun is at least one game.

    It settles what an exit in the middle does: R8.1 and Q29 (half-played), Q51, Q52. After a result from games it says
    that these leave the match open: a TD has ruled about one of them (Q21, Q35).
    """

    match_id: int
    games: tuple[CountedGame, ...]
    tiebreak_games: tuple[CountedGame, ...] = ()


@dataclass(frozen=True, slots=True)
class ColoursSettled:
    """R3.16: who plays White in the armageddon game and with how many seconds, once both have bid or the time for it is
    over. `bids` of a and b, `throws` of both for equal bids, a name of `armageddon.Hand` each; None: none in time."""

    match_id: int
    white_id: int
    bid: int
    bids: tuple[int, int]
    throws: tuple[tuple[str | None, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class GameRuled:
    """A TD's word about one game of a match; a later one about the same game stands instead (Q19-Q21, Q35, Q38b, Q38c).

    What the games come to then is a fact of its own, recorded with it.
    """

    match_id: int
    game_id: str
    decision: GameDecision


@dataclass(frozen=True, slots=True)
class MatchRuled:
    """A result that games did not decide: match points (half-points) for both sides and who forfeited.

    `played` says whether at least one counted game was started (Q29); `games` are those that were. `awarded_a`,
    `awarded_b`: half-points of games that were not played (Q31, Q32b). `forfeit`: its kind, a name of
    `registry.FORFEITS` (Q24); None in a forfeit stands for "director".
    """

    match_id: int
    a: int
    b: int
    forfeited_by: tuple[int, ...] = ()
    played: bool = False
    games: tuple[CountedGame, ...] = ()
    awarded_a: int = 0
    awarded_b: int = 0
    forfeit: str | None = None
    tiebreak_games: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None


@dataclass(frozen=True, slots=True)
class MatchVoided:
    """The pairing is taken back: no points for anybody, and the two have not met (Q42)."""

    match_id: int


@dataclass(frozen=True, slots=True)
class ForfeitCounted:
    """Q34: a forfeit of a knock-out match that leaves the match to be decided; it stays whatever the result is."""

    match_id: int
    forfeited_by: tuple[int, ...]
    forfeit: str


@dataclass(frozen=True, slots=True)
class ForfeitLifted:
    """Q44e: a TD lets a forfeit no longer count against a player; the result stays."""

    match_id: int
    entrant_id: int


@dataclass(frozen=True, slots=True)
class MatchExtended:
    """Q9/Q10: a TD lets the match be played until `until`; ½–½ for pairing only, open in the table.

    `offers_by`: until when offers count then, if the duty of R5.1 was not judged yet; None: as before.
    """

    match_id: int
    until: datetime
    offers_by: datetime | None = None


@dataclass(frozen=True, slots=True)
class FaultFound:
    """Who is at fault for a match having no time: judged at the offer deadline (R5.1), or found by a TD (R5.8).

    One: the other sets the time (R5.5, R5.9). Both: R5.6. Nobody: a dispute (R5.8), or a draw by a TD (R5.9).
    """

    match_id: int
    at_fault: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DutyWaived:
    """R5.10: a TD forgives these entrants that they have made too few offers for the match."""

    match_id: int
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TimeSet:
    """The start of a match, not agreed but set: by the entrant with the right to it (R5.5, R5.9), or by a TD: None."""

    match_id: int
    at: datetime
    by: int | None


@dataclass(frozen=True, slots=True)
class DeciderSet:
    """Q33: no time is left for a knock-out match of which no game counts, so a TD lets the armageddon game alone decide
    it, at this time. A later time moves it; it stays the only game."""

    match_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TimerRuled:
    """R5.10: a TD lets ten minutes of the evening of a match run until `until`, or stops them: None."""

    match_id: int
    timer_id: int
    until: datetime | None


@dataclass(frozen=True, slots=True)
class PlayAllowed:
    """Q2: both have failed to offer, and a TD lets them play all the same; a result of games replaces R5.6."""

    match_id: int


@dataclass(frozen=True, slots=True)
class EntrantLeft:
    """R8: withdrawal or disqualification; `ground` is one of the named grounds of the ruleset."""

    entrant_id: int
    exit: Exit
    ground: str | None = None


@dataclass(frozen=True, slots=True)
class EntrantReturned:
    """A TD lets somebody who left play again. What was lost by leaving stays lost, missed rounds are absent (Q29).

    A reinstatement that gives the results back is a revert of the exit instead (Q44d).
    """

    entrant_id: int


@dataclass(frozen=True, slots=True)
class SeedCorrected:
    """Q44g: the entrant has that seed and comes directly before whoever had it; it changes later pairings only."""

    entrant_id: int
    seed: int


@dataclass(frozen=True, slots=True)
class AccountChanged:
    """Q55: from now on the entrant plays with this Lichess account; with the same id it is only shown by another name.

    `waived`: a TD did not ask that the account passes the checks of R2.
    """

    entrant_id: int
    lichess_id: str
    name: str
    waived: bool = False


@dataclass(frozen=True, slots=True)
class Reverted:
    """The fact named by `Fact.reverts_id` no longer stands; everything later is recomputed."""


Event = (
    RoundPublished
    | StageSeated
    | SeatDeclined
    | RoundClosed
    | MatchPlayed
    | MatchBegun
    | ColoursSettled
    | GameRuled
    | MatchRuled
    | MatchVoided
    | MatchExtended
    | FaultFound
    | DutyWaived
    | TimeSet
    | DeciderSet
    | TimerRuled
    | PlayAllowed
    | ForfeitCounted
    | ForfeitLifted
    | EntrantLeft
    | EntrantReturned
    | SeedCorrected
    | AccountChanged
    | Reverted
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact that is not recorded yet, and the clause it rests on."""

    event: Event
    clause: str
    reverts_id: int | None = None
    replaces_id: int | None = None


_KINDS: dict[str, type[Event]] = {
    "round_published": RoundPublished,
    "stage_seated": StageSeated,
    "seat_declined": SeatDeclined,
    "round_closed": RoundClosed,
    "match_played": MatchPlayed,
    "match_begun": MatchBegun,
    "colours_settled": ColoursSettled,
    "game_ruled": GameRuled,
    "match_ruled": MatchRuled,
    "match_voided": MatchVoided,
    "match_extended": MatchExtended,
    "fault_found": FaultFound,
    "duty_waived": DutyWaived,
    "time_set": TimeSet,
    "decider_set": DeciderSet,
    "timer_ruled": TimerRuled,
    "play_allowed": PlayAllowed,
    "forfeit_counted": ForfeitCounted,
    "forfeit_lifted": ForfeitLifted,
    "entrant_left": EntrantLeft,
    "entrant_returned": EntrantReturned,
    "seed_corrected": SeedCorrected,
    "account_changed": AccountChanged,
    "reverted": Reverted,
}
_NAMES = {cls: name for name, cls in _KINDS.items()}


def kind_of(event: Event) -> str:
    return _NAMES[type(event)]


def encode(event: Event) -> dict[str, Any]:
    """The JSON-ready payload of an event."""
    payload = asdict(event)
    for key, value in payload.items():
        if isinstance(value, datetime):
            payload[key] = value.isoformat()
    return payload


def decode(fact: Fact) -> Event:
    """The event a stored fact holds. An unknown kind is a programming error: KeyError.

    What was read from the newest facts is kept, because a ledger is folded many times over to weigh one decision.
    """
    kept = _decoded.get(id(fact))
    if kept is not None and kept[0] is fact:
        return kept[1]
    raw = dict(fact.payload)
    for key, read in _READERS.items():
        if raw.get(key) is not None:
            raw[key] = read(raw[key])
    event = _KINDS[fact.kind](**raw)
    if len(_decoded) >= _MOST_DECODED:
        _decoded.clear()
    _decoded[id(fact)] = (fact, event)
    return event


_MOST_DECODED = 8192
_decoded: dict[int, tuple[Fact, Event]] = {}
"""By identity, with the fact itself, so that an id which Python gives to another object is never mistaken."""


def _games(raw: Iterable[Mapping[str, Any]]) -> tuple[CountedGame, ...]:
    return tuple(CountedGame(game["game_id"], game["a"]) for game in raw)


# How a stored value becomes a typed one, by the name of the field, which means the same in every event.
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "stage": Stage,
    "exit": Exit,
    "decision": GameDecision,
    "until": datetime.fromisoformat,
    "offers_by": datetime.fromisoformat,
    "at": datetime.fromisoformat,
    "at_fault": tuple,
    "entrants": tuple,
    "pairs": lambda raw: tuple(Pair(**pair) for pair in raw),
    "groups": lambda raw: tuple(Group(group["name"], tuple(group["entrants"])) for group in raw),
    "games": _games,
    "tiebreak_games": _games,
    "armageddon": lambda raw: CountedGame(raw["game_id"], raw["a"]),
    "extra": tuple,
    "forfeited_by": tuple,
    "bids": tuple,
    "throws": lambda raw: tuple(tuple(pair) for pair in raw),
}

"""A knock-out match game by game: regular games, tiebreak games, armageddon (R3.11, R3.13-R3.16, Q33).

| after the regular games | `tied` of the match rules | what follows                                             |
|-------------------------|---------------------------|----------------------------------------------------------|
| one side leads          | any                       | it has won                                               |
| tied                    | `armageddon`              | `extra_games` tiebreak games, then one armageddon game   |
| tied                    | `pairs_until_decided`     | two more games at a time until one side leads after two  |
| tied                    | `draw`                    | nothing, the tie stands: the match is no knock-out       |

A side has won the regular games, and in the same way the tiebreak games, as soon as it has more than half of their
points; tiebreak games after that do not count (Reading of R3.15: nobody can be caught any more).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.armageddon import ColoursFixed, ways_to_play, white_clock_ok, winner
from engine.facts import CountedGame, MatchPlayed
from engine.points import LOSS, WIN
from engine.ports import LichessGame
from engine.rules.schema import Armageddon, MatchRules
from engine.scoring import (
    STOP_POLICIES,
    Fault,
    GameFault,
    MatchScore,
    Verified,
    game_points,
    points_of_a,
    stop_policy,
)
from engine.sides import Side, leader

_TIEBREAK = STOP_POLICIES["decided"]
_PAIR = 2


class Phase(StrEnum):
    REGULAR = "regular"
    TIEBREAK = "tiebreak"
    ARMAGEDDON = "armageddon"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class KnockoutState:
    """Where a match is. `winner`: only once it is over. `score`, `tiebreak_score`: half-points (a, b).

    `to_play`: games that this phase still needs at most. `optional`: regular games that may be played out (R3.13).
    """

    phase: Phase
    winner: Side | None
    to_play: int
    optional: int
    score: tuple[int, int]
    tiebreak_score: tuple[int, int]


def progress(
    rules: MatchRules,
    regular: Sequence[CountedGame],
    tiebreak: Sequence[CountedGame] = (),
    armageddon: CountedGame | None = None,
) -> KnockoutState:
    """The state after these counted games (R3.13, R3.15). Raises NotFound("stop_policy")."""
    policy = stop_policy(rules.stop)
    score, tiebreak_score = game_points(regular), game_points(tiebreak)

    def state(phase: Phase, won: Side | None = None, to_play: int = 0) -> KnockoutState:
        may_go_on = phase is Phase.OVER and leader(*score) is not None and policy.takes_more(rules.games, regular)
        optional = rules.games - len(regular) if may_go_on else 0
        return KnockoutState(phase, won, to_play, optional, score, tiebreak_score)

    if not policy.completes(rules.games, regular):
        return state(Phase.REGULAR, to_play=rules.games - len(regular))
    if leader(*score) is not None or rules.tied == "draw":
        return state(Phase.OVER, leader(*score))
    needed = _tiebreak_needed(rules, tiebreak)
    if needed:
        return state(Phase.TIEBREAK, to_play=needed)
    if leader(*tiebreak_score) is not None:
        return state(Phase.OVER, leader(*tiebreak_score))
    if armageddon is None:
        return state(Phase.ARMAGEDDON, to_play=1)
    return state(Phase.OVER, leader(*game_points([armageddon])))


def _tiebreak_needed(rules: MatchRules, tiebreak: Sequence[CountedGame]) -> int:
    """How many tiebreak games there still are at most."""
    if rules.tied == "pairs_until_decided":
        unpaired = len(tiebreak) % _PAIR
        goes_on = unpaired or leader(*game_points(tiebreak)) is None
        return _PAIR - unpaired if goes_on else 0
    return 0 if _TIEBREAK.completes(rules.extra_games, tiebreak) else rules.extra_games - len(tiebreak)


def decider_only(rules: MatchRules) -> MatchRules:
    """Q33: no time is left for the match, a TD has set a time for the armageddon game alone."""
    return replace(rules, games=0, extra_games=0, tied="armageddon")


# --- From the games on Lichess --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnockoutScore:
    """What the games of a pair say, split by phase; the other fields as in `scoring.MatchScore`."""

    state: KnockoutState
    regular: tuple[CountedGame, ...] = ()
    tiebreak: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None
    extra: tuple[str, ...] = ()
    faulty: tuple[GameFault, ...] = ()
    needs_td: tuple[str, ...] = ()
    needs_first_game: bool = False
    first_candidate: str | None = None

    @property
    def has_tie(self) -> bool:
        """All games before the armageddon game are played, and nobody leads."""
        return self.state.phase is Phase.ARMAGEDDON or self.armageddon is not None

    def as_match(self) -> MatchScore:
        """The same in the words of every match: what is reported, shown and recorded."""
        a, b = self.state.score
        return MatchScore(
            counted=self.regular,
            a=a,
            b=b,
            decided=self.state.phase is Phase.OVER,
            missing=self.state.to_play,
            extra=self.extra,
            faulty=self.faulty,
            needs_td=self.needs_td,
            needs_first_game=self.needs_first_game,
            first_candidate=self.first_candidate,
            tiebreak=self.tiebreak,
            armageddon=self.armageddon,
            tied=self.state.phase is Phase.ARMAGEDDON,
        )

    def played(self, match_id: int) -> MatchPlayed:
        """The fact of a match that is over. An open one is a programming error: ValueError."""
        if self.state.phase is not Phase.OVER:
            raise ValueError(f"match {match_id} is not over: {self.state.phase}")
        return MatchPlayed(match_id, self.regular, self.extra, self.tiebreak, self.armageddon)


def score_knockout(
    found: Verified,
    match: MatchRules,
    rules: Armageddon,
    colours: ColoursFixed | None,
    white_clocks: Mapping[str, Sequence[float]],
) -> KnockoutScore:
    """Splits the verified games of a pair into regular, tiebreak and armageddon games (R3.13, R3.15, R3.16).

    Tiebreak games have the clock of the match. From the tie on, the first game that is played as the bids settled it
    (`colours`; None while they are not) is the armageddon game: its clock or Black's of R3.16, rated or casual, the
    given colours, White at or below the bid (Q39). An aborted one does not count, the colours stay (Q41). A game
    that was begun before the colours were known never is it: if a TD accepts it, it is an extra one.
    `white_clocks`: by game id the seconds left to White after each of his moves; a TD must see an armageddon game that
    began above the bid and has no such record. Breaks and other gaps between games are no fault here (Q16, Q38).
    """
    score = KnockoutScore(progress(match, ()))
    if not found.starts:
        valid = found.valid()
        score = replace(score, needs_first_game=True, first_candidate=valid[0].id if valid else None)
    for game in found.games:
        decider = _decider(score, game, colours)
        if decider is None:
            faults = found.faults(game)
        else:
            faults = _armageddon_faults(game, found, rules, decider, white_clocks)
        if not found.counts(game, faults):
            score = _without(score, found, game, faults)
        elif found.starts:
            score = _with(score, found, game, rules, decider)
            score = replace(score, state=progress(match, score.regular, score.tiebreak, score.armageddon))
    return score


def _decider(score: KnockoutScore, game: LichessGame, colours: ColoursFixed | None) -> ColoursFixed | None:
    """R3.16: the colours by which a game may be the armageddon game; None where it may not, whatever a TD says of it:
    first the bids."""
    if colours is None or not score.has_tie:
        return None
    return colours if colours.at is None or game.created_at >= colours.at else None


def _without(score: KnockoutScore, found: Verified, game: LichessGame, faults: tuple[Fault, ...]) -> KnockoutScore:
    waits = found.waits_for_td(game, faults) and score.state.phase is not Phase.OVER
    return replace(
        score,
        faulty=(*score.faulty, GameFault(game.id, faults)),
        needs_td=(*score.needs_td, game.id) if waits else score.needs_td,
    )


def _with(
    score: KnockoutScore, found: Verified, game: LichessGame, rules: Armageddon, decider: ColoursFixed | None
) -> KnockoutScore:
    """The score with a game that counts in the phase it was played in, or is an extra one."""
    phase = score.state.phase
    if phase is Phase.ARMAGEDDON and decider is not None:
        white = Side.A if game.white in found.a_ids else Side.B
        a = WIN if winner(rules, white, game.winner) is Side.A else LOSS
        return replace(score, armageddon=CountedGame(game.id, a))
    counted = CountedGame(game.id, points_of_a(game, found.a_ids, found.b_ids))
    if phase is Phase.REGULAR or score.state.optional:
        return replace(score, regular=(*score.regular, counted))
    if phase is Phase.TIEBREAK:
        return replace(score, tiebreak=(*score.tiebreak, counted))
    return replace(score, extra=(*score.extra, game.id))


def _armageddon_faults(
    game: LichessGame,
    found: Verified,
    rules: Armageddon,
    colours: ColoursFixed,
    white_clocks: Mapping[str, Sequence[float]],
) -> tuple[Fault, ...]:
    """What stands against a game as the armageddon game (R3.16, Q39)."""
    ways = ways_to_play(rules, colours.bid)
    way = next((way for way in ways if way.clock_initial == game.clock_initial), ways[0])
    as_way = replace(found.rules, clock_initial=way.clock_initial, clock_increment=way.clock_increment, rated=False)
    faults = found.faults(game, as_way)
    white_ids = found.a_ids if colours.white is Side.A else found.b_ids
    if {Fault.OTHER_PLAYERS, Fault.OTHER_ACCOUNT}.isdisjoint(faults) and game.white not in white_ids:
        faults += (Fault.WRONG_COLOURS,)
    clocks = white_clocks.get(game.id)
    if clocks is not None and not white_clock_ok(clocks, colours.bid, rules.increment):
        faults += (Fault.ABOVE_BID,)
    if clocks is None and way.white_waits and not faults:
        faults += (Fault.NEEDS_TD,)
    return faults

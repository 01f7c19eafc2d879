"""The decisions that give a match its result without all its games, each with its clause.

Every decision takes the match as it stands (`Case`) and gives the fact to record, with its clause. Match
points by stage, and in brackets who is given the games that were not played ("–": nobody):

| decision                       | Qualification      | Candidates                        | Semifinals, Finals      |
|--------------------------------|--------------------|-----------------------------------|-------------------------|
| `forfeit` R6.3 R6.4 R1.4       | 1–0 (–)            | 1–0 (other side) Q31              | 1–0 (–)                 |
| `double_forfeit` Q26           | ½–½ or 0–0 (–)     | ½–½ (to 5–5) or 0–0 (–)           | a forfeit each Q34      |
| `both_failed` R5.6             | ½–½ (–)            | ½–½ (to 5–5) Q32b                 | a forfeit each Q34      |
| `no_fault` R5.9                | ½–½ (–)            | ½–½ (to 5–5) Q32b                 | refused Q33             |
| `concession` Q23               | 1–0 (to the end)   | 1–0 (other side)                  | 1–0 (to the end)        |
| `stopped_early` Q32            | refused            | as decided (–, or other side)     | refused                 |
| `ruled`, a winner R3.10        | 1–0 (–)            | 1–0 (winner)                      | 1–0 (–)                 |
| `ruled`, a draw R3.10          | ½–½ (–)            | ½–½ (to 5–5)                      | refused Q33             |
| `ruled_score` R3.3             | by the score       | by the score                      | by the score, no draw   |
| `without_play` Q33             | refused            | refused                           | 1–0 by place (–)        |
| `voided` Q42                   | void (–)           | void (–)                          | refused Q33             |

"To the end": as many as the other side needs for more than half. Played games always stand. In the Candidates a match
that is decided by games (one side has more than half) keeps its match point in a forfeit, a double forfeit and a
concession: only the games not played are lost (Q31), and it cannot become a draw. A claim in a match that is over is
refused (Q18). Fault in the negotiation (R5.5) gives the other side the choice of the time and is no forfeit (Q24), so
it is no decision here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import NeedsTdRuling, RuleViolation
from engine.facts import CountedGame, Draft, ForfeitCounted, MatchRuled, MatchVoided, Pair
from engine.knockout import Phase, progress
from engine.model import Stage
from engine.points import DRAW, LOSS, WIN
from engine.rules.schema import Forfeits, Knockout, MatchRules, NoAgreement
from engine.scoring import game_points, more_than_half, stop_policy
from engine.sides import Side, leader

# R6.5, Q24: the kinds of forfeit of one side, and the clause of each.
ONE_SIDED: Mapping[str, str] = MappingProxyType(
    {"no_show": "R6.3", "failed_reschedule": "Q11", "left": "R6.4", "director": "R1.4"}
)
# Q33: what a TD can do where a knock-out match has no winner and nobody is at fault.
WAYS_TO_A_WINNER = ("set_time", "armageddon_only", "without_play")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A match before a decision, with the counted games so far, from a's side; in a knock-out `games` are the regular.

    `game_started`: one that would count was begun and has no result yet.
    """

    pair: Pair
    stage: Stage
    rules: MatchRules
    games: tuple[CountedGame, ...] = ()
    tiebreak_games: tuple[CountedGame, ...] = ()
    armageddon: CountedGame | None = None
    game_started: bool = False

    @property
    def is_knockout(self) -> bool:
        return self.stage in (Stage.SEMIFINALS, Stage.FINALS)

    @property
    def is_over(self) -> bool:
        return progress(self.rules, self.games, self.tiebreak_games, self.armageddon).phase is Phase.OVER

    @property
    def missing(self) -> int:
        return self.rules.games - len(self.games)

    def decided_for(self) -> Side | None:
        """Who has more than half of the points of all games."""
        return leader(*game_points(self.games)) if more_than_half(self.rules.games, self.games) else None

    def side_of(self, entrant_id: int) -> Side:
        """Somebody else is a programming error: ValueError."""
        if entrant_id not in (self.pair.a_id, self.pair.b_id):
            raise ValueError(f"entrant {entrant_id} does not play match {self.pair.match_id}")
        return Side.A if entrant_id == self.pair.a_id else Side.B


@dataclass(frozen=True, slots=True)
class Forfeited:
    """Who has forfeited the match, and the kind of it (`registry.FORFEITS`); nobody: None."""

    by: tuple[int, ...] = ()
    kind: str | None = None


NOBODY = Forfeited()


# --- Forfeits -------------------------------------------------------------------------------------------------


def forfeit(case: Case, by: int, kind: str) -> Draft:
    """One side forfeits (R6.3, R6.4, R1.4, Q11, Q31); `kind` is a name of ONE_SIDED.

    Fault in the negotiation is no such kind (Q24). Raises RuleViolation `match_over`, unless a TD forfeits the match
    for conduct.
    """
    if kind not in ONE_SIDED:
        raise ValueError(f"{kind!r} is no forfeit of one side")
    if kind != "director":
        _refuse_over(case)
    to = case.side_of(by).other
    missing = WIN * case.missing if case.stage is Stage.CANDIDATES else 0
    winner = _standing_winner(case) or to
    return _won(case, winner, missing, to, ONE_SIDED[kind], Forfeited((by,), kind))


def voided(case: Case) -> Draft:
    """Q42: the pairing is taken back. RuleViolation `no_void` in a knock-out, where one of the two goes on (Q33)."""
    if case.is_knockout:
        raise RuleViolation("no_void", clause="Q33", ways=WAYS_TO_A_WINNER)
    return Draft(MatchVoided(case.pair.match_id), "Q42")


def double_forfeit(case: Case, points: int, rules: Forfeits) -> Draft:
    """Q26: both were absent from a fixed time, or both misbehaved; a TD chooses the points of each among
    `rules.double_points`, half-points.

    In a knock-out the forfeits count and the winner is still to be found (Q33, Q34).
    """
    if points not in rules.double_points:
        raise ValueError(f"a double forfeit is not worth {points} half-points to each")
    forfeited = _both(case, "double")
    if case.is_knockout:
        return _counted(case, forfeited)
    winner = _standing_winner(case)
    if winner is not None:
        return _won(case, winner, 0, winner, "Q26", forfeited)
    return _shared(case, points, "Q26", forfeited)


def concession(case: Case, by: int, *, left_silently: bool = False) -> Draft:
    """Q23: a player gives the match up; a forfeit only if he left without saying so (R6.4).

    Raises RuleViolation("match_over").
    """
    _refuse_over(case)
    to = case.side_of(by).other
    games = case.missing if case.stage is Stage.CANDIDATES else _games_to_win(case, to)
    forfeited = Forfeited((by,), "left") if left_silently else NOBODY
    return _won(case, _standing_winner(case) or to, WIN * games, to, "Q23", forfeited)


# --- No agreement ---------------------------------------------------------------------------------------------


def both_failed(case: Case, rules: NoAgreement) -> Draft:
    """R5.6: neither has made the offers. In a knock-out the winner is still to be found (Q33, Q34).

    Raises NeedsTdRuling("games_played") where they have played all the same (Q1).
    """
    if case.games or case.game_started:
        raise NeedsTdRuling("games_played", clause="Q1", match_id=case.pair.match_id)
    forfeited = _both(case, "both_failed") if rules.both_failed_forfeits else NOBODY
    if case.is_knockout:
        return _counted(case, forfeited)
    return _shared(case, rules.both_failed_points, "R5.6", forfeited)


def no_fault(case: Case, rules: NoAgreement) -> Draft:
    """R5.9: no agreement and nobody at fault. Raises RuleViolation `no_draw` (with `ways`: Q33), `match_over`."""
    _refuse_draw(case)
    _refuse_over(case)
    forfeited = _both(case, "double") if rules.no_fault_forfeits else NOBODY
    return _shared(case, rules.no_fault_points, "R5.9", forfeited)


# --- Rulings --------------------------------------------------------------------------------------------------


def stopped_early(case: Case, refused_by: int | None = None) -> Draft:
    """Q32: a decided Candidates match was not played out; `refused_by` None: both have stopped.

    Raises RuleViolation `only_candidates`, `not_decided` (then it is a forfeit or a concession), `match_over`.
    """
    if case.stage is not Stage.CANDIDATES:
        raise RuleViolation("only_candidates", clause="Q32", stage=case.stage)
    _refuse_over(case)
    winner = case.decided_for()
    if winner is None:
        raise RuleViolation("not_decided", clause="Q32", missing=case.missing)
    if refused_by is None:
        return _won(case, winner, 0, winner, "Q32")
    return _won(case, winner, WIN * case.missing, case.side_of(refused_by).other, "Q32")


def ruled(case: Case, winner_id: int | None) -> Draft:
    """A TD's plain result: a winner, or None for a draw (R1.3, R3.10).

    Raises RuleViolation `no_draw` in a knock-out, `decided_by_games`.
    """
    if winner_id is None:
        _refuse_draw(case)
        return _shared(case, DRAW, "R1.3")
    side = case.side_of(winner_id)
    missing = WIN * case.missing if case.stage is Stage.CANDIDATES else 0
    return _won(case, side, missing, side, "R1.3")


def ruled_score(case: Case, a: int, b: int) -> Draft:
    """A TD's score in games, half-points; the counted games are part of it, the rest is awarded (R3.3, Q22).

    Raises RuleViolation `score_impossible` with `why` and `no_draw`.
    """
    played = game_points(case.games)
    why = _impossible(case, a, b)
    if why is not None:
        length = case.rules.games
        raise RuleViolation("score_impossible", clause="R3.3", why=why, given=(a, b), games=played, length=length)
    winner = leader(a, b)
    if winner is None:
        _refuse_draw(case)
    points = DRAW if winner is None else WIN if winner is Side.A else LOSS
    return _ruling(case, (points, WIN - points), (a - played[0], b - played[1]), "R3.3")


def _impossible(case: Case, a: int, b: int) -> str | None:
    """Why no match can end like this: "decider", there are no games but the armageddon game (Q33); "sum", not so many
    games; "games", less than they say; "open", nobody has more than half and games are missing; "beyond", the match
    ends before that (R3.3)."""
    length, played = case.rules.games, game_points(case.games)
    if length == 0:
        return "decider"
    if (a + b) % WIN or a + b > WIN * length:
        return "sum"
    if a < played[0] or b < played[1]:
        return "games"
    if max(a, b) <= length and a + b < WIN * length:
        return "open"
    if max(a, b) > length + WIN and not stop_policy(case.rules.stop).plays_on:
        return "beyond"
    return None


def without_play(case: Case, rules: Knockout, places: Mapping[str, tuple[int | None, int | None]]) -> Draft:
    """Q33: nobody is at fault and nobody appears: the better place goes on, by the criteria of the ruleset in order.

    `places`: by criterion the places of a and b; None: no place, then the criterion says nothing. Raises RuleViolation
    `only_knockout`, `match_over`; NeedsTdRuling `places_equal`.
    """
    if not case.is_knockout:
        raise RuleViolation("only_knockout", clause="Q33", stage=case.stage)
    _refuse_over(case)
    for criterion in rules.without_play:
        a, b = places.get(criterion, (None, None))
        if a is not None and b is not None and a != b:
            better = Side.A if a < b else Side.B
            return _won(case, better, 0, better, "Q33")
    raise NeedsTdRuling("places_equal", clause="Q33", match_id=case.pair.match_id)


# --- What they share ------------------------------------------------------------------------------------------


def _counted(case: Case, forfeited: Forfeited) -> Draft:
    """Q34: a forfeit for each, which stays whatever becomes of the match; WAYS_TO_A_WINNER says how it goes on."""
    return Draft(ForfeitCounted(case.pair.match_id, forfeited.by, forfeited.kind or "director"), "Q34")


def _both(case: Case, kind: str) -> Forfeited:
    return Forfeited((case.pair.a_id, case.pair.b_id), kind)


def _refuse_over(case: Case) -> None:
    if case.is_over:
        raise RuleViolation("match_over", clause="Q18", match_id=case.pair.match_id)


def _refuse_draw(case: Case) -> None:
    if case.is_knockout:
        raise RuleViolation("no_draw", clause="Q33", ways=WAYS_TO_A_WINNER)


def _standing_winner(case: Case) -> Side | None:
    """Q31: whose match point stands whatever happens afterwards."""
    return case.decided_for() if case.stage is Stage.CANDIDATES else None


def _games_to_win(case: Case, side: Side) -> int:
    """How many games the side has to be given for more than half, as far as there are games left."""
    points = game_points(case.games)[side is Side.B]
    return min((case.rules.games - points) // WIN + 1, case.missing)


def _won(case: Case, winner: Side, awarded: int, to: Side, clause: str, forfeited: Forfeited = NOBODY) -> Draft:
    """The match for one side, the half-points of games that were not played to the same or to the other."""
    a = WIN if winner is Side.A else LOSS
    awards = (awarded, 0) if to is Side.A else (0, awarded)
    return _ruling(case, (a, WIN - a), awards, clause, forfeited)


def _shared(case: Case, points: int, clause: str, forfeited: Forfeited = NOBODY) -> Draft:
    """The same match points for both; a draw of the Candidates is one in games too (R3.10, Q32b)."""
    if _standing_winner(case) is not None:
        raise RuleViolation("decided_by_games", clause="Q31", match_id=case.pair.match_id)
    a, b = game_points(case.games)
    evens = case.stage is Stage.CANDIDATES and points == DRAW
    awards = (case.rules.games - a, case.rules.games - b) if evens else (0, 0)
    return _ruling(case, (points, points), awards, clause, forfeited)


def _ruling(
    case: Case, points: tuple[int, int], awarded: tuple[int, int], clause: str, forfeited: Forfeited = NOBODY
) -> Draft:
    result = MatchRuled(
        case.pair.match_id,
        *points,
        forfeited_by=forfeited.by,
        played=bool(case.games or case.armageddon) or case.game_started,
        games=case.games,
        awarded_a=awarded[0],
        awarded_b=awarded[1],
        forfeit=forfeited.kind,
        tiebreak_games=case.tiebreak_games,
        armageddon=case.armageddon,
    )
    return Draft(result, clause)

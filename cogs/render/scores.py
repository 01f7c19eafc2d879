"""The result of a match in a line: the one way in which posts, cards, tables and previews name it (R3.3, R3.13)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.facts import CountedGame
from engine.points import WIN, show_score
from engine.scoring import game_points
from engine.tournament import Result, ResultKind

_KINDS = {
    ResultKind.PLAYED: "played",
    ResultKind.RULED: "ruled by a TD",
    ResultKind.FORFEIT: "forfeit",
    ResultKind.WALKOVER: "walkover",
    ResultKind.ADJUDICATED: "adjudicated",
    ResultKind.VOIDED: "void",
    ResultKind.DISREGARDED: "disregarded, §8.3",
}
Sides = tuple[tuple[int, str], tuple[int, str]]

_WITHOUT_SCORE = frozenset({ResultKind.VOIDED, ResultKind.DISREGARDED})
"""0–0 would look like one."""


def result_text(result: Result, sides: Sides) -> str:
    """`alice 6–2 bob` in games; what games did not decide in match points, with what it is and its games, if any:
    `alice 1–0 bob (forfeit, games 3–1)`. `sides`: entrant id and escaped name, a's first."""
    (_, a), (_, b) = sides
    if result.kind is ResultKind.PLAYED:
        return _played(result, a, b)
    if result.kind in _WITHOUT_SCORE:
        return f"{a} – {b} ({_KINDS[result.kind]})"
    return f"{a} {show_score(result.a, result.b)} {b} ({', '.join(_how(result, sides))})"


def _played(result: Result, a: str, b: str) -> str:
    decided = ""
    if result.armageddon is not None:
        decided = f", armageddon won by {a if result.armageddon.a == WIN else b}"
        if not result.games:  # it was the only one (Q33)
            return f"{a} – {b}{decided}"
    return f"{a} {show_score(result.game_a, result.game_b)} {b}{tiebreak_text(result.tiebreak_games)}{decided}"


def _how(result: Result, sides: Sides) -> list[str]:
    (a_id, _), (b_id, _) = sides
    words = [_KINDS[result.kind]]
    winner = None if result.a == result.b else a_id if result.a > result.b else b_id
    if result.forfeited_by and winner in result.forfeited_by:  # Q31: the match point of games stands
        words = [f"forfeit of {' and '.join(name for id, name in sides if id in result.forfeited_by)}"]
    if result.game_a or result.game_b:
        words.append(f"games {show_score(result.game_a, result.game_b)}")
    return words


def tiebreak_text(games: Sequence[CountedGame]) -> str:
    """Behind the score of the regular games; "" where there are none."""
    return f", tiebreak {show_score(*game_points(games))}" if games else ""

"""Why a game does not count, in words; all faults of a game, not just the first (R3.1, Q12, Q19-Q21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.facts import GameDecision
from engine.scoring import Fault, GameFault

SHOWN = 6

_WORDS: dict[Fault, str] = {
    Fault.WRONG_VARIANT: "another variant",
    Fault.CASUAL: "not rated",
    Fault.WRONG_CLOCK: "another clock",
    Fault.TOO_EARLY: "before the agreed time",
    Fault.AFTER_DEADLINE: "after the deadline",
    Fault.TOURNAMENT_GAME: "part of a Lichess tournament",
    Fault.OTHER_PLAYERS: "other players",
    Fault.OTHER_ACCOUNT: "another account of one player",
    Fault.UNFINISHED: "still running",
    Fault.ABORTED: "aborted",
    Fault.NEEDS_TD: "a TD must look at how it ended",
    Fault.STRUCK_OUT: "struck out by a TD",
    Fault.COUNTED_ELSEWHERE: "belongs to another match of yours",
    Fault.WRONG_COLOURS: "other colours than the bids gave",
    Fault.ABOVE_BID: "White's clock was above the bid at his second move",
}


_DECIDED = {
    GameDecision.ACCEPTED: "counts",
    GameDecision.STRUCK: "does not count",
    GameDecision.REPLAY: "does not count and is to be played again",
}


def game_words(decision: GameDecision) -> str:
    """What a TD has said of a game."""
    return _DECIDED[decision]


def words_of(faults: Iterable[Fault]) -> str:
    return ", ".join(_WORDS[fault] for fault in faults)


def faults_text(faulty: Sequence[GameFault]) -> list[str]:
    """One line per game that did not count, at most SHOWN."""
    lines = [
        f"• not counted: <https://lichess.org/{fault.game_id}> ({words_of(fault.faults)})" for fault in faulty[:SHOWN]
    ]
    if len(faulty) > SHOWN:
        lines.append(f"• and {len(faulty) - SHOWN} more that do not count")
    return lines

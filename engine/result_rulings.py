"""The result that TDs give a match without all its games (R1.3, R3.10, R6.5; Q22, Q23, Q26, Q31-Q34, Q42).

Pure decisions for the way of all rulings. What each is worth by stage is in `adjudication`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine import adjudication
from engine.adjudication import Case
from engine.championship import Championship
from engine.errors import BadInput
from engine.facts import Draft
from engine.rulings import Ruling
from engine.sides import Side

Places = Mapping[str, tuple[int | None, int | None]]


class Ending(StrEnum):
    """How a match has ended, in a TD's word. Those of ONE_SIDED are about one side."""

    WON = "won"
    DRAWN = "drawn"
    SCORE = "score"
    CONCEDED = "conceded"
    STOPPED = "stopped"
    REFUSED = "refused"
    BY_PLACE = "by_place"
    FORFEIT = "forfeit"
    DOUBLE_FORFEIT = "double_forfeit"
    VOID = "void"


ONE_SIDED = frozenset({Ending.WON, Ending.CONCEDED, Ending.REFUSED, Ending.FORFEIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What a TD says of a match. `side`: who has won, conceded, refused the rest or forfeited, where the ending is
    about one side; `score` in half-points of the games, a's first; `points`: of each in a double forfeit, half-points;
    `kind` of a forfeit: a name of `adjudication.ONE_SIDED`."""

    ending: Ending
    side: Side | None = None
    score: tuple[int, int] = (0, 0)
    points: int = 0
    kind: str = "director"


def rule_result(event: Championship, case: Case, word: Word, places: Places) -> Ruling:
    """`places`: see `adjudication.without_play`. BadInput("side_needed") where the ending is about one side and none is
    named; else what `adjudication` raises. An earlier result is replaced: the latest ruling stands."""
    return Ruling(f"result_{word.ending.value}", (_draft(event, case, word, places),))


def _draft(event: Championship, case: Case, word: Word, places: Places) -> Draft:
    rules = event.rules
    match word.ending:
        case Ending.DRAWN:
            return adjudication.ruled(case, None)
        case Ending.SCORE:
            return adjudication.ruled_score(case, *word.score)
        case Ending.STOPPED:
            return adjudication.stopped_early(case)
        case Ending.BY_PLACE:
            return adjudication.without_play(case, rules.knockout, places)
        case Ending.DOUBLE_FORFEIT:
            return adjudication.double_forfeit(case, word.points, rules.forfeits)
        case Ending.VOID:
            return adjudication.voided(case)
        case _:
            return _about_one(case, word)


def _about_one(case: Case, word: Word) -> Draft:
    if word.side is None:
        raise BadInput("side_needed", ending=word.ending)
    whom = case.pair.a_id if word.side is Side.A else case.pair.b_id
    match word.ending:
        case Ending.WON:
            return adjudication.ruled(case, whom)
        case Ending.CONCEDED:
            return adjudication.concession(case, whom)
        case Ending.REFUSED:
            return adjudication.stopped_early(case, whom)
        case _:
            return adjudication.forfeit(case, whom, word.kind)

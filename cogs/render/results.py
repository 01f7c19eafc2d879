"""Words for a result that a TD gives a match (R1.3, R3.10, R6.5; Q22-Q34, Q42)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cogs.render.message import TEXT_LIMIT, Button, Message, escape
from cogs.render.rulings import made
from cogs.render.undoing import changes
from engine.model import KNOCKOUT, Match
from engine.points import show, show_score
from engine.result_rulings import Ending, Word
from engine.sides import Side
from engine.usecases.context import Event
from engine.usecases.matches import label
from engine.usecases.result_rulings import ResultView

_SIDES = {Side.A: "first", Side.B: "second"}
_ONE = {
    Ending.WON: "The {} player named has won",
    Ending.CONCEDED: "The {} has given up (Q23: no forfeit)",
    Ending.REFUSED: "Candidates: the {} refused the missing games (Q32)",
}
_BOTH = {
    Ending.DRAWN: "A draw",
    Ending.STOPPED: "Candidates: both have stopped; what is missing goes to nobody (Q32)",
    Ending.BY_PLACE: "Knock-out: nobody appears, the better place goes on (Q33)",
}
HOW: Mapping[str, Word] = {
    words.format(name): Word(ending=ending, side=side)
    for ending, words in _ONE.items()
    for side, name in _SIDES.items()
} | {words: Word(ending=ending) for ending, words in _BOTH.items()}
"""By their words what `how:` offers."""

FORFEITS = {
    "conduct or another reason (R1.4)": "director",
    "was not there at the agreed time (R6.3)": "no_show",
    "left the match (R6.4)": "left",
    "did not play what was put off (R6.3)": "failed_reschedule",
}
"""By their words the kinds of forfeit of one side (Q24)."""


_SILENT = "Lichess does not answer: this rests on the games that I have seen before."


def preview(view: ResultView) -> Message:
    """Before a TD records it."""
    event, match, seen = view.outcome.event, view.match, view.outcome.preview
    lines = [f"**{_says(event, match, view.word)}** {escape(label(event, match))}", *changes(event, seen)]
    if not view.games_read:
        lines.append(f"⚠ {_SILENT}")
    lines.append("Nothing is recorded yet.")
    arg = f"{match.id}.{code(view.word)}.{view.seal}"
    return Message("\n".join(lines)[:TEXT_LIMIT], (Button("rule-result", arg, "Record it…", "danger"),))


def ruled(view: ResultView) -> Message:
    done = made(view.outcome)
    return done if view.games_read else replace(done, text=f"{done.text}\n⚠ {_SILENT}"[:TEXT_LIMIT])


def _says(event: Event, match: Match, word: Word) -> str:
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    who = a if word.side is Side.A else b
    match word.ending:
        case Ending.WON:
            return f"{who} has won?"
        case Ending.DRAWN:
            return "A draw?"
        case Ending.SCORE:
            return f"{a} {show_score(*word.score)} {b} in games?"
        case Ending.CONCEDED:
            return f"{who} has given up?"
        case Ending.STOPPED:
            return "Both have stopped?"
        case Ending.REFUSED:
            return f"{who} refused the missing games?"
        case Ending.BY_PLACE:
            return "The better place goes on?"
        case Ending.FORFEIT:
            return f"{who} forfeits?"
        case Ending.DOUBLE_FORFEIT:
            if event.round_of(match).stage in KNOCKOUT:  # nobody goes on by it (Q34)
                return "Both forfeit, without a result?"
            return f"Both forfeit, {show(word.points)} each?"
        case Ending.VOID:
            return "The pairing is void?"


# --- In a button ----------------------------------------------------------------------------------------------------


def code(word: Word) -> str:
    side = "" if word.side is None else _SIDES[word.side]
    return "-".join([word.ending.value, side, *map(str, word.score), str(word.points), word.kind])


def read_code(text: str) -> Word | None:
    """What `code` has written; None for anything else."""
    ending, side, a, b, points, kind, *_ = [*text.split("-"), *[""] * 6]
    sides = {name: one for one, name in _SIDES.items()}
    numbers = (a, b, points)
    if ending not in set(Ending) or side not in {"", *sides} or kind not in FORFEITS.values():
        return None
    if not all(n.isascii() and n.isdigit() and len(n) < 4 for n in numbers):
        return None
    return Word(ending=Ending(ending), side=sides.get(side), score=(int(a), int(b)), points=int(points), kind=kind)

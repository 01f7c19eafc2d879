"""`acwc-bot pair` and `acwc-bot standings`: what a tournament report file says about its next round and its table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import category

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine.errors import CannotPair

if TYPE_CHECKING:
    from engine.tiebreaks import Placed, Readings
    from engine.trf import TrfFile

EDITION = "2023"
"""The ruleset whose tiebreaks and readings `standings` uses unless told otherwise."""
LONGEST_NAME = 20
WIDEST = 1000
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs"})
_JOINERS = "\u200c\u200d"

Report = Annotated[Path, typer.Argument(metavar="FILE.trf", help="A tournament report file (TRF16), see docs/trf.md.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]


def register(app: typer.Typer) -> None:
    app.command("pair")(pair)
    app.command("standings")(standings)


def pair(file: Report, as_json: AsJson = False) -> None:
    """The next round of a tournament report file, paired by the rules of the Qualification.

    The first line is the number of pairs, with the bye; then a line for each pair, starting ranks, 0 for the bye. Exit
    status 1 and a reason when the round cannot be paired.
    """
    from engine.trf import next_pairing

    report = _read(file)
    try:
        pairing = next_pairing(report)
    except CannotPair as refusal:
        raise _fail(f"{file}: {_WORDS[refusal.code](refusal.params)}") from None
    if as_json:
        _print_json({"round": report.played + 1, "pairs": pairing.pairs, "bye": pairing.bye})
        return
    lines = [*pairing.pairs, *([] if pairing.bye is None else [(pairing.bye, 0)])]
    typer.echo(len(lines))
    for a, b in lines:
        typer.echo(f"{a} {b}")


def standings(
    file: Report,
    tiebreaks: Annotated[
        str | None, typer.Option(metavar="a,b,c", help="Their order, after the points. Default: that of 2023.")
    ] = None,
    unplayed: Annotated[
        str | None,
        typer.Option(
            metavar="virtual,skip,zero",
            help="One of the three: what a round without a game is in Buchholz: an opponent with the player's own "
            "points, left out, or 0.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The table of a tournament report file, with the value of every tiebreak; who has left stands last, unranked."""
    from engine.trf import ranking

    names, readings = _choices(tiebreaks, unplayed)
    report = _read(file)
    table = ranking(report, names, readings)
    if as_json:
        _print_json(_as_json(report, table, names))
    else:
        _print_table(_as_table(report, table, names))


# --- In ---------------------------------------------------------------------------------------------------------


def _fail(text: str, status: int = 1) -> typer.Exit:
    typer.echo(text, err=True)
    return typer.Exit(status)


def _read(path: Path) -> TrfFile:
    from engine.trf import MOST_BYTES, TrfInvalid, read

    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        return read(data, str(path))
    except OSError as error:
        raise _fail(f"{path}: {error.strerror}") from None
    except TrfInvalid as refusal:
        raise _fail(str(refusal)) from None


def _choices(tiebreaks: str | None, unplayed: str | None) -> tuple[Sequence[str], Readings]:
    """The criteria by name, without the points before and the seed after them, and the readings."""
    from engine.reading import tiebreak_readings
    from engine.rules import load, shipped_text
    from engine.rules.registry import UNPLAYED
    from engine.tiebreaks import CRITERIA, criteria
    from engine.trf import NOT_IN_A_REPORT

    rules = load(shipped_text(EDITION), name=EDITION)
    readings = tiebreak_readings(rules)
    if unplayed is not None:
        _check_name("reading of unplayed rounds", unplayed, UNPLAYED)
        readings = replace(readings, unplayed=unplayed)
    names = rules.swiss.tiebreaks
    if tiebreaks is not None:
        names = tuple(name for part in tiebreaks.split(",") if (name := part.strip()))
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise _fail(f"{', '.join(twice)} stands twice.", 2)
        for name in names:
            if name in NOT_IN_A_REPORT:
                raise _fail(f"{name} needs the games of the matches, or another event; a report has neither.", 2)
            _check_name("tiebreak", name, CRITERIA.keys() - NOT_IN_A_REPORT)
        if "seed" in names[:-1]:
            raise _fail("seed separates everybody, so nothing can follow it: name it last, or leave it away.", 2)
        if "points" in names[1:]:
            raise _fail("points always come first: name them first, or leave them away.", 2)
    return criteria(names)[1:-1], readings


def _check_name(what: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise _fail(f"There is no {what} {name!r}. Known: {', '.join(sorted(known))}.", 2)


# --- Out --------------------------------------------------------------------------------------------------------


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2))


def _print_table(table: Table) -> None:
    """With the tiebreaks of 2023 within 80 columns; wider than the terminal where a value would be lost."""
    needed = Console(width=WIDEST).measure(table).maximum
    Console(width=max(needed, Console().width)).print(table)


def _as_json(report: TrfFile, table: Sequence[tuple[int | None, Placed]], names: Sequence[str]) -> list[dict[str, Any]]:
    players = {player.number: player.name for player in report.players}
    return [
        {
            "number": row.entrant_id,
            "name": players[row.entrant_id],
            "rank": place,
            "points": _in_points("points", row.values["points"]),
            "tiebreaks": {name: _in_points(name, row.values[name]) for name in names},
        }
        for place, row in table
    ]


def _in_points(name: str, value: int | None) -> float | None:
    """Half-points and quarter points as points, counts as they are."""
    from engine.tiebreaks import CRITERIA, Unit

    parts = {Unit.HALF_POINTS: 2, Unit.QUARTER_POINTS: 4}.get(CRITERIA[name].unit)
    return value if parts is None or value is None else value / parts


def _on_one_line(text: str) -> Text:
    """A name as it may stand in a table: what breaks, turns or hides a line is shown as a box. Joiners are letters."""
    return Text("".join(c if c in _JOINERS or category(c) not in _HIDDEN else "□" for c in text))


def _as_table(report: TrfFile, table: Sequence[tuple[int | None, Placed]], names: Sequence[str]) -> Table:
    from engine.tiebreaks import show_value

    players = {player.number: player.name for player in report.players}
    title = _on_one_line(f"{report.title or 'Standings'} after round {report.played}")
    shown = Table(title=title, title_justify="left", box=SIMPLE)
    for header in ("", "no."):
        shown.add_column(header, justify="right", no_wrap=True)
    shown.add_column("name", max_width=LONGEST_NAME, overflow="fold")
    for name in ("points", *names):
        shown.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
    for place, row in table:
        values = (show_value(name, row.values[name]) for name in ("points", *names))
        start = ("–" if place is None else str(place), str(row.entrant_id))
        shown.add_row(*start, _on_one_line(players[row.entrant_id]), *values)
    return shown


# --- Why not ----------------------------------------------------------------------------------------------------


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _pairs(pairs: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{a} – {b}" for a, b in pairs)


def _no_pairing(params: dict[str, Any]) -> str:
    who = _list(params["players"])
    if params["reason"] == "no_opponents_left":
        return (
            f"the next round cannot be paired without a rematch (§3.7): nobody is left for {who}. "
            f"The fewest rematches that would make it possible: {_pairs(params['rematches'])}"
        )
    return f"the next round cannot be paired, not even with rematches: the forbidden pairs (XXP) leave nobody for {who}"


_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "trf_over": lambda p: f"all {p['rounds']} rounds (XXR) are played",
    "trf_undecided": lambda p: (
        f"round {p['round']} has no result yet of {_pairs(p['matches'])}. Fill it in, or let it count as a draw for "
        "the pairing with a line AWE, see docs/trf.md"
    ),
    "trf_accelerated": lambda p: f"line {p['line']} asks for accelerated pairings, which §3.7 does not have",
    "trf_nobody": lambda p: f"nobody is left to play round {p['round']} (XXZ, AWL, entries for that round)",
    "cannot_pair": _no_pairing,
    "no_bye_candidate": lambda p: (
        "the field is odd and everybody in it is barred from the bye, by an earlier one or a walkover (§3.7): "
        + _list(p["players"])
    ),
}

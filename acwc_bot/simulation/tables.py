"""A season for people: tables of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from acwc_bot.simulation.book import Season
from acwc_bot.simulation.report import champion, open_question, places
from acwc_bot.simulation.words import STAGES, cited, sentence
from engine.championship import Championship
from engine.facts import Group, Pair
from engine.model import Stage
from engine.points import show, show_score
from engine.pools import Cell, crosstable
from engine.reading import pool_point_values
from engine.sides import Side
from engine.standings import Standing
from engine.tiebreaks import Kind, show_value
from engine.tournament import ResultKind

SHOWN_IN_SWISS = 20
PLACES_SHOWN = 12
WIDTH = 80

_WITHOUT_NUMBERS = frozenset({Stage.SEMIFINALS, Stage.FINALS})
_WITHOUT_PLAY = {
    ResultKind.FORFEIT: "forfeit",
    ResultKind.RULED: "ruled",
    ResultKind.WALKOVER: "opponent left",
    ResultKind.ADJUDICATED: "adjudicated",
    ResultKind.VOIDED: "voided",
    ResultKind.DISREGARDED: "disregarded",
}


def tables(season: Season) -> Iterator[RenderableType]:
    """All tables in the order of the event, then what happened, then the champion or why there is none."""
    event = season.event
    yield _qualification(event)
    values = pool_point_values(event.rules)
    for group in event.tournament.seated.get(Stage.CANDIDATES, ()):
        cells = crosstable(event.tournament, group, values=values)
        yield _pool(event, group, {row: dict(columns) for row, columns in cells.items()})
    for stage in (Stage.SEMIFINALS, Stage.FINALS):
        if event.tournament.has_begun(stage):
            yield _knockout(season, stage)
    if places(season):
        yield _placing(season)
    yield _happenings(season)
    won = champion(season)
    yield Text(open_question(season) or f"Champion: {'' if won is None else _name(event, won)}")


def _new(title: str) -> Table:
    return Table(title=Text(title), title_justify="left", box=SIMPLE, padding=(0, 1), pad_edge=False, width=None)


def _name(event: Championship, entrant: int) -> str:
    return event.entrants[entrant].name


# --- Qualification and pools ------------------------------------------------------------------------------------


def _qualification(event: Championship) -> Table:
    """The first places, and everybody who left."""
    lines = event.qualification()
    last = event.tournament.stage_rounds(Stage.QUALIFICATION)[-1].number
    tiebreaks = [name for name in event.rules.swiss.tiebreaks if name != "seed"]
    shown = _new(f"Qualification after round {last}, {len(lines)} players")
    for header in ("", "seed"):
        shown.add_column(header, justify="right", no_wrap=True)
    shown.add_column("name", overflow="fold")
    shown.add_column("+ = −", no_wrap=True)
    for name in ("points", *tiebreaks):
        shown.add_column(name.replace("_", " "), justify="right", overflow="fold")
    byes = event.tournament.bye_receivers()
    for line in lines:
        if line.rank is None or line.rank <= SHOWN_IN_SWISS:
            record = f"{line.record.wins} {line.record.draws} {line.record.losses}"
            points = show(line.points) + ("*" if line.entrant_id in byes else " ")
            values = (show_value(name, line.values[name]) for name in tiebreaks)
            shown.add_row(_rank(line), str(line.seed), _name(event, line.entrant_id), record, points, *values)
    left_out = sum(line.rank is not None and line.rank > SHOWN_IN_SWISS for line in lines)
    return _explained(
        shown,
        "*: with the points of the bye" if byes else "",
        "–: has left, without a place" if any(line.rank is None for line in lines) else "",
        _more(left_out),
    )


def _explained(table: Table, *what: str) -> Table:
    """With what the signs in it mean below it."""
    table.caption = Text("; ".join(filter(None, what)) or "")
    table.caption_justify = "left"
    return table


def _more(left_out: int) -> str:
    return f"{left_out} more, with --json" if left_out else ""


def _rank(line: Standing) -> str:
    return "–" if line.rank is None else str(line.rank)


def _pool(event: Championship, group: Group, cells: dict[int, dict[int, tuple[Cell, ...]]]) -> Table:
    """Match points, and the player's own points in the games of every match."""
    lines = event.pools()[group.name]
    order = [line.entrant_id for line in lines]
    shown = _new(f"Candidates, {group.name} pool")
    shown.add_column("", justify="right", no_wrap=True)
    shown.add_column("name", overflow="fold")
    shown.add_column("points", justify="right", no_wrap=True)
    for place in range(1, len(order) + 1):
        shown.add_column(str(place), justify="right", no_wrap=True)
    for line in lines:
        row = cells[line.entrant_id]
        scores = (
            "·" if other == line.entrant_id else " ".join(map(_cell, row.get(other, ()))) or "–" for other in order
        )
        shown.add_row(_rank(line), _name(event, line.entrant_id), show(line.points), *scores)
    signs = {_cell(cell) for row in cells.values() for found in row.values() for cell in found}
    unpaired = any(other != one and not cells[one].get(other) for one in order for other in order)
    return _explained(
        shown,
        "×: does not count, one of the two has left (§8.3)" if "×" in signs else "",
        "–: was not paired" if unpaired else "",
    )


def _cell(cell: Cell) -> str:
    return "×" if cell.score.kind is Kind.DISREGARDED else show(cell.score.game_points)


# --- Knock-out --------------------------------------------------------------------------------------------------


def _knockout(season: Season, stage: Stage) -> Table:
    event = season.event
    pairs = {pair.group: pair for r in event.tournament.stage_rounds(stage) for pair in r.pairs}
    shown = _new(STAGES[stage])
    shown.add_column("", no_wrap=True)
    shown.add_column("players", overflow="fold")
    shown.add_column("games", justify="right", no_wrap=True)
    shown.add_column("how it ended", overflow="fold")
    for group in event.tournament.seated[stage]:
        label = group.name.replace("_", " ")
        pair = pairs.get(group.name)
        if pair is None:
            names = ", ".join(_name(event, e) for e in group.entrants) or "nobody"
            shown.add_row(label, names, "", "nobody is left to play against")
        else:
            a, b = _name(event, pair.a_id), _name(event, pair.b_id)
            result = event.tournament.results.get(pair.match_id)
            score = "" if result is None else show_score(result.game_a, result.game_b)
            shown.add_row(label, f"{a} – {b}", score, _ending(season, pair))
    return shown


def _ending(season: Season, pair: Pair) -> str:
    """Who won, and by what when it was not by the regular games."""
    event = season.event
    result = event.tournament.results.get(pair.match_id)
    if result is None:
        return "not played"
    parts = [f"{_name(event, pair.a_id if result.a > result.b else pair.b_id)} wins"]
    if result.kind in _WITHOUT_PLAY:
        parts.append(_WITHOUT_PLAY[result.kind])
    if result.tiebreak_games:
        a = sum(game.a for game in result.tiebreak_games)
        parts.append(f"tiebreak games {show_score(a, 2 * len(result.tiebreak_games) - a)}")
    if result.armageddon is not None:
        parts.append("armageddon")
        bids = season.bids.get(pair.match_id)
        if bids is not None:
            white = _name(event, pair.a_id if bids.white is Side.A else pair.b_id)
            lots = ", by lot" if bids.shown else ""
            parts.append(f"bids {bids.bids[0]} s and {bids.bids[1]} s, White {white}{lots}")
    return "; ".join(parts)


# --- The end ----------------------------------------------------------------------------------------------------


def _placing(season: Season) -> Table:
    shown = _new("Final placing")
    shown.add_column("", justify="right", no_wrap=True)
    shown.add_column("name", overflow="fold")
    shown.add_column("last stage", no_wrap=True)
    with_places = [line for line in places(season) if line.first is not None]
    for line in with_places:
        if line.first is not None and line.first <= PLACES_SHOWN:
            place = str(line.first) if line.first == line.last else f"{line.first}–{line.last}"
            shown.add_row(place, _name(season.event, line.entrant_id), STAGES[line.stage])
    return _explained(shown, _more(len(with_places) - shown.row_count))


def _happenings(season: Season) -> Table:
    shown = _new("What happened")
    shown.add_column("", no_wrap=True)
    shown.add_column("", no_wrap=True)
    shown.add_column("", overflow="fold")
    shown.add_column("", no_wrap=True)
    shown.show_header = False
    before = ""
    for happening in season.happenings:
        stage = STAGES[happening.stage]
        if happening.stage not in _WITHOUT_NUMBERS:
            stage = f"{stage} {happening.number}"
        said = sentence(happening, season.event)
        shown.add_row("" if stage == before else stage, f"{happening.at:%-d %b}", said, cited(happening.clause))
        before = stage
    return shown

"""`acwc-bot simulate`: a whole edition without Discord, from random games to a champion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from acwc_bot.ruleset_option import read_ruleset

if TYPE_CHECKING:
    from acwc_bot.simulation import Season

PLAYERS = 88
EDITION = "2023"


def register(app: typer.Typer) -> None:
    app.command("simulate")(simulate)


def simulate(
    players: Annotated[
        int, typer.Option(help="How many register in time, direct entrants to a later stage included.")
    ] = PLAYERS,
    seed: Annotated[int, typer.Option(min=0, help="Of the chance: the same seed, the same edition.")] = 1,
    ruleset: Annotated[
        str, typer.Option(metavar="FILE", help="A ruleset file, or the key of one that comes with the bot.")
    ] = EDITION,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON instead of the tables.")] = False,
    trf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the Qualification as a tournament report file too.")
    ] = None,
) -> None:
    """Plays a whole edition without Discord from random games, all stages, and prints the tables.

    Ratings, games and accidents come from the seed: no-shows and other forfeits, withdrawals in every stage, an engine
    mark, late entries, extended matches. Exit status 1 when nobody can become champion by the rules alone.
    """
    from acwc_bot.simulation import CannotSimulate
    from acwc_bot.simulation import simulate as run
    from acwc_bot.simulation.report import as_json as to_json
    from acwc_bot.simulation.report import open_question
    from acwc_bot.simulation.tables import WIDTH, tables
    from acwc_bot.wiring import chance
    from engine.reading import point_values
    from engine.trf import not_in_a_report

    rules = read_ruleset(ruleset)
    if trf is not None and (keys := not_in_a_report(point_values(rules))):
        raise _fail(f"{ruleset} cannot be written as a report, because of {', '.join(keys)}. Leave --trf away.")
    try:
        season = run(rules, players, chance(seed))
    except CannotSimulate as refusal:
        raise _fail(str(refusal)) from None
    if trf is not None:
        _write_report(season, trf)
    if as_json:
        typer.echo(json.dumps(to_json(season, seed=seed), indent=2, ensure_ascii=False))
    else:
        console = Console()
        console.width = min(console.width, WIDTH)
        for part in tables(season):
            console.print(part)
    raise typer.Exit(1 if open_question(season) else 0)


def _fail(text: str) -> typer.Exit:
    typer.echo(text, err=True)
    return typer.Exit(1)


def _write_report(season: Season, file: Path) -> None:
    from engine.model import Stage
    from engine.reading import point_values
    from engine.trf import TrfInvalid, from_tournament, write

    event = season.event
    rounds = max(published.number for published in event.tournament.stage_rounds(Stage.QUALIFICATION))
    try:
        report = from_tournament(
            event.tournament,
            event.entrants.values(),
            event.qualification(),
            title=event.rules.title,
            rounds=rounds,
            values=point_values(event.rules),
        )
        file.write_text(write(report), "utf-8", newline="")
    except TrfInvalid as refusal:
        raise _fail(str(refusal)) from None
    except OSError as error:
        raise _fail(f"{file}: {error.strerror}") from None

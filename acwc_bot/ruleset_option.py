"""The option `--ruleset` of the command line: a ruleset that comes with the bot, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from engine.rules import Ruleset


def read_ruleset(name: str, status: int = 1) -> Ruleset:
    """The ruleset with that key or in that file; ends the command with `status` and the reasons when there is none."""
    from engine.rules import RulesetError, load, read_text, shipped, shipped_text

    try:
        text = shipped_text(name) if name in shipped() else read_text(Path(name))
        return load(text, name=name)
    except OSError as error:
        typer.echo(f"{name}: {error.strerror}. Shipped rulesets: {', '.join(shipped())}", err=True)
    except RulesetError as refusal:
        typer.echo(str(refusal), err=True)
    raise typer.Exit(status)

"""`acwc-bot check-account`: may this account play by a ruleset? Asked of Lichess, a line per check (R2.1-R2.8)."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from acwc_bot.ruleset_option import read_ruleset
from acwc_bot.settings import Settings, WrongSettings, load_settings
from engine.errors import AcwcError, NotFound

if TYPE_CHECKING:
    from engine import eligibility
    from engine.rules import Ruleset
    from engine.usecases.eligibility import Checked

EDITION = "2023"
NOT_ELIGIBLE, UNDECIDED = 1, 2


def register(app: typer.Typer) -> None:
    app.command("check-account")(check_account)


def check_account(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A Lichess name, or the link to a profile.")],
    ruleset: Annotated[
        str, typer.Option(metavar="FILE", help="A ruleset file, or the key of one that comes with the bot.")
    ] = EDITION,
    starts: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], metavar="DAY", help="First pairings of the edition: moves every date with it."
        ),
    ] = None,
) -> None:
    """Checks whether an account may play, a line per check; nothing is stored.

    Exit status 0: eligible; 1: not, or not yet; 2: a human must decide, or the check is not complete.
    """
    from cogs.transforms import account_name

    try:
        account, settings = account_name(name), load_settings()
        rules = _rules(ruleset, starts)
        checked = asyncio.run(_check(settings, rules, account))
    except WrongSettings as wrong:
        lines = "\n".join(f"  {line}" for line in wrong.lines)
        raise _fail(f"The configuration cannot be used:\n{lines}") from None
    except NotFound as refusal:
        raise _fail(_reason(refusal), NOT_ELIGIBLE) from None
    except AcwcError as refusal:
        raise _fail(_reason(refusal)) from None
    _print(checked)
    raise typer.Exit(_status(checked))


def _rules(ruleset: str, starts: datetime | None) -> Ruleset:
    from engine.rules import dates_for

    rules = read_ruleset(ruleset, UNDECIDED)
    return dates_for(rules, starts.date()).ruleset if starts else rules


async def _check(settings: Settings, rules: Ruleset, name: str) -> Checked:
    from acwc_bot import wiring
    from engine.usecases.eligibility import Eligibility

    lichess = wiring.real_lichess(settings)
    shown = _Shown(rules)
    try:
        with shown.bar:
            return await Eligibility(lichess, wiring.SystemClock()).check(rules, name, on_progress=shown)
    finally:
        await lichess.close()


class _Shown:
    """How far the check is, on standard error: a bar in a terminal, else a line per answer."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._console = Console(stderr=True)
        columns = (BarColumn(), TextColumn("{task.description}", markup=False))
        self.bar = Progress(*columns, console=self._console, transient=True, disable=not self._console.is_terminal)
        self._task = self.bar.add_task("asking Lichess", total=None)

    async def __call__(self, progress: eligibility.Progress) -> None:
        from cogs.render.eligibility import games
        from engine.eligibility import estimate

        left = estimate(self._rules, progress)
        words = f"{progress.requests} of about {progress.requests + left.requests} requests, {games(progress.games)}"
        if left.requests:
            words += f", about {_duration(left.seconds)} left"
        self.bar.update(
            self._task, total=progress.requests + left.requests, completed=progress.requests, description=words
        )
        if not self._console.is_terminal:
            typer.echo(words, err=True)


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{round(seconds / 60)} min"


def _print(checked: Checked) -> None:
    from cogs.render.eligibility import PLAIN, check_words
    from engine.eligibility import Verdict

    marks = {
        Verdict.PASS: "ok",
        Verdict.FAIL: "NO",
        Verdict.HUMAN: "HUMAN",
        Verdict.NOT_YET: "LATER",
        Verdict.INCOMPLETE: "OPEN",
        Verdict.NOT_ASKED: "-",
    }
    profile = checked.progress.profile
    for check in checked.judgement.checks if profile else ():
        typer.echo(f"{marks[check.verdict]:<5}  §{check.clause[1:]}  {check_words(check, PLAIN)}")
    name = profile.name if profile else checked.progress.account
    typer.echo(
        {
            Verdict.PASS: f"{name} is eligible.",
            Verdict.FAIL: f"{name} is not eligible.",
            Verdict.NOT_YET: f"{name} is not eligible yet.",
            Verdict.HUMAN: f"A human must decide whether {name} is eligible.",
        }.get(checked.judgement.verdict, f"Not complete yet: nothing is decided about {name}.")
    )
    if checked.unavailable is not None:
        typer.echo(_reason(checked.unavailable), err=True)


def _status(checked: Checked) -> int:
    from engine.eligibility import Verdict

    statuses = {Verdict.PASS: 0, Verdict.FAIL: NOT_ELIGIBLE, Verdict.NOT_YET: NOT_ELIGIBLE}
    return statuses.get(checked.judgement.verdict, UNDECIDED)


_REASONS = {
    "no_account": "Lichess knows no account of that name.",
    "bad_account_name": "That is neither a Lichess name nor the link to a profile, such as https://lichess.org/@/Name.",
    "lichess_busy": "Lichess asks us to wait. Try again in a few minutes.",
    "lichess_down": "Lichess does not answer. Try again in a few minutes.",
    "lichess_incomplete": "Lichess broke off in the middle of its answer. Try again.",
    "lichess_refused": "Lichess refused to answer. Try again later.",
}


def _reason(refusal: AcwcError) -> str:
    if refusal.code == "start_weekday":
        nearest = " or ".join(str(day) for day in refusal.params["nearest"])
        return (
            f"{refusal.params['given']} is not a {refusal.params['weekday'].capitalize()}. The nearest are {nearest}."
        )
    return _REASONS.get(refusal.code, str(refusal))


def _fail(text: str, status: int = UNDECIDED) -> typer.Exit:
    typer.echo(text, err=True)
    return typer.Exit(status)

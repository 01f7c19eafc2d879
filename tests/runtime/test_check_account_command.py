"""`acwc-bot check-account`: a line per check, the exit status, and that no answer is no verdict."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acwc_bot import wiring
from acwc_bot.__main__ import app
from engine.ports import PlayedGame
from tests.engine.lichess_book import ListedLichess, SetClock, moment, played
from tests.rules.ruleset_text import TEXT

NOW = moment("2023-03-14T18:00")


class Desk:
    """The command line in front of a Lichess of lists."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.lichess = ListedLichess(older=1000)
        self.now = NOW
        monkeypatch.chdir(folder)
        monkeypatch.setattr(wiring, "real_lichess", lambda settings: self.lichess)
        monkeypatch.setattr(wiring, "SystemClock", lambda: SetClock(self.now))

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, ["check-account", *arguments], env={"COLUMNS": "80"})


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    return Desk(monkeypatch, tmp_path)


def cheat(number: int, day: str) -> PlayedGame:
    return played(number, moment(day), status="cheat", lost=True)


def test_r2_an_eligible_account(desk: Desk) -> None:
    desk.lichess.listed = [played(1, NOW - timedelta(hours=1))]
    result = desk.run("Ann")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "ok     §2.8  the account is open",
        "ok     §2.7  no BOT account",
        "ok     §2.1  made on 2015-03-02 00:00 UTC; needed: before 2023-01-01",
        "ok     §2.2  1000 rated games before 2023-03-12 (1001 in all, 1 since then); 1000 needed",
        "ok     §2.3  no mark on the profile",
        "ok     §2.4  no mark on the profile",
        "ok     §2.5  no lost game with cheat detected; 1 game looked at, back to 2020-01-01 00:00 UTC. "
        "Out with 1 since 2022-01-01 or 2 since 2020-01-01",
        "-      §2.6  a second account: nobody looked for one here",
        "-      §2.8  no word from a Lichess admin",
        "Ann is eligible.",
    ]
    assert result.stderr.splitlines() == [
        "1 of about 4 requests, 0 games, about 22 s left",
        "2 of about 4 requests, 0 games, about 21 s left",
        "3 of about 3 requests, 1 game",
    ]


@pytest.mark.parametrize("text", ["https://lichess.org/@/Ann", "@ann", "  ANN ", "lichess.org/@/Ann/all"])
def test_a_link_or_any_spelling_is_the_account(desk: Desk, text: str) -> None:
    assert desk.run(text).exit_code == 0


def test_r2_5_what_was_found_is_linked_and_what_nobody_looked_at_is_said(desk: Desk) -> None:
    desk.lichess.listed = [cheat(1, "2021-05-02"), cheat(2, "2020-05-02")]
    result = desk.run("Ann")
    assert result.exit_code == 1
    assert (
        "NO     §2.5  2 lost games with cheat detected: https://lichess.org/game0001 (2021-05-02) "
        "https://lichess.org/game0002 (2020-05-02); 2 games looked at, back to 2020-01-01 00:00 UTC."
    ) in result.stdout
    assert result.stdout.endswith("Ann is not eligible.\n")


def test_r2_2_too_few(desk: Desk) -> None:
    desk.lichess.older = 999
    result = desk.run("Ann")
    assert result.exit_code == 1
    assert "NO     §2.2  999 rated games in all; 1000 needed before 2023-03-12\n" in result.stdout
    assert "-      §2.5  games with cheat detected: not looked into any further\n" in result.stdout


def test_r2_2_not_yet(desk: Desk) -> None:
    desk.lichess.older, desk.now = 999, moment("2023-03-11T23:59:59")
    result = desk.run("Ann")
    assert result.exit_code == 1
    words = "LATER  §2.2  999 rated games in all; 1000 needed before 2023-03-12, counted again on that day\n"
    assert words in result.stdout
    assert result.stdout.endswith("Ann is not eligible yet.\n")


def test_r2_2_a_count_that_moves_is_no_verdict(desk: Desk) -> None:
    desk.lichess.before = lambda number: desk.lichess.listed.append(played(1, NOW)) if number == 2 else None
    result = desk.run("Ann")
    assert result.exit_code == 2
    assert "OPEN   §2.2  999 rated games before 2023-03-12 (1000 in all, 1 since then); 1000 needed. " in result.stdout
    assert result.stdout.endswith("Not complete yet: nothing is decided about Ann.\n")


def test_r2_3_r2_4_a_mark_needs_a_human(desk: Desk) -> None:
    desk.lichess.marked = True
    result = desk.run("Ann")
    assert result.exit_code == 2
    start = "Lichess has marked the account; whether that is"
    assert f"HUMAN  §2.3  {start} an engine mark after 2020-01-01, only Lichess can say\n" in result.stdout
    assert f"HUMAN  §2.4  {start} a booster mark after 2022-01-01, only Lichess can say\n" in result.stdout
    assert result.stdout.endswith("A human must decide whether Ann is eligible.\n")


def test_lichess_breaks_off(desk: Desk) -> None:
    desk.lichess.fails = frozenset({2})
    result = desk.run("Ann")
    assert result.exit_code == 2
    assert "OPEN   §2.2  1000 rated games in all, and since 2023-03-12 0 of them so far; 1000 needed" in result.stdout
    assert result.stdout.endswith("Not complete yet: nothing is decided about Ann.\n")
    assert result.stderr.endswith("Lichess does not answer. Try again in a few minutes.\n")


def test_lichess_does_not_answer_at_all(desk: Desk) -> None:
    desk.lichess.fails = frozenset({1})
    result = desk.run("Ann")
    assert (result.exit_code, result.stdout) == (2, "Not complete yet: nothing is decided about ann.\n")


def test_nobody_has_that_name(desk: Desk) -> None:
    result = desk.run("Nobody")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Lichess knows no account of that name.\n"


@pytest.mark.parametrize("name", ["two words", "https://lichess.org/abcdefgh", "é", "https://example.org/@/Ann"])
def test_what_is_no_name_is_asked_of_nobody(desk: Desk, name: str) -> None:
    result = desk.run(name)
    assert (result.exit_code, desk.lichess.asked) == (2, [])
    assert result.stderr.startswith("That is neither a Lichess name nor the link to a profile")


def test_another_ruleset_and_another_start(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(TEXT.replace("[entry]\n", '[entry]\nteam = "some-team"\nmin_rating = 1800\n'), "utf-8")
    result = desk.run("Ann", "--ruleset", str(file), "--starts", "2027-03-21")
    assert result.exit_code == 1
    assert "§2.1  made on 2015-03-02 00:00 UTC; needed: before 2027-01-03\n" in result.stdout
    assert (
        "LATER  §2.8  not in the team https://lichess.org/team/some-team; it can be joined before 2027-03-14\n"
        in result.stdout
    )
    assert "ok     §2.8  rated 2000; at least 1800 needed\n" in result.stdout
    assert desk.run("Ann", "--ruleset", "2022").stdout.count("before 2022-05-01") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--ruleset", "2019"), "2019: No such file or directory. Shipped rulesets: 2022, 2023"),
        (("--starts", "2027-03-22"), "2027-03-22 is not a Sunday. The nearest are 2027-03-21 or 2027-03-28."),
        (("--starts", "tomorrow"), "tomorrow"),
    ],
)
def test_a_ruleset_or_a_start_that_cannot_be_is_wrong_usage(desk: Desk, arguments: tuple[str, str], says: str) -> None:
    result = desk.run("Ann", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert desk.lichess.asked == []

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
        "ok     §2.8  Account open",
        "ok     §2.7  No BOT",
        "ok     §2.1  Account age: made Mon 2 Mar 2015, before Sun 1 Jan 2023 is asked",
        "ok     §2.2  Rated games: 1000 of 1001 count, 1000 before Sun 12 Mar 2023 are asked",
        "ok     §2.3  Engine mark: none",
        "ok     §2.4  Boosting mark: none",
        "ok     §2.5  “Cheat detected”: 0 lost (1 game read, back to Wed 1 Jan 2020), out with "
        "1 since Sat 1 Jan 2022 or 2 since Wed 1 Jan 2020",
        "-      §2.6  One account per person: not looked for here",
        "-      §2.8  A Lichess admin’s word: none",
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
        "NO     §2.5  “Cheat detected”: 2 lost (2 games read, back to Wed 1 Jan 2020), out with "
        "1 since Sat 1 Jan 2022 or 2 since Wed 1 Jan 2020: "
        "Sun 2 May 2021 https://lichess.org/game0001 Sat 2 May 2020 https://lichess.org/game0002"
    ) in result.stdout
    assert result.stdout.endswith("Ann is not eligible.\n")


def test_r2_2_too_few(desk: Desk) -> None:
    desk.lichess.older = 999
    result = desk.run("Ann")
    assert result.exit_code == 1
    assert "NO     §2.2  Rated games: 999, 1000 before Sun 12 Mar 2023 are asked\n" in result.stdout
    assert "-      §2.5  “Cheat detected”: not looked into any further\n" in result.stdout


def test_r2_2_not_yet(desk: Desk) -> None:
    desk.lichess.older, desk.now = 999, moment("2023-03-11T23:59:59")
    result = desk.run("Ann")
    assert result.exit_code == 1
    words = "LATER  §2.2  Rated games: 999 so far, 1000 before Sun 12 Mar 2023 are asked; I count again on that day\n"
    assert words in result.stdout
    assert result.stdout.endswith("Ann is not eligible yet.\n")


def test_r2_2_a_count_that_moves_is_no_verdict(desk: Desk) -> None:
    desk.lichess.before = lambda number: desk.lichess.listed.append(played(1, NOW)) if number == 2 else None
    result = desk.run("Ann")
    assert result.exit_code == 2
    assert (
        "OPEN   §2.2  Rated games: 999 of 1000 count, 1000 before Sun 12 Mar 2023 are asked; games ended "
        in result.stdout
    )
    assert result.stdout.endswith("Not complete yet: nothing is decided about Ann.\n")


def test_r2_3_r2_4_a_mark_needs_a_human(desk: Desk) -> None:
    desk.lichess.marked = True
    result = desk.run("Ann")
    assert result.exit_code == 2
    mark = "mark: Lichess shows a mark, not which and since when; one after"
    assert f"HUMAN  §2.3  Engine {mark} Wed 1 Jan 2020 counts\n" in result.stdout
    assert f"HUMAN  §2.4  Boosting {mark} Sat 1 Jan 2022 counts\n" in result.stdout
    assert result.stdout.endswith("A human must decide whether Ann is eligible.\n")


def test_lichess_breaks_off(desk: Desk) -> None:
    desk.lichess.fails = frozenset({2})
    result = desk.run("Ann")
    assert result.exit_code == 2
    assert "OPEN   §2.2  Rated games: 1000 on the profile, 0 played later so far, 1000 before" in result.stdout
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
    assert "made Mon 2 Mar 2015, before Sun 3 Jan 2027 is asked\n" in result.stdout
    assert (
        "LATER  §2.8  Team: not in some-team https://lichess.org/team/some-team, "
        "which can be joined before Sun 14 Mar 2027\n" in result.stdout
    )
    assert "ok     §2.8  Rating: 2000, 1800 is asked\n" in result.stdout
    assert desk.run("Ann", "--ruleset", "2022").stdout.count("before Sun 1 May 2022") == 1


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

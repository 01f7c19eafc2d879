"""`acwc-bot pair` and `acwc-bot standings`: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acwc_bot.__main__ import app
from engine.rules import load, shipped_text
from engine.trf import write
from tests.engine.season_book import SEEDS, Season
from tests.engine.trf_book import EVERY_TIEBREAK, four, player, report, written


def acwc_bot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def refused(result: Result, status: int = 1) -> str:
    """What is said, without a traceback."""
    assert result.exit_code == status, result.output
    assert isinstance(result.exception, SystemExit)
    assert not result.stdout
    return result.stderr


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.trf"
    path.write_bytes(four())
    return path


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.trf"
    path.write_bytes(report(*(player(n, "0.0") for n in range(1, 8))))
    return path


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The worked example of R3.6."""
    season = Season()
    season.round(1, (1, 2, "="), (3, 6, "1-0"), (4, 5, "="))
    season.round(2, (1, 5, "1-0"), (2, 6, "1-0"), (3, 4, "-+"))
    season.leave(6)
    season.round(3, (1, 3, "0-1"), (2, 4, "r="), bye=5)
    season.round(4, (1, 4, "0-1"), (2, 5, "1-0"), bye=3)
    path = tmp_path / "example.trf"
    path.write_text(write(written(season, SEEDS)[2]), "utf-8", newline="")
    return path


# --- pair -------------------------------------------------------------------------------------------------------


def test_pair_prints_the_number_of_pairs_and_a_line_for_each(cup: Path) -> None:
    result = acwc_bot("pair", cup)
    assert (result.exit_code, result.stdout) == (0, "2\n1 4\n2 3\n")


def test_pair_counts_the_bye_as_a_pair_and_prints_it_last(odd: Path) -> None:
    assert acwc_bot("pair", odd).stdout == "4\n1 4\n2 5\n3 6\n7 0\n"


def test_pair_as_json(odd: Path) -> None:
    result = acwc_bot("pair", odd, "--json")
    assert json.loads(result.stdout) == {"round": 1, "pairs": [[1, 4], [2, 5], [3, 6]], "bye": 7}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            report(player(1, "1.0", "   2 w 1"), player(2, "0.0", "   1 b 0")),
            ["without a rematch (§3.7)", "nobody is left for 1, 2", "fewest rematches", "1 – 2"],
        ),
        (report(player(1, ""), player(2, ""), "XXP 1 2"), ["(XXP) leave nobody for 1, 2"]),
        (report(player(1, "1.0", "0000 - U")), ["barred from the bye", ": 1"]),
        (four().replace(b"XXR 3", b"XXR 2"), ["all 2 rounds (XXR) are played"]),
        (report(player(1, "", "   2 w  "), player(2, "", "   1 b  ")), ["round 1 has no result yet of 1 – 2", "AWE"]),
        (four(more="XXA    1  1.0"), ["line 8 asks for accelerated pairings"]),
    ],
)
def test_pair_says_why_the_round_cannot_be_paired(tmp_path: Path, data: bytes, words: list[str]) -> None:
    path = tmp_path / "cup.trf"
    path.write_bytes(data)
    said = refused(acwc_bot("pair", path))
    assert said.startswith(f"{path}: ")
    assert not [word for word in words if word not in said]


# --- standings --------------------------------------------------------------------------------------------------


def test_standings_as_json_with_the_tiebreaks_of_2023(example: Path) -> None:
    table = json.loads(acwc_bot("standings", example, "--json").stdout)
    assert [(line["rank"], line["number"], line["name"], line["points"]) for line in table] == [
        (1, 4, "P4", 3.0),
        (2, 3, "P3", 3.0),
        (3, 2, "P2", 3.0),
        (4, 1, "P1", 1.5),
        (5, 5, "P5", 1.5),
        (None, 6, "P6", 0.0),
    ]
    assert table[0]["tiebreaks"] == {"cumulative": 7.0, "wins_against_tied": 1, "median_buchholz": 4.5}
    assert table[0].keys() == {"number", "name", "rank", "points", "tiebreaks"}


def test_standings_with_other_tiebreaks_and_another_reading(example: Path) -> None:
    def values(*options: str) -> list[float]:
        result = acwc_bot("standings", example, "--json", "--tiebreaks", "buchholz, sonneborn_berger,seed", *options)
        (line,) = (line for line in json.loads(result.stdout) if line["number"] == 4)
        assert list(line["tiebreaks"]) == ["buchholz", "sonneborn_berger"]
        return list(line["tiebreaks"].values())

    # Player 4: drawn with 5 (1.5), a walkover, a draw without a game, won against 1 (1.5); own points 3.
    assert values() == values("--unplayed", "virtual") == [9.0, 0.75 + 3 + 1.5 + 1.5]
    assert values("--unplayed", "zero") == values("--unplayed", "skip") == [3.0, 2.25]


def test_standings_as_a_table_fit_80_columns(example: Path) -> None:
    path = example.with_name("long.trf")
    path.write_bytes(example.read_bytes().replace(b"P4".ljust(33), b"[b]Heymann-Example,Anna-Luise[/b]"))
    lines = acwc_bot("standings", path).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line.strip()]
    assert rows[0] == ["A", "season", "after", "round", "4"]
    assert ["1", "4", "[b]Heymann-Example,A", "3", "7", "1", "4½"] in rows
    assert ["–", "6", "P6", "0", "0", "0", "3"] in rows


def test_a_table_with_many_tiebreaks_loses_no_value(example: Path) -> None:
    lines = acwc_bot("standings", example, "--tiebreaks", ",".join(EVERY_TIEBREAK)).stdout.splitlines()
    (first,) = (line.split() for line in lines if "P4" in line)
    assert len(first) == 4 + len(EVERY_TIEBREAK)


def test_the_default_tiebreaks_are_those_of_the_2023_ruleset(example: Path) -> None:
    names = ",".join(load(shipped_text("2023")).swiss.tiebreaks)
    assert acwc_bot("standings", example, "--tiebreaks", names).stdout == acwc_bot("standings", example).stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tiebreaks", "buchholz,progress"], ["There is no tiebreak 'progress'", "cumulative", "median_buchholz"]),
        (["--tiebreaks", "mutual_game"], ["mutual_game needs the games of the matches"]),
        (["--tiebreaks", "wins,buchholz,wins"], ["wins stands twice"]),
        (["--unplayed", "half"], ["There is no reading of unplayed rounds 'half'. Known: skip, virtual, zero."]),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(cup: Path, options: list[str], words: list[str]) -> None:
    said = refused(acwc_bot("standings", cup, *options), 2)
    assert not [word for word in words if word not in said]


# --- Files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["pair", "standings"])
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(command: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.trf"
    empty.touch()
    assert refused(acwc_bot(command, tmp_path / "gone.trf")) == f"{tmp_path / 'gone.trf'}: No such file or directory\n"
    assert refused(acwc_bot(command, tmp_path)) == f"{tmp_path}: Is a directory\n"
    assert refused(acwc_bot(command, empty)) == f"{empty}: the file is empty\n"


@pytest.mark.parametrize("command", ["pair", "standings"])
def test_every_fault_of_a_file_is_named(command: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.trf"
    path.write_bytes(four(more="XXZ 1 x\nXXP 7"))
    assert refused(acwc_bot(command, path)).splitlines() == [
        f"{path}: line 8, column 7: not a number: 'x'",
        f"{path}: line 9, column 5: XXP names two or more players",
    ]


@pytest.mark.parametrize("command", ["pair", "standings"])
def test_help_says_what_the_command_does(command: str) -> None:
    result = acwc_bot(command, "--help")
    assert result.exit_code == 0
    assert "tournament report file" in result.stdout


def test_the_example_of_the_document_is_the_worked_example(example: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/trf.md").read_text("utf-8")
    shown = text.rpartition("```\n012")[2].partition("```")[0].splitlines()
    players = [line for line in shown if line.startswith("001")]
    expected = [line for line in example.read_text("utf-8").splitlines() if line.startswith("001")]
    assert [line[33:] for line in players] == [line[33:] for line in expected]
    file = example.with_name("document.trf")
    file.write_text("012" + "\n".join(shown), "utf-8")
    assert acwc_bot("standings", file, "--json").stdout.count('"rank": null') == 1


@pytest.mark.parametrize(
    ("tiebreaks", "words"), [("seed,wins", "nothing can follow it"), ("wins,points", "come first")]
)
def test_an_order_that_leaves_nothing_to_separate_is_refused(example: Path, tiebreaks: str, words: str) -> None:
    assert words in refused(acwc_bot("standings", example, "--tiebreaks", tiebreaks), 2)


def test_the_seed_may_stand_last(example: Path) -> None:
    said = acwc_bot("standings", example, "--tiebreaks", "points,wins,seed")
    assert said.exit_code == 0 and said.stdout == acwc_bot("standings", example, "--tiebreaks", "wins").stdout


def test_when_nobody_is_left_there_is_no_pairing(tmp_path: Path) -> None:
    path = tmp_path / "cup.trf"
    path.write_bytes(four() + b"XXZ 1 2 3 4\n")
    assert "nobody is left to play round" in refused(acwc_bot("pair", path))


def test_a_name_cannot_break_turn_or_hide_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cup.trf"
    path.write_bytes(four(p1=player(1, "2.0", "   3 w 1", "   2 b 1", name="A\u2028B\tC\u202eD\u200dE")))
    assert "A□B□C□D\u200dE" in acwc_bot("standings", path).stdout

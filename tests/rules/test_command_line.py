"""`acwc-bot rules list`, `show` and `check`: what they print and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acwc_bot.__main__ import app
from engine.rules import load, shipped, shipped_text
from tests.rules.ruleset_text import TEXT, with_value


def acwc_bot(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["rules", *arguments])


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(TEXT, "utf-8")
    return path


def test_list_names_every_shipped_ruleset() -> None:
    result = acwc_bot("list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "2022  Antichess World Championship 2022",
        "2023  LiAntichess World Cup 2023",
    ]


@pytest.mark.parametrize("name", shipped())
def test_show_prints_the_file_to_the_letter(name: str) -> None:
    result = acwc_bot("show", name)
    assert (result.exit_code, result.stdout) == (0, shipped_text(name))
    assert load(result.stdout).name == name


def test_show_of_an_unknown_ruleset_fails_and_names_the_known_ones() -> None:
    result = acwc_bot("show", "2019")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "There is no ruleset 2019. Known: 2022, 2023" in result.stderr


def test_check_of_a_ruleset_in_order(cup: Path) -> None:
    result = acwc_bot("check", str(cup))
    assert (result.exit_code, result.stdout) == (0, f"{cup}: in order (LiAntichess World Cup 2023)\n")


def test_check_says_who_is_still_to_be_named(cup: Path) -> None:
    cup.write_text(shipped_text("2022"), "utf-8")
    result = acwc_bot("check", str(cup))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == [
        f"{cup}: {who} needs a Lichess name before an edition can be created"
        for who in ("<champion of 2021>", "<runner-up of 2021>")
    ]


def test_check_prints_a_title_as_it_is(cup: Path) -> None:
    cup.write_text(with_value(TEXT, "title", '"Cup [/red] :smile:"'), "utf-8")
    assert acwc_bot("check", str(cup)).stdout == f"{cup}: in order (Cup [/red] :smile:)\n"


def test_check_names_file_key_and_reason_of_every_fault(cup: Path) -> None:
    text = with_value(TEXT, "offers.count", '"three"')
    cup.write_text(with_value(text, "candidates.seating.pools.places", "[12, 9, 7, 6, 4, true]"), "utf-8")
    result = acwc_bot("check", str(cup))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        f"{cup}: candidates.seating.pools.1.places: expected a whole number, not true",
        f'{cup}: offers.count: expected a whole number, not "three"',
    ]


def test_check_of_a_contradiction(cup: Path) -> None:
    cup.write_text(with_value(TEXT, "candidates.seating.pools.places", "[12, 9, 7, 6, 4, 4]"), "utf-8")
    result = acwc_bot("check", str(cup))
    assert result.exit_code == 1
    assert f"{cup}: candidates.seating.pools.places: must hold each of the places 1 to 12 once" in result.stderr


def test_check_of_what_is_no_toml_names_the_line(cup: Path) -> None:
    cup.write_text("name = \n", "utf-8")
    result = acwc_bot("check", str(cup))
    assert result.exit_code == 1
    assert "not TOML" in result.stderr and "line 1" in result.stderr


def test_check_of_what_cannot_be_read(tmp_path: Path) -> None:
    missing, binary = tmp_path / "gone.toml", tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, reason in ((missing, "No such file"), (tmp_path, "Is a directory"), (binary, "not a text file in UTF-8")):
        result = acwc_bot("check", str(path))
        assert result.exit_code == 1
        assert f"{path}: " in result.stderr and reason in result.stderr


def test_no_command_and_no_file_are_wrong_usage() -> None:
    assert acwc_bot("check").exit_code == 2
    assert acwc_bot("show").exit_code == 2
    assert acwc_bot("dance").exit_code == 2

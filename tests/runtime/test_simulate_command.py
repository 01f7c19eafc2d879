"""`acwc-bot simulate`: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acwc_bot.__main__ import app
from engine.rules import shipped_text
from engine.trf import ranking, read


def acwc_bot(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["simulate", *arguments])


def test_it_prints_the_tables_of_all_stages_and_the_champion() -> None:
    result = acwc_bot("--players", "12", "--seed", "4")
    assert result.exit_code == 0, result.output
    titles = ("Qualification after round 5", "upper pool", "lower pool", "Semifinals", "Finals", "Final placing")
    at = [result.stdout.index(title) for title in (*titles, "What happened", "Champion: ")]
    assert at == sorted(at)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_says_the_same_twice_and_the_report_file_has_the_table_of_the_qualification(tmp_path: Path) -> None:
    file = tmp_path / "report.trf"
    result = acwc_bot("--players", "13", "--seed", "3", "--json", "--trf", str(file))
    assert result.exit_code == 0, result.output
    assert acwc_bot("--players", "13", "--seed", "3", "--json").stdout == result.stdout
    said = json.loads(result.stdout)
    assert said["champion"] == said["placing"][0]["name"]
    assert [r["stage"] for r in said["rounds"]].count("candidates") == 5
    table = [(line["seed"], line["points"]) for line in said["tables"]["qualification"]]
    report = read(file.read_bytes(), str(file))
    placed = ranking(report, ("cumulative", "wins_against_tied", "median_buchholz"))
    assert [(row.entrant_id, (row.values["points"] or 0) / 2) for _, row in placed] == table


def test_a_ruleset_is_a_file_or_the_key_of_a_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(shipped_text("2022").replace('name = "2022"', 'name = "cup"'), "utf-8")
    said = [
        json.loads(acwc_bot("--players", "12", "--seed", "1", "--json", "--ruleset", name).stdout)
        for name in ("2022", str(file))
    ]
    assert [one.pop("ruleset") for one in said] == ["2022", "cup"]
    assert said[0]["entrants"] == said[1]["entrants"]
    assert {"named_1", "named_2"} <= {entrant["name"] for entrant in said[0]["entrants"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "11"], ("11 are too few", "at least 12", "§3.4", "§3.5")),
        (["--players", "9999"], ("too many", "512")),
        (["--ruleset", "missing.toml"], ("missing.toml", "No such file", "2022, 2023")),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_one_sentence(arguments: list[str], words: tuple[str, ...]) -> None:
    result = acwc_bot(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert all(word in result.stderr for word in words), result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_invalid_ruleset_is_refused_in_the_words_of_the_loader(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(shipped_text("2023").replace("rounds_plus = 2", 'rounds_plus = "two"'), "utf-8")
    result = acwc_bot("--ruleset", str(file))
    assert result.exit_code == 1
    assert f"{file}: swiss.rounds_plus: expected a whole number" in result.stderr


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text(shipped_text("2023").replace("bye_points = 1 ", "bye_points = 0.5 "), "utf-8")
    result = acwc_bot("--players", "12", "--ruleset", str(rules), "--trf", str(tmp_path / "cup.trf"))
    assert result.exit_code == 1 and "because of swiss.bye_points" in result.stderr
    assert not result.stdout and not (tmp_path / "cup.trf").exists()


def test_the_tables_explain_their_signs_and_what_they_leave_out() -> None:
    """Seed 5 of 13: byes, somebody left; of 88: more places than are shown."""
    small, large = acwc_bot("--players", "13", "--seed", "5").stdout, acwc_bot("--players", "88").stdout
    assert "0 0 4       1*" in small and "*: with the points of the bye" in small and "–: has left" in small
    assert "; 63 more, with" in large and "×: does not count" in large


def test_who_has_moved_up_is_told_once() -> None:
    told = [line for line in acwc_bot("--players", "12").stdout.splitlines() if "moved up (third place)" in line]
    assert len(told) == 1 and "player_005" in told[0]


def test_a_negative_seed_is_no_other_name_for_a_seed() -> None:
    assert acwc_bot("--seed", "-1").exit_code == 2

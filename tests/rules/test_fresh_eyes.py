"""What somebody found who wrote rulesets without knowing the project: taken once, refused now."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.rules import RulesetError, load, read_text
from engine.rules.loader import LONGEST_TEXT
from tests.rules.ruleset_text import TEXT, with_value


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("variant", '"fischerandom"', 'unknown name "fischerandom", known are antichess, atomic, chess960'),
        ("variant", '"standard"', "unknown name"),
        ("starts", "2027-03-21", "2023-03-12 lies more than a year before the first publication"),
        ("matches.qualification.clock_initial", "61", "61 s: Lichess has 0, 15, 30, 45, 90 and whole minutes"),
        ("armageddon.black_clock", "200", "200 s: Lichess has 15, 30, 45, 90 and whole minutes"),
        ("swiss.median_drop", "50", "must be at most 3"),
        (
            "knockout.semifinals",
            '[["upper 1", "upper 1"], ["lower 1", "upper 2"]]',
            '"upper 1" sits down twice',
        ),
    ],
)
def test_what_no_edition_can_be_played_by_is_refused(key: str, value: str, reason: str) -> None:
    with pytest.raises(RulesetError) as refusal:
        load(with_value(TEXT, key, value))
    assert any(fault.key == key or key == "starts" for fault in refusal.value.faults)
    assert reason in str(refusal.value)


def test_a_file_is_read_no_further_than_a_ruleset_can_be_long(tmp_path: Path) -> None:
    endless = Path("/dev/zero")
    if endless.exists():
        with pytest.raises(RulesetError):
            load(read_text(endless))
    long = tmp_path / "long.toml"
    long.write_bytes(b"\xff" * (4 * LONGEST_TEXT + 10))
    with pytest.raises(RulesetError, match=f"longer than {LONGEST_TEXT} characters"):
        read_text(long)
    short = tmp_path / "short.toml"
    short.write_bytes(b"\xff\xfe")
    with pytest.raises(RulesetError, match="not a text file in UTF-8"):
        read_text(short)

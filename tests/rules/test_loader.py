"""The strict loader: what is unknown, missing, misshapen or contradictory is refused with file, key and reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import NotFound
from engine.rules import RulesetError, load, shipped, shipped_text
from tests.rules.ruleset_text import MAY_BE_MISSING, TEXT, Line, faults_of, lines, with_line, with_value

LINES = list(lines(TEXT))


def _id(line: Line) -> str:
    return f"{line.number}:{line.key}"


def test_the_shipped_rulesets_load() -> None:
    assert "2023" in shipped()
    for key in shipped():
        assert load(shipped_text(key)).name == key


def test_a_ruleset_that_is_not_shipped_is_not_found() -> None:
    with pytest.raises(NotFound) as caught:
        shipped_text("../2023")
    assert caught.value.params["known"] == shipped()


def test_loading_twice_gives_equal_values() -> None:
    assert load(TEXT) == load(TEXT)


@pytest.mark.parametrize("line", [line for line in LINES if line.key not in MAY_BE_MISSING], ids=_id)
def test_every_key_is_needed(line: Line) -> None:
    assert faults_of(with_line(TEXT, line.number, "")) == {line.key: "missing"}


@pytest.mark.parametrize("line", LINES, ids=_id)
def test_every_misspelt_key_is_refused(line: Line) -> None:
    name = line.key.rsplit(".", 1)[-1]
    faults = faults_of(with_line(TEXT, line.number, f"{name}x = {line.value}"))
    missing = {} if line.key in MAY_BE_MISSING else {line.key: "missing"}
    assert faults == {f"{line.key}x": f'unknown key, perhaps "{name}"'} | missing


def test_a_text_that_an_edition_stored_before_a_key_existed_still_loads_with_the_reading_it_was_played_by() -> None:
    stored = (Path(__file__).parents[1] / "data" / "2023_before_issue_4.toml").read_text("utf-8")
    assert {line.key for line in LINES} - {line.key for line in lines(stored)} == MAY_BE_MISSING - {
        "entry.team",
        "entry.min_rating",
        "registration.opens",
        "seeding.peak_from",
        "seeding.peak_until",
    }
    assert load(stored) == load(TEXT)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    assert load("\ufeff" + TEXT.replace("\n", "\r\n")) == load(TEXT)


@pytest.mark.parametrize("line", LINES, ids=_id)
def test_every_value_of_another_type_is_refused(line: Line) -> None:
    name = line.key.rsplit(".", 1)[-1]
    faults = faults_of(with_line(TEXT, line.number, f"{name} = {{ nothing = 1 }}"))
    assert list(faults) == [line.key]
    assert faults[line.key].startswith("expected")


@pytest.mark.parametrize("section", sorted(set(re.findall(r"^\[([a-z_]+)\]$", TEXT, re.MULTILINE))))
def test_every_section_is_needed_and_must_be_a_table(section: str) -> None:
    unknown = faults_of(TEXT.replace(f"[{section}]", f"[{section}_x]").replace(f"[[{section}.", f"[[{section}_x."))
    assert unknown[f"{section}_x"].startswith("unknown key")
    assert unknown[section] == "missing"


def test_a_section_that_is_no_table_is_refused() -> None:
    text = re.sub(r"\[reminders\]\n(?:.+\n)+", "", TEXT).replace('variant = "', 'reminders = 3\nvariant = "')
    assert faults_of(text) == {"reminders": "expected a table, not 3"}


def test_a_list_with_a_wrong_item_is_refused() -> None:
    assert faults_of(with_value(TEXT, "candidates.seating.pools.places", "[12, 9, 7, 6, 4, true]")) == {
        "candidates.seating.pools.places": "expected a whole number, not true"
    }


def test_all_faults_are_named_in_one_go_with_the_file() -> None:
    text = with_value(TEXT, "offers.count", '"three"')
    text = with_value(text, "swiss.points_draw", "0.25")
    text = text.replace("[week]\n", "[week]\ntimezone = 1\n")
    with pytest.raises(RulesetError) as caught:
        load(text, "cup.toml")
    assert str(caught.value).splitlines() == [
        "cup.toml: swiss.points_draw: expected whole or half points, not 0.25",
        "cup.toml: week.timezone: unknown key",
        'cup.toml: offers.count: expected a whole number, not "three"',
    ]
    assert caught.value.code == "ruleset_invalid"
    assert caught.value.params == {"file": "cup.toml", "faults": caught.value.faults}


def test_what_is_not_toml_is_refused_with_its_line() -> None:
    with pytest.raises(RulesetError, match=r"cup\.toml: not TOML: .*line 2"):
        load('name = "x"\nrounds = floor', "cup.toml")


# Values that are wrong by themselves: key, value, what the reason says.
BAD_VALUES = [
    ("title", '"  "', "must not be empty"),
    ("starts", "2023-03-19T12:00:00Z", "expected a date"),
    ("starts", "1999-12-31", "from 2000 to 2100"),
    ("entry.min_games", "-1", "must be at least 0"),
    ("entry.min_games", "true", "expected a whole number"),
    ("entry.bots", "0", "expected true or false"),
    ("swiss.rounds_plus", "21", "must be at most 20"),
    ("swiss.rounds_plus", "2.0", "expected a whole number"),
    ("swiss.rounds_log2", '"nearest"', "known are ceil, floor"),
    ("swiss.points_win", "nan", "whole or half points"),
    ("swiss.points_win", "inf", "whole or half points"),
    ("swiss.points_loss", "-1", "whole or half points"),
    ("swiss.points_loss", "true", "whole or half points"),
    ("swiss.tiebreaks", '["cumulative", "sonneborn", "seed"]', 'unknown name "sonneborn"'),
    ("swiss.tiebreaks", '"cumulative"', "expected a list"),
    ("swiss.pairing", '"monrad"', "unknown name"),
    ("swiss.unplayed", '"half"', "known are skip, virtual, zero"),
    ("seeding.method", '"lots"', "known are average_with_peak, rating_at_close"),
    ("candidates.pairing", '"swiss"', "unknown name"),
    ("candidates.tiebreaks", '["mutual_match", "seeds"]', "unknown name"),
    ("candidates.accept_by", '"23:59"', "expected a weekday"),
    ("candidates.seating.pools.places", "[12, 9, 7, 6, 4, 0]", "must be at least 1"),
    ("knockout.semifinals", '[["upper 1", "lower 2"], ["lower 1"]]', "expected a pair of seats"),
    ("knockout.semifinals", '[["upper 1", "lower 2"], ["lower 1", "upper"]]', "expected a pool and a place"),
    ("matches.qualification.stop", '"when_bored"', "known are all_games, decided, optional_after_decided"),
    ("matches.qualification.tied", '"coin"', "known are armageddon, draw, pairs_until_decided"),
    ("matches.qualification.games", "1", "must be at least 2"),
    ("swiss.tiebreaks", '["cumulative", "qualification_place", "seed"]', 'unknown name "qualification_place"'),
    ("candidates.direct", '["ann b"]', "expected a Lichess name"),
    ("candidates.direct", '["<>"]', "expected a Lichess name"),
    ("candidates.last_finals", '["@everyone"]', "expected a Lichess name"),
    ("knockout.direct", "[1]", "expected a Lichess name"),
    ("games.ruled_draw", '"5-5"', "unknown name"),
    ("leaving.keeps_place", '["protest"]', "known are disqualification, withdrawal"),
    ("forfeits.double_points", "[0.5, 0.25]", "whole or half points"),
    ("armageddon.equal_bids", '"coin"', "unknown name"),
    ("armageddon.bid_within", '"a day"', "expected a duration"),
    ("armageddon.bid_within", "24", "expected a duration"),
    ("week.first_publish", "12:00:30", "expected whole minutes"),
    ("week.publish", '"tue 12:00"', "expected a weekday"),
    ("week.publish", '"tuesday 24:00"', "expected a weekday"),
    ("offers.min_gap", '"3h"', "expected a duration"),
    ("offers.min_gap", '"-3 h"', "expected a duration"),
    ("offers.count", "0", "must be at least 1"),
    ("offers.answer_within", '"0 h"', "must be at least 1 min"),
    ("reporting.marks_checked_every", '"59 s"', "must be at least 1 min"),
    ("forfeits.counting", '["no_show", "draw"]', 'unknown name "draw"'),
    ("reporting.by", '["arbiter"]', "unknown name"),
    ("leaving.finals", '"nobody"', "unknown name"),
    ("leaving.grounds", '["engine", "rudeness"]', 'unknown name "rudeness"'),
]


@pytest.mark.parametrize(("key", "value", "reason"), BAD_VALUES, ids=[f"{k}={v}" for k, v, _ in BAD_VALUES])
def test_a_bad_value_is_refused(key: str, value: str, reason: str) -> None:
    faults = faults_of(with_value(TEXT, key, value))
    assert list(faults) == [key]
    assert reason in faults[key]


# Values that are fine alone and contradict another: the changes, the key that is named, what the reason says.
CONTRADICTIONS: list[tuple[dict[str, str], str, str]] = [
    ({"registration.closes": "2023-03-12\nopens = 2023-03-12"}, "registration.opens", "is not before"),
    ({"entry.account_created_before": "2023-04-01"}, "entry.account_created_before", "after the first publication"),
    ({"entry.min_games_before": "2023-03-20"}, "entry.min_games_before", "after the first publication"),
    ({"registration.closes": "2023-03-20"}, "registration.closes", "after the first publication"),
    ({"registration.closes": "2022-12-31"}, "registration.closes", "lies before entry.account_created_before"),
    ({"entry.cheat_games.count": "2"}, "entry.cheat_games", "never matters"),
    ({"seeding.method": '"average_with_peak"'}, "seeding.method", "needs peak_from and peak_until"),
    ({"seeding.then": '["rated_games"]'}, "seeding.then", "must contain lichess_id"),
    ({"swiss.points_draw": "1"}, "swiss.points_win", "worth more than a draw"),
    ({"candidates.points_loss": "1"}, "candidates.points_win", "a draw no less than a loss"),
    ({"swiss.bye_points": "1.5"}, "swiss.bye_points", "more than a won match"),
    ({"no_agreement.both_failed_points": "2"}, "no_agreement.both_failed_points", "more than a won match"),
    ({"swiss.tiebreaks": '["cumulative", "cumulative", "seed"]'}, "swiss.tiebreaks", "stands twice"),
    ({"swiss.tiebreaks": '["seed", "cumulative"]'}, "swiss.tiebreaks", 'must end with "seed"'),
    ({"swiss.tiebreaks": "[]"}, "swiss.tiebreaks", 'must end with "seed"'),
    ({"candidates.tiebreaks": '["mutual_match", "overall_game"]'}, "candidates.tiebreaks", "must end with"),
    ({"matches.candidates.stop": '"decided"'}, "matches.candidates.stop", "need all games to be played (R3.10)"),
    ({"candidates.last_finals": '["Ann", "ann"]'}, "candidates.last_finals", '"ann" stands twice'),
    ({"candidates.last_finals": '["a1", "b1", "c1", "d1", "e1"]'}, "candidates.last_finals", "four places"),
    ({"candidates.direct": '["champion"]'}, "candidates.seating", "0 to 1, not [0]"),
    ({"candidates.seating.qualifiers": "13"}, "candidates.seating.pools.places", "places 1 to 13 once"),
    ({"candidates.seating.pools.places": "[12, 9, 7, 6, 4, 2]"}, "candidates.seating.pools.places", "1 to 12 once"),
    ({"candidates.seating.pools.places": "[12, 9, 7, 6, 4]"}, "candidates.seating.pools.places", "1 to 12 once"),
    ({"candidates.seating.pools.direct": "[1]"}, "candidates.seating.pools.direct", "direct entrants 1 to 0"),
    ({"candidates.seating.pools.name": '"lower"'}, "candidates.seating.pools.name", "stands twice"),
    ({"candidates.seating.pools.name": '"direct"'}, "candidates.seating.pools.name", "kept for direct entrants"),
    ({"candidates.min_players": "13"}, "candidates.min_players", "more than the pools hold"),
    ({"knockout.semifinals": '[["upper 1", "lower 2"]]'}, "knockout.semifinals", "two semifinals"),
    (
        {"knockout.semifinals": '[["upper 1", "lower 2"], ["upper 1", "upper 2"]]'},
        "knockout.semifinals",
        "sits down twice",
    ),
    (
        {"knockout.semifinals": '[["upper 1", "lower 2"], ["lower 1", "upper 7"]]'},
        "knockout.semifinals",
        '"upper 7" does not exist',
    ),
    (
        {"knockout.semifinals": '[["upper 1", "lower 2"], ["lower 1", "direct 1"]]'},
        "knockout.semifinals",
        '"direct 1" does not exist',
    ),
    ({"knockout.direct": '["champion"]'}, "knockout.direct", "needs one seat"),
    ({"matches.qualification.games": "9"}, "matches.qualification.games", "odd number of games"),
    ({"matches.grand_final.extra_games": "3"}, "matches.grand_final.games", "odd number of games"),
    ({"matches.qualification.extra_games": "2"}, "matches.qualification.extra_games", "leaves no room"),
    ({"matches.third_place.tied": '"pairs_until_decided"'}, "matches.third_place.extra_games", "leaves no room"),
    ({"matches.semifinals.tied": '"draw"'}, "matches.semifinals.tied", "needs a winner"),
    ({"matches.qualification.tied": '"pairs_until_decided"'}, "matches.qualification.tied", "not supported here"),
    ({"matches.candidates.tied": '"armageddon"'}, "matches.candidates.tied", "not supported here, known are draw"),
    ({"swiss.rounds_plus": "11"}, "swiss.rounds_plus", "14 rounds of 14 entrants, of whom 12 qualify"),
    ({"swiss.rounds_plus": "20"}, "swiss.rounds_plus", "24 rounds of 24 entrants"),
    ({"swiss.rounds_plus": "10", "swiss.rounds_log2": '"ceil"'}, "swiss.rounds_plus", "need a rematch (R3.7)"),
    ({"candidates.tiebreaks": '["seed", "qualification_place"]'}, "candidates.tiebreaks", 'after "seed"'),
    (
        {"candidates.tiebreaks": '["total_game_points", "seed"]', "matches.candidates.stop": '"decided"'},
        "matches.candidates.stop",
        "total_game_points need all games",
    ),
    ({"candidates.direct": '["Ann"]', "knockout.direct": '["ann"]'}, "knockout.direct", "to the Candidates too"),
    ({"forfeits.double_points": "[]"}, "forfeits.double_points", "nothing to choose"),
    ({"forfeits.double_points": "[0, 0]"}, "forfeits.double_points", "stands twice"),
    ({"forfeits.double_points": "[0, 2]"}, "forfeits.double_points", "more than a won match"),
    ({"leaving.keeps_place": '["withdrawal", "withdrawal"]'}, "leaving.keeps_place", "stands twice"),
    (
        {"matches.candidates.clock_initial": "0", "matches.candidates.clock_increment": "0"},
        "matches.candidates.clock_initial",
        "no time at all",
    ),
    ({"armageddon.bid_least": "200"}, "armageddon.bid_most", "less than bid_least"),
    ({"armageddon.bid_most": "181"}, "armageddon.bid_most", "more than the other side has"),
    ({"armageddon.no_bid": "181"}, "armageddon.no_bid", "not between bid_least and bid_most"),
    ({"week.publish": '"monday 12:00"'}, "week.publish", "wrong side of the publication"),
    ({"week.publish": '"saturday 12:00"'}, "week.publish", "wrong side of the publication"),
    ({"week.match_deadline": '"tuesday 23:59"'}, "week.publish", "take 14 days, not 1 x 7"),
    ({"games.finish_by": '"13 h"'}, "games.finish_by", "after the next publication"),
    ({"offers.count": "15"}, "offers.count", "leave room for 14 of them in a round"),
    ({"offers.min_gap": '"5 d"'}, "offers.count", "leave room for 2 of them in the first round"),
    ({"offers.max_per_date": "1", "offers.count": "8"}, "offers.count", "leave room for 7 of them in a round"),
    ({"set_time.choose_by": '"wednesday 12:00"'}, "set_time.choose_by", "not between"),
    ({"set_time.min_notice": '"36 h"'}, "set_time.min_notice", "no time to choose"),
    ({"reminders.no_offer": '"monday 18:00"'}, "reminders.no_offer", "between a publication and its offer deadline"),
    ({"reminders.last_call": '"friday 11:00"'}, "reminders.last_call", "not in order"),
    ({"leaving.reaching_back": '["engine", "engine"]'}, "leaving.reaching_back", "stands twice"),
    ({"leaving.grounds": '["booster"]'}, "leaving.reaching_back", "not one of leaving.grounds"),
]


@pytest.mark.parametrize(("changes", "key", "reason"), CONTRADICTIONS, ids=[str(c) for c, _, _ in CONTRADICTIONS])
def test_a_contradiction_is_refused(changes: dict[str, str], key: str, reason: str) -> None:
    text = TEXT
    for changed, value in changes.items():
        text = with_value(text, changed, value)
    with pytest.raises(RulesetError) as caught:
        load(text, "cup.toml")
    assert any(fault.key == key and reason in fault.reason for fault in caught.value.faults), str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("offers.count", "14"),
        ("offers.min_gap", '"2 d"'),
        ("games.finish_by", '"12 h"'),
        ("swiss.rounds_log2", '"ceil"'),
        ("swiss.tiebreaks", '["total_game_points", "median_buchholz", "kashdan", "seed"]'),
        ("matches.qualification.stop", '"optional_after_decided"'),
        ("swiss.rounds_plus", "10"),
        ("matches.semifinals.tied", '"pairs_until_decided"'),
        ("candidates.last_finals", '["Ann", "Bob"]'),
        ("entry.min_games", "0"),
    ],
)
def test_another_reading_is_one_changed_line(key: str, value: str) -> None:
    assert load(with_value(TEXT, key, value)) != load(TEXT)


@pytest.mark.parametrize(
    ("line", "key", "reason"),
    [
        ('team = "Some Team"', "entry.team", "expected the id of a Lichess team"),
        ('team = "https://lichess.org/team/x"', "entry.team", "expected the id of a Lichess team"),
        ("team = 5", "entry.team", "expected the id of a Lichess team, not 5"),
        ("min_rating = 0", "entry.min_rating", "must be at least 1"),
        ("min_rating = 4001", "entry.min_rating", "must be at most 4000"),
        ('min_rating = "1800"', "entry.min_rating", "expected a whole number"),
    ],
)
def test_r2_8_a_further_ground_must_make_sense(line: str, key: str, reason: str) -> None:
    assert reason in faults_of(TEXT.replace("[entry]\n", f"[entry]\n{line}\n"))[key]


def test_a_peak_without_the_method_is_refused() -> None:
    text = TEXT.replace("[seeding]\n", "[seeding]\npeak_from = 2022-01-01\n")
    assert faults_of(text) == {"seeding.method": "rating_at_close knows no peak, but peak_from or peak_until is given"}


@pytest.mark.parametrize(
    ("peak", "reason"),
    [(("2022-06-01", "2022-06-01"), "not after peak_from"), (("2022-06-01", "2023-03-13"), "when seeds are made")],
)
def test_a_peak_period_must_make_sense(peak: tuple[str, str], reason: str) -> None:
    text = with_value(TEXT, "seeding.method", '"average_with_peak"')
    text = text.replace("[seeding]\n", f"[seeding]\npeak_from = {peak[0]}\npeak_until = {peak[1]}\n")
    assert reason in faults_of(text)["seeding.peak_until"]


# A format that the engine cannot play: what the text asks for, and the key that names it.
UNSUPPORTED = [
    ("[knockout]\n", '[knockout]\nbracket = "double_elimination"\n', "knockout.bracket"),
    ("[reminders]\n", "[double_elimination]\nlosers = true\n\n[reminders]\n", "double_elimination"),
    (
        "[matches.semifinals]\n",
        "[matches.quarterfinals]\ngames = 10\n\n[matches.semifinals]\n",
        "matches.quarterfinals",
    ),
    ('pairing = "fold"', 'pairing = "dutch"', "swiss.pairing"),
    ('pairing = "fold"', 'pairing = "round_robin"', "swiss.pairing"),
    ('pairing = "berger"', 'pairing = "swiss"', "candidates.pairing"),
    (
        '[["upper 1", "lower 2"], ["lower 1", "upper 2"]]',
        '[["upper 1", "lower 2"], ["lower 1", "upper 2"], ["upper 3", "lower 4"], ["lower 3", "upper 4"]]',
        "knockout.semifinals",
    ),
]


@pytest.mark.parametrize(("old", "new", "key"), UNSUPPORTED, ids=[key for _, _, key in UNSUPPORTED])
def test_a_format_that_is_not_supported_is_refused_by_name(old: str, new: str, key: str) -> None:
    assert TEXT.count(old) == 1
    assert list(faults_of(TEXT.replace(old, new))) == [key]


def test_a_fault_in_one_of_several_tables_says_in_which() -> None:
    with pytest.raises(RulesetError) as caught:
        load(shipped_text("2022").replace("places = [", 'places = ["x", ', 1), "cup.toml")
    assert [fault.key for fault in caught.value.faults] == ["candidates.seating.1.pools.1.places"]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("swiss.points_win", "6000", "must be at most 5000, not 6000"),
        ("offers.min_gap", '"900 d"', "must be at most 366 d"),
        ("reporting.by", "[]", "nobody may report a result"),
    ],
)
def test_a_refusal_speaks_of_what_is_written(key: str, value: str, reason: str) -> None:
    assert faults_of(with_value(TEXT, key, value))[key] == reason


def test_a_contradiction_in_every_week_is_named_once() -> None:
    with pytest.raises(RulesetError) as caught:
        load(with_value(TEXT, "reminders.no_offer", '"saturday 18:00"'), "cup.toml")
    assert len(set(caught.value.faults)) == len(caught.value.faults)

"""Reading tournament report files: what the columns say, and every fault with its line, column and reason."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import CannotPair
from engine.tiebreaks import Kind
from engine.trf import MOST_BYTES, Cell, TrfFile, TrfInvalid, next_pairing, read, table_of, write
from tests.engine.trf_book import FOUR, four, player, random_season, read_four, report, written


def faults(data: bytes) -> list[tuple[int, int, str]]:
    with pytest.raises(TrfInvalid) as refusal:
        read(data, "cup.trf")
    return [(fault.line, fault.column, fault.reason) for fault in refusal.value.faults]


def fault(data: bytes) -> tuple[int, int, str]:
    (only,) = faults(data)
    return only


# --- What is read -----------------------------------------------------------------------------------------------

# The first lines of the example that FIDE published with the format, with other names.
FIDE_LINE = (
    "001    1    g Example,Anna Maria                2558 CHI     3400042 1969.12.06  1.5    4     2 w 1  0000 - H"
)


def test_trf16_the_columns_of_a_player() -> None:
    other = player(2, "0.0", "   1 b 0", "0000 - -")
    read_back = read(report(FIDE_LINE, other)).players[0]
    assert (read_back.number, read_back.name, read_back.rating) == (1, "Example,Anna Maria", 2558)
    assert (read_back.points, read_back.line) == (3, 1)
    assert read_back.cells == (Cell(2, "1"), Cell(None, "H"))


def test_a_report_of_a_lichess_swiss_has_blank_opponents_and_no_ratings() -> None:
    blank = "        "
    data = report(
        "012 Juni Blitzschach",
        "XXR 9",
        "XXC black1",
        player(1, "1.0", "   2 w 1").replace("2000", "    "),
        player(2, "0.0", "   1 b 0").replace("2000", "    "),
        player(3, "1.0", "       U").replace("2000", "    "),
        player(4, "0.0", blank).replace("2000", "    "),
    )
    file = read(data)
    assert [p.cells for p in file.players] == [(Cell(2, "1"),), (Cell(1, "0"),), (Cell(None, "U"),), (Cell(),)]
    assert {p.rating for p in file.players} == {None}
    assert (file.title, file.rounds, file.played) == ("Juni Blitzschach", 9, 1)


@pytest.mark.parametrize(
    ("written", "meant"), [("+", "U"), ("=", "H"), ("-", "Z"), (" ", "Z"), ("u", "U"), ("h", "H"), ("f", "F")]
)
def test_byes_in_the_older_way_and_in_small_letters(written: str, meant: str) -> None:
    points = {"U": "1.0", "F": "1.0", "H": "0.5", "Z": "0.0"}[meant]
    lines = player(1, "1.0", "   2 w 1"), player(2, "0.0", "   1 b 0"), player(3, points, f"0000 - {written}")
    file = read(report(*lines))
    assert file.players[2].cells == (Cell(None, meant),)


@pytest.mark.parametrize(
    ("pair", "kinds"),
    [
        ("10", (Kind.PLAYED, 2, True)),
        ("==", (Kind.PLAYED, 1, True)),
        ("WL", (Kind.ADJUDICATED, 2, True)),
        ("DD", (Kind.ADJUDICATED, 1, True)),
        ("LL", (Kind.ADJUDICATED, 0, True)),
        ("00", (Kind.PLAYED, 0, True)),
        ("+-", (Kind.WALKOVER, 2, False)),
        ("--", (Kind.WALKOVER, 0, False)),
        ("  ", (Kind.OPEN, 0, False)),
        ("wl", (Kind.ADJUDICATED, 2, True)),
    ],
)
def test_what_the_two_lines_of_a_match_may_say(pair: str, kinds: tuple[Kind, int, bool]) -> None:
    file = read(report(player(1, "", f"   2 w {pair[0]}"), player(2, "", f"   1 b {pair[1]}")))
    (score,) = table_of(file).scores[1]
    assert (score.kind, score.points, score.played) == kinds
    assert score.opponent == 2


def test_colours_are_read_and_ignored() -> None:
    expected = [(p.number, p.cells) for p in read_four().players]
    changed = four().replace(b" w ", b" B ").replace(b" b ", b" - ")
    assert [(p.number, p.cells) for p in read(changed).players] == expected


def test_xxr_xxz_xxp_and_unknown_lines() -> None:
    file = read_four(more="XXZ 2 4\nXXZ 3\nXXP 1 2 3\nXXP  3   4 \n### XXP 1 4\nXXS WW=1.0\n\nDAT 1 X")
    assert (file.rounds, file.unpaired, file.forbidden) == (3, frozenset({2, 3, 4}), ((1, 2, 3), (3, 4)))


def test_a_later_entry_without_an_opponent_is_about_the_next_round() -> None:
    file = read_four(p4=player(4, "0.5", "   2 w 0", "   3 b =", "0000 - H"))
    assert (file.played, file.players[3].cells[2], file.players[0].cells[2]) == (2, Cell(None, "H"), Cell())
    assert len(table_of(file).scores[4]) == 2


def test_the_points_of_a_bye_in_the_next_round_may_be_in_the_sum() -> None:
    assert read_four(p4=player(4, "1.0", "   2 w 0", "   3 b =", "0000 - H")).players[3].points == 2


def test_accelerated_points_may_be_in_the_sum() -> None:
    assert read_four(p1=player(1, "3.0", "   3 w 1", "   2 b 1"), more="XXA    1  1.0  1.0").accelerated == 8


# --- The text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("mark", "encoding"), [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"", "latin-1")])
def test_line_ends_byte_order_mark_and_encodings(end: str, mark: bytes, encoding: str) -> None:
    text = end.join(line.replace("Player 1  ", "Müller,Åse") for line in FOUR)
    file = read(mark + text.encode(encoding))
    assert file.players[0].name == "Müller,Åse"
    assert write(file) == text, "the missing end of the last line stays missing"


def test_mixed_line_ends_stay() -> None:
    text = four().decode().replace("\n", "\r\n", 2).replace("XXR", "\r\n\r\rXXR")
    assert write(read(text.encode())) == text


def test_a_name_may_hold_what_splits_lines_elsewhere() -> None:
    data = four(p1=player(1, "2.0", "   3 w 1", "   2 b 1", name="A\u2028B"))
    assert read(data).players[0].name == "A\u2028B"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b" \r\n\n", "the file is empty"),
        (b"001 \x81", "not a text file in UTF-8 or Latin-1 (Windows-1252)"),
        (b" " * MOST_BYTES + b"0", f"the file has more than {MOST_BYTES} bytes"),
        (b"012 Cup\n", "no players: there is no line that begins with 001"),
        (b"PK\x03\x04", "a control character; is this a text file?"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, reason: str) -> None:
    assert fault(data)[2] == reason


def test_too_many_players_rounds_and_forbidden_pairs_are_refused() -> None:
    assert fault(report(*(player(n, "0.0") for n in range(1, 2002)))) == (0, 0, "more than 2000 players")
    assert fault(report(player(1, "", *["0000 - Z"] * 100)))[:2] == (1, 92 + 990)
    many = "XXP " + " ".join(map(str, range(1, 500)))
    assert fault(four(more=many)) == (8, 1, "more than 100000 forbidden pairs")


# --- Faults of a line -------------------------------------------------------------------------------------------


def test_a_line_that_is_cut_off_is_refused() -> None:
    line = player(1, "2.0", "   3 w 1", "   2 b 1")
    assert fault(four(p1=line[:60])) == (4, 61, "the line is cut off before the points (columns 81-84)")
    assert fault(four(p1=line[:-1])) == (4, 109, "the line is cut off before the result of the round")
    assert fault(four(p1=line[:-4])) == (4, 106, "the line is cut off before the result of the round")


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        (5, "  1x", "the starting rank is not a number: '1x'"),
        (5, "   -", "the starting rank is not a number: '-'"),
        (5, "   ²", "the starting rank is not a number: '²'"),
        (5, "    ", "the starting rank is missing"),
        (5, "   0", "the starting rank is missing"),
        (49, "2o00", "the rating is not a number: '2o00'"),
        (81, " 2,0", "the points are not a number of whole or half points: '2,0'"),
        (81, "2.25", "the points are not a number of whole or half points: '2.25'"),
        (81, " .5 ", "the points are not a number of whole or half points: '.5'"),
        (86, "1 st", "the rank is not a number: '1 st'"),
        (92, " 3 4", "the opponent is not a number: '3 4'"),
        (92, "   1", "the opponent is the player himself"),
        (97, "x", "an unknown colour: 'x' (known: w, b, -)"),
        (99, "2", "an unknown result: '2' (known: 1 0 = + - W D L H F U Z)"),
        (99, "ß", "an unknown result: 'ß' (known: 1 0 = + - W D L H F U Z)"),
        (99, "H", "a bye (H) with an opponent (3)"),
        (99, "z", "a bye (Z) with an opponent (3)"),
        (101, "x", "'x' stands between two fields; the columns have moved"),
        (53, "0", "'0' stands between two fields; the columns have moved"),
        (90, "1", "'1' stands between two fields; the columns have moved"),
    ],
)
def test_a_field_that_is_wrong_is_refused(column: int, text: str, reason: str) -> None:
    line = player(1, "2.0", "   3 w 1", "   2 b 1")
    changed = line[: column - 1] + text + line[column - 1 + len(text) :]
    assert fault(four(p1=changed)) == (4, column, reason)


def test_a_result_without_an_opponent_is_refused() -> None:
    assert fault(four(p1=player(1, "2.0", "0000 - 1"))) == (4, 99, "the result 1 without an opponent")


def test_a_starting_rank_twice_is_refused() -> None:
    assert fault(four(more=FOUR[3])) == (8, 5, "the starting rank 1 is that of line 4 already")


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("XXR", 5, "XXR has one number, of all rounds, at least 1"),
        ("XXR 0", 5, "XXR has one number, of all rounds, at least 1"),
        ("XXR 3 4", 5, "XXR has one number, of all rounds, at least 1"),
        ("XXR 4", 5, "another number of rounds than in line 3"),
        ("XXR three", 5, "not a number: 'three'"),
        ("XXR3", 4, "a blank must follow XXR"),
        ("XXZ 1 2;3", 7, "not a number: '2;3'"),
        ("XXP 1", 5, "XXP names two or more players"),
        ("XXP 1 2 1", 5, "XXP names a player twice"),
        ("AWD 1 2", 5, "AWD has three numbers: a round and two players"),
        ("AWV 1 2 2", 5, "AWV names a player twice"),
        ("XXZ 99999999999999999999999", 5, "not a number: '99999999999999999999'"),
    ],
)
def test_a_list_that_is_wrong_is_refused(line: str, column: int, reason: str) -> None:
    assert fault(four(more=line)) == (8, column, reason)


# --- Contradictions between lines -------------------------------------------------------------------------------


def test_an_opponent_that_does_not_exist_is_refused() -> None:
    assert faults(four(p1=player(1, "2.0", "   3 w 1", "   9 b 1"))) == [
        (4, 102, "round 2: there is no player 9"),
        (5, 102, "round 2: one-sided, 1 names 9 (line 4)"),
    ]


def test_a_one_sided_pairing_is_refused() -> None:
    assert fault(four(p1=player(1, "2.0", "   3 w 1", "0000 - U"))) == (
        5, 102, "round 2: one-sided, 1 has no opponent (line 4)",
    )  # fmt: skip


def test_a_player_who_is_paired_twice_is_refused() -> None:
    assert fault(four(more=player(5, "0.0", "   3 w 0"))) == (
        8, 92, "round 1: 3 is paired twice, with 5 here and with 1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "two"), ["11", "1=", "=0", "+1", "+0", "++", "WW", "1L", "D=", "W0", "-L", "+ ", " 0", "1-"]
)
def test_two_different_results_for_one_match_are_refused(one: str, two: str) -> None:
    data = report(player(1, "", f"   2 w {one}"), player(2, "", f"   1 b {two}"))
    said = [letter if letter != " " else "no result" for letter in (two, one)]
    reason = f"round 1: two different results for one match, {said[0]} here and {said[1]} in line 1"
    assert fault(data) == (2, 99, reason)


def test_a_match_without_a_result_before_the_last_round_is_refused() -> None:
    changed = {"p1": player(1, "1.0", "   3 w  ", "   2 b 1"), "p3": player(3, "0.5", "   1 b  ", "   4 w =")}
    assert fault(four(**changed)) == (6, 99, "round 1: the match against 1 has no result, but round 2 is paired")
    assert read_four(**changed, more="AWE 1 1 3").extended


def test_points_that_contradict_the_results_are_refused() -> None:
    line = player(1, "1.5", "   3 w 1", "   2 b 1")
    assert fault(four(p1=line)) == (4, 81, "1 has 1.5 points here, but the results give 2.0")
    assert read_four(p1=player(1, "", "   3 w 1", "   2 b 1")).players[0].points is None


def test_more_rounds_than_xxr_are_refused() -> None:
    data = four().replace(b"XXR 3", b"XXR 1")
    assert fault(data) == (3, 5, "1 rounds in all, but the players' lines go on to round 2")


def test_an_entry_after_the_next_round_is_refused() -> None:
    line = player(1, "2.0", "   3 w 1", "   2 b 1", "0000 - Z", "0000 - Z")
    assert faults(four(p1=line).replace(b"XXR 3", b"XXR 9")) == [
        (4, 122, "an entry for round 4, but the next round is 3")
    ]


@pytest.mark.parametrize("code", ["XXZ", "XXP", "AWL"])
def test_a_list_with_an_unknown_player_is_refused(code: str) -> None:
    assert fault(four(more=f"{code} 1 22")) == (8, 7, "there is no player 22")


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("AWD 1 1 3", 7, "1 does not have a half-point bye (H) in round 1 (line 4)"),
        ("AWV 1 1 3", 7, "1 does not have a round without points (Z) in round 1 (line 4)"),
        ("AWE 1 1 3", 7, "1 has no match without a result against 3 in round 1"),
        ("AWE 3 1 3", 5, "there is no paired round 3"),
        ("AWD 0 1 3", 5, "there is no paired round 0"),
    ],
)
def test_our_own_lines_must_agree_with_the_players(line: str, column: int, reason: str) -> None:
    assert (8, column, reason) in faults(four(more=line))


def test_a_player_in_two_drawn_pairs_of_a_round_is_refused() -> None:
    lines = [player(n, "0.5", "0000 - H") for n in (1, 2, 3)]
    data = report(*lines, "AWD 1 1 2", "AWD 1 1 3")
    assert fault(data) == (5, 7, "1 is paired twice in round 1")


def test_all_faults_are_named_in_one_go() -> None:
    data = four(p1="001 x", p3=player(3, "0.5", "   1 b 7", "   4 w ="), more="XXZ x")
    assert [at[0] for at in faults(data)] == [4, 6, 8]


def test_a_refusal_says_file_line_column_and_reason() -> None:
    with pytest.raises(TrfInvalid) as refusal:
        read(four(more="XXZ x"), "cup.trf")
    assert str(refusal.value) == "cup.trf: line 8, column 5: not a number: 'x'"
    assert refusal.value.code == "trf_invalid"
    with pytest.raises(TrfInvalid, match=r"there may be more; these are the first 50$"):
        read(four(more="\n".join(["XXZ x"] * 60)))


# --- Any file ---------------------------------------------------------------------------------------------------


def readable(data: bytes) -> TrfFile | None:
    try:
        return read(data)
    except TrfInvalid:
        return None


def use(file: TrfFile) -> None:
    table_of(file)
    with suppress(CannotPair):
        next_pairing(file)


@given(st.binary(max_size=400))
@settings(max_examples=100)
@example(b"\xef\xbb\xbf")
@example(b"001" + b" " * 300)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    file = readable(data)
    assert file is None or write(file).encode() in (data, data.removeprefix(b"\xef\xbb\xbf"))


PIECES = st.sampled_from(
    [" ", "0", "1", "2", "9", "-", "+", "=", "H", "Z", "w", "\n", "\r", "XXP ", "AWD 1 1 2\n", "é"]
)


@given(st.integers(0, 10**6), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), PIECES), min_size=1, max_size=4))
@settings(max_examples=200)
def test_a_changed_report_is_read_or_refused_and_what_is_read_can_be_used(
    lot: int, changes: list[tuple[float, int, str]]
) -> None:
    season, seeds = random_season(Random(lot % 40))
    text = write(written(season, seeds)[2])
    for where, removed, put in changes:
        at = int(where * len(text))
        text = text[:at] + put + text[at + removed :]
    file = readable(text.encode())
    if file is not None:
        assert write(file) == text
        use(file)


@given(st.permutations(range(len(FOUR))))
@settings(max_examples=20)
def test_the_order_of_the_lines_does_not_matter(order: list[int]) -> None:
    file = read(report(*(FOUR[at] for at in order)))
    assert table_of(file) == table_of(read_four())
    assert next_pairing(file) == next_pairing(read_four())


def test_import_export_keeps_every_line() -> None:
    data = four(more="XXP 1 2\nzzz what is this\n   \nDAT 1 X\n013 Team\nXXA    1  1.0")
    assert write(read(data)).encode() == data


def test_a_file_in_utf_16_is_named_so() -> None:
    assert fault(four().decode().encode("utf-16")) == (0, 0, "a text file in UTF-16; save it in UTF-8")

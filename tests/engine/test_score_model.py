"""The score of random matches against a model that shares nothing with the engine.

A match is a row of games, each with a result, at most one thing wrong with it, and perhaps a TD's word. The model
reads them one after the other. Neither the order in which the games arrive, nor how often, nor in how many looks with
restarts between them, matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import GameLine, Match
from engine.ports import LichessGame
from engine.scoring import MatchScore, score_match, verify
from engine.usecases.game_lines import keep, with_kept
from tests.engine.games_book import AGREED, DEADLINE, MINUTE, OPENS, RULES, game

LENGTH = RULES.length
STRANGER = "eve"

WRONG: dict[str, dict[str, Any]] = {
    "aborted": {"status": "aborted"},
    "running": {"status": "started"},
    "casual": {"rated": False},
    "clock": {"clock_initial": 180},
    "no clock": {"clock_initial": None, "clock_increment": None},
    "variant": {"variant": "atomic"},
    "arena": {"tournament_id": "arena1"},
    "cheat": {"status": "cheat"},
    "timeout": {"status": "timeout"},
    "account": {},
    "strangers": {},
    "early": {},
}
NO_RESULT = {"aborted", "running", "strangers"}
"""What no TD can count."""
FOR_A_TD = {"cheat", "timeout"}


@dataclass(frozen=True)
class Played:
    """`result`: "1" ann won, "0" bob, "=" a draw; `word`: a TD's, "accepted" or "struck"."""

    result: str
    wrong: str | None
    word: str | None


@dataclass(frozen=True)
class Model:
    """`ann`, `bob`: in points."""

    ann: float
    bob: float
    decided: bool
    counted: list[int]
    extra: list[int]
    waits: bool


def model(match: Sequence[Played], *, all_games: bool) -> Model:
    """Game by game, as somebody with the rules in the hand would do it."""
    ann = bob = 0.0
    counted: list[int] = []
    extra: list[int] = []
    asked: list[int] = []
    last = None
    for number, played in enumerate(match):
        if played.word is None and played.wrong in FOR_A_TD:
            asked.append(number)
        good = played.wrong is None or (played.word == "accepted" and played.wrong not in NO_RESULT)
        if played.word == "struck" or not good:
            continue
        over = len(counted) == LENGTH or (not all_games and max(ann, bob) > LENGTH / 2)
        if over:
            extra.append(number)
            continue
        counted.append(number)
        last = number
        ann += {"1": 1.0, "0": 0.0, "=": 0.5}[played.result]
        bob += {"1": 0.0, "0": 1.0, "=": 0.5}[played.result]
    decided = len(counted) == LENGTH or (not all_games and max(ann, bob) > LENGTH / 2)
    waits = any(not decided or (last is not None and number < last) for number in asked)
    return Model(ann, bob, decided, counted, extra, waits)


WORDS = st.sampled_from([None] * 6 + ["accepted", "struck"])
MATCHES = st.lists(
    st.builds(Played, st.sampled_from("11100="), st.sampled_from([None] * 20 + sorted(WRONG)), WORDS), max_size=24
)


def on_lichess(match: Sequence[Played]) -> list[LichessGame]:
    """Those that are too early, by some hours, keep their order among themselves; colours alternate."""
    games: list[LichessGame] = []
    for number, played in enumerate(match):
        at = AGREED + (4 * number - (600 if played.wrong == "early" else 0)) * MINUTE
        white, black = ("ann", "bob") if number % 2 == 0 else ("bob", "ann")
        winner = {"1": "ann", "0": "bob", "=": None}[played.result]
        made = game(f"g{number:02}", at, winner, white=white, black=black)
        made = replace(made, **WRONG.get(played.wrong or "", {}))
        if played.wrong == "account":  # ann or bob by turns with an account of which nobody knows
            made = replace(made, white="nobody_knows") if number % 4 < 2 else replace(made, black="nobody_knows")
        if played.wrong == "strangers":
            made = replace(made, white=STRANGER, black="zed")
        games.append(made)
    return games


def said(match: Sequence[Played], word: str) -> set[str]:
    return {f"g{number:02}" for number, played in enumerate(match) if played.word == word}


def score(games: Sequence[LichessGame], match: Sequence[Played], *, all_games: bool) -> MatchScore:
    rules = replace(RULES, stop="all_games") if all_games else RULES
    return score_match(
        verify(
            games,
            {"ann"},
            {"bob"},
            rules,
            agreed_at=AGREED,
            first_game_id=None,
            window_start=OPENS,
            deadline=DEADLINE,
            accepted=said(match, "accepted"),
            struck=said(match, "struck"),
        )
    )


def ids(numbers: Sequence[int]) -> list[str]:
    return [f"g{number:02}" for number in numbers]


def in_order(match: Sequence[Played]) -> list[Played]:
    """The early ones come first, whatever their number."""
    return sorted(match, key=lambda played: played.wrong != "early")


@pytest.mark.parametrize("all_games", [False, True], ids=["decided", "all games"])
@settings(derandomize=True, deadline=None, max_examples=500)
@given(match=MATCHES.map(in_order))
def test_r3_3_q19_q20_q21_q35_any_match_scores_as_the_rules_say(all_games: bool, match: list[Played]) -> None:
    found, expected = score(on_lichess(match), match, all_games=all_games), model(match, all_games=all_games)
    assert (found.a / 2, found.b / 2, found.decided) == (expected.ann, expected.bob, expected.decided)
    assert [counted.game_id for counted in found.counted] == ids(expected.counted)
    assert list(found.extra) == ids(expected.extra)
    assert bool(found.needs_td) is expected.waits
    assert found.missing == (0 if expected.decided else LENGTH - len(expected.counted))
    told = {*ids(expected.counted), *ids(expected.extra), *(bad.game_id for bad in found.faulty)}
    assert told == set(ids(range(len(match)))), "every game is counted, extra, or named with what is wrong"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(match=MATCHES.map(in_order), data=st.data())
def test_r3_3_the_order_of_arrival_and_games_that_come_twice_do_not_matter(
    match: list[Played], data: st.DataObject
) -> None:
    games = on_lichess(match)
    twice = data.draw(st.lists(st.sampled_from(games), max_size=6)) if games else []
    running = [replace(one, status="started", winner=None) for one in twice]
    arrived = data.draw(st.permutations([*games, *twice, *running]))
    assert score(arrived, match, all_games=False) == score(games, match, all_games=False)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(match=MATCHES.map(in_order), word=st.sampled_from(["accepted", "struck"]), data=st.data())
def test_q35_a_word_about_one_game_changes_nothing_before_it(
    match: list[Played], word: str, data: st.DataObject
) -> None:
    if not match:
        return
    number = data.draw(st.integers(0, len(match) - 1))
    ruled = [*match[:number], replace(match[number], word=word), *match[number + 1 :]]
    was, is_ = (score(on_lichess(match), words, all_games=False) for words in (match, ruled))
    before = set(ids(range(number)))
    assert [g for g in was.counted if g.game_id in before] == [g for g in is_.counted if g.game_id in before]


# --- Restarts: the games as the bot keeps them --------------------------------------------------------------------


@dataclass
class Shelf:
    """A store of game lines."""

    lines: list[GameLine] = field(default_factory=list)

    def find(self, kind: type, /, **equal: Any) -> list[GameLine]:
        assert kind is GameLine and set(equal) == {"match_id"}
        return list(self.lines)

    def add(self, line: GameLine) -> GameLine:
        assert all(kept.game_id != line.game_id for kept in self.lines)
        self.lines.append(replace(line, id=len(self.lines) + 1))
        return self.lines[-1]

    def save(self, line: GameLine) -> GameLine:
        self.lines[line.id - 1] = line
        return line


@dataclass
class Lines:
    """Lichess, as far as reading a line goes."""

    games: dict[str, LichessGame] = field(default_factory=dict)

    def read_line(self, line: str) -> LichessGame:
        return self.games[line]

    def gives(self, one: LichessGame) -> LichessGame:
        shown = replace(one, line=f"{one.id} {one.status} {one.winner}")
        self.games[shown.line] = shown
        return shown


MATCH = Match(id=1, edition_id=1, round_id=1, board=1, a_id=1, b_id=2)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(match=MATCHES.map(in_order), data=st.data())
def test_r3_3_looks_with_restarts_between_them_come_to_the_same(match: list[Played], data: st.DataObject) -> None:
    """Each look sees what there is then, the last game perhaps still running; or Lichess forgets some of it. Nothing is
    remembered but what was kept. In the end Lichess shows nothing any more."""
    shelf, lichess = Shelf(), Lines()
    games, named = on_lichess(match), said(match, "accepted")
    looks = sorted(data.draw(st.lists(st.integers(0, len(games)), max_size=5)))
    for seen in [*looks, len(games)]:
        shown = [lichess.gives(one) for one in games[:seen]]
        if seen < len(games) and data.draw(st.booleans()):
            shown.append(lichess.gives(replace(games[seen], status="started", winner=None)))
        forgotten = data.draw(st.integers(0, len(shown))) if seen < len(games) else 0
        answer = shown[forgotten:]
        known = with_kept(shelf, lichess, MATCH, answer)  # type: ignore[arg-type]
        reading = score(known, match, all_games=False)
        keep(shelf, lichess, MATCH, answer, reading, AGREED, named=named)  # type: ignore[arg-type]
        if not forgotten:
            assert reading == score(shown, match, all_games=False)
    alone, whole = (
        score(known, match, all_games=False)
        for known in (with_kept(shelf, lichess, MATCH, []), games)  # type: ignore[arg-type]
    )
    assert (alone.counted, alone.extra, alone.decided) == (whole.counted, whole.extra, whole.decided)
    assert alone.needs_td == whole.needs_td


def test_the_model_by_hand() -> None:
    """Two matches by hand, so that the model itself is held to the rules."""
    assert model([Played("=", None, None)] * 12, all_games=False).extra == [10, 11]
    assert model([Played("1", None, None)] * 8, all_games=False).counted == [0, 1, 2, 3, 4, 5]

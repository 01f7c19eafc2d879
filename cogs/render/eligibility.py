"""Words about the checks of an account (R2.1-R2.8): plain text for a card and for the command line alike.

All that is filled in comes from Lichess as ids, numbers and moments, so there is nothing to escape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from engine.eligibility import CheatGame, Check, Topic, Verdict

Figures = Mapping[str, Any]


def check_words(check: Check) -> str:
    """What was found, in one line without verdict and clause."""
    f = check.figures
    if check.verdict is Verdict.NOT_ASKED and check.topic not in _FROM_OUTSIDE:
        return f"{_NAMES[check.topic]}: not looked into any further"
    if check.verdict is Verdict.INCOMPLETE and not f:
        return f"{_NAMES[check.topic]}: no answer yet"
    return _WORDS[check.topic](f, check.verdict)


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def games(number: int, kind: str = "") -> str:
    """ "1 game", "2 rated games"."""
    return f"{number} {kind}game{'' if number == 1 else 's'}"


def _age(f: Figures, verdict: Verdict) -> str:
    made = f"made on {_moment(f['created_at'])}" if f["created_at"] else "Lichess does not say when it was made"
    return f"{made}; needed: before {f['before']}"


def _rated_games(f: Figures, verdict: Verdict) -> str:
    needed, profile = f"{f['needed']} needed before {f['before']}", games(f["on_profile"], "rated ")
    if "since" not in f:
        later = ", counted again on that day" if verdict is Verdict.NOT_YET else ""
        return f"{profile} in all; {needed}{later}"
    if "counted" not in f:
        return f"{profile} in all, and since {f['before']} {f['since']} of them so far; {needed}"
    counted = (
        f"{games(f['counted'], 'rated ')} before {f['before']} ({f['on_profile']} in all, {f['since']} since then)"
    )
    if f["moving"]:
        return f"{counted}; {f['needed']} needed. Games ended while I counted: check again when none is being played"
    return f"{counted}; {f['needed']} needed"


def _mark(kind: str) -> Callable[[Figures, Verdict], str]:
    def words(f: Figures, verdict: Verdict) -> str:
        seen = [
            *(["Lichess has marked the account"] if f["marked"] else []),
            *(["the account is closed"] if f["closed"] else []),
            *([f"marked or closed: {', '.join(f['others_marked'])}"] if f["others_marked"] else []),
            *([f"not known to Lichess: {', '.join(f['others_unknown'])}"] if f["others_unknown"] else []),
        ]
        if not seen:
            waiting = "; the other accounts are not looked at yet" if verdict is Verdict.INCOMPLETE else ""
            return f"no mark on the profile{_and_others(f)}{waiting}"
        ends = "a Lichess admin says the player qualifies"
        if verdict is not Verdict.PASS:
            ends = f"whether that is {kind} mark after {f['after']}, only Lichess can say"
        return f"{', '.join(seen)}; {ends}"

    return words


def _and_others(f: Figures) -> str:
    return f" nor on {', '.join(f['others'])}" if f["others"] and not f["others_marked"] else ""


def _cheat_games(f: Figures, verdict: Verdict) -> str:
    found: tuple[CheatGame, ...] = f["found"]
    looked = f"{games(f['games'])} looked at, back to {_moment(f['looked_back_to'])}"
    links = " ".join(f"https://lichess.org/{game.id} ({game.created_at:%Y-%m-%d})" for game in found)
    lost = f"{games(len(found), 'lost ')} with cheat detected: {links}" if found else "no lost game with cheat detected"
    return f"{lost}; {looked}. Out with {_either(f['windows'])}"


def _either(windows: Iterable[str]) -> str:
    return " or ".join(windows)


def _team(f: Figures, verdict: Verdict) -> str:
    team = f"the team https://lichess.org/team/{f['team']}"
    if verdict is Verdict.INCOMPLETE:
        return f"{team}: no answer yet"
    if verdict is Verdict.PASS:
        return f"in {team}"
    later = f"; it can be joined before {f['closes']}" if verdict is Verdict.NOT_YET else ""
    return f"not in {team}{later}"


def _rating(f: Figures, verdict: Verdict) -> str:
    has = f"rated {f['rating']}" if f["rating"] is not None else "without a rating"
    later = f" before {f['closes']}" if verdict is Verdict.NOT_YET else ""
    return f"{has}; at least {f['needed']} needed{later}"


def _either_way(good: str, bad: str, unknown: str) -> Callable[[Figures, Verdict], str]:
    words = {Verdict.PASS: good, Verdict.NOT_ASKED: unknown}
    return lambda f, verdict: words.get(verdict, bad)


_FROM_OUTSIDE = frozenset({Topic.SECOND_ACCOUNT, Topic.ADMIN})
_NAMES = {
    Topic.OPEN: "account open",
    Topic.BOT: "no BOT account",
    Topic.AGE: "age of the account",
    Topic.RATED_GAMES: "number of rated games",
    Topic.ENGINE_MARK: "engine mark",
    Topic.BOOST_MARK: "booster mark",
    Topic.CHEAT_GAMES: "games with cheat detected",
    Topic.SECOND_ACCOUNT: "second account",
    Topic.TEAM: "team",
    Topic.RATING: "rating",
    Topic.ADMIN: "word of a Lichess admin",
}
_WORDS: Mapping[Topic, Callable[[Figures, Verdict], str]] = {
    Topic.OPEN: _either_way("the account is open", "the account is closed", ""),
    Topic.BOT: _either_way("no BOT account", "a BOT account", ""),
    Topic.AGE: _age,
    Topic.RATED_GAMES: _rated_games,
    Topic.ENGINE_MARK: _mark("an engine"),
    Topic.BOOST_MARK: _mark("a booster"),
    Topic.CHEAT_GAMES: _cheat_games,
    Topic.SECOND_ACCOUNT: _either_way(
        "no second account known", "a second account: the TDs rule", "a second account: nobody looked for one here"
    ),
    Topic.TEAM: _team,
    Topic.RATING: _rating,
    Topic.ADMIN: _either_way(
        "a Lichess admin says the player qualifies",
        "a Lichess admin says the player does not qualify",
        "no word from a Lichess admin",
    ),
}

"""Words about the checks of an account (R2.1-R2.8): one set for a card in Discord and for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from cogs.render import times
from cogs.render.message import escape
from engine.eligibility import CheatGame, Check, Topic, Verdict

LICHESS = "https://lichess.org"
_SHOWN = 5

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How names and links are written where the words are read."""

    name: Callable[[str], str]
    link: Callable[[str, str], str]
    """From a text and an address."""


DISCORD = Style(name=escape, link=lambda text, address: f"[{escape(text)}](<{address}>)")
PLAIN = Style(name=str, link=lambda text, address: f"{text} {address}")


def account(name: str, style: Style = DISCORD) -> str:
    return style.link(name, f"{LICHESS}/@/{name}")


def accounts(names: Sequence[str], style: Style = DISCORD) -> str:
    """Links to the profiles, to the first few."""
    return _first(names, lambda name: account(name, style))


def _first(names: Sequence[str], write: Callable[[str], str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(write, names[:_SHOWN])) + more


def check_words(check: Check, style: Style = DISCORD) -> str:
    """What is looked at and what was found, in one line without verdict and clause."""
    found = _found(check, style)
    return f"{_TOPICS[check.topic]}: {found}" if found else _TOPICS[check.topic]


def games(number: int) -> str:
    """ "1 game", "2 games"."""
    return f"{number} game{'' if number == 1 else 's'}"


_TOPICS = {
    Topic.OPEN: "Account open",
    Topic.BOT: "No BOT",
    Topic.AGE: "Account age",
    Topic.RATED_GAMES: "Rated games",
    Topic.ENGINE_MARK: "Engine mark",
    Topic.BOOST_MARK: "Boosting mark",
    Topic.CHEAT_GAMES: "“Cheat detected”",
    Topic.SECOND_ACCOUNT: "One account per person",
    Topic.TEAM: "Team",
    Topic.RATING: "Rating",
    Topic.ADMIN: "A Lichess admin’s word",
}
_BARE = {
    (Topic.OPEN, Verdict.FAIL): "it is closed",
    (Topic.BOT, Verdict.FAIL): "it is one",
    (Topic.SECOND_ACCOUNT, Verdict.HUMAN): "a second account or a second entry; the TDs rule",
    (Topic.SECOND_ACCOUNT, Verdict.NOT_ASKED): "not looked for here",
    (Topic.ADMIN, Verdict.PASS): "the player qualifies",
    (Topic.ADMIN, Verdict.FAIL): "the player does not qualify",
    (Topic.ADMIN, Verdict.NOT_ASKED): "none",
}


def _found(check: Check, style: Style) -> str:
    f: Figures = check.figures
    verdict = check.verdict
    if not f:
        return _BARE.get((check.topic, verdict), "no answer yet" if verdict is Verdict.INCOMPLETE else "")
    if verdict is Verdict.NOT_ASKED and check.topic is not Topic.RATED_GAMES:
        return "not looked into any further"
    match check.topic:
        case Topic.AGE:
            made = f"made {_when(f['created_at'])}" if f["created_at"] else "not shown by Lichess"
            return f"{made}, before {_when(f['before'])} is asked"
        case Topic.RATED_GAMES:
            return _rated_games(f, verdict)
        case Topic.ENGINE_MARK | Topic.BOOST_MARK:
            return _marks(f, verdict, style)
        case Topic.CHEAT_GAMES:
            return _cheat_games(f, style)
        case Topic.TEAM:
            return _team(f, verdict, style)
        case Topic.RATING:
            return _rating(f, verdict)
        case _:
            return ""


def _rated_games(f: Figures, verdict: Verdict) -> str:
    asked = f"{f['needed']} before {_when(f['before'])} are asked"
    if "counted" in f:
        most = f.get("at_most", f["counted"])
        number = f["counted"] if most == f["counted"] else f"{f['counted']} to {most}"
        counted = f"{number} of {f['on_profile']} count, {asked}"
        if f["moving"]:
            return f"{counted}; games ended while I counted, so it has to be counted again"
        if verdict is Verdict.HUMAN:
            return (
                f"{counted}; of the {f['since']} rated games since then {f['uncertain']} moved no rating, as against a "
                "marked player, so the profile may not count them"
            )
        return counted
    if verdict is Verdict.NOT_YET:
        return f"{f['on_profile']} so far, {asked}; I count again on that day"
    if verdict is Verdict.INCOMPLETE:
        return f"{f['on_profile']} on the profile, {f.get('since', 0)} played later so far, {asked}"
    return f"{f['on_profile']}, {asked}"


def _marks(f: Figures, verdict: Verdict, style: Style) -> str:
    found: list[str] = []
    if f["marked"]:
        found.append("Lichess shows a mark, not which and since when")
    if f["closed"]:
        found.append("the account is closed")
    if f["others_marked"]:
        found.append("marked or closed: " + accounts(f["others_marked"], style))
    if f["others_unknown"]:
        found.append("not found: " + _first(f["others_unknown"], style.name))
    if not found:
        return "none here, the other accounts come next" if verdict is Verdict.INCOMPLETE else "none"
    if verdict is Verdict.PASS:
        return f"{'; '.join(found)}; a Lichess admin says the player qualifies"
    return f"{'; '.join(found)}; one after {_when(f['after'])} counts"


def _cheat_games(f: Figures, style: Style) -> str:
    found: tuple[CheatGame, ...] = f["found"]
    links = " ".join(style.link(_when(game.created_at), f"{LICHESS}/{game.id}") for game in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    read = f"{games(f['games'])} read, back to {_when(f['looked_back_to'])}"
    lost = f"{len(found)} lost ({read}), out with {' or '.join(_window(window) for window in f['windows'])}"
    return f"{lost}: {links}{more}" if found else lost


def _window(text: str) -> str:
    count, _, since = text.partition(" since ")
    return f"{count} since {_when(date.fromisoformat(since))}"


def _team(f: Figures, verdict: Verdict, style: Style) -> str:
    team = style.link(f["team"], f"{LICHESS}/team/{f['team']}")
    if verdict is Verdict.PASS:
        return f"in {team}"
    if verdict is Verdict.INCOMPLETE:
        return f"{team}, no answer yet"
    return f"not in {team}" + (f", which can be joined before {_when(f['closes'])}" if _is_open(verdict) else "")


def _rating(f: Figures, verdict: Verdict) -> str:
    has = f["rating"] if f["rating"] is not None else "none"
    return f"{has}, {f['needed']} is asked" + (f", before {_when(f['closes'])}" if _is_open(verdict) else "")


def _is_open(verdict: Verdict) -> bool:
    return verdict is Verdict.NOT_YET


def _when(value: date | datetime) -> str:
    return times.day(value.date() if isinstance(value, datetime) else value)

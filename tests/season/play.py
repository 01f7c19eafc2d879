"""What players, TDs and a careless electrician do in a season, and reading the tables they see."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from acwc_bot.sandbox.lichess_world import Result
from engine.model import Match, Post
from tests.season.oracle import Line, Met
from tests.world import World, custom_ids, text_of

FIRST_PAIRINGS = date(2026, 3, 22)
"""A Sunday, as 2023-03-19 was."""

FIELD = Path(__file__).parents[1] / "data" / "field_2022.toml"


def field_2022() -> dict[str, int]:
    """Account -> rating, best first."""
    return tomllib.loads(FIELD.read_text(encoding="utf-8"))["ratings"]


def at(month: int, day: int, hour: int = 12, minute: int = 0) -> datetime:
    return datetime(FIRST_PAIRINGS.year, month, day, hour, minute, tzinfo=UTC)


def typed(*moments: datetime) -> str:
    """`25 Mar 18:00, 26 Mar 9:30`, as a player types it."""
    return ", ".join(f"{moment.day} {moment:%b} {moment.hour}:{moment:%M}" for moment in moments)


# --- Matches -----------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Without the backslashes that keep `entrant_001` from being read as markdown."""
    return text.replace("\\", "")


class Board(NamedTuple):
    """A published match: the players as its thread names them."""

    number: int
    a: str
    b: str
    thread: Any

    def __str__(self) -> str:
        return f"{self.a} – {self.b}"

    def other(self, name: str) -> str:
        return self.b if name == self.a else self.a


def boards(world: World, number: int) -> list[Board]:
    """The threads of a round, in board order; every one of them, so a second thread of a match shows."""
    found: list[Board] = []
    for thread in world.channel("matches").threads:
        round, board, names = thread.name.split(" · ")
        if round == f"R{number}":
            a, b = names.split(" – ")
            found.append(Board(int(board), a, b, thread))
    return sorted(found, key=lambda board: board.number)


def board_of(world: World, number: int, name: str) -> Board:
    return next(board for board in boards(world, number) if name in (board.a, board.b))


def said(place: Any, pattern: str) -> list[Any]:
    """The messages of a channel or thread with a line that matches, oldest first; names as they are shown."""
    return [m for m in place.history() if re.search(pattern, plain(m.content), re.MULTILINE)]


def card(board: Board) -> Any:
    (found,) = said(board.thread, r"^## Round")
    return found


def button(message: Any, verb: str) -> str:
    """The custom_id of the first button with that verb."""
    return next(id for id in custom_ids(message) if id.split(":")[2] == verb)


def match_id(world: World, board: Board) -> int:
    match = world.parts.db.read_sync(lambda reader: reader.one(Match, thread_id=board.thread.id))
    assert match is not None
    return match.id


async def offer(world: World, board: Board, name: str, *moments: datetime, by_form: bool = False) -> str:
    """Offers times by command or by the form on the card; the answer."""
    player = world.person(name)
    if by_form:
        form = await world.click(player, card(board), button(card(board), "offer-form"))
        return plain(text_of(await world.submit(player, form, *(typed(moment) for moment in moments))))
    options = {"times": typed(*moments), "match": match_id(world, board)}
    return plain(text_of(await world.slash(player, "offer", channel=board.thread, **options)))


async def accept(world: World, board: Board, name: str, *, by_button: bool = False) -> str:
    """Accepts the first of the opponent's offers, from the message in the thread or by command."""
    player = world.person(name)
    made = said(board.thread, r" offers (a time|\d times)\.")[-1]
    if by_button:
        return text_of(await world.click(player, made, button(made, "accept")))
    choices = await player.autocomplete(board.thread, "accept", "offer", "")
    ours = next(choice for choice in choices if f"{board.a} – {board.b}" in choice["name"])
    return text_of(await world.slash(player, "accept", channel=board.thread, offer=ours["value"]))


async def agree(world: World, board: Board, when: datetime) -> None:
    """The shortest way to an agreed time."""
    await offer(world, board, board.a, when)
    assert "Agreed" in await accept(world, board, board.b)


async def report(world: World, board: Board, name: str, *, by_button: bool = False) -> str:
    player = world.person(name)
    if by_button:
        return text_of(await world.click(player, card(board), button(card(board), "report")))
    return text_of(await world.slash(player, "report", channel=board.thread, match=match_id(world, board)))


SIX_NIL: list[Result] = ["a"] * 6


async def play(world: World, board: Board, evening: datetime) -> Met:
    """Agreed, if it is not yet, and played 6–0, not reported. The clock does not move."""
    if "Agreed" not in card(board).content:
        await agree(world, board, evening)
    world.lichess.play_match(board.a, board.b, evening, SIX_NIL)
    return met(board, SIX_NIL)


async def play_all_but(world: World, number: int, evening: datetime, *left_out: str) -> list[Met]:
    """Every match of a round without these players is agreed, played and reported; theirs are agreed only, else §5.6
    would decide them."""
    paired: list[Board] = []
    for board in boards(world, number):
        if not {board.a, board.b} & set(left_out):
            paired.append(board)
        elif "Agreed" not in card(board).content:
            await agree(world, board, evening)
    played = [await play(world, board, evening) for board in paired]
    await world.move_to(evening + timedelta(hours=1))
    for board in paired:
        assert "Recorded" in await report(world, board, board.a)
    return played


def random_games(rng: Random, edge: float) -> list[Result]:
    """The games of a match of up to ten, until one side has more than five (R3.3); sometimes one or two after that.

    `edge` in (0, 1): how often `a` wins a game that somebody wins.
    """
    games: list[Result] = []
    while len(games) < 10 and max(points_in(games)) <= 5:
        games.append("draw" if rng.random() < 0.2 else "a" if rng.random() < edge else "b")
    more = rng.choice([0, 0, 0, 1, 2])
    return games + [rng.choice(["a", "b"]) for _ in range(more)]


def points_in(games: Sequence[Result]) -> tuple[float, float]:
    """Game points of the two sides, up to the decision."""
    a = b = 0.0
    for game in games[:10]:
        if max(a, b) > 5:
            break
        a += {"a": 1, "draw": 0.5, "b": 0}[game]
        b += {"a": 0, "draw": 0.5, "b": 1}[game]
    return a, b


def met(board: Board, games: Sequence[Result]) -> Met:
    """The match for the oracle (R3.3: a won match 1, a tied one ½)."""
    a, b = points_in(games)
    won = 0.5 if a == b else float(a > b)
    return Met(board.a, board.b, won, 1 - won)


# --- What people see ---------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A line of a table in a message: place (None: left), name, points, cumulative."""

    place: int | None
    name: str
    points: float
    cumulative: float


_ROW = re.compile(r"^ *(\d+|–) (\S+) +([\d½]+) +([\d½]+)$", re.MULTILINE)
_DETAIL = re.compile(
    r"^(\d+|–)\.? (\S+): ([\d½]+) points?, .*Cum ([\d½]+) · Wins-v-tied (\d+) · MBuch ([\d½]+),", re.MULTILINE
)


def number(text: str) -> float:
    """`2½` -> 2.5."""
    return float(text.replace("½", "") or 0) + 0.5 * text.endswith("½")


def _place(text: str) -> int | None:
    return None if text == "–" else int(text)


def rows(texts: Iterable[str]) -> list[Row]:
    found = (row for text in texts for row in _ROW.findall(text))
    return [Row(_place(place), name, number(points), number(first)) for place, name, points, first in found]


def posted_table(world: World, round: int) -> list[Row]:
    """The table of a round in the standings channel, all its parts."""
    parts: dict[int, list[str]] = {}
    current = 0
    for message in world.channel("standings").history():
        heading = re.search(r"standings after round (\d+)", message.content)
        current = int(heading[1]) if heading else current
        parts.setdefault(current, []).append(message.content)
    return rows(parts[round])


async def _pages(world: World, who: Any, shown: Any) -> list[str]:
    texts = [text_of(shown)]
    while (more := _next_page(shown)) is not None:
        shown = await world.click(who, shown.response, more)
        texts.append(text_of(shown))
    return texts


def _next_page(shown: Any) -> str | None:
    """The last paging button that goes on; Previous comes before Next."""
    pages = [id for id in custom_ids(shown.response) if id.split(":")[2] in ("standings", "tiebreaks")]
    heading = re.search(r"page (\d+) of (\d+)", text_of(shown))
    if heading is None or heading[1] == heading[2]:
        return None
    return next(id for id in pages if id.endswith(f".{heading[1]}"))


async def shown_table(world: World, who: Any, **options: int) -> list[Row]:
    """`/standings`, page after page."""
    return rows(await _pages(world, who, await world.slash(who, "standings", **options)))


async def shown_tiebreaks(world: World, who: Any) -> list[Line]:
    """`/standings`, *All tiebreaks*, page after page."""
    table = await world.slash(who, "standings")
    detail = await world.click(who, table.response, button(table.response, "tiebreaks"))
    text = plain("\n".join(await _pages(world, who, detail)))
    return [
        Line(_place(place), name, number(points), number(cumulative), int(wins), number(buchholz))
        for place, name, points, cumulative, wins, buchholz in _DETAIL.findall(text)
    ]


async def domain_table(world: World) -> list[Line]:
    view = await world.parts.app.tables.standings(world.guild.id)
    return [
        Line(
            line.rank,
            view.event.name(line.entrant_id),
            line.points / 2,
            line.values["cumulative"] / 2,
            line.values["wins_against_tied"],
            line.values["median_buchholz"] / 2,
        )
        for line in view.lines
    ]


def as_rows(table: Sequence[Line]) -> list[Row]:
    return [Row(line.place, line.name, line.points, line.cumulative) for line in table]


# --- Time and accidents ------------------------------------------------------------------------------------------


async def wait(world: World, minutes: int, *, step: int = 1) -> None:
    """Lets time pass as it does for a running bot: it looks at what it owes every minute, or every `step` minutes."""
    for _ in range(0, minutes, step):
        await world.move(minutes=step)


class Killed(BaseException):
    """The process died. Not an Exception: nothing in the bot may catch it."""


@contextmanager
def killed_at(world: World, writes: int, *, done: bool) -> Iterator[None]:
    """The process dies at its n-th message or thread: before Discord has it, or after (`done`) but unanswered."""
    http = world.parts.bot.http
    original = http.request
    left = writes

    async def request(route: Any, **options: Any) -> Any:
        nonlocal left
        is_write = route.method in ("POST", "PATCH") and re.search(r"/(messages|threads)(/\d+)?$", route.url)
        left -= bool(is_write)
        if not is_write or left > 0:
            return await original(route, **options)
        if done:
            await original(route, **options)
        raise Killed

    http.request = request  # type: ignore[method-assign]
    try:
        yield
    finally:
        http.request = original  # type: ignore[method-assign]


async def publish_through_deaths(world: World, rng: Random) -> int:
    """Ticks until everything is delivered, with the process dying again and again; how often it died."""
    deaths = 0
    while True:
        try:
            with killed_at(world, rng.randint(1, 9), done=deaths % 2 == 1):
                await world.tick()
        except Killed:
            deaths += 1
            await world.restart()
        else:
            return deaths


def undelivered(world: World) -> list[Post]:
    """Posts that are owed or stuck."""
    return world.parts.db.read_sync(lambda reader: [p for p in reader.find(Post) if p.state in ("waiting", "stuck")])

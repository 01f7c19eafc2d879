"""Rounds 1 to 3 of the 45-player field of 2022, through commands and buttons, with accidents (issue 2, done when)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from acwc_bot.sandbox.lichess_world import Result
from engine.model import Entrant, Occurrence
from engine.pairing_checker import check
from engine.pairing_types import Pairing, Player
from engine.usecases.context import Actor
from tests.season.oracle import Round, table
from tests.season.play import (
    FIRST_PAIRINGS,
    Board,
    accept,
    as_rows,
    at,
    boards,
    button,
    card,
    domain_table,
    field_2022,
    match_id,
    met,
    offer,
    plain,
    posted_table,
    publish_through_deaths,
    random_games,
    report,
    said,
    shown_table,
    shown_tiebreaks,
    undelivered,
)
from tests.world import World, open_world, text_of

SEED = 2022


@dataclass
class Diary:
    """What the test itself knows of the season."""

    seeds: dict[str, int]
    rng: Random
    rounds: list[Round] = field(default_factory=list)
    floated: dict[str, int] = field(default_factory=dict)

    def points(self) -> dict[str, float]:
        return {line.name: line.points for line in table(self.rounds, self.seeds)}

    def opponents(self, name: str) -> set[str]:
        pairs = [(m.a, m.b) for round in self.rounds for m in round.matches]
        return {a if name == b else b for a, b in pairs if name in (a, b)}


async def test_three_rounds_of_the_2022_field(tmp_path: Path) -> None:
    """r3_3 r3_6 r3_7 r4_3: see the functions below for the accidents of each round."""
    ratings = field_2022()
    diary = Diary({name: seed for seed, name in enumerate(ratings, start=1)}, Random(SEED))
    async with open_world(tmp_path) as world:
        await world.set_up()
        await world.start_edition(ratings, FIRST_PAIRINGS.isoformat(), ratings=ratings)
        await _first_sunday(world)
        await _a_round(world, diary, 1)
        await _a_tuesday_with_deaths(world, diary)
        await _a_round(world, diary, 2)
        await _a_tuesday_slept_through(world)
        await _a_round(world, diary, 3)


# --- Three publications --------------------------------------------------------------------------------------------


async def _first_sunday(world: World) -> None:
    """R4.3: nothing before Sunday 12:00, everything at it."""
    await world.move_to(at(3, 22) - timedelta(seconds=1))
    assert not boards(world, 1)
    await world.move_to(at(3, 22))
    assert len(boards(world, 1)) == 22


async def _a_tuesday_with_deaths(world: World, diary: Diary) -> None:
    """The process dies again and again while the pairings are posted, before and after Discord has the message."""
    await world.move_to(at(3, 31) - timedelta(seconds=1))
    assert not boards(world, 2)
    await world.env.advance_time(1)
    assert await publish_through_deaths(world, diary.rng) >= 5


async def _a_tuesday_slept_through(world: World) -> None:
    """Down from Monday to Wednesday noon: published at the first tick, with the calendar's deadlines (Q14)."""
    await world.move_to(at(4, 6))
    await world.jump_to(at(4, 8))
    await world.restart()
    assert not boards(world, 3)
    await world.tick()
    assert len(boards(world, 3)) == 22
    (notice,) = said(world.channel("directors"), "came out late")
    assert "Round 3" in notice.content and "Fri 10 Apr 23:59" in notice.content
    assert said(world.channel("pairings"), "came out late .due Tue 7 Apr 12:00 UTC.")
    assert "Mon 13 Apr 23:59" in said(world.channel("pairings"), "round 3")[0].content
    key = next(o for o in world.parts.db.read_sync(lambda r: r.find(Occurrence)) if o.key.endswith("r3:publish"))
    assert (key.due_at, key.settled_at) == (at(4, 7), at(4, 8))


# --- A round -------------------------------------------------------------------------------------------------------


async def _a_round(world: World, diary: Diary, number: int) -> None:
    _everything_is_posted_once(world, number)
    bye = await _is_paired_by_the_rules(world, diary, number)
    paired = boards(world, number)
    games = await _everybody_plays(world, diary, paired)
    await _everybody_reports(world, diary, paired)
    diary.rounds.append(Round([met(board, games[board.number]) for board in paired], bye))
    await _tables_are_right(world, diary, number)
    _results_are_posted_once(world, number, paired)
    assert not undelivered(world)


def _everything_is_posted_once(world: World, number: int) -> None:
    """One thread per match, one card per thread, one post per part; nothing waits."""
    paired = boards(world, number)
    assert [board.number for board in paired] == list(range(1, 23))
    assert all(len(board.thread.history()) == 1 and card(board) for board in paired)
    parts = said(world.channel("pairings"), r"^` ?\d+` ")[2 * (number - 1) :]
    assert len(parts) == 2
    lines = [line for part in parts for line in re.findall(r"^` ?(\d+)` ", part.content, re.MULTILINE)]
    assert [int(board) for board in lines] == list(range(1, 23))
    assert len(said(world.channel("pairings"), f"round {number}$")) == 1
    assert not said(world.channel("pairings"), "being opened")
    assert not undelivered(world)


async def _is_paired_by_the_rules(world: World, diary: Diary, number: int) -> str:
    """R3.7, Q42, by the checker that shares nothing with the pairer; the bye's receiver."""
    entrants = world.parts.db.read_sync(lambda reader: reader.find(Entrant))
    assert {entrant.name: entrant.seed for entrant in entrants} == diary.seeds
    shown = plain(text_of(await world.slash(world.people["entrant_045"], "pairings")))
    paired = boards(world, number)
    assert all(f"`{board.number:>2}` {board}" in shown for board in paired)
    bye = re.search(r"^Bye: (\S+)$", shown, re.MULTILINE)
    assert bye is not None
    ids = {entrant.name: entrant.id for entrant in entrants}
    byes = {round.bye for round in diary.rounds}
    points = diary.points()
    players = [
        Player(
            id=ids[name],
            seed=seed,
            score=int(2 * points[name]),
            met=frozenset(ids[other] for other in diary.opponents(name)),
            floats=diary.floated.get(name, 0),
            bye_barred=name in byes,
        )
        for name, seed in diary.seeds.items()
    ]
    assert check(players, Pairing(tuple((ids[b.a], ids[b.b]) for b in paired), ids[bye[1]])) == []
    for board in paired:
        for name in (board.a, board.b):
            diary.floated[name] = diary.floated.get(name, 0) + (points[board.a] != points[board.b])
    return bye[1]


async def _everybody_plays(world: World, diary: Diary, paired: list[Board]) -> dict[int, list[Result]]:
    """Times are offered and accepted in every way there is, then the games are on Lichess; until everything is over."""
    published, rng = world.env.now(), diary.rng
    games: dict[int, list[Result]] = {}
    for board in paired:
        day = (published + timedelta(days=rng.randint(1, 4))).replace(minute=0)
        when = day.replace(hour=rng.randint(8, 21), minute=rng.choice([0, 15, 30]))
        asker, answerer = rng.sample([board.a, board.b], 2)
        if board.number % 7:
            await _agree_on(world, diary, board, asker, answerer, [when, when + timedelta(hours=4)])
        else:  # one of them has offered enough: else §5.6 would decide
            await offer(world, board, asker, when, when + timedelta(hours=4), when + timedelta(days=1))
        edge = 0.5 + (diary.seeds[board.b] - diary.seeds[board.a]) / 150
        games[board.number] = random_games(rng, edge)
        white: Result = rng.choice(["a", "b"])
        start = when + timedelta(minutes=rng.randint(0, 9))
        world.lichess.play_match(board.a, board.b, start, games[board.number], first_white=white)
    await world.move_to((published + timedelta(days=5)).replace(hour=6))
    return games


async def _agree_on(world: World, diary: Diary, board: Board, asker: str, answerer: str, when: list[datetime]) -> None:
    """By command or form, then by command or button (R5.2); the pairings post follows."""
    by_form, by_button = diary.rng.random() < 0.5, diary.rng.random() < 0.5
    offered = await offer(world, board, asker, *when, by_form=by_form)
    assert "Offered to" in offered and answerer in offered
    assert "Agreed" in await accept(world, board, answerer, by_button=by_button)
    day = f"{when[0]:%a} {when[0].day} {when[0]:%b %H:%M}"
    assert said(world.channel("pairings"), rf"{board} · {day}")


async def _everybody_reports(world: World, diary: Diary, paired: list[Board]) -> None:
    for board in paired:
        first, second = diary.rng.sample([board.a, board.b], 2)
        if board.number % 7 == 0:
            await _report_without_agreed_time(world, board, first, second)
        elif board.number % 7 == 1:
            await _report_at_the_same_moment(world, board)
        elif board.number % 7 == 2:
            await _click_twice(world, board, first)
        else:
            by_button = diary.rng.random() < 0.5
            assert "Recorded" in await report(world, board, first, by_button=by_button)
            assert "already has its result" in await report(world, board, second)


async def _report_without_agreed_time(world: World, board: Board, first: str, second: str) -> None:
    """Q12: the other side has to name the same first game."""
    assert "must name the same first game" in await report(world, board, first)
    (question,) = said(board.thread, "Was <.*> its first game")
    confirmed = await world.click(world.person(second), question, button(question, "confirm"))
    assert "Recorded" in text_of(confirmed)


async def _report_at_the_same_moment(world: World, board: Board) -> None:
    """Design section 3: both at once end in one consistent outcome. simcord runs one operation at a time, so here
    the use case is asked twice."""
    work = world.parts.app.reporting
    both = [_actor(world, name) for name in (board.a, board.b)]
    outcomes = await asyncio.gather(*(work.report(actor, match_id(world, board)) for actor in both))
    assert sorted(outcome.already for outcome in outcomes) == [False, True]
    assert outcomes[0].view.result == outcomes[1].view.result
    await world.tick()


async def _click_twice(world: World, board: Board, name: str) -> None:
    """A double click reaches the bot before the card has lost its button."""
    shown, player = card(board), world.person(name)
    clicks = [await player.click(shown, custom_id=button(shown, "report")) for _ in range(2)]
    assert "Recorded" in text_of(clicks[0])
    assert "already has its result" in text_of(clicks[1])
    await world.tick()


def _actor(world: World, name: str) -> Actor:
    person = world.person(name)
    return Actor(discord_id=person.id, name=name, guild_id=world.guild.id, command_id=f"at-once-{name}")


# --- After a round -------------------------------------------------------------------------------------------------


async def _tables_are_right(world: World, diary: Diary, number: int) -> None:
    """R3.6: the channel, `/standings`, its tiebreaks page and the domain against the second program."""
    expected = table(diary.rounds, diary.seeds)
    anybody = world.people["entrant_045"]
    assert await domain_table(world) == expected
    assert posted_table(world, number) == as_rows(expected)
    assert await shown_table(world, anybody) == as_rows(expected)
    assert await shown_tiebreaks(world, anybody) == expected


def _results_are_posted_once(world: World, number: int, paired: list[Board]) -> None:
    """One result in the thread and one in the results channel for each match, whoever reported how often."""
    pattern = f"Round {number}: .*[–-]"
    assert len(said(world.channel("results"), pattern)) == len(paired)
    assert all(len(said(board.thread, rf"^\*\*{pattern}")) == 1 for board in paired)
    assert all("Finished" in card(board).content for board in paired)

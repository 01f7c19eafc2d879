"""A whole round of 64 matches, negotiated by 128 people who are as people are: nothing is forgotten on Monday night.

What each pair does is drawn with a seed; all of it goes through slash commands, buttons and forms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from engine.model import Dispute, Edition, EditionState, Entrant, Match, Offer, OfferState, Person, Post, PostState
from engine.rules import shipped_text
from engine.usecases.context import load_event
from tests.season.play import plain, typed
from tests.world import World, custom_ids, field_ids, open_world, text_of

PLAYERS = 128
PUBLISHED = datetime(2026, 3, 22, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MONDAY_ENDS = datetime(2026, 3, 31, tzinfo=UTC)


def march(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


EVENINGS = (march(23, 19), march(24, 19), march(25, 20), march(26, 20), march(27, 20))
LAST_SECOND = march(28) - SECOND
SATURDAY, SUNDAY_MORNING, SUNDAY_NOON, MONDAY = march(28, 2), march(29, 9), march(29, 12), march(30, 9)

HABITS = {
    "agrees on one of three": 14,
    "agrees on the only offer": 6,
    "answers with another offer": 5,
    "agrees and moves the match": 5,
    "agrees after Friday": 6,
    "one side offers too little": 8,
    "one side retracts": 4,
    "the right is not used": 4,
    "both offer too little": 5,
    "no agreement": 7,
}
"""How many pairs do what."""


@dataclass
class Pair:
    match: Match
    a: str
    b: str
    ids: dict[str, int]
    habit: str

    def __str__(self) -> str:
        return f"{self.a} – {self.b}"


@dataclass
class Week:
    """Who does what when. An act is done at its moment, with one tick of the bot after all of that moment."""

    world: World
    rng: Random
    acts: dict[datetime, list[Callable[[], Awaitable[None]]]] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)

    def at(self, moment: datetime, act: Callable[[], Awaitable[None]]) -> None:
        self.acts.setdefault(moment, []).append(act)

    async def run(self) -> None:
        while self.acts:
            moment = min(self.acts)
            await self.until(moment)
            acts = self.acts.pop(moment)
            self.rng.shuffle(acts)
            for act in acts:
                await act()
            await self.world.tick()

    async def until(self, moment: datetime) -> None:
        """The bot looks at four hours of the day, which meets every deadline and reminder of R5.1 to the second."""
        while (now := self.world.clock.now()) < moment:
            midnight = now.replace(hour=0, minute=0, second=0)
            looks = (midnight + timedelta(hours=hour) for hour in (12, 18, 21, 24))
            await self.world.jump_to(min(moment, next(at for at in looks if at > now)))
            await self.world.tick()

    # What somebody can do ---------------------------------------------------------------------------------------------

    def heard(self, answer: str, expected: str) -> None:
        assert expected in plain(answer), answer
        self.answers[expected] += 1

    async def offers(self, who: str, pair: Pair, *times: datetime) -> None:
        answer = await self.world.people[who].slash(self.world.lobby, "offer", times=typed(*times))
        self.heard(text_of(answer), f"Offered to {pair.b if who == pair.a else pair.a}")

    async def accepts(self, who: str, pair: Pair) -> None:
        """With a button in the thread, some open offer of the other that is still ahead."""
        open_ids = {
            offer.id
            for offer in self.known(Offer, match_id=pair.match.id, state=OfferState.OPEN)
            if offer.entrant_id != pair.ids[who] and offer.starts_at > self.world.clock.now()
        }
        buttons = {f"acwc:1:accept:{id}" for id in open_ids}
        found = [(m, id) for m in self.thread(pair).history() for id in custom_ids(m) if id in buttons]
        message, id = self.rng.choice(found)
        self.heard(text_of(await self.world.people[who].click(message, custom_id=id)), "Agreed")

    async def moves(self, who: str, to: datetime) -> None:
        answer = await self.world.people[who].slash(self.world.lobby, "reschedule", time=typed(to))
        self.heard(text_of(answer), "Proposed to")

    async def retracts(self, who: str, pair: Pair) -> None:
        own = self.known(Offer, match_id=pair.match.id, entrant_id=pair.ids[who])[0]
        answer = await self.world.people[who].slash(self.world.lobby, "retract", offer=own.id)
        self.heard(text_of(answer), "Retracted")

    async def sets(self, who: str, pair: Pair, at: datetime) -> None:
        await self._fills(who, self.thread(pair), f":set-time:{pair.match.id}", typed(at), hears="The match is set for")

    async def rules(self, button: str, *values: str) -> None:
        """A TD decides by a button on a card or notice in the TD channel, with a reason."""
        await self._fills("td", self.world.channel("directors"), f":{button}", *values, hears="R1 · ")

    async def _fills(self, who: str, place: Any, button: str, *values: str, hears: str) -> None:
        found = [(m, id) for m in place.history() for id in custom_ids(m) if id.endswith(button)]
        assert found, (button, [m.content[:200] for m in place.history()])
        message, id = found[-1]
        person = self.world.people[who]
        shown = await person.click(message, custom_id=id)
        filled = dict(zip(field_ids(shown.modal), values, strict=True))
        self.heard(text_of(await person.submit_modal(shown, filled)), hears)

    def known(self, kind: type, **equal: Any) -> list[Any]:
        return self.world.parts.db.read_sync(lambda reader: reader.find(kind, **equal))

    def thread(self, pair: Pair) -> Any:
        return next(thread for name, thread in self.world.threads.items() if name.endswith(str(pair)))


# --- Habits ---------------------------------------------------------------------------------------------------------


def three(rng: Random, *, from_day: int = 28) -> list[datetime]:
    """Three times that satisfy R5.4."""
    return [march(day, rng.randint(10, 21), rng.choice((0, 30))) for day in range(from_day, 31)]


def too_few(rng: Random) -> list[datetime]:
    """Up to two times, or three of which one stands too close to another."""
    start = march(29, rng.randint(10, 18))
    return rng.choice([[], [start], [start, march(30, 12)], [start, start + timedelta(hours=1), march(30, 12)]])


def plan(week: Week, pair: Pair) -> None:
    """The acts of a pair, by its habit; who is who, when and what times: by lot."""
    rng, habit = week.rng, pair.habit
    one, two = rng.sample((pair.a, pair.b), 2)
    early, later = sorted(rng.sample(EVENINGS, 2))

    def offers(who: str, moment: datetime, *times: datetime) -> None:
        if times:
            week.at(moment, lambda: week.offers(who, pair, *times))

    def accepts(who: str, moment: datetime) -> None:
        week.at(moment, lambda: week.accepts(who, pair))

    match habit:
        case "agrees on one of three" | "agrees and moves the match":
            offers(one, early, *three(rng))
            accepts(two, later)
        case "agrees on the only offer":
            offers(one, early, three(rng)[0])
            accepts(two, rng.choice((later, LAST_SECOND)))
        case "answers with another offer":
            offers(one, early, *three(rng)[:2])
            offers(two, later, march(29, 23))
            accepts(one, rng.choice((later + timedelta(hours=2), LAST_SECOND)))
        case "one side offers too little" | "the right is not used":
            offers(one, early, *three(rng))
            offers(two, later, *too_few(rng))
            if habit == "the right is not used":
                if rng.random() < 0.5:
                    week.at(MONDAY, lambda: week.rules(f"rule-time:{pair.match.id}", "30 Mar 22:00", "Nobody chose."))
            elif rng.random() < 0.3:
                accepts(two, SATURDAY)
            else:
                chosen = rng.choice((SATURDAY, SUNDAY_MORNING, SUNDAY_NOON - SECOND))
                week.at(chosen, lambda: week.sets(one, pair, march(30, rng.randint(1, 22))))
        case "one side retracts":
            offers(one, early, *three(rng))
            offers(two, early, *three(rng))
            week.at(rng.choice((later, LAST_SECOND)), lambda: week.retracts(two, pair))
            week.at(SUNDAY_MORNING, lambda: week.sets(one, pair, march(30, 20)))
        case "both offer too little":
            offers(one, early, *too_few(rng))
            offers(two, later, *too_few(rng))
        case "agrees after Friday" | "no agreement":
            offers(one, early, *three(rng, from_day=28))
            offers(two, LAST_SECOND if rng.random() < 0.3 else later, *three(rng))
            if habit == "agrees after Friday":
                accepts(rng.choice((one, two)), rng.choice((SATURDAY, SUNDAY_MORNING)))
            else:
                dispute(week, pair)
    if habit == "agrees and moves the match":
        week.at(SATURDAY, lambda: week.moves(one, march(30, 22, 30)))
        accepts(two, SUNDAY_MORNING)


def dispute(week: Week, pair: Pair) -> None:
    """A TD finds one at fault, or nobody; or has not decided by Monday night. Who may set the time does, or not."""
    fault = week.rng.choice(("a", "b", "nobody", None))
    if fault is None:
        return
    week.at(SATURDAY, lambda: week.rules(f"rule-fault:{pair.match.id}.{fault}", "As the times show."))
    if fault in ("a", "b") and week.rng.random() < 0.7:
        innocent = pair.b if fault == "a" else pair.a
        week.at(SUNDAY_MORNING, lambda: week.sets(innocent, pair, march(30, week.rng.randint(1, 22))))


# --- The round ------------------------------------------------------------------------------------------------------


async def published(world: World) -> list[tuple[Match, str, str, dict[str, int]]]:
    """128 entrants stored as rows, and round 1 published and posted."""
    await world.set_up()

    def work(store: Any) -> None:
        edition = store.add(
            Edition(
                guild_id=world.guild.id,
                key="2026",
                title="World Cup 2026",
                ruleset=shipped_text("2023"),
                starts=PUBLISHED.date(),
                state=EditionState.CLOSED,
                created_at=world.clock.now(),
            )
        )
        for seed in range(1, PLAYERS + 1):
            name = f"player_{seed:03d}"
            world.lichess.add_account(name, rating=2500 - seed, games=5000, created_at=march(1) - timedelta(days=4000))
            person = store.add(Person(discord_id=world.person(name).id, name=name))
            store.add(Entrant(edition_id=edition.id, person_id=person.id, lichess_id=name, name=name, seed=seed))

    world.parts.db.write_sync(work)
    await world.jump_to(PUBLISHED)
    await world.tick()

    def look(reader: Any) -> list[tuple[Match, str, str, dict[str, int]]]:
        names = {entrant.id: entrant.name for entrant in reader.find(Entrant)}
        return [
            (match, names[match.a_id], names[match.b_id], {names[id]: id for id in (match.a_id, match.b_id)})
            for match in reader.find(Match)
        ]

    return world.parts.db.read_sync(look)


def scheduled(world: World) -> list[tuple[str, str, int]]:
    """Every line of the schedule posts with a time: (`Sat 28 Mar 18:00`, the stamp's seconds, the pair)."""
    found: list[tuple[str, str, int]] = []
    for post in world.channel("schedule").history():
        day = ""
        for line in plain(post.content).splitlines():
            if heading := re.fullmatch(r"\*\*(\w{3} \d+ \w{3})\*\*", line):
                day = heading[1]
            elif shown := re.match(r"(\d\d:\d\d) UTC <t:(\d+):t> (\S+ – \S+),", line):
                found.append((shown[3], f"{day} {shown[1]}", int(shown[2])))
    return found


def named(texts: Iterable[str], pair: Pair) -> bool:
    return any(str(pair) in plain(text) for text in texts)


async def test_r5_every_match_of_a_round_of_64_ends_agreed_ruled_or_with_the_tds(tmp_path: Path) -> None:
    rng = Random(64)
    habits = [habit for habit, many in HABITS.items() for _ in range(many)]
    rng.shuffle(habits)
    async with open_world(tmp_path) as world:
        pairs = [Pair(*known, habit) for known, habit in zip(await published(world), habits, strict=True)]
        week = Week(world, rng)
        for pair in pairs:
            plan(week, pair)
        await week.run()
        await week.until(MONDAY_ENDS - SECOND)

        event = world.parts.db.read_sync(lambda reader: load_event(reader, world.parts.app.desk.folds, 1))
        now = {match.id: match for match in week.known(Match)}
        waiting = {dispute.match_id for dispute in week.known(Dispute, outcome=None)}
        desk = [message.content for message in world.channel("directors").history()]
        ends: Counter[str] = Counter()
        for pair in pairs:
            match = now[pair.match.id]
            if match.agreed_at is not None:
                ends["agreed"] += 1
            elif event.has_result(match):
                ends["ruled"] += 1
            else:
                ends["dispute" if match.id in waiting else "notice"] += 1
                assert named(desk, pair), f"nobody knows that {pair} has no time: {pair.habit}"

        expected = {str(pair): at for pair in pairs if (at := now[pair.match.id].agreed_at) is not None}
        lines = scheduled(world)
        assert len(lines) == len(expected) == ends["agreed"]
        for who, shown, stamp in lines:
            at = expected[who]
            assert (shown, stamp) == (f"{at:%a} {at.day} {at:%b %H:%M}", int(at.timestamp())), who
        posts = week.known(Post)
        left = [(post.key, post.state, post.problem) for post in posts if post.state is not PostState.SENT]
        assert [one for one in left if one[1] is not PostState.DROPPED] == []
        assert all(post.sent >= post.wanted for post in posts if post.state is PostState.SENT)
        assert min(ends[end] for end in ("agreed", "ruled", "dispute", "notice")) > 0, ends

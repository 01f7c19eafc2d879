"""A whole edition through Discord and an offline Lichess: what players and directors do in each week."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from acwc_bot.sandbox.lichess_world import Result
from engine.armageddon import Hand
from engine.model import KNOCKOUT, Match
from engine.rules import MatchRules
from engine.scoring import stop_policy
from engine.usecases.context import Event, load_event
from tests.season.play import typed
from tests.world import World, custom_ids, text_of

EVENING = timedelta(hours=6)
"""After a round came out at noon: all matches are played on the Saturday evening."""


@dataclass
class Edition:
    """The world, and the chance by which games end. `absent_in`, `break_in`: codes of rounds in which somebody does not
    come, or takes a break. `done`: what has happened, for the test to look at."""

    world: World
    chance: Random
    tied_final: bool = True
    absent_in: frozenset[str] | set[str] = frozenset()
    break_in: frozenset[str] | set[str] = frozenset()
    done: list[str] = field(default_factory=list[str])
    _pause: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def event(self) -> Event:
        id = self.world.edition().id
        return self.world.parts.db.read_sync(lambda reader: load_event(reader, self.world.parts.app.desk.folds, id))

    def open_matches(self) -> list[Match]:
        return self.event().open_matches()

    def names(self, match: Match) -> tuple[str, str]:
        event = self.event()
        return event.name(match.a_id), event.name(match.b_id)

    # A week -----------------------------------------------------------------------------------------------------

    async def week(self) -> None:
        """Every open match is agreed and played on the Saturday; the result needs nobody."""
        matches = self.open_matches()
        start = self._saturday()
        for match in matches:
            await self.agree(match, start)
        code = self.event().rounds[-1].code
        missed = matches.pop(0) if code in self.absent_in else None
        paused = matches[0] if code in self.break_in else None
        for match in matches:
            self.play(match, start, pause=match is paused)
        if missed is not None:
            await self._does_not_come(missed, start)
        if paused is not None:
            await self._breaks(paused)
        await self.world.move_to(start + timedelta(minutes=90))
        for match in self.open_matches():
            await self.decide(match)

    async def _does_not_come(self, match: Match, start: datetime) -> None:
        """R6.3: told at once, and after ten minutes the win is claimed."""
        here, gone = self.names(match)
        await self.world.move_to(start + timedelta(minutes=1))
        answer = text_of(await self.world.slash(self.world.people[here], "match opponent-absent", match=match.id))
        assert answer.startswith("Reported"), answer
        await self.world.move(minutes=10)
        answer = text_of(await self.world.slash(self.world.people[here], "match claim", choice="win", match=match.id))
        assert match.id in self.event().tournament.results, answer
        self.done.append(f"absent {gone}")

    async def _breaks(self, match: Match) -> None:
        """R6.1: between two games."""
        who, _ = self.names(match)
        await self.world.move_to(self._pause)
        answer = text_of(await self.world.slash(self.world.people[who], "match break", match=match.id))
        assert "break" in answer.lower(), answer
        self.done.append(f"break {who}")

    # Leaving ----------------------------------------------------------------------------------------------------

    async def withdraws(self) -> None:
        """Somebody of the open matches leaves, by chance one of the lower half."""
        names = sorted(name for match in self.open_matches() for name in self.names(match))
        name = names[len(names) // 2 + self.chance.randrange(len(names) // 2)]
        who = self.world.people[name]
        asked = await self.world.slash(who, "withdraw")
        message = asked.followups[-1] if asked.followups else asked.response
        await self.world.click(who, message, custom_ids(message)[0])
        self.done.append(f"withdraws {name}")

    async def marked_as_engine(self) -> None:
        """A TD takes out a player who was marked."""
        match = self.open_matches()[-1]
        name = self.names(match)[0]
        td, reason = self.world.people["td"], "marked by Lichess"
        await self.world.slash(td, "td-player disqualify", player=match.a_id, ground="engine", reason=reason)
        self.done.append(f"engine {name}")

    def _saturday(self) -> datetime:
        now = self.world.clock.now()
        days = (5 - now.weekday()) % 7
        return (now + timedelta(days=days)).replace(hour=18, minute=0, second=0, microsecond=0)

    async def agree(self, match: Match, at: datetime) -> None:
        """One offers three times, the other accepts the first with the button in the thread."""
        a, b = self.names(match)
        times = (at, at + timedelta(hours=3), at + timedelta(days=1))
        answer = text_of(
            await self.world.people[a].slash(self.world.lobby, "offer", times=typed(*times), match=match.id)
        )
        assert "3 offers" in answer or "Offered" in answer, answer
        await self.world.parts.runtime.relay.run()
        await self.world.settle()
        message = next(
            m for m in reversed(self.thread(match).history()) if any(":accept:" in id for id in custom_ids(m))
        )
        button = next(id for id in custom_ids(message) if ":accept:" in id)
        answer = text_of(await self.world.people[b].click(message, custom_id=button))
        assert answer.startswith("Agreed"), answer

    def thread(self, match: Match) -> Any:
        id = self.event().matches[match.id].thread_id
        return next(thread for thread in self.world.threads.values() if thread.id == id)

    # Games ------------------------------------------------------------------------------------------------------

    def play(self, match: Match, at: datetime, *, pause: bool = False) -> None:
        """The games of a match, as far as its stage wants them; the Grand Final is tied where that is wanted."""
        event = self.event()
        results = self._results(event.match_rules(match), event, match)
        a, b = self.names(match)
        begins = at + timedelta(minutes=self.chance.randint(0, 5))
        if not pause:
            self.world.lichess.play_match(a, b, begins, results)
            return
        ids = self.world.lichess.play_match(a, b, begins, results[:3])
        self._pause = self.world.lichess.laid_out(ids[-1]).last_move_at + timedelta(seconds=20)
        self.world.lichess.play_match(a, b, self._pause + timedelta(minutes=8), results[3:], first_white="b")

    def _results(self, rules: MatchRules, event: Event, match: Match) -> list[Result]:
        if self.tied_final and event.group_of(match) == "grand_final":
            tied: list[Result] = ["a", "b"]
            return tied * ((rules.games + rules.extra_games) // 2)
        a, b = event.entrants[match.a_id], event.entrants[match.b_id]
        better = 0.5 + (b.seed - a.seed) / 100
        results, points = list[Result](), {"a": 0, "b": 0}
        while len(results) < rules.games and (stop_policy(rules.stop).whole or max(points.values()) <= rules.games):
            drawn, won = self.chance.random() < 0.04, self.chance.random() < better
            result: Result = "draw" if drawn else "a" if won else "b"
            for side in points:
                points[side] += 1 if drawn else 2 if side == result else 0
            results.append(result)
        if points["a"] == points["b"] and event.round_of(match).stage in KNOCKOUT:
            results += ["a"] * (rules.extra_games // 2 + 1 if rules.extra_games else 0)
        return results

    async def decide(self, match: Match) -> None:
        """What is still open after the evening is a tied knock-out match: bids, throws, the armageddon game."""
        event = self.event()
        if event.tied_at(match) is None:
            return
        a, b = self.names(match)
        for who in (a, b):
            await self._bid(match, who, "1:40")
        for who, hand in ((a, Hand.ROCK), (b, Hand.ROCK), (a, Hand.PAPER), (b, Hand.ROCK)):
            await self._throw(match, who, hand)
        await self.world.tick()
        colours = self.event().colours(match)
        assert colours is not None and colours.bid == 100
        self.done.append(f"armageddon {a} – {b}")
        clocks = (18000, 18000, 9900, 17000)
        now = self.world.clock.now()
        self.world.lichess.add_game(a, b, created_at=now, winner="white", clock=(180, 0), rated=False, clocks=clocks)
        await self.world.move(minutes=5)

    async def _bid(self, match: Match, who: str, text: str) -> None:
        message = next(m for m in self.thread(match).history() if "### Armageddon" in m.content)
        button = next(id for id in custom_ids(message) if "bid-form" in id)
        form = await self.world.click(self.world.people[who], message, button)
        await self.world.submit(self.world.people[who], form, text)

    async def _throw(self, match: Match, who: str, hand: Hand) -> None:
        calls = [m for m in self.thread(match).history() if "### Rock" in m.content]
        button = next(id for id in custom_ids(calls[-1]) if id.endswith(f".{hand}"))
        await self.world.click(self.world.people[who], calls[-1], button)

    # The calendar -----------------------------------------------------------------------------------------------

    async def until_next_round(self) -> None:
        """Moves on until another round is out, or nothing more is due."""
        rounds = len(self.event().rounds)
        for _ in range(60):
            due = await self.world.parts.runtime.next_due()
            if due is None:
                return
            await self.world.move_to(due)
            if len(self.event().rounds) > rounds:
                return


def champion(world: World) -> str:
    found = [re.search(r"🏆 (\S+) has won", m.content) for m in world.channel("announcements").history()]
    (name,) = [match[1] for match in found if match]
    return name

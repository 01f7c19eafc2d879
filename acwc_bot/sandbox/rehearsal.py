"""The visitor: who he is, what he has seen, what the page told him, and the way into a channel of Discord."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from acwc_bot.sandbox.crowd import Crowd
from acwc_bot.sandbox.discord_page import DiscordPage
from acwc_bot.sandbox.players import Players
from acwc_bot.sandbox.stops import Stop, of_the_match
from acwc_bot.sandbox.world import DIRECTOR, LOBBY, OWNER, Sandbox, SandboxError
from engine.model import EditionState, EntryState, Registration
from engine.usecases.context import Event
from engine.usecases.matches import MatchView
from engine.usecases.timer_posts import Told

_KEPT_LINES = 40


@dataclass(frozen=True, slots=True)
class Line:
    """Something that happened, or an error, as a sentence."""

    at: datetime
    text: str
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """The viewer at a match: `event` None before there is an edition, `view` None for a TD, an onlooker and whoever has
    the bye. `others`: matches of the viewer that are still open besides. `entry`: the viewer's entry, the newest
    that was not turned down or taken back."""

    event: Event | None
    view: MatchView | None
    entrant_id: int | None
    is_td: bool = False
    others: tuple[MatchView, ...] = ()
    entry: Registration | None = None
    told: Mapping[int, tuple[Told, ...]] = field(default_factory=dict[int, tuple[Told, ...]])

    @property
    def begun(self) -> Registration | None:
        """The entry, while it is not shown yet whose account it is."""
        return self.entry if self.entry is not None and self.entry.state is EntryState.UNPROVEN else None

    @property
    def opponent(self) -> str | None:
        return None if self.view is None else self.against(self.view)

    def against(self, view: MatchView) -> str | None:
        """The viewer's opponent in a match, by name."""
        return None if self.entrant_id is None else view.other(self.entrant_id).entrant.name

    @property
    def views(self) -> tuple[MatchView, ...]:
        return () if self.view is None else (self.view, *self.others)

    @property
    def stops(self) -> list[Stop]:
        """What comes in these matches."""
        return [stop for view in self.views for stop in of_the_match(view, self.told.get(view.match.id, ()))]

    @property
    def registering(self) -> bool:
        return self.event is not None and self.event.edition.state is EditionState.OPEN


class Rehearsal:
    """One visitor in one sandbox. `home` is the player whom the visitor was given, `viewer` whom he is now."""

    def __init__(self, players: Players, discord_port: int) -> None:
        self.players = players
        self.sandbox: Sandbox = players.sandbox
        self.crowd = Crowd(players, self._set_doing)
        self.discord = DiscordPage(self.sandbox, discord_port, lambda text: self.tell(text, bad=True))
        self.home: str | None = None
        self.viewer = DIRECTOR
        self.lines: list[Line] = []
        #: What is going on right now, as the beginning of a sentence.
        self.doing: str | None = None
        self._seen: dict[tuple[str, int], int] = {}

    def _set_doing(self, doing: str) -> None:
        self.doing = doing

    async def begin(self) -> None:
        """The first time: the visitor is the first player of the first board, or who has to act before there is one;
        what was written until now is no news to anybody."""
        await self._find_home()
        event = await self.players.event()
        self.viewer = self.home or (DIRECTOR if event else OWNER)
        for place in self.sandbox.env.backend.channels.values():
            self._seen["", place.id] = max(self.sandbox.env.backend.messages.get(place.id, {}), default=0)

    def visit(self) -> Mapping[str, Any]:
        """What `take_up` needs to go on here."""
        return {
            "home": self.home,
            "viewer": self.viewer,
            "lines": self.lines,
            "seen": self._seen,
            "seed": self.players.seed,
            "over": self.players.over,
        }

    def take_up(self, visit: Mapping[str, Any]) -> None:
        self.home, self.viewer = visit["home"], visit["viewer"]
        self.lines, self._seen = visit["lines"], visit["seen"]
        self.players.over = visit["over"]

    async def __aenter__(self) -> Self:
        await self.open(await self.place_of_interest())
        self.sandbox.republish = self._republish
        return self

    async def __aexit__(self, *raised: object) -> None:
        self.sandbox.republish = None
        await self.discord.close()

    async def _republish(self) -> None:
        """With the sandbox's lock held. Drawing Discord's page takes longer than most acts, so a crowd's acts are shown
        together, by `show_news`."""
        if self.doing is None:
            await self.discord.refresh()

    async def show_news(self) -> None:
        async with self.sandbox.lock:
            await self.discord.refresh()
        self.mark_seen()
        await self._find_home()

    # --- Being somebody, looking ---------------------------------------------------------------------------------

    async def _find_home(self) -> None:
        """The visitor's own player, as soon as there is a round."""
        event = await self.players.event()
        if self.home is None and event is not None and event.current_round is not None:
            boards = event.matches_of(event.current_round.id)
            self.home = event.name(boards[0].a_id) if boards else None

    async def seat(self, match_id: int | None = None) -> Seat:
        """The viewer at the match with that id; without one at that of the newest round, or at one that was extended
        when that has its result. SandboxError when the viewer does not play the match."""
        event = await self.players.event()
        is_td = await self.sandbox.is_td(self.viewer)
        if event is None:
            return Seat(None, None, None, is_td)
        entrant = next((e.id for e in event.entrants.values() if e.name == self.viewer), None)
        newest = event.current_round.id if event.current_round else None
        open_ones = [m for m in self.crowd.matches(event) if entrant is not None and m.has(entrant)]
        own = [m for m in event.matches.values() if entrant is not None and m.has(entrant) and m.round_id == newest]
        match = max(open_ones or own, key=lambda m: m.round_id, default=None)
        if match_id is not None:
            match = event.matches.get(match_id)
            if match is None or entrant is None or not match.has(entrant):
                raise SandboxError(f"{self.viewer} does not play that match. Load the page again.")
        if match is None:
            entry = await self.crowd.entry_of(self.sandbox.people[self.viewer].id)
            return Seat(event, None, entrant, is_td, entry=entry)
        # All from one event: a result that comes in meanwhile would be in one of the views and not in the choice.
        view, *others = await self.players.views(event, [match, *(m for m in open_ones if m.id != match.id)])
        told = {v.match.id: tuple(await self.players.waits(v.match.id)) for v in (view, *others)}
        return Seat(event, view, entrant, is_td, tuple(others), told=told)

    def be(self, name: str) -> None:
        """From now on the visitor is that member; an unknown name becomes a line on the page."""
        if name in self.sandbox.people:
            self.viewer = name
            self.sandbox.changes += 1
        else:
            self.tell(f"There is nobody called {name} here.", bad=True)

    async def place_of_interest(self) -> int:
        """The channel to look at first: a player's match thread, a TD's channel, the pairings, the lobby."""
        seat = await self.seat()
        if seat.view is not None and seat.view.match.thread_id is not None:
            return seat.view.match.thread_id
        home = await self.sandbox.home("td" if seat.is_td else "pairings")
        return (home or self.sandbox.channel(LOBBY)).id

    async def open(self, channel_id: int) -> str:
        """The address of the Discord page that shows a channel to the viewer."""
        seat = await self.seat()
        also = tuple(name for name in (seat.opponent, DIRECTOR) if name)
        url = await self.discord.open(channel_id, self.viewer, also)
        self.mark_seen()
        return url

    def mark_seen(self) -> None:
        """What the open Discord page shows is no longer new."""
        if self.discord.showing is not None:
            channel_id, viewer = self.discord.showing
            messages = self.sandbox.messages(channel_id, self.sandbox.people[viewer])
            self._seen[viewer, channel_id] = messages[-1].id if messages else 0

    def new_in(self, channel_id: int) -> int:
        """How many messages the viewer has not seen there."""
        seen = self._seen.get((self.viewer, channel_id), self._seen.get(("", channel_id), 0))
        return sum(m.id > seen for m in self.sandbox.messages(channel_id, self.sandbox.people[self.viewer]))

    def tell(self, text: str, *, bad: bool = False) -> None:
        self.lines = [*self.lines, Line(self.sandbox.now(), text, bad)][-_KEPT_LINES:]
        self.sandbox.changes += 1

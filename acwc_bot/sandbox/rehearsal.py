"""What the visitor can do besides typing in Discord: be somebody, move the clock, let the others act, play."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from acwc_bot.sandbox.discord_page import DiscordPage
from acwc_bot.sandbox.players import Accept, OfferTimes, Players, Report
from acwc_bot.sandbox.world import DIRECTOR, Sandbox, SandboxError
from cogs.directors.channels import NAMES
from cogs.render import times as shown
from engine.calendar import ReminderKind, reminders
from engine.model import Match
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase
from engine.usecases.schedule import next_slot, unsettled

log = logging.getLogger(__name__)

_KEPT_LINES = 40
_MOST_DEEDS_TOLD = 3


@dataclass(frozen=True, slots=True)
class Line:
    """Something that happened, or an error, as a sentence."""

    at: datetime
    text: str
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """The viewer at the newest match: `view` None for a TD, an onlooker and whoever has the bye."""

    event: Event
    view: MatchView | None
    entrant_id: int | None

    @property
    def opponent(self) -> str | None:
        if self.view is None or self.entrant_id is None:
            return None
        return self.view.other(self.entrant_id).entrant.name


class Rehearsal:
    """One visitor in one sandbox. `home` is the player whom the visitor was given, `viewer` whom he is now."""

    def __init__(self, sandbox: Sandbox, discord_port: int) -> None:
        self.sandbox = sandbox
        self.players = Players(sandbox)
        self.discord = DiscordPage(sandbox, discord_port)
        self.home = self.viewer = DIRECTOR
        self.lines: list[Line] = []
        #: What is going on right now, as the beginning of a sentence.
        self.doing: str | None = None
        self._seen: dict[tuple[str, int], int] = {}

    async def __aenter__(self) -> Self:
        """The visitor is the first player of the first board, and Discord shows the match thread."""
        event = await self.players.event()
        boards = event.matches_of(event.current_round.id) if event.current_round else []
        if boards:
            self.home = self.viewer = event.name(boards[0].a_id)
        self._see_everything()
        await self.open(await self.place_of_interest())
        self.sandbox.republish = self.discord.refresh
        return self

    async def __aexit__(self, *raised: object) -> None:
        self.sandbox.republish = None
        await self.discord.close()

    # --- Being somebody, looking ---------------------------------------------------------------------------------

    async def seat(self) -> Seat:
        """The viewer's match in the newest round."""
        event = await self.players.event()
        entrant = next((e.id for e in event.entrants.values() if e.name == self.viewer), None)
        round = event.current_round
        matches = event.matches_of(round.id) if round else []
        match = next((m for m in matches if entrant is not None and m.has(entrant)), None)
        view = await self.players.view(match.id) if match else None
        return Seat(event, view, entrant)

    def be(self, name: str) -> None:
        """From now on the visitor is that member; an unknown name becomes a line on the page."""
        if name in self.sandbox.people:
            self.viewer = name
        else:
            self.tell(f"There is nobody called {name} here.", bad=True)

    async def place_of_interest(self) -> int:
        """The channel to look at first: a player's match thread, a TD's channel, else the pairings."""
        seat = await self.seat()
        if seat.view is not None and seat.view.match.thread_id is not None:
            return seat.view.match.thread_id
        return self.sandbox.channel(NAMES["td" if self.viewer == DIRECTOR else "pairings"]).id

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

    def _see_everything(self) -> None:
        """The opening is no news to anybody."""
        for place in self.sandbox.env.backend.channels.values():
            self._seen["", place.id] = max(self.sandbox.env.backend.messages.get(place.id, {}), default=0)

    # --- Doing ---------------------------------------------------------------------------------------------------

    async def do(self, deed: str) -> None:
        """One of DEEDS by name. Whatever goes wrong becomes a line on the page; nothing is raised."""
        if self.doing is not None:
            self.tell(f"One thing at a time: {self.doing} still goes on.", bad=True)
            return
        work = DEEDS.get(deed)
        if work is None:
            self.tell("The page asked for something that does not exist. Load it again.", bad=True)
            return
        self.doing = "that"
        try:
            await work(self)
        except SandboxError as refusal:
            self.tell(str(refusal), bad=True)
        except Exception:
            log.exception("%s failed", deed)
            self.tell("That failed; the terminal shows why. You can go on.", bad=True)
        finally:
            self.doing = None
            self.mark_seen()

    def tell(self, text: str, *, bad: bool = False) -> None:
        self.lines = [*self.lines, Line(self.sandbox.now(), text, bad)][-_KEPT_LINES:]

    async def next_stop(self, seat: Seat) -> tuple[datetime, str] | None:
        """The next moment worth stopping the clock at, and what happens then."""
        now = self.sandbox.now()
        stops = [stop for stop in deadlines(seat.event) if stop[0] > now]
        view = seat.view
        if view is not None and view.phase is Phase.AGREED and view.match.agreed_at and view.match.agreed_at > now:
            stops.append((view.match.agreed_at, "your match"))
        return min(stops, default=None)

    async def _next_deadline(self) -> None:
        stop = await self.next_stop(await self.seat())
        if stop is None:
            raise SandboxError(f"Nothing more is due.{waits(await self.players.event(), self.sandbox.now())}")
        self.doing = "moving the clock"
        await self.sandbox.move_to(stop[0])
        self.tell(f"It is {shown.utc(stop[0])}: {stop[1]}.{waits(await self.players.event(), stop[0])}")

    async def _hour(self) -> None:
        await self._move(timedelta(hours=1))

    async def _day(self) -> None:
        await self._move(timedelta(days=1))

    async def _move(self, by: timedelta) -> None:
        self.doing = "moving the clock"
        before = self.sandbox.now()
        event = await self.players.event()
        await self.sandbox.move_to(before + by)
        passed = [text for at, text in deadlines(event) if before < at <= self.sandbox.now()]
        waiting = waits(await self.players.event(), self.sandbox.now())
        self.tell("; ".join([f"It is {shown.utc(self.sandbox.now())}", *passed]) + f".{waiting}")

    async def _opponent(self) -> None:
        seat = await self.seat()
        if seat.view is None or seat.entrant_id is None:
            raise SandboxError(f"{self.viewer} has no opponent in this round. Be one of the players first.")
        self.doing = f"{seat.opponent} acting"
        deed = await self.players.act(seat.view.match.id, seat.view.match.opponent_of(seat.entrant_id))
        ready = seat.view.phase is Phase.AGREED and self.players.over_at(seat.view) is None
        self.tell(deed.text + (" Press “Play my match”." if ready else ""))

    async def _play(self) -> None:
        """The viewer's match, at its agreed time: the games, and the clock past the last of them."""
        view = (await self.seat()).view
        if view is None:
            raise SandboxError(f"{self.viewer} has no match in this round. Be one of the players first.")
        if view.phase is Phase.FINISHED:
            raise SandboxError("Your match is played and reported.")
        if view.phase is Phase.NEGOTIATING:
            raise SandboxError("Agree on a time first: one of you offers, the other accepts.")
        self.doing = "playing your match"
        over_at = self.players.play(view)
        await self.sandbox.move_to(over_at)
        games = f"{view.a.entrant.name} and {view.b.entrant.name} have played"
        self.tell(f"{games}; the games are on the offline Lichess. It is {shown.utc(self.sandbox.now())}: report now.")

    async def _others(self) -> None:
        """Everybody in a match that is not the viewer's does what there is to do now."""
        seat = await self.seat()
        done = await self._let_act(self._others_matches(seat))
        self.tell(done + self._still_open(await self._open_views(seat)))

    async def _finish(self) -> None:
        """As often as it takes, with the clock moved from the end of one match to the end of the next."""
        seat = await self.seat()
        if seat.view is not None and seat.view.phase is not Phase.FINISHED:
            raise SandboxError(
                "Finish your own match first, or become the TD: this moves the clock to the end of the round."
            )
        acting = self._others_matches(seat)
        while acting:
            await self._let_act(acting)
            left = await self._open_views(seat)
            ends = {view.match: over for view in left if (over := self.players.over_at(view))}
            if not ends:
                break
            await self.sandbox.move_to(min(ends.values()))
            acting = [match for match, over in ends.items() if over <= self.sandbox.now()]
        left = await self._open_views(seat)
        self.tell("The round is played." if not left else "Nobody can do more now." + self._still_open(left))

    async def _let_act(self, matches: list[Match]) -> str:
        counts = {OfferTimes: 0, Accept: 0, Report: 0}
        for number, match in enumerate(matches, start=1):
            self.doing = f"letting the others act, match {number} of {len(matches)}"
            for deed in await self.players.act_both(match):
                counts[type(deed.plan)] += 1  # type: ignore[index]
        said = [
            f"{count} {name if count == 1 else plural}"
            for count, name, plural in (
                (counts[Accept], "match has got its time", "matches have got their times"),
                (counts[Report], "result was reported", "results were reported"),
            )
            if count
        ]
        return (" and ".join(said) if said else "Nobody had anything to do") + "."

    def _others_matches(self, seat: Seat) -> list[Match]:
        round = seat.event.current_round
        own = seat.view.match.id if seat.view else None
        matches = seat.event.matches_of(round.id) if round else []
        return [m for m in matches if m.id != own and not seat.event.has_result(m)]

    async def _open_views(self, seat: Seat) -> list[MatchView]:
        event = await self.players.event()
        ids = {match.id for match in self._others_matches(seat)}
        matches = [m for m in event.matches.values() if m.id in ids and not event.has_result(m)]
        return await self.players.views(event, matches)

    def _still_open(self, views: list[MatchView]) -> str:
        agreed = sorted(v.match.agreed_at for v in views if v.match.agreed_at)
        if not agreed:
            return ""
        count = f"{len(agreed)} matches are" if len(agreed) > 1 else "1 match is"
        return f" {count} still to be played, the last one at {shown.utc(agreed[-1])}."


DEEDS: Mapping[str, Callable[[Rehearsal], Awaitable[None]]] = {
    "next": Rehearsal._next_deadline,
    "hour": Rehearsal._hour,
    "day": Rehearsal._day,
    "opponent": Rehearsal._opponent,
    "play": Rehearsal._play,
    "others": Rehearsal._others,
    "finish": Rehearsal._finish,
}

_REMINDERS = {
    ReminderKind.NO_OFFER: "reminder to whoever has made no offer",
    ReminderKind.TOO_FEW: "reminder to whoever still owes offers",
    ReminderKind.LAST_CALL: "last call for offers",
}


def waits(event: Event, now: datetime) -> str:
    """What to do when a round is due and does not come; empty when nothing waits."""
    coming = next_slot(event)
    if coming is None or coming.publish_at > now or not unsettled(event):
        return ""
    return (
        f" Round {coming.number} waits for matches without a result. Be the TD and press Extend in wc-directors, or "
        "let them be played and reported."
    )


def deadlines(event: Event) -> Iterator[tuple[datetime, str]]:
    """The next publication and every moment of the running round, with what happens then. Not in order."""
    coming = next_slot(event)
    if coming is not None:
        yield coming.publish_at, f"round {coming.number} of the {coming.stage.capitalize()}"
    if event.current_round is not None:
        for reminder in reminders(event.rules, event.current_round):
            yield reminder.at, _REMINDERS[reminder.kind]
        yield event.current_round.offers_by, "end of the time for offers"
        yield event.current_round.matches_by, "end of the time for matches"

"""The negotiation of one match by the words of the rulebook (R5, R6.3, Q1-Q5, Q11c, Q15): a plain model in memory.

It shares no code with the engine. The round is the one of the tests: published on Sunday 22 March 2026 at 12:00, offers
due by Friday 23:59, the match by Monday 23:59. Sides are 0 and 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
PUBLISHED = datetime(2026, 3, 22, 12, tzinfo=UTC)
FRIDAY_ENDS = datetime(2026, 3, 28, tzinfo=UTC)
MONDAY_ENDS = datetime(2026, 3, 31, tzinfo=UTC)
NEXT_MONDAY_ENDS = datetime(2026, 4, 7, tzinfo=UTC)
"""Q10: the latest end of an extension."""
NEXT_FRIDAY_ENDS = datetime(2026, 4, 4, tzinfo=UTC)
SUNDAY_NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
REMINDERS = (("no_offer", 30 * HOUR), ("too_few", 12 * HOUR), ("last_call", 3 * HOUR))
"""R5.1: how long before the offer deadline: Thursday 18:00, Friday 12:00 and 21:00."""
MOST_OPEN = 9
WINNING = 6
"""Games that decide a match of ten when one side wins them all (R3.3)."""

Times = tuple[datetime, datetime | None]


class Refused(Exception):
    """The rule does not allow it; nothing changes."""


def refuse_if(forbidden: bool) -> None:
    if forbidden:
        raise Refused


@dataclass
class Offered:
    by: int
    start: datetime
    end: datetime | None
    made: datetime
    moves: bool
    state: str = "open"
    changed: datetime | None = None

    @property
    def last(self) -> datetime:
        return self.end or self.start


def largest_set(starts: Sequence[datetime]) -> int:
    """R5.4: how many of these can be taken so that all are three hours apart and no date has more than two."""
    taken: Counter[date] = Counter()

    def best(i: int, last: datetime | None) -> int:
        if i == len(starts):
            return 0
        without, start = best(i + 1, last), starts[i]
        if (last is not None and start - last < 3 * HOUR) or taken[start.date()] == 2:
            return without
        taken[start.date()] += 1
        found = max(without, 1 + best(i + 1, start))
        taken[start.date()] -= 1
        return found

    starts = sorted(starts)
    return best(0, None)


@dataclass
class Negotiation:
    """`fault`: who is at fault, None before anything was found. `notices`: what the TDs were told, by cause."""

    now: datetime
    offers: dict[int, Offered] = field(default_factory=dict)
    agreed: datetime | None = None
    by_offer: int | None = None
    first_set: datetime | None = None
    fault: frozenset[int] | None = None
    found_at: datetime = PUBLISHED
    by_td: bool = False
    waived: frozenset[int] = frozenset()
    offers_by: datetime = FRIDAY_ENDS
    extended: datetime | None = None
    result: str | None = None
    allowed: bool = False
    was_allowed: bool = False
    unreported: bool = False
    disputed: bool = False
    handled: bool = False
    told_of_right: set[datetime] = field(default_factory=set)
    seen: set[datetime] = field(default_factory=set)
    pings: dict[tuple[str, date], frozenset[int]] = field(default_factory=dict)
    owing_told: bool = False
    notices: Counter[str] = field(default_factory=Counter)
    named: set[int] = field(default_factory=set)
    games: list[tuple[datetime, bool]] = field(default_factory=list)
    winner: int = 0
    lichess_down: bool = False

    # What stands ------------------------------------------------------------------------------------------------------

    @property
    def play_by(self) -> datetime:
        return self.extended or MONDAY_ENDS

    @property
    def over(self) -> bool:
        return self.result is not None and not self.allowed

    @property
    def guilty(self) -> frozenset[int]:
        return (self.fault or frozenset()) - self.waived

    @property
    def right(self) -> tuple[int, datetime] | None:
        """R5.5, R5.9, Q5: who sets the time, and until when. A late right lasts as long as the notice it needs, none
        longer than there is a minute left to choose."""
        if self.agreed is not None or len(self.guilty) != 1:
            return None
        sunday = SUNDAY_NOON + (self.offers_by - FRIDAY_ENDS)
        last_minute = self.play_by - HOUR - 12 * HOUR
        return 1 - min(self.guilty), min(max(sunday, self.found_at + 12 * HOUR), last_minute + MINUTE)

    @property
    def may_set(self) -> tuple[int, datetime] | None:
        right = self.right
        open_now = not self.over and self.now < self.play_by
        return right if right is not None and open_now and self.now < right[1] else None

    @property
    def forfeits(self) -> tuple[int, int]:
        return (1, 1) if self.result == "both failed" else (0, 0)

    @property
    def agreed_in_time(self) -> bool:
        """R5.1: accepted before the deadline."""
        accepted = (offer.changed for offer in self.offers.values() if offer.state == "accepted")
        return any(at is not None and at < self.offers_by for at in accepted)

    def duty(self, side: int) -> int:
        """R5.1, R5.4, Q3, Q4: how many offers of a side count together."""
        return largest_set([o.start for o in self.offers.values() if o.by == side and self._counts(o)])

    def _counts(self, offer: Offered) -> bool:
        taken_back = offer.state == "retracted" and offer.changed is not None and offer.changed < self.offers_by
        in_time = offer.made < self.offers_by and offer.start - offer.made >= HOUR
        return in_time and not taken_back and not offer.moves and offer.start <= self.play_by - HOUR

    def owing(self) -> dict[int, int]:
        """Who owes offers, with how many count."""
        if self.result is not None or self.agreed is not None or self.agreed_in_time:
            return {}
        counts = {side: self.duty(side) for side in (0, 1) if side not in self.waived}
        return {side: count for side, count in counts.items() if count < 3}

    def on_the_table(self, offer: Offered) -> bool:
        return offer.state == "open" and offer.last > self.now and (offer.moves or self.agreed is None)

    def open_now(self) -> list[int]:
        return [id for id, offer in self.offers.items() if self.on_the_table(offer)]

    # The players ------------------------------------------------------------------------------------------------------

    def may_offer(self, side: int, times: Sequence[Times], *, moves: bool) -> None:
        refuse_if(self.over or moves == (self.agreed is None))
        refuse_if(moves and any(start == self.agreed and end is None for start, end in times))
        own = {(o.start, o.end) for o in self.offers.values() if o.by == side and self.on_the_table(o)}
        refuse_if(not times or self.now >= self.play_by or len(own) + len(times) > MOST_OPEN)
        for start, end in times:
            refuse_if(not max(self.now + timedelta(microseconds=1), PUBLISHED) <= start <= self.play_by - HOUR)
            refuse_if((end is not None and end <= start) or (start, end) in own)
            own.add((start, end))

    def offer(self, side: int, ids: Sequence[int], times: Sequence[Times], *, moves: bool) -> None:
        for id, (start, end) in zip(ids, times, strict=True):
            self.offers[id] = Offered(side, start, end, self.now, moves)

    def retract(self, side: int, id: int) -> None:
        offer = self.offers.get(id)
        refuse_if(offer is None or offer.by != side or offer.state in ("accepted", "lapsed"))
        if offer is not None and offer.state == "open":
            offer.state, offer.changed = "retracted", self.now

    def accept(self, side: int, id: int, at: datetime | None) -> None:
        offer = self.offers.get(id)
        refuse_if(offer is None or self.over)
        assert offer is not None
        if id == self.by_offer and at in (None, self.agreed):
            return
        refuse_if(offer.by == side or not self.on_the_table(offer))
        refuse_if(at is None and offer.end is not None)
        at = at or offer.start
        minute = at == offer.start or (at.second, at.microsecond) == (0, 0)
        refuse_if(not offer.start <= at <= offer.last or not minute or not self.now < at <= self.play_by - HOUR)
        offer.state, offer.changed = "accepted", self.now
        self._fix(at, id)

    def _fix(self, at: datetime, id: int | None) -> None:
        """A new time; proposals to move the old one are none any more."""
        self.agreed, self.by_offer, self.disputed = at, id, False
        for offer in self.offers.values():
            if offer.moves and offer.state == "open":
                offer.state, offer.changed = "lapsed", self.now

    def set_time(self, side: int, at: datetime) -> None:
        refuse_if(self.over or self.right is None or self.right[0] != side or self.now >= self.right[1])
        refuse_if(not self.now + 12 * HOUR <= at <= self.play_by - HOUR)
        self.first_set = self.first_set or self.now
        self._fix(at, None)

    def ask(self, wish: str) -> None:
        """Q2, Q11c."""
        refuse_if(self.result is not None if wish == "extend" else self.result != "both failed" or self.allowed)

    def report(self, side: int) -> None:
        """R6.6, Q12: games decide; without an agreed time both name the same first game."""
        if self.over:
            return
        refuse_if(self.lichess_down or (self.result is None and len(self.guilty) == 2 and not self.by_td))
        since = PUBLISHED if self.agreed is None else self.agreed - 10 * MINUTE
        games = [at for at, done in self.games if done and since <= at < self.now]
        refuse_if(self.lichess_down or not games)
        if self.agreed is None and 1 - side not in self.named:
            self.named.add(side)
            return
        refuse_if(len(games) < WINNING)
        self.result, self.allowed, self.disputed = f"won by {self.winner}", False, False

    # The TDs ----------------------------------------------------------------------------------------------------------

    def blame(self, whom: str) -> None:
        """R5.6, R5.8, R5.9: after the deadline, once, and where there is no time. That both have failed and R5.6 stands
        may be said in spite of a time (Q1)."""
        refuse_if(self.over)
        guilty = {"a": {0}, "b": {1}, "nobody": set[int](), "both": {0, 1}}[whom]
        if guilty != self.guilty or whom != "both":
            refuse_if(self.agreed is not None or self.fault is None or (self.by_td and bool(self.guilty)))
            refuse_if(guilty == self.guilty and whom != "nobody")
            self._find(guilty, by_td=True)
        if whom in ("nobody", "both"):
            self._rule("no fault" if whom == "nobody" else "both failed")
        self.disputed = False

    def _find(self, guilty: set[int], *, by_td: bool) -> None:
        self.fault, self.found_at, self.by_td, self.told_of_right = frozenset(guilty), self.now, by_td, set()
        if by_td:
            self.waived = frozenset()

    def _rule(self, result: str) -> None:
        self.result, self.allowed, self.disputed = result, False, False

    def waive(self, sides: frozenset[int]) -> None:
        """R5.10, Q2. When the only one at fault is forgiven, both count as having offered (R5.8)."""
        if self.result == "both failed":
            refuse_if(self.allowed)
            self.allowed, self.was_allowed, self.unreported = True, True, False
            while self.now >= self.play_by:
                self.extended = self.play_by + 7 * 24 * HOUR
            return
        forgiven = (sides if self.fault is None else sides & self.fault) - self.waived
        refuse_if(self.over or not forgiven)
        self.disputed |= len(self.guilty) == 1 and self.guilty <= forgiven and self.agreed is None
        self.waived |= forgiven

    def td_sets(self, at: datetime) -> None:
        refuse_if(self.over or not self.now < at < self.play_by or at == self.agreed)
        self.first_set = self.first_set or self.now
        self._fix(at, None)

    def extend(self) -> None:
        """Q9, Q10: to the next round's Monday, once; an offer deadline still ahead moves along."""
        refuse_if(self.over or self.extended == NEXT_MONDAY_ENDS)
        if self.now < self.offers_by:
            self.offers_by = NEXT_FRIDAY_ENDS
        self.extended = NEXT_MONDAY_ENDS

    # The bot, whenever it looks ---------------------------------------------------------------------------------------

    def look(self) -> None:
        if self.offers_by <= self.now and self.fault is None:
            self._judge()
        if self.result is None:
            self._both_failed()
            self._right_ended()
        self._allowed_over()
        self._remind()
        if self.result is None:
            self._unplayed()

    def _judge(self) -> None:
        """R5.1: on what was done before the deadline, whenever the bot gets to it; not where a TD was faster."""
        set_in_time = self.first_set is not None and self.first_set < self.offers_by
        if self.result is not None or set_in_time or self.agreed_in_time:
            return
        self._find({side for side in (0, 1) if side not in self.waived and self.duty(side) < 3}, by_td=False)
        self.disputed = not self.fault and self.agreed is None

    def _both_failed(self) -> None:
        """R5.6; Q1: not while Lichess cannot be asked, and not where they have played or agreed all the same."""
        if len(self.guilty) < 2 or self.by_td or self.handled or self.lichess_down:
            return
        self.handled = True
        if self.agreed is not None or any(at < self.now for at, _ in self.games):
            self.notices["both failed, but"] += 1
        else:
            self._rule("both failed")

    def _allowed_over(self) -> None:
        """Q2, Q8: two hours after the deadline the draw and the forfeits stand, unless Lichess has games of theirs."""
        if self.allowed and self.now >= self.play_by + 2 * HOUR and not self.lichess_down and not self.unreported:
            since = PUBLISHED if self.agreed is None else self.agreed - 10 * MINUTE
            if any(done and since <= at for at, done in self.games):
                self.unreported = True
                self.notices["played, not reported"] += 1
            else:
                self.allowed = False

    def _right_ended(self) -> None:
        if self.right is None or not self.found_at < self.right[1] <= self.now:
            return
        if self.right[1] not in self.told_of_right:
            self.told_of_right.add(self.right[1])
            self.notices["time to set"] += 1

    def _remind(self) -> None:
        """R5.1: each once; what the next one or the deadline has overtaken is not sent."""
        coming = [(name, self.offers_by - before) for name, before in REMINDERS]
        for (name, at), ends in zip(coming, [*(at for _, at in coming[1:]), self.offers_by], strict=True):
            if at > self.now or at in self.seen:
                continue
            self.seen.add(at)
            owing = self.owing()
            late = frozenset(side for side, count in owing.items() if not count or name != "no_offer")
            if self.now < ends and late:
                self.pings[name, self.offers_by.date()] = late
                self.owing_told |= name == "too_few" and self.offers_by == FRIDAY_ENDS

    def _unplayed(self) -> None:
        if self.extended is not None and self.extended <= self.now:
            self.notices["extension over"] = 1
        elif self.extended is None and self.now >= MONDAY_ENDS:
            self.notices["unplayed"] = 1

    def moments(self) -> Iterator[datetime]:
        """When the bot has to look, from now on."""
        if self.result is not None:
            return (at for at in (self.play_by + 2 * HOUR,) if self.allowed and at > self.now)
        coming = [self.offers_by, self.play_by, *(self.offers_by - before for _, before in REMINDERS)]
        if self.right is not None:
            coming.append(self.right[1])
        return (at for at in coming if at > self.now)

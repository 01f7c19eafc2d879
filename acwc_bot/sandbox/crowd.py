"""Everybody but the visitor at once: they enter, negotiate, play and report, and say what they cannot do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from acwc_bot.sandbox.habits import absent, lot
from acwc_bot.sandbox.plans import Accept, Claim, OfferTimes, Report, ReportAbsent, SetTime, Wait
from acwc_bot.sandbox.players import Players
from acwc_bot.sandbox.stops import as_td
from acwc_bot.sandbox.world import DIRECTOR, SPECIAL, SandboxError
from cogs.render.directors import extend_round
from engine.model import EntryState, Match, Person, Registration
from engine.ports import Reader
from engine.usecases.context import Event
from engine.usecases.entries import LIVE
from engine.usecases.matches import MatchView, Phase

_NAMED = 3
_ENTER_AT_ONCE = 8
_QUARTER, _LATER = timedelta(minutes=15), timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Says how far a long piece of work is.
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Done:
    """How many deeds of each kind there were, and when somebody has something to do again, by match id. `refused`:
    matches whose report the bot did not take from either player."""

    counts: Counter[type]
    again: Mapping[int, datetime]
    refused: frozenset[int]

    def sentence(self) -> str:
        said = [
            f"{count} {one if count == 1 else many}"
            for kind, one, many in (
                (OfferTimes, "player has offered times", "players have offered times"),
                (Accept, "match has got its time", "matches have got their times"),
                (SetTime, "player has set the time", "players have set the time"),
                (Report, "result was reported", "results were reported"),
                (ReportAbsent, "opponent was reported absent", "opponents were reported absent"),
                (Claim, "player has chosen what comes of that", "players have chosen what comes of that"),
            )
            if (count := self.counts[kind])
        ]
        if not said:
            return "Nobody had anything to do."
        return (", ".join(said[:-1]) + " and " if said[:-1] else "") + said[-1] + "."


class Crowd:
    """The other players; `tell` gets the beginning of a sentence while they act."""

    def __init__(self, players: Players, tell: Tell) -> None:
        self._players = players
        self._sandbox = players.sandbox
        self._tell = tell

    # --- Matches ---------------------------------------------------------------------------------------------------

    def matches(self, event: Event, but: int | None = None) -> list[Match]:
        """Those that can still get a result: of the newest round, and extended ones of earlier rounds. `but` is the
        entrant whom the visitor plays."""
        newest = event.current_round
        if newest is None:
            return []
        return [
            match
            for match in sorted(event.matches.values(), key=lambda m: (m.round_id, m.board))
            if not event.has_result(match)
            and event.is_paired(match)
            and (match.round_id == newest.id or match.id in event.tournament.extended)
            and not (but is not None and match.has(but))
        ]

    async def act(self, matches: Sequence[Match]) -> Done:
        """Both players of each match do what there is to do now."""
        counts: Counter[type] = Counter()
        again: dict[int, datetime] = {}
        refused: set[int] = set()
        for number, match in enumerate(matches, start=1):
            self._tell(f"letting the others act, match {number} of {len(matches)}")
            deeds = await self._players.act_both(match)
            counts.update(type(deed.plan) for deed in deeds)
            until = [deed.plan.until for deed in deeds[-2:] if isinstance(deed.plan, Wait) and deed.plan.until]
            if until:
                again[match.id] = _quarter_after(min(until))
            if sum(isinstance(deed.plan, Report) for deed in deeds) > 1:
                refused.add(match.id)
        return Done(counts, again, frozenset(refused))

    async def live(self, but: int | None = None, until: datetime | None = None) -> list[MatchView]:
        """They act as often as it takes, with the clock moved from one moment at which somebody acts to the next: to
        `until`, else until nobody can do more by themselves. Gives the matches that are left."""
        event = await self._players.event()
        acting = self.matches(event, but) if event else []
        known = {match.id: match for match in acting}
        again: dict[int, datetime] = {}
        refused: set[int] = set()
        while acting:
            done = await self.act(acting)
            again |= done.again
            # Whoever is refused tries once more, later.
            again |= dict.fromkeys(done.refused - refused, self._sandbox.now() + _LATER)
            refused |= done.refused
            following = min(again.values(), default=until)
            if following is None or (until is not None and following > until):
                break
            await self._sandbox.move_to(following)
            due = [id for id, at in again.items() if at <= self._sandbox.now()]
            acting = [known[id] for id in due]
            again = {id: at for id, at in again.items() if id not in due}
        if until is not None:
            await self._sandbox.move_to(until)
        # A stage may have begun with their last result: its matches are another round.
        return [view for view in await self.open_views(but) if view.match.id in known]

    async def open_views(self, but: int | None = None) -> list[MatchView]:
        event = await self._players.event()
        return await self._players.views(event, self.matches(event, but)) if event else []

    def left(self, views: Sequence[MatchView], *, is_td: bool) -> str:
        """What has no result yet, why, and who has to act (`is_td`: the visitor can); empty when all is done."""
        if not views:
            return ""
        named = [f"{v.a.entrant.name} – {v.b.entrant.name} ({self._why(v)})" for v in views[:_NAMED]]
        if len(views) > _NAMED:
            named.append(f"{len(views) - _NAMED} more")
        return f"Without a result: {', '.join(named)}. {self._step(views, is_td)}"

    def _step(self, views: Sequence[MatchView], is_td: bool) -> str:
        if self._sandbox.lichess.down and any(self._players.over_at(v) for v in views):
            return "Nobody can report while Lichess is down: press “Lichess back up”, then finish the round again."
        extend = as_td(f"press “{extend_round(views[0].round.id).label}” in wc-directors.", is_td=is_td)
        over = all(v.phase is Phase.OVERDUE for v in views)
        return f"Now {extend}" if over else f"Move the clock to the match deadline, then {extend}"

    def _why(self, view: MatchView) -> str:
        if view.match.agreed_at is None:
            return "they agreed on no time"
        away = absent(self._players.seed, view, ())
        return f"{away} did not come" if away else "not reported"

    # --- Entering --------------------------------------------------------------------------------------------------

    async def register(self, names: Sequence[str]) -> None:
        """They enter with the account of their own name; SandboxError when the bot takes none of it."""
        for number, name in enumerate(names, start=1):
            self._tell(f"letting people enter, {number} of {len(names)}")
            before = len(await self._filed())
            answer = await self._sandbox.enter(self._sandbox.people[name], name)
            if len(await self._filed()) == before:
                raise SandboxError(f"{name} could not enter: {answer}")

    async def approve(self, names: Collection[str] | None = None) -> int:
        """The director presses Approve under every entry that waits (of `names`); how many."""
        desk = await self._sandbox.home("td")
        if desk is None:
            raise SandboxError("There is no channel for the directors yet.")
        waiting = [e for e in await self._filed() if e.state is EntryState.PENDING]
        waiting = [e for e in waiting if names is None or e.lichess_name in names]
        for entry in waiting:
            await self._sandbox.click(self._sandbox.people[DIRECTOR], desk.id, f"acwc:1:approve:{entry.id}")
        return len(waiting)

    async def enter_some(self, seed: int, viewer: str) -> str:
        """Some who have not entered do so; unless the visitor is the director, the director approves who waits."""
        approved = 0 if viewer == DIRECTOR else await self.approve()
        coming = [name for name in await self.not_entered() if name != viewer]
        coming.sort(key=lambda name: lot(seed, name, "enters"))
        some = coming[:_ENTER_AT_ONCE]
        await self.register(some)
        said = [f"{len(some)} have entered" if some else "Everybody has entered"]
        said += [f"the director has approved {approved}"] if approved else []
        waiting = sum(e.state is EntryState.PENDING for e in await self._filed())
        said += [f"{waiting} wait for a decision in wc-directors"] if waiting else []
        return "; ".join(said) + "."

    async def not_entered(self) -> list[str]:
        """Members who could still enter, by name."""
        entered = {entry.lichess_name for entry in await self._filed()}
        return [name for name in self._sandbox.people if name not in entered and name not in SPECIAL]

    async def _filed(self) -> list[Registration]:
        known = await self._sandbox.parts.db.read(lambda reader: reader.find(Registration))
        return [entry for entry in known if entry.state is not EntryState.UNPROVEN]

    async def entry_of(self, discord_id: int) -> Registration | None:
        """The newest entry of somebody that is begun, waits or is approved."""

        def work(reader: Reader) -> Registration | None:
            person = reader.one(Person, discord_id=discord_id)
            states = (EntryState.UNPROVEN, *LIVE)
            found = reader.find(Registration, person_id=person.id, state=states) if person else []
            return found[-1] if found else None

        return await self._sandbox.parts.db.read(work)


def _quarter_after(moment: datetime) -> datetime:
    """Nobody reports in the second in which a game ends; and the clock stops less often."""
    return _EPOCH + -(-(moment - _EPOCH) // _QUARTER) * _QUARTER

"""The other players: what they would do now, done with the commands and buttons that everybody has.

They play on the offline Lichess. How reliable each of them is, `habits` says; what they decide, `plans`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from acwc_bot.sandbox.habits import first_game_at, lot
from acwc_bot.sandbox.lichess_world import Result
from acwc_bot.sandbox.plans import Accept, Act, Claim, OfferTimes, Plan, Report, ReportAbsent, SetTime, Wait, plan
from acwc_bot.sandbox.world import Sandbox
from cogs.render import times as shown
from engine.model import KNOCKOUT, Edition, Match
from engine.scoring import stop_policy
from engine.usecases.claims import Choice
from engine.usecases.context import Event, load_event
from engine.usecases.matches import MatchView, Phase, load_match, view_match
from engine.usecases.timer_posts import Told, waits_in

log = logging.getLogger(__name__)

_ELO = 400


def results_of(seed: int, view: MatchView) -> list[Result]:
    """Games until the match is over (R3.3, R3.10, R3.13); a is likelier to win the higher rated a is. Nobody here bids
    for an armageddon game, so in a knock-out the last game decides a tie.
    """
    a, b = (side.entrant.rating or 0 for side in view.sides)
    expected = 1 / (1 + 10 ** ((b - a) / _ELO))
    results: list[Result] = []
    points = {"a": 0, "b": 0}
    for number in range(view.match_rules.games):
        if max(points.values()) > view.match_rules.games and not stop_policy(view.match_rules.stop).whole:
            break
        drawn = lot(seed, view.match.id, number, "game")
        result: Result = "draw" if drawn < 0.1 else "a" if drawn < 0.1 + 0.9 * expected else "b"
        results.append(result)
        for side in points:
            points[side] += 1 if result == "draw" else 2 if result == side else 0
    if points["a"] == points["b"] and view.round.stage in KNOCKOUT:
        results[-1] = "b" if results[-1] == "a" else "a"
    return results


@dataclass(frozen=True, slots=True)
class Deed:
    """What a player (an entrant's id) did or why not; `text` is a sentence."""

    who: int
    plan: Plan
    text: str


@dataclass
class Players:
    """Everybody who has entered, at the keyboard. `over`: (match id, agreed time) -> when the last game that was put
    on Lichess for it ends; the sandbox saves it."""

    sandbox: Sandbox
    seed: int
    over: dict[tuple[int, datetime | None], datetime] = field(
        default_factory=dict[tuple[int, datetime | None], datetime]
    )

    async def event(self) -> Event | None:
        """The newest edition, None before there is one."""
        folds = self.sandbox.parts.app.desk.folds
        return await self.sandbox.parts.db.read(
            lambda r: load_event(r, folds, editions[-1].id) if (editions := r.find(Edition)) else None
        )

    async def view(self, match_id: int) -> MatchView:
        folds = self.sandbox.parts.app.desk.folds
        return await self.sandbox.parts.db.read(
            lambda reader: load_match(reader, folds, match_id, self.sandbox.env.now())
        )

    async def views(self, event: Event, matches: Sequence[Match]) -> list[MatchView]:
        return await self.sandbox.parts.db.read(
            lambda reader: [view_match(reader, event, m, self.sandbox.env.now()) for m in matches]
        )

    async def waits(self, match_id: int) -> list[Told]:
        """What is told of the evening of a match: absences, breaks, and that it was put off."""
        folds = self.sandbox.parts.app.desk.folds
        return await self.sandbox.parts.db.read(
            lambda reader: waits_in(reader, load_match(reader, folds, match_id, self.sandbox.env.now()))
        )

    # --- At the board ------------------------------------------------------------------------------------------

    def over_at(self, view: MatchView) -> datetime | None:
        return self.over.get((view.match.id, view.match.agreed_at))

    async def play(self, view: MatchView, present: int | None = None) -> datetime | None:
        """Puts the games of an agreed match on the offline Lichess, once; gives the end of the last one, None when
        somebody stays away. `present` is the visitor's entrant id.

        The games may lie ahead: they happen as the clock gets there.
        """
        over_at = self.over_at(view)
        start = first_game_at(self.seed, view, await self.waits(view.match.id), self.sandbox.now(), present)
        if over_at is not None or start is None or view.terms.decider_alone:  # nobody here bids
            return over_at
        rules, (a, b) = view.match_rules, (side.entrant for side in view.sides)
        ids = self.sandbox.lichess.play_match(
            a.lichess_id,
            b.lichess_id,
            start,
            results_of(self.seed, view),
            first_white="a" if a.seed < b.seed else "b",
            variant=view.rules.variant,
            rated=rules.rated,
            clock=(rules.clock_initial, rules.clock_increment),
        )
        over_at = self.sandbox.lichess.laid_out(ids[-1]).last_move_at
        self.over[view.match.id, view.match.agreed_at] = over_at
        for entrant in (a, b):
            self.sandbox.lichess.set_presence(entrant.lichess_id, online=True)
        return over_at

    # --- At the keyboard ---------------------------------------------------------------------------------------

    async def act(self, match_id: int, entrant_id: int, *, play: bool = False, present: int | None = None) -> Deed:
        """One player does what there is to do in one match; with `play` an agreed match is played at its time.

        `present`: the entrant whom the visitor plays.
        """
        view = await self.view(match_id)
        if play and view.phase is Phase.AGREED:
            await self.play(view)
        waits, now = await self.waits(match_id), self.sandbox.now()
        decided = plan(self.seed, view, waits, entrant_id, now, self.over_at(view), present)
        name = view.side(entrant_id).entrant.name
        if isinstance(decided, Wait):
            return Deed(entrant_id, decided, f"{name} {decided.why}.")
        answer = await self._do(view, name, decided)
        return Deed(
            entrant_id, decided, f"{name} {_doing(decided)}. The bot: “{answer.splitlines()[0] if answer else '…'}”"
        )

    async def _do(self, view: MatchView, name: str, decided: Act) -> str:
        sandbox, match = self.sandbox, view.match
        assert match.thread_id is not None
        who, thread = sandbox.people[name], sandbox.place(match.thread_id)
        if isinstance(decided, OfferTimes):
            text = ", ".join(_typed(start) for start in decided.starts)
            return await sandbox.slash(who, thread, "offer", times=text, match=match.id)
        if isinstance(decided, SetTime):
            return await sandbox.slash(who, thread, "set-time", time=_typed(decided.at), match=match.id)
        if isinstance(decided, Report):
            return await sandbox.click(who, thread.id, f"acwc:1:report:{match.id}")
        if isinstance(decided, ReportAbsent):
            return await sandbox.slash(who, thread, "match opponent-absent", match=match.id)
        if isinstance(decided, Claim):
            choice = Choice.WIN if decided.win else Choice.RESCHEDULE
            return await sandbox.slash(who, thread, "match claim", choice=choice.value, match=match.id)
        if decided.offer.ends_at is None:
            return await sandbox.click(who, thread.id, f"acwc:1:accept:{decided.offer.id}")
        start = _typed(decided.offer.starts_at)
        return await sandbox.slash(who, thread, "accept", offer=decided.offer.id, time=start)

    async def act_both(self, match: Match) -> list[Deed]:
        """Both players act in turn until both wait; the last deeds say what they wait for."""
        deeds: list[Deed] = []
        order = [match.a_id, match.b_id] if lot(self.seed, match.id, "first") < 0.5 else [match.b_id, match.a_id]
        waiting = 0
        while waiting < 2:
            deed = await self.act(match.id, order[0], play=True)
            done_before = any((deed.who, deed.plan) == (other.who, other.plan) for other in deeds)
            refused = done_before and not isinstance(deed.plan, Wait)
            if refused:
                log.warning("the bot refused twice: %s", deed.text)
            nothing_new = isinstance(deed.plan, Wait) or refused
            waiting = waiting + 1 if nothing_new else 0
            deeds.append(deed)
            order.reverse()
        return deeds


def _typed(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %H:%M}"


def _doing(decided: Act) -> str:
    if isinstance(decided, SetTime):
        return f"sets the time to {shown.utc(decided.at)}"
    if isinstance(decided, OfferTimes):
        return f"offers {len(decided.starts)} times" if len(decided.starts) > 1 else "offers a time"
    if isinstance(decided, Accept):
        return f"accepts {shown.utc(decided.offer.starts_at)}"
    if isinstance(decided, ReportAbsent):
        return "reports the opponent absent"
    if isinstance(decided, Claim):
        return "claims the win" if decided.win else "chooses another time"
    return "presses Report"

"""The other players: what they would do now, done with the commands and buttons that everybody has.

They play on the offline Lichess. How reliable each of them is, `habits` says.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from acwc_bot.sandbox.habits import absent, answers_at, first_game_at, habits, lot
from acwc_bot.sandbox.lichess_world import Result
from acwc_bot.sandbox.world import Sandbox
from cogs.render import times as shown
from engine.model import KNOCKOUT, Edition, Match, Offer
from engine.negotiation import can_accept
from engine.reading import choice_rules, duty_rules
from engine.scoring import stop_policy
from engine.usecases.context import Event, load_event
from engine.usecases.matches import MatchView, Phase, load_match, view_match

log = logging.getLogger(__name__)

_NOTICE = timedelta(hours=2)
_WAKING = range(10, 22)
_ELO = 400
#: After the duty has ended (Friday) a player keeps so many times on the table.
_LATER_OFFERS = 2


@dataclass(frozen=True, slots=True)
class OfferTimes:
    starts: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class Accept:
    offer: Offer


@dataclass(frozen=True, slots=True)
class SetTime:
    """R5.5: the opponent has made too few offers."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Report:
    pass


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do now; `why` is the rest of a sentence that begins with the player's name.

    `until`: when the same player will do something without anybody else acting first.
    """

    why: str
    until: datetime | None = None


Plan = OfferTimes | Accept | SetTime | Report | Wait


def plan(
    seed: int, view: MatchView, entrant_id: int, now: datetime, over_at: datetime | None, present: int | None = None
) -> Plan:
    """What a player does now. `over_at`: when the last game ends, None while no games are on Lichess; `present`: the
    entrant whom the visitor plays, who decides for himself whether he comes."""
    if view.phase is Phase.FINISHED:
        return Wait("has a result already")
    if over_at is not None:
        return Report() if over_at <= now else Wait(f"plays until {shown.utc(over_at)}", over_at)
    if view.phase is Phase.OVERDUE:
        return Wait("can do nothing more: the time for the match is over")
    if view.phase is Phase.AGREED:
        return _at_the_board(seed, view, entrant_id, now, present)
    if view.match.thread_id is None:
        return Wait("waits for the match thread, which is not open yet")
    answers = answers_at(seed, view, entrant_id)
    if answers > now:
        return Wait(f"has not looked yet and answers after {shown.utc(answers)}", answers)
    if view.chooser is not None and view.chooser.entrant.id == entrant_id:
        chosen = choose_start(seed, view, entrant_id, now)
        if chosen is not None:
            return SetTime(chosen)
    for offer in view.offers:
        if offer.entrant_id != entrant_id and _acceptable(view, offer, entrant_id, now):
            return Accept(offer)
    return _offers(seed, view, entrant_id, now)


def _at_the_board(seed: int, view: MatchView, entrant_id: int, now: datetime, present: int | None) -> Wait:
    agreed = view.match.agreed_at
    assert agreed is not None
    away = absent(seed, view, present)
    if now < agreed:
        return Wait(f"is ready to play at {shown.utc(agreed)}", agreed)
    if away is None:
        return Wait("is ready to play")
    if away == view.side(entrant_id).entrant.name:
        return Wait("did not come at the agreed time")
    return Wait(f"waited for {away}, who did not come")


def _offers(seed: int, view: MatchView, entrant_id: int, now: datetime) -> OfferTimes | Wait:
    side = view.side(entrant_id)
    if now < view.offers_by:
        missing = side.duty.missing
        most = habits(seed, view.match.id, entrant_id).most_offers
        if most is not None:
            missing = min(missing, most - len(side.offers))
    else:
        missing = _LATER_OFFERS - sum(offer.entrant_id == entrant_id for offer in view.offers)
    if missing <= 0:
        few = side.duty.missing > 0 and now < view.offers_by
        return Wait("makes no more offers and waits" if few else "has made all offers and waits for an answer")
    starts = choose_times(seed, view, entrant_id, now, missing)
    return OfferTimes(starts) if starts else Wait("finds no time left before the match deadline")


def _acceptable(view: MatchView, offer: Offer, entrant_id: int, now: datetime) -> bool:
    window, rules = view.window, duty_rules(view.rules)
    return can_accept(offer, view.match, entrant_id, now, window, rules, at=offer.starts_at) is None


def choose_times(seed: int, view: MatchView, entrant_id: int, now: datetime, count: int) -> tuple[datetime, ...]:
    """Up to `count` full hours, daytime first, that keep R5.4 together with what is offered already."""
    rules = view.rules.offers
    last = view.play_by - max(rules.latest_before_deadline, _NOTICE)
    hours = list(_hours(now + max(rules.min_notice, _NOTICE), last))
    hours.sort(key=lambda at: (at.hour not in _WAKING, lot(seed, view.match.id, entrant_id, at.isoformat())))
    taken = [offer.starts_at for offer in view.offers if offer.entrant_id == entrant_id]
    chosen: list[datetime] = []
    for at in hours:
        against = [*taken, *chosen]
        same_date = sum(other.date() == at.date() for other in against)
        if same_date < rules.max_per_date and all(abs(at - other) >= rules.min_gap for other in against):
            chosen.append(at)
        if len(chosen) == count:
            break
    return tuple(sorted(chosen))


def choose_start(seed: int, view: MatchView, entrant_id: int, now: datetime) -> datetime | None:
    """A full hour, daytime first, that may be set (Q5); None when none is left."""
    rules = choice_rules(view.rules)
    hours = list(_hours(now + rules.min_notice, view.play_by - max(rules.latest_before_deadline, _NOTICE)))
    hours.sort(key=lambda at: (at.hour not in _WAKING, lot(seed, view.match.id, entrant_id, at.isoformat())))
    return hours[0] if hours else None


def _hours(first: datetime, last: datetime) -> Iterator[datetime]:
    at = first.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    while at <= last:
        yield at
        at += timedelta(hours=1)


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

    # --- At the board ------------------------------------------------------------------------------------------

    def over_at(self, view: MatchView) -> datetime | None:
        return self.over.get((view.match.id, view.match.agreed_at))

    def play(self, view: MatchView, present: int | None = None) -> datetime | None:
        """Puts the games of an agreed match on the offline Lichess, once; gives the end of the last one, None when
        somebody stays away. `present` is the visitor's entrant id.

        The games may lie ahead: they happen as the clock gets there.
        """
        over_at = self.over_at(view)
        start = first_game_at(self.seed, view, self.sandbox.now(), present)
        if over_at is not None or start is None:
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
        return over_at

    # --- At the keyboard ---------------------------------------------------------------------------------------

    async def act(self, match_id: int, entrant_id: int, *, play: bool = False, present: int | None = None) -> Deed:
        """One player does what there is to do in one match; with `play` an agreed match is played at its time.

        `present`: the entrant whom the visitor plays.
        """
        view = await self.view(match_id)
        if play and view.phase is Phase.AGREED:
            self.play(view)
        decided = plan(self.seed, view, entrant_id, self.sandbox.now(), self.over_at(view), present)
        name = view.side(entrant_id).entrant.name
        if isinstance(decided, Wait):
            return Deed(entrant_id, decided, f"{name} {decided.why}.")
        answer = await self._do(view, name, decided)
        return Deed(
            entrant_id, decided, f"{name} {_doing(decided)}. The bot: “{answer.splitlines()[0] if answer else '…'}”"
        )

    async def _do(self, view: MatchView, name: str, decided: OfferTimes | Accept | SetTime | Report) -> str:
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


def _doing(decided: OfferTimes | Accept | SetTime | Report) -> str:
    if isinstance(decided, SetTime):
        return f"sets the time to {shown.utc(decided.at)}"
    if isinstance(decided, OfferTimes):
        return f"offers {len(decided.starts)} times" if len(decided.starts) > 1 else "offers a time"
    return f"accepts {shown.utc(decided.offer.starts_at)}" if isinstance(decided, Accept) else "presses Report"

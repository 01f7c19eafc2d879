"""What each of the other players does now: pure decisions by the seed and by what everybody sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from acwc_bot.sandbox.habits import absent, answers_at, habits, lot, put_off
from cogs.render import times as shown
from engine.match_flow import Outcome, absence_report
from engine.model import Offer
from engine.negotiation import can_accept
from engine.reading import choice_rules, duty_rules
from engine.timers import TimerKind, ends_at
from engine.usecases.matches import MatchView, Phase
from engine.usecases.timer_posts import Told

_NOTICE = timedelta(hours=2)
_WAKING = range(10, 22)
#: After the duty has ended (Friday) a player keeps so many times on the table.
_LATER_OFFERS = 2
#: So long a player waits for the visitor, who alone decides whether he comes.
_PATIENCE = timedelta(minutes=5)


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
class ReportAbsent:
    """R6.3: the opponent has not come."""


@dataclass(frozen=True, slots=True)
class Claim:
    """R6.3: ten minutes later; the win, or another time."""

    win: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do now; `why` is the rest of a sentence that begins with the player's name.

    `until`: when the same player will do something without anybody else acting first.
    """

    why: str
    until: datetime | None = None


Act = OfferTimes | Accept | SetTime | Report | ReportAbsent | Claim
Plan = Act | Wait


def plan(
    seed: int,
    view: MatchView,
    waits: Sequence[Told],
    entrant_id: int,
    now: datetime,
    over_at: datetime | None,
    present: int | None = None,
) -> Plan:
    """What a player does now. `waits`: what is told of the evening; `over_at`: when the last game ends, None while no
    games are on Lichess; `present`: the entrant whom the visitor plays, who decides for himself whether he comes."""
    if view.phase is Phase.FINISHED:
        return Wait("has a result already")
    if over_at is not None:
        return Report() if over_at <= now else Wait(f"plays until {shown.utc(over_at)}", over_at)
    if view.phase is Phase.OVERDUE:
        return Wait("can do nothing more: the time for the match is over")
    if view.phase is Phase.AGREED:
        return _at_the_board(seed, view, waits, entrant_id, now, present)
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


def _at_the_board(
    seed: int, view: MatchView, waits: Sequence[Told], entrant_id: int, now: datetime, present: int | None
) -> Plan:
    agreed = view.match.agreed_at
    assert agreed is not None
    if now < agreed:
        return Wait(f"is ready to play at {shown.utc(agreed)}", agreed)
    opponent = view.other(entrant_id).entrant
    away = absent(seed, view, waits, present)
    if away == view.side(entrant_id).entrant.name:
        return Wait("did not come at the agreed time")
    if away is None and (opponent.id != present or put_off(waits)):
        return Wait("is ready to play")
    if away is None and (now < agreed + _PATIENCE or view.extended_until is not None):
        return Wait("is ready to play", agreed + _PATIENCE if now < agreed + _PATIENCE else None)
    return _without_opponent(seed, view, waits, entrant_id, now, habitual=away is not None)


def _without_opponent(
    seed: int, view: MatchView, waits: Sequence[Told], entrant_id: int, now: datetime, *, habitual: bool
) -> Plan:
    """R6.3: reports the absence and claims after ten minutes; some never do. Nobody keeps quiet about the visitor."""
    mine = habits(seed, view.match.id, entrant_id)
    own = (told.timer for told in waits if told.timer.entrant_id == entrant_id)
    reported = next((timer for timer in own if timer.kind is TimerKind.ABSENT), None)
    if reported is None:
        return ReportAbsent() if may_report(view, now) and (mine.reports or not habitual) else _waited(view, entrant_id)
    over = ends_at(view.rules.evening, view.terms, reported)
    if over is not None and now < over:
        return Wait(f"waits until {shown.utc(over)} and then chooses: the win, or another time", over)
    return Claim(win=mine.claims_win)


def _waited(view: MatchView, entrant_id: int) -> Wait:
    return Wait(f"waited for {view.other(entrant_id).entrant.name}, who did not come")


def may_report(view: MatchView, now: datetime) -> bool:
    """R6.3: whether an absence may be reported now."""
    agreed = view.match.agreed_at
    return agreed is not None and absence_report(view.rules.evening, agreed, now).outcome is Outcome.REPORT_OPEN


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

"""The moments at which a visitor may want to stop the clock, and what happens there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from cogs.render.titles import round_words, stage_name
from engine.calendar import ReminderKind, reminders
from engine.model import EditionState, Stage
from engine.rules import dates_for
from engine.timers import ends_at
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase
from engine.usecases.schedule import begins_stage, holding_up, next_slot
from engine.usecases.timer_posts import Told

_TUESDAY, _NOON = 1, time(12)
_ANEW = "To begin anew, stop the sandbox with Ctrl-C and start it with --fresh."
_REMINDERS = {
    ReminderKind.NO_OFFER: "reminder to whoever has made no offer",
    ReminderKind.TOO_FEW: "reminder to whoever still owes offers",
    ReminderKind.LAST_CALL: "last call for offers",
}


@dataclass(frozen=True, slots=True, order=True)
class Stop:
    at: datetime
    what: str


def stops(event: Event | None, own: Sequence[Stop] = ()) -> list[Stop]:
    """The next publication, every moment of the running round, and the visitor's `own`; past and to come, not in
    order."""
    if event is None or event.edition.state is EditionState.DRAFT:
        return []
    found = list(_of_the_round(event))
    if event.edition.state is EditionState.OPEN:
        closes = dates_for(event.rules, event.edition.starts)["registration.closes"].moment
        found.append(Stop(closes, "registration should close: as the TD type /td edition close"))
    coming = next_slot(event)
    if coming is not None:
        found.append(Stop(coming.publish_at, _publication(coming.stage, coming.number)))
    return [*found, *own]


def of_the_match(view: MatchView, told: Sequence[Told]) -> Iterator[Stop]:
    """Its agreed time, and the end of ten minutes that run (R6.1-R6.4)."""
    if view.phase is Phase.AGREED and view.match.agreed_at is not None:
        yield Stop(view.match.agreed_at, "your match begins")
    for one in told:
        over = ends_at(view.rules.evening, view.terms, one.timer)
        if over is not None and one.timer.outcome is None:
            yield Stop(over, "the ten minutes are over")


def _of_the_round(event: Event) -> Iterator[Stop]:
    round = event.current_round
    if round is None:
        return
    for reminder in reminders(event.rules, round):
        yield Stop(reminder.at, _REMINDERS[reminder.kind])
    yield Stop(round.offers_by, "end of the time for offers")
    yield Stop(round.matches_by, "end of the time for matches")
    ends = set(event.tournament.extended.values()) - {round.matches_by}
    yield from (Stop(end, "an extension ends") for end in ends)


def _publication(stage: Stage, number: int) -> str:
    return f"the pairings of {round_words(stage, number)} are due"


def passed(before: Event | None, own: Sequence[Stop], after: Event | None, at: datetime, *, posted: bool) -> list[Stop]:
    """The stops until `at`, in order, as they were before the clock moved; a round that has come since (it is in
    `after`) is not called due. `posted`: whether Discord was there to show it."""
    known = {round.id for round in before.rounds} if before else set[int]()
    came = {
        _publication(r.stage, r.number): round_words(r.stage, r.number)
        for r in (after.rounds if after else ())
        if r.id not in known
    }
    how = "are out" if posted else "are made but cannot be posted"
    return [
        replace(stop, what=f"the pairings of {came[stop.what]} {how}") if stop.what in came else stop
        for stop in sorted(stops(before, own))
        if stop.at <= at
    ]


def next_stop(event: Event | None, own: Sequence[Stop], now: datetime) -> Stop | None:
    return min((stop for stop in stops(event, own) if stop.at > now), default=None)


def next_tuesday(event: Event | None, now: datetime) -> Stop:
    """The next publication of pairings; when none is due, the next Tuesday 12:00 UTC."""
    if event is not None and event.edition.state is not EditionState.DRAFT:
        coming = next_slot(event)
        if coming is not None and coming.publish_at > now:
            return Stop(coming.publish_at, _publication(coming.stage, coming.number))
    noon = datetime.combine(now.date(), _NOON, tzinfo=now.tzinfo)
    days = (_TUESDAY - noon.weekday()) % 7
    at = noon + timedelta(days=days)
    return Stop(at if at > now else at + timedelta(weeks=1), "nothing is due then")


def as_td(step: str, *, is_td: bool) -> str:
    """A step for a TD, such as “press Approve”, in the words for who is one already or has to become one."""
    return step if is_td else f"be the TD and {step}"


def waits(event: Event | None, now: datetime, *, is_td: bool) -> str:
    """What to do when a round is due and does not come, and when none comes any more; empty when nothing waits."""
    if event is None or event.edition.state is EditionState.DRAFT:
        return ""
    if _is_over(event):
        return f"All is played, and the champion is in wc-announcements. {_ANEW}"
    coming = next_slot(event)
    if coming is None or coming.publish_at > now:
        return ""
    if event.edition.state is EditionState.OPEN:
        return f"The first round waits. {_sentence(as_td('type /td edition close', is_td=is_td))}."
    begins = begins_stage(event, coming)
    if not holding_up(event, coming):
        stuck = f"The {stage_name(coming.stage)} cannot begin by the rules; wc-directors says why. {_ANEW}"
        return stuck if begins else ""
    name = _sentence(round_words(coming.stage, coming.number)) + " waits"
    name = f"The {stage_name(coming.stage)} wait" if begins else name
    extend = _sentence(as_td("press “Extend these matches…” in wc-directors", is_td=is_td))
    return f"{name} for matches without a result. {extend}, or let them be played and reported."


def _is_over(event: Event) -> bool:
    """The last round is closed, and no match of any round is left."""
    newest, coming = event.current_round, next_slot(event)
    if newest is None or coming is not None:
        return False
    return event.tournament.round(newest.id).closed and not event.open_matches()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]

"""The moments at which a visitor may want to stop the clock, and what happens there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from engine.calendar import ReminderKind, reminders
from engine.model import EditionState, Stage
from engine.rules import dates_for
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase
from engine.usecases.schedule import next_slot, unsettled

_TUESDAY, _NOON = 1, time(12)
_REMINDERS = {
    ReminderKind.NO_OFFER: "reminder to whoever has made no offer",
    ReminderKind.TOO_FEW: "reminder to whoever still owes offers",
    ReminderKind.LAST_CALL: "last call for offers",
}


@dataclass(frozen=True, slots=True, order=True)
class Stop:
    at: datetime
    what: str


def stops(event: Event | None, view: MatchView | None = None) -> list[Stop]:
    """The next publication, every moment of the running round, the start of the visitor's match; past and to come, not
    in order."""
    if event is None or event.edition.state is EditionState.DRAFT:
        return []
    found = list(_of_the_round(event))
    if event.edition.state is EditionState.OPEN:
        closes = dates_for(event.rules, event.edition.starts)["registration.closes"].moment
        found.append(Stop(closes, "registration should close: as the TD type /td edition close"))
    coming = next_slot(event)
    if coming is not None:
        found.append(Stop(coming.publish_at, _publication(coming.stage, coming.number)))
    if view is not None and view.phase is Phase.AGREED and view.match.agreed_at is not None:
        found.append(Stop(view.match.agreed_at, "your match"))
    return found


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
    if stage is Stage.QUALIFICATION:
        return f"the pairings of round {number} are due"
    return f"the {stage.capitalize()} are due, which the bot does not run yet"


def next_stop(event: Event | None, view: MatchView | None, now: datetime) -> Stop | None:
    return min((stop for stop in stops(event, view) if stop.at > now), default=None)


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


def waits(event: Event | None, now: datetime) -> str:
    """What to do when a round is due and does not come; empty when nothing waits."""
    coming = next_slot(event) if event is not None and event.edition.state is not EditionState.DRAFT else None
    if event is None or coming is None or coming.publish_at > now:
        return ""
    if event.edition.state is EditionState.OPEN:
        return " The first round waits: as the TD type /td edition close."
    if not unsettled(event):
        return ""
    name = (
        f"Round {coming.number} waits"
        if coming.stage is Stage.QUALIFICATION
        else f"The {coming.stage.capitalize()} wait"
    )
    return (
        f" {name} for matches without a result. Be the TD and press “Extend these matches…” in "
        "wc-directors, or let them be played and reported."
    )

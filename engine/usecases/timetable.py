"""When matches are played, for everybody: the schedule posts, `/schedule` and `/calendar` (R5.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from engine.errors import NotAllowed, NotFound
from engine.model import EditionState, Match, Post, Round
from engine.ports import Reader
from engine.usecases.context import Actor, Desk, Event, current_event, known_person
from engine.usecases.matches import MatchView, view_match
from engine.usecases.posts import SCHEDULE_PER_POST, LiveScore, result_key


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePart:
    """One of the schedule posts of a round. `matches`: those with a time, soonest first, then those that were decided
    without one; `waiting`: how many of the whole round have neither. `is_last`: no further post has any."""

    event: Event
    round: Round
    part: int
    matches: tuple[MatchView, ...]
    is_last: bool
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """`matches`: those with a time, soonest first. `waiting`: how many have neither time nor result.
    `asked`: the number of the round, None for the newest one with the open matches of earlier ones. `live`: the ids of
    those that are being played."""

    event: Event
    asked: int | None
    matches: tuple[MatchView, ...]
    waiting: int
    now: datetime
    live: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A match that has a time, as a calendar needs it: a whole edition has hundreds."""

    match: Match
    round: Round
    a: str
    b: str

    @staticmethod
    def of(view: MatchView) -> Fixture:
        return Fixture(match=view.match, round=view.round, a=view.a.entrant.name, b=view.b.entrant.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarView:
    """`fixtures`: soonest first. `of`: the asker's name when only their own were wanted."""

    event: Event
    fixtures: tuple[Fixture, ...]
    of: str | None
    now: datetime


class Timetable:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def schedule(self, guild_id: int, round_number: int | None = None) -> ScheduleView:
        """What is agreed in a round; NotFound("no_such_round")."""
        now = self._desk.clock.now()

        def work(reader: Reader) -> ScheduleView:
            event = current_event(reader, self._desk.folds, guild_id)
            chosen = _of_round(event, round_number)
            timed = _with_time(chosen)
            return ScheduleView(
                event=event,
                asked=round_number,
                matches=tuple(view_match(reader, event, match, now) for match in timed),
                waiting=sum(_waits(event, match) for match in chosen),
                now=now,
                live=frozenset(match.id for match in timed if _is_live(reader, event, match)),
            )

        return await self._desk.db.read(work)

    async def calendar(self, actor: Actor, *, mine: bool) -> CalendarView:
        """Every match of the edition that has a time; with `mine` the actor's: NotAllowed("not_an_entrant")."""
        now = self._desk.clock.now()

        def work(reader: Reader) -> CalendarView:
            event = current_event(reader, self._desk.folds, actor.guild_id)
            person = known_person(reader, actor)
            entrant = event.entrant_of(person.id) if person else None
            if mine and entrant is None:
                closed = event.edition.state is EditionState.CLOSED
                raise NotAllowed("not_an_entrant", title=event.edition.title, closed=closed)
            own = entrant if mine else None
            paired = (match for match in event.matches.values() if event.is_paired(match))
            timed = _with_time(match for match in paired if own is None or match.has(own.id))
            return CalendarView(
                event=event,
                fixtures=tuple(_fixture(event, match) for match in timed),
                of=own.name if own else None,
                now=now,
            )

        return await self._desk.db.read(work)


def live_score(reader: Reader, match: Match) -> LiveScore | None:
    """What stands beside the running score of a match without a result; None as long as there is none."""
    told = reader.one(Post, key=result_key(match.id))
    if told is None or "live" not in told.payload:
        return None
    p = told.payload
    return LiveScore(running=p["running"], live=p["live"], for_td=tuple(p["for_td"]))


def _is_live(reader: Reader, event: Event, match: Match) -> bool:
    score = None if event.is_settled(match) else live_score(reader, match)
    return score is not None and score.live


def schedule_part(reader: Reader, event: Event, round_id: int, part: int, now: datetime) -> SchedulePart:
    """A schedule post as it is now. The matches of a part change as times come in: the order is that of the hours."""
    matches = event.matches_of(round_id)
    decided = [match for match in matches if match.agreed_at is None and event.is_settled(match)]
    listed = [*_with_time(matches), *decided]
    first = part * SCHEDULE_PER_POST
    shown = listed[first : first + SCHEDULE_PER_POST]
    return SchedulePart(
        event=event,
        round=event.round(round_id),
        part=part,
        matches=tuple(view_match(reader, event, match, now) for match in shown),
        is_last=first + len(shown) >= len(listed) and (part == 0 or bool(shown)),
        waiting=len(matches) - len(listed),
    )


def _fixture(event: Event, match: Match) -> Fixture:
    return Fixture(match=match, round=event.round_of(match), a=event.name(match.a_id), b=event.name(match.b_id))


def _with_time(matches: Iterable[Match]) -> list[Match]:
    timed = [(match.agreed_at, match.id, match) for match in matches if match.agreed_at is not None]
    return [match for *_, match in sorted(timed, key=lambda one: one[:2])]


def _waits(event: Event, match: Match) -> bool:
    return match.agreed_at is None and not event.is_settled(match)


def _of_round(event: Event, number: int | None) -> list[Match]:
    if number is None:
        newest = event.current_round
        current = [] if newest is None else event.matches_of(newest.id)
        return [*current, *(match for match in event.open_matches() if match not in current)]
    rounds = [round for round in event.rounds if round.number == number]
    if not rounds:
        raise NotFound("no_such_round", number=number, closed=tuple(round.number for round in event.rounds))
    return event.matches_of(rounds[-1].id)

"""All that the page says at one moment, gathered from the sandbox."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from simcord.backend.models import Channel
from simcord.enums import ChannelType

from acwc_bot.sandbox.habits import absent
from acwc_bot.sandbox.rehearsal import Line, Rehearsal, Seat
from acwc_bot.sandbox.stops import Stop, next_stop, next_tuesday, waits
from acwc_bot.sandbox.world import DIRECTOR, FOLLOWER, OWNER, SPECIAL
from cogs.render.times import utc


@dataclass(frozen=True, slots=True)
class Place:
    """A channel or thread in the list. `order` sorts threads: newest round first, then by board; `tags` are those of a
    forum's thread. A forum itself cannot be opened."""

    id: int
    name: str
    new: int
    last: str
    is_thread: bool
    is_forum: bool = False
    tags: tuple[str, ...] = ()
    order: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Planned:
    """An event in the server's calendar, which simcord's Preview does not show."""

    name: str
    starts: str
    where: str


@dataclass(frozen=True, slots=True)
class Shown:
    """`tds`: whether there are TDs; None before `/td setup`. `away`: the opponent who does not come. `waits`: what
    holds the next round up, or that there is none."""

    now: datetime
    seed: int
    viewer: str
    home: str | None
    people: tuple[tuple[str, str], ...]
    seat: Seat
    over_at: datetime | None
    away: str | None
    next_stop: Stop | None
    tuesday: Stop
    waits: str
    tds: bool | None
    discord_down: bool
    lichess_down: bool
    doing: str | None
    lines: tuple[Line, ...]
    places: tuple[Place, ...]
    events: tuple[Planned, ...]

    @staticmethod
    async def of(rehearsal: Rehearsal) -> Shown:
        seat, sandbox = await rehearsal.seat(), rehearsal.sandbox
        now, view = sandbox.now(), seat.view
        set_up = await sandbox.home("td") is not None
        return Shown(
            now=now,
            seed=rehearsal.players.seed,
            viewer=rehearsal.viewer,
            home=rehearsal.home,
            people=tuple(_people(rehearsal, seat)),
            seat=seat,
            over_at=rehearsal.players.over_at(view) if view else None,
            away=absent(rehearsal.players.seed, view, seat.told[view.match.id], seat.entrant_id) if view else None,
            next_stop=next_stop(seat.event, seat.stops, now),
            tuesday=next_tuesday(seat.event, now),
            waits=waits(seat.event, now, is_td=seat.is_td),
            tds=await sandbox.is_td(DIRECTOR) if set_up else None,
            discord_down=sandbox.discord_down,
            lichess_down=sandbox.lichess.down,
            doing=rehearsal.doing,
            lines=tuple(rehearsal.lines),
            places=tuple(_places(rehearsal, seat)),
            events=tuple(_events(rehearsal)),
        )


def _people(rehearsal: Rehearsal, seat: Seat) -> Iterable[tuple[str, str]]:
    """(name, how the list says it): the TD, the follower, the owner, the players by seed, who has not entered."""
    yield DIRECTOR, f"{DIRECTOR} (TD)"
    yield FOLLOWER, f"{FOLLOWER} (only watches)"
    yield OWNER, f"{OWNER} (owns the server)"
    entrants = sorted(seat.event.entrants.values(), key=lambda e: e.seed) if seat.event else []
    for entrant in entrants:
        yield entrant.name, f"{entrant.name} ({entrant.rating})"
    known = {entrant.name for entrant in entrants}
    for name in rehearsal.sandbox.people:
        if name not in SPECIAL and name not in known:
            yield name, f"{name} (does not play)" if entrants else name


def _places(rehearsal: Rehearsal, seat: Seat) -> Iterable[Place]:
    sandbox, viewer = rehearsal.sandbox, rehearsal.sandbox.people[rehearsal.viewer]
    rounds = {round.id: round.number for round in seat.event.rounds} if seat.event else {}
    matches = seat.event.matches.values() if seat.event else ()
    order = {m.thread_id: (-rounds[m.round_id], m.board) for m in matches}
    for place in sandbox.visible_places(viewer):
        messages = sandbox.messages(place.id, viewer)
        yield Place(
            id=place.id,
            name=place.name or "?",
            new=rehearsal.new_in(place.id),
            last=" ".join(sandbox.plain(messages[-1].content).split()) if messages else "",
            is_thread=place.is_thread,
            is_forum=place.type == ChannelType.FORUM,
            tags=_tags(rehearsal, place),
            order=order.get(place.id, (0, place.position)),
        )


def _tags(rehearsal: Rehearsal, thread: Channel) -> tuple[str, ...]:
    forum = rehearsal.sandbox.env.backend.channels.get(thread.parent_id or 0)
    if forum is None or not thread.applied_tags:
        return ()
    names = {int(tag["id"]): str(tag["name"]) for tag in forum.available_tags}
    return tuple(names[id] for id in thread.applied_tags if id in names)


def _events(rehearsal: Rehearsal) -> Iterable[Planned]:
    for event in rehearsal.sandbox.guild._guild.scheduled_events.values():
        where = (event.entity_metadata or {}).get("location") or ""
        yield Planned(event.name, utc(datetime.fromisoformat(event.scheduled_start_time)), str(where))

"""What is due on the evening of a match: at the agreed minute the two are called to the board (R3.1, R6, Q37)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from engine.armageddon import ways_to_play
from engine.errors import LichessUnavailable
from engine.match_flow import suggested_white
from engine.model import Match
from engine.ports import Challenge, LichessPort
from engine.reading import game_rules
from engine.seating import THIRD_PLACE
from engine.sides import Side
from engine.usecases.context import Event
from engine.usecases.occurrences import Agenda, Asked, Due, Handler, Kind, Task
from engine.usecases.posts import Outbox

log = logging.getLogger(__name__)

CHALLENGE_LASTS = timedelta(hours=2)


def due(agenda: Agenda) -> Iterator[Due]:
    """A call to the board is of use while an absence may be reported (Q38d); a match that is moved is called anew."""
    event, now = agenda.event, agenda.now
    for match in event.open_matches():
        if match.agreed_at is not None and match.agreed_at <= now and match.id not in event.tournament.begun:
            expires = match.agreed_at + event.rules.evening.absence_report_within
            key = f"match:{match.id}:start:{match.agreed_at:%Y-%m-%dT%H:%M:%S}"
            yield Due(key, Kind.START, match.agreed_at, expires=expires, match_id=match.id, opens=match.id)


def moments(agenda: Agenda) -> Iterator[datetime]:
    for match in agenda.event.open_matches():
        if match.agreed_at is not None:
            yield match.agreed_at


def white_first(event: Event, match: Match) -> int:
    """Q37: who has White in the first game that the bot suggests, the better seed; no colour is ever refused."""
    a, b = event.entrants[match.a_id], event.entrants[match.b_id]
    better = Side.A if (a.seed, a.id) < (b.seed, b.id) else Side.B
    return match.a_id if suggested_white(better, 0) is Side.A else match.b_id


async def open_match(lichess: LichessPort, event: Event, match: Match) -> Asked:
    """An open challenge for exactly these two, and who of them is online. Whatever Lichess does not give is left out:
    the call goes out all the same, with the settings in words."""
    third_place = event.group_of(match) == THIRD_PLACE
    rules = game_rules(event.rules, event.round_of(match).stage, third_place=third_place)
    white_id = white_first(event, match)
    white, black = event.entrants[white_id], event.entrants[match.opponent_of(white_id)]
    assert match.agreed_at is not None
    challenge = Challenge(
        white=white.name,
        black=black.name,
        variant=rules.variant,
        rated=rules.rated,
        clock_initial=rules.clock_initial,
        clock_increment=rules.clock_increment,
        name=event.edition.title,
        until=match.agreed_at + CHALLENGE_LASTS,
    )
    address, online = None, ()
    try:
        if not event.terms(match).decider_alone:  # that game has a challenge of its own (Q39)
            address = await lichess.open_challenge(challenge)
        seen = await lichess.presence((white.lichess_id, black.lichess_id))
        online = tuple(one.id for one in seen if one.online)
    except LichessUnavailable as refusal:
        log.warning("match %d is called without all that Lichess could say: %s", match.id, refusal.code)
    return Asked(challenge=address, online=online)


async def open_armageddon(lichess: LichessPort, event: Event, match: Match) -> Asked:
    """Q39: an open challenge with Black's clock and the colours that the bids gave; casual, since the clocks are not
    equal. None of Lichess when it gives none: the post says how to make it."""
    colours, rules = event.colours(match), event.rules.armageddon
    assert colours is not None
    way = ways_to_play(rules, colours.bid)[0]
    white_id = match.a_id if colours.white is Side.A else match.b_id
    white, black = event.entrants[white_id], event.entrants[match.opponent_of(white_id)]
    challenge = Challenge(
        white=white.name,
        black=black.name,
        variant=event.rules.variant,
        rated=False,
        clock_initial=way.clock_initial,
        clock_increment=way.clock_increment,
        name=f"{event.edition.title}, armageddon",
        until=event.window(match).closes,
    )
    try:
        return Asked(challenge=await lichess.open_challenge(challenge))
    except LichessUnavailable as refusal:
        log.warning("match %d: no challenge for the armageddon game: %s", match.id, refusal.code)
        return Asked()


def _start(task: Task) -> None:
    match = task.match
    outbox = Outbox(task.store, task.event.edition.guild_id, task.now)
    outbox.start(match, task.due.key, task.asked.challenge, task.asked.online)


HANDLERS: Mapping[Kind, Handler] = {Kind.START: _start}

"""The buttons of the page: each does its work and gives the sentence that the page then says."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from acwc_bot.sandbox.habits import absent
from acwc_bot.sandbox.plans import may_report
from acwc_bot.sandbox.rehearsal import Rehearsal, Seat
from acwc_bot.sandbox.stops import as_td, next_stop, next_tuesday, passed, waits
from acwc_bot.sandbox.world import DIRECTOR, OWNER, SandboxError
from cogs.render import times as shown
from engine.model import EditionState
from engine.usecases.matches import MatchView, Phase

log = logging.getLogger(__name__)
_MOST_TOLD = 3
#: The bot looks at the matches of the evening every minute.
_READ_WITHIN = timedelta(minutes=2)


async def do(it: Rehearsal, deed: str, match_id: int | None = None) -> None:
    """One of DEEDS by name, or of AT_A_MATCH: at that match of the viewer, by default the one the page shows first.

    Whatever goes wrong becomes a line on the page; nothing is raised."""
    if it.doing is not None:
        it.tell(f"One thing at a time: {it.doing} still goes on.", bad=True)
        return
    work = _begun(it, deed, match_id)
    if work is None:
        it.tell("The page asked for something that does not exist. Load it again.", bad=True)
        return
    it.doing = "that"
    try:
        it.tell(await work)
    except SandboxError as refusal:
        it.tell(str(refusal), bad=True)
    except Exception:
        log.exception("%s failed", deed)
        it.tell("That failed; the terminal shows why. You can go on.", bad=True)
    finally:
        it.doing = None
        await it.show_news()


def _begun(it: Rehearsal, deed: str, match_id: int | None) -> Awaitable[str] | None:
    if deed in AT_A_MATCH:
        return AT_A_MATCH[deed](it, match_id)
    return DEEDS[deed](it) if deed in DEEDS else None


# --- The clock --------------------------------------------------------------------------------------------------


async def _next_deadline(it: Rehearsal) -> str:
    seat = await it.seat()
    stop = next_stop(seat.event, seat.stops, it.sandbox.now())
    if stop is None:
        raise SandboxError(waits(seat.event, it.sandbox.now(), is_td=seat.is_td) or "Nothing more is due.")
    return await _move_to(it, stop.at)


async def _tuesday(it: Rehearsal) -> str:
    return await _move_to(it, next_tuesday((await it.seat()).event, it.sandbox.now()).at)


async def _hour(it: Rehearsal) -> str:
    return await _move_to(it, it.sandbox.now() + timedelta(hours=1))


async def _day(it: Rehearsal) -> str:
    return await _move_to(it, it.sandbox.now() + timedelta(days=1))


async def _move_to(it: Rehearsal, moment: datetime) -> str:
    it.doing = "moving the clock"
    before, seat = it.sandbox.now(), await it.seat()
    if seat.view is not None and seat.entrant_id is not None:  # whoever sits at this page has Lichess open, too
        it.sandbox.lichess.set_presence(seat.view.side(seat.entrant_id).entrant.lichess_id, online=True)
    await it.sandbox.move_to(moment)
    event = await it.players.event()
    until_now = passed(seat.event, seat.stops, event, moment, posted=not it.sandbox.discord_down)
    happened = [stop.what for stop in until_now if stop.at > before]
    if len(happened) > _MOST_TOLD:
        happened = [f"{len(happened) - _MOST_TOLD} deadlines before", *happened[-_MOST_TOLD:]]
    said = f"It is {shown.utc(moment)}{': ' if happened else ''}{'; '.join(happened)}."
    return f"{said} {waits(event, moment, is_td=seat.is_td)}".rstrip()


# --- The visitor's match -----------------------------------------------------------------------------------------


async def _opponent(it: Rehearsal, match_id: int | None) -> str:
    seat = await it.seat(match_id)
    if seat.view is None or seat.entrant_id is None:
        raise SandboxError(f"{it.viewer} has no opponent in this round. Be one of the players first.")
    it.doing = f"{seat.opponent} acting"
    other = seat.view.match.opponent_of(seat.entrant_id)
    deed = await it.players.act(seat.view.match.id, other, present=seat.entrant_id)
    ready = seat.view.phase is Phase.AGREED and it.players.over_at(seat.view) is None
    coming = absent(it.players.seed, seat.view, seat.told[seat.view.match.id], seat.entrant_id) is None
    return deed.text + (" Press “Play my match”." if ready and coming else "")


async def _play(it: Rehearsal, match_id: int | None) -> str:
    """The viewer's match, at its agreed time: the games, and the clock past the last of them. The others don't sleep in
    the meantime."""
    seat, view = await _at_the_board(it, match_id)
    it.doing = "playing your match"
    over_at = await it.players.play(view, seat.entrant_id)
    if over_at is None:
        return await _nobody_came(it, view, seat)
    await it.crowd.live(seat.entrant_id, over_at)
    games = f"{view.a.entrant.name} and {view.b.entrant.name} have played"
    return (
        f"{games}; the games are on the offline Lichess. It is {shown.utc(it.sandbox.now())}. Look at the match thread."
    )


async def _play_a_game(it: Rehearsal, match_id: int | None) -> str:
    """One game of the same, and the minute after it, in which the bot reads it."""
    seat, view = await _at_the_board(it, match_id)
    it.doing = "playing a game"
    if await it.players.play(view, seat.entrant_id) is None:
        return await _nobody_came(it, view, seat)
    games = it.sandbox.lichess.laid_out_between(view.a.entrant.lichess_id, view.b.entrant.lichess_id)
    coming = [game.last_move_at for game in games if game.last_move_at > it.sandbox.now()]
    if not coming:
        raise SandboxError("All games of your match are played.")
    await it.crowd.live(seat.entrant_id, coming[0].replace(second=0, microsecond=0) + _READ_WITHIN)
    left = len(coming) - 1
    more = f"{left} {'comes' if left == 1 else 'come'} after it" if left else "it was the last"
    return (
        f"A game is played, {more}. It is {shown.utc(it.sandbox.now())}. Look at the match thread and at wc-results: "
        "both have the running score."
    )


async def _at_the_board(it: Rehearsal, match_id: int | None) -> tuple[Seat, MatchView]:
    """SandboxError where there is nothing to play."""
    seat = await it.seat(match_id)
    view = seat.view
    if view is None:
        raise SandboxError(f"{it.viewer} has no match in this round. Be one of the players first.")
    if view.phase is Phase.FINISHED:
        raise SandboxError("Your match is played and reported.")
    if view.phase is Phase.OVERDUE:
        extend = as_td("press “Extend these matches…” in wc-directors", is_td=seat.is_td)
        raise SandboxError(f"The time for your match is over. First {extend}, then play.")
    if view.match.agreed_at is None:
        raise SandboxError("Agree on a time first: one of you offers, the other accepts.")
    return seat, view


async def _nobody_came(it: Rehearsal, view: MatchView, seat: Seat) -> str:
    """The visitor sits down at the agreed time (R6.3)."""
    assert view.match.agreed_at is not None
    if view.match.agreed_at > it.sandbox.now():
        await it.crowd.live(seat.entrant_id, view.match.agreed_at)
    now = it.sandbox.now()
    told = f"It is {shown.utc(now)} and {seat.opponent} has not come."
    if seat.told[view.match.id]:
        return f"{told} You have reported that: move the clock to the next deadline, then choose in the match thread."
    if not may_report(view, now):
        extend = as_td("press “Extend these matches…” in wc-directors", is_td=seat.is_td)
        return f"{told} It is too late to report that: move the clock to the match deadline, then {extend}."
    return f"{told} Press “Opponent absent” in the match thread, then move the clock to the next deadline."


# --- Everybody else ----------------------------------------------------------------------------------------------


async def _others(it: Rehearsal) -> str:
    """Everybody but the viewer does what there is to do now."""
    seat = await it.seat()
    if seat.event is None or seat.event.edition.state is EditionState.DRAFT:
        raise SandboxError("Nobody can do anything yet. Next: /td setup, /td edition create and /td edition open.")
    if seat.registering:
        return await it.crowd.enter_some(it.players.seed, it.viewer)
    if seat.event.current_round is None:
        raise SandboxError("Nobody has anything to do before the first pairings. Move the clock there.")
    done = await it.crowd.act(it.crowd.matches(seat.event, seat.entrant_id))
    views = await it.crowd.open_views(seat.entrant_id)
    agreed = sorted(v.match.agreed_at for v in views if v.match.agreed_at and v.match.agreed_at > it.sandbox.now())
    later = "" if not agreed else f" {_count(len(agreed))} still to be played, the last one at {shown.utc(agreed[-1])}."
    return done.sentence() + later


def _count(matches: int) -> str:
    return "1 match is" if matches == 1 else f"{matches} matches are"


async def _finish(it: Rehearsal) -> str:
    seat = await it.seat()
    _may_finish(seat)
    left = await it.crowd.live(seat.entrant_id)
    event = await it.players.event()
    if not left:
        return f"The round is played. {waits(event, it.sandbox.now(), is_td=seat.is_td)}".rstrip()
    return "The others have done what they can. " + it.crowd.left(left, is_td=seat.is_td)


def _may_finish(seat: Seat) -> None:
    if seat.event is None or seat.event.current_round is None:
        raise SandboxError("There is no round yet.")
    view = seat.view
    if view is not None and view.phase in (Phase.NEGOTIATING, Phase.AGREED):
        raise SandboxError(
            "Finish your own match first, or become the TD: this moves the clock to the end of the round."
        )


# --- The server and what goes wrong -------------------------------------------------------------------------------


async def _appoint(it: Rehearsal) -> str:
    for name in (OWNER, DIRECTOR):
        await it.sandbox.give_td_role(name)
    return f"{OWNER} and {DIRECTOR} have the TD role now. Next: be the TD and type /td edition create in Discord."


async def _discord(it: Rehearsal) -> str:
    down = not it.sandbox.discord_down
    await it.sandbox.set_discord(down=down)
    if down:
        return "Discord is down: nothing can be typed or pressed there, and the bot gets no answer. Move the clock now."
    return "Discord is back: what waited is posted now, each message once."


async def _lichess(it: Rehearsal) -> str:
    down = not it.sandbox.lichess.down
    await it.sandbox.set_lichess(down=down)
    if down:
        return "Lichess is down. Press Report in a match that is played, or /register somebody, and read the answer."
    return "Lichess is back: report again."


async def _bio(it: Rehearsal) -> str:
    """What the visitor would do on lichess.org."""
    begun = (await it.seat()).begun
    if begun is None:
        raise SandboxError(f"{it.viewer} has no code to show. First type /register account: in the lobby.")
    it.sandbox.lichess.change(begun.lichess_id, bio=f"Antichess is fun. {begun.code}")
    return f"The bio of {begun.lichess_name} on the offline Lichess has the code {begun.code} now. Press Check."


async def _restart(it: Rehearsal) -> str:
    it.doing = "restarting the bot"
    await it.sandbox.restart()
    return (
        "The bot has restarted and remembers only its database. Press a button that was there before: it still works."
    )


AT_A_MATCH: Mapping[str, Callable[[Rehearsal, int | None], Awaitable[str]]] = {
    "opponent": _opponent,
    "game": _play_a_game,
    "play": _play,
}
DEEDS: Mapping[str, Callable[[Rehearsal], Awaitable[str]]] = {
    "next": _next_deadline,
    "tuesday": _tuesday,
    "hour": _hour,
    "day": _day,
    "bio": _bio,
    "others": _others,
    "finish": _finish,
    "appoint": _appoint,
    "discord": _discord,
    "lichess": _lichess,
    "restart": _restart,
}

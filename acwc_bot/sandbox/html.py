"""The sandbox's own page as HTML. Everything that is not written here goes through `h`."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from acwc_bot.sandbox.rehearsal import Line, Rehearsal, Seat
from acwc_bot.sandbox.world import DIRECTOR, OWNER
from cogs.render import times as shown
from engine.usecases.matches import MatchView, Phase

#: The browser keeps one tab of this name for Discord.
TAB = "acwc-discord"
_SNIPPET = 110
_TOLD = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A channel or thread in the list. `order` sorts threads: newest round first, then by board."""

    id: int
    name: str
    new: int
    last: str
    is_thread: bool
    order: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the page says at one moment."""

    now: datetime
    viewer: str
    home: str
    people: tuple[tuple[str, str], ...]
    seat: Seat
    played: bool
    over: bool
    next_stop: tuple[datetime, str] | None
    doing: str | None
    lines: tuple[Line, ...]
    places: tuple[Place, ...]

    @staticmethod
    async def of(rehearsal: Rehearsal) -> Shown:
        seat = await rehearsal.seat()
        over_at = rehearsal.players.over_at(seat.view) if seat.view else None
        return Shown(
            now=rehearsal.sandbox.now(),
            viewer=rehearsal.viewer,
            home=rehearsal.home,
            people=tuple(_people(rehearsal, seat)),
            seat=seat,
            played=over_at is not None,
            over=over_at is not None and over_at <= rehearsal.sandbox.now(),
            next_stop=await rehearsal.next_stop(seat),
            doing=rehearsal.doing,
            lines=tuple(rehearsal.lines),
            places=tuple(_places(rehearsal, seat)),
        )


def _people(rehearsal: Rehearsal, seat: Seat) -> Iterable[tuple[str, str]]:
    """(name, how the list says it): the TD, the players by seed, the owner."""
    yield DIRECTOR, f"{DIRECTOR} (TD)"
    for entrant in sorted(seat.event.entrants.values(), key=lambda e: e.seed):
        yield entrant.name, f"{entrant.name} ({entrant.rating})"
    yield OWNER, f"{OWNER} (owns the server)"


def _places(rehearsal: Rehearsal, seat: Seat) -> Iterable[Place]:
    sandbox, viewer = rehearsal.sandbox, rehearsal.sandbox.people[rehearsal.viewer]
    rounds = {round.id: round.number for round in seat.event.rounds}
    order = {m.thread_id: (-rounds[m.round_id], m.board) for m in seat.event.matches.values()}
    for place in sandbox.visible_places(viewer):
        messages = sandbox.messages(place.id, viewer)
        last = " ".join(sandbox.plain(messages[-1].content).split()) if messages else ""
        name, new = place.name or "?", rehearsal.new_in(place.id)
        yield Place(place.id, name, new, last, place.is_thread, order.get(place.id, (0, place.position)))


# --- The page ---------------------------------------------------------------------------------------------------


def h(text: object) -> str:
    return html.escape(str(text), quote=True)


def render(page: Shown, token: str) -> str:
    busy = f'<p class="busy" role="status">One moment: {h(page.doing)} …</p>' if page.doing else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="dark light">'
        "<title>Antichess World Cup: sandbox</title>"
        '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/sandbox.css">'
        '<script src="/static/sandbox.js" defer></script></head><body>'
        "<header><h1>Antichess World Cup <small>sandbox</small></h1>"
        "<p>The real bot in an offline Discord, with an offline Lichess. Nothing leaves this computer.</p></header>"
        f"<main>{busy}{_lines(page)}<div>{_me(page, token)}{_clock(page, token)}</div>{_channels(page, token)}</main>"
        '<p id="gone" class="bad" hidden>The sandbox has stopped. Start it again with <code>make run</code>.</p>'
        "</body></html>\n"
    )


def _form(action: str, token: str, inside: str, *, tab: bool = False, css: str = "") -> str:
    target = f' target="{TAB}"' if tab else ""
    return (
        f'<form method="post" action="{h(action)}"{target} class="{h(css)}">'
        f'<input type="hidden" name="token" value="{h(token)}">{inside}</form>'
    )


def _button(page: Shown, deed: str, label: str, token: str, *, main: bool = False) -> str:
    off = " disabled" if page.doing else ""
    css = ' class="main"' if main else ""
    return _form(f"/do/{deed}", token, f"<button{css}{off}>{h(label)}</button>")


def _lines(page: Shown) -> str:
    if not page.lines:
        return ""
    *before, last = page.lines[-_TOLD:]
    earlier = "".join(f"<li>{h(line.text)}</li>" for line in reversed(before))
    more = f'<details id="earlier"><summary>Earlier</summary><ul>{earlier}</ul></details>' if earlier else ""
    css = "said bad" if last.bad else "said"
    return f'<section class="{css}" aria-live="polite"><p>{h(last.text)}</p>{more}</section>'


def _me(page: Shown, token: str) -> str:
    view = page.seat.view
    body = f"<h2>You are {h(page.viewer)}</h2><p>{_situation(page)}</p>"
    where = "your match thread" if view else "the directors’ channel" if page.viewer == DIRECTOR else "the pairings"
    label = f'{h(f"Open {where} in Discord")} <span aria-hidden="true">↗</span>'
    body += _form("/open", token, f'<button class="main">{label}</button>', tab=True)
    body += (
        '<p class="hint">Discord opens in a second tab. Put it beside this one: you type and press there, and move the '
        "clock and the others here.</p>"
    )
    if view is not None:
        body += f'<p class="next"><strong>Next:</strong> {_next(page, view)}</p>'
    if view is not None and view.phase is not Phase.FINISHED:
        act = _button(page, "opponent", "Let my opponent act", token)
        body += f'<div class="row">{act}{_button(page, "play", "Play my match", token)}</div>'
    return f'<section id="me">{body}{_be(page, token)}</section>'


def _be(page: Shown, token: str) -> str:
    options = "".join(
        f'<option value="{h(name)}"{" selected" if name == page.viewer else ""}>{h(label)}</option>'
        for name, label in page.people
    )
    pick = _form(
        "/be",
        token,
        f'<label for="name">Be somebody else</label><select id="name" name="name">{options}</select>'
        "<button>Be</button>",
        css="pick",
    )
    shortcuts = [(page.seat.opponent, "Be my opponent"), (DIRECTOR, "Be the TD"), (page.home, f"Be {page.home}")]
    quick = "".join(
        _form("/be", token, f'<input type="hidden" name="name" value="{h(name)}"><button>{h(label)}</button>')
        for name, label in dict(shortcuts).items()
        if name and name != page.viewer
    )
    return f'{pick}<div class="row">{quick}</div>'


def _situation(page: Shown) -> str:
    seat, view = page.seat, page.seat.view
    if view is not None:
        return f"Round {view.round.number}, board {view.match.board}: you play <strong>{h(seat.opponent)}</strong>."
    if page.viewer == DIRECTOR:
        return "You direct the tournament: everything about entries and rounds is in <code>/td</code>."
    if seat.entrant_id is None:
        return "You don’t play; you see what everybody sees."
    return "You have no match in this round: you have the bye."


def _next(page: Shown, view: MatchView) -> str:
    other = h(page.seat.opponent)
    if view.phase is Phase.FINISHED and page.seat.event.tournament.round(view.round.id).closed:
        return "the round is over. Look at the standings, then move the clock to the next round."
    if view.phase is Phase.FINISHED:
        return "your match has its result. Let the others finish the round, then look at the standings."
    if view.phase is Phase.AGREED:
        assert view.match.agreed_at is not None
        at = h(shown.utc(view.match.agreed_at))
        if page.over:
            return "your games are on the offline Lichess. Press <em>Report</em> in Discord."
        if page.played:
            return f"your match begins {at}. Move the clock, then press <em>Report</em> in Discord."
        return f"you play on {at}. <em>Play my match</em> puts the games on the offline Lichess and moves the clock."
    if view.phase is Phase.OVERDUE:
        return "the time for your match is over. Be the TD and extend it in wc-directors, then offer times again."
    theirs = any(offer.entrant_id != page.seat.entrant_id for offer in view.offers)
    if theirs:
        return f"{other} has offered times. Press <em>Accept</em> in Discord, or offer others."
    if view.offers:
        return f"your times are on the table. Let {other} act and accept one."
    return f"in Discord press <em>Offer times</em>, or let {other} make the first offers."


def _clock(page: Shown, token: str) -> str:
    stop = page.next_stop
    coming = f"Next: <strong>{h(shown.utc(stop[0]))}</strong>, {h(stop[1])}." if stop else "Nothing is due."
    buttons = (
        _button(page, "next", "Next deadline", token)
        + _button(page, "hour", "+1 hour", token)
        + _button(page, "day", "+1 day", token)
    )
    others = _button(page, "others", "Let the others act", token) + _button(
        page, "finish", "Finish the round for the others", token
    )
    return (
        f'<section id="clock"><h2><time datetime="{h(page.now.isoformat())}">{h(shown.utc(page.now))}</time></h2>'
        f'<p>{coming}</p><div class="row">{buttons}</div>'
        f'<h3>Everybody else</h3><div class="row">{others}</div>'
        '<p class="hint">They offer and accept times, play on the offline Lichess at the agreed time and report, with '
        "the same buttons as you. To finish the round they move the clock to their last match.</p></section>"
    )


def _channels(page: Shown, token: str) -> str:
    channels = [place for place in page.places if not place.is_thread]
    threads = sorted((place for place in page.places if place.is_thread), key=lambda place: place.order)
    own = page.seat.view.match.thread_id if page.seat.view else None
    first = [place for place in threads if place.id == own]
    rest = [place for place in threads if place.id != own]
    rows = "".join(_place(place) for place in [*first, *channels])
    new = sum(place.new > 0 for place in rest)
    count = f"{len(rest)}, {new} with news" if new else str(len(rest))
    title = f"{'All other' if first else 'All'} match threads ({count})"
    listed = f"<ul>{''.join(_place(place) for place in rest)}</ul>"
    more = f'<details id="threads"><summary>{h(title)}</summary>{listed}</details>' if rest else ""
    listed = _form("/open", token, f"<ul>{rows}</ul>{more}", tab=True, css="places")
    return f'<section id="places"><h2>Open in Discord</h2>{listed}</section>'


def _place(place: Place) -> str:
    sign = "" if place.is_thread else "#"
    new = f' <span class="new">{place.new} new</span>' if place.new else ""
    last = place.last if len(place.last) <= _SNIPPET else place.last[:_SNIPPET] + "…"
    return (
        f'<li><button name="channel" value="{place.id}"><span class="name">{h(sign + place.name)}</span>{new}'
        f'<span class="last">{h(last)}</span></button></li>'
    )

"""The sandbox's own page as HTML. Everything that is not written here goes through `h`."""

from __future__ import annotations

import html

from acwc_bot.sandbox.habits import put_off
from acwc_bot.sandbox.plans import may_report
from acwc_bot.sandbox.shown import Place, Shown
from acwc_bot.sandbox.stops import as_td
from acwc_bot.sandbox.world import DIRECTOR, FOLLOWER, OWNER
from cogs.render import times as shown
from engine.model import EditionState, EntryState
from engine.timers import ends_at, is_lifted
from engine.usecases.matches import MatchView, Phase

#: The browser keeps one tab of this name for Discord.
TAB = "acwc-discord"
_SNIPPET = 110
_TOLD = 8


def h(text: object) -> str:
    return html.escape(str(text), quote=True)


def render(page: Shown, token: str) -> str:
    busy = f'<p class="busy" role="status">One moment: {h(page.doing)} …</p>' if page.doing else ""
    left = f"<div>{_me(page, token)}{_clock(page, token)}{_others(page, token)}{_faults(page, token)}</div>"
    right = f"<div>{_places(page, token)}{_events(page)}</div>"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="dark light">'
        "<title>Antichess World Cup: sandbox</title>"
        '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/sandbox.css">'
        '<script src="/static/sandbox.js" defer></script></head><body>'
        "<header><h1>Antichess World Cup <small>sandbox</small></h1>"
        "<p>The real bot in an offline Discord, with an offline Lichess. Nothing leaves this computer.</p></header>"
        f"<main>{busy}{_lines(page)}{left}{right}</main>"
        f"<footer><p>Saved while you work · seed {page.seed}</p></footer>"
        '<p id="gone" class="bad" hidden>The sandbox has stopped. Start it again with <code>make run</code>.</p>'
        "</body></html>\n"
    )


def _form(action: str, token: str, inside: str, *, tab: bool = False, css: str = "") -> str:
    target = f' target="{TAB}"' if tab else ""
    return (
        f'<form method="post" action="{h(action)}"{target} class="{h(css)}">'
        f'<input type="hidden" name="token" value="{h(token)}">{inside}</form>'
    )


def _button(
    page: Shown, deed: str, label: str, token: str, *, pressed: bool | None = None, match: int | None = None
) -> str:
    off = " disabled" if page.doing else ""
    state = "" if pressed is None else f' aria-pressed="{"true" if pressed else "false"}"'
    which = "" if match is None else f'<input type="hidden" name="match" value="{match}">'
    return _form(f"/do/{deed}", token, f"{which}<button{state}{off}>{h(label)}</button>")


def _lines(page: Shown) -> str:
    if not page.lines:
        return ""
    *before, last = page.lines[-_TOLD:]
    earlier = "".join(f"<li>{h(line.text)}</li>" for line in reversed(before))
    more = f'<details id="earlier"><summary>Earlier</summary><ul>{earlier}</ul></details>' if earlier else ""
    css = "said bad" if last.bad else "said"
    return f'<section class="{css}" aria-live="polite"><p>{h(last.text)}</p>{more}</section>'


# --- Who I am ------------------------------------------------------------------------------------------------------


def _me(page: Shown, token: str) -> str:
    view = page.seat.view
    body = f"<h2>You are {h(page.viewer)}</h2><p>{_situation(page)}</p>"
    label = f'{h(f"Open {_place_of_interest(page)} in Discord")} <span aria-hidden="true">↗</span>'
    body += _form("/open", token, f'<button class="main">{label}</button>', tab=True)
    body += (
        '<p class="hint">Discord opens in a second tab. Put it beside this one: you type and press there, and move the '
        "clock and the others here.</p>"
    )
    if step := _next(page):
        body += f'<p class="next"><strong>Next:</strong> {step}</p>'
    if page.tds is False:
        body += f'<div class="row">{_button(page, "appoint", "Give owner and director the TD role", token)}</div>'
    if page.seat.begun is not None:
        body += f'<div class="row">{_button(page, "bio", "Put the code into my Lichess bio", token)}</div>'
    if view is not None and view.phase in (Phase.NEGOTIATING, Phase.AGREED):
        act = _button(page, "opponent", "Let my opponent act", token, match=view.match.id)
        game = _button(page, "game", "Play one game", token, match=view.match.id)
        play = _button(page, "play", "Play my match", token, match=view.match.id)
        body += f'<div class="row">{act}{game}{play}</div>'
    body += "".join(_also(page, other, token) for other in page.seat.others)
    return f'<section id="me">{body}{_be(page, token)}</section>'


def _also(page: Shown, view: MatchView, token: str) -> str:
    """An extended match of an earlier round, which is open beside the one that the page shows first."""
    name = page.seat.against(view)
    until = "was" if view.phase is Phase.OVERDUE else "is"
    agreed = f", agreed for {h(shown.utc(view.match.agreed_at))}" if view.match.agreed_at else ""
    buttons = ""
    if view.match.thread_id is not None:
        opener = f'<button name="channel" value="{view.match.thread_id}">{h(f"Open the thread with {name}")}</button>'
        buttons += _form("/open", token, opener, tab=True)
    if view.phase is not Phase.OVERDUE:
        buttons += _button(page, "opponent", f"Let {name} act", token, match=view.match.id)
        buttons += _button(page, "play", f"Play against {name}", token, match=view.match.id)
    return (
        f'<p class="also">You also have an extended match of round {view.round.number} against '
        f"<strong>{h(name)}</strong>{agreed}; it {until} to be played by {h(shown.utc(view.play_by))}.</p>"
        f'<div class="row">{buttons}</div>'
    )


def _place_of_interest(page: Shown) -> str:
    if page.seat.view is not None and page.seat.view.match.thread_id is not None:
        return "your match thread"
    if page.tds is None:
        return "the lobby"
    return "the directors’ channel" if page.seat.is_td else "the pairings"


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
    shortcuts = [(page.seat.opponent, "Be my opponent"), (DIRECTOR, "Be the TD"), (FOLLOWER, "Be a follower")]
    shortcuts += [(page.home, f"Be {page.home}")] if page.home else [(OWNER, "Be the owner")]
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
    if page.viewer == OWNER:
        return "The server is yours: you invited the bot and run <code>/td setup</code>."
    if page.viewer == DIRECTOR:
        return "You direct the tournament: everything about entries and rounds is in <code>/td</code>."
    if page.viewer == FOLLOWER:
        return "You neither play nor direct; you see what everybody sees."
    if seat.entrant_id is None:
        return "You have not entered." if seat.registering or page.tds is None else "You don’t play."
    return "You have no match in this round: you have the bye." if seat.event and seat.event.rounds else "You are in."


def _next(page: Shown) -> str:
    if page.discord_down:
        return "move the clock if you like, then press <em>Discord back up</em>. Until then nothing arrives in Discord."
    return _next_as_staff(page) if page.seat.view is None else _next_as_player(page, page.seat.view)


def _next_as_staff(page: Shown) -> str:
    """What has to happen before the first round, and what holds a later one up."""
    event = page.seat.event
    if page.tds is None:
        return (
            "as the owner open Discord and type <code>/td setup</code>: Enter chooses it, Escape closes the list of "
            "options, Enter sends."
        )
    if page.tds is False:
        return "give the TD role. On Discord the owner does that in the server’s settings; here it is a button."
    if event is None:
        return "as the TD type <code>/td edition create starts:</code> with a Sunday some weeks ahead."
    if event.edition.state is EditionState.DRAFT:
        return "as the TD look at the dates, then type <code>/td edition open</code>."
    if page.seat.registering and page.viewer == DIRECTOR:
        return "approve who waits in wc-directors, let the others enter, then type <code>/td edition close</code>."
    if page.seat.begun is not None:
        return (
            "press <em>Put the code into my Lichess bio</em>, which you would do on lichess.org, then <em>Check</em> "
            "in Discord; <code>/hub</code> has it too."
        )
    if page.seat.registering and page.seat.entry is not None:
        return _WITH_AN_ENTRY[page.seat.entry.state]
    if page.seat.registering:
        return (
            "type <code>/register account:</code> with your name in the lobby if you are a player; or let the others "
            "act."
        )
    return h(page.waits)


_WITH_AN_ENTRY = {
    EntryState.PENDING: "be the TD and decide in wc-directors; or let the others act, and the director decides.",
    EntryState.FROZEN: "be the TD: two entries wait for each other in wc-directors.",
    EntryState.APPROVED: "you are in. Let the others act until all have entered; then the TD closes the registration.",
}


def _next_as_player(page: Shown, view: MatchView) -> str:
    other = h(page.seat.opponent)
    if view.phase is Phase.FINISHED:
        if page.waits:
            return f"your match has its result. {h(page.waits)}"
        if page.seat.event and page.seat.event.tournament.round(view.round.id).closed:
            return "the round is over. Look at the standings, then move the clock to the next round."
        return "your match has its result. Let the others finish the round, then look at the standings."
    if page.over_at is not None and page.over_at <= page.now:
        if page.lichess_down:
            return (
                "your games are played, but Lichess is down: <em>Report</em> in Discord says what to do. Before there "
                "can be a result, press <em>Lichess back up</em>."
            )
        return "your games are on the offline Lichess. Press <em>Report</em> in Discord."
    if view.phase is Phase.OVERDUE:
        return f"{_extend(page)}, then play. The time for your match is over."
    if view.phase is Phase.AGREED:
        return _next_when_agreed(page, view, other)
    theirs = any(offer.entrant_id != page.seat.entrant_id for offer in view.offers)
    if theirs:
        return f"{other} has offered times. Press <em>Accept</em> in Discord, or offer others."
    if view.offers:
        return f"your times are on the table. Let {other} act and accept one."
    return f"in Discord press <em>Offer times</em>, or let {other} make the first offers."


def _next_when_agreed(page: Shown, view: MatchView, other: str) -> str:
    assert view.match.agreed_at is not None
    at = h(shown.utc(view.match.agreed_at))
    if page.over_at is not None:
        return "you are at the board. <em>Play one game</em> shows the running score in Discord; or play them all."
    told = page.seat.told.get(view.match.id, ())
    if put_off(told):
        return f"the match was put off, and {other} is at the keyboard now. Agree on a new time, or play at once."
    mine = [one.timer for one in told if one.timer.entrant_id == page.seat.entrant_id]
    over = ends_at(view.rules.evening, view.terms, mine[0]) if mine else None
    if over is not None and over > page.now:
        return f"you have reported {other} absent. Move the clock to the next deadline, then choose in Discord."
    if mine and is_lifted(view.terms, mine[0]):
        return "the TDs have taken the forfeit back. Press <em>Propose another time</em> in Discord."
    if mine:
        return "the ten minutes are over: choose in Discord, the win or another time."
    if told:
        return f"{other} has reported you absent. Play before the ten minutes are over, or see what comes."
    if page.away is not None and page.now >= view.match.agreed_at and not may_report(view, page.now):
        return (
            f"{other} did not come, and it is too late to report that. Move the clock to the match deadline, then "
            f"{_extend(page)}, and {other} will play."
        )
    if page.away is not None and page.now >= view.match.agreed_at:
        return f"{other} has not come. Press <em>Opponent absent</em> in Discord; ten minutes later you choose."
    if page.now > view.match.agreed_at:
        return f"press <em>Play my match</em>: the agreed time, {at}, is past."
    return (
        f"you play on {at}. <em>Play my match</em> puts the games on the offline Lichess and moves the clock; <em>Play "
        "one game</em> stops after each."
    )


def _extend(page: Shown) -> str:
    return as_td("press <em>Extend these matches…</em> in wc-directors", is_td=page.seat.is_td)


# --- The clock, the others, what goes wrong --------------------------------------------------------------------------


def _clock(page: Shown, token: str) -> str:
    stop, tuesday = page.next_stop, page.tuesday
    coming = f"Next: <strong>{h(shown.utc(stop.at))}</strong>, {h(stop.what)}." if stop else h(page.waits)
    coming = coming or "Nothing is due."
    if stop != tuesday:
        coming += f"<br>Next {tuesday.at:%A}: <strong>{h(shown.utc(tuesday.at))}</strong>, {h(tuesday.what)}."
    buttons = (
        _button(page, "next", "To the next deadline", token)
        + _button(page, "tuesday", f"To next {tuesday.at:%A}", token)
        + _button(page, "hour", "+1 hour", token)
        + _button(page, "day", "+1 day", token)
    )
    hint = ""
    if page.seat.event is not None and page.seat.event.current_round is not None:
        hint = '<p class="hint">Only the clock moves. Let the others act first, or nobody will have played.</p>'
    return (
        f'<section id="clock"><h2><time datetime="{h(page.now.isoformat())}">{h(shown.utc(page.now))}</time></h2>'
        f'<p>{coming}</p><div class="row">{buttons}</div>{hint}</section>'
    )


def _others(page: Shown, token: str) -> str:
    buttons = _button(page, "others", "Let the others act", token)
    hint = "They enter with the same commands as you; the director approves them, unless you are the director."
    if page.seat.event is not None and page.seat.event.current_round is not None:
        buttons += _button(page, "finish", "Finish the round for the others", token)
        hint = (
            "They offer and accept times, play on the offline Lichess and report, with the same buttons as you. Some "
            "answer late, offer too little or do not come. To finish the round they move the clock."
        )
    return (
        f'<section id="others"><h2>Everybody else</h2><div class="row">{buttons}</div>'
        f'<p class="hint">{h(hint)}</p></section>'
    )


def _faults(page: Shown, token: str) -> str:
    rows = (
        _switch(page, "discord", "Discord", page.discord_down, token)
        + '<p class="hint">Switch it off, move the clock past a deadline or to Tuesday, switch it on: everything is '
        "posted then, once.</p>"
        + _switch(page, "lichess", "Lichess", page.lichess_down, token)
        + '<p class="hint">Switch it off and press Report for a match that is played: the bot says what to do.</p>'
        + f'<div class="row">{_button(page, "restart", "Restart the bot", token)}</div>'
        + '<p class="hint">A new bot on the same database. Press a button that was there before.</p>'
    )
    return f'<section id="faults"><h2>When something goes wrong</h2>{rows}</section>'


def _switch(page: Shown, deed: str, name: str, down: bool, token: str) -> str:
    state = f'<span class="state{" down" if down else ""}">{name} is {"down" if down else "up"}</span>'
    button = _button(page, deed, f"{name} back up" if down else f"{name} down", token, pressed=down)
    return f'<div class="row">{button}{state}</div>'


# --- Channels ------------------------------------------------------------------------------------------------------


def _places(page: Shown, token: str) -> str:
    channels = [place for place in page.places if not place.is_thread and not place.is_forum]
    forum = next((place for place in page.places if place.is_forum), None)
    threads = sorted((place for place in page.places if place.is_thread), key=lambda place: place.order)
    own = {view.match.thread_id for view in page.seat.views}
    first = [place for place in threads if place.id in own]
    rest = [place for place in threads if place.id not in own]
    rows = "".join(_place(place) for place in [*first, *channels])
    listed = f"<ul>{rows}</ul>"
    if forum is not None:
        listed += f"<h3>#{h(forum.name)} <small>forum</small></h3>"
    newest = rest[0].order[0] if rest else 0
    latest = [place for place in rest if place.order[0] == newest]
    listed += _threads("threads", "Other matches of this round" if first else "Matches of this round", latest)
    listed += _threads("earlier-threads", "Earlier rounds", rest[len(latest) :])
    form = _form("/open", token, listed, tab=True, css="places")
    return f'<section id="places"><h2>Open in Discord</h2>{form}</section>'


def _threads(name: str, title: str, places: list[Place]) -> str:
    if not places:
        return ""
    new = sum(place.new > 0 for place in places)
    count = f"{len(places)}, {new} with news" if new else str(len(places))
    rows = "".join(_place(place) for place in places)
    return f'<details id="{name}"><summary>{h(title)} ({count})</summary><ul>{rows}</ul></details>'


def _place(place: Place) -> str:
    sign = "" if place.is_thread else "#"
    tags = "".join(f' <span class="tag">{h(tag)}</span>' for tag in place.tags)
    new = f' <span class="new">{place.new} new</span>' if place.new else ""
    last = place.last if len(place.last) <= _SNIPPET else place.last[:_SNIPPET] + "…"
    return (
        f'<li><button name="channel" value="{place.id}"><span class="name">{h(sign + place.name)}</span>{tags}{new}'
        f'<span class="last">{h(last)}</span></button></li>'
    )


def _events(page: Shown) -> str:
    if not page.events:
        return ""
    rows = "".join(
        f'<li><span class="name">{h(event.name)}</span> <span class="last">{h(event.starts)} {h(event.where)}</span>'
        "</li>"
        for event in page.events
    )
    return f'<section id="events"><h2>Server events</h2><ul>{rows}</ul></section>'

"""Words about what happened in the negotiation of a match, and how fast each side answered (R5.7, R5.8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from cogs.render import matches, times
from cogs.render.faults import game_words
from cogs.render.message import Message, escape
from cogs.render.tied import clock
from engine import facts as said
from engine import timeline as told
from engine.model import Authority, DisputeCause, DisputeEnd, Fact, Offer
from engine.points import WIN, show_score
from engine.timers import Crossing, Timer, TimerEnd, TimerKind
from engine.usecases.evidence import Dossier

EVIDENCE_ROOM = 1200
"""Letters of a dispute's card for the evidence."""
NOTE_IN_EVIDENCE = 80
MORE = "… `/match show` has all"

_MINUTE = timedelta(minutes=1)
_LATE = timedelta(minutes=5)
"""What was recorded so long after it took effect says so: the bot was down (Q14)."""


def shown(dossier: Dossier) -> Message:
    """The match as its card shows it, then what happened, then the response times; buttons for its players alone."""
    view = dossier.view
    card = matches.card(view)
    lines = [card.text]
    if view.match.thread_id is not None:
        lines.append(f"Thread: <#{view.match.thread_id}>")
    lines += ["", "**What happened** (UTC)", *(f"• {line}" for line in _history(dossier)), "", *_answers(dossier)]
    return Message("\n".join(lines), card.buttons if dossier.by_player else ())


def evidence(dossier: Dossier, room: int = EVIDENCE_ROOM) -> list[str]:
    """For a dispute's card: the response times and what happened, together at most `room` letters with their line
    ends. What finds no room is the oldest; notes are cut."""
    head = [*_answers(dossier), "**What happened** (UTC)"]
    history = [f"• {line}" for line in _history(dossier, note_limit=NOTE_IN_EVIDENCE)]
    left = room - _size(head)
    if _size(history) <= left:
        return head + history
    left -= _size([MORE])
    newest: list[str] = []
    for line in reversed(history):
        left -= _size([line])
        if left < 0:
            break
        newest.append(line)
    return [*head, MORE, *reversed(newest)]


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


# --- What happened ------------------------------------------------------------------------------------------------


def _history(dossier: Dossier, note_limit: int | None = None) -> list[str]:
    return [_line(dossier, happening, note_limit) for happening in dossier.timeline.happenings]


def _line(dossier: Dossier, happening: told.Happening, note_limit: int | None) -> str:
    at = happening.at
    match happening:
        case told.Published():
            text = "pairing published"
        case told.Offered():
            verb = "proposed to move it to" if happening.moves else "offered"
            text = f"{_name(dossier, happening.by)} {verb} {_spans(happening.offers)}"
            text += _quoted(dossier, happening.offers, note_limit)
        case told.Retracted():
            text = f"{_name(dossier, happening.by)} retracted {_spans(happening.offers)}"
        case told.Accepted():
            text = f"{_name(dossier, happening.by)} {_acceptance(happening.offer)}"
        case told.DeadlinePassed():
            at -= _MINUTE
            text = _deadline(dossier, happening)
        case told.Decided():
            text = _decided(dossier, happening)
        case told.TakenBack():
            how = "back in force" if happening.restored else "taken back"
            text = f"{how}{_by(dossier, happening.fact)}: {_said(dossier, happening.of)}"
        case told.Disputed():
            text = f"dispute opened: {_CAUSES[happening.cause]}"
        case told.Waited():
            text = _waited(dossier, happening.timer)
        case told.WaitEnded():
            text = f"{_TIMERS[happening.timer.kind]}: {_timer_end(dossier, happening.timer)}"
        case told.DisputeEnded():
            text = f"dispute ended: {_ENDS[happening.outcome]}"
    return f"{times.short(at)} · {text}"


_CAUSES = {
    DisputeCause.NO_AGREEMENT: "no time is agreed, and nobody is at fault by the offers (§5.8)",
    DisputeCause.REPORTS_DIFFER: "their reports differ, and no games decide it (§1.3)",
}
_TIMERS = {TimerKind.ABSENT: "absence", TimerKind.BREAK: "break", TimerKind.LEFT: "leaving"}
_TIMER_ENDS = {
    TimerEnd.CLAIMED: "the win was claimed",
    TimerEnd.RESCHEDULED: "to be played at another time (§6.3)",
    TimerEnd.PLAYED: "ended by a game",
    TimerEnd.BACK: "ended early",
    TimerEnd.ASKED: "a TD was called",
    TimerEnd.OVER: "the match was over",
}


def _timer_end(dossier: Dossier, timer: Timer) -> str:
    """Q12, Q16, Q38d: with the TDs, for what reason."""
    if timer.outcome is not TimerEnd.TD:
        return _TIMER_ENDS[timer.outcome or TimerEnd.OVER]
    here = _name(dossier, timer.entrant_id)
    why = {
        Crossing.BOTH: "each has reported the other",
        Crossing.BREAK_OVER: f"{here} had overrun the own break",
        Crossing.BREAK_TAKEN: f"{here} has taken a break since",
        Crossing.PLAYED_EARLY: "they had begun games before the agreed time",
    }[Crossing(timer.evidence.get("crossing", Crossing.BOTH))]
    return f"{why}, a TD decides" + ("; they have played since" if "played" in timer.evidence else "")


def _waited(dossier: Dossier, timer: Timer) -> str:
    """Who has told what, and what Lichess showed of who was online."""
    here = dossier.view.side(timer.entrant_id).entrant
    other = _name(dossier, dossier.view.other(timer.entrant_id).entrant.id)
    if timer.kind is TimerKind.BREAK:
        return f"{escape(here.name)} called a break"
    what = "absent" if timer.kind is TimerKind.ABSENT else "as having left"
    seen = timer.evidence["online"]
    online = "Lichess did not say who was online" if seen is None else f"online: {_names(dossier, seen) or 'nobody'}"
    return f"{escape(here.name)} reported {other} {what} ({online})"


_ENDS = {
    DisputeEnd.RULED: "ruled by a TD",
    DisputeEnd.AGREED: "they have agreed",
    DisputeEnd.PLAYED: "they have played",
}


def _acceptance(offer: Offer) -> str:
    verb = "agreed to move it to" if offer.moves else "accepted"
    if offer.ends_at is not None and offer.chosen is not None:
        return f"{verb} {times.short(offer.chosen)} (of {_span(offer)})"
    return f"{verb} {_span(offer)}"


def _deadline(dossier: Dossier, passed: told.DeadlinePassed) -> str:
    count = dossier.view.rules.offers.count
    counts = ", ".join(
        f"{escape(side.entrant.name)} {min(passed.counted[side.entrant.id], count)} of {count}"
        for side in dossier.view.sides
    )
    return f"offer deadline; offers that counted: {counts}"


def _decided(dossier: Dossier, one: told.Decided) -> str:
    text = _said(dossier, one.event) + _by(dossier, one.fact)
    if one.fact.recorded_at - one.fact.occurred_at >= _LATE:
        text += f" (recorded {times.short(one.fact.recorded_at)})"
    return text if one.stands else f"~~{text}~~"


def _by(dossier: Dossier, fact: Fact) -> str:
    """On whose word; that a rule did it by itself is not said."""
    side = dossier.view.side_of_person(fact.author_id) if fact.author_id is not None else None
    if side is not None:
        return f" (by {escape(side.entrant.name)})"
    return " (by a TD)" if fact.authority is Authority.TD else ""


def _said(dossier: Dossier, event: told.MatchEvent) -> str:
    match event:
        case said.MatchPlayed():
            more = f", tiebreak {show_score(*_game_points(event.tiebreak_games))}" if event.tiebreak_games else ""
            if event.armageddon is not None:
                side = dossier.view.a if event.armageddon.a == WIN else dossier.view.b
                more += f", armageddon won by {escape(side.entrant.name)}"
            if not event.games:
                return f"result{more.replace(',', ':', 1)}"
            return f"result: {_score(dossier, _game_points(event.games))}{more}"
        case said.MatchBegun():
            return f"begun: {_score(dossier, _game_points(event.games))} so far"
        case said.ColoursSettled():
            bids = f"bids {clock(event.bids[0])} and {clock(event.bids[1])}"
            return f"armageddon: {_name(dossier, event.white_id)} has White with {clock(event.bid)} ({bids})"
        case said.GameRuled():
            return f"[a game](<{matches.LICHESS}/{event.game_id}>) {game_words(event.decision)}"
        case said.MatchRuled():
            forfeit = f", forfeited by {_names(dossier, event.forfeited_by)}" if event.forfeited_by else ""
            return f"ruled: {_score(dossier, (event.a, event.b))}{forfeit}"
        case said.MatchVoided():
            return "pairing void"
        case said.MatchExtended():
            offers = f", offers count until {_last_minute(event.offers_by)}" if event.offers_by else ""
            return f"extended until {_last_minute(event.until)}{offers}"
        case said.FaultFound():
            return f"at fault for having no time: {_names(dossier, event.at_fault) or 'nobody'}"
        case said.DutyWaived():
            return f"missing offers forgiven: {_names(dossier, event.entrants)}"
        case said.TimeSet():
            return f"time set to {times.short(event.at)}"
        case said.DeciderSet():
            return f"the armageddon game alone, {times.short(event.at)}"
        case said.TimerRuled():
            until = "stopped" if event.until is None else f"extended until {times.short(event.until)}"
            return f"the ten minutes {until}"
        case said.PlayAllowed():
            return "may be played all the same"
        case said.ForfeitCounted():
            return f"a forfeit of {_names(dossier, event.forfeited_by)}"
        case said.ForfeitLifted():
            return f"the forfeit of {_name(dossier, event.entrant_id)} no longer counts"
        case said.EntrantLeft():
            how = "withdrew" if event.exit is said.Exit.WITHDRAWN else "was disqualified"
            return f"{_name(dossier, event.entrant_id)} {how}"


def _game_points(games: tuple[said.CountedGame, ...]) -> tuple[int, int]:
    a = sum(game.a for game in games)
    return a, WIN * len(games) - a


def _score(dossier: Dossier, points: tuple[int, int]) -> str:
    a, b = (escape(side.entrant.name) for side in dossier.view.sides)
    return f"{a} {show_score(*points)} {b}"


def _last_minute(end: datetime) -> str:
    return times.short(end - _MINUTE)


def _name(dossier: Dossier, entrant_id: int) -> str:
    return escape(dossier.view.side(entrant_id).entrant.name)


def _names(dossier: Dossier, entrant_ids: Iterable[int]) -> str:
    return " and ".join(_name(dossier, entrant_id) for entrant_id in entrant_ids)


def _spans(offers: Iterable[Offer]) -> str:
    return ", ".join(_span(offer) for offer in offers)


def _span(offer: Offer) -> str:
    start = times.short(offer.starts_at)
    if offer.ends_at is None:
        return start
    same_day = offer.ends_at.date() == offer.starts_at.date()
    return f"{start}–{offer.ends_at:%H:%M}" if same_day else f"{start} – {times.short(offer.ends_at)}"


def _quoted(dossier: Dossier, offers: Iterable[Offer], limit: int | None) -> str:
    """The notes, each once and on one line. Cut before it is escaped, so that no escape is cut in two."""
    ids = dict.fromkeys(offer.note_id for offer in offers)
    texts = [" ".join(dossier.notes[id].split()) for id in ids if id is not None and id in dossier.notes]
    if limit is not None:
        texts = [text if len(text) <= limit else text[: limit - 1].rstrip() + "…" for text in texts]
    return "".join(f" “{escape(text)}”" for text in texts)


# --- Response times -----------------------------------------------------------------------------------------------


def _answers(dossier: Dossier) -> list[str]:
    hours = int(dossier.view.rules.offers.answer_within / timedelta(hours=1))
    lines = [f"**Answers to offers** (§5.7: preferably within {hours} h)"]
    for side in dossier.view.sides:
        found = dossier.timeline.responses[side.entrant.id]
        parts = [part for part in (_answered(found), _unanswered(dossier.timeline, found.open)) if part]
        lines.append(f"• {escape(side.entrant.name)}: {'; '.join(parts) or 'nothing to answer'}")
    return lines


def _answered(found: told.Responses) -> str:
    if found.median is None or found.longest is None:
        return ""
    if len(found.answered) == 1:
        return f"answered once, after {lasting(found.longest)}"
    return f"answered {len(found.answered)} times, median {lasting(found.median)}, longest {lasting(found.longest)}"


def _unanswered(timeline: told.Timeline, wait: told.Wait | None) -> str:
    if wait is None:
        return ""
    since = times.short(wait.asked_at)
    if wait.until == timeline.deadline:
        return f"an offer of {since} not answered by the offer deadline, {lasting(wait.lasted)} later"
    return f"not yet answered for {lasting(wait.lasted)}, since {since}"


def lasting(span: timedelta) -> str:
    """`12 min`, `5 h 10 min`, and from a day on `31 h`."""
    hours, minutes = divmod(int(span / _MINUTE), 60)
    if hours == 0:
        return f"{minutes} min" if minutes else "under 1 min"
    return f"{hours} h {minutes} min" if minutes and hours < 24 else f"{hours} h"

"""Words about a player who is not there at the agreed time (R6.3, Q11, Q38d)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from cogs.render import games, times
from cogs.render.decisions import td_set_time
from cogs.render.directors import extend_match
from cogs.render.matches import LICHESS, overdue_text, pings_of
from cogs.render.message import Button, Message, escape, mention
from cogs.render.tied import first
from engine.model import Match
from engine.reading import duty_rules
from engine.timers import Crossing, Timer, TimerEnd, TimerKind, came_of, ends_at, is_judged, is_lifted, is_stopped
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase, Side, label

Params = Mapping[str, Any]

FAILED = "failed_reschedule"
"""The kind of the forfeit of a match that was put off and not played (Q11)."""


def called(view: MatchView, timer: Timer, *, sent: bool) -> Message | None:
    """In the thread, to whoever is reported absent. None when it is settled before it could be sent."""
    here, away = sides(view, timer)
    if not sent and (view.phase is Phase.FINISHED or timer.outcome not in (None, TimerEnd.TD)):
        return None
    agreed = times.utc(timer.agreed_at)
    head = f"### Are you there?\n{at(away)}: {name(here)} has waited for you since {agreed} and reported you absent."
    ended = settled(view, timer)
    if ended is not None:
        moves = _may_move(view) and is_lifted(view.terms, timer)
        text = "\n".join([head, ended, _evidence(view, timer)])
        return Message(text, (propose(view),) if moves else (), pings_of(away))
    over = over_at(view, timer)
    lines = [
        head,
        f"**Begin the first game by {times.both(over)}**, {times.stamp(over, 'R')}: {challenge(here)}. After that "
        f"{name(here)} chooses: the win, or another time (§6.3).",
        _evidence(view, timer),
    ]
    return Message("\n".join(lines), (), pings_of(away))


def told(view: MatchView, timer: Timer, what: str, *, sent: bool) -> Message | None:
    """In the thread after the ten minutes. None when it is not true any more before it could be sent."""
    if what == "over":
        return _choose(view, timer, sent=sent)
    if what == "rescheduled":
        return _put_off(view, timer)
    here, away = sides(view, timer)
    if not _is_forfeited(view, timer, what):
        return forfeit_taken_back(view, away) if sent else None
    if what == "claimed":
        why = f"{name(here)} has claimed the win, because you were not there at {times.utc(timer.agreed_at)}"
    else:
        why = f"the match was put off, and no game was begun by {times.deadline(view.play_by)}"
    return forfeited(view, away, why, "§6.3")


def forfeited(view: MatchView, away: Side, why: str, clause: str) -> Message:
    text = f"{at(away)}: {why}. So you have forfeited the match ({clause})."
    if away.entrant.id in view.due_out:
        text += " **It is your second forfeit: by §6.5 you are out of the event with the next pairings.**"
    return Message(f"{text} If that is wrong, write to the TDs now.", (), pings_of(away))


def _is_forfeited(view: MatchView, timer: Timer, what: str) -> bool:
    """R6.5: what these ten minutes have led to, a claim or a match put off that `failed`, still stands."""
    if view.phase is not Phase.FINISHED or is_lifted(view.terms, timer):
        return False
    return what == "claimed" or not _has_failed_in_vain(view)


def _has_failed_in_vain(view: MatchView) -> bool:
    """Q11: the TDs have taken back what a match that was put off had led to."""
    stands = view.result is not None and view.result.forfeit == FAILED
    return not stands and FAILED in view.terms.forfeits_lifted.values()


def forfeit_taken_back(view: MatchView, away: Side) -> Message:
    then = "" if view.phase is Phase.FINISHED else "; the match is open again"
    return Message(f"A forfeit of {name(away)} that stood here was taken back by the TDs{then}.")


def _choose(view: MatchView, timer: Timer, *, sent: bool) -> Message | None:
    here, away = sides(view, timer)
    ended = settled(view, timer)
    if ended is not None:
        return Message(ended) if sent else None
    if view.now < over_at(view, timer):
        return Message(f"{name(away)} has more time now: until {times.both(over_at(view, timer))}.") if sent else None
    lines = [f"{at(here)}: {name(away)}’s time is over. {seen_after(timer)} You choose (§6.3):"]
    lines.append("• *Claim the win*: at once.")
    buttons = [Button("claim-win", timer.id, "Claim the win", "primary")]
    if view.now < view.play_by:
        lines.append(
            f"• *Reschedule*: the two of you play by {times.deadline(view.play_by)}. If no game has begun by then, "
            f"{name(away)} forfeits the match to you."
        )
        if view.play_by - view.now < _room(view):
            lines.append("⚠ That is so soon that there is no room for a new time: you would have to play at once.")
        buttons.append(Button("claim-move", timer.id, "Reschedule"))
    lines.append(f"If {name(away)} comes after all, just play: then there is nothing to claim.")
    return Message("\n".join(lines), tuple(buttons), pings_of(here))


def _put_off(view: MatchView, timer: Timer) -> Message:
    """Q11: to both."""
    here, away = sides(view, timer)
    both = f"{at(away)} {at(here)}"
    result = view.result
    if timer.outcome is TimerEnd.PLAYED or view.begun or (result is not None and result.played):
        return Message(f"{both}: {name(here)} had chosen to reschedule, and you have played since.")
    if not _may_move(view):
        return Message(f"{both}: {name(here)} had chosen to reschedule; the time for that is over.")
    lines = [
        f"{both}: {name(here)} has chosen to reschedule (§6.3). **Agree on a new time, or play at once, by "
        f"{times.deadline(view.play_by)}.** Until there is a new time, {times.utc(timer.agreed_at)} stays on record.",
        f"⚠ If no game has begun by then, {name(away)} forfeits the match to {name(here)}.",
    ]
    if timer.decided_at is not None and view.play_by - timer.decided_at < _room(view):
        lines.append("There is no room left for a new time, so play at once.")
    return Message("\n".join(lines), (propose(view),), pings_of(away, here))


def _room(view: MatchView) -> timedelta:
    """Q11b: so long before the deadline no new time can be agreed on any more."""
    return duty_rules(view.rules).latest_before_deadline


def _may_move(view: MatchView) -> bool:
    return view.phase in (Phase.NEGOTIATING, Phase.AGREED)


def propose(view: MatchView) -> Button:
    return Button("move-form", view.match.id, "Propose another time")


# --- Answers to who has reported or chosen ------------------------------------------------------------------------


def answer(view: MatchView, timer: Timer) -> Message:
    """How it stands, to whoever asks."""
    here, away = sides(view, timer)
    match came_of(timer):
        case TimerEnd.CLAIMED if view.phase is Phase.FINISHED:
            return Message(f"Recorded: the match is yours, {name(away)} has forfeited it (§6.3). It is in the thread.")
        case TimerEnd.RESCHEDULED if _may_move(view):
            until = times.deadline(view.play_by)
            return Message(
                f"You reschedule: propose another time, or play, by {until}. If no game has begun by then, "
                f"{name(away)} forfeits the match to you (§6.3).",
                (propose(view),),
            )
        case TimerEnd.CLAIMED if is_lifted(view.terms, timer):
            return Message(_lifted(view, timer), (propose(view),) if _may_move(view) else ())
        case TimerEnd.PLAYED:
            return Message(
                f"You and {name(away)} have begun a game since, so there is nothing to claim. Play on; if they have "
                "left since, type `/match opponent-left`."
            )
        case TimerEnd.TD if view.phase is Phase.FINISHED or is_judged(timer, view.ruled_games):
            return Message(settled(view, timer) or "")
        case TimerEnd.TD if timer.evidence.get("crossing") == Crossing.PLAYED_EARLY:
            return Message(
                f"Reported: {name(away)} is called in the thread. **Stay ready**; if they come, just play. You two "
                "have begun games before the agreed time, so nothing can be claimed: a TD is told, and decides whether "
                "they were your match (§5.2, §6.3)."
            )
        case TimerEnd.TD:
            return Message(
                f"{name(away)} has reported you absent too, so a TD decides (§6.3); they are told. If both of you are "
                "here, just play."
            )
        case None if settled(view, timer) is None:
            return _reported(view, timer, here, away)
        case _:
            return Message("This absence is closed. What stands now is on the card, the first message of the thread.")


def _reported(view: MatchView, timer: Timer, here: Side, away: Side) -> Message:
    over = over_at(view, timer)
    if view.now >= over:
        return _choose(view, timer, sent=True) or Message("")
    lines = [
        f"Reported: {name(away)} is called in the thread, and the TDs read it. **Stay ready to play until "
        f"{times.both(over)}**; if no game has begun by then, I ask you what you choose: the win, or another time "
        "(§6.3).",
        _evidence(view, timer),
    ]
    online = timer.evidence["online"]
    if online is not None and here.entrant.id not in online:
        lines.append("⚠ Lichess shows you offline yourself: open it now, so that your opponent can play you.")
    return Message("\n".join(lines))


# --- To the TDs -------------------------------------------------------------------------------------------------


def opponent_absent(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
    agreed = times.utc(datetime.fromisoformat(p["agreed_at"]))
    grace = int(event.rules.evening.grace.total_seconds()) // 60
    waits = f"{here} chooses after {grace} minutes, the win or another time (§6.3)"
    then = waits if p["outcome"] is None else for_tds(p["outcome"])
    open_still = p["outcome"] in (None, TimerEnd.RESCHEDULED, TimerEnd.TD)
    if open_still and event.is_settled(match):
        then = "the match has its result"
    elif p["outcome"] == TimerEnd.TD and _is_judged(event, p.get("early", ()), match):
        then = f"you have judged their early games, so {here} may report it again"
    elif p["outcome"] == TimerEnd.CLAIMED and claim_lifted(event, p):
        then = "the win was claimed, and you have taken that back"
    elif p["outcome"] == TimerEnd.RESCHEDULED and FAILED in event.terms(match).forfeits_lifted.values():
        then = "put off and not played (§6.3), and you have taken the forfeit back"
    return Message(f"**Opponent absent:** {line(event, p)}: {here} reports {away} absent at {agreed}: {then}.")


def _is_judged(event: Event, early: Sequence[str], match: Match) -> bool:
    return any(id in event.tournament.ruled_games.get(match.id, {}) for id in early)


def claim_lifted(event: Event, p: Params) -> bool:
    """R6.5: of a notice to the TDs about ten minutes by which the win was claimed."""
    match, at = event.matches[p["match_id"]], p.get("decided_at")
    if at is None:  # from before it was kept
        return not event.has_result(match)
    return datetime.fromisoformat(at) in event.terms(match).forfeits_lifted


def for_tds(outcome: str) -> str:
    """What has come of the ten minutes."""
    ends = {
        TimerEnd.CLAIMED: "the win was claimed",
        TimerEnd.RESCHEDULED: "to be played at another time, or forfeited at the match deadline (§6.3)",
        TimerEnd.PLAYED: "they have played since, so nothing comes of it",
        TimerEnd.TD: "you decide",
        TimerEnd.ASKED: "you are called",
        TimerEnd.OVER: "the match was over with that game, so nothing comes of it",
        TimerEnd.BACK: "they are back",
    }
    return ends[TimerEnd(outcome)]


def absences_cross(event: Event, p: Params) -> Message:
    how = Crossing(p.get("how", Crossing.BOTH))
    if how is Crossing.PLAYED_EARLY:
        return _absent_after_games(event, p)
    since = _since(event, p)
    if since:
        return Message(f"**Who was not there?** {line(event, p)}: it was for you to decide, and {since}.")
    if how is not Crossing.BOTH:
        match = event.matches[p["match_id"]]
        here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
        why = "whose own break is over without a game" if how is Crossing.BREAK_OVER else "who has taken a break since"
        return Message(
            f"**Who left whom?** {line(event, p)}: {here}, {why}, says that {away} has left. {here} cannot claim "
            "(§6.1, §6.4). Ask both when they were there; they may still play."
        )
    return Message(
        f"**Each reports the other absent:** {line(event, p)}. Neither can claim (§6.3, §6.4). What Lichess showed is "
        "in the thread; ask both when they were there. If they can still play, set a time; if not, extend."
    )


def _since(event: Event, p: Params) -> str:
    """What has settled a report that was with the TDs (Q13)."""
    if event.is_settled(event.matches[p["match_id"]]):
        return "the match has its result"
    return "they have played since" if p.get("played") else ""


def _absent_after_games(event: Event, p: Params) -> Message:
    """Q12: what the TDs need to decide what the games from before the agreed time were."""
    match = event.matches[p["match_id"]]
    here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
    agreed = times.utc(datetime.fromisoformat(p["agreed_at"]))
    links, buttons = games.asked(event, match, {"games": p["games"], "cause": "early"})
    what = (
        f"**Absent after early games?** {line(event, p)}: {here} reports {away} absent at {agreed}, but they had begun "
        f"games of their own before that: {links}"
    )
    if event.has_result(match):
        return Message(f"{what} The match has its result.")
    if p.get("played"):
        return Message(f"{what} They have played since, so nothing comes of the report.", buttons)
    if _is_judged(event, p["games"], match):
        last = times.utc(datetime.fromisoformat(p["agreed_at"]) + event.rules.evening.absence_report_within)
        return Message(
            f"{what} You have judged them. {here} may report {away} again, until {last}; after that you decide.",
            (td_set_time(match.id), extend_match(match.id)),
        )
    return Message(
        f"{what} So nothing can be claimed (§5.2, §6.3). Ask both. Were these games their match? Count the first: "
        "those after it count with it. If not, it is an absence: set a time, extend, or rule with "
        "`/td-match forfeit`.",
        (*buttons, td_set_time(match.id), extend_match(match.id)),
    )


def line(event: Event, p: Params) -> str:
    match = event.matches[p["match_id"]]
    return escape(label(event, match)) + (f" <#{match.thread_id}>" if match.thread_id else "")


# --- Pieces -----------------------------------------------------------------------------------------------------


def settled(view: MatchView, timer: Timer) -> str | None:
    """What has come of it, None while it waits for the ten minutes or for a choice."""
    here = name(view.side(timer.entrant_id))
    match came_of(timer):
        case TimerEnd.TD | TimerEnd.ASKED if view.phase is Phase.FINISHED:
            return "The match has its result now, so nothing comes of this."
        case TimerEnd.TD if is_judged(timer, view.ruled_games):
            return _judged(view, timer)
        case TimerEnd.CLAIMED if is_lifted(view.terms, timer):
            return _lifted(view, timer)
        case TimerEnd.CLAIMED:
            return f"{here} has claimed the win."
        case TimerEnd.RESCHEDULED:
            return f"{here} has chosen to reschedule (§6.3)."
        case TimerEnd.PLAYED:
            return "You have begun a game since, so there is nothing to claim. Play on."
        case TimerEnd.TD if timer.evidence.get("crossing") == Crossing.BREAK_OVER:
            return f"**{here}’s own break is over too, so a TD decides.** If both of you are here, just play."
        case TimerEnd.TD if timer.evidence.get("crossing") == Crossing.BREAK_TAKEN:
            return f"{here} has taken a break since, so there is nothing to claim; a TD decides. Play when it is over."
        case TimerEnd.TD if timer.evidence.get("crossing") == Crossing.PLAYED_EARLY:
            return "**You have begun games before that time, so a TD decides.** If both of you are here, just play."
        case TimerEnd.TD:
            return "**Each of you has reported the other, so a TD decides.** If both of you are here, just play."
        case TimerEnd.ASKED:
            return "A TD is called and decides. If both of you are here, just play."
        case TimerEnd.OVER if view.tied_at is not None:
            return f"Only the armageddon game is left, so nothing can be claimed: {first(view.bidding)} (§3.16)."
        case TimerEnd.OVER if view.phase is not Phase.FINISHED:
            return "The match was decided with that game, so nothing can be claimed. Play the games that are missing."
        case TimerEnd.OVER:
            return "The match was over with that game, so there is nothing to claim."
        case TimerEnd.BACK:
            return f"{here} is back: offer and accept the next game now."
        case None if view.phase is Phase.FINISHED:
            return "The match has its result now, so there is nothing to choose any more."
        case None if view.match.agreed_at != timer.agreed_at:
            return "The match has another time since, so nothing comes of this."
        case None if is_stopped(view.terms, timer):
            return "A TD has stopped these ten minutes (§5.10)."
        case None:
            return None


def _lifted(view: MatchView, timer: Timer) -> str:
    """R6.5: what is left of a claim whose forfeit the TDs have taken back."""
    text = "The TDs have taken the forfeit back"
    if view.phase is Phase.FINISHED:
        return f"{text}; what stands now is on the card."
    if view.phase is Phase.OVERDUE:
        return f"{text}. {overdue_text(view)}"
    if timer.kind is TimerKind.LEFT:
        return f"{text}: play on, now or at another time (`/reschedule`)."
    return f"{text}, so nothing more is claimed for that time: play, or *Propose another time*."


def _judged(view: MatchView, timer: Timer) -> str:
    """Q12: the TDs have ruled about the early games, so an absence may be reported as if it had not been."""
    last = timer.agreed_at + view.rules.evening.absence_report_within
    if view.absence is not None and view.absence.id > timer.id:
        return "The TDs have judged those games; what was reported after that stands below."
    if view.now > last or view.match.agreed_at != timer.agreed_at:
        return "The TDs have judged those games, so nothing comes of this report."
    return (
        "**The TDs have judged those games.** Is your opponent not there? Report it again, until "
        f"{times.utc(last)}: `/match opponent-absent`."
    )


def no_more_reports(view: MatchView) -> str | None:
    """R6.3: why no absence is reported any more for the agreed time, None where it may be."""
    timer = view.absence
    return None if timer is None or timer.outcome is None else settled(view, timer)


def seen_after(timer: Timer) -> str:
    """What Lichess showed when the ten minutes were over."""
    after = timer.evidence.get("after")
    if after is None or not after["games_read"]:
        return "Lichess does not answer, so I read the games when you choose."
    return "Lichess shows no game of yours."


def _evidence(view: MatchView, timer: Timer) -> str:
    """What Lichess said at the report, and when the time was over."""
    text = f"Lichess at {timer.called_at:%H:%M} UTC: {_seen(view, timer.evidence)}."
    after = timer.evidence.get("after")
    over = ends_at(view.rules.evening, view.terms, timer)
    seen_at = over if after is None or "at" not in after else datetime.fromisoformat(after["at"])
    if after is not None and seen_at is not None:
        text += f" At {seen_at:%H:%M} UTC: {_seen(view, after)}."
    return text


def _seen(view: MatchView, evidence: Mapping[str, Any]) -> str:
    online = evidence["online"]
    if not evidence["games_read"]:
        return "no answer, so nothing could be checked"
    played = "no game of yours since the agreed time" if evidence.get("early") else "no game of yours"
    if online is None:
        return f"{played}; it did not say who was online"
    marks = ", ".join(f"{name(side)} {'✓' if side.entrant.id in online else '–'}" for side in view.sides)
    return f"{played}; online: {marks}"


def over_at(view: MatchView, timer: Timer) -> datetime:
    """When the ten minutes end, of those that run."""
    ends = ends_at(view.rules.evening, view.terms, timer)
    assert ends is not None
    return ends


def sides(view: MatchView, timer: Timer) -> tuple[Side, Side]:
    """Who has told the bot, and the other."""
    return view.side(timer.entrant_id), view.other(timer.entrant_id)


def name(side: Side) -> str:
    return escape(side.entrant.name)


def at(side: Side) -> str:
    return mention(side.discord_id, side.entrant.name)


def challenge(side: Side) -> str:
    return f"[challenge {name(side)}](<{LICHESS}/?user={side.entrant.name}#friend>)"

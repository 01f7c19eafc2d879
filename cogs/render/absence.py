"""Words about a player who is not there at the agreed time (R6.3, Q11, Q38d)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from cogs.render import times
from cogs.render.matches import LICHESS, pings_of
from cogs.render.message import Button, Message, escape, mention
from engine.model import Absence, AbsenceEnd
from engine.reading import duty_rules
from engine.usecases.absences import Told
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase, Side, label

Params = Mapping[str, Any]


def absent(view: MatchView, absence: Absence, *, sent: bool) -> Message | None:
    """In the thread, to whoever is reported absent. None when it is settled before it could be sent."""
    here, away = _sides(view, absence)
    if not sent and (view.phase is Phase.FINISHED or absence.outcome not in (None, AbsenceEnd.TD)):
        return None
    agreed = times.utc(absence.agreed_at)
    head = f"### Are you there?\n{_at(away)}: {_name(here)} waits for you since {agreed} and has reported you absent."
    settled = _settled(view, absence)
    if settled is not None:
        return Message("\n".join([head, settled, _evidence(view, absence)]), (), pings_of(away))
    over = _over(view, absence)
    lines = [
        head,
        f"**Begin the first game by {times.both(over)}**, {times.stamp(over, 'R')}: "
        f"[challenge {_name(here)}](<{LICHESS}/?user={here.entrant.name}#friend>). After that {_name(here)} chooses: "
        "the win, or another time (§6.3).",
        _evidence(view, absence),
    ]
    return Message("\n".join(lines), (), pings_of(away))


def absence_told(view: MatchView, absence: Absence, what: str, *, games_read: bool, sent: bool) -> Message | None:
    """In the thread after the ten minutes. None when it is not true any more before it could be sent."""
    if what == "over":
        return _choose(view, absence, games_read=games_read, sent=sent)
    if what == "rescheduled":
        return _put_off(view, absence)
    here, away = _sides(view, absence)
    if view.phase is not Phase.FINISHED:
        text = f"**A forfeit that stood here was taken back by the TDs**, who decide how {_name(away)}’s match goes on."
        return Message(text) if sent else None
    if what == "claimed":
        why = f"{_name(here)} has claimed the win, because you were not there at {times.utc(absence.agreed_at)}"
    else:
        why = f"the match was put off, and no game was begun by {times.deadline(view.play_by)}"
    text = f"{_at(away)}: {why}. So you have forfeited the match (§6.3)."
    if away.entrant.id in view.due_out:
        text += " **It is your second forfeit: by §6.5 you are out of the event with the next pairings.**"
    return Message(f"{text} If that is wrong, write to the TDs now.", (), pings_of(away))


def _choose(view: MatchView, absence: Absence, *, games_read: bool, sent: bool) -> Message | None:
    here, away = _sides(view, absence)
    settled = _settled(view, absence)
    if settled is not None:
        return Message(settled) if sent else None
    grace = int(view.rules.evening.grace.total_seconds()) // 60
    seen = (
        "Lichess shows no game of yours"
        if games_read
        else "Lichess does not answer, so I read the games when you choose"
    )
    lines = [f"{_at(here)}: the {grace} minutes are over. {seen}. You choose (§6.3):", "• *Claim the win*: at once."]
    buttons = [Button("claim-win", absence.id, "Claim the win", "primary")]
    if view.now < view.play_by:
        lines.append(
            f"• *Reschedule*: the two of you play by {times.deadline(view.play_by)}. If no game has begun by then, "
            f"{_name(away)} forfeits the match to you."
        )
        buttons.append(Button("claim-move", absence.id, "Reschedule"))
    lines.append(f"If {_name(away)} comes after all, just play: then there is nothing to claim.")
    return Message("\n".join(lines), tuple(buttons), pings_of(here))


def _put_off(view: MatchView, absence: Absence) -> Message:
    """Q11, Q11b."""
    here, away = _sides(view, absence)
    both = f"{_at(away)} {_at(here)}"
    if view.phase is not Phase.NEGOTIATING and view.phase is not Phase.AGREED:
        return Message(f"{both}: {_name(here)} had chosen to reschedule; the time for that is over.")
    if absence.outcome is AbsenceEnd.WAIVED:
        return Message(f"{both}: {_name(here)} had chosen to reschedule, and you have played since.")
    lines = [
        f"{both}: {_name(here)} has chosen to reschedule (§6.3). **Agree on a new time, or play at once, by "
        f"{times.deadline(view.play_by)}.** Until there is a new time, {times.utc(absence.agreed_at)} stays on record.",
        f"⚠ If no game has begun by then, {_name(away)} forfeits the match to {_name(here)}.",
    ]
    if absence.decided_at is not None and view.play_by - absence.decided_at < _room(view):
        lines.append("There is no room left for a new time, so play at once.")
    return Message(
        "\n".join(lines), (Button("move-form", view.match.id, "Propose another time"),), pings_of(away, here)
    )


def _room(view: MatchView) -> timedelta:
    return duty_rules(view.rules).latest_before_deadline


# --- Answers to who has reported or chosen ------------------------------------------------------------------------


def answer(told: Told) -> Message:
    """How it stands, to whoever asks."""
    view, absence = told.view, told.absence
    here, away = _sides(view, absence)
    name = _name(away)
    match absence.outcome:
        case AbsenceEnd.CLAIMED if view.phase is Phase.FINISHED:
            return Message(f"Recorded: the match is yours, {name} has forfeited it (§6.3). It is in the thread.")
        case AbsenceEnd.RESCHEDULED if view.phase is not Phase.FINISHED:
            until = times.deadline(view.play_by)
            return Message(
                f"You reschedule: propose another time, or play, by {until}. If no game has begun by then, {name} "
                "forfeits the match to you (§6.3).",
                (Button("move-form", view.match.id, "Propose another time"),),
            )
        case AbsenceEnd.WAIVED:
            return Message(f"You and {name} have begun a game since, so there is nothing to claim (§6.3). Play on.")
        case AbsenceEnd.TD:
            return Message(
                f"{name} has reported you absent too, so a TD decides (§6.3); they are told. If both of you are here, "
                "just play."
            )
        case None if view.match.agreed_at == absence.agreed_at:
            return _reported(view, absence, here, away)
        case _:
            return Message("This absence is closed. What stands now is on the card, the first message of the thread.")


def _reported(view: MatchView, absence: Absence, here: Side, away: Side) -> Message:
    over = _over(view, absence)
    lines = [
        f"Reported: {_name(away)} is called in the thread, and the TDs read it. **Stay ready to play until "
        f"{times.both(over)}**; if no game has begun by then, I ask you what you choose: the win, or another time (§6.3).",
        _evidence(view, absence),
    ]
    online = absence.evidence["online"]
    if online is not None and here.entrant.id not in online:
        lines.append("⚠ Lichess shows you offline yourself: open it now, so that your opponent can play you.")
    return Message("\n".join(lines))


# --- To the TDs -------------------------------------------------------------------------------------------------


def opponent_absent(event: Event, p: Params) -> Message:
    match = event.matches[p["match_id"]]
    here, away = (escape(event.name(id)) for id in (p["entrant_id"], match.opponent_of(p["entrant_id"])))
    agreed = times.utc(datetime.fromisoformat(p["agreed_at"]))
    grace = int(event.rules.evening.grace.total_seconds()) // 60
    waits = f"{here} chooses in {grace} minutes, the win or another time (§6.3)"
    if event.is_settled(match):
        waits = "the match has its result"
    then = waits if p["outcome"] is None else _FOR_TDS[AbsenceEnd(p["outcome"])]
    return Message(f"**Opponent absent:** {_line(event, p)}: {here} reports {away} absent at {agreed}: {then}.")


_FOR_TDS = {
    AbsenceEnd.CLAIMED: "the win was claimed",
    AbsenceEnd.RESCHEDULED: "to be played at another time, or forfeited at the match deadline (§6.3)",
    AbsenceEnd.WAIVED: "they have played since, so nothing comes of it",
    AbsenceEnd.TD: "you decide, because both reports cross",
}


def absences_cross(event: Event, p: Params) -> Message:
    return Message(
        f"**Each reports the other absent:** {_line(event, p)}. Neither can claim (§6.3). What Lichess showed is in the "
        "thread; ask both when they were there. If they can still play, set a time; if not, extend."
    )


def _line(event: Event, p: Params) -> str:
    match = event.matches[p["match_id"]]
    return escape(label(event, match)) + (f" <#{match.thread_id}>" if match.thread_id else "")


# --- Pieces -----------------------------------------------------------------------------------------------------


def _settled(view: MatchView, absence: Absence) -> str | None:
    """What has come of it, None while it waits for the ten minutes or for a choice."""
    here = _name(view.side(absence.entrant_id))
    match absence.outcome:
        case AbsenceEnd.CLAIMED:
            return f"{here} has claimed the win (§6.3)."
        case AbsenceEnd.RESCHEDULED:
            return f"{here} has chosen to reschedule (§6.3)."
        case AbsenceEnd.WAIVED:
            return "You have begun a game since, so there is nothing to claim (§6.3). Play on."
        case AbsenceEnd.TD:
            return "**Each of you has reported the other, so a TD decides (§6.3).** If both of you are here, just play."
        case None if view.phase is Phase.FINISHED:
            return "The match has its result now, so there is nothing to choose any more."
        case None if view.match.agreed_at != absence.agreed_at:
            return "The match has another time since, so nothing comes of this."
        case None:
            return None


def _evidence(view: MatchView, absence: Absence) -> str:
    """What Lichess said at the report."""
    seen, online = absence.evidence, absence.evidence["online"]
    if not seen["games_read"]:
        return "Lichess did not answer then, so nothing could be checked."
    if online is None:
        return "Lichess showed no game of yours then, and did not say who was online."
    marks = ", ".join(f"{_name(side)} {'✓' if side.entrant.id in online else '–'}" for side in view.sides)
    return f"Lichess showed no game of yours at {absence.reported_at:%H:%M} UTC; online: {marks}."


def _over(view: MatchView, absence: Absence) -> datetime:
    return absence.reported_at + view.rules.evening.grace


def _sides(view: MatchView, absence: Absence) -> tuple[Side, Side]:
    """Who has reported, and who is absent."""
    return view.side(absence.entrant_id), view.other(absence.entrant_id)


def _name(side: Side) -> str:
    return escape(side.entrant.name)


def _at(side: Side) -> str:
    return mention(side.discord_id, side.entrant.name)

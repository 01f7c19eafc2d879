"""Words about the time of a match that was not simply agreed: faults, a time that was set, disputes (R5.5-R5.10)."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.directors import extend_match
from cogs.render.matches import heading, pings_of
from cogs.render.message import TEXT_LIMIT, Button, Message, escape, mention
from engine import facts as said
from engine.model import Authority, Dispute, DisputeEnd, Fact
from engine.reading import choice_rules
from engine.usecases.matches import MatchView, Phase, Side

SET_TIME = "Set the time…"


def _both(view: MatchView) -> str:
    return " ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)


def _at_once(fact: Fact) -> bool:
    """Recorded when it happened, give or take a tick."""
    return (fact.recorded_at - fact.occurred_at).total_seconds() < 3600


def set_time_button(view: MatchView) -> Button:
    return Button("set-time", view.match.id, SET_TIME, "primary")


# --- To the players -----------------------------------------------------------------------------------------------


def decided(view: MatchView, fact: Fact, *, stands: bool) -> Message:
    """In the thread, for both; edited when it is taken back."""
    if not stands:
        return Message("The TDs have taken back what stood here; the first post of this thread shows how things are.")
    told = said.decode(fact)
    match told:
        case said.FaultFound():
            return _fault(view, fact, told)
        case said.DutyWaived():
            names = " and ".join(escape(view.side(entrant).entrant.name) for entrant in told.entrants)
            return _message(view, f"A TD forgives that {names} made too few offers (§5.10). Agree on a time here.")
        case said.PlayAllowed():
            return _message(
                view,
                f"A TD lets you play all the same, by {times.deadline(view.play_by)} (§5.10). Agree on a time here; "
                "a played result replaces the draw and the forfeits.",
            )
        case said.TimeSet():
            return _time_set(view, told)
        case said.MatchExtended():
            return _extended(view, told)
        case _:
            raise KeyError(fact.kind)


def _message(view: MatchView, text: str) -> Message:
    buttons = (Button("offer-form", view.match.id, "Offer times", "primary"),) if _negotiates(view) else ()
    return Message(f"{_both(view)} {text}", buttons, pings_of(*view.sides))


def _negotiates(view: MatchView) -> bool:
    return view.phase is Phase.NEGOTIATING


def _fault(view: MatchView, fact: Fact, told: said.FaultFound) -> Message:
    late = "" if _at_once(fact) else f" I was away then; it counts as of {times.utc(fact.occurred_at)}."
    if len(told.at_fault) == 1:
        return _one_at_fault(view, fact, view.side(told.at_fault[0]), late)
    if told.at_fault:
        return _both_at_fault(view, late)
    if view.result is not None:
        return Message(f"{_both(view)} The TDs find nobody at fault.", pings=pings_of(*view.sides))
    return _message(
        view,
        f"Both of you have made the offers, but there is no agreement by the deadline.{late} The TDs decide whether "
        "one of you is at fault (§5.8). You can still agree here: that settles it.",
    )


def _one_at_fault(view: MatchView, fact: Fact, guilty: Side, late: str) -> Message:
    chooser = view.other(guilty.entrant.id)
    by_td = fact.authority is Authority.TD
    why = "is at fault by a TD’s ruling (§5.9)" if by_td else "has made too few offers by the deadline (§5.5)"
    lines = [f"{_both(view)} {escape(guilty.entrant.name)} {why}.{late}"]
    buttons: tuple[Button, ...] = ()
    if view.chooser is not None and view.chooser.entrant.id == chooser.entrant.id and view.right is not None:
        lines.append(f"**{escape(chooser.entrant.name)}, set the time** by {times.deadline(view.right.until)}.")
        lines.append(limits(view))
        buttons = (set_time_button(view), Button("offer-form", view.match.id, "Offer times"))
    elif view.match.agreed_at is not None:
        lines.append(f"The time is {times.both(view.match.agreed_at)}.")
    elif view.result is None:
        lines.append("The time to choose is over; a TD sets the time.")
    return Message("\n".join(lines), buttons, pings_of(*view.sides))


def limits(view: MatchView) -> str:
    """Q5: what may be chosen."""
    rules = choice_rules(view.rules)
    hours = int(rules.min_notice.total_seconds() // 3600)
    latest = view.play_by - rules.latest_before_deadline
    return f"It must be at least {hours} h ahead and no later than {times.both(latest)}. You can also still agree."


def _both_at_fault(view: MatchView, late: str) -> Message:
    text = f"{_both(view)} Neither of you has made the offers by the deadline.{late} "
    if view.result is None:
        text += (
            "By §5.6 that is a draw and a forfeit of each. Have you played or agreed all the same? Press *Report*, or "
            "write to the TDs now."
        )
        return Message(text, (Button("report", view.match.id, "Report"),), pings_of(*view.sides))
    text += "So the match is a draw, and each of you has forfeited a game (§5.6)."
    if view.phase is Phase.FINISHED and view.now < view.play_by:
        text += " If both of you want to play, a TD can allow it."
        return Message(text, (ask_allow(view),), pings_of(*view.sides))
    return Message(text, pings=pings_of(*view.sides))


def ask_allow(view: MatchView) -> Button:
    return Button("ask-allow", view.match.id, "Ask a TD to let us play")


def _time_set(view: MatchView, told: said.TimeSet) -> Message:
    by = "A TD has" if told.by is None else f"{escape(view.side(told.by).entrant.name)} has"
    clause = "§5.10" if told.by is None else "§5.5"
    text = f"{_both(view)} {by} set the time: **{times.both(told.at)}**, {times.stamp(told.at, 'R')} ({clause})."
    if view.match.agreed_at is not None and view.match.agreed_at != told.at:
        text += f" Since then it was moved to {times.both(view.match.agreed_at)}."
    return Message(text, pings=pings_of(*view.sides))


def _extended(view: MatchView, told: said.MatchExtended) -> Message:
    if view.match.agreed_at is not None:
        how = "Find the hour here; no new time is needed."
    elif told.offers_by is not None:
        how = f"Offers that count are due by {times.deadline(told.offers_by)}."
    else:
        how = "Agree on a time here."
    return _message(view, f"A TD has extended this match: play it by {times.deadline(told.until)}. {how}")


# --- To the TDs -----------------------------------------------------------------------------------------------------

_ENDS = {
    DisputeEnd.RULED: "✓ **Ruled**",
    DisputeEnd.AGREED: "✓ **Settled by the players**: they agreed",
    DisputeEnd.PLAYED: "✓ **Settled by the players**: they played",
}


def dispute_card(view: MatchView, dispute: Dispute, evidence: Sequence[str]) -> Message:
    """R5.8: the question, the evidence, and a button for each answer; when it is answered, how."""
    thread = f" <#{view.match.thread_id}>" if view.match.thread_id else ""
    head = f"**Dispute {dispute.id}: no agreement** · {heading(view)}{thread}"
    if dispute.outcome is not None:
        at = f", {times.utc(dispute.ended_at)}" if dispute.ended_at else ""
        return Message(f"{head}\n{_ENDS[dispute.outcome]}{at}.")
    lines = [
        head,
        f"Both made their offers and did not agree by {times.utc(view.offers_by)}. Is one of them at fault (§5.8)? "
        "Then the other sets the time; if nobody is, it is a draw (§5.9). If they agree before you rule, this closes "
        "by itself.",
    ]
    room = TEXT_LIMIT - sum(len(line) + 1 for line in lines) - 40
    for line in evidence:
        if len(line) + 1 > room:
            lines.append("… `/match show` has all of it.")
            break
        lines.append(line)
        room -= len(line) + 1
    return Message("\n".join(lines), fault_buttons(view))


def fault_buttons(view: MatchView) -> tuple[Button, ...]:
    """The answers to the question of fault."""
    id = view.match.id
    return (
        *(
            Button("rule-fault", f"{id}.{name}", f"{side.entrant.name} is at fault…", "danger")
            for name, side in zip("ab", view.sides, strict=True)
        ),
        Button("rule-fault", f"{id}.nobody", "Nobody is: a draw…"),
        td_set_time(id),
        extend_match(id),
    )


def td_set_time(match_id: int) -> Button:
    return Button("rule-time", match_id, SET_TIME)


def allow(match_id: int) -> Button:
    return Button("rule-waive", match_id, "Let them play…", "good")


def both_failed(match_id: int) -> Button:
    return Button("rule-fault", f"{match_id}.both", "§5.6: a draw, a forfeit each…", "danger")

"""Words about the time of a match that was not simply agreed: faults, a time that was set, disputes (R5.5-R5.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from cogs.render import games, times
from cogs.render.directors import extend_match
from cogs.render.matches import (
    IN_A_KNOCKOUT,
    LICHESS,
    SECTION_5_6,
    heading,
    is_for_the_rule,
    overdue_buttons,
    overdue_text,
    pings_of,
    result_line,
    until_decided,
)
from cogs.render.message import TEXT_LIMIT, Button, Message, escape, mention
from cogs.render.tied import due_buttons, stands
from cogs.render.titles import clause_text
from engine import facts as said
from engine.armageddon import AwaitingBids
from engine.model import Authority, Dispute, DisputeCause, DisputeEnd, Fact
from engine.points import show_score
from engine.reading import choice_rules
from engine.terms import BOTH_FAILED
from engine.timers import Timer, ends_at, is_stopped
from engine.usecases.matches import MatchView, Phase

SET_TIME = "Set the time…"


def _both(view: MatchView) -> str:
    return " ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)


def _at_once(fact: Fact) -> bool:
    """Recorded when it happened, give or take a tick."""
    return (fact.recorded_at - fact.occurred_at).total_seconds() < 3600


def _came_by_an_undo(view: MatchView, fact: Fact) -> bool:
    """The deadline had passed behind a result, which TDs have taken back since."""
    again = view.terms.reopened_at
    return again is not None and fact.occurred_at < again <= fact.recorded_at


def set_time_button(view: MatchView) -> Button:
    return Button("set-time", view.match.id, SET_TIME, "primary")


# --- To the players -----------------------------------------------------------------------------------------------


def decided(view: MatchView, fact: Fact) -> Message:
    """In the thread, for both: a decision that stands."""
    told = said.decode(fact)
    match told:
        case said.FaultFound():
            return _fault(view, fact, told)
        case said.DutyWaived():
            names = " and ".join(escape(view.side(entrant).entrant.name) for entrant in told.entrants)
            return _message(view, f"A TD forgives that {names} made too few offers (§5.10).")
        case said.PlayAllowed():
            return _message(
                view,
                f"A TD lets you play all the same, by {times.deadline(view.play_by)} (§5.10). A played result replaces "
                "the draw and the forfeits; without a game they stand.",
            )
        case said.TimeSet() | said.DeciderSet():
            return _time_set(view, told)
        case said.MatchExtended():
            return _extended(view, told)
        case said.GameRuled():
            return _game_ruled(view, games.told(view, told))
        case said.TimerRuled():
            return _timer(view, told)
        case said.MatchRuled() | said.MatchVoided() | said.ForfeitCounted():
            return _ended(view, fact, told)
        case _:
            raise KeyError(fact.kind)


def outdated() -> Message:
    """What a decision is edited to when it is taken back."""
    return Message("What stood here was taken back; the first post of this thread shows how things are.")


def taken_back(
    view: MatchView, fact: Fact, ended: Sequence[said.Event], waits: Sequence[Timer] = (), *, restored: bool
) -> Message:
    """In the thread, for both: decisions about their match that no longer stand, or that stand again. `waits`: the ten
    minutes that they were about."""
    by_game = any(isinstance(event, said.GameRuled) for event in ended)
    # What a ruling about a game did to the result went with it.
    what = "; ".join(_what(view, event) for event in ended if not (by_game and isinstance(event, said.MatchPlayed)))
    if fact.authority is Authority.SYSTEM:
        text = "The time to play all the same is over, and Lichess shows no game of yours that counts."
    elif restored:
        text = f"The TDs have put this in force again: {what}."
    else:
        text = f"The TDs have taken this back: {what}."
    text = " ".join([text, *filter(None, (_waits(view, timer) for timer in waits))])
    if by_game:
        return _game_ruled(view, f"{text} {games.how_it_goes_on(view)}".strip())
    return _message(view, text)


def _waits(view: MatchView, timer: Timer) -> str:
    """How ten minutes go on, of which nothing has come yet."""
    over = ends_at(view.rules.evening, view.terms, timer)
    if timer.outcome is not None or view.phase is Phase.FINISHED:
        return ""
    if is_stopped(view.terms, timer):
        return "They are stopped."
    if over is None:
        return "They begin with the end of the game in progress."
    return f"They run until {times.both(over)}." if over > view.now else f"They were over at {times.utc(over)}."


def _game_ruled(view: MatchView, text: str) -> Message:
    stands = f"\nIt stands: {result_line(view)}." if view.phase is Phase.FINISHED else ""
    buttons = () if stands else (Button("report", view.match.id, "Report"),)
    return Message(f"{_both(view)}: {text}{stands}", buttons, pings_of(*view.sides))


def _what(view: MatchView, event: said.Event) -> str:
    match event:
        case said.FaultFound():
            names = " and ".join(escape(view.side(entrant).entrant.name) for entrant in event.at_fault)
            return f"whose fault it is that there is no time ({names or 'nobody’s'})"
        case said.DutyWaived():
            names = " and ".join(escape(view.side(entrant).entrant.name) for entrant in event.entrants)
            return f"that the missing offers of {names} are forgiven"
        case said.PlayAllowed():
            return "that you may play all the same"
        case said.TimeSet():
            return f"the time {times.utc(event.at)}"
        case said.DeciderSet():
            return f"that the armageddon game alone is played, {times.utc(event.at)}"
        case said.GameRuled():
            return games.ruled_about(event)
        case said.TimerRuled():
            return "what was ruled about the ten minutes"
        case said.MatchExtended():
            return f"the extension to {times.utc(event.until - timedelta(minutes=1))}"
        case _:
            return "the result"


def _message(view: MatchView, text: str) -> Message:
    """Both are told, and read what comes next."""
    step, buttons = next_step(view)
    return Message(f"{_both(view)} {text}\n{step}", buttons, pings_of(*view.sides))


def next_step(view: MatchView) -> tuple[str, tuple[Button, ...]]:
    """How the match stands, for both players, and what they can do."""
    match view.phase:
        case Phase.FINISHED:
            return f"It stands: {result_line(view)}.", ()
        case Phase.OVERDUE:
            return overdue_text(view), overdue_buttons(view)
        case _ if view.tied_at is not None:
            return stands(view), due_buttons(view)
        case Phase.AGREED:
            assert view.match.agreed_at is not None
            return f"The time is {times.both(view.match.agreed_at)}. {until_decided(view)}".rstrip(), ()
        case Phase.NEGOTIATING:
            return _negotiating(view)


def _negotiating(view: MatchView) -> tuple[str, tuple[Button, ...]]:
    offer = Button("offer-form", view.match.id, "Offer times", "primary")
    if view.chooser is not None and view.right is not None:
        who = escape(view.chooser.entrant.name)
        step = f"**{who}, set the time** by {times.deadline(view.right.until)}.\n{limits(view)}"
        return step, (set_time_button(view), replace(offer, style="plain"))
    if view.right is not None:
        return "The time to choose is over; a TD sets the time. You can still agree here.", (offer,)
    if view.dispute is not None:
        step = "The TDs decide whether one of you is at fault (§5.8). You can still agree here: that settles it."
        return step, (offer,)
    return "Agree on a time here.", (offer,)


def _fault(view: MatchView, fact: Fact, told: said.FaultFound) -> Message:
    late = (
        ""
        if _at_once(fact) or _came_by_an_undo(view, fact)
        else f" I was away then; it counts as of {times.utc(fact.occurred_at)}."
    )
    if len(told.at_fault) > 1:
        return _both_at_fault(view, late)
    if told.at_fault:
        name = escape(view.side(told.at_fault[0]).entrant.name)
        by_td = fact.authority is Authority.TD
        why = "is at fault by a TD’s ruling (§5.9)" if by_td else "has made too few offers by the deadline (§5.5)"
        return _message(view, f"{name} {why}.{late}")
    if fact.authority is Authority.TD:
        return _message(view, "The TDs find nobody at fault (§5.9).")
    offered = (
        "Both of you have made the offers" if all(side.duty.met for side in view.sides) else "Nobody is at fault so far"
    )
    return _message(view, f"{offered}, but there was no agreement by the deadline.{late}")


def limits(view: MatchView) -> str:
    """Q5: what may be chosen."""
    rules = choice_rules(view.rules)
    hours = int(rules.min_notice.total_seconds() // 3600)
    latest = view.play_by - rules.latest_before_deadline
    return f"It must be at least {hours} h ahead and no later than {times.both(latest)}. You can also still agree."


def _both_at_fault(view: MatchView, late: str) -> Message:
    text = f"Neither of you had made the offers by the deadline.{late}"
    if is_for_the_rule(view):
        return Message(f"{_both(view)} {text} {SECTION_5_6}", pings=pings_of(*view.sides))
    if view.is_knockout and view.terms.both_failed:
        return _message(view, f"{text} {IN_A_KNOCKOUT}{_both_out(view)}")
    if view.result is None or view.result.forfeit != BOTH_FAILED:
        return _message(view, text)
    text += f" So the match is a draw, and each of you has forfeited a game (§5.6).{_both_out(view)}"
    if view.phase is Phase.FINISHED and view.now < view.play_by:
        text += " If both of you want to play, a TD can allow it."
        return Message(f"{_both(view)} {text}", (ask_allow(view),), pings_of(*view.sides))
    return Message(f"{_both(view)} {text}", pings=pings_of(*view.sides))


def _both_out(view: MatchView) -> str:
    """R6.5."""
    return "".join(
        f" **{escape(side.entrant.name)}, you have forfeited in two matches: by §6.5 you are out of the event with the "
        "next pairings.** Write to the TDs now if that is wrong."
        for side in view.sides
        if side.entrant.id in view.due_out
    )


def ask_allow(view: MatchView) -> Button:
    return Button("ask-allow", view.match.id, "Ask a TD to let us play")


def _ended(view: MatchView, fact: Fact, told: said.MatchRuled | said.MatchVoided | said.ForfeitCounted) -> Message:
    """A TD has ended the match, or counted a forfeit of both in a knock-out, where somebody has to win (Q34)."""
    wrong = "If that is wrong, write to the TDs now."
    if isinstance(told, said.ForfeitCounted):
        text = f"A TD has ruled that each of you has forfeited this match.{_both_out(view)}"
        if view.phase is not Phase.FINISHED:
            text += " One of you goes on all the same, so it is still to be decided (§3.13)."
        return _message(view, f"{text} {wrong}")
    if view.result is None or view.result.fact_id != fact.id:
        return Message("A TD had given this match a result; the first post of this thread shows how things are.")
    text = f"A TD has ended your match: **{result_line(view)}** {clause_text(fact.clause)}".rstrip() + "."
    if isinstance(told, said.MatchVoided):
        text += " The pairing is taken back: no points for anybody, and the two of you may meet again."
    return Message(f"{_both(view)} {text}{_both_out(view)} {wrong}", pings=pings_of(*view.sides))


def _time_set(view: MatchView, told: said.TimeSet | said.DeciderSet) -> Message:
    setter = told.by if isinstance(told, said.TimeSet) else None
    by = "A TD has" if setter is None else f"{escape(view.side(setter).entrant.name)} has"
    clause = "§5.10" if setter is None else "§5.5"
    text = f"{_both(view)} {by} set the time: **{times.both(told.at)}**, {times.stamp(told.at, 'R')} ({clause})."
    if isinstance(told, said.TimeSet) and view.terms.decider_alone and isinstance(view.bidding, AwaitingBids):
        text += f" Your bids for White are due by {times.both(view.bidding.due)}."
    if isinstance(told, said.DeciderSet):
        text += " **You play one game, the armageddon game (§3.16)**: first both of you bid for White, here."
    if view.match.agreed_at is not None and view.match.agreed_at != told.at:
        text += f" Since then it was moved to {times.both(view.match.agreed_at)}."
    return Message(text, pings=pings_of(*view.sides))


def _extended(view: MatchView, told: said.MatchExtended) -> Message:
    text = f"A TD has extended this match: play it by {times.deadline(told.until)}."
    if view.may_claim is not None:
        text += f" {escape(view.side(view.may_claim).entrant.name)} may still claim the win until you begin a game."
    if view.match.agreed_at is not None and view.phase is Phase.AGREED:
        at = view.match.agreed_at
        how = f"The time is {times.both(at)}." if at > view.now else "Find the hour here; no new time is needed."
        return Message(f"{_both(view)} {text} {how}", pings=pings_of(*view.sides))
    if told.offers_by is not None:
        text += f" Offers that count are due by {times.deadline(told.offers_by)}."
    return _message(view, text)


def _timer(view: MatchView, told: said.TimerRuled) -> Message:
    if told.until is None:
        text = "A TD has stopped the ten minutes that ran here; nothing can be claimed by them (§5.10)."
    else:
        text = f"A TD has extended the ten minutes: they end {times.both(told.until)} (§5.10)."
    return Message(f"{_both(view)} {text}", pings=pings_of(*view.sides))


# --- To the TDs -----------------------------------------------------------------------------------------------------

_CAUSES = {DisputeCause.NO_AGREEMENT: "no agreement", DisputeCause.REPORTS_DIFFER: "their reports differ"}


def cause_words(dispute: Dispute) -> str:
    return _CAUSES[dispute.cause]


def claims(view: MatchView) -> list[str]:
    """What each side says of the match; a line each."""
    a, b = (escape(side.entrant.name) for side in view.sides)
    lines: list[str] = []
    for report in view.reports:
        who = escape(view.side(report.entrant_id).entrant.name)
        if report.claimed is not None:
            lines.append(f"• {who} says: {a} {show_score(*report.claimed)} {b}, without games")
        elif report.first_game_id is not None:
            lines.append(f"• {who} says: the first game was <{LICHESS}/{report.first_game_id}>")
    return lines


def reports_differ(view: MatchView, dispute: Dispute) -> Message:
    """To both: what each has said, who decides, and how it ends by itself."""
    if dispute.outcome is not None:
        return Message("Your reports differed; that is settled.")
    lines = [
        f"{_both(view)}: your reports differ.",
        *claims(view),
        "The TDs decide and have been told (§1.3). Did you play on Lichess? Then either of you types `/report games:` "
        "with the links: the games decide. If one of you was wrong, report again; the same report of both settles it.",
    ]
    return Message("\n".join(lines), (Button("report", view.match.id, "Report"),), pings_of(*view.sides))


_ENDS = {
    DisputeEnd.RULED: "✓ **Ruled**",
    DisputeEnd.AGREED: "✓ **Settled by the players**: they agreed",
    DisputeEnd.PLAYED: "✓ **Settled by the players**: they played",
}


def dispute_card(view: MatchView, dispute: Dispute, evidence: Sequence[str]) -> Message:
    """R5.8: the question, the evidence, and a button for each answer; when it is answered, how."""
    thread = f" <#{view.match.thread_id}>" if view.match.thread_id else ""
    head = f"**Dispute {dispute.id}: {_CAUSES[dispute.cause]}** · {heading(view)}{thread}"
    if dispute.outcome is not None:
        at = f", {times.utc(dispute.ended_at)}" if dispute.ended_at else ""
        return Message(f"{head}\n{_ENDS[dispute.outcome]}{at}.")
    if dispute.cause is DisputeCause.REPORTS_DIFFER:
        ways = (
            "No games on record decide it. Ask both for the links (`/report games:`), look with `/td-match games`, or "
            "have it played. A result from games, or the same report of both, closes this."
        )
        lines = [head, *claims(view), ways]
        return Message("\n".join(lines), (td_set_time(view.match.id), extend_match(view.match.id)))
    nobody = "a TD sets the time, for there is no draw in a knock-out" if view.is_knockout else "it is a draw (§5.9)"
    offers = (
        "Both made their offers and did not agree"
        if all(side.duty.met for side in view.sides)
        else "Nobody is at fault by the offers, and they did not agree"
    )
    lines = [
        head,
        f"{offers} by {times.utc(view.offers_by)}. Is one of them at fault (§5.8)? "
        f"Then the other sets the time; if nobody is, {nobody}. If they agree before you rule, this closes by itself.",
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
        *(() if view.is_knockout else (Button("rule-fault", f"{id}.nobody", "Nobody is: a draw…"),)),
        td_set_time(id),
        extend_match(id),
    )


def td_set_time(match_id: int) -> Button:
    return Button("rule-time", match_id, SET_TIME)


def allow(match_id: int) -> Button:
    return Button("rule-waive", match_id, "Let them play…", "good")


def both_failed(match_id: int) -> Button:
    return Button("rule-fault", f"{match_id}.both", "§5.6: a draw, a forfeit each…", "danger")


def both_forfeit(match_id: int) -> Button:
    """The same in a knock-out, where there is no draw (Q34)."""
    return Button("rule-fault", f"{match_id}.both", "§5.6: a forfeit each…", "danger")

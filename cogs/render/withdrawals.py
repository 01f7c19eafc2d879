"""Words for a player who leaves the event: what that does now, and that it is done (R8)."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render.message import Button, Message, escape
from cogs.render.titles import seat_name
from engine.model import Stage
from engine.seat_rulings import Earned, GivenUp, earned_final, given_up
from engine.tournament import ResultKind
from engine.usecases.withdrawals import WithdrawalView


def question(view: WithdrawalView) -> Message:
    """What `/withdraw` would do at this stage, before it is done."""
    lines = [
        f"You are about to leave {escape(view.event.edition.title)}, where you play as "
        f"**{escape(view.entrant.name)}**. Then:",
        *(f"• {line}" for line in _consequences(view)),
        "• Only a TD can let you in again.",
    ]
    return Message("\n".join(lines), (Button("leave-event", view.asked, "Yes, I leave the event", "danger"),))


def done(view: WithdrawalView) -> Message:
    return Message(
        f"You have left {escape(view.event.edition.title)}; the TDs are told. If you change your mind, write to them: "
        "only they can let you in again."
    )


def _consequences(view: WithdrawalView) -> Sequence[str]:
    """R8.1, R8.3-R8.5 and Q49, as the preview says."""
    lines = _results(view)
    stage = view.preview.after.tournament.left[view.entrant.id].stage
    if stage is None:
        return ("You are in no pairings (§8.1).",)
    if stage is Stage.QUALIFICATION:
        place = "Your results stay; you have no place in the table and do not go on to the Candidates."
        return ("You are not paired again (§8.1).", *lines, place)
    if not view.event.open_matches() and (seat := given_up(view.preview.before, view.preview.after, view.entrant.id)):
        return (*lines, "Your results stay.", _seat_goes_to(view, seat))
    if earned := earned_final(view.preview.before, view.entrant.id):
        return (*lines, "Your results stay.", _earned(view, earned))
    if stage is Stage.CANDIDATES:
        return lines or ("Your results stay: you have no match left to play in this stage.",)
    clause = "§8.4" if stage is Stage.SEMIFINALS else "§8.5"
    moved = (f"Players below you move up into your place ({clause}).",) if view.preview.repairs else ()
    return (*lines, *moved) or ("Your results stay: you have no match left to play in this stage.",)


def _seat_goes_to(view: WithdrawalView, seat: GivenUp) -> str:
    """R8.4, R8.5: between two stages, with the seats of the next one clear already."""
    clause = "§8.4" if seat.stage is Stage.SEMIFINALS else "§8.5"
    heirs = ", ".join(escape(view.event.name(e)) for e in seat.heirs) or "nobody, because nobody is left for it"
    return f"Your seat in {seat_name(seat.group)} goes to {heirs} ({clause})."


def _earned(view: WithdrawalView, seat: Earned) -> str:
    """R8.5, Q52: a semifinal is open still, so the Finals are not seated yet."""
    lead = f"You give up your seat in {seat_name(seat.group)}"
    if seat.heir is not None:
        return f"{lead}: {escape(view.event.name(seat.heir))} moves up into it (§8.5)."
    return f"{lead}. Who moves up into it is clear when the other semifinal is decided (§8.5)."


def _results(view: WithdrawalView) -> tuple[str, ...]:
    """Of the own matches: those that others win, those that no longer count."""
    own = [c for c in view.preview.matches if c.match_id in view.event.matches]
    lost = [view.event.matches[c.match_id] for c in own if c.after and c.after.kind is ResultKind.WALKOVER]
    lines = [
        f"Your open match against {name} is won by {name} (§8)."
        for match in lost
        if match.has(view.entrant.id)
        for name in (escape(view.event.name(match.opponent_of(view.entrant.id))),)
    ]
    gone = [c for c in own if c.after and c.after.kind is ResultKind.DISREGARDED]
    if gone:
        lines.append(
            "All your matches in the Candidates are disregarded, those played too, and your opponents of the coming "
            "weeks are free (§8.3)."
        )
    return tuple(lines)

"""Words about offers: made, answered, owed, and the time that comes of them (R5.1-R5.7, R6.3)."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.calendar import match_file
from cogs.render.matches import accept_button, duty_short, overdue_buttons, overdue_text, pings_of
from cogs.render.message import Button, Message, escape, mention
from engine.calendar import ReminderKind
from engine.model import Offer, OfferState
from engine.negotiation import Reason, Unhelpful
from engine.usecases.matches import MatchView, Phase, Side


def offered(view: MatchView, entrant_id: int, made: Sequence[Offer]) -> Message:
    """The private answer to an offer: what was understood, how far the duty of three is met, what does not help."""
    side, other = view.side(entrant_id), view.other(entrant_id)
    moves = any(offer.moves for offer in made)
    lines = [f"{'Proposed' if moves else 'Offered'} to {escape(other.entrant.name)}:"]
    lines += [f"• {times.span(offer.starts_at, offer.ends_at)}" for offer in made]
    if moves and view.match.agreed_at is not None:
        lines.append(f"Until it is accepted, {times.utc(view.match.agreed_at)} stands.")
        lines.append(f"Whatever is not played by {times.deadline(view.play_by)} goes to the TDs.")
    same = [theirs for theirs in view.offers if theirs.entrant_id != entrant_id and _meets(theirs, made)]
    if same:
        lines.append(f"{escape(other.entrant.name)} offers that too: accept it, and the time is fixed.")
    buttons = tuple(accept_button(view, offer) for offer in same)
    return Message("\n".join([*lines, *duty_text(view, side)]), buttons)


def _meets(theirs: Offer, made: Sequence[Offer]) -> bool:
    """Whether one of the times just made is that offer, or a minute of that range."""
    return any(theirs.starts_at <= own.starts_at <= (theirs.ends_at or theirs.starts_at) for own in made)


def retracted(view: MatchView, entrant_id: int, offer: Offer) -> Message:
    lines = [f"Retracted: {times.span(offer.starts_at, offer.ends_at)}."]
    return Message("\n".join([*lines, *duty_text(view, view.side(entrant_id))]))


def duty_text(view: MatchView, side: Side) -> list[str]:
    """R5.1, R5.4: the duty so far, and for each offer that does not help, why (Q4)."""
    count = view.rules.offers.count
    if view.phase is not Phase.NEGOTIATING or view.came_late:
        return []
    if view.now >= view.offers_by:
        return ["The time for offers that count is over; you can still agree on a time."]
    if side.duty.met:
        lines = [f"You have made your {count} offers. Now it is your opponent's turn."]
    else:
        missing = side.duty.missing
        lines = [
            f"{len(side.duty.counted)} of {count} offers count; {missing} more by "
            f"{times.deadline(view.offers_by)} (§5.1)."
        ]
    offers = {offer.id: offer for offer in side.offers}
    shown = [item for item in side.duty.unhelpful if offers[item.offer_id].state is not OfferState.RETRACTED]
    return lines + [_unhelpful_line(view, offers, item) for item in shown]


def _unhelpful_line(view: MatchView, offers: dict[int, Offer], item: Unhelpful) -> str:
    rules = view.rules.offers
    at = times.short(offers[item.offer_id].starts_at)
    against = times.short(offers[item.against_id].starts_at) if item.against_id else ""
    hours = int(rules.min_gap.total_seconds() // 3600)
    notice = int(rules.min_notice.total_seconds() // 60)
    why = {
        Reason.TOO_CLOSE: f"is less than {hours} h from {against} (§5.4)",
        Reason.DATE_FULL: f"is one more than {rules.max_per_date} on that date (§5.4)",
        Reason.TOO_SHORT_NOTICE: f"is at less than {notice} minutes' notice",
        Reason.MADE_AFTER_DEADLINE: "was made after the offer deadline",
    }.get(item.reason, "does not count")
    return f"• {at} can be accepted, but does not help your {rules.count}: it {why}."


def offers_made(view: MatchView, entrant_id: int, made: Sequence[Offer], note: str = "") -> Message:
    """In the thread, for the opponent: the times with *Accept* buttons; edited when one is retracted or accepted."""
    side, other = view.side(entrant_id), view.other(entrant_id)
    moves = any(offer.moves for offer in made)
    count = "a time" if len(made) == 1 else f"{len(made)} times"
    what = "proposes to move the match" if moves else f"offers {count}"
    lines = [f"{mention(other.discord_id, other.entrant.name)}: {escape(side.entrant.name)} {what}."]
    lines += [_offer_line(offer) for offer in made]
    if note:
        lines.append(f"“{escape(note)}”")
    buttons: list[Button] = []
    on_table = {offer.id for offer in view.offers}
    if view.phase is Phase.NEGOTIATING or (view.phase is Phase.AGREED and on_table.intersection(o.id for o in made)):
        buttons = [accept_button(view, offer) for offer in made if offer.id in on_table]
        buttons.append(_other_times(view))
        lines.append(_how_to_answer(view))
    return Message("\n".join(lines), tuple(buttons), pings_of(other))


def _other_times(view: MatchView) -> Button:
    if view.phase is Phase.AGREED:
        return Button("move-form", view.match.id, "Propose other times")
    return Button("offer-form", view.match.id, "Offer other times")


def _how_to_answer(view: MatchView) -> str:
    if view.match.agreed_at is not None:
        return f"Until you accept, {times.utc(view.match.agreed_at)} stands."
    hours = int(view.rules.offers.answer_within.total_seconds() // 3600)
    return f"Accept one or offer other times, preferably within {hours} h (§5.7)."


def _offer_line(offer: Offer) -> str:
    text = times.span(offer.starts_at, offer.ends_at)
    if offer.state is OfferState.RETRACTED:
        return f"• ~~{text}~~ retracted"
    if offer.state is OfferState.LAPSED:
        return f"• ~~{text}~~ closed: the match has got another time"
    return f"• {text}" + (" **accepted**" if offer.state is OfferState.ACCEPTED else "")


def overdue(view: MatchView) -> Message:
    """In the thread, for both: the window has closed without a result (Q7)."""
    if view.phase is not Phase.OVERDUE:
        return Message("The time for this match was over; it has gone on since.")
    a, b = (mention(side.discord_id, side.entrant.name) for side in view.sides)
    return Message(f"{a} {b} {overdue_text(view)}", overdue_buttons(view), pings_of(*view.sides))


def agreed(view: MatchView, offer: Offer) -> Message:
    """In the thread, for both."""
    assert view.match.agreed_at is not None
    a, b = (mention(side.discord_id, side.entrant.name) for side in view.sides)
    word = "Moved to" if offer.moves else "Agreed"
    return Message(
        f"{a} {b} {word}: **{times.both(view.match.agreed_at)}**, {times.stamp(view.match.agreed_at, 'R')}.",
        pings=pings_of(*view.sides),
    )


def time_set(view: MatchView) -> Message:
    """To whoever has set the time (R5.5)."""
    assert view.match.agreed_at is not None
    return Message(
        f"The match is set for {times.both(view.match.agreed_at)}. Your opponent is told in the thread. After the "
        "match, press *Report*.",
        files=(match_file(view),),
    )


def asked(label: str) -> Message:
    return Message(f"The TDs are asked about {escape(label)}. You will read their answer in the thread.")


def accepted(view: MatchView, *, already: bool) -> Message:
    assert view.match.agreed_at is not None
    word = "Already agreed" if already else "Agreed"
    return Message(
        f"{word}: {times.both(view.match.agreed_at)}. It is in the thread and in the pairings; the file is for your "
        "own calendar. I follow the games then and post the result by myself.",
        files=(match_file(view),),
    )


def reminder(view: MatchView, entrant_ids: Sequence[int], kind: str) -> Message:
    """R5.1: the ping of those who still owe offers."""
    late = [side for side in view.sides if side.entrant.id in entrant_ids]
    who = " ".join(mention(side.discord_id, side.entrant.name) for side in late)
    count = view.rules.offers.count
    opening = {
        ReminderKind.NO_OFFER: "no offer from you yet.",
        ReminderKind.TOO_FEW: f"fewer than {count} offers from you so far.",
        ReminderKind.LAST_CALL: f"last call: fewer than {count} offers from you.",
    }[ReminderKind(kind)]
    counts = ", ".join(f"{escape(side.entrant.name)} {duty_short(side, count)}" for side in late)
    if len(late) > 1:
        what = "that is" if view.is_knockout else "the match is a draw with"
        threat = f"If neither of you makes them, {what} a forfeit of each (§5.6)."
    else:
        threat = "Without them your opponent may choose the time (§5.5)."
    return Message(
        f"{who}: {opening} {count} in all are due by {times.deadline(view.offers_by)}: {counts} (§5.1). {threat}",
        (Button("offer-form", view.match.id, "Offer times", "primary"),),
        pings_of(*late),
    )

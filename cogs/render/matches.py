"""Words about one match: its card, its offers, its agreement, its result."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.calendar import match_file
from cogs.render.message import Button, Link, Message, escape, mention
from engine.calendar import ReminderKind
from engine.model import Offer, OfferState, Report
from engine.negotiation import Reason, Unhelpful
from engine.points import WIN, show, show_score
from engine.tournament import Result, ResultKind
from engine.usecases.matches import MatchView, Phase, Side

LICHESS = "https://lichess.org"
OVERDUE = (
    "**The time for this match is over.** If you have played it, press *Report*. If not, write to the TDs: they "
    "decide what happens; nothing is decided by silence."
)

TAGS = {
    Phase.NEGOTIATING: "Finding a time",
    Phase.AGREED: "Time agreed",
    Phase.OVERDUE: "Overdue",
    Phase.FINISHED: "Finished",
}
"""The tag of a match thread in a forum; Discord allows 20 characters."""


def thread_name(view: MatchView) -> str:
    """Unique in its channel, so that it can be found again; at most 100 characters."""
    names = f"{view.a.entrant.name} – {view.b.entrant.name}"
    return f"R{view.round.number} · {view.match.board:02d} · {names}"[:100]


def heading(view: MatchView) -> str:
    return f"Round {view.round.number}: {escape(view.a.entrant.name)} – {escape(view.b.entrant.name)}"


def card(view: MatchView) -> Message:
    """The first message of a match thread: what the match is, how it stands, and every action as a button."""
    rules = view.rules.match(view.round.stage)
    clock = f"{rules.clock_initial // 60}+{rules.clock_increment}"
    lines = [
        f"## {heading(view)}",
        f"{mention(view.a.discord_id, view.a.entrant.name)} and {mention(view.b.discord_id, view.b.entrant.name)}, "
        f"up to {rules.games} {'rated' if rules.rated else 'casual'} {view.rules.variant} games, {clock}, on Lichess: "
        f"{profile(view.a)} and {profile(view.b)}.",
    ]
    buttons: list[Button | Link] = []
    if view.phase is Phase.FINISHED:
        assert view.result is not None
        lines.append(f"**Finished: {result_line(view)}**")
    elif view.phase is Phase.AGREED:
        assert view.match.agreed_at is not None
        lines.append(f"**{agreed_line(view)}**")
        lines.append("Challenge each other on Lichess then. After the match, press *Report*: I read the games myself.")
        lines += _on_the_table(view, "proposes another time, until it is accepted the agreed one stands:")
        buttons.append(Button("report", view.match.id, "Report", "primary"))
        buttons += [accept_button(view, offer, named=True) for offer in view.offers]
        buttons.append(Button("move-form", view.match.id, "Propose another time"))
    elif view.phase is Phase.OVERDUE:
        lines.append(OVERDUE)
        buttons.append(Button("report", view.match.id, "Report", "primary"))
    else:
        lines += _negotiation(view)
        buttons += _negotiation_buttons(view)
        buttons.append(Button("report", view.match.id, "Report"))
    return Message("\n".join(lines), tuple(buttons), pings_of(*view.sides))


def agreed_line(view: MatchView) -> str:
    """The agreed time, and how long it may still be played when a TD has extended it."""
    assert view.match.agreed_at is not None
    line = f"Agreed: {times.both(view.match.agreed_at)}, {times.stamp(view.match.agreed_at, 'R')}."
    if view.extended_until is not None:
        line += f" Extended: it may be played until {times.deadline(view.extended_until)}."
    return line


def _negotiation(view: MatchView) -> list[str]:
    return [*_what_is_due(view), *_on_the_table(view, "offers:")]


def _what_is_due(view: MatchView) -> list[str]:
    """What has to happen next, and who owes what."""
    offers, play_by = view.rules.offers, times.deadline(view.play_by)
    duties = [f"• {escape(side.entrant.name)}: {_duty(view, side)}" for side in view.sides]
    if view.allowed:
        return [f"A TD lets you play all the same (§5.10): agree on a time, play by {play_by}."]
    if view.chooser is not None and view.right is not None:
        who = escape(view.chooser.entrant.name)
        return [f"**{who} sets the time** by {times.deadline(view.right.until)} (§5.5); play by {play_by}.", *duties]
    if view.right is not None:
        return [f"No time was set in time: a TD sets it (§5.10). You can still agree; play by {play_by}."]
    if view.dispute is not None:
        return [f"**With the TDs:** you did not agree in time (§5.8). You can still agree; play by {play_by}.", *duties]
    if view.now >= view.offers_by:
        return [f"The time for offers that count is over. Agree on a time; play by {play_by}.", *duties]
    due = times.deadline(view.offers_by)
    return [f"Agree on a time. Each of you offers at least {offers.count} by {due}; play by {play_by}.", *duties]


def _duty(view: MatchView, side: Side) -> str:
    forgiven = side.entrant.id in view.terms.waived and not side.duty.met
    return duty_short(side, view.rules.offers.count) + (", the rest forgiven" if forgiven else "")


def _on_the_table(view: MatchView, says: str) -> list[str]:
    lines: list[str] = []
    for side in view.sides:
        on_table = [offer for offer in view.offers if offer.entrant_id == side.entrant.id]
        if on_table:
            lines.append(f"{escape(side.entrant.name)} {says}")
            lines += [f"• {times.span_short(offer.starts_at, offer.ends_at)}" for offer in on_table]
    return lines


def _negotiation_buttons(view: MatchView) -> list[Button]:
    accepts = [accept_button(view, offer, named=True) for offer in view.offers]
    sets = [Button("set-time", view.match.id, "Set the time…", "primary")] if view.chooser is not None else []
    return [*sets, Button("offer-form", view.match.id, "Offer times", "plain" if sets else "primary"), *accepts]


def accept_button(view: MatchView, offer: Offer, *, named: bool = False) -> Button:
    label = f"Accept {times.short(offer.starts_at)}" + ("…" if offer.ends_at else "")
    if named:
        label += f" ({view.side(offer.entrant_id).entrant.name})"
    return Button("accept-range" if offer.ends_at else "accept", offer.id, label, "good")


def duty_short(side: Side, count: int) -> str:
    done = min(len(side.duty.counted), count)
    return f"{done} of {count} offers" + (" ✓" if side.duty.met else "")


def profile(side: Side) -> str:
    return f"[{escape(side.entrant.name)}](<{LICHESS}/@/{side.entrant.name}>)"


def pings_of(*sides: Side) -> tuple[int, ...]:
    """Their Discord ids, those that are known."""
    return tuple(side.discord_id for side in sides if side.discord_id is not None)


# --- Offers -----------------------------------------------------------------------------------------------------


def offered(view: MatchView, entrant_id: int, made: Sequence[Offer]) -> Message:
    """The private answer to an offer: what was understood, how far the duty of three is met, what does not help."""
    side, other = view.side(entrant_id), view.other(entrant_id)
    moves = any(offer.moves for offer in made)
    lines = [f"{'Proposed' if moves else 'Offered'} to {escape(other.entrant.name)}:"]
    lines += [f"• {times.span(offer.starts_at, offer.ends_at)}" for offer in made]
    if moves and view.match.agreed_at is not None:
        lines.append(f"Until it is accepted, {times.utc(view.match.agreed_at)} stands.")
        lines.append(f"Whatever is not played by {times.deadline(view.play_by)} goes to the TDs.")
    return Message("\n".join([*lines, *duty_text(view, side)]))


def retracted(view: MatchView, entrant_id: int, offer: Offer) -> Message:
    lines = [f"Retracted: {times.span(offer.starts_at, offer.ends_at)}."]
    return Message("\n".join([*lines, *duty_text(view, view.side(entrant_id))]))


def duty_text(view: MatchView, side: Side) -> list[str]:
    """R5.1, R5.4: the duty so far, and for each offer that does not help, why (Q4)."""
    count = view.rules.offers.count
    if view.phase is not Phase.NEGOTIATING:
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
    return f"• {text}" + (" **accepted**" if offer.state is OfferState.ACCEPTED else "")


def overdue(view: MatchView) -> Message:
    """In the thread, for both: the window has closed without a result (Q7)."""
    if view.phase is not Phase.OVERDUE:
        return Message("The time for this match was over; it has gone on since.")
    a, b = (mention(side.discord_id, side.entrant.name) for side in view.sides)
    return Message(f"{a} {b} {OVERDUE}", (Button("report", view.match.id, "Report", "primary"),), pings_of(*view.sides))


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
        "own calendar. After the match, press *Report* on the card or type `/report`.",
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
    return Message(
        f"{who}: {opening} {count} are due by {times.deadline(view.offers_by)}: {counts} (§5.1). "
        "Without them your opponent may choose the time (§5.5).",
        (Button("offer-form", view.match.id, "Offer times", "primary"),),
        pings_of(*late),
    )


# --- Results ----------------------------------------------------------------------------------------------------


def result_line(view: MatchView) -> str:
    """`alice 6–2 bob`; a result without games says what it is."""
    result = view.result
    assert result is not None
    a, b = escape(view.a.entrant.name), escape(view.b.entrant.name)
    if result.kind is ResultKind.PLAYED:
        return f"{a} {show_score(result.game_a, result.game_b)} {b}"
    return f"{a} {show_score(result.a, result.b)} {b} ({_KINDS[result.kind]})"


_KINDS = {
    ResultKind.PLAYED: "played",
    ResultKind.RULED: "ruled by a TD",
    ResultKind.FORFEIT: "forfeit",
    ResultKind.WALKOVER: "walkover",
    ResultKind.ADJUDICATED: "adjudicated",
    ResultKind.VOIDED: "void",
    ResultKind.DISREGARDED: "disregarded",
}


def result_post(view: MatchView) -> Message:
    """One compact post per result with the link to every game."""
    assert view.result is not None
    lines = [f"**Round {view.round.number}: {result_line(view)}**", _points_line(view, view.result)]
    lines += _games_lines(view.result)
    return Message("\n".join(line for line in lines if line))


def result_taken_back(view: MatchView) -> Message:
    return Message(f"**{heading(view)}**: a result that stood here was taken back by the TDs; the match is open again.")


def _points_line(view: MatchView, result: Result) -> str:
    if result.a == result.b:
        return f"Match points: {show(result.a)} each."
    winner = view.a if result.a > result.b else view.b
    return f"Match point: {escape(winner.entrant.name)}." if max(result.a, result.b) == WIN else ""


def _games_lines(result: Result) -> list[str]:
    links = " ".join(f"[{n}](<{LICHESS}/{game.game_id}>)" for n, game in enumerate(result.games, start=1))
    lines = [f"Games: {links}"] if links else []
    if result.extra:
        extra = " ".join(f"[+{n}](<{LICHESS}/{id}>)" for n, id in enumerate(result.extra[:10], start=1))
        lines.append(f"Played after the decision, not counted: {extra}")
    return lines


def reported(view: MatchView, *, already: bool) -> Message:
    lead = "This match already has its result" if already else "Recorded"
    return Message(f"{lead}: **{result_line(view)}**. It is in the thread and the results channel.")


def first_game_asked(view: MatchView, report: Report) -> Message:
    """To the reporter: no time is on record, so the other side must name the same first game (Q12)."""
    other = view.other(report.entrant_id)
    return Message(
        f"No agreed time is on record for this match, so both of you must name the same first game. I take yours as "
        f"<{LICHESS}/{report.first_game_id}> and have asked {escape(other.entrant.name)} in the thread to confirm it."
    )


def first_game_named(view: MatchView, report: Report) -> Message:
    """In the thread, to the other side."""
    side, other = view.side(report.entrant_id), view.other(report.entrant_id)
    buttons = (Button("confirm", report.id, "Yes, that was our first game", "good"),) if view.result is None else ()
    return Message(
        f"{mention(other.discord_id, other.entrant.name)}: {escape(side.entrant.name)} reports your match. No agreed "
        f"time is on record. Was <{LICHESS}/{report.first_game_id}> its first game?",
        buttons,
        pings_of(other),
    )

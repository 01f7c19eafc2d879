"""Words about one match: its card, its offers, its agreement, its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogs.render import times
from cogs.render.message import Button, Link, Message, escape, mention
from cogs.render.scores import result_text, tiebreak_text
from cogs.render.tied import due_buttons, is_bidding, stands
from cogs.render.titles import match_title
from engine.facts import CountedGame
from engine.model import KNOCKOUT, Offer, Report
from engine.points import WIN, show, show_score
from engine.rules import MatchRules
from engine.scoring import game_points, stop_policy
from engine.tournament import Result, ResultKind
from engine.usecases.matches import MatchView, Phase, Side

LICHESS = "https://lichess.org"
SECTION_5_6 = (
    "By §5.6 that is a draw and a forfeit of each, as soon as I have looked for games of yours on Lichess. If you have "
    "played or agreed all the same, a TD decides: write to them now."
)

IN_A_KNOCKOUT = "That is a forfeit of each (§5.6). You play all the same: agree on a time here, or a TD sets one."

FOLLOWED = "I follow the games and post the result by myself; *Report* only makes me look at once."

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
    return f"{view.round.code} · {view.match.board:02d} · {names}"[:100]


def heading(view: MatchView) -> str:
    return f"{match_title(view)}: {escape(view.a.entrant.name)} – {escape(view.b.entrant.name)}"


def card(view: MatchView) -> Message:
    """The first message of a match thread: what the match is, how it stands, and every action as a button."""
    lines = [
        f"## {heading(view)}",
        f"{mention(view.a.discord_id, view.a.entrant.name)} and {mention(view.b.discord_id, view.b.entrant.name)}, "
        f"{games_wanted(view)}, on Lichess: {profile(view.a)} and {profile(view.b)}.",
    ]
    if view.replaced:
        lines.append("Others have taken these seats (§8.4, §8.5): **this match is not played any more.**")
        return Message("\n".join(lines))
    buttons: list[Button | Link] = []
    if view.phase is Phase.FINISHED:
        assert view.result is not None
        lines.append(f"**Finished: {result_line(view)}**")
    elif view.phase is Phase.AGREED:
        assert view.match.agreed_at is not None
        lines.append(f"**{agreed_line(view)}**")
        lines += [until_decided(view)] if until_decided(view) else []
        if view.tied_at is not None:
            lines.append(f"{_so_far(view)}{stands(view)}")
            buttons += due_buttons(view)
        elif view.begun:
            lines.append(f"**So far: {score_line(view)}.** {FOLLOWED}")
        elif view.taken_back:
            lines.append("The TDs have taken the result back. When the match is played, press *Report*.")
        else:
            lines.append("Challenge each other on Lichess then. I read the games and post the result by myself.")
        lines += _on_the_table(view, "proposes another time, until it is accepted the agreed one stands:")
        buttons.append(Button("report", view.match.id, "Report", "primary"))
        buttons += [accept_button(view, offer, named=True) for offer in view.offers]
        if not view.begun:
            buttons.append(Button("move-form", view.match.id, "Propose another time"))
    elif view.phase is Phase.OVERDUE:
        lines.append(overdue_text(view) if not view.begun else f"**So far: {score_line(view)}.** {overdue_text(view)}")
        buttons += overdue_buttons(view)
    elif view.tied_at is not None:
        lines.append(f"{_so_far(view)}{stands(view)}")
        buttons += [*due_buttons(view), Button("report", view.match.id, "Report")]
    else:
        lines += _negotiation(view)
        buttons += _negotiation_buttons(view)
        buttons.append(Button("report", view.match.id, "Report"))
    return Message("\n".join(lines), tuple(buttons), pings_of(*view.sides))


def _so_far(view: MatchView) -> str:
    return "" if view.terms.decider_alone else f"**So far: {score_line(view)}.** "


def games_wanted(view: MatchView) -> str:
    """`up to 10 rated antichess games, 1+2`; in the Candidates `all 10 …` (R3.3, R3.10, R3.14)."""
    rules = view.match_rules
    if view.terms.decider_alone:
        return f"one {view.rules.variant} game, the armageddon game (§3.16)"
    many = "all" if stop_policy(rules.stop).whole else "up to"
    rated = "rated" if rules.rated else "casual"
    return f"{many} {rules.games} {rated} {view.rules.variant} games, {clock_text(rules)}"


def clock_text(rules: MatchRules) -> str:
    return f"{rules.clock_initial // 60}+{rules.clock_increment}"


def overdue_text(view: MatchView) -> str:
    """Q7: the window has closed without a result. What was begun before is played to its end for a while (Q8); where a
    TD had let them play (Q2), the result before that stands. At a tie: R3.16."""
    if view.tied_at is not None and (view.in_play or not view.allowed):
        return _overdue_at_a_tie(view)
    if view.in_play:
        return (
            f"**Your match is in play: finish it by {times.both(view.finish_by)}** (§4.4). Play on; games that begin "
            "until then count."
        )
    if view.may_claim is not None:
        here, away = view.side(view.may_claim), view.other(view.may_claim)
        return (
            f"**The time for this match is over. {escape(here.entrant.name)} may still claim the win**, because "
            f"{escape(away.entrant.name)} was not there: press *Claim the win* above or type `/match claim`. If you do "
            "not, the TDs decide; write to them if it was otherwise."
        )
    if view.begun and not view.allowed and view.now >= view.play_by:
        return (
            "**The time for this match is over: no more game counts, so a TD decides**; they are told. Write to them "
            "if they should know something. *Report* shows how it stands."
        )
    text = "**The time for this match is over.** If you have played it, press *Report*."
    if view.allowed:
        return f"{text} If not, the draw and the forfeits of §5.6 stand."
    return f"{text} If not, write to the TDs: they decide what happens; nothing is decided by silence."


def _overdue_at_a_tie(view: MatchView) -> str:
    """R3.16, Q40: bids and throws are called also when no game counts any more; a TD then gives the game its time."""
    if view.in_play:
        return f"**Your match is in play: finish it by {times.both(view.finish_by)}** (§4.4). {stands(view)}"
    if is_bidding(view):
        return f"{stands(view)} The time for this match is over, so a TD decides when you play the game; they are told."
    return (
        "**The time for this match is over: no more game counts, so a TD decides**; they are told. The armageddon game "
        "is missing: only they can give it more time."
    )


def overdue_buttons(view: MatchView) -> tuple[Button, ...]:
    """Beside `overdue_text`."""
    report = Button("report", view.match.id, "Report", "primary")
    return (*due_buttons(view), replace(report, style="plain")) if _calls(view) else (report,)


def _calls(view: MatchView) -> bool:
    return is_bidding(view) and (view.in_play or not view.allowed)


def is_for_the_rule(view: MatchView) -> bool:
    """R5.6: both are found at fault by the rule, and nothing has come of it yet: Lichess is asked first (Q1)."""
    return _both_failed(view) and view.match.agreed_at is None


def until_decided(view: MatchView) -> str:
    """Q1: agreed when it was too late, so a TD has to allow it."""
    if not _both_failed(view):
        return ""
    return "Neither of you had made the offers in time, so a TD still decides whether you may play then (§5.6, §5.10)."


def _both_failed(view: MatchView) -> bool:
    return view.result is None and not view.is_knockout and view.terms.both_failed


def agreed_line(view: MatchView) -> str:
    """The agreed time, and how long it may still be played when a TD has extended it."""
    assert view.match.agreed_at is not None
    line = f"{_whose_time(view)}: {times.both(view.match.agreed_at)}, {times.stamp(view.match.agreed_at, 'R')}."
    if view.extended_until is not None:
        line += f" Extended: it may be played until {times.deadline(view.extended_until)}."
    return line


def _whose_time(view: MatchView) -> str:
    """Agreed, or set by one side (R5.5, R5.9) or by the TDs (R5.10)."""
    chosen = view.terms.set
    if view.match.agreed_offer_id is not None or chosen is None:
        return "Agreed"
    return "Set by a TD" if chosen.by is None else f"Set by {escape(view.side(chosen.by).entrant.name)}"


def _negotiation(view: MatchView) -> list[str]:
    return [*what_is_due(view), *_on_the_table(view, "offers:")]


def what_is_due(view: MatchView) -> list[str]:
    """What has to happen next, and who owes what."""
    offers, play_by = view.rules.offers, times.deadline(view.play_by)
    duties = [f"• {escape(side.entrant.name)}: {_duty(view, side)}" for side in view.sides]
    if view.allowed:
        return [f"A TD lets you play all the same (§5.10): agree on a time, play by {play_by}."]
    if is_for_the_rule(view):
        return [f"**Neither of you had made the offers in time.** {SECTION_5_6}", *duties]
    if view.is_knockout and view.terms.both_failed:
        return [f"**Neither of you had made the offers in time.** {IN_A_KNOCKOUT} Play by {play_by}.", *duties]
    if view.chooser is not None and view.right is not None:
        who = escape(view.chooser.entrant.name)
        return [f"**{who} sets the time** by {times.deadline(view.right.until)} (§5.5); play by {play_by}.", *duties]
    if view.right is not None:
        return [f"No time was set in time: a TD sets it (§5.10). You can still agree; play by {play_by}."]
    if view.dispute is not None:
        return [f"**With the TDs:** you did not agree in time (§5.8). You can still agree; play by {play_by}.", *duties]
    if view.came_late:
        return [f"Agree on a time, or ask a TD to set one; nobody owes offers any more. Play by {play_by}."]
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


def score_line(view: MatchView) -> str:
    """`alice 3–1 bob`, of a match without a result; `alice – bob` where there is nothing to score (Q33)."""
    if view.terms.decider_alone:
        return f"{escape(view.a.entrant.name)} – {escape(view.b.entrant.name)}"
    a, b = game_points(view.begun)
    score = f"{escape(view.a.entrant.name)} {show_score(a, b)} {escape(view.b.entrant.name)}"
    return score + tiebreak_text(view.begun_tiebreak)


# --- Results ----------------------------------------------------------------------------------------------------


def result_line(view: MatchView) -> str:
    """`alice 6–2 bob`; a result without games says what it is."""
    assert view.result is not None
    return result_text(
        view.result,
        ((view.a.entrant.id, escape(view.a.entrant.name)), (view.b.entrant.id, escape(view.b.entrant.name))),
    )


def result_post(view: MatchView) -> Message:
    """One compact post per result with the link to every game."""
    assert view.result is not None
    won = "" if view.round.stage in KNOCKOUT else _points_line(view, view.result)
    lines = [f"**{match_title(view)}: {result_line(view)}**", won]
    lines += _games_lines(view.result)
    return Message("\n".join(line for line in lines if line))


def result_taken_back(view: MatchView) -> Message:
    return Message(f"**{heading(view)}**: a result that stood here was taken back by the TDs; the match is open again.")


def _points_line(view: MatchView, result: Result) -> str:
    if result.kind is ResultKind.DISREGARDED:
        gone = " and ".join(escape(view.side(e).entrant.name) for e in view.left) or "a player of this match"
        return f"By §8.3 it counts for nobody: all matches in the Candidates of {gone}, who left, are disregarded."
    if result.kind is ResultKind.VOIDED:
        return "The pairing was taken back: no points for anybody, and the two may meet again."
    if result.a == result.b:
        return f"Match points: {show(result.a)} each."
    winner = view.a if result.a > result.b else view.b
    return f"Match point: {escape(winner.entrant.name)}." if max(result.a, result.b) == WIN else ""


def _games_lines(result: Result) -> list[str]:
    played = {
        "Games": result.games,
        "Tiebreak games": result.tiebreak_games,
        "Armageddon": (result.armageddon,) if result.armageddon else (),
    }
    lines = [f"{what}: {game_links(games)}" for what, games in played.items() if games]
    if result.extra:
        extra = " ".join(f"[+{n}](<{LICHESS}/{id}>)" for n, id in enumerate(result.extra[:10], start=1))
        lines.append(f"Played after the decision, not counted: {extra}")
    return lines


def game_links(games: Sequence[CountedGame]) -> str:
    return " ".join(f"[{n}](<{LICHESS}/{game.game_id}>)" for n, game in enumerate(games, start=1))


def reported(view: MatchView, *, already: bool) -> Message:
    lead = "This match already has its result" if already else "Recorded"
    return Message(f"{lead}: **{result_line(view)}**. It is in the thread and the results channel.")


def first_game_asked(view: MatchView, report: Report, *, differs: bool = False) -> Message:
    """To the reporter: no time is on record, so the other side must name the same first game (Q12)."""
    other = view.other(report.entrant_id)
    if differs:
        return Message(
            f"You name <{LICHESS}/{report.first_game_id}> as your first game and {escape(other.entrant.name)} another "
            "one, so a TD decides (§1.3). The thread has both; if you agree after all, confirm theirs there."
        )
    return Message(
        f"No agreed time is on record for this match, so both of you must name the same first game. I take yours as "
        f"<{LICHESS}/{report.first_game_id}> and have asked {escape(other.entrant.name)} in the thread to confirm it."
    )


def first_game_named(view: MatchView, report: Report) -> Message:
    """In the thread, to the other side."""
    side, other = view.side(report.entrant_id), view.other(report.entrant_id)
    link = f"<{LICHESS}/{report.first_game_id}>"
    if view.match.agreed_at is not None:
        return Message(f"{escape(side.entrant.name)} named {link} as your first game. The match has its time now.")
    buttons = (Button("confirm", report.id, "Yes, that was our first game", "good"),) if view.result is None else ()
    return Message(
        f"{mention(other.discord_id, other.entrant.name)}: {escape(side.entrant.name)} reports your match. No agreed "
        f"time is on record. Was {link} its first game?",
        buttons,
        pings_of(other),
    )

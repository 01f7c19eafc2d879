"""Tables that fit a phone: at most 40 columns, the next step first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogs.render import timers, times
from cogs.render.absence import no_more_reports
from cogs.render.directors import extend_round
from cogs.render.editions import exit_line
from cogs.render.evening import between_games, so_far
from cogs.render.hub import hub_entry
from cogs.render.matches import (
    accept_button,
    agreed_line,
    overdue_buttons,
    overdue_text,
    result_line,
    score_line,
    until_decided,
    what_is_due,
)
from cogs.render.message import Button, Link, Message, escape
from cogs.render.seatings import seating_lines
from cogs.render.tied import decides, due_buttons, stands
from cogs.render.titles import group_name, match_title, round_name, round_words, stage_name
from engine.model import Stage
from engine.points import WIN, show
from engine.standings import Standing
from engine.tiebreaks import show_value
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Phase
from engine.usecases.posts import LiveScore
from engine.usecases.rounds import Preview
from engine.usecases.tables import HubView, RoundView, StandingsView

WIDTH = 40
NAME = 18
LINES_PER_PAGE = 25
OPEN_SHOWN = 6
_SHORT = {
    "cumulative": "Cum",
    "wins_against_tied": "Wins-v-tied",
    "median_buchholz": "MBuch",
    "total_game_points": "Games",
    "kashdan": "Kash",
    "buchholz": "Buch",
    "buchholz_cut_1": "Buch-1",
    "sonneborn_berger": "SB",
    "wins": "Wins",
    "direct_encounter": "Direct",
    "mutual_match": "Mutual",
    "mutual_game": "Mut. games",
    "overall_game": "Games",
    "last_finals": "Finals",
    "qualification_place": "Qual.",
    "seed": "Seed",
}
_WORDS = {
    "points": "points",
    "cumulative": "cumulative score",
    "wins_against_tied": "match wins against tied opponents",
    "median_buchholz": "Median-Buchholz",
    "total_game_points": "game points",
    "kashdan": "Kashdan",
    "buchholz": "Buchholz",
    "buchholz_cut_1": "Buchholz without the worst opponent",
    "sonneborn_berger": "Sonneborn-Berger",
    "wins": "number of wins",
    "direct_encounter": "direct encounter",
    "mutual_match": "match score against each other",
    "mutual_game": "game score against each other",
    "overall_game": "game score",
    "last_finals": "place in last year's Finals",
    "qualification_place": "place in the Qualification",
    "seed": "seed only",
}


def cut(name: str, width: int = NAME) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def points(half_points: int) -> str:
    """`½ point`, `1 point`, `1½ points`."""
    return f"{show(half_points)} point" + ("" if 0 < half_points <= WIN else "s")


def standings_table(view: StandingsView, lines: tuple[Standing, ...]) -> str:
    """`rank name points first-tiebreak`, in a code block."""
    first = view.event.rules.swiss.tiebreaks[0]
    rows = [f"{'#':>3} {'Player':<{NAME}}{'Pts':>4}{_SHORT.get(first, first[:5]):>6}"]
    for line in lines:
        rank = str(line.rank) if line.rank else "–"
        name = cut(view.event.name(line.entrant_id))
        rows.append(f"{rank:>3} {name:<{NAME}}{show(line.points):>4}{show_value(first, line.values[first]):>6}")
    return "```\n" + "\n".join(rows) + "\n```"


def standings_post(view: StandingsView) -> Message:
    """A part of the table in the standings channel; the first part carries the heading."""
    lines: list[str] = []
    if view.first == 0:
        lines.append(f"## {escape(view.event.edition.title)}: standings after round {view.after}")
    lines.append(standings_table(view, view.lines))
    if view.first + len(view.lines) >= view.of:
        lines += _still_open(view)
    return Message("\n".join(lines))


def _still_open(view: StandingsView) -> list[str]:
    shown = [escape(text) for text in view.still_open[:OPEN_SHOWN]]
    if len(view.still_open) > OPEN_SHOWN:
        shown.append(f"and {len(view.still_open) - OPEN_SHOWN} more")
    return [f"Still open, counted 0: {'; '.join(shown)}"] if shown else []


def standings_page(view: StandingsView, page: int) -> Message:
    """`/standings`: a page of the table; the last column of words says what separated neighbours."""
    if not view.lines:
        return Message("There are no entrants yet. Registration has to be closed first.")
    pages = -(-len(view.lines) // LINES_PER_PAGE)
    page = max(0, min(page, pages - 1))
    shown = view.lines[page * LINES_PER_PAGE : (page + 1) * LINES_PER_PAGE]
    heading = f"after round {view.after}" if view.after else "before the first round (by seed)"
    text = f"**{escape(view.event.edition.title)}, {heading}**" + (f", page {page + 1} of {pages}" if pages > 1 else "")
    lines = [text, standings_table(view, shown)]
    lines += _still_open(view)
    return Message("\n".join(lines), _page_buttons("standings", view.after, page, pages, details=True))


def standings_detail(view: StandingsView, page: int) -> Message:
    """All tiebreak values of a page, and what separated each from the one above."""
    pages = -(-len(view.lines) // LINES_PER_DETAIL)
    page = max(0, min(page, pages - 1))
    shown = view.lines[page * LINES_PER_DETAIL : (page + 1) * LINES_PER_DETAIL]
    names = [name for name in view.event.rules.swiss.tiebreaks if name != "seed"]
    lines = [f"**Tiebreaks after round {view.after}**, page {page + 1} of {pages}"]
    for line in shown:
        values = " · ".join(f"{_SHORT.get(n, n)} {show_value(n, line.values[n])}" for n in names)
        rank = f"{line.rank}." if line.rank else "–"
        apart = f" (behind by {_WORDS.get(line.separated_by, line.separated_by)})" if line.separated_by else ""
        record = f"+{line.record.wins} ={line.record.draws} −{line.record.losses}"
        entrant = view.event.entrants[line.entrant_id]
        name = escape(entrant.name)
        lines.append(f"{rank} {name}: {points(line.points)}, {record}, {values}, seed {entrant.seed}{apart}")
    return Message("\n".join(lines), _page_buttons("tiebreaks", view.after, page, pages))


LINES_PER_DETAIL = 12


def _page_buttons(verb: str, round: int, page: int, pages: int, *, details: bool = False) -> tuple[Button, ...]:
    buttons: list[Button] = []
    if page > 0:
        buttons.append(Button(verb, f"{round}.{page - 1}", "◀ Previous"))
    if page + 1 < pages:
        buttons.append(Button(verb, f"{round}.{page + 1}", "Next ▶"))
    if details and round:
        buttons.append(Button("tiebreaks", f"{round}.0", "All tiebreaks"))
    return tuple(buttons)


# --- Pairings ---------------------------------------------------------------------------------------------------


def pairings_post(view: RoundView) -> Message:
    """A part of the pairings post; its lines follow the matches (R5.2, R3.7)."""
    lines: list[str] = []
    if view.first == 0:
        lines += [
            f"## {escape(view.event.edition.title)}: {round_words(view.round.stage, view.round.number)}",
            f"Offers by {times.deadline(view.round.offers_by)}. Play by {times.deadline(view.round.matches_by)}.",
        ]
        due = times.utc(view.expected.publish_at)
        if view.moved:
            lines.append(f"This came out late (due {due}); its deadlines and all later rounds move with it.")
        elif view.late:
            lines.append(
                f"This came out late (due {times.utc(view.expected.publish_at)}); the deadlines are unchanged."
            )
    lines += _match_lines(view.matches)
    if view.is_last_part:
        if view.published.bye is not None:
            worth = points(view.event.rules.swiss.bye_points)
            lines.append(f"Bye ({worth}): {escape(view.event.name(view.published.bye))}")
        if view.free:
            lines.append("Free this week: " + ", ".join(escape(view.event.name(id)) for id in view.free))
        if view.threads_made < view.total:
            lines.append(f"Match threads are being opened: {view.threads_made} of {view.total}.")
    return Message("\n".join(lines))


def _match_lines(views: Sequence[MatchView], event: Event | None = None) -> list[str]:
    """In the later stages under the name of the pool, the semifinal or the final. With `event`, for who looks and not
    for a post that stays: also the score of a match that is tied and what decides it (R3.13, R3.15, R3.16)."""
    lines, last = list[str](), ""
    for view in views:
        if view.group and view.group != last:
            last = view.group
            lines.append(f"**{group_name(view.group)}**")
        tied = decides(event, view.match, event.tournament) if event is not None else None
        lines.append(f"{match_line(view, score_line(view))}: {tied}" if tied else match_line(view))
    return lines


def match_line(view: MatchView, tied: str | None = None) -> str:
    """`tied`: the score of a match that is, in place of the time at which it was agreed to begin."""
    board = f"`{view.match.board:>2}` "
    if view.phase is Phase.FINISHED:
        return f"{board}**{result_line(view)}**"
    if tied is not None:
        return f"{board}**{tied}**"
    pair = f"{board}{escape(view.a.entrant.name)} – {escape(view.b.entrant.name)}"
    if view.match.agreed_at is not None:
        pair += f" · {times.utc(view.match.agreed_at)} {times.stamp(view.match.agreed_at, 'R')}"
    if view.extended_until is not None and view.phase in (Phase.NEGOTIATING, Phase.AGREED):
        pair += f" · extended to {times.deadline(view.extended_until)}"
    return pair


def round_waits(stage: str, number: int) -> Message:
    """For everybody, when a round does not come out on its day (Q9)."""
    why = "the TDs are looking at matches of the last round without a result."
    if stage == Stage.QUALIFICATION or number > 1:
        name = round_name(stage, number)
        return Message(f"{name} is due but waits: {why} It comes out here as soon as that is settled.")
    return Message(f"The {stage_name(stage)} are due but wait: {why} They begin as soon as that is settled.")


def pairings_page(view: RoundView, page: int) -> Message:
    pages = max(1, -(-len(view.matches) // LINES_PER_PAGE))
    page = max(0, min(page, pages - 1))
    shown = view.matches[page * LINES_PER_PAGE : (page + 1) * LINES_PER_PAGE]
    lines = [f"**{escape(view.event.edition.title)}, {round_words(view.round.stage, view.round.number)}**"]
    lines += _match_lines(shown, view.event)
    if view.published.bye is not None and page == pages - 1:
        lines.append(f"Bye: {escape(view.event.name(view.published.bye))}")
    return Message("\n".join(lines), _page_buttons("pairings", view.round.number, page, pages))


def preview(view: Preview) -> Message:
    """Proposed pairings for the TDs, with what stands against publishing them."""
    slot = view.slot
    lines = [
        f"**Proposed: {round_words(slot.stage, slot.number)}**, due {times.utc(slot.publish_at)}. "
        f"Offers by {times.deadline(slot.offers_by)}, play by {times.deadline(slot.matches_by)}.",
    ]
    buttons: list[Button] = []
    if view.blocked:
        lines.append("⚠ It waits for these results, and the pairings below change with them:")
        lines += [f"• {escape(text)}" for text in view.blocked]
        assert view.event.current_round is not None
        buttons.append(extend_round(view.event.current_round.id))
    if view.proposal.seating is not None:
        lines += seating_lines(view.event, slot.stage)
    for board, proposed in enumerate(view.proposal.pairs, start=1):
        a, b = proposed.a_id, proposed.b_id
        hidden = view.hidden_for in (a, b)
        pair = "your own match (you see it with everybody)" if hidden else f"{_seeded(view, a)} – {_seeded(view, b)}"
        lines.append(f"`{board:>2}` {pair}" + (f" ({group_name(proposed.group)})" if proposed.group else ""))
    if view.proposal.bye is not None and view.proposal.bye != view.hidden_for:
        lines.append(f"Bye: {_seeded(view, view.proposal.bye)}")
    if not view.blocked:
        what = round_words(slot.stage, slot.number)
        buttons.append(Button("publish", slot.code, f"Publish {what} now", "primary"))
    return Message("\n".join(lines), tuple(buttons))


def _seeded(view: Preview, entrant_id: int) -> str:
    entrant = view.event.entrants[entrant_id]
    return f"{escape(entrant.name)} ({entrant.seed})"


# --- Hub --------------------------------------------------------------------------------------------------------


def hub(view: HubView) -> Message:
    """Where I stand and what to do now, with the buttons that do it."""
    title = escape(view.edition.title)
    if view.entrant is None:
        return hub_entry(view)
    lines = [f"**{title}**: you play as {escape(view.entrant.name)}, seed {view.entrant.seed}."]
    gone = exit_line(view.event, view.entrant.id)
    if gone:
        lines = [gone]
    if view.standing is not None and view.standing.rank is not None:
        later = view.event.tournament.has_begun(Stage.CANDIDATES)
        place = f"lace {view.standing.rank} with {points(view.standing.points)}."
        lines.append(f"Qualification: p{place}" if later else f"P{place}")
    buttons: list[Button | Link] = []
    for match in view.matches:
        more, actions = _hub_match(match, view.entrant.id, view.live.get(match.match.id), several=len(view.matches) > 1)
        lines += more
        buttons += actions
        for waits in (one for one in view.waits if one.view is match):
            more = timers.in_hub(waits, view.entrant.id)
            lines.append(more.text)
            there = {(one.verb, one.arg) for one in buttons if isinstance(one, Button)}
            buttons += [b for b in more.buttons if not (isinstance(b, Button) and (b.verb, b.arg) in there)]
    if view.bye_in is not None:
        worth = points(view.event.rules.swiss.bye_points)
        lines.append(f"Round {view.bye_in}: you have the bye ({worth}); nothing to do.")
    if view.last is not None:
        lines.append(f"{match_title(view.last)}: {result_line(view.last)}")
    if not view.matches and not gone:
        coming = f" {_next_round(view)}" if view.next_round_at else ""
        lines.append(f"You have no open match now.{coming}")
    return Message("\n".join(lines), tuple(buttons[:25]))


def _next_round(view: HubView) -> str:
    assert view.next_round_at is not None
    if view.next_round_at <= view.now:
        return "The next round waits for matches of the last one; the TDs are looking at them."
    return f"The next pairings come {times.soon(view.next_round_at)}."


def _hub_match(view: MatchView, me: int, score: LiveScore | None, *, several: bool) -> tuple[list[str], list[Button]]:
    side, other = view.side(me), view.other(me)
    against = f" (against {other.entrant.name})" if several else ""
    where = f" <#{view.match.thread_id}>" if view.match.thread_id else ""
    lines = [f"**{match_title(view)} against {escape(other.entrant.name)}**{where}"]
    report = Button("report", view.match.id, f"Report{against}")
    if view.phase is Phase.OVERDUE:
        score_so_far = f"{score_line(view)}. " if view.tied_at is not None else ""
        buttons = [replace(one, label=f"{one.label}{against}") for one in overdue_buttons(view)]
        return [*lines, f"{score_so_far}{overdue_text(view)}"], buttons
    if view.tied_at is not None:
        ahead = view.match.agreed_at is not None and view.match.agreed_at > view.now
        lines += [agreed_line(view)] if ahead else []
        return [*lines, f"{score_line(view)}. {stands(view)}"], [*due_buttons(view), report]
    if view.phase is Phase.AGREED and (view.begun or (score is not None and (score.live or score.for_td))):
        lines += so_far(view, score)
        first = [replace(report, style="primary"), *between_games(view, score, against)]
    elif view.phase is Phase.AGREED:
        lines += [line for line in (agreed_line(view), until_decided(view)) if line]
        first = [replace(report, style="primary"), *_absent(view, against)]
        first.append(Button("move-form", view.match.id, f"Propose another time{against}"))
    else:
        lines += what_is_due(view)
        first = [Button("offer-form", view.match.id, f"Offer times{against}", "primary"), report]
    if view.chooser is side:
        first = [Button("set-time", view.match.id, f"Set the time{against}…", "primary"), *first]
    theirs = [offer for offer in view.offers if offer.entrant_id != me]
    mine = [offer for offer in view.offers if offer.entrant_id == me]
    verb = "propose" if view.phase is Phase.AGREED else "offer"
    lines += [f"• they {verb} {times.span(offer.starts_at, offer.ends_at)}" for offer in theirs]
    lines += [f"• you {verb} {times.span(offer.starts_at, offer.ends_at)}" for offer in mine]
    answers = [accept_button(view, offer) for offer in theirs]
    return lines, [*first, *answers, *(Button("retract", o.id, f"Retract {times.short(o.starts_at)}") for o in mine)]


def _absent(view: MatchView, against: str) -> list[Button]:
    """R6.3: as long as an absence may be reported."""
    at, within = view.match.agreed_at, view.rules.evening.absence_report_within
    may = at is not None and at <= view.now <= at + within and no_more_reports(view) is None
    return [Button("absent", view.match.id, f"Opponent absent{against}")] if may else []

"""Words for a knock-out match that is tied, wherever it is shown (R3.13, R3.15, R3.16)."""

from __future__ import annotations

from cogs.render.message import Button, escape
from engine.knockout import Phase, progress
from engine.model import KNOCKOUT, Match
from engine.points import show_score
from engine.scoring import game_points
from engine.sides import Side as Sides
from engine.tournament import Tournament
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Side


def clock(seconds: int) -> str:
    """`1:45`."""
    return f"{seconds // 60}:{seconds % 60:02}"


def stands(view: MatchView) -> str:
    """What the match waits for, on the card and in the hub."""
    colours = view.colours
    if colours is None:
        return "**Nobody leads, so one armageddon game decides (§3.16).** Bid for White; the thread says how."
    white = escape(of(view, colours.white).entrant.name)
    return f"**The armageddon game decides: {white} has White with {clock(colours.bid)}.** The thread says how."


def bid_button(view: MatchView) -> tuple[Button, ...]:
    """As long as bids may be missing."""
    return () if view.colours is not None else (Button("bid-form", view.match.id, "Bid…", "primary"),)


def of(view: MatchView, side: Sides) -> Side:
    return view.a if side is Sides.A else view.b


def score_so_far(event: Event, match: Match, tournament: Tournament) -> str:
    """`alice 5–5 bob, tiebreak 1–0`, of a match without a result, as that state of the event has it."""
    games, more = (begun.get(match.id, ()) for begun in (tournament.begun, tournament.begun_tiebreaks))
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    tiebreak = f", tiebreak {show_score(*game_points(more))}" if more else ""
    return f"{a} {show_score(*game_points(games))} {b}{tiebreak}"


def due(event: Event, match: Match, tournament: Tournament) -> str | None:
    """R3.13, R3.15, R3.16: what decides a match that is tied after its regular games; None: it is not, or is over."""
    if event.round_of(match).stage not in KNOCKOUT or tournament.is_settled(match.id):
        return None
    games, more = (begun.get(match.id, ()) for begun in (tournament.begun, tournament.begun_tiebreaks))
    state = progress(event.match_rules(match), games, more)
    if state.phase is Phase.TIEBREAK:
        left = "1 tiebreak game" if state.to_play == 1 else f"up to {state.to_play} tiebreak games"
        return f"{left} to play (§3.15)"
    if state.phase is not Phase.ARMAGEDDON:
        return None
    settled = tournament.colours.get(match.id)
    if settled is None:
        return "one armageddon game decides, both bid for White first (§3.16)"
    white = escape(event.name(settled.said.white_id))
    return f"one armageddon game decides, {white} has White with {clock(settled.said.bid)} (§3.16)"

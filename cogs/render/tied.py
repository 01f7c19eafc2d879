"""Words for a knock-out match in which only the armageddon game is left, wherever the match is shown (R3.16)."""

from __future__ import annotations

from cogs.render.message import Button, escape
from engine.sides import Side as Sides
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

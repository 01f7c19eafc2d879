"""Words for a knock-out match that is tied, wherever it is shown (R3.13, R3.15, R3.16).

What is due when only the armageddon game is left is said here and nowhere else: bids, throws for equal bids, the game.
"""

from __future__ import annotations

from cogs.render.message import Button, escape
from engine.armageddon import AwaitingThrow, Bidding, ColoursFixed, Hand
from engine.knockout import Phase, progress
from engine.model import KNOCKOUT, Match
from engine.points import show_score
from engine.scoring import game_points
from engine.sides import Side as Sides
from engine.terms import NO_TERMS
from engine.tournament import Tournament
from engine.usecases.context import Event
from engine.usecases.matches import MatchView, Side

HANDS = {Hand.ROCK: "rock ✊", Hand.PAPER: "paper ✋", Hand.SCISSORS: "scissors ✌️"}


def clock(seconds: int) -> str:
    """`1:45`."""
    return f"{seconds // 60}:{seconds % 60:02}"


def is_bidding(view: MatchView) -> bool:
    """R3.16, Q41: tied, and bids or throws are due before any game."""
    return view.tied_at is not None and not isinstance(view.bidding, ColoursFixed)


def due(state: Bidding | None) -> str:
    """R3.16, Q41: the next step of both. None: the tie was only just seen, and bids come first."""
    if isinstance(state, ColoursFixed):
        return "play the armageddon game"
    return "throw for White" if isinstance(state, AwaitingThrow) else "bid for White"


def first(state: Bidding | None) -> str:
    """R3.16: to whoever asks for what only a game could bring."""
    if isinstance(state, ColoursFixed):
        return "once it has begun, its clock on Lichess decides"
    if isinstance(state, AwaitingThrow):
        return "**throw first**, with the buttons in the thread or `/armageddon rps`"
    return "**bid first**, with the button in the thread or `/armageddon bid`"


def tells(view: MatchView) -> str:
    """How far the match is, for everybody."""
    match view.bidding:
        case ColoursFixed(white=white, bid=bid):
            return f"The armageddon game decides: {escape(of(view, white).entrant.name)} has White with {clock(bid)}."
        case AwaitingThrow():
            return "The bids for White are equal, so rock, paper, scissors decides who has it (§3.16)."
        case _ if view.terms.decider_alone:
            return "One game alone decides, the armageddon game (§3.16)."
        case _:
            return "Nobody leads, so one armageddon game decides (§3.16)."


def stands(view: MatchView) -> str:
    """R3.16: what the match waits for, to the two: on the card, in the hub, wherever they would be told to play on."""
    step = due(view.bidding)
    how = f"{step[:1].upper()}{step[1:]}; the thread says how." if is_bidding(view) else "The thread says how."
    return f"**{tells(view)}** {how}"


def due_buttons(view: MatchView, state: Bidding | None = None) -> tuple[Button, ...]:
    """For what is due: a bid, or a throw (Q41). `state`: where it is known better than from the view."""
    match state or view.bidding:
        case ColoursFixed():
            return ()
        case AwaitingThrow():
            return tuple(Button("throw", f"{view.match.id}.{hand}", HANDS[hand].capitalize()) for hand in Hand)
        case _:
            return (Button("bid-form", view.match.id, "Bid…", "primary"),)


def of(view: MatchView, side: Sides) -> Side:
    return view.a if side is Sides.A else view.b


def score_so_far(event: Event, match: Match, tournament: Tournament) -> str:
    """`alice 5–5 bob, tiebreak 1–0`, of a match without a result, as that state of the event has it; `alice – bob`
    where only the armageddon game is played (Q33)."""
    games, more = (begun.get(match.id, ()) for begun in (tournament.begun, tournament.begun_tiebreaks))
    a, b = escape(event.name(match.a_id)), escape(event.name(match.b_id))
    if tournament.terms.get(match.id, NO_TERMS).decider_alone:
        return f"{a} – {b}"
    tiebreak = f", tiebreak {show_score(*game_points(more))}" if more else ""
    return f"{a} {show_score(*game_points(games))} {b}{tiebreak}"


def decides(event: Event, match: Match, tournament: Tournament) -> str | None:
    """R3.13, R3.15, R3.16: what decides a match that is tied after its regular games; None: it is not, or is over."""
    if event.round_of(match).stage not in KNOCKOUT or tournament.is_settled(match.id) or event.was_taken_back(match):
        return None
    games, more = (begun.get(match.id, ()) for begun in (tournament.begun, tournament.begun_tiebreaks))
    state = progress(event.match_rules(match, tournament), games, more)
    if state.phase is Phase.TIEBREAK:
        left = "1 tiebreak game" if state.to_play == 1 else f"up to {state.to_play} tiebreak games"
        return f"{left} to play (§3.15)"
    if state.phase is not Phase.ARMAGEDDON:
        return None
    settled = tournament.colours.get(match.id)
    if settled is None:
        return "one armageddon game decides (§3.16)"
    white = escape(event.name(settled.said.white_id))
    return f"one armageddon game decides, {white} has White with {clock(settled.said.bid)} (§3.16)"

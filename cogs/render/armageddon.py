"""Words of the armageddon game: bids, throws, colours, and how it is played on Lichess (R3.16, Q39-Q41)."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.matches import LICHESS, pings_of, result_line, score_line
from cogs.render.message import Button, Link, Message, escape, mention
from cogs.render.tied import HANDS, clock, due, due_buttons, of
from engine.armageddon import (
    AwaitingBids,
    AwaitingThrow,
    Bidding,
    ColoursFixed,
    Hand,
    ShownThrow,
    WayToPlay,
    ways_to_play,
)
from engine.sides import Side as Sides
from engine.usecases.deciders import DeciderView
from engine.usecases.matches import MatchView, Phase, Side

_THROWS_SHOWN = 6
BID_HINT = "Minutes and seconds, or seconds: 1:45 or 105"


def tie(view: MatchView, state: Bidding | None) -> Message:
    """The call for bids, to both. `state` None: the tie it was for is no longer there."""
    if view.phase is Phase.FINISHED:
        return Message(f"### Finished: {result_line(view)}")
    if state is None:
        return Message("What this call for bids rested on has changed, so it is void: see the newest post here.")
    rules = view.rules.armageddon
    if not isinstance(state, AwaitingBids):
        return Message(f"### Armageddon\n{_made(view, state)}", pings=pings_of(*view.sides))
    lines = [f"### Armageddon: {score_line(view)}"]
    lines += [
        f"{_both(view)}: one game decides (§3.16). Black has {clock(rules.black_clock)} and wins a drawn game. **Each "
        f"of you bids a time; the lower bid plays White with it.** Bid by {times.both(state.due)}, "
        f"{times.stamp(state.due, 'R')}; no bid is a bid of {clock(rules.no_bid)}.",
        "Nobody sees a bid before both are in, not even the TDs, and a bid is made once. Equal bids: rock, paper, "
        "scissors.",
        _marks(view, state.missing, "has bid"),
    ]
    return Message("\n".join(lines), due_buttons(view, state), pings_of(*view.sides))


def _made(view: MatchView, state: AwaitingThrow | ColoursFixed) -> str:
    if isinstance(state, AwaitingThrow):
        return f"Equal bids: {clock(state.bid)} each. Rock, paper, scissors decide who has White."
    return bids_line(view, state.bids, of(view, state.white), state.bid)


def bids_line(view: MatchView, bids: tuple[int, int], white: Side, bid: int) -> str:
    a, b = (escape(side.entrant.name) for side in view.sides)
    has_white = f"**{escape(white.entrant.name)} has White with {clock(bid)}.**"
    return f"Bids: {a} {clock(bids[0])}, {b} {clock(bids[1])}. {has_white}"


def throw(view: MatchView, state: Bidding | None, number: int) -> Message:
    """To both: a throw is due; once it is made, how it ended."""
    if isinstance(state, AwaitingThrow) and state.call == number and view.phase is not Phase.FINISHED:
        before = state.shown[-1] if state.shown else None
        last = [f"{_shown(view, before)}. Again."] if before is not None and (before.a or before.b) else []
        lines = [
            "### Rock, paper, scissors",
            *last,
            f"{_both(view)}: equal bids, {clock(state.bid)} each. The winner has White (§3.16). Throw by "
            f"{times.stamp(state.due, 'T')}, {times.stamp(state.due, 'R')}; who does not loses that throw.",
            _marks(view, state.missing, "has thrown"),
        ]
        return Message("\n".join(lines), due_buttons(view, state), pings_of(*view.sides))
    if isinstance(state, AwaitingBids):
        return Message("The match was extended, so both bid again; nothing is thrown now.")
    made = () if state is None else state.shown
    return Message(
        f"Throw {number}: {_shown(view, made[number - 1])}." if number <= len(made) else "The throws are made."
    )


def _shown(view: MatchView, shown: ShownThrow) -> str:
    a, b = (escape(side.entrant.name) for side in view.sides)
    return f"{a} {_hand(shown.a)}, {b} {_hand(shown.b)}"


def _hand(hand: Hand | None) -> str:
    return "did not throw" if hand is None else HANDS[hand]


def colours(view: MatchView, challenge: str | None) -> Message:
    """Who has White, and how the game is played on Lichess, which has one clock for both (Q39)."""
    if view.phase is Phase.FINISHED:
        return Message(f"### Finished: {result_line(view)}")
    settled, rules = view.colours, view.rules.armageddon
    if settled is None:
        return Message("What these colours rested on has changed, so they are void: see the newest post here.")
    white, black = of(view, settled.white), of(view, settled.white.other)
    first, *others = ways_to_play(rules, settled.bid)
    thrown = [(n, both) for n, both in enumerate(settled.shown, start=1) if both.a or both.b]
    throws = [f"Throw {n}: {_shown(view, both)}." for n, both in thrown[-_THROWS_SHOWN:]]
    lines = [
        f"### Armageddon: {escape(white.entrant.name)} has White",
        bids_line(view, settled.bids, white, settled.bid),
        *throws,
        f"{_both(view)}: {escape(black.entrant.name)} has Black, {clock(rules.black_clock)}, and wins a drawn game. "
        f"{_play_by(view)}",
        *_how(first, white, black, view, challenge),
        *(_other_way(way, white, black) for way in others),
        "I check White's clock at the second move; above the bid the game does not count and is played again. An "
        "aborted game is played again with the same colours.",
    ]
    buttons = (Link(challenge, "Start the armageddon game"),) if challenge else ()
    report = Button("report", view.match.id, "Report")
    return Message("\n".join(lines), (*buttons, report), pings_of(*view.sides))


def _play_by(view: MatchView) -> str:
    """The match deadline; of a match that was in play then, the end of the time to finish it (Q8). Alone, the game has
    a time of its own (Q33)."""
    at = view.match.agreed_at
    if view.terms.decider_alone and at is not None and view.now < at:
        return f"Play it {times.both(at)}. Earlier is fine if you both want to: then press *Report*."
    if view.terms.decider_alone and at is not None and view.now < view.play_by:
        return f"**Play it now**: its time was {times.utc(at)}."
    if view.now < view.play_by:
        return f"Play it by {times.deadline(view.play_by)}."
    if view.now < view.finish_by:
        return f"Play it by {times.both(view.finish_by)}."
    return "The time for this match is over: a TD decides when you play it."


def comes_first(view: MatchView, state: Bidding) -> Message:
    """To whoever reports a tied match: what has to happen before there is a result (R3.16)."""
    lead = f"{score_line(view)}: nobody leads, so one armageddon game decides (§3.16)."
    if view.terms.decider_alone:
        lead = "The armageddon game alone decides your match (§3.16)."
    if isinstance(state, AwaitingBids):
        return Message(f"{lead} First both {due(state)}, by {times.both(state.due)}.", due_buttons(view, state))
    if isinstance(state, AwaitingThrow):
        return Message(f"{lead} The bids are equal: {due(state)} in the match thread.", due_buttons(view, state))
    white = escape(of(view, state.white).entrant.name)
    return Message(f"{lead} {white} has White with {clock(state.bid)}; the match thread says how it is played.")


def _how(way: WayToPlay, white: Side, black: Side, view: MatchView, challenge: str | None) -> Sequence[str]:
    w, b = escape(white.entrant.name), escape(black.entrant.name)
    link = f"<{challenge}>" if challenge else f"{w} challenges [{b}](<{LICHESS}/?user={black.entrant.name}#friend>)"
    settings = f"{way.clock_initial // 60}+{way.clock_increment} {view.rules.variant}, {w} White"
    lines = [f"1. {link}: {settings}."]
    if way.white_waits:
        left = clock(way.clock_initial - way.white_waits)
        lines.append(f"2. {w} makes the first move, and the second one only when their clock shows **{left} or less**.")
    return lines


def _other_way(way: WayToPlay, white: Side, black: Side) -> str:
    w, b = escape(white.entrant.name), escape(black.entrant.name)
    return (
        f"Or: a game of {clock(way.clock_initial)} without increment, in which {w} at once gives {b} “more time” "
        f"{way.times_given} times 15 seconds."
    )


def sealed(view: DeciderView) -> Message:
    """To whoever has just bid or thrown."""
    state = view.state
    if isinstance(state, AwaitingBids):
        return Message("Your bid is sealed. When both are in, they are shown in the match thread.")
    if isinstance(state, AwaitingThrow) and len(state.missing) == 1:
        return Message("Your throw is sealed. When both are in, they are shown in the match thread.")
    if isinstance(state, AwaitingThrow):
        return Message("Both are in and equal: look into the match thread, you throw for White.")
    return Message("Both are in: the match thread shows who has White, and how the game is played.")


def _both(view: MatchView) -> str:
    return " and ".join(mention(side.discord_id, side.entrant.name) for side in view.sides)


def _marks(view: MatchView, missing: Sequence[Sides], done: str) -> str:
    marks = [
        f"{escape(side.entrant.name)} {'–' if own in missing else f'{done} ✓'}"
        for own, side in zip(Sides, view.sides, strict=True)
    ]
    return " · ".join(marks)

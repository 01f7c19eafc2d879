"""Refusals on the evening of a match: absences, claims, breaks (R6.1-R6.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cogs.render import times
from cogs.render.matches import LICHESS
from cogs.render.message import escape
from cogs.render.tied import first

Params = Mapping[str, Any]

_LINKED = 12


def _links(game_ids: Sequence[str]) -> str:
    shown = " ".join(f"[{n}](<{LICHESS}/{id}>)" for n, id in enumerate(game_ids[:_LINKED], start=1))
    return f"They are {shown}."


EVENING_TEXTS: Mapping[str, str | Callable[[Params], str]] = {
    "absence_no_time": (
        "No time is agreed for this match, so nobody can be late for it. Offer times with `/offer`; if your opponent "
        "does not answer, the deadline for offers decides. Have you begun to play? Press *Report* on the card; if your "
        "opponent has gone, write to the TDs."
    ),
    "absence_too_early": lambda p: (
        f"Your match begins {times.both(p['at'])}. Report your opponent absent from then on, not before."
    ),
    "absence_too_late": lambda p: (
        f"An absence could be reported until {times.utc(p['at'])}. Write to the TDs now: they decide."
    ),
    "absence_played": lambda p: (
        f"Lichess shows a game of yours against {escape(p['opponent'])} since the agreed time, so nobody is absent. "
        "Play on. If they have left since, type `/match opponent-left`."
    ),
    "absence_early": lambda p: (
        f"Lichess shows games of yours against {escape(p['opponent'])} from before the agreed time, since "
        f"{times.utc(p['first'])}, so nobody is absent. Were they your match? Press *Report*: a TD decides whether "
        "they count. If not, play now, or agree on another time with `/reschedule`."
    ),
    "games_gone": lambda p: (
        f"Lichess does not show a game any more that has counted in your match: {_links(p['games'])}. It stays in the "
        "score; the TDs are told, and the match goes on once they have judged it."
    ),
    "early_games": lambda p: (
        "**The TDs are told and decide**: your games were begun before the agreed time, "
        f"{times.utc(p['agreed_at'])}, so by the rules they do not count (§5.2). {_links(p['games'])}\n"
        "Were they no games of your match? Then play it, or move it with `/reschedule`."
    ),
    "absence_rescheduled": lambda p: (
        f"{escape(p['opponent'])} was there and has chosen to reschedule. Agree on a new time with `/reschedule`, or "
        f"play at once, by {times.deadline(p['closes'])}; else the match is forfeited to {escape(p['opponent'])}."
    ),
    "absence_lifted": (
        "The TDs have taken the forfeit back, so nobody is reported absent any more for that time. Play now, or agree "
        "on another time with `/reschedule`."
    ),
    "absence_td": "The TDs decide about this match. Write to them, and say when you were there.",
    "absence_moved": lambda p: (
        f"The match has another time since: {times.both(p['at'])}. Be there; if your opponent is not, report it then."
    ),
    "break_no_time": (
        "No time is on record for this match, so I do not know that it has begun. Press *Report* on the card, and let "
        "your opponent press *Yes, that was our first game*: then breaks count. Is nobody there to press it? Write to "
        "the TDs now: they decide."
    ),
    "break_not_begun": (
        "Your match has not begun: Lichess shows no game of yours that counts. If your opponent is not there, type "
        "`/match opponent-absent`."
    ),
    "sitting_ahead": lambda p: (
        f"You go on {times.both(p['at'])}; nobody has to be there before. If your opponent is not there then, type "
        "`/match opponent-absent`."
    ),
    "sitting_not_begun": lambda p: (
        f"You have begun no game since {times.utc(p['at'])}, your agreed time. If your opponent is not there, type "
        "`/match opponent-absent`."
    ),
    "sitting_over": lambda p: (
        "**Agree on a time to go on:** `/reschedule`; then you can report an absence. Your last game ended at "
        f"{times.utc(p['at'])}; {int(p['within'].total_seconds()) // 60} minutes later nobody has to be at the board "
        "any more. If you find no time, write to the TDs."
    ),
    "no_game_counts": (
        "The time for this match is over and no game counts any more, so a TD decides. Write to the TDs what happened."
    ),
    "result_taken_back": (
        "The TDs have taken the result of this match back, so I do not follow it by myself any more. Play on as they "
        "say, and tell them who takes a break or is gone; with the last game press *Report*."
    ),
    "no_game_due": lambda p: (
        f"Only the armageddon game is left: {first(p['due'])}. "
        + (
            "A TD has set its time."
            if p["alone"]
            else "Agree with your opponent when you play it; if you find no time, write to the TDs."
        )
    ),
    "one_game": (
        "You play one game, the armageddon game, so there is no break. Once begun, its clock on Lichess decides; "
        "who does not come at its time: *Opponent absent*, `/match opponent-absent`."
    ),
    "point_decided": lambda p: (
        f"**Play on: {p['missing']} {'game is' if p['missing'] == 1 else 'games are'} missing**, today or at another "
        "time. Who has won the match is decided, so nobody forfeits it by stopping; if your opponent does not "
        "play the rest, write to the TDs."
    ),
    "break_over": lambda p: f"Your break was over at {times.utc(p['at'])}. Begin the next game now.",
    "no_break": "You have no break now. `/match break` calls the one you have, between two games.",
    "left_on_break": lambda p: (
        f"{escape(p['opponent'])} has called a break"
        + (f" until {times.both(p['at'])}." if p["at"] else " after the game in progress.")
        + " If no game has begun when it ends, you can call a TD."
    ),
    "left_own_break": "Your own break runs. End it with `/match resume`, and offer the next game; then tell me again.",
    "left_needs_td": "Your opponent had no break left, so nothing can be claimed: press *Call a TD* in the thread.",
    "left_no_reschedule": "Who has left a match that was begun gets no other time: claim the win, or just play on.",
    "claim_game_runs": "A game is in progress: its clock decides. The ten minutes run from its end.",
    "not_your_call": "It is you who is waited for: begin the next game now.",
    "call_may_claim": "You need no TD: claim the win with the button in the thread or `/match claim`.",
    "no_timer": (
        "No ten minutes wait in this match now, so there is nothing to stop or to extend. `/match show` has what came "
        "of those that ran; to let them play, set a time or extend the match."
    ),
    "timer": "Nobody waits for anything in this match any more. `/hub` shows where you stand.",
    "timer_stopped": (
        "A TD has stopped these ten minutes, so there is nothing to claim. The thread says what holds now; if you "
        "disagree, write to the TDs."
    ),
    "no_absence": (
        "Nobody is reported absent in this match, or as having left. If your opponent is not there at the agreed time, "
        "type `/match opponent-absent` first; if they left during it, `/match opponent-left`."
    ),
    "not_your_claim": lambda p: (
        f"Only {escape(p['by'])}, who has told me, can choose. If you are there, challenge them on Lichess now: a game "
        "that begins before they choose ends it."
    ),
    "claim_too_early": lambda p: (
        f"Your opponent has time until {times.both(p['at'])}, {times.stamp(p['at'], 'R')}. Stay ready to play; then "
        "choose."
    ),
    "reschedule_too_late": lambda p: (
        f"There is no time left to reschedule: the match had to begin by {times.deadline(p['closes'])}. Claim the win, "
        "or ask the TDs for more time."
    ),
}

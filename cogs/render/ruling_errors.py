"""Texts for what stands against a ruling, a seating, or a claim on the evening of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cogs.render.faults import words_of
from cogs.render.message import escape
from cogs.render.titles import stage_name
from engine.facts import Exit
from engine.points import show, show_score

Params = dict[str, Any]

_RECUSED = {
    "own_affair": "It is about yourself",
    "opponent": "It is about your opponent of an open match",
    "pool_mate": "It is about a player of your own pool",
    "same_stage": "It is about a player of the stage in which you play",
    "seats": "You have a seat in that stage, or get one by this",
}


def _recused(p: Params) -> str:
    return f"{_RECUSED[p['why']]}, so another TD decides. If none is free, the owner of the server names a deputy."


def _you_are_out(p: Params) -> str:
    how = "you have withdrawn" if p["how"] is Exit.WITHDRAWN else "disqualified; `/hub` says why"
    return f"To come back, write to the TDs: you are out of {escape(p['title'])} already ({how})."


def _games_left(p: Params) -> str:
    games = "1 game is" if p["missing"] == 1 else f"{p['missing']} games are"
    return f"Nobody has more than half yet and {games} missing: rule a forfeit or a concession."


_IMPOSSIBLE: Mapping[str, Callable[[Params], str]] = {
    "decider": lambda p: "only the armageddon game is played, so there is no score in games; `how:` says who has won",
    "sum": lambda p: f"a match has {p['length']} games, each worth one point",
    "games": lambda p: f"the games played say {show_score(*p['games'])} already",
    "open": lambda p: (
        f"nobody has more than {show(p['length'])} and games are missing. If the match ends there, `how:` says who has "
        "won"
    ),
    "beyond": lambda p: f"the match ends as soon as a player has more than {show(p['length'])} (§3.3)",
}


RULING_TEXTS: Mapping[str, str | Callable[[Params], str]] = {
    # Rulings
    "recused": _recused,
    "changed_meanwhile": "Something was recorded since you saw the preview. Nothing was done; look at it again.",
    "nothing_to_change": "That is how it stands already; nothing was recorded.",
    "undo_changes_nothing": (
        "Taking that back changes nothing now: something newer about the same stands in its place. Nothing was "
        "recorded; `ref:` offers what can be taken back."
    ),
    "game_of_match": lambda p: (
        f"Lichess knows no game `{p['id']}`. Choose one from the list, or paste its link into `game:`."
    ),
    "game_running": lambda p: f"The game <https://lichess.org/{p['id']}> is still being played. Decide when it ends.",
    "game_never_counts": lambda p: (
        f"<https://lichess.org/{p['id']}> cannot count in this match: {words_of(p['faults'])}. Nothing was recorded."
    ),
    "game_not_asked": (
        "There is nothing to ask about this game now: a TD has decided about it, or it counts. If you disagree, write "
        "to the TDs."
    ),
    "dispute_not_about_time": lambda p: (
        f"Dispute {p['id']} is not about a time but about what was played: `/td-match games` decides about games, "
        "`/td-match time` has it played."
    ),
    "published_stays": "Published pairings stay, and so does a seating: they are repaired, not taken back.",
    "already_out": lambda p: f"{escape(p['name'])} is out of the event already.",
    "not_out": lambda p: f"{escape(p['name'])} is in the event; there is nothing to take back.",
    "you_are_out": _you_are_out,
    "withdraw_anew": (
        "Type `/withdraw` again: things have changed since you were asked, and it says what leaving does now. Nothing "
        "was done."
    ),
    "unknown_ground": lambda p: (
        f"“{escape(p['given'])}” is no ground of these rules. They have: {', '.join(p['grounds']).replace('_', ' ')}."
    ),
    "seed_out_of_range": lambda p: f"A seed is a number from 1 to {p['most']} here; {p['given']} is none.",
    "same_account": lambda p: f"The player has the account {escape(p['name'])} already.",
    "account_of_another": lambda p: (
        f"{escape(p['name'])} is, or was, the account of {escape(p['by'])} in this event; nobody else can have it."
    ),
    "entrant": "There is no such player in this edition.",
    "person": "The bot knows nobody like that on this server.",
    "person_or_member": "Name one: `person:` for somebody who has entered, or `member:` for anybody on Discord.",
    "account_change": "That account is not asked for any more. `/td-player account` asks for it again.",
    "fact": "No decision of this edition has that number. `ref:` offers those that can be taken back, newest first.",
    "timer_superseded": (
        "Something was reported after these ten minutes were stopped, so they do not run again: both could claim then. "
        "Ask both; set a time, or extend."
    ),
    "reinstate_instead": lambda p: (
        f"{escape(p['name'])} is out for two forfeits, and would be out again with the next pairings. "
        "`/td-player reinstate` lifts the second forfeit."
        if p["forfeits"]
        else f"Pairings have come out since {escape(p['name'])} left, so what was lost by that stays lost. "
        "`/td-player reinstate` lets them play on."
    ),
    "side_needed": "Say which of the two it is about: `how:` has each for both.",
    "result_needed": "Give one of the two: `how:` from the list, or `score:` in games, like 6-4.",
    "seen_stays": (
        "That is nothing a TD has decided: it was seen on Lichess, or the two have settled it between them. "
        "`/td-match games` decides about single games."
    ),
    "already_undone": lambda p: f"Entry {p['id']} has been taken back already.",
    # Seatings
    "no_seating": "The Qualification has no seating: everybody meets opponents with a like score.",
    "wishes_not_here": lambda p: (
        f"The pairs of the {p['stage'].capitalize()} follow from the seating; there is no choice."
    ),
    "too_few_candidates": lambda p: (
        f"Only {p['players']} players are left for the Candidates, and the rules need {p['least']}. The TDs decide how "
        "the event goes on."
    ),
    "stage_not_over": lambda p: f"The {p['stage'].capitalize()} are not over yet.",
    "semifinal_open": "A semifinal has no winner yet, so the Finals cannot be seated.",
    "finals_open": "The Finals are not decided yet, so there is no final placing.",
    # Results
    "match_over": "The match is over: there is nothing left to claim or to rule this way.",
    "decided_by_games": "One side has more than half of the points already, so this match cannot be a draw.",
    "no_draw": (
        "A knock-out match needs a winner, so there is no draw. Set the time: `/td-match time`, or *Set the time…*; if "
        "there is time for one game only, `/td-match decider`."
    ),
    "no_decider": "Only a knock-out match is decided by an armageddon game.",
    "games_count": lambda p: (
        f"{p['games']} game{'s' if p['games'] > 1 else ''} of this match count{'' if p['games'] > 1 else 's'} already, "
        "so it goes on from there: `/td-match time`. What was played stays; `/td-match result` ends the match."
    ),
    "decider_played": (
        "The armageddon game has been played, so it decides: *Report* records it. `/td-match result` gives another "
        "result."
    ),
    "decider_already": "The armageddon game is the only one left of this match already. `/td-match time` moves it.",
    "only_candidates": "That is a decision for the Candidates only, where all games are played.",
    "only_knockout": "That is a decision for the Semifinals and the Finals only.",
    "not_decided": _games_left,
    "places_equal": "No place separates these two; a TD has to decide.",
    "games_played": "Lichess shows games of these two, so a TD decides whether they count.",
    "no_void": (
        "One of the two goes on in a knock-out, so its match cannot be void. Set the time: `/td-match time`; if there "
        "is time for one game only, `/td-match decider`; if nobody appears, `/td-match result` by place."
    ),
    "score_impossible": lambda p: f"{show_score(*p['given'])} cannot be the score: {_IMPOSSIBLE[p['why']](p)}.",
    # The evening of a match
    "break_used": lambda p: f"You have used your break: {p['allowed']} in a match.",
    "bid_made": "You have made your bid. It is made once and stays sealed until both are in.",
    "no_seats_now": lambda p: "No seats are given now: that is between two stages, or when a seat of a stage is empty.",
    "no_seat": lambda p: f"{escape(p['name'])} has no seat in the {stage_name(p['stage'])}.",
    "seat_earned": lambda p: (
        f"That changes no seat: {escape(p['name'])} has earned the one in the {stage_name(p['stage'])}. Nothing was "
        "recorded. Who does not want to play any more leaves the event: `/td-player withdraw`."
    ),
    "seat_in_play": lambda p: (
        f"The match of {escape(p['name'])} has begun, so there is no seat to give up. Who does not want to go on "
        "leaves the event: `/withdraw`, or `/td-player withdraw`; the opponent wins (§6.4)."
    ),
    "seats_full": lambda p: "There is no empty seat to fill.",
    "match_replaced": lambda p: (
        f"Your match against {escape(p['opponent'])} is not played any more: the seats were filled anew (§8.4, §8.5). "
        "`/hub` shows your match now."
    ),
    "bid_out_of_range": lambda p: f"A bid is a whole number of seconds, from {p['least']} to {p['most']}.",
    "bidding_over": "Both bids are in; nothing more can be bid.",
    "no_throw_due": "No throw is due now.",
    "not_tied": "No armageddon game is due in this match: first all games before it, and only if nobody leads then.",
    "bid_unclear": lambda p: (
        f"`{p['text']}` is no time. Write minutes and seconds, or seconds: `1:45` or `105`; "
        f"from {p['least']} to {p['most']} seconds."
    ),
    "throw_made": "You have thrown. Your opponent's throw is awaited.",
}

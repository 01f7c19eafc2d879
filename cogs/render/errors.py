"""A text for every code of `engine.errors`: what was understood, which rule stands against it, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cogs.render import times
from cogs.render.entry_errors import ENTRY_TEXTS
from cogs.render.evening_errors import EVENING_TEXTS
from cogs.render.faults import SHOWN, faults_text
from cogs.render.message import Button, Message, escape
from cogs.render.ruling_errors import RULING_TEXTS
from cogs.render.titles import clause_text
from engine.errors import AcwcError
from engine.points import show, show_score
from engine.rules import MatchRules
from engine.scoring import stop_policy

Params = dict[str, Any]
Text = str | Callable[[Params], str]


def _names(names: Iterable[str]) -> str:
    return ", ".join(escape(name) for name in names)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"• {escape(line)}" for line in lines)


def _score(p: Params) -> str:
    return f"you {show_score(*p['games'])} {escape(p['opponent'])}"


def _agreed(p: Params) -> str:
    return (
        f"This match has its time: {times.both(p['at'])}. To move it press *Propose another time* on the card or type "
        "`/reschedule`; it stands until your opponent accepts."
    )


def _choosable(p: Params) -> str:
    """Q5."""
    if p["earliest"] > p["latest"]:
        return "No time that the rule allows is left: a TD sets it; they are told when your right ends."
    return f"Choose one from {times.both(p['earliest'])} to {times.both(p['latest'])}."


def _right_ended(p: Params) -> str:
    until = f" It ended {times.deadline(p['until'])}." if p["until"] else ""
    return f"The time to choose is over, a TD sets the time now.{until} You can still agree with your opponent."


def _write(p: Params) -> str:
    """Examples that would be possible, on the player's own clock."""
    examples = " or ".join(f"`{example}`" for example in p.get("examples", ("Sat 18:00", "26 Mar 20:30"))[:2])
    return f"Write for example {examples}, in {p.get('zone', 'UTC')}."


def _which_match(p: Params) -> str:
    return f"You have more than one open match. Say which with `match:`.\n{_bullets(p['matches'])}"


def _no_games(p: Params) -> str:
    opponent = escape(p["opponent"])
    if p["linked"]:
        lines = ["None of the games you linked counts for this match."]
        lines += [f"• Lichess knows no game `{id}`" for id in p["unknown"][:SHOWN]]
        if len(p["unknown"]) > SHOWN:
            lines.append(f"• nor {len(p['unknown']) - SHOWN} more of these")
        lines += faults_text(p["faulty"])
        lines.append("Check the links, or report without any: I then look for the games myself.")
        return "\n".join(lines)
    where = f" from {times.utc(p['agreed_at'])} on" if p["agreed_at"] else " since the pairings came out"
    lines = [f"Lichess shows no game that counts between you and {opponent}{where}."]
    lines += faults_text(p["faulty"])
    lines.append("Play the match, then report again. If games are missing here, give their links with `games:`.")
    return "\n".join(lines)


def _not_finished(p: Params) -> str:
    missing, rules = p["missing"], p["rules"]
    if p["over"]:
        lines = [f"**The time for this match is over: no more game counts, so a TD decides.** So far {_score(p)}."]
        lines += faults_text(p["faulty"])
        return "\n".join([*lines, "The TDs are told. Is a game missing here? Give its link with `games:`."])
    count = f"{missing} game{'s' if missing != 1 else ''}"
    whole = stop_policy(rules.stop).whole
    is_tiebreak = bool(rules.extra_games) and p["played"] == rules.games
    to_go = f"{count} missing" if whole else f"{count}{' of the tiebreak' if is_tiebreak else ''} to go at most"
    lines = [f"The match is not over: {_score(p)}, {to_go}.", *faults_text(p["faulty"])]
    return "\n".join([*lines, f"Play on, then report again. {_when_it_ends(rules)}"])


def _when_it_ends(rules: MatchRules) -> str:
    """R3.3, R3.10, R3.14, R3.15."""
    half = show(rules.games)
    if stop_policy(rules.stop).whole:
        return f"All {rules.games} games are played, whatever the score (§3.10)."
    if rules.tied == "draw":
        return f"A match ends when one of you has more than {half}, or at {half}–{half}."
    then = f"come {rules.extra_games} tiebreak games" if rules.extra_games else "comes one armageddon game"
    return f"A match ends when one of you has more than {half}; after {half}–{half} {then}."


def _score_differs(p: Params) -> str:
    lines = [
        f"You reported {show_score(*p['reported'])}, but the games on Lichess say {_score(p)}.",
        *faults_text(p["faulty"]),
        "Nothing was recorded. Report without a score to take the games, or ask a TD if they are wrong.",
    ]
    return "\n".join(lines)


def _score_without_games(p: Params) -> str:
    lines = ["A score alone is not a result: the games on Lichess decide. The TDs have been told and will look at it."]
    if p.get("theirs") is not None and p["theirs"] != p["claimed"]:
        says = f"you {show_score(*p['theirs'])} {escape(p['opponent'])}"
        lines.append(f"{escape(p['opponent'])} has reported {says}, so a TD decides (§1.3).")
    lines += faults_text(p["faulty"])
    lines.append("If you did play, send the links: `/report games:`.")
    return "\n".join(lines)


def _start_weekday(p: Params) -> str:
    near = " or ".join(times.day(day) for day in p["nearest"])
    return (
        f"{times.day(p['given'])} is not a {p['weekday'].capitalize()}, the weekday of this ruleset's first pairings. "
        f"The nearest are {near}."
    )


def _matches_open(p: Params) -> str:
    return (
        f"The next round waits: these matches have no result.\n{_bullets(p['matches'])}\n"
        "Get their results, or extend them: they then count ½–½ for the pairing only and may be played "
        "until the next round's Monday."
    )


def _ruleset_invalid(p: Params) -> str:
    faults = "\n".join(f"• {escape(str(fault))}" for fault in p["faults"][:15])
    return (
        f"`{p['file']}` is not a ruleset I can use; nothing was created.\n{faults}\nCorrect these and upload it again."
    )


_TEXTS: dict[str, Text] = {
    "old_button": "This button is from an older message and means nothing any more. Use `/hub`.",
    # Who may
    "td_only": "Only a tournament director can do that. If you are one, ask for the TD role that `/td setup` named.",
    "manage_server": "Only somebody with *Manage Server* can set the bot up. Ask the server's owner.",
    "not_in_server": "This works in the tournament's server only. Go there and type it again.",
    "not_an_entrant": lambda p: (
        f"You are not in {escape(p['title'])}, so you have no match. "
        + ("Ask a TD about a late entry." if p["closed"] else "Enter with `/register account:`.")
    ),
    "not_your_match": lambda p: (
        f"That is the match {escape(p['a'])} – {escape(p['b'])}; only these two can do that. "
        "Your own matches are in `/hub`."
    ),
    "not_your_offer": lambda p: f"That offer is {escape(p['by'])}'s; only they can retract it. Use *Accept* instead.",
    "own_report": "You named this first game yourself. Your opponent has to confirm it; I have asked them.",
    # Setup and editions
    "no_setup": "The bot is not set up on this server yet. Somebody with *Manage Server* runs `/td setup`.",
    "bad_td_role": lambda p: (
        f"{escape(p['name'])} cannot be the TD role: everybody, or a bot, would be a tournament director. "
        "Give a role of your own, or leave `td_role:` away and I make one."
    ),
    "bad_player_role": lambda p: (
        f"{escape(p['name'])} cannot be the role of the players: everybody, a bot or the TDs have it, or it can do "
        "more than talk. Give a role of its own, or leave `player_role:` away and I make one."
    ),
    "same_role": lambda p: (
        f"{escape(p['name'])} would be the role of the TDs and of the players, and every player a director. Nothing "
        "was changed; give two roles with `td_role:` and `player_role:`."
    ),
    "no_edition": "There is no World Cup on this server yet. A TD creates one with `/td edition create`.",
    "no_ruleset": lambda p: f"I know no ruleset `{p['name']}`. Known: {', '.join(p['known'])}.",
    "ruleset_invalid": _ruleset_invalid,
    "strategies_not_here": lambda p: (
        f"The ruleset {escape(p['name'])} asks for what this version of the bot cannot do yet: "
        f"{', '.join(f'`{key}`' for key in p['keys'])}. Nothing was created."
    ),
    "edition_exists": lambda p: f"This server already has the edition {p['key']}. See `/td edition show`.",
    "edition_running": lambda p: (
        f"{escape(p['title'])} is still running on this server, until {times.utc(p['ends'])}; one edition comes after "
        "another. Create the next one then."
    ),
    "edition_over": lambda p: f"Every round of {escape(p['title'])} has been published.",
    "start_weekday": _start_weekday,
    "start_in_the_past": lambda p: (
        f"The first pairings would have come out {times.soon(p['at'])}. Choose a day that is still ahead."
    ),
    "start_year": lambda p: f"{p['given']:%Y} is outside the years I know ({p['earliest']} to {p['latest']}).",
    "zone_unknown": lambda p: (
        f"I know no time zone “{escape(p['text'])}”. Type a part of your city or country and choose from the list, "
        "or an offset such as UTC+2. `/timezone zone:none` is UTC."
    ),
    "zone_ambiguous": lambda p: (
        f"“{escape(p['text'])}” is more than one zone: {_names(p['options'])}. Nothing was changed; type the one you "
        "mean."
    ),
    "zone_offset": lambda p: (
        f"No zone keeps “{escape(p['text'])}” all year round. Type a part of your city and choose from the list."
    ),
    "bad_date": lambda p: f"I read “{escape(p['text'])}”, which is not a date. Write it as 2027-03-21.",
    "registration_not_open": lambda p: (
        f"Registration for {escape(p['title'])} is not open yet. "
        + (
            f"It opens {times.soon(p['opens'])}."
            if p.get("opens")
            else "It will be announced; a TD opens it with `/td edition open`."
        )
    ),
    "registration_already_open": lambda p: f"Registration for {escape(p['title'])} is already open.",
    "registration_already_closed": lambda p: (
        f"Registration for {escape(p['title'])} is closed, and the time for late entries is over (§2.8). `/schedule` "
        "and `/standings` show how it goes; the next edition will be announced."
    ),
    "edition_already_closed": lambda p: (
        f"{escape(p['title'])} is closed already, with its seeds made. `/td edition show` says how far it is."
    ),
    "registration_still_open": lambda p: (
        f"Registration for {escape(p['title'])} has not been closed, so there are no seeds yet. "
        "Run `/td edition close` first."
    ),
    "entries_pending": lambda p: (
        f"These entries still wait for a decision: {_names(p['names'])}. Decide them on their cards, "
        "or close with `leave_pending: True`; they are then not in."
    ),
    "too_few_entrants": lambda p: (
        f"A Swiss needs at least two entrants; approved so far: {p.get('entrants', p.get('given', 0))}. "
        "Approve more entries first."
    ),
    **ENTRY_TEXTS,
    # Rounds
    "matches_open": _matches_open,
    "already_published": lambda p: f"{p['code']} is already published; this button is from an older preview.",
    "ruleset_too_large": lambda p: f"`{p['name']}` has {p['size']} bytes; a ruleset has at most {p['most']}.",
    "ruleset_not_text": lambda p: f"`{p['name']}` is not a text file in UTF-8. Upload the ruleset as TOML.",
    "nothing_open": "Every match of the last round has a result or is extended already. Publish when you like.",
    "no_round_yet": lambda p: (
        f"No round of {escape(p['title'])} has been published. It starts {times.day(p['starts'])}."
    ),
    "no_such_round": lambda p: (
        f"There is nothing to show for round {p['number']}. "
        + (f"You can see: {', '.join(map(str, p['closed']))}." if p["closed"] else "No round is finished yet.")
    ),
    "cannot_pair": lambda p: (
        "No pairing exists under the rules: too many have met, or had the bye. Publish with `allow:` and a reason: the "
        "fewest rematches, or a second bye, are allowed then."
    ),
    "no_bye_candidate": (
        "Everybody who could have the bye has had one, or a point without a game. Publish with `allow:` and a reason: "
        "the lowest then has a second one."
    ),
    # Matches
    "which_match": _which_match,
    "name_a_match": "You play no match yourself. Say which one with `match:`; the list finds it by a name.",
    "game": "Lichess does not know the game named as the first. Report again, with its link: `/report games:`.",
    "match": "There is no such match. Choose one from the list, or leave `match:` away for your only open match.",
    "registration": "There is no such entry on this server. Use the buttons on an entry card in the TD channel.",
    "no_open_match": lambda p: f"You have no open match in {escape(p['title'])} now. `/hub` shows where you stand.",
    "match_finished": lambda p: (
        f"Your match against {escape(p['opponent'])} (round {p['number']}) already has a result. See `/hub`."
    ),
    "already_agreed": _agreed,
    # Offers
    "no_time": lambda p: f"I found no time in that. {_write(p)}",
    "too_many_offers": lambda p: (
        f"You have {p['open']} open offers; {p['most']} is the most at a time. Retract one first: `/retract`."
    ),
    "match_overdue": lambda p: (
        f"The time for this match ended {times.deadline(p['closes'])}. If you have played it, press *Report*; "
        "if not, write to the TDs: they decide what happens."
    ),
    "offer_in_the_past": lambda p: f"{times.utc(p['at'])} has passed. Offer a time that is still ahead.",
    "offer_outside_window": lambda p: (
        f"{times.utc(p['at'])} is outside this match's window; it must start by {times.deadline(p['closes'])}. "
        "Offer a time before that."
    ),
    "offer_too_late": lambda p: (
        f"{times.utc(p['at'])} is too close to the match deadline, {times.deadline(p['closes'])}, for a whole match. "
        f"Start by {times.utc(p['latest'])}."
    ),
    "offered_already": lambda p: f"You have already offered {times.utc(p['at'])}. Offer another time.",
    "offer_accepted": lambda p: f"That offer has been accepted: the match is agreed for {times.both(p['at'])}.",
    "time_unreadable": lambda p: "\n".join([*p["lines"], f"Nothing was {p['done']}. {_write(p)}"]),
    "offer": "That offer does not exist any more. See what is on the table with `/hub`.",
    "note_too_long": lambda p: (
        f"Your note has {p['given']} characters; {p['most']} is the most. Shorten it; nothing was offered."
    ),
    "td_time_unclear": lambda p: (
        f"“{escape(p['text'][:60])}” may be {' or '.join(times.utc(at) for at in p['readings'])}. Write the date."
    ),
    "td_time": lambda p: (
        f"I cannot read “{escape(p['text'][:60])}” as one minute before {times.deadline(p['closes'])}. Write for "
        "example `Sun 18:00` or `26 Mar 20:30`, in UTC."
    ),
    "not_judged_yet": (
        "Whose fault it is that there is no time is judged by the offers, when the time for them is over. Until then "
        "set a time, extend the match or forgive missing offers."
    ),
    "fault_ruled": "A TD has ruled already whose fault it is; that stands.",
    "dispute": lambda p: f"There is no dispute {p['id']} here. `/td-dispute list` shows those that wait.",
    "dispute_answered": lambda p: f"Dispute {p['id']} does not wait any more; its card says how it ended.",
    "extend_first": lambda p: (
        f"The time for this match ended {times.deadline(p['closes'])}. Extend it first with `/td-match extend`, then "
        "set the time."
    ),
    "one_time": lambda p: f"Write exactly one time, not several and no range. {_write(p)}",
    "nothing_agreed": "No time is agreed yet, so there is nothing to move. Offer times with `/offer`.",
    "same_time": lambda p: f"{times.utc(p['at'])} is the agreed time already.",
    "set_no_right": (
        "You have no right to set the time: that has whoever made the offers when the opponent did not. Offer times "
        "with `/offer`."
    ),
    "set_right_ended": _right_ended,
    "set_in_the_past": lambda p: f"{times.utc(p['at'])} has passed. {_choosable(p)}",
    "set_outside_window": lambda p: (
        f"{times.utc(p['at'])} is not before the match deadline, {times.deadline(p['closes'])}. {_choosable(p)}"
    ),
    "set_too_late": lambda p: f"{times.utc(p['at'])} leaves too little time before the match deadline. {_choosable(p)}",
    "set_too_short_notice": lambda p: f"{times.utc(p['at'])} is too soon for your opponent. {_choosable(p)}",
    "nothing_to_ask": "There is nothing to ask the TDs about this match now; the first post of the thread shows why.",
    "match_settled": "This match has its result. To change that, take the result back first.",
    "time_in_the_past": lambda p: f"{times.utc(p['at'])} has passed. Choose a minute ahead.",
    "time_outside_window": lambda p: (
        f"{times.utc(p['at'])} is not before the match deadline, {times.deadline(p['closes'])}. Extend the match "
        "first, then set the time."
    ),
    "no_such_player": lambda p: f"That user does not play {escape(p['label'])}.",
    "accept_own_offer": "That is your own offer; your opponent has to accept it. You can take it back with `/retract`.",
    "accept_retracted": "That offer has been retracted. See what is on the table with `/hub`, or offer another time.",
    "accept_lapsed": "That proposal was closed when the match got another time. See `/hub`; you can propose a new one.",
    "offer_lapsed": "That proposal was closed when the match got another time, so there is nothing to take back.",
    "accept_passed": lambda p: f"{times.utc(p['at'])} has passed, so it can no longer be accepted. Offer another time.",
    "accept_already_agreed": _agreed,
    "accept_too_late": lambda p: (
        f"{times.utc(p['at'])} is too close to the match deadline for a whole match. Offer an earlier time."
    ),
    "accept_choose_minute": "That offer is a range. Use its *Accept* button or `/accept time:` to say when in it.",
    "accept_not_in_range": lambda p: f"{times.utc(p['at'])} is not inside the offered range. Choose a minute in it.",
    "accept_time": lambda p: (
        f"“{escape(p['text'][:60])}” is not a minute of the offer {times.span(p['start'], p['end'])}. "
        f"Choose one in it, for example `{p['example']}`, {p['zone']}."
    ),
    "accept_not_a_player": "That offer belongs to another match; only its two players can accept it.",
    # Reports
    "bad_score": lambda p: f"“{escape(p['text'])}” is not a score. Write yours first, for example `6-2` or `5.5-4.5`.",
    "bad_links": lambda p: f"I found no Lichess game in “{escape(p['text'])}”. Paste the links of the games.",
    "no_games": _no_games,
    "not_finished": _not_finished,
    "score_differs": _score_differs,
    "score_without_games": _score_without_games,
    "games_need_td": lambda p: (
        "Only a TD can judge these games, and the TDs have been told: "
        + " ".join(f"<https://lichess.org/{id}>" for id in p["games"])
    ),
    "td_decides_first": (
        "Neither of you had made the offers in time, so a TD decides first whether your match counts. They are told; "
        "when you have read in the thread that you may play, report again."
    ),
    "report": "That report does not exist any more. Use `/report` to read the games again.",
    # Lichess
    "lichess_busy": "Lichess asks us to wait a moment. Nothing was changed; try again in about a minute.",
    "lichess_down": "Lichess does not answer. Nothing was changed; try again in a few minutes.",
    "lichess_incomplete": "Lichess broke off in the middle of its answer. Nothing was changed; try again.",
    "both_closed": (
        "Lichess shows neither of your two accounts any more, so I cannot find your games. The TDs are told: give them "
        "the links of what you have played."
    ),
    "lichess_refused": "Lichess refused to answer. Nothing was changed; try again later, and tell a TD if it stays so.",
    "login_refused": (
        "Lichess did not confirm this login: its link was used before, is too old, or belongs to another attempt. "
        "Nothing was changed; begin the login again."
    ),
    # Storage
    "already_there": "Somebody did that at the same moment. Look again with `/hub`.",
    "second_process": "Another process already runs the bot on this database.",
    **RULING_TEXTS,
    **EVENING_TEXTS,
}

_FALLBACK = "That could not be done. See `/hub` for where you stand, or ask a TD."


def known_codes() -> frozenset[str]:
    return frozenset(_TEXTS)


def error_message(error: AcwcError) -> Message:
    """The text of an expected failure, with its clause."""
    text = _TEXTS.get(error.code, _FALLBACK)
    shown = text(error.params) if callable(text) else text
    return Message(f"{shown} {clause_text(error.clause)}".strip(), _ways_out(error))


def _ways_out(error: AcwcError) -> tuple[Button, ...]:
    """What only a TD's extension could make possible can be asked for (Q11c)."""
    p = error.params
    beyond = {
        "offer_outside_window": lambda: p["at"] > p["latest"],
        "offer_too_late": lambda: True,
        "time_unreadable": lambda: p["late"],
        "match_overdue": lambda: True,
        "reschedule_too_late": lambda: True,
    }
    if error.code in beyond and beyond[error.code]():
        return (Button("ask-extend", p["match_id"], "Ask a TD for more time"),)
    return ()


def unexpected_message(reference: str) -> Message:
    return Message(
        f"Something went wrong on our side; nothing was changed that you need to repair. Reference `{reference}`: "
        "give it to a TD if it happens again."
    )

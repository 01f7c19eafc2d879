"""Texts for what stands against an entry: the account, whose it is, the window, the decision (R2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cogs.render import times
from cogs.render.message import escape

Params = dict[str, Any]


def _code_not_found(p: Params) -> str:
    found = p["found"].strip()
    reads = f"it reads “{escape(found[:120])}{'…' if len(found) > 120 else ''}”" if found else "it is empty"
    return (
        f"The code `{p['code']}` is not in the bio of {escape(p['name'])}: {reads}. Put it in at "
        "<https://lichess.org/account/profile>, save, and press *Check* again."
    )


def _entry_decided(p: Params) -> str:
    return f"The entry of {escape(p['name'])} is already {p['state']}. The first decision stands."


_STATES = {"pending": "it is with the TDs", "frozen": "it waits for the TDs (§2.6)", "approved": "it is approved"}

ENTRY_TEXTS: Mapping[str, str | Callable[[Params], str]] = {
    "own_entry": "That is your own entry; another TD has to decide it.",
    "entry_beside_own": lambda p: (
        f"You have an entry with the account {escape(p['name'])} yourself, so another TD has to decide this one."
    ),
    "no_account": lambda p: (
        f"Lichess has no account “{escape(p['name'])}”. Check the spelling, or paste the link to your profile."
    ),
    "bad_account_name": lambda p: (
        f"“{escape(p['text'])}” is not a Lichess name. Give the name as on your profile, or the link to it."
    ),
    "account_closed": lambda p: f"The Lichess account {escape(p['name'])} is closed. Enter with an open account.",
    "bot_account": lambda p: f"{escape(p['name'])} is a BOT account; these cannot play. Enter with your own account.",
    "already_registered": lambda p: (
        f"You are already registered as {escape(p['name'])}: {_STATES.get(p['state'], p['state'])}. One person, one "
        "account. `/hub` shows how it stands; if it is the wrong account, write to the TDs."
    ),
    "already_entered": lambda p: f"You are in {escape(p['title'])} already. `/hub` shows where you stand.",
    "registration_over": lambda p: (
        f"Registration for {escape(p['title'])} ended {times.deadline(p['ended'])}, and an entry counts only once it "
        "is shown whose account it is. When the TDs have made the seeds, `/register` opens again for late entries."
    ),
    "too_many_accounts": lambda p: (
        f"You named {p['given']} other accounts; {p['most']} is the most here. Name the newest and write to the TDs."
    ),
    "not_your_entry": lambda p: (
        f"That is the entry of {escape(p['name'])}; only who began it can go on with it. Enter with `/register`."
    ),
    "no_entry": lambda p: f"You have no entry in {escape(p['title'])} that could be taken back. See `/hub`.",
    "player_already_entered": lambda p: (
        f"{escape(p['name'])} has entered already, as {escape(p['account'])}. `/td entry list` shows it."
    ),
    "player_is_out": lambda p: (
        f"{escape(p['name'])} was in and is out now. `/td-player reinstate` lets them in again; a new entry does not."
    ),
    "entry_changed": lambda p: (
        f"Your entry has another account since then: {escape(p['name'])}. Nothing was entered. Show that this one is "
        "yours: `/register account:` has its code."
    ),
    "bad_other_account": lambda p: (
        f"“{escape(p['text'])}” is not a Lichess name. Write the names of your other accounts with spaces or commas "
        "between them, and nothing at all if you have none."
    ),
    "entry_gone": lambda p: (
        f"The entry as {escape(p['name'])} is over: it was taken back or decided. Nothing was done; `/hub` shows how "
        "you stand."
    ),
    "late_entries_over": lambda p: (
        f"The time for late entries to {escape(p['title'])} is over, since that round is out (§2.8). Reject it with "
        "that reason."
    ),
    "unknown_word": lambda p: (
        f"I understood “{escape(p['given'])}”. Write *yes* if the admin says that the player qualifies, else *no*."
    ),
    "bot_member": lambda p: f"{escape(p['name'])} is a bot on Discord. Choose the person who plays.",
    "code_not_found": _code_not_found,
    "no_login": "Logging in with Lichess is not possible here. Put the code into your bio and press *Check*.",
    "login": "That login was not begun here. Press *Log in with Lichess* in Discord again.",
    "login_declined": (
        "Lichess says that you did not agree. Press *Log in with Lichess* in Discord again, or put the code into your "
        "bio."
    ),
    "login_used": "That link has been used already. Press *Log in with Lichess* in Discord again.",
    "login_expired": "That link is older than 10 minutes. Press *Log in with Lichess* in Discord again.",
    "login_of_another": lambda p: (
        f"You are logged in on Lichess as {escape(p['name'])}, but the entry is for {escape(p['expected'])}. Log in "
        "with that account, or type `/register account:` with the other one."
    ),
    "second_entry_live": lambda p: (
        f"There is another entry of the same person or account: {escape(p['name'])}. Reject that one first."
    ),
    "accounts_missing": lambda p: (
        f"Lichess gave no data for: {', '.join(map(escape, p['names']))}. Nothing was closed. Try again in a minute; "
        "if it stays so, look at these accounts."
    ),
    "entry_decided": _entry_decided,
    "reason_too_long": lambda p: (
        f"Your reason has {p['given']} characters, {p['most']} is the most. Shorten it; nothing was decided."
    ),
    "reason_needed": "A reason is needed: it is logged and shown to the player. Give one in a sentence.",
}

"""Words about entries: how to enter, whose account it is, what was checked, what was decided (R2)."""

from __future__ import annotations

from collections.abc import Sequence

from cogs.render import times
from cogs.render.eligibility import LICHESS, accounts, check_words
from cogs.render.message import Button, Link, Message, escape, mention, visible, whole_lines
from engine.eligibility import Check, Estimate, Judgement, Topic, Verdict, Word
from engine.errors import BadInput
from engine.model import EditionState, EntryState, Proof
from engine.rules import Ruleset
from engine.usecases.entries import DECIDABLE, EntryView, Said
from engine.usecases.logins import Question
from engine.usecases.registration import Claim

PROFILE_FORM = f"{LICHESS}/account/profile"

_MARKS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.HUMAN: "⚠",
    Verdict.NOT_YET: "◷",
    Verdict.INCOMPLETE: "…",
    Verdict.NOT_ASKED: "–",
}


# --- To the player ------------------------------------------------------------------------------------------------


def claim(view: Claim) -> Message:
    """The two steps to an entry, and what it takes."""
    login = view.login
    entry, name = view.entry, escape(view.entry.lichess_name)
    lines = [
        f"**{escape(view.edition.title)}** as **{name}**. Show that the account is yours:",
        f"1. Put `{entry.code}` anywhere into the bio of your Lichess profile: <{PROFILE_FORM}>",
        "2. Press *Check*. Afterwards you can take it out again.",
    ]
    if login:
        lines.append("Or, instead of both: *Log in with Lichess*.")
    if view.edition.state is EditionState.CLOSED:
        before = view.rules.registration.late_entry_before_round
        lines.append(
            f"This is a **late entry**: a TD has to approve it before round {before} comes out. You get the last seed, "
            "and nothing for rounds that are out already."
        )
    if view.own is not None:
        lines.append(
            f"⚠ You are entered as {escape(view.own)}. One person plays with one account (§2.6): if you prove this one "
            "too, both entries stop until the TDs decide. To change the account, write to the TDs."
        )
    elif view.taken:
        lines.append(
            "⚠ Somebody else is entered with this account. If it is yours, go on: then both entries stop until the TDs "
            "decide (§2.6)."
        )
    lines += ["", *_conditions(view.rules)]
    others = ", ".join(escape(other) for other in entry.others)
    lines.append(f"Your other Lichess accounts: {others or 'none named'}. Name all you have ever had (§2.3).")
    buttons = [Button("prove", entry.id, "Check", "primary")]
    if login:
        buttons.append(Button("log-in", entry.id, "Log in with Lichess"))
    buttons.append(Button("name-others", entry.id, "Name other accounts…"))
    return Message("\n".join(lines), (*buttons, Link(PROFILE_FORM, "My Lichess profile")))


def _conditions(rules: Ruleset) -> list[str]:
    """R2.1-R2.7 in a few words, with the values of the edition."""
    entry = rules.entry
    cheat = " or ".join(f"{window.count} since {times.day(window.since)}" for window in entry.cheat_games)
    lines = [
        "Who may play (§2):",
        f"• account made before {times.day(entry.account_created_before)}",
        f"• {entry.min_games} rated {rules.variant} games before {times.day(entry.min_games_before)}",
        f"• no engine mark after {times.day(entry.engine_mark_after)}, no boosting mark after "
        f"{times.day(entry.boost_mark_after)}, on any of your accounts",
    ]
    if cheat:
        lines.append(f"• fewer lost games with “cheat detected” than {cheat}")
    if entry.team is not None:
        lines.append(f"• member of <{LICHESS}/team/{entry.team}>")
    if entry.min_rating is not None:
        lines.append(f"• {rules.variant} rating of {entry.min_rating} or more")
    lines.append("• one account per person" + ("" if entry.bots else ", no BOT account"))
    return lines


def login_link(url: str) -> Message:
    return Message(
        "Log in with Lichess there; I learn nothing but the name of the account. The link is for you alone, works once "
        "and for 10 minutes.",
        (Link(url, "Log in with Lichess"),),
    )


def proven(view: EntryView) -> Message:
    """While the check runs and after it, to the player."""
    entry = view.entry
    lines = [f"**{escape(view.edition.title)}**: {escape(entry.lichess_name)} is yours ✓"]
    lines.append(_HOW_IT_STANDS[entry.state])
    lines += _checks(view)
    buttons = (Button("entry", entry.id, "How far is it?"),) if _runs(view) else ()
    return Message("\n".join(lines), buttons)


_HOW_IT_STANDS = {
    EntryState.UNPROVEN: "Your entry is begun. Go on with it in Discord: `/hub`.",
    EntryState.PENDING: "Your entry is with the TDs. They decide, and I tell you by direct message. `/hub` shows it.",
    EntryState.FROZEN: (
        "Your entry waits: there is a second account or a second entry (§2.6). The TDs decide and tell you."
    ),
    EntryState.APPROVED: "Your entry is approved. `/hub` shows what comes next.",
    EntryState.REJECTED: "Your entry was not accepted. `/hub` says why.",
    EntryState.WITHDRAWN: "You have taken this entry back. Enter again with `/register account:`.",
}


def login_question(question: Question) -> Message:
    """On the page where Lichess sends the player back to: the link may have come from somebody else."""
    return Message(
        f"You are logged in on Lichess as {question.entry.lichess_name}. Enter it for {question.edition.title} as the "
        f"account of {_on_discord(question)} on Discord? If that is not you, close this page: somebody has sent you a "
        "link of theirs."
    )


def login_confirm_label(question: Question) -> str:
    return f"Yes, I am {_on_discord(question)}"


def _on_discord(question: Question) -> str:
    """The name that others see can be anybody's; the one with the @ is one person's."""
    return f"{visible(question.person.name)} (@{question.handle})"


def logged_in(view: EntryView) -> Message:
    """On the same page, after the yes."""
    return Message(
        f"{view.entry.lichess_name} is entered as the account of {visible(view.person.name)} on Discord, for "
        f"{view.edition.title}. {_HOW_IT_STANDS[view.entry.state]}"
    )


def withdraw_question(views: Sequence[EntryView]) -> Message:
    """What `/withdraw` would do, before it is done."""
    title, names = escape(views[-1].edition.title), _names(views)
    again = (
        "a TD has to approve you anew, as a late entry with the last seed"
        if views[-1].edition.state is EditionState.CLOSED
        else "you have to begin again (code, check, a TD's approval) before registration closes, later as a late entry"
    )
    return Message(
        f"You are about to take back your entry for {title} as {names}: you will get no seed and no pairings. If you "
        f"change your mind, {again}.",
        (Button("withdraw", views[-1].entry.id, "Yes, take my entry back", "danger"),),
    )


def withdrawn(views: Sequence[EntryView]) -> Message:
    return Message(
        f"Your entry for {escape(views[-1].edition.title)} as {_names(views)} is taken back. `/hub` shows how you can "
        "enter again."
    )


def dropped(view: EntryView) -> Message:
    return Message(
        f"The entry as {escape(view.entry.lichess_name)} that you had begun is dropped; no other is touched."
    )


def _names(views: Sequence[EntryView]) -> str:
    return " and ".join(f"**{escape(view.entry.lichess_name)}**" for view in views)


def entry_told(view: EntryView, what: str) -> Message | None:
    """To the player, privately: `what` has become of the entry. None where it is not so any more when the message goes
    out; then another one says what is."""
    if view.entry.state not in _TOLD[what]:
        return None
    title, name = escape(view.edition.title), escape(view.entry.lichess_name)
    if what == "left-out":
        before = view.rules.registration.late_entry_before_round
        return Message(
            f"The seeds of {title} are made, and your entry as **{name}** was not decided before. The TDs may still "
            f"take you in as a late entry, with the last seed, until round {before} comes out."
        )
    if view.entry.state is EntryState.APPROVED:
        if view.edition.state is EditionState.CLOSED:
            return Message(f"You are in {title} as **{name}**. Your first pairing comes with the next round. `/hub`")
        return Message(f"You are in {title} as **{name}**. First pairings: {times.day(view.edition.starts)}. `/hub`")
    if view.entry.state is EntryState.REJECTED:
        return Message(
            f"Your entry for {title} as **{name}** was not accepted. Reason: {escape(view.reason or '')}\n"
            "If you think this is wrong, write to the TDs."
        )
    return Message(
        f"Your entry for {title} as **{name}** waits: somebody has entered with the same account, or you with a "
        "second one (§2.6). The TDs decide and tell you; write to them if you know more."
    )


_TOLD = {
    "decided": (EntryState.APPROVED, EntryState.REJECTED),
    "frozen": (EntryState.FROZEN,),
    "left-out": DECIDABLE,
}
"""What is told, and the states in which it is still so."""


def entry_added(view: EntryView) -> Message:
    """To somebody whom a TD has entered, privately."""
    return Message(
        f"A TD has entered you for {escape(view.edition.title)} as **{escape(view.entry.lichess_name)}**. "
        "`/hub` shows how it stands. If that is wrong, type `/withdraw` or write to the TDs."
    )


# --- To the TDs -----------------------------------------------------------------------------------------------------

_PROOFS = {
    Proof.BIO: "proven by the code in the bio",
    Proof.LOGIN: "proven by a login with Lichess",
    Proof.TD: "vouched for by a TD",
}


def entry_card(view: EntryView) -> Message:
    """What is known, check by check, and the decision as buttons."""
    entry, rules = view.entry, view.rules
    rating = entry.rating if entry.rating is not None else "none"
    proof = _PROOFS[entry.proof] if entry.proof is not None else "not proven"
    lines = [
        f"### Entry: {escape(entry.lichess_name)}",
        f"{mention(view.person.discord_id, view.person.name)} · rating {rating} · {entry.games or 0} rated "
        f"{rules.variant} games · {proof}",
        *_decision(view),
        *_checks(view),
    ]
    lines += [f"{label} ({escape(said.by.name)}): {escape(said.text)}" for label, said in _said(view)]
    for name, said in view.rejected:
        lines.append(f"⚠ Rejected before, as {escape(name)}, by {escape(said.by.name)}: {escape(said.text)}")
    if entry.others:
        lines.append("Other accounts, named or proven before: " + accounts(entry.others))
    buttons: tuple[Button | Link, ...] = ()
    if entry.state in DECIDABLE:
        buttons = (
            Button("approve", entry.id, "Approve" if view.is_clear else "Approve…", "good"),
            Button("reject", entry.id, "Reject…", "danger"),
            Button("admin-word", entry.id, "A Lichess admin says…"),
            *([Button("recheck", entry.id, "Check again")] if _is_early(view) else []),
            Link(f"{LICHESS}/@/{entry.lichess_name}", "Profile"),
        )
    return Message(whole_lines(lines), buttons)


def _decision(view: EntryView) -> list[str]:
    """Where the entry stands, before all that may be long."""
    entry = view.entry
    if entry.state is EntryState.FROZEN:
        return ["**Frozen:** a second account of one person, or a second person with this account (§2.6)."]
    if entry.state in DECIDABLE:
        return []
    if entry.state is EntryState.WITHDRAWN:
        return ["**Withdrawn** by the player."]
    by = escape(view.decided_by.name) if view.decided_by else "the bot"
    reason = f" Reason: {escape(view.reason)}" if view.reason else ""
    return [f"**{entry.state.capitalize()}** by {by}.{reason}"]


def _is_early(view: EntryView) -> bool:
    return view.judgement is not None and view.judgement.verdict is Verdict.NOT_YET


def check_begins(*, begun: bool) -> Message:
    if begun:
        return Message("The check begins again; the card follows it.")
    return Message("This check is not to be repeated now: it goes on, or was made in the last minutes. See the card.")


def _said(view: EntryView) -> list[tuple[str, Said]]:
    said = (("Entered by a TD", view.vouched), ("A Lichess admin’s word", view.admin))
    return [(label, one) for label, one in said if one is not None]


def admin_written(view: EntryView) -> Message:
    entry = view.entry
    verdict = "qualifies" if entry.admin_word == Word.QUALIFIES else "does not qualify"
    return Message(
        f"Written down: a Lichess admin says that {escape(entry.lichess_name)} {verdict}. The entry still waits for "
        "approve or reject, on its card."
    )


def read_word(text: str) -> Word:
    """ "yes", "qualifies" or "no", "does not" as a TD writes them. BadInput("unknown_word")."""
    wanted = " ".join(text.casefold().split())
    for word, spellings in _WORDS.items():
        if wanted in spellings:
            return word
    raise BadInput("unknown_word", given=text)


_WORDS = {
    Word.QUALIFIES: ("yes", "y", "qualifies", "the player qualifies"),
    Word.DOES_NOT: ("no", "n", "does not", "does not qualify", "the player does not qualify"),
}


def added(view: EntryView) -> Message:
    return Message(
        f"{escape(view.entry.lichess_name)} is entered for {escape(view.person.name)}, who is told. The checks begin; "
        "the card in the TD channel has them, and approve and reject."
    )


def decision_made(view: EntryView) -> Message:
    return Message(f"{escape(view.entry.lichess_name)}: {view.entry.state}. The player is told privately.")


def listed(views: Sequence[EntryView]) -> Message:
    """`/td entry list`: a line each, those that wait first."""
    if not views:
        return Message("No entry has been filed yet.")
    lines = [f"{len(views)} entries, those that wait first:"]
    for view in views:
        verdict = view.judgement.verdict if view.judgement else None
        mark = f" {_MARKS[verdict]}" if verdict is not None and view.entry.state in DECIDABLE else ""
        lines.append(f"• {escape(view.entry.lichess_name)}: {view.entry.state}{mark}")
    return Message("\n".join(lines))


# --- The checks -----------------------------------------------------------------------------------------------------


def _runs(view: EntryView) -> bool:
    return view.check is not None and view.check.finished_at is None and view.entry.state in DECIDABLE


def _checks(view: EntryView) -> list[str]:
    if view.judgement is None:
        return []
    problem = view.check.problem if view.check is not None else None
    cut = ["The check was not finished when this was decided."] if _was_cut(view) else []
    return check_lines(view.judgement, view.remaining if _runs(view) else None, problem) + cut


def _was_cut(view: EntryView) -> bool:
    return view.check is not None and view.check.finished_at is None and view.entry.state not in DECIDABLE


def check_lines(judgement: Judgement, remaining: Estimate | None, problem: str | None) -> list[str]:
    """A line for each check; `remaining`: how much is to come, None when it does not go on."""
    lines = [_line(check) for check in judgement.checks if _says_something(check)]
    if remaining is not None:
        lines.append(f"The check goes on: about {_lasting(remaining.seconds)} more.")
        if problem is not None:
            lines.append(_PROBLEMS.get(problem, _NO_ANSWER))
    return lines


_NO_ANSWER = "Lichess does not answer at the moment; I go on by myself when it does."
_PROBLEMS = {
    "no_account": "⚠ Lichess says now that there is no such account. I ask again; a TD may decide before.",
}


def _says_something(check: Check) -> bool:
    """What nobody was asked about is left out, unless a figure is known."""
    return check.verdict is not Verdict.NOT_ASKED or check.topic is Topic.RATED_GAMES


def _lasting(seconds: int) -> str:
    return f"{seconds} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _line(check: Check) -> str:
    return f"{_MARKS[check.verdict]} {check_words(check)} (§{check.clause.removeprefix('R')})"

"""Words of the hub for somebody who is no entrant yet: their entry, and what they do next (R2)."""

from __future__ import annotations

from cogs.render import times
from cogs.render.entries import check_lines
from cogs.render.message import Button, Message, escape
from engine.eligibility import Judgement, Verdict
from engine.model import EditionState, EntryState
from engine.usecases.entries import DECIDABLE, EntryView
from engine.usecases.tables import HubView

_TO_BE_MET = (Verdict.FAIL, Verdict.NOT_YET)


def hub_entry(view: HubView) -> Message:
    entry, title = view.entry, escape(view.edition.title)
    lines = [f"**{title}**: {_stands(view, entry) if entry is not None else _without_an_entry(view)}"]
    buttons = _buttons(entry) if entry is not None else []
    if entry is not None and entry.entry.state in DECIDABLE and entry.judgement is not None:
        lines += check_lines(_not_met(entry.judgement), None, None)
    if view.begun is not None:
        lines.append(
            f"You have also begun an entry as **{escape(view.begun.entry.lichess_name)}**. One person plays with one "
            "account (§2.6): if you prove it too, both entries stop until the TDs decide."
        )
        buttons += [
            Button("drop", view.begun.entry.id, "Drop that one"),
            Button("claim", view.begun.entry.id, "What that means"),
        ]
    return Message("\n".join(lines), tuple(buttons))


def _not_met(found: Judgement) -> Judgement:
    return Judgement(checks=tuple(check for check in found.checks if check.verdict in _TO_BE_MET))


def _buttons(view: EntryView) -> list[Button]:
    entry = view.entry
    if entry.state is EntryState.UNPROVEN:
        first = [Button("prove", entry.id, "Check", "primary"), Button("claim", entry.id, "What to do")]
    elif entry.state in DECIDABLE:
        first = [Button("entry", entry.id, "How far is the check?")]
    elif entry.state is EntryState.APPROVED:
        first = []
    else:
        return []
    return [*first, Button("withdraw-ask", entry.id, "Take my entry back…")]


def _without_an_entry(view: HubView) -> str:
    if view.edition.state is EditionState.DRAFT:
        return "registration is not open yet; it will be announced."
    return f"you are not entered. {_how_to_enter(view)}"


def _how_to_enter(view: HubView) -> str:
    """What is possible now (R2.8, Q44g)."""
    if view.can_enter and view.late:
        return "A late entry is still possible: `/register account:` and your Lichess name. A TD has to approve it."
    if view.can_enter:
        return "Enter with `/register account:` and your Lichess name."
    if view.late:
        return "It is too late to enter; `/standings` and `/schedule` show how it goes."
    return "Registration has ended; when the TDs have made the seeds, `/register` opens again for late entries."


def _stands(view: HubView, of: EntryView) -> str:
    entry, name = of.entry, escape(of.entry.lichess_name)
    match entry.state:
        case EntryState.REJECTED:
            reason = escape(of.reason or "")
            wrong = "If you think this is wrong, write to the TDs."
            return f"your entry as {name} was not accepted. Reason: {reason}\n{wrong}"
        case EntryState.UNPROVEN if view.can_enter:
            return f"show that the account {name} is yours, then your entry goes to the TDs."
        case EntryState.UNPROVEN:
            return f"your entry as {name} was begun and not finished in time. {_how_to_enter(view)}"
        case EntryState.PENDING:
            return f"your entry as {name} {_with_the_tds(view)}"
        case EntryState.FROZEN:
            return (
                f"your entry as {name} waits, because there is a second account or a second entry (§2.6). The TDs "
                "decide and tell you; write to them if you know more."
            )
        case EntryState.WITHDRAWN:
            return f"you have taken your entry back. {_how_to_enter(view)}"
        case EntryState.APPROVED:
            starts = times.day(view.edition.starts)
            return f"you are in as {name}. Nothing to do now; the first pairings come on {starts}."


def _with_the_tds(view: HubView) -> str:
    if not view.late:
        return "is with the TDs. They decide and tell you."
    if view.can_enter:
        return "was not decided before the seeds were made. It is with the TDs as a late entry; they tell you."
    return "was not decided in time, and it is too late for a late entry. If you think this is wrong, write to the TDs."

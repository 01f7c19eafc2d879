"""Words about editions and entries."""

from __future__ import annotations

from cogs.render import times
from cogs.render.message import Button, Link, Message, escape, mention
from engine.calendar import edition_calendar
from engine.facts import Exit
from engine.model import EditionState, EntryState
from engine.usecases.context import Event
from engine.usecases.editions import EditionView
from engine.usecases.registration import EntryView

_FLAGS = {
    "tos_violation": "⚠ marked by Lichess (terms of service)",
    "account_closed": "⚠ closed on Lichess",
    "account_too_new": "⚠ account too new (§2.1)",
    "too_few_games": "⚠ too few rated games (§2.2)",
}
SHOWN = 30


def entry_filed(view: EntryView) -> Message:
    entry = view.entry
    return Message(
        f"Your entry for {escape(view.edition.title)} as **{escape(entry.lichess_name)}** is with the TDs. "
        "They decide it and I tell you by direct message; `/hub` shows it too."
    )


def entry_card(view: EntryView) -> Message:
    """In the TD channel: what is known, and the decision as buttons."""
    entry, rules = view.entry, view.rules
    name = escape(entry.lichess_name)
    lines = [
        f"### Entry: {name}",
        f"{mention(view.person.discord_id, view.person.name)} · "
        f"rating {entry.rating if entry.rating is not None else 'none'} · "
        f"{entry.games or 0} rated {rules.variant} games (needs {rules.entry.min_games})",
    ]
    lines += [_FLAGS.get(flag, flag) for flag in entry.flags] or ["No flags."]
    buttons: tuple[Button | Link, ...] = ()
    if entry.state is EntryState.PENDING:
        buttons = (
            Button("approve", entry.id, "Approve", "good"),
            Button("reject", entry.id, "Reject…", "danger"),
            Link(f"https://lichess.org/@/{entry.lichess_name}", "Profile"),
        )
    else:
        by = escape(view.decided_by.name) if view.decided_by else "the bot"
        lines.append(
            f"**{entry.state.capitalize()}** by {by}." + (f" Reason: {escape(view.reason)}" if view.reason else "")
        )
    return Message("\n".join(lines), buttons)


def entry_decided(view: EntryView) -> Message:
    """To the player, privately."""
    title, name = escape(view.edition.title), escape(view.entry.lichess_name)
    if view.entry.state is EntryState.APPROVED:
        if view.edition.state is EditionState.CLOSED:
            return Message(f"You are in {title} as **{name}**. Your first pairing comes with the next round. `/hub`")
        return Message(f"You are in {title} as **{name}**. First pairings: {times.day(view.edition.starts)}. `/hub`")
    return Message(
        f"Your entry for {title} as **{name}** was not accepted. Reason: {escape(view.reason or '')}\n"
        "If you think this is wrong, write to the TDs."
    )


def exit_told(event: Event, entrant_id: int) -> Message:
    """To the player, privately, after somebody has left the event or is in it again."""
    return Message(exit_line(event, entrant_id) or f"You are in {escape(event.edition.title)} again. `/hub`")


def exit_line(event: Event, entrant_id: int) -> str:
    """Why somebody is out of the event; empty for who is in it."""
    left = event.tournament.left.get(entrant_id)
    if left is None:
        return ""
    title = escape(event.edition.title)
    if left.exit is Exit.WITHDRAWN:
        return f"You have withdrawn from {title}."
    why = _GROUNDS.get(left.ground or "", (left.ground or "").replace("_", " "))
    return f"You are out of {title}: disqualified{f' ({why})' if why else ''}. If that is wrong, write to the TDs now."


_GROUNDS = {"two_forfeits": "a forfeit in two matches, §6.5"}


def decision_made(view: EntryView) -> Message:
    return Message(f"{escape(view.entry.lichess_name)}: {view.entry.state}. The player is told privately.")


def edition_created(view: EditionView) -> Message:
    """Every date, for confirmation: nothing is announced until a TD opens the registration."""
    slots = edition_calendar(view.rules, view.edition.starts, 64)
    lines = [
        f"**{escape(view.edition.title)}** is drafted. Check its dates, then open it with `/td edition open`.",
        *(f"• {date.label}: {times.day(date.day)}" for date in view.dates.dates),
        f"• with 64 to 127 entrants the last match ends {times.utc(slots[-1].matches_by)}",
    ]
    return Message("\n".join(lines))


def edition_opened(view: EditionView) -> Message:
    return Message(
        f"Registration for {escape(view.edition.title)} is open and announced. Entries come to the TD channel."
    )


def edition_closed(view: EditionView) -> Message:
    """The seeds as they were made."""
    lines = [f"Registration for {escape(view.edition.title)} is closed: {len(view.entrants)} entrants. Seeds:"]
    lines += [f"{e.seed}. {escape(e.name)} ({e.rating if e.rating is not None else '–'})" for e in view.entrants]
    lines += [f"{escape(name)}: {_FLAGS[flag]} since you approved the entry" for name, flag in view.doubtful]
    return Message("\n".join(lines))


def edition_shown(view: EditionView) -> Message:
    state = {
        EditionState.DRAFT: "a draft; open it with `/td edition open`",
        EditionState.OPEN: "open for registration; close it with `/td edition close`",
        EditionState.CLOSED: "closed for registration",
    }[view.edition.state]
    lines = [
        f"**{escape(view.edition.title)}** is {state}.",
        f"First pairings {times.day(view.edition.starts)}. "
        f"{len(view.approved)} approved, {len(view.pending)} pending, {len(view.entrants)} entrants.",
    ]
    lines += [f"• pending: {escape(entry.lichess_name)}" for entry in view.pending[:SHOWN]]
    lines += [
        f"• {slot.stage} {slot.number}: {times.utc(slot.publish_at)} to {times.deadline(slot.matches_by)}"
        for slot in view.calendar
    ]
    return Message("\n".join(lines))


def edition_news(view: EditionView, news: str) -> Message:
    """For everybody, in the announcements."""
    title = escape(view.edition.title)
    if news == "opened":
        return Message(
            f"## {title}: registration is open\n"
            f"Enter with `/register account:` and your Lichess name. First pairings {times.day(view.edition.starts)}.",
        )
    return Message(
        f"## {title}: registration is closed\n"
        f"{len(view.entrants)} players. The first pairings come on {times.day(view.edition.starts)}."
    )

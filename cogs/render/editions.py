"""Words about editions."""

from __future__ import annotations

from cogs.render import times
from cogs.render.message import Message, escape
from cogs.render.seatings import seat_lost
from cogs.render.titles import stage_name
from engine.calendar import edition_calendar
from engine.facts import Exit
from engine.model import EditionState, Entrant
from engine.usecases.context import Event
from engine.usecases.editions import EditionView, opens_at
from engine.usecases.posts import SEEDS_PER_POST, part_size

SHOWN = 30
_SINCE = {
    "tos_violation": "⚠ marked by Lichess (terms of service)",
    "account_closed": "⚠ closed on Lichess",
}


def exit_told(event: Event, entrant_id: int) -> Message:
    """To the player, privately, after somebody has left the event or is in it again."""
    if (stage := seat_lost(event, entrant_id)) is not None:
        return Message(
            f"You are in {escape(event.edition.title)} again. Your seat in the {stage_name(stage)} was filled "
            "meanwhile, so you have no match there now; if a seat falls empty, you may be asked (§8.4, §8.5)."
        )
    return Message(exit_line(event, entrant_id) or f"You are in {escape(event.edition.title)} again. `/hub`")


def exit_line(event: Event, entrant_id: int) -> str:
    """Why somebody is out of the event; empty for who is in it."""
    left = event.tournament.left.get(entrant_id)
    if left is None:
        return ""
    title = escape(event.edition.title)
    if left.exit is Exit.WITHDRAWN:
        return f"You have withdrawn from {title}. To come back, write to the TDs: only they can let you in again."
    why = _GROUNDS.get(left.ground or "", (left.ground or "").replace("_", " "))
    return f"You are out of {title}: disqualified{f' ({why})' if why else ''}. If that is wrong, write to the TDs now."


_GROUNDS = {
    "engine": "use of an engine, §7",
    "booster": "boosting, §7.3",
    "guilty": "cheating, §7.2",
    "ineligible": "not eligible, §2",
    "second_account": "a second account, §2.6",
    "public_accusation": "a public accusation, §7.1",
    "two_forfeits": "a forfeit in two matches, §6.5",
    "conduct": "conduct, §1.4",
}


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
    lines += [_seed(entrant) for entrant in view.entrants]
    lines += [
        f"{escape(entry.lichess_name)}: left out, {entry.state}; they are told, and may still come in as a late entry"
        for entry in view.left_out
    ]
    lines += [f"{escape(name)}: {_SINCE[flag]} since you approved the entry" for name, flag in view.doubtful]
    return Message("\n".join(lines))


def seeds_post(view: EditionView, part: int) -> Message:
    """For everybody: a part of the list of entrants."""
    size = part_size(len(view.entrants), SEEDS_PER_POST)
    first = part * size
    shown = view.entrants[first : first + size]
    heading = f"**Seeds {first + 1}–{first + len(shown)}** of {escape(view.edition.title)}"
    return Message("\n".join([heading, *map(_seed, shown)]))


def _seed(entrant: Entrant) -> str:
    return f"{entrant.seed}. {escape(entrant.name)} ({_seeded_by(entrant)})"


def _seeded_by(entrant: Entrant) -> str:
    """What a seed rests on: the rating, and where a peak counts too the average and that peak."""
    rating = str(entrant.rating) if entrant.rating is not None else "–"
    peak = entrant.seeded_by.get("peak")
    if peak is None:
        return rating
    half = entrant.seeded_by["half_rating"]
    average = f"{half // 2}{'½' if half % 2 else ''}"
    return f"{average}: {rating} and peak {peak['rating']} on {peak['day']}"


def _draft(view: EditionView) -> str:
    at = opens_at(view.edition)
    if at is None:
        return "a draft; open it with `/td edition open`"
    return f"a draft; registration opens by itself {times.soon(at)}, or now with `/td edition open`"


def edition_shown(view: EditionView) -> Message:
    state = {
        EditionState.DRAFT: _draft(view),
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
            f"Enter with `/register account:` and your Lichess name, until "
            f"{times.deadline(view.dates['registration.closes'].moment)}. First pairings "
            f"{times.day(view.edition.starts)}.",
        )
    if news == "over":
        waiting = len(view.pending)
        wait = f" {waiting} entr{'y' if waiting == 1 else 'ies'} still wait for a decision." if waiting else ""
        return Message(
            f"## {title}: registration is over\n"
            f"{len(view.approved)} entries are approved.{wait} The seeds come next; first pairings "
            f"{times.day(view.edition.starts)}.",
        )
    return Message(
        f"## {title}: registration is closed\n"
        f"{len(view.entrants)} players. The first pairings come on {times.day(view.edition.starts)}. A late entry is "
        f"possible until round {view.rules.registration.late_entry_before_round} comes out: `/register account:`."
    )

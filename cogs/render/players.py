"""Words about one player, for TDs: grounds, another seed, another account, erasure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from cogs.render import times
from cogs.render.eligibility import LICHESS
from cogs.render.entries import check_lines
from cogs.render.message import TEXT_LIMIT, Button, Link, Message, escape
from cogs.render.rulings import made
from engine.errors import BadInput
from engine.model import Entrant
from engine.usecases.account_changes import AccountChangeView
from engine.usecases.context import Event
from engine.usecases.erasure import Personal
from engine.usecases.players import PlayerView, SeedView

FIRST_GROUNDS = ("engine", "booster", "conduct", "…")
"""Those in the label of the form; Discord cuts it at 45 characters."""
_GROUND_WORDS = {
    "engine": "engine: a mark, or found guilty of an engine (§7.3, §8.2)",
    "booster": "booster: boosting or sandbagging (§7.3)",
    "guilty": "guilty: found guilty of cheating without an engine (§7.2)",
    "ineligible": "ineligible: was not allowed to enter (§2)",
    "second_account": "second account of one person (§2.6)",
    "public_accusation": "public accusation (§7.1)",
    "two_forfeits": "two forfeits (§6.5)",
    "conduct": "conduct (§1.4)",
}


def ground_words(ground: str) -> str:
    return _GROUND_WORDS.get(ground, ground.replace("_", " "))


def read_ground(text: str, grounds: Sequence[str]) -> str:
    """A ground as a TD writes it: any case, a space for "_", the beginning of a word. BadInput("unknown_ground")."""
    wanted = "_".join(text.casefold().split())
    found = [ground for ground in grounds if ground == wanted] or [
        g for g in grounds if wanted and g.startswith(wanted)
    ]
    if len(found) != 1:
        raise BadInput("unknown_ground", given=text, grounds=tuple(grounds))
    return found[0]


def player_choice(view: PlayerView) -> str:
    return f"{view.entrant.name} (seed {view.entrant.seed}{'' if view.is_in else ', out'})"


# --- Another seed (Q44g) ----------------------------------------------------------------------------------------------


def seed_corrected(view: SeedView) -> Message:
    event, lines = view.made.event, [made(view.made).text]
    if view.below is not None:
        lines.append(f"They come directly before {escape(event.name(view.below))}; nobody else has another seed.")
    lines.append(_seed_rests_on(view.entrant))
    return Message("\n".join(lines)[:TEXT_LIMIT])


def _seed_rests_on(entrant: Entrant) -> str:
    """The evidence that was stored with the seed, in one line."""
    found = entrant.seeded_by
    if not found:
        return f"The seed of the entry, {entrant.seed}, is the last one of its day: a late entry (Q44g)."
    rests = [f"rating {_read(found['rating'], found['read_at'])}"]
    if found["peak"] is not None:
        half = found["half_rating"]
        rests.append(f"peak {_read(found['peak'], found['read_at'])}")
        rests.append(f"average {half // 2}{'½' if half % 2 else ''}")
    rests.append(f"{found['rated_games']} rated games")
    return f"The seed of the entry, {entrant.seed}, rests on: {', '.join(rests)}."


def _read(rating: Mapping[str, Any], read_at: str) -> str:
    """A rating and where Lichess showed it."""
    if rating["day"] is None:
        return f"{rating['rating']} (profile, {times.utc(datetime.fromisoformat(read_at))})"
    return f"{rating['rating']} (rating history, {times.day(date.fromisoformat(rating['day']))})"


# --- Another account (Q55) ------------------------------------------------------------------------------------------


def change_proposed(view: AccountChangeView) -> Message:
    return Message(
        f"The checks of {escape(view.change.name)} begin now. A card in the TD channel follows them; it has the button "
        f"to let {escape(view.entrant.name)} go on with that account. Until then nothing changes."
    )


def change_title(view: AccountChangeView) -> str:
    return f"{view.entrant.name} → {view.change.name}"


def account_card(view: AccountChangeView) -> Message:
    """To the TDs: the checks as they come in, and the button while it is open."""
    change, name = view.change, escape(view.entrant.name)
    lines = [
        f"### Another account: {escape(change.name)}",
        f"For {name} (seed {view.entrant.seed}, which stays). Games count with the account that was in force when they "
        "were begun.",
    ]
    runs = change.finished_at is None and view.can_be_made
    lines += check_lines(view.judgement, view.remaining if runs else None, change.problem)
    if not runs and change.problem in ("no_account", "account_closed"):
        lines.append("Lichess does not show this account any more.")
    if view.in_force:
        lines.append(f"✓ **In force:** {name} plays with it.")
    elif not view.is_in:
        lines.append(f"{name} is out of the event.")
    if not view.can_be_made:
        return Message("\n".join(lines)[:TEXT_LIMIT])
    label = "Take this account…" if view.is_clear else "Waive the checks and take it…"
    buttons = (
        Button("take-account", change.id, label, "good" if view.is_clear else "danger"),
        Link(f"{LICHESS}/@/{change.lichess_id}", "Profile"),
    )
    return Message("\n".join(lines)[:TEXT_LIMIT], buttons)


def account_erased() -> Message:
    return Message("What stood here was erased.")


def account_told(event: Event, entrant_id: int) -> Message:
    """To the player, privately."""
    name = escape(event.name(entrant_id))
    return Message(
        f"A TD has changed your account in {escape(event.edition.title)}: you play as **{name}** from now on. Games "
        "with another account do not count. If that is wrong, write to the TDs now."
    )


def opponent_account_told(event: Event, entrant_id: int) -> Message:
    """To the opponent of an open match, privately."""
    account = event.entrants[entrant_id]
    link = f"<{LICHESS}/@/{account.name}>"
    return Message(
        f"Your opponent in {escape(event.edition.title)} plays with another account from now on, on a TD’s word: "
        f"**{escape(account.name)}** {link}. Challenge that one; games with the account before do not count."
    )


def welcome_back(event: Event, entrant_id: int) -> Message:
    """To a player who had left the server, privately."""
    if not event.tournament.is_in(entrant_id):
        return Message(f"Good to have you back. You are out of {escape(event.edition.title)}; `/hub` says why.")
    return Message(f"Good to have you back: you are still in {escape(event.edition.title)}. `/hub` shows what is due.")


# --- Erasure --------------------------------------------------------------------------------------------------------


def to_erase(found: Personal) -> Message:
    name = escape(found.name)
    if found.nothing_left:
        lines = [f"Nothing personal is stored about {name} any more; the results stay.", *_not_wiped(found)]
        return Message("\n".join(lines))
    stays = f"Results, pairings and rulings stay under the Lichess name {name}." if found.has_entered else _TD_STAYS
    lines = [
        f"**This goes for good** of what is stored about {name}:",
        *(f"• {line}" for line in _kinds(found)),
        f"{stays} It cannot be undone. Messages of the bot are edited; copies of the database made before keep it "
        "until they are deleted.",
    ]
    for edition in found.approved:
        lines.append(f"⚠ Their entry in {escape(edition.title)} is approved. It is withdrawn: they do not play there.")
    if found.is_playing:
        lines.append("⚠ They are still in the event: nobody can reach them afterwards. Take them out first.")
    return Message(
        "\n".join(lines), (Button("erase", found.person.id, f"Erase what is personal of {found.name}", "danger"),)
    )


_TD_STAYS = "What they have decided as a TD stays, with its reasons and without their name."


def _kinds(found: Personal) -> list[str]:
    lines = ["the Discord account, name, time zone and settings"] if found.person.discord_id is not None else []
    if found.has_role:
        lines.append("the Discord role of the players")
    counted = (
        (found.waiting, "entry that waits: it is withdrawn"),
        (found.notes, "what they wrote, and reasons of decisions about them alone"),
        (found.checks, "check of an account, with its evidence"),
        (found.logins, "login with Lichess"),
        (found.messages, "where a private message of the bot is"),
    )
    return lines + [f"{count} × {words}" for count, words in counted if count]


def erased(found: Personal) -> Message:
    name = escape(found.name)
    known = f"{name} is known by the Lichess name alone; the results stay."
    lines = [f"Erased. {known if found.has_entered else f'The bot does not know {name} any more.'}"]
    if found.role_stays:
        lines.append("⚠ Discord has not taken the role of the players away from them: please do it by hand.")
    return Message("\n".join([*lines, *_not_wiped(found)]))


def _not_wiped(found: Personal) -> list[str]:
    if found.is_wiped:
        return []
    return [
        "⚠ The old text is still in the files of the database, because something else uses it, such as a backup. The "
        "bot tries again every minute, and at its next start."
    ]

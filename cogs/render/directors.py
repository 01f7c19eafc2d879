"""Words for the directors' commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from cogs.render import times
from cogs.render.message import Button, Message, escape
from cogs.render.titles import round_title, stage_name
from engine.usecases.rounds import Extended, Published
from engine.usecases.setup import SetUp

GONE = "the channel does not exist"


class Threads(Enum):
    """Where the match threads are, and what the TD has to know about it."""

    FORUM = "Matches are posts of a forum; their tags say which still need a time, which have one, which are over."
    COULD_BE_A_FORUM = (
        "Matches are threads of a text channel, without tags that show how they stand. This server can have a forum: "
        "create one and name it with `/td setup matches:`; threads that are open already stay where they are."
    )
    NO_COMMUNITY = (
        "Matches are threads of a text channel, without tags that show how they stand: forums exist only in Community "
        "servers (Server Settings → Enable Community). Everything else is the same."
    )


def extend_round(round_id: int) -> Button:
    """Extends the open matches of that round and no other, however old the card is."""
    return Button("extend", f"r{round_id}", "Extend these matches…", "danger")


def extend_match(match_id: int) -> Button:
    return Button("extend", f"m{match_id}", "Extend this match…", "danger")


PLAYERS, NO_ROLE = "players", "no role"
"""Among what is lacking: that the bot cannot give the role of the players."""


def setup_done(saved: SetUp, created: Sequence[str], missing: Mapping[str, Sequence[str]], threads: Threads) -> Message:
    role = f"<@&{saved.server.td_role_id}>"
    lines = [
        f"**Set up.** Next: give {role} to every tournament director, yourself too if you are one; "
        "a TD then runs `/td edition create`."
    ]
    lines += [f"• {name}: <#{id}>" for name, id in saved.server.channels.items()]
    if created:
        lines.append("Created: " + ", ".join(created))
    if saved.revived:
        lines.append("What was stuck is being delivered now.")
    lines += lacking_lines(missing)
    lines.append(threads.value)
    return Message("\n".join(lines))


def lacking_lines(missing: Mapping[str, Sequence[str]]) -> list[str]:
    """Permissions have to be given back; whatever else is wrong begins in lower case, and `/td setup` mends it."""
    lines: list[str] = []
    for name, lacking in missing.items():
        if name == PLAYERS:
            lines.append(
                "⚠ The players get no role: Server settings → Roles: give mine *Manage Roles* and drag it above "
                "World Cup Player, then run `/td setup`."
            )
            continue
        permissions = [what for what in lacking if what[0].isupper()]
        faults = [what for what in lacking if not what[0].isupper()]
        if permissions:
            lines.append(f"⚠ {name}: I lack {', '.join(permissions)}. Channel settings → Permissions → my role.")
        if faults:
            lines.append(f"⚠ {name}: {', '.join(faults)}. Run `/td setup`: it mends that.")
    return lines


def setup_impossible(impossible: Sequence[str]) -> Message:
    lines = ["I cannot finish the setup; nothing was changed in my records. I could not create:"]
    lines += [f"• {thing}" for thing in impossible]
    lines.append("Then run `/td setup` again; what exists already is found.")
    return Message("\n".join(lines))


def round_published(outcome: Published) -> Message:
    pairs, rests = len(outcome.proposal.pairs), outcome.proposal.bye
    bye = f", bye for {escape(outcome.event.name(rests))}" if rests is not None else ""
    return Message(
        f"{round_title(outcome.round)}: published, {pairs} matches{bye}. Offers by "
        f"{times.deadline(outcome.round.offers_by)}, play by {times.deadline(outcome.round.matches_by)}. "
        "The threads are being opened; the pairings post shows how far it is."
    )


def matches_extended(outcome: Extended) -> Message:
    head = f"Extended until {times.deadline(outcome.until)}; the players are told in their threads."
    head += "" if outcome.last else " For the next pairing these count ½–½, in the table they stay open:"
    lines = [head, *(f"• {escape(label)}" for label in outcome.labels)]
    for label, name in outcome.claims:
        lines.append(
            f"⚠ {escape(label)}: {escape(name)} may still claim the win. Shall they play instead? `/td-match timer` "
            "stops the claim."
        )
    if outcome.waits is not None:
        lines.append(
            f"The {stage_name(outcome.waits)} wait as long as there is no result, and then come out by themselves."
        )
    elif not outcome.last:
        lines.append("The next round comes out when it is due, at once if it is overdue.")
    return Message("\n".join(lines))

"""Words about a player's own settings: the time zone, and which reminders come."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from cogs import zones
from cogs.render import times
from cogs.render.message import Button, Message, escape
from engine.reminders import BEFORE, NOT_STARTED_AFTER, Kind
from engine.usecases.people import Preferences

EXAMPLE = "Sat 18:00"


def timezone(chosen: Preferences, example: datetime, *, changed: bool) -> Message:
    """`example`: what EXAMPLE means on the clock that was chosen, aware UTC."""
    name = zones.shown(chosen.timezone)
    now = "now " if changed else ""
    lines: list[str] = []
    if zones.is_lost(chosen.timezone):
        lines.append(lost_zone(chosen.timezone or ""))
    elif chosen.timezone is None:
        lines.append(f"Times that you type without a zone are {now}read as **UTC**.")
    else:
        lines.append(
            f"Times that you type without a zone are {now}read on the clock of **{escape(name)}**, "
            f"where it is {clock(chosen.now, zones.zone_of(chosen.timezone))}."
        )
    lines.append(f"`{EXAMPLE}` means {times.utc(example)}; your Discord shows it as {times.stamp(example, 'F')}.")
    if zones.is_fixed(chosen.timezone):
        lines.append(f"{name} all year round. If your clock changes in summer, choose your city instead.")
    elif chosen.timezone is not None:
        hour = EXAMPLE.split()[1]
        lines.append(f"If that is not {hour} for you, choose another zone; `/timezone zone:none` goes back to UTC.")
    elif not zones.is_lost(chosen.timezone):
        lines.append("Choose your city with `/timezone zone:` if you would rather type your own time.")
    return Message("\n".join(lines))


def lost_zone(name: str) -> str:
    """A stored zone that is gone."""
    return (
        f"I do not know your time zone “{escape(name)}” any more, so your times are read as **UTC**. "
        "Choose again with `/timezone zone:`."
    )


def clock(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%a %H:%M}"


def zone_choice(name: str | None, now: datetime, *, chosen: bool = False) -> str:
    """In a list to choose from: `Europe/Berlin, now Sat 18:00`."""
    return f"{zones.shown(name)}, now {clock(now, zones.zone_of(name))}" + (" (yours)" if chosen else "")


# --- Reminders ---------------------------------------------------------------------------------------------------


def _span(length: timedelta) -> str:
    minutes = int(length.total_seconds() // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"


LABELS = {
    Kind.ANSWER: "An offer waits for your answer",
    **{kind: f"{_span(ahead)} before your match" for kind, ahead in BEFORE.items()},
    Kind.NOT_STARTED: f"No game {_span(NOT_STARTED_AFTER)} after its time",
}


def reminders(chosen: Preferences) -> Message:
    """Each with its state and the button that changes it."""
    lines = ["**Your reminders**, in your match threads:"]
    buttons: list[Button] = []
    for kind, label in LABELS.items():
        on = kind not in chosen.muted
        lines.append(f"• {'🔔 on' if on else '🔕 off'}: {label}")
        word, style = ("off", "plain") if on else ("on", "good")
        buttons.append(Button("reminder", f"{kind}.{word}", f"Turn {word}: {label}", style))
    lines.append(
        "Always on: the pings of Thursday and Friday to whoever still owes offers, because without these offers your "
        "opponent may choose the time (§5.1, §5.5); a new offer, an agreed time and what the TDs decide."
    )
    return Message("\n".join(lines), tuple(buttons))

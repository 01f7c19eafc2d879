"""R5: `/offer`, `/accept`, `/retract`, and the buttons that do the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import product
from math import prod
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.autotime import offer_times
from cogs.render import offers as render
from cogs.render import times as shown
from cogs.render.message import Button, Message
from cogs.render.readings import ask, unreadable_line
from cogs.seam import actor_of, app_of, defer, reply, send
from cogs.times import Ambiguous, Reason, Unreadable, read_times
from cogs.times import Reading as TimeRead
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, field
from cogs.zones import shown as shown_zone
from cogs.zones import zone_of
from engine.errors import BadInput
from engine.usecases.scheduling import Agreed, Offered, Reading, Span

_MAX_ARG = 80
MOST_CHOICES = 10
"""More ways to read a line than these are not put on buttons; counted before they are made, as they multiply."""


class Scheduling(commands.Cog):
    @app_commands.command(description="World Cup: offer your opponent one or more times")
    @app_commands.describe(
        times="For example: Thu 18:00, Sat 9, 26 Mar 20:30 (UTC). Leave it away for a form.",
        note="A line for your opponent",
        match="Which match, if you have more than one open",
    )
    @app_commands.autocomplete(times=offer_times)
    @app_commands.autocomplete(match=transforms.own_matches)
    @app_commands.guild_only()
    async def offer(
        self,
        interaction: discord.Interaction[Any],
        times: str | None = None,
        note: str | None = None,
        match: int | None = None,
    ) -> None:
        if times is None:
            await open_offer_form(interaction, match, note or "")
            return
        await offer_text(interaction, match, times, note or "")

    @app_commands.command(description="World Cup: accept one of your opponent's offers")
    @app_commands.describe(offer="The offer", time="If the offer is a range: when in it, for example 18:30")
    @app_commands.autocomplete(offer=transforms.their_offers)
    @app_commands.guild_only()
    async def accept(self, interaction: discord.Interaction[Any], offer: int, time: str | None = None) -> None:
        await defer(interaction)
        await accept_offer(interaction, offer, time)

    @app_commands.command(description="World Cup: take back one of your own offers")
    @app_commands.describe(offer="The offer")
    @app_commands.autocomplete(offer=transforms.own_offers)
    @app_commands.guild_only()
    async def retract(self, interaction: discord.Interaction[Any], offer: int) -> None:
        await retract_offer(interaction, offer)


# --- Offering ---------------------------------------------------------------------------------------------------


async def open_offer_form(interaction: discord.Interaction[Any], match_id: int | None, note: str = "") -> None:
    """Three fields; the match is fixed when the form opens."""
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await offer_text(answer, reading.seat.match.id, "\n".join(value for value in values if value), note)

    zone = shown_zone(reading.timezone)
    examples = examples_for(reading)
    fields = [
        field(f"Time {n}, {zone}"[:45], placeholder=f"For example {example}", required=n == 1)
        for n, example in enumerate(examples, start=1)
    ]
    opponent = reading.seat.event.name(reading.seat.match.opponent_of(reading.seat.entrant.id))
    await interaction.response.send_modal(Form(f"Offer times to {opponent}", fields, submit))


def examples_for(reading: Reading, notice: timedelta = timedelta(hours=1)) -> list[str]:
    """Three ways to write a time, each of them one that this match can have, on the player's own clock."""
    zone = zone_of(reading.timezone)
    first, last = max(reading.now, reading.opens) + notice, reading.closes - timedelta(hours=1)
    days = [first.astimezone(zone) + timedelta(days=n) for n in range(7)]
    usual = [day.replace(hour=18 if day.weekday() < 5 else 15, minute=0) for day in days]
    fitting = [at for at in usual if first <= at <= last]
    # Little time is left: every half hour that there is, the same one again if there is but one.
    hour = (first.astimezone(zone) + timedelta(minutes=29)).replace(minute=0)
    halves = [hour + timedelta(minutes=30 * n) for n in range(48)]
    a, b, c = ([*fitting, *(at for at in halves if first <= at <= last)] + [last.astimezone(zone)] * 3)[:3]
    return [f"{a:%a} {a.hour}:{a:%M}", f"{b.day} {b:%b} {b.hour}:{b:%M}", f"{c:%a} {c.hour}:{c:%M}"]


async def offer_text(interaction: discord.Interaction[Any], match_id: int | None, text: str, note: str = "") -> None:
    """Offers the times in a text: all of them or none. What has two readings is asked, what has none is refused."""
    await defer(interaction)
    reading = await app_of(interaction).scheduling.window(actor_of(interaction), match_id)
    spans = await read_spans(interaction, reading, text, OFFER)
    if spans is not None:
        work = app_of(interaction).scheduling.offer(actor_of(interaction), reading.seat.match.id, spans, note)
        await reply(interaction, work, offered)


@dataclass(frozen=True, slots=True)
class Purpose:
    """What times are read for: the button that does it, whose label is completed. `done`: what has not happened when
    it fails. `singly`: one time, no range. `notice`: how far ahead."""

    button: Button
    done: str
    singly: bool = False
    notice: timedelta = timedelta(hours=1)


OFFER = Purpose(Button("offer-these", "", "Offer", "primary"), "offered")


async def read_spans(
    interaction: discord.Interaction[Any], reading: Reading, text: str, purpose: Purpose
) -> list[Span] | None:
    """The times in a text; None when the player was asked which of several readings is meant. BadInput otherwise."""
    window = (reading.opens, reading.closes)
    items = read_times(text, now=reading.now, window=window, zone=zone_of(reading.timezone))
    unread = [item for item in items if isinstance(item, Unreadable)]
    if unread or not items:
        lines = [unreadable_line(item, reading.opens, reading.closes) for item in unread]
        examples, zone = examples_for(reading, purpose.notice)[:2], shown_zone(reading.timezone)
        late = any(item.reason == Reason.OUTSIDE_WINDOW for item in unread)
        asks = {"match_id": reading.seat.match.id, "late": late, "done": purpose.done}
        code = "time_unreadable" if lines else "no_time"
        raise BadInput(code, lines=lines, examples=examples, zone=zone, **asks)
    if purpose.singly and (len(items) > 1 or any(isinstance(i, TimeRead) and i.end is not None for i in items)):
        raise BadInput("one_time", examples=examples_for(reading, purpose.notice), zone=shown_zone(reading.timezone))
    if any(isinstance(item, Ambiguous) for item in items):
        await send(interaction, _ask_which(reading, items, purpose))
        return None
    return [Span(item.start, item.end) for item in items if isinstance(item, TimeRead)]


def offered(outcome: Offered) -> Message:
    return render.offered(outcome.view, outcome.entrant_id, outcome.made)


def _ask_which(reading: Reading, items: Sequence[TimeRead | Ambiguous | Unreadable], purpose: Purpose) -> Message:
    """Both readings as buttons; nothing is offered before one is pressed. A button carries every time of the line."""
    choices = [item.readings if isinstance(item, Ambiguous) else (item,) for item in items]
    ambiguous = [item for item in items if isinstance(item, Ambiguous)]
    if prod(len(choice) for choice in choices) > MOST_CHOICES:
        return ask(ambiguous, (), purpose.done)
    buttons: list[Button] = []
    for combination in product(*choices):
        spans = [Span(read.start, read.end) for read in combination if isinstance(read, TimeRead)]
        arg = encode_spans(reading.seat.match.id, spans)
        label = ", ".join(shown.short(span.start) for span in spans)
        buttons.append(replace(purpose.button, arg=arg, label=f"{purpose.button.label} {label}"))
    if any(len(str(button.arg)) > _MAX_ARG for button in buttons):
        buttons = []
    return ask(ambiguous, tuple(buttons), purpose.done)


def encode_spans(match_id: int, spans: Sequence[Span]) -> str:
    """`417.27997800.27997920-27998040`: the match, then minutes since 1970, a range with a dash."""
    parts = [str(match_id)]
    for span in spans:
        minutes = [int(moment.timestamp() // 60) for moment in (span.start, span.end) if moment is not None]
        parts.append("-".join(map(str, minutes)))
    return ".".join(parts)


def decode_spans(arg: str) -> tuple[int, list[Span]]:
    match_id, *parts = arg.split(".")
    spans: list[Span] = []
    for part in parts:
        moments = [_moment(minutes) for minutes in part.split("-")]
        spans.append(Span(moments[0], moments[1] if len(moments) > 1 else None))
    return whole_number(match_id), spans


def _moment(minutes: str) -> datetime:
    try:
        return datetime.fromtimestamp(whole_number(minutes) * 60, UTC)
    except (OverflowError, OSError, ValueError):
        raise BadInput("old_button") from None


@on_button("offer-form")
async def _offer_form(interaction: discord.Interaction[Any], arg: str) -> None:
    await open_offer_form(interaction, whole_number(arg))


@on_button("offer-these")
async def _offer_these(interaction: discord.Interaction[Any], arg: str) -> None:
    match_id, spans = decode_spans(arg)
    await reply(interaction, app_of(interaction).scheduling.offer(actor_of(interaction), match_id, spans), offered)


# --- Accepting and retracting -------------------------------------------------------------------------------------


def _accepted(outcome: Agreed) -> Message:
    return render.accepted(outcome.view, already=outcome.already)


async def accept_offer(interaction: discord.Interaction[Any], offer_id: int, time: str | None) -> None:
    app, actor = app_of(interaction), actor_of(interaction)
    at = None
    if time:
        offered = await app.scheduling.offered_span(actor, offer_id)
        end = (offered.span.end or offered.span.start) + timedelta(minutes=1)
        zone = zone_of(offered.timezone)
        read = read_times(time, now=offered.now, window=(offered.span.start, end), zone=zone)
        if len(read) != 1 or not isinstance(read[0], TimeRead):
            example, named = _own_clock(offered.span.start, zone), shown_zone(offered.timezone)
            span = {"start": offered.span.start, "end": offered.span.end}
            raise BadInput("accept_time", clause="R5.7", text=time, **span, example=example, zone=named)
        at = read[0].start
    await reply(interaction, app.scheduling.accept(actor, offer_id, at), _accepted)


def _own_clock(moment: datetime, zone: tzinfo) -> str:
    """`Sat 25 Mar 18:00` there."""
    moment = moment.astimezone(zone)
    return f"{moment:%a} {moment.day} {moment:%b %H:%M}"


async def retract_offer(interaction: discord.Interaction[Any], offer_id: int) -> None:
    def retracted(outcome: Offered) -> Message:
        return render.retracted(outcome.view, outcome.entrant_id, outcome.made[0])

    await reply(interaction, app_of(interaction).scheduling.retract(actor_of(interaction), offer_id), retracted)


@on_button("accept")
async def _accept(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    await accept_offer(interaction, whole_number(arg), None)


@on_button("accept-range")
async def _accept_range(interaction: discord.Interaction[Any], arg: str) -> None:
    """Asks for the minute (Q4)."""
    offered = await app_of(interaction).scheduling.offered_span(actor_of(interaction), whole_number(arg))

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await defer(answer)
        await accept_offer(answer, whole_number(arg), values[0])

    zone = zone_of(offered.timezone)
    start, end = (at.astimezone(zone) for at in (offered.span.start, offered.span.end or offered.span.start))
    label = f"From {start:%H:%M} to {end:%H:%M}, {shown_zone(offered.timezone)}"[:45]
    when = field(label, default=_own_clock(start, zone), placeholder="Sat 18:30")
    await interaction.response.send_modal(Form("When in this range?", [when], submit))


@on_button("retract")
async def _retract(interaction: discord.Interaction[Any], arg: str) -> None:
    await retract_offer(interaction, whole_number(arg))

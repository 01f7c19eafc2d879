"""`/td`: setup, editions, entries, rounds."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.checks import MANAGE_SERVER, DirectorsGroup
from cogs.directors.channels import arrange, may_be_given, missing_permissions, named_role
from cogs.directors.entries import any_entry, waiting_entries
from cogs.render import directors as render
from cogs.render import editions, entries, rulings, seatings, stages, tables, undoing
from cogs.render.message import Message
from cogs.render.notices import directors_cut_off
from cogs.seam import actor_of, app_of, defer, reply, send
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import Form, ask_reason, field
from engine.eligibility import Word
from engine.errors import AcwcError, BadInput
from engine.rules import shipped

LARGEST_RULESET = 100_000
T = TypeVar("T")


async def any_seated(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """Whoever has a seat of the stage that is about to begin, or is to move up."""
    try:
        found = await app_of(interaction).stages.choices(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in found if wanted in name.casefold()][:25]


async def any_ruling(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """What can be taken back, with every word that was typed."""
    try:
        event, facts = await app_of(interaction).rulings.standing(actor_of(interaction))
    except AcwcError:
        return []
    wanted = current.casefold().split()
    found = [one for one in undoing.choices(event, facts) if all(word in one[0].casefold() for word in wanted)]
    return [app_commands.Choice(name=name[:100], value=id) for name, id in found[:25]]


class Directors(commands.Cog):
    def __init__(self) -> None:
        self._setting_up: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    td = DirectorsGroup(name="td", description="World Cup: for tournament directors")
    edition = DirectorsGroup(name="edition", description="An edition: create, open, close, show", parent=td)
    entry = DirectorsGroup(name="entry", description="Entries: list, review, add, approve, reject", parent=td)
    stage = DirectorsGroup(name="stage", description="A stage: who sits where, and its beginning", parent=td)
    round = DirectorsGroup(name="round", description="A round: preview, publish, extend", parent=td)

    @td.command(
        name="setup",
        description="Choose or create the channels and name the TD role; safe to run again",
        extras=MANAGE_SERVER,
    )
    @app_commands.describe(
        td_role="The role of the tournament directors; created if left away",
        player_role="The role that I give to whoever plays; created if left away",
        announcements="Where openings and closings are announced",
        pairings="Where the pairings are posted",
        schedule="Where it is posted when matches are played",
        matches="Where the match threads are opened: a forum, or a text channel",
        results="Where results are posted",
        standings="Where the standings are posted",
        td_channel="The channel that only TDs see",
    )
    async def setup(
        self,
        interaction: discord.Interaction[Any],
        td_role: discord.Role | None = None,
        player_role: discord.Role | None = None,
        announcements: discord.TextChannel | None = None,
        pairings: discord.TextChannel | None = None,
        schedule: discord.TextChannel | None = None,
        matches: discord.TextChannel | discord.ForumChannel | None = None,
        results: discord.TextChannel | None = None,
        standings: discord.TextChannel | None = None,
        td_channel: discord.TextChannel | None = None,
    ) -> None:
        await defer(interaction)
        guild = interaction.guild
        assert guild is not None
        if td_role is not None and (td_role.is_default() or td_role.managed):
            raise BadInput("bad_td_role", name=td_role.name)
        if player_role is not None and not may_be_given(player_role, td_role):
            raise BadInput("bad_player_role", name=player_role.name)
        chosen = {
            "announcements": announcements,
            "pairings": pairings,
            "schedule": schedule,
            "matches": matches,
            "results": results,
            "standings": standings,
            "td": td_channel,
        }
        app = app_of(interaction)
        # One at a time: two that find nothing would both make everything.
        async with self._setting_up[guild.id]:
            stored = await app.setup.server(guild.id)
            named = {k: c for k, c in chosen.items() if c is not None}
            arranged = await arrange(guild, stored, td_role, player_role, named)
            if arranged.impossible:
                await send(interaction, render.setup_impossible(arranged.impossible))
                return
            if arranged.player_role_id == arranged.td_role_id:
                raise BadInput("same_role", name=named_role(guild, arranged.td_role_id))
            saved = await app.setup.save(
                actor_of(interaction), arranged.td_role_id, arranged.channels, arranged.player_role_id
            )
        if stored is not None and guild.get_channel(stored.channels.get("matches", 0)) is None:
            await app.rounds.matches_channel_deleted(guild.id)  # while nobody watched
        missing = missing_permissions(guild, saved.server)
        await app.setup.troubles(guild.id, missing)
        await send(interaction, render.setup_done(saved, arranged.created, missing, arranged.threads))

    # Editions ---------------------------------------------------------------------------------------------------

    @edition.command(name="create", description="Draft an edition from a ruleset; shows every date")
    @app_commands.describe(
        starts="Day of the first pairings, for example 2027-03-21",
        ruleset="A ruleset that comes with the bot",
        file="Your own ruleset as a TOML file, instead",
    )
    @app_commands.choices(ruleset=[app_commands.Choice(name=key, value=key) for key in shipped()])
    async def edition_create(
        self,
        interaction: discord.Interaction[Any],
        starts: str,
        ruleset: str | None = None,
        file: discord.Attachment | None = None,
    ) -> None:
        await defer(interaction)
        day = transforms.iso_day(starts)
        use_cases, actor = app_of(interaction).editions, actor_of(interaction)
        if file is not None:
            text = await _text_of(file)
            work = use_cases.create_from(actor, text, file.filename, day)
        else:
            work = use_cases.create(actor, ruleset or shipped()[-1], day)
        await _answer(interaction, work, editions.edition_created)

    @edition.command(name="open", description="Open the registration")
    async def edition_open(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        work = app_of(interaction).editions.open(actor_of(interaction))
        await _answer(interaction, work, editions.edition_opened)

    @edition.command(name="close", description="Close the registration and make the seeds")
    @app_commands.describe(leave_pending="Close although entries still wait for a decision; they are not in")
    async def edition_close(self, interaction: discord.Interaction[Any], leave_pending: bool = False) -> None:
        await defer(interaction)
        work = app_of(interaction).editions.close(actor_of(interaction), leave_pending=leave_pending)
        await _answer(interaction, work, editions.edition_closed)

    @edition.command(name="show", description="The edition: dates, entries, state")
    async def edition_show(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        await _answer(interaction, app_of(interaction).editions.show(actor_of(interaction)), editions.edition_shown)

    # Entries ----------------------------------------------------------------------------------------------------

    @entry.command(name="list", description="Every entry that is filed, those that wait first")
    async def entry_list(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        await reply(interaction, app_of(interaction).entries.all(actor_of(interaction)), entries.listed)

    @entry.command(name="review", description="An entry with each check, as its card shows it")
    @app_commands.describe(entry="The entry")
    @app_commands.autocomplete(entry=any_entry)
    async def entry_review(self, interaction: discord.Interaction[Any], entry: int) -> None:
        await defer(interaction)
        await reply(interaction, app_of(interaction).entries.show(actor_of(interaction), entry), entries.entry_card)

    @entry.command(name="approve", description="Take an entry in")
    @app_commands.describe(entry="The entry", reason="Needed unless every check is passed; logged")
    @app_commands.autocomplete(entry=waiting_entries)
    async def entry_approve(self, interaction: discord.Interaction[Any], entry: int, reason: str | None = None) -> None:
        await defer(interaction)
        work = app_of(interaction).entries.decide(actor_of(interaction), entry, approve=True, reason=reason)
        await reply(interaction, work, entries.decision_made)

    @entry.command(name="reject", description="Turn an entry down")
    @app_commands.describe(entry="The entry", reason="The player reads it")
    @app_commands.autocomplete(entry=waiting_entries)
    async def entry_reject(self, interaction: discord.Interaction[Any], entry: int, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).entries.decide(actor_of(interaction), entry, approve=False, reason=reason)
        await reply(interaction, work, entries.decision_made)

    @entry.command(name="admin", description="Write down what a Lichess admin says of a player (§2.8)")
    @app_commands.describe(entry="The entry", says="What the admin says", reason="Who said it, and where; logged")
    @app_commands.autocomplete(entry=waiting_entries)
    @app_commands.choices(
        says=[
            app_commands.Choice(name="the player qualifies", value=Word.QUALIFIES.value),
            app_commands.Choice(name="the player does not qualify", value=Word.DOES_NOT.value),
        ]
    )
    async def entry_admin(self, interaction: discord.Interaction[Any], entry: int, says: str, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).entries.admin_says(actor_of(interaction), entry, Word(says), reason)
        await reply(interaction, work, entries.admin_written)

    @entry.command(name="add", description="Enter somebody who cannot show the account themselves; checks it as any")
    @app_commands.describe(
        member="Who plays",
        account="Their Lichess account: its name, or the link to its profile",
        reason="How you know that the account is theirs; logged",
        others="Their other Lichess accounts, if any",
    )
    async def entry_add(
        self,
        interaction: discord.Interaction[Any],
        member: discord.Member,
        account: str,
        reason: str,
        others: str | None = None,
    ) -> None:
        await defer(interaction)
        name, more = transforms.account_name(account), transforms.account_names(others or "")
        if member.bot:
            raise BadInput("bot_member", name=member.display_name)
        player = replace(actor_of(interaction), discord_id=member.id, name=member.display_name, role_ids=frozenset())
        work = app_of(interaction).registration.add(actor_of(interaction), player, name, reason, more)
        await reply(interaction, work, entries.added)

    @td.command(name="undo", description="Take a decision back; first shows what that would change")
    @app_commands.describe(ref="Which decision; the newest are offered", reason="Logged and told; without it a preview")
    @app_commands.autocomplete(ref=any_ruling)
    async def undo(self, interaction: discord.Interaction[Any], ref: int, reason: str | None = None) -> None:
        await defer(interaction)
        app, actor = app_of(interaction), actor_of(interaction)
        if reason is None:
            await reply(interaction, app.rulings.preview_undo(actor, ref), lambda view: undoing.preview(view, ref))
        else:
            await reply(interaction, app.rulings.undo(actor, ref, reason), rulings.made)

    # Rounds -----------------------------------------------------------------------------------------------------

    @round.command(name="preview", description="The proposed pairings of the next round, with warnings")
    async def round_preview(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        await _answer(interaction, app_of(interaction).rounds.preview(actor_of(interaction)), tables.preview)

    @round.command(name="publish", description="Publish the next round now instead of on schedule")
    @app_commands.describe(allow="Only if there is no pairing under the rules: why a rematch or second bye is allowed")
    async def round_publish(self, interaction: discord.Interaction[Any], allow: str | None = None) -> None:
        await defer(interaction)
        work = app_of(interaction).rounds.publish(actor_of(interaction), allow=allow)
        await _answer(interaction, work, render.round_published)

    @round.command(name="extend", description="Extend every open match of the round to the next match deadline")
    @app_commands.describe(reason="Why; logged")
    async def round_extend(self, interaction: discord.Interaction[Any], reason: str) -> None:
        await defer(interaction)
        await _answer(
            interaction, app_of(interaction).rounds.extend(actor_of(interaction), reason), render.matches_extended
        )

    # Stages -----------------------------------------------------------------------------------------------------

    @stage.command(name="start", description="Who sits where in the next stage, and a button that begins it now")
    async def stage_start(self, interaction: discord.Interaction[Any]) -> None:
        await defer(interaction)
        await _answer(interaction, app_of(interaction).rounds.preview(actor_of(interaction)), tables.preview)

    @stage.command(name="decline", description="A player does not want the seat; the next one is asked (§8, Q46)")
    @app_commands.describe(player="Who has the seat now", reason="Why; logged and told to the other TDs")
    @app_commands.autocomplete(player=any_seated)
    async def stage_decline(self, interaction: discord.Interaction[Any], player: int, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).stages.decline(actor_of(interaction), player, reason)
        await reply(interaction, work, seatings.declining)


async def _answer(interaction: discord.Interaction[Any], work: Awaitable[T], render: Callable[[T], Message]) -> None:
    """The answer, and with it the one trouble that no notice can tell: that the TD channel cannot be written to."""
    await reply(interaction, work, render)
    if interaction.guild_id is not None and await app_of(interaction).setup.directors_cut_off(interaction.guild_id):
        await send(interaction, directors_cut_off(), follow=True)


async def _text_of(file: discord.Attachment) -> str:
    if file.size > LARGEST_RULESET:
        raise BadInput("ruleset_too_large", name=file.filename, size=file.size, most=LARGEST_RULESET)
    try:
        return (await file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("ruleset_not_text", name=file.filename) from None


@on_button("publish")
async def _publish(interaction: discord.Interaction[Any], arg: str) -> None:
    """The code guards against an old button that would publish a later round; the oldest have a number only."""
    await defer(interaction)
    work = app_of(interaction).rounds.publish(actor_of(interaction), code=f"R{arg}" if arg.isdecimal() else arg)
    await reply(interaction, work, render.round_published)


@on_button("extend")
async def _extend(interaction: discord.Interaction[Any], arg: str) -> None:
    """`r7`: the open matches of round 7 (our id); `m41`: that match."""
    await app_of(interaction).setup.require_td(actor_of(interaction))
    kinds = {"r": "round_id", "m": "match_id"}
    if arg[:1] not in kinds:
        raise BadInput("old_button")
    named = {kinds[arg[0]]: whole_number(arg[1:])}

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        work = app_of(answer).rounds.extend(actor_of(answer), values[0], **named)
        await reply(answer, work, render.matches_extended)

    reason = field("Reason, logged", placeholder="For example: power cut, both agree to play on Wednesday", long=True)
    await interaction.response.send_modal(Form("Extend to the next match deadline", [reason], submit))


@on_button("undo")
async def _undo(interaction: discord.Interaction[Any], arg: str) -> None:
    """What it would change, as of `/td undo` without a reason."""
    fact_id = whole_number(arg)
    await defer(interaction)
    work = app_of(interaction).rulings.preview_undo(actor_of(interaction), fact_id)
    await reply(interaction, work, lambda view: undoing.preview(view, fact_id))


@on_button("undo-now")
async def _undo_now(interaction: discord.Interaction[Any], arg: str) -> None:
    """The fact and the version of the preview; a form with the reason."""
    fact_id, seen = _numbers(arg)
    await app_of(interaction).setup.require_td(actor_of(interaction))
    await ask_reason(
        interaction,
        "Take the decision back",
        lambda answer, reason: app_of(answer).rulings.undo(actor_of(answer), fact_id, reason, seen=seen),
        rulings.made,
    )


@on_button("reseat")
async def _reseat(interaction: discord.Interaction[Any], arg: str) -> None:
    """A form with the reason, once there is a seat to fill."""
    await app_of(interaction).stages.preview(actor_of(interaction))
    await ask_reason(
        interaction,
        "Fill the empty seats",
        lambda answer, reason: app_of(answer).stages.reseat(actor_of(answer), reason),
        stages.reseated,
    )


@on_button("decline-seat")
async def _decline_seat(interaction: discord.Interaction[Any], arg: str) -> None:
    """The entrant and the version of the preview; a form with the reason."""
    entrant_id, seen = _numbers(arg)
    await app_of(interaction).setup.require_td(actor_of(interaction))
    await ask_reason(
        interaction,
        "A seat is given up",
        lambda answer, reason: app_of(answer).stages.decline_sure(actor_of(answer), entrant_id, reason, seen=seen),
        seatings.declining,
    )


def _numbers(arg: str) -> tuple[int, int]:
    """What a button is about, and the version of the preview above it."""
    about, _, version = arg.partition(".")
    return whole_number(about), whole_number(version)

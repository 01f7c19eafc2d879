"""`/td-player`: what TDs decide about one player: out of the event, another account, erasure; and its buttons."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs import transforms
from cogs.checks import DirectorsGroup
from cogs.render import players as render
from cogs.render import rulings
from cogs.seam import actor_of, app_of, defer, members_of, reply
from cogs.views.buttons import on_button, whole_number
from cogs.views.forms import REASON, Form, ask_reason, field
from engine.errors import AcwcError, BadInput
from engine.rules.registry import GROUNDS

_GROUND_CHOICES = [
    app_commands.Choice(name=render.ground_words(ground)[:100], value=ground) for ground in sorted(GROUNDS)
]


async def any_player(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """Every player of the edition, those who are in first."""
    try:
        found = await app_of(interaction).players.all(actor_of(interaction))
    except AcwcError:
        return []
    return _choices(current, [(view.entrant.id, render.player_choice(view)) for view in found])


async def any_person(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[int]]:
    """Whoever has entered on this server, the newest first."""
    try:
        found = await app_of(interaction).erasure.people(actor_of(interaction))
    except AcwcError:
        return []
    return _choices(current, found)


def _choices(current: str, named: list[tuple[int, str]]) -> list[app_commands.Choice[int]]:
    wanted = current.casefold()
    return [app_commands.Choice(name=name[:100], value=id) for id, name in named if wanted in name.casefold()][:25]


class PlayerDirectors(commands.Cog):
    player = DirectorsGroup(name="td-player", description="World Cup: rulings about one player")

    @player.command(name="disqualify", description="Take a player out of the event (§7, §8)")
    @app_commands.describe(
        player="The player", ground="What for; it decides what becomes of their results", reason=REASON
    )
    @app_commands.autocomplete(player=any_player)
    @app_commands.choices(ground=_GROUND_CHOICES)
    async def disqualify(self, interaction: discord.Interaction[Any], player: int, ground: str, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).players.disqualify(actor_of(interaction), player, ground, reason)
        await reply(interaction, work, rulings.made)

    @player.command(name="withdraw", description="Take a player out who does not want to go on (§8)")
    @app_commands.describe(player="The player", reason=REASON)
    @app_commands.autocomplete(player=any_player)
    async def withdraw(self, interaction: discord.Interaction[Any], player: int, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).players.withdraw(actor_of(interaction), player, reason)
        await reply(interaction, work, rulings.made)

    @player.command(name="reinstate", description="Let a player in again who is out of the event")
    @app_commands.describe(player="The player", reason=REASON)
    @app_commands.autocomplete(player=any_player)
    async def reinstate(self, interaction: discord.Interaction[Any], player: int, reason: str) -> None:
        await defer(interaction)
        work = app_of(interaction).players.reinstate(actor_of(interaction), player, reason)
        await reply(interaction, work, rulings.made)

    @player.command(name="seed", description="Correct a player's seed; published pairings stay as they are")
    @app_commands.describe(
        player="The player", seed="The seed from now on: directly before whoever has it", reason=REASON
    )
    @app_commands.autocomplete(player=any_player)
    async def seed(
        self, interaction: discord.Interaction[Any], player: int, seed: app_commands.Range[int, 1, 9999], reason: str
    ) -> None:
        await defer(interaction)
        work = app_of(interaction).players.correct_seed(actor_of(interaction), player, seed, reason)
        await reply(interaction, work, render.seed_corrected)

    @player.command(name="account", description="Check another Lichess account for a player, to go on with it")
    @app_commands.describe(player="The player", account="The new account: its name, or the link to its profile")
    @app_commands.autocomplete(player=any_player)
    async def account(self, interaction: discord.Interaction[Any], player: int, account: str) -> None:
        await defer(interaction)
        name = transforms.account_name(account)
        work = app_of(interaction).account_changes.propose(actor_of(interaction), player, name)
        await reply(interaction, work, render.change_proposed)

    @player.command(name="erase", description="Remove what is personal about somebody; shows first what goes")
    @app_commands.describe(person="Somebody who has entered", member="Anybody by their Discord account, a TD too")
    @app_commands.autocomplete(person=any_person)
    async def erase(
        self, interaction: discord.Interaction[Any], person: int | None = None, member: discord.User | None = None
    ) -> None:
        if (person is None) == (member is None):
            raise BadInput("person_or_member")
        erasure, actor = app_of(interaction).erasure, actor_of(interaction)
        if member is not None:
            await reply(interaction, erasure.show_member(actor, member.id), render.to_erase)
        elif person is not None:
            await reply(interaction, erasure.show(actor, person), render.to_erase)


# --- Buttons --------------------------------------------------------------------------------------------------------


@on_button("disqualify")
async def _disqualify(interaction: discord.Interaction[Any], arg: str) -> None:
    """A form with the ground and the reason."""
    entrant_id = whole_number(arg)
    view = await app_of(interaction).players.show(actor_of(interaction), entrant_id)

    async def submit(answer: discord.Interaction[Any], values: list[str]) -> None:
        await defer(answer)
        ground = render.read_ground(values[0], view.grounds)
        work = app_of(answer).players.disqualify(actor_of(answer), entrant_id, ground, values[1])
        await reply(answer, work, rulings.made)

    ground = field("Ground: " + ", ".join(render.FIRST_GROUNDS), placeholder=", ".join(view.grounds)[:100], most=40)
    title = f"Disqualify {view.entrant.name}"
    await interaction.response.send_modal(Form(title, [ground, field(REASON, long=True)], submit))


@on_button("take-account")
async def _take_account(interaction: discord.Interaction[Any], arg: str) -> None:
    """A form with the reason, which is the waiver where the checks are not passed."""
    change_id = whole_number(arg)
    view = await app_of(interaction).account_changes.show(actor_of(interaction), change_id)

    await ask_reason(
        interaction,
        render.change_title(view),
        lambda answer, reason: app_of(answer).account_changes.make(actor_of(answer), change_id, reason),
        rulings.made,
        label=REASON if view.is_clear else "Why the checks are waived; logged",
    )


@on_button("erase")
async def _erase(interaction: discord.Interaction[Any], arg: str) -> None:
    await defer(interaction)
    work = app_of(interaction).erasure.erase(actor_of(interaction), whole_number(arg), members_of(interaction))
    await reply(interaction, work, render.erased)

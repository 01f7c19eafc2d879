"""Interactions: what a bot may answer, when, and what the person then sees."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import discord
import pytest
from discord import app_commands

from tests.standin import Place
from tests.standin.conftest import Scene

Interaction = discord.Interaction[discord.Client]
Work = Callable[[Interaction], Awaitable[None]]


async def refused(asking: Awaitable[object]) -> int:
    """Discord's code."""
    with pytest.raises(discord.HTTPException) as refusal:
        await asking
    return refusal.value.code


async def command(scene: Scene, work: Work) -> None:
    """Registers `/do` in the server."""

    async def callback(interaction: Interaction) -> None:
        await work(interaction)

    tree = scene.bot.tree
    tree.clear_commands(guild=discord.Object(scene.guild.id))
    made = app_commands.Command(name="do", description="Does it", callback=callback)  # type: ignore[arg-type]
    tree.add_command(made, guild=discord.Object(scene.guild.id))
    await tree.sync(guild=discord.Object(scene.guild.id))


async def test_a_private_answer_and_what_follows_are_in_nobodys_history(scene: Scene) -> None:
    async def work(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.edit_original_response(content="first")
        await interaction.followup.send("second", ephemeral=True)

    await command(scene, work)
    result = await scene.anna.slash(scene.lobby, "do")
    await scene.quiet()
    assert result.response is not None and result.response.ephemeral
    assert [result.response.content, *(m.content for m in result.followups)] == ["first", "second"]
    assert scene.lobby.history() == [] and scene.standin.arrived() == []


async def test_a_public_answer_is_in_the_channel_once_it_is_there(scene: Scene) -> None:
    async def work(interaction: Interaction) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.followup.send("for all")
        original = await interaction.original_response()
        await original.edit(content="for everybody")

    await command(scene, work)
    await scene.anna.slash(scene.lobby, "do")
    await scene.quiet()
    assert [m.content for m in scene.lobby.history()] == ["for everybody"]


async def test_three_seconds_without_an_answer_fail_and_a_late_one_is_refused(scene: Scene) -> None:
    codes: list[int] = []
    go = asyncio.Event()

    async def work(interaction: Interaction) -> None:
        await go.wait()
        codes.append(await refused(interaction.response.send_message("too late")))

    await command(scene, work)
    result = scene.anna.start_slash(scene.lobby, "do")
    scene.clock.move(seconds=2.9)
    scene.standin.core.look_at_clock()
    assert not result.settled
    scene.clock.move(seconds=0.2)
    await scene.standin.until(lambda: result.settled)
    assert result.failed and result.response is None
    go.set()
    await scene.quiet()
    assert codes == [10062]


async def answered(interaction: Interaction) -> int:
    """The same interaction once more, as by another process that does not know of the first."""
    interaction.response._response_type = None
    return await refused(interaction.response.send_message("twice"))


async def after_a_quarter_of_an_hour(interaction: Interaction) -> int:
    return await refused(interaction.followup.send("much later"))


async def of_another_message(interaction: Interaction) -> int:
    assert isinstance(interaction.channel, discord.TextChannel)
    other = await interaction.channel.send("not of this interaction")
    return await refused(interaction.followup.edit_message(other.id, content="changed"))


@pytest.mark.parametrize(
    ("again", "minutes", "code"),
    [(answered, 0, 40060), (after_a_quarter_of_an_hour, 16, 50027), (of_another_message, 0, 10008)],
)
async def test_one_answer_a_quarter_of_an_hour_for_what_follows_and_nothing_else(
    scene: Scene, again: Callable[[Interaction], Awaitable[int]], minutes: int, code: int
) -> None:
    codes: list[int] = []

    async def work(interaction: Interaction) -> None:
        await interaction.response.send_message("now", ephemeral=True)
        scene.clock.move(minutes=minutes)
        codes.append(await again(interaction))

    await command(scene, work)
    await scene.anna.slash(scene.lobby, "do")
    await scene.quiet()
    assert codes == [code]


class _Form(discord.ui.Modal, title="When?"):
    day = discord.ui.TextInput[discord.ui.Modal](label="Day")
    hour = discord.ui.TextInput[discord.ui.Modal](label="Hour", default="18:00")

    async def on_submit(self, interaction: Interaction) -> None:
        await interaction.response.send_message(f"{self.day.value} {self.hour.value}", ephemeral=True)


class _Buttons(discord.ui.View):
    @discord.ui.button(label="Fill in", custom_id="form")
    async def form(self, interaction: Interaction, _: discord.ui.Button[_Buttons]) -> None:
        await interaction.response.send_modal(_Form())

    @discord.ui.button(label="Done", custom_id="done")
    async def done(self, interaction: Interaction, _: discord.ui.Button[_Buttons]) -> None:
        await interaction.response.edit_message(content="done", view=None)


async def buttons(scene: Scene) -> None:
    async def work(interaction: Interaction) -> None:
        await interaction.response.send_message("choose", view=_Buttons())

    await command(scene, work)
    await scene.anna.slash(scene.lobby, "do")


async def test_a_button_opens_a_form_whose_fields_come_back(scene: Scene) -> None:
    await buttons(scene)
    shown = await scene.anna.click(scene.lobby.history()[0], "form")
    assert shown.modal is not None and shown.modal["title"] == "When?"
    result = await scene.standin.submit(scene.anna, shown, "Sat")
    assert result.response is not None and result.response.content == "Sat 18:00"


async def test_a_button_changes_its_message_and_is_gone(scene: Scene) -> None:
    await buttons(scene)
    (message,) = scene.lobby.history()
    await scene.anna.click(message, "done")
    (message,) = scene.lobby.history()
    assert (message.content, message.components) == ("done", [])
    with pytest.raises(AssertionError, match="no button done"):
        await scene.anna.click(message, "done")


async def test_options_groups_and_autocomplete(scene: Scene) -> None:
    group = app_commands.Group(
        name="td", description="TD", default_permissions=discord.Permissions(manage_threads=True)
    )

    @group.command(name="give", description="Gives")
    async def give(interaction: Interaction, who: discord.Member, where: discord.TextChannel, what: str) -> None:
        await interaction.response.send_message(f"{who.name} {where.name} {what}")

    @give.autocomplete("what")
    async def what(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{typed}!", value=typed)]

    scene.bot.tree.add_command(group)
    await scene.bot.tree.sync()
    td = scene.guild.add_member("td", [scene.guild.create_role("TD", permissions=discord.Permissions.all())])
    (choice,) = await scene.standin.autocomplete(td, scene.lobby, "td give", "what", "a")
    assert (choice["name"], choice["value"]) == ("a!", "a")
    result = await scene.standin.slash(td, scene.lobby, "td give", who=scene.anna, where=scene.lobby, what="a")
    assert result.response is not None and result.response.content == "anna lobby a"
    with pytest.raises(AssertionError, match="needs"):
        td.start_slash(scene.lobby, "td give", what="a")
    with pytest.raises(AssertionError, match="does not see /td"):
        scene.anna.start_slash(scene.lobby, "td give", what="a")


async def test_a_button_in_a_direct_message_belongs_to_no_server(scene: Scene) -> None:
    servers: list[object] = []

    class Button(discord.ui.View):
        @discord.ui.button(label="Here", custom_id="here")
        async def here(self, interaction: Interaction, _: discord.ui.Button[Button]) -> None:
            servers.append(interaction.guild_id)
            await interaction.response.send_message(interaction.user.name)

    await (await scene.bot.fetch_user(scene.anna.id)).send("press", view=Button())
    dm = scene.standin.dm(scene.anna)
    assert dm is not None
    result = await scene.anna.click(dm.history()[0], "here")
    assert result.response is not None and result.response.content == "anna" and servers == [None]


async def test_somebody_elses_private_answer_cannot_be_clicked(scene: Scene) -> None:
    async def work(interaction: Interaction) -> None:
        await interaction.response.send_message("choose", view=_Buttons(), ephemeral=True)

    await command(scene, work)
    result = await scene.anna.slash(scene.lobby, "do")
    assert result.response is not None
    with pytest.raises(AssertionError, match="nobody else"):
        scene.guild.add_member("bob").start_click(result.response, "done")
    done = await scene.anna.click(result.response, "done")
    assert done.response is not None and done.response.content == "done"


def test_a_person_sees_only_channels_open_to_them(scene: Scene) -> None:
    hidden: Place = scene.guild.create_text_channel("hidden")
    denied = discord.Permissions(view_channel=True)
    scene.guild.overwrite(hidden, scene.guild.roles["@everyone"], deny=denied)
    with pytest.raises(AssertionError):
        scene.anna.start_slash(hidden, "do")

"""The command tree against the rules of the project; Discord's own limits are in `tests/discord_limits.py`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from discord import app_commands

from acwc_bot.bot import tree_digest
from cogs.views.buttons import verbs
from tests.discord_limits import command_letters, problems
from tests.world import World, open_world, text_of

LETTERS = 7000
"""Less than Discord allows for one command, so that the next option still finds room."""
BUILT_IN = {"me", "nick", "msg", "thread", "shrug", "tableflip", "unflip", "spoiler", "tts", "giphy", "tenor"}
NAME = re.compile(r"[-_a-z0-9]{1,32}")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as opened:
        yield opened


def walk(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A command with its groups, subcommands and options."""
    yield payload
    for option in payload.get("options", []):
        yield from walk(option)


async def test_the_tree_keeps_discords_limits_with_room_to_spare(world: World) -> None:
    tree = world.parts.bot.tree
    roots = [command.to_dict(tree) for command in tree.get_commands()]
    assert roots and not problems("PUT", "/applications/1/commands", roots)
    for root in roots:
        assert root["name"] not in BUILT_IN
        assert command_letters(root) <= LETTERS, root["name"]
        for node in walk(root):
            assert NAME.fullmatch(node["name"]), f"plain letters only: {node['name']}"
            assert node["description"] != "…", f"{root['name']} {node['name']} has no description"


async def test_every_root_says_what_it_belongs_to_and_works_in_servers_only(world: World) -> None:
    tree = world.parts.bot.tree
    for command in tree.get_commands():
        payload = command.to_dict(tree)
        assert payload["description"].startswith("World Cup:"), payload["name"]
        assert command.guild_only, payload["name"]


async def test_r1_2_every_directors_command_is_hidden_and_refuses_others(world: World) -> None:
    await world.set_up()
    tree = world.parts.bot.tree
    roots = [c for c in tree.get_commands() if isinstance(c, app_commands.Group) and c.name.startswith("td")]
    assert roots and all(root.default_permissions and root.default_permissions.manage_threads for root in roots)
    player = world.person("player", world.guild.create_role("Mod", permissions=roots[0].default_permissions))
    arguments = {"starts": "2026-03-22", "reason": "x", "match": 1, "dispute": 1, "time": "Mon", "fault": "a"}
    arguments |= {"entry": 1, "player": 1, "ground": "engine", "account": "anna", "person": 1, "seed": 1, "ref": 1}
    arguments |= {
        "member": player,
        "says": "qualifies",
        "game": "abcdefgh",
        "decision": "struck",
        "by": "a",
        "points": 1,
    }
    for root in roots:
        for command in root.walk_commands():
            if isinstance(command, app_commands.Group):
                continue
            given = {p.name: arguments[p.name] for p in command.parameters if p.required}
            answer = text_of(await world.slash(player, command.qualified_name, **given))
            assert "Only a tournament director" in answer or "Manage Server" in answer, command.qualified_name


async def test_the_tree_is_registered_only_when_it_changed(world: World) -> None:
    bot = world.parts.bot
    assert await bot.sync_if_changed() is False
    before = tree_digest(bot.tree)
    bot.tree.remove_command("hub")
    assert tree_digest(bot.tree) != before
    await world.restart()
    assert await world.parts.bot.sync_if_changed() is False


def test_every_button_that_is_rendered_has_a_handler() -> None:
    sources = [path for folder in ("cogs", "engine") for path in Path(folder).rglob("*.py")]
    used = {verb for path in sources for verb in re.findall(r'Button\(\s*"([a-z-]+)"', path.read_text())}
    used |= {"accept", "accept-range", "standings", "tiebreaks", "pairings"}
    assert used <= verbs(), used - verbs()
    assert verbs() <= used, verbs() - used

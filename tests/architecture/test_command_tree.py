"""The command tree against Discord's limits, which simcord does not check, and against the rules of the project."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from discord import app_commands

from acwc_bot.bot import tree_digest
from cogs.views.buttons import verbs
from tests.world import World, open_world, text_of

BUILT_IN = {"me", "nick", "msg", "thread", "shrug", "tableflip", "unflip", "spoiler", "tts", "giphy", "tenor"}
NAME = re.compile(r"[-_a-z0-9]{1,32}")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as opened:
        yield opened


def walk(payload: dict[str, Any], depth: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    yield depth, payload
    for option in payload.get("options", []):
        if option["type"] in (1, 2):
            yield from walk(option, depth + 1)


def letters(payload: dict[str, Any]) -> int:
    own = len(payload["name"]) + len(payload.get("description", ""))
    choices = sum(len(c["name"]) + len(str(c["value"])) for c in payload.get("choices", []))
    return own + choices + sum(letters(option) for option in payload.get("options", []))


async def test_the_tree_keeps_discords_limits(world: World) -> None:
    tree = world.parts.bot.tree
    roots = [command.to_dict(tree) for command in tree.get_commands()]
    assert 0 < len(roots) <= 100
    for root in roots:
        assert root["name"] not in BUILT_IN
        assert letters(root) <= 7000, root["name"]
        for depth, node in walk(root):
            assert depth <= 2
            assert NAME.fullmatch(node["name"]), node["name"]
            assert 1 <= len(node["description"]) <= 100, node["name"]
            options = node.get("options", [])
            assert len(options) <= 25
            values = [option for option in options if option["type"] not in (1, 2)]
            required = [bool(option.get("required")) for option in values]
            assert required == sorted(required, reverse=True), f"required options first: {node['name']}"
            for option in values:
                assert NAME.fullmatch(option["name"]) and 1 <= len(option["description"]) <= 100
                assert option["description"] != "…", f"{node['name']} {option['name']} has no description"
                assert len(option.get("choices", [])) <= 25


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
    arguments = {"starts": "2026-03-22", "reason": "x"}
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

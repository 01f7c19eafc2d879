"""The limits themselves, at their edges, and that no request passes without being checked."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.discord_limits import command_letters, problems
from tests.world import open_world

NOW = datetime(2026, 3, 22, tzinfo=UTC)
SEND = ("POST", "/channels/1/messages")
EDIT = ("PATCH", "/channels/1/messages/2")
FOLLOW_UP = ("POST", "/webhooks/1/token")
ORIGINAL = ("PATCH", "/webhooks/1/token/messages/@original")
ANSWER = ("POST", "/interactions/1/token/callback")
THREAD = ("POST", "/channels/1/threads")
CHANNEL = ("POST", "/guilds/1/channels")
CHANGE = ("PATCH", "/channels/1")
EVENT = ("POST", "/guilds/1/scheduled-events")
COMMANDS = ("PUT", "/applications/1/commands")


def button(number: object = 1, **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "Yes", "custom_id": f"b{number}"} | more


def row(*inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(inner)}


def below(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"content": "x", "components": list(rows)}


def select(options: int, **more: Any) -> dict[str, Any]:
    rows = [{"label": "x", "value": str(n)} for n in range(options)]
    return {"type": 3, "custom_id": "s", "options": rows} | more


def form(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    labels = [
        {"type": 18, "label": "When", "component": {"type": 4, "custom_id": str(n)} | f} for n, f in enumerate(fields)
    ]
    return {"type": 9, "data": {"title": "Offer", "custom_id": "f", "components": labels} | more}


def offered(number: int, name: str = "x", value: object = "y") -> dict[str, Any]:
    return {"type": 8, "data": {"choices": [{"name": name, "value": value}] * number}}


def embed(**more: Any) -> dict[str, Any]:
    return {"embeds": [more]}


def command(**more: Any) -> dict[str, Any]:
    return {"name": "offer", "description": "Offers", "type": 1} | more


def option(name: str = "times", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "When", "type": 3} | more


def event(**more: Any) -> dict[str, Any]:
    whole = {"name": "Final", "entity_type": 3, "entity_metadata": {"location": "Lichess"}}
    times = {"scheduled_start_time": "2026-03-23T00:00:00+00:00", "scheduled_end_time": "2026-03-23T02:00:00+00:00"}
    return whole | times | more


KEPT: list[tuple[tuple[str, str], Any]] = [
    (SEND, {"content": "x" * 2000, "nonce": "1" * 25, "allowed_mentions": {"parse": [], "users": ["1"] * 100}}),
    (SEND, below(*(row(*(button(f"{r}-{n}") for n in range(5))) for r in range(5)))),
    (SEND, below(row(button(label="x" * 80, custom_id="x" * 100)), row(select(25)))),
    (SEND, below(row({"type": 2, "style": 5, "label": "Game", "url": "https://lichess.org/" + "x" * 492}))),
    (SEND, embed(description="x" * 4096, fields=[{"name": "n", "value": "v" * 76}] * 24, footer={"text": "x" * 56})),
    (ANSWER, offered(25, "x" * 100, "y" * 100)),
    (ANSWER, form(*({"value": "x" * 4000, "placeholder": "x" * 100},) * 5, title="x" * 45)),
    (THREAD, {"name": "x" * 100, "applied_tags": [1] * 5, "auto_archive_duration": 10080, "message": {"content": "x"}}),
    (CHANNEL, {"type": 0, "name": "wc-" + "x" * 97, "topic": "x" * 1024}),
    (CHANNEL, {"type": 15, "name": "wc", "topic": "x" * 4096, "available_tags": [{"name": "x" * 20}] * 20}),
    (CHANNEL, {"type": 4, "name": "World Cup"}),
    (EVENT, event(name="x" * 100, description="x" * 1000, entity_metadata={"location": "x" * 100})),
    (COMMANDS, [command(name=f"c{n}", options=[option(f"o{m}") for m in range(25)]) for n in range(100)]),
]

BROKEN: list[tuple[tuple[str, str], Any, str]] = [
    *((where, {"content": "x" * 2001}, "content: 2001") for where in (SEND, EDIT, FOLLOW_UP, ORIGINAL)),
    (ANSWER, {"type": 4, "data": {"content": "x" * 2001}}, "content: 2001"),
    (THREAD, {"name": "x", "message": {"content": "x" * 2001}}, "content: 2001"),
    (SEND, {"nonce": "1" * 26}, "nonce: 26"),
    (SEND, {"allowed_mentions": {"users": ["1"] * 101}}, "allowed_mentions users: 101"),
    (SEND, {"allowed_mentions": {"parse": ["users"], "users": ["1"]}}, "`parse` has users"),
    (SEND, {"allowed_mentions": {"parse": ["all"]}}, "does not know ['all']"),
    (SEND, below(*(row(button(n)) for n in range(6))), "rows of components: 6"),
    (SEND, below(row(*(button(n) for n in range(6)))), "components in a row: 6"),
    (SEND, below(row()), "components in a row: 0"),
    (SEND, below(button()), "outside of a row"),
    (SEND, below(row(button(), select(1))), "a row of its own"),
    (SEND, below(row(button(), button())), "'b1' stands 2 times"),
    (SEND, below(row(button(), row(button(2)))), "no place below a message"),
    (SEND, below(row(button(custom_id="x" * 101))), "custom_id: 101"),
    (SEND, below(row(button(custom_id=""))), "custom_id: 0"),
    (SEND, below(row(button(label="x" * 81))), "button label: 81"),
    (SEND, below(row(button(label=""))), "neither label nor emoji"),
    (SEND, below(row(button(url="https://lichess.org"))), "a link has a url"),
    (SEND, below(row({"type": 2, "style": 1, "label": "x"})), "a link has a url"),
    (SEND, below(row({"type": 2, "style": 5, "label": "x", "url": "x" * 513})), "button url: 513"),
    (SEND, below(row(select(26))), "select options: 26"),
    (SEND, below(row(select(1, placeholder="x" * 151))), "select placeholder: 151"),
    (SEND, below(row(select(1, min_values=3, max_values=2))), "3 to 2 values"),
    (SEND, below(row(select(1) | {"options": [{"label": "x" * 101, "value": "1"}]})), "select option label: 101"),
    (SEND, below(row(select(1) | {"options": [{"label": "x", "value": "1"}] * 2})), "'1' stands 2 times"),
    (SEND, embed(title="x" * 257), "embed title: 257"),
    (SEND, embed(description="x" * 4097), "embed description: 4097"),
    (SEND, embed(fields=[{"name": "n", "value": "v"}] * 26), "embed fields: 26"),
    (SEND, embed(fields=[{"name": "n", "value": "v" * 1025}]), "embed field value: 1025"),
    (SEND, embed(fields=[{"name": " ", "value": "v"}]), "must not be empty"),
    (SEND, embed(description="x" * 4096, footer={"text": "x" * 1905}), "embeds: 6001"),
    (SEND, {"embeds": [{}] * 11}, "embeds: 11"),
    (SEND, {"flags": 1 << 15, "content": "x", "components": [{"type": 10, "content": "x"}]}, "not together"),
    (SEND, {"flags": 1 << 15, "components": [{"type": 10, "content": "x"}] * 41}, "components: 41"),
    (SEND, {"flags": 1 << 15, "components": [{"type": 10, "content": "x" * 4001}]}, "text displays together: 4001"),
    (ANSWER, offered(26), "choices: 26"),
    (ANSWER, offered(1, "x" * 101), "choice name: 101"),
    (ANSWER, offered(1, ""), "choice name: 0"),
    (ANSWER, offered(1, "x", "y" * 101), "choice value: 101"),
    (ANSWER, form({}, title="x" * 46), "modal title: 46"),
    (ANSWER, form(), "modal components: 0"),
    (ANSWER, form(*({},) * 6), "modal components: 6"),
    (ANSWER, form({"value": "x" * 4001}), "text input value: 4001"),
    (ANSWER, form({"value": "x" * 11, "max_length": 10}), "text input value: 11"),
    (ANSWER, form({"placeholder": "x" * 101}), "text input placeholder: 101"),
    (ANSWER, form({"label": "x" * 46}), "text input label: 46"),
    (ANSWER, form({"min_length": 9, "max_length": 8}), "from 9 to 8"),
    (ANSWER, form({"custom_id": "same"}, {"custom_id": "same"}), "'same' stands 2 times"),
    (THREAD, {"name": "x" * 101}, "thread name: 101"),
    (THREAD, {"name": ""}, "thread name: 0"),
    (THREAD, {"name": "x", "applied_tags": [1] * 6}, "applied tags: 6"),
    (THREAD, {"name": "x", "auto_archive_duration": 100}, "auto_archive_duration: 100"),
    (CHANGE, {"applied_tags": [1] * 6}, "applied tags: 6"),
    (CHANGE, {"name": "x" * 101}, "channel name: 101"),
    (CHANGE, {"available_tags": [{"name": "x"}] * 21}, "tags of the forum: 21"),
    (CHANGE, {"rate_limit_per_user": 21601}, "21601 seconds"),
    (CHANNEL, {"name": "x", "topic": "x" * 1025}, "topic: 1025"),
    (CHANNEL, {"name": "World-Cup"}, "lower-case"),
    (CHANNEL, {"name": "world cup"}, "without spaces"),
    (CHANNEL, {"type": 15, "name": "x", "available_tags": [{"name": "x" * 21}]}, "tag name: 21"),
    (("POST", "/guilds/1/roles"), {"name": "x" * 101}, "role name: 101"),
    (EVENT, event(name="x" * 101), "event name: 101"),
    (EVENT, event(description="x" * 1001), "event description: 1001"),
    (EVENT, event(entity_metadata={"location": "x" * 101}), "event location: 101"),
    (EVENT, event(scheduled_end_time=None), "has a location and an end"),
    (EVENT, event(scheduled_end_time="2026-03-22T00:00:00+00:00"), "ends before it starts"),
    (EVENT, event(scheduled_start_time="2026-03-22T00:00:00+00:00"), "is past"),
    (COMMANDS, [command(name=f"c{n}") for n in range(101)], "commands: 101"),
    (COMMANDS, [command(), command()], "registered 2 times"),
    (COMMANDS, [command(name="Offer")], "lower-case"),
    (COMMANDS, [command(name="x" * 33)], "1 to 32"),
    (COMMANDS, [command(description="")], "description: 0"),
    (COMMANDS, [command(description="x" * 101)], "description: 101"),
    (COMMANDS, [command(options=[option(f"o{n}") for n in range(26)])], "options: 26"),
    (COMMANDS, [command(options=[option("a"), option("b", required=True)])], "required options come first"),
    (COMMANDS, [command(options=[option(choices=[{"name": "x", "value": "y"}] * 26)])], "choices: 26"),
    (COMMANDS, [command(options=[option(choices=[{"name": "x", "value": "y"}], autocomplete=True)])], "together"),
    (COMMANDS, [command(options=[option("a", type=1), option("b")])], "subcommands and options together"),
    (COMMANDS, [command(options=[option(type=2, options=[option(type=2, options=[])])])], "a group inside a group"),
    (
        COMMANDS,
        [command(options=[option(f"o{n}", description="x" * 100, choices=[{"name": "n" * 100, "value": "v" * 100}] * 2)
                          for n in range(16)])],
        "8000 are allowed",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("where", "body"), KEPT)
def test_what_just_fits_is_not_refused(where: tuple[str, str], body: Any) -> None:
    assert problems(*where, body, now=NOW) == []


@pytest.mark.parametrize(("where", "body", "words"), BROKEN)
def test_one_more_is_refused_with_its_limit(where: tuple[str, str], body: Any, words: str) -> None:
    found = problems(*where, body, now=NOW)
    assert len(found) == 1 and words in found[0], found


def test_a_reason_has_at_most_512_characters() -> None:
    assert problems("DELETE", "/channels/1", None, reason="x" * 512) == []
    assert "513" in problems("DELETE", "/channels/1", None, reason="x" * 513)[0]


def test_letters_of_a_command_count_names_descriptions_and_values() -> None:
    choice = {"name": "abc", "value": 12}
    assert command_letters(command(options=[option(choices=[choice])])) == len("offerOffers" + "timesWhen" + "abc12")


async def test_in_simcord_messages_and_answers_are_checked(
    tmp_path: Path, nothing_that_discord_refuses: list[str]
) -> None:
    async with open_world(tmp_path) as world:
        bot = world.parts.bot
        lobby = bot.get_channel(world.lobby.id)
        assert isinstance(lobby, discord.TextChannel)
        await lobby.send("x", nonce="1" * 26)
        (sent,) = nothing_that_discord_refuses
        assert f"POST /channels/{lobby.id}/messages" in sent and "nonce: 26" in sent
        nothing_that_discord_refuses.clear()

        @bot.tree.command(name="long", description="Too long a choice")
        async def long(interaction: discord.Interaction[Any], what: str) -> None: ...

        @long.autocomplete("what")
        async def what(interaction: discord.Interaction[Any], typed: str) -> list[discord.app_commands.Choice[str]]:
            return [discord.app_commands.Choice(name="x" * 101, value="y")]

        await bot.tree.sync()
        await world.owner.autocomplete(world.lobby, "long", "what", "")
        assert any("/callback" in one and "choice name: 101" in one for one in nothing_that_discord_refuses)
        nothing_that_discord_refuses.clear()

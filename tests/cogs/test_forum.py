"""Where matches live, and what happens when somebody deletes or closes what `/td setup` made (design section 10)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord
import pytest

from cogs.directors.channels import NEEDED
from cogs.render.matches import TAGS
from engine.model import Post, PostState
from tests.clauses.stage import offer_enough
from tests.cogs.first_round import PLAYERS, PUBLISHED
from tests.season.play import agree, boards, card, report, said
from tests.world import World, text_of

SATURDAY = PUBLISHED + timedelta(days=6, hours=6)


@pytest.fixture
async def community(empty: World) -> World:
    empty.become_community()
    await empty.set_up()
    return empty


def forum(world: World) -> discord.ForumChannel:
    found = world.parts.bot.get_channel(world.channel("matches").id)
    assert isinstance(found, discord.ForumChannel)
    return found


def tags(world: World, thread: Any) -> list[str]:
    found = world.parts.bot.get_channel(thread.id)
    assert isinstance(found, discord.Thread)
    return [tag.name for tag in found.applied_tags]


async def notices(world: World, pattern: str) -> list[Any]:
    await world.tick()  # the news of it reaches the bot …
    await world.tick()  # … and what it owes is delivered
    return said(world.channel("directors"), pattern)


# --- Where matches live -----------------------------------------------------------------------------------------


async def test_a_community_gets_a_forum_whose_tags_say_how_a_match_stands(community: World) -> None:
    assert [tag.name for tag in forum(community).available_tags] == list(TAGS.values())
    assert all(tag.moderated for tag in forum(community).available_tags)
    await community.start_edition(PLAYERS, "2026-03-22")
    await community.move_to(PUBLISHED)
    board, other = boards(community, 1)
    assert len(board.thread.history()) == 1 and not card(board).edited_at  # the card opened the thread
    assert tags(community, board.thread) == ["Finding a time"]
    await offer_enough(community, other.a)
    await agree(community, board, SATURDAY)
    assert tags(community, board.thread) == ["Time agreed"]
    community.lichess.play_match(board.a, board.b, SATURDAY, ["a"] * 6)
    await community.move_to(SATURDAY + timedelta(hours=1))
    assert "Recorded" in await report(community, board, board.a)
    assert tags(community, board.thread) == ["Finished"]
    await community.move_to(PUBLISHED + timedelta(days=10))
    assert tags(community, other.thread) == ["Overdue"]


async def test_elsewhere_matches_are_threads_and_setup_says_what_is_lost(empty: World) -> None:
    answer = text_of(await empty.slash(empty.owner, "td setup"))
    assert "without tags" in answer and "forums exist only in Community servers" in answer
    assert isinstance(empty.parts.bot.get_channel(empty.channel("matches").id), discord.TextChannel)


async def test_a_server_that_becomes_a_community_can_name_a_forum_and_goes_on(event: World) -> None:
    event.become_community()
    assert "This server can have a forum" in text_of(await event.slash(event.owner, "td setup"))
    mine = event.guild.create_forum_channel("our-matches")
    answer = text_of(await event.slash(event.owner, "td setup", matches=mine))
    assert "posts of a forum" in answer and mine.mention in answer
    found = event.parts.bot.get_channel(mine.id)
    assert isinstance(found, discord.ForumChannel)
    assert {tag.name for tag in found.available_tags} == set(TAGS.values())
    (board, _) = boards(event, 1)
    await agree(event, board, SATURDAY)  # the threads of before stay where they are
    assert "Agreed" in card(board).content


async def test_a_deleted_tag_is_named_and_setup_makes_it_again(community: World) -> None:
    await forum(community).edit(available_tags=forum(community).available_tags[1:])
    assert len(await notices(community, "matches: the tag “Finding a time” is missing. Run `/td setup`")) == 1
    await community.slash(community.owner, "td setup")
    assert {tag.name for tag in forum(community).available_tags} == set(TAGS.values())
    assert len(await notices(community, "Repaired")) == 1


async def test_tags_of_others_stay(community: World) -> None:
    await forum(community).edit(available_tags=[*forum(community).available_tags, discord.ForumTag(name="stream")])
    await community.start_edition(PLAYERS, "2026-03-22")
    await community.move_to(PUBLISHED)
    board, _ = boards(community, 1)
    thread = community.parts.bot.get_channel(board.thread.id)
    assert isinstance(thread, discord.Thread)
    await thread.add_tags(*(tag for tag in forum(community).available_tags if tag.name == "stream"))
    await agree(community, board, SATURDAY)
    assert sorted(tags(community, board.thread)) == ["Time agreed", "stream"]


# --- Deleted and closed -----------------------------------------------------------------------------------------


def delete(world: World, channel: Any) -> None:
    """As Discord does it, with the threads; simcord leaves them behind."""
    for thread in channel.threads:
        world.env.backend.delete_channel(thread.id)
    world.env.backend.delete_channel(channel.id)


async def test_a_deleted_channel_is_told_once_and_setup_delivers_what_waited(event: World) -> None:
    delete(event, event.channel("results"))
    assert len(await notices(event, "results: the channel does not exist. Run")) == 1
    board, other = boards(event, 1)
    for one in (board, other):
        await agree(event, one, SATURDAY)
        event.lichess.play_match(one.a, one.b, SATURDAY, ["a"] * 6)
    await event.move_to(SATURDAY + timedelta(hours=1))
    for one in (board, other):
        assert "Recorded" in await report(event, one, one.a)
    assert len(await notices(event, "channel does not exist")) == 1
    assert not await notices(event, "Messages are stuck")
    await event.slash(event.owner, "td setup")
    assert len(said(event.channel("results"), "Round 1: ")) == 2
    assert len(await notices(event, "Repaired")) == 1
    assert not await notices(event, "does not exist")


async def test_a_deleted_forum_comes_back_with_all_its_threads(community: World) -> None:
    await community.start_edition(PLAYERS, "2026-03-22")
    await community.move_to(PUBLISHED)
    board, _ = boards(community, 1)
    await agree(community, board, SATURDAY)
    delete(community, community.channel("matches"))
    await community.move_to(SATURDAY + timedelta(days=4))
    await community.slash(community.owner, "td setup")
    await community.move(minutes=10)
    again = boards(community, 1)
    assert [one.number for one in again] == [1, 2]
    assert all(card(one) for one in again)
    owed = community.parts.db.read_sync(lambda r: r.find(Post, state=(PostState.WAITING, PostState.STUCK)))
    assert owed == []


async def test_a_permission_taken_away_is_told_once_and_heals_when_it_is_back(event: World) -> None:
    guild, role = event.guild.id, event.guild.roles["Bot"].id
    allowed = NEEDED | discord.Permissions(manage_channels=True, manage_roles=True)
    event.env.backend.edit_role(guild, role, {"permissions": allowed.value})
    await event.tick()
    bot = event.parts.bot
    pairings, me = bot.get_channel(event.channel("pairings").id), bot.get_guild(guild).me  # type: ignore[union-attr]
    await pairings.set_permissions(me, send_messages=False)  # type: ignore[union-attr]
    assert len(await notices(event, "pairings: I lack Send Messages")) == 1
    await event.tick()
    assert len(await notices(event, "I cannot do my work")) == 1
    await pairings.set_permissions(me, send_messages=True)  # type: ignore[union-attr]
    assert len(await notices(event, "Repaired")) == 1


async def test_a_td_channel_that_is_gone_is_told_to_whoever_uses_td(event: World) -> None:
    delete(event, event.channel("directors"))
    await event.tick()
    await event.tick()
    td = event.people["td"]
    assert "I cannot write in the TD channel" in text_of(await event.slash(td, "td edition show"))
    answer = text_of(await event.slash(event.owner, "td setup"))
    assert "Set up" in answer and "I cannot write" not in answer
    assert "I cannot write" not in text_of(await event.slash(td, "td edition show"))


async def test_a_second_trouble_is_told_anew_and_the_first_notice_points_to_it(event: World) -> None:
    delete(event, event.channel("results"))
    assert len(await notices(event, "results: the channel does not exist")) == 1
    delete(event, event.channel("standings"))
    (newest,) = await notices(event, "I cannot do my work")
    assert "results: the channel" in newest.content and "standings: the channel" in newest.content
    assert len(await notices(event, "a newer notice below")) == 1
    await event.slash(event.owner, "td setup")
    assert len(await notices(event, "Repaired")) == 1 and not await notices(event, "I cannot do my work")


async def test_a_td_role_that_is_deleted_is_told_and_the_new_one_sees_the_td_channel(event: World) -> None:
    event.env.backend.delete_role(event.guild.id, event.guild.roles["World Cup TD"].id)
    assert len(await notices(event, "td: the role of the directors does not exist. Run `/td setup`")) == 1
    assert "⚠" not in text_of(await event.slash(event.owner, "td setup"))
    guild = event.parts.bot.get_guild(event.guild.id)
    assert guild is not None
    role = discord.utils.get(guild.roles, name="World Cup TD")
    channel = guild.get_channel(event.channel("directors").id)
    assert role is not None and channel is not None and channel.permissions_for(role).view_channel
    assert len(await notices(event, "Repaired")) == 1


async def test_a_role_of_their_own_sees_the_td_channel_too(event: World) -> None:
    mine = event.guild.create_role("Arbiters")
    assert "⚠" not in text_of(await event.slash(event.owner, "td setup", td_role=mine))
    channel = event.parts.bot.get_channel(event.channel("directors").id)
    role = event.parts.bot.get_guild(event.guild.id).get_role(mine.id)  # type: ignore[union-attr]
    assert isinstance(channel, discord.TextChannel) and role is not None and channel.permissions_for(role).view_channel


async def test_a_deleted_thread_comes_back_at_once(event: World) -> None:
    board, other = boards(event, 1)
    event.env.backend.delete_channel(board.thread.id)
    await event.tick()
    await event.move(minutes=1)
    again = boards(event, 1)[0]
    assert again.thread.id != board.thread.id and card(again)
    assert boards(event, 1)[1].thread.id == other.thread.id


async def test_a_deleted_forum_comes_back_although_nothing_else_was_due(community: World) -> None:
    await community.start_edition(PLAYERS, "2026-03-22")
    await community.move_to(PUBLISHED)
    delete(community, community.channel("matches"))
    await community.tick()
    await community.slash(community.owner, "td setup")
    await community.move(minutes=10)
    again = boards(community, 1)
    assert [one.number for one in again] == [1, 2] and all(card(one) for one in again)


async def test_players_open_no_threads_of_their_own(event: World) -> None:
    everyone = event.parts.bot.get_guild(event.guild.id).default_role  # type: ignore[union-attr]
    for name in ("pairings", "results", "matches"):
        channel = event.parts.bot.get_channel(event.channel(name).id)
        assert isinstance(channel, discord.TextChannel)
        assert channel.overwrites_for(everyone).create_public_threads is False

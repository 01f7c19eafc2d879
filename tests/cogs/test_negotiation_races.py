"""Two at the same moment, and input that is meant to hurt: one outcome, nothing half done (design 3.3)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from cogs.render.message import Button, Message
from cogs.views.build import sendable_view
from engine.errors import AcwcError
from engine.model import Match, Offer, OfferState
from engine.usecases.context import Actor
from engine.usecases.match_rulings import Blame
from tests.clauses.stage import agree, card, said, says, thread
from tests.world import World, custom_ids, text_of

OFFERS_END = datetime(2026, 3, 28, tzinfo=UTC)
SUNDAY = datetime(2026, 3, 29, 15, 0, tzinfo=UTC)
THREE = "Sat 9:00, Sat 18:00, Sun 29 9:00"


def actor(world: World, name: str, command: str) -> Actor:
    who = world.people[name]
    roles = frozenset({world.guild.roles["World Cup TD"].id}) if name == "td" else frozenset[int]()
    return Actor(discord_id=who.id, name=name, guild_id=world.guild.id, command_id=command, role_ids=roles)


async def at_once(*works: Any) -> list[str]:
    """Each work's refusal by its code, "" for what was done."""
    done = await asyncio.gather(*works, return_exceptions=True)
    for result in done:
        assert not isinstance(result, BaseException) or isinstance(result, AcwcError), result
    return [result.code if isinstance(result, AcwcError) else "" for result in done]


def stored(world: World, kind: type, **equal: Any) -> list[Any]:
    return world.parts.db.read_sync(lambda reader: reader.find(kind, **equal))


async def test_r5_2_both_accept_different_offers_at_once_and_one_time_stands(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 18:00")
    await says(event, "carl", "offer", times="Sun 29 20:00")
    scheduling = event.parts.app.scheduling
    codes = await at_once(
        scheduling.accept(actor(event, "carl", "1"), 1), scheduling.accept(actor(event, "anna", "2"), 2)
    )
    assert sorted(codes) == ["", "accept_already_agreed"]
    (match,) = stored(event, Match, id=1)
    (accepted,) = stored(event, Offer, state=OfferState.ACCEPTED)
    assert (match.agreed_offer_id, match.agreed_at) == (accepted.id, accepted.starts_at)
    await event.tick()
    assert said(thread(event, "anna")).count("Agreed: **") == 1


async def test_r5_2_accepted_and_retracted_at_once_is_one_of_the_two(event: World) -> None:
    await says(event, "anna", "offer", times="Sat 18:00")
    scheduling = event.parts.app.scheduling
    codes = await at_once(
        scheduling.accept(actor(event, "carl", "1"), 1), scheduling.retract(actor(event, "anna", "2"), 1)
    )
    (match,), (offer,) = stored(event, Match, id=1), stored(event, Offer)
    if codes[0] == "":
        assert codes[1] == "offer_accepted" and match.agreed_at and offer.state is OfferState.ACCEPTED
    else:
        assert codes == ["accept_retracted", ""] and match.agreed_at is None and offer.state is OfferState.RETRACTED


async def test_r5_5_set_twice_at_once_and_while_the_other_accepts(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await event.move_to(OFFERS_END)
    app = event.parts.app
    codes = await at_once(
        app.choosing.set_time(actor(event, "anna", "1"), 1, SUNDAY),
        app.choosing.set_time(actor(event, "anna", "2"), 1, SUNDAY + timedelta(hours=1)),
        app.scheduling.accept(actor(event, "carl", "3"), 2),
    )
    assert codes.count("") == 1
    await event.tick()
    (match,) = stored(event, Match, id=1)
    assert match.agreed_at is not None
    assert f": {match.agreed_at:%a} {match.agreed_at.day} Mar" in card(event, "anna").content


async def test_r5_9_two_directors_rule_at_once_and_one_ruling_stands(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await says(event, "carl", "offer", times="Sat 12:00, Sat 21:00, Sun 29 12:00")
    await event.move_to(OFFERS_END)
    rulings = event.parts.app.match_rulings
    codes = await at_once(
        rulings.blame(actor(event, "td", "1"), 1, Blame.NOBODY, "Both tried."),
        rulings.blame(actor(event, "td", "2"), 1, Blame.NOBODY, "Both tried."),
    )
    assert sorted(codes) == ["", "match_settled"]


async def test_forty_offers_are_refused_whole_and_nothing_is_recorded(event: World) -> None:
    moments = [datetime(2026, 3, 23, tzinfo=UTC) + timedelta(hours=3 * n) for n in range(20)]
    answer = await says(event, "anna", "offer", times=", ".join(f"{at.day} Mar {at:%H:%M}" for at in moments))
    assert "9 is the most" in answer and stored(event, Offer) == []


async def test_notes_show_as_they_are_and_ping_nobody(event: World) -> None:
    note = "**bold** @everyone <@1> [x](https://evil.example) 😀 `code`"
    await says(event, "anna", "offer", times="Sat 18:00", note=note)
    message = thread(event, "anna").last_message
    assert "@everyone" not in message.content and "](https://" not in message.content and "😀" in message.content
    assert not message.mention_everyone and [user.id for user in message.mentions] == [event.people["carl"].id]
    assert "note has 201 characters" in await says(event, "anna", "offer", times="Sun 29 9:00", note="x" * 201)
    assert len(stored(event, Offer)) == 1


async def test_forged_buttons_are_refused(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await agree(event, "bob", "dora", "Sun 29 18:00")
    await event.move_to(OFFERS_END)
    before = stored(event, Match), len(event.parts.db.read_sync(lambda reader: reader.facts(1)))
    minutes = int(SUNDAY.timestamp() // 60)
    tries = (
        ("carl", "set-this", f"1.{minutes}"),
        ("bob", "set-this", f"1.{minutes + 60}"),
        ("anna", "set-this", "1"),
        ("anna", "set-this", "99.5"),
        ("bob", "move-to", f"1.{minutes}"),
        ("anna", "rule-fault", "1.b"),
        ("anna", "rule-waive", "1"),
        ("td", "rule-fault", "1.c"),
        ("td", "rule-fault", "77.a"),
        ("td", "rule-time", "x"),
        ("anna", "ask-allow", "1"),
    )
    buttons = tuple(Button(verb, arg, verb) for _, verb, arg in tries)
    lobby = event.parts.bot.get_channel(event.lobby.id)
    assert isinstance(lobby, discord.TextChannel)
    await lobby.send("Buttons that the bot never made", view=sendable_view(Message("", buttons)))
    await event.settle()
    for (who, *_), button in zip(tries, buttons, strict=True):
        answer = text_of(await event.click(event.people[who], event.lobby.last_message, button.custom_id))
        assert answer and "Something went wrong" not in answer, button
    assert (stored(event, Match), len(event.parts.db.read_sync(lambda reader: reader.facts(1)))) == before


async def test_a_thread_that_is_deleted_comes_back_with_the_time_to_set(event: World) -> None:
    await says(event, "anna", "offer", times=THREE)
    await event.move_to(OFFERS_END)
    gone = thread(event, "anna")
    event.env.backend.delete_channel(gone.id)
    await event.tick()
    await event.settle()
    await event.tick()
    new = thread(event, "anna")
    assert new.id != gone.id and "**anna sets the time**" in new.history()[0].content
    assert any("set-time" in id for id in custom_ids(new.history()[0]))

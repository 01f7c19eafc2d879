"""How far an erasure goes: what a TD wrote about others stays, whoever plays is out of reach of a rival, an approved
entry goes, and nothing is written about somebody who is gone.

In `event` anna plays carl and bob plays dora; in `opened` registration is open and nobody has entered.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from acwc_bot.outbox import Arrived, delivered
from engine.eligibility import Word
from engine.errors import NotAllowed, NotFound
from engine.model import Edition, Entrant, EntryState, Login, MemberSeen, Note, Person, Post, PostState, Registration
from engine.usecases.context import Actor
from tests.clauses.stage import agree, said, says, thread
from tests.cogs.entering import actor, cards, decide, enters, entries, has_account, last, open_registration, presses
from tests.cogs.test_clause_accounts import PLAYER, entrant, has_role
from tests.cogs.test_clause_terms import desk
from tests.cogs.test_erasure import rows
from tests.world import World, open_prepared, text_of

ABOUT = "the account was shared, see thread 77"
ELSEWHERE = 4242
"""Another server."""


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[World]:
    async with open_prepared(tmp_path, open_registration) as world:
        yield world


def directs(world: World, name: str) -> None:
    """From now on they have the role of the TDs too."""
    world.person(name)
    role = world.guild.roles["World Cup TD"].id
    world.guild._guild.members[world.people[name].id].role_ids.append(role)


def director(world: World, name: str) -> Actor:
    return replace(actor(world, name), role_ids=actor(world, "td").role_ids)


def known(world: World, name: str) -> Person:
    return next(one for one in rows(world, Person) if one.discord_id == world.people[name].id)


async def question(world: World, name: str, by: str = "td") -> Any:
    """What a TD reads before somebody is erased who is found by the Discord account."""
    return await world.slash(world.people[by], "td-player erase", member=world.people[name])


async def erases(world: World, name: str, by: str = "td") -> str:
    return text_of(await presses(world, by, "erase", last(await question(world, name, by))))


async def edition_elsewhere(world: World, entered: str | None = None) -> Edition:
    """A newer edition on another server, with an entry of somebody."""

    def work(store: Any) -> Edition:
        edition = store.add(replace(world.edition(), id=0, guild_id=ELSEWHERE))
        if entered is not None:
            entry = next(row for row in store.find(Registration) if row.lichess_id == entered)
            store.add(replace(entry, id=0, edition_id=edition.id, state=EntryState.REJECTED))
        return edition

    return await world.parts.db.write(work)


# --- What a TD wrote ------------------------------------------------------------------------------------------------


async def test_reasons_that_an_erased_td_wrote_about_the_entries_of_others_stay(opened: World) -> None:
    directs(opened, "bob")
    for name in ("anna", "bob", "dora"):
        await enters(opened, name)
    await decide(opened, "bob", "anna", "reject", ABOUT)
    dora = rows(opened, Registration)[-1].id
    await opened.parts.app.entries.admin_says(director(opened, "bob"), dora, Word.QUALIFIES, ABOUT)
    has_account(opened, "carl")
    await says(opened, "bob", "td entry add", member=opened.person("carl"), account="carl", reason=ABOUT)
    before = [note.text for note in rows(opened, Note)]
    assert before == [ABOUT] * 3
    assert "Rejected** by bob" in cards(opened, "anna")[-1].content
    assert "bob is known by the Lichess name alone" in await erases(opened, "bob")
    assert [note.text for note in rows(opened, Note)] == before
    assert ABOUT in cards(opened, "anna")[-1].content
    assert "Rejected** by bob" in cards(opened, "anna")[-1].content, "the Lichess name"


async def test_so_do_those_in_an_edition_that_the_td_has_not_entered(event: World) -> None:
    directs(event, "dave")
    anna = entrant(event, "anna")
    await says(event, "dave", "td-player seed", player=anna, seed=3, reason=ABOUT)
    assert "**Ruling** by dave" in desk(event)
    other = await edition_elsewhere(event)
    entry = replace(rows(event, Registration)[0], id=0, edition_id=other.id, person_id=known(event, "dave").id)
    entry = replace(entry, lichess_id="dave", lichess_name="dave_on_lichess", state=EntryState.WITHDRAWN)
    await event.parts.db.write(lambda store: store.add(entry))
    assert "dave\\_on\\_lichess is known" in await erases(event, "dave")
    assert ABOUT in desk(event) and "**Ruling** by dave\\_on\\_lichess" in desk(event)
    assert ABOUT in [note.text for note in rows(event, Note)]


async def test_a_td_who_never_entered_is_erased_too_and_the_name_goes_from_what_they_decided(event: World) -> None:
    directs(event, "dave")
    await says(event, "dave", "timezone", zone="Europe/Brussels")
    await says(event, "dave", "td-player withdraw", player=entrant(event, "anna"), reason=ABOUT)
    asked = text_of(await question(event, "dave"))
    assert "stored about dave" in asked and "decided as a TD stays" in asked and "Results" not in asked
    assert "does not know dave any more" in await erases(event, "dave")
    assert "dave" not in desk(event) and "**Ruling** by [erased]" in desk(event) and ABOUT in desk(event)
    assert [one for one in rows(event, Person) if one.name == "dave" or one.timezone] == []
    assert "knows nobody like that" in text_of(await question(event, "dave"))


async def test_so_is_whoever_has_chosen_a_time_zone_alone(event: World) -> None:
    event.person("guest")
    await says(event, "guest", "timezone", zone="Europe/Brussels")
    assert "does not know guest" in await erases(event, "guest")
    assert [one for one in rows(event, Person) if one.timezone] == []
    assert "about yourself" in text_of(await question(event, "td"))
    for given in ({}, {"person": 1, "member": event.people["anna"]}):
        assert "Name one" in await says(event, "td", "td-player erase", **given)


async def test_who_belongs_to_another_server_alone_is_not_found(opened: World) -> None:
    opened.person("guest")
    await says(opened, "guest", "timezone", zone="UTC")
    guest, other = known(opened, "guest"), await edition_elsewhere(opened)
    note = Note(edition_id=other.id, author_id=guest.id, text=ABOUT, made_at=opened.clock.now())
    await opened.parts.db.write(lambda store: store.add(note))
    with pytest.raises(NotFound, match="person"):
        await opened.parts.app.erasure.show(actor(opened, "td"), guest.id)


# --- Who may do it --------------------------------------------------------------------------------------------------


async def test_q54_a_td_who_plays_does_not_erase_the_opponent(event: World) -> None:
    directs(event, "carl")
    assert "opponent of an open match" in text_of(await question(event, "anna", "carl"))
    members, person = event.parts.bot.members, known(event, "anna").id
    with pytest.raises(NotAllowed, match="recused"):
        await event.parts.app.erasure.erase(director(event, "carl"), person, members)
    assert known(event, "anna").discord_id
    assert "Erased. bob" in await erases(event, "bob", "carl"), "somebody they have no match with"


async def test_r2_6_nor_whoever_waits_with_the_account_of_the_td(opened: World) -> None:
    directs(opened, "bob")
    await enters(opened, "bob", "anna")
    opened.person("anna")
    await opened.enters("anna", "anna")
    assert "another TD has to decide" in text_of(await question(opened, "anna", "bob"))
    assert [row.state for row in rows(opened, Registration)] == [EntryState.FROZEN] * 2


# --- The entry and the event ----------------------------------------------------------------------------------------


async def test_an_approved_entry_is_withdrawn_so_that_nobody_plays_whom_nobody_can_reach(opened: World) -> None:
    for name in ("anna", "bob", "carl"):
        await enters(opened, name)
        await decide(opened, "td", name)
    asked = text_of(await question(opened, "anna"))
    assert "⚠ Their entry in LiAntichess World Cup 2026 is approved. It is withdrawn" in asked
    await erases(opened, "anna")
    assert entries(opened)["anna"] is EntryState.WITHDRAWN and "Withdrawn" in cards(opened, "anna")[-1].content
    await says(opened, "td", "td edition close")
    assert [one.name for one in rows(opened, Entrant)] == ["bob", "carl"]


async def test_an_entry_that_waits_is_named_and_withdrawn(opened: World) -> None:
    await enters(opened, "anna")
    assert "1 × entry that waits" in text_of(await question(opened, "anna"))
    await erases(opened, "anna")
    assert entries(opened)["anna"] is EntryState.WITHDRAWN


async def test_the_entry_of_an_entrant_stays_as_it_is(event: World) -> None:
    assert "is approved" not in text_of(await question(event, "anna"))
    await erases(event, "anna")
    assert entries(event)["anna"] is EntryState.APPROVED


async def test_a_newer_edition_on_another_server_does_not_hide_that_they_play(event: World) -> None:
    await edition_elsewhere(event, "anna")
    assert "still in the event" in text_of(await question(event, "anna"))


async def test_with_whom_a_login_was_begun_goes_too(opened: World) -> None:
    await enters(opened, "anna")
    (entry,), now = rows(opened, Registration), opened.clock.now()
    login = Login(
        registration_id=entry.id,
        handle="anna.unique",
        state="s",
        verifier="",
        created_at=now,
        expires_at=now,
        lichess_id="spare",
    )
    await opened.parts.db.write(lambda store: store.add(login))
    assert "1 × login" in text_of(await question(opened, "anna"))
    await erases(opened, "anna")
    assert [row.lichess_id for row in rows(opened, Login)] == [None]


async def test_what_the_bot_said_in_the_thread_names_the_discord_account_no_more(event: World) -> None:
    await agree(event, "anna", "carl", "Sat 28 20:00")
    mention = f"<@{event.people['anna'].id}>"
    assert mention in said(thread(event, "carl"))
    await erases(event, "anna")
    assert mention not in said(thread(event, "carl"))


# --- Discord, and the hour ------------------------------------------------------------------------------------------


async def test_the_role_of_the_players_goes_with_it(event: World) -> None:
    await event.move(hours=1)
    assert await has_role(event, "anna")
    assert "role of the players" in text_of(await question(event, "anna"))
    assert "role" not in await erases(event, "anna")
    assert not await has_role(event, "anna") and await has_role(event, "carl")
    await event.move(hours=3)
    assert not await has_role(event, "anna")


async def test_a_role_that_discord_does_not_take_away_is_said(event: World) -> None:
    await event.move(hours=1)
    role = event.guild.roles[PLAYER].id
    path = f"/guilds/{event.guild.id}/members/{event.people['anna'].id}/roles/{role}"
    event.env.inject_error("DELETE", path, status=403, code=50013, times=1)
    assert "has not taken the role of the players away" in await erases(event, "anna")
    assert await has_role(event, "anna") and not any(
        row.name == "anna" and row.discord_id for row in rows(event, Person)
    )


class Between:
    """Discord, and an erasure while it is asked who is in the server."""

    def __init__(self, world: World, name: str, *, is_there: bool) -> None:
        self._world, self._person, self._is_there = world, known(world, name), is_there
        self.taken: list[int] = []

    async def present(self, guild_id: int, discord_ids: Sequence[int]) -> Mapping[int, frozenset[int] | None]:
        if self._person.discord_id in discord_ids:
            members, app = self._world.parts.bot.members, self._world.parts.app
            await app.erasure.erase(actor(self._world, "td"), self._person.id, members)
        return {id: frozenset() if self._is_there else None for id in discord_ids}

    async def set_role(self, guild_id: int, discord_id: int, role_id: int, *, has: bool) -> bool:
        if not has:
            self.taken.append(discord_id)
        return True


@pytest.mark.parametrize("is_there", [True, False])
async def test_nothing_is_written_about_who_is_erased_while_discord_is_asked(event: World, is_there: bool) -> None:
    await event.tick()
    anna = entrant(event, "anna")
    discord = Between(event, "anna", is_there=is_there)
    await event.jump_to(event.clock.now() + timedelta(hours=1))
    await event.parts.app.membership.look(discord)
    (row,) = (row for row in rows(event, MemberSeen) if row.entrant_id == anna)
    assert (row.gone_since, row.has_role) == (None, False)
    assert discord.taken == ([event.people["anna"].id] if is_there else []), "given at that moment, it is taken again"
    assert "anna has left" not in desk(event)


async def test_where_a_private_message_arrived_is_not_kept_of_who_is_erased_while_it_is_sent(event: World) -> None:
    await says(event, "td", "td-player withdraw", player=entrant(event, "anna"), reason="Wrote to me.")
    before = next(post for post in rows(event, Post) if post.kind == "exit_told")
    assert before.message_id is not None
    await erases(event, "anna")
    await event.parts.db.write(lambda store: delivered(store, before, Arrived(17, 18), event.clock.now()))
    after = next(post for post in rows(event, Post) if post.id == before.id)
    assert (after.state, after.channel_id, after.message_id) == (PostState.DROPPED, None, None)

"""`/td-player erase`: what is personal goes from Discord and from the files of the database, the results stay."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import pytest

from engine.facts import AccountChanged
from engine.model import AccountChange, AccountCheck, Login, Note, Person, Registration
from tests.clauses.stage import agree, said, says, thread
from tests.cogs.test_clause_accounts import change, new_account
from tests.cogs.test_clause_terms import desk, director, facts, press
from tests.world import World, custom_ids, text_of

NOTE = "my grandmother in Ghent visits me"
REASON = "her flat was robbed and the laptop is gone"
OTHER = "secretly_also_anna"
PERSONAL = (NOTE, REASON, OTHER, "anna.unique", "the-verifier", "the-state", "acwc-secret", "Europe/Brussels")


def rows(world: World, kind: type) -> list[Any]:
    return world.parts.db.read_sync(lambda reader: reader.find(kind))


def on_disk(world: World) -> bytes:
    """Every file of the database: also the log and the free pages."""
    path = Path(world.url.removeprefix("sqlite:///"))
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))


def person(world: World) -> int:
    return next(row.person_id for row in rows(world, Registration) if row.lichess_id == "anna")


async def ask(world: World) -> Any:
    return await world.slash(world.people["td"], "td-player erase", person=person(world))


async def leaves_traces(world: World) -> None:
    """anna has written a note, named another account, begun a login, changed her account, and played."""

    def named(store: Any) -> None:
        entry = next(row for row in store.find(Registration) if row.lichess_id == "anna")
        store.save(replace(entry, others=(OTHER,), code="acwc-secret"))
        now = world.clock.now()
        login = Login(
            registration_id=entry.id,
            handle="anna.unique",
            state="the-state",
            verifier="the-verifier",
            created_at=now,
            expires_at=now,
        )
        store.add(login)
        check = store.one(AccountCheck, registration_id=entry.id)
        store.save(replace(check, progress={**check.progress, "others": [OTHER]}))

    await world.parts.db.write(named)
    await says(world, "anna", "timezone", zone="Europe/Brussels")
    await says(world, "anna", "offer", times="Sat 28 9:00, Sat 28 18:00, Sun 29 9:00", note=NOTE)
    new_account(world, "anna_new")
    await change(world)
    await press(world, "td", world.channel("directors"), ":take-account:", REASON)
    at = await agree(world, "carl", "anna", "Sat 28 20:00")
    world.lichess.play_match("anna_new", "carl", at, "aaaaaa")
    await world.move_to(at + timedelta(hours=1))
    assert "6" in await says(world, "anna", "report")


async def test_nothing_personal_is_left_and_the_results_stay(event: World) -> None:
    await leaves_traces(event)
    await event.tick()
    before = on_disk(event)
    for text in PERSONAL:
        assert text.encode() in before, text
    results = said(event.channel("results"))
    asked = await ask(event)
    assert "the Discord account" in text_of(asked) and "still in the event" in text_of(asked)
    assert "2 × what they wrote" in text_of(asked) and "login with Lichess" in text_of(asked)
    await event.restart()
    button = next(id for id in custom_ids(asked.response) if ":erase:" in id)
    assert "Erased. anna" in text_of(await event.click(event.people["td"], asked.response, button))
    after = on_disk(event)
    for text in PERSONAL:
        assert text.encode() not in after, text
    assert said(event.channel("results")) == results and "anna\\_new" in results
    assert facts(event, AccountChanged)
    (erased,) = [row for row in rows(event, Person) if row.discord_id is None]
    assert (erased.name, erased.timezone, erased.muted) == ("anna_new", None, ())
    assert NOTE not in said(thread(event, "carl")) and REASON not in desk(event)
    assert not any(row.progress for row in rows(event, AccountChange))
    assert all(row.text != NOTE for row in rows(event, Note))


async def test_the_discord_id_is_in_no_column_any_more(event: World) -> None:
    await leaves_traces(event)
    anna = event.people["anna"].id
    asked = await ask(event)
    await event.click(event.people["td"], asked.response, custom_ids(asked.response)[0])
    path = event.url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        dump = "\n".join(connection.iterdump())
    assert str(anna) not in dump
    await event.restart()
    await event.move(hours=3)
    assert "I can't reach them" not in desk(event)


async def test_twice_is_harmless_and_the_person_may_come_again(event: World) -> None:
    asked = await ask(event)
    button = custom_ids(asked.response)[0]
    await event.click(event.people["td"], asked.response, button)
    assert "Nothing personal is stored about anna any more" in text_of(await ask(event))
    await event.click(event.people["td"], asked.response, button)
    answer = await says(event, "anna", "hub")
    assert "wrong on our side" not in answer


async def test_nobody_but_a_td_and_no_td_for_themselves(event: World) -> None:
    event.person("mod", event.guild.create_role("Mod", permissions=discord.Permissions(administrator=True)))
    assert "Only a tournament director" in await says(event, "mod", "td-player erase", person=person(event))
    role = event.guild.roles["World Cup TD"].id
    event.guild._guild.members[event.people["anna"].id].role_ids.append(role)
    answer = await says(event, "anna", "td-player erase", person=person(event))
    assert "about yourself" in answer
    assert "knows nobody like that" in await says(event, "td", "td-player erase", person=999)


async def test_while_something_else_reads_the_file_it_is_said_and_done_later(event: World) -> None:
    await leaves_traces(event)
    asked = await ask(event)
    with closing(sqlite3.connect(event.url.removeprefix("sqlite:///"), isolation_level=None)) as beside:
        beside.execute("BEGIN")
        beside.execute("SELECT count(*) FROM person").fetchone()
        answer = text_of(await event.click(event.people["td"], asked.response, custom_ids(asked.response)[0]))
        assert "Erased. anna" in answer and "still in the files of the database" in answer
        assert "still in the files" in text_of(await ask(event))
        assert NOTE.encode() in on_disk(event)
    await event.tick()
    assert not any(text.encode() in on_disk(event) for text in PERSONAL)
    assert "files" not in text_of(await ask(event))


async def test_a_process_that_dies_before_the_files_are_clean_leaves_it_to_the_next(event: World) -> None:
    await leaves_traces(event)
    asked = await ask(event)

    async def dies() -> bool:
        raise SystemError("killed")

    event.parts.db.wipe = dies
    with pytest.raises(SystemError):
        await event.parts.app.erasure.erase(director(event), person(event), event.parts.bot.members)
    assert NOTE.encode() in on_disk(event)
    await event.restart()
    await event.tick()
    assert not any(text.encode() in on_disk(event) for text in PERSONAL)
    assert "Erased" in text_of(await event.click(event.people["td"], asked.response, custom_ids(asked.response)[0]))

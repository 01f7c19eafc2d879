"""What everybody sees of the agreed times: the schedule posts, `/schedule`, `/calendar` and its file for one match."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar

from acwc_bot import outbox
from cogs.render.calendar import EXPECTED
from engine.model import Server
from engine.usecases.matches import MatchView, load_match
from tests.cogs.test_match_flow import SATURDAY, agree
from tests.world import World, text_of

SATURDAY_STAMP = int(SATURDAY.timestamp())


def posts(world: World) -> list[str]:
    return [message.content for message in world.channel("schedule").history()]


async def file_in(answer: Any) -> bytes:
    (file,) = answer.response.attachments
    assert file.filename.endswith(".ics")
    return await file.read()


def events(content: bytes) -> list[Any]:
    return list(Calendar.from_ical(content).walk("VEVENT"))


def view_of(world: World, match_id: int) -> MatchView:
    folds, now = world.parts.app.desk.folds, world.clock.now()
    return world.parts.db.read_sync(lambda reader: load_match(reader, folds, match_id, now))


# --- The posts ----------------------------------------------------------------------------------------------------


async def test_r5_2_the_schedule_stands_from_the_publication_on_and_follows_every_agreement(event: World) -> None:
    title = "## LiAntichess World Cup 2026: schedule of round 1"
    assert posts(event) == [f"{title}\n2 matches have no time yet."]
    await agree(event, "bob", "dora", "Sun 29 Mar 9:00")
    await agree(event, "anna", "carl")
    (text,) = posts(event)
    sunday = int(datetime(2026, 3, 29, 9, tzinfo=UTC).timestamp())
    assert text.split("\n") == [
        title,
        "**Sat 28 Mar**",
        f"18:00 UTC <t:{SATURDAY_STAMP}:t> anna – carl, <t:{SATURDAY_STAMP}:R>",
        "**Sun 29 Mar**",
        f"09:00 UTC <t:{sunday}:t> bob – dora, <t:{sunday}:R>",
    ]
    assert "<@" not in text, "nobody is pinged"


async def test_a_result_and_an_extension_are_edits_and_a_restart_posts_nothing_again(event: World) -> None:
    await agree(event, "anna", "carl")
    await event.slash(event.people["bob"], "offer", times="Sat 9:00, Sat 14:00, Sun 29 Mar 9:00")
    await event.slash(event.people["dora"], "offer", times="Sat 10:00, Sat 15:00, Sun 29 Mar 15:00")
    await event.restart()
    await event.move_to(SATURDAY)
    event.lichess.play_match("anna", "carl", SATURDAY, "aaaaaa")
    await event.move(hours=1)
    await event.slash(event.people["anna"], "report")
    line = f"18:00 UTC <t:{SATURDAY_STAMP}:t> **anna 6–0 carl**"
    (text,) = posts(event)
    assert line in text and text.endswith("1 match has no time yet.")
    await event.move_to(datetime(2026, 3, 31, 11, tzinfo=UTC))
    await event.slash(event.people["td"], "td round extend", reason="a power cut")
    assert len(posts(event)) == 1
    await event.move_to(datetime(2026, 3, 31, 13, tzinfo=UTC))
    first, second = posts(event)
    assert "schedule of round 1" in first and "schedule of round 2" in second
    await event.restart()
    await event.tick()
    assert posts(event) == [first, second]
    await event.slash(event.people["bob"], "offer", times="Sat 4 Apr 9:00", match=2)
    offer = (await event.people["dora"].autocomplete(event.lobby, "accept", "offer", ""))[0]["value"]
    await event.slash(event.people["dora"], "accept", offer=offer)
    first, second_now = posts(event)
    assert "**Sat 4 Apr**\n09:00 UTC" in first and "no time yet" not in first, "it stays in its own round"
    assert second_now == second


async def test_a_deleted_channel_comes_back_with_the_round_although_nothing_has_changed_since(event: World) -> None:
    await agree(event, "anna", "carl")
    before = posts(event)
    event.env.backend.delete_channel(event.channel("schedule").id)
    await event.tick()
    await event.slash(event.owner, "td setup")
    assert posts(event) == before
    await agree(event, "bob", "dora", "Sun 29 Mar 9:00")
    (text,) = posts(event)
    assert "bob – dora" in text


async def test_a_server_from_before_the_schedule_misses_nothing_and_gets_it_with_the_next_setup(event: World) -> None:
    def as_before(store: Any) -> None:
        server = store.one(Server, guild_id=event.guild.id)
        store.save(replace(server, channels={k: v for k, v in server.channels.items() if k != "schedule"}))

    await event.parts.db.write(as_before)
    event.env.backend.delete_channel(event.channel("schedule").id)
    await event.tick()
    await agree(event, "anna", "carl")
    directors = [message.content for message in event.channel("directors").history()]
    assert not any("schedule" in text for text in directors)
    assert event.parts.db.read_sync(outbox.owed) == [], "nothing waits for a channel that nobody has made"
    assert "anna – carl" in text_of(await event.slash(event.people["dora"], "schedule"))
    answer = text_of(await event.slash(event.owner, "td setup"))
    assert "Created: <#" in answer
    (text,) = posts(event)
    assert "anna – carl" in text and text.endswith("1 match has no time yet.")


async def test_a_channel_of_their_own_is_taken_for_the_schedule(world: World) -> None:
    mine = world.guild.create_text_channel("when")
    answer = text_of(await world.slash(world.owner, "td setup", schedule=mine))
    assert f"• schedule: {mine.mention}" in answer
    await world.start_edition(("anna", "bob"), "2026-03-22")
    await world.move_to(datetime(2026, 3, 22, 12, tzinfo=UTC))
    assert [message.content for message in mine.history()] != [] and posts(world) == []


async def test_further_posts_come_as_they_are_needed(event: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("posts", "timetable"):
        monkeypatch.setattr(f"engine.usecases.{module}.SCHEDULE_PER_POST", 1)
    await agree(event, "anna", "carl")
    (only,) = posts(event)
    assert "anna – carl" in only and only.endswith("1 match has no time yet.")
    await agree(event, "bob", "dora", "Fri 27 Mar 20:00")
    first, second = posts(event)
    assert "**Fri 27 Mar**\n20:00 UTC" in first and "bob – dora" in first, "the order is that of the hours"
    assert second.startswith("**Round 1, schedule part 2**\n**Sat 28 Mar**\n18:00 UTC")
    assert "no time yet" not in first + second


# --- /schedule ----------------------------------------------------------------------------------------------------


async def test_schedule_shows_what_is_to_come_first(event: World) -> None:
    dora = event.people["dora"]
    empty = text_of(await event.slash(dora, "schedule"))
    assert "2 matches have no time yet. Each appears here as soon as its two players agree." in empty
    await agree(event, "anna", "carl")
    await agree(event, "bob", "dora", "Sun 29 Mar 9:00")
    await event.move_to(SATURDAY + timedelta(hours=1))
    lines = text_of(await event.slash(dora, "schedule")).split("\n")
    assert lines[0] == "**LiAntichess World Cup 2026: schedule**"
    assert lines[1] == "**Sun 29 Mar**" and "bob – dora" in lines[2]
    assert lines[3:5] == ["__Earlier__", "**Sat 28 Mar**"] and "anna – carl" in lines[5]
    assert "schedule of round 1**" in text_of(await event.slash(dora, "schedule", round=1))
    assert "nothing to show for round 2. You can see: 1" in text_of(await event.slash(dora, "schedule", round=2))


async def test_schedule_and_calendar_before_there_is_anything(world: World) -> None:
    td = world.people["td"]
    for command in ("schedule", "calendar"):
        assert "no World Cup" in text_of(await world.slash(td, command))
    await world.slash(td, "td edition create", starts="2026-03-22")
    answer = text_of(await world.slash(td, "schedule"))
    assert "No pairings yet; the first come on Sun 22 Mar 2026." in answer
    shown = await world.slash(td, "calendar")
    assert "No match has a time yet, so there is no file." in text_of(shown) and not shown.response.attachments


# --- Files --------------------------------------------------------------------------------------------------------


async def test_accepting_gives_the_match_as_a_file_and_calendar_every_match_or_ones_own(event: World) -> None:
    carl, td = event.people["carl"], event.people["td"]
    await event.slash(event.people["anna"], "offer", times="Sat 18:00")
    answer = await event.slash(carl, "accept", offer=1)
    assert "Agreed: Sat 28 Mar 18:00 UTC" in text_of(answer)
    (found,) = events(await file_in(answer))
    assert found["summary"] == "anna – carl (World Cup R1)"
    assert found["description"] == "https://lichess.org/@/anna\nhttps://lichess.org/@/carl"
    assert found["dtstart"].dt == SATURDAY and found["dtend"].dt == SATURDAY + EXPECTED
    await agree(event, "bob", "dora", "Sun 29 Mar 9:00")
    everything = await event.slash(td, "calendar")
    assert text_of(everything).startswith("2 matches for your own calendar")
    both = events(await file_in(everything))
    assert [str(one["summary"]) for one in both] == ["anna – carl (World Cup R1)", "bob – dora (World Cup R1)"]
    mine = await event.slash(carl, "calendar", mine=True)
    assert text_of(mine).startswith("1 match of carl for your own calendar")
    (own,) = events(await file_in(mine))
    assert own["uid"] == both[0]["uid"] == found["uid"] != both[1]["uid"]
    refused = await event.slash(td, "calendar", mine=True)
    assert not refused.response.attachments and "so you have no match" in text_of(refused)

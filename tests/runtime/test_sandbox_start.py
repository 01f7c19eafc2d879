"""Where a rehearsal begins, and what the page offers before the first round."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acwc_bot.sandbox.deeds import do
from acwc_bot.sandbox.html import render
from acwc_bot.sandbox.opening import Start
from acwc_bot.sandbox.rehearsal import Rehearsal
from acwc_bot.sandbox.shown import Shown
from acwc_bot.sandbox.stops import next_tuesday
from acwc_bot.sandbox.world import LOBBY
from engine.model import Edition, EntryState, Registration
from tests.runtime.test_sandbox import FIRST_PAIRINGS, SMALL, rehearsal

EMPTY, REGISTRATION = Start(0, registration=False), Start(0)
NAMES = [entry.lichess_id for entry in SMALL]


async def page(it: Rehearsal) -> str:
    return render(await Shown.of(it), "token")


def entries(it: Rehearsal) -> dict[str, EntryState]:
    found = it.sandbox.parts.db.read_sync(lambda reader: reader.find(Registration))
    return {entry.lichess_name: entry.state for entry in found}


def test_a_start_is_read_or_refused_with_what_there_is() -> None:
    assert Start.parse("start", 45) == EMPTY
    assert Start.parse("registration", 45) == REGISTRATION
    assert Start.parse("round-1", 45) == Start(1)
    assert Start.parse("round-7", 45) == Start(7)
    for wrong in ("round-8", "round-0", "round-", "Round-1", "finals", ""):
        with pytest.raises(ValueError, match="choose start, registration, or round-1 to round-7"):
            Start.parse(wrong, 45)


async def test_from_an_empty_server_by_hand_to_the_first_round(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=EMPTY) as it:
        sandbox, lobby = it.sandbox, it.sandbox.channel(LOBBY)
        assert it.viewer == "owner" and set(NAMES) < set(sandbox.people)
        assert "Open the lobby in Discord" in await page(it) and "<code>/td setup</code>" in await page(it)
        await do(it, "appoint")
        assert it.lines[-1].bad and "Type /td setup in Discord first" in it.lines[-1].text
        await do(it, "others")
        assert it.lines[-1].bad and "Next: /td setup" in it.lines[-1].text

        await sandbox.slash(sandbox.people["owner"], lobby, "td setup")
        assert "Give owner and director the TD role" in await page(it)
        await do(it, "appoint")
        assert "Give owner and director the TD role" not in await page(it)
        assert "/td edition create starts:" in await page(it)
        td = sandbox.people["director"]
        it.be("director")
        await sandbox.slash(td, lobby, "td edition create", starts="2026-01-11", ruleset="2023")
        assert "then type <code>/td edition open</code>" in await page(it)
        await sandbox.slash(td, lobby, "td edition open")
        await do(it, "others")
        assert it.lines[-1].text == "5 have entered; 5 wait for a decision in wc-directors."
        it.be("owner")
        await do(it, "others")
        assert it.lines[-1].text == "Everybody has entered; the director has approved 5."
        await do(it, "finish")
        assert it.lines[-1].bad and it.lines[-1].text == "There is no round yet."
        await sandbox.slash(td, lobby, "td edition close")
        await do(it, "others")
        assert it.lines[-1].bad and "before the first pairings" in it.lines[-1].text
        await do(it, "tuesday")
        assert it.lines[-1].text == "It is Sun 11 Jan 12:00 UTC: the pairings of round 1 are out."
        assert it.home == "entrant_001" and "Be entrant_001" in await page(it)


async def test_registration_is_half_way_and_the_visitor_decides(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=REGISTRATION) as it:
        assert it.viewer == "director"
        assert sorted(entries(it).values()) == [EntryState.APPROVED] * 2 + [EntryState.PENDING]
        assert it.sandbox.parts.db.read_sync(lambda r: r.find(Edition))[0].state == "open"
        assert "approve who waits in wc-directors" in await page(it)
        await do(it, "others")
        assert it.lines[-1].text == "2 have entered; 3 wait for a decision in wc-directors."
        assert set(entries(it)) == set(NAMES)


async def test_a_visitor_who_may_still_enter_is_not_entered_by_the_others(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=REGISTRATION) as it:
        me = next(name for name in NAMES if name not in entries(it))
        it.be(me)
        await do(it, "others")
        assert (
            it.lines[-1].text == "1 have entered; the director has approved 1; 1 wait for a decision in wc-directors."
        )
        assert me not in entries(it) and "You have not entered" in await page(it)


async def test_a_later_round_is_reached_by_play(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=Start(2)) as it:
        event = await it.players.event()
        assert event is not None and event.current_round is not None
        assert event.current_round.number == 2 and event.tournament.rounds[0].closed
        assert event.tournament.extended == {}, "everybody came, and round 2 has only begun"
        assert it.sandbox.now() == datetime(2026, 1, 20, 12, tzinfo=UTC)
        assert len(it.sandbox.lichess.games()) >= 2 * 6
        assert it.viewer == event.name(event.matches_of(event.current_round.id)[0].a_id)


async def test_an_open_registration_holds_the_first_round_up_and_the_page_says_so(tmp_path: Path) -> None:
    async with rehearsal(tmp_path, start=REGISTRATION) as it:
        await it.sandbox.move_to(FIRST_PAIRINGS - timedelta(hours=1))
        await do(it, "hour")
        assert it.lines[-1].text.endswith("are due. The first round waits. Type /td edition close.")
        it.be("follower")
        await do(it, "hour")
        assert it.lines[-1].text.endswith("The first round waits. Be the TD and type /td edition close.")


async def test_a_follower_sees_what_everybody_sees(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        it.be("follower")
        text = await page(it)
        assert "You neither play nor direct" in text and "wc-pairings" in text and "wc-directors<" not in text
        assert await it.place_of_interest() == it.sandbox.channel("wc-pairings").id


# --- Tuesdays -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "at"),
    [
        (datetime(2026, 1, 6, 11, 59, tzinfo=UTC), datetime(2026, 1, 6, 12, tzinfo=UTC)),
        (datetime(2026, 1, 6, 12, 0, tzinfo=UTC), datetime(2026, 1, 13, 12, tzinfo=UTC)),
        (datetime(2026, 1, 7, 0, 0, tzinfo=UTC), datetime(2026, 1, 13, 12, tzinfo=UTC)),
    ],
)
def test_without_an_edition_next_tuesday_is_the_calendars(now: datetime, at: datetime) -> None:
    stop = next_tuesday(None, now)
    assert (stop.at, stop.what) == (at, "nothing is due then")


async def test_next_tuesday_is_the_next_publication_and_names_it(tmp_path: Path) -> None:
    async with rehearsal(tmp_path) as it:
        text = await page(it)
        assert "To next Tuesday</button>" in text
        assert "Next Tuesday: <strong>Tue 20 Jan 12:00 UTC</strong>, the pairings of round 2 are due." in text
        it.be("director")
        await do(it, "finish")
        await do(it, "tuesday")
        assert it.lines[-1].text.startswith("It is Tue 20 Jan 12:00 UTC: ")
        assert it.lines[-1].text.endswith("the pairings of round 2 are out.")

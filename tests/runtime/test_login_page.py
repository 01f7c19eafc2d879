"""“Log in with Lichess” from the button to the proven entry: the page over real HTTP, the offline Lichess behind it."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from aiohttp import web

from acwc_bot.lichess_login import OAuthLogin
from acwc_bot.login_page import PATH, LoginPage, serve
from acwc_bot.wiring import Parts, wire
from cogs.render.errors import error_message
from db.worker import SqlDatabase
from engine.errors import AcwcError, Conflict, NotAllowed
from engine.model import EntryState, Login, Proof, Registration
from engine.usecases.context import Actor, Door
from engine.usecases.logins import LOGIN_LASTS
from engine.usecases.registration import Claim
from tests.support_lichess import Rig, offline_lichess
from tests.world import LONG_AGO, migrated

JANUARY = datetime(2026, 1, 5, 18, tzinfo=UTC)
TD_ROLE = 77
SECOND = timedelta(seconds=1)


def actor(name: str) -> Actor:
    numbers = {"td": 1, "anna": 2, "bob": 3}
    roles = frozenset({TD_ROLE} if name == "td" else ())
    return Actor(discord_id=numbers[name], name=name, guild_id=9, command_id=name, role_ids=roles, handle=f"{name}.1")


@dataclass
class Browser:
    """What the page said last. `code` of HTTP."""

    code: int
    text: str
    url: str
    headers: dict[str, str]


@dataclass
class Desk:
    rig: Rig
    parts: Parts
    runner: web.AppRunner

    async def begins(self, name: str, account: str) -> Claim:
        if self.rig.world.account(account) is None:
            self.rig.world.add_account(account, rating=2000, games=5000, created_at=LONG_AGO)
        return await self.parts.app.registration.register(actor(name), account)

    async def link(self, name: str, claim: Claim) -> str:
        """What the button *Log in with Lichess* gives."""
        return await self.parts.app.logins.begin(actor(name), claim.entry.id)

    async def opens(self, url: str, as_account: str | None = None, *, follow: bool = True) -> Browser:
        """Somebody who is logged in on Lichess as that account opens a link and says yes to Lichess's question."""
        if as_account is not None:
            self.rig.world.logins.account = as_account.lower()
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, allow_redirects=follow) as answer,
        ):
            return Browser(answer.status, await answer.text(), str(answer.url), dict(answer.headers))

    async def agrees(self, page: Browser) -> Browser:
        """Presses the button of the page."""
        token = re.search(r'name="confirm" value="([^"]+)"', page.text)
        assert token is not None, page.text
        return await self.posts(page.url, token[1])

    async def posts(self, url: str, token: str) -> Browser:
        async with aiohttp.ClientSession() as session, session.post(url, data={"confirm": token}) as answer:
            return Browser(answer.status, await answer.text(), str(answer.url), dict(answer.headers))

    async def logs_in(self, name: str, claim: Claim, account: str) -> Browser:
        """From the button in Discord to the last page."""
        return await self.agrees(await self.opens(await self.link(name, claim), account))

    def entry(self, registration_id: int) -> Registration:
        return self.parts.db.read_sync(lambda reader: reader.get(Registration, registration_id))

    def later(self, delta: timedelta) -> None:
        self.rig.calendar.moment += delta


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as opened:
        yield opened


@asynccontextmanager
async def open_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """Registration is open; the bot has a public address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with offline_lichess() as rig:
        rig.calendar.moment = JANUARY
        login = OAuthLogin(rig.lichess.http)
        door = Door(login, f"http://127.0.0.1:{port}{PATH}")
        db = SqlDatabase(migrated(tmp_path / "acwc.db", tmp_path))
        parts = wire(db, rig.lichess, rig.calendar, door=door)
        runner = await serve(LoginPage(parts.app, login, door.redirect_uri), "127.0.0.1", port)
        try:
            await parts.app.setup.save(actor("td"), TD_ROLE, {"td": 5})
            await parts.app.editions.create(actor("td"), "2023", date(2026, 3, 22))
            await parts.app.editions.open(actor("td"))
            yield Desk(rig, parts, runner)
        finally:
            await runner.cleanup()
            db.close()


async def test_r2_6_a_login_shows_whose_account_it_is_and_its_check_begins(desk: Desk) -> None:
    claim = await desk.begins("anna", "Quick_Hare")
    assert claim.login
    asked = await desk.opens(await desk.link("anna", claim), "Quick_Hare")
    assert asked.code == 200 and "Is this you?" in asked.text and "Yes, I am anna (@anna.1)" in asked.text
    assert (
        "You are logged in on Lichess as Quick_Hare" in asked.text
        and "the account of anna (@anna.1) on Discord" in asked.text
    )
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN, "the login alone enters nobody"
    page = await desk.agrees(asked)
    assert (page.code, "Done" in page.text) == (200, True)
    assert "Quick_Hare is entered as the account of anna on Discord" in page.text
    assert "Your entry is with the TDs" in page.text
    entry = desk.entry(claim.entry.id)
    assert (entry.state, entry.proof, entry.proven_at) == (EntryState.PENDING, Proof.LOGIN, JANUARY)
    assert desk.rig.world.logins.tokens == 0, "the token is given back"
    async with asyncio.timeout(20):
        while not (view := await desk.parts.app.entries.show(actor("td"), entry.id)).check.finished_at:  # type: ignore[union-attr]
            await asyncio.sleep(0)
    assert view.is_clear


async def test_every_login_has_a_state_of_its_own_that_nobody_guesses(desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    links = [await desk.link("anna", claim) for _ in range(3)]
    states = {parse_qs(urlsplit(link).query)["state"][0] for link in links}
    assert len(states) == 3 and min(map(len, states)) >= 43
    kept = desk.parts.db.read_sync(lambda reader: reader.find(Login))
    assert {login.state for login in kept} == states
    assert not [login for login in kept for link in links if login.verifier in link], "the verifier stays here"
    assert all("scope" not in parse_qs(urlsplit(link).query) for link in links)


async def test_who_declines_may_begin_again(desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    desk.rig.world.logins.declines = True
    page = await desk.opens(await desk.link("anna", claim), "anna")
    assert page.code == 400 and "Lichess says that you did not agree. Press Log in with Lichess" in page.text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN
    desk.rig.world.logins.declines = False
    assert (await desk.opens(page.url, "anna")).code == 400, "that state is used up"
    assert (await desk.opens(await desk.link("anna", claim), "anna")).code == 200


async def test_an_answer_that_comes_again_does_nothing(desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    link = await desk.link("anna", claim)
    asked_for = await desk.opens(link, "anna")
    done = await desk.agrees(asked_for)
    before, asked = desk.entry(claim.entry.id), len(desk.rig.paths())
    assert (await desk.agrees(asked_for)).code == 400, "nor does a second yes"
    again = await desk.opens(done.url)
    assert again.code == 400 and "That link has been used already" in again.text
    assert len(desk.rig.paths()) - asked <= 3 and "/api/token" not in desk.rig.paths()[asked:]
    assert desk.entry(claim.entry.id) == before
    assert (await desk.opens(link, "anna")).code == 400, "nor does the link to Lichess"


async def test_a_login_lasts_ten_minutes(desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    early, late = await desk.link("anna", claim), await desk.link("anna", claim)
    desk.later(LOGIN_LASTS)
    page = await desk.opens(late, "anna")
    assert page.code == 400 and "older than 10 minutes" in page.text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN
    desk.later(-SECOND)
    asked = await desk.opens(early, "anna")
    assert asked.code == 200
    desk.later(SECOND)
    assert "older than 10 minutes" in (await desk.agrees(asked)).text, "the yes has to come in time too"
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN


@pytest.mark.parametrize("token", ["", "guessed"])
async def test_a_yes_that_nobody_was_asked_for_is_refused(desk: Desk, token: str) -> None:
    claim = await desk.begins("anna", "anna")
    page = await desk.opens(await desk.link("anna", claim), "anna")
    assert (await desk.posts(page.url, token)).code == 400
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN


async def test_r2_6_a_yes_counts_for_the_account_that_was_asked_about(desk: Desk) -> None:
    claim = await desk.begins("anna", "one")
    asked = await desk.opens(await desk.link("anna", claim), "one")
    await desk.begins("anna", "two")
    assert "but the entry is for two" in (await desk.agrees(asked)).text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN


async def test_r2_6_who_is_logged_in_as_somebody_else_shows_nothing(desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    desk.rig.world.add_account("mallory")
    page = await desk.opens(await desk.link("anna", claim), "mallory")
    assert page.code == 400
    assert "You are logged in on Lichess as mallory, but the entry is for anna" in page.text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN
    assert desk.rig.world.logins.tokens == 0


async def test_r2_6_a_login_belongs_to_its_entry(desk: Desk) -> None:
    """Neither that of another person nor one for the account that was there before counts."""
    mine, theirs = await desk.begins("anna", "shared"), await desk.begins("bob", "shared")
    with pytest.raises(NotAllowed, match="not_your_entry"):
        await desk.link("bob", mine)
    assert (await desk.logs_in("anna", mine, "shared")).code == 200
    assert desk.entry(theirs.entry.id).state is EntryState.UNPROVEN

    first = await desk.begins("bob", "one")
    link = await desk.link("bob", first)
    second = await desk.begins("bob", "two")
    assert second.entry.id == first.entry.id
    page = await desk.opens(link, "one")
    assert page.code == 400 and "but the entry is for two" in page.text


@pytest.mark.parametrize(
    "query", ["", "?state=", "?state=guessed&code=x", "?code=x", "?error=access_denied&state=%3Cb%3E"]
)
async def test_an_answer_that_nobody_asked_for_is_refused(desk: Desk, query: str) -> None:
    claim = await desk.begins("anna", "anna")
    address = urlsplit(await desk.link("anna", claim)).query
    page = await desk.opens(parse_qs(address)["redirect_uri"][0] + query)
    assert page.code == 400 and "That login was not begun here" in page.text and "<b>" not in page.text
    assert (
        page.headers["Cache-Control"] == "no-store" and "default-src 'none'" in page.headers["Content-Security-Policy"]
    )
    assert "/api/token" not in desk.rig.paths()


@pytest.mark.parametrize(("fault", "times"), [("502", 3), ("html", 1), ("cut", 1), ("down", 3), ("429", 1), ("404", 1)])
@pytest.mark.parametrize("request_number", [0, 1])
async def test_lichess_that_does_not_answer_proves_nothing(
    desk: Desk, fault: str, times: int, request_number: int
) -> None:
    claim = await desk.begins("anna", "anna")
    link = await desk.link("anna", claim)
    desk.rig.world.fail_next(fault, times, on=["/api/token", "/api/account"][request_number])
    page = await desk.opens(link, "anna")
    assert page.code == 400 and "Traceback" not in page.text and "Lichess" in page.text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN
    desk.rig.world.heal()
    desk.rig.time.advance(120)
    assert (await desk.opens(await desk.link("anna", claim), "anna")).code == 200


async def test_r2_6_a_second_login_stops_both_entries_and_says_so(desk: Desk) -> None:
    mine, theirs = await desk.begins("anna", "shared"), await desk.begins("bob", "shared")
    await desk.logs_in("anna", mine, "shared")
    page = await desk.logs_in("bob", theirs, "shared")
    assert page.code == 200 and "there is a second account or a second entry" in page.text
    assert {desk.entry(claim.entry.id).state for claim in (mine, theirs)} == {EntryState.FROZEN}


async def test_a_login_after_registration_has_ended_is_too_late(desk: Desk) -> None:
    desk.rig.calendar.moment = datetime(2026, 3, 15, tzinfo=UTC) - SECOND
    claim = await desk.begins("anna", "anna")
    link = await desk.link("anna", claim)
    asked = await desk.opens(link, "anna")
    desk.later(SECOND)
    page = await desk.agrees(asked)
    assert page.code == 400 and "ended Sat 14 Mar 23:59 UTC" in page.text
    assert desk.entry(claim.entry.id).state is EntryState.UNPROVEN


async def test_without_a_public_address_there_is_no_login(tmp_path: Path, desk: Desk) -> None:
    claim = await desk.begins("anna", "anna")
    parts = wire(desk.parts.db, desk.rig.lichess, desk.rig.calendar)
    assert not (await parts.app.registration.claim(actor("anna"), claim.entry.id)).login
    with pytest.raises(Conflict) as refusal:
        await parts.app.logins.begin(actor("anna"), claim.entry.id)
    assert isinstance(refusal.value, AcwcError) and "Put the code into your bio" in error_message(refusal.value).text
